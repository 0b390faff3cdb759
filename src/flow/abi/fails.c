/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a caller fails when a function returns a given number: whatever else happens from there on, it returns
 * a small negative number or gives up.
 *
 * Ways from the call are followed one by one, with what is known of each bit of the registers. Memory is not
 * known, and nothing is known behind an instruction that is not understood. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/internal.h"

enum { STEPS_MAX = 512, ERRORS = 4095 };

/* A word of which some bits are known. */
struct partly {
    uint64_t bits, known;
};

struct ways {
    const struct ir_machine *m;
    const struct flow_graph *g;
    const uint64_t *target;
    size_t ntargets;
    unsigned nslots, unit;
    unsigned steps;
};

static struct partly cut(struct partly x, unsigned width)
{
    const uint64_t ones = word_ones(width);
    return (struct partly){x.bits & ones & x.known, x.known & ones};
}

static struct partly shifted(struct partly x, unsigned by)
{
    return by < 64 ? (struct partly){x.bits >> by, x.known >> by} : (struct partly){0, 0};
}

static bool is_target(const struct ways *w, uint64_t at)
{
    for (size_t i = 0; i < w->ntargets; i++)
        if (w->target[i] && w->target[i] == at)
            return true;
    return false;
}

static struct partly computed(const struct ir_block *b, const struct ir_insn *in, const struct partly *value)
{
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    const unsigned n = op_info[in->op].arity;
    const struct partly nothing = {0, 0};
    uint64_t word[4], out;
    unsigned width[4];
    if (in->width > 64)
        return nothing;
    if (in->op == OP_EXTRACT)
        return cut(shifted(value[in->a], in->b), in->width);
    for (unsigned k = 0; k < n; k++)
        if (b->insn[arg[k]].width > 64)
            return nothing;
    if (in->op == OP_ZEXT)
        return (struct partly){value[in->a].bits, value[in->a].known | ~word_ones(b->insn[in->a].width)};
    if (in->op == OP_ITE && value[in->a].known & 1)
        return value[value[in->a].bits & 1 ? in->b : in->c];
    for (unsigned k = 0; k < n && k < 4; k++) {
        width[k] = b->insn[arg[k]].width;
        if ((value[arg[k]].known & word_ones(width[k])) != word_ones(width[k]))
            return nothing;
        word[k] = value[arg[k]].bits & word_ones(width[k]);
    }
    if (!bits_apply_word((enum op)in->op, in->width, word, width, 0, &out))
        return nothing;
    return cut((struct partly){out, UINT64_MAX}, in->width);
}

static bool fails_from(struct ways *w, uint32_t block, const struct partly *in);

static bool fails_by(struct ways *w, uint32_t block, uint32_t exit, const struct partly *slot)
{
    for (uint32_t e = w->g->first_edge[block]; e < w->g->first_edge[block + 1]; e++)
        if (w->g->edge[e].kind == EDGE_TAKEN && w->g->edge[e].insn == exit)
            return fails_from(w, w->g->edge[e].to, slot);
    return false;
}

static void forget_all(const struct ways *w, struct partly *slot)
{
    memset(slot, 0, w->nslots * sizeof *slot);
}

static void put(const struct ways *w, struct partly *slot, unsigned offset, unsigned width, struct partly x)
{
    for (unsigned s = offset / w->unit; s <= (offset + (width + 7) / 8 - 1) / w->unit && s < w->nslots; s++)
        slot[s] = (struct partly){0, 0};
    if (width == w->unit * 8 && offset % w->unit == 0)
        slot[offset / w->unit] = cut(x, width);
}

/* The block ends with a call of a function that ends the program since something is wrong. Others that do not
 * return may end it as it should. */
static bool gives_up(const struct ways *w, uint32_t block)
{
    static const char *const name[] = {"abort", "__assert_fail", "__stack_chk_fail", "__stack_chk_fail_local"};
    for (uint32_t i = 0; i < w->g->ncalls; i++)
        for (size_t k = 0; k < sizeof name / sizeof *name; k++)
            if (w->g->call[i].block == block && w->g->call[i].name && strcmp(w->g->call[i].name, name[k]) == 0)
                return true;
    return false;
}

/* What a call leaves, other than its result. */
static void pass_call(const struct ways *w, struct partly *slot)
{
    for (unsigned s = 0; s < w->nslots; s++) {
        bool kept = false;
        for (unsigned i = 0; i < w->m->nsaved; i++)
            kept = kept || w->m->saved[i] / w->unit == s;
        if (!kept)
            slot[s] = (struct partly){0, 0};
    }
}

/* Goes on behind the end of the block. */
static bool fails_behind(struct ways *w, uint32_t block, struct partly *slot)
{
    const struct ir_end *end = &w->g->block[block].end;
    bool any = false, all = true;
    for (uint32_t i = 0; i < w->g->ncalls; i++)
        if (w->g->call[i].block == block && (w->g->call[i].conditional || w->g->call[i].kind == CALL_TAIL ||
                                             w->g->call[i].kind == CALL_TAIL_INDIRECT))
            return false;
    if (end->kind == IR_END_TRAP || gives_up(w, block))
        return true;
    if (end->kind == IR_END_RET) {
        const struct partly r = slot[w->m->ret / w->unit];
        const int32_t number = (int32_t)(uint32_t)r.bits;
        return (r.known & UINT32_MAX) == UINT32_MAX && number < 0 && number >= -ERRORS;
    }
    if (end->kind == IR_END_CALL || end->kind == IR_END_SYSCALL)
        pass_call(w, slot);
    else if (end->kind != IR_END_JUMP)
        return false;
    for (uint32_t e = w->g->first_edge[block]; e < w->g->first_edge[block + 1] && all; e++)
        if (w->g->edge[e].kind != EDGE_TAKEN) {
            any = true;
            all = fails_from(w, w->g->edge[e].to, slot);
        }
    return all && any;
}

static bool fails_from(struct ways *w, uint32_t block, const struct partly *in)
{
    const struct ir_block *b = &w->g->block[block];
    if (++w->steps > STEPS_MAX)
        return false;
    struct partly *value = xcalloc(b->ninsn + 1, sizeof *value), *slot = xcalloc(w->nslots, sizeof *slot);
    bool fails = true, left = false;
    memcpy(slot, in, w->nslots * sizeof *slot);
    for (uint32_t i = 0; i < b->ninsn && fails && !left; i++) {
        const struct ir_insn *n = &b->insn[i];
        switch (n->op) {
        case IR_CONST:
            if (n->width <= 64)
                value[i] = cut((struct partly){ir_imm(n->a, n->b), UINT64_MAX}, n->width);
            break;
        case IR_GET:
            if (n->width <= w->unit * 8 && n->a % w->unit == 0)
                value[i] = cut(slot[n->a / w->unit], n->width);
            break;
        case IR_PUT:
            put(w, slot, n->a, b->insn[n->b].width, value[n->b]);
            break;
        case IR_LOAD:
        case IR_STORE:
        case IR_PURE:
            break;
        case IR_EVENT:
        case IR_UNKNOWN:
            forget_all(w, slot);
            break;
        case IR_EXIT:
            if (n->exit == IR_EXIT_CALL || n->exit == IR_EXIT_RET)
                fails = false;
            else if (n->exit == IR_EXIT_JUMP && !(value[n->a].known & 1 && !(value[n->a].bits & 1))) {
                left = value[n->a].known & 1;
                fails = fails_by(w, block, i, slot);
            }
            break;
        default:
            value[i] = computed(b, n, value);
        }
    }
    fails = fails && (left || fails_behind(w, block, slot));
    free(value);
    free(slot);
    return fails;
}

/* The address is a number in the code, other than where a call goes: somebody may keep it. */
static bool is_kept(const struct ways *w)
{
    for (uint32_t k = 0; k < w->g->nblocks; k++) {
        const struct ir_block *b = &w->g->block[k];
        struct ir_block body = *b;
        body.end.next = IR_NONE;
        for (uint32_t i = 0; i < b->ninsn; i++) {
            const struct ir_insn *n = &b->insn[i];
            if (n->op == IR_CONST && n->width <= 64 && is_target(w, ir_imm(n->a, n->b)) &&
                (i != b->end.next || uses_operand(&body, i, i)))
                return true;
        }
    }
    return false;
}

/* The caller fails wherever it comes back from the call, which leaves that in the register of results. */
static bool fails_after(struct ways *w, const struct flow_call *k, struct partly result)
{
    struct partly *slot = xcalloc(w->nslots, sizeof *slot);
    bool back = false, fails = true;
    w->steps = 0;
    slot[w->m->ret / w->unit] = result;
    for (uint32_t e = w->g->first_edge[k->block]; e < w->g->first_edge[k->block + 1] && fails; e++)
        if (w->g->edge[e].kind == EDGE_RETURN) {
            back = true;
            fails = fails_from(w, w->g->edge[e].to, slot);
        }
    free(slot);
    return fails && back;
}

bool abi_fails_on(struct program *p, const struct flow_function *caller, const uint64_t *target, size_t ntargets,
                  int64_t number)
{
    const struct flow_graph *g = flow_graph(p, caller);
    const struct ir_machine *m = program_machine(p);
    if (!g || !g->nblocks || g->nproblems)
        return false;
    struct ways w = {.m = m,
                     .g = g,
                     .target = target,
                     .ntargets = ntargets,
                     .nslots = machine_slots(m),
                     .unit = m->pointer_width / 8};
    const struct partly told = {(uint32_t)number, UINT32_MAX}, anything = {0, 0};
    bool fails = !is_kept(&w), found = false;
    for (uint32_t i = 0; i < g->ncalls && fails; i++) {
        const struct flow_call *k = &g->call[i];
        if (!is_target(&w, k->target))
            continue;
        found = true;
        /* where it fails in any case the number says nothing */
        fails = !k->conditional && k->kind != CALL_TAIL && fails_after(&w, k, told) && !fails_after(&w, k, anything);
    }
    return fails && found;
}
