/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One differential test: machine state before, code, machine state after. The runner (a program for the guest,
 * usually under qemu-user) and the test (on the host) exchange files of these; both are little-endian and lay the
 * structure out alike because every member is naturally aligned. */
#ifndef TESTS_LIFT_CASE_H
#define TESTS_LIFT_CASE_H

#include <stdint.h>

enum {
    CASE_CODE_BYTES = 96,
    CASE_DATA_BYTES = 4096,
    CASE_GPRS = 32,
    CASE_VECTORS = 32,
    CASE_VECTOR_BYTES = 32,
};

/* Where things are in the guest's address space: low, so that 32-bit guests and absolute addressing reach them. */
#define CASE_CODE UINT32_C(0x10000000)
#define CASE_DATA UINT32_C(0x20000000)
#define CASE_CONTEXT UINT32_C(0x30000000)

/* The general registers in the order of the architecture's encoding; slot 4 of x86 and slot 31 (AArch64) or 13 (ARM)
 * is the stack pointer. */
struct machine_state {
    uint64_t gpr[CASE_GPRS];
    uint64_t flags; /* rflags, or NZCV (and Q, GE) as in the status register */
    uint64_t fpflags; /* FPSCR / FPSR: condition and saturation bits only */
    uint8_t vector[CASE_VECTORS][CASE_VECTOR_BYTES];
};

struct diff_case {
    uint32_t code_len;
    uint32_t thumb;
    uint8_t code[CASE_CODE_BYTES];
    uint64_t data_seed; /* fills the data page, see case_fill_data */
    struct machine_state before;
};

struct diff_result {
    uint32_t signal; /* 0: ran to its end */
    uint32_t pad;
    struct machine_state after;
    uint8_t data[CASE_DATA_BYTES];
};

static inline void case_fill_data(uint64_t seed, uint8_t *data)
{
    for (unsigned i = 0; i < CASE_DATA_BYTES; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        data[i] = (uint8_t)(seed >> 24);
    }
}

#endif
