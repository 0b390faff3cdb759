/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an answer of verify comes to in a few words, and which of its functions say the same.
 *
 * Functions that differ only in what every rebuild changes (line numbers passed to logging and assertions,
 * version strings, the place of a field) and functions that several programs of a package share are told
 * once. This decides how an answer is told, never a verdict. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ask/verify.h"
#include "base/map.h"

/* ---- differences that every rebuild makes ---- */

static bool is_number(const char *text, unsigned long long *out)
{
    char *end;
    if (!text || !isdigit((unsigned char)*text))
        return false;
    *out = strtoull(text, &end, 0);
    return !*end;
}

/* The line of "file.c:12". */
static bool line_of(const char *place, unsigned long long *out)
{
    const char *colon = place ? strrchr(place, ':') : NULL;
    return colon && is_number(colon + 1, out);
}

/* "argument 3 of __assert_fail": the callee reports, by its name. */
static bool reports(const char *what)
{
    static const char *const word[] = {"assert", "log",    "err",  "warn",  "debug",
                                       "trace",  "report", "fail", "abort", "panic"};
    const char *callee = what ? strstr(what, " of ") : NULL;
    for (size_t i = 0; callee && i < sizeof word / sizeof *word; i++)
        if (strcasestr(callee + strlen(" of "), word[i]))
            return true;
    return false;
}

/* They are the lines of the calls, as debug information has them; or the callee's name and the size of
 * the numbers say so. */
static bool is_line_number(const struct verify_difference *d)
{
    enum { LINES = 100000, MOVED = 5000 };
    unsigned long long old, new, old_line, new_line;
    if (d->property != VERIFY_P4 || d->question != VERIFY_Q5 || !is_number(d->old_text, &old) ||
        !is_number(d->new_text, &new))
        return false;
    if (line_of(d->old_line, &old_line) && line_of(d->new_line, &new_line) && old == old_line && new == new_line)
        return true;
    return reports(d->what) && old && new &&old < LINES &&new < LINES &&
           (old > new ? old - new : new - old) < MOVED;
}

/* Two texts that are the same but for their numbers. `marks`: only numbers that follow one of these count. */
static bool same_but_numbers(const char *a, const char *b, const char *marks)
{
    bool differ = false;
    char before = 0;
    while (*a && *b) {
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            char *end_a, *end_b;
            unsigned long long x = strtoull(a, &end_a, 0), y = strtoull(b, &end_b, 0);
            bool same = x == y && end_a - a == end_b - b;
            if (!same && marks && !(before && strchr(marks, before)))
                return false;
            differ = differ || !same;
            a = end_a;
            b = end_b;
            before = '0';
            continue;
        }
        if (*a != *b)
            return false;
        if (*a != ' ')
            before = *a;
        a++;
        b++;
    }
    return !*a && !*b && differ;
}

static bool is_version(const struct verify_difference *d)
{
    const char *a = d->old_text, *b = d->new_text;
    return a && b && a[0] == '"' && b[0] == '"' && strchr(a, '.') && same_but_numbers(a, b, NULL);
}

static bool is_moved_field(const struct verify_difference *d)
{
    const char *a = d->old_text, *b = d->new_text;
    return a && b && strstr(a, "*)") && same_but_numbers(a, b, "+");
}

static enum ask_minor minor_of(const struct verify_difference *d)
{
    return is_line_number(d)   ? ASK_MINOR_LINES
           : is_version(d)     ? ASK_MINOR_VERSION
           : is_moved_field(d) ? ASK_MINOR_FIELD
                               : ASK_MINOR_NONE;
}

/* All differences are of one kind. */
static enum ask_minor minor_function(const struct ask_verified *f)
{
    enum ask_minor all = ASK_MINOR_NONE;
    bool first = true;
    if (f->result.verdict != VERIFY_UNSAFE)
        return ASK_MINOR_NONE;
    for (size_t i = 0; i < f->result.ndifferences; i++) {
        const struct verify_difference *d = &f->result.difference[i];
        if (d->accepted)
            continue;
        enum ask_minor one = minor_of(d);
        if (one == ASK_MINOR_NONE || (!first && one != all))
            return ASK_MINOR_NONE;
        all = one;
        first = false;
    }
    return all;
}

/* A field that moved is met in more than one function, or it is a value. */
static void group_minor(struct ask_verify_answer *a)
{
    size_t fields = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < a->file.len; i++)
            for (size_t k = 0; k < a->file.data[i].function.len; k++) {
                struct ask_verified *f = &a->file.data[i].function.data[k];
                if (pass == 0) {
                    f->minor = minor_function(f);
                    fields += f->minor == ASK_MINOR_FIELD;
                } else if (f->minor == ASK_MINOR_FIELD && fields < 2) {
                    f->minor = ASK_MINOR_NONE;
                }
            }
}

/* ---- functions that several programs share ---- */

static void put(struct buf *b, const char *text)
{
    buf_puts(b, text ? text : "-");
    buf_putc(b, '\n');
}

static void put_told(struct buf *b, const struct ask_verified *f)
{
    const struct verify_result *r = &f->result;
    put(b, f->name);
    put(b, verify_verdict_name(r->verdict));
    buf_printf(b, "%u %llu %llu\n", r->failed, (unsigned long long)f->old.size,
               (unsigned long long)f->new.size);
    put(b, r->reason.text);
    for (size_t i = 0; i < r->ndifferences; i++) {
        const struct verify_difference *d = &r->difference[i];
        buf_printf(b, "%u %u\n", d->property, d->question);
        put(b, d->what);
        put(b, d->old_text);
        put(b, d->new_text);
        put(b, d->condition);
    }
    for (size_t i = 0; i < r->nrejections; i++)
        put(b, r->rejection[i].when);
}

/* Each points to the first of its kind in a file before. */
static void group_shared(struct ask_verify_answer *a)
{
    struct strmap seen = {0};
    for (size_t i = 0; i < a->file.len; i++)
        for (size_t k = 0; k < a->file.data[i].function.len; k++) {
            struct ask_verified *f = &a->file.data[i].function.data[k];
            struct buf b = BUF_INIT;
            put_told(&b, f);
            uint64_t first = strmap_find(&seen, buf_text(&b), 0);
            if (!first) {
                strmap_set(&seen, arena_strdup(&a->arena, buf_text(&b)), ((uint64_t)i << 32 | k) + 1);
            } else if ((first - 1) >> 32 != i) {
                f->shared = true;
                f->shared_file = (size_t)((first - 1) >> 32);
                a->file.data[f->shared_file].function.data[(uint32_t)(first - 1)].also++;
            }
            buf_free(&b);
        }
    strmap_free(&seen);
}

/* ---- the headline ---- */

/* Whether a file has nothing new to run, or to work with. */
static bool has_no_code(const struct ask_verify_file *f)
{
    const struct ask_selection *s = &f->selection;
    return f->status == FILE_IDENTICAL ||
           (f->status == FILE_COMPARED && f->selected && !f->pair.error && !s->asked && !s->nadded &&
            !s->nremoved && !s->nignored && !s->not_found);
}

static uint64_t data_of(const struct ask_verify_file *f)
{
    uint64_t n = f->selection.ndata;
    for (size_t i = 0; i < f->selection.noutside; i++)
        n += f->selection.outside[i].matters;
    return n;
}

void ask_verify_headline(struct ask_verify_answer *a)
{
    struct ask_headline h = {0};
    bool no_code =
        a->file.len && a->file.len >= a->pairs && a->end.outcome == WORK_DONE && !(a->q && a->q->nfunctions);
    group_minor(a);
    group_shared(a);
    for (size_t i = 0; i < a->file.len; i++) {
        const struct ask_verify_file *f = &a->file.data[i];
        no_code = no_code && has_no_code(f);
        h.data += data_of(f);
        h.undecided += f->pair.error != NULL;
        h.undecided += f->selection.asked > f->function.len ? f->selection.asked - f->function.len : 0;
        for (size_t k = 0; k < f->function.len; k++) {
            const struct ask_verified *x = &f->function.data[k];
            h.undecided += x->result.verdict == VERIFY_UNKNOWN;
            h.bounded += x->result.verdict == VERIFY_BOUNDED;
            h.minor += x->minor != ASK_MINOR_NONE;
            h.changes += x->result.verdict == VERIFY_UNSAFE && x->minor == ASK_MINOR_NONE;
            h.rejects += x->result.verdict == VERIFY_SAFE && x->result.nrejections > 0;
            h.otherwise += x->result.verdict == VERIFY_SAFE && x->result.rejects_otherwise;
        }
    }
    h.kind = no_code && !a->all_identical                  ? ASK_NO_CODE_CHANGED
             : h.changes                                   ? ASK_BEHAVIOUR_CHANGES
             : h.undecided || a->verdict == VERIFY_UNKNOWN ? ASK_UNDECIDED
             : h.bounded                                   ? ASK_SAME_WITHIN_ROUNDS
             : h.minor                                     ? ASK_MINOR_CHANGES
             : h.rejects                                   ? ASK_ONLY_REJECTS_MORE
                                                           : ASK_SAME_BEHAVIOUR;
    a->headline = h;
}
