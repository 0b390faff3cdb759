/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Front ends other than machine code, as the commands know them.
 *
 * `assay functions`, `cfg`, `lift` and `explore` take any file that a row of front_ends recognises. A front
 * end translates its functions to IR and makes a graph of the blocks (flow_graph_of_blocks); it says where
 * callees, constants and globals come from (exec/code.h); and it implements `struct front_end`, which gets a
 * row in front.c. Functions, labels and instructions have numbers of its choosing for addresses. */
#ifndef EXEC_FRONT_H
#define EXEC_FRONT_H

#include "base/sha256.h"
#include "exec/explore.h"

struct front_info {
    const char *file;
    const char
        *target; /* "x86_64-pc-linux-gnu": what it was compiled for, up to the first '-' the architecture */
    const char *source; /* the file it was compiled from */
    char sha256[SHA256_HEX];
    unsigned pointer_width;
    bool big_endian;
    size_t blocks, instructions; /* of all functions */
};

struct front_function {
    const char *name;
    uint64_t address;
    uint32_t instructions;
    bool declared;               /* it has no code in this file */
    struct flow_prototype proto; /* `noreturn` included */
};

/* A function in IR. */
struct front_code {
    const struct flow_graph *graph;
    const struct ir_machine *machine;
    struct ir_pures pures;
};

struct front_end {
    const char *name;       /* of the format, for people: "LLVM bitcode" */
    const char *short_name; /* in JSON: "bitcode" */
    bool (*is_file)(const char *path);
    void *(*open)(const char *path, struct error *err); /* NULL: *err says why */
    void (*free)(void *file);
    void (*info)(void *file, struct front_info *out);
    bool (*nth)(void *file, size_t i,
                struct front_function *out); /* in the order of addresses; false: no more */
    /* By name or 0xADDRESS. False: *err says why. */
    bool (*find)(void *file, const char *spec, struct front_function *out, struct error *err);
    /* The code of the function at that address, in the arena. False: *err says why. */
    bool (*code)(void *file, uint64_t address, struct arena *arena, struct front_code *out,
                 struct error *err);
    void (*text)(void *file, uint64_t insn, struct buf *out); /* of an instruction */
    /* The source line of an instruction; false when it is not known. */
    bool (*line)(void *file, uint64_t insn, const char **source, unsigned *line);
    /* For that function, which has code. */
    struct explorer *(*explorer)(void *file, uint64_t address, struct terms *t, struct solver *s,
                                 const struct explore_options *opt);
};

/* The front end for a file; NULL: none, it may be machine code. */
const struct front_end *front_of_file(const char *path);

#endif
