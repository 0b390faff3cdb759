/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls and the ends of blocks. */
#include <assert.h>
#include <string.h>

#include "lift/llvm/internal.h"

enum { ARGS_MAX = 32 }; /* what an event of the executor holds */

static uint64_t key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

static ir_label label_of(struct translation *t, LLVMBasicBlockRef b)
{
    return map_find(&t->m->block_label, key(b), IR_NO_LABEL);
}

/* ---- calls ---- */

bool control_is_noreturn(const struct translation *t, LLVMValueRef call)
{
    LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMValueRef callee = t->L->GetCalledValue(call);
    return t->L->GetCallSiteEnumAttribute(call, whole, t->m->noreturn) ||
           (t->L->GetValueKind(callee) == LLVMFunctionValueKind &&
            t->L->GetEnumAttributeAtIndex(callee, whole, t->m->noreturn));
}

/* A number for something to call that has none in the module. */
static uint64_t made_up_address(const char *name)
{
    return hash_bytes(name, strlen(name)) >> 2 | UINT64_C(1) << 62;
}

static uint64_t address_by_name(struct translation *t, const char *name, bool *external)
{
    for (size_t i = 0; i < t->m->function.len; i++)
        if (strcmp(t->m->function.data[i].name, name) == 0) {
            *external = t->m->function.data[i].declared;
            return t->m->function.data[i].address;
        }
    *external = true;
    return made_up_address(name);
}

static ir_val joined(struct translation *t, const ir_val *v, uint32_t n)
{
    ir_val all = v[0];
    for (uint32_t i = 1; i < n; i++)
        all = ir_bin(t->b, OP_CONCAT, v[i], all);
    return all;
}

typedef VEC(ir_val) val_list;

/* Joins neighbours into values as wide as can be. */
static void pack(struct translation *t, const ir_val *v, uint32_t n, val_list *out)
{
    for (uint32_t i = 0; i < n;) {
        uint32_t k = i;
        unsigned width = 0;
        while (k < n && width + ir_width(t->b, v[k]) <= OP_MAX_WIDTH)
            width += ir_width(t->b, v[k++]);
        vec_push(out, joined(t, v + i, k - i));
        i = k;
    }
}

/* A vector goes as one argument, as it does in a register; an aggregate as its members. */
static void collect(struct translation *t, LLVMValueRef call, unsigned nargs, val_list *out)
{
    const struct llvm *L = t->L;
    for (unsigned i = 0; i < nargs; i++) {
        LLVMValueRef v = L->GetOperand(call, i);
        LLVMTypeRef type = L->TypeOf(v);
        LLVMTypeKind kind = L->GetTypeKind(type);
        if (kind == LLVMMetadataTypeKind || kind == LLVMTokenTypeKind || kind == LLVMLabelTypeKind)
            continue;
        struct parts p = translate_use(t, v);
        if (kind == LLVMVectorTypeKind)
            pack(t, p.v, p.n, out);
        else
            for (uint32_t k = 0; k < p.n; k++)
                vec_push(out, p.v[k]);
    }
    if (out->len > ARGS_MAX) {
        val_list fewer = VEC_INIT;
        pack(t, out->data, (uint32_t)out->len, &fewer);
        vec_free(out);
        *out = fewer;
    }
}

/* Ends the block with a call and goes on after it at the next number. */
static void call(struct translation *t, LLVMValueRef v, struct ir_end end, const char *name, bool external,
                 const ir_val *arg, uint32_t nargs)
{
    const struct shape *s = v ? shape_of(t->m, t->L->TypeOf(v)) : NULL;
    struct home *h = v ? layout_home(t, v) : NULL;
    bool noreturn = end.after == IR_NO_LABEL, wide = false;
    if (s && s->n && h) {
        uint32_t bytes = layout_bytes(t, s);
        wide = bytes * 8 > OP_MAX_WIDTH;
        end.result = wide ? IR_NONE : h->offset;
        end.result_width = wide ? 0 : (uint16_t)(s->n == 1 ? (s->scalar[0].width + 7u) / 8 * 8 : bytes * 8);
    }
    if (nargs > ARGS_MAX) { /* not all of them would be seen */
        translate_unknown(t, v, true);
        nargs = ARGS_MAX;
    }
    end.args = ir_args(t->b, arg, nargs);
    end.nargs = nargs;
    uint64_t target = end.label == IR_NO_LABEL ? 0 : end.label;
    vec_push(&t->call,
             (struct bitcode_call){(uint32_t)t->block.len, t->site, target, name, external, noreturn});
    translate_end(t, end);
    if (noreturn)
        return;
    translate_begin(t, end.after);
    if (wide) { /* wider than a result can be */
        ir_unknown(t->b, &(struct ir_unknown){.address = t->site,
                                              .length = 1,
                                              .writes = {{h->offset, layout_bytes(t, s)}},
                                              .nwrites = 1,
                                              .text = "a result of over 512 bits"});
        t->code->unknown++;
    }
}

void control_call(struct translation *t, LLVMValueRef v, const char *name, const ir_val *arg, uint32_t nargs)
{
    bool external;
    struct ir_end end = {.kind = IR_END_CALL,
                         .next = IR_NONE,
                         .label = address_by_name(t, name, &external),
                         .after = t->site + 1,
                         .result = IR_NONE};
    call(t, v, end, name, external, arg, nargs);
}

/* A call of a function, a pointer or assembly. */
static void call_out(struct translation *t, LLVMValueRef v)
{
    const struct llvm *L = t->L;
    LLVMValueRef callee = module_aliasee(t->m, L->GetCalledValue(v));
    struct ir_end end = {.kind = IR_END_CALL,
                         .next = IR_NONE,
                         .label = IR_NO_LABEL,
                         .after = control_is_noreturn(t, v) ? IR_NO_LABEL : t->site + 1,
                         .result = IR_NONE};
    const char *name = NULL;
    bool external = true;
    uint64_t index;
    val_list arg = VEC_INIT;
    collect(t, v, L->GetNumArgOperands(v), &arg);
    if (L->GetValueKind(callee) == LLVMFunctionValueKind &&
        map_get(&t->m->function_index, key(callee), &index)) {
        const struct bitcode_function *f = &t->m->function.data[index];
        end.label = f->address;
        name = f->name;
        external = f->declared;
    } else if (L->GetValueKind(callee) == LLVMInlineAsmValueKind) {
        size_t n;
        const char *text = L->GetInlineAsmAsmString(callee, &n);
        name = arena_printf(&t->m->arena, "asm \"%.*s\"", (int)n, text);
        end.label = made_up_address(name);
    } else {
        end.next = translate_use_one(t, callee);
    }
    call(t, v, end, name, external, arg.data, (uint32_t)arg.len);
    vec_free(&arg);
}

void control_call_instruction(struct translation *t, LLVMValueRef v)
{
    const char *name = NULL;
    unsigned nargs = 0;
    struct parts p = {0};
    switch (intrinsic_way(t, v, &name, &nargs)) {
    case INTRINSIC_INLINE:
        if (!intrinsic_translate(t, v, &p)) /* those that write memory have no result */
            translate_unknown(t, v, t->L->GetTypeKind(t->L->TypeOf(v)) == LLVMVoidTypeKind);
        else if (p.n)
            translate_define(t, v, p);
        return;
    case INTRINSIC_TRAP:
        translate_end(t, (struct ir_end){.kind = IR_END_TRAP,
                                         .next = IR_NONE,
                                         .label = IR_NO_LABEL,
                                         .after = IR_NO_LABEL,
                                         .result = IR_NONE});
        return;
    case INTRINSIC_CALL:
        if (!name) {
            call_out(t, v);
            return;
        }
        val_list arg = VEC_INIT;
        collect(t, v, nargs, &arg);
        control_call(t, v, name, arg.data, (uint32_t)arg.len);
        vec_free(&arg);
        return;
    }
}

/* ---- the ends of blocks ---- */

/* Leaves the next values of the successor's phis where it looks for them. */
static void leave_values(struct translation *t, LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    const struct llvm *L = t->L;
    for (LLVMValueRef i = L->GetFirstInstruction(to); i && L->GetInstructionOpcode(i) == LLVMPHI;
         i = L->GetNextInstruction(i)) {
        unsigned n = L->CountIncoming(i), k = 0;
        while (k < n && L->GetIncomingBlock(i, k) != from)
            k++;
        if (k < n)
            parts_put(t, layout_home(t, i)->incoming, translate_use(t, L->GetIncomingValue(i, k)));
    }
}

static void leave_for_all(struct translation *t, LLVMValueRef terminator)
{
    const struct llvm *L = t->L;
    LLVMBasicBlockRef from = L->GetInstructionParent(terminator);
    struct map done = {0};
    unsigned n = L->GetNumSuccessors(terminator);
    for (unsigned i = 0; i < n; i++) {
        LLVMBasicBlockRef to = L->GetSuccessor(terminator, i);
        if (map_set(&done, key(to), 1))
            leave_values(t, from, to);
    }
    map_free(&done);
}

static void branch(struct translation *t, LLVMValueRef v)
{
    LLVMBasicBlockRef first = t->L->GetSuccessor(v, 0), second = first;
    if (t->L->IsConditional(v))
        second = t->L->GetSuccessor(v, 1);
    if (second != first)
        ir_exit(t->b, translate_use_one(t, t->L->GetCondition(v)), IR_EXIT_JUMP, label_of(t, first));
    translate_end(t, translate_jump(label_of(t, second)));
}

/* One exit for each destination, under the condition that one of its values is there. */
static void choose(struct translation *t, LLVMValueRef v)
{
    const struct llvm *L = t->L;
    ir_val x = translate_use_one(t, L->GetOperand(v, 0));
    unsigned n = L->GetNumSuccessors(v);
    struct map place = {0};
    struct arm {
        ir_label to;
        ir_val cond;
    };
    VEC(struct arm) arm = VEC_INIT;
    ir_label otherwise = label_of(t, L->GetSuccessor(v, 0));
    for (unsigned i = 1; i < n; i++) {
        ir_label to = label_of(t, L->GetSuccessor(v, i));
        uint64_t at;
        if (to == otherwise)
            continue;
        ir_val is = ir_bin(t->b, OP_EQ, x, translate_use_one(t, L->GetOperand(v, 2 * i)));
        if (map_get(&place, to, &at)) {
            arm.data[at].cond = ir_bin(t->b, OP_OR, arm.data[at].cond, is);
        } else {
            map_set(&place, to, arm.len);
            vec_push(&arm, (struct arm){to, is});
        }
    }
    for (size_t i = 0; i < arm.len; i++)
        ir_exit(t->b, arm.data[i].cond, IR_EXIT_JUMP, arm.data[i].to);
    translate_end(t, translate_jump(otherwise));
    vec_free(&arm);
    map_free(&place);
}

static void computed_jump(struct translation *t, LLVMValueRef v)
{
    unsigned n = t->L->GetNumSuccessors(v);
    for (unsigned i = 0; i < n; i++)
        vec_push(&t->jump,
                 (struct bitcode_jump){(uint32_t)t->block.len, label_of(t, t->L->GetSuccessor(v, i))});
    struct ir_end end = translate_jump(IR_NO_LABEL);
    end.next = translate_use_one(t, t->L->GetOperand(v, 0));
    translate_end(t, end);
}

static struct bits does_not_throw(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)arg;
    (void)mem;
    return (struct bits){{0}};
}

/* A call, and after it the question whether it threw, to which nobody knows the answer. */
static void invoke(struct translation *t, LLVMValueRef v)
{
    call_out(t, v);
    if (!t->open) { /* it never returns, but it may throw */
        struct bitcode_call *c = &vec_last(&t->call);
        c->noreturn = false;
        vec_last(&t->block).end.after = t->site + 1;
        translate_begin(t, t->site + 1);
    }
    ir_mark_insn(t->b, t->site + 1, 1);
    leave_for_all(t, v);
    struct ir_event e = {
        .name = "throws", .guard = IR_NONE, .mem_addr = IR_NONE, .observable = true, .eval = does_not_throw};
    ir_val threw = ir_event(t->b, &e, NULL, 0, 1);
    ir_exit(t->b, threw, IR_EXIT_JUMP, label_of(t, t->L->GetUnwindDest(v)));
    translate_end(t, translate_jump(label_of(t, t->L->GetNormalDest(v))));
}

void control_terminator(struct translation *t, LLVMOpcode op, LLVMValueRef v)
{
    struct ir_end end = {.next = IR_NONE, .label = IR_NO_LABEL, .after = IR_NO_LABEL, .result = IR_NONE};
    if (op != LLVMInvoke)
        leave_for_all(t, v);
    switch (op) {
    case LLVMBr:
        branch(t, v);
        return;
    case LLVMSwitch:
        choose(t, v);
        return;
    case LLVMIndirectBr:
        computed_jump(t, v);
        return;
    case LLVMInvoke:
        invoke(t, v);
        return;
    case LLVMRet:
        if (t->L->GetNumOperands(v) > 0)
            parts_put(t, t->code->machine.ret, translate_use(t, t->L->GetOperand(v, 0)));
        end.kind = IR_END_RET;
        break;
    case LLVMUnreachable:
        end.kind = IR_END_TRAP;
        break;
    case LLVMResume: {
        bool external;
        struct parts p = translate_use(t, t->L->GetOperand(v, 0));
        end.kind = IR_END_CALL;
        end.label = address_by_name(t, "_Unwind_Resume", &external);
        call(t, NULL, end, "_Unwind_Resume", external, p.v, p.n ? 1 : 0);
        return;
    }
    default: /* callbr and the funclets of Windows */
        t->code->unknown++;
        end.kind = IR_END_UNKNOWN;
        break;
    }
    translate_end(t, end);
}
