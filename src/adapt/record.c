/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A summary as bytes, and back. Nothing of the process is in it; of the program only addresses at the bias. */
#include "adapt/internal.h"

#include "lift/lift.h"
#include "term/pack.h"

enum { RECORD_SUMMARY = 1, RECORD_ERROR = 2 };
enum { MOST_BYTES = 1 << 16 /* of an access */ };

/* ---- the parts of a summary ---- */

enum { FLAGS = 10 };
static void list_flags(struct summary *s, bool *flag[FLAGS])
{
    bool *const all[FLAGS] = {&s->lost,   &s->partial, &s->vague,  &s->more,  &s->astray,
                              &s->floats, &s->rounds,  &s->stuck,  &s->pair,  &s->deep};
    memcpy(flag, all, sizeof all);
}

enum { TEXTS = 3 };
static void list_texts(struct summary *s, const char **text[TEXTS])
{
    const char **const all[TEXTS] = {&s->why_open, &s->why_doubt, &s->unfit};
    memcpy(text, all, sizeof all);
}

enum { CONDITIONS = 5, RESULTS = 2, ROOTS = CONDITIONS + RESULTS + 2, OF_CALL = 2, OF_ACCESS = 2 };
static void list_roots(struct behaviour *b, term *root[ROOTS])
{
    term *const all[ROOTS] = {&b->returns,   &b->traps,     &b->open,   &b->doubt, &b->asks,
                              &b->result[0], &b->result[1], &b->memory, &b->world};
    memcpy(root, all, sizeof all);
}

/* ---- writing ---- */

static void write_shape(struct buf *out, const struct summary *s)
{
    pack_number(out, s->shape.words);
    pack_number(out, s->shape.floats);
    for (unsigned i = 0; i < s->shape.floats; i++)
        pack_number(out, s->shape.float_bits[i]);
    pack_number(out, s->shape.result_bits);
    pack_number(out, s->nargs);
    uint64_t used = 0;
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++)
        used |= (uint64_t)s->used[i] << i;
    pack_number(out, used);
}

static void write_accesses(struct buf *out, const struct behaviour *b)
{
    pack_number(out, b->naccesses);
    pack_number(out, b->nreached);
    for (size_t i = 0; i < b->naccesses; i++) {
        pack_number(out, b->access[i].bytes);
        pack_number(out, b->access[i].write);
        pack_number(out, b->access[i].strict);
    }
}

static bool write_terms(struct buf *out, struct summary *s)
{
    VEC(term) all = VEC_INIT;
    term *root[ROOTS];
    list_roots(&s->is, root);
    for (unsigned i = 0; i < ROOTS; i++)
        vec_push(&all, *root[i]);
    for (size_t i = 0; i < s->is.naccesses; i++) {
        vec_push(&all, s->is.access[i].address);
        vec_push(&all, s->is.access[i].when);
    }
    for (size_t i = 0; i < s->assume.len; i++)
        vec_push(&all, s->assume.data[i]);
    if (s->only_call) {
        vec_push(&all, s->only_call->result);
        vec_push(&all, s->only_call->returned);
        for (unsigned i = 0; i < s->only_call->nargs; i++)
            vec_push(&all, s->only_call->arg[i]);
    }
    bool whole = term_pack(out, s->a->t, all.data, all.len);
    vec_free(&all);
    return whole;
}

bool record_write(struct buf *out, const struct summary *of)
{
    struct summary s = *of;
    bool *flag[FLAGS];
    const char **text[TEXTS];
    list_flags(&s, flag);
    list_texts(&s, text);
    pack_number(out, RECORD_SUMMARY);
    for (unsigned i = 0; i < FLAGS; i++)
        pack_number(out, *flag[i]);
    for (unsigned i = 0; i < TEXTS; i++)
        pack_text(out, *text[i]);
    write_shape(out, &s);
    write_accesses(out, &s.is);
    pack_number(out, s.assume.len);
    pack_number(out, s.only_call ? s.only_call->nargs + 1 : 0);
    pack_text(out, s.only_call ? s.only_call->name : NULL);
    return write_terms(out, &s);
}

void record_write_error(struct buf *out, const struct error *why)
{
    pack_number(out, RECORD_ERROR);
    pack_number(out, why->kind);
    pack_text(out, why->text);
}

/* ---- reading ---- */

static bool read_error(struct unpack *u, struct error *why)
{
    struct arena arena = ARENA_INIT;
    const uint64_t kind = unpack_upto(u, ERROR_SYSTEM);
    const char *text = unpack_text(u, &arena);
    bool ok = unpack_done(u) && kind && text && strlen(text) < sizeof why->text;
    if (ok)
        error_set(why, (enum error_kind)kind, "%s", text);
    arena_free(&arena);
    return ok;
}

static bool is_float(unsigned bits)
{
    return bits == 32 || bits == 64;
}

static bool read_shape(struct unpack *u, struct summary *s)
{
    struct adapt_shape *f = &s->shape;
    f->words = (unsigned)unpack_upto(u, ADAPT_ARGUMENTS);
    f->floats = (unsigned)unpack_upto(u, ADAPT_FLOATS);
    bool ok = true;
    for (unsigned i = 0; i < f->floats; i++) {
        f->float_bits[i] = (uint8_t)unpack_upto(u, 64);
        ok = ok && is_float(f->float_bits[i]);
    }
    f->result_bits = (uint8_t)unpack_upto(u, 64);
    s->nargs = (unsigned)unpack_upto(u, ADAPT_ARGUMENTS);
    const uint64_t used = unpack_upto(u, (1u << ADAPT_ARGUMENTS) - 1);
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++)
        s->used[i] = used >> i & 1;
    return ok && !u->bad && f->words + f->floats == s->nargs && f->floats <= s->m->nfargs &&
           (!f->result_bits || is_float(f->result_bits));
}

static bool read_accesses(struct unpack *u, struct summary *s)
{
    const size_t n = (size_t)unpack_upto(u, (uint64_t)(u->end - u->at));
    struct access *list = arena_array(s->a->arena, struct access, n + 1);
    s->is.naccesses = n;
    s->is.nreached = (size_t)unpack_upto(u, n);
    for (size_t i = 0; i < n; i++) {
        list[i].bytes = (unsigned)unpack_upto(u, MOST_BYTES);
        list[i].write = unpack_upto(u, 1);
        list[i].strict = unpack_upto(u, 1);
    }
    s->is.access = list;
    return !u->bad;
}

/* What the record says that there are of terms. */
struct counts {
    size_t assumed;
    size_t call; /* arguments of the only call, and one; 0: there is none */
};

/* Everything is of the kind that it has to be. */
static bool fits(const struct packed *p, const struct summary *s, const struct counts *n)
{
    const unsigned width = s->a->width;
    size_t at = 0;
    bool ok = packed_roots(p) ==
              ROOTS + OF_ACCESS * s->is.naccesses + n->assumed + (n->call ? OF_CALL + n->call - 1 : 0);
    for (unsigned i = 0; ok && i < CONDITIONS; i++)
        ok = packed_is(p, at++, 1);
    for (unsigned i = 0; ok && i < RESULTS; i++)
        ok = packed_is(p, at++, width);
    ok = ok && packed_is_array(p, at++, width, 8) && packed_is(p, at++, term_width(s->a->t, s->world));
    for (size_t i = 0; ok && i < s->is.naccesses; i++, at += OF_ACCESS)
        ok = packed_is(p, at, width) && packed_is(p, at + 1, 1);
    for (size_t i = 0; ok && i < n->assumed; i++)
        ok = packed_is(p, at++, 1);
    while (ok && at < packed_roots(p))
        ok = packed_is(p, at++, width);
    return ok;
}

static void take_terms(struct summary *s, const term *from, const struct counts *n, const char *callee)
{
    struct access *access = (struct access *)s->is.access;
    term *root[ROOTS];
    list_roots(&s->is, root);
    for (unsigned i = 0; i < ROOTS; i++)
        *root[i] = *from++;
    for (size_t i = 0; i < s->is.naccesses; i++) {
        access[i].address = *from++;
        access[i].when = *from++;
    }
    for (size_t i = 0; i < n->assumed; i++)
        vec_push(&s->assume, *from++);
    if (!n->call)
        return;
    struct only_call *c = arena_new(s->a->arena, struct only_call);
    *c = (struct only_call){.name = callee, .result = from[0], .returned = from[1], .nargs = (unsigned)n->call - 1};
    c->arg = arena_dup(s->a->arena, from + OF_CALL, n->call * sizeof *from);
    s->only_call = c;
}

static bool read_terms(struct unpack *u, struct summary *s, const struct counts *n, const char *callee)
{
    const struct ir_pures pures = lift_pures();
    const struct term_knows knows = {
        .spell = origin_spell, .sound = origin_is_sound, .pure = pures.table, .npures = pures.count};
    struct packed *p = packed_read(u, s->a->t, &knows);
    bool ok = p && unpack_done(u) && fits(p, s, n);
    if (ok) {
        term *root = xcalloc(packed_roots(p) + 1, sizeof *root);
        packed_build(p, s->a->t, root);
        take_terms(s, root, n, callee);
        free(root);
    }
    packed_free(p);
    return ok;
}

static bool read_summary(struct unpack *u, struct summary *s)
{
    bool *flag[FLAGS];
    const char **text[TEXTS];
    struct counts n;
    const bool pair = s->pair, deep = s->deep;
    list_flags(s, flag);
    list_texts(s, text);
    for (unsigned i = 0; i < FLAGS; i++)
        *flag[i] = unpack_upto(u, 1);
    for (unsigned i = 0; i < TEXTS; i++)
        *text[i] = unpack_text(u, s->a->arena);
    if (s->pair != pair || s->deep != deep || !read_shape(u, s) || !read_accesses(u, s))
        return false;
    n.assumed = (size_t)unpack_upto(u, (uint64_t)(u->end - u->at));
    n.call = (size_t)unpack_upto(u, (uint64_t)(u->end - u->at));
    const char *callee = unpack_text(u, s->a->arena);
    if (u->bad || !callee != !n.call || !read_terms(u, s, &n, callee))
        return false;
    summary_name_arguments(s);
    return true;
}

bool record_read(struct summary *s, const char *bytes, size_t n, bool *none, struct error *why)
{
    struct unpack u = unpack_begin(bytes, n);
    const struct summary asked = *s;
    const uint64_t kind = unpack_number(&u);
    *none = kind == RECORD_ERROR;
    if (*none)
        return read_error(&u, why);
    if (kind == RECORD_SUMMARY && read_summary(&u, s))
        return true;
    vec_free(&s->assume);
    *s = asked;
    return false;
}
