/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share: the program behind flow.h, and a graph while it is being built. */
#ifndef FLOW_PRIVATE_H
#define FLOW_PRIVATE_H

#include "base/map.h"
#include "base/vec.h"
#include "flow/flow.h"
#include "flow/library.h"

#define NO_INDEX UINT32_MAX

/* ---- the program ---- */

enum fn_status {
    FN_UNKNOWN,
    FN_BUSY, /* under analysis further down the call stack */
    FN_RETURNS,
    FN_NORETURN,
};

/* A graph with what dies together with it. */
struct owned_graph {
    struct flow_graph g; /* first, so that a graph leads back to this */
    struct arena arena;
    uint32_t *idom, *ipdom;
    struct loaded_graph *loaded; /* loaded.c; NULL: nobody asked for any */
};

enum { ABI_READS_DEPTH = 3 };

/* What is kept of a function when its graph is dropped. */
struct fn_state {
    struct owned_graph *owned;
    uint8_t status; /* enum fn_status */
    bool counted;   /* the following is known */
    uint32_t blocks, insns, tables, unresolved;
    bool proto_busy, proto_done;
    struct flow_prototype proto;
    /* Of flow/abi/callers.c, in the program's arena, NULL as long as nobody asked: */
    const uint64_t
        *reads[ABI_READS_DEPTH]; /* registers it reads at entry, callees followed less and less deeply */
    const uint64_t *sets;        /* those it sets */
    /* Of flow/abi/convention.c, likewise: */
    bool convention_known;
    const struct abi_convention *convention;
};

void fn_drop_graph(struct fn_state *s);

struct code_range {
    uint64_t lo, hi;
};

struct program {
    struct object *object;
    struct lifter *lifter; /* NULL when there is none for the architecture */
    const struct ir_machine *machine;
    struct flow_library *library;
    bool library_borrowed;
    struct arena arena;
    VEC(struct flow_function) function; /* sorted by address once the program is open */
    VEC(struct fn_state) state;         /* parallel to function */
    VEC(uint32_t) order; /* indices of functions by address; kept while functions are being found */
    struct map by_address;
    struct strmap by_name;
    VEC(struct code_range) code; /* executable sections, or segments when there are no sections */
    bool searched;
    bool discovering;       /* callees become functions as they are met */
    unsigned return_depth;  /* nesting of questions whether a function returns */
    uint64_t return_budget; /* blocks left for the outermost such question */
    bool return_cut;        /* an answer depends on a function still under analysis */
};

/* Adds a function or merges what is newly known of it; returns its index. Only while the program is being
 * opened. */
uint32_t program_add(struct program *p, uint64_t address, uint64_t size, const char *name, unsigned sources,
                     unsigned flags);
/* Takes the function that was added last out again. */
void program_forget_last(struct program *p);
/* Index of the function that begins at the address, or NO_INDEX. */
uint32_t program_index_at(const struct program *p, uint64_t address);
uint32_t program_index_covering(const struct program *p, uint64_t address);
/* Address of the first function that begins after `address`, UINT64_MAX when none. */
uint64_t program_next_start(const struct program *p, uint64_t address);
/* The executable section (or segment, without sections) that holds the address. */
bool program_code_range(const struct program *p, uint64_t address, uint64_t *lo, uint64_t *hi);
bool program_is_code(const struct program *p, uint64_t address);
void program_discover(struct program *p, flow_progress_fn *progress, void *ctx);
/* Names the function main of a program without symbols; it may be a new one. False when it is not found. */
bool program_find_main(struct program *p);
enum {
    FLOW_SOURCE_ALL =
        FLOW_SOURCE_CALL | FLOW_SOURCE_TAIL | FLOW_SOURCE_POINTER | FLOW_SOURCE_SCAN | FLOW_SOURCE_USER
};

/* Does the function at this index come back? Answers from tables and from its code; see noreturn.c. */
bool fn_never_returns(struct program *p, uint32_t index);

static inline bool label_is_thumb(const struct program *p, ir_label l)
{
    return p->machine->arch == MACHINE_ARM && (l & 1);
}

static inline uint64_t label_address(const struct program *p, ir_label l)
{
    return p->machine->arch == MACHINE_ARM ? l & ~UINT64_C(1) : l;
}

static inline ir_label function_label(const struct program *p, const struct flow_function *f)
{
    return p->machine->arch == MACHINE_ARM && (f->flags & FLOW_THUMB) ? f->address | 1 : f->address;
}

/* ---- a graph under construction ---- */

struct succ {
    ir_label label;
    uint8_t kind;  /* enum flow_edge_kind */
    uint32_t insn; /* the IR_EXIT, or UINT32_MAX */
    uint64_t value;
};

enum bb_pending {
    PENDING_NONE,
    PENDING_COMPUTED, /* ends with a computed jump that is not understood yet */
    PENDING_TABLE,    /* one that was, with the code known then */
};

struct bb {
    ir_label label;
    struct ir_block b;
    bool lifted;
    uint8_t pending;   /* enum bb_pending */
    uint64_t asked_at; /* the version of the graph when that was last looked at */
    VEC(struct succ) succ;
};

/* A jump that leaves the function for a place that may be a part of it: decided when the stack pointer is
 * known. */
struct doubtful {
    uint32_t bb;
    uint32_t insn; /* the IR_EXIT, or UINT32_MAX for the end */
    ir_label label;
    bool decided;
};

struct values;

struct builder {
    struct program *p;
    uint32_t index; /* of the function, for messages and bounds */
    uint64_t entry;
    uint64_t lo, hi; /* bounds of the function's own code */
    struct arena *arena;
    VEC(struct bb) bb;
    struct map by_label; /* label to index of bb */
    struct map insn_at;  /* address of a lifted instruction to index of bb */
    VEC(uint32_t) work;
    VEC(struct flow_call) call; /* `block` is an index of bb */
    VEC(struct flow_jump_table) table;
    VEC(struct flow_problem) problem;
    VEC(struct doubtful) doubt;
    bool returns;          /* some path returns, or may */
    bool over;             /* it calls what does not return behind the call (below): returns need a look */
    bool stop_at_return;   /* only `returns` is wanted */
    uint64_t blocks_left;  /* a limit against hostile input */
    uint64_t version;      /* counts changes of blocks and edges */
    struct values *values; /* made on demand; dropped when they change */
};

void builder_init(struct builder *b, struct program *p, uint32_t index, struct arena *arena);
void builder_run(struct builder *b);
void builder_free(struct builder *b);
/* Notes the numbers of a finished graph for the statistics. */
void fn_count(struct program *p, uint32_t index, const struct builder *b);
void builder_problem(struct builder *b, enum flow_problem_kind kind, uint64_t address, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Makes a label the start of a block. False when it is no code. */
bool builder_leader(struct builder *b, ir_label label);
/* True when code at the address belongs to this function: by its bounds, by its parts, or because no other
 * function claims it. */
bool builder_owns(const struct builder *b, uint64_t address);
uint64_t bb_end_address(const struct builder *b, const struct bb *x);
/* One of a finished graph, with its values. */
void builder_reopen(struct builder *b, struct program *p, uint32_t index, const struct flow_graph *g,
                    struct arena *arena);

/* ---- returns that are jumps, and calls nobody returns from (over.c) ---- */

/* The block ends in a return instruction, which goes to what the block itself has put there. */
bool over_is_jump(const struct ir_machine *m, const struct ir_block *b);
/* What a call of the code at a label is, or a jump there. */
enum over_kind {
    OVER_NONE,
    OVER_CALL,     /* the code takes the return address of a call from the stack, or puts another one in its
                      place: the     call is a jump that pushes something */
    OVER_CODE,     /* it begins with such a call */
    OVER_REGISTER, /* ... and all that it does is to jump to what a register holds */
};
enum over_kind over_kind(struct program *p, ir_label label, uint16_t *reg);
/* Makes the call at the end of the block one of what the register holds. */
void over_call_register(struct ir_block *b, uint16_t reg, unsigned width, struct arena *arena);

/* ---- what prototypes are read off (prototype.c) ---- */

/* What debug information says, when all arguments are plain ones, each in a register or word of its own; d may be NULL. */
bool prototype_from_debug(const struct program *p, const struct object_function_debug *d,
                     struct flow_prototype *out);
/* Reads of registers that mean nothing. On ARM a push that saves lr often takes an argument register along to keep the
 * stack aligned; on x86 a function that needs one word of stack pushes a register that is dead. `to`: where the
 * instruction's part of the block ends. */
bool insn_only_saves(const struct ir_machine *m, const struct ir_block *b, bool entry,
                     const struct ir_mark *mark, uint32_t to);
/* The instruction works with the value. */
bool insn_has_operand(const struct ir_block *b, const struct ir_insn *in, ir_val v);
/* The register read at `v`, in an instruction that only saves it, is also what a later one works with. */
bool insn_read_again(const struct ir_block *b, ir_val v, uint32_t from);

#endif
