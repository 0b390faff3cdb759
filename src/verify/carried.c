/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where what changed code leaves is looked at.
 *
 * A changed block may only set a register or a word of the frame, which code that is the same in both
 * versions looks at far behind it: there the versions part. What a changed block computes, and the block that
 * it is paired with does not, is followed forwards, through registers and through words of the frame that are
 * named by a stack or frame pointer and a number. This says where a run may go to show a difference, and
 * nothing else: what is not seen here costs a run. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { WORDS_MAX = 96, NUMBER_MAX = 0xffff, PASSES_MAX = 8 };

struct carry {
    const struct ir_machine *m;
    const struct flow_graph *g;
    const struct carried *of;
    unsigned unit, nregs, nstate; /* a state: by register slot, then by word of the frame */
    VEC(uint64_t) word;           /* register and distance */
    uint8_t *in;                  /* by block: the state at its beginning */
    /* By block that changed, by instruction: it leaves what the other version's block does not. */
    uint8_t **own;
};

/* ---- what a block computes ---- */

/* Where the frame lies, and where data does, may differ. */
static uint64_t hash_value(const struct ir_machine *m, const struct ir_block *b, const uint64_t *known,
                           ir_val v)
{
    const struct ir_insn *in = &b->insn[v];
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    uint64_t h = hash_u64((uint64_t)in->op << 32 | in->width);
    switch (in->op) {
    case IR_CONST:
        if (in->width <= 64 && ir_imm(in->a, in->b) <= NUMBER_MAX)
            h = hash_u64(h ^ ir_imm(in->a, in->b));
        return h;
    case IR_GET:
        return in->a == m->sp || in->a == m->fp ? 0 : hash_u64(h ^ in->a);
    case IR_LOAD:
        return hash_u64(h ^ known[in->a]);
    case IR_PURE:
        for (uint32_t k = 0; k < in->c; k++)
            h = hash_u64(h ^ known[b->arg[in->b + k]]);
        return h;
    case OP_EXTRACT:
        return hash_u64(h ^ known[in->a] ^ in->b);
    default:
        break;
    }
    if (in->op >= OP_COUNT_)
        return h;
    for (unsigned k = 0; k < op_info[in->op].arity; k++) {
        if (!known[arg[k]])
            return 0;
        h = hash_u64(h + known[arg[k]]);
    }
    return h;
}

static uint64_t *hash_values(const struct ir_machine *m, const struct ir_block *b)
{
    uint64_t *all = xcalloc(b->ninsn + 1, sizeof *all);
    for (uint32_t i = 0; i < b->ninsn; i++)
        all[i] = hash_value(m, b, all, i);
    return all;
}

static bool leaves(const struct ir_insn *in)
{
    return in->op == IR_PUT || in->op == IR_STORE;
}

static void add_left(const struct ir_machine *m, const struct ir_block *b, struct map *out)
{
    uint64_t *all = hash_values(m, b);
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (leaves(&b->insn[i]))
            map_set(out, all[b->insn[i].b], 1);
    free(all);
}

/* The word of the frame that an address names; UINT32_MAX: none. */
static uint32_t word_of(struct carry *k, const struct ir_block *b, ir_val address)
{
    uint64_t distance = 0;
    const struct ir_insn *in = &b->insn[address];
    while ((in->op == OP_ADD || in->op == OP_SUB) && b->insn[in->b].op == IR_CONST &&
           b->insn[in->b].width <= 64) {
        const uint64_t by = ir_imm(b->insn[in->b].a, b->insn[in->b].b);
        distance += in->op == OP_ADD ? by : -by;
        in = &b->insn[in->a];
    }
    if (in->op != IR_GET || (in->a != k->m->sp && in->a != k->m->fp))
        return UINT32_MAX;
    const uint64_t key = (uint64_t)in->a << 32 | (uint32_t)distance;
    for (size_t i = 0; i < k->word.len; i++)
        if (k->word.data[i] == key)
            return (uint32_t)i;
    if (k->word.len == WORDS_MAX)
        return UINT32_MAX;
    vec_push(&k->word, key);
    return (uint32_t)k->word.len - 1;
}

static bool of_register(const struct carry *k, const uint8_t *state, unsigned offset, unsigned width)
{
    for (unsigned s = offset / k->unit; width && s <= (offset + (width - 1) / 8) / k->unit; s++)
        if (state[s])
            return true;
    return false;
}

static void put_register(const struct carry *k, uint8_t *state, unsigned offset, unsigned width, bool carried)
{
    for (unsigned s = offset / k->unit; width && s <= (offset + (width - 1) / 8) / k->unit; s++)
        state[s] = carried;
}

static bool is_argument(const struct ir_machine *m, unsigned reg)
{
    for (unsigned i = 0; i < m->nargs; i++)
        if (m->arg[i] == reg)
            return true;
    return false;
}

static bool reach(struct carry *k, uint32_t block, const uint8_t *state)
{
    uint8_t *in = k->in + (size_t)block * k->nstate;
    bool more = false;
    for (unsigned i = 0; i < k->nstate; i++) {
        more = more || (state[i] && !in[i]);
        in[i] |= state[i];
    }
    return more;
}

/* One instruction. `passed`: an argument holds what is carried. */
static bool step(struct carry *k, uint32_t block, uint32_t i, uint8_t *value, uint8_t *state, bool *passed)
{
    const struct ir_block *b = &k->g->block[block];
    const struct ir_insn *in = &b->insn[i];
    const uint32_t arg[] = {in->a, in->b, in->c, in->d};
    const bool own = k->own[block] && k->own[block][i];
    bool looks = false, more = false;
    uint32_t word;
    switch (in->op) {
    case IR_CONST:
    case IR_UNKNOWN:
    case IR_EVENT:
        return false;
    case IR_GET:
        value[i] = of_register(k, state, in->a, in->width);
        return false;
    case IR_PUT:
        if (in->a == k->m->sp || in->a == k->m->pc)
            return false;
        put_register(k, state, in->a, b->insn[in->b].width, own || value[in->b]);
        *passed = *passed || (is_argument(k->m, in->a) && value[in->b]);
        return false;
    case IR_LOAD:
        word = word_of(k, b, in->a);
        value[i] = word == UINT32_MAX ? value[in->a] : state[k->nregs + word];
        return false;
    case IR_STORE:
        word = word_of(k, b, in->a);
        if (word != UINT32_MAX)
            state[k->nregs + word] = own || value[in->b];
        else
            looks = value[in->b] || value[in->a];
        break;
    case IR_PURE:
        for (uint32_t n = 0; n < in->c; n++)
            value[i] |= value[b->arg[in->b + n]];
        return false;
    case IR_EXIT:
        looks = value[in->a];
        for (uint32_t e = k->g->first_edge[block]; e < k->g->first_edge[block + 1]; e++)
            if (k->g->edge[e].kind == EDGE_TAKEN && k->g->edge[e].insn == i)
                more = reach(k, k->g->edge[e].to, state) || more;
        break;
    case OP_EXTRACT:
        value[i] = value[in->a];
        return false;
    default:
        for (unsigned n = 0; n < op_info[in->op].arity; n++)
            value[i] |= value[arg[n]];
        return false;
    }
    k->of->looks[block] |= looks;
    return more;
}

/* What the changed block leaves and its partner, if it has one, does not. */
static void find_own(struct carry *k, uint32_t block, const struct ir_block *partner)
{
    const struct ir_block *b = &k->g->block[block];
    uint64_t *all = hash_values(k->m, b);
    struct map theirs = {0};
    if (partner)
        add_left(k->m, partner, &theirs);
    k->own[block] = xcalloc(b->ninsn + 1, 1);
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (!leaves(in) || !all[in->b] || map_get(&theirs, all[in->b], NULL))
            continue;
        k->own[block][i] = 1;
        k->of->leaves[block] |= in->op == IR_STORE || (in->a != k->m->sp && in->a != k->m->pc);
    }
    map_free(&theirs);
    free(all);
}

static bool pass_block(struct carry *k, uint32_t block, bool calls)
{
    const struct ir_block *b = &k->g->block[block];
    uint8_t *value = xcalloc(b->ninsn + 1, 1), *state = xcalloc(k->nstate, 1);
    bool more = false, passed = false;
    memcpy(state, k->in + (size_t)block * k->nstate, k->nstate);
    for (uint32_t i = 0; i < b->ninsn; i++)
        more = step(k, block, i, value, state, &passed) || more;
    k->of->looks[block] |= calls && passed;
    for (unsigned s = 0; s < k->nregs && calls; s++) {
        bool kept = false;
        for (unsigned i = 0; i < k->m->nsaved; i++)
            kept = kept || k->m->saved[i] / k->unit == s;
        state[s] = kept && state[s];
    }
    for (uint32_t e = k->g->first_edge[block]; e < k->g->first_edge[block + 1]; e++)
        if (k->g->edge[e].kind != EDGE_TAKEN)
            more = reach(k, k->g->edge[e].to, state) || more;
    free(value);
    free(state);
    return more;
}

void carried_find(const struct ir_machine *m, const struct flow_graph *g, const struct flow_graph *other,
                  const uint32_t *partner, const struct carried *of)
{
    struct carry k = {.m = m, .g = g, .of = of, .unit = m->pointer_width / 8};
    k.nregs = machine_slots(m);
    k.nstate = k.nregs + WORDS_MAX;
    k.in = xcalloc((size_t)g->nblocks * k.nstate + 1, 1);
    k.own = xcalloc(g->nblocks + 1, sizeof *k.own);
    uint8_t *calls = xcalloc(g->nblocks + 1, 1);
    for (uint32_t i = 0; i < g->ncalls; i++)
        calls[g->call[i].block] = 1;
    for (uint32_t b = 0; b < g->nblocks; b++)
        if (of->changed[b])
            find_own(&k, b, partner && partner[b] < other->nblocks ? &other->block[partner[b]] : NULL);
    /* Forwards and backwards in turn: what takes more passes than these is not followed to its end. */
    bool more = true;
    for (unsigned pass = 0; more && pass < PASSES_MAX; pass++) {
        more = false;
        for (uint32_t i = 0; i < g->nblocks; i++) {
            const uint32_t b = pass % 2 ? g->nblocks - 1 - i : i;
            more = pass_block(&k, b, calls[b]) || more;
        }
    }
    for (uint32_t b = 0; b < g->nblocks; b++)
        free(k.own[b]);
    vec_free(&k.word);
    free(k.own);
    free(calls);
    free(k.in);
}
