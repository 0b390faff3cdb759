/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions as answers have them. */
#ifndef ASK_CODE_H
#define ASK_CODE_H

#include "flow/flow.h"

enum { CODE_TEXT = 160 };

/* The text of the instruction at a mark of the block, "(not decoded)" when it is none. */
const char *code_text(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                      char text[CODE_TEXT]);
/* Where debug information says an instruction comes from: "file.c:12". */
const char *code_source(const char *file, unsigned line, struct arena *arena);
/* The same of the instruction at an address; NULL when that is not known. */
const char *code_source_at(struct program *p, uint64_t address, struct arena *arena);

#endif
