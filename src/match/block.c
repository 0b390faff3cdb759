/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which basic block of a function is which of its partner. Blocks with the same code come first: those that
 * are unique, then those that follow or precede paired ones, in the graph and in order. What is left is
 * paired when it stands between the same paired blocks and has something in common. */
#include <string.h>

#include "match/private.h"

#define ALIKE_EDGE 0.3

/* The instructions of a block in normal form. */
struct content {
    uint64_t hash;
    VEC(uint64_t) insn; /* a hash each */
    VEC(struct ref) ref;
};

struct decoded {
    uint32_t function;
    struct insn_stream stream;
    struct map index;
};

struct half {
    struct side *s;
    uint32_t function;
    const struct flow_graph *g;
    struct content *block;
    VEC(struct decoded) decoded; /* the function, and others whose code it shares */
    struct map label;            /* block address to index */
    uint64_t *address;           /* of each block */
    uint32_t *to;                /* partner */
    uint8_t *status;
};

static uint64_t block_address(const struct half *h, uint32_t b)
{
    uint64_t l = h->g->block[b].label;
    return h->s->context.arch == MACHINE_ARM ? l & ~UINT64_C(1) : l;
}

static struct decoded *decode_around(struct half *h, uint64_t address, bool thumb)
{
    uint32_t f = h->function;
    if (address < h->s->function[f].address || address >= h->s->end[f]) {
        const struct flow_function *c = program_function_covering(h->s->p, address);
        f = c ? (uint32_t)(c - h->s->function) : MATCH_NONE;
    }
    for (size_t i = 0; i < h->decoded.len; i++)
        if (h->decoded.data[i].function == f && f != MATCH_NONE)
            return &h->decoded.data[i];
    struct decoded d = {.function = f};
    if (f != MATCH_NONE)
        code_decode(h->s, h->s->function[f].address, h->s->end[f], thumb, &d.stream);
    for (size_t i = 0; i < d.stream.insn.len; i++)
        map_set(&d.index, d.stream.address.data[i], i);
    vec_push(&h->decoded, d);
    return &vec_last(&h->decoded);
}

static void add_insn(struct half *h, struct content *c, const struct insn *x)
{
    if (x->nop)
        return;
    uint64_t hash = hash_bytes(x->bytes, x->kept);
    vec_push(&c->insn, hash);
    c->hash = hash_u64(c->hash * 31 + hash);
    if (x->target && !map_get(&h->label, x->target, NULL))
        vec_push(&c->ref, (struct ref){.value = x->target, .kind = REF_ADDRESS});
    for (unsigned k = 0; k < x->nrefs; k++)
        vec_push(&c->ref, x->ref[k]);
}

static void read_block(struct half *h, uint32_t b)
{
    const struct ir_block *ir = &h->g->block[b];
    bool thumb = h->s->context.arch == MACHINE_ARM && ir->label & 1;
    uint64_t lo = block_address(h, b), hi = lo + ir->bytes;
    struct decoded *d = decode_around(h, lo, thumb);
    struct content *c = &h->block[b];
    uint64_t at = lo, i;
    while (at < hi && map_get(&d->index, at, &i)) {
        add_insn(h, c, &d->stream.insn.data[i]);
        at += d->stream.insn.data[i].length;
    }
    if (at >= hi)
        return;
    /* Not in step with the function's code read from its start: by itself. */
    struct insn_stream own = {0};
    code_decode(h->s, at, hi, thumb, &own);
    for (size_t k = 0; k < own.insn.len; k++)
        add_insn(h, c, &own.insn.data[k]);
    insn_stream_free(&own);
}

static void half_open(struct half *h, struct side *s, uint32_t function)
{
    h->s = s;
    h->function = function;
    h->g = flow_graph(s->p, &s->function[function]);
    h->block = xcalloc(h->g->nblocks + 1, sizeof *h->block);
    h->to = xcalloc(h->g->nblocks + 1, sizeof *h->to);
    h->status = xcalloc(h->g->nblocks + 1, 1);
    h->address = xcalloc(h->g->nblocks + 1, sizeof *h->address);
    for (uint32_t b = 0; b < h->g->nblocks; b++) {
        h->address[b] = block_address(h, b);
        map_set(&h->label, h->address[b], b);
    }
    for (uint32_t b = 0; b < h->g->nblocks; b++) {
        h->to[b] = MATCH_NONE;
        h->status[b] = MATCH_BLOCK_NONE;
        read_block(h, b);
    }
}

static void half_close(struct half *h)
{
    for (uint32_t b = 0; b < h->g->nblocks; b++) {
        vec_free(&h->block[b].insn);
        vec_free(&h->block[b].ref);
    }
    for (size_t i = 0; i < h->decoded.len; i++) {
        insn_stream_free(&h->decoded.data[i].stream);
        map_free(&h->decoded.data[i].index);
    }
    vec_free(&h->decoded);
    map_free(&h->label);
    free(h->block);
}

struct pairing {
    struct match *m;
    struct half h[2];
    VEC(uint32_t) work; /* old blocks whose neighbours have not been looked at */
};

static bool same_code(const struct pairing *p, uint32_t a, uint32_t b)
{
    const struct content *x = &p->h[0].block[a], *y = &p->h[1].block[b];
    return x->hash == y->hash && x->insn.len == y->insn.len && x->ref.len == y->ref.len;
}

static bool link_blocks(struct pairing *p, uint32_t a, uint32_t b)
{
    if (p->h[0].to[a] != MATCH_NONE || p->h[1].to[b] != MATCH_NONE)
        return false;
    p->h[0].to[a] = b;
    p->h[1].to[b] = a;
    vec_push(&p->work, a);
    return true;
}

/* Share of instructions in common, in order (the longest common beginning and end). */
static double block_alike(const struct content *x, const struct content *y)
{
    size_t n = x->insn.len < y->insn.len ? x->insn.len : y->insn.len, head = 0, tail = 0;
    while (head < n && x->insn.data[head] == y->insn.data[head])
        head++;
    while (tail < n - head && x->insn.data[x->insn.len - 1 - tail] == y->insn.data[y->insn.len - 1 - tail])
        tail++;
    size_t all = x->insn.len + y->insn.len;
    return all ? 2.0 * (double)(head + tail) / (double)all : 1;
}

static void unique_blocks(struct pairing *p)
{
    struct map seen[2] = {{0}, {0}};
    for (int k = 0; k < 2; k++)
        for (uint32_t b = 0; b < p->h[k].g->nblocks; b++) {
            uint64_t hash = p->h[k].block[b].hash;
            map_set(&seen[k], hash, map_get(&seen[k], hash, NULL) ? MATCH_NONE : b);
        }
    for (uint32_t a = 0; a < p->h[0].g->nblocks; a++) {
        uint64_t hash = p->h[0].block[a].hash;
        uint64_t b = map_find(&seen[1], hash, MATCH_NONE);
        if (map_find(&seen[0], hash, MATCH_NONE) == a && b != MATCH_NONE && same_code(p, a, (uint32_t)b))
            link_blocks(p, a, (uint32_t)b);
    }
    map_free(&seen[0]);
    map_free(&seen[1]);
}

/* Successors of paired blocks by edges of the same kind; `least` 1: only the same code. */
static void along_edges(struct pairing *p, double least)
{
    const struct flow_graph *g1 = p->h[0].g, *g2 = p->h[1].g;
    while (p->work.len) {
        uint32_t a = vec_pop(&p->work), b = p->h[0].to[a];
        uint32_t n1 = g1->first_edge[a + 1] - g1->first_edge[a],
                 n2 = g2->first_edge[b + 1] - g2->first_edge[b];
        for (uint32_t k = 0; k < n1 && k < n2; k++) {
            const struct flow_edge *e1 = &g1->edge[g1->first_edge[a] + k],
                                   *e2 = &g2->edge[g2->first_edge[b] + k];
            if (e1->kind != e2->kind || (e1->kind == EDGE_SWITCH && (n1 != n2 || e1->value != e2->value)))
                continue;
            if (same_code(p, e1->to, e2->to) ||
                (least < 1 && block_alike(&p->h[0].block[e1->to], &p->h[1].block[e2->to]) >= least))
                link_blocks(p, e1->to, e2->to);
        }
    }
}

static void requeue(struct pairing *p)
{
    vec_clear(&p->work);
    for (uint32_t a = 0; a < p->h[0].g->nblocks; a++)
        if (p->h[0].to[a] != MATCH_NONE)
            vec_push(&p->work, a);
}

static void along_order(struct pairing *p)
{
    uint32_t n1 = p->h[0].g->nblocks, n2 = p->h[1].g->nblocks;
    for (uint32_t a = 1; a < n1; a++) {
        uint32_t b = p->h[0].to[a - 1];
        if (b != MATCH_NONE && b + 1 < n2 && same_code(p, a, b + 1))
            link_blocks(p, a, b + 1);
    }
    for (uint32_t a = n1; a-- > 1;) {
        uint32_t b = p->h[0].to[a];
        if (b != MATCH_NONE && b > 0 && same_code(p, a - 1, b - 1))
            link_blocks(p, a - 1, b - 1);
    }
}

/* One block without a partner on each side between two pairs. */
static void between_pairs(struct pairing *p)
{
    uint32_t n1 = p->h[0].g->nblocks, n2 = p->h[1].g->nblocks;
    for (uint32_t a = 1; a < n1; a++) {
        uint32_t before = p->h[0].to[a - 1], b = before == MATCH_NONE ? n2 : before + 1;
        if (p->h[0].to[a] != MATCH_NONE || b >= n2 || p->h[1].to[b] != MATCH_NONE)
            continue;
        bool end = a + 1 == n1 && b + 1 == n2;
        if ((end || (a + 1 < n1 && b + 1 < n2 && p->h[0].to[a + 1] == b + 1)) &&
            block_alike(&p->h[0].block[a], &p->h[1].block[b]) >= ALIKE_EDGE)
            link_blocks(p, a, b);
    }
}

static bool block_identical(struct pairing *p, uint32_t a, uint32_t b)
{
    if (!same_code(p, a, b))
        return false;
    const struct content *x = &p->h[0].block[a], *y = &p->h[1].block[b];
    for (size_t i = 0; i < x->insn.len; i++)
        if (x->insn.data[i] != y->insn.data[i])
            return false;
    for (size_t k = 0; k < x->ref.len; k++)
        if (ref_same(p->m, &x->ref.data[k], &y->ref.data[k], p->h[0].function, p->h[1].function) != SAME_YES)
            return false;
    return true;
}

const struct match_blocks *match_blocks(struct match *m, uint32_t old_function, uint32_t new_function)
{
    uint64_t key = (uint64_t)old_function << 32 | new_function, known;
    if (map_get(&m->blocks, key, &known))
        return (const struct match_blocks *)(uintptr_t)known;
    struct pairing p = {.m = m};
    bool nested = m->in_blocks;
    m->in_blocks = true;
    half_open(&p.h[0], &m->side[0], old_function);
    half_open(&p.h[1], &m->side[1], new_function);
    uint32_t n1 = p.h[0].g->nblocks, n2 = p.h[1].g->nblocks;
    if (n1 && n2)
        link_blocks(&p, 0, 0);
    unique_blocks(&p);
    along_edges(&p, 1);
    along_order(&p);
    requeue(&p);
    along_edges(&p, ALIKE_EDGE);
    between_pairs(&p);
    requeue(&p);
    along_edges(&p, ALIKE_EDGE);
    for (uint32_t a = 0; a < n1; a++) {
        uint32_t b = p.h[0].to[a];
        if (b != MATCH_NONE)
            p.h[0].status[a] = p.h[1].status[b] =
                block_identical(&p, a, b) ? MATCH_BLOCK_IDENTICAL : MATCH_BLOCK_CHANGED;
    }
    struct match_blocks *out = xcalloc(1, sizeof *out);
    *out = (struct match_blocks){
        n1, n2, p.h[0].to, p.h[1].to, p.h[0].status, p.h[1].status, p.h[0].address, p.h[1].address};
    half_close(&p.h[0]);
    half_close(&p.h[1]);
    vec_free(&p.work);
    map_set(&m->blocks, key, (uint64_t)(uintptr_t)out);
    m->in_blocks = nested;
    return out;
}
