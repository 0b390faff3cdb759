/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/diff.h"

#include <string.h>

enum { DIFF_FUNCTION, DIFF_SUMMARY };

/* ---- how it travels ---- */

#define T struct ask_diff_block
static const struct wire_field block_field[] = {
    WIRE_VALUE(T, has_old),
    WIRE_VALUE(T, has_new),
    WIRE_VALUE(T, old_address),
    WIRE_VALUE(T, new_address),
    WIRE_LIST(T, old_code, nold_code, &wire_text),
    WIRE_LIST(T, new_code, nnew_code, &wire_text),
};
static const struct wire_type block_type = WIRE_TYPE(T, block_field);
#undef T

#define T struct ask_diff_function
static const struct wire_field function_field[] = {
    WIRE_ENUM(T, status, MATCH_ADDED + 1),
    WIRE_STRUCT(T, old, &ask_place_type),
    WIRE_STRUCT(T, new, &ask_place_type),
    WIRE_VALUE(T, sure),
    WIRE_VALUE(T, similar),
    WIRE_VALUE(T, reasons),
    WIRE_ENUM(T, change, MATCH_CHANGE_DATA + 1),
    WIRE_TEXT(T, old_refers),
    WIRE_TEXT(T, new_refers),
    WIRE_VALUE(T, blocks.unchanged),
    WIRE_VALUE(T, blocks.changed),
    WIRE_VALUE(T, blocks.removed),
    WIRE_VALUE(T, blocks.added),
    WIRE_LIST(T, block, nblocks, &block_type),
};
static const struct wire_type function_type = WIRE_TYPE(T, function_field);
#undef T

#define T struct ask_diff_summary
static const struct wire_field summary_field[] = {
    WIRE_LIST(T, data, ndata, &ask_datum_type),
    WIRE_LIST(T, outside, noutside, &ask_outside_type),
    WIRE_VALUE(T, count.function),
    WIRE_VALUE(T, count.data),
    WIRE_VALUE(T, same),
};
static const struct wire_type summary_type = WIRE_TYPE(T, summary_field);
#undef T

/* ---- one function ---- */

static size_t code_of(struct program *p, const struct ir_block *b, struct arena *arena,
                      const char *const **out)
{
    const char **line = arena_array(arena, const char *, b->nmark + 1);
    for (uint32_t i = 0; i < b->nmark; i++)
        line[i] = compare_code(p, b, &b->mark[i], arena);
    *out = line;
    return b->nmark;
}

static uint64_t address_of(struct program *p, const struct ir_block *b)
{
    return object_display_address(
        program_object(p), program_machine(p)->arch == MACHINE_ARM ? b->label & ~UINT64_C(1) : b->label);
}

static struct ask_diff_block changed_block(const struct compared *c, const struct ir_block *old,
                                           const struct ir_block *new, struct arena *arena)
{
    struct ask_diff_block k = {.has_old = old, .has_new = new};
    if (old) {
        k.old_address = address_of(c->p[0], old);
        k.nold_code = code_of(c->p[0], old, arena, &k.old_code);
    }
    if (new) {
        k.new_address = address_of(c->p[1], new);
        k.nnew_code = code_of(c->p[1], new, arena, &k.new_code);
    }
    return k;
}

/* The blocks of a changed function: how many of each kind, and those that are not identical. */
static void add_blocks(const struct compared *c, const struct match_pair *x, struct arena *arena,
                       struct ask_diff_function *f)
{
    const struct match_blocks *b = match_blocks(c->m, x->old, x->new);
    const struct flow_graph *g1 = flow_graph(c->p[0], &c->f[0][x->old]),
                            *g2 = flow_graph(c->p[1], &c->f[1][x->new]);
    struct ask_diff_block *list = arena_array(arena, struct ask_diff_block, b->nold + b->nnew + 1);
    for (uint32_t i = 0; i < b->nold; i++) {
        if (b->old_status[i] == MATCH_BLOCK_IDENTICAL) {
            f->blocks.unchanged++;
            continue;
        }
        bool pair = b->new_of_old[i] != MATCH_NONE;
        *(pair ? &f->blocks.changed : &f->blocks.removed) += 1;
        list[f->nblocks++] =
            changed_block(c, &g1->block[i], pair ? &g2->block[b->new_of_old[i]] : NULL, arena);
    }
    for (uint32_t i = 0; i < b->nnew; i++) {
        if (b->old_of_new[i] != MATCH_NONE)
            continue;
        f->blocks.added++;
        list[f->nblocks++] = changed_block(c, NULL, &g2->block[i], arena);
    }
    f->block = list;
    flow_drop(c->p[0], &c->f[0][x->old]);
    flow_drop(c->p[1], &c->f[1][x->new]);
}

static bool say_function(const struct compared *c, const struct match_pair *x, struct ask_sink *say)
{
    struct arena arena = ARENA_INIT;
    struct ask_diff_function f = {.status = x->status, .reasons = x->reasons, .change = x->change};
    if (x->old != MATCH_NONE)
        f.old = compare_place(c->p[0], &c->f[0][x->old]);
    if (x->new != MATCH_NONE)
        f.new = compare_place(c->p[1], &c->f[1][x->new]);
    /* Two digits are as much as this means, and the same on every machine. */
    f.sure = (uint32_t)(x->sure * 100 + 0.5);
    f.similar = (uint32_t)(x->similar * 100);
    if (x->status == MATCH_CHANGED) {
        if (x->change != MATCH_CHANGE_CODE && (x->old_at || x->new_at)) {
            f.old_refers = compare_described(c->p[0], x->old_at, &arena);
            f.new_refers = compare_described(c->p[1], x->new_at, &arena);
        }
        add_blocks(c, x, &arena, &f);
    }
    bool more = ask_say(say, DIFF_FUNCTION, &function_type, &f);
    arena_free(&arena);
    return more;
}

/* ---- one file ---- */

static bool wanted(const struct compared *c, const struct match_pair *x,
                   const struct flow_function *const only[2])
{
    if (!only[0] && !only[1])
        return true;
    return (x->old != MATCH_NONE && &c->f[0][x->old] == only[0]) ||
           (x->new != MATCH_NONE && & c->f[1][x->new] == only[1]);
}

static bool compare_functions(struct compared *c, const struct ask_diff *q, struct ask_sink *say,
                              struct error *err)
{
    const struct flow_function *only[2] = {NULL, NULL};
    if (q->function) {
        only[0] = program_function(c->p[0], q->function, err);
        only[1] = program_function(c->p[1], q->function, NULL);
        if (!only[0] && !only[1])
            return false;
    }
    const struct match_pair *x;
    size_t n = match_pairs(c->m, &x);
    struct arena arena = ARENA_INIT;
    struct ask_diff_summary summary = {0};
    for (size_t i = 0; i < n; i++) {
        if (!wanted(c, &x[i], only))
            continue;
        summary.count.function[x[i].status]++;
        ask_progress(say, "functions compared", i + 1, n);
        if ((x[i].status != MATCH_IDENTICAL || q->all || q->function) && !say_function(c, &x[i], say))
            break;
    }
    if (!q->function) {
        summary.count.data = summary.ndata = compare_data(c, &arena, &summary.data);
        summary.noutside = match_outside(c->m, &summary.outside);
    }
    summary.same = !summary.count.function[MATCH_CHANGED] && !summary.count.function[MATCH_ADDED] &&
                   !summary.count.function[MATCH_REMOVED] && !summary.ndata && !summary.noutside;
    ask_say(say, DIFF_SUMMARY, &summary_type, &summary);
    arena_free(&arena);
    return true;
}

static bool compare_pair(void *ctx, const struct match_file_pair *pair, struct ask_sink *say,
                         struct error *err)
{
    const struct ask_diff *q = ctx;
    ask_say_pair(say, pair);
    if (!pair->old || !pair->new || (strcmp(pair->old->sha256, pair->new->sha256) == 0 && !q->function))
        return true;
    struct compared c;
    if (!compare_open(
            &c, pair,
            &(struct compare_options){q->old, q->new, &q->object, &q->function, q->function != NULL}, say,
            err))
        return false;
    bool ok = compare_functions(&c, q, say, err);
    compare_close(&c);
    return ok;
}

static bool ask(void *ctx, struct ask_sink *say, struct error *err)
{
    const struct ask_diff *q = ((struct ask_diff_answer *)ctx)->q;
    struct pairs pairs = {.ask = compare_pair, .ctx = (void *)q};
    if (!pairs_open(&pairs, &q->limits, q->old, q->new, err))
        return false;
    struct work_options own = {
        .jobs = q->limits.jobs, .timeout_ms = (unsigned)q->limits.timeout, .memory_bytes = q->limits.memory};
    bool ok = pairs_run(&pairs, &q->limits, own, say, err);
    pairs_close(&pairs);
    return ok;
}

/* ---- the answer ---- */

static bool hear_pair(struct ask_diff_answer *a, unsigned message, const char *bytes, size_t n)
{
    struct ask_diff_file f = {.status = DIFF_FAILED};
    a->begun = true;
    if (message != PAIR_FILE)
        return (message == PAIR_BEGUN || a->file.len) &&
               ask_hear_pair(message, bytes, n, &a->arena, a->file.len ? &vec_last(&a->file).pair : NULL,
                             &a->pairs);
    if (!ask_hear_pair(message, bytes, n, &a->arena, &f.pair, &a->pairs))
        return false;
    if (f.pair.has_old != f.pair.has_new && !f.pair.lost)
        f.status = f.pair.has_old ? DIFF_REMOVED : DIFF_ADDED;
    else if (ask_pair_same(&f.pair) && !a->q->function && !f.pair.lost)
        f.status = DIFF_IDENTICAL;
    vec_push(&a->file, f);
    return true;
}

static bool hear(void *ctx, unsigned message, const char *bytes, size_t n)
{
    struct ask_diff_answer *a = ctx;
    struct ask_diff_file *file = a->file.len ? &vec_last(&a->file) : NULL;
    struct ask_diff_function f;
    if (message >= PAIR_BEGUN && message <= PAIR_ERROR)
        return hear_pair(a, message, bytes, n);
    if (!file)
        return false;
    if (message == DIFF_FUNCTION) {
        if (!wire_get(bytes, n, &function_type, &f, &a->arena))
            return false;
        vec_push(&file->function, f);
        return true;
    }
    if (message != DIFF_SUMMARY || !wire_get(bytes, n, &summary_type, &file->summary, &a->arena))
        return false;
    file->finished = true;
    file->status = file->summary.same ? DIFF_UNCHANGED : DIFF_CHANGED;
    return true;
}

static void sum(struct ask_diff_answer *a)
{
    for (size_t i = 0; i < a->file.len; i++) {
        const struct ask_diff_file *f = &a->file.data[i];
        for (int k = 0; k < 4; k++)
            a->count.function[k] += f->summary.count.function[k];
        a->count.data += f->summary.count.data;
        a->files[f->status]++;
    }
    a->verdict = a->files[DIFF_FAILED]                                                ? DIFF_SAYS_UNKNOWN
                 : a->files[DIFF_IDENTICAL] == a->file.len                            ? DIFF_SAYS_IDENTICAL
                 : a->files[DIFF_IDENTICAL] + a->files[DIFF_UNCHANGED] == a->file.len ? DIFF_SAYS_UNCHANGED
                                                                                      : DIFF_SAYS_CHANGED;
}

bool ask_diff(const struct ask_diff *q, const struct ask_session *session, struct ask_diff_answer *a,
              struct error *err)
{
    *a = (struct ask_diff_answer){.q = q};
    if (!ask_put(ask, hear, a, &q->limits, 0, 0, session, &a->end, err))
        return false;
    sum(a);
    return true;
}

void ask_diff_free(struct ask_diff_answer *a)
{
    for (size_t i = 0; i < a->file.len; i++)
        vec_free(&a->file.data[i].function);
    vec_free(&a->file);
    arena_free(&a->arena);
}

enum ask_status ask_diff_status(const struct ask_diff_answer *a)
{
    return a->verdict == DIFF_SAYS_UNKNOWN ? ASK_UNKNOWN : a->verdict == DIFF_SAYS_CHANGED ? ASK_NO : ASK_YES;
}
