/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions as reports show them. */
#ifndef REPORT_CODE_H
#define REPORT_CODE_H

#include "report/report.h"

enum { CODE_TEXT = 160 };

/* The text of the instruction at a mark of the block, "(not decoded)" when it is none. */
const char *code_text(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                      char text[CODE_TEXT]);
/* Adds to the record of an instruction where debug information says it comes from: "source", "file.c:12". */
void code_put_source(json_t *insn, const char *file, unsigned line);

#endif
