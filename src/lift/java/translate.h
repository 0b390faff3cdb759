/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files that translate a method share (translate.c says how it is done). */
#ifndef LIFT_JAVA_TRANSLATE_H
#define LIFT_JAVA_TRANSLATE_H

#include "lift/java/check.h"
#include "lift/java/internal.h"

/* A value on the operand stack, which takes one or two words. */
struct operand {
    ir_val v; /* IR_NONE: it is in its register */
    char kind;
};

/* A block that is made when all others are: an exception that the machine throws, or the search for its
 * handler. */
struct side {
    ir_label label;
    uint32_t pc;
    enum vm_exception exception;
};

struct tr {
    struct java_lift *l;
    struct java_method *m;
    struct java_class *c;
    struct ir_builder *b;
    struct java_checked checked;
    uint64_t base; /* address of the method */
    uint32_t made; /* labels that are no instruction's */
    uint32_t pc, length;
    VEC(struct operand) stack;
    unsigned words; /* on the stack */
    VEC(struct ir_block) block;
    VEC(struct java_jump) jump;
    VEC(struct side) side, search;
    bool open; /* a block is being made */
};

/* translate.c. Values by the letter of their kind: I J F D A. Every instruction pops its operands in the
 * order of the stack. */
unsigned tr_reg(unsigned slot);
unsigned tr_width_of(char kind);
char tr_kind_of(char type);
ir_val tr_constant(struct tr *t, unsigned width, uint64_t v);
void tr_put(struct tr *t, unsigned at, ir_val v);
void tr_push(struct tr *t, char kind, ir_val v);
ir_val tr_pop(struct tr *t);
void tr_flush(struct tr *t); /* puts the whole stack into its registers */
ir_label tr_label_of(const struct tr *t, uint32_t pc);
ir_label tr_new_label(struct tr *t);
void tr_begin(struct tr *t, ir_label label);
void tr_finish(struct tr *t, struct ir_end end);
struct ir_end tr_an_end(enum ir_end_kind kind);
void tr_end_jump(struct tr *t, ir_label to);
void tr_end_unknown(struct tr *t, const char *why); /* the path ends here, for this reason */
void tr_throw_when(struct tr *t, ir_val cond, enum vm_exception e);
void tr_check_null(struct tr *t, ir_val ref);
void tr_call(struct tr *t, struct java_method *m, ir_val target, const ir_val *arg, unsigned nargs,
             char result);
/* Calls m unless what has that id is made already (JAVA_READY). */
void tr_ensure(struct tr *t, uint32_t id, struct java_method *m);
void tr_initialise(struct tr *t, struct java_class *c);
/* NULL: it cannot be loaded, and the block has ended. */
struct java_class *tr_class_at(struct tr *t, const char *name);

/* heap.c */
ir_val tr_class_of(struct tr *t, ir_val ref);
ir_val tr_make(struct tr *t, ir_val class);
ir_val tr_is_subclass(struct tr *t, ir_val of, ir_val class);
ir_val tr_length_of(struct tr *t, ir_val ref);
/* Between a field or element and an operand. */
ir_val tr_widen(struct tr *t, ir_val v, char type);
ir_val tr_narrow(struct tr *t, ir_val v, char type);
/* Without any check. */
ir_val tr_element_get(struct tr *t, unsigned element, ir_val ref, ir_val index);
void tr_element_set(struct tr *t, unsigned element, ir_val ref, ir_val index, ir_val v);
void tr_array_load(struct tr *t, unsigned op);
void tr_array_store(struct tr *t, unsigned op);
void tr_byte_store(struct tr *t);
void tr_new_array(struct tr *t, struct java_class *array);
void tr_push_literal(struct tr *t, const char *text, size_t n);
void tr_push_mirror(struct tr *t, struct java_class *of);
void tr_field_op(struct tr *t, unsigned op);

/* arithmetic.c */
ir_val tr_nearest(struct tr *t);
void tr_binary(struct tr *t, unsigned op);
void tr_negate(struct tr *t, unsigned op);
void tr_shift_or_logic(struct tr *t, unsigned op);
void tr_convert(struct tr *t, unsigned op);
void tr_compare(struct tr *t, unsigned op);

/* own.c */
void tr_own_op(struct tr *t);

#endif
