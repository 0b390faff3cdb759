/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running clang on one source file, for bitcode. */
#ifndef PRESENT_COMPILE_H
#define PRESENT_COMPILE_H

#include <jansson.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/vec.h"

typedef VEC(const char *) word_list;

struct compiler {
    word_list word;   /* the program, and options that come first */
    json_t *database; /* of compile_commands.json; NULL: none */
    const char *database_name;
    struct arena arena;
};

/* Both may be NULL. */
bool compiler_open(struct compiler *c, const char *command, const char *database, struct error *err);
void compiler_close(struct compiler *c);

/* `unit` is absolute. It is compiled in `directory` unless the database says otherwise. `overlay` is a
 * description for -ivfsoverlay, or "". *reads is the list of files that were read, as for make. When it
 * cannot be compiled, *message is what the compiler said. */
bool compile_bitcode(const struct compiler *c, const char *unit, const char *directory, const char *level,
                     const char *overlay, struct buf *out, struct buf *reads, struct buf *message,
                     struct error *err);

#endif
