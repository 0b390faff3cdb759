/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that stand ready at their first own instruction. The loader, and what libraries do at their beginning, cost
 * more than most runs: so it is done once for each program, and each run is a copy of that process with arguments,
 * standard input and code of its own. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/private.h"

enum { MOST = 24 };

struct process_ready {
    struct process *p; /* NULL: it cannot be copied */
    struct run_target t;
    char *real;
    bool busy; /* a copy of it runs: they share descriptors */
    uint64_t used;
    struct arena arena;
};

struct process_stock {
    pid_t owner;
    uint64_t clock;
    VEC(struct process_ready *) ready;
};

struct process_stock *process_stock_new(void)
{
    struct process_stock *s = xcalloc(1, sizeof *s);
    s->owner = getpid();
    return s;
}

static void ready_free(struct process_ready *r, bool own)
{
    if (r->p && !own) {
        /* it belongs to the process that this one was forked from */
        r->p->pid = 0;
        r->p->ended = true;
    }
    process_end(r->p);
    free(r->real);
    arena_free(&r->arena);
    free(r);
}

void process_stock_clear(struct process_stock *s)
{
    const bool own = s->owner == getpid();
    for (size_t i = 0; i < s->ready.len; i++)
        ready_free(s->ready.data[i], own);
    s->ready.len = 0;
    s->owner = getpid();
}

void process_stock_free(struct process_stock *s)
{
    if (!s)
        return;
    process_stock_clear(s);
    vec_free(&s->ready);
    free(s);
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether runs of the two can be copies of one process: all but arguments, of which the places are the same, and
 * standard input. */
static bool serves(const struct process_ready *r, const struct run_target *t, const char *real)
{
    const struct run_target *x = &r->t;
    bool same = x->narguments == t->narguments && !x->input == !t->input && x->library_dir == t->library_dir &&
                x->without == t->without && x->sanitized == t->sanitized && x->entry == t->entry &&
                memcmp(&x->limits, &t->limits, sizeof x->limits) == 0 && strcmp(r->real, real) == 0 &&
                same_text(x->scratch, t->scratch) && same_text(x->library, t->library) &&
                same_text(x->guard, t->guard) && same_text(x->root, t->root);
    for (size_t i = 0; i < t->narguments && same; i++)
        same = process_room(x->argument[i]) == process_room(t->argument[i]);
    return same;
}

/* All that it refers to may be gone before it is used again. */
static void keep_target(struct process_ready *r, const struct run_target *t, const char *program)
{
    const char **argument = arena_array(&r->arena, const char *, t->narguments + 1);
    r->t = *t;
    r->t.program = arena_strdup(&r->arena, program);
    for (size_t i = 0; i < t->narguments; i++)
        argument[i] = arena_strdup(&r->arena, t->argument[i]);
    r->t.argument = argument;
    const char **text[] = {&r->t.input, &r->t.scratch, &r->t.library, &r->t.guard, &r->t.root};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        *text[i] = *text[i] ? arena_strdup(&r->arena, *text[i]) : NULL;
}

static void make_room(struct process_stock *s)
{
    size_t oldest = SIZE_MAX;
    for (size_t i = 0; i < s->ready.len; i++)
        if (!s->ready.data[i]->busy && (oldest == SIZE_MAX || s->ready.data[i]->used < s->ready.data[oldest]->used))
            oldest = i;
    if (s->ready.len < MOST || oldest == SIZE_MAX)
        return;
    ready_free(s->ready.data[oldest], true);
    s->ready.data[oldest] = vec_last(&s->ready);
    s->ready.len--;
}

static struct process_ready *make_ready(struct process_stock *s, const struct run_target *t, const char *program,
                                        char *real)
{
    struct process_ready *r = xcalloc(1, sizeof *r);
    struct error err;
    make_room(s);
    keep_target(r, t, program);
    r->real = real;
    r->p = process_launch(&r->t, true, &err);
    if (r->p && !(r->p->ways->ready && r->p->ways->ready(r->p))) {
        process_end(r->p);
        r->p = NULL;
    }
    if (r->p && r->p->blocked) {
        /* only as long as something runs */
        sigprocmask(SIG_SETMASK, &r->p->mask, NULL);
        r->p->blocked = false;
    }
    vec_push(&s->ready, r);
    return r;
}

static struct process_ready *find_ready(struct process_stock *s, const struct run_target *t)
{
    const char *program = t->like ? t->like : t->program;
    char *real = realpath(program, NULL);
    if (s->owner != getpid())
        process_stock_clear(s);
    for (size_t i = 0; i < s->ready.len && real; i++)
        if (serves(s->ready.data[i], t, real)) {
            free(real);
            return s->ready.data[i];
        }
    return real ? make_ready(s, t, program, real) : NULL;
}

/* What was printed before is no output of this run. */
static bool take_output(const struct process_ready *r, struct process *p)
{
    bool ok = true;
    for (unsigned i = 0; i < 2 && ok; i++) {
        const int fd = r->p->output[i];
        ok = ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0 &&
             (p->output[i] = fcntl(fd, F_DUPFD_CLOEXEC, 0)) >= 0;
    }
    return ok;
}

static bool patch(struct process *p)
{
    bool ok = true;
    for (size_t i = 0; i < p->t->npatches && ok && p->t->like; i++)
        ok = process_write(p, p->base + p->t->patch[i].address, p->t->patch[i].byte, p->t->patch[i].n);
    return ok;
}

struct process *stock_copy(const struct run_target *t)
{
    struct process_ready *r = find_ready(t->stock, t);
    if (!r || !r->p || r->busy)
        return NULL;
    struct process *p = xcalloc(1, sizeof *p);
    p->t = t;
    p->m = r->p->m;
    p->ways = r->p->ways;
    p->mem = p->fd = p->pages = -1;
    p->output[0] = p->output[1] = -1;
    p->base = r->p->base;
    p->deadline = now_ms() + t->limits.time_ms;
    p->begun = true;
    p->of = r;
    r->busy = true;
    r->used = ++t->stock->clock;
    if (t->like) {
        p->image = r->real;
        p->real = realpath(t->program, NULL);
    }
    if ((!t->like || p->real) && take_output(r, p) && p->ways->copy(r->p, p) && patch(p))
        return p;
    process_end(p);
    process_end(r->p);
    r->p = NULL;
    return NULL;
}

void stock_copied_end(struct process *p)
{
    p->of->busy = false;
    free((char *)p->real);
}
