/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two programs, packages or directories, asked about file by file.
 *
 * Below the question's own worker each pair of files has one. What it says is passed on in the order of the
 * files; when files are compared one after the other, as it comes. A worker that dies is a file with an error
 * in the answer; what is wrong with the only pair there is becomes the error of the question. */
#ifndef ASK_PAIRS_H
#define ASK_PAIRS_H

#include "ask/ask.h"
#include "match/match.h"

/* ---- what is said of every pair ---- */

enum { PAIR_BEGUN = 100, PAIR_FILE, PAIR_OPENED, PAIR_ERROR };

struct ask_file {
    const char *path; /* inside its container, "" for a plain file */
    const char *sha256;
    uint64_t size;
    const char *build_id; /* NULL also when it was not opened */
};

struct ask_pair {
    bool has_old, has_new; /* only one: the file was removed or added */
    struct ask_file old, new;
    bool renamed;
    bool lost;         /* its worker died before it said anything */
    bool opened;       /* both, and matched */
    const char *error; /* why it is not compared; or NULL */
};
bool ask_pair_same(const struct ask_pair *p); /* one file twice */

/* Says what pair is meant. What is said from then on is about it. */
void ask_say_pair(struct ask_sink *say, const struct match_file_pair *pair);
/* Says that both are open. */
void ask_say_opened(struct ask_sink *say, const char *old_build_id, const char *new_build_id);

/* The listener's part. For PAIR_BEGUN *n becomes the number of pairs there should be; for PAIR_FILE *p is a
 * new one, for the others it must be the last. False when the message is none of these. */
bool ask_hear_pair(unsigned message, const char *bytes, size_t n, struct arena *arena, struct ask_pair *p,
                   size_t *pairs);

/* ---- asking ---- */

/* Asks about one pair, where the work is done. */
typedef bool pairs_ask_fn(void *ctx, const struct match_file_pair *pair, struct ask_sink *say,
                          struct error *err);

struct pairs {
    const struct match_file_pair *pair;
    size_t n;
    pairs_ask_fn *ask;
    void *ctx;
    bool again; /* they were asked about before: what fails now leaves what was said then */
    /* Its own: */
    struct match_files *files;
    struct ask_sink *say;
    struct error first; /* of a pair that could not be compared */
    bool streams;       /* one file after the other */
    struct buf heard;   /* of the file that is being compared: a message that is not whole yet */
    size_t messages;    /* of it */
};

/* Opens the two, within the time limit, and fills in `pair` and `n`. */
bool pairs_open(struct pairs *p, const struct ask_limits *limits, const char *old, const char *new,
                struct error *err);
/* Asks about all of them. `own`: the limits of their workers; `output` is not used. */
bool pairs_run(struct pairs *p, const struct ask_limits *limits, struct work_options own,
               struct ask_sink *say, struct error *err);
void pairs_close(struct pairs *p);

#endif
