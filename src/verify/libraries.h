/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the libraries that two programs need tell about the functions that are imported from them.
 *
 * A call of an import is compared in everything that might be an argument, unless somebody says what it
 * takes. The library that defines it does, by its code (flow/takes.c). It is looked for by the name that the
 * program needs it by, in directories that were given or next to the program; never in those of the host
 * system. */
#ifndef VERIFY_LIBRARIES_H
#define VERIFY_LIBRARIES_H

#include "match/match.h"
#include "verify/verify.h"

/* Where to look for the libraries of one version. */
struct library_places {
    const char *const *dir;        /* as given; NULL-terminated, or NULL */
    const char *program_dir;       /* the program's own directory, or NULL */
    const struct match_file *file; /* what lies in the same package or tree, or NULL */
    size_t nfiles;
};

/* The functions without a prototype that these functions (indices into match_pairs of program_functions)
 * import; in alphabetical order. In `arena`; returns how many. */
size_t libraries_wanted(struct match *m, const struct match_pair *pair, size_t n, struct arena *arena,
                        const char *const **out);

struct library_answers {
    struct verify_import *import; /* by name */
    size_t nimports;
    const char **warning; /* of libraries that could not be used */
    size_t nwarnings;
};
/* What is told about them: of each that both programs import, by the libraries of both. In `arena`. */
void libraries_ask(struct match *m, const struct library_places places[2], const char *const *name, size_t n,
                   struct arena *arena, struct library_answers *out);

#endif
