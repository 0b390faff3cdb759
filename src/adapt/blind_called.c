/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a function is given that memory leads to. Where the pointer to it was found, from an argument of the
 * target on, debug information says what it takes; such a function may look at that, and at all of what a
 * pointer among it leads to. */
#include "adapt/blind.h"

enum {
    DEEPEST = 5, /* pointers from an argument on, and structures in structures */
    NESTED = 12, /* fields in fields */
    FIELDS = 64, /* of a structure that are looked at */
    MOST = 512,  /* bytes of the frame that are compared */
};

struct looking {
    struct side *s;
    uint64_t callee;
    const struct object_type_info *found;
    bool more; /* pointers of more than one type lead there */
};

static bool take_same(const struct object_type_info *x, const struct object_type_info *y)
{
    bool same = x->count == y->count;
    for (uint64_t i = 0; i < x->count && same; i++) {
        const struct object_type_info *a = x->param[i], *b = y->param[i];
        same = a == b || (a && b && a->kind == b->kind && a->size == b->size &&
                          (a->kind != TYPE_POINTER || a->target == b->target));
    }
    return same;
}

static void find_from(struct looking *l, const struct object_type_info *t, uint64_t at, unsigned depth);

/* A pointer of type t is that. */
static void find_behind(struct looking *l, const struct object_type_info *t, uint64_t value, unsigned depth)
{
    const struct object_type_info *to = t->target;
    if (!to || t->size != l->s->w->m->pointer_width / 8)
        return;
    if (to->kind == TYPE_FUNC && value == l->callee) {
        l->more = l->more || (l->found && !take_same(l->found, to));
        l->found = to;
    } else if (value >> PAGE_BITS >= NULL_PAGES && depth < DEEPEST) {
        find_from(l, to, value, depth + 1);
    }
}

/* Something of type t is there. */
static void find_from(struct looking *l, const struct object_type_info *t, uint64_t at, unsigned depth)
{
    uint8_t bytes[8] = {0};
    unsigned unit = l->s->w->m->pointer_width / 8;
    bool known = true;
    if (t->kind == TYPE_POINTER) {
        for (unsigned i = 0; i < unit; i++)
            known = known && !is_unknown(blind_byte(l->s, at + i));
        if (known && concrete_read(l->s->c, 0, at, bytes, unit))
            find_behind(l, t, bits_low(bits_from_bytes(bytes, unit)), depth);
    } else if (t->kind == TYPE_STRUCT && depth < DEEPEST) {
        for (size_t i = 0; i < t->nfields && i < FIELDS; i++)
            if (t->field[i].type && !t->field[i].bit_size)
                find_from(l, t->field[i].type, at + t->field[i].offset,
                          depth + (t->field[i].type->kind == TYPE_STRUCT));
    }
}

/* NULL: nothing says what the callee of the target is, or not all that it takes are words in registers. */
static const struct object_type_info *type_of(struct run *r, uint64_t callee)
{
    const struct target *t = r->target;
    const struct ir_machine *m = r->s->w->m;
    struct looking l = {.s = r->s, .callee = callee};
    for (unsigned i = 0; i < t->nargs && t->words->known; i++)
        if (t->words->type[i] && t->words->type[i]->kind == TYPE_POINTER)
            find_behind(&l, t->words->type[i], r->in->arg[i], 0);
    if (!l.found || l.more || l.found->count > m->nargs || l.found->count > 7)
        return NULL;
    for (uint64_t i = 0; i < l.found->count; i++)
        if (!l.found->param[i] || !modes_plain(l.found->param[i], m->pointer_width))
            return NULL;
    return l.found;
}

/* The byte is part of a field, not of what lies between them. In a union no member has a gap there. */
static bool is_in_field(const struct object_type_info *t, uint64_t at, unsigned depth)
{
    bool one = false, all = true;
    if (!t || !t->size || depth > NESTED)
        return false;
    if (t->kind == TYPE_ARRAY)
        return t->target && t->target->size && is_in_field(t->target, at % t->target->size, depth);
    if (t->kind != TYPE_STRUCT && t->kind != TYPE_UNION)
        return t->kind != TYPE_OTHER;
    for (size_t i = 0; i < t->nfields; i++) {
        const struct object_field *f = &t->field[i];
        if (!f->type || f->bit_size)
            return false;
        if (at - f->offset >= f->type->size)
            continue;
        bool in = is_in_field(f->type, at - f->offset, depth + 1);
        one = one || in;
        all = all && in;
    }
    return one && all;
}

/* How many bytes of the frame are shown there: all of what the type says. */
static uint64_t shows(const struct run *r, const struct object_type_info *t, uint64_t at, shade of)
{
    uint64_t size = t->kind == TYPE_POINTER && t->target ? t->target->size : 0;
    return is_unknown(of) || !blind_in_stack(r->s->w, at) || size > MOST ? 0 : size;
}

/* Of memory that was not written, and of words that are addresses of the frame, nothing is compared; nor of
 * frames that may have in them what callees left. */
static struct shown shown_at(struct side *s, uint64_t at)
{
    struct shown x = {0};
    uint64_t of;
    x.known = !s->left && map_get(&s->shade, at, &of) && !is_unknown((shade)of) &&
              !blind_in_stack(s->w, blind_word(s, at));
    if (x.known)
        concrete_read(s->c, 0, at, &x.byte, 1);
    return x;
}

static void note(struct side *s, unsigned n, const struct run *r)
{
    const struct object_type_info *f = s->event[n].takes;
    s->event[n].shown = s->shown.len;
    for (uint64_t i = 0; i < f->count; i++) {
        uint64_t bytes = shows(r, f->param[i], s->event[n].arg[i], s->event[n].shade[i]);
        for (uint64_t k = 0; k < bytes; k++)
            vec_push(&s->shown, is_in_field(f->param[i]->target, k, 0) ? shown_at(s, s->event[n].arg[i] + k)
                                                                       : (struct shown){0});
    }
}

static bool compare_shown(struct run *r, uint64_t at, const struct shown *wanted, uint64_t bytes)
{
    for (uint64_t k = 0; k < bytes; k++) {
        uint64_t of;
        if (!wanted[k].known || r->s->left || !map_get(&r->s->shade, at + k, &of))
            continue;
        if ((shade)of & SHADE_ARGS || blind_hinges(r, (shade)of))
            return needs(r, (shade)of);
        struct shown x = shown_at(r->s, at + k);
        if (x.known && x.byte != wanted[k].byte)
            return stop(r, END_REFUTED);
    }
    return true;
}

/* A pointer into the file or the frame may lead to what another one leads to as well. */
static bool is_compared(const struct world *w, const struct object_type_info *t, uint64_t x)
{
    return t->kind != TYPE_POINTER || blind_where(w, x) == OUTSIDE;
}

/* Of a narrow argument the rest of the register is not compared. */
static bool compare_word(struct run *r, const struct object_type_info *t, uint64_t x, shade of,
                         uint64_t target, shade target_of)
{
    const struct world *w = r->s->w;
    const uint64_t mask = word_ones((unsigned)t->size * 8);
    if (is_unknown(target_of) || !is_compared(w, t, target) || (!is_unknown(of) && !is_compared(w, t, x)))
        return true;
    if (mask == word_ones(w->m->pointer_width))
        return blind_can_be(r, x, of, target, target_of);
    if (of & SHADE_ARGS)
        return needs(r, of);
    return is_unknown(of) || !((x ^ target) & mask) || stop(r, END_REFUTED);
}

bool blind_called(struct run *r, unsigned n)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    const struct object_type_info *f =
        !r->like ? r->target ? type_of(r, s->event[n].nr) : NULL : r->like->event[n].takes;
    s->event[n].takes = f;
    if (!f)
        return true;
    for (unsigned i = 0; i < f->count; i++) {
        uint64_t *arg = &s->event[n].arg[i];
        *arg = blind_get_word(s, m->arg[i]);
        s->event[n].shade[i] = blind_register(s, m->arg[i]);
        if (r->like && !compare_word(r, f->param[i], *arg, s->event[n].shade[i], r->like->event[n].arg[i],
                                     r->like->event[n].shade[i]))
            return false;
        *arg &= word_ones((unsigned)f->param[i]->size * 8);
        if (is_compared(s->w, f->param[i], *arg))
            s->event[n].looks |= 1u << i;
    }
    if (!r->like) {
        note(s, n, r);
        return true;
    }
    const struct shown *wanted = r->like->shown.data + r->like->event[n].shown;
    for (unsigned i = 0; i < f->count; i++) {
        uint64_t bytes = shows(r, f->param[i], r->like->event[n].arg[i], r->like->event[n].shade[i]);
        if (bytes && shows(r, f->param[i], s->event[n].arg[i], s->event[n].shade[i]) &&
            !compare_shown(r, s->event[n].arg[i], wanted, bytes))
            return false;
        wanted += bytes;
    }
    return true;
}
