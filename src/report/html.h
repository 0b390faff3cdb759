/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that make the page share. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <jansson.h>
#include <stdbool.h>

#include "base/buf.h"
#include "report/layout.h"

/* Text that stands between tags or in a quoted attribute. */
void html_text(struct buf *out, const char *s);

/* The page up to its body, with the style that all pages share and `style` behind it. */
void html_head(struct buf *out, const char *title, const char *style, bool scripts);

/* A drawing of a graph that was laid out, up to what it shows; and the attributes of a path along an edge. `arrow`
 * names the tips within the page. */
void html_svg(struct buf *out, const struct layout *l, const char *label, const char *arrow);
void html_svg_edge(struct buf *out, const struct layout_edge *e, const char *arrow);

/* The functions and files of a document of `assay verify`; functions have numbers from `n` on, and the next
 * one is returned (report/html.c). */
size_t html_verified(struct buf *out, json_t *doc, size_t n);

/* Graphs and disassembly of a function, which is number `n` of the page (report/html_code.c). */
void html_graphs(struct buf *out, json_t *function, size_t n);
void html_code(struct buf *out, json_t *function);

#endif
