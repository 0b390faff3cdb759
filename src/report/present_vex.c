/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay present` as OpenVEX 0.2.0 (openvex.dev), one statement for each patch and program, and as SARIF
 * results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "assay/assay.h"
#include "base/sha256.h"
#include "report/page.h"
#include "report/present.h"
#include "report/sarif.h"

/* ---- OpenVEX ---- */

/* "pkg:generic/libfoo.so?checksum=sha256:..." */
static json_t *product(json_t *r)
{
    struct buf id = BUF_INIT;
    const char *name = strrchr(str(r, "target"), '/');
    json_t *uri = sarif_uri(name ? name + 1 : str(r, "target")), *j = json_object();
    buf_printf(&id, "pkg:generic/%s", json_string_value(uri));
    json_decref(uri);
    if (has(r, "sha256")) {
        buf_printf(&id, "?checksum=sha256:%s", str(r, "sha256"));
        json_object_set_new(j, "hashes", json_pack("{s:s}", "sha-256", str(r, "sha256")));
    }
    json_object_set_new(j, "@id", json_string(buf_text(&id)));
    buf_free(&id);
    return j;
}

/* A side of a feature, where the target has it. */
static void put_found(struct buf *out, const char *label, json_t *side)
{
    if (!is_true(side, "found"))
        return;
    buf_printf(out, "; decided by what is there %s: %s", label, str(side, "feature"));
    if (has(side, "line"))
        buf_printf(out, " (%s)", str(side, "line"));
    buf_printf(out, ", at %s", str(side, "address"));
}

/* How sure it is, and by what: a reader has nothing but the document. */
static json_t *notes(json_t *r)
{
    struct buf b = BUF_INIT;
    json_t *f, *e;
    size_t i, k;
    buf_printf(&b, "assay present: %s, confidence %.2f", str(r, "verdict"),
               json_number_value(json_object_get(r, "confidence")));
    if (has(r, "reason"))
        buf_printf(&b, ": %s", str(r, "reason"));
    json_array_foreach(json_object_get(r, "functions"), i, f)
    {
        buf_printf(&b, ". %s: %s", str(f, "name"), str(f, "verdict"));
        if (has(f, "reason"))
            buf_printf(&b, ": %s", str(f, "reason"));
        json_array_foreach(json_object_get(r, "features"), k, e)
        {
            if (!is_true(e, "decided") || strcmp(str(e, "function"), str(f, "name")) != 0)
                continue;
            put_found(&b, "before the patch", json_object_get(e, "old"));
            put_found(&b, "after it", json_object_get(e, "new"));
        }
    }
    json_t *j = json_string(buf_text(&b));
    buf_free(&b);
    return j;
}

/* Whether a function is one that nothing of the patch is in. */
static bool is_vulnerable(json_t *r, const char *function)
{
    json_t *f;
    size_t i;
    json_array_foreach(json_object_get(r, "functions"), i, f)
    {
        if (strcmp(str(f, "name"), function) == 0)
            return strcmp(str(f, "verdict"), "vulnerable") == 0;
    }
    return false;
}

/* What is missing, one after the other. */
static void put_missing(struct buf *out, json_t *r)
{
    json_t *p;
    size_t i, n = 0;
    json_array_foreach(json_object_get(r, "functions"), i, p)
    {
        if (is_vulnerable(r, str(p, "name")))
            buf_printf(out, "%s nothing of it is in %s", n++ ? ";" : "", str(p, "name"));
    }
    json_array_foreach(json_object_get(r, "parts"), i, p)
    {
        if (strcmp(str(p, "state"), "missing") != 0 || is_vulnerable(r, str(p, "function")))
            continue;
        buf_printf(out, "%s %s in %s", n++ ? ";" : "", str(p, "feature"), str(p, "function"));
        if (has(p, "line"))
            buf_printf(out, " (%s)", str(p, "line"));
        buf_puts(out, strcmp(str(p, "change"), "removed") == 0 ? " is still there" : " is missing");
    }
}

static json_t *action(json_t *r, bool partly)
{
    struct buf b = BUF_INIT;
    buf_puts(&b, partly ? "Only a part of the fix is in this build:" : "The fix is not in this build");
    if (partly)
        put_missing(&b, r);
    buf_puts(&b, partly ? ". Install one that has all of it, or rebuild from patched source."
                        : ": install one that has it, or rebuild from patched source.");
    json_t *j = json_string(buf_text(&b));
    buf_free(&b);
    return j;
}

static json_t *statement(json_t *r)
{
    const char *verdict = str(r, "verdict");
    json_t *j =
        json_pack("{s:{s:s}, s:[o]}", "vulnerability", "name", str(r, "patch"), "products", product(r));
    if (strcmp(verdict, "patched") == 0) {
        json_object_set_new(j, "status", json_string("fixed"));
    } else if (present_is_unfixed(verdict)) {
        json_object_set_new(j, "status", json_string("affected"));
        json_object_set_new(j, "action_statement", action(r, strcmp(verdict, "vulnerable") != 0));
    } else if (strcmp(verdict, "not-there") == 0) {
        json_object_set_new(j, "status", json_string("not_affected"));
        json_object_set_new(j, "justification", json_string("vulnerable_code_not_present"));
    } else {
        json_object_set_new(j, "status", json_string("under_investigation"));
    }
    json_object_set_new(j, "status_notes", notes(r));
    return j;
}

/* The time of the document is part of the format; SOURCE_DATE_EPOCH makes it repeatable. */
static void time_text(char *out, size_t cap)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(out, cap, "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void report_present_openvex(json_t *doc, struct buf *out)
{
    json_t *list = json_array(), *r;
    char stamp[64], hex[SHA256_HEX], id[128];
    size_t i;
    json_array_foreach(json_object_get(doc, "results"), i, r) json_array_append_new(list, statement(r));
    char *text = json_dumps(list, JSON_SORT_KEYS);
    sha256_hex(text ? text : "", text ? strlen(text) : 0, hex);
    free(text);
    time_text(stamp, sizeof stamp);
    snprintf(id, sizeof id, "https://openvex.dev/docs/assay-%s", hex);
    json_t *vex = json_pack("{s:s, s:s, s:s, s:s, s:s, s:i, s:o}", "@context",
                            "https://openvex.dev/ns/v0.2.0", "@id", id, "author", "assay", "timestamp", stamp,
                            "tooling", "assay " ASSAY_VERSION, "version", 1, "statements", list);
    text = json_dumps(vex, JSON_INDENT(2));
    buf_printf(out, "%s\n", text ? text : "{}");
    free(text);
    json_decref(vex);
}

/* ---- SARIF ---- */

enum { RULE_VULNERABLE, RULE_UNDECIDED };
static const char *const rule_id[] = {"assay/vulnerable", "assay/undecided"};

static json_t *rules(void)
{
    return json_pack("[{s:s, s:s, s:{s:s}, s:{s:s}}, {s:s, s:s, s:{s:s}, s:{s:s}}]", "id", rule_id[0], "name",
                     "PatchMissing", "shortDescription", "text", "The patch is not in the program.",
                     "defaultConfiguration", "level", "error", "id", rule_id[1], "name", "PatchUndecided",
                     "shortDescription", "text", "It is not known whether the patch is in the program.",
                     "defaultConfiguration", "level", "warning");
}

static json_t *result(json_t *r, int which)
{
    struct buf text = BUF_INIT;
    char hex[SHA256_HEX];
    json_t *f = json_array_get(json_object_get(r, "functions"), 0);
    buf_printf(&text, "%s\n%s\n%s", str(r, "patch"), str(r, "target"), rule_id[which]);
    sha256_hex(buf_text(&text), text.len, hex);
    buf_clear(&text);
    bool partly = which == RULE_VULNERABLE && strcmp(str(r, "verdict"), "vulnerable") != 0;
    buf_printf(&text,
               partly                     ? "only a part of %s is in %s:"
               : which == RULE_VULNERABLE ? "%s is not in %s"
                                          : "it is not known whether %s is in %s",
               str(r, "patch"), str(r, "target"));
    if (partly)
        put_missing(&text, r);
    if (has(r, "reason"))
        buf_printf(&text, ": %s", str(r, "reason"));
    json_t *physical = json_pack("{s:{s:o}}", "artifactLocation", "uri", sarif_uri(str(r, "target")));
    if (has(f, "address"))
        json_object_set_new(physical, "address",
                            json_pack("{s:I, s:s}", "absoluteAddress",
                                      (json_int_t)(strtoull(str(f, "address"), NULL, 16) & INT64_MAX),
                                      "fullyQualifiedName", str(f, "name")));
    json_t *j =
        json_pack("{s:s, s:i, s:s, s:{s:s}, s:[{s:o}], s:{s:s}, s:{s:O}}", "ruleId", rule_id[which],
                  "ruleIndex", which, "level", which == RULE_VULNERABLE ? "error" : "warning", "message",
                  "text", buf_text(&text), "locations", "physicalLocation", physical, "partialFingerprints",
                  "assayPatch/v1", hex, "properties", "confidence", json_object_get(r, "confidence"));
    buf_free(&text);
    return j;
}

void report_present_sarif(json_t *doc, struct buf *out)
{
    json_t *list = json_array(), *r;
    size_t i;
    json_array_foreach(json_object_get(doc, "results"), i, r)
    {
        if (present_is_unfixed(str(r, "verdict")))
            json_array_append_new(list, result(r, RULE_VULNERABLE));
        else if (strcmp(str(r, "verdict"), "patched") != 0)
            json_array_append_new(list, result(r, RULE_UNDECIDED));
    }
    sarif_put(out, doc, rules(), list);
}
