/* SPDX-License-Identifier: GPL-3.0-or-later */
/* clang-format off */
/* Symbolic execution of one function.
 *
 * START is under-constrained: argument registers, other registers, memory and the stack pointer (aligned as the
 * ABI says) are symbols, told apart by their origin (exec/origin.h). Read-only data of the file has its file
 * contents; writable globals are inputs, whatever the file holds.
 *
 * MEMORY is one array term, and with the frame axiom a second one for the function's own frame until its
 * address escapes (src/exec/memory.c). Addresses in the caller's part of the stack are written with the
 * symbol `caller`, which equals `sp`. The axioms that let a load pass a store it cannot otherwise pass are
 * named, counted and can be switched off:
 *
 *   frame    a caller holds no pointer into a frame that does not exist yet: an address made from `sp` minus
 *            something is different from one made from an argument, a global, or anything loaded from memory
 *            that was there at entry, as long as the address of the slot has not escaped
 *   heap     what malloc and the like return is disjoint from everything that existed before; so is errno, whose
 *            address nobody is assumed to keep
 *   literal  read-only data is not written
 *   return   the return address, saved registers and the stack protector's guard are not overwritten except by the
 *            function's own frame writes
 *   object   (bitcode) addresses made from different globals are apart
 *   faults   (verify) memory that only one version accesses is there
 *
 * SPACES other than memory (ir/machine.h) are arrays of their own with their own widths; a state holds those that
 * were touched. Their contents at entry are symbols with their names. Accesses are exact: no axiom mentions
 * them.
 *
 * CALLS are events: callee, arguments, memory and spaces as they were. Results (return register, memory
 * afterwards) are uninterpreted functions of exactly these (and of the order of observable events, `world`),
 * so equal calls give equal results. Origins hold no addresses and no counters: two programs explored over
 * one term table share them. Local slots that have not escaped survive a call. What is assumed of a callee of
 * which nothing is known is the POLICY of the exploration (struct exec_policy).
 *
 * EXPLORATION is path by path (each block at most `visits` times) or with merging: a branch-to-join region is
 * executed on both sides and joined into one state whose registers and memory are if-then-else terms, nested
 * regions first; what cannot be joined inside a region (a return, a loop bound) continues as a single-path
 * case. States are run in a weak topological order of the blocks, so that whatever can reach a join is there
 * before it is passed. */
/* clang-format on */
#ifndef EXEC_EXPLORE_H
#define EXEC_EXPLORE_H

#include "base/buf.h"
#include "exec/origin.h"
#include "flow/flow.h"
#include "solve/solve.h"
#include "term/term.h"

enum exec_axiom {
    AXIOM_FRAME = 1,
    AXIOM_HEAP = 2,
    AXIOM_LITERAL = 4,
    AXIOM_RETURN = 8,
    AXIOM_OBJECT = 16,
    AXIOM_FAULTS = 32,
    AXIOM_X87 = 64,
    AXIOM_ALL = 127
};

/* ---- policy: what is assumed of callees and loops, and what the paths are good for ---- */

/* What a callee is assumed to be given when no prototype says it, nor exec_callees. */
enum exec_arguments {
    /* The argument registers that were set since the last call, one after the other, and words of the stack
     * after them. A guess, which may be too low. */
    EXEC_ARGUMENTS_SET,
    /* No less than it may take: as many words as exec_callees.most says, else all registers up to the last
     * one that was set, those that the function may pass on, floats, and words of the stack. */
    EXEC_ARGUMENTS_POSSIBLE,
    /* As many as EXEC_ARGUMENTS_SET; of every callee of which nothing is known floats and the words of the
     * stack that were set are listed besides, as hidden ones (exec_event.nfloats, nstack). Which of them
     * count is decided by who compares the calls. */
    EXEC_ARGUMENTS_LISTED,
};

struct exec_policy {
    uint8_t arguments; /* enum exec_arguments */
    /* The paths are to prove something: nothing is guessed low, no callee is assumed to do less than it may.
     * Asserted of the other members. */
    bool proof;
    /* The code of callees in the program says what they take, change and pop. Otherwise they
     * keep to the calling convention and take what tables or exec_callees.arity say, as does the function
     * itself (site 0). */
    bool callee_code;
    /* A callee of which debug information has a prototype takes what that says. Otherwise compilers may have
     * given it more within its file. */
    bool prototypes;
    /* A frame whose address has escaped may be changed by every later callee and through every unknown
     * pointer. Otherwise a callee changes the words whose addresses it is given and nothing else of the
     * frame. */
    bool escapes;
    /* Callees are followed as inline_depth and inline_blocks say. Otherwise only those that hooks->call says.
     */
    bool inlines;
    /* The second time round a loop what changes is an unknown function of its start and its step
     * (ORIGIN_LOOP, ORIGIN_NEXT, ORIGIN_CHAIN; exec/loop.c), so that no loop is unrolled. Not with merging.
     */
    bool induction;
};

extern const struct exec_policy
    exec_policy_look; /* assay explore, and where no policy is given: for looking at paths */
extern const struct exec_policy exec_policy_prove; /* wp: one function, or two that are asked the same */
extern const struct exec_policy exec_policy_replace; /* adapt: what a function of C does to its callers */
extern const struct exec_policy
    exec_policy_compare; /* verify: the calls of two versions are compared one by one */
extern const struct exec_policy exec_policy_sample; /* present: what many functions do, quickly */
/* Whether the members go together, and with the options. Asserted when an explorer is made. */
struct explore_options;
bool exec_policy_fits(const struct exec_policy *p, const struct explore_options *o);

/* What an analysis observes while a function is explored, and how it writes addresses and names. A NULL
 * member has nothing to say; nothing else follows from it. A moment is the state of the exploration at that
 * point, valid during the call; what is asked of it is below. */
struct exec_moment;

/* A callee about to be called. */
struct exec_callee {
    const char *name;              /* NULL: not known */
    uint64_t address;              /* 0: not known */
    unsigned file;                 /* that has this address (explorer_map) */
    uint64_t site;                 /* of the call, in the file of moment_file */
    const struct flow_function *f; /* NULL: in no file that is known */
    bool tail;
};

enum exec_call_kind {
    EXEC_CALL_USUAL,  /* as described under CALLS above */
    EXEC_CALL_FOLLOW, /* its code is run, if it can be */
    EXEC_CALL_ENTER,  /* its code is run; where it was entered too often, the path ends as at the bound of a loop */
    EXEC_CALL_ONLY,   /* changes the listed registers and nothing else */
    EXEC_CALL_END,    /* never returns */
};
struct exec_call {
    uint8_t kind;
    const uint16_t *changes; /* offsets of registers of pointer size */
    unsigned nchanges;
    bool part; /* FOLLOW: counts as code of the caller (flat_regions) */
};

enum exec_choice {
    EXEC_CHOICE_BOTH,
    EXEC_CHOICE_HOLDS,
    EXEC_CHOICE_NOT,
    EXEC_CHOICE_FORK /* both, and it is known that both can be */
};

struct explore_hooks {
    void *ctx;
    /* A space (0: memory) is accessed by the instruction at `site`, when guard (TERM_NONE: always) holds; a
     * write has been done by then. A cell of memory is a byte. */
    void (*access)(void *ctx, const struct exec_moment *at, unsigned space, term address, unsigned cells,
                   bool write, term guard, uint64_t site);
    /* What a load at a computed address gives, where memory would give `otherwise`: for data that never
     * changes. */
    term (*load)(void *ctx, term address, unsigned width, term otherwise);
    /* Addresses of the program as the analysis writes them, to compare two programs in which the same thing
     * lies in different places. `constant`: a constant as wide as a pointer in the instruction at `site`;
     * `word`: one read from read-only memory at `at`; TERM_NONE: only a number. `place`: an address that is
     * accessed, and how many of the bytes from there on lie together (all, unless said); `settle`: the same
     * of a number when a run is shown. `resolve`: back to a number of this program; false when it is not such
     * an address. */
    term (*constant)(void *ctx, uint64_t site, uint64_t value);
    term (*word)(void *ctx, uint64_t at, uint64_t value);
    term (*place)(void *ctx, term address, unsigned bytes, unsigned *together);
    uint64_t (*settle)(void *ctx, uint64_t address, unsigned bytes, unsigned *together);
    bool (*resolve)(void *ctx, term address, uint64_t *value);
    /* The name under which a callee's unknown functions go. */
    const char *(*name)(void *ctx, const char *name, uint64_t address);
    /* Whether the program, or what it is compared with, has or imports a symbol of that name; NULL: the
     * program's symbols say so. */
    bool (*names)(void *ctx, const char *symbol);
    /* Whether it may be missing, as the program, or what it is compared with, names it as a weak one; NULL:
     * the program's symbols say so. */
    bool (*weak)(void *ctx, const char *symbol);
    struct exec_call (*call)(void *ctx, struct exec_moment *at, const struct exec_callee *c);
    /* After a call that was not followed. */
    void (*called)(void *ctx, struct exec_moment *at, const struct exec_callee *c);
    /* Which way a condition that is open goes, to follow one path. If it holds, block `to` is next (UINT32_MAX:
     * none of the same function); `at` is in block `from` of `f` (NULL: of a bare graph). */
    enum exec_choice (*choose)(void *ctx, struct exec_moment *at, const struct flow_function *f, term cond,
                               uint32_t from, uint32_t to);
    bool few; /* ... of few paths, one of which alone is not worth much effort */
    /* An instruction is run (`to` is IR_NO_LABEL), or a block of front-end code is left for `to` by the
     * instruction at `site`, when the condition (TERM_NONE: always) holds. */
    void (*pass)(void *ctx, const struct exec_moment *at, uint64_t site, ir_label to, term condition);
    /* Before a block is run for the n-th time; false ends the path. */
    bool (*enter)(void *ctx, struct exec_moment *at, ir_label block, unsigned n);
    /* Whether a query can hold, from what was learnt, also by another exploration; false: it has to be asked.
     * Of the query so many terms before the last are what is assumed (explorer_assumptions). */
    bool (*known)(void *ctx, const term *query, size_t n, size_t assumed, enum solve_answer *answer);
    /* brief: it was asked with little effort */
    void (*learnt)(void *ctx, const term *query, size_t n, size_t assumed, enum solve_answer answer,
                   bool brief);
};

/* What an analysis knows of callees that neither the library's table nor the file says. Any function may be
 * NULL: nothing of that kind is known. Answers do not change while an explorer lives. In all but `declared` a
 * callee goes by the name that explore_hooks.name gave it; NULL: it is called through a pointer. */
struct exec_callees {
    void *ctx;
    /* What debug information says of the function that is explored, in place of what its file says; NULL: the
     * file says it. */
    const struct object_function_debug *(*explored)(void *ctx);
    /* The prototype of a function of elsewhere that is in no table and that the debug information around
     * `site` does not declare, by its name in the file. Asked once a callee, before anything else. */
    bool (*declared)(void *ctx, const char *name, uint64_t site, struct flow_prototype *out);
    /* What a callee without a prototype takes, no more and no less. Asked at every call. */
    bool (*takes)(void *ctx, const char *name, struct flow_takes *out);
    /* How many words such a callee takes at that call, where `takes` does not know it; -1: not known. What is
     * counted so is `bounded` (exec_event): it may take fewer. site 0: of the function that is explored,
     * asked when its code is not looked at (exec_policy.callee_code). */
    int (*arity)(void *ctx, const char *name, uint64_t site);
    /* ... at the most, where none of the above knows. Asked with EXEC_ARGUMENTS_POSSIBLE only. */
    int (*most)(void *ctx, const char *name);
    /* The word of the stack at that address lies where an argument of the callee would, and is the caller's
     * own: the callee leaves it as it is. Asked after every call that is summarised. */
    bool (*keeps)(void *ctx, term address);
};

struct exec_range;

/* Conditions under which a path ends in a fault. */
enum exec_fault_kind {
    FAULT_NULL = 1, /* memory is accessed below address 4096 */
    FAULT_UNMAPPED =
        2, /* ... outside the pages of the snapshot that the exploration began with; without one never */
    FAULT_DIVISION =
        4, /* a division of integers by zero, where the processor does not trap by itself (PATH_TRAP) */
};

/* Which states that a callee returned in are merged, where it is followed. */
enum exec_returns { EXEC_RETURNS_ALL, EXEC_RETURNS_SAME /* by the same instruction */, EXEC_RETURNS_APART };

enum { EXEC_PAYS = 2 };

struct explore_options {
    bool merge;
    uint8_t returns;        /* enum exec_returns, with merge */
    bool whole_regions;     /* with merge: not where a state threw between the branch and the join ... */
    bool flat_regions;      /* ... or called something that is not part of the caller */
    /* With merge: not where a choice would be made of a number that is known and decides how much there is to do, however
     * often a loop runs, where an array is written (exec/known.c). The number is that of a space that holds 0 for objects,
     * by their reference, until they are made: what is in those of one side does not count. 0: without this. */
    uint32_t keep_known;
    bool merge_returns;     /* join early returns into one final state too (with merge) */
    bool no_cost_heuristic; /* merge whenever possible */
    unsigned visits;        /* of a block on one path; 0: 2 */
    bool free_concrete; /* visits are counted only where an open condition led to the block, so that a loop
                           whose conditions are all known runs to its end */
    bool symbolic_iterations; /* with free_concrete: instead, iterations of a loop are, where an open
                        condition decided to stay in it rather than to leave it for a place that the function
                        can return from */
    unsigned max_depth; /* blocks on one path; 0: 10000, with free_concrete 10000000 */
    uint64_t max_paths;     /* 0: 100000 */
    unsigned inline_depth;  /* calls into functions of the program that are followed instead of summarised; 0:
                               none */
    unsigned inline_blocks; /* only callees of at most this many blocks; 0: 8 */
    unsigned axioms;        /* set of exec_axiom */
    unsigned timeout_ms;    /* whole exploration, see base/deadline.h; 0: none */
    uint64_t work;          /* likewise, in units of base/budget.h; 0: no limit */
    unsigned pays; /* with work and merge: that limits what merging costs. If the blocks that it saved
                      would have been EXEC_PAYS times that, it goes on up to this many times the work. It
                      ends where something becomes unknown. 0: work limits everything */
    unsigned faults;        /* set of exec_fault_kind that are looked for. States fork for it */
    bool prune;             /* ask the solver about feasibility at forks (cheap decisions always happen) */
    bool feasible; /* with prune: nothing else is assumed on a path, so each is known to be feasible so far,
                      and a condition is asked about with what bears on it only */
    bool keep_regs;         /* fill exec_path.regs */
    bool count_blocks;      /* fill exec_path.length */
    bool no_writes;         /* leave exec_path.write empty */
    const struct exec_policy *policy; /* NULL: exec_policy_look; must outlive the explorer */
    unsigned recursion; /* how often a function may be among those followed into at once; 0: no limit */
    const struct explore_hooks *hooks; /* or NULL; must outlive the explorer */
    const struct exec_callees *callees; /* likewise */
    /* Added to every address that position-independent code makes from its own place, as if the program had
     * been loaded there: so that an address cannot be taken for a number. A multiple of 64 KiB; 0: none.
     * Addresses in what is reported of the code (sites, ends, labels) stay those of the file. */
    uint64_t bias;
    /* Parts of the function's frame that nobody else can reach, whatever escapes. Sorted. */
    const struct exec_range *private;
    unsigned nprivate;
};

struct exec_range {
    int64_t low, high; /* offsets from the stack pointer at entry; high is not in it */
};

struct saved_set; /* words of the frame that hold saved registers; inside src/exec only */

enum exec_event_kind { EVENT_CALL, EVENT_SYSCALL, EVENT_INTRINSIC, EVENT_UNKNOWN };

struct exec_event {
    uint8_t kind;
    uint64_t site;    /* instruction address ... */
    unsigned file;    /* ... in this file (explorer_map) */
    uint64_t called;  /* the call that led to the function it is in; 0: it is the function explored */
    const char *name; /* callee or intrinsic, "1:name" in file 1; NULL for an indirect call */
    term target;      /* indirect: the destination */
    const term *arg;
    unsigned nargs;
    unsigned nplain;  /* this many of them, the first, are no floats that are passed in registers */
    bool bounded;     /* nobody knows how many it takes: the hooks said how many it may be at most */
    unsigned nhidden; /* this many of them, the last ones, are not arguments by the calling convention but
                         what the callee's code reads besides: other registers, further words of the stack */
    unsigned nfloats,
        nstack;    /* of the hidden ones, the first: registers for floats, then words of the stack that were
                      set, of a callee of which nothing is known (with EXEC_ARGUMENTS_LISTED) */
    bool unlisted; /* more words of the stack were set for it than are listed */
    term stack;      /* where words of the stack that are arguments would begin; TERM_NONE: it is no call */
    uint64_t behind; /* a set: words from there on that were set, after one that was not */
    const uint64_t *word_site; /* by word: the instruction that set it; 0: none, or not one alone */
    unsigned nword_sites;
    term fill; /* unlisted, because a function of the library was given this address there; else TERM_NONE */
    term guard; /* with merging: the condition under which it happened, given the path's; TERM_NONE: always */
    term mem_before; /* memory it saw */
    term result;     /* TERM_NONE when none */
    term threw, thrown; /* whether it threw instead, and what; TERM_NONE: it cannot */
    term mem_after;  /* memory it left */
    /* What is unknown of its effects, all functions of the same things: TERM_NONE where it has no such
     * effect. */
    term world_before, world_after, mem_made, world_made;
    term frame_before, frame_after; /* the function's own frame at that point, when it is kept apart (see
                                       exec_path.frame) */
    const struct exec_spaces *spaces_before, *spaces_after;
    bool tail;                      /* a tail call: the last thing the path does */
    bool reads; /* it may read memory of the program: all callees but those that are known not to; of intrinsics
                   those after which other threads may */
    bool silent; /* a library function without observable effects: only its result and memory_after matter */
    unsigned decided; /* this many of the path's literals were decided before it; without merging */
    unsigned depth;   /* of the functions followed into; 0: in the function explored */
    int guessed; /* this many words were set for it, one after the other, when what it takes is not known;
                    else -1 */
    /* For replaying (exec/replay.h). */
    term token;         /* registers the callee may clobber are functions of this afterwards */
    uint32_t result_at; /* where in the register file the result is put; UINT32_MAX: nowhere */
    bool explicit_args; /* arguments are not in the registers of the calling convention, in that order */
    bool escaped;       /* the frame had escaped: mem_before and mem_after have it */
    const struct saved_set *saved;
    const uint8_t *changes; /* by word of the register file: what the callee may clobber; NULL: all that the
                               convention allows */
    term x87;               /* what is at the top of the x87 stack, if the callee left a value there */
    uint32_t x87_at, x87_tag_at;
    bool obscure;   /* its code has instructions that are not supported: what it leaves is anything */
    unsigned pops;  /* bytes the callee pops in addition to its return address */
    bool pops_open; /* that is not known: its code is not there, and no library says so */
};

struct exec_write {
    term address, value, guard;
    uint64_t site;
    unsigned file;    /* of the site */
    unsigned space;   /* 0: memory */
    bool local;       /* provably in the function's own frame */
    unsigned decided; /* as of an event */
};

enum { EXEC_LENGTH_LOOPS = 1 << 30 };

enum path_end {
    PATH_RETURN,
    PATH_NORETURN,
    PATH_TAIL_CALL,
    PATH_TRAP,
    PATH_LOOP_BOUND,
    PATH_DEPTH,
    PATH_UNRESOLVED,
    PATH_UNKNOWN_CODE,
    PATH_CUT,   /* segments only (exec/segment.h): stands before a block of the set */
    PATH_FAULT, /* with explore_options.faults: exec_path.fault */
    PATH_THROW, /* leaves by throwing exec_path.thrown */
};

struct exec_fault {
    enum exec_fault_kind kind; /* of several the first in that order */
    term condition; /* under which it happens, given what was decided before; it is among the literals */
    term address;   /* accessed; FAULT_DIVISION: the dividend */
    unsigned bytes;
    bool write;
};

/* Why the processor stops a path that ends with PATH_TRAP. */
enum exec_trap {
    TRAP_MEANT,      /* the program asks it to: ud2, brk, ... */
    TRAP_DIVISION,   /* by zero */
    TRAP_QUOTIENT,   /* it does not fit */
    TRAP_MISALIGNED, /* an access that has to be aligned is not */
};

struct exec_path {
    uint8_t end;  /* enum path_end */
    uint8_t trap; /* PATH_TRAP: enum exec_trap */
    uint64_t end_address;
    unsigned end_file; /* that has this address */
    term condition;   /* over the entry symbols */
    term result;      /* return register at the end, TERM_NONE when not a return */
    term memory;      /* final */
    term returns_to;  /* PATH_RETURN, PATH_TAIL_CALL: where it, or the callee, returns to; TERM_NONE: nothing in the code
                         says, as in bitcode */
    term world;       /* the order of what was observable, at the end */
    term thrown;      /* PATH_THROW: the object */
    const struct exec_fault *fault; /* PATH_FAULT; end_address is the instruction's */
    const term *regs; /* final register file, one term for each word of pointer size; NULL unless asked
                       * (explore_options.keep_regs), and where the path ended in a callee that has one of its
                       * own; exec_path_register reads it */
    unsigned nregs;
    /* With the frame axiom the function's own frame is kept in an array of its own until its address escapes
     * (`escaped`); then `memory` has it too, but for saved registers and the return address. */
    term frame;
    bool escaped;
    const struct saved_set *saved;
    const struct exec_spaces *spaces; /* contents of the spaces other than memory */
    const term *literal; /* the conjuncts of `condition` in the order they were decided */
    unsigned nliterals;
    const uint32_t *literal_block; /* the block at whose end each was decided; UINT32_MAX: none */
    const uint32_t *literal_after; /* how many blocks had been run by then, that one included */
    const struct exec_event *event;
    unsigned nevents;
    const struct exec_write *write; /* in order, non-local and local */
    unsigned nwrites;
    term length; /* with count_blocks: how many blocks were run, an if-then-else of constants;
                  * EXEC_LENGTH_LOOPS where a loop was entered */
    const struct exec_point *point; /* PATH_CUT */
    const uint32_t *block; /* trace: block indices in order (one path), or the blocks touched (merged) */
    unsigned nblocks;
    bool merged;
};

struct explore_stats {
    uint64_t paths, infeasible, forks, merges, merge_refused, states, blocks, inlined, loop_bound_hits;
    uint64_t regions, spliced; /* blocks before which states were merged; calls between such a branch and its join */
    uint64_t axiom_used[4];
    uint64_t undecoded, unknown_effects, unresolved_jumps, solver_unknown;
    uint64_t escapes;          /* times a frame's address became known outside */
    uint64_t args_guessed;     /* calls whose number of arguments was not known */
    uint64_t returns_unproved; /* returns whose destination was not seen to be the caller's */
    uint64_t abi_assumed; /* calls not followed, assumed to keep to the calling convention where their code
                             does not show it: registers restored, stack left as it was */
    uint64_t library_assumed; /* library functions assumed to do what their documentation says, and nothing to
                                 memory that the library keeps to itself */
    uint64_t throws_ignored;  /* calls assumed not to throw, in programs with C++ exception handlers: the
                                 handlers are not explored */
    uint64_t object_used;      /* sources with symbols for globals only: the axiom that addresses made from
                                  different globals are apart */
    uint64_t run; /* work (base/budget.h) of running blocks, without merging and without questions ... */
    double apart; /* ... and what it would have been without merging, with some paths that are infeasible */
    uint64_t dropped;     /* states given up because of max_paths, timeout_ms, or because fn said stop */
};

struct explorer;

/* Keeps references to all three; terms made live in t. */
struct explorer *explorer_new(struct program *p, struct terms *t, struct solver *s,
                              const struct explore_options *opt);
void explorer_free(struct explorer *x);

/* Maps another file of the same machine next to the explorer's program, as in a process: `at` is added
 * to addresses of the file, and is a multiple of 4 KiB, as explore_options.bias is for the program itself.
 * They do not overlap. A known address (of a call, a jump, a load, in the GOT slot of a PLT stub) is one of
 * the file that has it: a callee there can be followed, and is summarised by its prototype otherwise;
 * read-only memory there has the file's contents. So that GOT slots are known, begin with a snapshot that has
 * them. Addresses in reports are those of their file; files are numbered: 0 is the program, this returns the
 * next. Before the first exploration; not with hooks that write addresses of the program (constant, word,
 * place, resolve). The program must outlive the explorer. */
unsigned explorer_map(struct explorer *x, struct program *p, uint64_t at);

/* Explores f and calls fn for every path found, in a deterministic order. fn returns false to stop. The path
 * and what it points to live as long as the explorer. False when nothing could be explored (reason in *err).
 */
typedef bool explore_fn(void *ctx, const struct exec_path *path);
bool explore_function(struct explorer *x, const struct flow_function *f, explore_fn *fn, void *ctx,
                      struct error *err);
struct explore_stats explorer_stats(const struct explorer *x);

/* The same for a graph that belongs to no program (other front ends, tests): nothing is known of callees but
 * their names in the graph, and there is no file whose contents could be read. */
struct explorer *explorer_new_bare(const struct ir_machine *m, struct ir_pures pures, struct terms *t,
                                   struct solver *s, const struct explore_options *opt);
bool explore_graph(struct explorer *x, const struct flow_graph *g, explore_fn *fn, void *ctx,
                   struct error *err);

/* What is assumed to hold at entry in addition to the axioms: the alignment of the stack pointer, that
 * `caller`, the name of the stack pointer in addresses of the caller's part of the stack, is `sp`, and that
 * what other files have, as far as it was met and is not weak, is not at address 0. To be
 * asserted with a path's condition when asking a solver for an input. */
size_t explorer_assumptions(const struct explorer *x, const term **out);
/* A register of a path's final state; the path must have been kept with its registers. */
term exec_path_register(struct explorer *x, const struct exec_path *path, unsigned offset, unsigned width);
/* All of memory in a path's final state as one array: with the function's own frame in it. */
term exec_path_memory(struct explorer *x, const struct exec_path *path);
/* Contents of the spaces other than memory at one point; NULL: as at entry. Lives as long as the explorer. */
struct exec_spaces;
term exec_spaces_array(struct explorer *x, const struct exec_spaces *s, unsigned space);
/* One cell of it, as a load gives it. */
term exec_spaces_cell(struct explorer *x, const struct exec_spaces *s, unsigned space, term address);
/* A register at entry. */
term explorer_entry(struct explorer *x, unsigned offset, unsigned width);
/* Memory at entry, as the code would load it. */
term explorer_load(struct explorer *x, term address, unsigned width);

/* ---- events ---- */
/* How many bytes there are in the frame from an offset on, below 0 from the entry's sp, until a saved
 * register or the stack protector's guard, or the end of the frame. */
int64_t event_room(const struct exec_event *e, int64_t offset);
/* What the call itself returned, where the result is made from that: it is an argument unless it is NULL. */
term event_result_made(const struct terms *t, const struct exec_event *e);

/* ---- moments ---- */
term moment_world(const struct exec_moment *m); /* equal where nothing observable was done in between */
term moment_condition(const struct exec_moment *m); /* under which this point is reached in this state */
/* ... and all that it is made of. */
void moment_literals(const struct exec_moment *m, void (*see)(void *ctx, term literal), void *ctx);
term moment_register(const struct exec_moment *m, unsigned offset, unsigned width);
term moment_memory(const struct exec_moment *m); /* all of it as one array */
term moment_space(const struct exec_moment *m, unsigned space); /* of the others */
term moment_load(const struct exec_moment *m, term address, unsigned width); /* as the code would */
/* The bytes at an offset from the entry's sp hold a saved register or the return address. */
bool moment_is_saved(const struct exec_moment *m, int64_t offset, unsigned bytes);
void moment_assume(struct exec_moment *m, term literal);
void moment_set(struct exec_moment *m, unsigned offset, term value);
void moment_store(struct exec_moment *m, term address, term value);
/* Havocs memory, but for saved registers and the return address in the function's frame, and
 * in spaces that do not survive unknown effects. */
void moment_forget_memory(struct exec_moment *m);
unsigned moment_file(const struct exec_moment *m);  /* whose code is being run (explorer_map) */
unsigned moment_depth(const struct exec_moment *m); /* 0: in the function explored */
/* The path so far, as if it ended here by the depth limit. Lives as long as the explorer. */
const struct exec_path *moment_path(const struct exec_moment *m);

/* Entry symbols: the stack pointer, memory, the return address. */
struct explore_symbols {
    term sp, mem, ret;
    term frame;        /* memory at entry with the return address and arguments on the stack in it */
    int64_t frame_top; /* offsets from sp at and above this belong to the caller */
};
struct explore_symbols explorer_symbols(const struct explorer *x);
/* Where a return to this address leads (exec_path.returns_to), as far as it is seen. Of several, the one
 * farthest down. */
enum return_to {
    RETURN_CALLER,
    RETURN_OPEN,      /* nothing says that it is not the caller */
    RETURN_NEAR,      /* to the caller, beside the return address */
    RETURN_ELSEWHERE, /* to what the code has put there */
};
enum return_to explorer_return_to(struct explorer *x, term to);
const char *path_end_name(enum path_end end); /* "returns", "loop bound", ... */
const char *axiom_name(unsigned i);           /* of axiom_used[i]: "frame", "heap", "literal", "return" */

#endif
