/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A function's code in normal form. */
#include "base/search.h"
#include "match/private.h"

#include <string.h>

#include "base/sha256.h"

void insn_stream_free(struct insn_stream *s)
{
    vec_free(&s->insn);
    vec_free(&s->address);
}

/* Displacements from registers that the function puts the GOT's address into are certain. In a function that
 * never asks for that address they are plain numbers; but a part split off from a function gets it in ebx. */
static void know_got(struct insn_stream *s)
{
    enum { EBX = 3 };
    unsigned registers = 0;
    for (size_t i = 0; i < s->insn.len; i++)
        registers |= s->insn.data[i].got_register ? 1u << s->insn.data[i].got_register : 0;
    for (size_t i = 0; i < s->insn.len; i++) {
        struct insn *x = &s->insn.data[i];
        for (unsigned k = 0; k < x->nrefs; k++) {
            if (x->ref[k].kind != REF_GOT_MAYBE)
                continue;
            if (x->base && registers >> x->base & 1) {
                x->ref[k].kind = REF_GOT;
            } else if (!registers && x->base != EBX + 1) {
                uint32_t disp = (uint32_t)x->ref[k].value;
                memcpy(x->bytes + x->disp, &disp, sizeof disp);
                x->ref[k--] = x->ref[--x->nrefs];
            }
        }
    }
}

void code_decode(const struct side *s, uint64_t lo, uint64_t hi, bool thumb, struct insn_stream *out)
{
    size_t available = 0;
    const uint8_t *p = object_bytes(s->o, lo, &available);
    if (!p || hi <= lo)
        return;
    if (available < hi - lo)
        hi = lo + available;
    if ((s->context.arch == MACHINE_ARM64 && lo & 3) ||
        (s->context.arch == MACHINE_ARM && lo & (thumb ? 1 : 3))) {
        /* Tables take it for code, the processor does not. */
        for (uint64_t at = lo; at < hi; at++) {
            struct insn x = {.length = 1, .kept = 1, .bytes = {p[at - lo]}, .broken = true};
            vec_push(&out->insn, x);
            vec_push(&out->address, at);
        }
        return;
    }
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
            x.broken = true;
        }
        vec_push(&out->insn, x);
        vec_push(&out->address, at);
        at += x.length;
    }
    if (s->context.arch == MACHINE_X86)
        know_got(out);
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

/* Index of the instruction in the normal form for each instruction, and addresses to indices of instructions.
 */
static uint32_t *number(const struct insn_stream *s, struct map *index)
{
    uint32_t *place = xcalloc(s->insn.len + 1, sizeof *place), n = 0;
    for (size_t i = 0; i < s->insn.len; i++) {
        map_set(index, s->address.data[i], i);
        place[i] = n;
        n += !s->insn.data[i].nop;
    }
    place[s->insn.len] = n;
    return place;
}

/* Blocks begin at the entry, at targets of branches and after what ends one. Calls do not end a block here.
 */
static uint8_t *find_leaders(const struct insn_stream *s, const struct map *index, const uint32_t *place)
{
    size_t n = s->insn.len;
    uint8_t *leader = xcalloc(n + 2, 1); /* by place */
    leader[0] = 1;
    for (size_t i = 0; i < n; i++) {
        const struct insn *x = &s->insn.data[i];
        if (x->flow == INSN_NEXT || x->flow == INSN_CALL)
            continue;
        leader[place[i + 1]] = 1;
        uint64_t k;
        if (x->target && map_get(index, x->target, &k))
            leader[place[k]] = 1;
    }
    return leader;
}

static int by_number(const void *x, const void *y)
{
    const uint32_t *a = x, *b = y;
    return *a < *b ? -1 : *a > *b;
}

/* Where code that goes on behind its end does so: padding leads to the function behind it. */
static uint64_t behind(struct side *s, uint64_t hi, bool thumb)
{
    enum { PADDING = 64 };
    size_t k = partition_point(s->nfunctions, i, s->function[i].address < hi);
    if (k == s->nfunctions || s->function[k].address == hi || s->function[k].address - hi >= PADDING)
        return hi;
    struct insn_stream between = {0};
    code_decode(s, hi, s->function[k].address, thumb, &between);
    bool only = true;
    for (size_t i = 0; i < between.insn.len; i++)
        only = only && between.insn.data[i].nop;
    insn_stream_free(&between);
    return only ? s->function[k].address : hi;
}

/* Whether code has no end of its own, and goes on with what is behind it: what that is counts, too. A call
 * through memory may well be that of a function that does not return. */
static bool runs_on(const struct side *s, const struct insn_stream *code, uint64_t hi)
{
    size_t n = code->insn.len;
    while (n && code->insn.data[n - 1].nop)
        n--;
    const struct insn *last = n ? &code->insn.data[n - 1] : NULL;
    if (!code->insn.len || !side_is_code(s, hi))
        return false;
    if (!last)
        return true;
    if (!last->length || last->broken)
        return false;
    bool call = last->flow == INSN_CALL;
    return last->flow == INSN_NEXT || last->flow == INSN_BRANCH ||
           (call && (last->target ? !flow_noreturn(s->p, last->target) : !last->nrefs));
}

void code_read(struct side *s, struct arena *arena, uint64_t lo, uint64_t hi, bool thumb, struct code *c)
{
    struct insn_stream stream = {0};
    code_decode(s, lo, hi, thumb, &stream);
    struct map index = {0};
    uint32_t *place = number(&stream, &index);
    uint8_t *leader = find_leaders(&stream, &index, place);
    struct buf form = BUF_INIT;
    VEC(struct ref) refs = VEC_INIT;
    VEC(struct code_block) blocks = VEC_INIT;
    c->bag = arena_alloc(arena, (place[stream.insn.len] + 1) * sizeof *c->bag);
    for (size_t i = 0; i < stream.insn.len; i++) {
        struct insn *x = &stream.insn.data[i];
        if (x->nop)
            continue;
        if (leader[place[i]])
            vec_push(&blocks, (struct code_block){.first_insn = place[i], .first_ref = (uint32_t)refs.len});
        struct code_block *b = &vec_last(&blocks);
        bool inside = x->target >= lo && x->target < hi;
        uint32_t where = 0;
        uint64_t k;
        if (inside && map_get(&index, x->target, &k))
            where = place[k] + 1;
        else if (inside) /* into the middle of an instruction */
            where = UINT32_MAX - (uint32_t)(x->target - lo);
        buf_put(&form, &x->kept, 1);
        buf_put(&form, x->bytes, x->kept);
        buf_put(&form, &where, sizeof where);
        if (x->target && !inside)
            vec_push(&refs, (struct ref){x->target, place[i], REF_ADDRESS});
        for (unsigned r = 0; r < x->nrefs; r++) {
            struct ref ref = x->ref[r];
            ref.insn = place[i];
            buf_put(&form, &ref.kind, 1);
            vec_push(&refs, ref);
        }
        uint64_t h = hash_bytes(x->bytes, x->kept);
        c->bag[place[i]] = (uint32_t)h;
        b->strong = mix(b->strong, h);
        b->weak = mix(b->weak, x->weak);
        b->ninsns++;
        b->nrefs = (uint32_t)refs.len - b->first_ref;
        c->weak = mix(c->weak, x->weak);
        c->ncalls += x->flow == INSN_CALL;
        c->broken |= x->broken;
    }
    c->ninsns = place[stream.insn.len];
    if (runs_on(s, &stream, hi)) {
        vec_push(&refs, (struct ref){behind(s, hi, thumb), c->ninsns ? c->ninsns - 1 : 0, REF_ADDRESS});
        if (blocks.len)
            vec_last(&blocks).nrefs++;
    }
    qsort(c->bag, c->ninsns, sizeof *c->bag, by_number);
    c->nblocks = (uint32_t)blocks.len;
    c->nrefs = (uint32_t)refs.len;
    c->block = arena_dup(arena, blocks.data, blocks.len * sizeof *blocks.data);
    c->ref = arena_dup(arena, refs.data, refs.len * sizeof *refs.data);
    sha256(buf_text(&form), form.len, c->hash);
    c->key = get64(c->hash);
    free(leader);
    free(place);
    map_free(&index);
    buf_free(&form);
    vec_free(&refs);
    vec_free(&blocks);
    insn_stream_free(&stream);
}

void code_make(struct side *s, struct arena *arena, uint32_t function)
{
    const struct flow_function *f = &s->function[function];
    code_read(s, arena, f->address, s->end[function], f->flags & FLOW_THUMB, &s->code[function]);
}

uint32_t code_place(struct side *s, uint32_t function, uint64_t address)
{
    struct code_places *p = &s->places;
    if (p->function != function) {
        const struct flow_function *f = &s->function[function];
        struct insn_stream stream = {0};
        struct map index = {0};
        code_decode(s, f->address, s->end[function], f->flags & FLOW_THUMB, &stream);
        uint32_t *place = number(&stream, &index);
        map_clear(&p->place);
        for (size_t i = 0; i < stream.insn.len; i++)
            map_set(&p->place, stream.address.data[i], place[i]);
        p->function = function;
        free(place);
        map_free(&index);
        insn_stream_free(&stream);
    }
    return (uint32_t)map_find(&p->place, address, MATCH_NONE);
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
