/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether addresses of the two programs mean the same. */
#include <string.h>

#include "base/search.h"
#include "match/private.h"

/* ---- content ---- */

static enum same pointer_same(struct match *m, const struct object_pointer *p1,
                              const struct object_pointer *p2, uint32_t f1, uint32_t f2)
{
    if (p1->name || p2->name)
        return p1->name && p2->name && strcmp(p1->name, p2->name) == 0 && p1->addend == p2->addend ? SAME_YES
                                                                                                   : SAME_NO;
    return p1->thumb == p2->thumb ? data_same(m, p1->target, p2->target, f1, f2) : SAME_NO;
}

static enum same both(enum same a, enum same b)
{
    return a == SAME_NO || b == SAME_NO             ? SAME_NO
           : a == SAME_UNKNOWN || b == SAME_UNKNOWN ? SAME_UNKNOWN
                                                    : SAME_YES;
}

/* In the file, or something of another one that a relocatable object names. */
static bool is_place(const struct side *s, uint64_t address)
{
    int64_t offset;
    return side_section(s, address) || object_stub_at(s->o, address) ||
           object_extern_at(s->o, address, &offset);
}

/* Words that the loader fills must lead to the same; all others must be equal. */
enum same same_bytes(struct match *m, uint64_t a1, uint64_t a2, uint64_t n, uint32_t f1, uint32_t f2)
{
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    size_t have1 = 0, have2 = 0;
    const uint8_t *b1 = object_bytes(s1->o, a1, &have1), *b2 = object_bytes(s2->o, a2, &have2);
    if (!b1 || !b2 || have1 < n || have2 < n)
        return SAME_NO;
    const struct object_pointer *p1, *p2;
    size_t n1 = object_pointers(s1->o, &p1), i = object_pointers_before(s1->o, a1);
    size_t n2 = object_pointers(s2->o, &p2), j = object_pointers_before(s2->o, a2);
    uint64_t at = 0;
    enum same result = SAME_YES;
    unsigned word = program_machine(s1->p)->pointer_width / 8;
    while (at < n) {
        uint64_t next1 = i < n1 && p1[i].address - a1 < n ? p1[i].address - a1 : n;
        uint64_t next2 = j < n2 && p2[j].address - a2 < n ? p2[j].address - a2 : n;
        if (next1 != next2)
            return SAME_NO;
        if (next1 > at && s1->context.fixed) {
            /* Words may be addresses without a relocation that says so. */
            for (uint64_t k; at < next1; at += k) {
                /* The first one may be cut, and the last one by something that points into it. */
                uint64_t w1 = 0, w2 = 0;
                k = word - (a1 + at) % word;
                k = next1 - at < k ? next1 - at : k;
                bool address = (a1 + at) % word == 0 && (a2 + at) % word == 0 &&
                               insn_may_be_address(&s1->context, a1 + at, word) &&
                               object_read(s1->o, a1 + at, &w1, word) &&
                               object_read(s2->o, a2 + at, &w2, word) && is_place(s1, w1) && is_place(s2, w2);
                uint64_t t1 = side_without_thumb(s1, w1), t2 = side_without_thumb(s2, w2);
                enum same r = address && w1 - t1 != w2 - t2      ? SAME_NO
                              : address                          ? data_same(m, t1, t2, f1, f2)
                              : memcmp(b1 + at, b2 + at, k) == 0 ? SAME_YES
                                                                 : SAME_NO;
                if (r == SAME_UNKNOWN && w1 == w2)
                    r = SAME_YES;
                if ((result = both(result, r)) == SAME_NO)
                    return SAME_NO;
            }
            at = next1;
        } else if (next1 > at) {
            if (memcmp(b1 + at, b2 + at, (size_t)(next1 - at)) != 0)
                return SAME_NO;
            at = next1;
        }
        if (at < n) {
            if ((result = both(result, pointer_same(m, &p1[i], &p2[j], f1, f2))) == SAME_NO)
                return SAME_NO;
            at += word;
            i++;
            j++;
        }
    }
    return result;
}

/* A table of 32-bit distances from its own start, or from the GOT: of a switch, or of
 * strings. Every entry must lead to code or to a string, or numbers would pass for distances. All to code
 * says that it is a switch, of which no entry is 0. */
static enum same distances_same(struct match *m, uint64_t a1, uint64_t a2, uint64_t n, uint64_t base1,
                                uint64_t base2, uint32_t f1, uint32_t f2, bool *all_code)
{
    *all_code = true;
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    if (n < 8 || f1 == MATCH_NONE || f2 == MATCH_NONE || a1 % 4 || a2 % 4)
        return SAME_NO;
    uint64_t mask = program_machine(s1->p)->pointer_width == 32 ? UINT32_MAX : UINT64_MAX;
    for (uint64_t at = 0; at + 4 <= n; at += 4) {
        int32_t e1, e2;
        size_t l1 = 0, l2 = 0;
        if (!object_read(s1->o, a1 + at, &e1, 4) || !object_read(s2->o, a2 + at, &e2, 4))
            return SAME_NO;
        uint64_t t1 = (base1 + (uint64_t)(int64_t)e1) & mask, t2 = (base2 + (uint64_t)(int64_t)e2) & mask;
        bool code = side_is_code(s1, t1) && side_is_code(s2, t2);
        bool text = !code && object_string(s1->o, t1, &l1) && object_string(s2->o, t2, &l2) && l1 && l2;
        if ((!code && !text) || data_same(m, t1, t2, f1, f2) != SAME_YES)
            return SAME_NO;
        *all_code = *all_code && code;
    }
    return SAME_YES;
}

/* A text begins there, and no other goes on. */
static const char *text_beginning_at(const struct side *s, uint64_t at, size_t *length)
{
    const struct object_section *x = side_section(s, at);
    char before = 0;
    return x && !x->exec && (at == x->address || (object_read(s->o, at - 1, &before, 1) && !before))
               ? object_string(s->o, at, length)
               : NULL;
}

/* The bytes are the same. Where all are distances from their beginning to texts, those are, too. */
static bool same_texts_behind(const struct match *m, uint64_t a1, uint64_t a2, uint64_t n)
{
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    const uint64_t mask = program_machine(s1->p)->pointer_width == 32 ? UINT32_MAX : UINT64_MAX;
    bool same = true;
    if (n < 8 || n % 4 || a1 % 4 || a2 % 4)
        return true;
    for (uint64_t at = 0; at < n; at += 4) {
        int32_t e1, e2;
        size_t l1 = 0, l2 = 0;
        if (!object_read(s1->o, a1 + at, &e1, 4) || !object_read(s2->o, a2 + at, &e2, 4))
            return true;
        const char *t1 = text_beginning_at(s1, (a1 + (uint64_t)(int64_t)e1) & mask, &l1),
                   *t2 = text_beginning_at(s2, (a2 + (uint64_t)(int64_t)e2) & mask, &l2);
        if (!t1 || !t2)
            return true;
        same = same && l1 == l2 && memcmp(t1, t2, l1) == 0;
    }
    return same;
}

/* Length without the zeros that fill up to the next object. */
static uint64_t trimmed(const struct side *s, uint64_t address, uint64_t n)
{
    size_t have = 0;
    const uint8_t *b = object_bytes(s->o, address, &have);
    const struct object_pointer *p;
    size_t last = object_pointers_before(s->o, address + n);
    object_pointers(s->o, &p);
    uint64_t least = last && p[last - 1].address >= address
                         ? p[last - 1].address - address + program_machine(s->p)->pointer_width / 8
                         : 0;
    while (b && n <= have && n > least && b[n - 1] == 0)
        n--;
    return n;
}

/* How many bytes at the address the old version may read, of the n up to what lies behind: all of a variable,
 * a text up to its NUL where the rest is no more than what aligns the next object. Everything, if nothing
 * says more: zeros may be what ends a list. */
static uint64_t readable(struct match *m, uint64_t address, uint64_t n)
{
    enum { ALIGNED_MOST = 64 };
    const struct side *s = &m->side[0];
    uint64_t offset, next = address + n, aligned = next & -next, size = n;
    size_t len;
    const struct object_symbol *y = m->ignore_names ? NULL : side_variable(s, address, &offset);
    if (aligned > ALIGNED_MOST)
        aligned = ALIGNED_MOST;
    if (y)
        size = y->size - offset;
    else if (object_string(s->o, address, &len) && trimmed(s, address, n) == len && n - len <= aligned)
        size = len + 1;
    return size < n ? size : n;
}

/* Constant zeros from one distance to another, which stay there: the linker puts nothing between them and the
 * address. */
static bool zeros_behind(const struct side *s, uint64_t address, uint64_t from, uint64_t to)
{
    const struct object_section *x = side_section(s, address);
    size_t have = 0;
    const uint8_t *b = object_bytes(s->o, address, &have);
    if (!x || !b || have < to || x->address + x->size - address < to ||
        (x->merge && object_info(s->o)->type == OBJECT_RELOCATABLE) ||
        !object_is_readonly(s->o, address + from, (size_t)(to - from)) ||
        object_pointers_before(s->o, address + from) != object_pointers_before(s->o, address + to))
        return false;
    while (from < to && b[from] == 0)
        from++;
    return from >= to;
}

/* All words are addresses of the function's own code: its switch, which has no entry that is 0. */
static bool is_switch(const struct side *s, uint64_t address, uint64_t n, uint32_t function)
{
    unsigned word = program_machine(s->p)->pointer_width / 8;
    if (function == MATCH_NONE || n < word)
        return false;
    for (uint64_t at = 0; at < n; at += word) {
        const struct object_pointer *p = object_pointer_at(s->o, address + at);
        uint64_t to = 0;
        if (p ? p->name != NULL : !s->context.fixed || !object_read(s->o, address + at, &to, word))
            return false;
        to = side_without_thumb(s, p ? p->target : to);
        if (to == s->function[function].address || side_covering(s, to) != function)
            return false;
    }
    return true;
}

/* A text, or the distances of a jump table: what lies before is no array that goes on there. */
static bool begins_anew(const struct side *s, uint64_t address)
{
    enum { SHORTEST = 2 };
    size_t len;
    int32_t distance;
    return (object_string(s->o, address, &len) && len >= SHORTEST) ||
           (object_read(s->o, address, &distance, sizeof distance) && distance &&
            side_is_code(s, address + (uint64_t)(int64_t)distance));
}

/* Where no symbol says how large it is, it may go on behind what refers to a place in it: a member of the
 * first structure of a table. */
static uint64_t may_extend(const struct side *s, uint64_t address)
{
    enum { STRUCTURE = 64, MOST = 1024 };
    const struct object_section *x = side_section(s, address);
    uint64_t n = 0, piece;
    do
        n += piece = data_extent(s, address + n);
    while (piece && piece < STRUCTURE && n < MOST && side_section(s, address + n) == x &&
           !begins_anew(s, address + n));
    return n;
}

static enum same ask(struct match *m, bool stray, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2);

static enum same content_compare(struct match *m, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2)
{
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    uint64_t n1 = data_extent(s1, a1), n2 = data_extent(s2, a2), o1, o2;
    size_t l1 = 0, l2 = 0;
    const struct object_symbol *y1 = side_variable(s1, a1, &o1), *y2 = side_variable(s2, a2, &o2);
    bool named = !m->ignore_names && !object_info(s1->o)->stripped && !object_info(s2->o)->stripped;
    if (named && !y1 && !y2) {
        n1 = side_before_variable(s1, a1, n1);
        n2 = side_before_variable(s2, a2, n2);
    }
    /* Within one, a pointer may be meant to go past its end, and an index to lead to all of it. */
    const bool sized = y1 && y2 && !m->ignore_names, within = sized && o1 && o1 == o2;
    if (sized && !o1 && !o2) {
        n1 = y1->size;
        n2 = y2->size;
    } else if (object_string(s1->o, a1, &l1) && object_string(s2->o, a2, &l2)) {
        /* A reference may be to the tail of a string. */
        n1 = n1 > l1 ? n1 : l1 + 1;
        n2 = n2 > l2 ? n2 : l2 + 1;
    }
    if (!n1 || !n2 || n1 > CONTENT_MAX || n2 > CONTENT_MAX)
        return SAME_NO;
    unsigned word = s1->context.fixed ? program_machine(s1->p)->pointer_width / 8 : 1;
    uint64_t c1 = trimmed(s1, a1, n1), c2 = trimmed(s2, a2, n2);
    uint64_t longer = c1 > c2 ? c1 : c2, shorter = n1 < n2 ? n1 : n2;
    if (longer > shorter)
        return SAME_NO;
    longer = (a1 + longer + word - 1) / word * word - a1;
    if (longer > shorter)
        longer = shorter;
    size_t needs = m->edge.len;
    enum same r = same_bytes(m, a1, a2, longer ? longer : 1, f1, f2);
    if (r != SAME_NO && !same_texts_behind(m, a1, a2, longer))
        r = SAME_NO;
    bool jumps = r != SAME_NO && is_switch(s1, a1, longer, f1);
    if (r != SAME_NO && !jumps && !(sized && o1 == o2) && !begins_anew(s1, a1)) {
        uint64_t on1 = may_extend(s1, a1), on2 = may_extend(s2, a2);
        on1 = named && !y1 ? side_before_variable(s1, a1, on1) : on1;
        on2 = named && !y2 ? side_before_variable(s2, a2, on2) : on2;
        const uint64_t on = on1 < on2 ? on1 : on2;
        r = on > longer ? both(r, same_bytes(m, a1, a2, on, f1, f2)) : r;
    }
    if (r == SAME_NO) {
        m->edge.len = needs;
        uint64_t words = (longer + 3) / 4 * 4;
        r = distances_same(m, a1, a2, words, a1, a2, f1, f2, &jumps);
        if (r == SAME_NO && s1->context.got && s2->context.got) {
            m->edge.len = needs;
            r = distances_same(m, a1, a2, words, s1->context.got, s2->context.got, f1, f2, &jumps);
        }
    }
    /* The zeros at its end may be padding, or what ends a list or a text: the code still reads them where
     * they were. Where sizes say that the new version has more of them, the old one read on. */
    uint64_t reads = readable(m, a1, n1);
    bool kept = reads <= n2 || (jumps && !y1) || zeros_behind(s2, a2, n2, reads);
    kept = kept && (!sized || n2 <= n1 || zeros_behind(s1, a1, n1, n2));
    return !kept || r == SAME_NO ? SAME_NO : within ? both(r, ask(m, false, a1 - o1, a2 - o2, f1, f2)) : r;
}

/* ---- comparisons that need others ----
 *
 * Data points to data, and code that no table knows calls more of it, in cycles too. A comparison is a node;
 * what it depends on is assumed to be the same and becomes a node of its own. When no node is left, every
 * node that depends on one that differs differs, too. So each is compared once, and a cycle is the same when
 * nothing in it differs (a greatest fixed point). */

static int by_need(const void *x, const void *y)
{
    const struct compare_edge *a = x, *b = y;
    if (a->needed != b->needed)
        return a->needed < b->needed ? -1 : 1;
    return a->by < b->by ? -1 : a->by > b->by;
}

/* Edges lead between nodes that are not settled yet. */
static void take_along(struct match *m)
{
    size_t base = m->settled, n = m->node.len - base;
    m->settled = m->node.len;
    if (!m->edge.len)
        return;
    vec_sort(&m->edge, by_need);
    uint32_t *first = xcalloc(n + 1, sizeof *first);
    for (size_t i = 0, at = 0; i <= n; i++) {
        while (at < m->edge.len && m->edge.data[at].needed < base + i)
            at++;
        first[i] = (uint32_t)at;
    }
    VEC(uint32_t) work = VEC_INIT;
    for (int pass = 0; pass < 2; pass++) { /* what differs first, then what is not known */
        enum same bad = pass ? SAME_UNKNOWN : SAME_NO;
        for (size_t i = 0; i < n; i++)
            if (m->node.data[base + i].result == bad)
                vec_push(&work, (uint32_t)i);
        while (work.len) {
            uint32_t i = vec_pop(&work);
            for (uint32_t k = first[i]; k < m->edge.len && m->edge.data[k].needed == base + i; k++) {
                uint32_t by = m->edge.data[k].by;
                struct compare_node *x = &m->node.data[by];
                if (x->result == SAME_YES || (x->result == SAME_UNKNOWN && bad == SAME_NO)) {
                    x->result = (uint8_t)bad;
                    vec_push(&work, (uint32_t)(by - base));
                }
            }
        }
    }
    vec_free(&work);
    free(first);
    vec_clear(&m->edge);
}

static enum same stray_compare(struct match *m, uint64_t a1, uint64_t a2);

static enum same ask(struct match *m, bool stray, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2)
{
    uint64_t key = hash_u64(hash_u64(a1) * 31 + hash_u64(~a2) + stray), known;
    if (f1 != MATCH_NONE)
        key = hash_u64(key ^ ((uint64_t)f1 << 32 | f2));
    if (!map_get(&m->compared, key, &known)) {
        known = m->node.len;
        map_set(&m->compared, key, known);
        vec_push(&m->node, (struct compare_node){a1, a2, f1, f2, stray, SAME_YES});
    }
    if (known < m->settled)
        return (enum same)m->node.data[known].result;
    if (m->comparing) {
        vec_push(&m->edge, (struct compare_edge){(uint32_t)known, m->current});
        return SAME_YES;
    }
    m->comparing = true;
    for (size_t i = m->settled; i < m->node.len; i++) {
        struct compare_node x = m->node.data[i];
        m->current = (uint32_t)i;
        m->node.data[i].result =
            (uint8_t)(x.stray ? stray_compare(m, x.a1, x.a2) : content_compare(m, x.a1, x.a2, x.f1, x.f2));
    }
    m->comparing = false;
    take_along(m);
    return (enum same)m->node.data[known].result;
}

void data_forget(struct match *m)
{
    vec_clear(&m->node);
    map_clear(&m->compared);
    m->settled = 0;
}

/* ---- meaning ---- */

static enum same stub_same(struct match *m, const struct object_stub *t1, const struct object_stub *t2)
{
    if (!t1 || !t2 || t1->kind != t2->kind)
        return SAME_NO;
    if (t1->target && t2->target)
        return data_same(m, t1->target, t2->target, MATCH_NONE, MATCH_NONE);
    if (!t1->name || !t2->name || strcmp(t1->name, t2->name) != 0)
        return SAME_NO;
    return !t1->version || !t2->version || strcmp(t1->version, t2->version) == 0 ? SAME_YES : SAME_NO;
}

/* Where code that no table bounds may end. */
uint64_t side_stray_end(const struct side *s, uint64_t address)
{
    enum { STRAY_MAX = 1 << 20 };
    const struct object_section *x = side_section(s, address);
    uint64_t end = x ? x->address + x->size : address;
    size_t lo = partition_point(s->nfunctions, i, s->function[i].address <= address);
    if (lo < s->nfunctions && s->function[lo].address < end)
        end = s->function[lo].address;
    return end - address > STRAY_MAX ? address + STRAY_MAX : end;
}

/* Constants between functions do not read as code. */
static bool is_nonsense(const struct side *s, const struct code *c)
{
    enum { ENOUGH = 16 };
    const struct object_section *last = vec_last(&s->section);
    uint64_t lo = s->section.data[0]->address, hi = last->address + last->size;
    for (uint32_t k = 0; k < c->nrefs && c->ref[k].insn < ENOUGH; k++)
        if (c->ref[k].kind == REF_ADDRESS && (c->ref[k].value < lo || c->ref[k].value > hi) &&
            !object_stub_at(s->o, c->ref[k].value))
            return true;
    return c->broken;
}

/* Code that no table knows, such as what the C library's start files bring along: it is the same when it
 * reads the same up to where functions that are known begin. */
static enum same stray_compare(struct match *m, uint64_t a1, uint64_t a2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    struct code c1 = {0}, c2 = {0};
    bool thumb = s1->context.arch == MACHINE_ARM && object_code_mode(s1->o, a1) == 1;
    uint64_t e1 = side_stray_end(s1, a1), e2 = side_stray_end(s2, a2);
    code_read(s1, &m->arena, a1, e1, thumb, &c1);
    code_read(s2, &m->arena, a2, e2, thumb, &c2);
    enum same r = c1.ninsns && code_equal(&c1, &c2) ? SAME_YES : SAME_NO;
    if (r == SAME_YES && e1 - a1 == e2 - a2 && is_nonsense(s1, &c1) && is_nonsense(s2, &c2))
        return same_bytes(m, a1, a2, e1 - a1, MATCH_NONE, MATCH_NONE);
    for (uint32_t k = 0; r != SAME_NO && k < c1.nrefs; k++)
        r = both(r, ref_same(m, &c1.ref[k], &c2.ref[k], MATCH_NONE, MATCH_NONE));
    return r;
}

/* The block at the address, of addresses sorted but for the first. */
static uint32_t block_at(const uint64_t *all, uint32_t n, uint64_t address)
{
    if (n && all[0] == address)
        return 0;
    size_t at = n > 1 ? sorted_upper(all + 1, n - 1, address) : 0;
    return at && all[at] == address ? (uint32_t)at : MATCH_NONE;
}

/* Places in functions that changed, as where their cold parts come back to: the same when the blocks there
 * are partners. */
static enum same blocks_same(struct match *m, uint32_t i, uint32_t j, uint64_t a1, uint64_t a2)
{
    if (m->pair[0][i] != j || m->in_blocks)
        return SAME_NO;
    bool used[2] = {flow_is_kept(m->side[0].p, &m->side[0].function[i]),
                    flow_is_kept(m->side[1].p, &m->side[1].function[j])};
    const struct match_blocks *b = match_blocks(m, i, j);
    if (!used[0]) /* nobody asked for the graphs themselves */
        flow_drop(m->side[0].p, &m->side[0].function[i]);
    if (!used[1])
        flow_drop(m->side[1].p, &m->side[1].function[j]);
    uint32_t b1 = block_at(b->old_address, b->nold, a1), b2 = block_at(b->new_address, b->nnew, a2);
    return b1 != MATCH_NONE && b2 != MATCH_NONE && b->new_of_old[b1] == b2 ? SAME_YES : SAME_NO;
}

static enum same code_same(struct match *m, uint64_t a1, uint64_t a2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    uint32_t i = side_function_at(s1, a1), j = side_function_at(s2, a2);
    if (i != MATCH_NONE && j != MATCH_NONE) {
        if (m->pair[0][i] == j)
            return SAME_YES;
        return m->pair[0][i] == MATCH_NONE && m->pair[1][j] == MATCH_NONE ? SAME_UNKNOWN : SAME_NO;
    }
    if (i != MATCH_NONE || j != MATCH_NONE)
        return SAME_NO;
    i = side_covering(s1, a1);
    j = side_covering(s2, a2);
    if (i == MATCH_NONE || j == MATCH_NONE)
        return i == j && side_section(s1, a1) && side_section(s2, a2)
                   ? ask(m, true, a1, a2, MATCH_NONE, MATCH_NONE)
                   : SAME_NO;
    if (!code_equal(&s1->code[i], &s2->code[j]))
        return blocks_same(m, i, j, a1, a2);
    uint32_t place = code_place(s1, i, a1);
    if (place != code_place(s2, j, a2))
        return SAME_NO;
    /* Not an instruction: a constant in the code, which does not move in it. */
    if (place == MATCH_NONE && a1 - s1->function[i].address != a2 - s2->function[j].address)
        return SAME_NO;
    if (m->pair[0][i] == j)
        return SAME_YES;
    return m->pair[0][i] == MATCH_NONE && m->pair[1][j] == MATCH_NONE ? SAME_UNKNOWN : SAME_NO;
}

/* foo.1234, a static variable of a function: the number is the compiler's. */
static bool same_variable(const char *a, const char *b)
{
    size_t n = strlen(a), k = strlen(b);
    while (n > 1 && a[n - 1] >= '0' && a[n - 1] <= '9')
        n--;
    while (k > 1 && b[k - 1] >= '0' && b[k - 1] <= '9')
        k--;
    if (strcmp(a, b) == 0)
        return true;
    return n == k && a[n - 1] == '.' && strncmp(a, b, n) == 0;
}

static enum same writable_same(struct match *m, uint64_t a1, uint64_t a2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    uint64_t o1, o2, known;
    if (!m->ignore_names) {
        const struct object_symbol *y1 = side_variable(s1, a1, &o1), *y2 = side_variable(s2, a2, &o2);
        if (y1 && y2)
            return o1 == o2 && same_variable(y1->name, y2->name) ? SAME_YES : SAME_NO;
    }
    if (map_get(&s1->data, a1, &known))
        return known == a2 ? SAME_YES : SAME_NO;
    return map_get(&s2->data, a2, NULL) ? SAME_NO : SAME_UNKNOWN;
}

/* Two GOT slots. One for a thread-local is a pair: the module, and the offset in it. */
static enum same slot_same(struct match *m, const struct object_pointer *p1, const struct object_pointer *p2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    unsigned word = program_machine(s1->p)->pointer_width / 8;
    enum same first = pointer_same(m, p1, p2, MATCH_NONE, MATCH_NONE);
    if (first != SAME_YES || !p1->other || !p1->name || strncmp(p1->name, "module", 6) != 0)
        return first;
    const struct object_pointer *q1 = object_pointer_at(s1->o, p1->address + word),
                                *q2 = object_pointer_at(s2->o, p2->address + word);
    uint64_t w1 = 0, w2 = 0;
    if (q1 && q2)
        return pointer_same(m, q1, q2, MATCH_NONE, MATCH_NONE);
    /* Where symbols are bound within the library itself there is a number instead. */
    if (q1 || q2 || !object_read(s1->o, p1->address + word, &w1, word) ||
        !object_read(s2->o, p2->address + word, &w2, word))
        return first;
    return w1 == w2 ? SAME_YES : SAME_NO;
}

enum same data_same(struct match *m, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    int64_t off1, off2;
    const struct object_stub *t1 = object_extern_at(s1->o, a1, &off1),
                             *t2 = object_extern_at(s2->o, a2, &off2);
    if (t1 || t2)
        return t1 && t2 && off1 == off2 ? stub_same(m, t1, t2) : SAME_NO;
    t1 = object_stub_at(s1->o, a1);
    t2 = object_stub_at(s2->o, a2);
    if (t1 && t2)
        return stub_same(m, t1, t2);
    if (t1 || t2) { /* a call of an own function, through a stub in one and straight in the other */
        const struct object_stub *t = t1 ? t1 : t2;
        if (t->kind != STUB_PLT || !t->target || t->ifunc)
            return SAME_NO;
        return t1 ? code_same(m, t->target, a2) : code_same(m, a1, t->target);
    }
    uint64_t begin1, begin2;
    if (side_before_data(s1, a1, &begin1) && side_before_data(s2, a2, &begin2))
        return begin1 - a1 == begin2 - a2 ? data_same(m, begin1, begin2, f1, f2) : SAME_NO;
    const struct object_section *x1 = side_section(s1, a1), *x2 = side_section(s2, a2);
    const struct object_pointer *p1 = object_pointer_at(s1->o, a1), *p2 = object_pointer_at(s2->o, a2);
    if (!x1 && !x2 && p1 && p2) /* of the GOT, which a relocatable object does not have yet */
        return pointer_same(m, p1, p2, MATCH_NONE, MATCH_NONE);
    if (!x1 || !x2) {
        const struct object_section *e1 = side_section_end(s1, a1), *e2 = side_section_end(s2, a2);
        if (e1 && e2)
            return strcmp(e1->name, e2->name) == 0 ? SAME_YES : SAME_NO;
        return a1 == a2 && !x1 && !x2 ? SAME_YES : SAME_NO;
    }
    if (x1->exec != x2->exec)
        return SAME_NO;
    if (x1->exec)
        return code_same(m, a1, a2);
    if (p1 && p2 && strncmp(x1->name, ".got", 4) == 0 && strncmp(x2->name, ".got", 4) == 0)
        return slot_same(m, p1, p2);
    bool fixed1 = object_is_readonly(s1->o, a1, 1), fixed2 = object_is_readonly(s2->o, a2, 1);
    if (fixed1 != fixed2)
        return SAME_NO;
    if (fixed1) {
        if (s1->context.got && a1 == s1->context.got && a2 == s2->context.got)
            return SAME_YES;
        return ask(m, false, a1, a2, f1, f2);
    }
    if (s1->context.got && (a1 == s1->context.got) != (a2 == s2->context.got))
        return SAME_NO;
    if (s1->context.got && a1 == s1->context.got)
        return SAME_YES;
    return writable_same(m, a1, a2);
}

/* Two different numbers count as one moved thing only with more evidence than that something lies there. */
static bool is_evident(struct match *m, uint64_t a1, uint64_t a2)
{
    struct side *s1 = &m->side[0], *s2 = &m->side[1];
    uint64_t o1, o2, moved;
    size_t len;
    if (object_stub_at(s1->o, a1) || side_function_at(s1, a1) != MATCH_NONE)
        return true;
    const struct object_section *x = side_section(s1, a1);
    if (!x || !side_section(s2, a2))
        return side_section_end(s1, a1) && side_section_end(s2, a2);
    if (x->exec)
        return false;
    if (!m->ignore_names && side_variable(s1, a1, &o1) && side_variable(s2, a2, &o2) && !o1 && !o2)
        return true;
    if (object_string(s1->o, a1, &len) && len > 1)
        return true;
    if (object_is_readonly(s1->o, a1, 1)) { /* the same content, which is not mere zeros */
        uint64_t w = 0;
        if (data_extent(s1, a1) >= 8 && data_extent(s2, a2) >= 8 && object_read(s1->o, a1, &w, 8) &&
            w & UINT32_MAX && w >> 32)
            return true;
    }
    return map_get(&m->distance, x->address, &moved) && a2 - a1 == moved;
}

/* Offsets that an instruction of AArch64 or ARM may add to an address; 0 when it adds none. Those from the
 * stack pointer are left out. */
static uint64_t displacement(enum machine_arch arch, uint32_t w)
{
    bool stack = arch == MACHINE_ARM64 ? (w >> 5 & 31) == 31 : (w >> 16 & 15) == 13;
    if (stack)
        return 0;
    if (arch == MACHINE_ARM64) {
        unsigned scale = w >> 26 & 1 && w >> 23 & 1 && w >> 30 == 0 ? 4 : w >> 30;
        if ((w & 0x3b000000) == 0x39000000) /* ldr, str */
            return (uint64_t)(w >> 10 & 0xfff) << scale;
        if ((w & 0x3b800000) == 0x29000000) /* ldp, stp */
            return (uint64_t)(w >> 15 & 0x3f) << (w >> 26 & 1 ? 2 + (w >> 30) : w >> 31 ? 3 : 2);
        if ((w & 0x3b200c00) == 0x38000000) /* ldur, stur */
            return w >> 12 & 0xff;
        return (w & 0x7fc00000) == 0x11000000 ? w >> 10 & 0xfff : 0; /* add */
    }
    if ((w & 0x0e000000) == 0x04000000) /* ldr, str */
        return w & 0xfff;
    if ((w & 0x0e400090) == 0x00400090) /* ldrd, ldrh */
        return (w >> 4 & 0xf0) | (w & 15);
    uint32_t imm = w & 0xff, turn = w >> 7 & 30;
    return (w & 0x0fe00000) == 0x02800000 ? imm >> turn | (uint64_t)(uint32_t)(turn ? imm << (32 - turn) : 0)
                                          : 0;
}

/* Compilers for ARM reach several variables from the address of the first one (section anchors). The distance
 * is in the code, so what lies there has to be the same, too. */
static enum same reached_same(struct match *m, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2)
{
    enum { SEEN = 8192 }; /* distances that are looked at once */
    const struct side *s1 = &m->side[0], *s2 = &m->side[1];
    enum machine_arch arch = s1->context.arch;
    uint64_t o1, o2;
    if ((arch != MACHINE_ARM && arch != MACHINE_ARM64) || f1 == MATCH_NONE || f2 == MATCH_NONE ||
        m->ignore_names || s1->function[f1].flags & FLOW_THUMB || !side_variable(s1, a1, &o1) ||
        !side_variable(s2, a2, &o2))
        return SAME_YES;
    const struct object_symbol *x = side_variable(s1, a1, &o1);
    uint64_t from1 = s1->function[f1].address, from2 = s2->function[f2].address;
    size_t n1 = 0, n2 = 0;
    const uint8_t *code1 = object_bytes(s1->o, from1, &n1), *code2 = object_bytes(s2->o, from2, &n2);
    uint64_t seen[SEEN / 64] = {0};
    for (uint64_t at = 0; code1 && code2 && at < s1->end[f1] - from1 && at + 4 <= n1 && at + 4 <= n2; at += 4) {
        uint32_t w1, w2;
        memcpy(&w1, code1 + at, 4);
        memcpy(&w2, code2 + at, 4);
        /* The lower part of an address is the linker's, and another where the address moved: no distance. */
        uint64_t d = displacement(arch, w1);
        if (!d || d != displacement(arch, w2) || (d < SEEN && seen[d / 64] >> d % 64 & 1))
            continue;
        if (d < SEEN)
            seen[d / 64] |= UINT64_C(1) << d % 64;
        const struct object_symbol *y = side_variable(s1, a1 + d, &o1);
        if (!y || x == y)
            continue;
        const struct object_symbol *z = side_variable(s2, a2 + d, &o2);
        bool fixed = object_is_readonly(s1->o, a1 + d, 1);
        if (!z || o1 != o2 || fixed != object_is_readonly(s2->o, a2 + d, 1))
            return SAME_NO;
        if (fixed ? y->size != z->size || y->size > CONTENT_MAX ||
                        same_bytes(m, y->address, z->address, y->size, f1, f2) == SAME_NO
                  : !same_variable(y->name, z->name))
            return SAME_NO;
    }
    return SAME_YES;
}

static enum same address_same(struct match *m, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2)
{
    enum same r = data_same(m, a1, a2, f1, f2);
    return r == SAME_NO ? r : both(r, reached_same(m, a1, a2, f1, f2));
}

enum same ref_same(struct match *m, const struct ref *a, const struct ref *b, uint32_t f1, uint32_t f2)
{
    enum { VECTOR = 16 };
    if (a->kind != b->kind || a->kind == REF_OPAQUE)
        return SAME_NO;
    if (a->kind == REF_PAGE || a->kind == REF_NUMBER)
        return a->value == b->value ? SAME_YES : SAME_NO;
    uint64_t a1, a2;
    bool is1 = ref_address(&m->side[0], a, &a1), is2 = ref_address(&m->side[1], b, &a2);
    bool equal = a->value == b->value;
    if (a->aligned && is1 && is2 && a1 % VECTOR == 0 && a2 % VECTOR)
        return SAME_NO;
    if (a->kind == REF_ADDRESS)
        return address_same(m, a1, a2, f1, f2);
    if (!is1 || !is2)
        return equal ? SAME_YES : SAME_NO;
    enum same r = address_same(m, a1, a2, f1, f2);
    /* A number that only looks like an address. */
    if (equal)
        return r == SAME_UNKNOWN ? SAME_YES : r;
    if (a->kind == REF_GOT_MAYBE)
        return SAME_NO;
    return r == SAME_YES && a->kind == REF_MAYBE && !is_evident(m, a1, a2) ? SAME_NO : r;
}
