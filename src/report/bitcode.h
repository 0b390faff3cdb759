/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The questions of report/report.h, put to LLVM bitcode. The records are the same; what only files of machine
 * code have is missing. Addresses are the numbers of instructions in the module. */
#ifndef REPORT_BITCODE_H
#define REPORT_BITCODE_H

#include "lift/llvm/bitcode.h"
#include "report/report.h"

void report_bitcode_input(const struct bitcode *m, struct report_sink sink);
bool report_bitcode_functions(struct bitcode *m, struct report_sink sink, struct error *err);
bool report_bitcode_graph(struct bitcode *m, const struct bitcode_function *f, bool with_ir,
                          struct report_sink sink, struct error *err);
bool report_bitcode_paths(struct bitcode *m, const struct bitcode_function *f,
                          const struct report_explore *opt, struct report_sink sink, struct error *err);

#endif
