/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef ADAPT_INTERNAL_H
#define ADAPT_INTERNAL_H

#include "adapt/adapt.h"
#include "base/deadline.h"
#include "base/map.h"
#include "base/notes.h"
#include "base/vec.h"
#include "exec/rom.h"
#include "exec/start.h"
#include "flow/abi/abi.h"

struct adapt;

/* ---- summary.c: what a function does, once, as terms over its arguments ---- */

struct access {
    term address, when;
    unsigned bytes;
    bool write;
    bool strict; /* the address is made of arguments, and of what memory has at such addresses, alone */
};

/* The terms of a summary, or what they become when something is put in place of symbols. */
struct behaviour {
    term returns, traps; /* conditions; neither, nor open: it stops for good */
    term open;           /* it was not looked at to its end */
    term doubt;          /* something happens on the way that was not looked into */
    term asks;           /* it makes some system call, or does not come so far */
    term result[2];      /* the register of results and the one for their upper half */
    term memory, world;  /* at the end, also where it stops for good */
    const struct access
        *access; /* of memory outside its frame, those that depend on arguments first: `nreached` */
    size_t naccesses, nreached;
};

/* The only thing that a function does, on its only path. */
struct only_call {
    const char *name;
    const term *arg;
    unsigned nargs;
    term result, returned; /* of the callee; of the function, a word */
};

struct summary {
    struct adapt *a;
    struct adapt_code code;
    const struct ir_machine *m;
    uint64_t bias;
    bool second; /* of the files: its functions are others than those of the same name in the first */
    /* While it is made, and for cases of a proof: */
    struct explorer *x;
    struct explore_hooks hooks;
    struct roms roms;
    VEC(const struct exec_path *) path;
    VEC(struct access) seen;

    unsigned number;        /* of those of this process; one that was set apart has that of the other */
    term sp, memory, world; /* at entry */
    bool lost;    /* more accesses than are kept */
    bool partial; /* only some paths are in it: good for saying that there is no adapter */
    struct adapt_shape shape; /* floating-point arguments only where it is known what all arguments are */
    bool real;                /* the register of floating-point results counts, not that of words */
    bool vague;               /* it may take floating-point numbers nobody knows of */
    unsigned nargs;           /* words, then floating-point numbers */
    term arg[ADAPT_ARGUMENTS];
    const term *given;          /* what it is given instead of them; NULL: nothing else */
    bool used[ADAPT_ARGUMENTS]; /* it is somewhere in the behaviour */
    unsigned use[ADAPT_ARGUMENTS], nuse; /* those that are, */
    unsigned nuse_words;                 /* words first */
    struct behaviour is;
    const char *why_open, *why_doubt; /* one reason each; NULL: it is neither */
    const char *unfit;                /* why nothing stands in for it, whatever agrees; NULL: it may */
    bool more;                        /* it may take more arguments */
    bool astray;                      /* it reads the file at an index from a place outside */
    bool floats;                      /* it returns a floating-point number, or may */
    bool rounds;                      /* what is computed may be rounded otherwise on a processor */
    bool stuck;                       /* nothing of it was looked at to its end */
    bool apart;                       /* summary_set_apart was done with it */
    bool pair;                        /* the second register of results counts */
    bool deep;                        /* callees with loops were followed, too */
    const struct only_call *only_call; /* NULL: it does something else */
    term holds;                       /* at its entry, as the user says; or TERM_NONE */
    VEC(term) assume;                 /* what holds at its entry */
    VEC(term) own;                    /* symbols that nothing else has: summary_set_apart */
    struct map stacked,
        reached; /* terms with an address of the own stack, or an argument; while it is made */
    const struct error *refused; /* why there is none; NULL: there is one */
    struct summary *next;
};

/* Explores the function. `given`: holds at entry; TERM_NONE: nothing is said. */
bool summary_make(struct summary *s, struct adapt *a, const struct adapt_code *code, uint64_t bias,
                  bool second, term given, struct error *err);
/* The same function given terms, as many as registers carry arguments at least, for one case of a proof:
 * loops run to their end, or not at all, and nothing is left out to make it small. `lost`: it is too large.
 */
bool summary_make_case(struct summary *s, const struct summary *like, const term *arg, unsigned nargs,
                       term given, struct error *err);
void summary_free(struct summary *s);
/* The symbols that are in every summary; those of its arguments, once their number is known and which are
 * used. */
void summary_symbols(struct summary *s);
void summary_name_arguments(struct summary *s);
/* Nothing is explored yet: s->x goes from loop head to loop head of the same function (loops.c). */
void summary_begin_segments(struct summary *s, const struct summary *like);
/* Of results, the second for k = 1; UINT16_MAX: there is none. */
unsigned summary_result_register(const struct summary *s, unsigned k);
/* Everything in it that a caller does not decide, of the inner function: its own stack pointer, registers
 * that carry no argument. */
void summary_set_apart(struct summary *s);
/* Which argument the symbol is; what is none of them is none of nargs either. */
bool summary_argument(const struct summary *s, term x, unsigned *i);
/* Of a floating-point argument; 0: it is a word. */
static inline unsigned summary_float_bits(const struct summary *s, unsigned i)
{
    return i < s->shape.words || i >= s->nargs ? 0 : s->shape.float_bits[i - s->shape.words];
}
/* The behaviour depends on registers that carry no argument. */
bool summary_has_leftovers(struct summary *s, bool result);

/* ---- record.c: a summary as bytes ---- */
/* False: something in it is good for this process only. */
bool record_write(struct buf *out, const struct summary *s);
/* ... or that there is none. */
void record_write_error(struct buf *out, const struct error *why);
/* What was written, in another table of terms; of *s the function and what was asked are known. False: it is
 * not understood, and nothing was made in the table. *none: there is none, for that reason. */
bool record_read(struct summary *s, const char *bytes, size_t n, bool *none, struct error *why);

/* ---- known.c: each summary once ---- */
/* `given`: as summary_make has it. `apart`: the inner function's own. NULL: there is none. */
const struct summary *summary_of(struct adapt *a, const struct adapt_code *c, term given, bool apart,
                                 struct error *err);
/* Addresses of two files are told apart, and from numbers. */
uint64_t bias_of(const struct adapt_code *c, bool second);

/* ---- fragment.c ---- */
/* Where a general register is in the file. */
uint16_t fragment_register(const struct program *p, unsigned i);

/* ---- syscalls.c ---- */
/* At which of its arguments the kernel looks, a set; `second` is the second one, NULL where that is not known. False: it is not
 * known. */
bool syscall_looks_at(const struct ir_machine *m, uint64_t number, const uint64_t *second, unsigned *set);
/* What such a call gives where no kernel is asked: an error or some number. */
static inline uint64_t syscall_answer(uint64_t hash)
{
    return hash % 4 == 0 ? -(hash % 40 + 1) : hash % 1000;
}
/* That hangs on the second one. */
bool syscall_hangs_on_second(const struct ir_machine *m, uint64_t number);

/* ---- the question ---- */

/* How much of a result counts. */
struct compared {
    unsigned bits; /* 0: nothing */
    bool pair;
    bool vague; /* it may well be more: good for saying that there is none, not for finding one */
    bool truth; /* only whether it is 0 */
};
static inline uint64_t compared_part(const struct compared *c, uint64_t result)
{
    uint64_t part = result & word_ones(c->bits);
    return c->truth ? part != 0 : part;
}

/* ---- assume.c: what the user says of the state in which the target is called ---- */
/* Fills a->given; the target is at the bias. */
bool assume_read(struct adapt *a, const struct adapt_code *target, uint64_t bias, struct error *err);
/* What of it holds when the inner function is called, whatever it is given; TERM_NONE: nothing. */
term assume_of_inner(const struct adapt *a);
/* Memory that the user speaks of is there: it counts as read by the target. */
void assume_reads(struct adapt *a);

/* ---- modes.c ---- */
/* Every argument is a word, or a float or double in a register of its own, and nothing else is returned, as
 * debug information or the table of the library says. */
bool modes_shape(const struct adapt_code *c, struct adapt_shape *out);
struct modes {
    struct compared mode[5]; /* strongest first */
    unsigned n;
    bool sure; /* debug information says so */
};
/* NULL: nothing is said of it. */
const struct object_function_debug *modes_debug(const struct adapt_code *c);
/* A number or a pointer of so many bits at most. */
bool modes_plain(const struct object_type_info *t, unsigned width);
/* By debug information; none: nothing is said. */
void modes_by_debug(struct adapt *a, const struct adapt_code *c, struct modes *out);
/* Without it: as much as may be, down to what surely counts. */
void modes_by_code(struct adapt *a, const struct adapt_code *c, struct modes *out);
/* Only whether the result is 0 counts. */
void modes_as_truth(struct adapt *a, struct modes *m);
/* A function with effects may return nothing at all. */
void modes_without_result(struct adapt *a, struct modes *m);
/* Its code only chooses, when the program starts, what is called in its place. */
static inline bool adapt_is_chosen(const struct adapt_code *c)
{
    return c->f->flags & FLOW_IFUNC;
}
/* Debug information says that it returns a floating-point number, or that it does not; -1: nothing. */
int modes_float(const struct adapt_code *c);
/* Where its result is, as debug information says, or else the table of the library. */
enum modes_place { PLACE_UNKNOWN, PLACE_OTHER, PLACE_FLOAT, PLACE_X87, PLACE_SOME_FLOAT };
enum modes_place modes_place(const struct adapt_code *c);
/* A number of 80 bits. */
bool modes_long_double(const struct ir_machine *m, const struct object_type_info *t);
/* Its line in that table, where there is no debug information; or NULL. */
struct flow_library_entry;
const struct flow_library_entry *modes_listed(const struct adapt_code *c);
/* It returns something else that is not in the registers of results, as debug information says. */
bool modes_elsewhere(const struct adapt_code *c);
/* ... which its caller says in a word before the arguments, and all of its bytes are part of it. */
bool modes_through_pointer(const struct adapt_code *c);
/* It says that the function takes or returns a _BitInt. */
bool modes_bit_int(const struct adapt_code *c);
/* It says that an argument has less than 32 bits, or is a _Bool: callers may have to extend it. */
bool modes_narrow(const struct adapt_code *c);
/* It says that an argument takes two words, which begin with a register of an even number: one may be left
 * out. */
bool modes_paired(const struct adapt_code *c);

/* An input: values for all symbols, and contents of memory. */
struct test {
    VEC(term) from, to; /* symbols, and constants */
    uint64_t arg[ADAPT_ARGUMENTS];
    struct behaviour target; /* there */
    bool hard;               /* nothing in doubt happens in the target */
    bool asks;               /* the target makes a system call */
    bool reach;              /* all pages that the target touches are known: */
    VEC(uint64_t) page;
};

struct program_digest {
    const struct program *p;
    const char *hex; /* of all that is read of its files */
};

struct adapt {
    const struct adapt_options *opt;
    struct terms *t;
    struct solver *s;
    struct arena *arena, keep; /* the one below; for all that lives as long as the summaries */
    struct summary *made;
    unsigned numbered; /* summaries that have a number */
    VEC(struct program_digest) digest;
    const struct adapt_keep *keeper; /* or NULL */
    struct adapt_effort effort;
    const struct program *first; /* of the files */
    struct world *world;         /* of blind.c; NULL: not yet */
    /* Of one search: */
    struct deadline until;
    unsigned width; /* of a pointer */
    struct summary target, inner;
    VEC(term) assume; /* of both explorations, and what the user says */
    term given;       /* what the user says; TERM_NONE: nothing */
    bool pair;        /* results may be in two registers */
    bool real;        /* the target returns a floating-point number, and so does the inner function */
    bool deep;        /* callees with loops are followed, too */
    bool same;        /* both have the same code, and take the same */
    bool calls;       /* the target only calls the inner function: nothing rests on what is known of that */
    VEC(struct test) test;
    uint32_t needs; /* what test_needs says */
    struct compared compared;
    const struct adapt_view *view; /* of the adapter that was found; NULL: it has none */
    struct adapt_answer *out;
    struct notes notes;
    struct { /* of the last target; others are asked about for the same */
        unsigned of; /* the number of its summary */
        struct compared compared;
        uint64_t value;
    } fingerprint;
};

/* ---- adapt.c ---- */
/* The answer, unless another reason stands already. */
void undecided(struct adapt *a, const char *why);
void adapt_note(struct adapt *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The number is an address of one of the files, which may be loaded anywhere. */
bool is_address(const struct adapt *a, uint64_t x);

/* ---- search.c ---- */
/* The largest stage of the families that are asked for. */
unsigned search_largest(const struct adapt *a);
void search_limit(struct adapt *a, uint64_t left_ms);

/* Of the search; false: it is undecided for that. */
bool has_time(struct adapt *a);
/* True: it is right. False: one more test, or undecided. */
bool try_candidate(struct adapt *a, const struct adapter *d, bool *progress);

/* `whole`: nothing more will be known of the two. */
void search_families(struct adapt *a, struct modes *modes, bool whole);

/* ---- found.c ---- */
/* An adapter that the solver accepts becomes the answer, unless runs differ. `simpler`: it may be written in
 * more ways. */
void found_adapter(struct adapt *a, struct adapter *d, unsigned stage, bool simpler);

/* ---- family.c: adapters as terms ---- */

/* Of ADAPT_AS_IS and ADAPT_BOOL no bits: all of them. */
struct conversion {
    uint8_t bits;
    bool sign;
};
extern const struct conversion adapt_conversion[ADAPT_CONVERSIONS];
/* What arguments are made of while an adapter is looked for. */
struct unknown {
    term select; /* which option */
    term scale, constant;
};
enum { STAGE_PERMUTE, STAGE_SUBSTITUTE, STAGE_CONVERT, STAGE_ARITHMETIC, STAGES };
struct form {
    unsigned stage;
    bool converts_result;
    struct unknown arg[ADAPT_ARGUMENTS], result;
};
term value_term(struct adapt *a, const struct adapt_value *v, const term *arg);
void form_make(struct form *f, struct adapt *a, unsigned stage, bool converts_result);
/* Argument i of the inner function from the target's; the target's result from what was returned. */
term form_argument(struct adapt *a, const struct form *f, unsigned i, const term *arg);
term form_result(struct adapt *a, const struct form *f, term returned);
/* Numbers that would be addresses of a file that may be loaded anywhere are no constants. */
term no_address(struct adapt *a, term constant);
/* What holds of the unknowns. */
term form_constraint(struct adapt *a, const struct form *f);
void form_decode(struct adapt *a, const struct form *f, struct term_model *m, struct adapter *out);
/* Adapters, each once: the n-th of the stage, with constants from a list. */
uint64_t form_count(const struct adapt *a, unsigned stage, bool converts_result, size_t nconstants);
void form_nth(const struct adapt *a, unsigned stage, bool converts_result, const uint64_t *constant,
              size_t nconstants, uint64_t n, struct adapter *out);

/* All of them in an order like a random one; allocates nothing. */
struct enumeration {
    const struct adapt *a;
    unsigned stage;
    bool converts;
    const uint64_t *constant;
    size_t nconstants;
    uint64_t all, step, at, done;
};
struct enumeration enumeration_of(const struct adapt *a, unsigned stage, bool converts);
bool enumeration_next(struct enumeration *e, struct adapter *out);

/* ---- equal.c: what it means that an adapter is right ---- */
/* The behaviour with other terms in place of symbols. */
struct behaviour behaviour_with(struct adapt *a, const struct behaviour *b, const term *from, const term *to,
                                size_t n);
/* Can the target and the adapted inner function differ? */
enum check_outcome { CHECK_RIGHT, CHECK_WRONG, CHECK_UNKNOWN };
/* The same of two behaviours; the inner function's accesses are those of a->inner, in their order. */
enum check_outcome behaviours_check(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                                    const struct adapter *d, struct term_model **model);
/* `brief`: it is worth little time. */
enum check_outcome adapter_check(struct adapt *a, const struct adapter *d, bool brief,
                                 struct term_model **model);
/* Neither reaches what the other does not, and there is no difference on any input, whatever was left out of
 * the target. Nothing rests on a symbol that `own` says yes to. Of explorations with what these assume. */
bool behaviours_agree(struct adapt *a, const struct behaviour *x, const struct behaviour *y,
                      const struct adapter *d, const struct explorer *of_x, const struct explorer *of_y,
                      term_test own, void *ctx);
/* Some input counts: it satisfies the assumptions and stays within the bounds. Without one, all adapters are right. */
bool adapter_has_inputs(struct adapt *a);
/* The input that a model has is one more test. */
bool test_add(struct adapt *a, struct term_model *m, const struct adapter *d);
/* A number for an argument. */
uint64_t test_word(uint64_t seed, unsigned width);
/* One for argument i of the function. */
uint64_t test_argument(const struct summary *s, unsigned i, uint64_t seed);
/* `given`: the target's arguments; NULL: any. */
bool test_add_random(struct adapt *a, uint64_t seed, const uint64_t *given);
/* Arguments that the target's result depends on, by two inputs that differ in nothing else: an adapter has to
 * use them all. A set. */
uint32_t test_needs(struct adapt *a);
/* An input on which the condition holds, if one is found quickly. */
bool test_add_where(struct adapt *a, term condition);
void test_drop(struct test *x);
/* The test can speak against adapters, whatever their constants. */
bool test_counts(const struct test *x);
/* The adapted inner function does on that test what the target does. `hard`: or something in doubt happens.
 */
term test_match(struct adapt *a, const struct test *x, const term *arg, const struct form *f, bool hard);

/* ---- unify.c: a first guess ---- */
/* False: there is no n-th. *stage: the smallest family that has it; STAGES: it came to nothing, and the next
 * may do better. */
bool unify_candidate(struct adapt *a, unsigned n, struct adapter *out, unsigned *stage);
/* The target does nothing but call the inner function, so that what it is given is an adapter: no guess. */
bool call_candidate(struct adapt *a, struct adapter *out, unsigned *stage);

/* ---- enumerate.c: the thesis's baseline ---- */
bool search_one_by_one(struct adapt *a, unsigned stage, bool converts, struct adapter *out);

/* ---- pure.c: functions that do nothing but compute a result ---- */
/* PURE_UNSURE: they are others, or it was not found out. `last`: the largest family; `hundredths` of the time that is left. */
enum pure_outcome { PURE_FOUND, PURE_NONE, PURE_UNSURE };
enum pure_outcome pure_search(struct adapt *a, unsigned last, unsigned hundredths, struct adapter *out,
                              unsigned *stage);

/* ---- memory.c: structures that are laid out differently ---- */
/* False: none was found; what is undecided says why. */
bool memory_search(struct adapt *a, struct adapter *out, struct error *err);

/* ---- guest.c: code for the concrete interpreter ---- */
enum { GUEST_PROMISES = 32 };
struct guest_promise {
    uint16_t offset, width;
    uint64_t value;
};
struct guest {
    struct program *p;
    uint64_t bias; /* where it is loaded */
    struct arena code;
    struct map block; /* label -> struct ir_block * */
    struct guest_promise promise[GUEST_PROMISES]; /* registers at entry, by the calling conventions */
    unsigned npromises;
};
void guest_init(struct guest *g, struct program *p, uint64_t bias);
void guest_free(struct guest *g);
ir_label guest_label(const struct guest *g, const struct flow_function *f);
/* The function that begins there; NULL: none does. */
const struct flow_function *guest_function(const struct guest *g, ir_label label);
/* NULL: there is no code. `end`: of a fragment, in the file; else 0. */
const struct ir_block *guest_block(struct guest *g, ir_label label, uint64_t end);
/* Stubs for functions of the same file are passed through. False: it is one for another function; *resolver:
 * for one that is chosen when the file is loaded, where in the file the code is that chooses; else 0. */
bool guest_through_stub(const struct guest *g, ir_label *to, uint64_t *resolver);
uint64_t guest_stack(const struct ir_machine *m);  /* the stack pointer at entry */
uint64_t guest_thread(const struct ir_machine *m); /* where the data of the thread is */

/* ---- blind.c: runs of the inner function without knowing what it is given ---- */
/* No adapter of the families does what the target does, as runs on the interpreter show: before either
 * function is explored. */
struct world;
void blind_world_free(struct world *w);
bool blind_refutes(struct adapt *a, const struct adapt_code *target, const struct adapt_code *inner);

/* ---- x87.c ---- */
/* The graph has an instruction of the x87 unit of which the processor may make something else than lifted code. */
bool x87_rounds(struct program *p, const struct flow_graph *g);

/* ---- same.c ---- */
/* Two functions of one file take the same words, by debug information, and have the same code. */
bool same_function(const struct adapt_code *x, const struct adapt_code *y, unsigned width);

/* ---- run.c: both on the concrete interpreter ---- */
enum run_outcome { RUN_SAME, RUN_DIFFERS, RUN_UNABLE };
struct runner;
struct runner *runner_new(struct adapt *a);
void runner_free(struct runner *r);
enum run_outcome runner_try(struct runner *r, const struct adapter *d, uint64_t seed);
/* On RUN_LANES inputs at once: what runner_try makes of that seed and of those behind it. RUN_UNABLE: one by one, as one of the two
 * does more than compute with registers. */
enum { RUN_LANES = 64 };
enum run_outcome runner_try_many(struct runner *r, const struct adapter *d, uint64_t seed);
/* The same of an adapter with a structure. `pointers`: arguments of the target that are some; a set. What a
 * pointer leads to overlaps nothing of the structure, whose entries are as view.c wants them. `fixed`: or
 * NULL.
 */
enum { RUN_NUMBERS = 2000 }; /* numbers that are given to it are below that, or any */
struct fixed_argument {
    unsigned arg;
    uint64_t value;
};
enum run_outcome runner_try_view(struct runner *r, const struct adapter *d, uint32_t pointers,
                                 const struct fixed_argument *fixed, uint64_t seed);
/* What is accessed near an argument. */
struct touch {
    unsigned arg;
    uint32_t offset, bytes;
    bool write;
};
struct touches {
    VEC(struct touch) list; /* each once */
    struct map seen;
};
/* Of the target (side 0) or the inner function on one input. */
void runner_touch(struct runner *r, unsigned side, uint32_t pointers, uint64_t seed, struct touches *out);
/* A hash of what the target does on `n` inputs, given to the arguments that it uses in their order: targets
 * that compute the same of other arguments have the same one. 0: it could not be run. */
uint64_t runner_fingerprint(struct runner *r, unsigned n);
/* Whether the precondition holds of these arguments of the target; -1: it speaks of more than those. */
int arguments_allowed(struct adapt *a, const uint64_t *arg);
/* The adapter on values. */
uint64_t value_number(const struct adapt_value *v, unsigned width, const uint64_t *arg);

/* ---- loops.c: any number of rounds ---- */
/* The adapter is right for all inputs, also where loops run more often than was looked at. False: that was
 * not proved. */
bool loops_agree(struct adapt *a, const struct adapter *d);

/* ---- native.c: both on this machine's own processor ---- */
struct native;
/* With so many inputs. NULL: they cannot be run here; *why. */
struct native *native_new(struct adapt *a, unsigned count, const char **why);
void native_free(struct native *n);
/* *same: inputs on which both did the same. RUN_UNABLE: *why. */
enum run_outcome native_try(struct native *n, const struct adapter *d, uint32_t *same, const char **why);
/* The next adapter that agrees with the target on some inputs. False: there is none, time is up, or *why. */
bool native_enumerate(struct native *n, struct enumeration *e, uint64_t ms, uint64_t *tried,
                      struct adapter *out, const char **why);

#endif
