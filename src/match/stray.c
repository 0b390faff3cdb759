/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that code calls and no table knows, without lifting anything. */
#include "match/private.h"

typedef VEC(uint64_t) addresses;

/* After an instruction that does not go on to the next one, when nothing before jumps over it, is something
 * else. */
static bool ends_here(const struct insn *x, uint64_t next, uint64_t furthest)
{
    return (x->flow == INSN_JUMP || x->flow == INSN_RETURN || x->flow == INSN_INDIRECT ||
            x->flow == INSN_STOP) &&
           furthest < next;
}

/* Where the function calls code that no function covers. */
static void calls_out(struct side *s, uint32_t function, addresses *out)
{
    const struct flow_function *f = &s->function[function];
    struct insn_stream stream = {0};
    code_decode(s, f->address, s->end[function], f->flags & FLOW_THUMB, &stream);
    uint64_t furthest = 0;
    for (size_t i = 0; i < stream.insn.len; i++) {
        const struct insn *x = &stream.insn.data[i];
        uint64_t to = x->target;
        if (x->flow == INSN_CALL && to && side_is_code(s, to) && !object_stub_at(s->o, to) &&
            side_covering(s, to) == MATCH_NONE)
            vec_push(out, s->context.arch == MACHINE_ARM && f->flags & FLOW_THUMB ? to | 1 : to);
        if ((x->flow == INSN_JUMP || x->flow == INSN_BRANCH) && to > furthest && to < s->end[function])
            furthest = to;
        if (!f->size && ends_here(x, stream.address.data[i] + x->length, furthest))
            break;
    }
    insn_stream_free(&stream);
}

void match_find_called(struct program *p)
{
    addresses found = VEC_INIT;
    struct map seen = {0}; /* addresses of functions that were read */
    do {
        struct side s = {0};
        vec_clear(&found);
        match_side_open(&s, p);
        for (uint32_t i = 0; i < s.nfunctions; i++)
            if (s.is_item[i] && map_set(&seen, s.function[i].address, 1))
                calls_out(&s, i, &found);
        match_side_close(&s);
    } while (program_add_called(p, found.data, found.len));
    vec_free(&found);
    map_free(&seen);
}
