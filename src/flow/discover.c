/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that no table names: called, jumped to, pointed to, or lying in code that nothing else explains.
 */
#include <string.h>

#include "flow/value.h"

enum { LOOK_BLOCKS = 2000, WORDS_MAX = 4 << 20 };

struct discovery {
    struct program *p;
    flow_progress_fn *progress;
    void *ctx;
    VEC(uint32_t) work;
    size_t seen;        /* functions that were put to work */
    struct map claimed; /* blocks that a function reaches outside of all functions' bounds: address to end */
};

static void note(struct discovery *d, uint64_t address, unsigned source, bool thumb)
{
    struct program *p = d->p;
    uint32_t i = program_index_at(p, address);
    if (i == NO_INDEX)
        program_add(p, address, 0, NULL, source, thumb ? FLOW_THUMB : 0);
    else
        p->function.data[i].sources |= source;
}

/* A function found by its code that was measured before another was found inside it ends earlier than
 * thought. */
static void measure_again(struct discovery *d, uint64_t address)
{
    struct program *p = d->p;
    uint32_t around = address ? program_index_covering(p, address - 1) : NO_INDEX;
    if (around == NO_INDEX)
        return;
    struct flow_function *f = &p->function.data[around];
    if ((f->sources & ~(unsigned)FLOW_SOURCE_ALL) || address - f->address >= f->size)
        return;
    f->size = 0;
    p->state.data[around].counted = false;
    vec_push(&d->work, around);
}

/* The end of the code that belongs to a function of unknown size. */
static void measure(struct builder *b)
{
    struct flow_function *f = &b->p->function.data[b->index];
    if (f->size)
        return;
    uint64_t end = f->address;
    for (size_t i = 0; i < b->bb.len; i++) {
        const struct bb *x = &b->bb.data[i];
        uint64_t at = label_address(b->p, x->label), to = at + x->b.bytes;
        if (x->lifted && at >= b->lo && to <= b->hi && to > end)
            end = to;
    }
    f->size = end - f->address;
}

/* Code with unwind information of its own that holds a function's landing pads is a part of that function. */
static void claim_landings(struct program *p, const struct builder *b)
{
    for (size_t i = 0; i < b->bb.len; i++)
        for (size_t k = 0; k < b->bb.data[i].succ.len; k++) {
            const struct succ *s = &b->bb.data[i].succ.data[k];
            uint32_t g =
                s->kind == EDGE_UNWIND ? program_index_covering(p, label_address(p, s->label)) : NO_INDEX;
            struct flow_function *f = g != NO_INDEX ? &p->function.data[g] : NULL;
            if (f && g != b->index && !f->named && f->sources == BOUND_EH_FRAME && !(f->flags & FLOW_PART)) {
                f->flags |= FLOW_PART;
                f->parent = b->index;
            }
        }
}

/* Constants that a function reads lie after it on ARM, and are no code. */
static void claim_constants(struct discovery *d, const struct builder *b)
{
    for (size_t i = 0; i < b->bb.len; i++) {
        const struct ir_block *x = &b->bb.data[i].b;
        for (uint32_t k = 0; b->bb.data[i].lifted && k < x->ninsn; k++) {
            const struct ir_insn *in = &x->insn[k];
            if (in->op != IR_LOAD || x->insn[in->a].op != IR_CONST || x->insn[in->a].width > 64)
                continue;
            uint64_t at = ir_imm(x->insn[in->a].a, x->insn[in->a].b);
            if (program_is_code(d->p, at) && program_index_covering(d->p, at) == NO_INDEX)
                map_set(&d->claimed, at, at + in->width / 8);
        }
    }
}

static void explore(struct discovery *d, uint32_t index)
{
    struct program *p = d->p;
    if (p->function.data[index].flags & (FLOW_PLT | FLOW_EXTERN) || p->state.data[index].counted)
        return;
    if (p->function.data[index].flags & FLOW_PART)
        return;
    struct arena arena = ARENA_INIT;
    struct builder b;
    builder_init(&b, p, index, &arena);
    builder_run(&b);
    fn_count(p, index, &b);
    measure(&b);
    for (size_t i = 0; i < b.call.len; i++) {
        const struct flow_call *c = &b.call.data[i];
        if (!c->target || (c->kind != CALL_DIRECT && c->kind != CALL_TAIL) || !program_is_code(p, c->target))
            continue;
        bool thumb = false;
        if (p->machine->arch == MACHINE_ARM) {
            const struct bb *x = &b.bb.data[c->block];
            thumb = x->b.end.label == (c->target | 1) || (x->b.end.label != c->target && (x->label & 1));
        }
        note(d, c->target, c->kind == CALL_DIRECT ? FLOW_SOURCE_CALL : FLOW_SOURCE_TAIL, thumb);
    }
    for (size_t i = 0; i < b.bb.len; i++) {
        uint64_t at = label_address(p, b.bb.data[i].label);
        if (b.bb.data[i].lifted && (at < b.lo || at >= b.hi) && program_index_covering(p, at) == NO_INDEX)
            map_set(&d->claimed, at, at + b.bb.data[i].b.bytes);
    }
    for (size_t i = 0; i < b.doubt.len; i++) {
        uint32_t g = program_index_at(p, label_address(p, b.doubt.data[i].label));
        if (g != NO_INDEX && map_get(&b.by_label, b.doubt.data[i].label, NULL) &&
            !(p->function.data[g].flags & FLOW_PART)) {
            p->function.data[g].flags |= FLOW_PART;
            p->function.data[g].parent = index;
        }
    }
    claim_landings(p, &b);
    if (p->machine->arch == MACHINE_ARM)
        claim_constants(d, &b);
    builder_free(&b);
    arena_free(&arena);
}

static void drain(struct discovery *d)
{
    for (;;) {
        while (d->seen < d->p->function.len) {
            const struct flow_function *f = &d->p->function.data[d->seen];
            if (!(f->sources & ~(unsigned)FLOW_SOURCE_ALL))
                measure_again(d, f->address);
            vec_push(&d->work, (uint32_t)d->seen++);
        }
        if (!d->work.len)
            return;
        explore(d, vec_pop(&d->work));
        if (d->progress)
            d->progress(d->ctx, d->seen - d->work.len, d->p->function.len);
    }
}

/* The stack is as it was wherever the code returns: data read as code seldom has that. */
static bool returns_balanced(struct builder *b)
{
    const struct ir_machine *m = b->p->machine;
    struct values *v = values_new(b);
    bool good = true;
    for (uint32_t i = 0; i < b->bb.len && good; i++) {
        int64_t offset;
        if (b->bb.data[i].lifted && b->bb.data[i].b.end.kind == IR_END_RET)
            good = value_is_frame(v, value_register(v, i, UINT32_MAX, m->sp, m->pointer_width), &offset) &&
                   offset == (int64_t)m->call_pushes;
    }
    values_free(v);
    return good;
}

/* Code that decodes from here to a return, and leads only to code. */
static bool looks_like_function(struct program *p, uint64_t address, bool thumb)
{
    uint32_t i = program_add(p, address, 0, NULL, FLOW_SOURCE_SCAN, thumb ? FLOW_THUMB : 0);
    struct arena arena = ARENA_INIT;
    struct builder b;
    p->discovering = false;
    builder_init(&b, p, i, &arena);
    b.blocks_left = LOOK_BLOCKS;
    builder_run(&b);
    bool good = b.returns && b.bb.len > 0 && b.bb.data[0].lifted && bb_end_address(&b, &b.bb.data[0]) <= b.hi;
    good = good && (b.bb.len > 1 || b.bb.data[0].b.nmark > 1) && returns_balanced(&b);
    for (size_t j = 0; j < b.problem.len; j++)
        good = good && b.problem.data[j].kind == PROBLEM_LIMIT;
    for (size_t j = 0; j < b.bb.len; j++) {
        const struct ir_block *x = &b.bb.data[j].b;
        for (uint32_t k = 0; k < x->nevent;
             k++) /* port input and output: data, in a program that is not a kernel */
            good =
                good && strncmp(x->event[k].name, "in", 2) != 0 && strncmp(x->event[k].name, "out", 3) != 0;
    }
    for (size_t j = 0; j < b.call.len; j++)
        good = good && (!b.call.data[j].target || program_index_at(p, b.call.data[j].target) != NO_INDEX ||
                        b.call.data[j].kind == CALL_STUB ||
                        (p->machine->arch == MACHINE_ARM && program_is_code(p, b.call.data[j].target)));
    builder_free(&b);
    arena_free(&arena);
    p->discovering = true;
    program_forget_last(p);
    return good;
}

static bool is_padding(struct program *p, uint64_t address, bool thumb, unsigned *length)
{
    size_t available = 0;
    const uint8_t *bytes = object_bytes(p->object, address, &available);
    char text[64] = "";
    if (!bytes || !available)
        return false;
    bool x86 = p->machine->arch == MACHINE_AMD64 || p->machine->arch == MACHINE_X86;
    unsigned zeros = x86 ? 1 : thumb ? 2 : 4;
    if (available >= zeros && memcmp(bytes, "\0\0\0", zeros) == 0) {
        *length = zeros;
        return true;
    }
    *length = lift_disassemble(p->lifter, address | thumb, bytes, available, text, sizeof text);
    if (*length == 0)
        return false;
    return strncmp(text, "nop", 3) == 0 || strncmp(text, "int3", 4) == 0 || strncmp(text, "udf", 3) == 0 ||
           strcmp(text, "xchg ax, ax") == 0 || strncmp(text, "data16", 6) == 0 ||
           strncmp(text, "mov r8, r8", 10) == 0 || strncmp(text, "lea esi, [esi", 13) == 0 ||
           strncmp(text, "andeq r0, r0, r0", 16) == 0;
}

/* Code pointers in data, where they lead to code that no function covers. */
static void from_pointer(struct discovery *d, uint64_t target)
{
    struct program *p = d->p;
    bool thumb = p->machine->arch == MACHINE_ARM && (target & 1);
    uint64_t address = p->machine->arch == MACHINE_ARM ? target & ~UINT64_C(1) : target;
    unsigned length;
    if (!program_is_code(p, address) || object_stub_at(p->object, address))
        return;
    uint32_t around = program_index_covering(p, address);
    if (around != NO_INDEX) {
        if (p->function.data[around].address == address)
            p->function.data[around].sources |= FLOW_SOURCE_POINTER;
        return;
    }
    if (p->machine->arch == MACHINE_ARM64 && (address & 3))
        return;
    if (p->machine->arch == MACHINE_ARM && !thumb && (address & 3))
        return;
    if (map_get(&d->claimed, address, NULL) || object_code_mode(p->object, address) == 2 ||
        is_padding(p, address, thumb, &length) || !looks_like_function(p, address, thumb))
        return;
    note(d, address, FLOW_SOURCE_POINTER, thumb);
    drain(d);
}

static void from_pointers(struct discovery *d)
{
    const struct object_pointer *ptr;
    size_t n = object_pointers(d->p->object, &ptr);
    for (size_t i = 0; i < n; i++) {
        if (!ptr[i].name)
            from_pointer(d, ptr[i].target);
    }
    if (object_info(d->p->object)->type != OBJECT_EXECUTABLE)
        return;
    /* A file linked to run at a fixed address needs no relocations: words that are addresses of code. */
    const struct object_section *s;
    size_t words = 0, ns = object_sections(d->p->object, &s);
    unsigned step = d->p->machine->pointer_width / 8;
    for (size_t i = 0; i < ns; i++) {
        if (!s[i].alloc || s[i].exec || s[i].nobits || s[i].tls)
            continue;
        for (uint64_t at = (s[i].address + step - 1) / step * step; at + step <= s[i].address + s[i].size;
             at += step) {
            uint64_t word = 0;
            if (++words > WORDS_MAX)
                return;
            if (object_read(d->p->object, at, &word, step))
                from_pointer(d, word);
        }
    }
}

/* The beginning of a function that saves the return address: push {..., lr}. */
static bool saves_return(const uint8_t *head, uint64_t at, bool thumb)
{
    if (thumb)
        return head[1] == 0xb5 || (head[0] == 0x2d && head[1] == 0xe9 && (head[3] & 0x40));
    return !(at & 3) && head[3] == 0xe9 && head[2] == 0x2d && (head[1] & 0x40);
}

/* Code between functions that nothing led to. Only at its beginning, or after padding, and only when it
 * decodes; on ARM, where constants lie between functions, also where it begins by saving the return address.
 */
static void scan_gap(struct discovery *d, uint64_t lo, uint64_t hi)
{
    struct program *p = d->p;
    bool arm = p->machine->arch == MACHINE_ARM, arm64 = p->machine->arch == MACHINE_ARM64;
    uint64_t at = lo;
    bool fresh = true; /* after a function or after padding that is code */
    bool thumb = arm && object_looks_thumb(p->object, lo); /* as what came last */
    while (at < hi) {
        uint32_t around = program_index_covering(p, at);
        if (around != NO_INDEX) {
            const struct flow_function *f = &p->function.data[around];
            at = f->address + (f->size ? f->size : 1);
            fresh = true;
            thumb = f->flags & FLOW_THUMB;
            continue;
        }
        uint64_t end = map_find(&d->claimed, at, 0);
        if (end > at) {
            at = end;
            continue;
        }
        int mode = object_code_mode(p->object, at);
        unsigned length = 0;
        if (mode == 2) {
            at += 2;
            continue;
        }
        if (mode >= 0)
            thumb = mode == 1;
        if (is_padding(p, at, thumb, &length)) {
            uint8_t first = 0;
            object_read(p->object, at, &first, 1);
            fresh = fresh || first != 0;
            at += length;
            continue;
        }
        bool halves = thumb || (arm && mode < 0); /* Thumb begins at any of them */
        if ((arm || arm64) && (at & 1 || (!halves && at & 3))) {
            at++;
            continue;
        }
        bool begins = fresh;
        if (arm) {
            uint8_t head[4] = {0};
            object_read(p->object, at, head, 4);
            for (int t = 0; mode < 0 && t < 2; t++)
                thumb = saves_return(head, at, t) ? t : thumb;
            begins = begins || saves_return(head, at, thumb);
        }
        if (begins && (thumb || !arm || !(at & 3)) && looks_like_function(p, at, thumb)) {
            note(d, at, FLOW_SOURCE_SCAN, thumb);
            drain(d);
            uint64_t size = p->function.data[program_index_at(p, at)].size;
            at += size ? size : 1;
            fresh = arm; /* elsewhere data that decodes by chance goes on after it */
            continue;
        }
        /* Not understood: on to the next place where a function may begin. */
        at = arm ? at + 2 : (at / 16 + 1) * 16;
        fresh = false;
    }
}

void program_discover(struct program *p, flow_progress_fn *progress, void *ctx)
{
    struct discovery d = {.p = p, .progress = progress, .ctx = ctx};
    p->discovering = true;
    drain(&d);
    from_pointers(&d);
    drain(&d);
    const struct object_section *s;
    size_t n = object_sections(p->object, &s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].exec && s[i].alloc && !s[i].nobits && strncmp(s[i].name, ".plt", 4) != 0 &&
            strcmp(s[i].name, ".init") != 0 && strcmp(s[i].name, ".fini") != 0 &&
            strcmp(s[i].name, ".iplt") != 0)
            scan_gap(&d, s[i].address, s[i].address + s[i].size);
    }
    drain(&d);
    /* Parts that something else calls or points to are functions after all. */
    for (size_t i = 0; i < p->function.len; i++) {
        struct flow_function *f = &p->function.data[i];
        if (!f->named && f->flags & FLOW_PART && f->sources & (FLOW_SOURCE_CALL | FLOW_SOURCE_POINTER)) {
            f->flags &= ~(unsigned)FLOW_PART;
            f->parent = NO_INDEX;
        }
    }
    p->discovering = false;
    vec_free(&d.work);
    map_free(&d.claimed);
}
