/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a candidate changes beside the function that crashes. A proof is of that function, in states that are
 * made of the original's memory: so it says nothing of a program whose other functions, constants or initial
 * values differ. */
#include <string.h>

#include "ask/poc_internal.h"
#include "base/text.h"

/* What the linker makes of the rest: it differs wherever a function's size does. What of it the program looks
 * at is compared by match_outside(). */
static bool is_made(const struct object_section *x)
{
    static const char *const made[] = {
        ".eh_frame",     ".gcc_except_table", ".ARM.ex", ".got",        ".dynamic",
        ".dynsym",       ".dynstr",           ".rel",    ".gnu.",       ".hash",
        ".note",         ".interp",           ".plt",    ".init_array", ".fini_array",
        ".preinit_array"};
    if (!x->alloc || x->exec)
        return true;
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strncmp(x->name, made[i], strlen(made[i])) == 0)
            return true;
    return false;
}

static const struct object_section *section_at(const struct object *o, const struct object_section *x)
{
    const struct object_section *y;
    size_t n = object_sections(o, &y);
    for (size_t i = 0; i < n; i++)
        if (y[i].alloc && y[i].address == x->address && strcmp(y[i].name, x->name) == 0)
            return &y[i];
    return NULL;
}

/* Whether words at an address of both lead to the same. */
static bool same_pointer(struct match *m, const struct object *o, const struct object *n, uint64_t at,
                         unsigned word)
{
    const struct object_pointer *p = object_pointer_at(o, at), *q = object_pointer_at(n, at);
    uint64_t was = 0, is = 0;
    if (!p != !q)
        return false;
    if (p && p->name)
        return text_same(p->name, q->name) && p->addend == q->addend && p->other == q->other;
    if (p)
        return !q->name && text_same(p->own, q->own) && match_same_address(m, p->target, q->target);
    return object_info(o)->type == OBJECT_EXECUTABLE && object_info(n)->type == OBJECT_EXECUTABLE &&
           object_read(o, at, &was, word) && object_read(n, at, &is, word) && match_same_address(m, was, is);
}

/* Both lie at one address. */
static bool same_contents(struct match *m, const struct object *o, const struct object *n,
                          const struct object_section *x, unsigned word)
{
    for (uint64_t done = 0; done < x->size;) {
        uint64_t at = x->address + done;
        unsigned step = at % word == 0 && x->size - done >= word ? word : 1;
        uint64_t was = 0, is = 0;
        if (!object_read(o, at, &was, step) || !object_read(n, at, &is, step))
            return false;
        bool pointer = step == word && (object_pointer_at(o, at) || object_pointer_at(n, at));
        if ((was != is || pointer) && (step != word || !same_pointer(m, o, n, at, word)))
            return false;
        done += step;
    }
    return true;
}

static bool same_data(struct match *m, const struct object *o, const struct object *n, unsigned word)
{
    const struct object_section *x, *y;
    size_t count = object_sections(n, &x);
    for (size_t i = 0; i < count; i++)
        if (!is_made(&x[i]) && !section_at(o, &x[i]))
            return false;
    count = object_sections(o, &x);
    for (size_t i = 0; i < count; i++) {
        if (is_made(&x[i]))
            continue;
        y = section_at(n, &x[i]);
        if (!y || y->size != x[i].size || y->nobits != x[i].nobits)
            return false;
        if (!x[i].nobits && !same_contents(m, o, n, &x[i], word))
            return false;
    }
    return true;
}

const char *poc_changed_beside(struct match *m, uint64_t function)
{
    struct program *old = match_program(m, false), *new = match_program(m, true);
    const struct match_pair *pair;
    const struct match_datum *datum;
    const struct match_outside *outside;
    const struct flow_function *f;
    size_t n = match_pairs(m, &pair), nf = program_functions(old, &f);
    for (size_t i = 0; i < n; i++)
        if (pair[i].status == MATCH_CHANGED && (pair[i].old >= nf || f[pair[i].old].address != function))
            return "the candidate changes another function beside the one that crashes";
    if (match_data_changes(m, &datum) ||
        !same_data(m, program_object(old), program_object(new), program_machine(old)->pointer_width / 8))
        return "the candidate changes data beside the function";
    n = match_outside(m, &outside);
    for (size_t i = 0; i < n; i++)
        if (outside[i].matters)
            return "the candidate changes more than functions";
    return NULL;
}
