/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/origin.h"

#include <inttypes.h>

#include "base/buf.h"

static void spell_callee(struct buf *out, const char *what, const struct term_origin *o)
{
    buf_printf(out, "%s:%s", what, o->name ? o->name : "*");
    if (o->index)
        buf_printf(out, "/%u", o->index);
}

static void spell_clobbered(struct buf *out, const struct term_origin *o)
{
    switch ((enum origin_clobbered)o->part) {
    case ORIGIN_CLOBBERED_START:
        buf_printf(out, "clobber:%s", o->name);
        break;
    case ORIGIN_CLOBBERED_PART:
        buf_printf(out, "clobber:%s@%" PRIu64, o->name ? o->name : "file", o->offset);
        break;
    case ORIGIN_CLOBBERED_X87:
        buf_puts(out, "clobber:st0");
        break;
    case ORIGIN_CLOBBERED_BACK:
        buf_puts(out, "clobber:back");
        break;
    case ORIGIN_CLOBBERED_FLOAT:
        buf_puts(out, "clobber:float");
        break;
    case ORIGIN_CLOBBERED_CUT:
        buf_puts(out, "clobber:cut");
        break;
    }
}

static void spell_intrinsic(struct buf *out, const struct term_origin *o)
{
    buf_puts(out, o->name);
    if (o->part == ORIGIN_INTRINSIC_REGISTER)
        buf_printf(out, "@%" PRIu64, o->offset);
    else if (o->part == ORIGIN_INTRINSIC_MEMORY)
        buf_printf(out, ":mem%" PRIu64, o->offset);
}

void origin_spell(struct buf *out, const struct term_origin *o)
{
    switch ((enum origin_kind)o->kind) {
    case ORIGIN_ARGUMENT:
        buf_printf(out, "arg%u", o->index);
        if (o->part)
            buf_printf(out, ".%u", o->part - 1u);
        break;
    case ORIGIN_REGISTER:
        if (o->name)
            buf_puts(out, o->name);
        else
            buf_printf(out, "file@%" PRIu64, o->offset);
        break;
    case ORIGIN_SP:
        buf_puts(out, "sp");
        break;
    case ORIGIN_CALLER:
        buf_puts(out, "caller");
        break;
    case ORIGIN_RETURN_ADDRESS:
        buf_puts(out, "ret_addr");
        break;
    case ORIGIN_MEMORY:
        buf_puts(out, o->name ? o->name : "mem");
        break;
    case ORIGIN_WORLD:
        buf_puts(out, "world");
        break;
    case ORIGIN_CANARY:
        buf_puts(out, "canary");
        break;
    case ORIGIN_ADDRESS:
        buf_printf(out, "&%s", o->name);
        break;
    case ORIGIN_DATA:
        buf_puts(out, o->index ? "data@mod" : "data@orig");
        break;
    case ORIGIN_FINAL:
        buf_printf(out, "run:%u:%" PRIu64 ":%u", o->index, o->offset, o->part);
        break;
    case ORIGIN_STAND_IN:
        buf_printf(out, "%s:%u:%" PRIu64, o->name, o->index, o->offset);
        break;
    case ORIGIN_RESULT:
        spell_callee(out, "ret", o);
        break;
    case ORIGIN_FLOAT_RESULT:
        spell_callee(out, "fret", o);
        break;
    case ORIGIN_MEMORY_AFTER:
        spell_callee(out, "mem", o);
        break;
    case ORIGIN_WORLD_AFTER:
        spell_callee(out, "world", o);
        break;
    case ORIGIN_THREW:
        spell_callee(out, "throws", o);
        break;
    case ORIGIN_THROWN:
        spell_callee(out, "thrown", o);
        break;
    case ORIGIN_SPACES_AFTER:
        spell_callee(out, "spaces", o);
        break;
    case ORIGIN_SPACE_AFTER:
        buf_printf(out, "havoc:%s", o->name);
        break;
    case ORIGIN_SPACES:
        buf_printf(out, "spaces%s", o->name);
        break;
    case ORIGIN_TOKEN:
        spell_callee(out, "after", o);
        break;
    case ORIGIN_ALLOCATION:
        spell_callee(out, "heap", o);
        break;
    case ORIGIN_OUTPUT:
        buf_printf(out, "out%u.%" PRIu64, o->part, o->offset);
        spell_callee(out, "", o);
        break;
    case ORIGIN_ERRNO:
        spell_callee(out, "errno", o);
        break;
    case ORIGIN_ERRNO_PLACE:
        buf_puts(out, "heap:errno");
        break;
    case ORIGIN_CLOBBERED:
        spell_clobbered(out, o);
        break;
    case ORIGIN_CLOBBERED_WORD:
        buf_printf(out, "slot:%" PRIu64, o->offset);
        break;
    case ORIGIN_INTRINSIC:
        spell_intrinsic(out, o);
        break;
    case ORIGIN_LOOP:
        buf_puts(out, "loop");
        break;
    case ORIGIN_NEXT:
        buf_puts(out, "next");
        break;
    case ORIGIN_CHAIN:
        buf_puts(out, "chain");
        break;
    }
}

static bool needs_name(const struct term_origin *o)
{
    switch ((enum origin_kind)o->kind) {
    case ORIGIN_ADDRESS:
    case ORIGIN_STAND_IN:
    case ORIGIN_SPACE_AFTER:
    case ORIGIN_SPACES:
    case ORIGIN_INTRINSIC:
        return true;
    case ORIGIN_CLOBBERED:
        return o->part == ORIGIN_CLOBBERED_START;
    default:
        return false;
    }
}

bool origin_is_sound(const struct term_origin *o, bool function, unsigned width)
{
    enum { LAST_SYMBOL = ORIGIN_STAND_IN, LAST = ORIGIN_CHAIN, ORDER_WIDTH = 64 };
    if (o->kind < ORIGIN_ARGUMENT || o->kind > LAST || (needs_name(o) && !o->name))
        return false;
    if (function)
        return o->kind > LAST_SYMBOL;
    if (o->kind == ORIGIN_WORLD)
        return width == ORDER_WIDTH;
    return o->kind <= LAST_SYMBOL &&
           (o->kind == ORIGIN_MEMORY || o->kind == ORIGIN_STAND_IN ? true : width > 0);
}

term origin_symbol(struct terms *t, struct term_origin o, unsigned width)
{
    return term_symbol(t, &o, origin_spell, width);
}

term origin_array(struct terms *t, struct term_origin o, unsigned index_width, unsigned cell_width)
{
    return term_array_symbol(t, &o, origin_spell, index_width, cell_width);
}

term origin_apply(struct terms *t, struct term_origin o, unsigned width, const term *kid, unsigned nkids)
{
    return term_apply_origin(t, &o, origin_spell, width, kid, nkids);
}

term origin_apply_array(struct terms *t, struct term_origin o, unsigned index_width, unsigned cell_width,
                        const term *kid, unsigned nkids)
{
    return term_apply_origin_array(t, &o, origin_spell, index_width, cell_width, kid, nkids);
}

bool origin_is(const struct terms *t, term x, unsigned kind)
{
    return x != TERM_NONE && term_origin(t, x).kind == kind;
}

bool origin_is_argument(const struct terms *t, term x, unsigned *index)
{
    if (!origin_is(t, x, ORIGIN_ARGUMENT))
        return false;
    *index = term_origin(t, x).index;
    return true;
}

bool origin_is_register(const struct terms *t, term x)
{
    return origin_is(t, x, ORIGIN_REGISTER) && term_origin(t, x).name;
}

bool origin_is_new_object(const struct terms *t, term x)
{
    return origin_is(t, x, ORIGIN_ALLOCATION) || origin_is(t, x, ORIGIN_ERRNO_PLACE);
}

bool origin_is_order(const struct terms *t, term x)
{
    return origin_is(t, x, ORIGIN_WORLD) || origin_is(t, x, ORIGIN_WORLD_AFTER) ||
           origin_is(t, x, ORIGIN_TOKEN) || origin_is(t, x, ORIGIN_SPACES);
}
