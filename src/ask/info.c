/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/info.h"

enum { INFO_MEMBER, INFO_UNREAD };

#define T struct ask_section
static const struct wire_field section_field[] = {
    WIRE_TEXT(T, name),    WIRE_VALUE(T, address), WIRE_VALUE(T, size),
    WIRE_VALUE(T, exec),   WIRE_VALUE(T, write),   WIRE_VALUE(T, alloc),
    WIRE_VALUE(T, nobits), WIRE_VALUE(T, tls),     WIRE_VALUE(T, relro),
};
static const struct wire_type section_type = WIRE_TYPE(T, section_field);
#undef T

#define T struct ask_problem
static const struct wire_field problem_field[] = {WIRE_VALUE(T, address), WIRE_TEXT(T, text)};
static const struct wire_type problem_type = WIRE_TYPE(T, problem_field);
#undef T

#define T struct ask_member
static const struct wire_field member_field[] = {
    WIRE_TEXT(T, path),
    WIRE_VALUE(T, is_member),
    WIRE_VALUE(T, size),
    WIRE_VALUE(T, is_symlink),
    WIRE_TEXT(T, link),
    WIRE_TEXT(T, error),
    WIRE_VALUE(T, program),
    WIRE_STRUCT(T, facts, &ask_facts_type),
    WIRE_VALUE(T, entry),
    WIRE_TEXT(T, soname),
    WIRE_TEXT(T, interpreter),
    WIRE_TEXT(T, debug_file),
    WIRE_VALUE(T, symbols),
    WIRE_VALUE(T, stubs),
    WIRE_VALUE(T, bounds),
    WIRE_LIST(T, section, nsections, &section_type),
    WIRE_LIST(T, problem, nproblems, &problem_type),
};
static const struct wire_type member_type = WIRE_TYPE(T, member_field);
#undef T

/* ---- where the work is done ---- */

static void add_facts(struct ask_member *m, const struct object *o, const char *file, struct arena *arena)
{
    const struct object_info *i = object_info(o);
    const struct object_section *s;
    const struct object_problem *p;
    const struct object_symbol *symbol;
    const struct object_stub *stub;
    const struct object_bound *bound;
    m->nsections = object_sections(o, &s);
    m->nproblems = object_problems(o, &p);
    struct ask_section *section = arena_array(arena, struct ask_section, m->nsections + 1);
    struct ask_problem *problem = arena_array(arena, struct ask_problem, m->nproblems + 1);
    for (size_t k = 0; k < m->nsections; k++)
        section[k] = (struct ask_section){.name = s[k].name,
                                          .address = object_display_address(o, s[k].address),
                                          .size = s[k].size,
                                          .exec = s[k].exec,
                                          .write = s[k].write,
                                          .alloc = s[k].alloc,
                                          .nobits = s[k].nobits,
                                          .tls = s[k].tls,
                                          .relro = s[k].relro};
    for (size_t k = 0; k < m->nproblems; k++)
        problem[k] = (struct ask_problem){object_display_address(o, p[k].address), p[k].text};
    m->program = true;
    m->facts = ask_facts(o, file);
    m->entry = i->entry;
    m->soname = i->soname;
    m->interpreter = i->interp;
    m->debug_file = i->debug_file;
    m->symbols = object_symbols(o, &symbol);
    m->stubs = object_stubs(o, &stub);
    m->bounds = object_bounds(o, &bound);
    m->section = section;
    m->problem = problem;
}

struct walk {
    const struct ask_info *q;
    struct ask_sink *say;
    size_t members, programs, unread;
    struct error first; /* of the first member that could not be read */
};

static bool info_member(void *ctx, const struct object_member *x)
{
    struct walk *w = ctx;
    struct arena arena = ARENA_INIT;
    struct object *o = NULL;
    struct error err = {0};
    struct ask_member m = {.path = x->path,
                           .is_member = true,
                           .size = x->size,
                           .is_symlink = x->is_symlink,
                           .link = x->is_symlink ? x->link : NULL,
                           .error = x->error};
    ask_progress(w->say, "members", ++w->members, 0);
    if (x->error) {
        w->unread++;
        if (!w->first.kind)
            error_set(&w->first, ERROR_INPUT, "%s", x->error);
    } else if (x->is_elf) {
        const char *name = arena_printf(&arena, x->path[0] ? "%s:%s" : "%s", w->q->file, x->path);
        o = object_open_memory(name, x->data, x->size, &w->q->object, &err);
        if (o) {
            w->programs++;
            add_facts(&m, o, name, &arena);
        } else {
            if (!w->first.kind)
                w->first = err;
            m.error = err.text;
        }
    }
    bool more = ask_say(w->say, INFO_MEMBER, &member_type, &m);
    object_free(o);
    arena_free(&arena);
    return more;
}

/* "container:member" is not a container: it is one program in one. */
static bool ask_one(const struct ask_info *q, struct ask_sink *say, const struct error *walk_err,
                    struct error *err)
{
    struct arena arena = ARENA_INIT;
    struct ask_member m = {.path = ""};
    struct object *o = object_open(q->file, &q->object, err);
    if (!o) {
        if (walk_err->kind)
            *err = *walk_err;
        return false;
    }
    add_facts(&m, o, q->file, &arena);
    ask_say(say, INFO_MEMBER, &member_type, &m);
    object_free(o);
    arena_free(&arena);
    return true;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_info *q = ((struct ask_info_answer *)ctx)->q;
    struct walk w = {.q = q, .say = say};
    struct error walk_err = {0};
    if (!container_walk(q->file, info_member, &w, &walk_err))
        return ask_one(q, say, &walk_err, err);
    if (w.programs && w.unread)
        ask_say(say, INFO_UNREAD, &wire_u64, &(uint64_t){w.unread});
    if (w.programs)
        return true;
    if (w.first.kind) {
        *err = w.first;
        return false;
    }
    return error_set(
        err, ERROR_INPUT,
        "%s: no program in it; expected an ELF file, or a package, archive or directory with one", q->file);
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_info_answer *a = ctx;
    struct ask_member m;
    if (message == INFO_UNREAD)
        return a->unread = true;
    if (message != INFO_MEMBER || !wire_get(bytes, n, &member_type, &m, &a->arena))
        return false;
    vec_push(&a->member, m);
    return true;
}

bool ask_info(const struct ask_info *q, const struct ask_session *session, struct ask_info_answer *a,
              struct error *err)
{
    *a = (struct ask_info_answer){.q = q};
    return ask_put(ask, hear, a, &q->limits, q->limits.timeout, 0, session, &a->end, err);
}

void ask_info_free(struct ask_info_answer *a)
{
    vec_free(&a->member);
    arena_free(&a->arena);
}

enum ask_status ask_info_status(const struct ask_info_answer *a)
{
    return a->unread ? ASK_UNKNOWN : ASK_YES;
}
