/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay cfg` and `assay lift`: one function's control flow, with disassembly and the IR of every
 * instruction. */
#ifndef ASK_GRAPH_H
#define ASK_GRAPH_H

#include "ask/ask.h"
#include "ask/facts.h"
#include "base/vec.h"

struct ask_graph {
    struct program *open; /* a program that is open already; or NULL: */
    const char *file;
    struct object_options object;
    const char *function; /* NAME or 0xADDRESS */
    bool with_ir;
    struct ask_limits limits;
};

struct ask_graph_function {
    const char *name;
    uint64_t address, size; /* bitcode has no size */
    uint32_t instructions;
    bool noreturn;
};

struct ask_graph_insn {
    uint64_t address;
    uint32_t length;
    const char *text, *source;  /* "file.c:12", or NULL */
    const char *const *inlined; /* functions inlined there */
    size_t ninlined;
    bool has_ir;
    const char *const *ir;
    size_t nir;
};

struct ask_graph_edge {
    uint32_t to;
    uint8_t kind; /* enum flow_edge_kind, as a reader sees it */
    bool is_switch;
    uint64_t value; /* of a switch */
};

struct ask_graph_block {
    uint32_t index;
    uint64_t address, size;
    uint8_t end;  /* enum ir_end_kind */
    bool landing; /* entered by exceptions */
    const struct ask_graph_insn *insn;
    size_t ninsns;
    const struct ask_graph_edge *successor;
    size_t nsuccessors;
};

struct ask_graph_call {
    uint32_t block;
    uint64_t site, target; /* ASK_NO_PLACE: not known */
    const char *name;      /* or NULL */
    uint8_t kind;          /* enum flow_call_kind */
    bool noreturn, conditional;
};

struct ask_graph_table {
    uint32_t block;
    uint64_t address; /* ASK_NO_PLACE: none */
    uint32_t entries, entry_size;
};

struct ask_graph_problem {
    uint8_t kind; /* enum flow_problem_kind */
    uint64_t address;
    const char *text;
};

struct ask_graph_details {
    const struct ask_graph_call *call;
    size_t ncalls;
    const struct ask_graph_table *table;
    size_t ntables;
    const struct ask_graph_problem *problem;
    size_t nproblems;
};

struct ask_graph_answer {
    bool begun; /* there is something to show */
    struct ask_facts facts;
    bool found; /* `function` is there */
    struct ask_graph_function function;
    VEC(struct ask_graph_block) block;
    bool finished; /* `details` is there */
    struct ask_graph_details details;
    struct ask_end end;
    /* Its own: */
    const struct ask_graph *q;
    struct arena arena;
};

bool ask_graph(const struct ask_graph *q, const struct ask_session *session, struct ask_graph_answer *a,
               struct error *err);
void ask_graph_free(struct ask_graph_answer *a);

#endif
