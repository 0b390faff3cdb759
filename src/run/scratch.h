/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The directory that programs run in, and everything they leave there; and the network that they do not have.
 *
 * It is locked as long as whoever made it, or a process forked from that, lives. One that nobody holds was
 * left behind by somebody who could not tidy up; the next one who makes a directory removes it. */
#ifndef RUN_SCRATCH_H
#define RUN_SCRATCH_H

#include <stdbool.h>

#include "run/process.h"

struct scratch {
    char path[64]; /* absolute; "": none */
    int lock;
    struct run_without without;
};

bool scratch_open(struct scratch *s, struct error *err);
/* Removes what programs left in a directory below it, which is there. */
void scratch_tidy(const char *path);
/* Removes it and what is in it, directories that may not be entered included. */
void scratch_close(struct scratch *s);

#endif
