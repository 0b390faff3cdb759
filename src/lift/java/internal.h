/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The inside of the front end for class files. */
#ifndef LIFT_JAVA_INTERNAL_H
#define LIFT_JAVA_INTERNAL_H

#include "lift/java/java.h"
#include "lift/java/opcode.h"

enum { SPACES_MAX = 1 << 16, SLOT = 8 };

/* The register file: a slot each, then locals, then the operand stack. */
enum { REG_SP, REG_RESULT, REG_CAUGHT, REG_A, REG_B, REG_LOCALS };

/* What the virtual machine throws by itself. */
enum vm_exception { VM_NULL, VM_BOUNDS, VM_DIVIDE, VM_CAST, VM_SIZE, VM_STORE, VM_EXCEPTIONS };

struct java_lift {
    struct java_world *w;
    bool assertions;
    struct arena arena;
    struct ir_builder *b;
    struct ir_space *space; /* SPACES_MAX of them, so that they stay where they are */
    uint32_t nspaces;
    VEC(struct ir_machine *) machine;   /* one for each size of the register file */
    VEC(struct java_method *) method;   /* by number; [0] is NULL */
    VEC(struct java_code *) code;       /* likewise; NULL: not made yet */
    VEC(struct java_method *) selector; /* what virtual calls resolve to; [0] is NULL */
    struct map selectors;               /* method -> number */
    VEC(struct java_method *) literal;  /* makes it; by reference less JAVA_FIRST_LITERAL */
    struct strmap literals;             /* text -> reference */
    struct map initialisers;            /* class -> method that initialises it */
    struct map dynamics;                /* class id << 16 | index in its constant pool -> method */
    struct strmap made;                 /* name of a method made here -> it */
    struct map reasons;                 /* label -> text */
    struct map assumed;                 /* label */
    VEC(const char *) models;           /* used */
    uint32_t classes_made;
    unsigned length;     /* greatest length of strings that are inputs */
    const char *strings; /* what those that the program asks for are not; NULL: it does not ask for any */
};

/* Classes of boxes, by enum java_box. */
struct java_boxed {
    const char *class;
    char type;
    int32_t low, high; /* what is boxed once */
};
extern const struct java_boxed java_boxed[JAVA_BOXES];

/* lift.c */
uint32_t java_element_space(unsigned element);
unsigned java_element_of(const struct java_class *array);
unsigned java_element_width(unsigned element);
unsigned java_width(char type); /* of a field: 8, 16, 32, 64 */
void java_note_reason(struct java_lift *l, uint64_t label, const char *why);
void java_model_used(struct java_lift *l, const char *name);
uint32_t java_selector(struct java_lift *l, struct java_method *m);
const struct ir_machine *java_machine(struct java_lift *l, unsigned slots);

/* translate.c */
struct java_code *java_translate(struct java_lift *l, struct java_method *m);

/* synth.c: methods made here, each in a class of its own. */
struct synth {
    struct java_lift *l;
    struct java_class *c;
    VEC(struct java_cp) cp;
    struct buf code;
    VEC(struct java_handler) handler;
    const char *name, *desc;
    uint16_t flags;
    unsigned locals;
};
void synth_begin(struct synth *s, struct java_lift *l, const char *class, const char *name, const char *desc,
                 unsigned locals);
struct java_method *synth_end(struct synth *s); /* the method; its class is known to the world */
void synth_op(struct synth *s, unsigned op);
void synth_own(struct synth *s, enum java_own own);
void synth_own_text(struct synth *s, enum java_own own, const char *text);
void synth_input(struct synth *s, char type, const char *name); /* one of JAVA_INPUT_TYPES */
void synth_int(struct synth *s, int32_t v);
void synth_long(struct synth *s, uint64_t v);
void synth_text(struct synth *s, const char *text, size_t n);
void synth_load(struct synth *s, char type, unsigned local); /* by the letter of a descriptor */
void synth_store(struct synth *s, char type, unsigned local);
void synth_return(struct synth *s, char type);
void synth_iinc(struct synth *s, unsigned local, int by);
void synth_type(struct synth *s, unsigned op, const char *class); /* new, checkcast, instanceof, anewarray */
void synth_member(struct synth *s, unsigned op, const char *owner, const char *name, const char *desc);
void synth_call(struct synth *s, struct java_method *m); /* a static one */
unsigned synth_jump(struct synth *s, unsigned op);       /* forward: land later */
void synth_land(struct synth *s, unsigned jump);
unsigned synth_here(const struct synth *s);
void synth_back(struct synth *s, unsigned op, unsigned to);
void synth_handler(struct synth *s, unsigned start, unsigned end, const char *type);
bool synth_known(struct java_lift *l, const char *key, struct java_method **out);
struct java_method *synth_keep(struct java_lift *l, const char *key, struct java_method *m);

struct java_method *synth_exception(struct java_lift *l, enum vm_exception e);    /* (JII)Throwable */
struct java_method *synth_initialiser(struct java_lift *l, struct java_class *c); /* NULL: it needs none */
void synth_ready(struct synth *s, struct java_class *c); /* initialises the class, if it was not */
uint32_t synth_literal(struct java_lift *l, const char *text, size_t n);
struct java_method *synth_many(struct java_lift *l, const char *array, unsigned dims);
struct java_method *synth_unknown(struct java_lift *l, const struct java_method *m, const char *why);
/* A method that copies all elements or fields of an object to a new one. */
struct java_method *synth_clone(struct java_lift *l, struct java_class *c);
struct java_method *synth_values(struct java_lift *l,
                                 struct java_class *c); /* the constants of an enum, or null */
/* A static object that is there from the beginning; a reference like that of a literal. */
uint32_t synth_object(struct java_lift *l, const char *key, const char *class);
struct java_method *synth_name(struct java_lift *l, struct java_class *c); /* returns Class.getName() */
struct java_method *synth_simple_name(struct java_lift *l, struct java_class *c);
struct java_method *synth_canonical_name(struct java_lift *l, struct java_class *c);
struct java_method *synth_super(struct java_lift *l, struct java_class *c); /* its java.lang.Class, or null */
void synth_mirror(struct synth *s); /* from the number of a class on the stack to its java.lang.Class */
const char *java_simple_name(struct java_lift *l, const struct java_class *c); /* Class.getSimpleName() */

/* start.c: returns a string that is an input. */
struct java_method *start_string(struct java_lift *l);

/* dynamic.c: the method that an invokedynamic calls; NULL and *why. */
struct java_method *dynamic_method(struct java_lift *l, struct java_class *c, unsigned index,
                                   const char **why);

/* decimal.c: the body of Integer.getChars. */
void decimal_digits(struct synth *s, struct java_method *m);

/* message.c: stands for a message that was not put together. */
extern const char java_message[];
/* Where such a string, which begins to be made by the instruction there, is given to a constructor; 0: it is no such. */
uint32_t message_made(struct java_lift *l, const struct java_method *m, uint32_t pc);
/* Whether the string that the invokedynamic there joins is given to one next. */
bool message_joined(struct java_lift *l, const struct java_method *m, uint32_t pc, const char *desc);

/* model.c: what runs instead of a method; NULL: the method itself. */
struct java_method *model_of(struct java_lift *l, struct java_method *m);
/* Whether calls of a method of a class that is not at hand mean something. */
bool model_known(const char *owner, const char *name, const char *desc);
/* The row of the table; owner and desc may be NULL: any. False: there are no more. */
bool model_row(size_t i, const char **owner, const char **name, const char **desc);

#endif
