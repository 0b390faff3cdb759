/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/poc.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/poc_internal.h"
#include "base/system.h"

#define T struct ask_poc_value
static const struct wire_field value_field[] = {WIRE_NAME(T, name), WIRE_VALUE(T, was), WIRE_VALUE(T, is),
                                                WIRE_VALUE(T, bytes)};
static const struct wire_type value_type = WIRE_TYPE(T, value_field);
#undef T

#define T struct ask_poc_object
static const struct wire_field object_field[] = {WIRE_NAME(T, name),  WIRE_VALUE(T, kind),
                                                 WIRE_VALUE(T, size), WIRE_VALUE(T, open),
                                                 WIRE_VALUE(T, leaf), WIRE_VALUE(T, size_kept),
                                                 WIRE_TEXT(T, type)};
static const struct wire_type object_type = WIRE_TYPE(T, object_field);
#undef T

#define T struct ask_poc_edge
static const struct wire_field edge_field[] = {WIRE_VALUE(T, from), WIRE_VALUE(T, to), WIRE_TEXT(T, name)};
static const struct wire_type edge_type = WIRE_TYPE(T, edge_field);
#undef T

#define T struct ask_poc_original
static const struct wire_field original_field[] = {
    WIRE_TEXT(T, poc),
    WIRE_NAME(T, path),
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
const struct wire_type poc_original_type = WIRE_TYPE(T, original_field);
#undef T

#define T struct ask_poc_candidate
static const struct wire_field candidate_field[] = {
    WIRE_NAME(T, file),
    WIRE_TEXT(T, path),
    WIRE_TEXT(T, poc),
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
    WIRE_VALUE(T, wrong),
    WIRE_VALUE(T, wholly),
    WIRE_VALUE(T, kept_out),
    WIRE_VALUE(T, whole),
};
const struct wire_type poc_candidate_type = WIRE_TYPE(T, candidate_field);
#undef T

/* A candidate that is the same code as one before it. */
struct said_before {
    const char *file;
    uint32_t as;
};
#define T struct said_before
static const struct wire_field same_field[] = {WIRE_NAME(T, file), WIRE_VALUE(T, as)};
static const struct wire_type same_type = WIRE_TYPE(T, same_field);
#undef T

/* ---- the scratch directory ---- */

/* One below it for each of the workers, all with names of one length: so stacks look alike. */
static bool scratch_below(char *dir, size_t cap, const char *all, size_t i, struct error *err)
{
    snprintf(dir, cap, "%s/%06zu", all, i);
    return mkdir(dir, 0700) == 0 || errno == EEXIST ||
           error_set(err, ERROR_SYSTEM, "cannot make a directory for a program: %s: %s", dir,
                     strerror(errno));
}

static bool put_guard(struct poc_asking *a, struct error *err)
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
    a->guard = program_open(a->guard_file, &(struct program_options){.object = {.no_debug = true, .no_digest = true}, .like = a->p}, err);
    return a->guard != NULL;
}

static const char *real_name(struct poc_asking *a, const char *file)
{
    struct stat st;
    char *real = stat(file, &st) == 0 ? realpath(file, NULL) : NULL;
    const char *out = arena_strdup(&a->arena, real ? real : file);
    free(real);
    return out;
}

static bool names_poc(const struct ask_poc *q)
{
    for (size_t i = 0; i < q->narguments; i++)
        if (strcmp(q->argument[i], "@@") == 0)
            return true;
    return false;
}

/* A file that is a proof of concept stands for "@@" among the arguments, or is standard input. */
static struct poc_input input_of(struct poc_asking *a, const char *file)
{
    const struct ask_poc *q = a->q;
    const char **argument = arena_array(&a->arena, const char *, q->narguments + 1);
    const char *input = q->input ? q->input : file && !names_poc(q) ? file : NULL;
    for (size_t i = 0; i < q->narguments; i++)
        argument[i] = real_name(a, file && strcmp(q->argument[i], "@@") == 0 ? file : q->argument[i]);
    return (struct poc_input){
        .argument = argument, .narguments = q->narguments, .input = input ? real_name(a, input) : NULL};
}

/* Of the guard's state, in its file. */
static uint64_t guard_pool_address(const struct poc_asking *a)
{
    const struct object_symbol *sym =
        a->guard ? object_symbol_by_name(program_object(a->guard), "guard_pool") : NULL;
    return sym ? sym->address : 0;
}

struct run_target poc_target(const struct poc_asking *a, const struct poc_proof *proof,
                             const struct poc_file *file, struct program *p, const char *scratch)
{
    return (struct run_target){.m = program_machine(p),
                               .program = a->harness.path ? a->harness.path : file->path,
                               .library = a->harness.path ? file->path : NULL,
                               .library_dir = a->packages ? a->library_dir : NULL,
                               .root = file->root        ? file->root
                                       : a->harness.root ? a->harness.root
                                                         : a->old.root,
                               .stock = a->stock,
                               .like = file->like,
                               .patch = file->patch,
                               .npatches = file->npatches,
                               .entry = object_info(program_object(p))->entry,
                               .argument = proof->input.argument,
                               .narguments = proof->input.narguments,
                               .input = proof->input.input,
                               .scratch = scratch,
                               .guard = a->guard ? a->guard_file : NULL,
                               .guard_pool = guard_pool_address(a),
                               .limits = a->q->run,
                               .without = a->without,
                               .emulator = a->q->emulator,
                               .accessed = a->q->emulator ? poc_accessed : NULL,
                               .quotient = poc_quotient,
                               .ctx = p};
}

/* ---- candidates ---- */

/* The first before it that is the same code; SIZE_MAX: there is none. */
static size_t same_before(const struct poc_asking *a, const struct poc_candidate *c)
{
    uint64_t at;
    for (const struct poc_candidate *k = a->candidate; k < c; k++)
        if (k->m && !object_differ(program_object(k->p), program_object(c->p), 0, &at))
            return (size_t)(k - a->candidate);
    return SIZE_MAX;
}

/* Whether what is loaded at an address is code, and stays as it is. */
static bool is_code_at(const struct object *o, uint64_t address)
{
    const struct object_segment *s;
    size_t n = object_segments(o, &s), i = 0;
    while (i < n && address - s[i].address >= s[i].size)
        i++;
    return i < n && s[i].exec && !s[i].write;
}

/* Where a candidate differs from another one in bytes of code only, a copy of that one can be made it. */
static void make_like(struct poc_asking *a, struct poc_candidate *c, const struct poc_candidate *k)
{
    const struct object *o = program_object(c->p), *of = program_object(k->p);
    VEC(struct run_patch) patch = VEC_INIT;
    uint64_t at;
    bool ok = !a->harness.path && !c->at.root;
    for (uint64_t from = 0; ok && object_differ(of, o, from, &at); from = at) {
        size_t n, m, len = 0;
        const uint8_t *is = object_bytes(o, at, &n), *was = object_bytes(of, at, &m);
        ok = at != UINT64_MAX && is_code_at(o, at) && is && was;
        while (ok && len < n && len < m && is[len] != was[len])
            len++;
        if (ok)
            vec_push(&patch, ((struct run_patch){.address = at, .byte = is, .n = len}));
        at += len;
    }
    if (ok) {
        c->at.like = k->at.path;
        c->at.patch = arena_dup(&a->arena, patch.data, patch.len * sizeof *patch.data);
        c->at.npatches = patch.len;
        c->first = k;
    }
    vec_free(&patch);
}

static bool open_candidate(struct poc_asking *a, struct poc_candidate *c)
{
    struct program_options opt = {.object = a->q->object, .like = a->p};
    opt.object.no_digest = true;
    c->p = program_open(c->at.path, &opt, &c->err);
    if (!c->p)
        return false;
    c->same = same_before(a, c);
    if (c->same != SIZE_MAX) {
        program_free(c->p);
        c->p = NULL;
        return true;
    }
    for (const struct poc_candidate *k = a->candidate; k < c && !c->m; k++) {
        c->m = k->m ? match_like(k->m, c->p) : NULL;
        if (c->m)
            make_like(a, c, k->first ? k->first : k);
    }
    if (!c->m)
        c->m = match_programs(a->p, c->p, &(struct match_options){.like = a->matched}, &c->err);
    if (!a->matched)
        a->matched = c->m;
    return c->m != NULL;
}

static uint64_t guard_base(const struct poc_asking *a, const struct snapshot *s)
{
    return a->guard && s->guarded ? s->pool_at - guard_pool_address(a) : 0;
}

struct poc_side poc_side_of(const struct poc_asking *a, const struct poc_proof *proof, struct program *p,
                            const struct flow_function *f, struct snapshot *s, struct poc_abstract *abstract)
{
    return (struct poc_side){.p = p,
                             .guard = s->guarded ? a->guard : NULL,
                             .f = f,
                             .s = s,
                             .a = abstract,
                             .guard_base = guard_base(a, s),
                             .t = a->t,
                             .solver = a->solver,
                             .answers = a->answers,
                             .begun = a->begun,
                             .checked = proof->silent,
                             .signed_checked = proof->crash.kind == POC_SIGNED,
                             .opt = &a->q->how};
}

/* ---- batches ---- */

enum { BATCHES = 4, PER_LEAD = 16 };

/* Directories of workers. The original has the first. */
enum { DIRECTORY_LEAD = 1, DIRECTORY_BATCH, DIRECTORY_ALONE = DIRECTORY_BATCH + BATCHES };

/* What is said of one. */
static bool candidate_say(struct poc_asking *a, size_t index, size_t directory, struct ask_sink *say)
{
    const struct poc_candidate *c = &a->candidate[index];
    char scratch[80];
    struct error err = {0};
    if (c->same != SIZE_MAX) {
        ask_say(say, POC_SAYS_SAME, &same_type, &(struct said_before){c->at.name, (uint32_t)c->same});
    } else if (!c->m) {
        poc_candidate_unknown(c, c->err.text, say);
    } else if (scratch_below(scratch, sizeof scratch, a->all, directory, &err)) {
        scratch_tidy(scratch);
        poc_candidate_judge(a, index, scratch, say);
    } else {
        ask_say_error(say, &err);
        return false;
    }
    return true;
}

static bool batch_job(void *ctx, size_t job, struct buf *out)
{
    struct poc_asking *a = ctx;
    struct ask_sink say = ask_below(out);
    bool ok = true;
    for (size_t i = 0; i < a->batch[job].n && ok; i++) {
        work_limit_time((unsigned)a->q->limits.timeout);
        ok = candidate_say(a, a->batch[job].first + i, DIRECTORY_BATCH + job, &say);
        work_flush(out);
    }
    process_stock_clear(a->stock);
    return ok;
}

/* Hands on what has arrived, as far as nothing before it is missing. */
static void hand_on(struct poc_asking *a)
{
    while (a->handing < a->nbatches) {
        struct poc_batch *b = &a->batch[a->handing];
        struct error err = {0};
        b->taken +=
            ask_hand_on(a->say, buf_text(&b->said) + b->taken, b->said.len - b->taken, &b->handed, &err);
        if (err.kind)
            snprintf(b->reason, sizeof b->reason, "%s", err.text);
        if (b->handed < b->n)
            break;
        a->handing++;
    }
    if (a->handing < a->nbatches)
        ask_progress(a->say, "candidates judged", a->batch[a->handing].first + a->batch[a->handing].handed,
                     a->ncandidates);
    ask_flush(a->say);
}

static void batch_said(void *ctx, size_t job, const char *bytes, size_t n)
{
    struct poc_asking *a = ctx;
    buf_put(&a->batch[job].said, bytes, n);
    hand_on(a);
}

static void batch_done(void *ctx, const struct work_result *r)
{
    struct poc_asking *a = ctx;
    struct poc_batch *b = &a->batch[r->job];
    b->late = r->outcome == WORK_TIMEOUT;
    snprintf(b->reason, sizeof b->reason, "%s", r->reason);
}

static bool alone_job(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct poc_asking *a = ctx;
    struct ask_sink say = ask_below(out);
    const struct poc_batch *b = &a->batch[a->handing];
    bool ok = candidate_say(a, b->first + b->handed, DIRECTORY_ALONE, &say);
    process_stock_clear(a->stock);
    return ok;
}

static void alone_done(void *ctx, const struct work_result *r)
{
    struct poc_asking *a = ctx;
    struct poc_batch *b = &a->batch[a->handing];
    struct error err = {0};
    size_t messages = 0;
    ask_hand_on(a->say, r->output, r->output_len, &messages, &err);
    if (!messages)
        poc_candidate_unknown(&a->candidate[b->first + b->handed], err.kind ? err.text : r->reason, a->say);
    b->handed++;
}

/* Candidates from `first` on. A batch that was ended half way is gone on with one by one: one candidate must not take the
 * others with it. */
static bool judge_batches(struct poc_asking *a, size_t first, struct error *err)
{
    const struct ask_poc *q = a->q;
    size_t left = a->ncandidates - first, size = (left + BATCHES - 1) / BATCHES;
    struct work_options w = {.jobs = q->limits.jobs,
                             .timeout_ms = (unsigned)q->limits.timeout,
                             .memory_bytes = q->limits.memory,
                             .output = batch_said};
    a->batch = arena_array(&a->arena, struct poc_batch, BATCHES);
    for (size_t i = first; i < a->ncandidates; i += size)
        a->batch[a->nbatches++] =
            (struct poc_batch){.first = i, .n = a->ncandidates - i < size ? a->ncandidates - i : size};
    bool ok = !a->nbatches || work_run(a->nbatches, &w, batch_job, batch_done, a, NULL, err);
    w.output = NULL;
    for (hand_on(a); ok && a->handing < a->nbatches; hand_on(a)) {
        struct poc_batch *b = &a->batch[a->handing];
        if (b->late)
            poc_candidate_unknown(&a->candidate[b->first + b->handed++], b->reason, a->say);
        else
            ok = work_run(1, &w, alone_job, alone_done, a, NULL, err);
        b->late = false;
    }
    for (size_t i = 0; i < a->nbatches; i++)
        buf_free(&a->batch[i].said);
    return ok;
}

/* The first candidate that has to be explored, of many a few, is judged before the workers of the others are forked, by
 * the process that forks them: so each of them knows what the solver was asked for it. */
static bool lead_job(void *ctx, size_t job, struct buf *out)
{
    (void)job;
    struct poc_asking *a = ctx;
    struct ask_sink say = ask_below(out);
    struct error err = {0};
    uint64_t before = *terms_work(a->t);
    size_t i = 0;
    bool ok = true;
    say.progress = a->say->progress;
    a->say = &say;
    /* what one candidate gives back the next one takes: the system need not have it in between */
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    size_t explored = 0, enough = 1 + a->ncandidates / PER_LEAD;
    while (ok && i < a->ncandidates && explored < enough) {
        work_limit_time((unsigned)a->q->limits.timeout);
        ok = candidate_say(a, i++, DIRECTORY_LEAD, &say);
        explored += *terms_work(a->t) != before;
        before = *terms_work(a->t);
        ask_flush(&say);
    }
    work_limit_time(0);
    process_stock_clear(a->stock);
    if (!ok || judge_batches(a, i, &err))
        return ok;
    ask_say_error(&say, &err);
    return false;
}

static void lead_said(void *ctx, size_t job, const char *bytes, size_t n)
{
    (void)job;
    struct poc_asking *a = ctx;
    struct poc_batch *b = &a->lead;
    struct error err = {0};
    buf_put(&b->said, bytes, n);
    b->taken += ask_hand_on(a->say, buf_text(&b->said) + b->taken, b->said.len - b->taken, &b->handed, &err);
    ask_flush(a->say);
}

static void lead_done(void *ctx, const struct work_result *r)
{
    struct poc_asking *a = ctx;
    a->lead.late = r->outcome == WORK_TIMEOUT;
    snprintf(a->lead.reason, sizeof a->lead.reason, "%s", r->reason);
}

static bool judge_candidates(struct poc_asking *a, struct error *err)
{
    const struct ask_poc *q = a->q;
    struct work_options w = {.jobs = 1,
                             .timeout_ms = (unsigned)q->limits.timeout,
                             .memory_bytes = q->limits.memory,
                             .output = lead_said};
    bool ok = work_run(1, &w, lead_job, lead_done, a, NULL, err);
    if (ok && a->lead.late && a->lead.handed < a->ncandidates)
        poc_candidate_unknown(&a->candidate[a->lead.handed++], a->lead.reason, a->say);
    ok = ok && (a->lead.handed == a->ncandidates || judge_batches(a, a->lead.handed, err));
    buf_free(&a->lead.said);
    return ok;
}

/* Those that differ in numbers only: what one does on an input is mostly what the others do. */
static void make_families(struct poc_asking *a)
{
    for (struct poc_candidate *first = a->candidate; first < a->candidate + a->ncandidates; first++) {
        struct poc_candidate *own[POC_FAMILY] = {first};
        struct program *member[POC_FAMILY] = {first->p};
        unsigned n = 1;
        for (struct poc_candidate *c = first + 1; c < a->candidate + a->ncandidates && n < POC_FAMILY; c++)
            if (c->first == first) {
                member[n] = c->p;
                own[n++] = c;
            }
        struct poc_family *f =
            n > 1 && !a->q->emulator ? poc_family_new(member, n, (unsigned)(first - a->candidate) + 1) : NULL;
        for (unsigned i = 0; i < n && f; i++) {
            own[i]->family = f;
            own[i]->member = i;
        }
    }
}

static bool open_candidates(struct poc_asking *a, struct error *err)
{
    const struct ask_poc *q = a->q;
    size_t n = ask_poc_candidates(q), opened = 0;
    a->candidate = arena_array(&a->arena, struct poc_candidate, n + 1);
    a->ncandidates = n;
    for (size_t i = 0; i < n; i++) {
        struct poc_candidate *c = &a->candidate[i];
        bool built = i >= q->ncandidates;
        c->at.name = c->at.path = built ? q->patch[i - q->ncandidates] : q->candidate[i];
        c->same = SIZE_MAX;
        ask_progress(a->say, built ? "building candidates" : "matching candidates", i, n);
        bool made = (!built || poc_build(a, i + 1, &c->at, &c->err)) &&
                    poc_file_make(a, i + 1, &c->at, &c->err) && open_candidate(a, c);
        if (!made)
            poc_file_name(&c->at, &c->err);
        opened += made;
    }
    make_families(a);
    if (!opened)
        *err = a->candidate[0].err;
    else if (q->member && !a->packages)
        return error_set(err, ERROR_INPUT,
                         "neither %s nor a candidate is a package that could have a member %s", q->old,
                         q->member);
    return opened > 0;
}

static bool make_proofs(struct poc_asking *a, struct error *err)
{
    const struct ask_poc *q = a->q;
    if (q->npocs && q->input && !names_poc(q))
        return error_set(err, ERROR_INPUT, "no argument is @@, and standard input is another file than %s",
                         q->poc[0]);
    if (q->core && (q->npocs || q->narguments || q->input || q->snapshot || q->oracle))
        return error_set(err, ERROR_INPUT, "with %s nothing is run: neither arguments nor another state are of use",
                         q->core);
    if (q->harness && (q->core || q->snapshot))
        return error_set(err, ERROR_INPUT, "with the harness %s no state is kept in a file, or read from one",
                         q->harness);
    if (q->npocs > 1 && q->snapshot)
        return error_set(err, ERROR_INPUT, "%s can keep the state of one proof of concept only", q->snapshot);
    for (size_t i = 0; i <= q->npocs; i++) {
        const char *file = i < q->npocs ? q->poc[i] : q->input;
        if (file && access(file, R_OK) != 0)
            return error_set(err, ERROR_INPUT, "%s: %s", file, strerror(errno));
    }
    a->nproofs = q->npocs ? q->npocs : 1;
    a->proof = arena_array(&a->arena, struct poc_proof, a->nproofs);
    for (size_t i = 0; i < a->nproofs; i++) {
        struct poc_proof *proof = &a->proof[i];
        proof->name = q->npocs ? q->poc[i] : NULL;
        proof->input = input_of(a, proof->name);
        proof->target = poc_target(a, proof, &a->old, a->p, a->scratch);
        if (!poc_proof_make(a, proof, err)) {
            struct error why = *err;
            return proof->name ? error_set(err, why.kind, "%s: %s", proof->name, why.text) : false;
        }
    }
    return true;
}

static bool is_asked_right(const struct poc_asking *a, struct error *err)
{
    const struct object_info *info = object_info(program_object(a->p));
    if (info->type == OBJECT_SHARED && !info->interp && !a->q->harness && !a->q->core)
        return error_set(err, ERROR_INPUT,
                         "%s is a library, which is run by a program; name one with --harness", a->old.name);
    return true;
}

static bool prepare(struct poc_asking *a, struct error *err)
{
    const struct ask_poc *q = a->q;
    a->old.name = a->old.path = q->old;
    a->harness.name = a->harness.path = q->harness;
    if (!poc_file_make(a, 0, &a->old, err) ||
        (q->harness && !poc_file_make(a, ask_poc_candidates(q) + 1, &a->harness, err)))
        return false;
    a->p = program_open(a->old.path, &(struct program_options){.object = q->object}, err);
    if (!a->p || !is_asked_right(a, err))
        return false;
    a->library_dir = poc_library_dirs(a);
    if (!open_candidates(a, err) || !scratch_below(a->scratch, sizeof a->scratch, a->all, 0, err) ||
        !put_guard(a, err))
        return false;
    a->stock = process_stock_new();
    a->t = terms_new();
    a->solver = solver_new(a->t, &q->how.solve, err);
    a->answers = poc_answers_new();
    return a->solver && make_proofs(a, err);
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_poc_answer *answer = ctx;
    const struct ask_poc *q = answer->q;
    struct poc_asking a = {
        .q = q, .say = say, .all = answer->scratch.path, .without = &answer->scratch.without};
    bool ok = prepare(&a, err);
    if (!ok) {
        poc_file_name(&a.old, err);
        poc_file_name(&a.harness, err);
    }
    if (ok) {
        for (size_t i = 0; i < a.nproofs; i++)
            poc_proof_say(&a, &a.proof[i]);
        poc_answers_young(a.answers, a.t);
        ask_flush(say);
        work_limit_time(0);
        process_stock_clear(a.stock);
        ok = judge_candidates(&a, err);
    }
    for (size_t i = a.ncandidates; i-- > 0;) {
        if (!a.candidate[i].first)
            poc_family_free(a.candidate[i].family);
        match_free(a.candidate[i].m);
        program_free(a.candidate[i].p);
    }
    for (size_t i = 0; a.proof && i < a.nproofs; i++)
        poc_proof_free(&a.proof[i]);
    process_stock_free(a.stock);
    poc_answers_free(a.answers);
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
    struct ask_poc_original o;
    struct said_before same;
    switch (message) {
    case POC_SAYS_ORIGINAL:
        if (!wire_get(bytes, n, &poc_original_type, &o, &a->arena))
            return false;
        vec_push(&a->original, o);
        return a->begun = true;
    case POC_SAYS_SAME:
        if (!wire_get(bytes, n, &same_type, &same, &a->arena) || same.as >= a->candidate.len)
            return false;
        c = a->candidate.data[same.as];
        c.same_as = c.file;
        c.file = same.file;
        break;
    case POC_SAYS_CANDIDATE:
        if (!wire_get(bytes, n, &poc_candidate_type, &c, &a->arena))
            return false;
        break;
    default:
        return false;
    }
    vec_push(&a->candidate, c);
    return true;
}

size_t ask_poc_candidates(const struct ask_poc *q)
{
    return q->ncandidates + q->npatches;
}

static bool is_answered(const struct ask_poc_answer *a, const char *file)
{
    for (size_t i = 0; i < a->candidate.len; i++)
        if (strcmp(a->candidate.data[i].file, file) == 0)
            return true;
    return false;
}

/* Whoever interrupts it gets a report all the same, in which the rest is unknown. */
static void add_unanswered(struct ask_poc_answer *a)
{
    static const char reason[] = "interrupted";
    const struct ask_poc *q = a->q;
    if (a->end.outcome != WORK_CANCELLED)
        return;
    if (!a->original.len)
        vec_push(&a->original, ((struct ask_poc_original){.reason = reason}));
    a->begun = true;
    for (size_t i = 0; i < ask_poc_candidates(q); i++) {
        const char *file = i < q->ncandidates ? q->candidate[i] : q->patch[i - q->ncandidates];
        if (!is_answered(a, file))
            vec_push(&a->candidate,
                     ((struct ask_poc_candidate){.file = file, .verdict = POC_UNKNOWN, .reason = reason}));
    }
}

bool ask_poc(const struct ask_poc *q, const struct ask_session *session, struct ask_poc_answer *a,
             struct error *err)
{
    *a = (struct ask_poc_answer){.q = q};
    /* here, not in a worker: whatever ends workers, somebody tidies up */
    if (!scratch_open(&a->scratch, err))
        return false;
    bool ok = ask_put(ask, hear, a, &q->limits, 0, 0, session, &a->end, err);
    add_unanswered(a);
    if (ok && q->verify && a->end.outcome != WORK_CANCELLED)
        poc_verify(q, session, a);
    scratch_close(&a->scratch);
    return ok;
}

void ask_poc_free(struct ask_poc_answer *a)
{
    poc_verify_free(a);
    vec_free(&a->original);
    vec_free(&a->candidate);
    arena_free(&a->arena);
}

enum ask_status ask_poc_status(const struct ask_poc_answer *a)
{
    bool refuted = a->candidate.len == ask_poc_candidates(a->q);
    for (size_t i = 0; i < a->candidate.len; i++) {
        if (a->candidate.data[i].verdict == POC_NOT_REFUTED || a->candidate.data[i].verdict == POC_PROVED)
            return ASK_YES;
        refuted = refuted && a->candidate.data[i].verdict == POC_REFUTED;
    }
    return refuted ? ASK_NO : ASK_UNKNOWN;
}
