/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether what the original does is defined. A program that reads what it has not written, or behind a
 * variable or a member that is followed by another, mostly ends well, and what it prints then is nothing that
 * a repair has to keep. The original is run once more with memory that holds something else, and its calls of
 * the function are executed with checks. */
#include "poc/confirm.h"

struct poc_side confirm_checks(const struct poc_runs *r)
{
    struct poc_side like = *r->side[0];
    like.checked = like.members = true;
    like.signed_checked =
        false; /* of a state that is looked for (judge.c): where all is known, nothing tells what is signed */
    return like;
}

static bool is_defined(const struct poc_runs *r, const struct poc_input *in, const struct poc_did *o)
{
    struct run_target t = *r->old;
    struct watch_run w;
    struct error err;
    uint32_t reached;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    t.fill = CONFIRM_FILL;
    const uint64_t *function = r->nchanged ? r->changed : &r->side[0]->f->address;
    if (!watch_reach(&t, function, r->nchanged ? r->nchanged : 1, &reached, &w, &err))
        return false;
    const struct poc_did did = confirm_did(r, 0, &t, &w);
    const bool same = confirm_same_end(o, &did);
    watch_run_free(&w);
    t.fill = 0;
    uint64_t call;
    const struct poc_side like = confirm_checks(r);
    return same && poc_check_run(&like, &t, &call).kind == POC_NONE;
}

bool confirm_defined(struct poc_runs *r, const struct poc_input *in, const char *digest,
                     const struct poc_did *o)
{
    struct poc_here *h = r->here;
    const char *key = arena_printf(&r->memory->arena, "%s %s", r->old->scratch, digest);
    uint64_t known;
    if (strmap_get(&h->defined, key, &known))
        return known;
    const bool defined = is_defined(r, in, o);
    strmap_set(&h->defined, arena_strdup(&h->arena, key), defined);
    return defined;
}
