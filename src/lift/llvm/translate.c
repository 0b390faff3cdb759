/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "lift/llvm/internal.h"

static uint64_t key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

/* ---- blocks ---- */

void translate_begin(struct translation *t, ir_label label)
{
    assert(!t->open);
    ir_begin(t->b, label);
    map_clear(&t->local);
    t->open = true;
}

void translate_end(struct translation *t, struct ir_end end)
{
    struct ir_block block;
    assert(t->open);
    ir_finish(t->b, end, 0, &t->m->arena, &block);
    block.bytes = block.nmark;
#ifndef NDEBUG
    struct ir_pures pures = bitcode_pures();
    struct ir_machine machine = t->code->machine;
    struct buf why = BUF_INIT;
    machine.file_size = t->file;
    if (!ir_validate(&block, &machine, &pures, &why)) {
        ir_print_block(&why, &block, &machine, &pures);
        fputs(buf_text(&why), stderr);
        assert(!"the block is not valid");
    }
    buf_free(&why);
#endif
    vec_push(&t->block, block);
    t->open = false;
}

struct ir_end translate_jump(ir_label to)
{
    return (struct ir_end){
        .kind = IR_END_JUMP, .next = IR_NONE, .label = to, .after = IR_NO_LABEL, .result = IR_NONE};
}

/* ---- values ---- */

struct parts parts_new(struct translation *t, uint32_t n)
{
    return (struct parts){arena_alloc(&t->scratch, (n + 1) * sizeof(ir_val)), n};
}

struct parts parts_one(struct translation *t, ir_val v)
{
    struct parts p = parts_new(t, 1);
    p.v[0] = v;
    return p;
}

bool shape_is_float(const struct scalar *s)
{
    return s->kind == SCALAR_FLOAT || s->kind == SCALAR_X87 || s->kind == SCALAR_BFLOAT;
}

static unsigned whole_bytes(unsigned width)
{
    return width == 1 ? 1 : (width + 7) / 8 * 8;
}

void parts_put(struct translation *t, uint32_t offset, struct parts p)
{
    unsigned unit = t->pointer / 8;
    for (uint32_t i = 0; i < p.n; i++) {
        unsigned width = ir_width(t->b, p.v[i]);
        ir_put(t->b, offset, ir_zext(t->b, p.v[i], whole_bytes(width)));
        offset += ((width + 7) / 8 + unit - 1) / unit * unit;
    }
}

struct parts parts_get(struct translation *t, uint32_t offset, const struct shape *s)
{
    struct parts p = parts_new(t, s->n);
    unsigned unit = t->pointer / 8;
    for (uint32_t i = 0; i < s->n; i++) {
        unsigned width = s->scalar[i].width;
        p.v[i] = ir_extract(t->b, ir_get(t->b, offset, whole_bytes(width)), 0, width);
        offset += ((width + 7u) / 8 + unit - 1) / unit * unit;
    }
    return p;
}

static struct bits eval_zero(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)arg;
    (void)mem;
    return (struct bits){{0}};
}

ir_val translate_any(struct translation *t, const char *why, unsigned width)
{
    struct ir_event e = {.name = arena_printf(&t->m->arena, "%s%u", why, width),
                         .guard = IR_NONE,
                         .mem_addr = IR_NONE,
                         .eval = eval_zero};
    ir_val site = ir_const(t->b, 64, t->site);
    return ir_event(t->b, &e, &site, 1, width);
}

static struct parts some_parts(struct translation *t, const char *why, const struct shape *s)
{
    struct parts p = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        p.v[i] = translate_any(t, why, s->scalar[i].width);
    return p;
}

static bool operation(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out)
{
    return arith_instruction(t, op, v, out) || access_instruction(t, op, v, out);
}

static struct parts constant(struct translation *t, LLVMValueRef v, const struct shape *s)
{
    const struct llvm *L = t->L;
    struct bits bits;
    struct parts p;
    struct home *h;
    uint64_t label;
    switch (L->GetValueKind(v)) {
    case LLVMConstantIntValueKind:
    case LLVMConstantFPValueKind:
        if (constant_bits(t->m, v, &bits))
            return parts_one(t, ir_const_bits(t->b, s->scalar[0].width, bits));
        break;
    case LLVMConstantPointerNullValueKind:
    case LLVMConstantAggregateZeroValueKind:
        p = parts_new(t, s->n);
        for (uint32_t i = 0; i < s->n; i++)
            p.v[i] = ir_const(t->b, s->scalar[i].width, 0);
        return p;
    case LLVMUndefValueValueKind:
    case LLVMPoisonValueValueKind:
        return some_parts(t, "undef", s);
    case LLVMConstantDataArrayValueKind:
    case LLVMConstantDataVectorValueKind:
    case LLVMConstantArrayValueKind:
    case LLVMConstantStructValueKind:
    case LLVMConstantVectorValueKind:
        p = parts_new(t, s->n);
        for (uint32_t i = 0, at = 0; at < s->n; i++) {
            LLVMValueRef element = L->GetAggregateElement(v, i);
            if (!element)
                return some_parts(t, "unknown", s);
            struct parts e = translate_use(t, element);
            for (uint32_t k = 0; k < e.n && at < s->n; k++)
                p.v[at++] = e.v[k];
        }
        return p;
    case LLVMGlobalVariableValueKind:
    case LLVMFunctionValueKind:
    case LLVMGlobalIFuncValueKind:
        h = layout_home(t, v);
        if (h)
            return parts_one(t, ir_get(t->b, h->offset, t->pointer));
        break;
    case LLVMGlobalAliasValueKind:
        return translate_use(t, L->AliasGetAliasee(v));
    case LLVMBlockAddressValueKind:
        if (map_get(&t->m->block_label, key(L->GetBlockAddressBasicBlock(v)), &label))
            return parts_one(t, ir_const(t->b, t->pointer, label));
        break;
    case LLVMConstantExprValueKind:
        if (operation(t, L->GetConstOpcode(v), v, &p))
            return p;
        break;
    default:
        break;
    }
    return some_parts(t, "unknown", s);
}

struct parts translate_use(struct translation *t, LLVMValueRef v)
{
    uint64_t known;
    if (map_get(&t->local, key(v), &known))
        return *(const struct parts *)(uintptr_t)known;
    const struct shape *s = shape_of(t->m, t->L->TypeOf(v));
    struct parts p;
    if (!s) {
        p = parts_new(t, 0);
    } else {
        LLVMValueKind kind = t->L->GetValueKind(v);
        struct home *h = layout_home(t, v);
        if (kind != LLVMInstructionValueKind && kind != LLVMArgumentValueKind)
            p = constant(t, v, s);
        else if (h && h->below)
            p = parts_one(t, access_add(t, ir_get(t->b, t->sp, t->pointer), -h->below));
        else if (h && h->offset != UINT32_MAX)
            p = parts_get(t, h->offset, s);
        else /* code that nothing reaches may use what is never made */
            p = some_parts(t, "unreached", s);
    }
    struct parts *kept = arena_alloc(&t->scratch, sizeof *kept);
    *kept = p;
    map_set(&t->local, key(v), (uint64_t)(uintptr_t)kept);
    return p;
}

ir_val translate_use_one(struct translation *t, LLVMValueRef v)
{
    struct parts p = translate_use(t, v);
    assert(p.n == 1);
    return p.v[0];
}

LLVMValueRef translate_operand(const struct translation *t, LLVMValueRef v, unsigned i)
{
    return t->L->GetOperand(v, i);
}

void translate_define(struct translation *t, LLVMValueRef insn, struct parts p)
{
    struct parts *kept = arena_alloc(&t->scratch, sizeof *kept);
    *kept = p;
    map_set(&t->local, key(insn), (uint64_t)(uintptr_t)kept);
    struct home *h = layout_home(t, insn);
    if (h && h->offset != UINT32_MAX && p.n)
        parts_put(t, h->offset, p);
}

void translate_unknown(struct translation *t, LLVMValueRef insn, bool memory)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(insn));
    struct ir_unknown u = {.address = t->site, .length = 1, .mem_write = memory};
    struct buf text = BUF_INIT;
    bitcode_text(t->m, t->site, &text);
    u.text = arena_strdup(&t->m->arena, buf_text(&text));
    buf_free(&text);
    t->code->unknown++;
    if (s && s->n) {
        u.writes[u.nwrites++] = (struct ir_range){t->file, layout_bytes(t, s)};
        t->file += layout_bytes(t, s);
    }
    ir_unknown(t->b, &u);
    if (u.nwrites)
        translate_define(t, insn, parts_get(t, u.writes[0].offset, s));
}

/* ---- instructions ---- */

static void instruction(struct translation *t, LLVMValueRef v)
{
    LLVMOpcode op = t->L->GetInstructionOpcode(v);
    struct parts p = {0};
    if (op == LLVMCall) {
        control_call_instruction(t, v);
    } else if (op == LLVMPHI) {
        struct home *h = layout_home(t, v);
        translate_define(t, v, parts_get(t, h->incoming, shape_of(t->m, t->L->TypeOf(v))));
    } else if (op == LLVMLandingPad) {
        /* What was thrown; observable, as two of them are not the same. */
        const struct shape *s = shape_of(t->m, t->L->TypeOf(v));
        p = parts_new(t, s->n);
        for (uint32_t i = 0; i < s->n; i++) {
            struct ir_event e = {.name = arena_printf(&t->m->arena, "landingpad%u", i),
                                 .guard = IR_NONE,
                                 .mem_addr = IR_NONE,
                                 .observable = true,
                                 .eval = eval_zero};
            p.v[i] = ir_event(t->b, &e, NULL, 0, s->scalar[i].width);
        }
        translate_define(t, v, p);
    } else if (operation(t, op, v, &p)) {
        if (p.n)
            translate_define(t, v, p);
    } else {
        translate_unknown(t, v,
                       op == LLVMAtomicRMW || op == LLVMVAArg || op == LLVMCatchPad || op == LLVMCleanupPad);
    }
}

static void block(struct translation *t, LLVMBasicBlockRef b, bool entry)
{
    const struct llvm *L = t->L;
    translate_begin(t, map_find(&t->m->block_label, key(b), 0));
    for (LLVMValueRef i = L->GetFirstInstruction(b); i && t->open; i = L->GetNextInstruction(i)) {
        t->site = map_find(&t->address, key(i), 0);
        ir_mark_insn(t->b, t->site, 1);
        if (entry && t->top != UINT32_MAX)
            ir_put(t->b, t->top, access_add(t, ir_get(t->b, t->sp, t->pointer), -t->frame));
        entry = false;
        if (i == L->GetBasicBlockTerminator(b))
            control_terminator(t, L->GetInstructionOpcode(i), i);
        else
            instruction(t, i);
    }
    assert(!t->open);
}

bool translate_function(struct translation *t, struct error *err)
{
    if (!layout_function(t, err))
        return false;
    LLVMBasicBlockRef first = t->L->GetFirstBasicBlock(t->f);
    for (LLVMBasicBlockRef b = first; b; b = t->L->GetNextBasicBlock(b))
        block(t, b, b == first);
    return true;
}

static void finish(struct translation *t, struct ir_machine *machine)
{
    struct arena *arena = &t->m->arena;
    struct bitcode_code *c = t->code;
    machine->file_size = t->file;
    machine->reg = arena_dup(arena, t->reg.data, t->reg.len * sizeof *t->reg.data);
    machine->nreg = (unsigned)t->reg.len;
    c->nblocks = (uint32_t)t->block.len;
    c->block = arena_dup(arena, t->block.data, t->block.len * sizeof *t->block.data);
    c->ncalls = (uint32_t)t->call.len;
    c->call = arena_dup(arena, t->call.data, t->call.len * sizeof *t->call.data);
    c->ninputs = (uint32_t)t->input.len;
    c->input = arena_dup(arena, t->input.data, t->input.len * sizeof *t->input.data);
    c->frame = t->frame;
    c->top = t->top;
    c->njumps = (uint32_t)t->jump.len;
    c->jump = arena_dup(arena, t->jump.data, t->jump.len * sizeof *t->jump.data);
}

const struct bitcode_code *bitcode_code(struct bitcode *m, const struct bitcode_function *f,
                                        struct error *err)
{
    size_t index = (size_t)(f - m->function.data);
    assert(index < m->function.len);
    if (m->code.data[index])
        return m->code.data[index];
    if (f->declared) {
        error_set(err, ERROR_UNSUPPORTED,
                  "%s: %s is declared here but defined elsewhere, so there is no code", m->info.name,
                  f->name);
        return NULL;
    }
    struct bitcode_code *code = arena_new(&m->arena, struct bitcode_code);
    code->machine = (struct ir_machine){.arch = MACHINE_NONE,
                                        .name = "llvm",
                                        .pointer_width = m->info.pointer_width,
                                        .locals = true,
                                        .pc = UINT16_MAX,
                                        .fp = UINT16_MAX,
                                        .lr = UINT16_MAX,
                                        .ret2 = UINT16_MAX,
                                        .fret = UINT16_MAX,
                                        .syscall_nr = UINT16_MAX,
                                        .syscall_ret = UINT16_MAX};
    struct translation t = {.m = m,
                            .L = &m->L,
                            .f = m->function_value.data[index],
                            .code = code,
                            .b = ir_builder_new(),
                            .pointer = m->info.pointer_width};
    bool ok = translate_function(&t, err);
    if (ok) {
        finish(&t, &code->machine);
        m->code.data[index] = code;
    }
    ir_builder_free(t.b);
    arena_free(&t.scratch);
    map_free(&t.segment);
    map_free(&t.address);
    map_free(&t.home);
    map_free(&t.local);
    vec_free(&t.reg);
    vec_free(&t.block);
    vec_free(&t.call);
    vec_free(&t.jump);
    vec_free(&t.input);
    return ok ? code : NULL;
}
