/* SPDX-License-Identifier: GPL-3.0-or-later */
/* LLVM bitcode to IR.
 *
 * A `bitcode` is one module; its functions are translated one at a time, on demand. libLLVM is loaded when
 * the first module is opened and not before: it is large, and most questions are about machine code. Where it
 * was not there when assay was built, or is not there when it runs, opening says what to install.
 *
 * VALUES. An SSA value becomes one IR value for each scalar in it: a vector is its lanes, an aggregate its
 * members, in order. Pointers are numbers as wide as the module's data layout says. What is used in one block
 * only stays a value of that block; the rest lives in the register file, one or more words a scalar.
 *
 * REGISTER FILE. Each function has its own, described by bitcode_code.machine (`locals` is set: a call
 * changes nothing in it). Its named registers are the inputs: `sp`, arg0, arg1, ... (arg0.0, arg0.1 for the
 * scalars of one that is not a scalar), and for every global that is mentioned its address, named `&` and the
 * name. String literals are named by what they say, as their own names change with every edit of the source.
 *
 * MEMORY is space 0. What `alloca` makes lies below `sp`.
 *
 * ADDRESSES. Instructions are numbered through the module, from BITCODE_FIRST on; a block's label is the
 * number of its first instruction, a function's address that of its first. Declarations are numbered after
 * them.
 *
 * MEANING. Where LLVM leaves behaviour undefined, this is what happens: arithmetic wraps, shifts are those of
 * base/op.h, a division by zero or that overflows traps, `unreachable` traps, undef and poison are some
 * value. Volatile accesses are events whose results nobody can predict. Atomic ones are accesses like others:
 * no other thread is taken to interfere, as for machine code; fences are events. An intrinsic that is not
 * known here is a call of a function of that name, and inline assembly one of a function named after its
 * text: something that may do anything to memory it can reach. Nothing is left out: what is not understood at
 * all is an IR_UNKNOWN, and counted. */
#ifndef LIFT_LLVM_BITCODE_H
#define LIFT_LLVM_BITCODE_H

#include "base/error.h"
#include "base/sha256.h"
#include "ir/ir.h"
#include "ir/machine.h"

enum { BITCODE_FIRST = 0x1000 };

struct bitcode;

/* Whether the bytes, or the file, begin as bitcode does. Needs no libLLVM. */
bool bitcode_is(const uint8_t *bytes, size_t n);
bool bitcode_is_file(const char *path);

struct bitcode *bitcode_open(const char *path, struct error *err);
/* `name` is for messages; the bytes are not kept. */
struct bitcode *bitcode_read(const char *name, const uint8_t *bytes, size_t n, struct error *err);
void bitcode_free(struct bitcode *m);
/* Lays the module's data out as if it had been compiled for a processor whose pointers have 32 bits: members of
 * structures are where they would be there, as far as types tell (a `long` keeps its 64 bits). Before any code is
 * asked for. */
void bitcode_lay_out_32(struct bitcode *m);

struct bitcode_info {
    const char *name;   /* of the file */
    const char *target; /* "x86_64-pc-linux-gnu" */
    const char *source; /* the file it was compiled from */
    char sha256[SHA256_HEX];
    unsigned pointer_width; /* 32 or 64 */
    bool big_endian;
    size_t blocks, instructions; /* of all functions */
};
const struct bitcode_info *bitcode_info(const struct bitcode *m);

struct bitcode_function {
    const char *name;
    uint64_t address;
    uint32_t instructions; /* 0 for a declaration */
    bool declared;         /* its body is elsewhere */
    bool variadic, returns, returns_float, noreturn;
    unsigned nargs, nfargs; /* arguments that are not floating point, and that are */
    uint64_t floats;        /* which of the first 64 are */
};
size_t bitcode_functions(const struct bitcode *m, const struct bitcode_function **out); /* by address */
/* By name or 0xADDRESS. NULL and an error with the nearest names. */
const struct bitcode_function *bitcode_function(const struct bitcode *m, const char *spec, struct error *err);
const struct bitcode_function *bitcode_function_at(const struct bitcode *m, uint64_t address);

struct bitcode_call {
    uint32_t block;
    uint64_t site, target; /* target 0: indirect */
    const char *name;      /* NULL: indirect */
    bool external;         /* the callee is not in this module */
    bool noreturn;
};

/* One scalar of an argument, in the register file. */
struct bitcode_input {
    uint32_t argument;
    uint32_t offset;
    uint16_t width; /* in bits; a width that is not a multiple of 8 is zero-extended in the register file */
    bool is_float;
};

struct bitcode_jump {
    uint32_t block; /* of a computed jump (indirectbr) */
    ir_label to;
};

struct bitcode_code {
    struct ir_machine machine;
    struct ir_block *block; /* [0] is the entry */
    uint32_t nblocks;
    struct bitcode_call *call;
    uint32_t ncalls;
    struct bitcode_input *input;
    uint32_t ninputs;
    struct bitcode_jump *jump;
    uint32_t njumps;
    uint64_t frame;   /* bytes below `sp` that allocas of known size take */
    uint32_t top;     /* register that holds the end of the frame; UINT32_MAX: it does not grow */
    uint32_t unknown; /* instructions that were not understood */
};
/* The IR of a function; owned by the module. Every block satisfies ir_validate. NULL when there is none: it
 * is a declaration, or of a size or with types that nothing here can represent. */
const struct bitcode_code *bitcode_code(struct bitcode *m, const struct bitcode_function *f,
                                        struct error *err);
struct ir_pures bitcode_pures(void);

/* The instruction of that number as LLVM writes it, into `out`; false when there is none. */
struct buf;
bool bitcode_text(struct bitcode *m, uint64_t address, struct buf *out);
struct bitcode_line {
    const char *file;
    unsigned line, column;
    bool inlined; /* the line is one of another function */
};
bool bitcode_line(struct bitcode *m, uint64_t address, struct bitcode_line *out);

/* ---- data. Symbols have the names of their globals; literals those that machine_register.object has. ----
 */

struct bitcode_symbol {
    const char *name;
    uint64_t size; /* 0 when it is not known, and for functions */
    uint32_t align;
    bool constant; /* never written, and its contents are here */
    bool initialised;
    bool weak; /* may be a null pointer */
    bool function;
};
bool bitcode_symbol(const struct bitcode *m, const char *name, struct bitcode_symbol *out);

/* What an initialiser has at an offset, as IR_LOAD would see it: a number, or the address of a symbol plus a
 * number. */
struct bitcode_datum {
    struct bits value;
    const char *symbol; /* NULL: value is all there is */
};
/* False when it is not known: no initialiser, outside of it, or part of an address. */
bool bitcode_data(struct bitcode *m, const char *symbol, uint64_t offset, unsigned bytes,
                  struct bitcode_datum *out);
/* A constant string that begins there, without its end; NULL when there is none. */
const char *bitcode_string(struct bitcode *m, const char *symbol, uint64_t offset, size_t *len);

#endif
