/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Types from DWARF. A type is a node made when it is first referred to and filled from a work list, so types
 * that contain themselves (through pointers, or by a lie) need no recursion. When the list is empty, typedefs
 * and qualifiers take over what they stand for, arrays get their size, and unnamed types a name. */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "object/debug.h"

/* How far a chain of typedefs, or of pointers for a name, is followed. */
enum { CHAIN_LIMIT = 64, NAME_LIMIT = 8, FIELD_LIMIT = 1 << 16, DIMENSION_LIMIT = 16 };

static struct type_node *node_for(struct debug *d, Dwarf_Die *die)
{
    uint64_t known;
    if (map_get(&d->type, (uintptr_t)die->addr, &known))
        return (struct type_node *)(uintptr_t)known;
    struct type_node *n = arena_new(&d->arena, struct type_node);
    n->info.kind = TYPE_OTHER;
    map_set(&d->type, (uintptr_t)die->addr, (uintptr_t)n);
    vec_push(&d->fresh, n);
    vec_push(&d->fresh_die, *die);
    return n;
}

/* The node a DIE's DW_AT_type leads to; NULL for none (void). */
static struct type_node *referred(struct debug *d, Dwarf_Die *die)
{
    Dwarf_Attribute a;
    Dwarf_Die target, whole;
    if (!dwarf_attr_integrate(die, DW_AT_type, &a) || !dwarf_formref_die(&a, &target))
        return NULL;
    /* A stub for a type that has a unit of its own (-fdebug-types-section). */
    if (dwarf_attr(&target, DW_AT_signature, &a) && dwarf_formref_die(&a, &whole))
        target = whole;
    return node_for(d, &target);
}

static bool number(Dwarf_Die *die, unsigned attribute, uint64_t *out)
{
    Dwarf_Attribute a;
    Dwarf_Word value;
    if (!dwarf_attr(die, attribute, &a) || dwarf_formudata(&a, &value) != 0)
        return false;
    *out = value;
    return true;
}

static void fill_base(struct type_node *n, Dwarf_Die *die)
{
    uint64_t encoding = 0;
    number(die, DW_AT_encoding, &encoding);
    n->info.bit_int = n->info.name && strstr(n->info.name, "_BitInt");
    switch (encoding) {
    case DW_ATE_boolean:
        n->info.kind = TYPE_BOOL;
        break;
    case DW_ATE_float:
        n->info.kind = TYPE_FLOAT;
        break;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
        n->info.is_signed = true;
        n->info.kind = TYPE_INT;
        break;
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
    case DW_ATE_address:
        n->info.kind = TYPE_INT;
        break;
    default:
        break;
    }
}

/* Where a member begins: a constant, or the one operation older compilers wrote. */
static uint64_t member_offset(Dwarf_Die *die)
{
    uint64_t offset;
    if (number(die, DW_AT_data_member_location, &offset))
        return offset;
    Dwarf_Attribute a;
    Dwarf_Op *op;
    size_t count;
    if (dwarf_attr(die, DW_AT_data_member_location, &a) && dwarf_getlocation(&a, &op, &count) == 0 &&
        count == 1 && op[0].atom == DW_OP_plus_uconst)
        return op[0].number;
    return 0;
}

static void member_bits(Dwarf_Die *die, struct object_field *f)
{
    uint64_t size, at;
    if (!number(die, DW_AT_bit_size, &size) || size == 0 || size > 64)
        return;
    if (!number(die, DW_AT_data_bit_offset, &at)) {
        /* DWARF 2 counts from the most significant bit of a storage unit of DW_AT_byte_size. */
        uint64_t from_top, storage;
        if (!number(die, DW_AT_bit_offset, &from_top) || !number(die, DW_AT_byte_size, &storage) ||
            storage > 16 || from_top + size > storage * 8)
            return;
        at = f->offset * 8 + storage * 8 - from_top - size;
    }
    f->offset = at / 8;
    f->bit_offset = (unsigned)(at % 8);
    f->bit_size = (unsigned)size;
}

static void fill_members(struct debug *d, struct type_node *n, Dwarf_Die *die)
{
    VEC(struct object_field) field = VEC_INIT;
    Dwarf_Die child;
    bool more = dwarf_child(die, &child) == 0;
    while (more && d->budget && field.len < FIELD_LIMIT) {
        d->budget--;
        int tag = dwarf_tag(&child);
        if ((tag == DW_TAG_member && !dwarf_hasattr(&child, DW_AT_external)) || tag == DW_TAG_inheritance) {
            struct type_node *t = referred(d, &child);
            struct object_field f = {
                .name = dwarf_diename(&child), .offset = member_offset(&child), .type = t ? &t->info : NULL};
            member_bits(&child, &f);
            vec_push(&field, f);
        }
        Dwarf_Die next;
        more = dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr > (const char *)child.addr;
        child = next;
    }
    n->info.field = field.len ? arena_dup(&d->arena, field.data, field.len * sizeof *field.data) : NULL;
    n->info.nfields = field.len;
    vec_free(&field);
}

static uint64_t dimension(Dwarf_Die *die)
{
    uint64_t count, upper;
    if (number(die, DW_AT_count, &count))
        return count;
    /* An array of no elements has upper bound -1. */
    if (number(die, DW_AT_upper_bound, &upper) && upper < UINT64_C(1) << 48)
        return upper + 1;
    return 0;
}

/* int a[2][3] is one DIE with two subranges; here it is an array of two arrays of three. */
static void fill_array(struct debug *d, struct type_node *n, Dwarf_Die *die)
{
    uint64_t count[DIMENSION_LIMIT];
    size_t dimensions = 0;
    Dwarf_Die child;
    bool more = dwarf_child(die, &child) == 0;
    while (more && d->budget && dimensions < DIMENSION_LIMIT) {
        d->budget--;
        if (dwarf_tag(&child) == DW_TAG_subrange_type || dwarf_tag(&child) == DW_TAG_enumeration_type)
            count[dimensions++] = dimension(&child);
        Dwarf_Die next;
        more = dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr > (const char *)child.addr;
        child = next;
    }
    struct type_node *element = referred(d, die);
    n->info.kind = TYPE_ARRAY;
    n->computed_size = n->info.size == 0;
    n->info.count = dimensions ? count[0] : 0;
    struct type_node *outer = n;
    for (size_t i = 1; i < dimensions; i++) {
        struct type_node *inner = arena_new(&d->arena, struct type_node);
        inner->info.kind = TYPE_ARRAY;
        inner->info.count = count[i];
        inner->computed_size = true;
        outer->info.target = &inner->info;
        outer = inner;
    }
    outer->info.target = element ? &element->info : NULL;
}

static void fill_parameters(struct debug *d, struct type_node *n, Dwarf_Die *die)
{
    VEC(const struct object_type_info *) param = VEC_INIT;
    Dwarf_Die child;
    bool more = dwarf_child(die, &child) == 0;
    while (more && d->budget && param.len < FIELD_LIMIT) {
        d->budget--;
        if (dwarf_tag(&child) == DW_TAG_formal_parameter) {
            struct type_node *t = referred(d, &child);
            vec_push(&param, t ? &t->info : NULL);
        }
        Dwarf_Die next;
        more = dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr > (const char *)child.addr;
        child = next;
    }
    n->info.count = param.len;
    n->info.param = param.len ? arena_dup(&d->arena, param.data, param.len * sizeof *param.data) : NULL;
    vec_free(&param);
}

static void make_alias(struct debug *d, struct type_node *n, Dwarf_Die *die, const char *prefix)
{
    n->is_alias = true;
    n->alias = referred(d, die);
    n->prefix = prefix;
}

static void fill_tagged(struct debug *d, struct type_node *n, Dwarf_Die *die, enum object_type_kind kind,
                        const char *word)
{
    n->info.kind = kind;
    const char *name = dwarf_diename(die);
    n->info.name = name ? arena_printf(&d->arena, "%s %s", word, name) : arena_strdup(&d->arena, word);
    if (kind != TYPE_ENUM)
        fill_members(d, n, die);
}

static void fill(struct debug *d, struct type_node *n, Dwarf_Die *die)
{
    n->info.name = dwarf_diename(die);
    number(die, DW_AT_byte_size, &n->info.size);
    switch (dwarf_tag(die)) {
    case DW_TAG_base_type:
        fill_base(n, die);
        break;
    case DW_TAG_unspecified_type:
        n->info.kind = TYPE_OTHER;
        break;
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type: {
        n->info.kind = TYPE_POINTER;
        struct type_node *t = referred(d, die);
        n->info.target = t ? &t->info : NULL;
        Dwarf_Die unit;
        uint8_t address_size = 0;
        if (!n->info.size && dwarf_diecu(die, &unit, &address_size, NULL))
            n->info.size = address_size;
        break;
    }
    case DW_TAG_structure_type:
        fill_tagged(d, n, die, TYPE_STRUCT, "struct");
        break;
    case DW_TAG_class_type:
        fill_tagged(d, n, die, TYPE_STRUCT, "class");
        break;
    case DW_TAG_union_type:
        fill_tagged(d, n, die, TYPE_UNION, "union");
        break;
    case DW_TAG_enumeration_type: {
        fill_tagged(d, n, die, TYPE_ENUM, "enum");
        Dwarf_Attribute a;
        Dwarf_Die base;
        uint64_t encoding;
        if (dwarf_attr(die, DW_AT_type, &a) && dwarf_formref_die(&a, &base) &&
            number(&base, DW_AT_encoding, &encoding))
            n->info.is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
        break;
    }
    case DW_TAG_array_type:
        fill_array(d, n, die);
        break;
    case DW_TAG_subroutine_type: {
        n->info.kind = TYPE_FUNC;
        struct type_node *t = referred(d, die);
        n->info.target = t ? &t->info : NULL;
        fill_parameters(d, n, die);
        break;
    }
    case DW_TAG_typedef:
        make_alias(d, n, die, NULL);
        break;
    case DW_TAG_const_type:
        make_alias(d, n, die, "const ");
        break;
    case DW_TAG_volatile_type:
        make_alias(d, n, die, "volatile ");
        break;
    case DW_TAG_restrict_type:
    case DW_TAG_atomic_type:
        make_alias(d, n, die, "");
        break;
    default:
        break;
    }
}

static struct type_node *node_of(const struct object_type_info *t)
{
    /* info is the first member; every public type is part of a node of ours. */
    return (struct type_node *)(uintptr_t)t;
}

static void settle_alias(struct type_node *n)
{
    struct type_node *t = n;
    for (int i = 0; i < CHAIN_LIMIT && t && t->is_alias; i++)
        t = t->alias;
    const char *name = n->info.name;
    if (!t)
        n->info = (struct object_type_info){.kind = TYPE_VOID};
    else if (t->is_alias)
        n->info = (struct object_type_info){.kind = TYPE_OTHER};
    else
        n->info = t->info;
    n->info.name = name;
}

static void settle_size(struct type_node *n)
{
    /* From the innermost array outward; other elements know their size. */
    struct type_node *chain[CHAIN_LIMIT];
    size_t depth = 0;
    struct type_node *t = n;
    while (t && t->info.kind == TYPE_ARRAY && t->computed_size && !t->info.size && depth < CHAIN_LIMIT) {
        chain[depth++] = t;
        t = t->info.target ? node_of(t->info.target) : NULL;
    }
    uint64_t size = t ? t->info.size : 0;
    while (depth-- > 0) {
        if (__builtin_mul_overflow(size, chain[depth]->info.count, &size))
            size = 0;
        chain[depth]->info.size = size;
    }
}

static const char *settle_name(struct debug *d, struct type_node *n, int depth)
{
    if (n->named)
        return n->info.name;
    if (depth > NAME_LIMIT)
        return "...";
    const struct object_type_info *t = n->info.target;
    const char *target = "void";
    if (n->is_alias) {
        if (n->info.name || !n->prefix) {
            n->named = true;
            return n->info.name;
        }
        target = n->alias ? settle_name(d, n->alias, depth + 1) : "void";
        n->info.name = arena_printf(&d->arena, "%s%s", n->prefix, target ? target : "?");
    } else if (n->info.kind == TYPE_POINTER && !n->info.name) {
        if (t)
            target = settle_name(d, node_of(t), depth + 1);
        if (!target)
            target = "?";
        bool star = *target && target[strlen(target) - 1] == '*';
        n->info.name = t && t->kind == TYPE_FUNC ? "function *"
                                                 : arena_printf(&d->arena, "%s%s*", target, star ? "" : " ");
    } else if (n->info.kind == TYPE_ARRAY && !n->info.name) {
        target = t ? settle_name(d, node_of(t), depth + 1) : "?";
        n->info.name = arena_printf(&d->arena, "%s[%" PRIu64 "]", target ? target : "?", n->info.count);
    } else if (n->info.kind == TYPE_FUNC && !n->info.name) {
        n->info.name = "function";
    }
    n->named = true;
    return n->info.name;
}

const struct object_type_info *debug_type(struct debug *d, Dwarf_Die *die)
{
    struct type_node *wanted = referred(d, die);
    if (!wanted || !d->fresh.len)
        return wanted && wanted->info.kind == TYPE_VOID && wanted->is_alias ? NULL
               : wanted                                                     ? &wanted->info
                                                                            : NULL;
    for (size_t i = 0; i < d->fresh.len; i++) {
        Dwarf_Die at = d->fresh_die.data[i];
        if (d->budget) {
            d->budget--;
            fill(d, d->fresh.data[i], &at);
        }
    }
    for (size_t i = 0; i < d->fresh.len; i++)
        if (d->fresh.data[i]->is_alias)
            settle_alias(d->fresh.data[i]);
    for (size_t i = 0; i < d->fresh.len; i++)
        settle_size(d->fresh.data[i]);
    /* A typedef of an array took over the array before it had a size. */
    for (size_t i = 0; i < d->fresh.len; i++)
        if (d->fresh.data[i]->is_alias)
            settle_alias(d->fresh.data[i]);
    for (size_t i = 0; i < d->fresh.len; i++)
        settle_name(d, d->fresh.data[i], 0);
    vec_clear(&d->fresh);
    vec_clear(&d->fresh_die);
    return wanted->info.kind == TYPE_VOID && wanted->is_alias ? NULL : &wanted->info;
}
