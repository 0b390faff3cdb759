/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the LLVM front end, shared by the files of src/lift/llvm and by nobody else.
 *
 * module.c opens a module, numbers its instructions and names its globals; data.c reads initialisers; shape.c
 * says which scalars a type is made of; layout.c decides where a function's values live; translate.c goes
 * through its blocks, with the arithmetic in arith.c, memory in access.c, calls and jumps in control.c, and
 * intrinsics in intrinsic.c. */
#ifndef LIFT_LLVM_INTERNAL_H
#define LIFT_LLVM_INTERNAL_H

#include "base/map.h"
#include "base/vec.h"
#include "lift/llvm/api.h"
#include "lift/llvm/bitcode.h"

/* ---- the module ---- */

struct bitcode {
    struct llvm L;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetDataRef layout;
    struct bitcode_info info;
    struct arena arena;
    VEC(struct bitcode_function) function;
    VEC(LLVMValueRef) function_value; /* by the same index */
    VEC(const struct bitcode_code *) code;
    VEC(LLVMValueRef) insn;    /* by address, from BITCODE_FIRST; an invoke has two numbers */
    struct map function_index; /* value -> index */
    struct map block_label;    /* basic block -> the address of its first instruction */
    struct map shapes;         /* type -> struct shape *, 0 when it has none */
    struct map names;          /* global -> its name */
    struct strmap globals;     /* and back */
    struct map blobs;          /* global -> struct blob * */
    unsigned noreturn;         /* the number of that attribute */
    bool fuses;                /* the target multiplies and adds in one step where it may */
    unsigned va_list_bytes;
};

/* Names a global variable or function. Aliases are followed. */
const char *module_name(struct bitcode *m, LLVMValueRef global);
LLVMValueRef module_aliasee(const struct bitcode *m, LLVMValueRef global);

/* ---- types (shape.c) ---- */

enum scalar_kind { SCALAR_INT, SCALAR_POINTER, SCALAR_FLOAT, SCALAR_X87, SCALAR_BFLOAT };

struct scalar {
    uint8_t kind;
    uint16_t width;  /* in bits, at most OP_MAX_WIDTH */
    uint64_t offset; /* of the bytes in memory that hold it */
    uint16_t bytes;
    uint16_t lowest; /* bit of those bytes it begins at: lanes that are not whole bytes share them */
};

struct shape {
    struct scalar *scalar;
    uint32_t n;
    uint64_t size; /* in memory, with padding */
};

/* NULL when values of the type cannot be represented. Void and empty structs have no scalars. */
const struct shape *shape_of(struct bitcode *m, LLVMTypeRef type);
/* The index of the first scalar of member `i` of an aggregate or vector. */
uint32_t shape_member(struct bitcode *m, LLVMTypeRef type, unsigned i, LLVMTypeRef *member);

/* ---- constants (data.c) ---- */

/* An integer or float constant as bits; false when it is not one. */
bool constant_bits(struct bitcode *m, LLVMValueRef c, struct bits *out);
/* A constant address or number: symbol (NULL: none) plus offset. */
bool constant_address(struct bitcode *m, LLVMValueRef c, const char **symbol, uint64_t *offset,
                      unsigned fuel);

void data_free(struct bitcode *m);

/* ---- one function being translated ---- */

/* A value as its scalars. */
struct parts {
    ir_val *v;
    uint32_t n;
};

/* Where a value lives between blocks. */
struct home {
    uint32_t offset;   /* in the register file; UINT32_MAX: nowhere, it is used where it is made only */
    uint32_t incoming; /* a phi: where the blocks before leave its next value; else UINT32_MAX */
    uint64_t below;    /* an alloca of known size: so far below sp; else 0 */
};

struct translation {
    struct bitcode *m;
    const struct llvm *L;
    LLVMValueRef f;
    struct bitcode_code *code;
    struct ir_builder *b;
    struct arena scratch;
    unsigned pointer; /* width of one */

    /* layout.c */
    struct map segment; /* instruction -> number of the IR block it is in */
    struct map address; /* instruction -> its number in the module */
    struct map home;    /* instruction, argument or global -> struct home * */
    uint32_t file;      /* bytes of the register file given out */
    uint64_t frame;     /* bytes of the frame given out */
    uint32_t sp, top;   /* top: where the lowest alloca begins, when it moves; else UINT32_MAX */
    VEC(struct machine_register) reg;

    /* The block being built. */
    struct map local; /* value -> struct parts *, in scratch */
    bool open;        /* begun and not ended */
    uint64_t site;    /* number of the instruction being translated */
    VEC(struct ir_block) block;
    VEC(struct bitcode_call) call;
    VEC(struct bitcode_jump) jump;
    VEC(struct bitcode_input) input;
};

/* layout.c: false when the function is too large. */
bool layout_function(struct translation *t, struct error *err);
struct home *layout_home(struct translation *t, LLVMValueRef v); /* NULL: none */
/* Whether an instruction ends its IR block: a call that is one in IR, too. */
bool layout_is_call(struct translation *t, LLVMValueRef insn);
uint32_t layout_bytes(const struct translation *t, const struct shape *s); /* in the register file */

/* translate.c */
bool translate_function(struct translation *t, struct error *err);
void translate_begin(struct translation *t, ir_label label);
void translate_end(struct translation *t,
                   struct ir_end end); /* result is to be set; nothing else is filled in */
struct ir_end translate_jump(ir_label to);
struct parts parts_new(struct translation *t, uint32_t n);
struct parts parts_one(struct translation *t, ir_val v);
/* The scalars of an operand. An operand that cannot be represented is some value. */
struct parts translate_use(struct translation *t, LLVMValueRef v);
ir_val translate_use_one(struct translation *t, LLVMValueRef v); /* of a scalar */
LLVMValueRef translate_operand(const struct translation *t, LLVMValueRef v, unsigned i);
void translate_define(struct translation *t, LLVMValueRef insn, struct parts p);
/* Puts scalars into, and gets them out of, words of the register file. */
void parts_put(struct translation *t, uint32_t offset, struct parts p);
struct parts parts_get(struct translation *t, uint32_t offset, const struct shape *s);
/* Some value nobody knows; the name says why. */
ir_val translate_any(struct translation *t, const char *why, unsigned width);
/* An instruction that is not understood: its result is some value, and memory may have changed. */
void translate_unknown(struct translation *t, LLVMValueRef insn, bool memory);
bool shape_is_float(const struct scalar *s);

/* arith.c. Each makes one scalar; IR_NONE when the operation is not known. */
bool arith_instruction(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out);
ir_val arith_round(struct translation *t, enum op op, ir_val x, unsigned mode); /* sqrt, frint */
ir_val arith_float(struct translation *t, enum op op, ir_val x, ir_val y);
ir_val arith_compare(struct translation *t, LLVMRealPredicate p, const struct scalar *s, ir_val x, ir_val y);
ir_val arith_min_max(struct translation *t, bool max, bool is_signed, ir_val x, ir_val y);
ir_val arith_pure(struct translation *t, const char *name, const ir_val *arg, unsigned nargs);
ir_val arith_not(struct translation *t, ir_val x);
ir_val arith_swap(struct translation *t, ir_val x);      /* bytes */
ir_val arith_any(struct translation *t, struct parts p); /* width 1: one of them is 1 */

/* access.c */
bool access_instruction(struct translation *t, LLVMOpcode op, LLVMValueRef v, struct parts *out);
ir_val access_add(struct translation *t, ir_val address, uint64_t offset);
struct parts access_load(struct translation *t, const struct shape *s, ir_val address, ir_val guard,
                         const struct parts *otherwise);
void access_store(struct translation *t, const struct shape *s, ir_val address, struct parts value,
                  ir_val guard);
void access_copy(struct translation *t, ir_val to, ir_val from, uint64_t bytes);
void access_fill(struct translation *t, ir_val to, ir_val byte, uint64_t bytes);

/* control.c */
void control_terminator(struct translation *t, LLVMOpcode op, LLVMValueRef v);
/* A call that ends the IR block. */
void control_call(struct translation *t, LLVMValueRef v, const char *name, const ir_val *arg, uint32_t nargs);
void control_call_instruction(struct translation *t, LLVMValueRef v);
bool control_is_noreturn(const struct translation *t, LLVMValueRef call);

/* intrinsic.c */
enum intrinsic_way {
    INTRINSIC_INLINE, /* intrinsic_translate does it within the block */
    INTRINSIC_CALL, /* it is a call of the library function `name`, or of one with the intrinsic's own name */
    INTRINSIC_TRAP, /* ends the path */
};
enum intrinsic_way intrinsic_way(struct translation *t, LLVMValueRef call, const char **name,
                                 unsigned *nargs);
bool intrinsic_translate(struct translation *t, LLVMValueRef call, struct parts *out);

#endif
