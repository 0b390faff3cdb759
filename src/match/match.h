/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which thing of one program is which of another: pairs of functions, of basic blocks and of data.
 *
 * Functions are paired by name, by code that is the same up to relocation, by their places in code and
 * pointer tables that are already paired, by the strings, imports and functions they refer to, by shape and
 * by order, until nothing moves. A function's code is brought into a normal form for this: its instructions
 * without the fields that depend on the linker, and separately the list of what those fields refer to. Two
 * functions are *identical* when the normal forms are the same and every reference leads to paired functions,
 * to imports of the same name and version, to read-only data of the same content, or to paired writable data.
 * A constant that only looks like an address must be the same number, unless it refers to paired things in
 * both.
 *
 * What identical code rests on, beyond that:
 *   - an AArch64 ADRP result is used together with its low part, not as a value of its own by a callee or
 * caller;
 *   - data without symbols and without relocations is paired by its use in identical code, one to one and in
 * order. Everything is deterministic. Cost is near-linear in the size of the programs: no step compares all
 * with all. */
#ifndef MATCH_MATCH_H
#define MATCH_MATCH_H

#include "flow/flow.h"

struct match;

#define MATCH_NONE UINT32_MAX

enum match_status {
    MATCH_IDENTICAL, /* the same code up to relocation */
    MATCH_CHANGED,
    MATCH_REMOVED, /* only in the old program */
    MATCH_ADDED,   /* only in the new one */
};

/* Why two things are considered the same; a set. */
enum match_reason {
    MATCH_BY_NAME = 1,
    MATCH_BY_CODE = 2,   /* identical code */
    MATCH_BY_CALLS = 4,  /* the same place in paired callers, or the same callees */
    MATCH_BY_DATA = 8,   /* the same strings, imports or pointer tables; for data: its content */
    MATCH_BY_SHAPE = 16, /* similar blocks and instructions */
    MATCH_BY_ORDER = 32, /* between the same neighbours */
    MATCH_BY_USE = 64,   /* data: used at the same place of identical code */
};

/* What differs first between two paired functions. */
enum match_change {
    MATCH_CHANGE_NONE,
    MATCH_CHANGE_CODE,   /* instructions */
    MATCH_CHANGE_CALLEE, /* the same instructions, but they refer to another function */
    MATCH_CHANGE_DATA,   /* the same instructions, but they refer to other data, or its content differs */
};

struct match_pair {
    uint32_t old, new; /* indices into program_functions; MATCH_NONE when there is none */
    uint8_t status;    /* enum match_status */
    uint8_t change;    /* enum match_change */
    uint8_t reasons;   /* set of enum match_reason */
    double sure;    /* 0 to 1: how sure it is that the two are the same function; 1 for added and removed */
    double similar; /* 0 to 1: share of instructions in common blocks */
    uint64_t old_at, new_at; /* of the first reference that differs (CALLEE, DATA): what the two refer to */
};

/* Adds to the functions of a program those that direct calls lead to and no table knows, and that these call. Nothing is
 * lifted. Voids pointers to functions, and graphs. */
void match_find_called(struct program *p);

struct match_options {
    bool ignore_names; /* as if neither had symbols; names of imports are still used */
    /* A match of the same old program with another one, from which is taken what was read of the old one. It
     * must outlive this one; may be NULL. */
    const struct match *like;
    /* Receives progress; may be NULL. */
    void (*progress)(void *ctx, const char *what, size_t done, size_t total);
    void *ctx;
};

/* Both programs must outlive the match. NULL and an error when the two cannot be compared (other processors).
 */
struct match *match_programs(struct program *old, struct program *new, const struct match_options *opt,
                             struct error *err);
/* The same of a match's old program and of one that differs from its new one in numbers of the code of one
 * function, which takes much less; NULL: it differs in something else. Both programs must outlive the match,
 * and so must `of`. */
struct match *match_like(const struct match *of, struct program *new);
void match_free(struct match *m);
struct program *match_program(const struct match *m, bool new);

/* All functions that are not stubs, each once: pairs and removed ones by old index, then added ones by new
 * index. */
size_t match_pairs(const struct match *m, const struct match_pair **out);
/* The pair (or removed, added function) whose function begins at the address; NULL when none does. */
const struct match_pair *match_function(const struct match *m, uint64_t old_address);
const struct match_pair *match_function_new(const struct match *m, uint64_t new_address);

/* Where something of the old program is in the new one: data, GOT slots, stubs, function entries. False when
 * that is not known. *reasons (may be NULL) is a set of enum match_reason. Data whose content differs is
 * still paired when a symbol says so. */
bool match_data(struct match *m, uint64_t old_address, uint64_t *new_address, unsigned *reasons);
/* The other way round. */
bool match_data_back(struct match *m, uint64_t new_address, uint64_t *old_address, unsigned *reasons);
/* The address is that of a table that begins a little further on (OBJECT_BEFORE_DATA). */
bool match_before_data(const struct match *m, bool new, uint64_t address, uint64_t *begin);
/* Whether an address of the old program means the same as one of the new: paired functions, imports of one
 * name, read-only data of the same content, paired writable data. */
bool match_same_address(struct match *m, uint64_t old_address, uint64_t new_address);

/* What the code of a function refers to, in the order of its instructions, with repetitions: data, functions, stubs.
 * Returns how many; fills up to cap. */
size_t match_references(struct match *m, bool new, uint32_t function, uint64_t *out, size_t cap);

/* Data objects with symbols, or read-only ones that paired code refers to, whose content differs. Sorted by
 * old address. */
struct match_datum {
    uint64_t old, new;
    const char *name;            /* or NULL */
    uint64_t old_size, new_size; /* 0 when not known */
    bool writable;
};
size_t match_data_changes(struct match *m, const struct match_datum **out);

/* What differs between the two files and is in no function's code: what the kernel and the dynamic linker are told, what is
 * exported, what variables start with, what runs when the program is loaded (match/outside.c, match/initial.c). */
struct match_outside {
    const char *kind;      /* "needed", "entry", "data", ...: stays the same */
    const char *text;      /* "libfoo.so.2 is needed, and was not" */
    const char *old, *new; /* NULL where there is nothing, or nothing short */
    bool matters; /* what the program does may differ; false: it only has fewer rights, or is checked more */
};
size_t match_outside(struct match *m, const struct match_outside **out); /* sorted */

enum match_block_status { MATCH_BLOCK_IDENTICAL, MATCH_BLOCK_CHANGED, MATCH_BLOCK_NONE };
/* Blocks of the graphs of a pair of functions, by block index. */
struct match_blocks {
    uint32_t nold, nnew;
    uint32_t *new_of_old, *old_of_new; /* MATCH_NONE: without a partner */
    uint8_t *old_status, *new_status;  /* enum match_block_status */
    uint64_t *old_address,
        *new_address; /* of each block, without the Thumb bit; sorted but for the first, the entry */
};
/* Made on first demand, owned by the match. Both indices are of functions, paired or not. */
const struct match_blocks *match_blocks(struct match *m, uint32_t old_function, uint32_t new_function);

/* "name, identical code" */
const char *match_reasons_text(unsigned reasons, char *out, size_t cap);

struct match_stats {
    size_t functions_old, functions_new, identical, changed, added, removed;
    size_t instructions, rounds;
};
struct match_stats match_stats(const struct match *m);

/* What the code of each function refers to, without pairing anything: for looking for a function in one program. Stubs
 * are left out. */
struct match_look {
    uint32_t function; /* index into program_functions */
    uint32_t ninsns, nblocks, ncalls;
    const uint64_t *ref; /* data, functions, stubs, with repetitions */
    size_t nrefs;
};
typedef void match_look_fn(void *ctx, const struct match_look *l);
void match_look(struct program *p, match_look_fn *fn, void *ctx);

/* "foo.constprop.0.isra.1" is "foo": the length of the part that counts. */
size_t name_stem(const char *name);
/* A label of a constant that the compiler numbers (".L.str.7", ".LC3"): it does not say which of another
 * file's it is. */
bool name_is_numbered(const char *name);

/* ---- the files of two containers (match/files.c) ---- */

struct match_file {
    const char *path; /* inside its container, "" for a plain file */
    const uint8_t *data;
    size_t size;
    char sha256[65];
};
struct match_file_pair {
    const struct match_file *old, *new; /* NULL when only on the other side */
    bool renamed;
};
struct match_files;
/* The programs in two files, packages or directories, paired: by path, then a library by its name without the
 * version (libfoo.so.1.2, libfoo.so.1.3), then by name in another directory. Sorted by path. An error when
 * one has no program in it. */
struct match_files *match_files_open(const char *old, const char *new, struct error *err);
void match_files_free(struct match_files *f);
size_t match_file_pairs(const struct match_files *f, const struct match_file_pair **out);
/* All programs of one of the two. */
size_t match_files_of(const struct match_files *f, bool new, const struct match_file **out);

#endif
