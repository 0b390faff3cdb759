/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the values of a function live: which of them outlast an IR block, their places in the register file,
 * and the places of local variables in the frame. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "lift/llvm/internal.h"

enum {
    FILE_MAX = 16 << 20,
    NAMED_MAX = 0xfff0, /* registers with names have 16-bit offsets */
    FRAME_ALIGN = 4096, /* no alloca is aligned better */
};

static uint64_t key(const void *p)
{
    return (uint64_t)(uintptr_t)p;
}

uint32_t layout_bytes(const struct translation *t, const struct shape *s)
{
    uint32_t unit = t->pointer / 8, total = 0;
    for (uint32_t i = 0; i < s->n; i++)
        total += ((s->scalar[i].width + 7u) / 8 + unit - 1) / unit * unit;
    return total;
}

static uint32_t give(struct translation *t, uint32_t bytes)
{
    uint32_t at = t->file;
    t->file += bytes;
    return at;
}

struct home *layout_home(struct translation *t, LLVMValueRef v)
{
    return (struct home *)(uintptr_t)map_find(&t->home, key(v), 0);
}

static struct home *new_home(struct translation *t, LLVMValueRef v)
{
    struct home *h = layout_home(t, v);
    if (!h) {
        h = arena_new(&t->scratch, struct home);
        *h = (struct home){UINT32_MAX, UINT32_MAX, 0};
        map_set(&t->home, key(v), (uint64_t)(uintptr_t)h);
    }
    return h;
}

static struct machine_register *name_register(struct translation *t, const char *name, uint32_t offset,
                                              unsigned width)
{
    vec_push(&t->reg, (struct machine_register){name, (uint16_t)offset, (uint16_t)width, false});
    return &vec_last(&t->reg);
}

/* ---- checks ---- */

static bool representable(struct translation *t, LLVMTypeRef type)
{
    switch (t->L->GetTypeKind(type)) {
    case LLVMMetadataTypeKind:
    case LLVMLabelTypeKind:
    case LLVMTokenTypeKind:
    case LLVMFunctionTypeKind:
        return true;
    default:
        return shape_of(t->m, type) != NULL;
    }
}

static bool check_types(struct translation *t, LLVMValueRef insn, struct error *err)
{
    unsigned n = (unsigned)t->L->GetNumOperands(insn);
    bool ok = representable(t, t->L->TypeOf(insn));
    for (unsigned i = 0; i < n && ok; i++) {
        LLVMValueRef v = t->L->GetOperand(insn, i);
        ok = !v || representable(t, t->L->TypeOf(v));
    }
    if (ok)
        return true;
    char *text = t->L->PrintValueToString(insn);
    text[strcspn(text, "\n")] = 0;
    error_set(
        err, ERROR_UNSUPPORTED,
        "%s: %s: a value too large or of an unknown kind (integers over %d bits, scalable vectors, over 4096 "
        "members):%s",
        t->m->info.name, module_name(t->m, t->f), OP_MAX_WIDTH, text);
    t->L->DisposeMessage(text);
    return false;
}

/* ---- inputs ---- */

static void place_arguments(struct translation *t)
{
    unsigned n = t->L->CountParams(t->f), unit = t->pointer / 8;
    for (unsigned i = 0; i < n; i++) {
        LLVMValueRef a = t->L->GetParam(t->f, i);
        const struct shape *s = shape_of(t->m, t->L->TypeOf(a));
        struct home *h = new_home(t, a);
        h->offset = t->file;
        for (uint32_t k = 0; k < s->n; k++) {
            uint32_t bytes = (s->scalar[k].width + 7u) / 8, at = give(t, (bytes + unit - 1) / unit * unit);
            vec_push(&t->input, (struct bitcode_input){i, at, s->scalar[k].width, shape_is_float(&s->scalar[k])});
            const char *name = s->n == 1 ? arena_printf(&t->m->arena, "arg%u", i)
                                         : arena_printf(&t->m->arena, "arg%u.%u", i, k);
            struct machine_register *r = name_register(t, name, at, bytes * 8);
            r->argument = (uint16_t)(i + 1);
            r->part = s->n == 1 ? 0 : (uint16_t)(k + 1);
        }
    }
}

/* Every global that a constant mentions. */
static void place_symbols(struct translation *t, LLVMValueRef v, struct map *seen, unsigned depth)
{
    if (!v || depth > 64 || !map_set(seen, key(v), 1))
        return;
    switch (t->L->GetValueKind(v)) {
    case LLVMGlobalVariableValueKind:
    case LLVMFunctionValueKind:
    case LLVMGlobalIFuncValueKind: {
        const char *name = module_name(t->m, v);
        struct home *h = new_home(t, v);
        /* Literals with the same text are one. */
        for (size_t i = 0; i < t->reg.len && h->offset == UINT32_MAX; i++)
            if (t->reg.data[i].object && strcmp(t->reg.data[i].object, name) == 0)
                h->offset = t->reg.data[i].offset;
        if (h->offset == UINT32_MAX) {
            h->offset = give(t, t->pointer / 8);
            name_register(t, arena_printf(&t->m->arena, "&%s", name), h->offset, t->pointer)->object = name;
        }
        break;
    }
    case LLVMGlobalAliasValueKind:
        place_symbols(t, t->L->AliasGetAliasee(v), seen, depth + 1);
        break;
    case LLVMConstantExprValueKind:
    case LLVMConstantArrayValueKind:
    case LLVMConstantStructValueKind:
    case LLVMConstantVectorValueKind: {
        unsigned n = (unsigned)t->L->GetNumOperands(v);
        for (unsigned i = 0; i < n; i++)
            place_symbols(t, t->L->GetOperand(v, i), seen, depth + 1);
        break;
    }
    default:
        break;
    }
}

static void place_symbols_of(struct translation *t, LLVMValueRef insn, struct map *seen)
{
    LLVMOpcode op = t->L->GetInstructionOpcode(insn);
    unsigned n = (unsigned)t->L->GetNumOperands(insn);
    bool calls = op == LLVMCall || op == LLVMInvoke || op == LLVMCallBr;
    if (op == LLVMLandingPad)
        return;
    if (calls) {
        n = t->L->GetNumArgOperands(insn);
        LLVMValueRef callee = module_aliasee(t->m, t->L->GetCalledValue(insn));
        if (t->L->GetValueKind(callee) != LLVMFunctionValueKind)
            place_symbols(t, callee, seen, 0);
    }
    for (unsigned i = 0; i < n; i++)
        place_symbols(t, t->L->GetOperand(insn, i), seen, 0);
}

/* ---- values ---- */

bool layout_is_call(struct translation *t, LLVMValueRef insn)
{
    const char *name;
    unsigned nargs;
    return t->L->GetInstructionOpcode(insn) == LLVMCall &&
           intrinsic_way(t, insn, &name, &nargs) == INTRINSIC_CALL;
}

static uint64_t segment_of(struct translation *t, LLVMValueRef insn)
{
    return map_find(&t->segment, key(insn), UINT64_MAX);
}

/* Whether a value is used in another IR block than the one it is made in. A phi uses it at the end of the
 * block it comes from. */
static bool outlasts(struct translation *t, LLVMValueRef v)
{
    const struct llvm *L = t->L;
    uint64_t own = segment_of(t, v);
    for (LLVMUseRef u = L->GetFirstUse(v); u; u = L->GetNextUse(u)) {
        LLVMValueRef user = L->GetUser(u);
        if (L->GetValueKind(user) != LLVMInstructionValueKind)
            return true;
        if (L->GetInstructionOpcode(user) != LLVMPHI) {
            if (segment_of(t, user) != own)
                return true;
            continue;
        }
        unsigned n = L->CountIncoming(user);
        for (unsigned i = 0; i < n; i++)
            if (L->GetIncomingValue(user, i) == v &&
                segment_of(t, L->GetBasicBlockTerminator(L->GetIncomingBlock(user, i))) != own)
                return true;
    }
    return false;
}

static void place_alloca(struct translation *t, LLVMValueRef v, bool entry)
{
    const struct llvm *L = t->L;
    struct bits count;
    uint64_t size = L->ABISizeOfType(t->m->layout, L->GetAllocatedType(v)), align = L->GetAlignment(v);
    if (!entry || !constant_bits(t->m, L->GetOperand(v, 0), &count) || bits_low(count) > UINT32_MAX ||
        size > UINT32_MAX) {
        if (t->top == UINT32_MAX)
            t->top = give(t, t->pointer / 8);
        return;
    }
    align = align == 0 ? 1 : align > FRAME_ALIGN ? FRAME_ALIGN : align;
    uint64_t bytes = size * bits_low(count);
    t->frame = (t->frame + (bytes ? bytes : 1) + align - 1) / align * align;
    new_home(t, v)->below = t->frame;
    if (align > t->code->machine.sp_align)
        t->code->machine.sp_align = (unsigned)align;
}

static bool place_value(struct translation *t, LLVMValueRef insn, bool entry)
{
    const struct llvm *L = t->L;
    LLVMOpcode op = L->GetInstructionOpcode(insn);
    LLVMTypeKind kind = L->GetTypeKind(L->TypeOf(insn));
    if (op == LLVMAlloca)
        place_alloca(t, insn, entry);
    if (kind == LLVMVoidTypeKind || kind == LLVMTokenTypeKind || kind == LLVMMetadataTypeKind)
        return true;
    uint32_t bytes = layout_bytes(t, shape_of(t->m, L->TypeOf(insn)));
    struct home *h = layout_home(t, insn);
    if (h && h->below)
        return true;
    if (op == LLVMPHI)
        new_home(t, insn)->incoming = give(t, bytes);
    if (op == LLVMInvoke || layout_is_call(t, insn) || outlasts(t, insn))
        new_home(t, insn)->offset = give(t, bytes);
    return t->file <= FILE_MAX;
}

#define EACH_INSN(t, f, block, i)                                                                            \
    for (LLVMBasicBlockRef block = (t)->L->GetFirstBasicBlock(f); block;                                     \
         block = (t)->L->GetNextBasicBlock(block))                                                           \
        for (LLVMValueRef i = (t)->L->GetFirstInstruction(block); i; i = (t)->L->GetNextInstruction(i))

bool layout_function(struct translation *t, struct error *err)
{
    const struct llvm *L = t->L;
    struct ir_machine *machine = &t->code->machine;
    unsigned n = L->CountParams(t->f);
    for (unsigned i = 0; i < n; i++)
        if (!representable(t, L->TypeOf(L->GetParam(t->f, i))))
            return error_set(err, ERROR_UNSUPPORTED, "%s: %s: argument %u is of a type too large or unknown",
                             t->m->info.name, module_name(t->m, t->f), i);
    uint64_t segment = 0, address = BITCODE_FIRST;
    uint64_t index;
    if (map_get(&t->m->function_index, key(t->f), &index))
        address = t->m->function.data[index].address;
    LLVMBasicBlockRef last = NULL;
    EACH_INSN(t, t->f, block, i)
    {
        if (!check_types(t, i, err))
            return false;
        if (block != last) {
            segment++;
            last = block;
        }
        map_set(&t->segment, key(i), segment);
        map_set(&t->address, key(i), address);
        address += L->GetInstructionOpcode(i) == LLVMInvoke ? 2 : 1;
        segment += layout_is_call(t, i);
    }

    t->top = UINT32_MAX;
    t->sp = give(t, t->pointer / 8);
    name_register(t, "sp", t->sp, t->pointer);
    machine->sp = (uint16_t)t->sp;
    machine->sp_align = 16;
    machine->ret = UINT16_MAX;
    LLVMTypeRef result = L->GetReturnType(L->GlobalGetValueType(t->f));
    const struct shape *s = representable(t, result) ? shape_of(t->m, result) : NULL;
    if (s && s->n) {
        uint32_t bytes = layout_bytes(t, s);
        machine->ret = (uint16_t)give(t, bytes);
        machine->ret_width = s->n == 1                  ? s->scalar[0].width
                             : bytes * 8 < OP_MAX_WIDTH ? bytes * 8
                                                        : OP_MAX_WIDTH;
    }
    place_arguments(t);
    struct map seen = {0};
    EACH_INSN(t, t->f, block, i)
    {
        place_symbols_of(t, i, &seen);
    }
    map_free(&seen);
    bool fits = t->file <= NAMED_MAX;
    LLVMBasicBlockRef entry = L->GetFirstBasicBlock(t->f);
    EACH_INSN(t, t->f, block, i)
    {
        fits = fits && place_value(t, i, block == entry);
    }
    if (!fits)
        return error_set(err, ERROR_UNSUPPORTED, "%s: %s: has more values than there is room for",
                         t->m->info.name, module_name(t->m, t->f));
    uint64_t align = machine->sp_align;
    t->frame = (t->frame + align - 1) / align * align;
    return true;
}
