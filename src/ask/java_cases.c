/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cases and coverage of `assay java`.
 *
 * A POINT is an instruction with which a line begins, or one way out of a branch, in a class that is not the
 * JDK's. While methods are explored each point is noted with the conditions under which a state came there.
 * When a path ends, the solver gives inputs that take it: a CASE, which reaches the points whose conditions
 * its inputs satisfy. As long as there is a point that no case reached, inputs are asked for that take the
 * path through it: a path that was merged has as many cases as that takes. What is covered is what cases
 * reach; so nothing is covered without inputs that show it. */
#include <stdlib.h>
#include <string.h>

#include "ask/java_internal.h"
#include "ask/wire.h"
#include "lift/java/opcode.h"

enum {
    WAYS_MAX = 8,     /* conditions kept of one point */
    CASES_MAX = 2000, /* in all */
};

struct point {
    uint64_t site;
    ir_label to; /* IR_NO_LABEL: the instruction itself */
    term way[WAYS_MAX];
    unsigned nways;
    bool reached;
};

struct java_points {
    VEC(struct point) all;
    struct map at;     /* hash of site and way -> index */
    struct map first;  /* site -> 1 where a line begins, 0 elsewhere */
    struct map inside; /* number of a method -> 1: it is the program's */
    VEC(struct ask_java_case) cases;
};

#define T struct ask_java_place
static const struct wire_field place_field[] = {WIRE_NAME(T, file),    WIRE_VALUE(T, line),
                                                WIRE_VALUE(T, branch), WIRE_NAME(T, method),
                                                WIRE_VALUE(T, from),   WIRE_VALUE(T, to),
                                                WIRE_VALUE(T, to_line)};
static const struct wire_type place_type = WIRE_TYPE(T, place_field);
#undef T
#define T struct ask_java_case
static const struct wire_field case_field[] = {WIRE_TEXT(T, exception),
                                               WIRE_LIST(T, input, ninputs, &java_input_type),
                                               WIRE_LIST(T, reaches, nreaches, &place_type)};
const struct wire_type java_case_type = WIRE_TYPE(T, case_field);
#undef T
#define T struct ask_java_line
static const struct wire_field line_field[] = {WIRE_NAME(T, class),     WIRE_NAME(T, file),
                                               WIRE_VALUE(T, line),     WIRE_VALUE(T, covered),
                                               WIRE_VALUE(T, branches), WIRE_VALUE(T, taken)};
static const struct wire_type line_type = WIRE_TYPE(T, line_field);
#undef T
#define T struct ask_java_answer
static const struct wire_field coverage_field[] = {WIRE_LIST(T, line, nlines, &line_type)};
const struct wire_type java_coverage_type = WIRE_TYPE(T, coverage_field);
#undef T

struct java_points *java_points_new(void)
{
    return xcalloc(1, sizeof(struct java_points));
}

void java_points_again(struct java_points *p)
{
    vec_clear(&p->cases);
    for (size_t i = 0; i < p->all.len; i++) {
        p->all.data[i].nways = 0;
        p->all.data[i].reached = false;
    }
}

void java_points_free(struct java_points *p)
{
    if (!p)
        return;
    vec_free(&p->all);
    vec_free(&p->cases);
    map_free(&p->at);
    map_free(&p->first);
    map_free(&p->inside);
    free(p);
}

/* ---- methods ---- */

static bool is_inside(const struct java_run *r, const struct java_method *m)
{
    return m && m->code && m->owner->origin && !m->owner->system && !java_has_model(r->lift, m);
}

static bool begins_line(const struct java_method *m, uint32_t pc)
{
    for (uint32_t i = 0; i < m->nlines; i++)
        if (m->line[i].pc == pc)
            return true;
    return m->nlines == 0 && pc == 0;
}

static bool is_branch(const struct java_method *m, uint32_t pc)
{
    unsigned op = m->code[pc];
    return (op >= J_IFEQ && op <= J_IF_ACMPNE) || op == J_IFNULL || op == J_IFNONNULL ||
           op == J_TABLESWITCH || op == J_LOOKUPSWITCH;
}

/* Where a branch leads, each place once. */
static unsigned ways_of(const struct java_method *m, uint32_t pc, uint32_t *out, unsigned cap)
{
    const uint8_t *code = m->code;
    unsigned op = code[pc], n = 0;
    if (op != J_TABLESWITCH && op != J_LOOKUPSWITCH) {
        uint32_t to = pc + (uint32_t)(int16_t)java_u16(code + pc + 1), next = pc + java_length(m, pc);
        out[n++] = to;
        if (next != to)
            out[n++] = next;
        return n;
    }
    for (uint32_t i = 0; i <= java_switch_cases(m, pc) && n < cap; i++) {
        int32_t value;
        uint32_t to = (uint32_t)java_switch_case(m, pc, i, &value);
        bool known = false;
        for (unsigned k = 0; k < n; k++)
            known = known || out[k] == to;
        if (!known)
            out[n++] = to;
    }
    return n;
}

/* ---- points ---- */

static uint64_t key_of(uint64_t site, ir_label to)
{
    /* both are in one method, whose code is at most 64 KiB long */
    return (site >> 32) << 32 | (site & 0xffff) << 16 | (to == IR_NO_LABEL ? 0xffff : to & 0xffff);
}

void java_points_pass(void *run, const struct exec_moment *at, uint64_t site, ir_label to, term condition)
{
    struct java_run *r = run;
    struct java_points *p = r->points;
    const struct java_method *m = java_method_at(r->lift, site);
    uint32_t pc = (uint32_t)site;
    if (!is_inside(r, m) || pc >= m->ncode)
        return;
    if (to == IR_NO_LABEL ? !begins_line(m, pc)
                          : !is_branch(m, pc) || to >> 32 != site >> 32 || (uint32_t)to >= m->ncode)
        return;
    map_set(&p->inside, site >> 32, 1);
    uint64_t known, key = key_of(site, to);
    if (!map_get(&p->at, key, &known)) {
        known = p->all.len;
        vec_push(&p->all, (struct point){.site = site, .to = to});
        map_set(&p->at, key, known);
    }
    struct point *it = &p->all.data[known];
    if (it->reached || it->nways == WAYS_MAX)
        return;
    term c = moment_condition(at);
    it->way[it->nways++] = condition == TERM_NONE ? c : term_and(r->t, c, condition);
}

/* ---- cases ---- */

static bool is_reached(struct java_run *r, const struct term_model *m, const struct point *p)
{
    uint64_t v;
    for (unsigned i = 0; i < p->nways; i++)
        if (java_evaluated(r, m, p->way[i], &v) && v)
            return true;
    return false;
}

static struct ask_java_place place_of(struct java_run *r, const struct point *p)
{
    const struct java_method *m = java_method_at(r->lift, p->site);
    struct ask_java_place place = {.file = m->owner->source ? m->owner->source : m->owner->name,
                                   .from = (uint32_t)p->site & 0xffff,
                                   .branch = p->to != IR_NO_LABEL,
                                   .method = java_method_name(r, m)};
    place.line = java_line(m, place.from);
    place.to = place.branch ? (uint32_t)p->to & 0xffff : place.from;
    place.to_line = java_line(m, place.to);
    return place;
}

static void add_case(struct java_run *r, const struct exec_path *path, const struct term_model *m)
{
    struct java_points *p = r->points;
    struct ask_java_case c = {0};
    VEC(struct ask_java_place) list = VEC_INIT;
    if (path->end == PATH_THROW) {
        uint64_t id;
        term ref = term_extract(r->t, path->thrown, 0, 32);
        const struct java_class *k =
            java_evaluated(r, m, exec_spaces_cell(r->x, path->spaces, JAVA_CLASS, ref), &id)
                ? java_class_of(r->lift, id)
                : NULL;
        if (!k)
            return;
        c.exception = java_dotted(&r->arena, k->name);
    }
    for (size_t i = 0; i < p->all.len; i++) {
        struct point *it = &p->all.data[i];
        if (it->reached || !is_reached(r, m, it))
            continue;
        it->reached = true;
        vec_push(&list, place_of(r, it));
    }
    c.ninputs = java_inputs(r, path, m, &c.input);
    c.nreaches = list.len;
    c.reaches = arena_dup(&r->arena, list.data, list.len * sizeof *list.data);
    vec_push(&p->cases, c);
    vec_free(&list);
}

/* A case of the path on which the condition holds (TERM_NONE: any). */
static bool find_case(struct java_run *r, const struct exec_path *path, term condition)
{
    VEC(term) query = VEC_INIT;
    struct term_model *m = NULL;
    for (unsigned i = 0; i < path->nliterals; i++)
        vec_push(&query, path->literal[i]);
    if (condition != TERM_NONE)
        vec_push(&query, condition);
    bool found = solve_check(r->s, query.data, query.len, &m) == SOLVE_SAT;
    if (found)
        add_case(r, path, m);
    term_model_free(m);
    vec_free(&query);
    return found;
}

void java_points_path(struct java_run *r, const struct exec_path *path)
{
    struct java_points *p = r->points;
    if (p->cases.len >= CASES_MAX || !find_case(r, path, TERM_NONE) || !path->merged)
        return;
    for (size_t i = 0; i < p->all.len && p->cases.len < CASES_MAX; i++)
        for (unsigned k = 0; !p->all.data[i].reached && k < p->all.data[i].nways; k++)
            find_case(r, path, p->all.data[i].way[k]);
}

/* ---- what was covered ---- */

static struct ask_java_line *line_at(struct ask_java_line *line, size_t *n, const struct java_method *m,
                                     uint32_t number)
{
    for (size_t i = 0; i < *n; i++)
        if (line[i].line == number && strcmp(line[i].class, m->owner->name) == 0)
            return &line[i];
    line[*n] = (struct ask_java_line){.class = m->owner->name,
                                      .file = m->owner->source ? m->owner->source : m->owner->name,
                                      .line = number};
    return &line[(*n)++];
}

static bool reached(const struct java_points *p, uint64_t site, ir_label to)
{
    uint64_t i;
    return map_get(&p->at, key_of(site, to), &i) && p->all.data[i].reached;
}

static int by_place(const void *a, const void *b)
{
    const struct ask_java_line *l = a, *r = b;
    int c = strcmp(l->class, r->class);
    return c ? c : l->line < r->line ? -1 : l->line > r->line;
}

void java_points_end(struct java_run *r)
{
    struct java_points *p = r->points;
    size_t most = 0, n = 0;
    uint64_t number, one;
    for (size_t i = 0; (i = map_next(&p->inside, i, &number, &one));)
        most += java_method_at(r->lift, number << 32)->nlines + 1;
    struct ask_java_line *line = arena_array(&r->arena, struct ask_java_line, most + 1);
    for (size_t i = 0; (i = map_next(&p->inside, i, &number, &one));) {
        const struct java_method *m = java_method_at(r->lift, number << 32);
        for (uint32_t pc = 0, length; pc < m->ncode && (length = java_length(m, pc)); pc += length) {
            uint64_t site = number << 32 | pc;
            struct ask_java_line *l = line_at(line, &n, m, java_line(m, pc));
            if (begins_line(m, pc))
                l->covered = l->covered || reached(p, site, IR_NO_LABEL);
            if (!is_branch(m, pc))
                continue;
            enum { MANY = 1024 };
            uint32_t way[MANY];
            unsigned ways = ways_of(m, pc, way, MANY);
            l->branches += ways;
            for (unsigned k = 0; k < ways; k++)
                l->taken += reached(p, site, number << 32 | way[k]);
        }
    }
    qsort(line, n, sizeof *line, by_place);
    struct ask_java_answer a = {.line = line, .nlines = n};
    for (size_t i = 0; i < p->cases.len; i++)
        ask_say(r->say, JAVA_SAY_CASE, &java_case_type, &p->cases.data[i]);
    ask_say(r->say, JAVA_SAY_COVERAGE, &java_coverage_type, &a);
}
