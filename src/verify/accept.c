/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences as failures, each with a key that stays the same from build to build, and what becomes of one
 * that the analyst has accepted. */
#include <string.h>

#include "base/sha256.h"
#include "pair/written.h"
#include "verify/private.h"

enum { KEY_MAX = 400 };

/* The key: what differs, without addresses, so that the next build has the same. */
static const char *key_of(struct check *c, const struct failure *f)
{
    struct buf b = BUF_INIT;
    char p[16];
    buf_printf(&b, "%s %s %s", c->pair.side[OLD].f->name, verify_properties_text(f->property, p, sizeof p),
               f->what ? f->what : "");
    for (int s = 0; s < 2; s++) {
        buf_puts(&b, s ? " -> " : ": ");
        if (f->event[s] && f->property != VERIFY_P2)
            buf_printf(&b, "%s", f->event[s]->name ? f->event[s]->name : "*");
        /* Locals lie elsewhere in the next build. */
        if (f->local && term_kind(c->t, f->value[s]) == TERM_READ) {
            buf_puts(&b, " unset");
        } else if (f->value[s] != TERM_NONE) {
            buf_putc(&b, ' ');
            words_exactly(&b, c->words[s], f->value[s]);
        }
    }
    /* Without values it is the condition that makes it this difference; but that a function is called more or
     * less often is accepted for the function. */
    bool count = f->question == VERIFY_Q4 && (f->event[OLD] || f->event[NEW]);
    if (f->value[OLD] == TERM_NONE && f->value[NEW] == TERM_NONE && !count && f->when != TERM_NONE) {
        buf_puts(&b, " when ");
        words_exactly(&b, c->words[OLD], f->when);
    }
    struct buf key = BUF_INIT; /* as a file of answers holds it */
    buf_put_printable(&key, buf_text(&b));
    if (key.len > KEY_MAX) { /* a hash of what is cut off */
        char hex[SHA256_HEX];
        sha256_hex(buf_text(&b), b.len, hex);
        size_t n = KEY_MAX;
        while (n && ((unsigned char)key.data[n] & 0xc0) == 0x80)
            n--;
        key.data[key.len = n] = 0;
        buf_printf(&key, "... #%.16s", hex);
    }
    const char *out = arena_strdup(c->arena, buf_text(&key));
    buf_free(&b);
    buf_free(&key);
    return out;
}

/* What a callee left in a register or in the words of its arguments. */
static bool is_left_over(const struct check *c, term x)
{
    return origin_is(c->t, x, ORIGIN_CLOBBERED) || origin_is(c->t, x, ORIGIN_CLOBBERED_WORD);
}

/* Some bytes of the frame are accessed by one version only. */
static bool frames_differ(const struct check *c)
{
    uint64_t key, one;
    if (c->pair.slots.of[OLD].len != c->pair.slots.of[NEW].len)
        return true;
    for (size_t i = 0; (i = map_next(&c->pair.slots.of[OLD], i, &key, &one));)
        if (!map_get(&c->pair.slots.of[NEW], key, NULL))
            return true;
    return false;
}

/* What it is may depend on what a callee left in the function's frame. */
static bool reads_local(void *ctx, term x)
{
    int64_t off;
    const struct check *c = ctx;
    return term_kind(c->t, x) == TERM_READ && pair_sp_offset(&c->pair, term_kid(c->t, x, 1), &off);
}

static bool is_unpaired_local(void *ctx, term x)
{
    const struct check *c = ctx;
    return frame_is_unpaired(&c->pair, x);
}

/* Locals are paired by the callees they are passed to; this one was passed to none. */
static bool has_unpaired_local(struct check *c, term x)
{
    return x != TERM_NONE && !term_is_array(c->t, x) && term_any(c->t, x, is_unpaired_local, c);
}

/* Addresses of two locals: which is which in a frame that is laid out differently was only guessed. */
static bool are_locals(const struct check *c, const struct failure *f)
{
    int64_t off;
    for (int s = 0; s < 2; s++)
        if (f->value[s] == TERM_NONE || term_is_array(c->t, f->value[s]) ||
            term_width(c->t, f->value[s]) != c->width || !pair_sp_offset(&c->pair, f->value[s], &off) ||
            off >= 0)
            return false;
    return c->opt->assume & VERIFY_ASSUME_FRAME;
}

/* What it is for the input that was found, where that says. */
static term for_input(struct check *c, const struct failure *f, term x)
{
    struct bits v;
    return f->model && term_eval(c->t, f->model, x, &v) ? term_const_bits(c->t, term_width(c->t, x), v) : x;
}

/* The two differ in the address of the same text only. */
static bool have_same_text(struct check *c, const struct failure *f)
{
    term a = f->value[OLD], b = f->value[NEW];
    return a != b && a != TERM_NONE && b != TERM_NONE && !term_is_array(c->t, a) && !term_is_array(c->t, b) &&
           (canonical_same_text(&c->pair, a, b) ||
            canonical_same_text(&c->pair, for_input(c, f, a), for_input(c, f, b)));
}

/* It may be made up of what a call left in memory whose work the other version does without a call. */
static bool may_be_inlined(const struct failure *f)
{
    return f->inlined && (f->inlined_decides || f->place != TERM_NONE || f->local || f->property == VERIFY_P2);
}

bool accept_or_fail(struct check *c, struct findings *found, struct failure f)
{
    struct verify_knowledge *k = c->opt->know;
    if (f.refuted && (is_left_over(c, f.value[OLD]) || is_left_over(c, f.value[NEW]))) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_LEFT_OVER);
    }
    if (f.refuted && !f.certain && frames_differ(c) &&
        (term_any(c->t, f.value[OLD], reads_local, c) || term_any(c->t, f.value[NEW], reads_local, c) ||
         (f.place != TERM_NONE && term_any(c->t, f.place, reads_local, c)) ||
         (f.property == VERIFY_P1 && term_any(c->t, f.when, reads_local, c)))) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_FRAMES_DIFFER);
    }
    if (f.refuted && (has_unpaired_local(c, f.value[OLD]) || has_unpaired_local(c, f.value[NEW]) ||
                      (frames_differ(c) && are_locals(c, &f)))) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_LOCAL_UNPAIRED);
    }
    if (f.refuted && (canonical_has_unpaired(&c->pair, f.value[OLD]) ||
                      canonical_has_unpaired(&c->pair, f.value[NEW]) || have_same_text(c, &f))) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_ADDRESS_UNPAIRED);
    }
    if (f.refuted && may_be_inlined(&f)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_CALL_INLINED, f.inlined);
    }
    if (f.refuted && kept_pops_open(c, &f)) {
        f.refuted = false;
        f.reason = reason_of(c->arena, VERIFY_REASON_POPS_OPEN);
    }
    f.key = key_of(c, &f);
    for (size_t i = 0; k && !f.whole && i < k->naccepted; i++)
        if (strcmp(k->accepted[i].text, f.key) == 0) {
            k->accepted[i].used = true;
            vec_push(&found->accepted, f);
            return true;
        }
    vec_push(&found->failed, f);
    return false;
}

/* The two values it is about are different. */
void accept_differ(struct check *c, struct failure *f, term a, term b)
{
    f->value[OLD] = a;
    f->value[NEW] = b;
    if (a != TERM_NONE && b != TERM_NONE && term_width(c->t, a) == term_width(c->t, b))
        f->differ = term_not(c->t, term_eq(c->t, a, b));
}

struct failure accept_failure(struct view *w, unsigned property, enum answer r, struct term_model *model)
{
    struct failure f = {.property = property,
                        .refuted = r == YES,
                        .model = r == YES ? model : NULL,
                        .path = {w->o->path, w->n->path},
                        .when = w->v,
                        .inlined = w->inlined,
                        .inlined_decides = w->inlined_decides};
    VEC(term) from = VEC_INIT, to = VEC_INIT;
    uint64_t key, value;
    for (size_t i = 0; (i = map_next(&w->known, i, &key, &value));)
        if (term_kind(w->c->t, (term)key) == TERM_APPLY && term_kind(w->c->t, (term)value) == TERM_APPLY) {
            vec_push(&from, (term)key);
            vec_push(&to, (term)value);
        }
    f.united[0] = arena_dup(w->c->arena, from.data, from.len * sizeof(term));
    f.united[1] = arena_dup(w->c->arena, to.data, to.len * sizeof(term));
    f.nunited = from.len;
    vec_free(&from);
    vec_free(&to);
    return f;
}

/* ---- what was accepted ---- */

void accept_nothing(struct view *w)
{
    memset(&w->granted, 0, sizeof w->granted);
}

static bool same_words(struct check *c, term a, term b)
{
    struct buf x = BUF_INIT, y = BUF_INIT;
    words_exactly(&x, c->words[OLD], a);
    words_exactly(&y, c->words[OLD], b);
    bool same = strcmp(buf_text(&x), buf_text(&y)) == 0;
    buf_free(&x);
    buf_free(&y);
    return same;
}

/* One side's memory, as seen. */
struct written {
    struct view *w;
    const struct end *e;
    term memory;
};

/* The write is one that the memory is made by: not one after it, nor one that a callee has seen since. */
static bool is_among(const struct written *m, const struct exec_write *x)
{
    return written_has(m->w->c->t, m->memory, view_side(m->w, m->e, x->address),
                       view_side(m->w, m->e, x->value));
}

/* The last write of a side, of those that its memory is made by, to the place that the failure's model says
 * is different; NULL when there is none. */
static const struct exec_write *last_write(struct written *of, const struct failure *f, int side)
{
    struct check *c = of->w->c;
    struct bits at;
    const struct exec_path *p = f->path[side];
    if (f->place == TERM_NONE || !f->model || !p || !term_eval(c->t, f->model, f->place, &at))
        return NULL;
    for (unsigned i = p->nwrites; i-- > 0;) {
        const struct exec_write *w = &p->write[i];
        struct bits a, g;
        if (w->local || !is_among(of, w) ||
            !term_eval(c->t, f->model, canonical_term(&c->pair, &c->pair.side[side], w->address), &a))
            continue;
        if (w->guard != TERM_NONE &&
            term_eval(c->t, f->model, canonical_term(&c->pair, &c->pair.side[side], w->guard), &g) &&
            bits_is_zero(g))
            continue;
        if (bits_low(at) - bits_low(a) < term_width(c->t, w->value) / 8)
            return w;
    }
    return NULL;
}

/* What was written last to where two memories differ, if anything was since the last call. */
static void last_writes(struct view *w, const struct failure *f, term a, term b,
                        const struct exec_write *out[2])
{
    struct written old = {w, w->o, a}, new = {w, w->n, b};
    out[OLD] = last_write(&old, f, OLD);
    out[NEW] = last_write(&new, f, NEW);
}

/* Names a difference of two memories by what was written there last. False when that says nothing: it was not
 * written, or what was written differs only because of memory that it was made from. */
static bool name_write(struct view *w, struct failure *f, const struct failure *witness, term a, term b)
{
    struct check *c = w->c;
    const struct exec_write *x[2];
    last_writes(w, witness, a, b, x);
    if (!x[OLD] && !x[NEW])
        return false;
    if (x[OLD] && x[NEW] &&
        same_words(c, view_side(w, w->o, x[OLD]->value), view_side(w, w->n, x[NEW]->value)))
        return false;
    if (!x[OLD] || !x[NEW])
        f->question = VERIFY_Q2;
    for (int s = 0; s < 2; s++) {
        f->value[s] = TERM_NONE;
        f->site[s] = x[s] ? x[s]->site : 0;
        if (!x[s])
            continue;
        const struct end *e = s ? w->n : w->o;
        struct buf text = BUF_INIT;
        words_place(&text, c->words[OLD], view_side(w, e, x[s]->address), term_width(c->t, x[s]->value) / 8);
        f->what = arena_strdup(c->arena, buf_text(&text));
        buf_free(&text);
        f->value[s] = view_side(w, e, x[s]->value);
    }
    return true;
}

/* Two memories that one callee left: whether it was given different arguments, and whether it saw different
 * memory; then *a and *b are what it saw. */
static bool calls_differ(const struct terms *t, term *a, term *b, bool *arguments, bool *memory)
{
    term x = term_array_root(t, *a), y = term_array_root(t, *b);
    *arguments = *memory = false;
    if (x == y || term_kind(t, x) != TERM_APPLY || term_kind(t, y) != TERM_APPLY || !term_same_head(t, x, y))
        return false;
    for (unsigned i = 0; i < term_nkids(t, x); i++) {
        term k = term_kid(t, x, i), l = term_kid(t, y, i);
        if (k == l)
            continue;
        *arguments = *arguments || !term_is_array(t, k);
        if (term_is_array(t, k)) {
            *memory = true;
            *a = k;
            *b = l;
        }
    }
    return *arguments || *memory;
}

/* A difference in memory is one about a place that was written, or about what a callee leaves in memory: says
 * which. It can be accepted when that tells it from all others. */
void accept_name_memory(struct view *w, struct failure *f, term a, term b)
{
    enum { DEEP = 6 };
    struct check *c = w->c;
    bool arguments, memory;
    f->whole = true;
    if (!f->model)
        return;
    if (name_write(w, f, f, a, b)) {
        f->whole = false;
        return;
    }
    term x = a, y = b;
    for (int i = 0; i < DEEP; i++) {
        term left[2] = {term_array_root(c->t, x), term_array_root(c->t, y)};
        if (!calls_differ(c->t, &x, &y, &arguments, &memory))
            return;
        if (arguments) {
            struct term_origin by = term_origin(c->t, left[OLD]);
            const char *name = by.name ? by.name : "*";
            f->what = by.index ? arena_printf(c->arena, "what %s/%u leaves in memory", name, by.index)
                               : arena_printf(c->arena, "what %s leaves in memory", name);
            f->value[OLD] = left[OLD];
            f->value[NEW] = left[NEW];
            f->whole = i > 0 || memory || w->granted.n == 8;
            return;
        }
        struct failure inner = {.path = {f->path[OLD], f->path[NEW]}};
        struct memory_answer m = memory_same(w, TERM_NONE, x, y, &inner.model);
        inner.place = m.at;
        if (m.same == NO && name_write(w, f, &inner, x, y)) {
            term_model_free(inner.model);
            return;
        }
        term_model_free(inner.model);
    }
}

/* From now on the two are treated as equal. */
void accept_memory(struct view *w, const struct failure *f, term a, term b)
{
    struct check *c = w->c;
    const struct exec_write *both[2];
    last_writes(w, f, a, b, both);
    bool written = both[OLD] || both[NEW];
    if (written && w->granted.n < 8) {
        /* Both write there, or only one of them does. */
        int s = both[NEW] ? NEW : OLD;
        term at = view_side(w, s ? w->n : w->o, both[s]->address), other = f->value[!s];
        bool fits = other == TERM_NONE || (view_side(w, w->o, both[OLD]->address) == at &&
                                           term_width(c->t, other) == term_width(c->t, f->value[s]));
        term memory = s ? b : a;
        if (fits && written_instead(c->t, memory, at, f->value[s], other) != memory) {
            w->granted.old[w->granted.n] = s == OLD;
            w->granted.at[w->granted.n] = at;
            w->granted.from[w->granted.n] = f->value[s];
            w->granted.to[w->granted.n++] = other;
            return;
        }
    }
    for (int s = 0; s < 2; s++) {
        const struct exec_write *x = both[s];
        if (!x)
            continue;
        term address = view_side(w, s ? w->n : w->o, x->address);
        term off = term_bin(c->t, OP_SUB, f->place, address);
        term out = term_bin(c->t, OP_ULE, term_const(c->t, c->width, term_width(c->t, x->value) / 8), off);
        w->granted.where = w->granted.where == TERM_NONE ? out : term_and(c->t, w->granted.where, out);
    }
    if (!written) {
        w->granted.old[w->granted.n] = false;
        w->granted.at[w->granted.n] = TERM_NONE;
        w->granted.from[w->granted.n] = term_array_root(c->t, b);
        w->granted.to[w->granted.n++] = term_array_root(c->t, a);
    }
}

void accept_too_many(struct view *w, struct findings *found)
{
    struct failure f = accept_failure(w, VERIFY_P2, UNDECIDED, NULL);
    f.whole = true;
    f.what = "memory";
    f.reason = reason_of(w->c->arena, VERIFY_REASON_ACCEPTED_TOO_MANY);
    accept_or_fail(w->c, found, f);
}
