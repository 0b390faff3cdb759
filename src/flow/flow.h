/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions and control flow of a program: where functions begin and end, their blocks and edges, jump
 * tables, tail calls, which never return, how many arguments they take.
 *
 * A `program` is an object plus everything recovered from its code. Function discovery is done on opening
 * (tables first, then calls found in code, to a fixed point, when `deep` is asked); a function's control-flow
 * graph is recovered on first demand and kept until flow_drop. What could not be resolved is listed in the
 * graph, never guessed away. */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include "ir/ir.h"
#include "lift/lift.h"
#include "object/object.h"

enum flow_edge_kind {
    EDGE_JUMP,   /* unconditional */
    EDGE_TAKEN,  /* side exit */
    EDGE_FALL,   /* not taken, or into the next block */
    EDGE_SWITCH, /* through a jump table */
    EDGE_RETURN, /* from a call block to where the call comes back */
    EDGE_UNWIND, /* from a call block to the landing pad where it goes on when something is thrown */
};

struct flow_edge {
    uint32_t from, to; /* block indices */
    uint8_t kind;
    uint32_t insn;  /* index of the IR_EXIT for EDGE_TAKEN, else UINT32_MAX */
    uint64_t value; /* EDGE_SWITCH: smallest selector value that goes there, when known */
};

enum flow_problem_kind {
    PROBLEM_INDIRECT_JUMP, /* computed jump with no table found */
    PROBLEM_OVERLAP,       /* instructions that overlap others */
    PROBLEM_UNDECODED,
    PROBLEM_OUT_OF_BOUNDS, /* runs off the end of code */
    PROBLEM_LIMIT,
};
struct flow_problem {
    uint8_t kind;
    uint64_t address;
    char text[96];
};

enum flow_call_kind { CALL_DIRECT, CALL_STUB, CALL_INDIRECT, CALL_TAIL, CALL_TAIL_INDIRECT };
struct flow_call {
    uint32_t block;
    uint64_t site;    /* address of the call instruction */
    uint64_t target;  /* address of callee or stub without Thumb bit; 0 when indirect and not known */
    const char *name; /* callee name when known */
    uint8_t kind;
    bool noreturn;
    bool conditional; /* a side exit (ARM blne, conditional tail call) */
};

struct flow_jump_table {
    uint32_t block;
    uint64_t table; /* address of its first entry, 0 for inline (tbb) */
    uint32_t entries, entry_size;
};

/* One function's control-flow graph. blocks[0] is the entry. Blocks do not overlap; a block is split at every
 * label another one jumps to. */
struct flow_graph {
    struct ir_block *block;
    uint32_t nblocks;
    struct flow_edge *edge; /* sorted by from, then insn, then to */
    uint32_t nedges;
    uint32_t
        *first_edge; /* nblocks+1 entries: edges of block i are edge[first_edge[i] .. first_edge[i+1]-1] */
    struct flow_call *call;
    uint32_t ncalls;
    struct flow_jump_table *table;
    uint32_t ntables;
    struct flow_problem *problem;
    uint32_t nproblems;
    uint32_t ninsns; /* guest instructions */
    bool noreturn;
};

/* Code that is no machine code, as a front end made it. */
struct flow_jump {
    uint32_t block; /* that ends with a computed jump */
    ir_label to;
};
struct flow_blocks {
    struct ir_block *block; /* the entry first */
    uint32_t nblocks;
    const struct flow_jump *jump; /* all destinations of computed jumps */
    uint32_t njumps;
    const struct flow_call *call;
    uint32_t ncalls;
};
/* Its graph, for explore_graph. Lives in the arena and refers to the blocks. */
struct flow_graph *flow_graph_of_blocks(const struct flow_blocks *from, struct arena *arena);

enum proto_source { PROTO_NONE, PROTO_DWARF, PROTO_LIBRARY, PROTO_CODE };
struct flow_prototype {
    int nargs;  /* integer/pointer arguments; -1 unknown */
    int nfargs; /* floating-point arguments */
    bool variadic, returns, returns_float, noreturn;
    bool returns_unknown; /* then `returns` is false, but a value may well be passed through, from a callee
                             nothing is known of */
    bool keeps_result;    /* its code leaves the register of the result as it is */
    bool hands_on;        /* of what came in more registers, or on the stack, callees nothing is known of may
                             be given some */
    uint8_t source;       /* enum proto_source */
};

enum flow_function_flags {
    FLOW_PLT = 1,
    FLOW_PART = 2 /* .cold and the like: a part of `parent` */,
    FLOW_THUMB = 4,
    FLOW_IFUNC = 8,
    FLOW_EXTERN = 16
};
struct flow_function {
    uint64_t address;
    uint64_t size;    /* 0 when unknown */
    const char *name; /* never NULL: "sub_401000" when there is none */
    bool named;
    unsigned sources; /* enum object_bound_source, plus FLOW_SOURCE_* */
    unsigned flags;
    uint32_t parent; /* FLOW_PART: index of the function it belongs to */
};
enum {
    FLOW_SOURCE_CALL = 1 << 16,
    FLOW_SOURCE_TAIL = 1 << 17,
    FLOW_SOURCE_POINTER = 1 << 18,
    FLOW_SOURCE_SCAN = 1 << 19,
    FLOW_SOURCE_USER = 1 << 20
};

struct program;

struct program_options {
    struct object_options object;
    bool deep;             /* find functions by following calls in code, besides the tables */
    const char *data_dir;  /* where the prototype table is; NULL: built-in copy */
    struct program *like;  /* one that outlives this, whose table is taken instead; NULL: none */
    const uint64_t *entry; /* where functions begin, says the user (FLOW_SOURCE_USER), in addresses as shown;
                              those that are no code, or lie inside a */
    size_t nentries; /* function that a table knows, are ignored. On ARM bit 0 means Thumb, where nothing else
                        tells */
};

/* Receives the progress of a long step. */
typedef void flow_progress_fn(void *ctx, size_t done, size_t total);

struct program *program_open(const char *path, const struct program_options *opt, struct error *err);
/* Takes ownership of the object. */
struct program *program_from_object(struct object *o, const struct program_options *opt, struct error *err);
/* Does later what `deep` does on opening: finds functions in the code as well. Voids pointers to functions,
 * and graphs. */
void program_search(struct program *p, flow_progress_fn *progress, void *ctx);
/* Adds functions that something calls (on ARM bit 0 means Thumb, where nothing else tells), but for those
 * inside functions whose bounds are known. Returns how many were new; then pointers to functions, and graphs,
 * are void. */
size_t program_add_called(struct program *p, const uint64_t *entry, size_t n);
/* Whether the code was searched. */
bool program_searched(const struct program *p);
/* Searches when no table knows the function that the user names, so that whatever a search finds can be asked
 * about. True when it did, which voids pointers to functions. */
bool program_reach(struct program *p, const char *spec);
void program_free(struct program *p);

const struct object *program_object(const struct program *p);
const struct ir_machine *program_machine(const struct program *p);
struct lifter *program_lifter(struct program *p);

size_t program_functions(const struct program *p, const struct flow_function **out); /* sorted by address */
/* By exact name, "name@VERSION", 0xADDRESS, or index of an alias. NULL and an error with the nearest names.
 */
const struct flow_function *program_function(struct program *p, const char *spec, struct error *err);
const struct flow_function *program_function_at(const struct program *p, uint64_t address); /* exact entry */
/* The function of the file itself that an address leads to, directly or by a stub; NULL: it leads elsewhere,
 * or an ifunc chooses. */
const struct flow_function *program_local_function(const struct program *p, uint64_t address);
/* Names a function that has no name in the file. False when none begins there, it has a name, or the name is
 * taken. */
bool program_name(struct program *p, uint64_t address, const char *name);
const struct flow_function *program_function_covering(const struct program *p, uint64_t address);
/* "puts", "g_table+0x10", "sub_401000+4"; NULL when nothing is known. Written into out. */
const char *program_describe(const struct program *p, uint64_t address, char *out, size_t cap);

/* The graph of a function; owned by the program. Never NULL. */
const struct flow_graph *flow_graph(struct program *p, const struct flow_function *f);
/* The same of the program loaded so many bytes behind where its file says: places are those of the file,
 * addresses that the code computes with are not. As long as the graph itself, it is kept. */
const struct flow_graph *flow_graph_loaded(struct program *p, const struct flow_graph *g, uint64_t bias);
/* Somebody asked for it and may be using it: whoever asks again must not drop it. */
bool flow_is_kept(const struct program *p, const struct flow_function *f);
void flow_drop(struct program *p, const struct flow_function *f);
/* Knows callees that never return, propagated through the call graph as far as graphs have been asked for;
 * flow_analyse_all computes all graphs and propagates to a fixed point. */
bool flow_noreturn(struct program *p, uint64_t address);
/* It does not return to the caller, but to a place that it computes from that: a table behind the call has
 * it. */
bool flow_goes_on_elsewhere(struct program *p, const struct flow_function *f);
void flow_analyse_all(struct program *p, flow_progress_fn *progress, void *ctx);

/* Prototype: DWARF, then the library table (by name), then the code (liveness of argument registers at
 * entry). */
struct flow_prototype flow_prototype(struct program *p, const struct flow_function *f);
/* The same without a look at the code: DWARF and the library table only. That it never returns is said when
 * they say it. */
struct flow_prototype flow_table_prototype(struct program *p, const struct flow_function *f);
bool flow_library_prototype(const struct program *p, const char *name, struct flow_prototype *out);
/* Where a call of the function at `label` ends up, when all it does is to compute an address and to jump
 * there: linkers put such functions in where a branch does not reach, or cannot change the instruction set.
 * The label itself otherwise. */
ir_label flow_thunk(struct program *p, ir_label label);
/* What the debug information of the code at `site` declares of a function that it calls by that name, when
 * all its arguments are plain ones, each in a register or word of its own. */
bool flow_declared_prototype(const struct program *p, uint64_t site, const char *name,
                             struct flow_prototype *out);
/* How many bits of integer argument i such a function, or one of the library, looks at; 0: not known. */
unsigned flow_argument_bits(const struct program *p, uint64_t site, const char *name, unsigned i);
/* How many words of its caller's stack the code of f reads, from the first argument there on, whatever its
 * prototype says; -1 when it is too large. *taken: it keeps an address there, and may read more through it.
 */
int flow_stack_words(struct program *p, const struct flow_function *f, bool *taken);

enum { FLOW_TAKES_FLOATS = 8 };
/* What a function surely takes, no more and no less, as its code or its debug information shows
 * (flow/takes.c). */
struct flow_takes {
    unsigned nargs; /* words, first those in registers; floats apart */
    bool floats;    /* it may look at registers for floats */
    uint32_t back;  /* a set: registers of results that it may return unchanged, though it takes nothing in
                       them: of  arguments from bit 0 on, for floats from FLOW_TAKES_FLOATS */
    uint8_t bits[MACHINE_MAX_ARGS]; /* of each in a register that it looks at, when that is known; else 0 */
};
/* False when that is not sure: it may take any number, passes on what it is given to somebody unknown, is not
 * understood, or does not keep to the calling convention. */
bool flow_takes(struct program *p, const struct flow_function *f, struct flow_takes *out);

/* Immediate dominators and post-dominators by block index; UINT32_MAX for none. Post-dominance treats every
 * block without successors as an exit to one virtual exit. Arrays are owned by the graph's program arena. */
const uint32_t *flow_dominators(struct program *p, const struct flow_graph *g);
const uint32_t *flow_post_dominators(struct program *p, const struct flow_graph *g);

struct flow_stats {
    uint64_t functions, graphs, blocks, instructions, tables, unresolved, functions_unresolved;
};
struct flow_stats program_flow_stats(const struct program *p);

#endif
