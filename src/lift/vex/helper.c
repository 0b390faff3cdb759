/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Clean helpers: C functions of libVEX called in expressions. Flags and control words have a meaning in
 * operators; the rest are pure functions under the helper's name. */
#include <stdlib.h>
#include <string.h>

#include "lift/lift.h"
#include "lift/vex/pure.h"
#include "lift/vex/state.h"

enum { MAX_ARGS = 8 };

/* A helper call: its arguments as values and as VEX wrote them. */
struct call {
    struct vex_ctx *c;
    const IRExpr *expr;
    ir_val arg[MAX_ARGS];
    unsigned nargs;
};

static ir_val x86_condition(const struct call *h)
{
    return vex_x86_condition(h->c, h->arg[0], h->arg + 1);
}

static ir_val x86_flags(const struct call *h)
{
    return vex_x86_flags(h->c, h->arg);
}

static ir_val x86_carry(const struct call *h)
{
    return vex_x86_carry(h->c, h->arg);
}

/* The first argument is condition << 4 | cc_op. Where cc_op is not known VEX writes it as an "or", from which
 * the condition can be had; condition zero is optimised away. */
static ir_val arm_condition(const struct call *h)
{
    struct vex_ctx *c = h->c;
    const IRExpr *e = h->expr->Iex.CCall.args[0];
    const IRExpr *def = e->tag == Iex_RdTmp ? c->def[e->Iex.RdTmp.tmp] : NULL;
    uint64_t k;
    if (def && def->tag == Iex_Binop && (def->Iex.Binop.op == Iop_Or32 || def->Iex.Binop.op == Iop_Or64)) {
        ir_val cc_op = vex_expr(c, def->Iex.Binop.arg1), cond = vex_expr(c, def->Iex.Binop.arg2);
        if (ir_is_const(c->b, cond, &k))
            return vex_arm_condition(c, ir_const(c->b, 4, k >> 4), cc_op, h->arg + 1);
    } else if (def) {
        return vex_arm_condition(c, ir_const(c->b, 4, 0), h->arg[0], h->arg + 1);
    }
    return vex_arm_condition(c, ir_extract(c->b, h->arg[0], 4, 4), ir_extract(c->b, h->arg[0], 0, 4),
                             h->arg + 1);
}

static ir_val arm_flag_c(const struct call *h)
{
    return vex_arm_flag(h->c, VEX_C, h->arg);
}

static ir_val arm_flag_n(const struct call *h)
{
    return vex_arm_flag(h->c, VEX_N, h->arg);
}

static ir_val arm_flag_v(const struct call *h)
{
    return vex_arm_flag(h->c, VEX_V, h->arg);
}

static ir_val arm_flag_z(const struct call *h)
{
    return vex_arm_flag(h->c, VEX_Z, h->arg);
}

static ir_val arm_flags(const struct call *h)
{
    return vex_arm_flags(h->c, h->arg);
}

/* Saturation happened when the saturated result differs from the plain one. */
static ir_val arm_flag_qc(const struct call *h)
{
    struct ir_builder *b = h->c->b;
    ir_val same =
        ir_bin(b, OP_AND, ir_bin(b, OP_EQ, h->arg[0], h->arg[2]), ir_bin(b, OP_EQ, h->arg[1], h->arg[3]));
    return ir_zext(b, ir_un(b, OP_NOT, same), 32);
}

/* fldcw and ldmxcsr: of the control word VEX keeps the rounding mode. The upper half of the result is an
 * emulation note, of which there is none here. */
static ir_val rounding_of(const struct call *h, unsigned at)
{
    ir_val mode = ir_extract(h->c->b, h->arg[0], at, 2);
    return ir_zext(h->c->b, mode, 64);
}

static ir_val check_fldcw(const struct call *h)
{
    return rounding_of(h, 10);
}

static ir_val check_ldmxcsr(const struct call *h)
{
    return rounding_of(h, 13);
}

/* fnstcw and stmxcsr: the rounding mode among the bits a fresh process has. */
static ir_val control_word(const struct call *h, uint64_t base, unsigned at)
{
    struct ir_builder *b = h->c->b;
    unsigned width = ir_width(b, h->arg[0]);
    ir_val mode = ir_bin(b, OP_AND, h->arg[0], ir_const(b, width, 3));
    return ir_bin(b, OP_OR, ir_bin(b, OP_SHL, mode, ir_const(b, width, at)), ir_const(b, width, base));
}

static ir_val create_fpucw(const struct call *h)
{
    return control_word(h, 0x037f, 10);
}

static ir_val create_mxcsr(const struct call *h)
{
    return control_word(h, 0x1f80, 13);
}

/* i386: which segment register the selector comes from decides the base. */
static ir_val use_seg_selector(const struct call *h)
{
    struct vex_ctx *c = h->c;
    const IRExpr *e = h->expr->Iex.CCall.args[2];
    if (e->tag == Iex_RdTmp)
        e = c->def[e->Iex.RdTmp.tmp];
    if (e && e->tag == Iex_Unop && e->Iex.Unop.arg->tag == Iex_RdTmp)
        e = c->def[e->Iex.Unop.arg->Iex.RdTmp.tmp];
    ir_val address = h->arg[3];
    if (e && e->tag == Iex_Get && e->Iex.Get.offset == (Int)X86(GS))
        address = ir_bin(c->b, OP_ADD, address, ir_get(c->b, X86_GS_BASE, 32));
    else if (e && e->tag == Iex_Get && e->Iex.Get.offset == (Int)X86(FS))
        address = ir_bin(c->b, OP_ADD, address, ir_get(c->b, X86_FS_BASE, 32));
    return ir_zext(c->b, address, 64);
}

/* Sorted by name. */
static const struct {
    const char *name;
    unsigned nargs;
    ir_val (*lower)(const struct call *);
} lowered[] = {
    {"amd64g_calculate_condition", 5, x86_condition}, {"amd64g_calculate_rflags_all", 4, x86_flags},
    {"amd64g_calculate_rflags_c", 4, x86_carry},      {"amd64g_check_fldcw", 1, check_fldcw},
    {"amd64g_check_ldmxcsr", 1, check_ldmxcsr},       {"amd64g_create_fpucw", 1, create_fpucw},
    {"amd64g_create_mxcsr", 1, create_mxcsr},         {"arm64g_calculate_condition", 4, arm_condition},
    {"arm64g_calculate_flag_c", 4, arm_flag_c},       {"arm64g_calculate_flag_n", 4, arm_flag_n},
    {"arm64g_calculate_flag_v", 4, arm_flag_v},       {"arm64g_calculate_flag_z", 4, arm_flag_z},
    {"arm64g_calculate_flags_nzcv", 4, arm_flags},    {"armg_calculate_condition", 4, arm_condition},
    {"armg_calculate_flag_c", 4, arm_flag_c},         {"armg_calculate_flag_n", 4, arm_flag_n},
    {"armg_calculate_flag_qc", 4, arm_flag_qc},       {"armg_calculate_flag_v", 4, arm_flag_v},
    {"armg_calculate_flag_z", 4, arm_flag_z},         {"armg_calculate_flags_nzcv", 4, arm_flags},
    {"x86g_calculate_condition", 5, x86_condition},   {"x86g_calculate_eflags_all", 4, x86_flags},
    {"x86g_calculate_eflags_c", 4, x86_carry},        {"x86g_check_fldcw", 1, check_fldcw},
    {"x86g_check_ldmxcsr", 1, check_ldmxcsr},         {"x86g_create_fpucw", 1, create_fpucw},
    {"x86g_create_mxcsr", 1, create_mxcsr},           {"x86g_use_seg_selector", 4, use_seg_selector},
};

static int by_name(const void *key, const void *row)
{
    return strcmp(key, *(const char *const *)row);
}

/* Calls a pure function if its signature is what the call wants. */
static ir_val call_pure(struct call *h, const char *name, unsigned width)
{
    int index = vex_pure_index(name);
    if (index < 0)
        return IR_NONE;
    const struct pure *p = &lift_pures().table[index];
    if (p->nargs != h->nargs || p->width != width)
        return IR_NONE;
    for (unsigned i = 0; i < h->nargs; i++)
        if (ir_width(h->c->b, h->arg[i]) != p->arg_width[i])
            return IR_NONE;
    return vex_pure_call(h->c, (unsigned)index, h->arg, h->nargs);
}

ir_val vex_helper(struct vex_ctx *c, const IRExpr *expr)
{
    struct call h = {.c = c, .expr = expr};
    unsigned width = vex_type_width(expr->Iex.CCall.retty);
    const char *name = expr->Iex.CCall.cee->name;
    for (IRExpr **e = expr->Iex.CCall.args; *e && h.nargs < MAX_ARGS; e++)
        h.arg[h.nargs++] = vex_expr(c, *e);
    const void *row = bsearch(name, lowered, sizeof lowered / sizeof *lowered, sizeof *lowered, by_name);
    size_t i = row ? (size_t)((const char *)row - (const char *)lowered) / sizeof *lowered : SIZE_MAX;
    if (i != SIZE_MAX && lowered[i].nargs == h.nargs) {
        ir_val out = lowered[i].lower(&h);
        if (ir_width(c->b, out) == width)
            return out;
    }
    ir_val out = call_pure(&h, name, width);
    return out != IR_NONE ? out : vex_unmodelled(c, arena_strdup(c->arena, name), h.arg, h.nargs, width);
}
