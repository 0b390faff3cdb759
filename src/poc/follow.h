/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A candidate is followed where the original was: a path that decides something else than each class of the
 * original that it could still be in meets none of them, and nothing is compared there. */
#ifndef POC_FOLLOW_H
#define POC_FOLLOW_H

#include "poc/poc.h"

/* NULL: the original has no classes, or too many. */
struct poc_follow *follow_new(const struct poc_side *original);
void follow_free(struct poc_follow *f);
/* explore_hooks.choose: ctx is the candidate's side. */
enum exec_choice follow_choose(void *ctx, struct exec_moment *at, const struct flow_function *f, term cond,
                               uint32_t from, uint32_t to);

#endif
