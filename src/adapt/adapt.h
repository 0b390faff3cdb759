/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Can one function stand in for another, and with which adapter?
 *
 * The TARGET is what is to be replaced, the INNER function what does its job: an adapter makes the arguments
 * of the inner function from those of the target, and the target's result from what the inner function
 * returns. After Sharma, Hietala and McCamant's "Finding substitutable binary code by synthesizing adapters".
 *
 * EQUIVALENT means, for all arguments and all contents of memory: the same result, the same memory
 * afterwards, the same system calls with the same arguments in the same order, both return or neither; and
 * the inner function reaches no memory through its arguments that the target does not reach too, so that it
 * does not fault where the target runs.
 *
 * An adapter is FOUND when that was proved by the solver and no run on the concrete interpreter speaks
 * against it. There is NONE when no adapter of the families that were asked for, whatever its constants,
 * agrees with the target on the tests collected so far; tests on which something not looked into happens (a
 * call that was not followed, an instruction that was not understood, an address of the frame given away) do
 * not count for that. Anything else is UNDECIDED, and says why. */
#ifndef ADAPT_ADAPT_H
#define ADAPT_ADAPT_H

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "flow/flow.h"

enum { ADAPT_ARGUMENTS = 13 }; /* at most */
enum {
    ADAPT_REGISTERS = 13,
    ADAPT_OUTPUTS = 3
}; /* of a fragment: r0 to r12 go in; the last that it writes come out */

/* What makes an argument, in increasing size; a set. Each has those before it in it. */
enum adapt_family {
    ADAPT_PERMUTE = 1,    /* each argument of the inner function is another one of the target's */
    ADAPT_SUBSTITUTE = 2, /* any one of them, or a constant */
    ADAPT_CONVERT =
        4, /* its low 8, 16 or 32 bits, extended with sign or zeroes; or whether it, or they, are not 0 */
    ADAPT_ARITHMETIC = 8, /* a times it plus c; the sum or difference of two, plus c */
    ADAPT_RETURN = 16,    /* conversions of the result; with ARITHMETIC also -r + c and r + c */
    ADAPT_ALL = 31,       /* of those before */
    ADAPT_MEMORY = 32,    /* a structure is laid out otherwise; arguments are the target's */
};

enum adapt_conversion {
    ADAPT_AS_IS,
    ADAPT_S32,
    ADAPT_Z32,
    ADAPT_S16,
    ADAPT_Z16,
    ADAPT_S8,
    ADAPT_Z8,
    ADAPT_BOOL,
    ADAPT_BOOL32, /* of the low 32 bits */
    ADAPT_BOOL8,
    ADAPT_CONVERSIONS
};

/* conversion(scale * argument `arg` + scale2 * argument `arg2` + constant); with scale 0 a constant. */
struct adapt_value {
    uint8_t conversion;               /* enum adapt_conversion */
    bool two;                         /* arg2 is there */
    unsigned arg, arg2;               /* of the target; for the result 0: what the inner function returned */
    uint64_t scale, scale2, constant; /* as wide as a pointer */
};

/* Where arguments and results are. Floating-point arguments have registers of their own and come after those
 * in words, whatever their order in C. */
enum { ADAPT_FLOATS = 8 };
struct adapt_shape {
    unsigned words, floats;
    uint8_t float_bits[ADAPT_FLOATS]; /* 32 or 64 */
    uint8_t result_bits;              /* of a floating-point result; 0: there is none */
};

/* Entries that follow one another in both structures. The wider of two is the narrower with its sign, or with
 * zeroes. */
struct adapt_field {
    uint32_t inner, target;            /* offsets */
    uint8_t inner_bytes, target_bytes; /* of an entry: 1, 2, 4, 8 */
    bool sign;
    uint32_t count;
};

/* How a structure of the target lies in the one that the inner function knows. It is copied into one of
 * those, entry by entry, and back after the call. */
enum { ADAPT_FIELDS = 12, ADAPT_STRUCTURE = 16384 };
struct adapt_view {
    unsigned nfields; /* 0: no structure is adapted */
    struct adapt_field field[ADAPT_FIELDS];
    unsigned inner_arg, target_arg; /* that point to it */
    uint32_t size;                  /* of the inner function's */
};

struct adapter {
    unsigned nargs; /* of the inner function */
    struct adapt_shape target, inner;
    struct adapt_value arg[ADAPT_ARGUMENTS];
    struct adapt_value result;
    unsigned width; /* of a pointer */
    struct adapt_view view;
};

/* A part of memory that an argument of the target points to. */
struct adapt_region {
    unsigned arg;
    uint64_t size;
};

struct adapt_options {
    unsigned families;        /* set of adapt_family */
    const uint64_t *constant; /* the only ones; NULL: any */
    size_t nconstants;
    const char *const *assume; /* C-like, NULL-terminated; or NULL */
    bool truth;                /* of results only whether they are 0 counts */
    bool modulo_faults;        /* inputs on which the target faults do not count */
    const struct adapt_region *region;
    size_t nregions;
    bool native;         /* the functions may be run on this machine */
    bool enumerate;      /* no solver in the search: adapters are tried one by one */
    unsigned timeout_ms; /* of processor time, for the search; 0: none */
    unsigned summary_ms; /* to explore one function */
    unsigned visits;     /* of a block on one path */
    unsigned runs;       /* on the interpreter, of an adapter that was found */
    bool cluster;        /* say which targets do the same as far as runs show */
};

enum adapt_verdict { ADAPT_FOUND, ADAPT_NONE, ADAPT_UNDECIDED };

struct adapt_answer {
    uint8_t verdict;    /* enum adapt_verdict */
    const char *reason; /* of what is undecided */
    struct adapter adapter;
    uint8_t family; /* found: the one it is of; none: the largest that was asked for */
    uint32_t target_args;
    uint32_t result_bits; /* of the result that were compared; 0: none */
    bool result_pair;     /* and all of the second register of results */
    bool bounded;         /* only inputs on which no block is run more than `visits` times count */
    bool trivial; /* the inner function does nothing for it: all its arguments are constants, and it has no
                     effect */
    uint64_t cluster; /* the same for targets that did the same on all runs; 0: not asked, or none ran */
    uint32_t tests, checks, searches, runs, native_runs;
    uint64_t ms;             /* of processor time for the search, without exploring the two */
    uint64_t tried;          /* with `enumerate`: adapters */
    const char *const *note; /* what the answer rests on */
    size_t nnotes;
    struct arena arena;
};

/* A piece of ARM code that computes with general registers (fragment.c). Lives in the arena it was made with.
 */
struct adapt_fragment {
    uint64_t from, to;
    struct flow_function function; /* a name and an address for it */
    struct flow_graph *graph;
    uint8_t out[ADAPT_REGISTERS]; /* general registers that it writes, the last one first */
    unsigned nouts;
};

/* A function, or a fragment. */
struct adapt_code {
    struct program *p;
    const struct flow_function *f;
    const struct adapt_fragment *fragment; /* NULL: a function */
    unsigned out;                          /* the register that is the fragment's result */
    const char *file;                      /* where it is, for `native`; NULL: nowhere by itself */
};

/* False and *err when it is none. */
bool adapt_fragment_make(struct adapt_fragment *f, struct program *p, uint64_t from, uint64_t to,
                         struct arena *arena, struct error *err);
/* Instructions in a row that make a fragment, from each that may be the first to the last one that belongs to
 * it: 3 to 20; the same bytes only once. */
typedef void adapt_fragment_fn(void *ctx, uint64_t from, uint64_t to);
void adapt_fragments_each(struct program *p, adapt_fragment_fn *fn, void *ctx);

/* Searches that share what was found out of functions: each is explored once. The options must outlive it,
 * and the programs. */
struct adapt;
struct adapt *adapt_new(const struct adapt_options *opt, struct error *err);
void adapt_free(struct adapt *a);
/* Somebody who keeps what was found out of functions, for other processes and other times. What `get` gives
 * is not believed to be what `put` was given, and nothing matters but time if it is not there. */
struct adapt_keep {
    void *ctx;
    const struct buf *context; /* bytes: all that it depends on, but for the programs and the options */
    bool (*get)(void *ctx, const char *key, struct buf *out);
    void (*put)(void *ctx, const char *key, const char *bytes, size_t n);
};
void adapt_set_keeper(struct adapt *a, const struct adapt_keep *keeper);
/* Functions that were explored, and those that were not, as they had been. */
struct adapt_effort {
    uint64_t made, found;
};
struct adapt_effort adapt_effort(const struct adapt *a);
/* Explores a function now instead of when it is first asked about. */
bool adapt_summarise(struct adapt *a, const struct adapt_code *code, struct error *err);
/* False and *err when the question makes no sense. The answer is freed with adapt_answer_free. */
bool adapt_search(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner,
                  struct adapt_answer *out, struct error *err);
void adapt_answer_free(struct adapt_answer *a);

/* "permute", ... */
const char *adapt_family_name(unsigned family);
/* "256 entries: 1 byte at 8 <-> 4 bytes at 8, with zeroes", of the inner function's and the target's. */
void adapt_print_field(struct buf *out, const struct adapt_field *f);
/* As the thesis writes it: "32-to-64S(#0), 0, -#1 + 4". */
void adapt_print_value(struct buf *out, const struct adapt_value *v, unsigned width, const char *name);
/* Argument i of the inner function: that, "f0" of floating-point arguments, or "copy of #0". */
void adapt_print_argument(struct buf *out, const struct adapter *a, unsigned i);
/* A function in C with the name of the target that calls the inner one. `pair`: results are in two registers.
 * `file`: which has that one, for a library that is loaded before all others and finds it there; NULL: it is
 * linked. */
void adapt_print_c(struct buf *out, const struct adapter *a, const char *target, bool pair, const char *inner,
                   const char *file);
/* Runs that function, compiled into a shared library, and the target of the last search on this machine.
 * False: they differ on some input. *same: inputs on which they do not; *why: they were not run, or not to
 * the end; else NULL. */
bool adapt_run_compiled(struct adapt *a, const char *library, const char *name, uint32_t *same,
                        const char **why);
/* The machine runs code of that program natively. */
bool adapt_runs_here(const struct program *p);

/* Whether the target can be replaced that way, whatever the adapter: by a library that is loaded first, or in
 * its file. *pointers: it cannot be told whether a call through a pointer leads back to the target. */
bool adapt_can_preload(const struct adapt_code *target, const struct adapt_code *inner, bool *pointers,
                       struct error *err);
bool adapt_can_patch(const struct adapt_code *target, const struct adapt_code *inner, bool *pointers,
                     struct error *err);

/* Bytes for a place of a file, which may be behind its end. */
struct adapt_edit {
    uint64_t offset;
    const char *hex;
    uint64_t adapter; /* where in the program the adapter's code begins, if it is here; else 0 */
};
enum { ADAPT_EDITS = 4 };
/* What makes the target's file one in which the target is the adapted inner function (patch.c), when
 * adapt_can_patch says so. `edit` has room for ADAPT_EDITS. */
bool adapt_patch(const struct adapt_code *target, const struct adapt_code *inner, const struct adapter *d,
                 struct arena *arena, struct adapt_edit *edit, struct error *err);

#endif
