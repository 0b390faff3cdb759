/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which words a function is given in blind runs, where they are, and what comes back. */
#include <string.h>

#include "adapt/blind.h"
#include "flow/library.h"

/* All words that it may take as arguments are in registers, or on the stack where blind_give puts them. */
static bool are_all_given(const struct adapt_code *c)
{
    const struct ir_machine *m = program_machine(c->p);
    bool taken = false;
    int words = m->nargs <= WORDS ? flow_stack_words(c->p, c->f, &taken) : -1;
    return words >= 0 && !taken && (unsigned)words + m->nargs <= WORDS;
}

static bool is_float(const struct object_type_info *t, size_t bytes)
{
    return t->kind == TYPE_FLOAT && t->size == bytes;
}

static bool is_float128(const struct ir_machine *m, const struct object_type_info *t)
{
    return m->arch == MACHINE_AMD64 && is_float(t, 16) && t->name && strcmp(t->name, "_Float128") == 0;
}

/* A floating-point number that has a register of its own, beside those of words. */
static bool is_apart(const struct ir_machine *m, const struct object_type_info *t)
{
    return ((m->arch == MACHINE_AMD64 || m->arch == MACHINE_ARM64) && (is_float(t, 4) || is_float(t, 8))) ||
           is_float128(m, t);
}

/* Where words go, one after the other. */
struct places {
    const struct ir_machine *m;
    struct blind_words *out;
    unsigned registers, stack; /* taken so far */
};

static bool add_word(struct places *p, const struct object_type_info *t, bool in_register)
{
    struct blind_words *out = p->out;
    if (out->n == ARGS)
        return false;
    out->type[out->n] = t;
    out->slot[out->n++] =
        (uint8_t)(in_register && p->registers < p->m->nargs ? p->registers++ : p->m->nargs + p->stack++);
    return true;
}

/* It is on the stack, where it has two words, the first at a multiple of its size. */
static bool add_long_double(struct places *p)
{
    p->stack += p->stack % 2;
    p->out->wide |= 1u << p->out->n;
    return add_word(p, NULL, false) && add_word(p, NULL, false);
}

enum { APART = 4 }; /* so many floating-point numbers fit in registers, whatever they are made of */

/* The parameters, as debug information says, after where the result goes, if a word says that; false: they are
 * not all known here, or it does not say. */
static bool find_parameters(const struct ir_machine *m, const struct object_function_debug *d, bool through,
                            struct blind_words *out)
{
    const unsigned width = m->pointer_width;
    struct places p = {.m = m, .out = out};
    unsigned apart = 0;
    if (d->variadic || d->nparams > ARGS ||
        (d->result && d->result->kind != TYPE_VOID && !modes_plain(d->result, width) &&
         !is_apart(m, d->result) && !modes_long_double(m, d->result) && !through))
        return false;
    if (through)
        add_word(&p, NULL, true);
    for (size_t i = 0; i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        if (t && is_apart(m, t))
            apart++;
        else if (!t || !(modes_plain(t, width)     ? add_word(&p, t, true)
                         : modes_long_double(m, t) ? add_long_double(&p)
                                                   : false))
            return false;
    }
    return !apart || (apart <= APART && out->n <= m->nargs);
}

/* ... as the table of the library says, which does not tell how wide a number is. */
static bool find_listed(const struct ir_machine *m, const struct flow_library_entry *e,
                        struct blind_words *out)
{
    struct places p = {.m = m, .out = out};
    unsigned apart = 0;
    if (e->variadic || m->pointer_width != 64)
        return false;
    for (unsigned i = 0; i < e->nparams; i++) {
        bool real = e->arg[i] == LIBRARY_FLOAT || e->arg[i] == LIBRARY_DOUBLE;
        apart += real;
        if (!real && !(e->arg[i] != LIBRARY_LONG_DOUBLE ? add_word(&p, NULL, true)
                       : m->arch == MACHINE_AMD64       ? add_long_double(&p)
                                                        : false))
            return false;
    }
    return !apart || (apart <= APART && out->n <= m->nargs);
}

static unsigned float_bits(const struct ir_machine *m, const struct object_type_info *t)
{
    return is_float(t, 4) || is_float(t, 8) || is_float128(m, t) ? (unsigned)t->size * 8
           : modes_long_double(m, t)                             ? BLIND_X87
                                                                 : 0;
}

static unsigned float_listed(const struct ir_machine *m, char letter)
{
    return letter == LIBRARY_FLOAT                                     ? 32
           : letter == LIBRARY_DOUBLE                                  ? 64
           : letter == LIBRARY_LONG_DOUBLE && m->arch == MACHINE_AMD64 ? BLIND_X87
                                                                       : 0;
}

void blind_words(const struct adapt_code *c, struct blind_words *out)
{
    const struct ir_machine *m = program_machine(c->p);
    const struct object_function_debug *d = modes_debug(c);
    const bool chosen = adapt_is_chosen(c); /* what the function itself takes, nobody says */
    if (chosen || (d && d->address != c->f->address))
        d = NULL;
    const struct flow_library_entry *e = modes_listed(c);
    *out = (struct blind_words){.variadic = d && d->variadic};
    if (d) {
        out->bits = d->result && modes_plain(d->result, m->pointer_width) ? (unsigned)d->result->size * 8 : 0;
        out->float_bits = d->result ? float_bits(m, d->result) : 0;
        out->known = find_parameters(m, d, modes_through_pointer(c), out);
    } else if (e) {
        out->bits = e->returns && !e->returns_float ? 32 : 0;
        out->float_bits = float_listed(m, e->result);
        out->known = find_listed(m, e, out);
    }
    /* on ARM some functions return them in other registers, which debug information does not say */
    if (!m->nfargs || m->arch == MACHINE_ARM || m->fret == UINT16_MAX)
        out->float_bits = 0;
    if (out->known) {
        out->all = true;
    } else {
        out->n = WORDS;
        out->wide = 0;
        for (unsigned i = 0; i < WORDS; i++) {
            out->type[i] = NULL;
            out->slot[i] = (uint8_t)i;
        }
        out->all = !chosen && are_all_given(c);
    }
}

void blind_long_doubles(const struct blind_words *words, unsigned test, uint64_t *arg)
{
    static const struct {
        uint64_t fraction;
        uint16_t exponent;
    } some[] = {
        {UINT64_C(3) << 62, 0x3fff} /* 1.5 */,
        {UINT64_C(9) << 60, 0xc000} /* -2.25 */,
        {UINT64_C(1) << 63, 0x7fff} /* infinite */,
        {UINT64_C(3) << 62, 0x7fff} /* no number */,
        {0, 0},
        {UINT64_C(1) << 63, 0x43e3} /* 2^996 */,
        {UINT64_C(1) << 63, 0xffff},
        {1, 0},
        {0, 0x8000} /* -0 */,
        {UINT64_C(1) << 63, 0x401e} /* 2^31 */,
        {UINT64_C(7) << 61, 0x4001} /* 7 */,
        {UINT64_C(1) << 63, 0xbfff} /* -1 */,
    };
    for (unsigned i = 0; i + 1 < words->n; i++) {
        unsigned k = (test + 5 * i) % (sizeof some / sizeof *some);
        if (!(words->wide >> i & 1))
            continue;
        arg[i] = some[k].fraction;
        arg[i + 1] = some[k].exponent;
    }
}
