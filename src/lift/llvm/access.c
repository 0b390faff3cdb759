/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Addresses, loads and stores. */
#include "lift/llvm/internal.h"

ir_val access_add(struct translation *t, ir_val address, uint64_t offset)
{
    return ir_bin(t->b, OP_ADD, address, ir_const(t->b, t->pointer, offset));
}

/* ---- getelementptr ---- */

static ir_val scaled(struct translation *t, ir_val index, uint64_t size)
{
    unsigned width = ir_width(t->b, index);
    index = width < t->pointer ? ir_sext(t->b, index, t->pointer) : ir_extract(t->b, index, 0, t->pointer);
    return size == 1 ? index : ir_bin(t->b, OP_MUL, index, ir_const(t->b, t->pointer, size));
}

/* One lane of it; operands that are not vectors are the same for all. */
static ir_val element_address(struct translation *t, LLVMValueRef v, uint32_t lane)
{
    const struct llvm *L = t->L;
    struct parts base = translate_use(t, translate_operand(t, v, 0));
    ir_val address = base.v[base.n == 1 ? 0 : lane];
    LLVMTypeRef type = L->GetGEPSourceElementType(v);
    unsigned n = (unsigned)L->GetNumOperands(v);
    uint64_t offset = 0;
    for (unsigned i = 1; i < n; i++) {
        struct parts x = translate_use(t, translate_operand(t, v, i));
        ir_val index = x.v[x.n == 1 ? 0 : lane];
        uint64_t k;
        if (i > 1 && L->GetTypeKind(type) == LLVMStructTypeKind) {
            if (!ir_is_const(t->b, index, &k))
                return IR_NONE;
            offset += L->OffsetOfElement(t->m->layout, type, (unsigned)k);
            type = L->StructGetTypeAtIndex(type, (unsigned)k);
            continue;
        }
        if (i > 1)
            type = L->GetElementType(type);
        uint64_t size = L->ABISizeOfType(t->m->layout, type);
        if (ir_is_const(t->b, index, &k))
            offset += bits_low(bits_sext(bits_u64(k, 64), ir_width(t->b, index), 64)) * size;
        else
            address = ir_bin(t->b, OP_ADD, address, scaled(t, index, size));
    }
    return access_add(t, address, offset);
}

static bool element_addresses(struct translation *t, LLVMValueRef v, const struct shape *s, struct parts *out)
{
    *out = parts_new(t, s->n);
    for (uint32_t i = 0; i < s->n; i++)
        if ((out->v[i] = element_address(t, v, i)) == IR_NONE)
            return false;
    return true;
}

/* ---- loads and stores ---- */

/* Whether scalar i lies in the same bytes as the one before. */
static bool shares_bytes(const struct shape *s, uint32_t i)
{
    return i > 0 && s->scalar[i].lowest > 0 && s->scalar[i].offset == s->scalar[i - 1].offset;
}

struct parts access_load(struct translation *t, const struct shape *s, ir_val address, ir_val guard,
                         const struct parts *otherwise)
{
    struct parts out = parts_new(t, s->n);
    ir_val bytes = IR_NONE;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct scalar *c = &s->scalar[i];
        if (!shares_bytes(s, i)) {
            ir_val other = guard == IR_NONE
                               ? IR_NONE
                               : ir_const(t->b, c->bytes * 8u, 0); /* replaced by `otherwise` below */
            bytes = ir_load(t->b, 0, access_add(t, address, c->offset), c->bytes * 8u, guard, other);
            if (t->m->info.big_endian)
                bytes = arith_swap(t, bytes);
        }
        out.v[i] = ir_extract(t->b, bytes, c->lowest, c->width);
        if (guard != IR_NONE)
            out.v[i] = ir_ite(t->b, guard, out.v[i], otherwise->v[i]);
    }
    return out;
}

void access_store(struct translation *t, const struct shape *s, ir_val address, struct parts value,
                  ir_val guard)
{
    for (uint32_t i = 0, n; i < s->n; i += n) {
        const struct scalar *c = &s->scalar[i];
        ir_val bytes = value.v[i];
        for (n = 1; i + n < s->n && shares_bytes(s, i + n); n++)
            bytes = ir_bin(t->b, OP_CONCAT, value.v[i + n], bytes);
        bytes = ir_zext(t->b, bytes, c->bytes * 8u);
        if (t->m->info.big_endian)
            bytes = arith_swap(t, bytes);
        ir_store(t->b, 0, access_add(t, address, c->offset), bytes, guard);
    }
}

enum { PIECE = OP_MAX_WIDTH / 8 };

/* All is read before anything is written, as memmove does. */
void access_copy(struct translation *t, ir_val to, ir_val from, uint64_t bytes)
{
    uint32_t n = (uint32_t)((bytes + PIECE - 1) / PIECE);
    struct parts piece = parts_new(t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t left = bytes - (uint64_t)i * PIECE;
        piece.v[i] = ir_load(t->b, 0, access_add(t, from, (uint64_t)i * PIECE),
                             (unsigned)(left < PIECE ? left : PIECE) * 8, IR_NONE, IR_NONE);
    }
    for (uint32_t i = 0; i < n; i++)
        ir_store(t->b, 0, access_add(t, to, (uint64_t)i * PIECE), piece.v[i], IR_NONE);
}

void access_fill(struct translation *t, ir_val to, ir_val byte, uint64_t bytes)
{
    ir_val whole = byte;
    for (unsigned have = 1; have < PIECE; have *= 2)
        whole = ir_bin(t->b, OP_CONCAT, whole, whole);
    for (uint64_t at = 0; at < bytes; at += PIECE) {
        uint64_t left = bytes - at;
        ir_store(t->b, 0, access_add(t, to, at),
                 ir_extract(t->b, whole, 0, (unsigned)(left < PIECE ? left : PIECE) * 8), IR_NONE);
    }
}

/* ---- volatile: what is read is nobody's to predict, what is written is seen ---- */

static struct bits eval_read(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)arg;
    return bits_from_bytes(mem, OP_MAX_WIDTH / 8);
}

static struct bits eval_nothing(uint8_t *regs, const struct bits *arg, uint8_t *mem)
{
    (void)regs;
    (void)arg;
    (void)mem;
    return (struct bits){{0}};
}

static struct parts volatile_load(struct translation *t, const struct shape *s, ir_val address)
{
    struct parts out = parts_new(t, s->n);
    ir_val bytes = IR_NONE;
    for (uint32_t i = 0; i < s->n; i++) {
        const struct scalar *c = &s->scalar[i];
        if (!shares_bytes(s, i)) {
            ir_val at = access_add(t, address, c->offset);
            struct ir_event e = {.name = arena_printf(&t->m->arena, "volatile.load%u", c->bytes),
                                 .guard = IR_NONE,
                                 .mem_read = true,
                                 .mem_addr = at,
                                 .mem_bytes = c->bytes,
                                 .observable = true,
                                 .eval = eval_read};
            bytes = ir_event(t->b, &e, &at, 1, c->bytes * 8u);
            if (t->m->info.big_endian)
                bytes = arith_swap(t, bytes);
        }
        out.v[i] = ir_extract(t->b, bytes, c->lowest, c->width);
    }
    return out;
}

static void volatile_store(struct translation *t, const struct shape *s, ir_val address, struct parts value)
{
    access_store(t, s, address, value, IR_NONE);
    for (uint32_t i = 0; i < s->n; i++) {
        struct ir_event e = {.name = arena_printf(&t->m->arena, "volatile.store%u", s->scalar[i].width),
                             .guard = IR_NONE,
                             .mem_addr = IR_NONE,
                             .observable = true,
                             .eval = eval_nothing};
        ir_event(t->b, &e, (ir_val[]){access_add(t, address, s->scalar[i].offset), value.v[i]}, 2, 0);
    }
}

/* ---- atomics ---- */

static ir_val modified(struct translation *t, LLVMAtomicRMWBinOp op, const struct scalar *s, ir_val old,
                       ir_val v)
{
    struct ir_builder *b = t->b;
    switch (op) {
    case LLVMAtomicRMWBinOpXchg:
        return v;
    case LLVMAtomicRMWBinOpAdd:
        return ir_bin(b, OP_ADD, old, v);
    case LLVMAtomicRMWBinOpSub:
        return ir_bin(b, OP_SUB, old, v);
    case LLVMAtomicRMWBinOpAnd:
        return ir_bin(b, OP_AND, old, v);
    case LLVMAtomicRMWBinOpNand:
        return arith_not(t, ir_bin(b, OP_AND, old, v));
    case LLVMAtomicRMWBinOpOr:
        return ir_bin(b, OP_OR, old, v);
    case LLVMAtomicRMWBinOpXor:
        return ir_bin(b, OP_XOR, old, v);
    case LLVMAtomicRMWBinOpMax:
    case LLVMAtomicRMWBinOpMin:
        return arith_min_max(t, op == LLVMAtomicRMWBinOpMax, true, old, v);
    case LLVMAtomicRMWBinOpUMax:
    case LLVMAtomicRMWBinOpUMin:
        return arith_min_max(t, op == LLVMAtomicRMWBinOpUMax, false, old, v);
    case LLVMAtomicRMWBinOpFAdd:
        return s->kind == SCALAR_FLOAT ? arith_float(t, OP_FADD, old, v) : IR_NONE;
    case LLVMAtomicRMWBinOpFSub:
        return s->kind == SCALAR_FLOAT ? arith_float(t, OP_FSUB, old, v) : IR_NONE;
    default:
        return IR_NONE;
    }
}

static bool read_modify_write(struct translation *t, LLVMValueRef v, const struct shape *s, struct parts *out)
{
    ir_val address = translate_use_one(t, translate_operand(t, v, 0)), given = translate_use_one(t, translate_operand(t, v, 1));
    *out = t->L->GetVolatile(v) ? volatile_load(t, s, address) : access_load(t, s, address, IR_NONE, NULL);
    ir_val new = modified(t, t->L->GetAtomicRMWBinOp(v), &s->scalar[0], out->v[0], given);
    if (new == IR_NONE)
        return false;
    if (t->L->GetVolatile(v))
        volatile_store(t, s, address, parts_one(t, new));
    else
        access_store(t, s, address, parts_one(t, new), IR_NONE);
    return true;
}

/* It fails only where the values differ: the weak form may do so at other times, too. */
static struct parts compare_exchange(struct translation *t, LLVMValueRef v)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(translate_operand(t, v, 1)));
    ir_val address = translate_use_one(t, translate_operand(t, v, 0)), expected = translate_use_one(t, translate_operand(t, v, 1));
    struct parts old = access_load(t, s, address, IR_NONE, NULL), out = parts_new(t, 2);
    out.v[0] = old.v[0];
    out.v[1] = ir_bin(t->b, OP_EQ, old.v[0], expected);
    access_store(t, s, address, translate_use(t, translate_operand(t, v, 2)), out.v[1]);
    return out;
}

static void fence(struct translation *t, LLVMValueRef v)
{
    struct ir_event e = {
        .name = "fence", .guard = IR_NONE, .mem_addr = IR_NONE, .orders = true, .observable = true, .eval = eval_nothing};
    ir_val ordering = ir_const(t->b, 32, (uint64_t)t->L->GetOrdering(v));
    ir_event(t->b, &e, &ordering, 1, 0);
}

/* ---- the stack ---- */

/* Of a size that is not known, or not at the function's beginning: below everything so far. */
static struct parts allocate(struct translation *t, LLVMValueRef v)
{
    const struct llvm *L = t->L;
    uint64_t size = L->ABISizeOfType(t->m->layout, L->GetAllocatedType(v)), align = L->GetAlignment(v);
    if (align < 16)
        align = 16;
    ir_val bytes = scaled(t, translate_use_one(t, translate_operand(t, v, 0)), size);
    ir_val top = ir_bin(t->b, OP_SUB, ir_get(t->b, t->top, t->pointer), bytes);
    top = ir_bin(t->b, OP_AND, top, ir_const(t->b, t->pointer, -align));
    ir_put(t->b, t->top, top);
    return parts_one(t, top);
}

bool access_instruction(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out)
{
    const struct shape *s = shape_of(t->m, t->L->TypeOf(v));
    *out = (struct parts){0};
    switch (op) {
    case LLVMGetElementPtr:
        return element_addresses(t, v, s, out);
    case LLVMAlloca: {
        struct home *h = layout_home(t, v);
        if (!h || !h->below)
            *out = allocate(t, v);
        return true;
    }
    case LLVMLoad: {
        ir_val address = translate_use_one(t, translate_operand(t, v, 0));
        *out =
            t->L->GetVolatile(v) ? volatile_load(t, s, address) : access_load(t, s, address, IR_NONE, NULL);
        return true;
    }
    case LLVMStore: {
        const struct shape *stored = shape_of(t->m, t->L->TypeOf(translate_operand(t, v, 0)));
        struct parts value = translate_use(t, translate_operand(t, v, 0));
        ir_val address = translate_use_one(t, translate_operand(t, v, 1));
        if (t->L->GetVolatile(v))
            volatile_store(t, stored, address, value);
        else
            access_store(t, stored, address, value, IR_NONE);
        return true;
    }
    case LLVMAtomicRMW:
        return s->n == 1 && read_modify_write(t, v, s, out);
    case LLVMAtomicCmpXchg:
        *out = compare_exchange(t, v);
        return true;
    case LLVMFence:
        fence(t, v);
        return true;
    default:
        return false;
    }
}
