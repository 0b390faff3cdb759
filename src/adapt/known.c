/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each summary once.
 *
 * A function is explored in a table of terms of its own, and what comes of it is brought over as bytes
 * (record.c), whether they were made just now or at some other time: what a search begins with depends on the
 * function and the question alone, and an answer is the same whatever was known before. The bytes are found by
 * everything that they depend on. That is the whole file, not the bytes of the function: which callees return, what
 * they take and what a table holds is read from all of it. */
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "base/sha256.h"
#include "lift/lift.h"
#include "term/pack.h"

uint64_t bias_of(const struct adapt_code *c, bool second)
{
    if (program_machine(c->p)->pointer_width == 64)
        return second ? UINT64_C(0x7f3500000000) : UINT64_C(0x556a00000000);
    return second ? 0x6b000000 : 0x5a000000;
}

/* ---- what is known ---- */

static struct summary *find(struct adapt *a, const struct adapt_code *c, term given, bool apart)
{
    for (struct summary *s = a->made; s; s = s->next)
        if (s->code.p == c->p && s->code.f->address == c->f->address && s->code.fragment == c->fragment &&
            s->code.out == c->out && s->apart == apart && s->pair == a->pair && s->real == a->real &&
            s->deep == a->deep && given == s->holds)
            return s;
    return NULL;
}

/* Nothing is known of it but what is asked. */
static struct summary *begin(struct adapt *a, const struct adapt_code *c, term given)
{
    struct summary *s = xcalloc(1, sizeof *s);
    *s = (struct summary){.a = a,
                          .code = *c,
                          .m = program_machine(c->p),
                          .second = a->first != c->p,
                          .bias = bias_of(c, a->first != c->p),
                          .number = ++a->numbered,
                          .pair = a->pair,
                          .real = a->real,
                          .deep = a->deep,
                          .holds = given};
    summary_symbols(s);
    return s;
}

/* ---- keys ---- */

static void put_digest(struct buf *b, const void *bytes, size_t n)
{
    char hex[SHA256_HEX];
    sha256_hex(bytes, n, hex);
    pack_text(b, hex);
}

/* Of a program, once. */
static const char *digest_of(struct adapt *a, const struct program *p)
{
    for (size_t i = 0; i < a->digest.len; i++)
        if (a->digest.data[i].p == p)
            return a->digest.data[i].hex;
    struct buf b = BUF_INIT;
    char debug[SHA256_HEX], hex[SHA256_HEX];
    const struct flow_function *f;
    const size_t n = program_functions(p, &f);
    object_debug_digest(program_object(p), debug);
    pack_text(&b, object_info(program_object(p))->sha256);
    pack_text(&b, debug);
    pack_number(&b, program_searched(p));
    for (size_t i = 0; i < n; i++) {
        pack_number(&b, f[i].address);
        pack_number(&b, f[i].size);
        pack_number(&b, f[i].flags);
        pack_text(&b, f[i].name);
    }
    sha256_hex(b.data, b.len, hex);
    buf_free(&b);
    vec_push(&a->digest, (struct program_digest){p, arena_strdup(&a->keep, hex)});
    return vec_last(&a->digest).hex;
}

/* `given`: what holds at entry, as bytes. */
static void key_of(struct adapt *a, const struct summary *s, const struct buf *given, char hex[SHA256_HEX])
{
    struct buf b = BUF_INIT;
    const struct adapt_fragment *part = s->code.fragment;
    pack_text(&b, "assay summary 1");
    put_digest(&b, a->keeper->context->data, a->keeper->context->len);
    pack_text(&b, digest_of(a, s->code.p));
    const uint64_t number[] = {s->code.f->address,
                               part ? part->to - part->from : 0,
                               part ? s->code.out : 0,
                               s->second,
                               s->bias,
                               s->pair,
                               s->real,
                               s->deep,
                               a->opt->visits,
                               a->opt->summary_ms,
                               a->opt->timeout_ms};
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        pack_number(&b, number[i]);
    put_digest(&b, given->data, given->len);
    sha256_hex(b.data, b.len, hex);
    buf_free(&b);
}

/* ---- making it ---- */

static bool is_fresh(void *ctx, term x)
{
    return term_origin(ctx, x).kind == TERM_ORIGIN_FRESH;
}

/* What holds at entry, to be brought into another table; nothing where nothing is said. */
static bool pack_given(const struct adapt *a, term given, struct buf *out)
{
    return given == TERM_NONE ||
           (!term_any(a->t, given, is_fresh, a->t) && term_pack(out, a->t, &given, 1));
}

static bool unpack_given(const struct adapt *a, const struct buf *from, term *given)
{
    const struct ir_pures pures = lift_pures();
    const struct term_knows knows = {
        .spell = origin_spell, .sound = origin_is_sound, .pure = pures.table, .npures = pures.count};
    struct unpack u = unpack_begin(from->data, from->len);
    *given = TERM_NONE;
    if (!from->len)
        return true;
    struct packed *p = packed_read(&u, a->t, &knows);
    if (p)
        packed_build(p, a->t, given);
    packed_free(p);
    return p;
}

/* As bytes. False: it cannot be brought over. */
static bool make_record(const struct summary *s, const struct buf *given, struct buf *out)
{
    struct adapt *a = s->a;
    struct error why = {0};
    struct adapt *own = adapt_new(a->opt, &why);
    struct summary made = {0};
    term holds;
    if (!own)
        return false;
    own->pair = a->pair;
    own->real = a->real;
    own->deep = a->deep;
    own->width = a->width;
    bool ok = unpack_given(own, given, &holds);
    if (ok && summary_make(&made, own, &s->code, s->bias, s->second, holds, &why))
        ok = record_write(out, &made);
    else if (ok)
        record_write_error(out, &why);
    summary_free(&made);
    adapt_free(own);
    return ok;
}

/* The reason why there is none, or NULL. */
static const struct error *refusal(struct adapt *a, const struct error *why)
{
    return arena_dup(&a->keep, why, sizeof *why);
}

static bool take_record(struct summary *s, const struct buf *bytes)
{
    struct error why = {0};
    bool none;
    if (!record_read(s, buf_text(bytes), bytes->len, &none, &why))
        return false;
    s->refused = none ? refusal(s->a, &why) : NULL;
    return true;
}

/* In the table of the search, where it stays. */
static void make_here(struct summary *s)
{
    struct error why = {0};
    const struct summary asked = *s;
    bool ok = summary_make(s, s->a, &asked.code, asked.bias, asked.second, asked.holds, &why);
    s->refused = ok ? NULL : refusal(s->a, &why);
}

static void make(struct summary *s)
{
    struct adapt *a = s->a;
    const struct adapt_keep *keeper =
        *object_info(program_object(s->code.p))->sha256 ? a->keeper : NULL; /* by what would it be found? */
    struct buf given = BUF_INIT, bytes = BUF_INIT;
    char key[SHA256_HEX];
    bool can = pack_given(a, s->holds, &given), done = false;
    if (can && keeper) {
        key_of(a, s, &given, key);
        done = keeper->get(keeper->ctx, key, &bytes) && take_record(s, &bytes);
        a->effort.found += done;
    }
    if (!done) {
        a->effort.made++;
        buf_clear(&bytes);
        can = can && make_record(s, &given, &bytes) && take_record(s, &bytes);
        if (can && keeper)
            keeper->put(keeper->ctx, key, bytes.data, bytes.len);
        else if (!can)
            make_here(s);
    }
    buf_free(&given);
    buf_free(&bytes);
}

/* ---- the inner function's own ---- */

static void set_apart(struct summary *s, const struct summary *plain)
{
    *s = *plain;
    s->x = NULL;
    s->roms = (struct roms){0};
    memset(&s->path, 0, sizeof s->path);
    memset(&s->seen, 0, sizeof s->seen);
    memset(&s->assume, 0, sizeof s->assume);
    memset(&s->own, 0, sizeof s->own);
    for (size_t i = 0; i < plain->assume.len; i++)
        vec_push(&s->assume, plain->assume.data[i]);
    summary_set_apart(s);
}

const struct summary *summary_of(struct adapt *a, const struct adapt_code *c, term given, bool apart,
                                 struct error *err)
{
    if (!a->first)
        a->first = c->p;
    a->width = program_machine(c->p)->pointer_width;
    lifter_keep_loads(program_lifter(c->p));
    struct summary *s = find(a, c, given, apart);
    if (!s) {
        const struct summary *plain = apart ? summary_of(a, c, given, false, err) : NULL;
        if (apart && !plain)
            return NULL;
        if (plain)
            set_apart(s = xcalloc(1, sizeof *s), plain);
        else
            make(s = begin(a, c, given));
        s->next = a->made;
        a->made = s;
    }
    if (!s->refused)
        return s;
    *err = *s->refused;
    return NULL;
}
