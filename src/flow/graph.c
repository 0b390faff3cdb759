/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recovering a control-flow graph: from the entry along every jump, block by block. Direct control flow
 * first, to the end; then, with what the blocks so far say about values, the jumps that need to be understood
 * (computed ones, and those to code that may or may not be a part of the function); and again until nothing
 * new comes up. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "flow/table.h"
#include "flow/value.h"

enum {
    BLOCKS_MAX = 200000,
    ROUNDS_MAX = 200,
    INSN_LONGEST = 15,
};

void builder_problem(struct builder *b, enum flow_problem_kind kind, uint64_t address, const char *fmt, ...)
{
    for (size_t i = 0; i < b->problem.len; i++) {
        if (b->problem.data[i].kind == kind && b->problem.data[i].address == address)
            return;
    }
    struct flow_problem x = {.kind = (uint8_t)kind, .address = address};
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(x.text, sizeof x.text, fmt, ap);
    va_end(ap);
    vec_push(&b->problem, x);
}

void builder_init(struct builder *b, struct program *p, uint32_t index, struct arena *arena)
{
    *b = (struct builder){.p = p, .index = index, .arena = arena, .blocks_left = BLOCKS_MAX};
    const struct flow_function *f = &p->function.data[index];
    b->entry = b->lo = f->address;
    if (f->size) {
        b->hi = f->address + f->size;
    } else {
        uint64_t lo, hi;
        if (!program_code_range(p, f->address, &lo, &hi))
            hi = f->address;
        uint64_t next = program_next_start(p, f->address);
        b->hi = next < hi ? next : hi;
    }
    if (b->hi < b->lo)
        b->hi = UINT64_MAX;
}

/* Blocks or edges changed: what was derived from them is void. */
static void changed(struct builder *b)
{
    b->version++;
    values_free(b->values);
    b->values = NULL;
}

void builder_free(struct builder *b)
{
    values_free(b->values);
    for (size_t i = 0; i < b->bb.len; i++)
        vec_free(&b->bb.data[i].succ);
    vec_free(&b->bb);
    map_free(&b->by_label);
    map_free(&b->insn_at);
    vec_free(&b->work);
    vec_free(&b->call);
    vec_free(&b->table);
    vec_free(&b->problem);
    vec_free(&b->doubt);
}

uint64_t bb_end_address(const struct builder *b, const struct bb *x)
{
    return label_address(b->p, x->label) + x->b.bytes;
}

bool builder_owns(const struct builder *b, uint64_t address)
{
    if (address >= b->lo && address < b->hi)
        return true;
    if (map_get(&b->insn_at, address, NULL))
        return true;
    uint32_t f = program_index_at(b->p, address);
    if (f != NO_INDEX)
        return (b->p->function.data[f].flags & FLOW_PART) != 0;
    return program_is_code(b->p, address);
}

/* ---- blocks ---- */

static void forget_insns(struct builder *b, const struct bb *x, uint32_t index)
{
    for (uint32_t i = 0; i < x->b.nmark; i++) {
        if (map_find(&b->insn_at, x->b.mark[i].address, NO_INDEX) == index)
            map_remove(&b->insn_at, x->b.mark[i].address);
    }
}

static void lift_at(struct builder *b, uint32_t index, unsigned max_insns)
{
    struct bb *x = &b->bb.data[index];
    uint64_t address = label_address(b->p, x->label);
    size_t available = 0;
    const uint8_t *bytes = object_bytes(b->p->object, address, &available);
    if (!bytes)
        available = 0;
    lift_block(b->p->lifter, x->label, bytes, available, max_insns, b->arena, &x->b);
    x->lifted = true;
}

static void remember_insns(struct builder *b, uint32_t index)
{
    const struct bb *x = &b->bb.data[index];
    for (uint32_t i = 0; i < x->b.nmark; i++)
        map_set(&b->insn_at, x->b.mark[i].address, index);
}

/* Forgets what was derived from a block, before it is lifted again shorter. */
static void unlink_block(struct builder *b, uint32_t index)
{
    struct bb *x = &b->bb.data[index];
    forget_insns(b, x, index);
    vec_clear(&x->succ);
    x->pending = PENDING_NONE;
    x->asked_at = 0;
    size_t n = 0;
    for (size_t i = 0; i < b->call.len; i++) {
        if (b->call.data[i].block != index)
            b->call.data[n++] = b->call.data[i];
    }
    b->call.len = n;
    n = 0;
    for (size_t i = 0; i < b->doubt.len; i++) {
        if (b->doubt.data[i].bb != index)
            b->doubt.data[n++] = b->doubt.data[i];
    }
    b->doubt.len = n;
    n = 0;
    for (size_t i = 0; i < b->table.len; i++) {
        if (b->table.data[i].block != index)
            b->table.data[n++] = b->table.data[i];
    }
    b->table.len = n;
}

static void finish_block(struct builder *b, uint32_t index);

static uint32_t new_bb(struct builder *b, ir_label label)
{
    uint32_t i = (uint32_t)b->bb.len;
    vec_push(&b->bb, (struct bb){.label = label});
    map_set(&b->by_label, label, i);
    return i;
}

bool builder_leader(struct builder *b, ir_label label)
{
    uint64_t address = label_address(b->p, label);
    if (map_get(&b->by_label, label, NULL))
        return true;
    size_t available = 0;
    if (!program_is_code(b->p, address) || !object_bytes(b->p->object, address, &available) || !available)
        return false;
    if (b->blocks_left == 0) {
        builder_problem(b, PROBLEM_LIMIT, b->entry, "more than %d blocks", BLOCKS_MAX);
        return true;
    }
    b->blocks_left--;
    changed(b);
    uint64_t inside = map_find(&b->insn_at, address, NO_INDEX);
    uint32_t fresh = new_bb(b, label);
    vec_push(&b->work, fresh);
    if (inside != NO_INDEX && label_is_thumb(b->p, b->bb.data[inside].label) == label_is_thumb(b->p, label)) {
        const struct bb *x = &b->bb.data[inside];
        unsigned k = 0;
        while (k < x->b.nmark && x->b.mark[k].address != address)
            k++;
        if (k > 0 && k < x->b.nmark) {
            unlink_block(b, (uint32_t)inside);
            lift_at(b, (uint32_t)inside, k);
            remember_insns(b, (uint32_t)inside);
            finish_block(b, (uint32_t)inside);
        }
        return true;
    }
    for (unsigned d = 1; d < INSN_LONGEST && d <= address; d++) {
        uint64_t other = map_find(&b->insn_at, address - d, NO_INDEX);
        if (other == NO_INDEX)
            continue;
        const struct ir_block *o = &b->bb.data[other].b;
        for (uint32_t i = 0; i < o->nmark; i++) {
            if (o->mark[i].address == address - d && o->mark[i].length > d)
                builder_problem(b, PROBLEM_OVERLAP, address, "jump into the instruction at 0x%" PRIx64,
                                object_display_address(b->p->object, address - d));
        }
        break;
    }
    return true;
}

/* ---- where a block leads ---- */

enum route { ROUTE_OWN, ROUTE_TAIL, ROUTE_DOUBT, ROUTE_NOWHERE };

static enum route route(const struct builder *b, ir_label label)
{
    const struct program *p = b->p;
    uint64_t address = label_address(p, label);
    if (address == b->entry)
        return ROUTE_OWN;
    uint32_t at = program_index_at(p, address);
    if (at != NO_INDEX && (p->function.data[at].flags & (FLOW_PLT | FLOW_EXTERN)))
        return ROUTE_TAIL;
    if (!program_is_code(p, address))
        return ROUTE_NOWHERE;
    uint16_t reg;
    if ((address >= b->lo && address < b->hi) || over_kind(b->p, label, &reg) >= OVER_CODE)
        return ROUTE_OWN;
    if (at != NO_INDEX) {
        const struct flow_function *f = &p->function.data[at];
        if (f->flags & FLOW_PART)
            return ROUTE_OWN;
        return f->named || !(f->sources & BOUND_EH_FRAME) ? ROUTE_TAIL : ROUTE_DOUBT;
    }
    /* Into the middle of another function: code that both share. */
    if (program_index_covering(p, address) != NO_INDEX)
        return ROUTE_OWN;
    return ROUTE_DOUBT;
}

static const char *function_name(const struct program *p, uint64_t address)
{
    uint32_t i = program_index_at(p, address);
    if (i != NO_INDEX && (p->function.data[i].named || p->function.data[i].flags & (FLOW_PLT | FLOW_EXTERN)))
        return p->function.data[i].name;
    return NULL;
}

/* What the library says of a name; 0: it does not know it. */
static unsigned attrs_of(const struct program *p, const char *name)
{
    const struct flow_library_entry *e = name ? flow_library_find(p->library, name) : NULL;
    return e ? e->attrs : 0;
}

/* error(status, ...) ends the program when status is not 0, which compilers know and rely on. */
static bool error_call_ends(struct builder *b, uint32_t index, const char *name)
{
    if (!name || (strcmp(name, "error") != 0 && strcmp(name, "error_at_line") != 0) ||
        b->p->machine->nargs == 0)
        return false;
    const struct ir_block *x = &b->bb.data[index].b;
    uint16_t reg = b->p->machine->arg[0];
    for (uint32_t i = x->ninsn; i-- > 0;) {
        if (x->insn[i].op != IR_PUT || x->insn[i].a != reg)
            continue;
        const struct ir_insn *v = &x->insn[x->insn[i].b];
        return v->op == IR_CONST && v->a != 0;
    }
    return false;
}

/* What a call leads to is another file's: a name says what it is. A function of this file is what its code
 * does. */
static bool is_elsewhere(const struct program *p, uint64_t target, enum flow_call_kind kind)
{
    const struct object_stub *stub = target ? object_stub_at(p->object, target) : NULL;
    if (stub)
        return !stub->target || stub->ifunc;
    uint32_t f = target ? program_index_at(p, target) : NO_INDEX;
    return f == NO_INDEX ? kind == CALL_STUB : (p->function.data[f].flags & (FLOW_PLT | FLOW_EXTERN)) != 0;
}

/* Returns the call's place in b->call. */
static size_t add_call(struct builder *b, uint32_t index, uint64_t site, enum flow_call_kind kind,
                       uint64_t target, const char *name, bool conditional)
{
    struct program *p = b->p;
    /* A block that is cut while its exits are followed is gone through twice. */
    for (size_t i = b->call.len; i-- > 0 && b->call.data[i].block == index;) {
        if (b->call.data[i].site == site && b->call.data[i].target == target)
            return i;
    }
    struct flow_call c = {.block = index,
                          .site = site,
                          .target = target,
                          .name = name,
                          .kind = (uint8_t)kind,
                          .conditional = conditional};
    uint32_t f = target ? program_index_at(p, target) : NO_INDEX;
    /* An extern that only a computed call leads to is not listed among the functions. */
    const struct object_stub *stub = target && f == NO_INDEX ? object_stub_at(p->object, target) : NULL;
    if (stub && stub->kind == STUB_EXTERN) {
        c.name = stub->name;
        if (kind == CALL_DIRECT)
            c.kind = kind = CALL_STUB;
    }
    if (f == NO_INDEX && p->discovering && kind == CALL_DIRECT && program_is_code(p, target)) {
        ir_label to = b->bb.data[index].b.end.label;
        f = program_add(p, target, 0, NULL, FLOW_SOURCE_CALL, label_is_thumb(p, to) ? FLOW_THUMB : 0);
    }
    if (f != NO_INDEX && (p->function.data[f].flags & (FLOW_PLT | FLOW_EXTERN)) && kind == CALL_DIRECT)
        c.kind = CALL_STUB;
    if (!c.name && target)
        c.name = function_name(p, target);
    if (f != NO_INDEX)
        c.noreturn = fn_never_returns(p, f);
    if (!c.noreturn && is_elsewhere(p, target, kind))
        c.noreturn = attrs_of(p, c.name) & LIBRARY_NORETURN || error_call_ends(b, index, c.name);
    if ((kind == CALL_TAIL || kind == CALL_TAIL_INDIRECT) && !c.noreturn)
        b->returns = true;
    vec_push(&b->call, c);
    return b->call.len - 1;
}

static void add_succ(struct builder *b, uint32_t index, ir_label label, enum flow_edge_kind kind,
                     uint32_t insn)
{
    struct bb *x = &b->bb.data[index];
    for (size_t i = 0; i < x->succ.len; i++) {
        if (x->succ.data[i].label == label && x->succ.data[i].kind == kind && x->succ.data[i].insn == insn)
            return;
    }
    vec_push(&x->succ, (struct succ){.label = label, .kind = (uint8_t)kind, .insn = insn});
    changed(b);
}

/* Of the guest instruction that an instruction of the IR belongs to; UINT32_MAX: of the last. */
static uint64_t insn_address(const struct builder *b, const struct bb *x, uint32_t insn)
{
    uint64_t at = label_address(b->p, x->label);
    for (uint32_t i = 0; i < x->b.nmark && (insn == UINT32_MAX || x->b.mark[i].first <= insn); i++)
        at = x->b.mark[i].address;
    return at;
}

static void follow(struct builder *b, uint32_t index, ir_label label, enum flow_edge_kind kind, uint32_t insn)
{
    uint64_t site = insn_address(b, &b->bb.data[index], insn);
    bool conditional = insn != UINT32_MAX;
    switch (route(b, label)) {
    case ROUTE_OWN:
        add_succ(b, index, label, kind, insn);
        if (!builder_leader(b, label))
            builder_problem(b, PROBLEM_OUT_OF_BOUNDS, site, "leads to 0x%" PRIx64 ", which has no bytes",
                            object_display_address(b->p->object, label));
        break;
    case ROUTE_TAIL:
        add_call(b, index, site, CALL_TAIL, label_address(b->p, label), NULL, conditional);
        break;
    case ROUTE_DOUBT:
        vec_push(&b->doubt, (struct doubtful){.bb = index, .insn = insn, .label = label});
        break;
    case ROUTE_NOWHERE:
        builder_problem(b, PROBLEM_OUT_OF_BOUNDS, site, "leads to 0x%" PRIx64 ", which is not code",
                        object_display_address(b->p->object, label));
        b->returns = true;
        break;
    }
}

/* The address of a slot that the value is loaded from, when that is a constant. */
static bool loaded_from(const struct ir_block *x, ir_val v, uint64_t *slot)
{
    if (v == IR_NONE || x->insn[v].op != IR_LOAD)
        return false;
    const struct ir_insn *a = &x->insn[x->insn[v].a];
    if (a->op != IR_CONST || a->width > 64)
        return false;
    *slot = ir_imm(a->a, a->b);
    return true;
}

/* Puts the call or jump through a slot of the GOT down, when it is one: its place in *call.
 */
static bool slot_call(struct builder *b, uint32_t index, uint64_t site, bool tail, size_t *call)
{
    const struct ir_block *x = &b->bb.data[index].b;
    uint64_t slot;
    if (!loaded_from(x, x->end.next, &slot))
        return false;
    const struct object_stub *s = object_stub_at(b->p->object, slot);
    if (!s)
        return false;
    uint64_t target = s->target && !s->ifunc ? s->target : s->name ? slot : 0;
    *call = add_call(b, index, site, tail ? CALL_TAIL_INDIRECT : CALL_STUB, target, s->name, false);
    return true;
}

/* Where a call goes on when something is thrown through it. */
static void add_landing(struct builder *b, uint32_t index)
{
    uint64_t pad;
    if (!object_landing_pad(b->p->object, bb_end_address(b, &b->bb.data[index]) - 1, &pad, NULL))
        return;
    pad |= label_is_thumb(b->p, b->bb.data[index].label);
    add_succ(b, index, pad, EDGE_UNWIND, UINT32_MAX);
    builder_leader(b, pad);
}

/* Whether a return is one needs to be asked, and what its destination is. */
static void doubt_return(struct bb *x)
{
    x->b.end.kind = IR_END_JUMP;
    x->pending = PENDING_COMPUTED;
}

/* A call that nobody returns from: the block goes on at what it calls. */
static void finish_call_over(struct builder *b, uint32_t index)
{
    struct ir_end *end = &b->bb.data[index].b.end;
    ir_label to = end->label;
    end->kind = IR_END_JUMP;
    end->after = IR_NO_LABEL;
    for (size_t i = 0; i < b->bb.len && !b->over; i++)
        if (b->bb.data[i].lifted && b->bb.data[i].b.end.kind == IR_END_RET)
            doubt_return(&b->bb.data[i]);
    b->over = true;
    follow(b, index, to, EDGE_JUMP, UINT32_MAX);
}

static void finish_call(struct builder *b, uint32_t index)
{
    struct bb *x = &b->bb.data[index];
    struct ir_end *end = &x->b.end;
    uint64_t site = insn_address(b, x, UINT32_MAX);
    ir_label after = end->after;
    uint32_t there = after == IR_NO_LABEL ? NO_INDEX : program_index_at(b->p, label_address(b->p, after));
    bool other = there != NO_INDEX && label_address(b->p, after) == b->hi;
    if (end->label != IR_NO_LABEL && end->label == after && b->p->machine->call_pushes && !other) {
        /* call next; pop reg: a way to read the program counter, and no call. (That of the function after
         * this one is.) */
        end->kind = IR_END_JUMP;
        end->after = IR_NO_LABEL;
        follow(b, index, after, EDGE_JUMP, UINT32_MAX);
        return;
    }
    uint16_t reg;
    switch (over_kind(b->p, end->label, &reg)) {
    case OVER_CALL:
        finish_call_over(b, index);
        return;
    case OVER_REGISTER:
        over_call_register(&x->b, reg, b->p->machine->pointer_width, b->arena);
        break;
    case OVER_NONE:
    case OVER_CODE:
        break;
    }
    size_t call;
    if (end->label != IR_NO_LABEL)
        call = add_call(b, index, site, CALL_DIRECT, label_address(b->p, end->label), NULL, false);
    else if (!slot_call(b, index, site, false, &call))
        call = add_call(b, index, site, CALL_INDIRECT, 0, NULL, false);
    add_landing(b, index);
    struct flow_call *c = &b->call.data[call];
    if (after == IR_NO_LABEL)
        c->noreturn = true;
    if (attrs_of(b->p, c->name) & LIBRARY_SWITCH) {
        builder_problem(b, PROBLEM_INDIRECT_JUMP, site, "a function of the compiler's jumps by a table");
        c->noreturn = true;
        b->returns = true; /* as it may, from there */
    }
    if (c->noreturn)
        return;
    uint64_t back = label_address(b->p, after);
    uint32_t g = program_index_at(b->p, back);
    bool own = (back >= b->lo && back < b->hi) || builder_owns(b, back);
    if (back == b->hi || (g != NO_INDEX && back != b->entry && !(back > b->lo && back < b->hi)) || !own) {
        /* A call is the last thing here, and what follows is somebody else's: it can only be one that never
         * returns. */
        builder_problem(b, PROBLEM_OUT_OF_BOUNDS, site, "a call ends the function; assumed not to return");
        c->noreturn = true;
        return;
    }
    add_succ(b, index, after, EDGE_RETURN, UINT32_MAX);
    builder_leader(b, after);
}

/* exit and exit_group, by architecture. */
static bool is_exit_syscall(const struct builder *b, const struct ir_block *x)
{
    const struct ir_machine *m = b->p->machine;
    ir_val nr = ir_value_at_end(x, m->syscall_nr, m->pointer_width);
    if (nr == IR_NONE || x->insn[nr].op != IR_CONST)
        return false;
    const uint64_t n = ir_imm(x->insn[nr].a, x->insn[nr].b);
    switch (m->arch) {
    case MACHINE_AMD64:
        return n == 60 || n == 231;
    case MACHINE_X86:
        return n == 1 || n == 252;
    case MACHINE_ARM:
        return n == 1 || n == 248;
    case MACHINE_ARM64:
        return n == 93 || n == 94;
    default:
        return false;
    }
}

static void finish_exits(struct builder *b, uint32_t index)
{
    /* `b->bb` may move while labels are followed: look at it afresh each time. */
    for (uint32_t i = 0; i < b->bb.data[index].b.ninsn; i++) {
        struct ir_insn in = b->bb.data[index].b.insn[i];
        if (in.op != IR_EXIT)
            continue;
        ir_label label = ir_imm(in.b, in.c);
        switch (in.exit) {
        case IR_EXIT_JUMP:
            follow(b, index, label, EDGE_TAKEN, i);
            break;
        case IR_EXIT_CALL:
            add_call(b, index, insn_address(b, &b->bb.data[index], i),
                     label == IR_NO_LABEL ? CALL_INDIRECT : CALL_DIRECT,
                     label == IR_NO_LABEL ? 0 : label_address(b->p, label), NULL, true);
            break;
        case IR_EXIT_RET:
            b->returns = true;
            break;
        default:
            break;
        }
    }
}

static void finish_block(struct builder *b, uint32_t index)
{
    finish_exits(b, index);
    struct bb *x = &b->bb.data[index];
    const struct ir_end *end = &x->b.end;
    uint64_t site = insn_address(b, x, UINT32_MAX);
    size_t call;
    for (uint32_t i = 0; i < x->b.nunknown; i++)
        builder_problem(b, PROBLEM_UNDECODED, x->b.unknown[i].address, "%s",
                        x->b.unknown[i].text ? x->b.unknown[i].text : "not decoded");
    switch (end->kind) {
    case IR_END_JUMP:
        if (end->label != IR_NO_LABEL) {
            bool falls = label_address(b->p, end->label) == bb_end_address(b, x);
            follow(b, index, end->label, falls ? EDGE_FALL : EDGE_JUMP, UINT32_MAX);
        } else if (!slot_call(b, index, site, true, &call)) {
            x->pending = PENDING_COMPUTED;
        }
        break;
    case IR_END_CALL:
        finish_call(b, index);
        break;
    case IR_END_RET:
        if (b->over || over_is_jump(b->p->machine, &x->b))
            doubt_return(x);
        else
            b->returns = true;
        break;
    case IR_END_SYSCALL:
        if (is_exit_syscall(b, &x->b))
            x->b.end.after = IR_NO_LABEL; /* nobody goes on there */
        if (end->after != IR_NO_LABEL)
            follow(b, index, end->after, EDGE_RETURN, UINT32_MAX);
        break;
    case IR_END_TRAP:
        break;
    default:
        builder_problem(b, PROBLEM_UNDECODED, bb_end_address(b, x), "cannot be decoded");
        b->returns = true;
        break;
    }
}

static void process(struct builder *b, uint32_t index)
{
    if (b->bb.data[index].lifted)
        return;
    lift_at(b, index, 0);
    struct bb *x = &b->bb.data[index];
    uint64_t thumb = label_is_thumb(b->p, x->label);
    for (uint32_t k = 1; k < x->b.nmark; k++) {
        uint64_t at = x->b.mark[k].address;
        bool begins = map_get(&b->by_label, at | thumb, NULL);
        uint64_t other = begins ? NO_INDEX : map_find(&b->insn_at, at, NO_INDEX);
        if (!begins && other == NO_INDEX)
            continue;
        lift_at(b, index, k);
        x = &b->bb.data[index];
        if (!begins) {
            remember_insns(b, index);
            builder_leader(b, at | thumb);
        }
        break;
    }
    remember_insns(b, index);
    finish_block(b, index);
}

/* ---- jumps that need values ---- */

static struct values *builder_values(struct builder *b)
{
    if (!b->values)
        b->values = values_new(b);
    return b->values;
}

/* Does code from `label` on jump into the middle of this function? A few blocks are looked at. */
static bool jumps_back(struct builder *b, ir_label label)
{
    enum { LOOK_BLOCKS = 24 };
    ir_label seen[LOOK_BLOCKS];
    unsigned n = 0, done = 0;
    struct arena arena = ARENA_INIT;
    bool back = false;
    uint32_t g = program_index_at(b->p, label_address(b->p, label));
    uint64_t lo = label_address(b->p, label);
    uint64_t hi = g != NO_INDEX ? lo + b->p->function.data[g].size : lo + 4096;
    seen[n++] = label;
    while (done < n && !back) {
        ir_label at = seen[done++];
        size_t available = 0;
        const uint8_t *bytes = object_bytes(b->p->object, label_address(b->p, at), &available);
        struct ir_block x;
        if (!bytes)
            continue;
        lift_block(b->p->lifter, at, bytes, available, 0, &arena, &x);
        ir_label next[3] = {IR_NO_LABEL, IR_NO_LABEL, IR_NO_LABEL};
        if (x.end.kind == IR_END_JUMP)
            next[0] = x.end.label;
        else if (x.end.kind == IR_END_CALL || x.end.kind == IR_END_SYSCALL)
            next[1] = x.end.after;
        for (uint32_t i = 0; i <= x.ninsn; i++) {
            if (i < x.ninsn && (x.insn[i].op != IR_EXIT || x.insn[i].exit != IR_EXIT_JUMP))
                continue;
            if (i < x.ninsn)
                next[2] = ir_imm(x.insn[i].b, x.insn[i].c);
            for (unsigned j = 0; j < 3; j++) {
                ir_label l = next[j];
                if (l == IR_NO_LABEL)
                    continue;
                uint64_t a = label_address(b->p, l);
                if (a > b->lo && a < b->hi)
                    back = true;
                bool known = a < lo || a >= hi;
                for (unsigned k = 0; k < n; k++)
                    known = known || seen[k] == l;
                if (!known && n < LOOK_BLOCKS)
                    seen[n++] = l;
                next[j] = IR_NO_LABEL;
            }
        }
    }
    arena_free(&arena);
    return back;
}

/* A jump to code that may be a part of this function: it is one when the stack is not as it was on entry (a
 * tail call would leave it so) or when it comes back into the middle. */
static void decide_doubtful(struct builder *b)
{
    for (size_t i = 0; i < b->doubt.len; i++) {
        struct doubtful d = b->doubt.data[i];
        if (d.decided)
            continue;
        b->doubt.data[i].decided = true;
        struct values *v = builder_values(b);
        int64_t offset = 0;
        sym sp = value_register(v, d.bb, d.insn, b->p->machine->sp, b->p->machine->pointer_width);
        bool known = value_is_frame(v, sp, &offset);
        bool known_function = program_index_at(b->p, label_address(b->p, d.label)) != NO_INDEX;
        uint64_t site = insn_address(b, &b->bb.data[d.bb], d.insn);
        bool falls =
            d.insn == UINT32_MAX && label_address(b->p, d.label) == bb_end_address(b, &b->bb.data[d.bb]);
        bool own =
            (falls && !known_function) || (known ? offset != 0 : !known_function) || jumps_back(b, d.label);
        if (own) {
            add_succ(b, d.bb, d.label,
                     d.insn != UINT32_MAX ? EDGE_TAKEN
                     : falls              ? EDGE_FALL
                                          : EDGE_JUMP,
                     d.insn);
            if (!builder_leader(b, d.label))
                builder_problem(b, PROBLEM_OUT_OF_BOUNDS, site, "leads to 0x%" PRIx64 ", which has no bytes",
                                object_display_address(b->p->object, d.label));
        } else {
            add_call(b, d.bb, site, CALL_TAIL, label_address(b->p, d.label), NULL, d.insn != UINT32_MAX);
        }
    }
}

static void apply_table(struct builder *b, uint32_t index, const struct jump_answer *answer)
{
    struct bb *x = &b->bb.data[index];
    size_t n = 0;
    for (size_t i = 0; i < b->table.len; i++) {
        if (b->table.data[i].block != index)
            b->table.data[n++] = b->table.data[i];
    }
    b->table.len = n;
    vec_push(&b->table, (struct flow_jump_table){.block = index,
                                                 .table = answer->table,
                                                 .entries = (uint32_t)answer->dest.len,
                                                 .entry_size = answer->entry_size});
    x->pending = PENDING_TABLE;
    for (size_t j = 0; j < answer->dest.len; j++) {
        ir_label to = answer->dest.data[j].label;
        bool there = false;
        for (size_t k = 0; k < x->succ.len && !there; k++)
            there = x->succ.data[k].label == to && x->succ.data[k].kind == EDGE_SWITCH;
        if (!there) {
            vec_push(&x->succ, (struct succ){to, EDGE_SWITCH, UINT32_MAX, answer->dest.data[j].value});
            changed(b);
        }
    }
    for (size_t j = 0; j < answer->dest.len; j++)
        builder_leader(b, answer->dest.data[j].label);
}

static void apply_answer(struct builder *b, uint32_t index, const struct jump_answer *answer)
{
    struct bb *x = &b->bb.data[index];
    switch (answer->kind) {
    case JUMP_UNKNOWN:
        x->pending = PENDING_COMPUTED;
        break;
    case JUMP_RETURN:
        b->returns = true;
        x->b.end.kind = IR_END_RET;
        x->pending = PENDING_NONE;
        break;
    case JUMP_TAIL:
        x->pending = PENDING_NONE;
        add_call(b, index, insn_address(b, x, UINT32_MAX), CALL_TAIL_INDIRECT, answer->target, answer->name,
                 false);
        break;
    case JUMP_TABLE:
        apply_table(b, index, answer);
        break;
    }
}

/* Asks about every computed jump with the code known so far; those asked before too, since code found later
 * may bring more values to the index. */
static void resolve_computed(struct builder *b)
{
    VEC(uint32_t) asked = VEC_INIT;
    for (uint32_t i = 0; i < b->bb.len; i++) {
        const struct bb *x = &b->bb.data[i];
        if (x->lifted && x->pending != PENDING_NONE && x->asked_at != b->version)
            vec_push(&asked, i);
    }
    struct jump_answer *answer = xcalloc(asked.len, sizeof *answer);
    for (size_t i = 0; i < asked.len; i++) {
        b->bb.data[asked.data[i]].asked_at = b->version;
        table_resolve(b, builder_values(b), asked.data[i], &answer[i]);
    }
    for (size_t i = 0; i < asked.len; i++) {
        /* A block that was cut in two meanwhile has no computed jump any more. */
        if (b->bb.data[asked.data[i]].pending != PENDING_NONE)
            apply_answer(b, asked.data[i], &answer[i]);
        vec_free(&answer[i].dest);
    }
    free(answer);
    vec_free(&asked);
}

void builder_run(struct builder *b)
{
    const struct flow_function *f = &b->p->function.data[b->index];
    if (f->flags & FLOW_EXTERN) {
        b->returns = !(attrs_of(b->p, f->name) & LIBRARY_NORETURN);
        return;
    }
    if (!builder_leader(b, function_label(b->p, f))) {
        builder_problem(b, PROBLEM_OUT_OF_BOUNDS, f->address, "the function has no bytes");
        b->returns = true;
        return;
    }
    for (unsigned round = 0; round < ROUNDS_MAX; round++) {
        while (b->work.len) {
            if (b->stop_at_return && b->returns)
                return;
            process(b, vec_pop(&b->work));
        }
        if (b->stop_at_return && b->returns)
            return;
        uint64_t before = b->version;
        decide_doubtful(b);
        if (!b->work.len)
            resolve_computed(b);
        if (!b->work.len && b->version == before)
            break;
    }
    for (uint32_t i = 0; i < b->bb.len; i++) {
        if (b->bb.data[i].pending == PENDING_COMPUTED) {
            builder_problem(b, PROBLEM_INDIRECT_JUMP, insn_address(b, &b->bb.data[i], UINT32_MAX),
                            "computed jump: no table with a provable bound was found");
            b->returns = true;
        }
    }
}
