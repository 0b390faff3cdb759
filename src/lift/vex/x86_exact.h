/* SPDX-License-Identifier: GPL-3.0-or-later */
/* x86 instructions that libVEX translates well enough for Valgrind but not exactly. Each was found by running
 * the lifter against real processors (tests/lift):
 *
 *   bt bts btr btc   on a register go through memory below the stack's red zone: stores the program never
 * makes; on i386 they also clear the zero flag pushf            leaves out the bits that are always one in
 * user mode (bit 1 and the interrupt flag) tzcnt popcnt     are taken for bsf, or not known, on i386 xadd of
 * a register with itself keeps the old value on i386 cmpxchg          of a 32-bit register that fails clears
 * its upper half of 32 bits that succeeds clears the upper half of rax cpuid            does not read ecx mov
 * from a segment register gives zero on x86-64 vcmp..           for "equal or unordered" and "unequal and
 * ordered" ignore whether operands are ordered xchg ax, r16     clears the rest of the registers on x86-64
 *   shl shr sar      (and shld, shrd) by nothing lose part of the flags they must keep, after inc, dec or a
 * rotation psrlw and kin    look at 32 bits of the 64-bit shift count on i386 vf(n)m.. scalar  clear bits 64
 * to 127 (32 to 127) of the destination, which keeps them vfnm..           negate the rounded result: the
 * sign of a zero, and the direction of rounding, come out wrong */
#ifndef LIFT_VEX_X86_EXACT_H
#define LIFT_VEX_X86_EXACT_H

#include "lift/vex/internal.h"

/* Decodes one i386 or x86-64 instruction: as libVEX does, but for those above. */
vex_decode_fn vex_x86_decode;

#endif
