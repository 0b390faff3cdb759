/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytecode of the Java virtual machine to IR.
 *
 * HEAP. A reference is a 32-bit number: 0 is null; below JAVA_FIRST_LITERAL the java.lang.Class object of the
 * class with that id; below JAVA_FIRST_OBJECT a string of some constant pool; everything else was allocated,
 * each allocation on any path with a number of its own (IR_MAKES_NUMBER), but for small boxes
 * (JAVA_FIRST_BOX). Every field is a space indexed by reference, a static field by 0; every kind of array
 * element is one indexed by reference and index (reference << 32 | index). The class of an object (its id)
 * and the length of an array are spaces too. All begin as zeros, which is what new objects hold: so an
 * allocation stores a class, and a length. What depends on the classes at hand is in constant spaces
 * (java_cell): is one class a subclass of another, which method does a call run on an object of a class.
 *
 * METHODS. Each has a number; its address is the number << 32, an instruction is at address + pc. Registers
 * are 64 bits each: locals, then the operand stack by words, as the specification counts them; what is
 * narrower is zero-extended. A method that cannot be translated has a body that ends at once in
 * IR_END_UNKNOWN, and java_reason says why; so does an instruction that cannot be.
 *
 * EXCEPTIONS. What an instruction throws by itself leaves its block by a side exit, to a block that calls the
 * exception's constructor. Then a chain of tests looks for the handler; without one the method ends by
 * IR_END_THROW with the reference, zero-extended to 64 bits.
 *
 * A class is initialised by a call of a method made for that, where the specification says so (5.5); a string
 * of a constant pool is made the same way. Methods made here are bytecode too (synth.c), with a few
 * instructions of their own. Models of native methods and of what this replaces are one table (model.c). */
#ifndef LIFT_JAVA_JAVA_H
#define LIFT_JAVA_JAVA_H

#include "base/buf.h"
#include "ir/ir.h"
#include "ir/machine.h"
#include "java/world.h"

enum {
    JAVA_FIRST_LITERAL = 1 << 20,
    JAVA_FIRST_OBJECT = 1 << 21,
};
/* Boxes that valueOf gives again and again (Integer -128 to 127 and their kin, as the language specification,
 * 5.1.7, wants them) are these bits, then a byte for the class (enum java_box) and the value's low byte: so a
 * box of a number that is not known is one reference, not a choice among 256 of them. */
#define JAVA_FIRST_BOX UINT32_C(0xf0000000)
enum java_box { JAVA_BOX_BYTE, JAVA_BOX_SHORT, JAVA_BOX_INT, JAVA_BOX_LONG, JAVA_BOX_CHAR, JAVA_BOXES };

enum java_space {
    JAVA_CLASS = 1, /* reference -> class */
    JAVA_LENGTH,
    JAVA_READY,     /* class or literal -> 0, 1 made, 2 its initialiser threw */
    JAVA_THROWN,    /* exception -> instruction that threw it first */
    JAVA_SUBCLASS,  /* constant: of << 32 | class -> is it one */
    JAVA_DISPATCH,  /* constant: selector << 32 | class -> address of a method; 0: there is none */
    JAVA_ELEMENT,   /* constant: class -> kind of its elements (enum java_element); 0: no array */
    JAVA_COMPONENT, /* constant: class -> class of its elements */
    JAVA_ARRAY_OF,  /* constant: class -> class of arrays of it */
    JAVA_ELEMENTS,  /* the first of those by kind */
};

enum java_element {
    JAVA_NO_ARRAY,
    JAVA_BYTES, /* and booleans */
    JAVA_CHARS,
    JAVA_SHORTS,
    JAVA_INTS,
    JAVA_LONGS,
    JAVA_FLOATS,
    JAVA_DOUBLES,
    JAVA_REFERENCES,
    JAVA_ELEMENT_KINDS,
};

struct java_jump {
    uint32_t block;
    ir_label to;
};

struct java_code {
    struct java_method *method;
    struct ir_block *block;
    uint32_t nblocks;
    struct java_jump *jump; /* where computed jumps (ret) lead */
    uint32_t njumps;
    const struct ir_machine *machine;
    uint32_t *input; /* registers of the arguments, 64 bits each */
    uint32_t ninputs;
};

struct java_lift;

/* Keeps a reference to the world. `assertions`: they are enabled. */
struct java_lift *java_lift_new(struct java_world *w, bool assertions);
void java_lift_free(struct java_lift *l);

uint64_t java_address(struct java_lift *l, struct java_method *m);
struct java_method *java_method_at(const struct java_lift *l, uint64_t address); /* NULL: none */
/* Never NULL for an address of a method; made on first use. */
const struct java_code *java_code(struct java_lift *l, uint64_t address);
/* Whether a model is run instead of its code. */
bool java_has_model(const struct java_lift *l, const struct java_method *m);
bool java_cell(struct java_lift *l, unsigned space, uint64_t index, struct bits *out);
/* Why the path ends at that label; NULL: no special reason. */
const char *java_reason(const struct java_lift *l, uint64_t label);
/* ... because it was assumed that it does not go on. */
bool java_assumed(const struct java_lift *l, uint64_t label);
/* What strings that the program asked for are not; NULL: it asked for none. */
const char *java_strings(const struct java_lift *l);
struct java_class *java_class_of(const struct java_lift *l, uint64_t id); /* NULL: none */
uint32_t java_field_space(struct java_lift *l, struct java_field *f);
/* What was taken for something simpler than it is: monitors, output. One name each, in order. */
size_t java_models_used(const struct java_lift *l, const char *const **out);

/* A method without arguments that makes the arguments of m, calls it and returns nothing. Inputs are made by
 * events whose name tells the type and the argument: "I:arg0", "I:arg0.length", "B:arg0[2]"; those that the
 * program asks for are named after the type: "I:int". */
struct java_start {
    unsigned length; /* greatest length of arrays and strings that are inputs */
    bool args;       /* main's array of strings is an input, too */
    /* What is an input, with commas: "arg0", "arg0.length" (and its elements 0), "arg0[3]" (so many elements),
     * "pack.Class.field" (static). What of the arguments is not listed is 0 or null. NULL: all arguments. */
    const char *symbolic;
    /* Filled in: what the arguments that are made are not; NULL: they are all that there are. */
    const char *lengths, *objects;
};
struct java_method *java_start_method(struct java_lift *l, struct java_method *m, struct java_start *s,
                                      struct error *err);

#endif
