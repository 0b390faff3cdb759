/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair/pair.h"

#include <string.h>

bool pair_call_is_transparent(const char *name)
{
    static const char *const all[] = {"memcpy", "memmove", "memset",          "memcmp",
                                      "bzero",  "bcopy",   "__stack_chk_fail"};
    for (size_t i = 0; name && i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    /* Operators for which the processor has no instruction. */
    size_t n = name ? strlen(name) : 0;
    return n > 6 && (strncmp(name, "__aeabi_", 8) == 0 ||
                     (strncmp(name, "__", 2) == 0 &&
                      (strcmp(name + n - 3, "di3") == 0 || strcmp(name + n - 3, "si3") == 0 ||
                       strcmp(name + n - 3, "di2") == 0 || strcmp(name + n - 3, "si2") == 0 ||
                       strcmp(name + n - 3, "di4") == 0)));
}

bool pair_names(void *ctx, const char *symbol)
{
    const struct pair_side *one = ctx;
    bool names = false;
    for (int s = 0; s < 2 && !names; s++) {
        const struct object *o = one->pair->side[s].o;
        names = o && object_symbol_by_name(o, symbol);
    }
    return names;
}

/* ---- offsets from the stack pointer ---- */

int64_t pair_signed(const struct pair *pair, uint64_t off)
{
    return pair->width == 64 ? (int64_t)off : (int64_t)(int32_t)(uint32_t)off;
}

bool pair_sp_offset(const struct pair *pair, term x, int64_t *off)
{
    term base;
    uint64_t o;
    term_split(pair->t, x, &base, &o);
    *off = pair_signed(pair, o);
    return base == pair->sp;
}

int64_t pair_frames_top(const struct pair *pair)
{
    int64_t top = 0;
    for (int s = 0; s < 2; s++) {
        int64_t t = pair->side[s].x ? explorer_symbols(pair->side[s].x).frame_top : 0;
        top = t > top ? t : top;
    }
    return top;
}

term pair_outside_frames(const struct pair *pair, term at)
{
    term d = term_add_const(pair->t, term_bin(pair->t, OP_SUB, at, pair->sp), PAIR_FRAME_BYTES);
    uint64_t size = (uint64_t)(PAIR_FRAME_BYTES + pair_frames_top(pair));
    return term_bin(pair->t, OP_ULE, term_const(pair->t, pair->width, size), d);
}

bool pair_weak(void *ctx, const char *symbol)
{
    const struct pair_side *s = ctx;
    bool weak = false;
    for (int i = 0; i < 2; i++)
        weak = weak || (s->pair->side[i].o && object_is_weak(s->pair->side[i].o, symbol));
    return weak;
}
