/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What runs from a state and runs on an input have in common. Inside src/poc only. */
#ifndef POC_CONFIRM_H
#define POC_CONFIRM_H

#include "poc/poc.h"

/* How a run of one of the two ended. */
struct poc_did confirm_did(const struct poc_runs *r, unsigned which, const struct run_target *t,
                           const struct watch_run *w);
/* What the two did, in the rubric's words: from the outside. False: the candidate does nothing wrong there.
 */
bool confirm_compare(const struct poc_runs *r, const struct poc_did *o, const struct poc_did *n,
                     struct poc_confirmation *out);
bool confirm_same_end(const struct poc_did *x, const struct poc_did *y);
/* Whether it is known from other runs that the candidate does nothing wrong on an input, and what the
 * original does there: then not even its files have to be written. */
bool confirm_known(struct poc_runs *r, const char *digest, bool crashes, struct poc_confirmation *out,
                   struct poc_did *o);

/* What memory holds in a run that shows whether the original reads what it has not written: no small number,
 * no valid address, and no end of a text. */
enum { CONFIRM_FILL = 0xa5 };
/* Whether what the original does on an input is defined, where *o is how it ends and no crash. It is not
 * where it ends in another way when memory that nobody has written to holds something else, or where a call
 * leaves a variable or a member. */
bool confirm_defined(struct poc_runs *r, const struct poc_input *in, const char *digest,
                     const struct poc_did *o);
/* The original's side, to be executed with all checks. */
struct poc_side confirm_checks(const struct poc_runs *r);

#endif
