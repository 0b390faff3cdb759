/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that write SARIF 2.1.0 share. */
#ifndef REPORT_SARIF_H
#define REPORT_SARIF_H

#include <jansson.h>

#include "base/buf.h"

/* A path as a relative or absolute URI reference: what RFC 3986 does not allow in a path is escaped. */
json_t *sarif_uri(const char *path);
/* One run of assay; takes both lists. */
void sarif_put(struct buf *out, json_t *doc, json_t *rules, json_t *results);

#endif
