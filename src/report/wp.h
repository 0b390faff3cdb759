/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report of `assay wp`: records, text, page and graphs. */
#ifndef REPORT_WP_H
#define REPORT_WP_H

#include "report/report.h"
#include "wp/wp.h"

enum wp_show {
    WP_SHOW_IR = 1,
    WP_SHOW_GOALS = 2,
    WP_SHOW_PATHS = 4,
    WP_SHOW_SMTLIB = 8,
    WP_SHOW_INTERNAL = 16,
    WP_SHOW_DIAGNOSTICS = 32,
};

struct report_wp {
    struct wp_options how;
    unsigned show; /* set of enum wp_show */
    bool stats;
    bool page; /* disassembly is needed for it */
    /* Files to write when there is a countermodel; NULL: none. */
    const char *gdb, *bildb, *debug;
};

/* The member "input": one program, or two. */
void report_wp_input(struct program *orig, struct program *mod, struct report_sink sink);
/* Adds an element to "checked". False when the question makes no sense, or a file could not be written. */
bool report_wp_function(struct program *orig, const struct flow_function *f, struct program *mod,
                        const struct flow_function *g, struct match *match, const struct report_wp *opt,
                        struct report_sink sink, struct error *err);
/* The element of a function whose worker did not finish, or which could not be asked about. */
void report_wp_failed(const char *function, const char *verdict, const char *reason, struct report_sink sink);

/* The graph of a version with the way that the countermodel takes. */
void report_wp_dot(struct program *p, const struct flow_function *f, const struct wp_run *run,
                   const char *title, struct buf *out);

void report_wp_text(json_t *doc, bool color, struct buf *out);
void report_wp_page(json_t *doc, struct buf *out);

#endif
