/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/adapt_repair.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ask/verify.h"
#include "base/file.h"

/* ---- the file ---- */

/* False: the worker sent what is no edit of such a file. */
static bool apply(struct buf *file, const struct adapt_edit *e, size_t original)
{
    enum { MOST_BEHIND = 64 };
    size_t n = strlen(e->hex) / 2;
    if (e->offset > original + MOST_BEHIND)
        return false;
    while (file->len < e->offset + n)
        buf_putc(file, '\0');
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (sscanf(e->hex + 2 * i, "%2x", &byte) != 1)
            return false;
        file->data[e->offset + i] = (char)byte;
    }
    return true;
}

static bool write_patched(const struct ask_adapt_answer *a, struct error *err)
{
    const char *from = a->adapted.target_file, *to = a->q->output;
    struct buf bytes = BUF_INIT;
    struct stat st, there;
    bool ok = file_read(from, SIZE_MAX - 1, &bytes, err) &&
              (stat(from, &st) == 0 || error_set(err, ERROR_INPUT, "%s: %s", from, strerror(errno)));
    if (ok && stat(to, &there) == 0 && there.st_dev == st.st_dev && there.st_ino == st.st_ino)
        ok = error_set(err, ERROR_USAGE, "%s: the file itself is not written over; name another", to);
    size_t original = bytes.len;
    for (size_t i = 0; ok && i < a->adapted.nedits; i++)
        ok = apply(&bytes, &a->adapted.edit[i], original) ||
             error_set(err, ERROR_SYSTEM, "%s: the worker sent nonsense", from);
    if (ok && !file_write(to, bytes.data, bytes.len, err)) {
        err->kind = ERROR_USAGE; /* the output is an argument */
        ok = false;
    }
    ok = ok && (chmod(to, st.st_mode & 0777) == 0 ||
                error_set(err, ERROR_SYSTEM, "cannot write %s: %s", to, strerror(errno)));
    buf_free(&bytes);
    return ok;
}

/* ---- what verify says of it ---- */

/* The name that the adapter's code has there. */
#define ADAPTER "adapter of assay"

/* Of the one function that was asked about. Where the adapter counts as a call, nothing is said of what it
 * does. */
static void sum_up(struct ask_adapt_answer *a, const struct ask_verify_answer *v)
{
    a->verify = v->verdict;
    a->verified = true;
    if (v->file.len != 1 || v->file.data[0].function.len != 1)
        return;
    const struct verify_result *r = &v->file.data[0].function.data[0].result;
    bool followed = true;
    for (size_t i = 0; r->verdict == VERIFY_UNSAFE && i < r->ndifferences; i++)
        followed = followed && !strstr(r->difference[i].what, ADAPTER);
    if (!followed) {
        a->verify = VERIFY_UNKNOWN;
        a->verify_reason = "it does not follow the jump to the adapter";
    } else if (r->verdict == VERIFY_UNSAFE && r->ndifferences) {
        const struct verify_difference *d = &r->difference[0];
        a->verify_reason = arena_printf(&a->arena, "%s differs%s%s", d->what, d->condition ? " when " : "",
                                        d->condition ? d->condition : "");
    } else if (r->verdict != VERIFY_SAFE && r->reason.text) {
        a->verify_reason = arena_strdup(&a->arena, r->reason.text);
    }
}

static bool ask_about(struct ask_adapt_answer *a, const struct ask_session *session, struct error *err)
{
    const struct ask_adapt *q = a->q;
    const char *function = a->adapted.target;
    struct config *config = config_new();
    struct ask_verify v = {.old = a->adapted.target_file,
                           .new = q->output,
                           .object = q->object,
                           .function = &function,
                           .nfunctions = 1,
                           .config = config,
                           .how = {.strategy = VERIFY_CONVERGE,
                                   .heuristics = VERIFY_BY_ALL,
                                   .assume = VERIFY_ASSUME_ALL,
                                   .axioms = AXIOM_ALL,
                                   .timeout_ms = q->how.timeout_ms,
                                   .solve = {.fp_theory = true}},
                           .limits = q->limits};
    struct ask_verify_answer answer = {0};
    struct verify_knowledge *know = config_knowledge(config);
    struct verify_name name = {.new = true, .name = ADAPTER};
    for (size_t i = 0; i < a->adapted.nedits; i++)
        if (a->adapted.edit[i].adapter)
            name.address = a->adapted.edit[i].adapter;
    know->name = &name;
    know->nnames = 1;
    v.how.know = know;
    bool ok = ask_verify(&v, session, &answer, err);
    if (ok && answer.begun)
        sum_up(a, &answer);
    ask_verify_free(&answer);
    config_free(config);
    return ok;
}

bool ask_adapt_write(struct ask_adapt_answer *a, const struct ask_session *session, struct error *err)
{
    if (!write_patched(a, err))
        return false;
    a->written = a->q->output;
    return !a->q->verify || ask_about(a, session, err);
}
