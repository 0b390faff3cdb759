/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where code, callees, constants and globals come from, for sources that are not machine code.
 *
 * Machine code is a program of src/flow, or several that are mapped at once (explorer_map): everything in it
 * has a number for an address. A front end whose functions and globals have names instead implements `struct
 * exec_code`. The address of a global is a symbol then (ORIGIN_ADDRESS, exec/origin.h), and what is known of
 * it is asked for by that name. Code still has numbers, of the front end's choosing, for labels and for
 * functions.
 *
 * A function has a register file of its own when its machine has `locals`. A callee that is followed is an
 * ACTIVATION with a file of its own: its inputs are put there, and it reads nothing else of it before writing
 * it. When it returns, the caller's file is as it was, and the result is put where the call says. The
 * callee's stack pointer starts below the caller's frame. */
#ifndef EXEC_CODE_H
#define EXEC_CODE_H

#include "exec/explore.h"

/* What is known of a function that is called. */
struct exec_function {
    const char *name;
    struct flow_prototype proto;
    bool elsewhere; /* no code here; it may be a function of the C library */
};

/* One argument, or one part of an argument that the call passes in parts: `width` bits, zero-extended to
 * whole bytes. */
struct exec_input {
    uint32_t offset; /* in the register file */
    uint16_t width;
};

/* The code of a function. All of it lives as long as the explorer. */
struct exec_body {
    const struct flow_graph *graph;
    const struct ir_machine
        *machine; /* has `locals`; declares the same spaces as the machines of all other functions */
    const struct exec_input *input;   /* in the order in which calls list their arguments */
    unsigned ninputs;
    uint64_t frame; /* size of the frame: bytes used below the stack pointer at entry */
    uint32_t top; /* register that holds the frame's lower end, if the frame grows; UINT32_MAX: it does not */
};

struct exec_object {
    uint32_t align;
    bool weak;     /* its address may be null */
    bool constant; /* never written: `data` has it */
};

/* A number, or the address of a symbol plus a number. */
struct exec_datum {
    struct bits value;
    const char *symbol; /* NULL: value is all there is */
};

/* What a front end implements. Any function may be NULL: nothing of that kind is known then. Symbols are
 * passed by name. */
struct exec_code {
    void *ctx;
    void (*free)(void *ctx); /* when the explorer is */
    struct ir_pures pures;
    bool (*function)(void *ctx, uint64_t address, struct exec_function *out);
    uint64_t (*address)(
        void *ctx, const char *symbol); /* address of the function that a symbol names; 0: it names none */
    bool (*body)(void *ctx, uint64_t address, struct exec_body *out); /* false: there is no code to follow */
    bool (*object)(void *ctx, const char *symbol, struct exec_object *out);
    /* The contents of a constant object there; false when they are not known, or part of an address. */
    bool (*data)(void *ctx, const char *symbol, uint64_t offset, unsigned bytes, struct exec_datum *out);
    /* What a constant space holds there; false when that is not known. */
    bool (*cell)(void *ctx, unsigned space, uint64_t index, struct bits *out);
    /* A constant string that begins there, without its end; NULL when there is none. */
    const char *(*text)(void *ctx, const char *symbol, uint64_t offset, size_t *len);
};

/* Explores a function of that machine, with explore_graph. Keeps references to all of them; `code` is copied.
 */
struct explorer *explorer_new_code(const struct exec_code *code, const struct ir_machine *m, struct terms *t,
                                   struct solver *s, const struct explore_options *opt);

#endif
