/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vector operators that only move lanes. */
#include <assert.h>

#include "lift/vex/ops_row.h"

/* Every second lane of the result comes from the second argument, beginning with the lowest. */
static ir_val interleave(struct vex_ctx *c, ir_val a, ir_val b, unsigned w, unsigned first, unsigned step)
{
    struct lanes x = lanes_split(c, a, w), y = lanes_split(c, b, w), out = {.n = x.n};
    for (unsigned i = 0; i < x.n / 2; i++) {
        out.v[2 * i] = y.v[first + i * step];
        out.v[2 * i + 1] = x.v[first + i * step];
    }
    return lanes_join(c, &out);
}

/* The even or the odd lanes of both, those of the second argument below. */
static ir_val concatenate(struct vex_ctx *c, ir_val a, ir_val b, unsigned w, unsigned first)
{
    struct lanes x = lanes_split(c, a, w), y = lanes_split(c, b, w), out = {.n = x.n};
    for (unsigned i = 0; i < x.n / 2; i++) {
        out.v[i] = y.v[2 * i + first];
        out.v[x.n / 2 + i] = x.v[2 * i + first];
    }
    return lanes_join(c, &out);
}

static ir_val duplicate(struct vex_ctx *c, ir_val a, unsigned width)
{
    struct lanes out = {.n = width / ir_width(c->b, a)};
    for (unsigned i = 0; i < out.n; i++)
        out.v[i] = a;
    return lanes_join(c, &out);
}

/* Lane number `index` (modulo the number of lanes) of x. */
static ir_val pick(struct vex_ctx *c, ir_val x, unsigned w, ir_val index)
{
    unsigned width = ir_width(c->b, x), n = width / w;
    uint64_t i;
    if (ir_is_const(c->b, index, &i))
        return ir_extract(c->b, x, (unsigned)(i % n) * w, w);
    ir_val lane = ir_bin(c->b, OP_AND, ir_zext(c->b, index, width), ir_const(c->b, width, n - 1));
    ir_val shift = ir_bin(c->b, OP_SHL, lane, ir_const(c->b, width, (unsigned)__builtin_ctz(w)));
    return ir_extract(c->b, ir_bin(c->b, OP_LSHR, x, shift), 0, w);
}

static ir_val replace(struct vex_ctx *c, ir_val x, unsigned w, ir_val index, ir_val with)
{
    struct lanes out = lanes_split(c, x, w);
    ir_val lane = ir_bin(c->b, OP_AND, index, ir_const(c->b, ir_width(c->b, index), out.n - 1));
    for (unsigned i = 0; i < out.n; i++) {
        ir_val here = ir_bin(c->b, OP_EQ, lane, ir_const(c->b, ir_width(c->b, index), i));
        out.v[i] = ir_ite(c->b, here, with, out.v[i]);
    }
    return lanes_join(c, &out);
}

/* The lower half of high:low shifted right by whole bytes. */
static ir_val slice(struct vex_ctx *c, ir_val high, ir_val low, ir_val bytes)
{
    unsigned w = ir_width(c->b, low);
    ir_val both = ir_bin(c->b, OP_CONCAT, high, low);
    uint64_t n;
    if (ir_is_const(c->b, bytes, &n) && n <= w / 8)
        return ir_extract(c->b, both, (unsigned)n * 8, w);
    ir_val bits = ir_bin(c->b, OP_SHL, ir_zext(c->b, bytes, 2 * w), ir_const(c->b, 2 * w, 3));
    return ir_extract(c->b, ir_bin(c->b, OP_LSHR, both, bits), 0, w);
}

static ir_val reverse(struct vex_ctx *c, ir_val a, unsigned w, unsigned chunk)
{
    struct lanes x = lanes_split(c, a, chunk), out = {.n = x.n};
    unsigned in_lane = w / chunk;
    for (unsigned i = 0; i < x.n; i++)
        out.v[i] = x.v[i / in_lane * in_lane + in_lane - 1 - i % in_lane];
    return lanes_join(c, &out);
}

static ir_val permute(struct vex_ctx *c, ir_val a, ir_val indices, unsigned w, bool or_zero)
{
    struct lanes index = lanes_split(c, indices, w);
    for (unsigned i = 0; i < index.n; i++) {
        ir_val x = pick(c, a, w, index.v[i]);
        if (or_zero)
            x = ir_ite(c->b, lane_sign(c, index.v[i]), ir_const(c->b, w, 0), x);
        index.v[i] = x;
    }
    return lanes_join(c, &index);
}

ir_val vex_move(struct vex_ctx *c, const struct op_row *r, const ir_val *arg)
{
    unsigned n = ir_width(c->b, arg[0]) / r->w;
    switch ((enum move_kind)r->kind) {
    case MOVE_INTERLEAVE_LO: return interleave(c, arg[0], arg[1], r->w, 0, 1);
    case MOVE_INTERLEAVE_HI: return interleave(c, arg[0], arg[1], r->w, n / 2, 1);
    case MOVE_INTERLEAVE_EVEN: return interleave(c, arg[0], arg[1], r->w, 0, 2);
    case MOVE_INTERLEAVE_ODD: return interleave(c, arg[0], arg[1], r->w, 1, 2);
    case MOVE_CAT_EVEN: return concatenate(c, arg[0], arg[1], r->w, 0);
    case MOVE_CAT_ODD: return concatenate(c, arg[0], arg[1], r->w, 1);
    case MOVE_DUP64: return duplicate(c, arg[0], 64);
    case MOVE_DUP128: return duplicate(c, arg[0], 128);
    case MOVE_SLICE: return slice(c, arg[0], arg[1], arg[2]);
    case MOVE_GET: return pick(c, arg[0], r->w, arg[1]);
    case MOVE_SET: return replace(c, arg[0], r->w, arg[1], arg[2]);
    case MOVE_REVERSE8: return reverse(c, arg[0], r->w, 8);
    case MOVE_REVERSE16: return reverse(c, arg[0], r->w, 16);
    case MOVE_REVERSE32: return reverse(c, arg[0], r->w, 32);
    case MOVE_PERM: return permute(c, arg[0], arg[1], r->w, false);
    case MOVE_PERM_OR_ZERO: return permute(c, arg[0], arg[1], r->w, true);
    }
    assert(!"a way to move lanes");
    return IR_NONE;
}
