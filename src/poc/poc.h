/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Does a candidate repair fix a crash for the inputs around its proof of concept?
 *
 * After SymRadar (PoC-centred bounded verification). The state of the original program at the beginning of
 * the call that crashes is made ABSTRACT (abstract.c): what the call is given, and what it can reach, keeps
 * its shape, and the plain values in it become symbols. The original is explored from there; each of its
 * paths is a CLASS of states: condition, and crash or normal end (side.c). The candidate is explored from the
 * same states, in its own process image, and each class is judged by what the candidate does in it (judge.c).
 * What is found is confirmed by running the two programs: from the state at that call (state.c), and from a
 * changed input (confirm.c). */
#ifndef POC_POC_H
#define POC_POC_H

#include "base/map.h"
#include "base/sha256.h"
#include "exec/start.h"
#include "match/match.h"
#include "run/watch.h"
#include "solve/solve.h"
#include "tell/words.h"

/* ---- crashes ---- */

enum poc_kind {
    POC_NONE, /* no crash */
    POC_NULL,
    POC_OVERFLOW, /* memory that is not mapped, or behind a chunk of the heap */
    POC_FREED,    /* use after free */
    POC_DIVISION, /* by zero */
    POC_QUOTIENT, /* does not fit, and the processor stops the program for it */
    POC_DOUBLE_FREE,
    POC_ABORT,
    POC_ASSERTION,
    POC_SMASHED, /* the stack protector says so */
    POC_TRAP,
    POC_SIGNED, /* signed arithmetic overflows: nothing but a check sees it */
    POC_KINDS_
};
const char *poc_kind_name(enum poc_kind k);

/* Kind and place: the function, which candidates have under the same name. */
struct poc_crash {
    enum poc_kind kind;
    const char *function; /* NULL: not known */
    uint64_t base, size;  /* the chunk or variable that is overflowed; size 0: none */
    bool flat;            /* it is an array of numbers */
    unsigned line, column; /* of its source; 0: not known */
};
bool poc_crash_same(const struct poc_crash *a, const struct poc_crash *b);
/* Of the same chunk or at the same place of the source, of two crashes of one program that are the same; also
 * where neither is known. */
bool poc_crash_here(const struct poc_crash *a, const struct poc_crash *b);

/* ---- the abstract state ---- */

enum poc_object_kind { POC_HEAP, POC_GLOBAL, POC_STACK, POC_STRING };
struct poc_object {
    uint64_t base, size;
    uint8_t kind; /* enum poc_object_kind */
    unsigned depth;
    const struct object_type_info *type; /* of what begins at `base`; NULL: not known */
    const char *name;                    /* what a person calls the pointer to it: "ctx->buf" */
    bool leaf;   /* points nowhere, but perhaps back to objects that it was reached through */
    size_t from; /* the object that it was found in; SIZE_MAX: it is a root */
};

struct poc_argument {
    const char *name;
    const struct object_type_info *type; /* or NULL */
    unsigned bits;                       /* that count; as many as a pointer has: all */
    bool pointer;                        /* stays as it is */
    uint64_t value;
};

/* A number that is how much a chunk holds: a word of memory, or an argument; or the allocator's own, where no
 * number that the program has says it. */
struct poc_size {
    uint64_t base, size; /* the chunk, as it was */
    uint64_t scale;      /* bytes that one of it counts */
    uint64_t most;       /* bytes that the chunk may become */
    bool argument;
    unsigned index;
    uint64_t address;
    unsigned bytes; /* of the number */
    bool own;       /* the allocator's */
};

struct poc_abstract {
    const struct snapshot *s;
    const struct poc_argument *argument;
    unsigned narguments;
    VEC(struct poc_object) object;
    struct map closed;    /* words that are pointers after all: address */
    uint32_t closed_args; /* likewise: a set */
    struct map kept;      /* numbers that select objects with pointers: address, bytes */
    uint32_t kept_args;   /* likewise: a set */
    uint32_t size_args;   /* arguments that are sizes of chunks: a set */
    bool sizes;           /* something is the size of a chunk, and closed for that */
    VEC(struct poc_size) size;
    bool open_sizes; /* sizes are open instead, and their chunks end there */
    bool roomy;      /* ... and small ones may become larger */
    uint64_t overflowed; /* the chunk whose size is open then even if nothing says it; 0: none */
    struct exec_page *page;
    size_t npages;
    uint8_t **open; /* by page, or NULL */
    bool concrete;  /* nothing is a symbol */
    struct arena arena;
};

/* ---- shapes ---- */

/* Pointers are varied by lazy initialisation: one that the code reads is NULL, or leads to a new object, or
 * to where it led. Each choice makes another state of the process, a SHAPE of the snapshot, which is explored
 * by itself: a pointer is a number in every one of them. New objects are chunks of the guarding allocator, so
 * the programs can be run from such a state too. */
struct poc_link {
    bool argument;
    unsigned index; /* of the argument */
    uint64_t address;
    uint64_t value;   /* an address of the original's process, or 0 */
    const char *name; /* of the pointer */
};
struct poc_fresh {
    uint64_t base, size;
    unsigned depth; /* 1: what was there before points to it */
    bool text;      /* of characters: the last word is 0 */
};
struct poc_shape {
    VEC(struct poc_link) link;
    VEC(struct poc_fresh) fresh;
    bool emptied; /* the empty snapshot, filled again */
};
struct poc_shapes {
    VEC(struct poc_shape) shape;
    const char *bound; /* why there would be more; NULL: there are none */
    struct arena arena;
};

/* A word of a process, or a register, that becomes something else. */
struct poc_patch {
    bool is_register; /* then `at` is its offset in the file */
    uint64_t at, value;
    unsigned bytes;
};
typedef VEC(struct poc_patch) poc_patches;

/* ---- the question ---- */

/* What is a regression, where both end normally. */
enum poc_regression {
    POC_OUTPUTS = 1,  /* the result, memory that outlives the call, calls of libraries */
    POC_BRANCHES = 2, /* the ways through the blocks that both have */
};

struct poc_options {
    unsigned regression; /* set of poc_regression */
    bool any_crash;  /* not only a crash like that of the proof of concept counts */
    bool witness;    /* one state on which a candidate goes wrong refutes it, as the paper has it */
    unsigned k;      /* new objects behind one another; 0: pointers stay */
    bool empty;      /* nothing of the snapshot's memory is kept, as UC-KLEE has it */
    bool no_order;   /* pointers into one object are varied one by one */
    bool no_concretise;        /* what the code takes for an address is left open */
    bool no_function_pointers; /* that is NULL where there was none */
    unsigned visits; /* open decisions at a block on one path */
    uint64_t paths;
    uint64_t work; /* of one exploration, units of base/budget.h; all of one program take at most twice that,
                      and then a little each */
    struct solve_options solve;
};

/* Bytes of memory that no program has. */
enum {
    POC_THROUGH = 64, /* not 0: an access that is not the same in every state was in the watched chunk */
    POC_BEYOND,       /* not 0: ... behind its first element */
    POC_LEFT,         /* not 0: an access left the variable or member that its address was made from */
    POC_WILD,         /* not 0: memory was accessed of which nobody knows to which object it should belong */
    POC_LAST = 512,   /* checked: by instruction, what it accessed last */
    POC_REAL = 4096   /* here memory begins */
};

/* A variable in the frame of the call, or a global one. */
struct poc_local {
    uint64_t low, size;
    bool flat; /* an array of numbers, as debug information has it */
};

struct poc_answers;
struct poc_follow;

/* One program in its state. */
struct poc_side {
    struct program *p;
    struct program *guard; /* or NULL */
    const struct flow_function *f;
    struct snapshot *s;
    struct poc_abstract *a;
    uint64_t guard_base;
    struct explorer *x;
    struct explore_hooks hooks;
    struct exec_snapshot memory;
    struct terms *t;
    const struct poc_options *opt;
    unsigned visits; /* 0: as the options say */
    bool trial;      /* only a part of the work is done, to see what it hangs on */
    bool glance;     /* ... and of that a part */
    unsigned others; /* not 0: only paths are followed on which at most so many decisions are others than on the proof of
                        concept; a candidate is then followed in each of the original's classes */
    struct poc_near *near; /* ... and what is needed for that */
    struct poc_follow *follow; /* a candidate's: where the original was */
    struct solver *solver;
    struct poc_answers *answers;
    const struct poc_side *against; /* a candidate's: the original's, explored; NULL: it is the original */
    uint64_t begun; /* terms_work() before the first exploration of the program */
    bool checked; /* what does not trap is looked for, too: divisions by zero, accesses that leave a global or
                     a local variable */
    bool members; /* ... or an array that is a member of a structure: the address of a member may also stand
                     for all that follows, so that is no crash. Not checked: it is only noted where something
                     is left */
    bool signed_checked; /* signed arithmetic, too */
    bool signed_strict;  /* ... and where it is not known whether it overflows the end does not count */
    struct arena arena;  /* of classes that were split for that */
    struct map unspoken; /* ... and by what: conditions that no source has, and nobody is told */
    VEC(struct poc_local) local; /* checked: variables of the function's frame */
    struct poc_local left;       /* checked: the variable that the last access might leave */
    VEC(struct poc_class) class;
    bool whole;            /* all paths are there, and each has an end that counts */
    bool limited;          /* a limit of paths or work left some out */
    const char *reason;    /* why not */
    VEC(uint64_t) pointer; /* words that were used as addresses: they are to be closed */
    uint32_t pointer_args;
    struct map index; /* numbers that select an object with pointers: address, bytes */
    uint32_t index_args;
    VEC(uint64_t) read; /* addresses of the program's data that were read */
    struct map touched; /* words that were read: address */
    bool kept;          /* memory was read that is the snapshot's and could have been something else */
    bool printed;       /* something was printed: whether the library may read it was not checked */
    uint64_t watched, watched_size; /* a chunk or variable */
    bool watched_flat;
};

enum { POC_GUIDES = 4 };
struct poc_near;

struct poc_class {
    const struct exec_path *path;
    struct poc_crash crash;
    bool known;         /* crash, or a normal end; false: a bound ended it */
    const char *reason; /* why not */
    const struct term_model *guide[POC_GUIDES]; /* values with which it happens; the rest is NULL */
    bool asked;                                 /* what follows was looked for */
    struct term_model
        *nearest; /* a state of it near the snapshot's, for all candidates; NULL: none is known */
    size_t far;   /* how many values differ there */
};

/* ---- the input ---- */

/* What the program is given: its arguments, some of which name files, and standard input. */
struct poc_input {
    const char *const *argument;
    size_t narguments;
    const char *input; /* a file, absolute; NULL: none */
};

/* ---- what is found ---- */

enum poc_verdict { POC_REFUTED, POC_DOUBTFUL, POC_NOT_REFUTED, POC_PROVED, POC_UNKNOWN, POC_VERDICTS_ };
const char *poc_verdict_name(enum poc_verdict v);

/* Cases of the paper's Table 1, and one that comes before: it still crashes on the proof of concept. */
enum poc_case {
    POC_CASE_NONE,
    POC_CRASH_NORMAL = 1,
    POC_CRASH_SAME = 2,
    POC_CRASH_OTHER = 3,
    POC_NORMAL_SAME = 4,
    POC_NORMAL_OTHER = 5,
    POC_NORMAL_NORMAL = 6,
    POC_STILL = 7,
};

/* A value of the state that a witness has. */
struct poc_value {
    bool argument;
    unsigned index; /* of the argument */
    uint64_t address;
    unsigned bytes;
    uint64_t was, is;
    bool grown; /* in what a chunk has grown by: there was nothing */
    const char *name;
};

struct poc_witness {
    struct poc_value *value;
    size_t nvalues;
    bool made; /* it was looked for */
};

struct poc_finding {
    enum poc_case which;
    bool must;        /* all of the class goes wrong */
    const struct exec_path *paths[2]; /* of the original and the candidate */
    term wrong;                       /* what differs at their ends; TERM_NONE: one crashes */
    const term *query;                /* when it happens */
    size_t nquery, nfacts;            /* the first terms of it only say what is known of memory */
    bool may;                          /* not wherever the two paths meet: `wrong` is the last of the query */
    const struct term_model *guide[2]; /* values with which it does, other ones for `other`; or NULL */
    struct poc_witness witness;
    struct poc_witness other; /* with other values changed, which are perhaps found in the input */
    struct term_model *state[2]; /* of the two; NULL: not made for this finding */
    bool alike[2];               /* ... from one that was made for another candidate */
    struct poc_crash crash;   /* of the candidate */
    size_t class;
    size_t far;    /* the original's class is so many values from the snapshot, where others are as bad */
    bool branches; /* only the ways through the code differ */
    bool undefined; /* in all such states the original leaves a variable or a member, or signed arithmetic
                       overflows */
    bool wild;  /* one of the two accesses memory of which nobody knows what it is */
    bool told;  /* what follows was made */
    const char *when;    /* in the program's words; NULL: always */
    const char *path[2]; /* the ways of the original and the candidate: places of the source */
    bool early; /* the original does not go through what the proof of concept overflows; or no further than
                   its first element, and all of the class goes wrong */
    bool first; /* ... no further than that, before it is known whether all of the class does */
};


struct poc_judgement {
    struct poc_side *old, *new;
    struct poc_answers *answers;
    VEC(struct poc_finding) finding; /* the worst first */
    size_t classes, decided;
    size_t wrong, wholly; /* classes with a state in which it goes wrong, and those of nothing else */
    bool whole;
    bool cut;   /* a limit of work left classes out */
    bool proof; /* in every state the candidate ends normally, and as the original does where that does */
    const char *reason;
    struct arena arena;
};

/* ---- the parts ---- */

/* The abstract state of a snapshot at the entry of f. */
void poc_abstract_make(struct poc_abstract *a, struct program *p, const struct flow_function *f,
                       const struct snapshot *s);
/* ... with the globals that have these addresses among the roots. */
void poc_abstract_globals(struct poc_abstract *a, struct program *p, const uint64_t *read, size_t n);
/* Makes a candidate's state as open as the original's: the same globals, the same words are addresses. */
void poc_abstract_follow(struct poc_abstract *a, const struct poc_abstract *old, struct program *p,
                         struct match *m);
void poc_abstract_free(struct poc_abstract *a);
/* The object that has an address; NULL: none. */
const struct poc_object *poc_object_at(const struct poc_abstract *a, uint64_t address);
/* Whether the byte there is a symbol. */
bool poc_is_open(const struct poc_abstract *a, uint64_t address);
/* The number that says where the chunk that begins there ends; NULL: it ends where it did. */
const struct poc_size *poc_size_of(const struct poc_abstract *a, uint64_t base);
/* Whether inputs could give an object another size: one of its type has that. */
bool poc_is_sized(const struct poc_object *o);
/* The size of a chunk that is open and stands there; NULL: none does. */
const struct poc_size *poc_size_at(const struct poc_abstract *a, uint64_t address);
/* Whether the address is in what a chunk may grow by. */
bool poc_is_grown(const struct poc_abstract *a, uint64_t address);
/* What a person calls so many bytes there. */
const char *poc_place_name(const struct poc_abstract *a, uint64_t address, unsigned bytes,
                           struct arena *arena);
/* Adds to the numbers that are kept the one there: one read in several widths is as wide as the widest. True when
 * that is new. */
bool poc_keep_bytes(struct map *kept, uint64_t at, uint64_t bytes);
/* What selects one of several objects that have pointers stays what it was. True when that is new. */
bool poc_abstract_keep(struct poc_abstract *a, const struct poc_side *by);
/* ... as it does in another state of the same objects. */
void poc_abstract_keep_as(struct poc_abstract *a, const struct poc_abstract *other);
/* Whether small chunks whose sizes are open may become much larger. */
void poc_abstract_room(struct poc_abstract *a, bool roomy);
/* What the code takes for an address stays what it was. True when that is new. */
bool poc_abstract_close(struct poc_abstract *a, const struct poc_side *by);

/* The type of so many bytes at an offset of an object; NULL: not known. What it is called is added to `path`,
 * if that is not NULL. */
const struct object_type_info *poc_type_at(const struct poc_object *o, uint64_t offset, uint64_t bytes,
                                           struct buf *path);
/* The pointer-sized word there; 0 when it is not mapped. */
uint64_t poc_word_at(const struct poc_abstract *a, uint64_t address);

/* Adds the shapes that one more choice makes of the one the side was explored in, and that are not there yet.
 */
void poc_shapes_grow(struct poc_shapes *all, const struct poc_shape *from, const struct poc_side *side);
/* The empty snapshot: every pointer that is given is NULL. */
void poc_shapes_empty(struct poc_shapes *all, const struct poc_abstract *a);
void poc_shapes_free(struct poc_shapes *all);
/* What has to be written to a process for it; of a candidate `m` says where its data is, of the original it
 * is NULL. False when that is not known. */
bool poc_shape_patches(const struct poc_shape *h, struct program *p, const struct snapshot *old,
                       const struct snapshot *s, struct match *m, poc_patches *out);
/* The snapshot with that written; it borrows from `s`. */
bool poc_shape_snapshot(const poc_patches *patch, const struct snapshot *s, struct snapshot *out);
/* Keeps what texts end with. */
void poc_shape_close(const struct poc_shape *h, struct poc_abstract *a);
/* In words: "n->next = NULL". */
const char *poc_shape_text(const struct poc_shape *h, struct arena *arena);

/* Why what holds in all states of a side need not hold in all states that a caller can make with its objects;
 * NULL: there is no reason. */
const char *poc_not_general(const struct poc_side *side);

/* What one more exploration of it may take, or judging it, of what all of them together may. */
uint64_t poc_side_left(const struct poc_side *side);
/* Whether a class of it has an end that counts. Where none has, no candidate need be explored against it. */
bool poc_side_tells(const struct poc_side *side);
/* Explores it; the classes are in side->class. */
bool poc_explore(struct poc_side *side, struct error *err);
void poc_side_free(struct poc_side *side);
/* What goes wrong in the call from a state that is all known, with checks; kind POC_NONE: nothing that is
 * seen. */
struct poc_crash poc_check_call(const struct poc_side *like, struct snapshot *s);
/* The same of the first calls of a run; *call: which one. */
struct poc_crash poc_check_run(const struct poc_side *like, const struct run_target *t, uint64_t *call);
/* What the crash is called, from where it happened. */
struct poc_crash poc_crash_of(const struct watch_run *w, struct program *p, const char *guard_file,
                              struct program *guard);
/* What a build of the original with sanitizers, `p`, says about the proof of concept; places are functions of the
 * original. False and an error when it says nothing. */
bool poc_oracle(const struct run_target *t, struct program *p, struct program *old, struct poc_crash *out,
                struct error *err);
term poc_argument_symbol(struct terms *t, unsigned width, unsigned i);

/* The candidate's state, made from the original's without running it; `was` must outlive it. NULL, or why it cannot
 * be made; *out is to be freed in any case. */
const char *poc_carry(struct program *old, struct match *m, struct program *new, const struct snapshot *was,
                      struct snapshot *out);

/* run_target.accessed: the instruction is interpreted up to the access that fails; ctx is a struct program.
 */
bool poc_accessed(void *ctx, struct process *p, uint64_t pc, uint64_t *address);
bool poc_quotient(void *ctx, struct process *p, uint64_t pc); /* run_target.quotient: likewise */

/* What the solver said to queries over one table of terms, of which candidates have many in common. */
struct poc_answers *poc_answers_new(void);
void poc_answers_free(struct poc_answers *a);
/* A query in states of the original's side. */
struct poc_query {
    const struct poc_side *of;
    const term *x;
    size_t n;
    size_t facts,
        nfacts; /* the terms that only say what is known of memory: where they begin, and how many */
};
/* Terms that are made from here on are not of the original alone. */
void poc_answers_young(struct poc_answers *a, const struct terms *t);
/* solve_check, or, brief, solve_try; neither, where that is known from a query like it. */
enum solve_answer poc_answers_check(struct poc_answers *a, struct solver *solver, struct terms *t,
                                    const struct poc_query *q, bool brief);
/* Whether it need not be asked; also where nobody knew of one that is the same but for what is known of
 * memory; lightly: also but for conditions of the candidate's own. */
bool poc_answers_known(struct poc_answers *a, struct solver *solver, struct terms *t,
                       const struct poc_query *q, bool lightly, enum solve_answer *answer);
void poc_answers_put(struct poc_answers *a, struct terms *t, const struct poc_query *q,
                     enum solve_answer answer, bool brief);
/* Values with which a query holds of which it was said that it can; NULL: none are found with little effort.
 */
const struct term_model *poc_answers_model(struct poc_answers *a, struct solver *solver, const term *x,
                                           size_t n);
/* The witness that was made of a query in the states of a side, with values kept from the front or from the
 * back; NULL: none was. */
const struct poc_witness *poc_answers_witness(struct poc_answers *a, const struct poc_side *of, const term *x,
                                              size_t n, bool back);
void poc_answers_witness_put(struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                             bool back, const struct poc_witness *w);
/* The same of the values nearest to the snapshot with which a query holds; false: nobody has asked for them.
 */
bool poc_answers_nearest(const struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                         bool back, const struct term_model **m);
/* Takes the values; NULL: there are none. Nothing is kept where another query has the same digest. */
void poc_answers_nearest_put(struct poc_answers *a, const struct poc_side *of, const term *x, size_t n,
                             bool back, struct term_model *m);

/* Values as near to the snapshot as could be with which a query like this one holds, and this one, too; where
 * conditions of the candidate's own are others, only those that were shown by an input. NULL: none are known.
 * The caller frees them. */
struct term_model *poc_answers_near(struct poc_answers *a, struct terms *t, const struct poc_query *q,
                                    bool back);
void poc_answers_near_put(struct poc_answers *a, const struct poc_query *q, bool back, bool shown,
                          const struct term_model *m);

/* An address of the process is in the program's file. */
bool poc_in_image(const struct poc_side *side, uint64_t a);
/* Judges a candidate's classes against the original's. */
void poc_judge(struct poc_side *old, struct poc_side *new, struct match *m, struct poc_answers *answers,
               const struct poc_crash *crash, struct poc_judgement *out);
/* A class of the original, with the state of it that is nearest to the snapshot's. */
const struct poc_class *poc_class_nearest(struct poc_judgement *j, size_t i);
/* A state in which it happens, as near to the snapshot's as can be; `back`: where other values are kept
 * first. */
const struct poc_witness *poc_finding_witness(struct poc_judgement *j, struct poc_finding *f, bool back);
/* The same, made again where it was made from that of another candidate; NULL: it was not. */
const struct poc_witness *poc_finding_own(struct poc_judgement *j, struct poc_finding *f, bool back);
/* An input leads to that state: so it may to those of other candidates. */
void poc_finding_shown(struct poc_judgement *j, const struct poc_finding *f, bool back);
/* Fills in what is told of it. */
void poc_finding_tell(struct poc_judgement *j, struct poc_finding *f);
void poc_judgement_free(struct poc_judgement *j);

/* ---- running the two programs (confirm.c, state.c) ---- */

enum poc_confirmed {
    POC_UNCONFIRMED,
    POC_BY_STATE, /* from the state at the call */
    POC_BY_INPUT, /* from an input of the whole program */
};

/* What the two programs did on inputs, so that none is run twice for a candidate. */
struct poc_tried {
    bool wrong;
    enum poc_case which;
    struct poc_crash crash;
    bool failed, elsewhere, undefined;
};
struct poc_memory {
    struct strmap seen; /* digest of the input: 1 + index in `all` */
    VEC(struct poc_tried) all;
    struct arena arena;
};
void poc_memory_free(struct poc_memory *m);

/* How a program ends on an input. */
struct poc_did {
    bool ok; /* it came to an end */
    uint32_t reached; /* the original: which functions were called that some candidate changes, a set */
    struct poc_crash crash;
    int code;              /* -1: it crashed */
    char text[SHA256_HEX]; /* digest of what it printed */
};

/* Candidates whose code is the same but for numbers (family.c), and how many of them are asked about at most.
 */
enum { POC_FAMILY = 64 };
struct poc_family;
/* NULL: nothing can be said of them. The id is not 0. */
struct poc_family *poc_family_new(struct program *const *member, unsigned n, unsigned id);
void poc_family_free(struct poc_family *f);
unsigned poc_family_id(const struct poc_family *f);
/* Where their code differs, as the file has it: what runs of one of them stop at. */
size_t poc_family_starts(const struct poc_family *f, const uint64_t **start);
/* A run of a member, and who has done the same so far: a set. */
struct poc_company {
    struct poc_family *family;
    unsigned member, stops;
    uint64_t with;
};
/* For watch_stops. */
bool poc_company_stop(void *ctx, struct process *p, uint64_t pc);

/* How programs end on inputs, for workers that are forked after it was made (shared.c). NULL remembers
 * nothing. Family 0 is the original. */
struct poc_shared;
struct poc_shared *poc_shared_new(void);
void poc_shared_free(struct poc_shared *s);
bool poc_shared_get(struct poc_shared *s, const char *digest, unsigned family, unsigned member,
                    struct poc_did *out, struct arena *arena);
void poc_shared_put(struct poc_shared *s, const char *digest, unsigned family, uint64_t members,
                    const struct poc_did *did);

/* ... of the original in a directory, for candidates that are judged there one after the other. */
struct poc_here {
    struct strmap seen; /* directory and digest of the input: 1 + index in `all` */
    struct strmap
        heap; /* ... and which exploration of the original: whether it comes to the call with its chunks */
    struct strmap defined; /* ... whether what it does is defined */
    VEC(struct poc_did) all;
    struct arena arena;
};
void poc_here_free(struct poc_here *h);

struct poc_runs {
    const struct run_target *old, *new;
    struct poc_side *side[2];
    const poc_patches *patch; /* of the two: what the shape changes */
    uint64_t call;
    const struct poc_crash *crash;
    const char *guard_file;
    const struct poc_input *input;
    struct poc_memory *memory; /* of all runs of the two */
    struct poc_shared *shared;
    struct poc_here *here;
    struct poc_family *family; /* of the candidate; NULL: it has none */
    unsigned member;
    const uint64_t *changed; /* functions of the original that some candidate changes */
    size_t nchanged;
    uint32_t differ; /* those that this one changes, a set; 0: other things differ, too */
    unsigned budget; /* runs of changed inputs that may still be made */
};

struct poc_confirmation {
    enum poc_confirmed how;
    enum poc_case which;
    struct poc_crash crash;   /* of the candidate */
    struct poc_input changed; /* POC_BY_INPUT; files are in the scratch directory */
    unsigned tried;           /* inputs that were run */
    bool failed;              /* both end normally, with the same code that says that something is wrong */
    bool elsewhere;           /* on that input the heap is another one when the original comes to the call */
    bool undefined; /* the original goes wrong on that input without a fault: what it does otherwise shows
                       nothing */
    const char *told;         /* what was changed: "argument 2: 12 becomes 9" */
};
/* What the original does on an input, which has that digest; true: in this directory, false: it was run in
 * another one. */
bool poc_original_on(struct poc_runs *r, const struct poc_input *in, const char *digest, struct poc_did *o);
/* What the two do on an input; false: the candidate does nothing wrong there. With `crashes` only a crash of
 * it is wrong: that two normal ends differ is then not looked into, which takes more runs. */
bool poc_compare_on(struct poc_runs *r, const struct poc_input *in, const char *digest, bool crashes,
                    struct poc_confirmation *out, struct poc_did *o, struct poc_did *n);
/* What the two programs do in the witness's state; if that is to refute, what the original does there must be
 * defined. */
enum poc_shown {
    POC_SHOWN_NOT,     /* not what was found */
    POC_SHOWN_INSIDE,  /* the call leaves another state behind, and nothing else is seen of that; or what is
                          seen shows nothing, as what the original does is not defined */
    POC_SHOWN_OUTSIDE, /* it crashes, or the program prints something else or ends with another status */
};
enum poc_shown poc_confirm_state(struct poc_runs *r, const struct poc_finding *f, bool refute);
/* Looks for an input that leads to such a state, and runs both on it. */
bool poc_confirm_input(struct poc_runs *r, const struct poc_witness *w, struct poc_confirmation *out,
                       struct arena *arena);

/* ---- larger blocks (grow.c) ---- */

/* Numbers of the input that grow with the overflowed block: its length, and one in its contents that the call
 * is given. */
struct poc_growth_number {
    size_t at;
    unsigned bytes; /* 0: there is none */
    bool big;
    uint64_t was;
};
struct poc_growth {
    size_t piece, end; /* of the block's contents in the input */
    struct poc_growth_number number[2];
    unsigned argument; /* that the second is */
    uint64_t slack;    /* bytes behind the contents that the block has, too: nothing was written there */
    uint64_t least; /* with so many bytes more the original does not crash, and with one less it does; 0: not
                       known */
};
struct poc_growths {
    VEC(struct poc_growth) growth;
};
/* A proof of concept, and the original's state on it. */
struct poc_growing {
    const struct run_target *old;
    const struct poc_side *side;
    uint64_t call;
    const struct poc_crash *crash;
    const struct poc_input *input;
};
/* Finds them by running the original. */
void poc_growths_find(struct poc_growths *out, const struct poc_growing *of);
void poc_growths_free(struct poc_growths *g);
/* Looks for an input that leads to a state with a larger block, and runs both on it. */
bool poc_growths_confirm(struct poc_runs *r, const struct poc_growths *all, const struct poc_witness *w,
                         struct poc_confirmation *out, struct arena *arena);
/* Runs both programs with larger blocks; true when the candidate goes wrong with one, of *size bytes; with
 * `crashes`: when it crashes. */
bool poc_growths_try(struct poc_runs *r, const struct poc_growths *all, bool crashes,
                     struct poc_confirmation *out, uint64_t *size, struct arena *arena);

#endif
