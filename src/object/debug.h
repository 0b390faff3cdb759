/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Debug information, read on first demand and kept: shared by debugfile.c (which file it is in), debug.c
 * (functions, lines, inlined calls) and debug_type.c (types).
 *
 * Everything here is a cache behind a constant object; answers never change. Hostile DWARF is met in three
 * ways: entries are visited under a budget that is linear in the size of the file, types are built from a
 * work list and not by recursion, and only calls of libdw are used that do not open other files (split units,
 * supplementary files). */
#ifndef OBJECT_DEBUG_H
#define OBJECT_DEBUG_H

#include <elfutils/libdw.h>

#include "base/map.h"
#include "base/vec.h"
#include "object/private.h"

struct debug_file {
    char *path;    /* NULL when it is the object's own file */
    uint8_t *data; /* owned, or NULL */
    size_t size;
    Elf *elf;
    Dwarf *dwarf;
};

struct debug_function {
    uint64_t low, high;
    Dwarf_Off die;
    struct object_function_debug *made; /* NULL until asked for */
};

struct debug_unit {
    Dwarf_Off die;
    Dwarf_Off size; /* of the unit in bytes: bounds how many entries it can have */
    bool ranged;    /* its ranges are in debug.range; otherwise every question has to look into it */
    bool indexed;
    bool assembled; /* once indexed: by an assembler, which knows neither parameters nor results */
    VEC(struct debug_function) function; /* sorted by low once indexed */
    VEC(struct debug_function)
    declared; /* functions of other files that its code calls; low and high are 0 */
};

struct debug_range {
    uint64_t low, high;
    size_t unit;
};

/* A type under construction. `info` is what callers see. */
struct type_node {
    struct object_type_info info;
    struct type_node *alias; /* typedef, const, ...: what it stands for */
    const char *prefix;      /* "const ", or NULL */
    bool is_alias, named, settled;
    bool computed_size; /* an array without a size of its own */
};

struct debug {
    bool disabled, opened;
    struct arena arena;
    struct debug_file file, alternate;
    VEC(struct debug_unit) unit;
    VEC(struct debug_range) range; /* sorted by low */
    uint64_t budget;               /* entries that may still be visited to fill these caches */
    struct map type;               /* DIE address to struct type_node */
    VEC(struct type_node *) fresh;
    VEC(Dwarf_Die) fresh_die;
};

/* A debug file by its build-id, from a debuginfod server: its path, which the caller frees, or NULL. */
char *debug_fetch(const char *build_id);

/* The opened debug information, or NULL when there is none. */
struct debug *debug_use(const struct object *o);
/* Runs fn over every function with code. */
void debug_each_function(const struct object *o,
                         void (*fn)(void *ctx, uint64_t low, uint64_t high, const char *name), void *ctx);

/* The type of a DIE's DW_AT_type, NULL when it has none. */
const struct object_type_info *debug_type(struct debug *d, Dwarf_Die *die);

/* For debug_variable.c. The function whose code covers the address; *budget bounds the entries to be looked at. */
bool debug_function_die(struct debug *d, uint64_t address, Dwarf_Die *out, uint64_t *budget);
/* ... and the unit that has it. */
bool debug_unit_die(struct debug *d, uint64_t address, Dwarf_Die *out, uint64_t *budget);
bool debug_covers(uint64_t *budget, Dwarf_Die *die, uint64_t address);
bool debug_spend(uint64_t *budget);
const char *debug_name(Dwarf_Die *die);

/* ---- debugfile.c ---- */
/* Finds and reads the supplementary file (dwz) a debug file refers to; *out stays empty when it is not there.
 */
void debug_find_alternate(const struct object *o, const struct image *im, const char *path,
                          struct debug_file *out);
/* libdw looks for a supplementary file on its own, at any absolute path the debug file names: a pipe there
 * would hang us. debug_find_alternate does that under our rules; this marks the section in the file as empty,
 * so libdw does not. */
void debug_hide_alternate(const struct image *im, uint8_t *file);
bool debug_open_file(struct debug_file *f, const uint8_t *data, size_t size);
/* Bytes of debug sections, unpacked; 0 when there is no DWARF that is safe to hand to libdw (compressed
 * sections of a sane size). */
uint64_t debug_dwarf_size(const struct image *im);
void debug_close_file(struct debug_file *f);

#endif
