/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Unified diffs: reading them, and applying them to the text of a file in memory.
 *
 * The `patch` program is not used: nothing has to be written, a hostile name in the diff cannot lead outside
 * the tree, and what does not apply is reported with file, hunk and line. A hunk may have moved; its context
 * must be there, all of it. */
#ifndef PRESENT_PATCH_H
#define PRESENT_PATCH_H

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

struct patch_line {
    char kind; /* ' ', '-' or '+' */
    const char *text;
    size_t len;  /* without the end of the line */
    bool no_end; /* the file's last line, which has none */
};

struct patch_hunk {
    size_t old_start, new_start; /* lines, from 1 on */
    size_t at;                   /* line of the diff */
    VEC(struct patch_line) line;
};

struct patch_file {
    const char *old_path, *new_path; /* as the diff has them; NULL: the file is not there (/dev/null) */
    bool renamed;                    /* as git says it; perhaps there are no hunks then */
    VEC(struct patch_hunk) hunk;
};

struct patch {
    const char *name; /* of the diff, for messages */
    VEC(struct patch_file) file;
    struct arena arena;
};

/* The text is copied. An error names the line. Text around the diff (a mail, a commit's message) is passed
 * over. */
bool patch_read(struct patch *p, const char *name, const char *text, size_t n, struct error *err);
void patch_free(struct patch *p);

/* `text` after the file's hunks; with `reverse`, before them. */
bool patch_apply(const struct patch *p, const struct patch_file *f, const char *text, size_t n, bool reverse,
                 struct buf *out, struct error *err);

/* A path of a diff without its first `strip` components ("a/src/x.c"); NULL when it has fewer, is absolute or
 * leads upwards. */
const char *patch_path(const char *path, unsigned strip);

#endif
