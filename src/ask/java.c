/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/java_internal.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/distance.h"
#include "lift/java/opcode.h"

enum { GRACE_MS = 10000, CALLS_MAX = 1500 };

/* ---- how it travels ---- */

#define T struct ask_java_input
static const struct wire_field input_field[] = {WIRE_NAME(T, name), WIRE_NAME(T, type), WIRE_NAME(T, value),
                                                WIRE_TEXT(T, file), WIRE_VALUE(T, line)};
const struct wire_type java_input_type = WIRE_TYPE(T, input_field);
#undef T
#define T struct ask_java_failure
static const struct wire_field failure_field[] = {
    WIRE_VALUE(T, check), WIRE_NAME(T, exception), WIRE_NAME(T, method),
    WIRE_TEXT(T, file),   WIRE_VALUE(T, line),     WIRE_LIST(T, input, ninputs, &java_input_type)};
static const struct wire_type failure_type = WIRE_TYPE(T, failure_field);
#undef T
#define T struct ask_java_answer
static const struct wire_field begin_field[] = {WIRE_NAME(T, method), WIRE_NAME(T, home)};
static const struct wire_type begin_type = WIRE_TYPE(T, begin_field);
static const struct wire_field end_field[] = {
    WIRE_ENUM(T, verdict, JAVA_VERDICTS), WIRE_LIST(T, unknown, nunknown, &wire_text),
    WIRE_LIST(T, assumed, nassumed, &wire_text), WIRE_VALUE(T, counts)};
static const struct wire_type end_type = WIRE_TYPE(T, end_field);
#undef T

/* ---- the run ---- */

static const struct {
    unsigned check;
    const char *name, *class;
} checks[] = {
    {JAVA_CHECK_ASSERT, "assert", "java/lang/AssertionError"},
    {JAVA_CHECK_BOUNDS, "bounds", "java/lang/ArrayIndexOutOfBoundsException"},
    {JAVA_CHECK_NULL, "null", "java/lang/NullPointerException"},
    {JAVA_CHECK_DIVIDE, "divide", "java/lang/ArithmeticException"},
    {JAVA_CHECK_CAST, "cast", "java/lang/ClassCastException"},
    {JAVA_CHECK_SIZE, "size", "java/lang/NegativeArraySizeException"},
    {JAVA_CHECK_EXCEPTION, "exception", "java/lang/Throwable"},
};
enum { CHECKS = sizeof checks / sizeof *checks };

const char *ask_java_check_name(unsigned check)
{
    for (unsigned i = 0; i < CHECKS; i++)
        if (checks[i].check == check)
            return checks[i].name;
    return "?";
}

static unsigned check_of(struct java_run *r, const struct java_class *c)
{
    for (unsigned i = 0; i < CHECKS; i++) {
        const struct java_class *of = java_world_class(&r->world, checks[i].class, NULL);
        if (of && java_subclass(c, of))
            return checks[i].check;
    }
    return JAVA_CHECK_EXCEPTION;
}

static void because(struct java_run *r, bool *what, const char *text)
{
    *what = true;
    for (size_t i = 0; i < r->why.len; i++)
        if (strcmp(r->why.data[i], text) == 0)
            return;
    vec_push(&r->why, arena_strdup(&r->arena, text));
}

const char *java_method_name(struct java_run *r, const struct java_method *m)
{
    return arena_printf(&r->arena, "%s.%s%s", java_dotted(&r->arena, m->owner->name), m->name, m->desc);
}

/* ---- inputs ---- */

static const char *floating(struct java_run *r, double v, bool single)
{
    if (isnan(v))
        return "NaN";
    if (isinf(v))
        return v < 0 ? "-Infinity" : "Infinity";
    return arena_printf(&r->arena, single ? "%.9gf" : "%.17g", v);
}

static const char *value_text(struct java_run *r, char type, uint64_t bits)
{
    float f;
    double d;
    uint32_t low = (uint32_t)bits;
    switch (type) {
    case 'Z':
        return bits & 1 ? "true" : "false";
    case 'B':
        return arena_printf(&r->arena, "%d", (int8_t)bits);
    case 'S':
        return arena_printf(&r->arena, "%d", (int16_t)bits);
    case 'C':
        return arena_printf(&r->arena, "%u", (unsigned)(uint16_t)bits);
    case 'J':
        return arena_printf(&r->arena, "%" PRId64, (int64_t)bits);
    case 'F':
        memcpy(&f, &low, sizeof f);
        return floating(r, f, true);
    case 'D':
        memcpy(&d, &bits, sizeof d);
        return floating(r, d, false);
    }
    return arena_printf(&r->arena, "%d", (int32_t)bits);
}

static bool holds(struct java_run *r, const struct term_model *m, term c)
{
    struct bits v;
    return c == TERM_NONE || !term_eval(r->t, m, c, &v) || bits_low(v);
}

size_t java_inputs(struct java_run *r, const struct exec_path *path, const struct term_model *m,
                   const struct ask_java_input **out)
{
    VEC(struct ask_java_input) list = VEC_INIT;
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        struct bits v;
        if (e->kind != EVENT_INTRINSIC || !e->name || e->name[0] == 0 || e->name[1] != ':' ||
            !holds(r, m, e->guard) || !term_eval(r->t, m, e->result, &v))
            continue;
        const struct java_method *at = java_method_at(r->lift, e->called);
        bool asked = at && at->owner->origin;
        vec_push(&list, (struct ask_java_input){e->name + 2, java_primitive(e->name[0]),
                                                value_text(r, e->name[0], bits_low(v)),
                                                asked ? at->owner->source : NULL,
                                                asked ? java_line(at, (uint32_t)e->called & 0xffff) : 0});
    }
    size_t n = list.len;
    *out = arena_dup(&r->arena, list.data, n * sizeof *list.data);
    vec_free(&list);
    return n;
}

/* ---- paths ---- */

bool java_evaluated(struct java_run *r, const struct term_model *m, term x, uint64_t *out)
{
    struct bits v;
    if (!term_eval(r->t, m, x, &v))
        return false;
    *out = bits_low(v);
    return true;
}

/* Says a failure, if it is one of those that are asked for. */
static void say_failure(struct java_run *r, const struct exec_path *path, const struct term_model *m,
                        uint64_t id, uint64_t place)
{
    const struct java_class *c = java_class_of(r->lift, id);
    const struct java_method *at = java_method_at(r->lift, place);
    if (!c) {
        because(r, &r->unknown, "an exception of a class that is not known");
        return;
    }
    vec_push(&r->seen, (struct java_seen){id, place});
    if (!(check_of(r, c) & r->q->checks))
        return;
    struct ask_java_failure f = {.check = check_of(r, c),
                                 .exception = java_dotted(&r->arena, c->name),
                                 .method = at ? java_method_name(r, at) : "?",
                                 .file = at ? at->owner->source : NULL,
                                 .line = at ? java_line(at, (uint32_t)place & 0xffff) : 0};
    f.ninputs = java_inputs(r, path, m, &f.input);
    r->failed = true;
    ask_say(r->say, JAVA_SAY_FAILURE, &failure_type, &f);
}

/* Where states were merged it may be one of several exceptions: each that was not seen yet is looked for. */
static void on_throw(struct java_run *r, const struct exec_path *path)
{
    term ref = term_extract(r->t, path->thrown, 0, 32);
    term class_of = exec_spaces_cell(r->x, path->spaces, JAVA_CLASS, ref);
    term place_of = exec_spaces_cell(r->x, path->spaces, JAVA_THROWN, ref);
    VEC(term) query = VEC_INIT;
    /* What was made of something unknown need not happen. */
    if (explorer_stats(r->x).unknown_effects)
        return;
    for (unsigned i = 0; i < path->nliterals; i++)
        vec_push(&query, path->literal[i]);
    size_t known = 0;
    for (;;) {
        for (; known < r->seen.len; known++) {
            const struct java_seen *k = &r->seen.data[known];
            term same = term_and(r->t, term_eq(r->t, class_of, term_const(r->t, 32, k->id)),
                                 term_eq(r->t, place_of, term_const(r->t, 64, k->place)));
            vec_push(&query, term_not(r->t, same));
        }
        struct term_model *m = NULL;
        uint64_t id, place;
        enum solve_answer a = solve_check(r->s, query.data, query.len, &m);
        if (a == SOLVE_UNKNOWN)
            because(r, &r->unknown,
                    arena_printf(&r->arena, "the solver gave up on a failure: %s", solver_reason(r->s)));
        if (a != SOLVE_SAT)
            break;
        bool told = java_evaluated(r, m, class_of, &id) && java_evaluated(r, m, place_of, &place);
        if (told)
            say_failure(r, path, m, id, place);
        else
            because(r, &r->unknown, "an exception of a class that is not known");
        term_model_free(m);
        if (!told || known == r->seen.len)
            break;
    }
    vec_free(&query);
}

static bool on_path(void *ctx, const struct exec_path *path)
{
    struct java_run *r = ctx;
    const char *why;
    if (path->end == PATH_TRAP && java_assumed(r->lift, path->end_address))
        return true;
    r->paths++;
    ask_progress(r->say, "paths", (size_t)r->paths, 0);
    if (r->points && (path->end == PATH_RETURN || path->end == PATH_THROW))
        java_points_path(r, path);
    switch (path->end) {
    case PATH_RETURN:
        break;
    case PATH_THROW:
        on_throw(r, path);
        break;
    case PATH_LOOP_BOUND: {
        const struct java_method *m = java_method_at(r->lift, path->end_address);
        because(r, &r->bounded,
                arena_printf(&r->arena, "loops with an open condition were followed %u times, in %s",
                             r->q->unwind, m ? java_method_name(r, m) : "?"));
        break;
    }
    case PATH_UNKNOWN_CODE:
        why = java_reason(r->lift, path->end_address);
        because(r, &r->unknown, why ? why : "an instruction that is not understood");
        break;
    case PATH_NORETURN:
        because(r, &r->bounded, arena_printf(&r->arena, "calls were followed %d deep", CALLS_MAX));
        break;
    default:
        because(r, &r->unknown,
                arena_printf(&r->arena, "a path ends: %s", path_end_name((enum path_end)path->end)));
        break;
    }
    return true;
}

/* ---- the method ---- */

struct nearest {
    const char *wanted;
    char best[256];
    unsigned far; /* the distance of the best, or one at which it is another word */
};

static void nearer(void *ctx, const char *name)
{
    struct nearest *n = ctx;
    unsigned d = edit_distance(n->wanted, name, n->far);
    if (d < n->far) {
        n->far = d;
        snprintf(n->best, sizeof n->best, "%s", name);
    }
}

static bool no_class(struct java_run *r, const char *name, struct error *err)
{
    struct nearest n = {.wanted = name, .far = 4 + (unsigned)strlen(name) / 4};
    java_path_each(r->path, nearer, &n);
    return error_set(err, ERROR_INPUT, "%s: no such class in %s%s%s", java_dotted(&r->arena, name),
                     r->q->class_path, n.best[0] ? "; did you mean " : "",
                     n.best[0] ? java_dotted(&r->arena, n.best) : "");
}

static bool choose_method(struct java_run *r, struct java_class *c, const char *name, const char *desc,
                          struct error *err)
{
    struct java_method *found = NULL;
    unsigned n = 0;
    struct nearest near = {.wanted = name, .far = 4 + (unsigned)strlen(name) / 4};
    struct buf all = BUF_INIT;
    for (unsigned i = 0; i < c->nmethods; i++) {
        struct java_method *m = &c->method[i];
        nearer(&near, m->name);
        if (strcmp(m->name, name) != 0 || (*desc && strcmp(m->desc, desc) != 0))
            continue;
        found = m;
        buf_printf(&all, "%s%s%s", n++ ? ", " : "", m->name, m->desc);
    }
    if (n > 1)
        error_set(err, ERROR_USAGE, "%s.%s: there are several: %s", java_dotted(&r->arena, c->name), name,
                  buf_text(&all));
    else if (!n && *desc)
        error_set(err, ERROR_INPUT, "%s.%s%s: no such method", java_dotted(&r->arena, c->name), name, desc);
    else if (!n)
        error_set(err, ERROR_INPUT, "%s.%s: no such method%s%s", java_dotted(&r->arena, c->name), name,
                  near.best[0] ? "; did you mean " : "", near.best);
    else if (!found->code)
        error_set(err, ERROR_INPUT, "%s.%s: has no code", java_dotted(&r->arena, c->name), name);
    buf_free(&all);
    r->method = found;
    return n == 1 && found->code;
}

/* "a.b.C", "a.b.C.f", "a.b.C.f(I)V" */
static bool find_method(struct java_run *r, struct error *err)
{
    size_t n = strcspn(r->q->method, "(");
    char *name = arena_strndup(&r->arena, r->q->method, n);
    const char *desc = r->q->method + n;
    struct error why = {0};
    unsigned words, count;
    if (*desc && !java_signature(desc, &words, &count))
        return error_set(err, ERROR_USAGE, "%s: not the descriptor of a method, such as (I[B)V", desc);
    for (char *p = name; *p; p++)
        *p = *p == '.' ? '/' : *p;
    size_t size;
    const char *origin;
    bool whole = !*desc && java_path_find(r->path, arena_printf(&r->arena, "%s.class", name), &size, &origin,
                                          &r->arena, &why) != NULL;
    if (!whole && why.kind) {
        *err = why;
        return false;
    }
    char *dot = whole ? NULL : strrchr(name, '/');
    if (dot)
        *dot = 0;
    struct java_class *c = java_world_class(&r->world, name, &why);
    if (!c && strstr(why.text, "no such class in the class path") &&
        strncmp(why.text, name, strlen(name)) == 0) {
        return no_class(r, name, err);
    }
    if (!c) {
        *err = why;
        return false;
    }
    return choose_method(r, c, dot ? dot + 1 : "main", desc, err);
}

/* ---- the question ---- */

static struct exec_call follow(void *ctx, struct exec_moment *at, const struct exec_callee *c)
{
    const struct java_run *r = ctx;
    const struct java_method *m = java_method_at(r->lift, c->address);
    return (struct exec_call){.kind = moment_depth(at) + 1 < CALLS_MAX ? EXEC_CALL_FOLLOW : EXEC_CALL_END,
                              .part = m && !m->owner->origin};
}

static const struct exec_policy policy = {.arguments = EXEC_ARGUMENTS_SET};

static struct explore_options options(const struct ask_java *q, unsigned mode,
                                      const struct explore_hooks *hooks)
{
    return (struct explore_options){.merge = mode > 1,
                                    .merge_returns = mode == 5,
                                    .returns = mode == 2   ? EXEC_RETURNS_APART
                                               : mode == 5 ? EXEC_RETURNS_ALL
                                                           : EXEC_RETURNS_SAME,
                                    .whole_regions = mode == 2 || mode == 3,
                                    .flat_regions = mode == 2,
                                    .keep_known = mode > 1 ? JAVA_CLASS : 0,
                                    .visits = q->unwind,
                                    .free_concrete = true,
                                    .symbolic_iterations = true,
                                    .max_paths = q->max_paths,
                                    .inline_depth = CALLS_MAX,
                                    .prune = true,
                                    .feasible = true,
                                    .no_writes = true,
                                    .policy = &policy,
                                    .hooks = hooks};
}

static void end_attempt(struct java_run *r)
{
    if (r->x)
        explorer_free(r->x);
    if (r->s)
        solver_free(r->s);
    if (r->t)
        terms_free(r->t);
    r->x = NULL;
    r->s = NULL;
    r->t = NULL;
}

enum {
    TRIAL = 8 * BUDGET_MS, /* work that merging gets in any case */
    SHARE = 8,             /* as many times that for one path at a time */
    MOST = 200,            /* merging that pays goes on for that much */
    QUESTION = 25,         /* what one question may take, ... */
    LARGE = 50000 * BUDGET_MS, /* ... which only the clock limits when there is so much */
};
#define UNLIMITED (UINT64_MAX >> 1)

/* One exploration of the method. Failures that it finds are said at once. */
static bool attempt(struct java_run *r, struct java_method *start, const struct java_start *how,
                    unsigned mode, uint64_t work, struct error *err)
{
    const struct ask_java *q = r->q;
    end_attempt(r);
    r->mode = mode;
    r->paths = 0;
    r->unknown = r->bounded = r->cut = r->unsure = false;
    vec_clear(&r->why);
    if (how->lengths)
        because(r, &r->bounded, how->lengths);
    if (how->objects)
        because(r, &r->bounded, how->objects);
    if (r->points)
        java_points_again(r->points);
    r->hooks = (struct explore_hooks){.ctx = r, .call = follow, .pass = q->cases ? java_points_pass : NULL};
    struct explore_options o = options(q, mode, &r->hooks);
    o.timeout_ms = (unsigned)deadline_left(&r->until);
    o.work = work;
    o.pays = mode > 1 && work < UNLIMITED ? MOST : 0;
    struct solve_options solve = q->solve;
    solve.effort = work < LARGE ? (unsigned)(work * QUESTION / BUDGET_MS * SOLVE_STEPS_MS) : 0;
    r->t = terms_new();
    r->s = solver_new(r->t, &solve, err);
    if (!r->s)
        return false;
    r->x = explorer_new_java(r->lift, start, r->t, r->s, &o);
    if (!explore_java(r->x, r->lift, start, on_path, r, err))
        return false;
    struct explore_stats e = explorer_stats(r->x);
    r->work += *terms_work(r->t);
    r->cut = e.dropped && r->paths < q->max_paths && !deadline_over(&r->until);
    r->paid = e.apart > EXEC_PAYS * (double)(*terms_work(r->t) - e.run);
    r->gave_up = solver_stats(r->s).unknown;
    r->unsure = e.unknown_effects || r->gave_up;
    if (e.dropped)
        because(r, &r->unknown,
                r->paths >= q->max_paths ? arena_printf(&r->arena, "limit of %" PRIu64 " paths", q->max_paths)
                                         : "the time limit was reached");
    if (java_strings(r->lift))
        because(r, &r->bounded, java_strings(r->lift));
    if (e.unknown_effects)
        because(r, &r->unknown, "the class of an object is not known");
    return true;
}

/* Nothing is gained by another attempt. */
static bool is_answered(const struct java_run *r)
{
    return !r->unknown || (!r->cut && !r->unsure) || deadline_over(&r->until);
}

/* What merging costs is known when it is done, what it saves is known at any time: how often each block would
 * have been run without it. So it gets a trial, and goes on as long as it costs a fraction of that (but not
 * forever: some of the paths may be infeasible). Then the paths are taken one at a time, with several times
 * the work. If that is not enough there are more of them than was thought, or they are dearer, and merging
 * may cost more, too. In all it takes little more than what is cheaper.
 *
 * A question that is too hard once paths are merged is asked one path at a time, too, and so is one about an
 * object whose class is not known then. */
static bool attempts(struct java_run *r, struct java_method *start, const struct java_start *how,
                     struct error *err)
{
    if (r->q->mode < 5)
        return attempt(r, start, how, r->q->mode, UNLIMITED, err);
    for (uint64_t work = TRIAL;;) {
        if (!attempt(r, start, how, 5, work, err))
            return false;
        const struct explore_stats e = explorer_stats(r->x);
        const bool lost = e.unknown_effects && e.merges, final = lost || (!r->cut && !r->gave_up);
        if (is_answered(r))
            return true;
        if (r->gave_up && !e.merges)
            return attempt(r, start, how, 5, UNLIMITED, err);
        uint64_t done = *terms_work(r->t);
        work = SHARE * (lost ? SHARE * done : done < work || (r->cut && r->paid) ? work : done);
        if (!attempt(r, start, how, 1, work, err))
            return false;
        if (is_answered(r))
            return true;
        if (final)
            return attempt(r, start, how, 5, UNLIMITED, err);
    }
}

static bool explore(struct java_run *r, struct error *err)
{
    const struct ask_java *q = r->q;
    struct java_start how = {.length = q->length, .args = q->args, .symbolic = q->symbolic};
    struct java_method *start = java_start_method(r->lift, r->method, &how, err);
    if (!start)
        return false;
    r->points = q->cases ? java_points_new() : NULL;
    r->until = deadline_in(q->limits.timeout);
    if (!attempts(r, start, &how, err))
        return false;
    struct explore_stats e = explorer_stats(r->x);
    struct solve_stats s = solver_stats(r->s);
    struct ask_java_answer end = {.verdict = r->failed    ? JAVA_FAILS
                                             : r->unknown ? JAVA_UNKNOWN
                                             : r->bounded ? JAVA_BOUNDED
                                                          : JAVA_HOLDS,
                                  .unknown = r->why.data,
                                  .nunknown = r->why.len,
                                  .counts = {.mode = r->mode,
                                             .work = r->work,
                                             .paths = r->paths,
                                             .states = e.states,
                                             .blocks = e.blocks,
                                             .forks = e.forks,
                                             .merges = e.merges,
                                             .merges_refused = e.merge_refused,
                                             .regions = e.regions,
                                             .spliced = e.spliced,
                                             .calls = e.inlined,
                                             .infeasible = e.infeasible,
                                             .queries = s.queries,
                                             .solver_calls = s.by_solver,
                                             .solver_gave_up = s.unknown,
                                             .terms = terms_stats(r->t).nodes,
                                             .classes = r->world.class.len - 1}};
    end.nassumed = java_models_used(r->lift, &end.assumed);
    if (r->points)
        java_points_end(r);
    ask_say(r->say, JAVA_SAY_END, &end_type, &end);
    return true;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_java *q = ((struct ask_java_answer *)ctx)->q;
    struct java_run r = {.q = q, .say = say, .path = java_path_new()};
    bool ok = java_path_add(r.path, q->class_path, err) && java_path_jdk(r.path, q->jdk, err);
    java_world_init(&r.world, r.path);
    ok = ok && find_method(&r, err);
    if (ok) {
        r.lift = java_lift_new(&r.world, true);
        ask_say(
            say, JAVA_SAY_BEGIN, &begin_type,
            &(struct ask_java_answer){.method = java_method_name(&r, r.method), .home = java_path_home(r.path)});
        ok = explore(&r, err);
    }
    end_attempt(&r);
    java_lift_free(r.lift);
    java_world_free(&r.world);
    java_path_free(r.path);
    java_points_free(r.points);
    vec_free(&r.why);
    vec_free(&r.seen);
    arena_free(&r.arena);
    return ok;
}

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_java_answer *a = ctx, got = {0};
    struct ask_java_failure f = {0};
    struct ask_java_case c = {0};
    switch (message) {
    case JAVA_SAY_BEGIN:
        if (!wire_get(bytes, n, &begin_type, &got, &a->arena))
            return false;
        a->begun = true;
        a->method = got.method;
        a->home = got.home;
        return true;
    case JAVA_SAY_CASE:
        if (!wire_get(bytes, n, &java_case_type, &c, &a->arena))
            return false;
        vec_push(&a->cases, c);
        return true;
    case JAVA_SAY_COVERAGE:
        if (!wire_get(bytes, n, &java_coverage_type, &got, &a->arena))
            return false;
        a->line = got.line;
        a->nlines = got.nlines;
        return true;
    case JAVA_SAY_FAILURE:
        if (!wire_get(bytes, n, &failure_type, &f, &a->arena))
            return false;
        vec_push(&a->failure, f);
        return true;
    case JAVA_SAY_END:
        if (!wire_get(bytes, n, &end_type, &got, &a->arena))
            return false;
        a->finished = true;
        a->verdict = got.verdict;
        a->unknown = got.unknown;
        a->nunknown = got.nunknown;
        a->assumed = got.assumed;
        a->nassumed = got.nassumed;
        a->counts = got.counts;
        return true;
    }
    return false;
}

bool ask_java(const struct ask_java *q, const struct ask_session *session, struct ask_java_answer *a,
              struct error *err)
{
    *a = (struct ask_java_answer){.q = q, .verdict = JAVA_UNKNOWN};
    if (!ask_put(ask, hear, a, &q->limits, q->limits.timeout, GRACE_MS + q->solve.timeout_ms, session,
                 &a->end, err))
        return false;
    /* What was found stands, also where the rest is missing. */
    if (!a->finished && a->failure.len)
        a->verdict = JAVA_FAILS;
    return !q->replay || !a->failure.len || java_replay(a, session, err);
}

void ask_java_free(struct ask_java_answer *a)
{
    vec_free(&a->failure);
    vec_free(&a->cases);
    arena_free(&a->arena);
}

enum ask_status ask_java_status(const struct ask_java_answer *a)
{
    return a->verdict == JAVA_HOLDS ? ASK_YES : a->verdict == JAVA_FAILS ? ASK_NO : ASK_UNKNOWN;
}
