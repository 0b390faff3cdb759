/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What all calls of a function show of how many arguments it takes.
 *
 * A register that holds what an import left there, on every path to some call, carries no argument of that
 * call. That is so for every call of a function that takes a fixed number. On x86-64 callers of any other
 * say in al how many vector registers they use, so a call that does not shows that the number is fixed.
 * Elsewhere a format string, or a register that is left at one call and surely set for another, shows that it
 * is not. */
#include <stdlib.h>
#include <string.h>

#include "flow/abi/internal.h"

enum { BLOCKS_MAX = 4000, LEFT_ACCUMULATOR = 1 << 30, LEFT_LAST_FLOAT = 1 << 29 };

/* The registers for arguments (from bit 0), the last one for floats and, on x86-64, the accumulator that a
 * part of the state is in. */
static uint32_t registers_at(const struct ir_machine *m, unsigned offset, unsigned bytes)
{
    unsigned word = m->pointer_width / 8;
    uint32_t set = 0;
    for (unsigned i = 0; i < m->nargs; i++)
        if (offset < m->arg[i] + word && m->arg[i] < offset + bytes)
            set |= 1u << i;
    if (m->nfargs && offset < m->farg[m->nfargs - 1] + 8u && m->farg[m->nfargs - 1] < offset + bytes)
        set |= LEFT_LAST_FLOAT;
    if (m->arch == MACHINE_AMD64 && offset < m->ret + word && m->ret < offset + bytes)
        set |= LEFT_ACCUMULATOR;
    return set;
}

/* What of `left` is still as it was left at the end of the block. */
static uint32_t kept_by(const struct ir_machine *m, const struct ir_block *b, uint32_t left)
{
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT)
            left &= ~registers_at(m, in->a, (b->insn[in->b].width + 7u) / 8);
        else if (in->op == IR_UNKNOWN)
            left = 0;
        else if (in->op == IR_EVENT)
            for (unsigned k = 0; k < b->event[in->a].nwrites; k++)
                left &= ~registers_at(m, b->event[in->a].writes[k].offset, b->event[in->a].writes[k].bytes);
    }
    return left;
}

/* Functions that do not keep to the convention: they are called between setting arguments and passing them.
 */
static bool spares_registers(const char *name)
{
    return strstr(name, "mcount") || strstr(name, "fentry") || strncmp(name, "__aeabi_", 8) == 0 ||
           strstr(name, "tls_get_addr") || strncmp(name, "__x86.", 6) == 0;
}

/* After the call. Callees in the same program may be known to spare registers, so nothing is said of those.
 */
static uint32_t left_after(const struct program *p, const struct flow_call *k, uint32_t left)
{
    const struct ir_machine *m = program_machine(p);
    struct flow_prototype known;
    unsigned word = m->pointer_width / 8;
    uint32_t result = registers_at(m, m->ret, word), second = registers_at(m, m->ret2, word);
    if (!k || k->kind != CALL_STUB || !k->name || spares_registers(k->name))
        return left & ~(result | second);
    uint32_t all = ((1u << m->nargs) - 1) | LEFT_LAST_FLOAT;
    /* What is in the accumulator then is what it returned. */
    if (m->arch == MACHINE_AMD64)
        all |= LEFT_ACCUMULATOR;
    else
        all &= ~result;
    bool one = flow_library_prototype(p, k->name, &known) && (known.source == PROTO_LIBRARY);
    return one ? all : all & ~second;
}

static const struct flow_call *call_of(const struct flow_graph *g, uint32_t block)
{
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (g->call[i].block == block && !g->call[i].conditional)
            return &g->call[i];
    return NULL;
}

static unsigned ways_to(const struct flow_graph *g, uint32_t block)
{
    unsigned n = 0;
    for (uint32_t e = 0; e < g->nedges; e++)
        n += g->edge[e].to == block;
    return n;
}

/* For every block, what is left at its end, before the call that ends it: on every path there, or on some. */
static uint32_t *left_at_ends(const struct program *p, const struct flow_graph *g, bool every)
{
    const struct ir_machine *m = program_machine(p);
    uint32_t *in = xmalloc((g->nblocks + 1) * sizeof *in), *out = xmalloc((g->nblocks + 1) * sizeof *out);
    VEC(uint32_t) todo = VEC_INIT;
    bool *reached = xcalloc(g->nblocks + 1, sizeof *reached);
    for (uint32_t i = 0; i < g->nblocks; i++)
        in[i] = every ? UINT32_MAX : 0;
    /* Only the accumulator holds nothing at entry. */
    in[0] = LEFT_ACCUMULATOR;
    reached[0] = true;
    vec_push(&todo, 0);
    while (todo.len) {
        uint32_t at = vec_pop(&todo);
        out[at] = kept_by(m, &g->block[at], in[at]);
        for (uint32_t e = g->first_edge[at]; e < g->first_edge[at + 1]; e++) {
            uint32_t to = g->edge[e].to, was = in[to];
            uint32_t left = g->edge[e].kind == EDGE_RETURN   ? left_after(p, call_of(g, at), out[at])
                            : g->edge[e].kind == EDGE_UNWIND ? 0
                                                             : out[at];
            /* Code that somebody else jumps to may only lie after a callee that never returns. */
            if (!every && g->edge[e].kind == EDGE_RETURN && ways_to(g, to) > 1)
                left = 0;
            in[to] = every ? in[to] & left : in[to] | left;
            if (in[to] != was || !reached[to])
                vec_push(&todo, to);
            reached[to] = true;
        }
    }
    for (uint32_t i = 0; i < g->nblocks; i++)
        if (!reached[i])
            out[i] = 0;
    vec_free(&todo);
    free(reached);
    free(in);
    return out;
}

bool sites_left(struct abi *abi, uint32_t block, unsigned a)
{
    if (!abi->left)
        abi->left = left_at_ends(abi->p, abi->g, false);
    return abi->left[block] >> a & 1;
}

static bool is_format(const struct object *o, uint64_t address)
{
    size_t n;
    const char *s = object_string(o, address, &n);
    return s && memchr(s, '%', n);
}

/* What the block puts into the accumulator last, NULL if nothing. */
static const struct ir_insn *put_in_accumulator(const struct ir_machine *m, const struct ir_block *b)
{
    for (uint32_t i = b->ninsn; i-- > 0;) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT && registers_at(m, in->a, (b->insn[in->b].width + 7u) / 8) & LEFT_ACCUMULATOR)
            return &b->insn[in->b];
    }
    return NULL;
}

/* The call gives a constant number of vector registers, as calls of variadic functions do. */
static bool counts_vectors(const struct ir_insn *accumulator)
{
    return accumulator->op == IR_CONST && ir_imm(accumulator->a, accumulator->b) <= 8;
}

static void look_at_site(const struct program *p, const struct flow_graph *g, const struct flow_call *k,
                         uint32_t left, struct abi_sites *out)
{
    const struct ir_machine *m = program_machine(p);
    const struct ir_block *b = &g->block[k->block];
    unsigned most = m->nargs;
    bool tail = k->kind == CALL_TAIL || k->kind == CALL_TAIL_INDIRECT;
    for (unsigned i = m->nargs; i-- > 0;) {
        if (left >> i & 1)
            most = i;
        else if (argument_surely_set_in(m, b, m->arg[i], m->pointer_width) && i >= out->sure)
            out->sure = i + 1;
    }
    out->most = most < out->most ? most : out->most;
    /* The last register may be skipped for something that takes two, on ARM every other one. */
    unsigned free = m->arch == MACHINE_ARM ? (left & 1 || (left >> 2 & 3) == 3) : most + 1 < m->nargs;
    out->no_words = out->no_words || (free && left & LEFT_LAST_FLOAT);
    if (m->arch == MACHINE_AMD64 && !tail) {
        const struct ir_insn *accumulator = put_in_accumulator(m, b);
        out->fixed = out->fixed || left & LEFT_ACCUMULATOR || (accumulator && !counts_vectors(accumulator));
        out->varies = out->varies || (accumulator && counts_vectors(accumulator));
    }
    for (uint32_t i = 0; i < b->ninsn; i++)
        if (b->insn[i].op == IR_PUT && b->insn[b->insn[i].b].op == IR_CONST &&
            registers_at(m, b->insn[i].a, 1) & ((1u << m->nargs) - 1))
            out->format = out->format || is_format(program_object(p),
                                                   ir_imm(b->insn[b->insn[i].b].a, b->insn[b->insn[i].b].b));
}

static bool is_among(const uint64_t *all, size_t n, uint64_t at)
{
    for (size_t i = 0; i < n; i++)
        if (all[i] == at)
            return true;
    return false;
}

struct abi_sites abi_sites_begin(const struct ir_machine *m)
{
    return (struct abi_sites){.most = m->nargs};
}

void abi_sites_add(struct abi_sites *all, struct program *p, const struct flow_function *caller,
                   const char *name, const uint64_t *target, size_t ntargets)
{
    const struct flow_graph *g = flow_graph(p, caller);
    if (!g->nblocks || g->nblocks > BLOCKS_MAX)
        return;
    uint32_t *left = left_at_ends(p, g, true);
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *k = &g->call[i];
        if (k->target ? is_among(target, ntargets, k->target) : k->name && strcmp(k->name, name) == 0)
            look_at_site(p, g, k, left[k->block], all);
    }
    free(left);
}

void abi_sites_conclude(struct abi_sites *all, const struct ir_machine *m)
{
    /* What a format does not ask for, nobody looks at. */
    all->varies = all->varies && !all->fixed && !all->format;
    all->fixed = all->sure <= all->most && (m->arch == MACHINE_AMD64 ? all->fixed : !all->format);
}
