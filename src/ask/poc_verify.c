/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `assay verify` says of each candidate, beside the verdict of poc, which it has no part in. */
#include <stdlib.h>
#include <string.h>

#include "ask/poc_internal.h"

/* A candidate before it that is the same code; NULL: none. */
static const struct ask_poc_candidate *same_before(const struct ask_poc_answer *a, size_t index)
{
    for (size_t i = 0; i < index && a->candidate.data[index].same_as; i++)
        if (strcmp(a->candidate.data[i].file, a->candidate.data[index].same_as) == 0)
            return &a->candidate.data[i];
    return NULL;
}

static struct ask_poc_verified *verify_one(const struct ask_poc *q, const struct ask_session *session,
                                           struct ask_poc_answer *a, const struct ask_poc_candidate *c)
{
    struct ask_poc_verified *v = xcalloc(1, sizeof *v);
    struct error err = {0};
    struct ask_verify question = *q->verify;
    question.old = a->original.data[0].path;
    question.new = c->path;
    question.function = &q->function;
    question.nfunctions = q->function != NULL;
    bool ok = ask_verify(&question, session, &v->answer, &err);
    if (ok && v->answer.end.err.text[0])
        err = v->answer.end.err;
    if (!ok || !v->answer.begun || v->answer.end.outcome == WORK_FAILED)
        v->error = arena_strdup(&a->arena, err.text[0] ? err.text : v->answer.end.reason);
    /* as the user calls them */
    v->q = question;
    v->q.old = q->old;
    v->q.new = c->file;
    v->answer.q = &v->q;
    return v;
}

void poc_verify(const struct ask_poc *q, const struct ask_session *session, struct ask_poc_answer *a)
{
    for (size_t i = 0; i < a->candidate.len && a->original.len; i++) {
        struct ask_poc_candidate *c = &a->candidate.data[i];
        const struct ask_poc_candidate *same = same_before(a, i);
        if (session && session->cancel && *session->cancel)
            break;
        if (same) {
            c->verified = same->verified;
        } else if (c->path) {
            c->verified = verify_one(q, session, a, c);
            vec_push(&a->verified, c->verified);
        }
    }
}

void poc_verify_free(struct ask_poc_answer *a)
{
    for (size_t i = 0; i < a->verified.len; i++) {
        ask_verify_free(&a->verified.data[i]->answer);
        free(a->verified.data[i]);
    }
    vec_free(&a->verified);
}
