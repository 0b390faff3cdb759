/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's code in normal form. */
#include "match/private.h"

#include <string.h>

#include "base/sha256.h"

void insn_stream_free(struct insn_stream *s)
{
    vec_free(&s->insn);
    vec_free(&s->address);
}

void code_decode(const struct side *s, uint64_t lo, uint64_t hi, bool thumb, struct insn_stream *out)
{
    size_t available = 0;
    const uint8_t *p = object_bytes(s->o, lo, &available);
    if (!p || hi <= lo)
        return;
    if (available < hi - lo)
        hi = lo + available;
    switch (s->context.arch) {
    case MACHINE_ARM64:
        insn_arm64(&s->context, p, lo, hi, out);
        return;
    case MACHINE_ARM:
        insn_arm(&s->context, p, lo, hi, thumb, out);
        return;
    default:
        break;
    }
    for (uint64_t at = lo; at < hi;) {
        struct insn x;
        insn_x86(&s->context, p + (at - lo), (size_t)(hi - at), at, &x);
        if (!x.length) { /* a byte that is no instruction is what it is */
            x.length = x.kept = 1;
            x.bytes[0] = p[at - lo];
            x.flow = INSN_STOP;
        }
        vec_push(&out->insn, x);
        vec_push(&out->address, at);
        at += x.length;
    }
}

static uint64_t mix(uint64_t h, uint64_t x)
{
    return hash_u64(h * UINT64_C(0x9e3779b97f4a7c15) ^ x);
}

static uint64_t get64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
}

/* Blocks begin at the entry, at targets of branches and behind what ends one. Calls do not end a block here. */
static uint8_t *find_leaders(const struct insn_stream *s, uint64_t lo, uint64_t hi, struct map *index)
{
    size_t n = s->insn.len;
    uint8_t *leader = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++)
        map_set(index, s->address.data[i], i);
    leader[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const struct insn *x = &s->insn.data[i];
        if (x->flow == INSN_NEXT || x->flow == INSN_CALL)
            continue;
        leader[i + 1] = 1;
        uint64_t k;
        if (x->target >= lo && x->target < hi && map_get(index, x->target, &k))
            leader[k] = 1;
    }
    return leader;
}

void code_make(struct side *s, struct arena *arena, uint32_t function)
{
    const struct flow_function *f = &s->function[function];
    uint64_t lo = f->address, hi = s->end[function];
    struct code *c = &s->code[function];
    struct insn_stream stream = {0};
    code_decode(s, lo, hi, f->flags & FLOW_THUMB, &stream);
    size_t n = stream.insn.len;
    struct map index = {0};
    uint8_t *leader = find_leaders(&stream, lo, hi, &index);
    struct buf form = BUF_INIT;
    VEC(struct ref) refs = VEC_INIT;
    VEC(struct code_block) blocks = VEC_INIT;
    for (size_t i = 0; i < n; i++) {
        struct insn *x = &stream.insn.data[i];
        if (leader[i])
            vec_push(&blocks, (struct code_block){.first_insn = (uint32_t)i, .first_ref = (uint32_t)refs.len});
        struct code_block *b = &vec_last(&blocks);
        bool inside = x->target >= lo && x->target < hi;
        uint64_t where = 0;
        if (x->target && inside)
            where = x->target - lo + 1;
        buf_put(&form, &x->kept, 1);
        buf_put(&form, x->bytes, x->kept);
        buf_put(&form, &where, 4);
        uint64_t h = hash_bytes(x->bytes, x->kept);
        if (x->target && !inside)
            vec_push(&refs, (struct ref){x->target, (uint32_t)i, REF_ADDRESS});
        for (unsigned k = 0; k < x->nrefs; k++) {
            struct ref r = x->ref[k];
            r.insn = (uint32_t)i;
            buf_put(&form, &r.kind, 1);
            vec_push(&refs, r);
        }
        b->strong = mix(b->strong, h);
        b->weak = mix(b->weak, x->weak);
        b->ninsns++;
        b->nrefs = (uint32_t)refs.len - b->first_ref;
        c->weak = mix(c->weak, x->weak);
        c->ncalls += x->flow == INSN_CALL;
    }
    c->ninsns = (uint32_t)n;
    c->nblocks = (uint32_t)blocks.len;
    c->nrefs = (uint32_t)refs.len;
    c->block = arena_dup(arena, blocks.data, blocks.len * sizeof *blocks.data);
    c->ref = arena_dup(arena, refs.data, refs.len * sizeof *refs.data);
    sha256(buf_text(&form), form.len, c->hash);
    c->key = get64(c->hash);
    free(leader);
    map_free(&index);
    buf_free(&form);
    vec_free(&refs);
    vec_free(&blocks);
    insn_stream_free(&stream);
}

void code_deepen(struct side *s, struct code *c)
{
    c->deep = c->key;
    for (uint32_t i = 0; i < c->nrefs; i++) {
        uint64_t a, token = 1;
        if (ref_address(s, &c->ref[i], &a)) {
            const struct object_stub *stub = object_stub_at(s->o, a);
            size_t len = 0;
            const char *text = object_string(s->o, a, &len);
            if (stub && stub->name)
                token = hash_bytes(stub->name, strlen(stub->name));
            else if (text && len)
                token = hash_bytes(text, len);
        }
        c->deep = mix(c->deep, token);
    }
}

bool code_equal(const struct code *a, const struct code *b)
{
    return a->nrefs == b->nrefs && a->ninsns == b->ninsns && memcmp(a->hash, b->hash, sizeof a->hash) == 0;
}
