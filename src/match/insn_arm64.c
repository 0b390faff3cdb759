/* SPDX-License-Identifier: GPL-3.0-or-later */
/* AArch64. An address is made in two steps: ADRP gives the page, a later ADD or the offset of a load or store
 * the place in it. Which page a register holds is followed through the function, over its branches; the low
 * part is then taken out of the instruction and the whole address put into the list of references. Encodings:
 * Arm ARM, C4.1. */
#include <string.h>

#include "match/private.h"

enum page_state { PAGE_NONE, PAGE_KNOWN, PAGE_MIXED };

struct registers {
    uint8_t state[32];
    uint64_t page[32];
};

static uint32_t word_at(const uint8_t *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

static uint64_t sign_extend(uint64_t x, unsigned bits)
{
    return (x ^ UINT64_C(1) << (bits - 1)) - (UINT64_C(1) << (bits - 1));
}

/* Branches: where to, and the instruction without it. */
static bool branch(uint32_t w, uint64_t address, uint32_t *kept, uint64_t *target, uint8_t *flow)
{
    if ((w & 0x7c000000) == 0x14000000) { /* b, bl */
        *target = address + sign_extend((uint64_t)(w & 0x3ffffff) << 2, 28);
        *kept = w & 0xfc000000;
        *flow = w >> 31 ? INSN_CALL : INSN_JUMP;
        return true;
    }
    if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000) { /* b.cond, cbz, cbnz */
        *target = address + sign_extend((uint64_t)(w >> 5 & 0x7ffff) << 2, 21);
        *kept = w & ~(UINT32_C(0x7ffff) << 5);
        *flow = INSN_BRANCH;
        return true;
    }
    if ((w & 0x7e000000) == 0x36000000) { /* tbz, tbnz */
        *target = address + sign_extend((uint64_t)(w >> 5 & 0x3fff) << 2, 16);
        *kept = w & ~(UINT32_C(0x3fff) << 5);
        *flow = INSN_BRANCH;
        return true;
    }
    return false;
}

static bool is_adrp(uint32_t w)
{
    return (w & 0x9f000000) == 0x90000000;
}

static uint64_t adr_immediate(uint32_t w)
{
    return sign_extend((uint64_t)(w >> 5 & 0x7ffff) << 2 | (w >> 29 & 3), 21);
}

static bool is_add_immediate(uint32_t w)
{
    return (w & 0xffc00000) == 0x91000000;
}

/* Load or store with an unsigned, scaled offset; *scale is the access size as a power of two. */
static bool is_offset_access(uint32_t w, unsigned *scale)
{
    if ((w & 0x3b000000) != 0x39000000)
        return false;
    *scale = w >> 30;
    if (w >> 26 & 1 && w >> 23 & 1 && *scale == 0)
        *scale = 4; /* a 128-bit register */
    return true;
}

/* General registers an instruction reads and writes, as bit sets; more rather than fewer are said to be read.
 */
static void uses(uint32_t w, uint32_t *reads, uint32_t *writes)
{
    uint32_t rd = UINT32_C(1) << (w & 31), rn = UINT32_C(1) << (w >> 5 & 31),
             rm = UINT32_C(1) << (w >> 16 & 31), ra = UINT32_C(1) << (w >> 10 & 31);
    uint32_t zero = UINT32_C(1) << 31; /* the stack pointer or zero: not followed */
    *reads = *writes = 0;
    switch (w >> 25 & 15) {
    case 8:
    case 9: /* data processing, immediate */
        *writes = rd;
        if ((w & 0x1f000000) == 0x10000000)
            break; /* adr, adrp */
        if ((w & 0x1f800000) == 0x12800000)
            *reads = (w >> 29 & 3) == 3 ? rd : 0; /* movn, movz; movk keeps the rest */
        else
            *reads = rn | ((w & 0x1f800000) == 0x13800000 ? rm : 0) |
                     ((w & 0x1f800000) == 0x13000000 && (w >> 29 & 3) == 1 ? rd : 0);
        break;
    case 10:
    case 11: /* branches, system */
        if ((w & 0x7e000000) == 0x34000000 || (w & 0x7e000000) == 0x36000000)
            *reads = rd;
        else if ((w & 0xfe000000) == 0xd6000000)
            *reads = rn;
        else if ((w & 0xfff00000) == 0xd5300000)
            *writes = rd; /* mrs */
        else if ((w & 0xffc00000) == 0xd5000000)
            *reads = rd; /* msr, sys */
        break;
    case 4:
    case 6:
    case 12:
    case 14: { /* loads and stores */
        bool vector = w >> 26 & 1, load = w >> 22 & 1;
        if ((w & 0x3b000000) == 0x18000000) { /* literal */
            *writes = vector ? 0 : rd;
            break;
        }
        *reads = rn;
        bool pair = (w & 0x3a000000) == 0x28000000;
        bool exclusive = (w & 0x3f000000) == 0x08000000;
        if (!pair && !exclusive)
            load = (w >> 22 & 3) != 0;
        if (exclusive) { /* exclusive, ordered, compare and swap: everything */
            *reads |= rd | rm | ra;
            *writes = rd | rm | ra;
        } else if (!vector) {
            uint32_t data = rd | (pair ? ra : 0);
            if (load)
                *writes = data;
            else
                *reads |= data;
        }
        if (!pair && !exclusive && (w & 0x3b200c00) == 0x38200800)
            *reads |= rm;                                            /* register offset */
        if (!pair && !exclusive && (w & 0x3b200c00) == 0x38200000) { /* atomics */
            *reads |= rm | rd;
            *writes |= rd;
        }
        if ((pair && w >> 23 & 1) || (!pair && !exclusive && (w & 0x3b200400) == 0x38000400) ||
            (vector && (w & 0xbf800000) == 0x0c800000))
            *writes |= rn; /* written back */
        if (vector && (w & 0xbe800000) == 0x0c800000 && (w >> 16 & 31) != 31)
            *reads |= rm;
        break;
    }
    case 5:
    case 13: /* data processing, register */
        *reads = rn | rm | ((w & 0x1f000000) == 0x1b000000 ? ra : 0);
        *writes = (w & 0x1fe00000) == 0x1a400000 ? 0 : rd; /* a conditional compare writes flags only */
        if ((w & 0x5fe00000) == 0x5ac00000)
            *reads = rn; /* one source */
        break;
    default: /* vectors: the instructions that move from and to general registers */
        if ((w & 0x5f20fc00) == 0x1e200000 || (w & 0x5f200000) == 0x1e000000) {
            *reads = rn;
            *writes = rd;
        } else if ((w & 0xbfe08400) == 0x0e000400) {
            *reads = rn;
            if ((w & 0x9fe0d400) == 0x0e001400)
                *writes = rd;
        }
        break;
    }
    *reads &= ~zero;
    *writes &= ~zero;
}

/* The low part in an instruction, given the page its base register holds. */
static bool completes(uint32_t w, const struct registers *r, uint64_t *address, uint32_t *kept)
{
    unsigned rn = w >> 5 & 31, scale;
    if (rn == 31 || r->state[rn] != PAGE_KNOWN)
        return false;
    if (is_add_immediate(w)) {
        *address = r->page[rn] + (w >> 10 & 0xfff);
    } else if (is_offset_access(w, &scale)) {
        /* The register stored must not be the page itself. */
        bool store = !(w >> 26 & 1) && (w >> 22 & 3) == 0;
        if (store && (w & 31) != 31 && r->state[w & 31] != PAGE_NONE)
            return false;
        *address = r->page[rn] + ((uint64_t)(w >> 10 & 0xfff) << scale);
    } else {
        return false;
    }
    *kept = w & ~(UINT32_C(0xfff) << 10);
    return true;
}

/* A call keeps x19 to x29 only. */
#define CALL_CLOBBERS (UINT32_C(0x4007ffff))

static void step(uint32_t w, uint64_t address, uint8_t flow, struct registers *r)
{
    uint32_t reads, writes;
    uses(w, &reads, &writes);
    if (flow == INSN_CALL)
        writes |= CALL_CLOBBERS;
    for (unsigned i = 0; writes; i++, writes >>= 1)
        if (writes & 1)
            r->state[i] = PAGE_NONE;
    if (is_adrp(w) && (w & 31) != 31) {
        r->state[w & 31] = PAGE_KNOWN;
        r->page[w & 31] = (address & ~UINT64_C(0xfff)) + (adr_immediate(w) << 12);
    }
}

static bool join(struct registers *into, bool *seen, const struct registers *from)
{
    if (!*seen) {
        *into = *from;
        *seen = true;
        return true;
    }
    bool moved = false;
    for (unsigned i = 0; i < 31; i++) {
        uint8_t s = into->state[i];
        if (s == from->state[i] && (s != PAGE_KNOWN || into->page[i] == from->page[i]))
            continue;
        if (s != PAGE_MIXED) {
            into->state[i] = PAGE_MIXED;
            moved = true;
        }
    }
    return moved;
}

/* After a call that does not return other code begins, with other pages in its registers. A callee's code is
 * read only where a branch leads to just after the call. */
static bool comes_back(const struct insn_context *c, uint64_t callee, bool branch_behind)
{
    struct flow_prototype proto;
    const struct object_stub *stub = object_stub_at(c->object, callee);
    if (stub && stub->name)
        return !flow_library_prototype(c->program, stub->name, &proto) || !proto.noreturn;
    return !branch_behind || !flow_noreturn(c->program, callee);
}

struct node {
    uint32_t first, count;
    bool seen, queued;
    struct registers in;
};

struct graph {
    VEC(struct node) node;
    uint32_t *node_of; /* by instruction */
    VEC(uint32_t) work, orphan;
};

static void enter(struct graph *g, uint32_t node, const struct registers *r)
{
    struct node *x = &g->node.data[node];
    if (join(&x->in, &x->seen, r) && !x->queued) {
        x->queued = true;
        vec_push(&g->work, node);
    }
}

static void emit(uint32_t w, uint64_t address, const struct registers *r, struct insn *x)
{
    uint32_t kept = w, reads, writes;
    uint64_t to;
    uses(w, &reads, &writes);
    if ((w & 0x1f000000) == 0x10000000) { /* adr, adrp */
        kept = w & 0x9f00001f;
        if (!is_adrp(w))
            x->ref[x->nrefs++] = (struct ref){.value = address + adr_immediate(w), .kind = REF_ADDRESS};
    } else if ((w & 0x3b000000) == 0x18000000) { /* a literal */
        kept = w & ~(UINT32_C(0x7ffff) << 5);
        to = address + sign_extend((uint64_t)(w >> 5 & 0x7ffff) << 2, 21);
        x->ref[x->nrefs++] = (struct ref){.value = to, .kind = REF_ADDRESS};
    } else if (completes(w, r, &to, &kept)) {
        x->ref[x->nrefs++] = (struct ref){.value = to, .kind = REF_ADDRESS};
    } else {
        for (unsigned i = 0; i < 31 && x->nrefs < INSN_REFS; i++)
            if (reads >> i & 1 && r->state[i] != PAGE_NONE)
                x->ref[x->nrefs++] = (struct ref){.value = r->state[i] == PAGE_KNOWN ? r->page[i] : 0,
                                                  .kind = r->state[i] == PAGE_KNOWN ? REF_PAGE : REF_OPAQUE};
    }
    memcpy(x->bytes, &kept, 4);
}

void insn_arm64(const struct insn_context *c, const uint8_t *p, uint64_t lo, uint64_t hi,
                struct insn_stream *out)
{
    size_t n = (size_t)(hi - lo) / 4;
    if (!n)
        return;
    uint8_t *leader = xcalloc(n + 1, 1);
    leader[0] = 1;
    for (size_t i = 0; i < n; i++) {
        uint32_t w = word_at(p + i * 4), kept = w;
        uint64_t at = lo + i * 4;
        struct insn x = {.length = 4, .kept = 4, .nop = w == 0xd503201f};
        if (branch(w, at, &kept, &x.target, &x.flow)) {
            memcpy(x.bytes, &kept, 4);
            if (x.target >= lo && x.target < hi && x.flow != INSN_CALL)
                leader[(x.target - lo) / 4] = 1;
        } else {
            x.flow = (w & 0xfffffc1f) == 0xd65f0000 || (w & 0xfffffbff) == 0xd65f0bff ? INSN_RETURN
                     : (w & 0xfe3ffc1f) == 0xd61f0000 && (w >> 21 & 3) == 0           ? INSN_INDIRECT
                     : (w & 0xfffffc1f) == 0xd63f0000                                 ? INSN_CALL
                     : (w & 0xffe0001f) == 0xd4200000 || w >> 16 == 0                 ? INSN_STOP
                                                                                      : INSN_NEXT;
        }
        if (x.flow != INSN_NEXT && x.flow != INSN_CALL)
            leader[i + 1] = 1;
        /* The kind of an instruction: its opcode fields, which differ from group to group. */
        x.weak = (w >> 25 & 15) == 8 || (w >> 25 & 15) == 9 ? w >> 23 : w >> 21;
        vec_push(&out->insn, x);
        vec_push(&out->address, at);
    }
    bool *falls = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        const struct insn *x = &out->insn.data[i];
        falls[i] = x->flow == INSN_NEXT || x->flow == INSN_BRANCH ||
                   (x->flow == INSN_CALL && (!x->target || comes_back(c, x->target, leader[i + 1])));
        if (!falls[i])
            leader[i + 1] = 1;
    }
    struct graph g = {.node_of = xcalloc(n + 1, sizeof(uint32_t))};
    bool *reached = xcalloc(n + 1, 1);
    for (size_t i = 0; i < n; i++) {
        if (leader[i])
            vec_push(&g.node, (struct node){.first = (uint32_t)i});
        vec_last(&g.node).count++;
        g.node_of[i] = (uint32_t)g.node.len - 1;
    }
    for (size_t i = 0; i < n; i++) {
        const struct insn *x = &out->insn.data[i];
        if (falls[i] && i + 1 < n)
            reached[i + 1] = true;
        if (x->target >= lo && x->target < hi && x->flow != INSN_CALL)
            reached[(x->target - lo) / 4] = true;
    }
    /* Blocks that only computed jumps reach. */
    for (uint32_t k = 1; k < g.node.len; k++)
        if (!reached[g.node.data[k].first])
            vec_push(&g.orphan, k);
    struct registers none = {0};
    enter(&g, 0, &none);
    for (size_t done = 0, budget = 64 * g.node.len + 64;; done++) {
        if (!g.work.len) {
            /* Code after an unconditional jump that no jump in the function computes: its own start. */
            uint32_t k = 0;
            while (k < g.node.len && g.node.data[k].seen)
                k++;
            if (k == g.node.len)
                break;
            enter(&g, k, &none);
        }
        uint32_t k = vec_pop(&g.work);
        struct node *x = &g.node.data[k];
        struct registers r = x->in;
        x->queued = false;
        uint32_t last = x->first + x->count - 1;
        for (uint32_t i = x->first; i <= last; i++)
            step(word_at(p + (size_t)i * 4), lo + (uint64_t)i * 4, out->insn.data[i].flow, &r);
        const struct insn *e = &out->insn.data[last];
        if (done > budget)
            continue; /* cannot be: a register's state changes twice at most */
        if (falls[last] && last + 1 < n)
            enter(&g, g.node_of[last + 1], &r);
        if (e->target >= lo && e->target < hi && e->flow != INSN_CALL)
            enter(&g, g.node_of[(e->target - lo) / 4], &r);
        if (e->flow == INSN_INDIRECT)
            for (size_t i = 0; i < g.orphan.len; i++)
                enter(&g, g.orphan.data[i], &r);
    }
    for (size_t k = 0; k < g.node.len; k++) {
        struct registers r = g.node.data[k].in;
        for (uint32_t i = g.node.data[k].first; i < g.node.data[k].first + g.node.data[k].count; i++) {
            uint32_t w = word_at(p + (size_t)i * 4);
            struct insn *x = &out->insn.data[i];
            if (!x->target)
                emit(w, lo + (uint64_t)i * 4, &r, x);
            step(w, lo + (uint64_t)i * 4, x->flow, &r);
        }
    }
    free(leader);
    free(reached);
    free(falls);
    free(g.node_of);
    vec_free(&g.node);
    vec_free(&g.work);
    vec_free(&g.orphan);
}
