/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs, packages or directories, asked about file by file.
 *
 * Below the session's own worker each pair of files has one. Its records are handed on to the session in the
 * order of the files; when files are compared one after the other, as they come. A worker that dies is a file
 * with an error in the report; what is wrong with the only pair there is becomes the session's error. */
#ifndef CLI_PAIRS_H
#define CLI_PAIRS_H

#include "cli/session.h"
#include "match/match.h"
#include "work/work.h"

/* Asks about one pair; runs in its worker. */
typedef bool pairs_ask_fn(void *ctx, const struct match_file_pair *pair, struct report_sink sink,
                          struct error *err);

struct pairs {
    const struct match_file_pair *pair;
    size_t n;
    pairs_ask_fn *ask;
    void *ctx;
    const char *status; /* of a file about which nothing was found out; NULL: it has none */
    /* Its own: */
    struct match_files *files;
    struct report_sink sink;
    struct error first; /* of a pair that could not be compared */
    bool streams;       /* one file after the other */
    struct buf heard;   /* of the file that is being compared: a line that has not ended yet */
    size_t records;     /* of it */
};

/* Opens the two, within --timeout, and fills in `pair` and `n`. */
bool pairs_open(struct pairs *p, const struct common *common, const char *old, const char *new,
                struct error *err);
/* Asks about all of them. `limits`: of their workers; `output` is not used. */
bool pairs_run(struct pairs *p, struct work_options limits, struct report_sink sink, struct error *err);
void pairs_close(struct pairs *p);

#endif
