/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A countermodel is replayed before it is believed: from its state, on the concrete interpreter, with callees
 * doing what the model says. What the run shows must be what the symbolic execution predicted, and the goal
 * must be seen to fail. Then once more with the code of callees that were summarised, where the program has
 * it: if the goal does not fail there, the summary admitted a spurious countermodel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pair/run.h"
#include "wp/internal.h"

enum { CALLS_MAX = 3000, CHANGED_MAX = 8 }; /* of what is shown */

static struct bits eval(struct wp *w, const struct term_model *m, term x)
{
    struct bits b;
    return term_eval(w->t, m, x, &b) ? b : bits_u64(0, 1);
}

/* ---- running it ---- */

static bool is_general(const struct ir_machine *m, const struct machine_register *r)
{
    return !r->pseudo && r->width == m->pointer_width && r->offset != m->pc &&
           strncmp(r->name, "mm", 2) != 0 && !strstr(r->name, "_base");
}

static bool failed_assert(const struct run *r)
{
    for (size_t i = 0; i < r->call.len; i++)
        if (spec_is_error(r->call.data[i].name))
            return true;
    return false;
}

/* What the callee did is the model's choice: its code was not run, and no summary is meant to stand for it.
 */
static bool is_summarised(struct side *s, const struct run_call *k)
{
    const struct flow_graph *g = s->code->g;
    const struct flow_function *f = NULL;
    if (!k->event || k->event->kind != EVENT_CALL || !k->name)
        return false;
    for (uint32_t i = 0; i < g->ncalls && !f; i++)
        if (g->call[i].site == k->site && g->call[i].target)
            f = program_function_at(s->code->p, g->call[i].target);
    return f && !(f->flags & (FLOW_PLT | FLOW_EXTERN)) && !spec_is_meant(s, f);
}

/* Callees with a user's summary do what the user says; the verifiers' stubs do what they are known for. */
static bool is_real(void *ctx, const struct flow_function *f)
{
    return !spec_is_meant(ctx, f);
}

/* Values for what the path uses and the query does not mention: memory that a callee left holds zeros. */
static void complete(struct side *s, const struct exec_path *p, struct term_model *m)
{
    struct wp *w = s->w;
    struct map seen = {0};
    VEC(term) todo = VEC_INIT;
    /* which path it is depends on the conditions of all */
    for (size_t i = 0; !p && i < s->path.len; i++)
        vec_push(&todo, s->path.data[i]->condition);
    if (p) {
        vec_push(&todo, p->memory);
        vec_push(&todo, p->frame);
    }
    for (unsigned i = 0; p && i < p->nregs; i++)
        vec_push(&todo, p->regs[i]);
    for (unsigned i = 0; p && i < p->nevents; i++) {
        const struct exec_event *e = &p->event[i];
        const term some[] = {e->guard,  e->mem_before, e->mem_after, e->frame_after,
                             e->result, e->target,     e->token};
        for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
            if (some[k] != TERM_NONE)
                vec_push(&todo, some[k]);
    }
    while (todo.len) {
        term u = vec_pop(&todo);
        if (u == TERM_NONE || !map_set(&seen, u, 1))
            continue;
        struct bits cell;
        if (term_kind(w->t, u) == TERM_APPLY && term_is_array(w->t, u) &&
            !term_eval(w->t, m, term_read(w->t, u, term_const(w->t, s->code->m->pointer_width, 0xdead0), 8),
                       &cell))
            term_model_set_default(m, u, bits_u64(0, 8));
        for (unsigned i = 0; i < term_nkids(w->t, u); i++)
            vec_push(&todo, term_kid(w->t, u, i));
    }
    map_free(&seen);
    vec_free(&todo);
}

static const struct exec_path *path_taken(struct side *s, const struct term_model *m)
{
    for (size_t i = 0; i < s->path.len; i++)
        if (!bits_is_zero(eval(s->w, m, s->path.data[i]->condition)))
            return s->path.data[i];
    return NULL;
}

static bool play(struct side *s, struct term_model *m, struct run *r, bool real, struct replay *out)
{
    complete(s, NULL, m);
    const struct exec_path *path = path_taken(s, m);
    *r = (struct run){.s = s->code};
    if (!path) {
        out->outcome = REPLAY_UNABLE;
        snprintf(out->why, sizeof out->why, "the model takes no path that was explored to its end");
        return false;
    }
    complete(s, path, m);
    return run_side(r, s->w->arena, s->code, path, m, (struct run_real){real ? is_real : NULL, s}, out);
}

/* ---- does the goal fail in what was seen? ---- */

term run_register(struct side *s, unsigned offset, unsigned width)
{
    struct term_origin final = {
        .kind = ORIGIN_FINAL, .index = s->code->new, .offset = offset, .part = (uint16_t)width};
    return origin_symbol(s->w->t, final, width);
}

enum seen { SEEN_FAILING, SEEN_HOLDING, SEEN_NOT_TOLD };

static bool called(const struct run *v, const char *name)
{
    for (size_t i = 0; i < v->call.len; i++)
        if (v->call.data[i].name && strcmp(v->call.data[i].name, name) == 0)
            return true;
    return false;
}

static bool both_returned(const struct wp *w, const struct run *v)
{
    bool ok = true;
    for (unsigned i = 0; i < w->nsides; i++)
        ok = ok && run_returned(&v[i]);
    return ok;
}

/* All conditions on the final state, over what the runs ended with. */
static enum seen posts_seen(struct wp *w, const struct run *v, struct term_model *m)
{
    if (!both_returned(w, v))
        return SEEN_HOLDING;
    w->from_run = true;
    w->memory_asked = false;
    vec_clear(&w->again);
    bool ok = wp_read_posts(w);
    w->from_run = false;
    enum seen out = ok && !w->memory_asked ? SEEN_HOLDING : SEEN_NOT_TOLD;
    for (size_t i = 0; out != SEEN_NOT_TOLD && i < w->again.len; i++) {
        term symbol[64];
        size_t n = term_symbols(w->t, w->again.data[i], symbol, 64);
        for (size_t k = 0; k < n && k < 64; k++) {
            struct term_origin o = term_origin(w->t, symbol[k]);
            if (o.kind == ORIGIN_FINAL)
                term_model_set(m, symbol[k], bits_from_bytes(v[o.index].regs + o.offset, o.part / 8));
        }
        if (n > 64)
            out = SEEN_NOT_TOLD;
        else if (bits_is_zero(eval(w, m, w->again.data[i])))
            out = SEEN_FAILING;
    }
    vec_free(&w->again);
    return out;
}

static enum seen goal_seen(struct wp *w, const struct goal *g, const struct run *v, struct term_model *m)
{
    switch ((enum goal_kind)g->kind) {
    case GOAL_ASSERT:
        return failed_assert(&v[g->side]) ? SEEN_FAILING : SEEN_HOLDING;
    case GOAL_NULL:
        return v[g->side].null ? SEEN_FAILING : SEEN_HOLDING;
    case GOAL_CALL: {
        size_t n = strcspn(g->tag, " ");
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)n, g->tag);
        if (strstr(g->tag, "computed"))
            return SEEN_NOT_TOLD;
        return called(&v[1], name) && !called(&v[0], name) ? SEEN_FAILING : SEEN_HOLDING;
    }
    case GOAL_REGISTER: {
        uint16_t offset, width;
        char name[32];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(g->tag, "_"), g->tag);
        if (!both_returned(w, v) || !machine_register_find(w->side[0].code->m, name, &offset, &width))
            return SEEN_HOLDING;
        return memcmp(v[0].regs + offset, v[1].regs + offset, (width + 7u) / 8) ? SEEN_FAILING : SEEN_HOLDING;
    }
    case GOAL_POST:
        return posts_seen(w, v, m);
    case GOAL_INVALID:
    case GOAL_ARGUMENT:
    case GOAL_SPEC:
    case GOAL_INVARIANT:
    case GOAL_INDUCTIVE:
        break;
    }
    return SEEN_NOT_TOLD;
}

/* ---- the state it starts in ---- */

static bool mentions(struct wp *w, const struct map *nodes, term entry)
{
    term symbol[16];
    size_t n = term_symbols(w->t, entry, symbol, 16);
    for (size_t i = 0; i < n && i < 16; i++)
        if (map_get(nodes, symbol[i], NULL))
            return true;
    return false;
}

static void start_registers(struct side *s, struct term_model *m, const struct map *nodes, struct wp_run *run)
{
    struct wp *w = s->w;
    VEC(struct wp_register) out = VEC_INIT;
    struct flow_prototype proto = flow_prototype(s->code->p, s->code->f);
    for (unsigned i = 0; i < s->code->m->nreg; i++) {
        const struct machine_register *r = &s->code->m->reg[i];
        if (r->pseudo || r->offset == s->code->m->pc || r->width % 8)
            continue;
        term entry = side_entry(s, r->offset, r->width);
        bool matters = mentions(w, nodes, entry);
        if (!is_general(s->code->m, r) && !matters)
            continue;
        for (int k = 0; k < proto.nargs && k < (int)s->code->m->nargs; k++)
            matters = matters || s->code->m->arg[k] == r->offset;
        struct bits value = eval(w, m, entry);
        if (r->width <= 64)
            value = bits_u64(symbolic_to_side(s->code, bits_low(value)), r->width);
        bool twice = false; /* another name for the same */
        for (size_t k = 0; k < out.len; k++)
            twice = twice || strcmp(out.data[k].name, r->name) == 0;
        if (!twice)
            vec_push(&out,
                     (struct wp_register){r->name, r->width, value, matters && r->offset != s->code->m->sp});
    }
    run->nregs = out.len;
    run->reg = VEC_KEEP(w->arena, &out);
    vec_free(&out);
}

struct byte_at {
    uint64_t address;
    uint8_t byte;
};

static int by_address(const void *a, const void *b)
{
    const struct byte_at *x = a, *y = b;
    return x->address < y->address ? -1 : x->address > y->address;
}

/* What the run read before writing it, as it was at entry. */
static void start_memory(struct side *s, struct term_model *m, const struct run *v, struct wp_run *run)
{
    struct wp *w = s->w;
    unsigned width = s->code->m->pointer_width;
    struct explore_symbols y = explorer_symbols(s->code->x);
    VEC(struct byte_at) all = VEC_INIT;
    struct map have = {0};
    term entry = y.frame;
    for (size_t i = 0; s->code->new == 1 && i < w->pair.parts.change.len; i++)
        entry = term_write(w->t, entry, w->pair.parts.change.data[i].store.address,
                           w->pair.parts.change.data[i].store.value);
    /* addresses are numbers now: an axiom about stack and data has nothing to say of them */
    terms_set_distinct(w->t, (struct term_distinct){0});
    uint64_t sp = bits_low(eval(w, m, y.sp));
    for (size_t i = 0; i < v->read.len; i++) {
        const struct run_access *t = &v->read.data[i];
        uint8_t word[8] = {0};
        bool pointer = t->bytes == width / 8;
        for (unsigned k = 0; k < t->bytes; k++) {
            uint64_t own = symbolic_to_side(s->code, t->address + k);
            if (object_is_readonly(s->code->o, own, 1) || !map_set(&have, own, 1))
                continue;
            if (pointer && k == 0) {
                term there = term_read(w->t, entry, term_const(w->t, width, t->address), width);
                uint64_t value = symbolic_to_side(s->code, bits_low(eval(w, m, there)));
                memcpy(word, &value, sizeof value);
            }
            uint8_t byte = word[k % 8];
            if (!pointer)
                byte = (uint8_t)bits_low(
                    eval(w, m, term_read(w->t, entry, term_const(w->t, width, t->address + k), 8)));
            vec_push(&all, (struct byte_at){own, byte});
        }
    }
    vec_sort(&all, by_address);
    VEC(struct wp_piece) out = VEC_INIT;
    for (size_t i = 0; i < all.len;) {
        size_t n = 1;
        while (i + n < all.len && all.data[i + n].address == all.data[i].address + n && n < 16 &&
               all.data[i + n].address != sp + s->code->m->call_pushes)
            n++;
        uint8_t *bytes = arena_alloc(w->arena, n);
        for (size_t k = 0; k < n; k++)
            bytes[k] = all.data[i + k].byte;
        bool back = all.data[i].address >= sp && all.data[i].address < sp + s->code->m->call_pushes;
        vec_push(&out, (struct wp_piece){all.data[i].address, bytes, n, !back});
        i += n;
    }
    run->nmemory = out.len;
    run->memory = VEC_KEEP(w->arena, &out);
    vec_free(&out);
    vec_free(&all);
    map_free(&have);
}

/* Registers that changed since the step before. */
static struct wp_step shown_step(struct side *s, const struct run_step *from, bool first)
{
    struct wp_register changed[CHANGED_MAX];
    size_t n = 0;
    for (size_t i = 0; !first && i < from->nregs && n < CHANGED_MAX; i++) {
        const struct machine_register *r = from->reg[i].reg;
        if (is_general(s->code->m, r))
            changed[n++] = (struct wp_register){
                r->name, r->width,
                bits_u64(symbolic_to_side(s->code, bits_low(from->reg[i].value)), r->width), true};
    }
    return (struct wp_step){from->block, s->code->g->block[from->block].label,
                            n ? arena_dup(s->w->arena, changed, n * sizeof *changed) : NULL, n};
}

static struct wp_call shown_call(struct side *s, const struct run_call *from, const struct term_model *m)
{
    const struct exec_event *e = from->event;
    struct terms *t = s->w->t;
    struct wp_call k = {from->name ? from->name : "a computed call", from->site, is_summarised(s, from),
                        false, 0};
    if (e && e->result != TERM_NONE && !term_is_array(t, e->result) && term_width(t, e->result) <= 64) {
        k.has_result = true;
        k.result = symbolic_to_side(s->code, bits_low(eval(s->w, m, e->result)));
    }
    return k;
}

static void keep_run(struct side *s, const struct run *v, const struct term_model *m, struct wp_run *run)
{
    struct wp *w = s->w;
    VEC(struct wp_step) step = VEC_INIT;
    VEC(struct wp_call) call = VEC_INIT;
    for (size_t i = 0; i < v->step.len && v->step.data[i].block != RUN_END; i++)
        vec_push(&step, shown_step(s, &v->step.data[i], i == 0));
    for (size_t i = 0; i < v->call.len && i < CALLS_MAX; i++)
        vec_push(&call, shown_call(s, &v->call.data[i], m));
    run->graph = s->code->g;
    run->nsteps = step.len;
    run->step = VEC_KEEP(w->arena, &step);
    run->ncalls = call.len;
    run->call = VEC_KEEP(w->arena, &call);
    run->end = v->ended ? path_end_name(v->end) : "not followed further";
    vec_free(&step);
    vec_free(&call);
}

/* ---- goals that the model refutes ---- */

static const char *shown(struct wp *w, const struct term_model *m, term x)
{
    char text[OP_MAX_WIDTH / 4 + 3];
    bits_format_hex(eval(w, m, x), term_width(w->t, x), text, sizeof text);
    return arena_strdup(w->arena, text);
}

static void refuted(struct wp *w, const struct term_model *m, struct wp_result *r)
{
    VEC(struct wp_goal) out = VEC_INIT;
    for (size_t i = 0; i < w->goal.len; i++) {
        const struct goal *g = &w->goal.data[i];
        if (bits_is_zero(eval(w, m, g->when)) || !bits_is_zero(eval(w, m, g->must)))
            continue;
        const char *values = NULL;
        if (g->left != TERM_NONE && g->right != TERM_NONE)
            values = arena_printf(w->arena, "%s = %s", shown(w, m, g->left), shown(w, m, g->right));
        else if (g->left != TERM_NONE)
            values = arena_printf(w->arena, "the address is %s", shown(w, m, g->left));
        bool twice = false;
        for (size_t k = 0; k < out.len; k++)
            twice = twice || (strcmp(out.data[k].tag, g->tag) == 0 && out.data[k].side == g->side);
        if (!twice)
            vec_push(&out, (struct wp_goal){g->tag, values, g->side, g->site});
    }
    r->ngoals = out.len;
    r->goal = VEC_KEEP(w->arena, &out);
    vec_free(&out);
}

static bool not_believed(struct wp *w, const char *fmt, const char *a, const char *b)
{
    w->out->spurious = true;
    w->out->reason = arena_printf(w->arena, fmt, a, b);
    return false;
}

/* With the code of callees that were summarised. */
static bool with_callees(struct wp *w, struct term_model *m, const struct run *first)
{
    struct run v[2];
    struct replay out = {0};
    const char *name = NULL;
    uint64_t site = 0;
    for (unsigned i = 0; i < w->nsides && !name; i++)
        for (size_t k = 0; k < first[i].call.len && !name; k++)
            if (is_summarised(&w->side[i], &first[i].call.data[k])) {
                name = first[i].call.data[k].name;
                site = object_display_address(w->side[i].code->o, first[i].call.data[k].site);
            }
    bool ran = true;
    for (unsigned i = 0; i < w->nsides; i++)
        ran = play(&w->side[i], m, &v[i], true, &out) && ran;
    enum seen seen = ran ? SEEN_HOLDING : SEEN_NOT_TOLD;
    for (size_t i = 0; i < w->goal.len && seen != SEEN_FAILING; i++) {
        const struct goal *g = &w->goal.data[i];
        /* what one version has done counts, however its run continues */
        bool done = w->nsides == 1 && (g->kind == GOAL_ASSERT || g->kind == GOAL_NULL);
        if ((!ran && !done) || bits_is_zero(eval(w, m, g->when)) || !bits_is_zero(eval(w, m, g->must)))
            continue;
        enum seen k = goal_seen(w, g, v, m);
        seen = k == SEEN_HOLDING ? seen : k;
    }
    for (unsigned i = 0; i < w->nsides; i++)
        run_free(&v[i]);
    if (seen != SEEN_FAILING && (seen == SEEN_HOLDING || !ran))
        w->blamed = arena_strdup(w->arena, name);
    if (seen == SEEN_HOLDING)
        return not_believed(
            w,
            "the countermodel is spurious: only the summary of %s permits it; with its code the "
            "property holds on this input (--inline=%s inlines it)",
            name, name);
    if (!ran && seen != SEEN_FAILING)
        return not_believed(
            w,
            "the countermodel depends on the summary of %s and could not be replayed with its code: %s "
            "(--inline inlines it)",
            name, out.why);
    if (seen == SEEN_NOT_TOLD)
        wp_note(w, "the countermodel depends on the summary of %s, called at 0x%" PRIx64, name, site);
    return true;
}

bool replay_countermodel(struct wp *w, struct term_model *m, term bad)
{
    struct wp_result *r = w->out;
    struct run v[2];
    struct map nodes = {0};
    VEC(term) todo = VEC_INIT;
    refuted(w, m, r);
    r->nruns = w->nsides;
    vec_push(&todo, bad);
    for (size_t i = 0; i < w->preconditions.len; i++)
        vec_push(&todo, w->preconditions.data[i]);
    while (todo.len) {
        term u = vec_pop(&todo);
        if (map_set(&nodes, u, 1))
            for (unsigned i = 0; i < term_nkids(w->t, u); i++)
                vec_push(&todo, term_kid(w->t, u, i));
    }
    vec_free(&todo);

    bool ok = true, cut = w->invariant.len > 0;
    for (unsigned i = 0; i < w->nsides; i++) {
        struct side *s = &w->side[i];
        struct replay out = {0};
        bool played = play(s, m, &v[i], false, &out);
        r->run[i].replayed = played;
        start_registers(s, m, &nodes, &r->run[i]);
        start_memory(s, m, &v[i], &r->run[i]);
        keep_run(s, &v[i], m, &r->run[i]);
        if (!played && !cut && ok)
            ok = not_believed(w, "replaying %s did not confirm the countermodel: %s",
                              w->nsides == 1 ? "it"
                              : i            ? "the modified version"
                                             : "the original",
                              out.why);
    }
    bool internal = false, seen = false;
    for (unsigned i = 0; i < w->nsides; i++)
        for (size_t k = 0; k < v[i].call.len && !internal; k++)
            internal = is_summarised(&w->side[i], &v[i].call.data[k]);
    for (size_t i = 0; i < w->goal.len && ok && !seen && !cut; i++) {
        const struct goal *g = &w->goal.data[i];
        if (!bits_is_zero(eval(w, m, g->when)) && bits_is_zero(eval(w, m, g->must)))
            seen = goal_seen(w, g, v, m) != SEEN_HOLDING;
    }
    if (ok && !seen && !cut)
        ok = not_believed(w, "the countermodel is spurious: replaying it violates none of the goals%s%s", "",
                          "");
    if (ok && internal && !cut)
        ok = with_callees(w, m, v);
    if (cut)
        wp_note(w, "the countermodel describes a state at the loop head that the invariant permits; it was "
                   "not replayed");
    for (unsigned i = 0; i < w->nsides; i++)
        run_free(&v[i]);
    map_free(&nodes);
    return ok;
}
