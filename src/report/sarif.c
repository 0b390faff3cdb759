/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay verify` as SARIF 2.1.0 (OASIS, 2020): one result a difference, and one a function without a verdict.
 * Rule ids are stable; fingerprints come from the keys of differences, which hold no addresses, so a result
 * keeps its identity from build to build. */
#include <stdlib.h>
#include <string.h>

#include "assay/assay.h"
#include "base/sha256.h"
#include "report/page.h"
#include "report/poc.h"
#include "report/present.h"
#include "report/sarif.h"
#include "report/verify.h"

static const struct {
    const char *id, *name, *text, *help;
} rule[] = {
    {"assay/P1", "AcceptsMoreInput", "The new version accepts input that the old one rejects.",
     "The set of valid inputs must not grow: every input that the new version accepts, the old one "
     "accepted."},
    {"assay/P2", "WritesDiffer", "The two versions leave different memory.",
     "On valid input both versions must leave the same memory outside their own frames."},
    {"assay/P3", "ReturnValueDiffers", "The two versions return different values.",
     "On valid input both versions must return the same value."},
    {"assay/P4", "CallsDiffer", "The two versions make different calls.",
     "On valid input both versions must make the same calls, in the same order, with the same arguments."},
    {"assay/file", "FileDiffers", "The two files differ outside the code of functions.",
     "Dynamic linking, exports and initial values of variables must stay the same, or reduce the program's "
     "privileges."},
    {"assay/unknown", "Unknown", "Undetermined whether the change is safe.",
     "The analysis reached a limit or unsupported code; the message says which."},
};
enum { RULES = sizeof rule / sizeof *rule, RULE_UNKNOWN = RULES - 1, RULE_FILE = RULES - 2 };

static json_t *rules(void)
{
    json_t *list = json_array();
    for (int i = 0; i < RULES; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:{s:s}, s:{s:s}, s:{s:s}}", "id", rule[i].id,
                                              "name", rule[i].name, "shortDescription", "text", rule[i].text,
                                              "help", "text", rule[i].help, "defaultConfiguration", "level",
                                              i >= RULE_FILE ? "warning" : "error"));
    return list;
}

json_t *sarif_uri(const char *path)
{
    struct buf b = BUF_INIT;
    for (const unsigned char *p = (const unsigned char *)path; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                     strchr("-._~/+,=@", *p);
        buf_printf(&b, plain ? "%c" : "%%%02X", *p);
    }
    json_t *j = json_string(buf_text(&b));
    buf_free(&b);
    return j;
}

/* "file.c:12" when debug information had it, else the program and the address in it. */
static json_t *location(const char *program, json_t *f, const char *line, const char *address)
{
    json_t *physical = json_object();
    const char *colon = strrchr(line, ':');
    long number = colon ? strtol(colon + 1, NULL, 10) : 0;
    if (number > 0) {
        struct buf file = BUF_INIT;
        buf_put(&file, line, (size_t)(colon - line));
        json_object_set_new(physical, "artifactLocation",
                            json_pack("{s:o}", "uri", sarif_uri(buf_text(&file))));
        json_object_set_new(physical, "region", json_pack("{s:I}", "startLine", (json_int_t)number));
        buf_free(&file);
    } else {
        json_object_set_new(physical, "artifactLocation", json_pack("{s:o}", "uri", sarif_uri(program)));
    }
    if (*address)
        json_object_set_new(physical, "address",
                            json_pack("{s:I, s:s}", "absoluteAddress",
                                      (json_int_t)(strtoull(address, NULL, 16) & INT64_MAX),
                                      "fullyQualifiedName", str(f, "name")));
    return json_pack("{s:o, s:[{s:s, s:s}]}", "physicalLocation", physical, "logicalLocations", "name",
                     str(f, "name"), "kind", "function");
}

static json_t *fingerprint(const char *function, const char *rule_id, const char *key)
{
    struct buf b = BUF_INIT;
    buf_printf(&b, "%s\n%s\n%s", function, rule_id, key);
    char hex[65];
    sha256_hex(buf_text(&b), b.len, hex);
    buf_free(&b);
    return json_pack("{s:s}", "assayDifference/v1", hex);
}

static json_t *result(int which, json_t *message, json_t *place, json_t *f, const char *key)
{
    return json_pack("{s:s, s:i, s:s, s:{s:o}, s:[o], s:o}", "ruleId", rule[which].id, "ruleIndex", which,
                     "level", which >= RULE_FILE ? "warning" : "error", "message", "text", message,
                     "locations", place, "partialFingerprints",
                     fingerprint(str(f, "name"), rule[which].id, key));
}

static int rule_of(json_t *d)
{
    const char *property = str(d, "property");
    return property[0] == 'P' && property[1] >= '1' && property[1] <= '4' ? property[1] - '1' : RULE_UNKNOWN;
}

static json_t *difference(const char *program, json_t *f, json_t *d)
{
    struct buf text = BUF_INIT;
    buf_printf(&text, "%s: %s", str(f, "name"), str(d, "what"));
    if (json_is_string(json_object_get(d, "old")))
        buf_printf(&text, "; was %s", str(d, "old"));
    if (json_is_string(json_object_get(d, "new")))
        buf_printf(&text, "; is %s", str(d, "new"));
    if (json_is_string(json_object_get(d, "condition")))
        buf_printf(&text, "; when %s", str(d, "condition"));
    json_t *inputs = json_object_get(d, "inputs"), *e;
    size_t i;
    json_array_foreach(inputs, i, e)
        buf_printf(&text, "%s%s = %s", i ? ", " : "; for example ", str(e, "name"), str(e, "value"));
    json_t *j =
        result(rule_of(d), json_string(buf_text(&text)),
               location(program, f, str(d, "new_line"),
                        *str(d, "new_site") ? str(d, "new_site") : str(json_object_get(f, "new"), "address")),
               f, *str(d, "key") ? str(d, "key") : str(d, "what"));
    buf_free(&text);
    json_object_set_new(j, "properties",
                        json_pack("{s:O, s:O, s:O}", "key", json_object_get(d, "key"), "question",
                                  json_object_get(d, "question"), "replay", json_object_get(d, "replay")));
    if (json_is_true(json_object_get(d, "accepted")))
        json_object_set_new(j, "suppressions",
                            json_pack("[{s:s, s:s, s:s}]", "kind", "external", "status", "accepted",
                                      "justification", "accepted by the analyst"));
    return j;
}

static void add_function(json_t *results, const char *program, json_t *f)
{
    size_t i;
    json_t *d;
    json_array_foreach(json_object_get(f, "differences"), i, d)
        json_array_append_new(results, difference(program, f, d));
    const bool bounded = strcmp(str(f, "verdict"), "bounded") == 0;
    if (!bounded && strcmp(str(f, "verdict"), "unknown") != 0)
        return;
    struct buf text = BUF_INIT;
    buf_printf(&text, "%s: undetermined whether the change is safe: ", str(f, "name"));
    if (bounded)
        buf_printf(&text, "no difference in %lld rounds of loops; not proved: ", (long long)num(f, "rounds"));
    buf_puts(&text, str(f, "reason"));
    if (has(f, "remedy"))
        buf_printf(&text, "; remedy: %s", str(f, "remedy"));
    json_array_append_new(results, result(RULE_UNKNOWN, json_string(buf_text(&text)),
                                          location(program, f, "", str(json_object_get(f, "new"), "address")),
                                          f, str(f, "verdict")));
    buf_free(&text);
}

static json_t *add_note(json_t *results, int which, const char *program, const char *text)
{
    json_t *f = json_object();
    json_object_set_new(f, "name", report_string(program));
    json_t *place =
        json_pack("{s:{s:{s:o}}}", "physicalLocation", "artifactLocation", "uri", sarif_uri(program));
    json_t *j = result(which, json_string(text), place, f, text);
    json_array_append_new(results, j);
    json_decref(f);
    return j;
}

/* What is in no function; what does not matter of it is only a note. */
static void add_outside(json_t *results, const char *program, json_t *file)
{
    json_t *outside = json_object_get(file, "outside"), *e;
    size_t i;
    json_array_foreach(outside, i, e)
    {
        json_t *j = add_note(results, RULE_FILE, program, str(e, "text"));
        if (!json_is_true(json_object_get(e, "matters")))
            json_object_set_new(j, "level", json_string("note"));
        json_object_set_new(j, "properties", json_pack("{s:O}", "kind", json_object_get(e, "kind")));
    }
}

static bool is_outside(json_t *file, const char *text)
{
    json_t *e;
    size_t i;
    json_array_foreach(json_object_get(file, "outside"), i,
                       e) if (strcmp(str(e, "text"), text) == 0) return true;
    return false;
}

static void add_file(json_t *results, const char *container, json_t *file)
{
    json_t *new = json_object_get(file, "new"), *e;
    const char *path = str(json_is_object(new) ? new : json_object_get(file, "old"), "path");
    const char *program = *path ? path : container;
    size_t i;
    json_array_foreach(json_object_get(file, "functions"), i, e) add_function(results, program, e);
    add_outside(results, program, file);
    json_array_foreach(json_object_get(file, "reasons"), i, e) if (!is_outside(file, json_string_value(e)))
        add_note(results, RULE_UNKNOWN, program, json_string_value(e));
    if (json_object_get(file, "error"))
        add_note(results, RULE_UNKNOWN, program, str(file, "error"));
}

static int dump(const char *bytes, size_t n, void *ctx)
{
    buf_put(ctx, bytes, n);
    return 0;
}

void sarif_put(struct buf *out, json_t *doc, json_t *rules_list, json_t *results)
{
    bool complete = !json_is_false(json_object_get(doc, "complete"));
    json_t *sarif = json_pack(
        "{s:s, s:s, s:[{s:{s:{s:s, s:s, s:s, s:o}}, s:[{s:b}], s:o, s:{s:O}}]}", "$schema",
        "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version", "2.1.0", "runs", "tool", "driver", "name", "assay", "version", ASSAY_VERSION,
        "semanticVersion", ASSAY_VERSION, "rules", rules_list, "invocations", "executionSuccessful", complete,
        "results", results, "properties", "verdict", json_object_get(doc, "verdict"));
    json_dump_callback(sarif, dump, out, JSON_INDENT(2));
    buf_putc(out, '\n');
    json_decref(sarif);
}

void report_sarif(const struct report *r, struct buf *out)
{
    json_t *doc = report_document((struct report *)r), *results, *file;
    size_t i;
    if (strcmp(str(doc, "schema"), "assay/present/1") == 0) {
        report_present_sarif(doc, out);
        return;
    }
    if (strcmp(str(doc, "schema"), "assay/poc/1") == 0) {
        report_poc_sarif(doc, out);
        return;
    }
    results = json_array();
    json_array_foreach(json_object_get(doc, "files"), i, file)
        add_file(results, str(json_object_get(doc, "input"), "new"), file);
    sarif_put(out, doc, rules(), results);
}
