/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/judge.h"

#include <stdio.h>
#include <string.h>

void judge_put(struct report_sink sink, const char *name, const char *what)
{
    struct buf b = BUF_INIT;
    buf_printf(&b, "%s %s", name, what);
    sink.put(sink.ctx, "files.reasons[]", report_string(buf_text(&b)));
    buf_free(&b);
}

/* ---- functions ---- */

/* Others find it by its name at run time. */
static bool is_exported(struct program *p, const struct flow_function *f)
{
    const struct object_symbol *s;
    size_t n = object_symbols(program_object(p), &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].address == f->address && s[i].dynamic && !s[i].undefined && !s[i].hidden &&
            s[i].bind != BIND_LOCAL)
            return true;
    return false;
}

void judge_unpaired(const struct compared *c, const struct match_pair *x, struct report_sink sink)
{
    int side = x->old == MATCH_NONE;
    const struct flow_function *f = &c->f[side][side ? x->new : x->old];
    if (f->sources & BOUND_INIT)
        judge_put(sink, f->name,
                  side ? "was added, and runs when the program is loaded"
                       : "was removed, and ran when the program was loaded");
    else if (!side && is_exported(c->p[0], f))
        judge_put(sink, f->name, "was exported, and was removed");
}

/* ---- data ---- */

/* Contents of variables are inputs of a function, so no function tells that they start with something else;
 * read-only data is compared with the functions that use it, unless others may look at it too. */
static void judge_objects(const struct compared *c, struct report_sink sink)
{
    const struct match_datum *d;
    size_t n = match_data_changes(c->m, &d);
    for (size_t i = 0; i < n; i++) {
        const struct object_symbol *s =
            d[i].name ? object_symbol_by_name(program_object(c->p[0]), d[i].name) : NULL;
        char text[64];
        snprintf(text, sizeof text, "the data at %#llx", (unsigned long long)d[i].old);
        if (d[i].writable)
            judge_put(sink, d[i].name ? d[i].name : text, "starts with other contents");
        else if (s && s->dynamic)
            judge_put(sink, d[i].name, "is exported, and has other contents");
    }
}

static const struct object_section *section_named(const struct object *o, const char *name)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].alloc && strcmp(s[i].name, name) == 0)
            return &s[i];
    return NULL;
}

/* Whether a word means the same in both: the same bytes, or addresses of the same thing. */
static bool same_word(const struct compared *c, uint64_t old, uint64_t new, unsigned unit)
{
    const struct object *o[2] = {program_object(c->p[0]), program_object(c->p[1])};
    const struct object_pointer *p = object_pointer_at(o[0], old), *q = object_pointer_at(o[1], new);
    if (p && q && (p->name || q->name))
        return p->name && q->name && strcmp(p->name, q->name) == 0 && p->addend == q->addend;
    if (p && q)
        return match_same_address(c->m, p->target, q->target);
    uint64_t a = 0, b = 0;
    if (p || q || !object_read(o[0], old, &a, unit) || !object_read(o[1], new, &b, unit))
        return false;
    return a == b || match_same_address(c->m, a, b);
}

static bool same_section(const struct compared *c, const char *name)
{
    const struct object_section *old = section_named(program_object(c->p[0]), name),
                                *new = section_named(program_object(c->p[1]), name);
    if (!old && !new)
        return true;
    if (!old || !new || old->size != new->size || old->nobits != new->nobits)
        return false;
    unsigned unit = program_machine(c->p[0])->pointer_width / 8;
    for (uint64_t at = 0; at < old->size && !old->nobits; at += unit) {
        unsigned n = old->size - at < unit ? (unsigned)(old->size - at) : unit;
        if (!same_word(c, old->address + at, new->address + at, n))
            return false;
    }
    return true;
}

void judge_data(const struct compared *c, struct report_sink sink)
{
    static const char *const run[] = {".preinit_array", ".init_array", ".fini_array", ".ctors", ".dtors"};
    static const char *const variables[] = {".data", ".tdata"};
    judge_objects(c, sink);
    for (size_t i = 0; i < sizeof run / sizeof *run; i++)
        if (!same_section(c, run[i]))
            judge_put(sink, run[i], "lists other functions to be run when the program is loaded or ends");
    /* Without symbols nobody knows where one variable ends and the next begins. */
    bool named =
        !object_info(program_object(c->p[0]))->stripped && !object_info(program_object(c->p[1]))->stripped;
    for (size_t i = 0; !named && i < sizeof variables / sizeof *variables; i++)
        if (!same_section(c, variables[i]))
            judge_put(sink, variables[i], "starts with other contents");
}
