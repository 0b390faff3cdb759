/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Machine code to IR through libVEX.
 *
 * libVEX has global state and is not thread-safe: one lifter may be in use at a time in a process; parallel
 * work is by processes (src/work). Bytes are given by the caller, so lifting needs no file. Nothing here
 * crashes on any bytes: what VEX cannot decode becomes IR_UNKNOWN (its length is told by Capstone), what VEX
 * panics about ends the block with IR_END_UNKNOWN; both are counted. */
#ifndef LIFT_LIFT_H
#define LIFT_LIFT_H

#include "base/error.h"
#include "ir/ir.h"
#include "ir/machine.h"

struct lifter;

/* NULL when there is none for the architecture. Constant tables. */
const struct ir_machine *lift_machine(enum machine_arch arch);
struct ir_pures lift_pures(void);

struct lifter *lifter_new(enum machine_arch arch, struct error *err);
void lifter_free(struct lifter *l);

/* From now on loads whose value is not used are lifted, too (some others then twice): for questions about
 * addresses. Otherwise libVEX drops them. */
void lifter_keep_loads(struct lifter *l);

/* Numbers that an instruction makes, for which the function holds, stand for something else: what is made of
 * them is not computed when lifting. */
typedef bool lift_keep_fn(void *ctx, uint64_t insn, unsigned length, uint64_t number);
void lifter_keep_constants(struct lifter *l, lift_keep_fn *keep, void *ctx);

/* Lifts one block: from `label` to the first instruction that ends it, at most max_insns guest instructions
 * (0: no limit but VEX's own, in which case the block ends with a jump to the next instruction) and never
 * past `available` bytes. LIFT_STEP: one, as for a stepper. Thumb: `label` is taken not to be inside an IT
 * block, unless stepping (then the IT state in the register file decides); the program counter's register is
 * not kept up to date inside a block. The result is validated in builds with assertions. Always succeeds: a
 * block with no decodable instruction has an IR_UNKNOWN or IR_END_UNKNOWN in it. With available == 0 the
 * block is empty and ends with IR_END_UNKNOWN. */
#define LIFT_STEP (~0u)
void lift_block(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available, unsigned max_insns,
                struct arena *arena, struct ir_block *out);

/* Condition codes are kept as the operation that set them last (register "<cc_op>", a small number) and its
 * operands. A block that uses codes it did not set itself must allow for every operation, which makes long
 * IR; where all ways into the block agree on the operation, lifting it again with that knowledge gives plain
 * comparisons.
 *
 * lift_block_after: as lift_block, for a block entered only with codes set by operation cc_op.
 * lift_uses_flags: whether the block reads "<cc_op>" before writing it.
 * lift_flags_at: true when, just before instruction `insn` of the block (ninsn: at its end), the codes are
 * those of one known operation; then *cc_op is it. */
void lift_block_after(struct lifter *l, uint64_t cc_op, ir_label label, const uint8_t *bytes,
                      size_t available, unsigned max_insns, struct arena *arena, struct ir_block *out);
bool lift_uses_flags(const struct ir_block *b, enum machine_arch arch);
bool lift_flags_at(const struct ir_block *b, enum machine_arch arch, uint32_t insn, uint64_t *cc_op);

/* Only what VEX itself does for the same call, for the benchmark; returns the number of guest instructions.
 */
unsigned lift_vex_only(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available,
                       unsigned max_insns);

struct lift_stats {
    uint64_t blocks, instructions, undecoded, undecoded_avx512, panics, ir_insns;
    uint64_t unmodelled; /* helpers of libVEX without a meaning here, lifted as observable events */
};
struct lift_stats lifter_stats(const struct lifter *l);

/* Text of one instruction (Capstone); returns its length, 0 when it is not an instruction. */
unsigned lift_disassemble(struct lifter *l, ir_label label, const uint8_t *bytes, size_t available, char *out,
                          size_t cap);

#endif
