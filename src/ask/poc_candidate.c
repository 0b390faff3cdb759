/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One candidate: it is run on the proof of concept, explored from the states of
 * the original, judged, and what is found is confirmed by runs of both
 * programs. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/poc_internal.h"
#include "base/file.h"

static const char not_run[] = "nothing was run to confirm it";
static const char by_parts[] =
    "the original may go wrong there without a fault, from one part of the block into the next";
static const char by_state[] =
    "only the state that the call leaves behind differs: output and exit status of the program are the same";
static const char by_undefined[] = "what the original does there is not defined: it depends on memory that "
                                   "nobody has written to, leaves a variable, or "
                                   "overflows";
static const char by_words[] = "both report an error there, and only what they say of it differs";
static const char by_types[] = "that arithmetic is signed is told by types; a repair may have made it "
                               "unsigned, which the same code does";

/* The states of the two processes at the call must be the same, but for where
 * things of the file are. */
static const char *states_differ(const struct poc_ring *r, const struct snapshot *n,
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

static uint64_t counterpart(const struct poc_candidate *c, const struct poc_proof *proof, const char **why)
{
    const struct match_pair *pair = match_function(c->m, proof->f->address);
    const struct flow_function *f;
    size_t n = program_functions(c->p, &f);
    if (!pair || pair->new == MATCH_NONE || pair->new >= n) {
        *why = "the function is not in it";
        return 0;
    }
    return f[pair->new].address;
}

/* Whether a difference between two normal ends shows a wrong repair: not where
 * the original may have gone wrong without a fault. */
static bool regression_counts(const struct poc_proof *proof, const struct poc_finding *f)
{
    if (f->wild)
        return false;
    switch (proof->crash.kind) {
    case POC_NULL:
    case POC_DIVISION:
    case POC_QUOTIENT:
    case POC_FREED:
    case POC_DOUBLE_FREE:
    case POC_ASSERTION:
    case POC_ABORT:
    case POC_SIGNED:
        return true;
    case POC_OVERFLOW:
        return f->early;
    default:
        return false;
    }
}

static bool copy_file(const char *from, const char *to)
{
    enum { INPUT_MOST = 1 << 30 };
    struct buf data = BUF_INIT;
    bool ok = file_read(from, INPUT_MOST, &data, NULL) && file_write(to, buf_text(&data), data.len, NULL);
    buf_free(&data);
    return ok;
}

/* Leaves the input where the user wants it. */
static const char *save_input(const struct poc_asking *a, size_t index, const struct poc_input *in,
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
    if (file_write(command, buf_text(&line), line.len, NULL) && !saved)
        saved = command;
    buf_free(&line);
    return saved;
}

static void take_finding(struct ask_poc_candidate *out, struct poc_judgement *j, struct poc_finding *f,
                         const struct poc_witness *w, struct arena *arena)
{
    poc_finding_tell(j, f);
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

/* Whether the chunk's size is open though no number says it: that the original ends well where it is larger
 * than it should be shows nothing. */
static bool is_size_free(const struct poc_abstract *a)
{
    for (size_t i = 0; a->open_sizes && i < a->size.len; i++)
        if (a->size.data[i].own)
            return true;
    return false;
}

/* Whether what the proof of concept overflows has no parts, as its type tells: then nothing in it can be
 * overwritten by something else in it. */
static bool is_flat(const struct poc_proof *proof, const struct poc_abstract *a)
{
    const struct poc_object *o = proof->crash.size ? poc_object_at(a, proof->crash.base) : NULL;
    return o && o->kind == POC_HEAP && o->type && (o->type->kind == TYPE_INT || o->type->kind == TYPE_FLOAT);
}

/* Which of the functions that candidates change differ, a set; 0: other things do, too, or it is not known.
 */
static uint32_t changed_of(const struct poc_proof *proof, const struct poc_asking *a, const struct match *m)
{
    const struct match_pair *pair;
    const struct flow_function *f;
    size_t n = match_pairs(m, &pair), nf = program_functions(a->p, &f);
    uint32_t differ = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        if (pair[i].status == MATCH_IDENTICAL)
            continue;
        if (pair[i].status != MATCH_CHANGED || pair[i].old >= nf)
            return 0;
        while (k < proof->nchanged && proof->changed[k] != f[pair[i].old].address)
            k++;
        if (k == proof->nchanged)
            return 0;
        differ |= 1u << k;
    }
    return differ;
}

/* Runs of the two programs around a proof of concept. */
static struct poc_runs runs_of(const struct poc_asking *a, struct poc_proof *proof, size_t index,
                               const struct run_target *old, const struct run_target *new,
                               struct poc_side *original, struct poc_side *candidate,
                               struct poc_memory *memory)
{
    enum { FUNCTIONS = 32 };
    const bool known = proof->nchanged <= FUNCTIONS;
    return (struct poc_runs){.old = old,
                             .new = new,
                             .side = {original, candidate},
                             .call = proof->call,
                             .crash = &proof->crash,
                             .guard_file = a->guard_file,
                             .input = &proof->input,
                             .memory = memory,
                             .changed = proof->changed,
                             .nchanged = known ? proof->nchanged : 0,
                             .differ = known ? changed_of(proof, a, a->candidate[index].m) : 0,
                             .shared = proof->shared,
                             .here = &proof->here,
                             .family = a->candidate[index].family,
                             .member = a->candidate[index].member};
}

/* From what was found to a verdict, with runs of both programs. */
static void decide(const struct poc_asking *a, const struct poc_proof *proof, size_t index,
                   struct poc_runs *runs, struct poc_judgement *j, const struct poc_ring *r,
                   struct ask_poc_candidate *out, struct arena *arena)
{
    enum { TRIED = 16 };
    bool wide = r->kind == RING_WIDE, shape = r->kind == RING_SHAPE, first = r == proof->ring.data[0];
    if (first) {
        out->verdict = j->decided ? POC_NOT_REFUTED : POC_UNKNOWN;
        if (!j->decided)
            out->reason = j->reason ? j->reason : "nothing could be decided";
    }
    if (r->kind == RING_NEAR && out->verdict == POC_UNKNOWN && j->decided) {
        out->verdict = POC_NOT_REFUTED;
        out->reason = NULL;
    }
    bool doubted[2] = {false, false}; /* by a crash, by another end */
    for (size_t i = 0; i < j->finding.len && i < TRIED; i++) {
        struct poc_finding *f = &j->finding.data[i];
        struct poc_confirmation c = {0};
        bool crash = f->which != POC_NORMAL_NORMAL;
        const struct poc_witness *w = poc_finding_witness(j, f, false);
        if (f->branches) {
            /* no run shows that */
            if (!wide && out->verdict == POC_NOT_REFUTED) {
                take_finding(out, j, f, w, arena);
                out->verdict = POC_DOUBTFUL;
                out->reason = "it goes another way through the code, with the same outputs";
            }
            continue;
        }
        /* in a state of another shape it must crash in all of the class: such a
         * state is less likely to be one that a caller makes */
        if ((shape && crash && !f->must && !a->q->how.witness) || (!crash && is_size_free(&r->abstract)))
            continue;
        /* that it shows nothing more is known without a run */
        const bool may_count = crash || a->q->how.witness || regression_counts(proof, f);
        if (out->verdict == POC_DOUBTFUL && !may_count)
            continue;
        bool by_input = false;
        for (unsigned way = 0; way < 4 && !shape && !proof->still && !by_input; way++) {
            const bool back = way & 1;
            const struct poc_witness *state =
                way < 2 ? poc_finding_witness(j, f, back) : poc_finding_own(j, f, back);
            if (!state || !poc_confirm_input(runs, state, &c, arena))
                continue;
            by_input = true;
            poc_finding_shown(j, f, back);
            w = state;
        }
        /* it may be that the program comes to that with a larger block only */
        struct poc_confirmation grown = {0};
        if (!by_input && crash && !shape && !wide && !proof->still &&
            poc_growths_confirm(runs, &proof->growths, w, &grown, arena) &&
            grown.which != POC_NORMAL_NORMAL) {
            by_input = true;
            c = grown;
        }
        bool counts = c.which != POC_NORMAL_NORMAL ||
                      (regression_counts(proof, f) && (proof->crash.kind != POC_OVERFLOW || !c.elsewhere));
        bool parts = by_input && !counts && wide && !c.elsewhere && !f->wild && is_flat(proof, &r->abstract);
        bool words = by_input && counts && c.which == POC_NORMAL_NORMAL && c.failed;
        bool undefined =
            by_input && counts && (c.undefined || (f->undefined && c.which == POC_NORMAL_NORMAL));
        if (parts || words || undefined) {
            if (out->verdict != POC_NOT_REFUTED)
                continue;
            take_finding(out, j, f, w, arena);
            out->verdict = POC_DOUBTFUL;
            out->reason = undefined ? by_undefined : parts ? by_parts : by_words;
            out->which = (uint8_t)c.which;
            out->confirmed = POC_BY_INPUT;
            out->told = c.told;
            out->saved = save_input(a, index, &c.changed, arena);
            continue;
        }
        if (by_input && counts) {
            bool types = c.crash.kind == POC_SIGNED;
            if (types && out->verdict == POC_DOUBTFUL && out->confirmed == POC_BY_INPUT)
                continue;
            take_finding(out, j, f, w, arena);
            out->verdict = types ? POC_DOUBTFUL : POC_REFUTED;
            out->reason = types ? by_types : NULL;
            out->which = (uint8_t)c.which;
            out->kind = (uint8_t)c.crash.kind;
            out->confirmed = POC_BY_INPUT;
            out->told = c.told;
            out->saved = save_input(a, index, &c.changed, arena);
            if (types)
                continue;
            return;
        }
        bool may = a->q->how.witness ||
                   (!shape && !crash && !f->undefined && f->must && regression_counts(proof, f));
        if (shape && !crash && !regression_counts(proof, f) && !may)
            continue;
        /* an input that ought to lead to the state was made, and does not: the
         * program does not let it in */
        bool kept_out = c.tried && !by_input && !f->must;
        enum poc_shown shown = POC_SHOWN_NOT;
        if (!wide && !kept_out && (may || !doubted[!crash]) && !proof->still)
            shown = poc_confirm_state(runs, f, may);
        if (shown == POC_SHOWN_NOT) {
            out->kept_out += kept_out && !wide;
            continue;
        }
        may = may && shown == POC_SHOWN_OUTSIDE;
        doubted[!crash] = true;
        if (out->verdict == POC_DOUBTFUL && !may)
            continue;
        take_finding(out, j, f, w, arena);
        out->reason = shown == POC_SHOWN_INSIDE ? by_state : NULL;
        out->confirmed = POC_BY_STATE;
        out->shape = shape ? poc_shape_text(&proof->shapes.shape.data[r->shape], arena) : NULL;
        out->verdict = may ? POC_REFUTED : POC_DOUBTFUL;
        if (may)
            return;
    }
    if (first && out->verdict == POC_NOT_REFUTED && j->finding.len > out->kept_out) {
        struct poc_finding *f = &j->finding.data[0];
        take_finding(out, j, f, poc_finding_witness(j, f, false), arena);
        out->verdict = POC_DOUBTFUL;
        out->reason = proof->still ? not_run : "the finding could not be confirmed by running the programs";
    }
}

/* A candidate in one of the original's abstract states. */
struct ring_look {
    struct poc_asking *a;
    const struct poc_proof *proof;
    size_t index;
    struct poc_ring *r;
    struct poc_side *side;
    struct poc_runs runs;
    struct poc_judgement j;
};

/* Explores and judges it there; at a glance: with a little of the work. */
static bool look(struct ring_look *l, bool glance, struct ask_poc_candidate *out, struct arena *arena,
                 struct error *err)
{
    l->side->glance = glance;
    if (!poc_explore(l->side, err))
        return false;
    poc_judge(&l->r->side, l->side, l->a->candidate[l->index].m, l->a->answers, &l->proof->crash, &l->j);
    l->runs.budget = 72;
    decide(l->a, l->proof, l->index, &l->runs, &l->j, l->r, out, arena);
    return true;
}

/* Whether a glance is enough; if not, nothing is said of it yet. */
static bool glance_is_enough(struct ring_look *l, struct ask_poc_candidate *out, struct arena *arena,
                             bool *ok, struct error *err)
{
    const struct ask_poc_candidate before = *out;
    *ok = look(l, true, out, arena, err);
    if (!*ok)
        return true;
    l->r->glances++;
    l->r->enough += out->verdict == POC_REFUTED;
    if (out->verdict == POC_REFUTED || !(l->side->limited || l->j.cut))
        return true;
    *out = before;
    poc_judgement_free(&l->j);
    return false;
}

/* From one of the original's abstract states; false when the rest need not be
 * asked. */
static bool judge_ring(struct poc_asking *a, struct poc_proof *proof, size_t index, struct poc_ring *r,
                       struct snapshot *taken, const struct run_target *target, const struct run_target *old,
                       struct poc_memory *memory, struct ask_poc_candidate *out, struct arena *arena)
{
    struct poc_candidate *c = &a->candidate[index];
    const struct poc_shape *shape = r->kind == RING_SHAPE ? &proof->shapes.shape.data[r->shape] : NULL;
    struct poc_abstract abstract = {0};
    struct poc_side side = {0};
    struct error err = {0};
    struct snapshot own, *s = taken;
    poc_patches patch[2] = {VEC_INIT, VEC_INIT};
    const char *why, *differ = NULL;
    bool first = r == proof->ring.data[0];
    const struct flow_function *f = program_function_at(c->p, counterpart(c, proof, &why));
    if (shape) {
        s = &own;
        bool ok = poc_shape_patches(shape, a->p, &proof->snapshot, &proof->snapshot, NULL, &patch[0]) &&
                  poc_shape_patches(shape, a->p, &proof->snapshot, taken, c->m, &patch[1]);
        ok = poc_shape_snapshot(&patch[1], taken, s) && ok;
        differ = ok ? NULL : "data is elsewhere in it";
    }
    poc_abstract_make(&abstract, c->p, f, s);
    poc_abstract_follow(&abstract, &r->abstract, c->p, c->m);
    side = poc_side_of(a, proof, c->p, f, s, &abstract);
    side.against = &r->side;
    side.visits = r->side.visits;
    /* a limit ended the original: what there is to compare is found in a part of that */
    side.trial = r->kind == RING_POC && r->side.limited;
    if (!differ)
        differ = states_differ(r, s, &abstract);
    /* such a one is looked at a little first, where that mostly is enough to refute it */
    enum { SOME = 4 };
    const bool glance = side.trial && (r->glances < SOME || r->enough * SOME >= r->glances);
    struct ring_look l = {.a = a,
                          .proof = proof,
                          .index = index,
                          .r = r,
                          .side = &side,
                          .runs = runs_of(a, proof, index, old, target, &r->side, &side, memory)};
    l.runs.patch = patch;
    bool ok = !differ;
    if (ok && !(glance && glance_is_enough(&l, out, arena, &ok, &err)))
        ok = look(&l, false, out, arena, &err);
    if (ok) {
        out->classes += (uint32_t)l.j.classes;
        out->decided += (uint32_t)l.j.decided;
        out->wrong += (uint32_t)l.j.wrong;
        out->wholly += (uint32_t)l.j.wholly;
    }
    if (!ok && first)
        out->reason = differ ? differ : arena_strdup(arena, err.text);
    out->whole = (out->whole || first) && ok && l.j.whole;
    const char *general = !ok                         ? "a state could not be asked"
                          : !l.j.proof                ? "not every state is right for certain"
                          : poc_not_general(&r->side) ? poc_not_general(&r->side)
                                                      : poc_not_general(&side);
    out->unproved = out->unproved ? out->unproved : general;
    /* what is told lives on */
    out->when = out->when ? arena_strdup(arena, out->when) : NULL;
    for (size_t i = 0; i < out->nvalues; i++)
        ((struct ask_poc_value *)out->value)[i].name = arena_strdup(arena, out->value[i].name);
    out->reason = out->reason ? arena_strdup(arena, out->reason) : NULL;
    poc_judgement_free(&l.j);
    poc_side_free(&side);
    poc_abstract_free(&abstract);
    if (shape)
        snapshot_free(&own);
    vec_free(&patch[0]);
    vec_free(&patch[1]);
    return ok;
}

/* ---- a proof of concept ---- */

static const char *in_given_names(const struct poc_candidate *c, struct error *err, struct arena *arena)
{
    poc_file_name(&c->at, err);
    return arena_strdup(arena, err->text);
}

/* The candidate's state at the call, unless it is there from the run on the proof of concept; false: *out
 * says why there is none. */
static bool state_of(struct poc_asking *a, struct poc_proof *proof, struct poc_candidate *c,
                     const struct run_target *target, struct snapshot *s, struct ask_poc_candidate *out,
                     struct arena *arena)
{
    struct error err = {0};
    if (s->nparts)
        return true;
    uint64_t address = counterpart(c, proof, &out->reason);
    if (!address)
        return false;
    if (proof->still) {
        out->reason = poc_carry(a->p, c->m, c->p, &proof->snapshot, s);
        return !out->reason;
    }
    struct process *p = watch_call(target, address, proof->call, &err);
    bool there = p && snapshot_take(p, target, &proof->snapshot, s, &err);
    process_end(p);
    if (!there)
        out->reason = in_given_names(c, &err, arena);
    return there;
}

/* How the candidate ends on the proof of concept itself, and its state at the call; false: *out says why
 * nobody knows. */
static bool crash_on_poc(struct poc_asking *a, struct poc_proof *proof, struct poc_candidate *c,
                         const struct run_target *target, struct snapshot *s, struct poc_crash *crash,
                         struct ask_poc_candidate *out, struct arena *arena)
{
    struct error err = {0};
    struct watch_run w = {0};
    uint64_t address = counterpart(c, proof, &out->reason), call;
    if (!address)
        return false;
    struct poc_side like =
        poc_side_of(a, proof, c->p, program_function_at(c->p, address), &proof->snapshot, NULL);
    if (proof->still) {
        bool there = state_of(a, proof, c, target, s, out, arena);
        if (there)
            *crash = poc_check_call(&like, s);
        return there;
    }
    bool taken;
    if (!watch_through(target, address, proof->call, &proof->snapshot, s, &taken, &w, &err)) {
        out->reason = in_given_names(c, &err, arena);
        return false;
    }
    *crash = poc_crash_of(&w, c->p, a->guard_file, a->guard);
    if (proof->silent && !crash->kind)
        *crash = poc_check_run(&like, target, &call);
    watch_run_free(&w);
    return true;
}

/* Whether the candidate ends well on the proof of concept; if not, *out says
 * why. */
static bool survives(struct poc_asking *a, struct poc_proof *proof, struct poc_candidate *c,
                     const char *scratch, struct snapshot *s, struct ask_poc_candidate *out,
                     struct arena *arena)
{
    struct run_target target = poc_target(a, proof, &c->at, c->p, scratch);
    struct poc_crash crash = {0};
    if (!crash_on_poc(a, proof, c, &target, s, &crash, out, arena))
        return false;
    if (!crash.kind)
        return true;
    bool types = crash.kind == POC_SIGNED;
    out->verdict = proof->still || types ? POC_DOUBTFUL : POC_REFUTED;
    out->which = POC_STILL;
    out->kind = (uint8_t)crash.kind;
    out->confirmed = proof->still ? POC_UNCONFIRMED : POC_BY_INPUT;
    out->reason = proof->still ? not_run : types ? by_types : NULL;
    return false;
}

/* Runs of both with larger blocks, where nothing else shows that the candidate is wrong. */
static void try_growths(struct poc_asking *a, struct poc_proof *proof, size_t index,
                        const struct run_target *target, const struct run_target *old,
                        struct poc_memory *memory, struct ask_poc_candidate *out, struct arena *arena)
{
    struct poc_side *original = &proof->ring.data[0]->side, candidate = *original;
    struct poc_confirmation c = {0};
    uint64_t size;
    candidate.p = a->candidate[index].p;
    struct poc_runs runs = runs_of(a, proof, index, old, target, original, &candidate, memory);
    bool doubtful = out->verdict == POC_DOUBTFUL;
    if (!poc_growths_try(&runs, &proof->growths, doubtful, &c, &size, arena))
        return;
    const char *why = c.undefined ? by_undefined : c.which == POC_NORMAL_NORMAL ? by_parts : NULL;
    if (doubtful && why)
        return;
    out->verdict = why ? POC_DOUBTFUL : POC_REFUTED;
    out->reason = why;
    out->which = (uint8_t)c.which;
    out->kind = (uint8_t)c.crash.kind;
    out->confirmed = POC_BY_INPUT;
    out->told = c.told;
    out->saved = save_input(a, index, &c.changed, arena);
    out->when = arena_printf(arena, "the block that is overflowed has %llu bytes", (unsigned long long)size);
    out->nvalues = 0;
    out->shape = out->path_old = out->path_new = NULL;
}

/* What is found around the proof of concept. */
static void judge_proof(struct poc_asking *a, struct poc_proof *proof, size_t index, const char *scratch,
                        struct snapshot *s, struct ask_poc_candidate *out, struct arena *arena)
{
    struct poc_candidate *c = &a->candidate[index];
    struct run_target target = poc_target(a, proof, &c->at, c->p, scratch),
                      old = poc_target(a, proof, &a->old, a->p, scratch);
    struct poc_memory memory = {0};
    if (!state_of(a, proof, c, &target, s, out, arena))
        return;
    a->begun = *terms_work(a->t);
    for (size_t i = 0; i < proof->ring.len && out->verdict != POC_REFUTED; i++) {
        struct poc_ring *r = proof->ring.data[i];
        if (r->useless)
            continue;
        if (i && !poc_side_tells(&r->side)) {
            out->whole = false;
            out->unproved =
                out->unproved ? out->unproved : "the original could not be followed in every state";
            continue;
        }
        if (!judge_ring(a, proof, index, r, s, &target, &old, &memory, out, arena) && i == 0)
            break;
    }
    if (out->verdict != POC_REFUTED && !proof->still)
        try_growths(a, proof, index, &target, &old, &memory, out, arena);
    if (!out->unproved)
        out->unproved = proof->still          ? not_run
                        : proof->shapes.bound ? proof->shapes.bound
                        : proof->silent && proof->crash.kind == POC_OVERFLOW
                            ? "bounds of variables are guessed"
                        : a->q->how.empty ? "the empty snapshot is no state of the program"
                                          : NULL;
    if (out->verdict == POC_NOT_REFUTED && !out->unproved)
        out->unproved = poc_changed_beside(c->m, proof->f->address);
    if (out->verdict == POC_NOT_REFUTED && !out->unproved)
        out->verdict = POC_PROVED;
    if (out->verdict != POC_NOT_REFUTED)
        out->unproved = NULL;
    poc_memory_free(&memory);
}

/* Of two proofs of concept the one that says the worse decides. */
static bool is_worse(const struct ask_poc_candidate *x, const struct ask_poc_candidate *y)
{
    static const int order[] = {
        [POC_PROVED] = 0, [POC_NOT_REFUTED] = 1, [POC_UNKNOWN] = 2, [POC_DOUBTFUL] = 3, [POC_REFUTED] = 4};
    return order[x->verdict] > order[y->verdict];
}

static struct ask_poc_candidate joined(const struct ask_poc_candidate *x, const struct ask_poc_candidate *y)
{
    struct ask_poc_candidate out = is_worse(y, x) ? *y : *x;
    out.classes = x->classes + y->classes;
    out.decided = x->decided + y->decided;
    out.wrong = x->wrong + y->wrong;
    out.wholly = x->wholly + y->wholly;
    out.kept_out = x->kept_out + y->kept_out;
    out.whole = x->whole && y->whole;
    return out;
}

void poc_candidate_judge(struct poc_asking *a, size_t index, const char *scratch, struct ask_sink *say)
{
    struct poc_candidate *c = &a->candidate[index];
    struct arena arena = ARENA_INIT;
    struct ask_poc_candidate out = {.file = c->at.name, .path = c->at.path, .verdict = POC_UNKNOWN};
    struct snapshot *s = arena_array(&arena, struct snapshot, a->nproofs);
    bool ok = true;
    for (size_t i = 0; i < a->nproofs && ok; i++) {
        out.poc = a->proof[i].name;
        ok = survives(a, &a->proof[i], c, scratch, &s[i], &out, &arena);
    }
    for (size_t i = 0; i < a->nproofs && ok && out.verdict != POC_REFUTED; i++) {
        struct ask_poc_candidate one = {
            .file = c->at.name, .path = c->at.path, .poc = a->proof[i].name, .verdict = POC_UNKNOWN};
        judge_proof(a, &a->proof[i], index, scratch, &s[i], &one, &arena);
        out = i ? joined(&out, &one) : one;
    }
    ask_say(say, POC_SAYS_CANDIDATE, &poc_candidate_type, &out);
    for (size_t i = 0; i < a->nproofs; i++)
        snapshot_free(&s[i]);
    arena_free(&arena);
}

void poc_candidate_unknown(const struct poc_candidate *c, const char *reason, struct ask_sink *say)
{
    struct ask_poc_candidate out = {
        .file = c->at.name, .path = c->m ? c->at.path : NULL, .verdict = POC_UNKNOWN, .reason = reason};
    ask_say(say, POC_SAYS_CANDIDATE, &poc_candidate_type, &out);
}
