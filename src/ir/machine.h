/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known about a processor and its C calling convention: the layout of the register file and who passes
 * what where. Tables of constants; one for each architecture, made by the front end that knows the layout. */
#ifndef IR_MACHINE_H
#define IR_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

enum machine_arch {
    MACHINE_NONE,
    MACHINE_AMD64,
    MACHINE_X86,
    MACHINE_ARM, /* with Thumb */
    MACHINE_ARM64,
};

struct machine_register {
    const char *name; /* "rax", "x0", "xmm3"; pseudo registers in angle brackets: "<cc_op>" */
    uint16_t offset;  /* in the register file */
    uint16_t width;   /* in bits */
    bool pseudo;      /* not visible to a programmer as such */
    /* What it holds at entry, in a front end's own register file. */
    uint16_t argument;  /* 1 + the number of an argument; 0: none */
    uint16_t part;      /* 1 + which scalar of that argument; 0: all of it */
    const char *object; /* the address of the global of that name; NULL: none */
};

/* A space other than space 0. What is not declared to survive is assumed to be changed, wherever it is. */
struct ir_space {
    const char *name;      /* under which its contents at entry go; no other space has it */
    uint16_t index_width;  /* of an address in it, in bits: at most 64 */
    uint16_t cell_width;   /* of what lies at an address: a multiple of 8, at most OP_MAX_WIDTH */
    bool survives_calls;   /* no call or system call that is not followed changes it */
    bool survives_unknown; /* nor does an instruction that was not understood */
    bool zero;             /* holds zeros at entry, and is no input */
    bool constant;         /* is never stored to: the front end says what it holds (exec_code.cell) */
};

enum { MACHINE_MAX_ARGS = 8, MACHINE_MAX_SAVED = 24 };

/* Offsets are byte offsets in the register file; UINT16_MAX means there is none. */
struct ir_machine {
    enum machine_arch arch;
    const char *name;       /* "x86-64", "i386", "arm", "aarch64" */
    unsigned pointer_width; /* 32 or 64 */
    bool big_endian;
    unsigned file_size;     /* bytes of the register file */
    /* Space n is space[n - 1]; space 0 is in every machine (machine_space). A front end may declare more
     * while its code is being run, but never change one. */
    const struct ir_space *space;
    unsigned nspaces;
    const struct machine_register *reg;
    unsigned nreg;
    uint16_t pc, sp, fp, lr;
    /* The C calling convention. */
    uint16_t arg[MACHINE_MAX_ARGS]; /* integer and pointer arguments in registers, in order */
    unsigned nargs;
    uint16_t farg[MACHINE_MAX_ARGS]; /* floating-point argument registers (128 bits each where vectors) */
    unsigned nfargs;
    unsigned stack_arg;   /* offset from sp at function entry of the first argument on the stack */
    uint16_t ret, ret2;   /* integer result, its upper half */
    uint16_t fret;        /* floating-point result */
    uint16_t saved[MACHINE_MAX_SAVED]; /* callee-saved registers, sp excluded, pointer_width bits each */
    unsigned nsaved;
    uint16_t syscall_nr, syscall_arg[7], syscall_ret;
    unsigned nsyscall_args;
    unsigned call_pushes; /* bytes a call instruction pushes: 8 amd64, 4 i386, 0 elsewhere */
    /* For sources without a register ABI: the register file holds a function's inputs and locals, under the names they
     * have as symbols; a call changes nothing in it but where its result goes. */
    bool locals;
    unsigned ret_width; /* of the result, at `ret` */
    unsigned throws;    /* width of what is thrown: a call that is not followed returns, or throws such an
                           object; 0:    it only returns */
    unsigned sp_align;  /* of the stack pointer at entry; 0: as the architecture has it */
};

/* Any space, 0 included. False when there is none of that number. */
bool machine_space(const struct ir_machine *m, unsigned space, struct ir_space *out);
/* By name, case-insensitively, aliases (eax, al, w0, r13) included: finds offset and width. False when unknown. */
bool machine_register_find(const struct ir_machine *m, const char *name, uint16_t *offset, uint16_t *width);
/* Registers are counted in slots of the size of a pointer. */
unsigned machine_slots(const struct ir_machine *m);
/* By slot: whether a function leaves it to its caller as it was, by the calling convention. */
void machine_kept_slots(const struct ir_machine *m, uint8_t *slot);
/* The name of an exact range, or NULL. */
const char *machine_register_name(const struct ir_machine *m, unsigned offset, unsigned width);

#endif
