/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "match/match.h"

#include <stdio.h>
#include <string.h>

#include "match/private.h"

void match_progress(const struct match_options *opt, const char *what, size_t done, size_t total)
{
    if (opt->progress)
        opt->progress(opt->ctx, what, done, total);
}

/* ---- a side ---- */

static int by_section(const void *x, const void *y)
{
    const struct object_section *const *a = x, *const *b = y;
    if ((*a)->address != (*b)->address)
        return (*a)->address < (*b)->address ? -1 : 1;
    return (*a)->size < (*b)->size ? -1 : (*a)->size > (*b)->size;
}

/* A relocatable object names the GOT without defining it, and got one when it was laid out. */
static uint64_t find_got(const struct object *o)
{
    const struct object_symbol *y = object_symbol_by_name(o, "_GLOBAL_OFFSET_TABLE_");
    if (y && y->address && (!y->undefined || object_info(o)->type == OBJECT_RELOCATABLE))
        return y->address;
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    uint64_t got = 0;
    for (size_t i = 0; i < n; i++) {
        if (strcmp(s[i].name, ".got.plt") == 0)
            return s[i].address;
        if (strcmp(s[i].name, ".got") == 0)
            got = s[i].address;
    }
    return got;
}

/* Trailing bytes that only fill up to the next function. */
static uint64_t without_padding(const struct side *s, uint64_t lo, uint64_t hi)
{
    size_t have = 0;
    const uint8_t *p = object_bytes(s->o, lo, &have);
    bool x86 = s->context.arch == MACHINE_AMD64 || s->context.arch == MACHINE_X86;
    if (!p || have < hi - lo)
        return p ? lo + have : lo;
    if (x86) {
        while (hi > lo && (p[hi - lo - 1] == 0x90 || p[hi - lo - 1] == 0xcc || p[hi - lo - 1] == 0))
            hi--;
        return hi;
    }
    static const uint8_t nop64[] = {0x1f, 0x20, 0x03, 0xd5}, zero[4];
    while (hi - lo >= 4 && (memcmp(p + (hi - lo) - 4, zero, 4) == 0 ||
                            (s->context.arch == MACHINE_ARM64 && memcmp(p + (hi - lo) - 4, nop64, 4) == 0)))
        hi -= 4;
    return hi;
}

static void find_ends(struct side *s)
{
    s->end = xcalloc(s->nfunctions + 1, sizeof *s->end);
    for (size_t i = 0; i < s->nfunctions; i++) {
        const struct flow_function *f = &s->function[i];
        const struct object_section *x = side_section(s, f->address);
        uint64_t limit = x ? x->address + x->size : f->address;
        if (f->size && f->size <= limit - f->address) {
            s->end[i] = f->address + f->size;
            continue;
        }
        size_t k = i + 1;
        while (k < s->nfunctions && s->function[k].address == f->address)
            k++;
        if (k < s->nfunctions && s->function[k].address < limit)
            limit = s->function[k].address;
        s->end[i] = without_padding(s, f->address, limit);
    }
}

void match_side_open(struct side *s, struct program *p)
{
    s->p = p;
    s->o = program_object(p);
    s->places.function = MATCH_NONE;
    s->nfunctions = program_functions(p, &s->function);
    const struct object_info *info = object_info(s->o);
    s->context = (struct insn_context){
        .arch = info->arch,
        .fixed = info->type == OBJECT_EXECUTABLE || info->type == OBJECT_RELOCATABLE,
        .marked = info->type == OBJECT_RELOCATABLE,
        .got = info->arch == MACHINE_X86 || info->arch == MACHINE_ARM ? find_got(s->o) : 0,
        .object = s->o,
        .program = p};
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && x[i].size && !(x[i].tls && x[i].nobits))
            vec_push(&s->section, &x[i]);
    vec_sort(&s->section, by_section);
    s->is_item = xcalloc(s->nfunctions + 1, sizeof *s->is_item);
    s->code = xcalloc(s->nfunctions + 1, sizeof *s->code);
    for (size_t i = 0; i < s->nfunctions; i++) {
        s->is_item[i] = !(s->function[i].flags & (FLOW_PLT | FLOW_EXTERN));
        if (s->is_item[i])
            map_set(&s->by_address, s->function[i].address, i);
    }
    find_ends(s);
}

void match_side_close(struct side *s)
{
    vec_free(&s->known);
    map_free(&s->data);
    map_free(&s->data_reasons);
    map_free(&s->places.place);
    if (s->borrowed)
        return;
    vec_free(&s->section);
    vec_free(&s->atom);
    map_free(&s->by_address);
    free(s->is_item);
    free(s->end);
    free(s->code);
}

void match_look(struct program *p, match_look_fn *fn, void *ctx)
{
    struct side s = {0};
    struct arena arena = ARENA_INIT;
    VEC(uint64_t) ref = VEC_INIT;
    match_side_open(&s, p);
    for (uint32_t i = 0; i < s.nfunctions; i++) {
        if (!s.is_item[i])
            continue;
        code_make(&s, &arena, i);
        const struct code *c = &s.code[i];
        vec_clear(&ref);
        for (uint32_t k = 0; k < c->nrefs; k++) {
            uint64_t at;
            if (ref_address(&s, &c->ref[k], &at))
                vec_push(&ref, at);
        }
        fn(ctx, &(struct match_look){.function = i,
                                     .ninsns = c->ninsns,
                                     .nblocks = c->nblocks,
                                     .ncalls = c->ncalls,
                                     .ref = ref.data,
                                     .nrefs = ref.len});
        arena_reset(&arena);
        s.code[i] = (struct code){.ninsns = 0};
    }
    vec_free(&ref);
    match_side_close(&s);
    arena_free(&arena);
}

/* ---- the status of each function ---- */

static void judge(struct match *m, uint32_t i, uint32_t j, struct match_pair *x)
{
    const struct code *c1 = &m->side[0].code[i], *c2 = &m->side[1].code[j];
    *x = (struct match_pair){.old = i, .new = j, .reasons = m->reasons[i], .sure = m->sure[i]};
    x->similar = code_similarity(c1, c2);
    if (!code_equal(c1, c2)) {
        x->status = MATCH_CHANGED;
        x->change = MATCH_CHANGE_CODE;
        return;
    }
    for (uint32_t k = 0; k < c1->nrefs; k++) {
        if (ref_same(m, &c1->ref[k], &c2->ref[k], i, j) == SAME_YES)
            continue;
        uint64_t a = 0, b = 0;
        ref_address(&m->side[0], &c1->ref[k], &a);
        ref_address(&m->side[1], &c2->ref[k], &b);
        x->old_at = a;
        x->new_at = b;
        x->status = MATCH_CHANGED;
        x->change = side_is_code(&m->side[0], a) || object_stub_at(m->side[0].o, a) ? MATCH_CHANGE_CALLEE
                                                                                    : MATCH_CHANGE_DATA;
        return;
    }
    x->status = MATCH_IDENTICAL;
    x->reasons |= MATCH_BY_CODE;
    if (x->sure < 0.97 && c1->ninsns >= 16)
        x->sure = 0.97;
}

static void judge_all(struct match *m)
{
    for (int side = 0; side < 2; side++) {
        vec_reserve(&m->row[side], m->side[side].nfunctions + 1);
        m->row[side].len = m->side[side].nfunctions;
        for (size_t i = 0; i < m->row[side].len; i++)
            m->row[side].data[i] = MATCH_NONE;
    }
    for (uint32_t i = 0; i < m->side[0].nfunctions; i++) {
        if (!m->side[0].is_item[i])
            continue;
        uint32_t j = m->pair[0][i];
        struct match_pair x = {.old = i, .new = MATCH_NONE, .status = MATCH_REMOVED, .sure = 1};
        if (j != MATCH_NONE) {
            judge(m, i, j, &x);
            m->row[1].data[j] = (uint32_t)m->pairs.len;
        }
        m->row[0].data[i] = (uint32_t)m->pairs.len;
        vec_push(&m->pairs, x);
    }
    for (uint32_t j = 0; j < m->side[1].nfunctions; j++)
        if (m->side[1].is_item[j] && m->pair[1][j] == MATCH_NONE) {
            m->row[1].data[j] = (uint32_t)m->pairs.len;
            vec_push(&m->pairs,
                     (struct match_pair){.old = MATCH_NONE, .new = j, .status = MATCH_ADDED, .sure = 1});
        }
}

/* All of a side's code and what it refers to. */
static void side_read(struct side *s, struct program *p, struct arena *arena, const struct match_options *opt,
                      size_t done, size_t total)
{
    match_side_open(s, p);
    for (uint32_t i = 0; i < s->nfunctions; i++) {
        if (s->is_item[i])
            code_make(s, arena, i);
        if (++done % 256 == 0)
            match_progress(opt, "functions read", done, total);
    }
    data_atoms(s);
    for (uint32_t i = 0; i < s->nfunctions; i++)
        if (s->is_item[i])
            code_deepen(s, &s->code[i]);
}

struct match *match_programs(struct program *old, struct program *new, const struct match_options *opt,
                             struct error *err)
{
    static const struct match_options none;
    if (!opt)
        opt = &none;
    const struct object_info *a = object_info(program_object(old)), *b = object_info(program_object(new));
    if (a->arch != b->arch || a->bits != b->bits || a->big_endian != b->big_endian) {
        error_set(err, ERROR_INPUT, "%s is for %s and %s for %s; the two must have the same architecture",
                  a->name, a->arch_name, b->name, b->arch_name);
        return NULL;
    }
    struct match *m = xcalloc(1, sizeof *m);
    m->ignore_names = opt->ignore_names;
    const struct flow_function *f;
    const size_t nold = program_functions(old, &f), total = nold + program_functions(new, &f);
    if (opt->like && opt->like->side[0].p == old)
        side_borrow(&m->side[0], &opt->like->side[0]);
    else
        side_read(&m->side[0], old, &m->arena, opt, 0, total);
    side_read(&m->side[1], new, &m->arena, opt, nold, total);
    for (int side = 0; side < 2; side++) {
        const struct side *s = &m->side[side];
        m->pair[side] = xcalloc(s->nfunctions + 1, sizeof **m->pair);
        for (uint32_t i = 0; i < s->nfunctions; i++)
            m->pair[side][i] = MATCH_NONE;
    }
    m->reasons = xcalloc(m->side[0].nfunctions + 1, sizeof *m->reasons);
    m->sure = xcalloc(m->side[0].nfunctions + 1, sizeof *m->sure);
    data_by_symbol(m);
    pair_functions(m);
    data_by_use(m);
    data_forget(m);
    judge_all(m);
    return m;
}

static void free_blocks(struct match *m)
{
    uint64_t k, v;
    for (size_t i = 0; (i = map_next(&m->blocks, i, &k, &v));) {
        struct match_blocks *b = (struct match_blocks *)(uintptr_t)v;
        free(b->new_of_old);
        free(b->old_of_new);
        free(b->old_status);
        free(b->new_status);
        free(b->old_address);
        free(b->new_address);
        free(b);
    }
    map_free(&m->blocks);
}

void match_free(struct match *m)
{
    if (!m)
        return;
    free_blocks(m);
    for (int side = 0; side < 2; side++) {
        match_side_close(&m->side[side]);
        free(m->pair[side]);
        vec_free(&m->row[side]);
    }
    free(m->reasons);
    free(m->sure);
    vec_free(&m->queue);
    vec_free(&m->pairs);
    vec_free(&m->changes);
    vec_free(&m->outside);
    vec_free(&m->node);
    vec_free(&m->edge);
    map_free(&m->compared);
    map_free(&m->suspects);
    map_free(&m->distance);
    map_free(&m->strays);
    arena_free(&m->arena);
    free(m);
}

/* ---- questions ---- */

size_t match_pairs(const struct match *m, const struct match_pair **out)
{
    *out = m->pairs.data;
    return m->pairs.len;
}

static const struct match_pair *pair_at(const struct match *m, int side, uint64_t address)
{
    uint32_t i = side_function_at(&m->side[side], address);
    uint32_t row = i == MATCH_NONE ? MATCH_NONE : m->row[side].data[i];
    return row == MATCH_NONE ? NULL : &m->pairs.data[row];
}

const struct match_pair *match_function(const struct match *m, uint64_t old_address)
{
    return pair_at(m, 0, old_address);
}

const struct match_pair *match_function_new(const struct match *m, uint64_t new_address)
{
    return pair_at(m, 1, new_address);
}

const char *match_reasons_text(unsigned reasons, char *out, size_t cap)
{
    static const struct {
        unsigned bit;
        const char *text;
    } word[] = {
        {MATCH_BY_NAME, "name"},   {MATCH_BY_CODE, "identical code"},
        {MATCH_BY_CALLS, "calls"}, {MATCH_BY_DATA, "strings and data"},
        {MATCH_BY_SHAPE, "shape"}, {MATCH_BY_ORDER, "order"},
        {MATCH_BY_USE, "use"},
    };
    size_t at = 0;
    if (cap)
        out[0] = '\0';
    for (size_t i = 0; i < sizeof word / sizeof *word; i++)
        if (reasons & word[i].bit && at < cap) {
            int n = snprintf(out + at, cap - at, "%s%s", at ? ", " : "", word[i].text);
            at += n > 0 ? (size_t)n : 0;
        }
    return out;
}

struct match_stats match_stats(const struct match *m)
{
    struct match_stats s = {.rounds = m->rounds};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < m->side[side].nfunctions; i++) {
            if (m->side[side].is_item[i])
                (*(side ? &s.functions_new : &s.functions_old))++;
            s.instructions += m->side[side].code[i].ninsns;
        }
    size_t *count[] = {[MATCH_IDENTICAL] = &s.identical,
                       [MATCH_CHANGED] = &s.changed,
                       [MATCH_REMOVED] = &s.removed,
                       [MATCH_ADDED] = &s.added};
    for (size_t i = 0; i < m->pairs.len; i++)
        (*count[m->pairs.data[i].status])++;
    return s;
}
