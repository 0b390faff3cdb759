/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the library that compilers and headers call for each other: puts for printf, __strcpy_chk for
 * strcpy, calloc for malloc and memset. */
#include <string.h>

#include "flow/library.h"
#include "verify/calls.h"

enum family { PRINTS, WRITES, COPIES, CONVERTS, ALLOCATES };

/* What an argument says is written. */
enum form { NOT_SAID, TEXT, LINE, FORMAT, CHARACTER, BYTES };

/* `more`: this many arguments come before it where sizes are checked. */
struct member {
    const char *name;
    enum family family;
    enum form form;
    unsigned argument, more;
};

static const struct member members[] = {
    {"printf", PRINTS, FORMAT, 0, 1},
    {"puts", PRINTS, LINE, 0, 0},
    {"putchar", PRINTS, CHARACTER, 0, 0},
    {"fprintf", WRITES, FORMAT, 1, 1},
    {"fputs", WRITES, TEXT, 0, 0},
    {"fwrite", WRITES, BYTES, 0, 0},
    {"fputc", WRITES, CHARACTER, 0, 0},
    {"putc", WRITES, CHARACTER, 0, 0},
    {"sprintf", COPIES, FORMAT, 1, 2},
    {"strcpy", COPIES, TEXT, 1, 0},
    {"stpcpy", COPIES, TEXT, 1, 0},
    {"atoi", CONVERTS, NOT_SAID, 0, 0},
    {"atol", CONVERTS, NOT_SAID, 0, 0},
    {"strtol", CONVERTS, NOT_SAID, 0, 0},
    {"__isoc23_strtol", CONVERTS, NOT_SAID, 0, 0},
    {"malloc", ALLOCATES, NOT_SAID, 0, 0},
    {"calloc", ALLOCATES, NOT_SAID, 0, 0},
};

/* The function's own name is there without __ and _chk, which say that the size of what it writes to is
 * checked. */
static bool is_checked(const char *name, const char **own, size_t *n)
{
    static const char before[] = "__", behind[] = "_chk";
    const size_t all = strlen(name), around = sizeof before + sizeof behind - 2;
    const bool checked = all > around && strncmp(name, before, sizeof before - 1) == 0 &&
                         strcmp(name + all - sizeof behind + 1, behind) == 0;
    *own = checked ? name + sizeof before - 1 : name;
    *n = checked ? all - around : all;
    return checked;
}

static const struct member *member_of(const char *own, size_t n)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        if (strlen(members[i].name) == n && strncmp(members[i].name, own, n) == 0)
            return &members[i];
    return NULL;
}

static bool number(const struct end *e, const struct exec_event *v, unsigned argument, uint64_t *out)
{
    return argument < v->nargs && !term_is_array(e->s->pair->t, v->arg[argument]) &&
           term_const_u64(e->s->pair->t, v->arg[argument], out);
}

/* All that the call writes, if it is known. */
static bool text_of(const struct check *c, const struct end *e, const struct exec_event *v, struct buf *out)
{
    enum { LENGTH_MAX = 4096 };
    const char *own, *text;
    size_t n, length;
    uint64_t at, size, count;
    bool checked = is_checked(names_key_name(c, v->name), &own, &n);
    const struct member *m = member_of(own, n);
    if (!m || m->form == NOT_SAID || !number(e, v, m->argument + (checked ? m->more : 0), &at))
        return false;
    if (m->form == CHARACTER) {
        buf_putc(out, (char)at);
        return true;
    }
    text = object_is_readonly(e->s->o, at, 1) ? object_string(e->s->o, at, &length) : NULL;
    if (m->form == BYTES) {
        if (!number(e, v, 1, &size) || !number(e, v, 2, &count) || size > LENGTH_MAX || count > LENGTH_MAX ||
            !text || length < size * count)
            return false;
        length = size * count;
    }
    if (!text || (m->form == FORMAT && memchr(text, '%', length)))
        return false;
    buf_put(out, text, length);
    if (m->form == LINE)
        buf_putc(out, '\n');
    return true;
}

bool families_share(const struct check *c, const struct exec_event *a, const struct exec_event *b)
{
    const char *own[2];
    size_t n[2];
    if (a->kind != EVENT_CALL || b->kind != EVENT_CALL || !a->name || !b->name)
        return false;
    bool checked = is_checked(names_key_name(c, a->name), &own[0], &n[0]);
    checked = is_checked(names_key_name(c, b->name), &own[1], &n[1]) || checked;
    const struct member *m[] = {member_of(own[0], n[0]), member_of(own[1], n[1])};
    return (checked && n[0] == n[1] && strncmp(own[0], own[1], n[0]) == 0) ||
           (m[0] && m[1] && m[0] != m[1] && m[0]->family == m[1]->family);
}

static bool is_like(const struct check *c, const struct end *e, const struct exec_event *v,
                    enum library_like like)
{
    const struct flow_library_entry *l = names_library(c, e->s, v);
    return l && l->like == like;
}

/* How many bytes are allocated. */
static term size_of(struct view *w, const struct end *e, const struct exec_event *v)
{
    struct terms *t = w->c->t;
    if (!v->nargs || (is_like(w->c, e, v, LIKE_CALLOC) && v->nargs < 2))
        return TERM_NONE;
    term n = view_side(w, e, v->arg[0]);
    return is_like(w->c, e, v, LIKE_CALLOC) ? term_bin(t, OP_MUL, n, view_side(w, e, v->arg[1])) : n;
}

/* Something is written to what the call allocated, or a function is given it that may. */
static bool is_filled(const struct end *e, const struct exec_event *v)
{
    const struct exec_path *p = e->path;
    const struct terms *t = e->s->pair->t;
    term made = v->result;
    for (unsigned i = 0; i < p->nwrites; i++)
        if (term_any(t, p->write[i].address, term_is_that, &made))
            return true;
    for (unsigned i = 0; i < p->nevents; i++)
        if (&p->event[i] != v && term_any_of(t, p->event[i].arg, p->event[i].nargs, term_is_that, &made))
            return true;
    return false;
}

/* Two calls that allocate memory: of sizes that are not the same; or only the old one fills it with zeros. */
static bool allocate_otherwise(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    struct terms *t = w->c->t;
    term a = size_of(w, w->o, o), b = size_of(w, w->n, n);
    if (a == TERM_NONE || b == TERM_NONE || !o->result || !n->result)
        return false;
    return (term_is_const(t, a) && term_is_const(t, b) && a != b) ||
           (is_like(w->c, w->o, o, LIKE_CALLOC) && is_like(w->c, w->n, n, LIKE_MALLOC) &&
            !is_filled(w->n, n));
}

bool families_differ(struct view *w, const struct exec_event *o, const struct exec_event *n)
{
    if (is_like(w->c, w->o, o, LIKE_MALLOC) || is_like(w->c, w->o, o, LIKE_CALLOC))
        return allocate_otherwise(w, o, n);
    struct buf a = BUF_INIT, b = BUF_INIT;
    bool differ = text_of(w->c, w->o, o, &a) && text_of(w->c, w->n, n, &b) &&
                  (a.len != b.len || memcmp(buf_text(&a), buf_text(&b), a.len) != 0);
    buf_free(&a);
    buf_free(&b);
    return differ;
}
