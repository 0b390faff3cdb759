/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/adapt_compile.h"
#include "ask/adapt_kept.h"
#include "ask/adapt_repair.h"

enum { ADAPT_SAYS_ANSWER };
enum { GRACE_MS = 10000 };

#define T struct adapt_edit
static const struct wire_field edit_field[] = {WIRE_VALUE(T, offset), WIRE_NAME(T, hex),
                                               WIRE_VALUE(T, adapter)};
static const struct wire_type edit_type = WIRE_TYPE(T, edit_field);
#undef T
#define T struct ask_adapted
static const struct wire_field adapted_field[] = {
    WIRE_NAME(T, target_file),
    WIRE_NAME(T, inner_file),
    WIRE_NAME(T, target),
    WIRE_NAME(T, inner),
    WIRE_VALUE(T, target_address),
    WIRE_VALUE(T, inner_address),
    WIRE_ENUM(T, verdict, ADAPT_UNDECIDED + 1),
    WIRE_TEXT(T, reason),
    WIRE_LIST(T, argument, narguments, &wire_text),
    WIRE_LIST(T, field, nfields, &wire_text),
    WIRE_TEXT(T, result),
    WIRE_NAME(T, family),
    WIRE_VALUE(T, target_args),
    WIRE_VALUE(T, result_bits),
    WIRE_VALUE(T, result_pair),
    WIRE_VALUE(T, bounded),
    WIRE_VALUE(T, trivial),
    WIRE_VALUE(T, tests),
    WIRE_VALUE(T, checks),
    WIRE_VALUE(T, searches),
    WIRE_VALUE(T, runs),
    WIRE_VALUE(T, native_runs),
    WIRE_VALUE(T, tried),
    WIRE_VALUE(T, made),
    WIRE_VALUE(T, found),
    WIRE_LIST(T, note, nnotes, &wire_text),
    WIRE_TEXT(T, c),
    WIRE_VALUE(T, compiled),
    WIRE_VALUE(T, compiled_runs),
    WIRE_TEXT(T, not_compiled),
    WIRE_LIST(T, edit, nedits, &edit_type),
};
static const struct wire_type adapted_type = WIRE_TYPE(T, adapted_field);
#undef T

/* ---- names ---- */

bool ask_adapt_is_fragment(const char *name, uint64_t *from, uint64_t *to, int *out)
{
    int n = 0;
    unsigned r = 0;
    *out = -1;
    if (sscanf(name, "0x%" SCNx64 "-0x%" SCNx64 "%n", from, to, &n) != 2)
        return false;
    if (!name[n])
        return true;
    int m = 0;
    bool ok = sscanf(name + n, "@r%2u%n", &r, &m) == 1 && !name[n + m];
    *out = (int)r;
    return ok;
}

bool ask_adapt_find(struct program *p, const char *name, struct arena *arena, struct adapt_code *out,
                    struct error *err)
{
    uint64_t from, to;
    int reg;
    *out = (struct adapt_code){.p = p};
    if (!ask_adapt_is_fragment(name, &from, &to, &reg)) {
        out->f = program_function(p, name, err);
        return out->f;
    }
    struct adapt_fragment *f = arena_new(arena, struct adapt_fragment);
    if (!adapt_fragment_make(f, p, from, to, arena, err))
        return false;
    out->fragment = f;
    out->f = &f->function;
    out->out = reg < 0 ? f->out[0] : (unsigned)reg;
    bool there = false;
    for (unsigned i = 0; i < f->nouts; i++)
        there = there || f->out[i] == out->out;
    return there ||
           error_set(err, ERROR_INPUT, "%s: r%d is none of the last %u registers that the fragment writes",
                     name, reg, ADAPT_OUTPUTS);
}

/* ---- where the work is done ---- */

/* The two functions of a question; a file that is named twice is opened once. */
struct opened {
    struct program *p[2];
    const char *file[2];
    struct adapt_code code[2];
};

static bool open_side(struct opened *o, const struct ask_adapt *q, unsigned i, struct arena *arena,
                      struct error *err)
{
    const char *spec = i ? q->inner : q->target, *colon = strrchr(spec, ':');
    if (!colon || colon == spec || !colon[1])
        return error_set(err, ERROR_USAGE, "%s: name a function as FILE:FUNC", spec);
    o->file[i] = arena_strndup(arena, spec, (size_t)(colon - spec));
    if (i && strcmp(o->file[0], o->file[1]) == 0) {
        o->p[1] = o->p[0];
    } else {
        struct program_options how = {.object = q->object};
        o->p[i] = program_open(o->file[i], &how, err);
    }
    if (!o->p[i])
        return false;
    lifter_keep_loads(program_lifter(o->p[i])); /* before its first graph */
    uint64_t from, to;
    int out;
    if (!ask_adapt_is_fragment(colon + 1, &from, &to, &out))
        program_reach(o->p[i], colon + 1);
    return true;
}

static bool is_exported(const struct opened *o, unsigned i)
{
    const struct object *file = program_object(o->p[i]);
    const struct object_symbol *y;
    size_t n = object_symbols(file, &y);
    for (size_t k = 0; k < n && !o->code[i].fragment; k++)
        if (y[k].address == o->code[i].f->address && !y[k].undefined && y[k].dynamic &&
            strcmp(y[k].name, o->code[i].f->name) == 0)
            return true;
    return false;
}

/* What is asked for can be emitted. A library that is loaded first is called in place of exported functions,
 * and can call exported ones only. */
static bool can_emit(const struct opened *o, uint8_t emit, bool *pointers, struct error *err)
{
    for (unsigned i = 0; emit == ASK_EMIT_PRELOAD && i < 2; i++)
        if (!is_exported(o, i))
            return error_set(err, ERROR_INPUT, "%s: %s is not exported, as --emit preload needs it",
                             o->file[i], o->code[i].f->name);
    if (emit == ASK_EMIT_PRELOAD && !adapt_can_preload(&o->code[0], &o->code[1], pointers, err))
        return false;
    if (emit == ASK_EMIT_PATCH && !adapt_can_patch(&o->code[0], &o->code[1], pointers, err))
        return false;
    return emit != ASK_EMIT_C || strcmp(o->code[0].f->name, o->code[1].f->name) != 0 ||
           error_set(err, ERROR_INPUT,
                     "%s: C has one function of that name; --emit preload finds the other in its file",
                     o->code[0].f->name);
}

/* After both were searched for: that voids functions. */
static bool find_side(struct opened *o, const struct ask_adapt *q, unsigned i, struct arena *arena,
                      struct error *err)
{
    const char *spec = i ? q->inner : q->target;
    if (!ask_adapt_find(o->p[i], strrchr(spec, ':') + 1, arena, &o->code[i], err))
        return false;
    o->code[i].file = o->file[i];
    if (o->code[i].fragment)
        return i || !q->how.assume || !*q->how.assume ||
               error_set(err, ERROR_USAGE, "--assume is about functions, and %s is a fragment",
                         o->code[i].f->name);
    if (flow_graph(o->p[i], o->code[i].f)->noreturn)
        return error_set(err, ERROR_INPUT, "%s: %s never returns, so that nothing can be adapted", o->file[i],
                         o->code[i].f->name);
    return true;
}

static const char *value_text(struct arena *arena, const struct adapt_value *v, unsigned width,
                              const char *name)
{
    struct buf b = BUF_INIT;
    adapt_print_value(&b, v, width, name);
    const char *text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return text;
}

static const char *argument_text(struct arena *arena, const struct adapter *d, unsigned i)
{
    struct buf b = BUF_INIT;
    adapt_print_argument(&b, d, i);
    const char *text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return text;
}

static const char *field_text(struct arena *arena, const struct adapt_field *f)
{
    struct buf b = BUF_INIT;
    adapt_print_field(&b, f);
    const char *text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return text;
}

/* `file`: the inner function is looked for there when the wrapper is loaded; NULL: it is linked. */
static const char *wrapper_text(const struct ask_adapted *out, const struct adapt_answer *x, const char *file,
                                struct arena *arena)
{
    struct buf b = BUF_INIT;
    char *path = file ? realpath(file, NULL) : NULL;
    adapt_print_c(&b, &x->adapter, out->target, x->result_pair, out->inner, path);
    const char *text = arena_strdup(arena, buf_text(&b));
    free(path);
    buf_free(&b);
    return text;
}

static void fill_in(struct ask_adapted *out, const struct ask_adapt *q, const struct opened *o,
                    const struct adapt_answer *x, struct arena *arena)
{
    *out = (struct ask_adapted){
        .target_file = o->file[0],
        .inner_file = o->file[1],
        .target = strrchr(q->target, ':') + 1,
        .inner = strrchr(q->inner, ':') + 1,
        .target_address = object_display_address(program_object(o->p[0]), o->code[0].f->address),
        .inner_address = object_display_address(program_object(o->p[1]), o->code[1].f->address),
        .verdict = x->verdict,
        .reason = x->reason,
        .family = adapt_family_name(x->family),
        .target_args = x->target_args,
        .result_bits = x->result_bits,
        .result_pair = x->result_pair,
        .bounded = x->bounded,
        .trivial = x->trivial,
        .tests = x->tests,
        .checks = x->checks,
        .searches = x->searches,
        .runs = x->runs,
        .native_runs = x->native_runs,
        .tried = x->tried,
        .note = x->note,
        .nnotes = x->nnotes};
    if (x->verdict != ADAPT_FOUND)
        return;
    const struct adapter *d = &x->adapter;
    const char **argument = arena_array(arena, const char *, d->nargs + 1);
    for (unsigned i = 0; i < d->nargs; i++)
        argument[i] = argument_text(arena, d, i);
    const char **field = arena_array(arena, const char *, d->view.nfields + 1);
    for (unsigned i = 0; i < d->view.nfields; i++)
        field[i] = field_text(arena, &d->view.field[i]);
    out->field = field;
    out->nfields = d->view.nfields;
    out->argument = argument;
    out->narguments = d->nargs;
    if (x->result_bits)
        out->result = value_text(arena, &d->result, d->width, "result");
    if (q->emit == ASK_EMIT_C || q->emit == ASK_EMIT_PRELOAD)
        out->c = wrapper_text(out, x, q->emit == ASK_EMIT_PRELOAD ? o->file[1] : NULL, arena);
}

static void add_note(struct ask_adapted *out, const char *text, struct arena *arena)
{
    const char **note = arena_array(arena, const char *, out->nnotes + 1);
    for (size_t i = 0; i < out->nnotes; i++)
        note[i] = out->note[i];
    note[out->nnotes++] = text;
    out->note = note;
}

/* The wrapper as it is printed, or would be, against the target. Where that cannot be done it is said. */
static void run_compiled(struct ask_adapted *out, const struct ask_adapt *q, const struct opened *o,
                         struct adapt *a, const struct adapt_answer *x, const char *scratch,
                         struct arena *arena)
{
    const char *why = NULL;
    out->compiled = true;
    if (!adapt_runs_here(o->p[0]) || o->code[0].fragment || o->code[1].fragment)
        why = "this machine does not run the functions";
    else if (!*scratch)
        why = "there is no place for temporary files";
    else if (!out->c && !is_exported(o, 1))
        why = "the inner function is not exported";
    const char *text = out->c ? out->c : why ? NULL : wrapper_text(out, x, o->file[1], arena);
    const char *library =
        why ? NULL
            : ask_adapt_compile(text, scratch, q->emit == ASK_EMIT_C ? o->file[1] : NULL, arena, &why);
    if (library && !adapt_run_compiled(a, library, out->target, &out->compiled_runs, &why)) {
        out->verdict = ADAPT_UNDECIDED;
        out->reason = "an adapter that the solver accepts differs from the target when its C is run";
        out->c = NULL;
        out->nedits = 0;
    }
    out->not_compiled = why;
}

/* Foreign code is executed, so that somebody must want it: who emits C is about to do it himself. */
static bool is_to_be_run(const struct ask_adapt *q)
{
    return q->how.runs && (q->how.native || q->emit == ASK_EMIT_C || q->emit == ASK_EMIT_PRELOAD);
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_adapt_answer *answer = ctx;
    const struct ask_adapt *q = answer->q;
    struct opened o = {0};
    struct arena arena = ARENA_INIT;
    struct adapt *a = NULL;
    struct adapt_kept kept = {0};
    bool pointers = false;
    bool ok = open_side(&o, q, 0, &arena, err) && open_side(&o, q, 1, &arena, err) &&
              find_side(&o, q, 0, &arena, err) && find_side(&o, q, 1, &arena, err) &&
              can_emit(&o, q->emit, &pointers, err) && (a = adapt_new(&q->how, err));
    if (ok && q->keep)
        adapt_kept_open(&kept, &q->object, a);
    if (ok) {
        struct adapt_answer x;
        struct ask_adapted out;
        ok = adapt_search(a, &o.code[0], &o.code[1], &x, err);
        adapt_kept_close(&kept); /* before others are started */
        struct adapt_edit edit[ADAPT_EDITS];
        bool patch = ok && q->emit == ASK_EMIT_PATCH && x.verdict == ADAPT_FOUND;
        ok = ok && (!patch || adapt_patch(&o.code[0], &o.code[1], &x.adapter, &arena, edit, err));
        if (ok) {
            fill_in(&out, q, &o, &x, &arena);
            out.made = adapt_effort(a).made;
            out.found = adapt_effort(a).found;
            if (pointers && x.verdict == ADAPT_FOUND)
                add_note(&out,
                         "calls through pointers do not lead back to the target, which would call itself",
                         &arena);
            out.edit = edit;
            out.nedits = patch ? ADAPT_EDITS : 0;
            if (is_to_be_run(q) && x.verdict == ADAPT_FOUND)
                run_compiled(&out, q, &o, a, &x, answer->scratch.path, &arena);
            ask_say(say, ADAPT_SAYS_ANSWER, &adapted_type, &out);
        }
        adapt_answer_free(&x);
    }
    if (a)
        adapt_free(a);
    if (o.p[1] && o.p[1] != o.p[0])
        program_free(o.p[1]);
    if (o.p[0])
        program_free(o.p[0]);
    arena_free(&arena);
    return ok;
}

/* ---- the answer ---- */

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_adapt_answer *a = ctx;
    if (message != ADAPT_SAYS_ANSWER)
        return false;
    return a->begun = wire_get(bytes, n, &adapted_type, &a->adapted, &a->arena);
}

bool ask_adapt(const struct ask_adapt *q, const struct ask_session *session, struct ask_adapt_answer *a,
               struct error *err)
{
    struct error no_scratch;
    *a = (struct ask_adapt_answer){.q = q};
    if (q->keep)
        a->trouble = adapt_kept_trouble(&a->arena);
    /* here, not in a worker: whatever ends workers, somebody tidies up */
    if (is_to_be_run(q))
        scratch_open(&a->scratch, &no_scratch);
    bool ok = ask_put(ask, hear, a, &q->limits, q->limits.timeout, GRACE_MS, session, &a->end, err);
    scratch_close(&a->scratch);
    return ok && (!a->begun || !a->adapted.nedits || ask_adapt_write(a, session, err));
}

void ask_adapt_free(struct ask_adapt_answer *a)
{
    arena_free(&a->arena);
}

enum ask_status ask_adapt_status(const struct ask_adapt_answer *a)
{
    if (!a->begun)
        return ASK_UNKNOWN;
    if (a->verified && a->verify == VERIFY_UNSAFE)
        return ASK_NO;
    return a->adapted.verdict == ADAPT_FOUND  ? ASK_YES
           : a->adapted.verdict == ADAPT_NONE ? ASK_NO
                                              : ASK_UNKNOWN;
}
