/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that no table names: called, jumped to, pointed to, or lying in code that nothing else explains. */
#include <string.h>

#include "flow/private.h"

enum { LOOK_AHEAD = 4, WORDS_MAX = 4 << 20 };

struct discovery {
    struct program *p;
    VEC(uint32_t) work;
    size_t seen; /* functions that were put to work */
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

/* A function found by its code that was measured before another was found inside it ends earlier than thought. */
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
        if (!c->target || (c->kind != CALL_DIRECT && c->kind != CALL_TAIL) || !object_is_exec(p->object, c->target))
            continue;
        bool thumb = false;
        if (p->machine->arch == MACHINE_ARM) {
            const struct bb *x = &b.bb.data[c->block];
            thumb = x->b.end.label == (c->target | 1) || (x->b.end.label != c->target && (x->label & 1));
        }
        note(d, c->target, c->kind == CALL_DIRECT ? FLOW_SOURCE_CALL : FLOW_SOURCE_TAIL, thumb);
    }
    for (size_t i = 0; i < b.doubt.len; i++) {
        uint32_t g = program_index_at(p, label_address(p, b.doubt.data[i].label));
        if (g != NO_INDEX && map_get(&b.by_label, b.doubt.data[i].label, NULL) && !(p->function.data[g].flags & FLOW_PART)) {
            p->function.data[g].flags |= FLOW_PART;
            p->function.data[g].parent = index;
        }
    }
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
    }
}

/* A few blocks that decode, each leading on to known places. */
static bool looks_like_code(struct program *p, ir_label label)
{
    struct arena arena = ARENA_INIT;
    bool good = true, ended = false;
    ir_label at = label;
    for (unsigned i = 0; i < LOOK_AHEAD && good && !ended; i++) {
        size_t available = 0;
        const uint8_t *bytes = object_bytes(p->object, label_address(p, at), &available);
        struct ir_block x;
        if (!bytes || !available) {
            good = false;
            break;
        }
        lift_block(p->lifter, at, bytes, available, 0, &arena, &x);
        good = x.nunknown == 0 && x.end.kind != IR_END_UNKNOWN && x.nmark > 0;
        if (x.end.label != IR_NO_LABEL)
            good = good && object_is_exec(p->object, label_address(p, x.end.label));
        ended = x.end.kind == IR_END_RET || x.end.kind == IR_END_TRAP || (x.end.kind == IR_END_JUMP && x.end.label == IR_NO_LABEL);
        at = x.end.kind == IR_END_JUMP ? x.end.label : x.end.after;
        ended = ended || at == IR_NO_LABEL;
        uint32_t g = ended ? NO_INDEX : program_index_covering(p, label_address(p, at));
        ended = ended || g != NO_INDEX;
    }
    arena_free(&arena);
    return good;
}

static bool is_padding(struct program *p, uint64_t address, bool thumb, unsigned *length)
{
    size_t available = 0;
    const uint8_t *bytes = object_bytes(p->object, address, &available);
    char text[64] = "";
    if (!bytes || !available)
        return false;
    if (bytes[0] == 0 && (p->machine->arch == MACHINE_AMD64 || p->machine->arch == MACHINE_X86)) {
        *length = 1;
        return true;
    }
    *length = lift_disassemble(p->lifter, address | thumb, bytes, available, text, sizeof text);
    if (*length == 0)
        return false;
    return strncmp(text, "nop", 3) == 0 || strncmp(text, "int3", 4) == 0 || strncmp(text, "udf", 3) == 0 ||
           strcmp(text, "xchg ax, ax") == 0 || strncmp(text, "data16", 6) == 0 || strncmp(text, "mov r8, r8", 10) == 0 ||
           strncmp(text, "lea esi, [esi", 13) == 0 || strncmp(text, "andeq r0, r0, r0", 16) == 0;
}

/* Code pointers in data, where they lead to code that no function covers. */
static void from_pointer(struct discovery *d, uint64_t target)
{
    struct program *p = d->p;
    bool thumb = p->machine->arch == MACHINE_ARM && (target & 1);
    uint64_t address = p->machine->arch == MACHINE_ARM ? target & ~UINT64_C(1) : target;
    unsigned length;
    if (!object_is_exec(p->object, address) || object_stub_at(p->object, address))
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
    if (object_code_mode(p->object, address) == 2 || is_padding(p, address, thumb, &length) ||
        !looks_like_code(p, address | thumb))
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
        for (uint64_t at = (s[i].address + step - 1) / step * step; at + step <= s[i].address + s[i].size; at += step) {
            uint64_t word = 0;
            if (++words > WORDS_MAX)
                return;
            if (object_read(d->p->object, at, &word, step))
                from_pointer(d, word);
        }
    }
}

/* Code between functions that nothing led to. Only at its beginning, or behind padding, and only when it decodes; on
 * ARM, where constants lie between functions, only when it begins by saving the return address. */
static void scan_gap(struct discovery *d, uint64_t lo, uint64_t hi)
{
    struct program *p = d->p;
    bool arm = p->machine->arch == MACHINE_ARM, arm64 = p->machine->arch == MACHINE_ARM64;
    uint64_t at = lo;
    while (at < hi) {
        uint32_t around = program_index_covering(p, at);
        if (around != NO_INDEX) {
            const struct flow_function *f = &p->function.data[around];
            at = f->address + (f->size ? f->size : 1);
            continue;
        }
        int mode = object_code_mode(p->object, at);
        bool thumb = arm && mode == 1;
        unsigned length = 0;
        if (mode == 2) {
            at += 2;
            continue;
        }
        if (is_padding(p, at, thumb, &length)) {
            at += length;
            continue;
        }
        if ((arm || arm64) && (at & 1 || (!thumb && at & 3))) {
            at++;
            continue;
        }
        uint8_t head[4] = { 0 };
        object_read(p->object, at, head, 4);
        bool plausible = true;
        if (arm) {
            bool t = thumb || (mode < 0 && ((head[1] & 0xff) == 0xb5 || (head[0] == 0x2d && head[1] == 0xe9)));
            plausible = t ? head[1] == 0xb5 || (head[0] == 0x2d && head[1] == 0xe9 && (head[3] & 0x40))
                          : head[3] == 0xe9 && head[2] == 0x2d && (head[1] & 0x40);
            thumb = t;
        }
        if (plausible && looks_like_code(p, at | thumb)) {
            note(d, at, FLOW_SOURCE_SCAN, thumb);
            drain(d);
            uint32_t i = program_index_at(p, at);
            uint64_t size = p->function.data[i].size;
            at += size ? size : 1;
            continue;
        }
        /* Not understood: on to the next place where a function may begin. */
        at = (at / 16 + 1) * 16;
    }
}

void program_discover(struct program *p)
{
    struct discovery d = { .p = p };
    p->discovering = true;
    drain(&d);
    from_pointers(&d);
    drain(&d);
    const struct object_section *s;
    size_t n = object_sections(p->object, &s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].exec && s[i].alloc && !s[i].nobits && strncmp(s[i].name, ".plt", 4) != 0 && strcmp(s[i].name, ".init") != 0 &&
            strcmp(s[i].name, ".fini") != 0 && strcmp(s[i].name, ".iplt") != 0)
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
}
