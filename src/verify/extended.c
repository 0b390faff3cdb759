/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parameters of 8 and 16 bits come extended in their register.
 *
 * The convention of ARM asks callers for that. On x86 none does, but all compilers extend, and clang relies
 * on it. So a difference that only what lies beside such a parameter shows is none between the programs.
 * Debug information says which parameters are narrow. Without it one is taken to be where one version looks
 * at its lower bits only, and the other, built by a compiler that relies on more, at more; or where one
 * version that clang built looks at both. On AArch64 the upper bits are anything, and no compiler relies on
 * them. */
#include "verify/private.h"

enum { INT = 32, NARROW_MAX = 16, ARGUMENTS_MAX = 32 };

struct narrow {
    unsigned bits;   /* the most that is looked at at once; 0: nothing is */
    bool wide;       /* more than NARROW_MAX bits are */
    bool zero, sign; /* they are extended with these; neither or both: nothing says with which */
};

struct uses {
    const struct terms *t;
    struct narrow of[ARGUMENTS_MAX];
};

/* A parameter, or the lower half of one. */
static bool is_parameter(const struct terms *t, term x, unsigned *index)
{
    if (term_kind(t, x) == OP_EXTRACT && term_extract_lo(t, x) == 0 && term_width(t, x) == INT)
        x = term_kid(t, x, 0);
    return origin_is_argument(t, x, index) && *index < ARGUMENTS_MAX;
}

/* The lower bits of a parameter alone; 0: x is something else. */
static unsigned lower_bits(const struct terms *t, term x, unsigned *index)
{
    uint64_t mask;
    unsigned kind = term_kind(t, x);
    if (kind == OP_EXTRACT && is_parameter(t, term_kid(t, x, 0), index)) {
        unsigned end = term_extract_lo(t, x) + term_width(t, x);
        return end <= NARROW_MAX / 2 ? NARROW_MAX / 2 : end <= NARROW_MAX ? NARROW_MAX : 0;
    }
    if (kind != OP_AND)
        return 0;
    for (unsigned i = 0; i < 2; i++)
        if (is_parameter(t, term_kid(t, x, i), index) && term_const_u64(t, term_kid(t, x, !i), &mask))
            return mask <= UINT8_MAX ? NARROW_MAX / 2 : mask <= UINT16_MAX ? NARROW_MAX : 0;
    return 0;
}

static bool see_use(void *ctx, term u)
{
    struct uses *all = ctx;
    const struct terms *t = all->t;
    unsigned index, kind = term_kind(t, u), bits = lower_bits(t, u, &index);
    if (bits) {
        struct narrow *n = &all->of[index];
        n->bits = bits > n->bits ? bits : n->bits;
        n->zero = n->zero || kind == OP_AND;
        return false;
    }
    if (is_parameter(t, u, &index))
        return false;
    for (unsigned i = 0; i < term_nkids(t, u); i++) {
        term kid = term_kid(t, u, i);
        if (is_parameter(t, kid, &index))
            all->of[index].wide = true;
        else if (lower_bits(t, kid, &index)) {
            all->of[index].zero = all->of[index].zero || kind == OP_ZEXT;
            all->of[index].sign = all->of[index].sign || kind == OP_SEXT;
        }
    }
    return false;
}

/* What the version looks at of its parameters, as far as the difference shows it. */
static void see_side(struct check *c, const struct failure *f, int s, struct uses *all)
{
    unsigned index;
    const term of[] = {f->value[s], f->path[s]
                                        ? canonical_term(&c->pair, &c->pair.side[s], f->path[s]->condition)
                                        : TERM_NONE};
    all->t = c->t;
    term_any_of(c->t, of, sizeof of / sizeof *of, see_use, all);
    for (unsigned i = 0; i < sizeof of / sizeof *of; i++)
        if (of[i] != TERM_NONE && is_parameter(c->t, of[i], &index))
            all->of[index].wide = true;
}

/* A parameter as debug information has it; NULL: it has none, or the registers cannot be told from it. */
static const struct object_type_info *declared(const struct check *c, int s, unsigned index)
{
    const struct object_function_debug *d = check_declaration(&c->pair.side[s]);
    /* Where to put a structure that is returned comes first. */
    if (d && d->result && d->result->size > c->width / 8)
        return NULL;
    for (unsigned i = 0; d && i <= index; i++) {
        const struct object_type_info *p = i < d->nparams ? d->param[i].type : NULL;
        if (!p || p->size > c->width / 8 ||
            (p->kind != TYPE_INT && p->kind != TYPE_BOOL && p->kind != TYPE_ENUM && p->kind != TYPE_POINTER))
            return NULL;
        if (i == index)
            return p;
    }
    return NULL;
}

/* The version's compiler takes for granted that callers extend. */
static bool relies_on_callers(const struct check *c, int s)
{
    switch (program_machine(c->pair.side[s].p)->arch) {
    case MACHINE_ARM:
        return true;
    case MACHINE_AMD64:
    case MACHINE_X86:
        return object_names_compiler(c->pair.side[s].o, "clang");
    default:
        return false;
    }
}

/* What is known of a parameter: by debug information, or by what the two versions look at. */
static struct narrow narrow_parameter(const struct check *c, const struct uses use[2], unsigned index)
{
    for (int s = 0; s < 2; s++) {
        const struct object_type_info *p = declared(c, s, index);
        if (p && p->size * 8 <= NARROW_MAX && program_machine(c->pair.side[s].p)->arch != MACHINE_ARM64)
            return (struct narrow){
                .bits = (unsigned)p->size * 8, .zero = !p->is_signed, .sign = p->is_signed};
        if (p)
            return (struct narrow){0};
    }
    for (int s = 0; s < 2; s++) {
        const struct narrow n = use[s].of[index];
        const bool mixed = n.wide && program_machine(c->pair.side[s].p)->arch != MACHINE_ARM;
        if (n.bits && ((!n.wide && use[!s].of[index].wide && relies_on_callers(c, !s)) ||
                       (mixed && relies_on_callers(c, s))))
            return n;
    }
    return (struct narrow){0};
}

struct parameters {
    const struct terms *t;
    term of[ARGUMENTS_MAX];
};

static bool see_parameter(void *ctx, term u)
{
    struct parameters *all = ctx;
    unsigned index;
    if (origin_is_argument(all->t, u, &index) && index < ARGUMENTS_MAX && term_width(all->t, u) >= INT)
        all->of[index] = u;
    return false;
}

term extended_parameters(struct check *c, const struct failure *f)
{
    const term of[] = {f->when, f->differ, f->value[OLD], f->value[NEW]};
    struct terms *t = c->t;
    struct uses use[2] = {0};
    struct parameters all = {.t = t};
    term is = term_true(t);
    for (unsigned i = 0; i < ARGUMENTS_MAX; i++)
        all.of[i] = TERM_NONE;
    term_any_of(t, of, sizeof of / sizeof *of, see_parameter, &all);
    for (int s = 0; s < 2; s++)
        see_side(c, f, s, &use[s]);
    for (unsigned i = 0; i < ARGUMENTS_MAX; i++) {
        const struct narrow n = all.of[i] == TERM_NONE ? (struct narrow){0} : narrow_parameter(c, use, i);
        if (!n.bits)
            continue;
        term low = term_extract(t, all.of[i], 0, INT), own = term_extract(t, low, 0, n.bits),
             zero = term_eq(t, low, term_zext(t, own, INT)), sign = term_eq(t, low, term_sext(t, own, INT));
        if (n.zero || !n.sign)
            is = term_and(t, is, zero);
        if (n.sign || !n.zero)
            is = term_and(t, is, sign);
    }
    return is;
}
