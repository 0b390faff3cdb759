/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay present` (docs/present.md describes the document), and its renderers. */
#ifndef REPORT_PRESENT_H
#define REPORT_PRESENT_H

#include "present/decide.h"
#include "report/report.h"

struct report_present_patch {
    const char *name; /* what the patch is called: an identifier, or the file it came from */
    const struct reference *reference;
};

/* Adds an element to "results": one patch in one program. `target` is what the program is called. */
void report_present(const struct report_present_patch *patch, const char *target, const struct program *in,
                    const struct present_answer *a, struct report_sink sink);
/* The same for a program that could not be asked, or in which nothing was found to ask about. */
void report_present_without(const char *patch, const char *target, enum present_verdict verdict,
                            const char *reason, struct report_sink sink);
/* "verdict", "confidence" and "summary" of the whole, from the results that are in the report: the worst
 * verdict there is, and the least confidence. */
void report_present_sum(struct report *r);

/* Whether a verdict says that the fix is not in: "vulnerable" or "partially patched". */
bool present_is_unfixed(const char *verdict);

/* One page. */
void report_present_html(json_t *doc, struct buf *out);
/* OpenVEX 0.2.0: fixed, affected, not_affected or under_investigation. */
void report_present_openvex(json_t *doc, struct buf *out);
void report_present_sarif(json_t *doc, struct buf *out);
void report_present_text(json_t *doc, bool color, struct buf *out);

#endif
