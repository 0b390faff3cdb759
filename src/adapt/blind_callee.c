/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the C library of which there are several implementations. They find out where they are, and
 * how much there is to do, before they touch anything; of a constant neither is known. */
#include <string.h>

#include "adapt/blind.h"

enum { MOST = 1 << 16 }; /* bytes that are noted one by one */

struct given {
    uint64_t value;
    shade of;
};

static struct given given(const struct run *r, unsigned k)
{
    const struct ir_machine *m = r->s->w->m;
    return (struct given){blind_get_word(r->s, m->arg[k]), blind_register(r->s, m->arg[k])};
}

/* Memory at its first arguments is touched in any case. */
static bool touch(struct run *r, unsigned nargs)
{
    bool constants = true;
    for (unsigned k = 0; k < nargs; k++) {
        const struct given x = given(r, k);
        constants = constants && blind_at_constant(r, x.value, x.of);
    }
    if (constants && nargs > 1) /* they may be the same, which is asked first in some implementations */
        return true;
    for (unsigned k = 0; k < nargs; k++) {
        struct given x = given(r, k);
        bool missing;
        if (!blind_at_constant(r, x.value, x.of))
            continue;
        if (!blind_is_in_page(r, x.value, x.of))
            return blind_stop_at_constant(r, x.value, x.of);
        if (!blind_may_access(r, x.value, 1, x.of, &missing))
            return false;
    }
    return true;
}

static bool is_touched(const struct side *target, uint64_t page)
{
    for (size_t i = 0; i < target->page.len; i++)
        if (target->page.data[i] == page)
            return true;
    return false;
}

/* As many bytes may be accessed from there, as far as pages tell; of what is not given nothing is said. */
static uint64_t room(const struct run *r, const struct given *x)
{
    uint64_t page = x->value >> PAGE_BITS;
    if (blind_where(r->s->w, x->value) != OUTSIDE || !(x->of & SHADE_GIVEN))
        return UINT64_MAX;
    if (!is_touched(r->like, page))
        return 0;
    while (is_touched(r->like, page) && (page << PAGE_BITS) - x->value < 2 * MOST)
        page++;
    return is_touched(r->like, page) ? UINT64_MAX : (page << PAGE_BITS) - x->value;
}

/* A number of bytes that is a constant plus something, and how many the target would have there: others are
 * tried by themselves. */
static bool fits(struct run *r, const struct given *n, uint64_t most)
{
    const unsigned base = base_of(n->of);
    uint64_t last = n->value + blind_others(r, n->of);
    r->k = base;
    if (n->value == 0 && last > 0) {
        r->value = r->low[base] + 1;
        return stop(r, END_SPLIT);
    }
    if (n->value > most)
        return stop(r, END_REFUTED);
    if (last > most) {
        r->value = r->low[base] + (most - n->value) + 1;
        return stop(r, END_SPLIT);
    }
    return true;
}

/* Bytes are written outside, and nobody knows where, or how many. */
static bool blur(struct run *r, ir_label *at, uint64_t result, shade of, bool *done)
{
    r->s->blurred = r->s->varies = *done = true;
    return blind_leave(r, at, result, of);
}

/* So many bytes are written at the first argument, and, of some, read at the second. */
static bool fill(struct run *r, bool reads, bool returns_end, ir_label *at, bool *done)
{
    const struct world *w = r->s->w;
    const struct given to = given(r, 0), from = given(r, 1), n = given(r, 2);
    const bool exact = is_exact(n.of) && n.value + blind_others(r, n.of) >= n.value;
    if ((to.of | from.of | n.of) & SHADE_ARGS || !blind_knows_pages(r) ||
        (is_unknown(n.of) && !(n.of & SHADE_PURE)))
        return true;
    if (n.value && (exact || !is_unknown(n.of)) && !touch(r, reads ? 2 : 1))
        return false;
    const shade offset = ((to.of | n.of) & ~(SHADE_PURE | SHADE_BASE | SHADE_NEAR | SHADE_HALF)) |
                         SHADE_UNKNOWN | SHADE_OFFSET;
    if (is_unknown(to.of))
        return !(to.of & SHADE_OFFSET) || blur(r, at, to.value, returns_end ? offset : to.of, done);
    if (!is_unknown(n.of) || blind_where(w, to.value) != OUTSIDE || !blind_is_far(w, to.value) ||
        (reads && is_unknown(from.of)))
        return true;
    if (!exact)
        return blur(r, at, returns_end ? to.value + n.value : to.value, returns_end ? offset : to.of, done);
    uint64_t most = room(r, &to), other = reads ? room(r, &from) : most;
    if (!fits(r, &n, most < other ? most : other))
        return false;
    uint64_t last = n.value + blind_others(r, n.of);
    if (last > MOST)
        return true;
    blind_store_somewhere(r, to.value, last, n.of);
    *done = true;
    return blind_leave(r, at, returns_end ? to.value + n.value : to.value,
                       returns_end ? n.of & ~SHADE_PURE : to.of);
}

bool blind_callee(struct run *r, uint64_t resolver, ir_label *at, bool *done)
{
    static const struct {
        const char *name;
        unsigned touches;
    } list[] = {{"strcmp", 2}, {"strcasecmp", 2}, {"strcpy", 2},  {"stpcpy", 2},
                {"strcat", 2}, {"strlen", 1},     {"strchr", 1},  {"strrchr", 1},
                {"strspn", 1}, {"strcspn", 1},    {"strpbrk", 1}, {"wcslen", 1}};
    const struct flow_function *f = program_function_at(r->s->w->guest.p, resolver);
    if (!f || !r->like)
        return true;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i].name, f->name) == 0)
            return touch(r, list[i].touches);
    if (strcmp(f->name, "memcpy") == 0 || strcmp(f->name, "memmove") == 0)
        return fill(r, true, false, at, done);
    if (strcmp(f->name, "memset") == 0)
        return fill(r, false, false, at, done);
    return strcmp(f->name, "mempcpy") != 0 || fill(r, true, true, at, done);
}
