/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow/bitcode.h"

struct flow_graph *flow_bitcode(const struct bitcode_code *c, struct arena *arena)
{
    struct flow_call *call = arena_array(arena, struct flow_call, c->ncalls);
    struct flow_jump *jump = arena_array(arena, struct flow_jump, c->njumps);
    for (uint32_t i = 0; i < c->ncalls; i++) {
        const struct bitcode_call *k = &c->call[i];
        call[i] = (struct flow_call){.block = k->block,
                                     .site = k->site,
                                     .target = k->target,
                                     .name = k->name,
                                     .kind = !k->target    ? CALL_INDIRECT
                                             : k->external ? CALL_STUB
                                                           : CALL_DIRECT,
                                     .noreturn = k->noreturn};
    }
    for (uint32_t i = 0; i < c->njumps; i++)
        jump[i] = (struct flow_jump){c->jump[i].block, c->jump[i].to};
    return flow_graph_of_blocks(&(struct flow_blocks){.block = c->block,
                                                      .nblocks = c->nblocks,
                                                      .jump = jump,
                                                      .njumps = c->njumps,
                                                      .call = call,
                                                      .ncalls = c->ncalls},
                                arena);
}
