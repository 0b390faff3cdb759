/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of a package as files, so that they can be run.
 *
 * A member is unpacked with what lies beside it in its own container: the shared libraries and all links, and
 * nothing else. Nothing is written outside of the directory that is given. A program whose path has a ".." in
 * it is an error. Links lead to where they would if the container was a whole system, so not out of it
 * either. The files may be run by their owner, whatever the container says of them: set-user-ID bits,
 * capabilities and owners stay behind. A directory is not copied; its programs are used where they are. */
#ifndef OBJECT_UNPACK_H
#define OBJECT_UNPACK_H

#include "base/alloc.h"
#include "object/object.h"

struct container_program {
    const char *path;  /* normalised */
    const char *inner; /* the part of it that is inside the innermost container */
    enum object_type type;
};
/* The ELF files that can be opened, by their paths. Detached debug files are none of them. */
bool container_programs(const char *path, struct arena *arena, const struct container_program **out,
                        size_t *n, struct error *err);

struct container_unpacked {
    const char *root; /* what was its container's root; absolute */
    const char *file; /* the member, below it */
};
/* `member` is found as object_open() finds it; `dir` is not there yet. */
bool container_unpack(const char *path, const char *member, const char *dir, struct arena *arena,
                      struct container_unpacked *out, struct error *err);

/* Where a system has its libraries, below its root; NULL behind the last. */
const char *const *library_dirs(enum machine_arch arch, struct arena *arena);

#endif
