/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libassay: what a program is and does, from its machine code.
 *
 *     struct assay_error err;
 *     assay_program *p = assay_open("/usr/bin/true", NULL, &err);
 *     if (!p) { fprintf(stderr, "%s\n", err.text); return err.code; }
 *     for (size_t i = 0; i < assay_function_count(p); i++) {
 *         struct assay_function f;
 *         assay_function_get(p, i, &f);
 *         printf("%#llx %s\n", (unsigned long long)f.address, f.name);
 *     }
 *     assay_close(p);
 *
 * There are two ways to an answer: a few typed functions for what programs mostly want, and reports, which
 * hold everything the assay command prints and can be rendered as text, JSON or Graphviz.
 *
 * Nothing here prints or exits on bad input: a function that fails returns NULL or false and has filled the
 * error. Running out of memory ends the process with status 75. Input files are read with care but not in a
 * sandbox; a program that opens hostile files should do so in a child process, as the assay command does.
 *
 * The machine-code front end keeps global state: one thread at a time may be inside this library. */
#ifndef ASSAY_ASSAY_H
#define ASSAY_ASSAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ASSAY_VERSION "0.1.0"
#define ASSAY_VERSION_MAJOR 0
#define ASSAY_VERSION_MINOR 1
#define ASSAY_VERSION_PATCH 0

#define ASSAY_API __attribute__((visibility("default")))

/* The version of the library that is running, as opposed to the ASSAY_VERSION it was compiled against. */
ASSAY_API const char *assay_version(void);

struct assay_error {
    int code; /* 2: bad usage or bad input; 3: not supported, a limit was reached, or the system refused */
    char text[768]; /* one line, no newline */
};

/* ---- programs ---- */

typedef struct assay_program assay_program;

struct assay_open_options {
    const char *const *debug_dirs; /* where to look for detached debug files; NULL-terminated, or NULL */
    bool no_debug;                 /* ignore debug information */
    bool tables_only;              /* do not look for functions beyond symbols and unwind tables */
};

/* Opens an ELF file, or the program in a container: "pkg.deb:usr/bin/tool", "libx.a(member.o)". opt may be
 * NULL. */
ASSAY_API assay_program *assay_open(const char *path, const struct assay_open_options *opt,
                                    struct assay_error *err);
ASSAY_API void assay_close(assay_program *p); /* NULL is allowed */

ASSAY_API const char *assay_architecture(const assay_program *p); /* "x86-64", "aarch64", ... */
ASSAY_API const char *assay_sha256(const assay_program *p);
ASSAY_API const char *assay_build_id(const assay_program *p); /* NULL when it has none */

/* ---- functions ---- */

struct assay_function {
    uint64_t address, size; /* size 0: not known */
    const char *name;       /* belongs to the program; never NULL */
    int arguments;          /* integer and pointer arguments, -1: not known */
    bool returns_value, noreturn;
};

ASSAY_API size_t assay_function_count(const assay_program *p);
/* The i-th function in order of address. False when there is none. */
ASSAY_API bool assay_function_get(assay_program *p, size_t i, struct assay_function *out);
/* By name or by "0xADDRESS". The error of an unknown name says which names come near. */
ASSAY_API bool assay_function_find(assay_program *p, const char *spec, struct assay_function *out,
                                   struct assay_error *err);

/* ---- paths ---- */

struct assay_explore_options {
    bool paths;          /* one by one, instead of merging where branches join */
    unsigned visits;     /* of a block on one path; 0: 2 */
    uint64_t max_paths;  /* 0: 100000 */
    unsigned timeout_ms; /* for the whole function; 0: none */
    bool no_fp_theory;   /* floats as uninterpreted functions */
    bool stats;          /* put counters into the report */
};

struct assay_path {
    const char *condition; /* over arg0, arg1, ..., registers and mem */
    const char *result;    /* NULL when the path does not return */
    const char *where;     /* definitions of names used above, one a line: "mem@1 = mem[arg0 :32= 7]" */
    const char *end;       /* "returns", "does not return", "tail call", "loop bound", ... */
    size_t writes;         /* outside the function's own frame */
    size_t calls;
};

/* Calls fn for each path; the strings last during the call. fn returns false to stop. opt may be NULL. */
ASSAY_API bool assay_explore(assay_program *p, const char *function, const struct assay_explore_options *opt,
                             bool (*fn)(void *ctx, const struct assay_path *path), void *ctx,
                             struct assay_error *err);

/* ---- two versions ---- */

enum assay_verdict { ASSAY_SAFE, ASSAY_UNSAFE, ASSAY_UNKNOWN /* bounded, too */ };
/* What must hold: the new version accepts no input that the old one rejects (P1), and on those that both accept leaves the
 * same memory (P2), returns the same value (P3) and makes the same calls (P4). */
enum assay_property { ASSAY_P1 = 1, ASSAY_P2 = 2, ASSAY_P3 = 4, ASSAY_P4 = 8 };

struct assay_verify_options {
    bool paths;          /* path by path, instead of both versions at once */
    unsigned timeout_ms; /* for one function, as work that takes about so long; 0: none */
    const char *const *functions; /* only these, "NAME", "0xADDRESS" or "OLD:NEW"; NULL-terminated, or NULL: all that changed */
    const char *config;           /* a file as --config takes it, or NULL */
    const char *answers;          /* a file as --answers takes it, or NULL */
};

struct assay_verified {
    const char *name;           /* of the function */
    uint64_t old_address, new_address;
    enum assay_verdict verdict;
    const char *failed;         /* "P1,P4": what does not hold, or was not proved; "" */
    const char *reason;         /* why it is not known, or NULL */
    size_t differences;
    unsigned failed_set; /* `failed` as a set of enum assay_property */
    const char *remedy;  /* what may help when it is not known, or NULL */
};

/* Is what changed from one program to the other safe to apply? Each is an ELF file, or a container with one or more of
 * them. Calls fn (may be NULL) for every function that was asked about; the strings last during the call; fn returns false
 * to stop calling. *verdict is that of all together. opt may be NULL. Unlike the command it does its work in this process: a
 * limit is looked at between steps only. */
ASSAY_API bool assay_verify(const char *old_path, const char *new_path, const struct assay_verify_options *opt,
                            bool (*fn)(void *ctx, const struct assay_verified *function), void *ctx,
                            enum assay_verdict *verdict, struct assay_error *err);

/* ---- reports: all of an answer ---- */

typedef struct assay_report assay_report;

ASSAY_API assay_report *assay_report_info(const char *path, struct assay_error *err);
ASSAY_API assay_report *assay_report_functions(assay_program *p, struct assay_error *err);
ASSAY_API assay_report *assay_report_cfg(assay_program *p, const char *function, struct assay_error *err);
ASSAY_API assay_report *assay_report_lift(assay_program *p, const char *function, struct assay_error *err);
ASSAY_API assay_report *assay_report_explore(assay_program *p, const char *function,
                                             const struct assay_explore_options *opt,
                                             struct assay_error *err);
ASSAY_API assay_report *assay_report_verify(const char *old_path, const char *new_path,
                                            const struct assay_verify_options *opt, struct assay_error *err);
ASSAY_API void assay_report_free(assay_report *r); /* NULL is allowed */

/* What the command line prints. The caller frees the text with free(). */
ASSAY_API char *assay_report_text(const assay_report *r);
ASSAY_API char *assay_report_json(const assay_report *r);
ASSAY_API char *assay_report_dot(const assay_report *r); /* cfg reports; NULL otherwise */

#ifdef __cplusplus
}
#endif
#endif
