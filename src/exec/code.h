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
 * ACTIVATION with its own one: its inputs are put there, everything else in it holds nothing that the callee
 * reads before it writes it, the caller's is as it was when the callee returns, and the result is put where
 * the call says. The callee's stack pointer is below what the caller's frame takes. */
#ifndef EXEC_CODE_H
#define EXEC_CODE_H

#include "exec/explore.h"

/* What is known of a function that is called. */
struct exec_function {
    const char *name;
    struct flow_prototype proto;
    bool elsewhere; /* it has no code here; it may be one of the C library */
};

/* One argument, or a part of one that the call gives apart: of `width` bits, zero-extended to whole bytes. */
struct exec_input {
    uint32_t offset; /* in the register file */
    uint16_t width;
};

/* The code of a function. All of it lives as long as the explorer. */
struct exec_body {
    const struct flow_graph *graph;
    const struct ir_machine *machine; /* with `locals`, and with the spaces of all others */
    const struct exec_input *input;   /* in the order in which calls list their arguments */
    unsigned ninputs;
    uint64_t frame; /* bytes below the stack pointer at entry that it uses */
    uint32_t top;   /* register that holds the end of it, where it grows; UINT32_MAX: it does not */
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

/* Any function may be NULL: then nothing of the kind is known. Symbols are given by name. */
struct exec_code {
    void *ctx;
    void (*free)(void *ctx); /* when the explorer is */
    struct ir_pures pures;
    bool (*function)(void *ctx, uint64_t address, struct exec_function *out);
    uint64_t (*address)(void *ctx, const char *symbol); /* of the function that a symbol is; 0: of none */
    bool (*body)(void *ctx, uint64_t address, struct exec_body *out); /* false: none that can be followed */
    bool (*object)(void *ctx, const char *symbol, struct exec_object *out);
    /* What a constant object has there; false when it is not known, or part of an address. */
    bool (*data)(void *ctx, const char *symbol, uint64_t offset, unsigned bytes, struct exec_datum *out);
    /* A constant string that begins there, without its end; NULL when there is none. */
    const char *(*text)(void *ctx, const char *symbol, uint64_t offset, size_t *len);
};

/* Explores a function of that machine, with explore_graph. Keeps references to all of them; `code` is copied.
 */
struct explorer *explorer_new_code(const struct exec_code *code, const struct ir_machine *m, struct terms *t,
                                   struct solver *s, const struct explore_options *opt);

#endif
