/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt_sweep.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/adapt.h"
#include "ask/adapt_kept.h"
#include "ask/adapt_store.h"
#include "base/deadline.h"
#include "base/file.h"
#include "base/map.h"
#include "base/sha256.h"
#include "object/object.h"

enum { SWEEP_WANTED, SWEEP_BEGUN, SWEEP_TASK };
/* Targets that one worker is asked about, so that their neighbours are explored once. */
enum { CHUNK = 12 };

#define T struct ask_swept
static const struct wire_field swept_field[] = {
    WIRE_NAME(T, target),   WIRE_NAME(T, inner),    WIRE_ENUM(T, verdict, ADAPT_UNDECIDED + 1),
    WIRE_TEXT(T, adapter),  WIRE_TEXT(T, family),   WIRE_TEXT(T, reason),
    WIRE_VALUE(T, trivial), WIRE_VALUE(T, bounded), WIRE_VALUE(T, ms),
    WIRE_VALUE(T, made),    WIRE_VALUE(T, found),   WIRE_VALUE(T, cluster),
};
static const struct wire_type swept_type = WIRE_TYPE(T, swept_field);
#undef T

/* ---- tasks ---- */

struct subject {
    const char *name;
    const struct flow_function *f; /* NULL: a fragment */
};

struct task {
    struct subject target, inner;
    bool done, begun;
};

struct sweeping {
    const struct ask_adapt_sweep *q;
    const struct strmap *known; /* of the store */
    struct ask_sink *say;
    struct program *p[2]; /* of targets; of inner functions */
    VEC(struct subject) subject[2];
    VEC(struct task) task;
    VEC(size_t) first; /* of each chunk in the list below, and its end */
    VEC(size_t) order; /* tasks that are open */
    VEC(struct buf) heard;
    struct arena arena;
    size_t answered;
};

/* Functions of a file, one name for each address. */
static void list_functions(struct sweeping *s, unsigned side, bool exported)
{
    struct program *p = s->p[side];
    const struct object_symbol *y;
    size_t n = object_symbols(program_object(p), &y);
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (y[i].type != SYMBOL_FUNC || y[i].undefined || !y[i].name || !*y[i].name || y[i].address == last ||
            (exported && (!y[i].dynamic || y[i].bind == BIND_LOCAL)))
            continue;
        const struct flow_function *f = program_function_at(p, y[i].address);
        if (!f || f->flags & (FLOW_PLT | FLOW_PART | FLOW_IFUNC | FLOW_EXTERN))
            continue;
        last = y[i].address;
        vec_push(&s->subject[side], (struct subject){y[i].name, f});
    }
}

/* A target for each register that a fragment may give. */
static void add_fragment(void *ctx, uint64_t from, uint64_t to)
{
    struct sweeping *s = ctx;
    struct arena arena = ARENA_INIT;
    struct adapt_fragment f;
    struct error ignored;
    if (adapt_fragment_make(&f, s->p[0], from, to, &arena, &ignored))
        for (unsigned i = 0; i < f.nouts; i++)
            vec_push(&s->subject[0],
                     (struct subject){arena_printf(&s->arena, "%s@r%u", f.function.name, f.out[i]), NULL});
    arena_free(&arena);
}

/* Those that it exports, or all with a name when it exports none. */
static void list_subjects(struct sweeping *s, unsigned side)
{
    if (side == 0 && s->q->fragments) {
        adapt_fragments_each(s->p[0], add_fragment, s);
        return;
    }
    list_functions(s, side, true);
    if (!s->subject[side].len)
        list_functions(s, side, false);
}

static void add_task(struct sweeping *s, const struct subject *x, const struct subject *y)
{
    struct task t = {.target = *x, .inner = *y};
    char *key = arena_printf(&s->arena, "%s %s", x->name, y->name);
    t.done = strmap_get(s->known, key, NULL);
    vec_push(&s->task, t);
}

static bool named_subject(struct sweeping *s, unsigned side, const char *name, struct subject *out,
                          struct error *err)
{
    struct arena arena = ARENA_INIT;
    struct adapt_code code;
    bool ok = ask_adapt_find(s->p[side], name, &arena, &code, err);
    *out = (struct subject){arena_strdup(&s->arena, name), ok && !code.fragment ? code.f : NULL};
    arena_free(&arena);
    return ok;
}

static bool read_tasks(struct sweeping *s, struct error *err)
{
    FILE *in = fopen(s->q->tasks, "r");
    char line[1024], target[500], inner[500];
    if (!in)
        return error_set(err, ERROR_INPUT, "%s: cannot open it", s->q->tasks);
    bool ok = true;
    for (unsigned n = 1; ok && fgets(line, sizeof line, in); n++) {
        if (line[0] == '\n' || line[0] == '#')
            continue;
        if (sscanf(line, "%499s %499s", target, inner) != 2) {
            ok = error_set(err, ERROR_INPUT, "%s:%u: not two functions", s->q->tasks, n);
            break;
        }
        struct subject x, y;
        ok = named_subject(s, 0, target, &x, err) && named_subject(s, 1, inner, &y, err);
        if (ok)
            add_task(s, &x, &y);
    }
    fclose(in);
    return ok;
}

static void pair_all(struct sweeping *s)
{
    for (size_t i = 0; i < s->subject[0].len; i++)
        for (size_t k = 0; k < s->subject[1].len; k++) {
            size_t far = i > k ? i - k : k - i;
            if (s->q->against || (far && far <= s->q->near))
                add_task(s, &s->subject[0].data[i], &s->subject[1].data[k]);
        }
}

/* A slice is tasks in a row, so that they share functions. */
static void leave_out_others(struct sweeping *s)
{
    for (size_t i = 0; s->q->slices && i < s->task.len; i++)
        if (i * s->q->slices / s->task.len != s->q->slice)
            s->task.data[i].done = true;
}

/* ---- one chunk, in a worker ---- */

struct chunk {
    struct sweeping *s;
    struct adapt *a;
    struct adapt_kept kept;
    struct arena arena;
    const char *name[2]; /* of the fragment made last */
    struct adapt_code code[2];
};

static const char *adapter_text(struct arena *arena, const struct adapt_answer *x)
{
    if (x->verdict != ADAPT_FOUND)
        return NULL;
    struct buf b = BUF_INIT;
    for (unsigned i = 0; i < x->adapter.nargs; i++) {
        buf_puts(&b, i ? ", " : "");
        adapt_print_argument(&b, &x->adapter, i);
    }
    if (x->result_bits) {
        buf_puts(&b, " -> ");
        adapt_print_value(&b, &x->adapter.result, x->adapter.width, "result");
    }
    const char *text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return text;
}

/* The code of a subject; a fragment is made once for the tasks in a row that ask about it. */
static bool code_of(struct chunk *c, unsigned side, const struct subject *x, struct adapt_code *out,
                    struct error *err)
{
    if (x->f) {
        *out = (struct adapt_code){.p = c->s->p[side],
                                   .f = x->f,
                                   .file = side && c->s->q->against ? c->s->q->against : c->s->q->file};
        return true;
    }
    if (!c->name[side] || strcmp(c->name[side], x->name) != 0) {
        c->name[side] = NULL;
        if (!ask_adapt_find(c->s->p[side], x->name, &c->arena, &c->code[side], err))
            return false;
        c->name[side] = x->name;
    }
    *out = c->code[side];
    return true;
}

static void run_task(struct chunk *c, const struct task *t, struct ask_sink *say)
{
    struct adapt_code x, y;
    struct arena arena = ARENA_INIT;
    struct adapt_answer answer = {0};
    struct error err = {0};
    struct ask_swept out = {.target = t->target.name, .inner = t->inner.name, .verdict = ADAPT_UNDECIDED};
    const struct adapt_effort before = adapt_effort(c->a);
    ask_say(say, SWEEP_BEGUN, &swept_type, &out);
    ask_flush(say);
    if (code_of(c, 0, &t->target, &x, &err) && code_of(c, 1, &t->inner, &y, &err) &&
        adapt_search(c->a, &x, &y, &answer, &err)) {
        out.verdict = answer.verdict;
        out.reason = answer.reason;
        out.adapter = adapter_text(&arena, &answer);
        out.family = adapt_family_name(answer.family);
        out.trivial = answer.trivial;
        out.bounded = answer.bounded;
        out.ms = answer.ms;
        out.cluster = answer.cluster;
    } else {
        out.reason = err.text;
    }
    const struct adapt_effort after = adapt_effort(c->a);
    out.made = after.made - before.made;
    out.found = after.found - before.found;
    ask_say(say, SWEEP_TASK, &swept_type, &out);
    ask_flush(say);
    adapt_answer_free(&answer);
    arena_free(&arena);
}

static bool chunk_job(void *ctx, size_t job, struct buf *out)
{
    struct sweeping *s = ctx;
    struct ask_sink say = ask_below(out);
    struct error err = {0};
    struct chunk c = {.s = s, .a = adapt_new(&s->q->how, &err)};
    if (c.a && s->q->keep)
        adapt_kept_open(&c.kept, &s->q->object, c.a);
    for (size_t i = s->first.data[job]; c.a && i < s->first.data[job + 1]; i++)
        run_task(&c, &s->task.data[s->order.data[i]], &say);
    adapt_kept_close(&c.kept);
    if (c.a)
        adapt_free(c.a);
    arena_free(&c.arena);
    return c.a != NULL;
}

/* ---- what workers say ---- */

struct listening {
    struct sweeping *s;
    size_t job;
};

static bool hear_below(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct listening *l = ctx;
    struct sweeping *s = l->s;
    struct arena arena = ARENA_INIT;
    struct ask_swept x;
    bool ok = wire_get(bytes, n, &swept_type, &x, &arena);
    for (size_t i = s->first.data[l->job]; ok && i < s->first.data[l->job + 1]; i++) {
        struct task *t = &s->task.data[s->order.data[i]];
        if (strcmp(t->target.name, x.target) != 0 || strcmp(t->inner.name, x.inner) != 0)
            continue;
        t->begun = true;
        t->done = message == SWEEP_TASK;
    }
    if (ok && message == SWEEP_TASK) {
        ask_say(s->say, SWEEP_TASK, &swept_type, &x);
        ask_flush(s->say);
        ask_progress(s->say, "pairs", ++s->answered, s->task.len);
    }
    arena_free(&arena);
    return ok;
}

static void chunk_output(void *ctx, size_t job, const char *bytes, size_t n)
{
    struct sweeping *s = ctx;
    struct listening l = {s, job};
    struct buf *b = &s->heard.data[job], rest = BUF_INIT;
    bool understood;
    buf_put(b, bytes, n);
    size_t taken = ask_read(b->data, b->len, hear_below, &l, &understood);
    buf_put(&rest, b->data + taken, b->len - taken);
    buf_free(b);
    *b = rest;
}

/* A task that its worker did not survive is undecided, and the rest of the chunk is asked again. */
static void chunk_done(void *ctx, const struct work_result *r)
{
    struct sweeping *s = ctx;
    bool blamed = false;
    for (size_t i = s->first.data[r->job]; i < s->first.data[r->job + 1]; i++) {
        struct task *t = &s->task.data[s->order.data[i]];
        bool last = i + 1 == s->first.data[r->job + 1];
        if (t->done || (!t->begun && !(last && !blamed)))
            continue;
        blamed = t->done = true;
        struct ask_swept x = {.target = t->target.name,
                              .inner = t->inner.name,
                              .verdict = ADAPT_UNDECIDED,
                              .reason = r->outcome == WORK_DONE ? "the worker said nothing" : r->reason};
        ask_say(s->say, SWEEP_TASK, &swept_type, &x);
        ask_flush(s->say);
    }
}

static bool run_round(struct sweeping *s, bool *more, struct error *err)
{
    const struct ask_adapt_sweep *q = s->q;
    vec_clear(&s->first);
    vec_clear(&s->order);
    size_t targets = 0;
    const struct subject *last = NULL;
    for (size_t i = 0; i < s->task.len; i++) {
        struct task *t = &s->task.data[i];
        if (t->done)
            continue;
        bool same = last && (last->f ? last->f == t->target.f : strcmp(last->name, t->target.name) == 0);
        if (!same && targets++ % CHUNK == 0)
            vec_push(&s->first, s->order.len);
        last = &t->target;
        t->begun = false;
        vec_push(&s->order, i);
    }
    *more = s->order.len > 0;
    if (!*more)
        return true;
    size_t n = s->first.len;
    vec_push(&s->first, s->order.len);
    for (size_t i = s->heard.len; i < n; i++)
        vec_push(&s->heard, (struct buf)BUF_INIT);
    for (size_t i = 0; i < n; i++)
        buf_clear(&s->heard.data[i]);
    struct work_options w = {
        .jobs = q->limits.jobs, .memory_bytes = q->limits.memory, .output = chunk_output};
    return work_run(n, &w, chunk_job, chunk_done, s, NULL, err);
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    struct ask_adapt_swept *a = ctx;
    const struct ask_adapt_sweep *q = a->q;
    struct sweeping s = {.q = q, .known = &a->done, .say = say};
    struct program_options how = {.object = q->object};
    work_limit_time(0);
    s.p[0] = program_open(q->file, &how, err);
    s.p[1] = !s.p[0]                                          ? NULL
             : q->against && strcmp(q->against, q->file) != 0 ? program_open(q->against, &how, err)
                                                              : s.p[0];
    bool ok = s.p[0] && s.p[1];
    for (unsigned i = 0; ok && i < 2; i++)
        lifter_keep_loads(program_lifter(s.p[i]));
    if (ok && program_machine(s.p[0]) != program_machine(s.p[1]))
        ok = error_set(err, ERROR_USAGE, "%s and %s are for different machines: one cannot call the other",
                       q->file, q->against);
    if (ok && q->fragments && program_machine(s.p[0])->arch != MACHINE_ARM)
        ok = error_set(err, ERROR_INPUT, "%s: fragments are of ARM code; this is code for %s", q->file,
                       program_machine(s.p[0])->name);
    if (ok && q->tasks) {
        ok = read_tasks(&s, err);
    } else if (ok) {
        list_subjects(&s, 0);
        if (s.p[1] != s.p[0])
            list_subjects(&s, 1);
        else
            for (size_t i = 0; i < s.subject[0].len; i++)
                vec_push(&s.subject[1], s.subject[0].data[i]);
        pair_all(&s);
    }
    if (ok) {
        leave_out_others(&s);
        struct ask_swept wanted = {.target = "", .inner = "", .ms = s.task.len};
        ask_say(say, SWEEP_WANTED, &swept_type, &wanted);
    }
    for (bool more = true; ok && more;)
        ok = run_round(&s, &more, err);
    for (size_t i = 0; i < s.heard.len; i++)
        buf_free(&s.heard.data[i]);
    vec_free(&s.heard);
    vec_free(&s.subject[0]);
    vec_free(&s.subject[1]);
    vec_free(&s.task);
    vec_free(&s.first);
    vec_free(&s.order);
    arena_free(&s.arena);
    if (s.p[1] && s.p[1] != s.p[0])
        program_free(s.p[1]);
    if (s.p[0])
        program_free(s.p[0]);
    return ok;
}

/* ---- the answer ---- */

static struct ask_swept kept(struct arena *arena, const struct ask_swept *x)
{
    struct ask_swept out = *x;
    const char **const text[] = {&out.target, &out.inner, &out.adapter, &out.family, &out.reason};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        if (*text[i])
            *text[i] = arena_strdup(arena, *text[i]);
    return out;
}

static void stored(void *ctx, const struct ask_swept *x)
{
    struct ask_adapt_swept *a = ctx;
    vec_push(&a->task, kept(&a->arena, x));
    strmap_set(&a->done, arena_printf(&a->arena, "%s %s", x->target, x->inner), 1);
}

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_adapt_swept *a = ctx;
    struct ask_swept x;
    if (!wire_get(bytes, n, &swept_type, &x, &a->arena))
        return false;
    if (message == SWEEP_WANTED) {
        a->wanted = x.ms;
        return true;
    }
    if (message != SWEEP_TASK || (a->store && !adapt_store_put(a->store, &x, &a->failed)))
        return false;
    vec_push(&a->task, x);
    return true;
}

/* A file by its name and its contents: answers are of these. One that cannot be read is refused later. */
static void add_file(struct buf *b, const char *file)
{
    struct error ignored;
    struct buf bytes = BUF_INIT;
    char hex[SHA256_HEX];
    buf_puts(b, file);
    if (file_read(file, SIZE_MAX, &bytes, &ignored)) {
        sha256_hex(bytes.data, bytes.len, hex);
        buf_printf(b, " (%.16s)", hex);
    }
    buf_free(&bytes);
}

bool ask_adapt_sweep(const struct ask_adapt_sweep *q, const struct ask_session *session,
                     struct ask_adapt_swept *a, struct error *err)
{
    *a = (struct ask_adapt_swept){.q = q};
    bool ok = true;
    if (q->store) {
        struct buf b = BUF_INIT;
        buf_printf(&b, "families %u visits %u search %u ms summary %u ms of ", q->how.families, q->how.visits,
                   q->how.timeout_ms, q->how.summary_ms);
        add_file(&b, q->file);
        if (q->how.truth)
            buf_printf(&b, " truth");
        if (q->how.modulo_faults)
            buf_printf(&b, " modulo faults");
        for (size_t i = 0; q->how.assume && q->how.assume[i]; i++)
            buf_printf(&b, " if %s", q->how.assume[i]);
        for (size_t i = 0; i < q->how.nconstants; i++)
            buf_printf(&b, " constant 0x%" PRIx64, q->how.constant[i]);
        for (size_t i = 0; i < q->how.nregions; i++)
            buf_printf(&b, " region %u:%" PRIu64, q->how.region[i].arg, q->how.region[i].size);
        if (q->tasks)
            buf_printf(&b, " tasks %s", q->tasks);
        else if (!q->against)
            buf_printf(&b, " near %u", q->near);
        if (q->against) {
            buf_puts(&b, q->fragments ? " fragments against " : " against ");
            add_file(&b, q->against);
        }
        a->store = adapt_store_open(q->store, buf_text(&b), err);
        buf_free(&b);
        ok = a->store && adapt_store_each(a->store, stored, a, err);
    }
    a->stored = a->task.len;
    if (q->keep)
        a->trouble = adapt_kept_trouble(&a->arena);
    ok = ok && ask_put(ask, hear, a, &q->limits, 0, 0, session, &a->end, err);
    if (ok && a->failed.kind) {
        *err = a->failed;
        ok = false;
    }
    if (a->store)
        adapt_store_close(a->store);
    a->store = NULL;
    return ok;
}

void ask_adapt_sweep_free(struct ask_adapt_swept *a)
{
    vec_free(&a->task);
    strmap_free(&a->done);
    arena_free(&a->arena);
}

enum ask_status ask_adapt_sweep_status(const struct ask_adapt_swept *a)
{
    return a->end.outcome == WORK_DONE ? ASK_YES : ASK_UNKNOWN;
}
