/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constants and what initialisers hold. */
#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "lift/llvm/internal.h"

enum { BLOB_MAX = 64 << 20, DEPTH_MAX = 64 };

/* An address in the contents of a global. */
struct pointer {
    uint64_t at;
    const char *symbol; /* NULL: not known what is there */
    uint64_t addend;
    unsigned bytes;
};

/* The contents of a global. */
struct blob {
    uint8_t *bytes;
    uint64_t size;
    VEC(struct pointer) pointer; /* in order of their places */
};

/* The C interface has no way to the words of a wide integer: it is printed in decimal, and read. */
static bool wide_integer(struct bitcode *m, LLVMValueRef c, unsigned width, struct bits *out)
{
    char *text = m->L.PrintValueToString(c);
    const char *p = strchr(text, ' ');
    struct bits v = {{0}};
    bool negative = p && p[1] == '-', ok = p != NULL;
    for (p = ok ? p + 1 + negative : ""; *p >= '0' && *p <= '9'; p++)
        v = bits_add(bits_mul(v, bits_u64(10, 64)), bits_u64((uint64_t)(*p - '0'), 64));
    ok = ok && *p == 0;
    *out = bits_mask(negative ? bits_sub(bits_u64(0, 64), v) : v, width);
    m->L.DisposeMessage(text);
    return ok;
}

bool constant_bits(struct bitcode *m, LLVMValueRef c, struct bits *out)
{
    const struct llvm *L = &m->L;
    LLVMTypeRef type = L->TypeOf(c);
    if (L->GetValueKind(c) == LLVMConstantFPValueKind) {
        unsigned width = (unsigned)L->SizeOfTypeInBits(m->layout, type);
        c = L->ConstBitCast(c, L->IntTypeInContext(m->context, width));
        type = L->TypeOf(c);
    }
    if (L->GetValueKind(c) != LLVMConstantIntValueKind || L->GetTypeKind(type) != LLVMIntegerTypeKind)
        return false;
    unsigned width = L->GetIntTypeWidth(type);
    if (width > OP_MAX_WIDTH)
        return false;
    if (width > 64)
        return wide_integer(m, c, width, out);
    *out = bits_u64(L->ConstIntGetZExtValue(c), width);
    return true;
}

/* The constant offset of a getelementptr. */
static bool constant_offset(struct bitcode *m, LLVMValueRef gep, uint64_t *out)
{
    const struct llvm *L = &m->L;
    LLVMTypeRef type = L->GetGEPSourceElementType(gep);
    unsigned n = (unsigned)L->GetNumOperands(gep);
    *out = 0;
    for (unsigned i = 1; i < n; i++) {
        struct bits index;
        LLVMValueRef c = L->GetOperand(gep, i);
        if (!constant_bits(m, c, &index))
            return false;
        uint64_t k = bits_low(bits_sext(index, L->GetIntTypeWidth(L->TypeOf(c)), 64));
        if (i > 1) {
            if (L->GetTypeKind(type) == LLVMStructTypeKind) {
                *out += L->OffsetOfElement(m->layout, type, (unsigned)k);
                type = L->StructGetTypeAtIndex(type, (unsigned)k);
                continue;
            }
            type = L->GetElementType(type);
        }
        *out += k * L->ABISizeOfType(m->layout, type);
    }
    return true;
}

bool constant_address(struct bitcode *m, LLVMValueRef c, const char **symbol, uint64_t *offset, unsigned fuel)
{
    const struct llvm *L = &m->L;
    struct bits v;
    const char *other;
    uint64_t more;
    *symbol = NULL;
    *offset = 0;
    if (fuel == 0)
        return false;
    switch (L->GetValueKind(c)) {
    case LLVMConstantPointerNullValueKind:
        return true;
    case LLVMConstantIntValueKind:
        if (!constant_bits(m, c, &v))
            return false;
        *offset = bits_low(v);
        return true;
    case LLVMFunctionValueKind:
    case LLVMGlobalVariableValueKind:
    case LLVMGlobalIFuncValueKind:
        *symbol = module_name(m, c);
        return true;
    case LLVMBlockAddressValueKind:
        return map_get(&m->block_label, (uint64_t)(uintptr_t)L->GetBlockAddressBasicBlock(c), offset);
    case LLVMGlobalAliasValueKind:
        return constant_address(m, L->AliasGetAliasee(c), symbol, offset, fuel - 1);
    case LLVMConstantExprValueKind:
        break;
    default:
        return false;
    }
    LLVMValueRef x = L->GetOperand(c, 0);
    switch (L->GetConstOpcode(c)) {
    case LLVMBitCast:
    case LLVMAddrSpaceCast:
        return constant_address(m, x, symbol, offset, fuel - 1);
    case LLVMPtrToInt:
    case LLVMIntToPtr:
        return L->SizeOfTypeInBits(m->layout, L->TypeOf(c)) == m->info.pointer_width &&
               constant_address(m, x, symbol, offset, fuel - 1);
    case LLVMGetElementPtr:
        if (L->GetTypeKind(L->TypeOf(c)) != LLVMPointerTypeKind ||
            !constant_address(m, x, symbol, offset, fuel - 1) || !constant_offset(m, c, &more))
            return false;
        *offset += more;
        return true;
    case LLVMAdd:
    case LLVMSub: {
        if (!constant_address(m, x, symbol, offset, fuel - 1) ||
            !constant_address(m, L->GetOperand(c, 1), &other, &more, fuel - 1) || other)
            return false;
        *offset += L->GetConstOpcode(c) == LLVMAdd ? more : -more;
        return true;
    }
    default:
        return false;
    }
}

static void put_bytes(struct bitcode *m, struct blob *b, uint64_t at, struct bits v, unsigned bytes)
{
    uint8_t little[OP_MAX_WIDTH / 8];
    if (at > b->size || bytes > b->size - at)
        return;
    bits_to_bytes(v, little, bytes);
    for (unsigned i = 0; i < bytes; i++)
        b->bytes[at + i] = little[m->info.big_endian ? bytes - 1 - i : i];
}

static void put_constant(struct bitcode *m, struct blob *b, uint64_t at, LLVMValueRef c, unsigned depth)
{
    const struct llvm *L = &m->L;
    LLVMTypeRef type = L->TypeOf(c);
    uint64_t size = L->StoreSizeOfType(m->layout, type);
    struct bits v;
    if (depth > DEPTH_MAX)
        return;
    switch (L->GetValueKind(c)) {
    case LLVMConstantAggregateZeroValueKind:
    case LLVMConstantPointerNullValueKind:
    case LLVMUndefValueValueKind:
    case LLVMPoisonValueValueKind:
        return;
    case LLVMConstantIntValueKind:
    case LLVMConstantFPValueKind:
        if (constant_bits(m, c, &v)) {
            put_bytes(m, b, at, v, (unsigned)size);
            return;
        }
        break;
    case LLVMConstantDataArrayValueKind:
        if (L->IsConstantString(c)) {
            size_t n;
            const char *s = L->GetAsString(c, &n);
            if (at <= b->size && n <= b->size - at)
                memcpy(b->bytes + at, s, n);
            return;
        }
        /* fall through */
    case LLVMConstantArrayValueKind:
    case LLVMConstantDataVectorValueKind:
    case LLVMConstantVectorValueKind: {
        bool vector = L->GetTypeKind(type) == LLVMVectorTypeKind;
        LLVMTypeRef element = L->GetElementType(type);
        uint64_t n = vector ? L->GetVectorSize(type) : L->GetArrayLength2(type);
        uint64_t bits = L->SizeOfTypeInBits(m->layout, element);
        if (vector && bits % 8)
            break;
        uint64_t step = vector ? bits / 8 : L->ABISizeOfType(m->layout, element);
        for (uint64_t i = 0; i < n; i++)
            put_constant(m, b, at + i * step, L->GetAggregateElement(c, (unsigned)i), depth + 1);
        return;
    }
    case LLVMConstantStructValueKind: {
        unsigned n = L->CountStructElementTypes(type);
        for (unsigned i = 0; i < n; i++)
            put_constant(m, b, at + L->OffsetOfElement(m->layout, type, i), L->GetAggregateElement(c, i),
                         depth + 1);
        return;
    }
    default: {
        struct pointer p = {.at = at, .bytes = (unsigned)size};
        if (constant_address(m, c, &p.symbol, &p.addend, DEPTH_MAX)) {
            if (!p.symbol) {
                put_bytes(m, b, at, bits_u64(p.addend, (unsigned)size * 8), (unsigned)size);
                return;
            }
            vec_push(&b->pointer, p);
            return;
        }
        break;
    }
    }
    vec_push(&b->pointer, (struct pointer){.at = at, .bytes = (unsigned)size});
}

static const struct blob *blob_of(struct bitcode *m, LLVMValueRef global)
{
    uint64_t known;
    const struct llvm *L = &m->L;
    if (map_get(&m->blobs, (uint64_t)(uintptr_t)global, &known))
        return (const struct blob *)(uintptr_t)known;
    struct blob *b = NULL;
    LLVMValueRef init =
        L->GetValueKind(global) == LLVMGlobalVariableValueKind ? L->GetInitializer(global) : NULL;
    uint64_t size = init ? L->ABISizeOfType(m->layout, L->TypeOf(init)) : 0;
    if (init && size <= BLOB_MAX) {
        b = xcalloc(1, sizeof *b);
        b->size = size;
        b->bytes = xcalloc(size ? size : 1, 1);
        put_constant(m, b, 0, init, 0);
    }
    map_set(&m->blobs, (uint64_t)(uintptr_t)global, (uint64_t)(uintptr_t)b);
    return b;
}

static LLVMValueRef find(const struct bitcode *m, const char *symbol)
{
    return (LLVMValueRef)(uintptr_t)strmap_find(&m->globals, symbol, 0);
}

bool bitcode_symbol(const struct bitcode *m, const char *name, struct bitcode_symbol *out)
{
    const struct llvm *L = &m->L;
    LLVMValueRef g = find(m, name);
    if (!g)
        return false;
    LLVMLinkage linkage = L->GetLinkage(g);
    *out = (struct bitcode_symbol){.name = name, .weak = linkage == LLVMExternalWeakLinkage};
    out->function = L->GetValueKind(g) != LLVMGlobalVariableValueKind;
    if (out->function)
        return true;
    /* A definition that another one may replace when linking says nothing. */
    bool replaced = linkage == LLVMWeakAnyLinkage || linkage == LLVMLinkOnceAnyLinkage ||
                    linkage == LLVMCommonLinkage || linkage == LLVMExternalWeakLinkage;
    LLVMTypeRef type = L->GlobalGetValueType(g);
    out->initialised = L->GetInitializer(g) != NULL;
    out->constant = L->IsGlobalConstant(g) && out->initialised && !replaced && !L->IsExternallyInitialized(g);
    out->align = L->GetAlignment(g);
    if (L->TypeIsSized(type)) {
        uint32_t natural = L->ABIAlignmentOfType(m->layout, type);
        out->size = L->ABISizeOfType(m->layout, type);
        out->align = out->align ? out->align : natural;
    }
    out->align = out->align ? out->align : 1;
    return true;
}

bool bitcode_data(struct bitcode *m, const char *symbol, uint64_t offset, unsigned bytes,
                  struct bitcode_datum *out)
{
    LLVMValueRef g = find(m, symbol);
    const struct blob *b = g ? blob_of(m, g) : NULL;
    if (!b || offset > b->size || bytes > b->size - offset || bytes == 0 || bytes > OP_MAX_WIDTH / 8)
        return false;
    *out = (struct bitcode_datum){0};
    /* the first that ends after the offset */
    size_t lo =
        partition_point(b->pointer.len, i, b->pointer.data[i].at + b->pointer.data[i].bytes <= offset);
    if (lo < b->pointer.len && b->pointer.data[lo].at < offset + bytes) {
        const struct pointer *p = &b->pointer.data[lo];
        out->symbol = p->symbol;
        out->value = bits_u64(p->addend, bytes * 8);
        return p->symbol && p->at == offset && p->bytes == bytes && !m->info.big_endian;
    }
    out->value = bits_from_bytes(b->bytes + offset, bytes);
    return true;
}

const char *bitcode_string(struct bitcode *m, const char *symbol, uint64_t offset, size_t *len)
{
    struct bitcode_symbol s;
    LLVMValueRef g = find(m, symbol);
    const struct blob *b = g && bitcode_symbol(m, symbol, &s) && s.constant ? blob_of(m, g) : NULL;
    if (!b || offset >= b->size)
        return NULL;
    const uint8_t *end = memchr(b->bytes + offset, 0, b->size - offset);
    if (!end)
        return NULL;
    for (size_t i = 0; i < b->pointer.len; i++)
        if (b->pointer.data[i].at + b->pointer.data[i].bytes > offset &&
            b->pointer.data[i].at < (uint64_t)(end - b->bytes))
            return NULL;
    *len = (size_t)(end - (b->bytes + offset));
    return (const char *)b->bytes + offset;
}

void data_free(struct bitcode *m)
{
    uint64_t v;
    for (size_t i = 0; (i = map_next(&m->blobs, i, NULL, &v));) {
        struct blob *b = (struct blob *)(uintptr_t)v;
        if (!b)
            continue;
        vec_free(&b->pointer);
        free(b->bytes);
        free(b);
    }
    map_free(&m->blobs);
}
