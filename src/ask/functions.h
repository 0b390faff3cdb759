/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay functions`: the functions of a program, with what its code and its tables say about them. */
#ifndef ASK_FUNCTIONS_H
#define ASK_FUNCTIONS_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "base/vec.h"

struct ask_functions {
    struct program *open; /* a program that is open already; or NULL: */
    const char *file;
    struct object_options object;
    bool tables_only; /* do not search the code */
    struct ask_limits limits;
};

enum ask_returns { RETURNS_UNKNOWN, RETURNS_NOTHING, RETURNS_VALUE, RETURNS_FLOAT };
enum ask_known { ASK_NOT_KNOWN, ASK_KNOWN_FALSE, ASK_KNOWN_TRUE };

struct ask_function {
    uint64_t address, size;
    const char *name;
    const char *place; /* "SECTION+0x10" where the address is not enough (object_qualifying_section), or NULL */
    bool named;
    uint32_t sources, flags; /* as struct flow_function has them; of bitcode: flags may have FLOW_EXTERN */
    const char *part_of;     /* or NULL */
    int32_t arguments, float_arguments; /* -1: not known */
    bool variadic;
    uint8_t returns;   /* enum ask_returns */
    uint8_t prototype; /* enum proto_source: where that is from */
    uint8_t noreturn;  /* enum ask_known */
};

struct ask_functions_answer {
    bool begun; /* there is something to show */
    struct ask_facts facts;
    VEC(struct ask_function) function; /* by address; with what tables say where the code was not reached */
    bool finished;                     /* `total` is there */
    bool searched;                     /* the code as well */
    struct flow_stats total;
    struct ask_end end;
    /* Its own: */
    const struct ask_functions *q;
    struct arena arena;
    VEC(struct ask_function) known; /* by tables, sent before the long search */
};

bool ask_functions(const struct ask_functions *q, const struct ask_session *session,
                   struct ask_functions_answer *a, struct error *err);
void ask_functions_free(struct ask_functions_answer *a);

#endif
