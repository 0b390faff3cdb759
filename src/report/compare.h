/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports about two programs share. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/report.h"
#include "verify/verify.h"

/* Two programs and what of one is what of the other. */
struct compared {
    struct program *p[2];
    const struct flow_function *f[2]; /* program_functions of each */
    size_t n[2];
    struct match *m;
};

struct compare_options {
    const char *old, *new; /* the containers, for messages */
    const struct object_options *object;
    const char *const *function; /* what the user wants to see; functions begin at the addresses among them */
    size_t nfunctions;
    const struct verify_name *name; /* what the user calls functions that have no name */
    size_t nnames;
};
/* The colon between the two functions of OLD:NEW, NULL when it is only one. */
const char *compare_colon(const char *spec);
/* Opens and matches a pair of files. */
bool compare_open(struct compared *c, const struct match_file_pair *pair, const struct compare_options *opt,
                  struct report_sink sink, struct error *err);
void compare_close(struct compared *c);

json_t *compare_file(const struct match_file *f);     /* {"path", "sha256", "size"} */
json_t *compare_place(const struct flow_function *f); /* {"name", "address", "size"} */
/* What lies at an address, as a JSON string: a string in quotes, "name+0x10", "0x1234". */
json_t *compare_described(struct program *p, uint64_t address);
/* The data objects whose content differs: one record at "files.data[]" each. Returns how many. */
size_t compare_put_data(const struct compared *c, struct report_sink sink);
/* What differs and is no function's: one record at "files.outside[]" each, and when asked for, what matters of it as text at
 * "files.reasons[]". Returns how many matter. */
size_t compare_put_outside(const struct compared *c, bool reasons, struct report_sink sink);
/* Puts the name of a function behind its address, at the end of a call or jump. */
void compare_name_target(struct program *p, char *text, size_t cap);

#endif
