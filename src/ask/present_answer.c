/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of present: how it travels, how it is collected, and what it comes to. */
#include <string.h>

#include "ask/present.h"

/* ---- how it travels ---- */

#define T struct ask_feature
static const struct wire_field feature_field[] = {
    WIRE_VALUE(T, has), WIRE_TEXT(T, text), WIRE_TEXT(T, line), WIRE_VALUE(T, found), WIRE_VALUE(T, address),
};
static const struct wire_type feature_type = WIRE_TYPE(T, feature_field);
#undef T

#define T struct ask_evidence
static const struct wire_field evidence_field[] = {
    WIRE_TEXT(T, function),
    WIRE_TEXT(T, kind),
    WIRE_TEXT(T, reference),
    WIRE_VALUE(T, decided),
    WIRE_VALUE(T, solved),
    WIRE_STRUCT(T, old, &feature_type),
    WIRE_STRUCT(T, new, &feature_type),
};
static const struct wire_type evidence_type = WIRE_TYPE(T, evidence_field);
#undef T

#define T struct ask_part
static const struct wire_field part_field[] = {
    WIRE_TEXT(T, function),
    WIRE_VALUE(T, added),
    WIRE_TEXT(T, text),
    WIRE_TEXT(T, line),
    WIRE_ENUM(T, state, PART_LAST + 1),
    WIRE_VALUE(T, address),
};
static const struct wire_type part_type = WIRE_TYPE(T, part_field);
#undef T

#define T struct ask_present_function
static const struct wire_field function_field[] = {
    WIRE_TEXT(T, name),
    WIRE_TEXT(T, found),
    WIRE_VALUE(T, address),
    WIRE_VALUE(T, guessed),
    WIRE_ENUM(T, verdict, PRESENT_LAST + 1),
    WIRE_VALUE(T, confidence),
    WIRE_VALUE(T, context),
    WIRE_TEXT(T, reason),
};
static const struct wire_type function_type = WIRE_TYPE(T, function_field);
#undef T

#define T struct ask_present_result
static const struct wire_field result_field[] = {
    WIRE_NAME(T, patch),
    WIRE_NAME(T, target),
    WIRE_VALUE(T, asked),
    WIRE_TEXT(T, sha256),
    WIRE_TEXT(T, build_id),
    WIRE_TEXT(T, architecture),
    WIRE_ENUM(T, verdict, PRESENT_LAST + 1),
    WIRE_VALUE(T, confidence),
    WIRE_TEXT(T, reason),
    WIRE_LIST(T, function, nfunctions, &function_type),
    WIRE_LIST(T, part, nparts, &part_type),
    WIRE_LIST(T, evidence, nevidence, &evidence_type),
};
const struct wire_type ask_present_result_type = WIRE_TYPE(T, result_field);
#undef T

#define T struct ask_executed
static const struct wire_field executed_field[] = {WIRE_NAME(T, target), WIRE_NAME(T, patch),
                                                   WIRE_VALUE(T, executed), WIRE_VALUE(T, functions)};
const struct wire_type ask_executed_type = WIRE_TYPE(T, executed_field);
#undef T

#define T struct ask_patches
static const struct wire_field patches_field[] = {WIRE_LIST(T, name, n, &wire_text)};
const struct wire_type ask_patches_type = WIRE_TYPE(T, patches_field);
#undef T

/* ---- how it is collected ---- */

bool ask_present_hear(struct ask_present_answer *a, unsigned message, const char *bytes, size_t n)
{
    struct ask_patches patches;
    struct ask_present_result r;
    struct ask_executed e;
    const char *text;
    switch (message) {
    case PRESENT_SAYS_PATCHES:
        if (!wire_get(bytes, n, &ask_patches_type, &patches, &a->arena))
            return false;
        a->begun = true;
        a->patch = patches.name;
        a->npatches = patches.n;
        return true;
    case PRESENT_SAYS_RESULT:
        if (!wire_get(bytes, n, &ask_present_result_type, &r, &a->arena))
            return false;
        vec_push(&a->result, r);
        return true;
    case PRESENT_SAYS_EXECUTED:
        if (!wire_get(bytes, n, &ask_executed_type, &e, &a->arena))
            return false;
        vec_push(&a->executed, e);
        return true;
    case PRESENT_SAYS_COMPLAINT:
        if (!wire_get(bytes, n, &wire_text, &text, &a->arena))
            return false;
        vec_push(&a->complaint, text);
        return true;
    case PRESENT_SAYS_COMPILER:
        return wire_get(bytes, n, &wire_text, &a->compiler, &a->arena);
    }
    return false;
}

void ask_present_free(struct ask_present_answer *a)
{
    vec_free(&a->result);
    vec_free(&a->executed);
    vec_free(&a->complaint);
    arena_free(&a->arena);
}

/* ---- what it comes to ---- */

/* A result of the target, or of a program in it. */
static bool is_about(const struct ask_present_result *r, const char *patch, const char *target)
{
    size_t n = strlen(target);
    return strcmp(r->patch, patch) == 0 && strncmp(r->target, target, n) == 0 &&
           (r->target[n] == '\0' || r->target[n] == ':');
}

/* Whatever ended the run: what was not asked is not known, and is said to be. */
static void answer_all(struct ask_present_answer *a)
{
    for (size_t i = 0; a->begun && i < a->q->ntargets; i++)
        for (size_t k = 0; k < a->npatches; k++) {
            bool said = false;
            for (size_t n = 0; n < a->result.len; n++)
                said = said || is_about(&a->result.data[n], a->patch[k], a->q->target[i]);
            if (!said)
                vec_push(&a->result,
                         (struct ask_present_result){.patch = a->patch[k],
                                                     .target = a->q->target[i],
                                                     .verdict = PRESENT_UNKNOWN,
                                                     .reason = "the run ended before this program was analysed"});
        }
}

void ask_present_sum(struct ask_present_answer *a)
{
    static const enum present_verdict worst[] = {PRESENT_VULNERABLE, PRESENT_PARTIAL, PRESENT_UNKNOWN,
                                                 PRESENT_NOT_THERE, PRESENT_PATCHED};
    double least[PRESENT_LAST + 1] = {1, 1, 1, 1, 1};
    answer_all(a);
    for (size_t i = 0; i < a->result.len; i++) {
        const struct ask_present_result *r = &a->result.data[i];
        a->count[r->verdict]++;
        if (r->confidence < least[r->verdict])
            least[r->verdict] = r->confidence;
    }
    a->verdict = PRESENT_UNKNOWN;
    for (size_t i = sizeof worst / sizeof *worst; i-- > 0;)
        if (a->count[worst[i]]) {
            a->verdict = worst[i];
            a->confidence = least[worst[i]];
        }
}

enum ask_status ask_present_status(const struct ask_present_answer *a)
{
    switch (a->verdict) {
    case PRESENT_PATCHED:
        return ASK_YES;
    case PRESENT_PARTIAL: /* it is not fixed */
    case PRESENT_VULNERABLE:
        return ASK_NO;
    case PRESENT_UNKNOWN:
    case PRESENT_NOT_THERE:
        break;
    }
    return ASK_UNKNOWN;
}
