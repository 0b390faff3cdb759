/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a result is: how much of the register of results counts. */
#include <string.h>

#include "adapt/internal.h"
#include "flow/library.h"

const struct object_function_debug *modes_debug(const struct adapt_code *c)
{
    return c->fragment ? NULL : object_debug_function(program_object(c->p), c->f->address);
}

void modes_by_debug(struct adapt *a, const struct adapt_code *c, struct modes *out)
{
    const struct object_function_debug *d = modes_debug(c);
    if (!d)
        return;
    const struct object_type_info *r = d->result;
    unsigned bits = r ? (unsigned)r->size * 8 : 0;
    if (!r || r->kind == TYPE_VOID)
        out->mode[out->n++] = (struct compared){0};
    else if (bits && bits <= a->width && (bits & (bits - 1)) == 0)
        out->mode[out->n++] = (struct compared){.bits = bits};
    else if (bits == 2 * a->width && (out->sure = true))
        out->mode[out->n++] = (struct compared){.bits = a->width, .pair = true};
}

int modes_float(const struct adapt_code *c)
{
    const struct object_function_debug *d = modes_debug(c);
    return !d ? -1 : d->result && d->result->kind == TYPE_FLOAT;
}

/* Of the types of 16 bytes, `long double` may be the one of the x87 unit or, by -mlong-double-128, the same
 * as _Float128. */
static enum modes_place place_of_float(const struct ir_machine *m, const struct object_type_info *t)
{
    if (m->arch != MACHINE_AMD64 || t->size == 4 || t->size == 8)
        return PLACE_FLOAT;
    return modes_long_double(m, t) ? PLACE_X87 : PLACE_SOME_FLOAT;
}

bool modes_long_double(const struct ir_machine *m, const struct object_type_info *t)
{
    return m->arch == MACHINE_AMD64 && t->kind == TYPE_FLOAT && t->size == 16 && t->name &&
           strcmp(t->name, "long double") == 0;
}

const struct flow_library_entry *modes_listed(const struct adapt_code *c)
{
    return !c->fragment && !modes_debug(c) && flow_table_prototype(c->p, c->f).source == PROTO_LIBRARY
               ? flow_library_find(program_library(c->p), c->f->name)
               : NULL;
}

enum modes_place modes_place(const struct adapt_code *c)
{
    const struct ir_machine *m = program_machine(c->p);
    const struct object_function_debug *d = modes_debug(c);
    const struct flow_library_entry *e = modes_listed(c);
    if (d)
        return !d->result || d->result->kind != TYPE_FLOAT ? PLACE_OTHER : place_of_float(m, d->result);
    if (!e)
        return PLACE_UNKNOWN;
    return !e->returns_float                                              ? PLACE_OTHER
           : m->arch == MACHINE_AMD64 && e->result == LIBRARY_LONG_DOUBLE ? PLACE_X87
                                                                          : PLACE_FLOAT;
}

bool modes_plain(const struct object_type_info *t, unsigned width)
{
    return (t->kind == TYPE_INT || t->kind == TYPE_BOOL || t->kind == TYPE_POINTER || t->kind == TYPE_ENUM) &&
           t->size && t->size * 8 <= width;
}

/* Numbers and pointers alone, and nothing between them: what is there is not part of the result. An array may
 * be a vector, which has registers of its own. */
static bool is_of_words(const struct object_type_info *t, unsigned depth)
{
    enum { DEEPEST = 8 };
    uint64_t bytes = 0;
    if (!t || modes_plain(t, 64))
        return t != NULL;
    if ((t->kind != TYPE_STRUCT && t->kind != TYPE_UNION) || depth > DEEPEST || !t->nfields)
        return false;
    for (size_t i = 0; i < t->nfields; i++) {
        const struct object_field *f = &t->field[i];
        if (f->bit_size || !is_of_words(f->type, depth + 1) ||
            (t->kind == TYPE_UNION && f->type->size != t->size))
            return false;
        bytes += f->type->size;
    }
    return t->kind == TYPE_UNION || bytes == t->size;
}

bool modes_elsewhere(const struct adapt_code *c)
{
    const struct object_function_debug *d = modes_debug(c);
    const struct object_type_info *r = d ? d->result : NULL;
    if (!r || r->kind == TYPE_VOID || r->kind == TYPE_FLOAT || modes_plain(r, 128))
        return false;
    /* where words have 32 bits, a caller says where a structure goes */
    return program_machine(c->p)->pointer_width != 64 || !is_of_words(r, 0) || r->size > 16 ||
           (r->size & (r->size - 1));
}

/* One more argument. False: there are too many, or what it is is not known. */
static bool add_to_shape(struct adapt_shape *s, unsigned float_bits, bool word, unsigned registers)
{
    if (s->words + s->floats == ADAPT_ARGUMENTS || (!float_bits && !word))
        return false;
    if (!float_bits) {
        s->words++;
        return true;
    }
    if (s->floats == registers || s->floats == ADAPT_FLOATS)
        return false;
    s->float_bits[s->floats++] = (uint8_t)float_bits;
    return true;
}

static unsigned listed_bits(char letter)
{
    return letter == LIBRARY_FLOAT ? 32 : letter == LIBRARY_DOUBLE ? 64 : 0;
}

static unsigned float_bits(const struct object_type_info *t)
{
    return t->kind == TYPE_FLOAT && (t->size == 4 || t->size == 8) ? (unsigned)t->size * 8 : 0;
}

bool modes_shape(const struct adapt_code *c, struct adapt_shape *out)
{
    const struct ir_machine *m = program_machine(c->p);
    const struct object_function_debug *d = modes_debug(c);
    const struct flow_library_entry *e = modes_listed(c);
    *out = (struct adapt_shape){0};
    if ((m->arch != MACHINE_AMD64 && m->arch != MACHINE_ARM64) || adapt_is_chosen(c) ||
        (d ? d->variadic || d->address != c->f->address : !e || e->variadic))
        return false;
    bool ok = d ? !modes_elsewhere(c) : e->result != LIBRARY_LONG_DOUBLE;
    if (d && d->result && d->result->kind == TYPE_FLOAT)
        ok = (out->result_bits = (uint8_t)float_bits(d->result)) != 0;
    else if (!d)
        out->result_bits = (uint8_t)listed_bits(e->result);
    for (size_t i = 0; ok && i < (d ? d->nparams : e->nparams); i++) {
        const struct object_type_info *t = d ? d->param[i].type : NULL;
        unsigned bits = t ? float_bits(t) : d ? 0 : listed_bits(e->arg[i]);
        bool word = t ? modes_plain(t, m->pointer_width) : !d && e->arg[i] != LIBRARY_LONG_DOUBLE;
        ok = add_to_shape(out, bits, word, m->nfargs);
    }
    return ok;
}

bool modes_bit_int(const struct adapt_code *c)
{
    const struct object_function_debug *d = modes_debug(c);
    bool some = d && d->result && d->result->bit_int;
    for (size_t i = 0; d && i < d->nparams; i++)
        some = some || (d->param[i].type && d->param[i].type->bit_int);
    return some;
}

bool modes_through_pointer(const struct adapt_code *c)
{
    const struct object_function_debug *d = modes_debug(c);
    const struct object_type_info *r = d ? d->result : NULL;
    return r && !modes_bit_int(c) && program_machine(c->p)->arch == MACHINE_AMD64 && r->kind == TYPE_STRUCT && r->size > 16 &&
           is_of_words(r, 0);
}

bool modes_narrow(const struct adapt_code *c)
{
    const struct object_function_debug *d = modes_debug(c);
    for (size_t i = 0; d && i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        if (t && modes_plain(t, 64) && (t->size < 4 || t->kind == TYPE_BOOL))
            return true;
    }
    return false;
}

bool modes_paired(const struct adapt_code *c)
{
    const struct ir_machine *m = program_machine(c->p);
    const struct object_function_debug *d = modes_debug(c);
    for (size_t i = 0; d && i < d->nparams && (m->arch == MACHINE_ARM || m->arch == MACHINE_ARM64); i++)
        if (d->param[i].type && d->param[i].type->size * 8 > m->pointer_width)
            return true;
    return false;
}

void modes_by_code(struct adapt *a, const struct adapt_code *c, struct modes *out)
{
    if (c->fragment) {
        out->mode[out->n++] = (struct compared){.bits = a->width};
        return;
    }
    const struct ir_machine *m = program_machine(c->p);
    struct flow_prototype proto = flow_prototype(c->p, c->f);
    /* what a caller may have left in the register is no result */
    if (proto.keeps_result && proto.source != PROTO_LIBRARY && m->arch == MACHINE_AMD64) {
        out->mode[out->n++] = (struct compared){0};
        return;
    }
    struct abi *abi = abi_new(c->p, c->f);
    if (m->ret2 != UINT16_MAX && abi_sets_result(abi, m->ret2, a->width, true))
        out->mode[out->n++] = (struct compared){.bits = a->width, .pair = true};
    out->mode[out->n++] = (struct compared){.bits = a->width};
    if (a->width == 64)
        out->mode[out->n++] = (struct compared){.bits = 32};
    abi_free(abi);
    if (proto.source == PROTO_LIBRARY) {
        if (!proto.returns)
            out->mode[out->n++] = (struct compared){0};
        return;
    }
    out->mode[out->n++] = (struct compared){.bits = 8, .vague = true};
}

void modes_as_truth(struct adapt *a, struct modes *m)
{
    struct modes all = *m;
    *m = (struct modes){.sure = all.sure};
    /* without debug information it is taken for an int */
    bool known = all.n == 1;
    for (unsigned i = 0; i < all.n && !m->n; i++)
        if (!all.mode[i].pair && (known || all.mode[i].bits == 32))
            m->mode[m->n++] = (struct compared){.bits = all.mode[i].bits, .truth = true};
    if (m->n && !known)
        adapt_note(a, "nothing says how wide the result is: the low 32 bits are compared");
}

void modes_without_result(struct adapt *a, struct modes *m)
{
    if (m->n && m->mode[m->n - 1].vague &&
        (a->target.is.world != a->target.world || a->target.is.memory != a->target.memory))
        m->mode[m->n - 1].bits = 0;
}
