/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The stages a query goes through. See solve.h. */
#include "solve/solve.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "base/system.h"
#include "solve/internal.h"

enum {
    DEFAULT_TIMEOUT_MS = 10000,
    DEFAULT_HEAD_START_MS = 5, /* easy queries are not worth two processes, hard ones not worth waiting */
    RECENT_MODELS = 8,
    REPAIRED_MODELS = 4, /* tried on a new query */
    REFINEMENTS = 6,     /* rounds of telling the solver what a function it does not know yields */
    LEMMAS = 64,         /* per round */
    BRIEF = 20,          /* share of the effort for one case of several */
    TINY = 20,           /* of that, for one pair of parts that look equal */
    STEP = BUDGET_MS / SOLVE_STEPS_MS, /* units of work */
};

/* How far a query had to go; the order is the order of cost. */
enum stage { BY_REWRITING, BY_CHEAP, BY_CACHE, BY_SOLVER };

struct solver {
    struct terms *t;
    struct solve_options opt;
    struct arena arena;
    char **argv; /* external command */
    struct minder *minder;
    struct z3 *z3;
    struct smt_graph without_floats, floats; /* without and with the theory of floats */
    struct cache *cache;
    struct slicer *slicer;
    struct skeleton *skeleton;
    struct solve_stats stats;
    enum stage stage;
    unsigned dumped;
    struct time_spent begun;
    struct budget until;
    uint64_t granted; /* units that the last query could take */
    bool brief; /* with a share of the effort, as it is one case of several */
    bool tiny;  /* with a share of that */
    bool extends; /* the query is that of solve_extends */
    struct sweep_memo parts;
    enum reply_why why; /* there was no answer, and in words */
    char reason[256];
};

/* ---- options ---- */

static bool is_runnable(const char *name)
{
    if (strchr(name, '/'))
        return access(name, X_OK) == 0;
    const char *path = getenv("PATH");
    struct buf file = BUF_INIT;
    bool found = false;
    for (const char *at = path ? path : "/usr/bin:/bin"; at && !found;) {
        const char *colon = strchr(at, ':');
        buf_clear(&file);
        buf_put(&file, at, colon ? (size_t)(colon - at) : strlen(at));
        buf_printf(&file, "%s%s", file.len ? "/" : "./", name);
        found = access(buf_text(&file), X_OK) == 0;
        at = colon ? colon + 1 : NULL;
    }
    buf_free(&file);
    return found;
}

static bool split_command(struct solver *s, const char *command, struct error *err)
{
    VEC(char *) word = VEC_INIT;
    for (const char *p = command; *p;) {
        size_t n = strcspn(p, " \t");
        if (n)
            vec_push(&word, arena_strndup(&s->arena, p, n));
        p += n + (p[n] != 0);
    }
    size_t n = word.len;
    vec_push(&word, NULL);
    s->argv = arena_dup(&s->arena, word.data, word.len * sizeof *word.data);
    vec_free(&word);
    if (!n)
        return error_set(err, ERROR_USAGE, "the solver command is empty; give a command such as \"cvc5\"");
    if (!is_runnable(s->argv[0]))
        return error_set(err, ERROR_USAGE,
                         "the solver '%s' is not found or cannot be run; install it or name another",
                         s->argv[0]);
    return true;
}

static bool check_directory(const char *dir, struct error *err)
{
    struct stat st;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return error_set(err, ERROR_USAGE, "cannot create the directory '%s' for queries: %s", dir,
                         strerror(errno));
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || access(dir, W_OK | X_OK) < 0)
        return error_set(err, ERROR_USAGE, "cannot write queries to '%s': not a writable directory", dir);
    return true;
}

void solver_until(struct solver *s, struct budget b)
{
    s->until = b;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Of `all`, of which so much is left, at least a tenth; but no more than one query may have. */
static uint64_t share_of(uint64_t all, uint64_t left, uint64_t one)
{
    uint64_t least = all / 10 + 1;
    return smaller(left < least ? least : left, one);
}

/* What one query may take, whatever the solver has to be asked for it. */
static struct budget allowed(const struct solver *s)
{
    enum { GUARD_LEAST_MS = 5000 };
    const unsigned part = s->brief || s->tiny ? BRIEF : 1;
    const uint64_t whole = share_of(s->until.guard.ms, deadline_left(&s->until.guard), s->opt.timeout_ms);
    uint64_t ms = whole / part, units = 0;
    /* Where units are counted, the clock must not be what ends it: a few may take long. */
    if (s->opt.effort && ms < GUARD_LEAST_MS)
        ms = smaller(whole, GUARD_LEAST_MS);
    if (s->opt.effort)
        units = share_of(s->until.units, budget_left(&s->until), (uint64_t)s->opt.effort * STEP) / part /
                (s->tiny ? TINY : 1);
    return budget_of(terms_work(s->t), units, ms);
}

static unsigned steps_left(const struct budget *b)
{
    return b->units ? (unsigned)smaller(budget_left(b) / STEP + 1, UINT_MAX) : 0;
}

struct solver *solver_new(struct terms *t, const struct solve_options *opt, struct error *err)
{
    struct solver *s = xcalloc(1, sizeof *s);
    s->t = t;
    s->begun = time_now();
    if (opt)
        s->opt = *opt;
    if (!s->opt.timeout_ms)
        s->opt.timeout_ms = DEFAULT_TIMEOUT_MS;
    if (!s->opt.head_start_ms)
        s->opt.head_start_ms = DEFAULT_HEAD_START_MS;
    if (s->opt.dump_dir)
        s->opt.dump_dir = arena_strdup(&s->arena, s->opt.dump_dir);
    s->z3 = z3_new();
    s->cache = cache_new();
    s->slicer = slicer_new(t);
    s->skeleton = skeleton_new(t);
    smt_graph_init(&s->without_floats, t, false);
    smt_graph_init(&s->floats, t, true);
    bool ok = true;
    if (s->opt.engine != SOLVE_Z3)
        ok = split_command(s, s->opt.command ? s->opt.command : "cvc5", err);
    if (ok && s->opt.dump_dir)
        ok = check_directory(s->opt.dump_dir, err);
    if (ok && s->argv)
        s->minder = minder_new(s->argv);
    if (ok)
        return s;
    solver_free(s);
    return NULL;
}

void solver_free(struct solver *s)
{
    if (!s)
        return;
    minder_free(s->minder);
    z3_free(s->z3);
    cache_free(s->cache);
    slicer_free(s->slicer);
    skeleton_free(s->skeleton);
    sweep_memo_free(&s->parts);
    smt_graph_free(&s->without_floats);
    smt_graph_free(&s->floats);
    arena_free(&s->arena);
    free(s);
}

/* ---- writing queries out ---- */

/* Several processes may write to one directory, so a number that is taken is passed over. Returns -1 when the
 * file cannot be written; the query is worth more than its record. */
static int dump_question(struct solver *s, const struct question *q)
{
    struct buf path = BUF_INIT, script = BUF_INIT;
    int fd;
    do {
        buf_clear(&path);
        buf_printf(&path, "%s/%06u.smt2", s->opt.dump_dir, ++s->dumped);
        fd = open(buf_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (fd < 0 && errno == EEXIST);
    buf_free(&path);
    if (fd < 0)
        return -1;
    smt_print_script(&script, q->graph, q->assertion, q->nassertions, NULL, 0);
    if (write(fd, script.data, script.len) != (ssize_t)script.len) {
        close(fd);
        fd = -1;
    }
    buf_free(&script);
    return fd;
}

static void dump_answer(int fd, const struct reply *r)
{
    static const char *const name[] = {
        [SOLVE_UNSAT] = "unsat", [SOLVE_SAT] = "sat", [SOLVE_UNKNOWN] = "unknown"};
    if (r->answer == SOLVE_UNKNOWN)
        dprintf(fd, "; answer: unknown (%s)\n", r->reason);
    else
        dprintf(fd, "; answer: %s\n", name[r->answer]);
    close(fd);
}

/* ---- asking a solver ---- */

static enum model_check check_assignment(struct solver *s, const struct assignment *a, const term *x,
                                         size_t n)
{
    struct term_model *m = model_build(s->t, a);
    if (!m)
        return MODEL_FAILS;
    enum model_check result = model_check(s->t, m, x, n);
    term_model_free(m);
    return result;
}

struct judge {
    struct solver *s;
    const term *x;
    size_t n;
    bool refinable; /* a model that fails may still be made use of */
};

static bool judge_reply(void *ctx, struct reply *r)
{
    struct judge *j = ctx;
    if (r->answer != SOLVE_SAT || j->refinable ||
        check_assignment(j->s, &r->model, j->x, j->n) == MODEL_HOLDS)
        return true;
    j->s->stats.models_rejected++;
    return false;
}

static void ask_engine(struct solver *s, struct question *q, struct judge *j, struct reply *r)
{
    uint64_t start = now_ms();
    int fd = s->opt.dump_dir ? dump_question(s, q) : -1;
    if (s->opt.engine == SOLVE_EXTERNAL) {
        child_ask(s->minder, s->argv[0], q, r);
    } else if (s->opt.engine == SOLVE_Z3) {
        z3_ask(s->z3, q, r);
    } else {
        child_race(s->minder, s->argv[0], s->z3, q, s->opt.head_start_ms, judge_reply, j, r);
    }
    if (fd >= 0)
        dump_answer(fd, r);
    s->stats.solver_ms += now_ms() - start;
}

static void ask_terms(struct solver *s, struct smt_graph *g, const struct term_list *x, struct judge *j,
                      const struct budget *b, struct reply *r)
{
    struct term_list wanted = {0};
    VEC(smt_node) node = VEC_INIT, wanted_node = VEC_INIT;
    model_wanted(s->t, x->data, x->len, &wanted, NULL);
    for (size_t i = 0; i < x->len; i++)
        vec_push(&node, smt_lower(g, x->data[i]));
    for (size_t i = 0; i < wanted.len; i++)
        vec_push(&wanted_node, smt_lower(g, wanted.data[i]));
    struct question q = {
        .graph = g,
        .terms = s->t,
        .assertion = node.data,
        .nassertions = node.len,
        .wanted = wanted.data,
        .wanted_node = wanted_node.data,
        .nwanted = wanted.len,
        .timeout_ms = (unsigned)time_on_clock(s->begun, deadline_left(&b->guard)),
        .effort = steps_left(b),
        .memory_mb = s->opt.memory_mb,
    };
    ask_engine(s, &q, j, r);
    *terms_work(s->t) += r->steps * STEP;
    vec_free(&node);
    vec_free(&wanted_node);
    vec_free(&wanted);
}

/* The model took a function the solver does not know to yield something else than it does. Adds what it
 * really yields for those operands: "operands are these values => result is that". False when nothing new
 * came of it. */
static bool refine(struct solver *s, const struct assignment *a, const struct term_list *abstract,
                   struct term_list *query, struct map *known)
{
    struct term_model *m = model_build(s->t, a);
    size_t added = 0;
    if (!m)
        return false;
    for (size_t i = 0; i < abstract->len && added < LEMMAS; i++) {
        term x = abstract->data[i], premise = term_true(s->t);
        struct bits v;
        bool ok = term_eval(s->t, m, x, &v);
        term conclusion = ok ? term_eq(s->t, x, term_const_bits(s->t, term_width(s->t, x), v)) : TERM_NONE;
        for (unsigned k = 0; ok && k < term_nkids(s->t, x); k++) {
            term kid = term_kid(s->t, x, k);
            ok = term_eval(s->t, m, kid, &v);
            if (ok)
                premise = term_and(s->t, premise,
                                   term_eq(s->t, kid, term_const_bits(s->t, term_width(s->t, kid), v)));
        }
        term lemma = ok ? term_implies(s->t, premise, conclusion) : TERM_NONE;
        if (!ok || term_is_true(s->t, lemma) || !map_set(known, lemma, 1))
            continue;
        vec_push(query, lemma);
        added++;
    }
    term_model_free(m);
    return added != 0;
}

static bool has_floats(const struct terms *t, const struct term_list *abstract)
{
    for (size_t i = 0; i < abstract->len; i++)
        if (term_kind(t, abstract->data[i]) < OP_COUNT_)
            return true;
    return false;
}

static void say(struct solver *s, enum reply_why why, const char *reason)
{
    s->why = why;
    snprintf(s->reason, sizeof s->reason, "%s", reason);
}

/* By its full size, whatever was left of it. */
static void say_limit(struct solver *s, enum reply_why why)
{
    s->why = why;
    if (why == WHY_STEPS)
        snprintf(s->reason, sizeof s->reason, "limit of %u steps", s->opt.effort);
    else
        snprintf(s->reason, sizeof s->reason, "time limit of %u ms", s->opt.timeout_ms);
}

static enum solve_answer ask_solver(struct solver *s, const term *x, size_t n, struct assignment *out)
{
    struct term_list query = {0}, abstract = {0};
    struct map lemmas = {0};
    const struct budget budget = allowed(s);
    s->granted = budget.units;
    for (size_t i = 0; i < n; i++)
        vec_push(&query, x[i]);
    model_wanted(s->t, x, n, NULL, &abstract);
    bool theory = s->opt.fp_theory, floats = has_floats(s->t, &abstract);
    enum solve_answer answer = SOLVE_UNKNOWN;
    for (unsigned round = 0;; round++) {
        struct judge j = {s, x, n, abstract.len != 0};
        struct reply r;
        if (budget_over(&budget)) {
            say_limit(s, budget_spent(&budget) ? WHY_STEPS : WHY_TIME);
            break;
        }
        ask_terms(s, theory ? &s->floats : &s->without_floats, &query, &j, &budget, &r);
        answer = r.answer;
        if (answer == SOLVE_UNKNOWN) {
            say(s, r.why, r.reason);
            if (r.why == WHY_STEPS || r.why == WHY_TIME)
                say_limit(s, r.why);
        }
        if (answer != SOLVE_SAT || check_assignment(s, &r.model, x, n) == MODEL_HOLDS) {
            if (answer == SOLVE_SAT)
                assignment_append(out, &r.model);
            reply_free(&r);
            break;
        }
        bool again = round < REFINEMENTS && refine(s, &r.model, &abstract, &query, &lemmas);
        if (!again && floats && !theory && !s->opt.fp_functions) {
            theory = again = true;
            round = 0;
        }
        enum model_check failed = check_assignment(s, &r.model, x, n);
        reply_free(&r);
        answer = SOLVE_UNKNOWN;
        if (!again) {
            s->stats.models_rejected++;
            say(s, WHY_OTHER,
                failed == MODEL_FAILS ? "the solver's model does not satisfy the query"
                                      : "the solver's model cannot be evaluated");
            break;
        }
    }
    vec_free(&query);
    vec_free(&abstract);
    map_free(&lemmas);
    return answer;
}

/* ---- deciding ---- */

static void reached(struct solver *s, enum stage stage)
{
    if (stage > s->stage)
        s->stage = stage;
}

/* A component of a query on its way through the stages. */
struct part {
    struct term_list x;
    enum solve_answer answer;
    bool decided;
    struct term_list reduced; /* equivalent, when `changed` */
    bool changed;
    struct cells cells; /* what stands for arrays in `reduced` */
    struct assignment model;
};

static void part_settle(struct solver *s, struct part *p, enum solve_answer answer)
{
    p->decided = true;
    p->answer = answer;
    if (answer == SOLVE_UNKNOWN && s->brief)
        return;
    cache_add(s->cache, p->x.data, p->x.len, answer, &p->model, s->reason, s->why, s->granted);
}

static void part_from_cache(struct solver *s, struct part *p, bool want_model)
{
    const struct assignment *model;
    const char *reason;
    enum reply_why why = WHY_OTHER;
    if (!cache_find(s->cache, p->x.data, p->x.len, &p->answer, &model, &reason, &why, allowed(s).units))
        return;
    p->decided = true;
    reached(s, BY_CACHE);
    if (model && want_model)
        assignment_append(&p->model, model);
    if (reason)
        say(s, why, reason);
}

/* Does the model found for the reduced part hold for the part itself? */
static bool part_holds(struct solver *s, struct part *p)
{
    cells_restore(s->t, &p->cells, &p->model);
    return check_assignment(s, &p->model, p->x.data, p->x.len) == MODEL_HOLDS;
}

static void part_cheap(struct solver *s, struct part *p)
{
    struct term_list plain = {0};
    enum cheap answer;
    for (size_t i = 0; i < p->x.len; i++)
        vec_push(&plain, p->x.data[i]);
    bool without =
        !model_has_array_functions(s->t, p->x.data, p->x.len) && cells_eliminate(s->t, &plain, &p->cells);
    if (!conjuncts_flatten(s->t, plain.data, plain.len, &p->reduced))
        answer = CHEAP_UNSAT;
    else
        answer = cheap_decide(s->t, &p->reduced, &p->model, &p->changed);
    vec_free(&plain);
    p->changed |= without;
    if (answer == CHEAP_UNKNOWN)
        return;
    if (answer == CHEAP_SAT && !part_holds(s, p)) {
        assignment_free(&p->model);
        p->changed = false;
        return;
    }
    reached(s, BY_CHEAP);
    part_settle(s, p, answer == CHEAP_SAT ? SOLVE_SAT : SOLVE_UNSAT);
}

static void part_from_recent(struct solver *s, struct part *p)
{
    const struct assignment *model;
    for (size_t i = 0; i < RECENT_MODELS && (model = cache_recent(s->cache, i)); i++) {
        if (check_assignment(s, model, p->x.data, p->x.len) != MODEL_HOLDS)
            continue;
        assignment_free(&p->model);
        assignment_append(&p->model, model);
        reached(s, BY_CACHE);
        part_settle(s, p, SOLVE_SAT);
        return;
    }
}

/* A model shows more when it is that of a similar query, changed a little, and those found now are such
 * later: only where none is ever asked for is one made here. */
static void part_skeleton(struct solver *s, struct part *p)
{
    struct term_list literal = {0}, flat = {0};
    struct assignment model = {0};
    bool changed;
    if (skeleton_refutes(s->skeleton, p->x.data, p->x.len, &literal)) {
        reached(s, BY_CHEAP);
        part_settle(s, p, SOLVE_UNSAT);
    } else if (s->extends && conjuncts_flatten(s->t, literal.data, literal.len, &flat) &&
               cheap_decide(s->t, &flat, &model, &changed) == CHEAP_SAT &&
               check_assignment(s, &model, p->x.data, p->x.len) == MODEL_HOLDS) {
        assignment_free(&p->model);
        assignment_append(&p->model, &model);
        reached(s, BY_CHEAP);
        part_settle(s, p, SOLVE_SAT);
    }
    assignment_free(&model);
    vec_free(&literal);
    vec_free(&flat);
}

static void part_repair(struct solver *s, struct part *p)
{
    const struct assignment *model;
    for (size_t i = 0; i < REPAIRED_MODELS && (model = cache_recent(s->cache, i)); i++) {
        struct assignment found = {0};
        bool holds = repair_model(s->t, model, p->x.data, p->x.len, &found) &&
                     check_assignment(s, &found, p->x.data, p->x.len) == MODEL_HOLDS;
        if (!holds) {
            assignment_free(&found);
            continue;
        }
        assignment_free(&p->model);
        p->model = found;
        reached(s, BY_CHEAP);
        s->stats.repaired++;
        part_settle(s, p, SOLVE_SAT);
        return;
    }
}

static enum solve_answer decide(struct solver *s, const term *x, size_t n, bool want_model, unsigned depth,
                                struct assignment *out);

static enum solve_answer ask_case(void *ctx, const struct term_list *conjunct, struct assignment *model)
{
    struct solver *s = ctx;
    s->brief = true;
    enum solve_answer answer = decide(s, conjunct->data, conjunct->len, true, 0, model);
    s->brief = false;
    return answer;
}

static enum solve_answer part_cases(struct solver *s, struct part *p)
{
    if (s->brief)
        return SOLVE_UNKNOWN;
    enum solve_answer answer = split_decide(s->t, p->x.data, p->x.len, ask_case, s, &p->model);
    if (answer == SOLVE_SAT && check_assignment(s, &p->model, p->x.data, p->x.len) != MODEL_HOLDS) {
        assignment_free(&p->model);
        answer = SOLVE_UNKNOWN;
    }
    if (answer != SOLVE_UNKNOWN)
        reached(s, BY_CHEAP);
    return answer;
}

static bool ask_parts(void *ctx, term question)
{
    struct solver *s = ctx;
    struct assignment model = {0};
    s->tiny = true;
    enum solve_answer answer = ask_solver(s, &question, 1, &model);
    s->tiny = false;
    assignment_free(&model);
    return answer == SOLVE_UNSAT;
}

/* With what is equal made the same. False when nothing was. */
static bool part_sweep(struct solver *s, struct part *p)
{
    struct term_list swept = {0};
    struct budget until = allowed(s);
    bool changed = sweep(s->t, &p->x, &s->parts, ask_parts, s, &until, &swept);
    if (changed) {
        vec_clear(&p->reduced);
        if (!conjuncts_flatten(s->t, swept.data, swept.len, &p->reduced)) {
            reached(s, BY_SOLVER);
            part_settle(s, p, SOLVE_UNSAT);
        }
    }
    vec_free(&swept);
    return changed;
}

static void part_ask(struct solver *s, struct part *p, unsigned depth)
{
    enum { DEPTH_MAX = 4 };
    enum solve_answer answer;
    if (!p->changed && depth < DEPTH_MAX) {
        struct term_list words = {0};
        bool possible = true;
        vec_clear(&p->reduced);
        cells_free(&p->cells);
        p->cells = (struct cells){0};
        p->changed = words_expand(s->t, p->x.data, p->x.len, &words);
        if (p->changed)
            possible = conjuncts_flatten(s->t, words.data, words.len, &p->reduced);
        vec_free(&words);
        if (!possible) {
            reached(s, BY_CHEAP);
            part_settle(s, p, SOLVE_UNSAT);
            return;
        }
    }
    unsigned next = depth + 1;
    if (!p->changed && depth <= DEPTH_MAX && !s->brief && part_sweep(s, p)) {
        if (p->decided)
            return;
        p->changed = true;
        next = DEPTH_MAX + 1;
    }
    if (p->changed && depth <= DEPTH_MAX) {
        answer = decide(s, p->reduced.data, p->reduced.len, true, next, &p->model);
        if (answer == SOLVE_SAT && !part_holds(s, p)) {
            assignment_free(&p->model);
            reached(s, BY_SOLVER);
            answer = ask_solver(s, p->x.data, p->x.len, &p->model);
        }
    } else {
        assignment_free(&p->model);
        answer = part_cases(s, p);
        if (answer == SOLVE_UNKNOWN) {
            reached(s, BY_SOLVER);
            answer = ask_solver(s, p->x.data, p->x.len, &p->model);
        }
    }
    part_settle(s, p, answer);
}

/* Every part must be satisfiable, so all are tried with one stage before any goes on to the next. */
static enum solve_answer decide_parts(struct solver *s, struct part *p, size_t n, bool want_model,
                                      unsigned depth)
{
    enum solve_answer all = SOLVE_SAT;
    for (unsigned stage = 0; stage < 6; stage++)
        for (size_t i = 0; i < n; i++) {
            if (p[i].decided)
                continue;
            if (stage == 0)
                part_from_cache(s, &p[i], want_model);
            else if (stage == 1)
                part_cheap(s, &p[i]);
            else if (stage == 2)
                part_from_recent(s, &p[i]);
            else if (stage == 3)
                part_skeleton(s, &p[i]);
            else if (stage == 4)
                part_repair(s, &p[i]);
            else
                part_ask(s, &p[i], depth);
            if (p[i].decided && p[i].answer == SOLVE_UNSAT)
                return SOLVE_UNSAT;
        }
    for (size_t i = 0; i < n; i++)
        if (p[i].answer == SOLVE_UNKNOWN)
            all = SOLVE_UNKNOWN;
    return all;
}

/* `x` is flat and sorted. */
static enum solve_answer decide(struct solver *s, const term *x, size_t n, bool want_model, unsigned depth,
                                struct assignment *out)
{
    size_t *of = xcalloc(n + 1, sizeof *of);
    size_t parts = slice(s->slicer, x, n, of);
    struct part *p = xcalloc(parts + 1, sizeof *p);
    for (size_t i = 0; i < n; i++)
        vec_push(&p[of[i]].x, x[i]);
    enum solve_answer answer = decide_parts(s, p, parts, want_model, depth);
    for (size_t i = 0; i < parts; i++) {
        if (answer == SOLVE_SAT && want_model)
            assignment_append(out, &p[i].model);
        assignment_free(&p[i].model);
        vec_free(&p[i].x);
        vec_free(&p[i].reduced);
        cells_free(&p[i].cells);
    }
    free(p);
    free(of);
    return answer;
}

/* ---- the interface ---- */

static void count(struct solver *s, enum solve_answer answer)
{
    uint64_t *by[] = {[BY_REWRITING] = &s->stats.by_rewriting,
                      [BY_CHEAP] = &s->stats.by_cheap,
                      [BY_CACHE] = &s->stats.by_cache,
                      [BY_SOLVER] = &s->stats.by_solver};
    uint64_t *outcome[] = {
        [SOLVE_UNSAT] = &s->stats.unsat, [SOLVE_SAT] = &s->stats.sat, [SOLVE_UNKNOWN] = &s->stats.unknown};
    ++*by[s->stage];
    ++*outcome[answer];
}

enum solve_answer solve_check(struct solver *s, const term *assertion, size_t n, struct term_model **model)
{
    struct term_list flat = {0};
    struct assignment found = {0};
    enum solve_answer answer;
    s->stats.queries++;
    s->stage = BY_REWRITING;
    say(s, WHY_OTHER, "");
    if (model)
        *model = NULL;
    if (!conjuncts_flatten(s->t, assertion, n, &flat)) {
        bool is_false = false;
        for (size_t i = 0; i < flat.len; i++)
            is_false |= term_is_false(s->t, flat.data[i]);
        if (!is_false)
            reached(s, BY_CHEAP);
        answer = SOLVE_UNSAT;
    } else {
        answer = flat.len ? decide(s, flat.data, flat.len, model != NULL, 0, &found) : SOLVE_SAT;
    }
    if (answer == SOLVE_SAT && model) {
        struct assignment told = {0};
        for (size_t i = 0; i < found.of.len; i++)
            if (!cells_made(s->t, found.of.data[i]))
                assignment_add(&told, found.of.data[i], value_copy(&found.value.data[i]));
        *model = model_build(s->t, &told);
        assignment_free(&told);
        if (!*model || model_check(s->t, *model, assertion, n) != MODEL_HOLDS) {
            term_model_free(*model);
            *model = NULL;
            answer = SOLVE_UNKNOWN;
            s->stats.models_rejected++;
            say(s, WHY_OTHER, "the model put together from parts does not satisfy the query");
        }
    }
    count(s, answer);
    vec_free(&flat);
    assignment_free(&found);
    return answer;
}

/* Of the flat terms, those that share something with `extra`, directly or through others. */
static void related(struct solver *s, const struct term_list *flat, term extra, struct term_list *out)
{
    struct term_list own = {0};
    struct map wanted = {0}, part = {0};
    size_t *of = xcalloc(flat->len + 1, sizeof *of);
    conjuncts_flatten(s->t, &extra, 1, &own);
    for (size_t i = 0; i < own.len; i++)
        map_set(&wanted, own.data[i], 1);
    slice(s->slicer, flat->data, flat->len, of);
    for (size_t i = 0; i < flat->len; i++)
        if (map_get(&wanted, flat->data[i], NULL))
            map_set(&part, of[i], 1);
    for (size_t i = 0; i < flat->len; i++)
        if (map_get(&part, of[i], NULL))
            vec_push(out, flat->data[i]);
    free(of);
    vec_free(&own);
    map_free(&wanted);
    map_free(&part);
}

enum solve_answer solve_extends(struct solver *s, const term *known, size_t n, term extra)
{
    struct term_list all = {0}, flat = {0}, asked = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&all, known[i]);
    vec_push(&all, extra);
    /* a contradiction between two of them is told by solve_check at once */
    if (conjuncts_flatten(s->t, all.data, all.len, &flat))
        related(s, &flat, extra, &asked);
    s->extends = true;
    enum solve_answer answer =
        solve_check(s, asked.len ? asked.data : all.data, asked.len ? asked.len : all.len, NULL);
    s->extends = false;
    vec_free(&all);
    vec_free(&flat);
    vec_free(&asked);
    return answer;
}

enum solve_answer solve_try(struct solver *s, const term *assertion, size_t n, struct term_model **model)
{
    s->brief = true;
    enum solve_answer answer = solve_check(s, assertion, n, model);
    s->brief = false;
    return answer;
}

enum solve_answer solve_valid(struct solver *s, const term *assume, size_t n, term x)
{
    struct term_list all = {0};
    for (size_t i = 0; i < n; i++)
        vec_push(&all, assume[i]);
    vec_push(&all, term_not(s->t, x));
    enum solve_answer answer = solve_check(s, all.data, all.len, NULL);
    vec_free(&all);
    return answer;
}

const char *solver_reason(const struct solver *s)
{
    return s->reason;
}

enum solve_limit solver_limit(const struct solver *s)
{
    return s->why == WHY_STEPS || s->why == WHY_TIME ? SOLVE_LIMIT_WORK
           : s->why == WHY_MEMORY                    ? SOLVE_LIMIT_MEMORY
                                                     : SOLVE_NO_LIMIT;
}

struct solve_stats solver_stats(const struct solver *s)
{
    struct solve_stats all = s->stats;
    all.merged = s->parts.merged;
    return all;
}
