/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the code of one function passes to its callees, takes from its callers and returns, where no prototype
 * says so.
 *
 * All registers that can carry an argument are candidates. Whether one is an argument of a call is asked of
 * the code before it: a value that is put there on every path and goes nowhere else was surely set for the
 * callee, what nobody set or an earlier callee left there is unset, and of anything else it is possible. The
 * same is asked of words of the stack and of registers that hold results.
 *
 * This is data flow over machine code and knows nothing of symbolic values. A struct abi belongs to one
 * function; the program must outlive it, and its graph must not be dropped. Answers do not change, but for
 * what an observer sees (abi_observe). */
#ifndef FLOW_ABI_ABI_H
#define FLOW_ABI_ABI_H

#include "base/vec.h"
#include "flow/flow.h"

struct abi;

/* LIKELY: set as an argument is, but what shows that is also what code looks like that left it there, or
 * aligns the stack. */
enum abi_set { ABI_UNSET, ABI_POSSIBLE, ABI_LIKELY, ABI_SURE };
/* What says so: an entry an idiom of compilers. */
enum abi_evidence {
    ABI_NO_EVIDENCE,
#define X(code, set, text) ABI_##code,
#include "flow/abi/evidence.def"
#undef X
};
struct abi_answer {
    enum abi_set set;
    enum abi_evidence why;
};
enum abi_set abi_evidence_set(enum abi_evidence why);
const char *abi_evidence_text(enum abi_evidence why); /* goes on from "it may be an argument: " */
struct abi_answer abi_answer(enum abi_evidence why);

struct abi *abi_new(struct program *p, const struct flow_function *f);
void abi_free(struct abi *abi);
/* Who runs the code may tell more: whether the instruction stores to a part of the frame that the function
 * has not been seen to read. Then somebody else reads it. */
void abi_observe(struct abi *abi, bool (*unread)(void *ctx, uint64_t store), void *ctx);

/* The call at that address; NULL: none is there. */
const struct flow_call *abi_call_at(const struct abi *abi, uint64_t site);

/* ---- parameters (abi.c) ---- */
const struct flow_prototype *abi_prototype(const struct abi *abi); /* flow_prototype */
/* Parameters in registers: those that the code reads, or as debug information says. */
unsigned abi_nparams(const struct abi *abi);
bool abi_is_declared(const struct abi *abi); /* debug information describes the function */
/* The code stores every parameter first of all and reloads it where it is used, as compilers do that do not
 * optimise: arguments are set anew for every call. */
bool abi_spills_parameters(const struct abi *abi);
/* ... and nothing is kept in a register from one statement to the next. */
bool abi_is_unoptimised(const struct abi *abi);
/* The function reads the register at that offset as its caller left it. */
bool abi_reads_entry(const struct abi *abi, unsigned offset);
/* The address lies in the GOT, which no program can name. */
bool abi_in_got(const struct abi *abi, uint64_t address);

/* ---- arguments in registers (argument.c) ---- */
/* What argument register a was set for at that call. */
struct abi_answer abi_argument(const struct abi *abi, uint64_t site, unsigned a);
/* What shows that whoever compiled the call, of at most `most` arguments, takes argument register a for free
 * (idioms.c); or ABI_NO_EVIDENCE. ABI_OVERFLOW_LOWER and ABI_OVERFLOW_UPPER count only if the product is
 * computed again for an argument before it, which is a question of values. */
enum abi_evidence abi_free_register(struct abi *abi, uint64_t site, unsigned a, unsigned most);
/* How many registers carry arguments at that call, at most: those before the first one that is unset or
 * free. */
unsigned abi_passed(struct abi *abi, uint64_t site);
/* Some call of the function at `target` may pass more than n arguments. */
bool abi_may_pass_more(const struct abi *abi, uint64_t target, unsigned n);
/* Some call of the import surely passes something that it is not known to take. */
bool abi_passes_more(const struct abi *abi, const char *name, const struct flow_takes *takes);
/* i386: the call surely passes a vector, in a register though arguments else are on the stack. */
bool abi_passes_vector(const struct abi *abi, uint64_t site);

/* ---- results (result.c) ---- */
/* The register is set on every path to a return, for nothing else. `alone`: this function alone is to show
 * it: a copy of another register that is used otherwise, too, does not, but neither does it matter if on some
 * paths the result of a callee may be passed on, with the first register. */
bool abi_sets_result(const struct abi *abi, unsigned reg, unsigned width, bool alone);
/* Somewhere optimised code sets the register, and nobody reads it: it is for the caller, if anybody. */
bool abi_leaves_unread(const struct abi *abi, unsigned reg, unsigned width);
/* Something that the register may hold at a return goes elsewhere on another way: to memory, to an address or
 * to another register. */
bool abi_serves_elsewhere(const struct abi *abi, unsigned reg);
/* Wherever the first register is set on the way to a return, what is put there is needed for something else,
 * or a callee left it; also where it is never set. *seen_used becomes true: on some way it is seen to be
 * used. */
bool abi_uses_result_elsewhere(const struct abi *abi, bool *seen_used);
/* Wherever it returns, the first register is set after the given one, and not stored: it is a result. */
bool abi_sets_number_last(const struct abi *abi, unsigned reg);
bool abi_reloads_result(const struct abi *abi, unsigned reg); /* wherever it returns, that is loaded */
/* Wherever it returns, the first register was copied from that one, or both hold the same. */
bool abi_copies_result(const struct abi *abi, unsigned reg);
bool abi_may_return(const struct abi *abi);                   /* the first register is set, on some path */
/* The first register is set on some path to a return and is not seen to be used: paths that leave it may be
 * none that are taken. */
bool abi_sets_result_somewhere(const struct abi *abi);
/* On a path through these blocks nobody sets the first register to be returned. `untouched`: it holds what it
 * did at entry, which is not returned unchanged if no parameter comes in it, or the code is not optimised
 * and would load it for that. */
bool abi_leaves_result(const struct abi *abi, const uint32_t *block, unsigned n, bool untouched);

/* ---- words of the stack (stack.c) ---- */
/* The stack pointer is made otherwise than by adding, aligning and restoring: what is in the frame then is
 * not known. */
bool abi_stack_is_irregular(const struct abi *abi);
/* Word i of the stack is set for that call right before it, and not only to align the stack, or to save a
 * register. */
bool abi_sets_word(const struct abi *abi, uint64_t site, unsigned i);
/* What word i of the stack, which was stored since the last call, is there for: i386 compilers push a
 * register as it is to align the stack. */
struct abi_answer abi_word(const struct abi *abi, uint64_t site, unsigned i);
/* i386: they only align the stack: the words up to `to`, which fill up what the stack is aligned to, are
 * all the same register, and what is in it is a number, which would be pushed as such. */
bool abi_words_align(const struct abi *abi, uint64_t site, unsigned from, unsigned to);
/* i386: word i of the stack is pushed in the block of the call. */
bool abi_word_is_pushed(const struct abi *abi, uint64_t site, unsigned i);
/* i386: argument i would have been pushed in another block than that of the call, where the arguments of one
 * call are pushed, and what was in the accumulator at entry is nothing to the function. */
bool abi_word_is_of_frame(const struct abi *abi, uint64_t site, unsigned i);
/* x86: since the last call something was copied into the frame by an instruction that repeats itself: it may
 * be an argument. */
bool abi_copies_to_stack(const struct abi *abi, uint64_t site);
/* A word of the frame was set by an instruction that moves the stack pointer, too. `store` as for
 * abi_frame_word. */
bool abi_is_pushed(const struct abi *abi, int64_t offset, uint64_t store);
/* What shows that a word of the frame, at an offset from the stack pointer at entry, is no argument of a call
 * after it; or ABI_NO_EVIDENCE. `store`: the only instruction that set it; 0: there may be several. */
enum abi_evidence abi_frame_word(const struct abi *abi, int64_t offset, uint64_t store);
/* The instruction reads the stack only to move the stack pointer past what it reads, or to restore registers
 * on the way. */
bool abi_pops(struct abi *abi, uint64_t load);

/* ---- all calls of a function (sites.c) ---- */
struct abi_sites {
    unsigned most; /* registers that carry arguments, at some call: no more than these do at any */
    unsigned sure; /* ... at some call: at least these do */
    bool fixed;    /* every call passes as many */
    bool varies;   /* a call may pass more than another, and nothing it passes says how many */
    bool format;   /* some call passes a format string */
    bool no_words; /* some call leaves registers free: none passes a word on the stack */
};
/* Begins with nothing seen, adds the calls of one caller that go to one of the addresses, or by that name
 * where that is all that is known, and concludes. Callers may be of several versions of a program. */
struct abi_sites abi_sites_begin(const struct ir_machine *m);
void abi_sites_add(struct abi_sites *all, struct program *p, const struct flow_function *caller,
                   const char *name, const uint64_t *target, size_t ntargets);
void abi_sites_conclude(struct abi_sites *all, const struct ir_machine *m);

/* ---- what callers read of what a function leaves (callers.c) ---- */
bool abi_is_flag_slot(const struct ir_machine *m, unsigned slot); /* of the flags */

/* A block that reads the flags as they are at its beginning; UINT32_MAX: one after it does, of which nothing
 * is known. */
struct abi_reader {
    const struct flow_function *f;
    uint32_t block;
};
struct abi_reads_after {
    uint8_t *slot; /* by slot (ir/machine.h): somebody reads it after a call */
    VEC(struct abi_reader) reader;
};
struct abi_reads_after abi_reads_after_begin(const struct ir_machine *m);
void abi_reads_after_free(struct abi_reads_after *l);
/* Adds what the caller reads after its calls that go to one of the addresses. `behind`: what its own callers
 * read of what it leaves. False: its code is not understood. */
bool abi_reads_after_add(struct abi_reads_after *out, struct program *p, const struct flow_function *caller,
                         const uint64_t *target, size_t ntargets, const struct abi_reads_after *behind);

/* ---- whether callers heed what a function returns (heeds.c) ---- */
/* After a call that goes to one of the addresses the caller compares the result, branches on it, hands it on
 * or keeps it. True as well where its code is not understood, or it calls none of them itself. */
bool abi_heeds_result(struct program *p, const struct flow_function *caller, const uint64_t *target,
                      size_t ntargets);

/* ---- whether callers fail on what a function returns (fails.c) ---- */
/* Wherever a call of the caller's that goes to one of the addresses returns that number of 32 bits, the
 * caller then returns an error, from -4095 to -1, or gives up, and else it may do otherwise. False as well
 * where its code is not understood, it calls none of them, or keeps an address of one. */
bool abi_fails_on(struct program *p, const struct flow_function *caller, const uint64_t *target,
                  size_t ntargets, int64_t number);

/* ---- what a function's code does to registers and the stack (convention.c) ---- */
struct abi_convention {
    const uint8_t *writes; /* by slot: may be changed */
    const uint8_t *reads;  /* by slot: may be read before it is written */
    bool reads_flags;      /* and makes something of them */
    bool stores;           /* it may change memory other than its own frame */
    bool obscure;          /* it has instructions that are not supported, and may do anything */
    unsigned stack_words;  /* of the caller's stack that are read */
    bool takes_stack;      /* reads more of it through an address */
    unsigned pops;         /* bytes popped in addition to the return address */
    bool pops_known;
};
/* NULL: its code is not known, or there is too much of it. */
const struct abi_convention *abi_convention(struct program *p, uint64_t function);

/* Finds out what a function reads before anybody asks, so that processes which are forked later share it. */
void abi_prepare(struct program *p, const struct flow_function *f);
/* The function's code makes something of the flags as its caller left them. */
bool abi_takes_flags(struct program *p, const struct flow_function *f);

#endif
