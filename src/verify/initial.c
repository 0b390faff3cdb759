/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The initial call of main: to return from it is to call exit with what is returned (ISO C17, 5.1.2.2.3). */
#include <string.h>

#include "flow/library.h"
#include "verify/private.h"

static const char called[] = "exit";

static bool is_main(const struct pair_side *s)
{
    bool again = false;
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        again = again || s->g->call[i].target == s->f->address;
    return s->f->named && strcmp(s->f->name, "main") == 0 && !again;
}

/* The run ends with a call of exit. */
static bool exits(const struct check *c, const struct end *e)
{
    const struct exec_path *p = e->path;
    const struct exec_event *last = p->end == PATH_NORETURN && p->nevents ? &p->event[p->nevents - 1] : NULL;
    const struct flow_library_entry *l = last ? names_library(c, e->s, last) : NULL;
    const struct flow_call *k = last && !last->depth ? abi_call_at(e->s->abi, last->site) : NULL;
    return l && k && object_stub_at(e->s->o, k->target) && strcmp(l->name, called) == 0;
}

/* The library is handed memory that it uses when the program ends: main's own is gone then, if main returned.
 */
static bool lends(const struct pair_side *s)
{
    static const char *const keeps[] = {"setvbuf", "setbuf", "setbuffer", "putenv"};
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        for (size_t k = 0; s->g->call[i].name && k < sizeof keeps / sizeof *keeps; k++)
            if (strcmp(s->g->call[i].name, keeps[k]) == 0)
                return true;
    return false;
}

/* The one returns from main where the other calls exit. */
static bool returns_where_other_exits(const struct check *c, const struct end *e, const struct end *other)
{
    return e->path->end == PATH_RETURN && e->path->result != TERM_NONE && is_main(e->s) &&
           is_main(other->s) && exits(c, other) && !lends(e->s);
}

/* It as an end that calls exit with what it returns. */
static struct end as_exit(struct check *c, const struct end *e, const struct end *other)
{
    const struct exec_path *p = e->path;
    const struct exec_event *like = &other->path->event[other->path->nevents - 1];
    struct exec_path *ended = arena_dup(c->arena, p, sizeof *p);
    struct exec_event *events = arena_array(c->arena, struct exec_event, p->nevents + 1);
    const char *name = names_callee(e->s, called, 0);
    const term kid[] = {p->result, p->memory, p->world};
    const struct term_origin memory = {.kind = ORIGIN_MEMORY_AFTER, .name = name},
                             world = {.kind = ORIGIN_WORLD_AFTER, .name = name};
    if (p->nevents)
        memcpy(events, p->event, p->nevents * sizeof *events);
    ended->memory = origin_apply_array(c->t, memory, c->width, 8, kid, 3);
    ended->world = origin_apply(c->t, world, 64, kid, 3);
    events[p->nevents] = (struct exec_event){.kind = EVENT_CALL,
                                             .site = p->end_address,
                                             .name = name,
                                             .arg = arena_dup(c->arena, &p->result, sizeof p->result),
                                             .nargs = 1,
                                             .mem_before = p->memory,
                                             .mem_after = ended->memory,
                                             .mem_made = ended->memory,
                                             .world_before = p->world,
                                             .world_after = ended->world,
                                             .world_made = ended->world,
                                             .frame_before = p->frame,
                                             .frame_after = p->frame,
                                             .reads = like->reads,
                                             .guessed = -1,
                                             .result_at = UINT32_MAX,
                                             .escaped = p->escaped,
                                             .saved = p->saved};
    ended->event = events;
    ended->nevents++;
    ended->end = PATH_NORETURN;
    ended->result = TERM_NONE;
    return compare_end(c, e->s, ended);
}

void initial_pair(struct check *c, const struct end **o, const struct end **n, struct end *out,
                  struct findings *found)
{
    if (returns_where_other_exits(c, *o, *n)) {
        *out = as_exit(c, *o, *n);
        *o = out;
    } else if (returns_where_other_exits(c, *n, *o)) {
        /* What it returns to counts on what it returns with, whatever the other version does. */
        struct end back = **n;
        back.error = term_true(c->t);
        kept_compare_rejected(c, *o, &back, found);
        *out = as_exit(c, *n, *o);
        *n = out;
    }
}
