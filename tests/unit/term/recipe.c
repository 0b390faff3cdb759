/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recipe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"

uint64_t rng_next(struct rng *r)
{
    r->s ^= r->s >> 12;
    r->s ^= r->s << 25;
    r->s ^= r->s >> 27;
    return r->s * 0x2545f4914f6cdd1du;
}

unsigned rng_below(struct rng *r, unsigned n)
{
    return (unsigned)((rng_next(r) >> 33) % n);
}

struct bits random_bits(struct rng *r, unsigned width)
{
    struct bits v = {{0}};
    unsigned k = rng_below(r, width);
    switch (rng_below(r, 8)) {
    case 0:
        return v;
    case 1:
        return bits_u64(rng_below(r, 4), width);
    case 2:
        return bits_ones(width);
    case 3:
        v.w[k / 64] = UINT64_C(1) << k % 64;
        return v;
    case 4:
        return bits_ones(k + 1);
    case 5: {
        struct bits one = bits_ones(k + 1);
        return bits_apply(OP_NOT, width, &one, &width, 0);
    }
    case 6:
        v.w[(width - 1) / 64] = UINT64_C(1) << (width - 1) % 64;
        return v;
    default:
        for (unsigned i = 0; i < 8; i++)
            v.w[i] = rng_next(r);
        return bits_mask(v, width);
    }
}

static unsigned add_step(struct recipe *p, struct step s)
{
    p->step[p->n] = s;
    return p->n++;
}

/* A step of that width: an existing one, or a new leaf. */
static uint8_t operand(struct recipe *p, struct rng *r, unsigned width)
{
    unsigned found[RECIPE_MAX], n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        if (p->step[i].width == width)
            found[n++] = i;
    }
    if (n && rng_below(r, 8) < 6)
        return (uint8_t)(rng_below(r, 3) ? found[n - 1 - rng_below(r, n < 4 ? n : 4)]
                                         : found[rng_below(r, n)]);
    struct step s = {.width = (uint16_t)width};
    if (rng_below(r, 5) < 2) {
        s.op = STEP_CONST;
        s.value = random_bits(r, width);
    } else {
        s.op = STEP_VAR;
        s.lo = rng_below(r, RECIPE_VARS);
    }
    return (uint8_t)add_step(p, s);
}

static unsigned near_width(struct rng *r, unsigned width)
{
    switch (rng_below(r, 5)) {
    case 0:
        return 1;
    case 1:
        return width > 1 ? width / 2 : 1;
    case 2:
        return 1 + rng_below(r, width);
    default:
        return width;
    }
}

static void random_step(struct recipe *p, struct rng *r, unsigned width)
{
    struct step s = {.op = (uint8_t)rng_below(r, OP_POPCNT + 1)};
    unsigned w = near_width(r, width), n;
    s.width = (uint16_t)w;
    switch (op_info[s.op].shape) {
    case OP_SHAPE_COMPARE:
        s.width = 1;
        s.kid[0] = operand(p, r, w);
        s.kid[1] = operand(p, r, w);
        break;
    case OP_SHAPE_CONCAT:
        if (w < 2)
            return;
        n = 1 + rng_below(r, w - 1);
        s.kid[0] = operand(p, r, n);
        s.kid[1] = operand(p, r, w - n);
        break;
    case OP_SHAPE_EXTRACT:
        n = width;
        s.kid[0] = operand(p, r, n);
        s.width = (uint16_t)(1 + rng_below(r, n));
        s.lo = rng_below(r, n - s.width + 1);
        if (rng_below(r, 3) == 0)
            s.lo = 0;
        break;
    case OP_SHAPE_EXTEND:
        s.kid[0] = operand(p, r, 1 + rng_below(r, w));
        break;
    case OP_SHAPE_ITE:
        s.kid[0] = operand(p, r, 1);
        s.kid[1] = operand(p, r, w);
        s.kid[2] = operand(p, r, w);
        break;
    default:
        for (unsigned i = 0; i < op_info[s.op].arity; i++)
            s.kid[i] = operand(p, r, w);
        break;
    }
    add_step(p, s);
}

void recipe_random(struct recipe *p, struct rng *r, unsigned width, unsigned size)
{
    p->n = 0;
    for (unsigned i = 0; i < size && p->n + 5 < RECIPE_MAX; i++)
        random_step(p, r, width);
    if (p->n == 0 || p->step[p->n - 1].op >= STEP_VAR)
        operand(p, r, width);
}

term recipe_var(struct terms *t, unsigned width, unsigned i)
{
    char name[32];
    snprintf(name, sizeof name, "v%u_%u", width, i);
    return term_var(t, name, width);
}

term recipe_build(struct terms *t, const struct recipe *p, term *out)
{
    for (unsigned i = 0; i < p->n; i++) {
        const struct step *s = &p->step[i];
        term kid[OP_MAX_ARITY];
        if (s->op == STEP_VAR) {
            out[i] = recipe_var(t, s->width, s->lo);
        } else if (s->op == STEP_CONST) {
            out[i] = term_const_bits(t, s->width, s->value);
        } else {
            for (unsigned k = 0; k < op_info[s->op].arity; k++)
                kid[k] = out[s->kid[k]];
            out[i] = s->op == OP_EXTRACT ? term_extract(t, kid[0], s->lo, s->width)
                                         : term_op(t, (enum op)s->op, s->width, kid, op_info[s->op].arity);
        }
    }
    return out[p->n - 1];
}

void random_model(struct terms *t, struct term_model *m, struct rng *r, term x)
{
    term symbol[256];
    size_t n = term_symbols(t, x, symbol, 256);
    for (size_t i = 0; i < n && i < 256; i++) {
        if (!term_is_array(t, symbol[i]))
            term_model_set(m, symbol[i], random_bits(r, term_width(t, symbol[i])));
    }
}

void all_rules(struct terms *t, bool on)
{
    for (size_t i = 0; i < term_rule_count(); i++)
        terms_rule_enable(t, i, on);
}

static term rebuild_node(struct terms *t, term x, const term *kid)
{
    unsigned kind = term_kind(t, x), width = term_width(t, x);
    switch (kind) {
    case TERM_CONST:
    case TERM_VAR:
    case TERM_APPLY:
    case TERM_PURE:
    case TERM_ACONST:
        return x;
    case OP_EXTRACT:
        return term_extract(t, kid[0], term_extract_lo(t, x), width);
    case TERM_READ:
        return term_read(t, kid[0], kid[1], width);
    case TERM_WRITE:
        return term_write(t, kid[0], kid[1], kid[2]);
    case TERM_AITE:
        return term_ite(t, kid[0], kid[1], kid[2]);
    default:
        return term_op(t, (enum op)kind, width, kid, term_nkids(t, x));
    }
}

term rebuild_all(struct terms *t, term x)
{
    struct map done = {0};
    VEC(term) stack = VEC_INIT;
    vec_push(&stack, x);
    while (stack.len) {
        term y = vec_last(&stack), kid[OP_MAX_ARITY] = {0};
        size_t before = stack.len;
        for (unsigned i = 0; i < term_nkids(t, y) && i < OP_MAX_ARITY; i++) {
            uint64_t k;
            if (map_get(&done, term_kid(t, y, i), &k))
                kid[i] = (term)k;
            else
                vec_push(&stack, term_kid(t, y, i));
        }
        if (stack.len > before)
            continue;
        stack.len--;
        map_set(&done, y, rebuild_node(t, y, kid));
    }
    term r = (term)map_find(&done, x, TERM_NONE);
    map_free(&done);
    vec_free(&stack);
    return r;
}
