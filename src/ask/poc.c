/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/poc.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "run/core.h"

enum { POC_SAYS_ORIGINAL, POC_SAYS_CANDIDATE };

/* ---- how it travels ---- */

#define T struct ask_poc_value
static const struct wire_field value_field[] = {WIRE_NAME(T, name), WIRE_VALUE(T, was), WIRE_VALUE(T, is),
                                                WIRE_VALUE(T, bytes)};
static const struct wire_type value_type = WIRE_TYPE(T, value_field);
#undef T

#define T struct ask_poc_object
static const struct wire_field object_field[] = {WIRE_NAME(T, name),  WIRE_VALUE(T, kind),
                                                 WIRE_VALUE(T, size), WIRE_VALUE(T, open),
                                                 WIRE_VALUE(T, leaf), WIRE_TEXT(T, type)};
static const struct wire_type object_type = WIRE_TYPE(T, object_field);
#undef T

#define T struct ask_poc_edge
static const struct wire_field edge_field[] = {WIRE_VALUE(T, from), WIRE_VALUE(T, to), WIRE_TEXT(T, name)};
static const struct wire_type edge_type = WIRE_TYPE(T, edge_field);
#undef T

#define T struct ask_poc_original
static const struct wire_field original_field[] = {
    WIRE_NAME(T, function),
    WIRE_VALUE(T, call),
    WIRE_ENUM(T, kind, POC_KINDS_),
    WIRE_TEXT(T, place),
    WIRE_VALUE(T, guarded),
    WIRE_VALUE(T, objects),
    WIRE_VALUE(T, symbols),
    WIRE_VALUE(T, classes),
    WIRE_VALUE(T, crashing),
    WIRE_VALUE(T, whole),
    WIRE_TEXT(T, reason),
    WIRE_VALUE(T, shapes),
    WIRE_TEXT(T, bound),
    WIRE_LIST(T, object, nobjects, &object_type),
    WIRE_LIST(T, edge, nedges, &edge_type),
};
static const struct wire_type original_type = WIRE_TYPE(T, original_field);
#undef T

#define T struct ask_poc_candidate
static const struct wire_field candidate_field[] = {
    WIRE_NAME(T, file),
    WIRE_ENUM(T, verdict, POC_VERDICTS_),
    WIRE_ENUM(T, which, POC_STILL + 1),
    WIRE_ENUM(T, confirmed, POC_BY_INPUT + 1),
    WIRE_ENUM(T, kind, POC_KINDS_),
    WIRE_VALUE(T, must),
    WIRE_VALUE(T, early),
    WIRE_TEXT(T, when),
    WIRE_TEXT(T, reason),
    WIRE_TEXT(T, told),
    WIRE_TEXT(T, saved),
    WIRE_TEXT(T, shape),
    WIRE_TEXT(T, unproved),
    WIRE_TEXT(T, path_old),
    WIRE_TEXT(T, path_new),
    WIRE_LIST(T, value, nvalues, &value_type),
    WIRE_VALUE(T, classes),
    WIRE_VALUE(T, decided),
    WIRE_VALUE(T, kept_out),
    WIRE_VALUE(T, whole),
};
static const struct wire_type candidate_type = WIRE_TYPE(T, candidate_field);
#undef T

/* ---- the work ---- */

struct candidate {
    const char *file;
    struct program *p;
    struct match *m;
    struct error err; /* why it could not be opened */
};

/* An abstract state of the original, explored. */
enum ring_kind {
    RING_POC,  /* with the shape that the proof of concept has */
    RING_WIDE, /* ... and numbers open that are sizes of chunks; only inputs count that it leads to */
    RING_SHAPE /* with another shape; no input is looked for that leads there */
};
struct ring {
    enum ring_kind kind;
    size_t shape; /* RING_SHAPE: index */
    bool useless; /* the original never ends normally: nobody calls it so */
    struct snapshot own;
    struct poc_abstract abstract;
    struct poc_side side;
};

struct asking {
    const struct ask_poc *q;
    struct ask_sink *say;
    struct arena arena;
    struct program *p, *guard;
    struct candidate *candidate;
    const char *all; /* directories of programs are below it */
    char scratch[80], guard_file[112];
    struct poc_input input;
    struct run_target target;
    const struct flow_function *f;
    uint64_t call;
    bool silent; /* the processor lets it pass, and checks find it */
    struct poc_crash crash;
    struct snapshot snapshot;
    VEC(struct ring *) ring;
    struct poc_shapes shapes;
    struct terms *t;
    struct solver *solver;
};

/* ---- the scratch directory ---- */

/* One below it for each of the programs, all with names of one length: so stacks look alike. */
static bool scratch_below(char *dir, size_t cap, const char *all, size_t i, struct error *err)
{
    snprintf(dir, cap, "%s/%06zu", all, i);
    return mkdir(dir, 0700) == 0 ||
           error_set(err, ERROR_SYSTEM, "cannot make a directory for a program: %s: %s", dir,
                     strerror(errno));
}

static bool put_guard(struct asking *a, struct error *err)
{
    size_t n;
    const uint8_t *image = guard_image(program_machine(a->p)->arch, &n);
    const struct object_info *info = object_info(program_object(a->p));
    if (!image || info->is_static)
        return true;
    snprintf(a->guard_file, sizeof a->guard_file, "%s/guard.so", a->scratch);
    int fd = open(a->guard_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);
    bool ok = fd >= 0 && write_all(fd, (const char *)image, n);
    if (fd >= 0)
        close(fd);
    if (!ok)
        return error_set(err, ERROR_SYSTEM, "%s: %s", a->guard_file, strerror(errno));
    a->guard = program_open(a->guard_file, &(struct program_options){.object = {.no_debug = true}}, err);
    a->target.guard = a->guard_file;
    return a->guard != NULL;
}

static void find_input(struct asking *a)
{
    const struct ask_poc *q = a->q;
    const char **argument = arena_array(&a->arena, const char *, q->narguments + 1);
    for (size_t i = 0; i < q->narguments; i++) {
        struct stat st;
        char *real = stat(q->argument[i], &st) == 0 ? realpath(q->argument[i], NULL) : NULL;
        argument[i] = arena_strdup(&a->arena, real ? real : q->argument[i]);
        free(real);
    }
    a->input = (struct poc_input){.argument = argument, .narguments = q->narguments};
    if (q->input) {
        char *real = realpath(q->input, NULL);
        a->input.input = arena_strdup(&a->arena, real ? real : q->input);
        free(real);
    }
}

static struct run_target target_of(const struct asking *a, const char *file, struct program *p,
                                   const char *scratch)
{
    struct run_target t = a->target;
    t.m = program_machine(p);
    t.program = file;
    t.entry = object_info(program_object(p))->entry;
    t.argument = a->input.argument;
    t.narguments = a->input.narguments;
    t.input = a->input.input;
    t.scratch = scratch;
    t.limits = a->q->run;
    t.emulator = a->q->emulator;
    t.accessed = a->q->emulator ? poc_accessed : NULL;
    t.ctx = p;
    return t;
}

/* ---- the original ---- */

static bool open_candidate(struct asking *a, struct candidate *c)
{
    c->p = program_open(c->file, &(struct program_options){.object = a->q->object}, &c->err);
    if (!c->p)
        return false;
    c->m = match_programs(a->p, c->p, NULL, &c->err);
    return c->m != NULL;
}

/* Functions that some candidate changes, or the one that was named. */
static size_t changed_functions(struct asking *a, uint64_t **out, struct error *err)
{
    const struct flow_function *f;
    size_t n = program_functions(a->p, &f), found = 0;
    uint64_t *list = arena_array(&a->arena, uint64_t, n + 1);
    *out = list;
    if (a->q->function) {
        const struct flow_function *named = program_function(a->p, a->q->function, err);
        if (!named)
            return 0;
        list[0] = named->address;
        return 1;
    }
    uint8_t *seen = arena_array(&a->arena, uint8_t, n + 1);
    for (size_t i = 0; i < a->q->ncandidates; i++) {
        const struct match_pair *pair;
        size_t npairs = a->candidate[i].m ? match_pairs(a->candidate[i].m, &pair) : 0;
        for (size_t k = 0; k < npairs; k++)
            if (pair[k].status == MATCH_CHANGED && pair[k].old != MATCH_NONE && !seen[pair[k].old]) {
                seen[pair[k].old] = 1;
                list[found++] = f[pair[k].old].address;
            }
    }
    if (!found)
        error_set(err, ERROR_INPUT, "no candidate changes a function of %s; name the function with --func",
                  a->q->old);
    return found;
}

static uint64_t guard_base(const struct asking *a, const struct snapshot *s)
{
    const struct object_symbol *sym =
        a->guard ? object_symbol_by_name(program_object(a->guard), "guard_pool") : NULL;
    return sym && s->guarded ? s->pool_at - sym->address : 0;
}

static struct poc_side side_of(const struct asking *a, struct program *p, const struct flow_function *f,
                               struct snapshot *s, struct poc_abstract *abstract)
{
    return (struct poc_side){.p = p,
                             .guard = s->guarded ? a->guard : NULL,
                             .f = f,
                             .s = s,
                             .a = abstract,
                             .guard_base = guard_base(a, s),
                             .t = a->t,
                             .solver = a->solver,
                             .checked = a->silent,
                             .opt = &a->q->how};
}

/* A run that ends normally may have gone wrong all the same: the first calls of what was changed are checked.
 */
static void find_silent(struct asking *a, const uint64_t *function, size_t n)
{
    enum { FUNCTIONS = 8 };
    for (size_t i = 0; i < n && i < FUNCTIONS && !a->silent; i++) {
        struct snapshot none = {.guarded = a->guard != NULL};
        const struct flow_function *f = program_function_at(a->p, function[i]);
        struct poc_side like = side_of(a, a->p, f, &none, NULL);
        uint64_t call;
        struct poc_crash crash = poc_check_run(&like, &a->target, &call);
        if (!crash.kind)
            continue;
        a->silent = true;
        a->crash = crash;
        a->call = call;
        a->f = f;
    }
}

static bool record(struct asking *a, struct error *err)
{
    uint64_t *function;
    size_t n = changed_functions(a, &function, err);
    struct watch_run w;
    if (!n)
        return false;
    ask_progress(a->say, "running the original", 0, 1);
    if (!watch_run(&a->target, function, n, &w, err))
        return false;
    a->crash = poc_crash_of(&w, a->p, a->guard_file, a->guard);
    bool ok = true;
    /* also where it ends elsewhere, with a return address that was overwritten */
    if (w.end == WATCH_EXIT || !w.call)
        find_silent(a, function, n);
    if (a->silent) {
        /* the call is known */
    } else if (w.end == WATCH_EXIT) {
        ok = error_set(err, ERROR_INPUT, "%s does not crash on the proof of concept: it exits with %d%s",
                       a->q->old, w.code,
                       a->guard ? "" : " (without the guarding allocator, which does not fit this program)");
    } else if (!w.call) {
        struct buf names = BUF_INIT;
        for (size_t i = 0; i < n && i < 4; i++) {
            const struct flow_function *f = program_function_at(a->p, function[i]);
            buf_printf(&names, "%s%s", i ? ", " : "", f ? f->name : "?");
        }
        ok = error_set(err, ERROR_INPUT,
                       "%s: the crash (%s in %s) is not below a call of what was changed (%s%s)", a->q->old,
                       poc_kind_name(a->crash.kind), a->crash.function ? a->crash.function : "unknown code",
                       buf_text(&names), n > 4 ? ", ..." : "");
        buf_free(&names);
    } else {
        a->call = w.call;
        a->f = program_function_at(a->p, function[w.function]);
    }
    watch_run_free(&w);
    if (!ok)
        return false;
    struct process *p = watch_call(&a->target, a->f->address, a->call, err);
    ok = p && snapshot_take(p, &a->target, &a->snapshot, err);
    process_end(p);
    return ok && (!a->q->snapshot || core_write(&a->snapshot, a->q->snapshot, err));
}

static void free_ring(struct ring *r)
{
    poc_side_free(&r->side);
    poc_abstract_free(&r->abstract);
    if (r->kind == RING_SHAPE)
        snapshot_free(&r->own);
    free(r);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct ring *add_ring(struct asking *a, enum ring_kind kind)
{
    struct ring *r = xcalloc(1, sizeof *r);
    r->kind = kind;
    vec_push(&a->ring, r);
    return r;
}

/* Until no number turns out to be an address. */
static bool explore_ring(struct asking *a, struct ring *r, const uint64_t *read, size_t nread,
                         struct error *err)
{
    enum { ROUNDS = 8 };
    struct poc_side *s = &r->side;
    poc_abstract_globals(&r->abstract, a->p, read, nread);
    s->watched = a->crash.base;
    s->watched_size = a->crash.size;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!poc_explore(s, err))
            return false;
        if (a->q->how.no_concretise || !poc_abstract_close(&r->abstract, s))
            break;
    }
    return true;
}

static bool ends_normally(const struct poc_side *s)
{
    for (size_t i = 0; i < s->class.len; i++)
        if (s->class.data[i].known && !s->class.data[i].crash.kind)
            return true;
    return false;
}

static bool explore_shape(struct asking *a, size_t shape, const uint64_t *read, size_t nread,
                          struct error *err)
{
    struct ring *r = add_ring(a, RING_SHAPE);
    poc_patches patch = VEC_INIT;
    r->shape = shape;
    bool ok =
        poc_shape_patches(&a->shapes.shape.data[shape], a->p, &a->snapshot, &a->snapshot, NULL, &patch) &&
        poc_shape_snapshot(&patch, &a->snapshot, &r->own);
    vec_free(&patch);
    if (!ok)
        return error_set(err, ERROR_SYSTEM, "a state cannot be changed");
    poc_abstract_make(&r->abstract, a->p, a->f, &r->own);
    poc_shape_close(&a->shapes.shape.data[shape], &r->abstract);
    r->side = side_of(a, a->p, a->f, &r->own, &r->abstract);
    return explore_ring(a, r, read, nread, err);
}

/* The proof of concept's own path first: it shows that the executor sees what the processor did, and which
 * globals are read. Then everything around it. */
static bool explore_original(struct asking *a, struct error *err)
{
    struct ring *r = add_ring(a, RING_POC);
    struct poc_side *s = &r->side;
    poc_abstract_make(&r->abstract, a->p, a->f, &a->snapshot);
    *s = side_of(a, a->p, a->f, &a->snapshot, &r->abstract);
    ask_progress(a->say, "exploring the original", 0, 1);
    r->abstract.concrete = true;
    poc_abstract_globals(&r->abstract, a->p, NULL, 0);
    if (!poc_explore(s, err))
        return false;
    bool same = false;
    for (size_t i = 0; i < s->class.len; i++)
        same = same || poc_crash_same(&s->class.data[i].crash, &a->crash);
    if (!same)
        return error_set(
            err, ERROR_UNSUPPORTED,
            "%s: the crash (%s in %s) is not reproduced by symbolic execution of %s: it %s%s%s", a->q->old,
            poc_kind_name(a->crash.kind), a->crash.function ? a->crash.function : "unknown code", a->f->name,
            s->class.len ? path_end_name((enum path_end)s->class.data[0].path->end) : "comes to no end",
            s->reason ? ": " : "", s->reason ? s->reason : "");
    vec_sort(&s->read, by_number);
    size_t nread = s->read.len;
    uint64_t *read = arena_dup(&a->arena, s->read.data ? s->read.data : (void *)"", nread * sizeof *read);
    r->abstract.concrete = false;
    if (!explore_ring(a, r, read, nread, err))
        return false;
    if (a->q->how.empty) {
        /* only to know what is a pointer */
        poc_shapes_empty(&a->shapes, &r->abstract);
        free_ring(vec_pop(&a->ring));
    } else {
        if (r->abstract.sizes) {
            struct ring *wide = add_ring(a, RING_WIDE);
            poc_abstract_make(&wide->abstract, a->p, a->f, &a->snapshot);
            wide->abstract.open_sizes = true;
            wide->side = side_of(a, a->p, a->f, &a->snapshot, &wide->abstract);
            if (!explore_ring(a, wide, read, nread, err))
                return false;
        }
        poc_shapes_grow(&a->shapes, NULL, s);
    }
    /* all shapes together are as many paths as one exploration may have */
    size_t classes = 0;
    for (size_t i = 0; i < a->shapes.shape.len; i++) {
        if (classes > a->q->how.paths) {
            a->shapes.bound = "a limit of paths";
            break;
        }
        ask_progress(a->say, "exploring other shapes", i, a->shapes.shape.len);
        if (!explore_shape(a, i, read, nread, err))
            return false;
        struct poc_shape from = a->shapes.shape.data[i];
        classes += vec_last(&a->ring)->side.class.len;
        vec_last(&a->ring)->useless = !ends_normally(&vec_last(&a->ring)->side);
        poc_shapes_grow(&a->shapes, &from, &vec_last(&a->ring)->side);
    }
    return true;
}

static bool is_open(const struct poc_abstract *a, uint64_t address)
{
    for (size_t k = 0; k < a->npages; k++)
        if (address - a->page[k].address < a->page[k].size)
            return a->open[k] && a->open[k][address - a->page[k].address];
    return false;
}

/* The object graph. */
static void put_graph(struct asking *a, const struct poc_abstract *abstract, struct ask_poc_original *o)
{
    enum { EDGES = 4096 };
    unsigned word = abstract->s->m->pointer_width / 8;
    struct ask_poc_object *object = arena_array(&a->arena, struct ask_poc_object, abstract->object.len + 1);
    VEC(struct ask_poc_edge) edge = VEC_INIT;
    for (size_t i = 0; i < abstract->object.len; i++) {
        const struct poc_object *x = &abstract->object.data[i];
        object[i] = (struct ask_poc_object){.name = x->name,
                                            .kind = x->kind,
                                            .size = x->size,
                                            .leaf = x->leaf,
                                            .type = x->type ? x->type->name : NULL};
        for (uint64_t at = x->base; at < x->base + x->size; at++)
            object[i].open += is_open(abstract, at);
        for (uint64_t at = (x->base + word - 1) / word * word;
             at + word <= x->base + x->size && edge.len < EDGES; at += word) {
            const struct poc_object *to = poc_object_at(abstract, poc_word_at(abstract, at));
            if (to && x->kind != POC_STRING)
                vec_push(&edge, (struct ask_poc_edge){(uint32_t)i, (uint32_t)(to - abstract->object.data),
                                                      poc_place_name(abstract, at, word, &a->arena)});
        }
    }
    o->object = object;
    o->nobjects = abstract->object.len;
    o->edge = arena_dup(&a->arena, edge.data ? edge.data : (void *)"", edge.len * sizeof *edge.data);
    o->nedges = edge.len;
    vec_free(&edge);
}

static void say_original(struct asking *a)
{
    const struct poc_abstract *abstract = &a->ring.data[0]->abstract;
    const struct poc_side *side = &a->ring.data[0]->side;
    struct ask_poc_original o = {.function = a->f->name,
                                 .call = a->call,
                                 .kind = (uint8_t)a->crash.kind,
                                 .place = a->crash.function,
                                 .guarded = a->snapshot.guarded,
                                 .objects = (uint32_t)abstract->object.len,
                                 .classes = (uint32_t)side->class.len,
                                 .shapes = (uint32_t)a->shapes.shape.len,
                                 .bound = a->shapes.bound,
                                 .whole = side->whole,
                                 .reason = side->reason};
    for (size_t i = 0; i < abstract->npages; i++)
        for (size_t k = 0; abstract->open[i] && k < abstract->page[i].size; k++)
            o.symbols += abstract->open[i][k];
    for (unsigned i = 0; i < abstract->narguments; i++)
        o.symbols +=
            !abstract->argument[i].pointer && !((abstract->closed_args | abstract->size_args) >> i & 1);
    for (size_t i = 0; i < side->class.len; i++)
        o.crashing += poc_crash_same(&side->class.data[i].crash, &a->crash);
    put_graph(a, abstract, &o);
    ask_say(a->say, POC_SAYS_ORIGINAL, &original_type, &o);
}

/* ---- a candidate ---- */

static struct ask_poc_candidate unknown_because(const char *file, const char *reason)
{
    return (struct ask_poc_candidate){.file = file, .verdict = POC_UNKNOWN, .reason = reason};
}

/* The states of the two processes at the call must be the same, but for where things of the file are. */
static const char *states_differ(const struct ring *r, const struct snapshot *n,
                                 const struct poc_abstract *abstract)
{
    const struct snapshot *o = r->side.s;
    const struct ir_machine *m = o->m;
    unsigned word = m->pointer_width / 8;
    if (memcmp(o->registers + m->sp, n->registers + m->sp, word) != 0)
        return "the stack is elsewhere at the call";
    if (o->guarded != n->guarded || memcmp(&o->pool, &n->pool, sizeof o->pool) != 0)
        return "the heap is another one at the call";
    const struct poc_abstract *old = &r->abstract;
    if (abstract->object.len != old->object.len)
        return "other objects are reached at the call";
    for (size_t i = 0; i < abstract->object.len; i++) {
        const struct poc_object *x = &old->object.data[i], *y = &abstract->object.data[i];
        if (x->size != y->size || x->base != y->base)
            return "objects are elsewhere at the call";
    }
    return NULL;
}

static uint64_t counterpart(const struct candidate *c, const struct asking *a, const char **why)
{
    const struct match_pair *pair = match_function(c->m, a->f->address);
    const struct flow_function *f;
    size_t n = program_functions(c->p, &f);
    if (!pair || pair->new == MATCH_NONE || pair->new >= n) {
        *why = "the function is not in it";
        return 0;
    }
    return f[pair->new].address;
}

/* Whether a difference between two normal ends shows a wrong repair: not where the original may have gone
 * wrong without a fault. */
static bool regression_counts(const struct asking *a, const struct poc_finding *f)
{
    if (f->wild)
        return false;
    switch (a->crash.kind) {
    case POC_NULL:
    case POC_DIVISION:
    case POC_FREED:
    case POC_DOUBLE_FREE:
    case POC_ASSERTION:
    case POC_ABORT:
        return true;
    case POC_OVERFLOW:
        return f->early;
    default:
        return false;
    }
}

static bool copy_file(const char *from, const char *to)
{
    char block[4096];
    FILE *in = fopen(from, "re"), *out = in ? fopen(to, "we") : NULL;
    bool ok = out != NULL;
    for (size_t n; ok && (n = fread(block, 1, sizeof block, in)) > 0;)
        ok = fwrite(block, 1, n, out) == n;
    if (in)
        fclose(in);
    if (out && fclose(out) != 0)
        ok = false;
    return ok;
}

/* Leaves the input where the user wants it. */
static const char *save_input(const struct asking *a, size_t index, const struct poc_input *in,
                              struct arena *arena)
{
    const char *dir = a->q->witness_dir, *saved = NULL;
    if (!dir)
        return NULL;
    mkdir(dir, 0777);
    struct buf line = BUF_INIT;
    for (size_t i = 0; i < in->narguments; i++) {
        const char *arg = in->argument[i];
        const char *name = arg;
        if (strncmp(arg, a->all, strlen(a->all)) == 0) {
            name = arena_printf(arena, "%s/candidate%zu.argument%zu", dir, index + 1, i + 1);
            saved = copy_file(arg, name) ? name : saved;
        }
        buf_printf(&line, "%s%s", i ? " " : "", name);
    }
    if (in->input) {
        const char *name = arena_printf(arena, "%s/candidate%zu.stdin", dir, index + 1);
        if (copy_file(in->input, name)) {
            saved = name;
            buf_printf(&line, " < %s", name);
        }
    }
    buf_putc(&line, '\n');
    const char *command = arena_printf(arena, "%s/candidate%zu.args", dir, index + 1);
    FILE *f = fopen(command, "we");
    if (f) {
        fputs(buf_text(&line), f);
        fclose(f);
        saved = saved ? saved : command;
    }
    buf_free(&line);
    return saved;
}

static void take_finding(struct ask_poc_candidate *out, const struct poc_finding *f,
                         const struct poc_witness *w, struct arena *arena)
{
    struct ask_poc_value *v = arena_array(arena, struct ask_poc_value, w->nvalues + 1);
    out->which = (uint8_t)f->which;
    out->kind = (uint8_t)f->crash.kind;
    out->must = f->must;
    out->early = f->early;
    out->when = f->when;
    out->path_old = arena_strdup(arena, f->path[0]);
    out->path_new = arena_strdup(arena, f->path[1]);
    for (size_t i = 0; i < w->nvalues; i++)
        v[i] = (struct ask_poc_value){w->value[i].name, w->value[i].was, w->value[i].is, w->value[i].bytes};
    out->value = v;
    out->nvalues = w->nvalues;
}

/* From what was found to a verdict, with runs of both programs. */
static void decide(struct asking *a, size_t index, struct poc_runs *runs, struct poc_judgement *j,
                   const struct ring *r, struct ask_poc_candidate *out, struct arena *arena)
{
    enum { TRIED = 16 };
    bool wide = r->kind == RING_WIDE, shape = r->kind == RING_SHAPE, first = r == a->ring.data[0];
    if (first) {
        out->verdict = j->decided ? POC_NOT_REFUTED : POC_UNKNOWN;
        if (!j->decided)
            out->reason = j->reason ? j->reason : "nothing could be decided";
    }
    bool doubted[2] = {false, false}; /* by a crash, by another end */
    for (size_t i = 0; i < j->finding.len && i < TRIED; i++) {
        const struct poc_finding *f = &j->finding.data[i];
        struct poc_confirmation c = {0};
        bool crash = f->which != POC_NORMAL_NORMAL;
        const struct poc_witness *w = &f->witness;
        if (f->branches) {
            /* no run shows that */
            if (!wide && out->verdict == POC_NOT_REFUTED) {
                take_finding(out, f, w, arena);
                out->verdict = POC_DOUBTFUL;
                out->reason = "it goes another way through the code, with the same outputs";
            }
            continue;
        }
        /* in a state of another shape it must crash in all of the class: such a state is less likely to be
         * one that a caller makes */
        if (shape && crash && !f->must && !a->q->how.witness)
            continue;
        bool by_input = !shape && poc_confirm_input(runs, w, &c, arena);
        if (!by_input && !shape) {
            by_input = poc_confirm_input(runs, &f->other, &c, arena);
            w = by_input ? &f->other : w;
        }
        bool counts = c.which != POC_NORMAL_NORMAL ||
                      (regression_counts(a, f) && (a->crash.kind != POC_OVERFLOW || !c.elsewhere));
        if (by_input && counts) {
            take_finding(out, f, w, arena);
            out->verdict = POC_REFUTED;
            out->which = (uint8_t)c.which;
            out->kind = (uint8_t)c.crash.kind;
            out->confirmed = POC_BY_INPUT;
            out->told = c.told;
            out->saved = save_input(a, index, &c.changed, arena);
            return;
        }
        bool may = a->q->how.witness || (!shape && !crash && f->must && regression_counts(a, f));
        if (shape && !crash && !regression_counts(a, f) && !may)
            continue;
        /* an input that ought to lead to the state was made, and does not: the program does not let it in */
        bool kept_out = c.tried && !by_input && !f->must;
        if (wide || kept_out || (doubted[!crash] && !may) || !poc_confirm_state(runs, f)) {
            out->kept_out += kept_out && !wide;
            continue;
        }
        doubted[!crash] = true;
        if (out->verdict == POC_DOUBTFUL && !may)
            continue;
        take_finding(out, f, w, arena);
        out->confirmed = POC_BY_STATE;
        out->shape = shape ? poc_shape_text(&a->shapes.shape.data[r->shape], arena) : NULL;
        out->verdict = may ? POC_REFUTED : POC_DOUBTFUL;
        if (may)
            return;
    }
    if (first && out->verdict == POC_NOT_REFUTED && j->finding.len > out->kept_out) {
        take_finding(out, &j->finding.data[0], &j->finding.data[0].witness, arena);
        out->verdict = POC_DOUBTFUL;
        out->reason = "the finding could not be confirmed by running the programs";
    }
}

/* From one of the original's abstract states; false when the rest need not be asked. */
static bool judge_ring(struct asking *a, size_t index, const struct ring *r, struct snapshot *taken,
                       const struct run_target *target, const struct run_target *old,
                       struct ask_poc_candidate *out, struct arena *arena)
{
    struct candidate *c = &a->candidate[index];
    const struct poc_shape *shape = r->kind == RING_SHAPE ? &a->shapes.shape.data[r->shape] : NULL;
    struct poc_abstract abstract = {0};
    struct poc_side side = {0};
    struct poc_judgement j = {0};
    struct error err = {0};
    struct snapshot own, *s = taken;
    poc_patches patch[2] = {VEC_INIT, VEC_INIT};
    const char *why, *differ = NULL;
    bool first = r == a->ring.data[0];
    const struct flow_function *f = program_function_at(c->p, counterpart(c, a, &why));
    if (shape) {
        s = &own;
        bool ok = poc_shape_patches(shape, a->p, &a->snapshot, &a->snapshot, NULL, &patch[0]) &&
                  poc_shape_patches(shape, a->p, &a->snapshot, taken, c->m, &patch[1]);
        ok = poc_shape_snapshot(&patch[1], taken, s) && ok;
        differ = ok ? NULL : "data is elsewhere in it";
    }
    poc_abstract_make(&abstract, c->p, f, s);
    poc_abstract_follow(&abstract, &r->abstract, c->p, c->m);
    side = side_of(a, c->p, f, s, &abstract);
    if (!differ)
        differ = states_differ(r, s, &abstract);
    bool ok = !differ && poc_explore(&side, &err);
    if (!ok && first)
        out->reason = differ ? differ : arena_strdup(arena, err.text);
    if (ok) {
        poc_judge((struct poc_side *)&r->side, &side, c->m, a->solver, &a->crash, &j);
        struct poc_runs runs = {.old = old,
                                .new = target,
                                .side = {(struct poc_side *)&r->side, &side},
                                .patch = patch,
                                .call = a->call,
                                .crash = &a->crash,
                                .guard_file = a->guard_file,
                                .input = &a->input,
                                .budget = 48};
        decide(a, index, &runs, &j, r, out, arena);
        out->classes += (uint32_t)j.classes;
        out->decided += (uint32_t)j.decided;
    }
    out->whole = (out->whole || first) && ok && j.whole;
    const char *general = !ok                         ? "a state could not be asked"
                          : !j.proof                  ? "not every state is right for certain"
                          : poc_not_general(&r->side) ? poc_not_general(&r->side)
                                                      : poc_not_general(&side);
    out->unproved = out->unproved ? out->unproved : general;
    /* what is told lives on */
    out->when = out->when ? arena_strdup(arena, out->when) : NULL;
    for (size_t i = 0; i < out->nvalues; i++)
        ((struct ask_poc_value *)out->value)[i].name = arena_strdup(arena, out->value[i].name);
    out->reason = out->reason ? arena_strdup(arena, out->reason) : NULL;
    poc_judgement_free(&j);
    poc_side_free(&side);
    poc_abstract_free(&abstract);
    if (shape)
        snapshot_free(&own);
    vec_free(&patch[0]);
    vec_free(&patch[1]);
    return ok;
}

static void judge_candidate(struct asking *a, size_t index, const char *scratch, struct ask_sink *say)
{
    struct candidate *c = &a->candidate[index];
    struct arena arena = ARENA_INIT;
    struct ask_poc_candidate out = {.file = c->file, .verdict = POC_UNKNOWN};
    struct run_target target = target_of(a, c->file, c->p, scratch),
                      old = target_of(a, a->q->old, a->p, scratch);
    struct error err = {0};
    struct watch_run w = {0};
    struct snapshot s = {0};
    struct process *p = NULL;
    uint64_t address = counterpart(c, a, &out.reason);
    if (!address)
        goto done;
    if (!watch_run(&target, NULL, 0, &w, &err)) {
        out.reason = arena_strdup(&arena, err.text);
        goto done;
    }
    struct poc_crash crash = poc_crash_of(&w, c->p, a->guard_file, a->guard);
    if (a->silent && !crash.kind) {
        struct poc_side like = side_of(a, c->p, program_function_at(c->p, address), &a->snapshot, NULL);
        uint64_t call;
        crash = poc_check_run(&like, &target, &call);
    }
    if (crash.kind) {
        out.verdict = POC_REFUTED;
        out.which = POC_STILL;
        out.kind = (uint8_t)crash.kind;
        out.confirmed = POC_BY_INPUT;
        goto done;
    }
    p = watch_call(&target, address, a->call, &err);
    if (!p || !snapshot_take(p, &target, &s, &err)) {
        out.reason = arena_strdup(&arena, err.text);
        goto done;
    }
    process_end(p);
    p = NULL;
    for (size_t r = 0; r < a->ring.len && out.verdict != POC_REFUTED; r++)
        if (!a->ring.data[r]->useless &&
            !judge_ring(a, index, a->ring.data[r], &s, &target, &old, &out, &arena) && r == 0)
            break;
    if (!out.unproved)
        out.unproved = a->shapes.bound                              ? a->shapes.bound
                       : a->silent && a->crash.kind == POC_OVERFLOW ? "bounds of variables are guessed"
                       : a->q->how.empty ? "the empty snapshot is no state of the program"
                                         : NULL;
    if (out.verdict == POC_NOT_REFUTED && !out.unproved)
        out.verdict = POC_PROVED;
    if (out.verdict != POC_NOT_REFUTED)
        out.unproved = NULL;
done:
    ask_say(say, POC_SAYS_CANDIDATE, &candidate_type, &out);
    process_end(p);
    watch_run_free(&w);
    snapshot_free(&s);
    arena_free(&arena);
}

static bool candidate_job(void *ctx, size_t job, struct buf *out)
{
    struct asking *a = ctx;
    struct ask_sink say = ask_below(out);
    char scratch[80];
    struct error err = {0};
    if (!a->candidate[job].m) {
        struct ask_poc_candidate c = unknown_because(a->candidate[job].file, a->candidate[job].err.text);
        ask_say(&say, POC_SAYS_CANDIDATE, &candidate_type, &c);
        return true;
    }
    if (!scratch_below(scratch, sizeof scratch, a->all, job + 1, &err)) {
        ask_say_error(&say, &err);
        return false;
    }
    judge_candidate(a, job, scratch, &say);
    return true;
}

static void candidate_done(void *ctx, const struct work_result *r)
{
    struct asking *a = ctx;
    struct error err = {0};
    size_t messages = 0;
    ask_progress(a->say, "candidates judged", r->job + 1, a->q->ncandidates);
    ask_hand_on(a->say, r->output, r->output_len, &messages, &err);
    if (!messages) {
        struct ask_poc_candidate c =
            unknown_because(a->candidate[r->job].file, err.kind ? err.text : r->reason);
        ask_say(a->say, POC_SAYS_CANDIDATE, &candidate_type, &c);
    }
    ask_flush(a->say);
}

static bool prepare(struct asking *a, struct error *err)
{
    const struct ask_poc *q = a->q;
    a->p = program_open(q->old, &(struct program_options){.object = q->object}, err);
    if (!a->p)
        return false;
    a->candidate = arena_array(&a->arena, struct candidate, q->ncandidates + 1);
    for (size_t i = 0; i < q->ncandidates; i++) {
        a->candidate[i].file = q->candidate[i];
        ask_progress(a->say, "matching candidates", i, q->ncandidates);
        if (!open_candidate(a, &a->candidate[i]) && q->ncandidates == 1) {
            *err = a->candidate[i].err;
            return false;
        }
    }
    find_input(a);
    if (!scratch_below(a->scratch, sizeof a->scratch, a->all, 0, err) || !put_guard(a, err))
        return false;
    a->target = target_of(a, q->old, a->p, a->scratch);
    if (a->guard)
        a->target.guard = a->guard_file;
    a->t = terms_new();
    a->solver = solver_new(a->t, &q->how.solve, err);
    return a->solver && record(a, err) && explore_original(a, err);
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_poc_answer *answer = ctx;
    const struct ask_poc *q = answer->q;
    struct asking a = {.q = q, .say = say, .all = answer->scratch.path};
    bool ok = prepare(&a, err);
    if (ok) {
        say_original(&a);
        ask_flush(say);
        work_limit_time(0);
        struct work_options w = {.jobs = q->limits.jobs,
                                 .timeout_ms = (unsigned)q->limits.timeout,
                                 .memory_bytes = q->limits.memory};
        ok = work_run(q->ncandidates, &w, candidate_job, candidate_done, &a, NULL, err);
    }
    for (size_t i = 0; a.candidate && i < q->ncandidates; i++) {
        match_free(a.candidate[i].m);
        program_free(a.candidate[i].p);
    }
    for (size_t i = 0; i < a.ring.len; i++)
        free_ring(a.ring.data[i]);
    vec_free(&a.ring);
    poc_shapes_free(&a.shapes);
    snapshot_free(&a.snapshot);
    solver_free(a.solver);
    if (a.t)
        terms_free(a.t);
    program_free(a.guard);
    program_free(a.p);
    arena_free(&a.arena);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_poc_answer *a = ctx;
    struct ask_poc_candidate c;
    if (message == POC_SAYS_ORIGINAL)
        return a->begun = wire_get(bytes, n, &original_type, &a->original, &a->arena);
    if (message != POC_SAYS_CANDIDATE || !wire_get(bytes, n, &candidate_type, &c, &a->arena))
        return false;
    vec_push(&a->candidate, c);
    return true;
}

bool ask_poc(const struct ask_poc *q, const struct ask_session *session, struct ask_poc_answer *a,
             struct error *err)
{
    *a = (struct ask_poc_answer){.q = q};
    /* here, not in a worker: whatever ends workers, somebody tidies up */
    if (!scratch_open(&a->scratch, err))
        return false;
    bool ok = ask_put(ask, hear, a, &q->limits, 0, 0, session, &a->end, err);
    scratch_close(&a->scratch);
    return ok;
}

void ask_poc_free(struct ask_poc_answer *a)
{
    vec_free(&a->candidate);
    arena_free(&a->arena);
}

enum ask_status ask_poc_status(const struct ask_poc_answer *a)
{
    bool refuted = a->candidate.len == a->q->ncandidates;
    for (size_t i = 0; i < a->candidate.len; i++) {
        if (a->candidate.data[i].verdict == POC_NOT_REFUTED || a->candidate.data[i].verdict == POC_PROVED)
            return ASK_YES;
        refuted = refuted && a->candidate.data[i].verdict == POC_REFUTED;
    }
    return refuted ? ASK_NO : ASK_UNKNOWN;
}
