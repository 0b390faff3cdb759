/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the symbolic executor, shared by the files of src/exec and by nobody else.
 *
 * One exploration is a tree of ACTIVATIONS: the function explored, and below it the callees that are
 * followed instead of summarised. An activation has a worklist of STATES, each standing before a block of the
 * activation's graph. explore.c takes a state, step.c runs its block and puts the successors back, call.c
 * says what a call does, memory.c what a load and a store do, merge.c makes one state of two that wait before
 * the same block. */
#ifndef EXEC_ENGINE_H
#define EXEC_ENGINE_H

#include <stdio.h>

#include "base/budget.h"
#include "base/map.h"
#include "base/vec.h"
#include "exec/code.h"
#include "exec/origin.h"
#include "exec/start.h"
#include "flow/abi/abi.h"
#include "flow/library.h"

/* ---- persistent lists: nodes are immutable, so states share tails ---- */

struct pc_node {
    term literal;
    term condition; /* conjunction of the list that begins here; TERM_NONE until it is asked for */
    uint32_t depth; /* length of the list that begins here */
    uint32_t block; /* that was being run; UINT32_MAX: none */
    struct pc_node *prev;
    uint32_t after; /* blocks run by then */
    uint32_t calls; /* followed by states while this was the last of their lists */
    bool thrown;    /* a state whose list this is a part of threw */
    bool apart;     /* decided in a callee that was left in several states, with explore_options.returns */
};

/* Events and writes. Each was made by one state, and happened exactly when that state's path condition held:
 * `pc`. Where two states were merged both pasts are kept, and may share entries. */
struct history {
    uint64_t seq;   /* order of making, which every run keeps to */
    uint32_t depth; /* nodes from here down along prev */
    bool entry;     /* false: a merge of prev and other */
    struct pc_node *pc;
    const struct history *prev, *other;
};

/* The two histories of a merge each keep their own marker: what one path did after its last call, the other
 * did before a call. */
struct merge_node {
    struct history h;      /* first; not an entry */
    uint64_t last_call[2]; /* of prev and other */
};

struct event_node {
    struct history h; /* first */
    struct exec_event e;
};

struct write_node {
    struct history h; /* first */
    struct exec_write w;
};

/* `other` is the second history where two states were merged; then `block` is UINT32_MAX. */
struct trace_node {
    uint32_t block;
    uint32_t depth;
    const struct trace_node *prev, *other;
};

/* Offsets from the entry stack pointer of words that hold saved registers, sorted. */
struct saved_set {
    unsigned n;
    int64_t offset[];
};

/* ---- states ---- */

/* Contents of spaces other than memory (space.c). */
enum { SPACE_EPOCHS = 3 };
struct space_cell {
    uint32_t space;
    term array;
};
struct exec_spaces {
    term epoch[SPACE_EPOCHS];
    uint32_t n;
    struct space_cell at[];
};

struct state {
    struct state *next; /* in the pool of unused ones */
    term mem;           /* space 0 without what lives in `frame` */
    /* The function's own frame, as long as no pointer to it is known to anybody else: an array of its own, so
     * that no other store can touch it. Starts as the same symbol as mem. See memory.c. */
    term frame;
    term world;   /* stands for the order of observable events outside memory; results of intrinsics and
                     allocations depend on it */
    term clobber; /* what registers without a term (TERM_NONE) hold: a function of this and of the register */
    struct pc_node *pc; /* path condition */
    const struct history *events, *writes;
    const struct trace_node *trace;
    const struct saved_set *saved;
    const struct loop_entry *loops; /* heads of loops that were reached; with exec_policy.induction */
    uint64_t seq;                   /* order of creation */
    uint32_t block;
    uint32_t steps;       /* blocks run so far */
    uint32_t argset;      /* bit i: argument register i was set since entry or since the last call */
    uint64_t handed;      /* bit i: word i of the stack among the function's own parameters was set */
    term length;          /* blocks run, with count_blocks */
    uint64_t end_address; /* of one that has returned */
    term returns_to;      /* likewise */
    uint64_t last_call;   /* history made before this was made before the last call (merge_node) */
    bool filled;          /* the last call was one, or came after one, that fills arguments on the stack */
    term fill;            /* what that one was given; TERM_NONE: there were several */
    uint64_t raised;      /* when history was that long, the stack pointer was moved up to ... */
    int64_t raised_to;    /* ... this distance from where it was at entry: what lay below is gone */
    uint64_t began;       /* when history was that long, the segment began, and ... */
    const struct exec_point *from; /* ... this was there, with words that were set before; or NULL */
    term thrown;          /* by one that was left so */
    const struct exec_fault *fault;
    uint8_t trap;         /* enum exec_trap */
    bool flat;            /* the frame has escaped: only saved words are still in `frame` */
    double ways;      /* paths that it stands for */
    bool merged;
    bool decided;     /* since the last block began, by an open condition */
    uint16_t *visits; /* of the current activation: one count for each block that is on a cycle; with
                         free_concrete then one of the decisions that led to it */
    uint32_t visits_cap;
    term epoch[SPACE_EPOCHS]; /* see space.c */
    struct space_cell *space; /* sorted; what is not there is as the epochs say */
    uint32_t nspaces, spaces_cap;
    uint32_t slots_cap;
    term reg[]; /* x->nslots register slots */
};

/* ---- graphs prepared for exploration (graph.c) ---- */

struct loop {
    uint32_t head;
    uint32_t parent;   /* enclosing loop, UINT32_MAX */
    uint32_t position; /* of its head in the order */
    uint32_t depth;    /* 1 for an outermost one */
};

enum { SLOT_WORDS = 6 }; /* 64 * SLOT_WORDS register slots at most are looked at by the cost heuristic */
struct slot_set {
    uint64_t w[SLOT_WORDS];
};

struct graph {
    const struct flow_graph *g;
    struct map label;   /* label -> block index */
    uint32_t *position; /* weak topological order: a loop's blocks are contiguous, its head first */
    uint32_t *loop;     /* innermost loop of a block, UINT32_MAX */
    struct loop *loops;
    uint32_t nloops;
    uint8_t *head;        /* by block: heads a loop */
    uint32_t *visit_slot; /* index into state.visits, UINT32_MAX for a block on no cycle */
    uint32_t nvisits;
    uint8_t *returns; /* by block: a return can be reached from it; made on demand */
    struct slot_set
        *hot; /* by block: registers that reach an address or a jump target from its entry; made on demand */
    uint8_t *joined; /* by block: states were merged before it */
    struct known *known[2];      /* known.c: with a result that does not matter, and with one that does */
    struct known_callee *callee; /* by block: what was last followed from there; NULL: nothing yet */
};

/* known.c */
enum known_set { KNOWN_DECIDES, KNOWN_INDEXES, KNOWN_CARRIED, KNOWN_SETS };

struct activation {
    struct explorer *x;
    struct graph *g;
    const struct flow_function *f; /* NULL for a bare graph */
    unsigned depth;                /* 0: the function explored */
    struct activation *caller;
    const struct call_site *site; /* of the call that led here */
    bool result[KNOWN_SETS]; /* what is returned is one of the set (known.c) ... */
    uint64_t asked;          /* ... as of this version */
    bool returning;          /* the states that are merged have returned */
    bool last; /* it returns where the function asked for does: it is that one, or its tail calls lead here */
    unsigned given; /* words of the stack that it may have been given as arguments, and may hand on */
    VEC(struct state *) work; /* a stack, or a heap by merge_before when merging */
    VEC(struct state *) returns;
    VEC(struct state *) throws; /* of a callee that is followed */
    const uint8_t *stop; /* by block: where states wait instead of going on; NULL: nowhere */
    VEC(struct state *) stopped;
    uint64_t return_address; /* of the last return, for merged ones */
    term *val;               /* values of the block being run */
    uint32_t nval;
};

/* ---- callees ---- */

struct callee {
    const char *name;   /* NULL: indirect */
    const char *called; /* in this program, where hooks gave it another name */
    uint64_t address;   /* 0 when unknown */
    const struct flow_function *f;
    const struct flow_library_entry *lib;
    struct flow_prototype proto;
    bool declared;                /* proto is what debug information says of a function of another file */
    const struct abi_convention *how; /* what its code does to registers and stack; NULL: not known */
    struct mapped *file;          /* that has its code, or the stub of an import; NULL with no address */
    bool thunk;                   /* i386 get-pc thunk: result register below gets the return address */
    uint16_t thunk_reg;
};

/* What is asked of where the code comes from: machine code (machine.c), or a front end through exec/code.h
 * (code.c). */
struct activation;
struct call_site;
struct code_source {
    /* Fills in what is known of the callee at c->address in the file that is x's now; `local`: called from
     * it. */
    void (*callee)(struct activation *a, const struct call_site *site, bool local, struct callee *c);
    /* What memory that is never written holds there; TERM_NONE: not known. */
    term (*constant)(struct explorer *x, term address, unsigned width);
    /* A constant string that begins there, without its end; NULL: none. */
    const char *(*text)(struct explorer *x, term p, size_t *len);
    bool lists_arguments; /* a call says itself what it passes */
};
extern const struct code_source code_source_machine;

/* A file that is mapped (explorer_map), and what was learnt of its code. Addresses in it are those of the
 * file; in terms they have the bias added. */
struct mapped {
    unsigned index;
    struct program *p; /* NULL for bare graphs and other sources */
    const struct object *o;
    uint64_t bias;
    bool unwinds;           /* it has C++ exception handlers */
    bool c_library;         /* what it exports is what the table of the C library lists */
    struct map thunks;      /* label -> where a call of it ends up */
    struct map callees;     /* address -> callee */
};

/* The tables of a register file. */
struct registers {
    const struct ir_machine *m;
    unsigned nslots;
    struct term_origin *slot_clobber;
    uint8_t *slot_keep;
    uint32_t *slot_arg;
    term *entry;
};

/* One cell of a space that holds numbers which decide how much there is to do (known.c). */
struct known_cell {
    uint32_t space;
    unsigned width;
    term address;
};

struct explorer {
    VEC(struct mapped *) mapped; /* first that of the function explored */
    struct mapped *file;         /* whose code is being run */
    const struct ir_machine *m;
    const struct code_source *source;
    const struct exec_code *code;   /* of what is not machine code: where it comes from, or NULL */
    struct flow_library *library;   /* of that, owned */
    VEC(term) globals;              /* symbols of addresses of its globals */
    struct map imports;             /* programs: the same of what other files have; a set */
    struct map files;               /* machine -> struct registers, of callees that were followed */
    const struct ir_machine *root_machine; /* machine of the function explored ... */
    struct registers home;          /* ... and its register file */
    struct ir_pures pures;
    struct terms *t;
    struct solver *s;
    struct explore_options opt;
    struct explore_stats stats;
    struct arena arena;

    unsigned width; /* of a pointer */
    unsigned unit;  /* bytes of a register slot: those of a pointer */
    unsigned nslots;
    struct term_origin *slot_clobber; /* what a call leaves in it */
    uint8_t *slot_keep; /* not changed by a call */
    uint32_t *slot_arg; /* argument register number + 1, 0: none */

    /* Entry symbols. */
    term sp, mem, ret, world;
    term canary, canary_at; /* the stack protector's canary and where it lies, once it was read */
    term caller;            /* equals sp: the base of addresses in the caller's part of the stack */
    term frame;             /* the function's frame at entry: return address and arguments on the stack */
    term *entry;            /* the register file at entry */
    /* What the last exploration began with (exec/start.h), for replaying it. */
    const struct exec_snapshot *snapshot; /* or NULL */
    const term *first_reg;
    term first_mem, entry_ret;
    struct map facts;       /* addresses of the snapshot that something is assumed of */
    struct map around;      /* ranges of addresses of which all that is known is assumed */
    VEC(term) assume;       /* what holds at entry: alignment of the stack pointer */
    int64_t frame_top;      /* offsets from sp at and above this belong to the caller */
    unsigned sp_residue, sp_align;
    bool heap_seen; /* an allocation result exists */
    const struct flow_function *errno_of; /* the last function explored, of which the next one is known: */
    bool errno_known; /* what follows was asked for: it reads the code of everything that is called */
    bool errno_held;  /* a variable may hold the address of errno, as the code asks for it */

    struct state *pool;
    uint64_t seq, history_seq;
    struct map graphs; /* flow_graph -> graph */
    VEC(struct graph *) all_graphs;
    struct map origin;      /* term -> where it may come from, see memory.c */
    struct map framed;      /* term -> is such an address plus something */
    struct map heap_in;     /* (heap term, term) -> the term depends on it */
    struct map heap_base;
    struct map space_made; /* (space, epoch) -> array */
    struct map space_read; /* (array, address) -> what is there */
    struct map space_cell; /* (space, address) -> what a constant one holds */
    struct map choices;    /* term -> whether it is a choice of constants */
    struct map known_spaces; /* spaces that hold numbers which decide how much there is to do (known.c) */
    struct known_cell known_last; /* in which two states differed last; a width of 0: none did yet */
    uint64_t known_version;  /* grows with what is known of callees */
    uint64_t numbers;      /* how many were given (IR_MAKES_NUMBER) */
    struct map longer;     /* length -> one more */
    struct map repeated,
        cut; /* heads of loops that had a second iteration, and that were left in the first (loop.c) */
    bool whole_iterations; /* loops that never had a second iteration may be left in the first */

    explore_fn *fn;
    void *fn_ctx;
    bool stop;
    bool late; /* it stopped because time was up */
    struct budget budget;
    uint64_t counted; /* work that was counted, see explore_count */
    double ways;      /* of the state that is run */
    struct flow_prototype prototype; /* of the function explored */
    unsigned result_width;     /* known from debug information, else 0 */
    bool result_void;
};

/* How many counts a state has for a graph. */
static inline uint32_t graph_counts(const struct explorer *x, const struct graph *g)
{
    return x->opt.free_concrete ? 2 * g->nvisits : g->nvisits;
}

struct exec_moment {
    struct explorer *x;
    struct state *st;
    unsigned depth;
    uint64_t site;    /* of the access that exec_snapshot.unmapped is asked about */
    term base, index; /* likewise: what its address is the sum of, beside the offset; base may be TERM_NONE */
    uint64_t offset;
};

/* What the hooks say of an address, or the address itself; *together of the bytes lie from there on. */
term memory_place(struct explorer *x, term address, unsigned bytes, unsigned *together);
/* The file that an address is in, and the address there; NULL when it is not known, or in none. */
struct mapped *memory_resolve(struct explorer *x, term address, uint64_t *value);
/* A place in the code that is being run as a value. */
term memory_code(struct explorer *x, uint64_t address);
/* The whole of memory in one array. */
term memory_whole(struct explorer *x, term mem, term frame, bool flat, const struct saved_set *saved);

/* mapped.c */
/* An import is the function of that file, where the dynamic linker found it. */
void machine_bind(struct explorer *x, struct callee *c, struct mapped *in, uint64_t address);
struct mapped *mapped_add(struct explorer *x, struct program *p,
                          uint64_t bias); /* NULL: code of no program */
void mapped_free(struct mapped *f);
/* As memory_resolve. With one file everything is in it that is not too far behind its beginning. */
struct mapped *mapped_at(const struct explorer *x, uint64_t address, uint64_t *local);
/* Whether a PLT stub goes on in a file that is mapped, when its GOT slot holds that: then to which place.
 * NULL also where the dynamic linker is still to find the function. */
struct mapped *mapped_bound(const struct explorer *x, const struct mapped *from, uint64_t slot_holds,
                            uint64_t *local);
/* The address of an object or a function of another file. */
term mapped_address_of(struct explorer *x, const char *name);
/* The address that a constant as wide as a pointer, of the instruction at `site`, is known to be: of another
 * file's symbol, or as the hooks write it; TERM_NONE: only a number. */
term mapped_constant(struct explorer *x, uint64_t site, uint64_t value);
bool mapped_has_constants(const struct explorer *x); /* there may be some */
/* The stub of an import there that may go on in another file; NULL: none, or there is no other. */
const struct object_stub *mapped_stub(const struct explorer *x, const struct mapped *in, uint64_t address);

/* state.c */
struct state *state_new(struct explorer *x);
/* The same in the register file that is x's now, whose slots are to be set; the old one is gone. */
struct state *state_move(struct explorer *x, struct state *st);
struct state *state_fork(struct explorer *x, const struct state *st);
void state_free(struct explorer *x, struct state *st);
void state_visits(const struct explorer *x, struct state *st, const struct graph *g); /* all zero */
term state_get(struct explorer *x, struct state *st, unsigned offset, unsigned width);
void state_put(struct explorer *x, struct state *st, unsigned offset, term value);
term state_slot(struct explorer *x, struct state *st,
                unsigned slot); /* the term of a slot, made if it was clobbered */
/* The literal holds: what hangs on it is decided. Instructions under a condition leave choices by it behind. */
term state_decided(const struct explorer *x, term value, term literal, term no);
void state_decide(struct explorer *x, struct state *st, term literal); /* ... in registers */
void state_assume(struct explorer *x, struct state *st, term literal); /* ... and is a part of the path condition */
term state_condition(struct explorer *x, const struct state *st);
void state_event(struct explorer *x, struct state *st, const struct exec_event *e); /* arguments are copied */
void state_write(struct explorer *x, struct state *st, const struct exec_write *w);
/* The entries in order, each once, with the condition it happened under given the state's own (TERM_NONE:
 * always). */
struct occurrence {
    const struct history *h;
    term guard;
};
struct occurrence *state_history(struct explorer *x, const struct state *st, const struct history *h,
                                 size_t *n); /* to be freed */
void state_trace(struct explorer *x, struct state *st, uint32_t block);
bool state_has_literal(const struct state *st, term literal);

/* start.c */
void start_tables(struct explorer *x);    /* once for an explorer */
void start_registers(struct explorer *x); /* of x->m */
struct state *start_state(struct explorer *x, const struct flow_function *f);
void start_apply(struct explorer *x, struct state *st, const struct exec_start *s); /* what is not a symbol */

/* memory.c */
term memory_load(struct explorer *x, struct state *st, unsigned space, term address, unsigned width);
void memory_store(struct explorer *x, struct state *st, unsigned space, term address, term value, term guard,
                  uint64_t site);
void memory_escape(struct explorer *x, struct state *st); /* a frame address is known outside from now on */
/* Without exec_policy.escapes: a callee that was given the address of a local
 * has changed it, as memory after the call says. */
void memory_havoc_local(struct explorer *x, struct state *st, term address);
/* A byte of the snapshot; false when it has none there. */
bool memory_snapshot_byte(const struct explorer *x, uint64_t address, uint8_t *byte);
/* What memory has at a known address by the snapshot; TERM_NONE: the snapshot does not say. */
term memory_snapshot(struct explorer *x, term mem, uint64_t address, unsigned width);
/* The condition that the access is outside what the snapshot has mapped. */
term memory_unmapped(struct explorer *x, const struct exec_moment *at, term address, unsigned bytes);
/* The address is made from the stack pointer. */
bool memory_on_stack(struct explorer *x, term address);
/* An offset from the stack pointer, as term_split gives it, with its sign. */
int64_t memory_offset(const struct explorer *x, uint64_t offset);
bool memory_is_saved(const struct explorer *x, const struct saved_set *saved, int64_t offset, unsigned bytes);
bool memory_tainted(struct explorer *x,
                    term v); /* v may be an address in the function's frame or, as an array, hold one */
bool memory_distinct(void *ctx, term a, term b); /* a term_distinct_fn */
/* A known word at a constant address in memory that is never written; TERM_NONE when not known. */
term memory_readonly(struct explorer *x, const struct mapped *in, uint64_t address, unsigned width);
/* Reapplies the writes of the array `from` since `root` to `onto`, without those to saved words. */
term memory_replay(struct explorer *x, const struct saved_set *saved, term from, term root, term onto);

/* space.c */
enum space_effect { SPACE_ANY = 0, SPACE_CALL = 1, SPACE_UNKNOWN = 2 }; /* what a space may survive */
void space_start(struct explorer *x, struct state *st);                 /* all as at entry */
term space_get(struct explorer *x, const struct state *st, unsigned space);
void space_set(struct state *st, unsigned space, term array);
term space_load(struct explorer *x, const struct state *st, unsigned space, term address, unsigned width);
void space_store(struct explorer *x, struct state *st, unsigned space, term address, term value, term guard);
/* A number that stands for the contents of all spaces: equal contents, equal numbers. TERM_NONE: there are
 * none. */
term space_token(struct explorer *x, const struct state *st);
/* Havocs whatever does not survive the effect: its contents become an unknown function of the token. */
void space_havoc(struct explorer *x, struct state *st, enum space_effect by, term token);
void space_forget(struct explorer *x, struct state *st); /* havoc all spaces but those only read so far */
bool space_differ(struct explorer *x, const struct state *l, const struct state *r);
void space_merge(struct explorer *x, struct state *l, const struct state *r, term c); /* into l: c ? l : r */
const struct exec_spaces *space_snapshot(struct explorer *x,
                                         const struct state *st); /* NULL: there are none */
void space_restore(struct explorer *x, struct state *st, const struct exec_spaces *s);

/* segment.c */
struct exec_point *segment_point(struct explorer *x, struct state *st);
void segment_restore(struct explorer *x, struct state *st, const struct exec_point *p);
term segment_longer(struct explorer *x, term length, bool loop); /* one block more, at the head of a loop */

/* graph.c, cost.c */
struct graph *graph_prepare(struct explorer *x, const struct flow_graph *g);
void graph_free(struct graph *g);
uint32_t graph_block(const struct graph *g, ir_label label); /* UINT32_MAX: none */
/* Whether the function can return from there. */
bool graph_returns(struct graph *g, uint32_t block);
/* Whether the block is in the loop, or in one inside it. */
bool graph_in_loop(const struct graph *g, uint32_t block, uint32_t loop);
const struct slot_set *graph_hot(struct explorer *x, struct graph *g, uint32_t block);
static inline bool slot_set_has(const struct slot_set *s, unsigned i)
{
    return i < 64 * SLOT_WORDS && s->w[i / 64] >> (i % 64) & 1;
}

/* known.c */
void known_free(struct graph *g);
/* `sub` is followed from the block of a. */
void known_called(struct activation *a, uint32_t block, const struct activation *sub, const struct exec_body *body);
/* Whether merging the two would make a choice of a number that is known and decides how much there is to do. */
bool known_lost(struct activation *a, const struct state *l, const struct state *r);
/* Equal for states that differ in no such number that is in a register. */
uint64_t known_key(struct activation *a, const struct state *st);

/* loop.c */
/* A state is about to enter the head of a loop. */
void loop_arrive(struct activation *a, struct state *st, uint32_t head);
/* Whether a state that goes to `block` leaves a loop in its first iteration, elsewhere than at its head. */
bool loop_first_exit(const struct activation *a, const struct state *st, uint32_t block);
/* An exit in the first iteration was skipped, and no second iteration reached it. */
bool loop_lost(const struct explorer *x);

/* step.c */
void step_block(struct activation *a, struct state *st); /* consumes st */

/* call.c. All consume st: it goes on in the activation's worklist, ends as a path, or was infeasible. */
struct call_site {
    uint64_t site;
    ir_label label; /* IR_NO_LABEL: computed, then */
    term target;    /* the destination */
    ir_label after; /* IR_NO_LABEL: never returns */
    bool tail;
    const struct ir_end *end; /* explicit arguments and result; may be NULL */
    const term *val;
    const struct ir_block *block;
};
void call_run(struct activation *a, struct state *st, const struct call_site *c);
/* An object (st->thrown) comes out of the callee: to the handler of the call, or out of this function. */
void call_caught(struct activation *a, struct state *st, const struct call_site *c);

/* arguments.c: what a call is given */
enum { CALL_MAX_ARGS = 64, HIDDEN_MAX = 64 };
struct args {
    struct explorer *x;
    struct state *st;
    term arg[CALL_MAX_ARGS];
    unsigned n;
    unsigned ints, floats, stack; /* registers and bytes of stack used */
    unsigned given;               /* of the stack, words that the caller may hand on as they are */
    unsigned before_floats;       /* arguments that come before the first float */
    bool fixed;                   /* how many there are was known */
    int set;                      /* else how many were set; -1 */
    bool stores;                  /* it may write through those that its prototype does not list */
    bool floats_too;              /* what it takes is not known: floats may be among it */
    bool bounded;                 /* the hooks said how many there may be at most */
    bool counted;                 /* they said how many there are */
    bool no_floats;               /* ... and that no floats are among them */
    uint32_t back;                /* flow_takes.back */
    bool unlisted;                /* there may be more on the stack, ... */
    bool cut;                     /* ... because there are too many to be listed */
    uint64_t behind;              /* words of the stack that were set after one that was not */
    const uint64_t *word_site;    /* by whom words of the stack were set; see exec_event */
    unsigned nword_sites;
};
/* What a callee is given in addition to its arguments. */
struct hidden {
    term value[HIDDEN_MAX];
    unsigned n, floats, stack;
};
/* Of g, x, st and given are set. */
/* How many words of the stack may be arguments, at most. */
unsigned arguments_words(struct args *g);
void arguments_collect(struct args *g, const struct callee *c, const struct call_site *site);
/* The stack pointer is about to be moved. */
/* The words of the frame that may be arguments of the next call. */
void arguments_pending(struct explorer *x, struct state *st, struct exec_point *out);
void arguments_stack_moved(struct explorer *x, struct state *st, term to);
/* The function of the library was given the place where arguments on the stack begin, or one not far from it,
 * to write to: structures are copied there. */
bool arguments_fill(const struct args *g);
/* Whether explicit arguments and result have the widths of the library's function: a program may declare
 * anything by that name. */
bool arguments_fit_library(const struct explorer *x, const struct flow_library_entry *l, const term *arg,
                           unsigned nargs, unsigned result_width);
/* Leaves in g->stack how much of the stack belongs to the callee. */
void arguments_hidden(struct args *g, const struct callee *c, struct hidden *h);

/* code.c: what is known of code that is not a program's. */
bool code_is_global(struct explorer *x, term base);
/* What a constant global holds; TERM_NONE when it is not known. */
term code_constant(struct explorer *x, term base, uint64_t offset, unsigned width);
uint64_t code_address(struct explorer *x, term target); /* of the function whose address it is; 0 */
/* The code of a callee, if it can be followed from that call of a function with the machine `caller`. */
bool code_body(struct explorer *x, uint64_t address, const struct ir_machine *caller,
               const struct ir_end *call, struct exec_body *out);
/* How far below its stack pointer a callee's begins, in the function with that entry and machine, or in which
 * register that place is; UINT64_MAX: not known. */
uint64_t code_frame(struct explorer *x, const struct ir_block *entry, const struct ir_machine *m,
                    const struct ir_machine *callee, uint32_t *top);
/* The caller's register file while a callee is followed. */
struct code_caller {
    struct registers in;
    const term *reg;
};
/* From the caller's register file to the callee's; false, and nothing happened, when the arguments do not
 * fit. */
bool code_enter(struct activation *a, struct state **st, const struct exec_body *body,
                const struct call_site *site, struct code_caller *kept);
/* The register file of a callee with that machine; where it holds the address of a global, that is in
 * `entry`. */
const struct registers *code_file(struct explorer *x, const struct ir_machine *m);
/* The register file that is used now. */
struct registers code_registers(const struct explorer *x);
void code_use(struct explorer *x, const struct registers *r);
void code_return(struct explorer *x, struct state *st); /* only the result matters from now on */
/* A state that was left, back in the caller's register file; then the explorer. */
struct state *code_leave(struct explorer *x, struct state *st, const struct code_caller *kept,
                         const struct call_site *site, bool threw);
void code_drop_caller(struct explorer *x, const struct code_caller *kept);

/* convention.c */
enum { CONVENTION_CARRIERS = 16 };
const struct abi_convention *convention_of(struct explorer *x, const struct callee *c);
unsigned convention_carriers(const struct explorer *x, bool elsewhere, uint16_t out[CONVENTION_CARRIERS]);

/* call.c */
void call_syscall(struct explorer *x, struct state *st, uint64_t site);
void call_event(struct activation *a, struct state *st, const struct ir_block *b, uint32_t insn,
                uint64_t site);
void call_unknown(struct explorer *x, struct state *st, const struct ir_unknown *u);

/* summary.c: library functions. */
/* The file has a name by which it comes to memory that the function changes, so any memory may change. */
bool summary_shares(const struct explorer *x, const struct flow_library_entry *l);
/* Somebody may keep the address of errno: the function asks for it, or one of the file that it calls. */
bool summary_names_errno(const struct explorer *x, const struct flow_function *f);
/* It reads memory: through what it is given, or what those read that it calls back. */
bool summary_reads(const struct explorer *x, const struct flow_library_entry *l);
/* True when the effect was applied completely; then *result is what is returned, and *found the memory as the
 * function found it: with the frame, if it was given an address there. */
bool summary_apply(struct explorer *x, struct state *st, const struct callee *c, const term *arg,
                   unsigned nargs, uint64_t site, term *found, term *result);
/* What a call of a function of the library surely returns; TERM_NONE: that is not known. */
term summary_result(struct explorer *x, const struct state *st, const struct callee *c, const term *arg,
                    unsigned nargs);
/* The result, where that is an argument or NULL. */
term summary_unless_null(struct explorer *x, const struct callee *c, const term *arg, unsigned nargs,
                         term result);
/* The origin of what a call returns whose operands have its arguments from `first` on; l: of the library, or
 * NULL. */
struct term_origin summary_result_origin(const struct flow_library_entry *l, const char *name, unsigned first,
                                         unsigned nargs);
/* The allocation that an address was made from by adding something; TERM_NONE. */
term summary_heap_root(struct explorer *x, term v);

/* merge.c */
term merge_array(struct explorer *x, term c, term l,
                 term r); /* c ? l : r, as conditional stores where it can be */
struct pc_node *merge_common_pc(struct pc_node *l,
                                struct pc_node *r); /* the part of two path conditions that is shared */
bool merge_before(const struct activation *a, const struct state *l, const struct state *r);
bool merge_same_point(const struct activation *a, const struct state *l, const struct state *r);
/* Makes one state of two, consuming both; NULL when refused (then both are unchanged). `always`: whatever it
 * costs. */
struct state *merge_states(struct activation *a, struct state *l, struct state *r, bool always);
/* Merges what can be merged in the array; returns how many are left. */
size_t merge_group(struct activation *a, struct state **st, size_t n, bool always);

/* explore.c */
void activation_push(struct activation *a, struct state *st, uint32_t block);
void activation_run(struct activation *a);
void activation_finish(struct activation *a, struct state *st, enum path_end end, uint64_t address);
/* Where exec_stats.axiom_used counts the uses of an axiom. */
enum { AXIOM_FRAME_IX, AXIOM_HEAP_IX, AXIOM_LITERAL_IX, AXIOM_RETURN_IX };
enum branch { BRANCH_BOTH, BRANCH_TAKEN, BRANCH_NOT };
/* If the condition holds block `to` is next; UINT32_MAX: none of the activation's. */
enum branch explore_branch(struct activation *a, struct state *st, term cond, uint32_t to);
/* Counts work since it was last called for the state that ran, and from now on for one that stands for so many
 * paths; 0: it is not spent on running blocks. */
void explore_count(struct explorer *x, double ways);
/* True when cond provably cannot hold here: by the path condition alone, else by the solver, with little effort if
 * that is asked for. */
bool explore_holds_never(struct explorer *x, struct state *st, term cond, bool brief);

#endif
