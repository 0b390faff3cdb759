/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types as lists of scalars. */
#include "lift/llvm/internal.h"

enum { SCALARS_MAX = 4096, NEST_MAX = 32 };

typedef VEC(struct scalar) scalar_list;

static bool add(struct bitcode *m, LLVMTypeRef type, uint64_t at, scalar_list *out, unsigned depth);

static bool add_scalar(struct bitcode *m, LLVMTypeRef type, unsigned kind, uint64_t at, scalar_list *out)
{
    uint64_t width = m->L.SizeOfTypeInBits(m->layout, type);
    if (width == 0 || width > OP_MAX_WIDTH || out->len == SCALARS_MAX)
        return false;
    uint16_t bytes = (uint16_t)((width + 7) / 8);
    vec_push(out, (struct scalar){(uint8_t)kind, (uint16_t)width, at, bytes, 0});
    return true;
}

/* Lanes lie next to each other without padding, bit by bit when they are not whole bytes. */
static bool add_vector(struct bitcode *m, LLVMTypeRef type, uint64_t at, scalar_list *out, unsigned depth)
{
    LLVMTypeRef element = m->L.GetElementType(type);
    unsigned n = m->L.GetVectorSize(type);
    uint64_t width = m->L.SizeOfTypeInBits(m->layout, element);
    if (width % 8 == 0) {
        for (unsigned i = 0; i < n; i++)
            if (!add(m, element, at + i * width / 8, out, depth + 1))
                return false;
        return true;
    }
    size_t first = out->len;
    if (width * n > OP_MAX_WIDTH || m->info.big_endian)
        return false;
    for (unsigned i = 0; i < n; i++)
        if (!add(m, element, at, out, depth + 1))
            return false;
    for (unsigned i = 0; i < n; i++) {
        out->data[first + i].bytes = (uint16_t)((width * n + 7) / 8);
        out->data[first + i].lowest = (uint16_t)(i * width);
    }
    return true;
}

static bool add(struct bitcode *m, LLVMTypeRef type, uint64_t at, scalar_list *out, unsigned depth)
{
    const struct llvm *L = &m->L;
    if (depth > NEST_MAX)
        return false;
    switch (L->GetTypeKind(type)) {
    case LLVMIntegerTypeKind:
        return add_scalar(m, type, SCALAR_INT, at, out);
    case LLVMPointerTypeKind:
        /* Other address spaces are other memories only on machines with 16-bit or fat pointers. */
        return L->PointerSizeForAS(m->layout, L->GetPointerAddressSpace(type)) * 8 == m->info.pointer_width &&
               add_scalar(m, type, SCALAR_POINTER, at, out);
    case LLVMHalfTypeKind:
    case LLVMFloatTypeKind:
    case LLVMDoubleTypeKind:
    case LLVMFP128TypeKind:
        return add_scalar(m, type, SCALAR_FLOAT, at, out);
    case LLVMX86_FP80TypeKind:
        return add_scalar(m, type, SCALAR_X87, at, out);
    case LLVMBFloatTypeKind:
        return add_scalar(m, type, SCALAR_BFLOAT, at, out);
    case LLVMX86_MMXTypeKind:
        return add_scalar(m, type, SCALAR_INT, at, out);
    case LLVMVectorTypeKind:
        return add_vector(m, type, at, out, depth);
    case LLVMArrayTypeKind: {
        LLVMTypeRef element = L->GetElementType(type);
        uint64_t n = L->GetArrayLength2(type);
        if (n > SCALARS_MAX)
            return false;
        uint64_t size = n ? L->ABISizeOfType(m->layout, element) : 0;
        for (uint64_t i = 0; i < n; i++)
            if (!add(m, element, at + i * size, out, depth + 1))
                return false;
        return true;
    }
    case LLVMStructTypeKind: {
        if (!L->TypeIsSized(type))
            return false;
        unsigned n = L->CountStructElementTypes(type);
        for (unsigned i = 0; i < n; i++)
            if (!add(m, L->StructGetTypeAtIndex(type, i), at + L->OffsetOfElement(m->layout, type, i), out,
                     depth + 1))
                return false;
        return true;
    }
    case LLVMVoidTypeKind:
        return true;
    default:
        return false;
    }
}

const struct shape *shape_of(struct bitcode *m, LLVMTypeRef type)
{
    uint64_t known;
    if (map_get(&m->shapes, (uint64_t)(uintptr_t)type, &known))
        return (const struct shape *)(uintptr_t)known;
    scalar_list list = VEC_INIT;
    struct shape *s = NULL;
    if (add(m, type, 0, &list, 0)) {
        s = arena_new(&m->arena, struct shape);
        s->n = (uint32_t)list.len;
        s->scalar = arena_dup(&m->arena, list.data, list.len * sizeof *list.data);
        s->size = m->L.GetTypeKind(type) == LLVMVoidTypeKind ? 0 : m->L.ABISizeOfType(m->layout, type);
    }
    vec_free(&list);
    map_set(&m->shapes, (uint64_t)(uintptr_t)type, (uint64_t)(uintptr_t)s);
    return s;
}

uint32_t shape_member(struct bitcode *m, LLVMTypeRef type, unsigned i, LLVMTypeRef *member)
{
    uint32_t first = 0;
    if (m->L.GetTypeKind(type) == LLVMStructTypeKind) {
        for (unsigned k = 0; k < i; k++)
            first += shape_of(m, m->L.StructGetTypeAtIndex(type, k))->n;
        *member = m->L.StructGetTypeAtIndex(type, i);
        return first;
    }
    *member = m->L.GetElementType(type);
    return i * shape_of(m, *member)->n;
}
