/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Most of what a candidate decides the original decided, too, by the same condition. A class that has it the
 * other way round is left with it; where no class is left on one of the two ways, the other one is gone
 * without asking. */
#include "poc/follow.h"

#include <stdlib.h>

struct poc_follow {
    size_t words;  /* of a set of classes */
    struct map at; /* by literal: 1 + where the set of classes that it contradicts begins */
    VEC(uint64_t) sets;
    uint64_t *left; /* classes that a state can still be in */
};

struct poc_follow *follow_new(const struct poc_side *original)
{
    enum { MOST = 1024 };
    const size_t n = original->class.len, words = (n + 63) / 64;
    if (!poc_side_tells(original) || n > MOST)
        return NULL;
    struct poc_follow *f = xcalloc(1, sizeof *f);
    f->words = words;
    f->left = xcalloc(words, sizeof *f->left);
    for (size_t i = 0; i < n; i++) {
        const struct exec_path *p = original->class.data[i].path;
        for (unsigned k = 0; k < p->nliterals; k++) {
            const term other = term_not(original->t, p->literal[k]);
            uint64_t at = map_find(&f->at, other, 0);
            if (!at) {
                at = 1 + f->sets.len;
                map_set(&f->at, other, at);
                for (size_t w = 0; w < words; w++)
                    vec_push(&f->sets, 0);
            }
            f->sets.data[at - 1 + i / 64] |= UINT64_C(1) << i % 64;
        }
    }
    /* nothing is compared with an end that nobody knows */
    for (size_t i = 0; i < n; i++)
        if (original->class.data[i].known)
            f->left[i / 64] |= UINT64_C(1) << i % 64;
    return f;
}

void follow_free(struct poc_follow *f)
{
    if (!f)
        return;
    map_free(&f->at);
    vec_free(&f->sets);
    free(f->left);
    free(f);
}

struct state_left {
    const struct poc_follow *f;
    uint64_t *left;
};

static void see_literal(void *ctx, term literal)
{
    const struct state_left *s = ctx;
    const uint64_t at = map_find(&s->f->at, literal, 0);
    for (size_t w = 0; at && w < s->f->words; w++)
        s->left[w] &= ~s->f->sets.data[at - 1 + w];
}

/* Whether a class is left, with one more literal. */
static bool any_left(const struct poc_follow *f, const uint64_t *left, term literal)
{
    const uint64_t at = map_find(&f->at, literal, 0);
    for (size_t w = 0; w < f->words; w++)
        if (left[w] & ~(at ? f->sets.data[at - 1 + w] : 0))
            return true;
    return false;
}

enum exec_choice follow_choose(void *ctx, struct exec_moment *at, const struct flow_function *function,
                               term cond, uint32_t from, uint32_t to)
{
    (void)function, (void)from, (void)to;
    const struct poc_side *side = ctx;
    const struct poc_follow *f = side->follow;
    const term other = term_not(side->t, cond);
    if (!map_get(&f->at, cond, NULL) && !map_get(&f->at, other, NULL))
        return EXEC_CHOICE_BOTH;
    struct state_left s = {f, xcalloc(f->words, sizeof *s.left)};
    for (size_t w = 0; w < f->words; w++)
        s.left[w] = f->left[w];
    moment_literals(at, see_literal, &s);
    const bool yes = any_left(f, s.left, cond), no = any_left(f, s.left, other);
    free(s.left);
    return yes == no ? EXEC_CHOICE_BOTH : yes ? EXEC_CHOICE_HOLDS : EXEC_CHOICE_NOT;
}
