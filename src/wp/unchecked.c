/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assertions and dereferences in callees. A summary says what a callee leaves behind, not what happens while
 * it runs: a callee of the file that may fail an assertion, or access memory, is followed after all, or the
 * answer is unknown. The functions of <string.h> access what they are given; of other functions outside the
 * file it is assumed that they do nothing wrong. */
#include <inttypes.h>
#include <string.h>

#include "flow/library.h"
#include "wp/internal.h"

static bool asks_accesses(const struct wp *w)
{
    return w->opt->null_derefs || (w->opt->invalid_derefs && w->nsides == 2);
}

static bool is_own(const struct flow_function *f)
{
    return f && !(f->flags & (FLOW_PLT | FLOW_EXTERN));
}

/* ---- assertions, by the calls of the functions ---- */

static bool calls_error(const struct flow_graph *g, bool *computed)
{
    for (uint32_t i = 0; i < g->ncalls; i++) {
        if (spec_is_error(g->call[i].name))
            return true;
        *computed = *computed || (!g->call[i].target && !g->call[i].name);
    }
    return false;
}

/* Some function of the file fails an assertion. */
static bool some_asserts(struct side *s)
{
    const struct flow_function *f;
    const struct object_stub *stub;
    size_t n = program_functions(s->code->p, &f), nstubs = object_stubs(program_object(s->code->p), &stub);
    bool known = false, computed = false;
    for (size_t i = 0; i < n && !known; i++)
        known = spec_is_error(f[i].name);
    for (size_t i = 0; i < nstubs && !known; i++)
        known = stub[i].name && spec_is_error(stub[i].name);
    for (size_t i = 0; known && i < n; i++)
        if (is_own(&f[i]) && !spec_is_error(f[i].name) &&
            calls_error(flow_graph(s->code->p, &f[i]), &computed))
            return true;
    return false;
}

static bool may_assert(struct side *s, const struct flow_function *from)
{
    VEC(const struct flow_function *) todo = VEC_INIT;
    struct map seen = {0};
    bool found = false, computed = false;
    vec_push(&todo, from);
    while (todo.len && !found) {
        const struct flow_function *f = vec_pop(&todo);
        if (!is_own(f) || !map_set(&seen, f->address, 1))
            continue;
        const struct flow_graph *g = flow_graph(s->code->p, f);
        found = calls_error(g, &computed);
        for (uint32_t i = 0; i < g->ncalls; i++)
            if (g->call[i].target)
                vec_push(&todo, program_function_at(s->code->p, g->call[i].target));
    }
    vec_free(&todo);
    map_free(&seen);
    return found || (computed && some_asserts(s));
}

/* ---- accesses ---- */

static bool accesses(struct side *s, const struct flow_function *f)
{
    const struct flow_graph *g = flow_graph(s->code->p, f);
    bool any = g->ncalls > 0 || g->nproblems > 0;
    for (uint32_t b = 0; b < g->nblocks && !any; b++)
        for (uint32_t i = 0; i < g->block[b].ninsn && !any; i++)
            any = g->block[b].insn[i].op == IR_LOAD || g->block[b].insn[i].op == IR_STORE ||
                  g->block[b].insn[i].op == IR_UNKNOWN;
    return any;
}

/* What a function of <string.h> accesses: these arguments, unless the argument `length` is 0. */
struct string_access {
    uint8_t like, arguments; /* bit i: argument i */
    int8_t length;           /* -1: whatever the others are */
};

static const struct string_access string_access[] = {
    {LIKE_MEMCPY, 3, 2},   {LIKE_MEMPCPY, 3, 2}, {LIKE_MEMMOVE, 3, 2},  {LIKE_MEMSET, 1, 2},
    {LIKE_BZERO, 1, 1},    {LIKE_BCOPY, 3, 2},   {LIKE_MEMCMP, 3, 2},   {LIKE_BCMP, 3, 2},
    {LIKE_MEMCHR, 1, 2},   {LIKE_STRLEN, 1, -1}, {LIKE_STRNLEN, 1, 1},  {LIKE_STRCPY, 3, -1},
    {LIKE_STPCPY, 3, -1},  {LIKE_STRNCPY, 3, 2}, {LIKE_STRCAT, 3, -1},  {LIKE_STRNCAT, 1, -1},
    {LIKE_STRNCAT, 2, 2},  {LIKE_STRCMP, 3, -1}, {LIKE_STRNCMP, 3, 2},  {LIKE_STRCHR, 1, -1},
    {LIKE_STRRCHR, 1, -1}, {LIKE_STRSPN, 3, -1}, {LIKE_STRCSPN, 3, -1}, {LIKE_STRPBRK, 3, -1},
    {LIKE_STRSTR, 3, -1},  {LIKE_STRDUP, 1, -1}, {LIKE_STRNDUP, 1, 1},
};

static term argument(struct side *s, const struct exec_moment *at, unsigned n)
{
    const struct ir_machine *m = s->code->m;
    if (n < m->nargs)
        return moment_register(at, m->arg[n], m->pointer_width);
    term sp = moment_register(at, m->sp, m->pointer_width);
    unsigned offset = m->stack_arg + (n - m->nargs) * m->pointer_width / 8;
    return term_read(s->w->t, moment_memory(at), term_add_const(s->w->t, sp, offset), m->pointer_width);
}

void unchecked_library(struct side *s, const struct exec_moment *at, const struct exec_callee *c)
{
    struct wp *w = s->w;
    const struct flow_library_entry *lib = asks_accesses(w) && c->name && !is_own(c->f)
                                               ? flow_library_find(program_library(s->code->p), c->name)
                                               : NULL;
    for (size_t i = 0; lib && lib->like != LIKE_NONE && i < sizeof string_access / sizeof *string_access;
         i++) {
        const struct string_access *a = &string_access[i];
        if (a->like != lib->like)
            continue;
        term when = moment_condition(at);
        if (a->length >= 0) {
            term length = argument(s, at, (unsigned)a->length);
            when = term_and(
                w->t, when,
                term_not(w->t, term_eq(w->t, length, term_const(w->t, term_width(w->t, length), 0))));
        }
        for (unsigned k = 0; k < 2; k++)
            if (a->arguments >> k & 1)
                goal_argument(s, argument(s, at, k), when, c->name, k, c->site);
    }
}

/* ---- what is left ---- */

static bool has_access_table(const struct flow_library_entry *lib)
{
    bool never = lib->like == LIKE_MALLOC || lib->like == LIKE_CALLOC || lib->like == LIKE_REALLOC ||
                 lib->like == LIKE_FREE || !lib->pointers;
    for (size_t i = 0; !never && i < sizeof string_access / sizeof *string_access; i++)
        never = string_access[i].like == lib->like;
    return never;
}

void unchecked_called(struct side *s, const struct exec_callee *c)
{
    struct wp *w = s->w;
    if (!(w->opt->trip_asserts || asks_accesses(w)) || spec_of_user(s, c->name) || spec_is_error(c->name))
        return;
    if (is_own(c->f) && !spec_is_meant(s, c->f)) {
        bool asserts = w->opt->trip_asserts && may_assert(s, c->f);
        if (!asserts && !(asks_accesses(w) && accesses(s, c->f)))
            return;
        for (size_t i = 0; i < w->unchecked.len; i++)
            if (strcmp(w->unchecked.data[i], c->f->name) == 0)
                return;
        vec_push(&w->unchecked, arena_strdup(w->arena, c->f->name));
        return;
    }
    const struct flow_library_entry *lib =
        c->name ? flow_library_find(program_library(s->code->p), c->name) : NULL;
    if (!c->name && w->opt->trip_asserts && some_asserts(s))
        w->open =
            arena_printf(w->arena, "the computed call at 0x%" PRIx64 " may lead to an assertion that fails",
                         object_display_address(s->code->o, c->site));
    if (lib ? asks_accesses(w) && !has_access_table(lib) : !is_own(c->f))
        wp_note(w, "%s %s: its code is not looked at", c->name ? c->name : "what a computed call leads to",
                !asks_accesses(w)      ? "fails no assertion"
                : w->opt->trip_asserts ? "fails no assertion and makes no wrong access"
                                       : "makes no wrong access");
}

const char *unchecked_reason(const struct wp *w)
{
    if (!w->unchecked.len)
        return NULL;
    return arena_printf(w->arena, "%s in %s are not checked (--inline=%s)",
                        w->opt->trip_asserts ? "assertions" : "accesses to memory", w->unchecked.data[0],
                        w->unchecked.data[0]);
}
