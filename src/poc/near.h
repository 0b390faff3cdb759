/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Paths near that of the proof of concept (near.c). Inside src/poc only. */
#ifndef POC_NEAR_H
#define POC_NEAR_H

#include "poc/poc.h"

/* Before an exploration: it follows models up to the first that is NULL, or where there is none the values of
 * the snapshot; at most so many decisions are others, and for the original one more by which a number is what
 * it has to be. */
void near_begin(struct poc_side *side, const struct term_model *const *first, unsigned nfirst, unsigned most);
void near_free(struct poc_near *n);
/* Whether there may be more paths with as many decisions. */
bool near_left_out(const struct poc_near *n);
/* Values with which the condition of a path holds, of which there may be several; how many. They live as long as the
 * side. */
unsigned near_guides(const struct poc_side *side, term condition, const struct term_model **out, unsigned most);
/* explore_hooks.choose */
enum exec_choice near_choose(void *ctx, struct exec_moment *at, const struct flow_function *f, term cond, uint32_t from,
                             uint32_t to);
/* Before the guarding allocator is called: the block is about as large as it is on the proof of concept. */
void near_allocates(struct poc_side *side, struct exec_moment *at);
/* How large a block of that size may be; false: nobody knows. */
bool near_size(const struct poc_side *side, term size, uint64_t *most);

#endif
