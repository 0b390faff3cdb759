/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rewriting: tries the rules of an operator in the order of TERM_RULES, remembers what came of it.
 *
 * A rule builds its result with the same constructors, so rewriting nests; the nesting and the number of
 * constructors run for one call from outside are bounded (REWRITE_DEPTH, REWRITE_FUEL). When either bound is
 * reached nodes are made as they are: still right, only less simple, and not remembered. */
#include <string.h>

#include "term/internal.h"

enum { MEMO_FIRST = 1 << 12, MEMO_LAST = 1 << 18 };

static const struct {
    term_rule_fn *fn;
    uint64_t on;
    struct term_rule_info info;
} rule_table[TERM_RULE_COUNT_] = {
#define RULE_ROW(id, ops, text) {rule_##id, ops, {#id, text}},
    TERM_RULES(RULE_ROW)
#undef RULE_ROW
};

void rewrite_init(struct terms *t)
{
    _Static_assert(TERM_RULE_COUNT_ <= UINT8_MAX, "rule numbers fit the lists");
    _Static_assert(TERM_KIND_COUNT_ <= 64, "kinds fit the sets of the rules");
    for (unsigned i = 0; i < TERM_RULE_COUNT_; i++) {
        for (unsigned op = 0; op < TERM_KIND_COUNT_; op++) {
            if (!(rule_table[i].on >> op & 1))
                continue;
            assert(t->rule_len[op] < RULES_PER_OP);
            t->rule_list[op][t->rule_len[op]++] = (uint8_t)i;
        }
    }
    t->memo_cap = MEMO_FIRST;
    t->memo = xcalloc(t->memo_cap, sizeof *t->memo);
    t->generation = 1;
}

bool rule_on(const struct terms *t, enum term_rule_id id)
{
    return !t->rule_off[id];
}

void rule_count(struct terms *t, enum term_rule_id id)
{
    t->fired[id]++;
    t->rewrites++;
}

static size_t memo_slot(const struct terms *t, const struct form *f)
{
    uint64_t h = (uint64_t)f->op << 48 | (uint64_t)f->width << 32 | f->lo;
    h = (h ^ (uint64_t)f->kid[0] << 20) * 0x9e3779b97f4a7c15u;
    h = (h ^ h >> 31 ^ f->kid[1]) * 0xd6e8feb86659fd93u;
    h = (h ^ h >> 29 ^ (uint64_t)f->kid[2] << 7 ^ f->kid[3]) * 0x9e3779b97f4a7c15u;
    return (h >> 32) & (t->memo_cap - 1);
}

/* Forgetting on growth is fine: it is a cache. */
static void memo_grow(struct terms *t)
{
    if (t->memo_cap >= MEMO_LAST || t->count < t->memo_cap)
        return;
    free(t->memo);
    t->memo_cap *= 4;
    t->memo = xcalloc(t->memo_cap, sizeof *t->memo);
}

static term plain_node(struct terms *t, const struct form *f)
{
    return table_cons(
        t,
        &(struct term_key){.kind = f->op, .sort = f->width, .aux = f->lo, .kid = f->kid, .nkids = f->nkids});
}

static term rewrite(struct terms *t, const struct form *f)
{
    for (unsigned i = 0; i < t->rule_len[f->op]; i++) {
        unsigned r = t->rule_list[f->op][i];
        if (t->rule_off[r])
            continue;
        term x = rule_table[r].fn(t, f);
        if (x != TERM_NONE) {
            rule_count(t, (enum term_rule_id)r);
            return x;
        }
    }
    return plain_node(t, f);
}

term rewrite_build(struct terms *t, const struct form *f)
{
    if (t->depth == 0) {
        t->fuel = REWRITE_FUEL;
        t->starved = false;
    }
    if (t->depth >= REWRITE_DEPTH || t->fuel == 0) {
        t->starved = true;
        return plain_node(t, f);
    }
    memo_grow(t);
    size_t at = memo_slot(t, f);
    if (t->memo[at].generation == t->generation && memcmp(&t->memo[at].form, f, sizeof *f) == 0)
        return t->memo[at].result;
    t->fuel--;
    t->depth++;
    term x = rewrite(t, f);
    t->depth--;
    if (!t->starved) {
        at = memo_slot(t, f); /* the cache may have grown meanwhile */
        t->memo[at] = (struct form_memo){*f, x, t->generation};
    }
    return x;
}

size_t term_rule_count(void)
{
    return TERM_RULE_COUNT_;
}

struct term_rule_info term_rule(size_t i)
{
    assert(i < TERM_RULE_COUNT_);
    return rule_table[i].info;
}

uint64_t terms_rule_fired(const struct terms *t, size_t i)
{
    assert(i < TERM_RULE_COUNT_);
    return t->fired[i];
}

void terms_rule_enable(struct terms *t, size_t i, bool on)
{
    assert(i < TERM_RULE_COUNT_);
    t->rule_off[i] = !on;
    t->generation++;
}

/* ---- constants ---- */

term rule_fold(struct terms *t, const struct form *f)
{
    struct bits arg[OP_MAX_ARITY];
    unsigned width[OP_MAX_ARITY];
    for (unsigned i = 0; i < f->nkids; i++) {
        if (!term_const_value(t, f->kid[i], &arg[i]))
            return TERM_NONE;
        width[i] = width_of(t, f->kid[i]);
    }
    return table_const(t, f->width, bits_apply((enum op)f->op, f->width, arg, width, f->lo));
}
