/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug/variable.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VARIABLES = 256, ELEMENTS = 16, DEPTH = 4, TEXT = 64 };

/* ---- registers as DWARF numbers them (the processor supplements of the ABI) ---- */

static bool numbered(const struct ir_machine *m, unsigned number, uint16_t *offset, uint16_t *width)
{
    static const char *const amd64[] = {"rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"};
    static const char *const x86[] = {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi"};
    char name[16] = "";
    switch (m->arch) {
    case MACHINE_AMD64:
        if (number < 8)
            snprintf(name, sizeof name, "%s", amd64[number]);
        else if (number < 16)
            snprintf(name, sizeof name, "r%u", number);
        else if (number >= 17 && number < 33)
            snprintf(name, sizeof name, "xmm%u", number - 17);
        break;
    case MACHINE_X86:
        if (number < 8)
            snprintf(name, sizeof name, "%s", x86[number]);
        else if (number >= 21 && number < 29)
            snprintf(name, sizeof name, "xmm%u", number - 21);
        break;
    case MACHINE_ARM:
        if (number < 16)
            snprintf(name, sizeof name, "r%u", number);
        else if (number >= 64 && number < 96)
            snprintf(name, sizeof name, "s%u", number - 64);
        else if (number >= 256 && number < 288)
            snprintf(name, sizeof name, "d%u", number - 256);
        break;
    case MACHINE_ARM64:
        if (number < 31)
            snprintf(name, sizeof name, "x%u", number);
        else if (number == 31)
            snprintf(name, sizeof name, "sp");
        else if (number >= 64 && number < 96)
            snprintf(name, sizeof name, "q%u", number - 64);
        break;
    default:
        break;
    }
    return *name && machine_register_find(m, name, offset, width);
}

static bool view_get(void *ctx, unsigned number, uint64_t *out)
{
    const struct debuggee *d = ctx;
    uint16_t offset, width;
    if (!numbered(d->m, number, &offset, &width))
        return false;
    *out = bits_low(debuggee_get(d, offset, width < 64 ? width : 64));
    return true;
}

static bool view_load(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    uint8_t data[8] = {0};
    bool known;
    debuggee_peek(ctx, address, data, bytes, &known);
    *out = bits_low(bits_from_bytes(data, bytes));
    return known;
}

static struct variable place_of(struct debuggee *d, const struct object_variable *v, uint64_t address)
{
    struct variable out = {.type = v->type};
    uint64_t sp = d->frame.len ? vec_last(&d->frame).sp : d->entry_sp;
    struct object_view view = {.ctx = d,
                               .cfa = debuggee_mask(d, sp + d->m->call_pushes),
                               .pointer_bytes = d->m->pointer_width / 8,
                               .get = view_get,
                               .load = view_load};
    struct object_place p = object_debug_place(d->o, v, address, &view);
    uint16_t offset, width;
    out.kind = p.kind;
    out.at = p.value;
    if (p.kind == PLACE_REGISTER) {
        if (numbered(d->m, (unsigned)p.value, &offset, &width) && (!v->type || v->type->size * 8 <= width))
            out.at = offset;
        else
            out.kind = PLACE_NONE;
    }
    return out;
}

/* After a call the address belongs to the code after it: only the position itself is asked about here. */
static size_t in_scope(struct debuggee *d, struct object_variable *v, uint64_t *address)
{
    *address = debuggee_address(d, d->at);
    size_t n = object_debug_variables(d->o, *address, v, VARIABLES);
    return n < VARIABLES ? n : VARIABLES;
}

bool variable_find(struct debuggee *d, const char *name, struct variable *out)
{
    struct object_variable v[VARIABLES];
    uint64_t address;
    for (size_t i = in_scope(d, v, &address); i-- > 0;)
        if (strcmp(v[i].name, name) == 0) {
            *out = place_of(d, &v[i], address);
            return true;
        }
    return false;
}

/* ---- values ---- */

static unsigned width_of(const struct debuggee *d, const struct variable *v)
{
    uint64_t bytes = v->type ? v->type->size : d->m->pointer_width / 8;
    return v->bit_size ? v->bit_size : bytes >= 8 ? 64 : (unsigned)bytes * 8;
}

bool variable_is_signed(const struct variable *v)
{
    return v->type && (v->type->kind == TYPE_INT || v->type->kind == TYPE_ENUM) && v->type->is_signed;
}

static bool is_whole(const struct variable *v)
{
    return v->type &&
           (v->type->kind == TYPE_STRUCT || v->type->kind == TYPE_UNION || v->type->kind == TYPE_ARRAY);
}

bool variable_value(const struct debuggee *d, const struct variable *v, uint64_t *out, unsigned *width, bool *known)
{
    *width = width_of(d, v);
    *known = true;
    if (v->kind == PLACE_NONE || *width == 0)
        return false;
    if (is_whole(v) && v->type->kind == TYPE_ARRAY && v->kind == PLACE_MEMORY) { /* as in C: where it is */
        *out = v->at;
        *width = d->m->pointer_width;
        return true;
    }
    unsigned bits = v->bit_size ? v->bit_offset + v->bit_size : *width;
    uint64_t x = v->at;
    if (bits > 64)
        return false;
    if (v->kind == PLACE_MEMORY) {
        uint8_t data[8] = {0};
        debuggee_peek(d, v->at, data, (bits + 7) / 8, known);
        x = bits_low(bits_from_bytes(data, (bits + 7) / 8));
    } else if (v->kind == PLACE_REGISTER) {
        x = bits_low(debuggee_get(d, (unsigned)v->at, (bits + 7) / 8 * 8));
    }
    x >>= v->bit_size ? v->bit_offset : 0;
    *out = *width < 64 ? x & ((UINT64_C(1) << *width) - 1) : x;
    return true;
}

bool variable_set(struct debuggee *d, const struct variable *v, uint64_t value)
{
    unsigned width = width_of(d, v), bytes = (width + 7) / 8;
    uint8_t data[8];
    if (is_whole(v) || v->bit_size || !width || (v->type && v->type->size > 8))
        return false;
    if (v->kind == PLACE_REGISTER) {
        debuggee_put(d, (unsigned)v->at, bytes * 8, bits_u64(value, bytes * 8));
        return true;
    }
    if (v->kind != PLACE_MEMORY)
        return false;
    bits_to_bytes(bits_u64(value, 64), data, 8);
    debuggee_poke(d, v->at, data, bytes);
    return true;
}

bool variable_member(const struct variable *v, const char *name, struct variable *out)
{
    if (!v->type || (v->type->kind != TYPE_STRUCT && v->type->kind != TYPE_UNION) || v->kind != PLACE_MEMORY)
        return false;
    for (size_t i = 0; i < v->type->nfields; i++) {
        const struct object_field *f = &v->type->field[i];
        struct variable inner = {f->type, PLACE_MEMORY, v->at + f->offset, f->bit_size, f->bit_offset};
        if (f->name && strcmp(f->name, name) == 0) {
            *out = inner;
            return true;
        }
        if (!f->name && variable_member(&inner, name, out)) /* of an anonymous structure */
            return true;
    }
    return false;
}

bool variable_element(const struct debuggee *d, const struct variable *v, uint64_t index, struct variable *out)
{
    uint64_t at = v->at;
    unsigned width;
    bool known;
    if (!v->type || (v->type->kind != TYPE_POINTER && v->type->kind != TYPE_ARRAY) || !v->type->target)
        return false;
    if (v->type->kind == TYPE_POINTER ? !variable_value(d, v, &at, &width, &known) : v->kind != PLACE_MEMORY)
        return false;
    *out = (struct variable){.type = v->type->target,
                          .kind = PLACE_MEMORY,
                          .at = debuggee_mask(d, at + index * v->type->target->size)};
    return true;
}

/* ---- text ---- */

static void put_float(uint64_t x, unsigned width, struct buf *out)
{
    double value = 0;
    if (width == 32) {
        float f;
        uint32_t low = (uint32_t)x;
        memcpy(&f, &low, sizeof f);
        value = (double)f;
    } else {
        memcpy(&value, &x, sizeof value);
    }
    if (isnan(value))
        buf_puts(out, "nan");
    else
        buf_printf(out, "%.*g", width == 32 ? 9 : 17, value);
}

static bool is_text(const struct object_type_info *t)
{
    return t && t->kind == TYPE_INT && t->size == 1 && t->name && strstr(t->name, "char");
}

static void put_characters(const struct debuggee *d, uint64_t at, uint64_t most, struct buf *out)
{
    buf_putc(out, '"');
    for (uint64_t i = 0; i < most; i++) {
        uint8_t c;
        bool known;
        debuggee_peek(d, at + i, &c, 1, &known);
        if (!c || !known)
            break;
        if (i == TEXT) {
            buf_puts(out, "\"...");
            return;
        }
        if (c >= 32 && c < 127 && c != '"' && c != '\\')
            buf_putc(out, (char)c);
        else
            buf_printf(out, "\\x%02x", c);
    }
    buf_putc(out, '"');
}

static void put_scalar(struct debuggee *d, const struct variable *v, struct buf *out)
{
    uint64_t x;
    unsigned width;
    bool known;
    if (!variable_value(d, v, &x, &width, &known)) {
        buf_puts(out, v->kind == PLACE_NONE ? "optimised out here" : "?");
        return;
    }
    if (!known) {
        buf_puts(out, "uninitialised");
        return;
    }
    const struct object_type_info *t = v->type;
    if (t && t->kind == TYPE_FLOAT && (width == 32 || width == 64)) {
        put_float(x, width, out);
    } else if (t && (t->kind == TYPE_INT || t->kind == TYPE_ENUM || t->kind == TYPE_BOOL)) {
        if (variable_is_signed(v) && width && width < 64 && x >> (width - 1) & 1)
            x |= ~UINT64_C(0) << width;
        if (variable_is_signed(v))
            buf_printf(out, "%" PRId64, (int64_t)x);
        else
            buf_printf(out, "%" PRIu64, x);
        if (is_text(t) && (x & 0xff) >= 32 && (x & 0xff) < 127)
            buf_printf(out, " '%c'", (char)x);
    } else {
        char name[256];
        buf_printf(out, "0x%" PRIx64, x);
        if (t && t->kind == TYPE_POINTER && is_text(t->target) && x) {
            buf_putc(out, ' ');
            put_characters(d, x, UINT64_MAX, out);
        } else if (x && program_describe(d->p, debuggee_address(d, x), name, sizeof name)) {
            buf_printf(out, " <%s>", name);
        }
    }
}

static void put_thing(struct debuggee *d, const struct variable *v, unsigned depth, struct buf *out)
{
    struct variable part;
    if (!is_whole(v) || v->kind != PLACE_MEMORY) {
        if (is_whole(v))
            buf_puts(out, v->kind == PLACE_NONE ? "optimised out here" : "not in memory");
        else
            put_scalar(d, v, out);
        return;
    }
    if (v->type->kind == TYPE_ARRAY && is_text(v->type->target)) {
        put_characters(d, v->at, v->type->count, out);
        return;
    }
    if (depth == DEPTH) {
        buf_puts(out, "{...}");
        return;
    }
    bool array = v->type->kind == TYPE_ARRAY;
    uint64_t n = array ? v->type->count : v->type->nfields;
    buf_putc(out, '{');
    for (uint64_t i = 0; i < n; i++) {
        buf_puts(out, i ? ", " : "");
        if (i == ELEMENTS) {
            buf_puts(out, "...");
            break;
        }
        if (array) {
            if (!variable_element(d, v, i, &part))
                break;
        } else {
            const struct object_field *f = &v->type->field[i];
            buf_printf(out, "%s = ", f->name ? f->name : "");
            part = (struct variable){f->type, PLACE_MEMORY, v->at + f->offset, f->bit_size, f->bit_offset};
        }
        put_thing(d, &part, depth + 1, out);
    }
    buf_putc(out, '}');
}

void variable_text(struct debuggee *d, const struct variable *v, struct buf *out)
{
    put_thing(d, v, 0, out);
}

void variables_text(struct debuggee *d, const char *title, struct buf *out)
{
    struct object_variable v[VARIABLES];
    uint64_t address;
    size_t n = in_scope(d, v, &address);
    if (!n)
        buf_printf(out, "%s%sno variables are known here\n", title, *title ? ": " : "");
    for (size_t i = 0; i < n; i++) {
        bool hidden = false; /* by one of an inner scope */
        for (size_t k = i + 1; k < n; k++)
            hidden = hidden || strcmp(v[i].name, v[k].name) == 0;
        if (hidden)
            continue;
        struct variable x = place_of(d, &v[i], address);
        buf_printf(out, "%s%s%s = ", title, *title ? ": " : "", v[i].name);
        variable_text(d, &x, out);
        buf_printf(out, "%s\n", v[i].parameter ? "  (parameter)" : "");
    }
}
