/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify` for people: the verdict first, then what changed in a few lines a function; and its
 * questions. */
#include <stdio.h>
#include <string.h>

#include "report/page.h"
#include "report/verify.h"

enum { BRIEF = 3, BRIEF_INPUTS = 8 };

static enum ink verdict_ink(const char *verdict)
{
    return strcmp(verdict, "safe") == 0 ? INK_GREEN : strcmp(verdict, "unsafe") == 0 ? INK_RED : INK_YELLOW;
}

static void labelled(const struct page *p, const char *label, const char *text)
{
    enum { LABEL = 9 };
    buf_puts(p->out, "      ");
    ink(p, INK_DIM, label);
    for (size_t n = strlen(label); n < LABEL; n++)
        buf_putc(p->out, ' ');
    buf_printf(p->out, "%s\n", text);
}

/* ---- a difference ---- */

static void put_change(struct buf *out, json_t *d)
{
    const char *what = str(d, "what");
    if (has(d, "old") && has(d, "new"))
        buf_printf(out, "%s: was %s, is %s", what, str(d, "old"), str(d, "new"));
    else if (has(d, "new"))
        buf_printf(out, "%s: added: %s", what, str(d, "new"));
    else if (has(d, "old"))
        buf_printf(out, "%s: removed: %s", what, str(d, "old"));
    else
        buf_puts(out, what);
}

static void put_percent(struct buf *out, json_int_t ppm)
{
    enum { PERCENT = 10000 };
    if (ppm >= PERCENT || ppm == 0)
        buf_printf(out, "%lld %%", (long long)((ppm + PERCENT / 2) / PERCENT));
    else
        buf_printf(out, "0.%04lld %%", (long long)ppm);
}

/* A bound is not rounded: 99.9999 % is not all. */
static void put_bound(struct buf *out, json_int_t ppm)
{
    enum { PERCENT = 10000, DIGITS = 4 };
    char rest[DIGITS + 2];
    snprintf(rest, sizeof rest, "%04lld", (long long)(ppm % PERCENT));
    size_t n = DIGITS;
    while (n && rest[n - 1] == '0')
        n--;
    buf_printf(out, "%lld%s%.*s %%", (long long)(ppm / PERCENT), n ? "." : "", (int)n, rest);
}

static void put_share(struct buf *out, json_t *d)
{
    enum { MILLION = 1000000 };
    json_int_t low = num(d, "share_ppm_low"), high = num(d, "share_ppm_high");
    if (json_is_integer(json_object_get(d, "share_ppm"))) {
        buf_puts(out, "about ");
        put_percent(out, num(d, "share_ppm"));
        buf_puts(out, " of inputs");
    }
    if (low > 0) {
        buf_puts(out, out->len ? "; at least " : "at least ");
        put_bound(out, low);
    }
    if (high < MILLION) {
        buf_puts(out, out->len ? "; at most " : "at most ");
        put_bound(out, high);
    }
}

static void put_where(struct buf *out, json_t *d)
{
    const char *old = has(d, "old_line") ? str(d, "old_line") : str(d, "old_site"),
               *new = has(d, "new_line") ? str(d, "new_line") : str(d, "new_site");
    if (*old && *new)
        buf_printf(out, "%s -> %s", old, new);
    else if (*old)
        buf_printf(out, "%s in the old version", old);
    else if (*new)
        buf_printf(out, "%s in the new version", new);
}

static void put_inputs(struct buf *out, json_t *d, size_t most)
{
    json_t *list = json_object_get(d, "inputs"), *e;
    size_t i, n = json_array_size(list);
    json_array_foreach(list, i, e)
    {
        if (i == most) {
            buf_printf(out, ", and %zu more", n - i);
            break;
        }
        buf_printf(out, "%s%s = %s", i ? ", " : "", str(e, "name"), str(e, "value"));
    }
}

static void text_details(const struct page *p, json_t *d)
{
    struct buf b = BUF_INIT;
    labelled(p, "when", has(d, "condition") ? str(d, "condition") : "always");
    put_share(&b, d);
    if (b.len)
        labelled(p, "share", buf_text(&b));
    buf_clear(&b);
    put_where(&b, d);
    if (b.len)
        labelled(p, "where", buf_text(&b));
    buf_clear(&b);
    put_inputs(&b, d, p->all ? SIZE_MAX : BRIEF_INPUTS);
    if (b.len)
        labelled(p, "input", buf_text(&b));
    buf_clear(&b);
    const char *replay = str(d, "replay");
    if (strcmp(replay, "replayed") == 0) {
        labelled(p, "replayed", "both versions, run on this input, do differ");
    } else if (*replay) {
        buf_printf(&b, "%s%s%s", strcmp(replay, "failed") == 0 ? "did not reproduce" : "no",
                   has(d, "replay_reason") ? ": " : "", str(d, "replay_reason"));
        labelled(p, "replayed", buf_text(&b));
    }
    buf_free(&b);
}

static void text_difference(const struct page *p, json_t *d)
{
    buf_puts(p->out, "    ");
    ink(p, is_true(d, "accepted") ? INK_DIM : INK_BOLD, str(d, "property"));
    if (has(d, "question"))
        buf_printf(p->out, " (%s)", str(d, "question"));
    if (is_true(d, "accepted"))
        buf_puts(p->out, " accepted");
    buf_putc(p->out, ' ');
    put_change(p->out, d);
    buf_putc(p->out, '\n');
    if (!is_true(d, "accepted"))
        text_details(p, d);
}

/* ---- a function ---- */

/* Exits that a heuristic takes for errors are listed one by one, not as a kind. */
static void text_exits(const struct page *p, json_t *list)
{
    enum { NAMED = 3 };
    size_t i, n = 0;
    json_t *e;
    json_array_foreach(list, i, e)
    {
        if (strcmp(str(e, "name"), "exits") != 0)
            continue;
        if (n < NAMED)
            buf_printf(p->out, "%s%s", n ? "; " : "    assumes exits: ", str(e, "text"));
        n++;
    }
    if (n > NAMED)
        buf_printf(p->out, "; and %zu more", n - NAMED);
    if (n)
        buf_putc(p->out, '\n');
}

/* A line for each with what was assumed, or only what kinds there are. */
static void text_assumptions(const struct page *p, json_t *list)
{
    size_t i;
    json_t *e;
    const char *last = "";
    if (!p->all)
        text_exits(p, list);
    json_array_foreach(list, i, e)
    {
        if (!p->all && strcmp(str(e, "name"), "exits") == 0)
            continue;
        if (p->all)
            buf_printf(p->out, "    assumes %s%s%s\n", str(e, "name"), has(e, "text") ? ": " : "",
                       str(e, "text"));
        else if (strcmp(last, str(e, "name")) != 0)
            buf_printf(p->out, "%s%s", *last ? ", " : "    assumes ", str(e, "name"));
        last = str(e, "name");
    }
    if (*last && !p->all)
        buf_putc(p->out, '\n');
}

static void text_ledger(const struct page *p, json_t *f)
{
    size_t i;
    json_t *e;
    struct buf b = BUF_INIT;
    text_assumptions(p, json_object_get(f, "assumptions"));
    json_array_foreach(json_object_get(f, "rests_on"), i, e)
        buf_printf(&b, "%s%s (%s%s)", i ? ", " : "", str(e, "name"), str(e, "verdict"),
                   is_true(e, "given_accepted") ? ", given accepted" : "");
    if (b.len)
        buf_printf(p->out, "    rests on %s\n", buf_text(&b));
    json_array_foreach(json_object_get(f, "warnings"), i, e)
    {
        buf_puts(p->out, "    ");
        ink(p, INK_YELLOW, "warning");
        buf_printf(p->out, " %s\n", json_string_value(e));
    }
    buf_free(&b);
}

/* Of what it rests on, what is given accepted differences. */
static void text_given(const struct page *p, json_t *f)
{
    size_t i, n = 0;
    json_t *e;
    json_array_foreach(json_object_get(f, "rests_on"), i, e)
    {
        if (is_true(e, "given_accepted"))
            buf_printf(p->out, "%s%s", n++ ? ", " : ", given what is accepted of ", str(e, "name"));
    }
}

/* What an input must be like for the new version to reject it. */
static void text_rejects(const struct page *p, json_t *f)
{
    size_t i;
    json_t *e;
    json_array_foreach(json_object_get(f, "now_rejects"), i, e)
    {
        buf_puts(p->out, "    ");
        ink(p, INK_BOLD, "now rejects");
        buf_printf(p->out, ": %s%s%s%s\n", has(e, "when") ? str(e, "when") : "inputs that it accepted",
                   has(e, "line") ? " (" : "", str(e, "line"), has(e, "line") ? ")" : "");
    }
}

static void text_function(const struct page *p, json_t *f)
{
    enum { SURE = 90 };
    const char *verdict = str(f, "verdict");
    json_t *old = json_object_get(f, "old"), *new = json_object_get(f, "new"), *d;
    size_t i;
    buf_puts(p->out, "  ");
    ink(p, verdict_ink(verdict), verdict);
    if (num(f, "rounds"))
        buf_printf(p->out, "(%lld)", (long long)num(f, "rounds"));
    buf_putc(p->out, ' ');
    ink(p, INK_BOLD, str(f, "name"));
    put_readable(p->out, str(f, "name"));
    if (strcmp(str(old, "name"), str(new, "name")) != 0)
        buf_printf(p->out, ", was %s,", str(old, "name"));
    buf_printf(p->out, " at %s -> %s", str(old, "address"), str(new, "address"));
    if (num(f, "sure") < SURE)
        buf_printf(p->out, ", %lld %% sure to be the same function", (long long)num(f, "sure"));
    json_t *failed = json_object_get(f, "failed");
    if (json_array_size(failed)) {
        buf_puts(p->out, ": ");
        join(p->out, ", ", failed);
        buf_puts(p->out, strcmp(verdict, "unsafe") == 0
                             ? (json_array_size(failed) == 1 ? " does not hold" : " do not hold")
                             : " not proved");
    }
    if (num(f, "accepted"))
        buf_printf(p->out, ", given %lld accepted difference%s", (long long)num(f, "accepted"),
                   plural(num(f, "accepted")));
    text_given(p, f);
    if (has(f, "reason"))
        buf_printf(p->out, ": %s", str(f, "reason"));
    if (num(f, "also_in"))
        buf_printf(p->out, "; the same in %lld other program%s", (long long)num(f, "also_in"),
                   plural(num(f, "also_in")));
    buf_putc(p->out, '\n');
    text_rejects(p, f);
    json_t *list = json_object_get(f, "differences");
    json_array_foreach(list, i, d)
    {
        if (i == BRIEF && !p->all) {
            buf_printf(p->out, "    and %zu more difference%s; --func %s shows all\n",
                       json_array_size(list) - BRIEF, plural((json_int_t)(json_array_size(list) - BRIEF)),
                       str(f, "name"));
            break;
        }
        text_difference(p, d);
    }
    if (is_true(f, "divisible"))
        buf_printf(p->out, "    divisible: every path has a partner, %lld pair%s\n",
                   (long long)num(f, "path_pairs"), plural(num(f, "path_pairs")));
    else if (json_is_false(json_object_get(f, "divisible")))
        buf_puts(p->out, "    indivisible: every path was compared with every other\n");
    text_ledger(p, f);
    if (!p->all)
        return;
    json_array_foreach(json_object_get(f, "exits"), i, d)
    {
        buf_printf(p->out, "    exit %s of the %s version: %s", str(d, "address"), str(d, "side"),
                   str(d, "class"));
        if (has(d, "by"))
            buf_printf(p->out, " by %s", str(d, "by"));
        buf_printf(p->out, ", %s%s%s\n", has(d, "why") ? str(d, "why") : str(d, "end"),
                   has(d, "when") ? " when " : "", str(d, "when"));
    }
}

/* It is told with others. */
static bool is_elsewhere(json_t *f)
{
    return has(f, "group") || has(f, "same_in");
}

/* Functions of this file that were told with another. */
static void text_shared(const struct page *p, json_t *file)
{
    size_t i, n = 0;
    json_t *e;
    if (p->all)
        return;
    json_array_foreach(json_object_get(file, "functions"), i, e)
    {
        if (has(e, "same_in") && !has(e, "group"))
            buf_printf(p->out, "%s%s (%s)", n++ ? ", " : "  as told above: ", str(e, "name"),
                       str(e, "verdict"));
    }
    if (n)
        buf_putc(p->out, '\n');
}

/* Functions that differ only in what every rebuild changes: each once, with how many programs have it. */
static void text_group(const struct page *p, json_t *files, const char *group, const char *what)
{
    enum { NAMED = 12 };
    size_t i, k, n = 0, functions = 0;
    json_t *file, *f;
    struct buf names = BUF_INIT;
    json_array_foreach(files, i, file) json_array_foreach(json_object_get(file, "functions"), k, f)
    {
        if (strcmp(str(f, "group"), group) != 0)
            continue;
        functions++;
        if (has(f, "same_in"))
            continue;
        if (n < NAMED)
            buf_printf(&names, "%s%s", n ? ", " : "", str(f, "name"));
        if (n < NAMED && num(f, "also_in"))
            buf_printf(&names, " (in %lld programs)", (long long)num(f, "also_in") + 1);
        n++;
    }
    if (n > NAMED)
        buf_printf(&names, ", and %zu more", n - NAMED);
    if (functions)
        buf_printf(p->out, "\n%zu function%s differ%s only in %s: %s\n", functions,
                   plural((json_int_t)functions), functions == 1 ? "s" : "", what, buf_text(&names));
    buf_free(&names);
}

static void text_places(const struct page *p, json_t *list, const char *what)
{
    size_t i;
    json_t *e;
    json_array_foreach(list, i, e)
    {
        buf_puts(p->out, "  ");
        ink(p, INK_DIM, what);
        if (json_is_string(e))
            buf_printf(p->out, " %s\n", json_string_value(e));
        else {
            buf_printf(p->out, " %s", str(e, "name"));
            put_readable(p->out, str(e, "name"));
            buf_printf(p->out, " at %s\n", str(e, "address"));
        }
    }
}

static void text_file(const struct page *p, json_t *file, bool single)
{
    json_t *old = json_object_get(file, "old"), *new = json_object_get(file, "new"), *e;
    const char *status = str(file, "status"), *verdict = str(file, "verdict");
    size_t i;
    if (!single) {
        buf_putc(p->out, '\n');
        ink(p, INK_BOLD, str(json_is_object(new) ? new : old, "path"));
        if (is_true(file, "renamed"))
            buf_printf(p->out, ", was %s", str(old, "path"));
        buf_puts(p->out, ": ");
        if (strcmp(status, "compared") == 0)
            ink(p, verdict_ink(verdict), verdict);
        else
            buf_puts(p->out, status);
        if (strcmp(status, "removed") == 0)
            buf_printf(p->out, " (%s)", verdict);
        buf_putc(p->out, '\n');
    }
    if (json_object_get(file, "error"))
        buf_printf(p->out, "  not compared: %s\n", str(file, "error"));
    if (strcmp(status, "compared") == 0)
        json_array_foreach(json_object_get(file, "reasons"), i, e)
        {
            buf_puts(p->out, "  ");
            ink(p, INK_YELLOW, "unknown");
            buf_printf(p->out, " %s\n", json_string_value(e));
        }
    json_array_foreach(json_object_get(file, "outside"), i,
                       e) if (!json_is_true(json_object_get(e, "matters")))
        buf_printf(p->out, "  note %s\n", str(e, "text"));
    static const char *const order[] = {"unsafe", "unknown", "bounded", "safe"};
    for (int k = 0; k < 4; k++)
        json_array_foreach(json_object_get(file, "functions"), i, e)
        {
            if (strcmp(str(e, "verdict"), order[k]) == 0 && (p->all || !is_elsewhere(e)))
                text_function(p, e);
        }
    text_shared(p, file);
    text_places(p, json_object_get(file, "added"), "added");
    text_places(p, json_object_get(file, "removed"), "removed");
    text_places(p, json_object_get(file, "ignored"), "ignored");
    json_array_foreach(json_object_get(file, "data"), i, e) buf_printf(
        p->out, "  data %s%sat %s -> %s changed: %s, now %s\n", str(e, "name"), has(e, "name") ? " " : "",
        str(e, "old"), str(e, "new"), str(e, "old_content"), str(e, "new_content"));
}

/* ---- the whole ---- */

static void text_verdict(const struct page *p, json_t *doc, size_t files)
{
    const char *verdict = str(doc, "verdict");
    json_t *s = json_object_get(doc, "summary");
    json_int_t asked = num(s, "safe") + num(s, "unsafe") + num(s, "unknown") + num(s, "bounded");
    ink(p, verdict_ink(verdict), report_verdict_text(verdict));
    if (num(s, "accepted"))
        buf_printf(p->out, ", given %lld accepted difference%s", (long long)num(s, "accepted"),
                   plural(num(s, "accepted")));
    else if (num(s, "given_accepted"))
        buf_puts(p->out, ", given differences that were accepted");
    buf_printf(p->out, ": %lld function%s changed", (long long)asked, plural(asked));
    if (asked) {
        buf_printf(p->out, " (%lld safe, %lld unsafe, %lld unknown", (long long)num(s, "safe"),
                   (long long)num(s, "unsafe"), (long long)num(s, "unknown"));
        if (num(s, "bounded"))
            buf_printf(p->out, ", %lld bounded", (long long)num(s, "bounded"));
        buf_putc(p->out, ')');
    }
    buf_printf(p->out, ", %lld added, %lld removed, %lld identical", (long long)num(s, "added"),
               (long long)num(s, "removed"), (long long)num(s, "identical"));
    if (num(s, "ignored"))
        buf_printf(p->out, ", %lld ignored", (long long)num(s, "ignored"));
    if (files > 1)
        buf_printf(p->out, "; %zu files", files);
    if (json_is_false(json_object_get(doc, "complete")))
        buf_printf(p->out, "; not complete: %s", str(doc, "reason"));
    buf_putc(p->out, '\n');
}

void report_verify_text(json_t *doc, bool color, struct buf *out)
{
    json_t *files = json_object_get(doc, "files"), *f;
    size_t i, n = json_array_size(files);
    struct page p = {out, color,
                     json_array_size(json_object_get(json_object_get(doc, "input"), "functions")) != 0};
    if (strcmp(str(doc, "reason"), "identical") == 0) {
        ink(&p, INK_GREEN, "safe");
        buf_puts(out,
                 n == 1 ? ": identical, both are the same file\n" : ": identical, all files are the same\n");
        return;
    }
    text_verdict(&p, doc, n);
    json_t *headline = json_object_get(doc, "headline");
    if (!p.all) {
        buf_puts(out, "  ");
        ink(&p, INK_BOLD, str(headline, "text"));
        buf_putc(out, '\n');
    }
    json_array_foreach(files, i, f) text_file(&p, f, is_single(files));
    if (!p.all) {
        text_group(&p, files, "line numbers", "line numbers passed to logging and assertions");
        text_group(&p, files, "version strings", "version strings");
        text_group(&p, files, "moved field", "where a structure's field lies");
    }
    json_t *remedies = report_verify_remedies(doc);
    json_array_foreach(remedies, i, f)
        buf_printf(out, "  remedy for %s: %s\n", str(f, "for"), str(f, "remedy"));
    json_decref(remedies);
}

void report_verify_stats_text(json_t *doc, struct buf *out)
{
    json_t *sum = json_object(), *file, *f, *n;
    size_t i, k;
    const char *name;
    json_array_foreach(json_object_get(doc, "files"), i, file)
        json_array_foreach(json_object_get(file, "functions"), k, f)
            json_object_foreach(json_object_get(f, "stats"), name, n)
                json_object_set_new(sum, name, json_integer(num(sum, name) + json_integer_value(n)));
    put_counters(out, sum);
    json_decref(sum);
}

/* ---- questions ---- */

void report_verify_question_text(json_t *question, bool explain, struct buf *out)
{
    struct page p = {out, false, true};
    if (!explain) {
        buf_printf(out, "\n%s: %s\n  ", str(question, "function"), str(question, "asks"));
        put_change(out, question);
        buf_putc(out, '\n');
        return;
    }
    struct buf b = BUF_INIT;
    labelled(&p, "when", has(question, "condition") ? str(question, "condition") : "always");
    put_where(&b, question);
    if (b.len)
        labelled(&p, "where", buf_text(&b));
    buf_clear(&b);
    put_inputs(&b, question, SIZE_MAX);
    if (b.len)
        labelled(&p, "input", buf_text(&b));
    labelled(&p, "property", str(question, "property"));
    labelled(&p, "key", str(question, "key"));
    buf_free(&b);
}
