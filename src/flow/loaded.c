/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs of programs that are loaded elsewhere than their files say. Whoever explores a program from many
 * states asks for the same ones again and again, so they are kept. */
#include <string.h>

#include "flow/private.h"

struct loaded_graph {
    uint64_t bias;
    struct flow_graph g;
    struct loaded_graph *next;
};

static void move_label(ir_label *label, uint64_t bias)
{
    if (*label != IR_NO_LABEL)
        *label -= bias;
}

/* What the graph says of the block's end (graph.c). */
static void end_alike(const struct program *p, const struct ir_block *from, struct ir_block *to,
                      struct arena *arena)
{
    if (from->end.kind == IR_END_CALL && from->end.label == IR_NO_LABEL && to->end.label != IR_NO_LABEL)
        over_call_register(to, (uint16_t)from->insn[from->end.next].a, p->machine->pointer_width, arena);
    to->end.kind = from->end.kind;
    to->end.after = from->end.after;
}

/* The block as it is when the program is loaded at the bias: places it names stay those of the file, the
 * addresses it computes with do not. */
static void lift_again(struct program *p, uint64_t bias, const struct ir_block *from, struct ir_block *to,
                       struct arena *arena)
{
    size_t available = 0;
    const uint8_t *bytes = object_bytes(p->object, label_address(p, from->label), &available);
    lift_block(p->lifter, from->label + bias, bytes, bytes ? available : 0, from->nmark, arena, to);
    move_label(&to->label, bias);
    move_label(&to->end.label, bias);
    move_label(&to->end.after, bias);
    end_alike(p, from, to, arena);
    for (uint32_t i = 0; i < to->nmark; i++)
        to->mark[i].address -= bias;
    for (uint32_t i = 0; i < to->nunknown; i++)
        to->unknown[i].address -= bias;
    for (uint32_t i = 0; i < to->ninsn; i++) {
        struct ir_insn *in = &to->insn[i];
        if (in->op != IR_EXIT)
            continue;
        ir_label label = ir_imm(in->b, in->c);
        move_label(&label, bias);
        in->b = (uint32_t)label;
        in->c = (uint32_t)(label >> 32);
    }
}

const struct flow_graph *flow_graph_loaded(struct program *p, const struct flow_graph *g, uint64_t bias)
{
    struct owned_graph *o = (struct owned_graph *)(uintptr_t)g; /* which it is the first member of */
    for (const struct loaded_graph *l = o->loaded; l; l = l->next)
        if (l->bias == bias)
            return &l->g;
    struct loaded_graph *l = arena_dup(&o->arena, &(struct loaded_graph){bias, *g, o->loaded}, sizeof *l);
    l->g.block = arena_array(&o->arena, struct ir_block, g->nblocks + 1);
    for (uint32_t i = 0; i < g->nblocks; i++) {
        if (g->block[i].nmark)
            lift_again(p, bias, &g->block[i], &l->g.block[i], &o->arena);
        else
            l->g.block[i] = g->block[i];
    }
    o->loaded = l;
    return &l->g;
}
