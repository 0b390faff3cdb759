/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share: a function as it is asked about, and what the values in registers are
 * used for. A block's value is named by the instruction that makes it. */
#ifndef FLOW_ABI_INTERNAL_H
#define FLOW_ABI_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "flow/abi/abi.h"

struct abi {
    struct program *p;
    const struct object *o;
    const struct ir_machine *m;
    const struct flow_function *f;
    const struct flow_graph *g;
    struct flow_prototype proto;
    unsigned nparams;
    bool declared, spills, unoptimised;
    unsigned frame_register; /* `unoptimised`: that locals are found by */
    struct map homes;        /* `spills`: places in the frame that parameters are stored to first of all */
    struct map pops;         /* abi_pops, by instruction */
    uint32_t *left;          /* by block: registers that callees left on some path to its end; or NULL */
    bool (*unread)(void *ctx, uint64_t store);
    void *ctx;
};

/* ---- uses.c ---- */
/* The value that another is but for its width. */
ir_val uses_root(const struct ir_block *b, ir_val v);
bool uses_is_comparison(unsigned op);
/* The block as far as it is run when it is left by that edge. */
struct ir_block uses_until(const struct flow_graph *g, const struct flow_edge *e);
/* What the block leaves in the register, and (unless NULL) where it puts it there; IR_NONE: it does not. */
ir_val uses_last_put(const struct ir_block *b, unsigned reg, uint32_t *at);
/* Which instruction of the machine it belongs to. */
uint32_t uses_mark(const struct ir_block *b, uint32_t insn);
uint32_t uses_after(const struct ir_block *b, uint32_t insn); /* where the next one begins */
/* The value is what a register held at the block's beginning, with something added. */
bool uses_based_on(const struct ir_block *b, ir_val v, unsigned reg);
/* An address in the frame, as far as the block shows it. */
bool uses_in_frame(const struct ir_machine *m, const struct ir_block *b, ir_val v);
/* The offset from the stack pointer at the block's beginning, when it is one. */
bool uses_stack_offset(const struct ir_machine *m, const struct ir_block *b, ir_val v, int64_t *off);
/* A value is stored, computed with or used as an address from instruction `from` on: were it another, that
 * would show. */
bool uses_shows(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                uint32_t from);
/* A constant like that is stored to memory in the block: it may have been put there for that. */
bool uses_stored_constant(const struct ir_block *b, struct ir_insn k);
/* ... or computed or compared with. */
bool uses_computed_constant(const struct ir_block *b, struct ir_insn k);
/* ... or something is found by it: a table of where to go on, in the code. */
bool uses_base(const struct ir_block *b, struct ir_insn k);
/* ... or, on AArch64, it is the first page, in which something is accessed: no object is at address 0. */
bool uses_page(const struct ir_machine *m, const struct ir_block *b, struct ir_insn k);
/* ... or selected. */
bool uses_selected_constant(const struct ir_block *b, struct ir_insn k);
bool uses_compared(const struct ir_block *b, ir_val root);
/* A value is an operand of an instruction from `from` on. */
bool uses_operand(const struct ir_block *b, ir_val v, uint32_t from);
/* Another part of what an instruction computed goes elsewhere: a remainder next to a quotient, the upper half
 * of a product. */
bool uses_split(const struct ir_block *b, ir_val root, ir_val put);
/* The value is put elsewhere after instruction `from`: it may have been on its way only. */
bool uses_copied(const struct ir_machine *m, const struct ir_block *b, ir_val root, uint32_t from);
/* A copy is used where the register that it is of has something else in it already. */
bool uses_stands_in(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b, ir_val root,
                    uint32_t copied);
/* Goes against the edges, to each block once, but not into callees: from that block, or from all that return
 * (UINT32_MAX). It goes on behind a block or not, or ends. True: it was ended. */
enum uses_step { USES_ON, USES_NOT_BEYOND, USES_END };
typedef enum uses_step uses_visit(void *ctx, uint32_t block);
bool uses_walk_back(const struct flow_graph *g, uint32_t from, uses_visit *visit, void *ctx);
enum uses_reader {
    USES_ANY,       /* any instruction of the function */
    USES_AND_CALLS, /* ... or a callee, in whose argument's register it is */
    USES_ELSEWHERE  /* one that does more with it than to set the register itself again */
};
/* What is in the register at the end of the block may be read somewhere after it. */
bool uses_read_behind(const struct abi *abi, uint32_t block, unsigned reg, enum uses_reader by);

/* ---- idioms.c ---- */
/* What the block does to a register; ABI_UNTOUCHED: nothing. `own`: the call, or the return, is in the block
 * itself. `only`: a copy that may be used otherwise, too, is not surely made for it. Without `abi` the block
 * is all that is looked at. */
enum abi_evidence idiom_in_block(const struct abi *abi, const struct ir_machine *m, const struct ir_block *b,
                                 unsigned reg, unsigned width, bool own, bool only);
/* What shows in the block that what is in the register may be left over; or ABI_NO_EVIDENCE. */
enum abi_evidence idiom_leftover(const struct ir_block *b, unsigned reg);

/* ---- argument.c ---- */
enum { PATH_DEPTH_MAX = 6 }; /* blocks that are looked back */
/* For whom a register is set; ANEW: what a callee left there may be for it; ALONE: a copy counts only if
 * nothing else uses it. */
enum purpose { FOR_CALL, FOR_CALL_ANEW, FOR_RETURN, FOR_RETURN_ALONE };
/* The same on all paths to the end of the block. `passed`: a parameter comes in the register. */
enum abi_evidence argument_on_paths(const struct abi *abi, uint32_t block, unsigned reg, unsigned width,
                                    bool passed, enum purpose what, unsigned depth);
/* The block surely sets the register for the call that ends it. */
bool argument_surely_set_in(const struct ir_machine *m, const struct ir_block *b, unsigned reg,
                            unsigned width);

/* ---- product.c ---- */
/* x86-64: the register holds the upper half of a product that was made to see whether it overflows, on the
 * only path to the call. */
enum abi_evidence product_overflow(struct abi *abi, const struct flow_call *k, unsigned a, unsigned most);
/* ARM: it holds half of one. The call has at most `most` arguments. */
enum abi_evidence product_half(struct abi *abi, const struct flow_call *k, unsigned a, unsigned most);

/* ---- room.c ---- */
/* The register that instruction `get` of the entry reads is pushed there to make room, or to be put back, and
 * for nothing else. */
bool room_only(struct program *p, const struct flow_function *f, const struct flow_graph *g, uint32_t get);

/* ---- sites.c ---- */
/* On some path to the end of the block argument register a holds what a callee left there. */
bool sites_left(struct abi *abi, uint32_t block, unsigned a);

/* ---- stack.c ---- */
/* The register that the instruction reads is only taken along by a push that saves the return address. */
bool stack_saves_return(const struct ir_machine *m, const struct ir_block *b, uint32_t insn);

#endif
