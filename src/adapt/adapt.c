/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One question: what is refuted without exploring, what is explored, and which passes there are. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/internal.h"
#include "solve/solve.h"
#include "wp/wp.h"

enum { QUERY_MS = 5000 };

void adapt_note(struct adapt *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    notes_add(&a->notes, a->arena, fmt, ap);
    va_end(ap);
}

void undecided(struct adapt *a, const char *why)
{
    a->out->verdict = ADAPT_UNDECIDED;
    if (!a->out->reason)
        a->out->reason = arena_strdup(a->arena, why);
}

/* No conversion of another result is a floating-point number, nor is one that is elsewhere. */
static bool is_about_floats(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner)
{
    enum modes_place x = modes_place(target), y = modes_place(inner);
    struct adapt_shape f, g;
    bool alike = modes_shape(target, &f) && modes_shape(inner, &g) && f.result_bits == g.result_bits;
    if (x == PLACE_UNKNOWN || x == PLACE_OTHER || alike)
        return false;
    /* on ARM both may be in the same register */
    bool not = y == PLACE_OTHER && !modes_elsewhere(inner) && program_machine(target->p)->arch != MACHINE_ARM;
    if (not|| (x == PLACE_FLOAT && y == PLACE_X87) || (x == PLACE_X87 && y == PLACE_FLOAT)) {
        a->out->verdict = ADAPT_NONE;
        a->out->family = (uint8_t)(1u << search_largest(a));
        adapt_note(
            a,
            "the target returns a floating-point number, and the inner function does not return one there");
    } else {
        undecided(a, "the target returns a floating-point number");
    }
    return true;
}

static bool is_elsewhere(struct adapt *a, const struct adapt_code *target)
{
    bool bits = modes_bit_int(target);
    if (!bits && !modes_elsewhere(target))
        return false;
    undecided(a, bits ? "the target takes or returns a _BitInt, and nothing says how many bits of it count"
                      : "the target returns a structure or a vector that is not in the registers of results");
    return true;
}

/* Its code only chooses what is called in its place. */
static bool is_chosen(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner)
{
    if (!adapt_is_chosen(target) && !adapt_is_chosen(inner))
        return false;
    undecided(a, adapt_is_chosen(target)
                     ? "which code the target has is chosen when the program starts"
                     : "which code the inner function has is chosen when the program starts");
    return true;
}
bool is_address(const struct adapt *a, uint64_t x)
{
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        const struct object_segment *seg;
        size_t n = s->bias ? object_segments(program_object(s->code.p), &seg) : 0;
        for (size_t i = 0; i < n; i++)
            if (x - (s->bias + seg[i].address) < seg[i].size)
                return true;
    }
    return false;
}

/* Addresses of position-independent code are told apart by a bias; others are numbers. */
static bool has_fixed_data(const struct adapt *a)
{
    if (a->target.code.p == a->inner.code.p)
        return false;
    for (unsigned side = 0; side < 2; side++) {
        const struct summary *s = side ? &a->inner : &a->target;
        for (size_t i = 0; i < s->is.naccesses; i++) {
            uint64_t address;
            uint8_t byte;
            if (term_const_u64(a->t, s->is.access[i].address, &address) &&
                object_read(program_object(s->code.p), address, &byte, 1))
                return true;
        }
    }
    return false;
}

static bool ready(struct adapt *a)
{
    if (a->target.stuck)
        undecided(a, arena_printf(a->arena, "the target was not explored to its end: %s",
                                  a->target.why_open ? a->target.why_open : "no path"));
    else if (a->target.floats && !a->real)
        undecided(a, "the target returns a floating-point number, or may");
    else if (has_fixed_data(a))
        undecided(a, "data of two files lies at fixed addresses, which may be the same");
    else
        return true;
    return false;
}

/* ---- summaries ---- */

struct adapt *adapt_new(const struct adapt_options *opt, struct error *err)
{
    struct adapt *a = xcalloc(1, sizeof *a);
    a->opt = opt;
    a->arena = &a->keep;
    a->t = terms_new();
    unsigned query_ms = opt->timeout_ms && opt->timeout_ms < QUERY_MS ? opt->timeout_ms : QUERY_MS;
    /* a step takes many times as long where numbers are multiplied: the limit is the time, as for the search
     */
    struct solve_options how = {
        .timeout_ms = query_ms, .effort = query_ms * SOLVE_STEPS_MS, .fp_functions = true};
    a->s = solver_new(a->t, &how, err);
    if (a->s)
        return a;
    adapt_free(a);
    return NULL;
}

void adapt_free(struct adapt *a)
{
    for (struct summary *s = a->made, *next; s; s = next) {
        next = s->next;
        summary_free(s);
        free(s);
    }
    if (a->world)
        blind_world_free(a->world);
    vec_free(&a->test);
    vec_free(&a->notes.list);
    vec_free(&a->assume);
    vec_free(&a->digest);
    if (a->s)
        solver_free(a->s);
    terms_free(a->t);
    arena_free(&a->keep);
    free(a);
}

void adapt_set_keeper(struct adapt *a, const struct adapt_keep *keeper)
{
    a->keeper = keeper;
}

struct adapt_effort adapt_effort(const struct adapt *a)
{
    return a->effort;
}

bool adapt_summarise(struct adapt *a, const struct adapt_code *code, struct error *err)
{
    return summary_of(a, code, TERM_NONE, false, err);
}

/* ---- the question ---- */

static bool prepare(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner,
                    bool pair, struct modes *modes, struct error *err)
{
    if (!assume_read(a, target, bias_of(target, a->first && a->first != target->p), err))
        return false;
    struct adapt_shape shape;
    a->real = modes_shape(target, &shape) && shape.result_bits;
    if (a->real)
        modes->mode[modes->n++] = (struct compared){.bits = shape.result_bits};
    else
        modes_by_debug(a, target, modes);
    if (!modes->n)
        modes_by_code(a, target, modes);
    if (a->opt->truth && a->real)
        modes->n = 0;
    else if (a->opt->truth)
        modes_as_truth(a, modes);
    if (!modes->n) {
        undecided(a, a->real ? "a floating-point number is no truth value"
                             : "a result in two registers is no truth value");
        return true;
    }
    /* results in two registers are looked for by themselves: what only the second depends on is no argument
     * else */
    a->pair = modes->mode[0].pair && pair;
    if (a->pair)
        modes->n = 1;
    else if (modes->mode[0].pair)
        memmove(modes->mode, modes->mode + 1, --modes->n * sizeof *modes->mode);
    if (!modes->n)
        return true;
    const struct summary *x = summary_of(a, target, a->given, false, err);
    if (!x)
        return false;
    a->target = *x;
    assume_reads(a);
    const struct summary *y = summary_of(a, inner, assume_of_inner(a), true, err);
    if (!y)
        return false;
    a->inner = *y;
    vec_clear(&a->assume);
    for (unsigned side = 0; side < 2; side++)
        for (size_t i = 0; i < (side ? y : x)->assume.len; i++)
            vec_push(&a->assume, (side ? y : x)->assume.data[i]);
    if (a->given != TERM_NONE)
        vec_push(&a->assume, a->given);
    if (summary_has_leftovers(&a->target, modes->mode[modes->n - 1].bits > 0)) {
        a->target.is.doubt = term_true(a->t);
        a->target.why_doubt = "it depends on registers that carry no argument";
    }
    modes_without_result(a, modes);
    return true;
}

/* By runs alone, before anything is explored. */
static bool is_refuted_blindly(struct adapt *a, const struct adapt_code *target,
                               const struct adapt_code *inner)
{
    struct time_spent begun = time_now();
    a->until = deadline_in(a->opt->timeout_ms);
    bool refuted = blind_refutes(a, target, inner);
    a->out->ms += time_since(begun);
    if (!refuted)
        return false;
    a->out->verdict = ADAPT_NONE;
    a->out->family = (uint8_t)(1u << search_largest(a));
    return true;
}

static void drop_tests(struct adapt *a)
{
    for (size_t i = 0; i < a->test.len; i++)
        test_drop(&a->test.data[i]);
    vec_clear(&a->test);
}

/* Structures that are laid out differently. That there is no such adapter is never said. */
static bool search_structures(struct adapt *a, const struct adapt_code *target,
                              const struct adapt_code *inner, struct error *err)
{
    struct adapt_answer *o = a->out;
    struct modes modes = {0};
    o->verdict = ADAPT_UNDECIDED;
    o->family = ADAPT_MEMORY;
    o->reason = NULL;
    a->deep = true;
    if (target->fragment || inner->fragment) {
        undecided(a, "fragments have no structures");
        return true;
    }
    if (is_chosen(a, target, inner))
        return true;
    if (!prepare(a, target, inner, false, &modes, err))
        return false;
    o->target_args = a->target.nargs;
    if (a->target.shape.floats || a->inner.shape.floats || modes_float(target) == 1 ||
        modes_elsewhere(target) || !modes.n) {
        undecided(a, "one of the two takes floating-point numbers, or the target returns one, a structure or "
                     "a vector, or in two registers");
        return true;
    }
    struct time_spent begun = time_now();
    a->until = deadline_in(a->opt->timeout_ms);
    if (a->opt->timeout_ms)
        search_limit(a, a->opt->timeout_ms);
    bool found = false;
    for (unsigned k = 0; k < modes.n && !found; k++) {
        a->compared = modes.mode[k];
        if (a->compared.vague)
            a->compared.bits = 0; /* it is for its structure */
        o->reason = NULL;         /* the last one asks for least, and comes furthest */
        found = memory_search(a, &o->adapter, err);
    }
    o->ms += time_since(begun);
    if (!found)
        return true;
    o->verdict = ADAPT_FOUND;
    o->result_bits = a->compared.bits;
    return true;
}

bool adapt_search(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner,
                  struct adapt_answer *out, struct error *err)
{
    *out = (struct adapt_answer){.verdict = ADAPT_UNDECIDED};
    a->view = NULL;
    const struct ir_machine *m = program_machine(target->p);
    if (m != program_machine(inner->p))
        return error_set(err, ERROR_USAGE,
                         "the target is code for %s and the inner function for %s: one cannot call the other",
                         m->name, program_machine(inner->p)->name);
    struct modes modes = {0};
    a->out = out;
    a->width = m->pointer_width;
    bool others = a->opt->families & ADAPT_ALL;
    a->same = others && target->f != inner->f && same_function(target, inner, a->width);
    bool ok = true, blind = false,
         over = !others || (!modes_through_pointer(target) && is_elsewhere(a, target)) ||
                (!a->same && (blind = is_refuted_blindly(a, target, inner))) || is_elsewhere(a, target) ||
                is_chosen(a, target, inner) || is_about_floats(a, target, inner);
    for (unsigned pass = 0; ok && !over && pass < 4; pass++) {
        a->deep = pass / 2;
        modes.n = 0;
        ok = prepare(a, target, inner, pass % 2 == 0, &modes, err);
        if (!ok || !modes.n)
            continue; /* no second register counts, or nothing but it */
        if (pass % 2 == 0 && !modes.mode[0].pair)
            pass++; /* the same as the next one */
        out->target_args = a->target.nargs;
        /* what the passes before took counts, too */
        uint64_t limit = a->opt->timeout_ms;
        uint64_t left = !limit ? 0 : out->ms + 1 < limit ? limit - out->ms : 1;
        struct time_spent begun = time_now();
        a->until = deadline_in(left);
        if (limit)
            search_limit(a, left);
        bool followed = a->deep || (!a->target.why_doubt && !a->inner.why_doubt);
        out->reason = NULL;
        out->verdict = ADAPT_UNDECIDED;
        if (ready(a))
            search_families(a, &modes, followed);
        out->ms += time_since(begun);
        drop_tests(a);
        /* that no adapter gives both registers says nothing of the first alone, unless both surely count */
        bool last = pass % 2 == 1 || modes.sure;
        over = out->verdict == ADAPT_FOUND || (last && (out->verdict == ADAPT_NONE || followed));
    }
    if (ok && !a->same && out->verdict == ADAPT_FOUND && (a->target.rounds || a->inner.rounds)) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(a, "the x87 unit may round otherwise");
    }
    if (ok && !blind && out->verdict == ADAPT_NONE && modes_narrow(target)) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(
            a,
            "no adapter agrees with the target on all tests, but callers may have to extend an argument of "
            "less than 32 bits, which tests do not");
    }
    if (ok && out->verdict == ADAPT_NONE && (modes_paired(target) || modes_paired(inner))) {
        out->verdict = ADAPT_UNDECIDED;
        undecided(a, "an argument takes two words, and a register before it may be left out");
    }
    if (ok && a->opt->families & ADAPT_MEMORY && out->verdict != ADAPT_FOUND)
        ok = search_structures(a, target, inner, err);
    out->adapter.target = a->target.shape;
    out->adapter.inner = a->inner.shape;
    for (size_t i = 0; i < a->notes.list.len; i++)
        a->notes.list.data[i] = arena_strdup(&out->arena, a->notes.list.data[i]);
    if (a->notes.list.len)
        out->note =
            arena_dup(&out->arena, a->notes.list.data, a->notes.list.len * sizeof *a->notes.list.data);
    out->nnotes = a->notes.list.len;
    if (out->reason)
        out->reason = arena_strdup(&out->arena, out->reason);
    vec_clear(&a->notes.list);
    return ok;
}

void adapt_answer_free(struct adapt_answer *a)
{
    arena_free(&a->arena);
}
