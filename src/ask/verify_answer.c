/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of verify: how it travels, how it is collected, and what it comes to. */
#include <stdio.h>
#include <string.h>

#include "ask/remember.h"
#include "ask/verify_schedule.h"
#include "base/map.h"

/* ---- how it travels ---- */

#define T struct verify_exit
static const struct wire_field exit_field[] = {
    WIRE_VALUE(T, new),       WIRE_VALUE(T, end), WIRE_VALUE(T, address), WIRE_VALUE(T, error),
    WIRE_VALUE(T, sometimes), WIRE_VALUE(T, by),  WIRE_TEXT(T, why),      WIRE_TEXT(T, when),
};
static const struct wire_type exit_type = WIRE_TYPE(T, exit_field);
#undef T

#define T struct verify_rejection
static const struct wire_field rejection_field[] = {WIRE_TEXT(T, when), WIRE_VALUE(T, site),
                                                    WIRE_TEXT(T, line)};
static const struct wire_type rejection_type = WIRE_TYPE(T, rejection_field);
#undef T

#define T struct verify_input
static const struct wire_field input_field[] = {WIRE_TEXT(T, name), WIRE_TEXT(T, value)};
static const struct wire_type input_type = WIRE_TYPE(T, input_field);
#undef T

#define T struct verify_access
static const struct wire_field access_field[] = {WIRE_TEXT(T, place), WIRE_TEXT(T, value),
                                                 WIRE_VALUE(T, write)};
static const struct wire_type access_type = WIRE_TYPE(T, access_field);
#undef T

#define T struct verify_step
static const struct wire_field step_field[] = {
    WIRE_VALUE(T, block),
    WIRE_LIST(T, reg, nregs, &input_type),
    WIRE_LIST(T, access, naccesses, &access_type),
};
static const struct wire_type step_type = WIRE_TYPE(T, step_field);
#undef T

#define T struct verify_difference
static const struct wire_field difference_field[] = {
    WIRE_VALUE(T, property),
    WIRE_ENUM(T, question, VERIFY_Q5 + 1),
    WIRE_TEXT(T, key),
    WIRE_TEXT(T, what),
    WIRE_TEXT(T, old_text),
    WIRE_TEXT(T, new_text),
    WIRE_TEXT(T, condition),
    WIRE_VALUE(T, share),
    WIRE_VALUE(T, share_low),
    WIRE_VALUE(T, share_high),
    WIRE_VALUE(T, old_site),
    WIRE_VALUE(T, new_site),
    WIRE_TEXT(T, old_line),
    WIRE_TEXT(T, new_line),
    WIRE_LIST(T, input, ninputs, &input_type),
    WIRE_LIST(T, old_trace, nold_trace, &wire_u64),
    WIRE_LIST(T, new_trace, nnew_trace, &wire_u64),
    WIRE_LIST(T, old_step, nold_steps, &step_type),
    WIRE_LIST(T, new_step, nnew_steps, &step_type),
    WIRE_ENUM(T, replay, VERIFY_REPLAY_FAILED + 1),
    WIRE_TEXT(T, replay_why),
    WIRE_VALUE(T, accepted),
};
static const struct wire_type difference_type = WIRE_TYPE(T, difference_field);
#undef T

#define T struct verify_assumption
static const struct wire_field assumption_field[] = {
    WIRE_TEXT(T, name),
    WIRE_TEXT(T, text),
    WIRE_VALUE(T, count),
    WIRE_TEXT(T, denied_by),
};
static const struct wire_type assumption_type = WIRE_TYPE(T, assumption_field);
#undef T

#define T struct verify_stats
static const struct wire_field stats_field[] = {
    WIRE_VALUE(T, terms),    WIRE_VALUE(T, queries), WIRE_VALUE(T, by_solver), WIRE_VALUE(T, cut_points),
    WIRE_VALUE(T, segments), WIRE_VALUE(T, paths),   WIRE_VALUE(T, states),    WIRE_VALUE(T, merges),
    WIRE_VALUE(T, work),
};
static const struct wire_type stats_type = WIRE_TYPE(T, stats_field);
#undef T

#define T struct verify_result
static const struct wire_field result_field[] = {
    WIRE_ENUM(T, verdict, VERIFY_VERDICTS),
    WIRE_VALUE(T, failed),
    WIRE_VALUE(T, rounds),
    WIRE_ENUM(T, reason.code, VERIFY_REASONS),
    WIRE_ENUM(T, reason.remedy, VERIFY_REMEDIES),
    WIRE_TEXT(T, reason.text),
    WIRE_LIST(T, difference, ndifferences, &difference_type),
    WIRE_VALUE(T, naccepted),
    WIRE_LIST(T, exit, nexits, &exit_type),
    WIRE_LIST(T, rejection, nrejections, &rejection_type),
    WIRE_VALUE(T, rejects_otherwise),
    WIRE_LIST(T, assumption, nassumptions, &assumption_type),
    WIRE_LIST(T, warning, nwarnings, &wire_text),
    WIRE_LIST(T, rests_on, nrests_on, &wire_text),
    WIRE_VALUE(T, divisible),
    WIRE_VALUE(T, path_pairs),
    WIRE_STRUCT(T, stats, &stats_type),
};
static const struct wire_type result_type = WIRE_TYPE(T, result_field);
#undef T

#define T struct ask_insn
static const struct wire_field insn_field[] = {WIRE_VALUE(T, address), WIRE_TEXT(T, text),
                                               WIRE_TEXT(T, source)};
static const struct wire_type insn_type = WIRE_TYPE(T, insn_field);
#undef T

#define T struct ask_edge
static const struct wire_field edge_field[] = {WIRE_VALUE(T, to), WIRE_TEXT(T, kind)};
static const struct wire_type edge_type = WIRE_TYPE(T, edge_field);
#undef T

#define T struct ask_block
static const struct wire_field block_field[] = {
    WIRE_VALUE(T, address),
    WIRE_ENUM(T, status, MATCH_BLOCK_NONE + 1),
    WIRE_VALUE(T, partner),
    WIRE_LIST(T, insn, ninsns, &insn_type),
    WIRE_LIST(T, successor, nsuccessors, &edge_type),
};
static const struct wire_type block_type = WIRE_TYPE(T, block_field);
#undef T

#define T struct ask_verified
static const struct wire_field verified_field[] = {
    WIRE_NAME(T, name),
    WIRE_STRUCT(T, old, &ask_place_type),
    WIRE_STRUCT(T, new, &ask_place_type),
    WIRE_VALUE(T, identical),
    WIRE_ENUM(T, change, MATCH_CHANGE_DATA + 1),
    WIRE_VALUE(T, sure),
    WIRE_VALUE(T, similar),
    WIRE_STRUCT(T, result, &result_type),
    WIRE_VALUE(T, limit_ms),
    WIRE_TEXT(T, key),
    WIRE_VALUE(T, remembered),
    WIRE_LIST(T, used, nused, &wire_u32),
    WIRE_VALUE(T, has_graphs),
    WIRE_LIST(T, block[0], nblocks[0], &block_type),
    WIRE_LIST(T, block[1], nblocks[1], &block_type),
};
const struct wire_type ask_verified_type = WIRE_TYPE(T, verified_field);
#undef T

#define T struct ask_identical
static const struct wire_field identical_field[] = {WIRE_TEXT(T, name), WIRE_VALUE(T, old),
                                                    WIRE_VALUE(T, new)};
static const struct wire_type identical_type = WIRE_TYPE(T, identical_field);
#undef T

#define T struct ask_selection
static const struct wire_field selection_field[] = {
    WIRE_TEXT(T, not_found),
    WIRE_LIST(T, reason, nreasons, &wire_text),
    WIRE_LIST(T, identical, nidentical, &identical_type),
    WIRE_LIST(T, added, nadded, &ask_place_type),
    WIRE_LIST(T, removed, nremoved, &ask_place_type),
    WIRE_LIST(T, ignored, nignored, &wire_text),
    WIRE_LIST(T, outside, noutside, &ask_outside_type),
    WIRE_LIST(T, data, ndata, &ask_datum_type),
    WIRE_LIST(T, used, nused, &wire_u32),
    WIRE_VALUE(T, asked),
};
const struct wire_type ask_selection_type = WIRE_TYPE(T, selection_field);
#undef T

/* ---- how it is collected ---- */

static void mark_used(struct ask_verify_answer *a, const uint32_t *entry, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (entry[i] < a->used.len)
            a->used.data[entry[i]] = true;
}

static bool hear_recovered(struct ask_verify_answer *a, const char *text)
{
    json_t *one = text ? json_loads(text, 0, NULL) : NULL;
    if (!one)
        return false;
    if (!a->recovered)
        a->recovered = json_object();
    config_join(a->recovered, one);
    json_decref(one);
    return true;
}

static bool hear_pair(struct ask_verify_answer *a, unsigned message, const char *bytes, size_t n)
{
    struct ask_verify_file f = {0};
    a->begun = true;
    if (message != PAIR_FILE)
        return (message == PAIR_BEGUN || a->file.len) &&
               ask_hear_pair(message, bytes, n, &a->arena,
                             a->file.len ? &a->file.data[a->current].pair : NULL, &a->pairs);
    if (!ask_hear_pair(message, bytes, n, &a->arena, &f.pair, &a->pairs))
        return false;
    f.status = f.pair.lost                        ? FILE_COMPARED
               : ask_pair_same(&f.pair)           ? FILE_IDENTICAL
               : f.pair.has_old && f.pair.has_new ? FILE_COMPARED
               : f.pair.has_old                   ? FILE_REMOVED
                                                  : FILE_ADDED;
    vec_push(&a->file, f);
    a->current = a->file.len - 1;
    return true;
}

/* Opened here, where no worker is started any more. */
static void keep(struct ask_verify_answer *a, const struct ask_verified *f, const char *bytes, size_t n)
{
    struct error err = {0};
    a->nremembered += f->remembered;
    if (!f->key || f->remembered || !remember_lasts(&f->result))
        return;
    if (!a->remember_tried)
        a->remember = shelf_open(&remember_shelf, &err);
    a->remember_tried = true;
    if (a->remember && !shelf_put(a->remember, f->key, bytes, n, &err)) {
        shelf_close(a->remember);
        a->remember = NULL;
    }
    if (err.text[0])
        vec_push(&a->library_warning, arena_strdup(&a->arena, err.text));
}

static void hear_function(struct ask_verify_answer *a, struct ask_verify_file *file,
                          const struct ask_verified *f)
{
    mark_used(a, f->used, f->nused);
    for (size_t i = 0; i < file->function.len; i++) {
        struct ask_verified *known = &file->function.data[i];
        if (known->old.address == f->old.address && known->new.address == f->new.address) {
            *known = *f;
            return;
        }
    }
    vec_push(&file->function, *f);
}

bool ask_verify_hear(struct ask_verify_answer *a, unsigned message, const char *bytes, size_t n)
{
    struct ask_verify_file *file = a->file.len ? &a->file.data[a->current] : NULL;
    struct ask_verified f;
    const char *text;
    uint64_t which;
    if (message >= PAIR_BEGUN && message <= PAIR_ERROR)
        return hear_pair(a, message, bytes, n);
    switch (message) {
    case VERIFY_SAYS_SELECTION:
        if (!file || !wire_get(bytes, n, &ask_selection_type, &file->selection, &a->arena))
            return false;
        file->selected = true;
        mark_used(a, file->selection.used, file->selection.nused);
        return true;
    case VERIFY_SAYS_FUNCTION:
        if (!file || !wire_get(bytes, n, &ask_verified_type, &f, &a->arena))
            return false;
        hear_function(a, file, &f);
        keep(a, &f, bytes, n);
        return true;
    case VERIFY_SAYS_WARNING:
        if (!wire_get(bytes, n, &wire_text, &text, &a->arena))
            return false;
        vec_push(&a->library_warning, text);
        return true;
    case VERIFY_SAYS_RECOVERED:
        return wire_get(bytes, n, &wire_text, &text, &a->arena) && hear_recovered(a, text);
    case VERIFY_SAYS_AGAIN:
        if (!wire_get(bytes, n, &wire_u64, &which, &a->arena) || which >= a->file.len)
            return false;
        a->current = (size_t)which;
        return true;
    }
    return false;
}

void ask_verify_free(struct ask_verify_answer *a)
{
    shelf_close(a->remember);
    for (size_t i = 0; i < a->file.len; i++) {
        vec_free(&a->file.data[i].function);
        vec_free(&a->file.data[i].reason);
    }
    vec_free(&a->file);
    vec_free(&a->question);
    vec_free(&a->warning);
    vec_free(&a->library_warning);
    vec_free(&a->used);
    json_decref(a->recovered);
    arena_free(&a->arena);
}

/* ---- what it comes to ---- */

/* A difference of the function was accepted, whether it is asked about or not: a key begins with its name. */
static bool has_accepted(const struct ask_verify_answer *a, const char *name)
{
    const struct verify_knowledge *k = a->q ? a->q->how.know : NULL;
    size_t n = strlen(name);
    for (size_t i = 0; k && i < k->naccepted; i++)
        if (strncmp(k->accepted[i].text, name, n) == 0 && k->accepted[i].text[n] == ' ')
            return true;
    return false;
}

/* What is accepted in a callee holds for whoever rests on it, and for whoever rests on them. */
static void carry_accepted(const struct ask_verify_answer *a, struct ask_verify_file *file,
                           const struct strmap *at)
{
    bool more = true;
    while (more) {
        more = false;
        for (size_t i = 0; i < file->function.len; i++) {
            struct ask_verified *f = &file->function.data[i];
            struct ask_callee *c = f->rests_on;
            for (size_t k = 0; k < f->nrests_on; k++) {
                uint64_t which = strmap_find(at, c[k].name, 0);
                const struct ask_verified *callee = which ? &file->function.data[which - 1] : NULL;
                if (c[k].given_accepted ||
                    !(callee ? callee->result.naccepted || callee->given_accepted : has_accepted(a, c[k].name)))
                    continue;
                c[k].given_accepted = f->given_accepted = more = true;
            }
        }
    }
}

/* Gives the callees a verdict rests on their own verdicts. */
static void join_callees(struct ask_verify_answer *a, struct ask_verify_file *file)
{
    struct strmap at = {0};
    for (size_t i = 0; i < file->function.len; i++) {
        strmap_set(&at, file->function.data[i].name, i + 1);
        strmap_set(&at, file->function.data[i].old.name, i + 1);
    }
    for (size_t i = 0; i < file->function.len; i++) {
        struct ask_verified *f = &file->function.data[i];
        struct ask_callee *list = arena_array(&a->arena, struct ask_callee, f->result.nrests_on + 1);
        for (size_t k = 0; k < f->result.nrests_on; k++) {
            uint64_t which = strmap_find(&at, f->result.rests_on[k], 0);
            list[k] = (struct ask_callee){.name = f->result.rests_on[k], .asked = which != 0};
            if (which)
                list[k].verdict = file->function.data[which - 1].result.verdict;
        }
        f->rests_on = list;
        f->nrests_on = f->result.nrests_on;
    }
    carry_accepted(a, file, &at);
    strmap_free(&at);
}

/* More of what the whole run had decides what it did not suffice for. */
static void blame_budget(const struct ask_verify_answer *a, struct ask_verified *f)
{
    const struct ask_verify *q = a->q;
    bool short_of = q && q->budget_ms && f->limit_ms && f->limit_ms != q->how.timeout_ms;
    if (short_of && a->end.outcome == WORK_DONE && schedule_may_decide(&f->result, f->limit_ms))
        f->result.reason.remedy = VERIFY_MORE_BUDGET;
}

static void sum_file(struct ask_verify_answer *a, struct ask_verify_file *f)
{
    const struct ask_selection *s = &f->selection;
    f->verdict = f->status == FILE_REMOVED ? VERIFY_UNKNOWN : VERIFY_SAFE;
    f->count = (struct ask_verify_counts){
        .identical = s->nidentical, .added = s->nadded, .removed = s->nremoved, .ignored = s->nignored};
    for (size_t i = 0; i < f->function.len; i++) {
        const struct verify_result *r = &f->function.data[i].result;
        blame_budget(a, &f->function.data[i]);
        f->verdict = ask_worst(f->verdict, r->verdict);
        f->count.verdict[r->verdict]++;
        f->count.accepted += r->naccepted;
    }
    for (size_t i = 0; i < s->nreasons; i++)
        vec_push(&f->reason, s->reason[i]);
    if (s->asked > f->function.len) {
        unsigned long long missing = s->asked - f->function.len;
        vec_push(&f->reason, arena_printf(&a->arena, "%llu changed function%s not reached", missing,
                                          missing == 1 ? " was" : "s were"));
    }
    if (f->status == FILE_REMOVED)
        vec_push(&f->reason, "removed in the new version");
    if (f->reason.len || f->pair.error || (f->status == FILE_COMPARED && !f->selected))
        f->verdict = ask_worst(f->verdict, VERIFY_UNKNOWN);
    join_callees(a, f);
    for (size_t i = 0; i < f->function.len; i++)
        f->count.given_accepted += f->function.data[i].given_accepted;
}

/* Entries of the configuration that no worker found a use for. */
static void warn_of_unused(struct ask_verify_answer *a)
{
    for (size_t i = 0; i < a->used.len; i++) {
        bool *used;
        if (!a->used.data[i])
            vec_push(&a->warning, arena_printf(&a->arena, "configuration: %s matches nothing",
                                               config_entry(a->q->config, i, &used)));
    }
}

/* Of all files, each once. */
static void warn_of_libraries(struct ask_verify_answer *a)
{
    for (size_t i = 0, k; i < a->library_warning.len; i++) {
        for (k = 0; k < i && strcmp(a->library_warning.data[k], a->library_warning.data[i]) != 0; k++)
            ;
        if (k == i)
            vec_push(&a->warning, a->library_warning.data[i]);
    }
}

/* A difference without a key cannot be told from others, and not be accepted. */
static void collect_questions(struct ask_verify_answer *a)
{
    struct strmap seen = {0};
    for (size_t i = 0; i < a->file.len; i++)
        for (size_t k = 0; k < a->file.data[i].function.len; k++) {
            const struct ask_verified *f = &a->file.data[i].function.data[k];
            for (size_t n = 0; n < f->result.ndifferences; n++) {
                const struct verify_difference *d = &f->result.difference[n];
                if (!d->accepted && d->key && strmap_set(&seen, d->key, 1))
                    vec_push(&a->question, (struct ask_question){f, d});
            }
        }
    strmap_free(&seen);
}

static void add_counts(struct ask_verify_counts *to, const struct ask_verify_counts *c)
{
    for (int v = 0; v < VERIFY_VERDICTS; v++)
        to->verdict[v] += c->verdict[v];
    to->identical += c->identical;
    to->added += c->added;
    to->removed += c->removed;
    to->ignored += c->ignored;
    to->accepted += c->accepted;
    to->given_accepted += c->given_accepted;
}

void ask_verify_sum(struct ask_verify_answer *a)
{
    size_t identical = 0;
    a->verdict = VERIFY_SAFE;
    for (size_t i = 0; i < a->file.len; i++) {
        struct ask_verify_file *f = &a->file.data[i];
        sum_file(a, f);
        add_counts(&a->count, &f->count);
        a->verdict = ask_worst(a->verdict, f->verdict);
        identical += f->status == FILE_IDENTICAL;
    }
    if (a->file.len < a->pairs)
        a->verdict = ask_worst(a->verdict, VERIFY_UNKNOWN);
    a->all_identical = a->file.len && identical == a->file.len && a->file.len >= a->pairs;
    warn_of_unused(a);
    warn_of_libraries(a);
    collect_questions(a);
    ask_verify_headline(a);
}

enum ask_status ask_verify_status(const struct ask_verify_answer *a, const char **complaint)
{
    size_t without = 0, compared = 0;
    *complaint = NULL;
    for (size_t i = 0; i < a->file.len; i++) {
        const struct ask_verify_file *f = &a->file.data[i];
        compared += f->status == FILE_COMPARED;
        without += f->selection.not_found != NULL;
        if (!*complaint)
            *complaint = f->selection.not_found;
    }
    if (compared && without == compared)
        return ASK_BAD;
    *complaint = NULL;
    return a->verdict == VERIFY_BOUNDED && a->q && a->q->accept_bounded ? ASK_YES
                                                                        : ask_verdict_status(a->verdict);
}
