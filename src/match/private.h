/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of this folder share. */
#ifndef MATCH_PRIVATE_H
#define MATCH_PRIVATE_H

#include "base/buf.h"
#include "base/map.h"
#include "base/vec.h"
#include "match/match.h"

/* ---- one instruction in normal form (insn_x86.c, insn_arm64.c, insn_arm.c) ---- */

enum insn_flow {
    INSN_NEXT,
    INSN_JUMP,
    INSN_BRANCH,
    INSN_CALL,
    INSN_RETURN,
    INSN_INDIRECT /* jump */,
    INSN_STOP
};

enum ref_kind {
    REF_ADDRESS,   /* the code makes this very address, relative to the program counter */
    REF_MAYBE,     /* a constant that is an address in a program that is not position-independent, or only a
                      number */
    REF_GOT,       /* a displacement from the GOT (i386), or a literal that may be one (ARM) */
    REF_GOT_MAYBE, /* one from a register that is not known to hold the GOT's address */
    REF_NUMBER,    /* a constant apart from the code, and no address */
    REF_PAGE,      /* an address without its low part, used by itself */
    REF_OPAQUE,    /* depends on the linker in a way that is not understood: equal to nothing */
};

struct ref {
    uint64_t value;
    uint32_t insn; /* index of its instruction */
    uint8_t kind;
    bool aligned; /* what lies there has to be, at 16 bytes: else the instruction faults */
};

enum { INSN_BYTES = 16, INSN_REFS = 3 };

struct insn {
    uint8_t length; /* 0: there is no instruction */
    bool broken;    /* bytes that are no instruction */
    uint8_t flow;   /* enum insn_flow */
    uint8_t nrefs;
    uint8_t base;         /* i386: 1 + the base register of a memory operand with a 32-bit displacement */
    uint8_t disp;         /* i386: where that displacement is */
    uint8_t got_register; /* i386: 1 + the register that the GOT's address is put into */
    uint8_t kept;         /* of `bytes` */
    bool nop;             /* fills up to an alignment: no part of the normal form */
    uint8_t bytes[INSN_BYTES]; /* the instruction with what depends on the linker set to zero */
    uint64_t target;           /* JUMP, BRANCH, CALL with a constant target (Thumb bit removed) */
    uint32_t weak;             /* what kind of instruction, without registers and numbers */
    struct ref ref[INSN_REFS];
};

/* What decoding needs to know of the program. */
struct insn_context {
    enum machine_arch arch;
    bool fixed;   /* linked to run at a fixed address, or not linked at all: constants may be addresses */
    bool marked;  /* not linked at all: those are that a relocation changes */
    uint64_t got; /* what i386 and ARM code adds offsets to; 0: unknown */
    const struct object *object;
    struct program *program;
};

/* Whether the constant of n bytes there may be an address, in a program that is not position-independent. */
static inline bool insn_may_be_address(const struct insn_context *c, uint64_t at, unsigned n)
{
    return c->fixed && (!c->marked || object_is_relocated(c->object, at, n));
}

void insn_x86(const struct insn_context *c, const uint8_t *p, size_t n, uint64_t address, struct insn *out);

/* AArch64 and ARM make addresses in two steps, so they decode a function as a whole. `insn` has `count`
 * entries with address and bytes filled; entries of length 0 are data. */
struct insn_stream {
    VEC(struct insn) insn;
    VEC(uint64_t) address; /* parallel */
};
void insn_stream_free(struct insn_stream *s);
void insn_arm64(const struct insn_context *c, const uint8_t *p, uint64_t lo, uint64_t hi,
                struct insn_stream *out);
void insn_arm(const struct insn_context *c, const uint8_t *p, uint64_t lo, uint64_t hi, bool thumb,
              struct insn_stream *out);

/* ---- a function's code in normal form (code.c) ---- */

struct code_block {
    uint64_t strong; /* of its instructions in normal form */
    uint64_t weak;   /* of their kinds */
    uint32_t first_insn, ninsns;
    uint32_t first_ref, nrefs;
};

struct code {
    uint8_t hash[32]; /* of the whole normal form; the references are not in it */
    uint64_t key;     /* the hash's first bytes */
    uint64_t deep;    /* key, and names of imports and contents of strings referred to */
    uint64_t weak;
    uint32_t ninsns, nblocks, ncalls, nrefs;
    bool broken; /* has bytes that are no instruction */
    struct code_block *block;
    struct ref *ref;
    uint32_t *bag; /* a hash of each instruction, sorted */
};

/* ---- one side ---- */

/* Positions in a function's normal form by address: what a place inside a function is, wherever padding made
 * it end up. */
struct code_places {
    uint32_t function;
    struct map place;
};

struct side {
    struct program *p;
    const struct object *o;
    const struct flow_function *function;
    size_t nfunctions;
    struct insn_context context;
    bool *is_item;                              /* not a stub */
    uint64_t *end;                              /* of each function's code */
    struct code *code;                          /* of each function */
    VEC(const struct object_section *) section; /* that occupy memory, sorted by address */
    VEC(uint64_t) atom;                         /* addresses of data that something refers to, sorted */
    struct map data;                            /* address here to address there */
    struct map data_reasons;                    /* address here to reasons */
    VEC(uint64_t) known;                        /* keys of `data`, sorted, when `sorted` */
    bool sorted;
    struct map by_address;     /* entry address to function index */
    struct code_places places; /* of the function asked about last */
    bool borrowed;             /* what was read of the program is another match's */
};

struct compare_node {
    uint64_t a1, a2;
    uint32_t f1, f2;
    bool stray; /* code that is in no function; else data */
    uint8_t result;
};

struct compare_edge {
    uint32_t needed, by;
};

struct match {
    struct side side[2]; /* old, new */
    struct arena arena;
    bool ignore_names;
    uint32_t *pair[2]; /* of each function: index on the other side or MATCH_NONE */
    uint8_t *reasons;  /* by old index */
    double *sure;
    VEC(uint32_t) queue; /* old indices of pairs whose neighbours have not been looked at */
    VEC(struct match_pair) pairs;
    VEC(uint32_t) row[2]; /* function index to row of `pairs` */
    VEC(struct match_datum) changes;
    bool changes_made;
    VEC(struct compare_node) node; /* comparisons made, or to be made (data.c) */
    VEC(struct compare_edge) edge;
    struct map compared; /* key of a comparison to its node */
    size_t settled;      /* nodes whose result is final */
    uint32_t current;    /* node being looked at, when `comparing` */
    bool comparing;
    bool in_blocks;      /* blocks are being paired: that may not ask for blocks */
    struct map blocks;   /* old << 32 | new to struct match_blocks * */
    struct map strays;   /* code that no table knows and whose use of data was counted */
    struct map distance; /* section's address to how far most of its data moved */
    VEC(struct match_outside) outside;
    bool outside_made;
    struct map suspects; /* read-only data of paired code found to differ: old address to new address */
    size_t rounds;
};

void match_side_open(struct side *s, struct program *p);
void match_side_close(struct side *s);
/* The same as was read for another match. */
void side_borrow(struct side *s, const struct side *of);

void code_make(struct side *s, struct arena *arena, uint32_t function);
/* The normal form of any code. */
void code_read(struct side *s, struct arena *arena, uint64_t lo, uint64_t hi, bool thumb, struct code *out);
/* Which instruction of the function's normal form is at the address; MATCH_NONE when none is. */
uint32_t code_place(struct side *s, uint32_t function, uint64_t address);
/* The instructions of [lo, hi), with references relative to nothing; for block pairing. */
void code_decode(const struct side *s, uint64_t lo, uint64_t hi, bool thumb, struct insn_stream *out);
/* `deep` needs every function's references; the atoms must be known. */
void code_deepen(struct side *s, struct code *c);
bool code_equal(const struct code *a, const struct code *b);

/* ---- side.c ---- */
void data_atoms(struct side *s);
/* The data address a reference may mean; false when it is none. */
bool ref_address(const struct side *s, const struct ref *r, uint64_t *out);
/* Bytes from the address to the next thing something refers to, within its section. */
uint64_t data_extent(const struct side *s, uint64_t address);
const struct object_section *side_section(const struct side *s, uint64_t address);
/* The address lies in no data of the program, but close before some, where that begins: it is that of a
 * table, from which the compiler has taken what its index is at least. */
bool side_before_data(const struct side *s, uint64_t address, uint64_t *begin);
/* The section that ends right before the address: what _edata and the like mean. */
const struct object_section *side_section_end(const struct side *s, uint64_t address);
bool side_is_code(const struct side *s, uint64_t address);
/* A word that holds an address of Thumb code has bit 0 set. */
uint64_t side_without_thumb(const struct side *s, uint64_t a);
uint32_t side_function_at(const struct side *s, uint64_t address); /* an item's index, or MATCH_NONE */
/* The item whose code holds the address, or MATCH_NONE. */
uint32_t side_covering(const struct side *s, uint64_t address);
/* The variable or constant with a symbol that holds the address. */
const struct object_symbol *side_variable(const struct side *s, uint64_t address, uint64_t *offset);
/* How many of the n bytes lie before the next variable or constant with a symbol, which begins something
 * else. */
uint64_t side_before_variable(const struct side *s, uint64_t address, uint64_t n);
/* How many of the sorted values are not above x. */
size_t sorted_upper(const uint64_t *v, size_t n, uint64_t x);

/* ---- same.c ---- */
enum { CONTENT_MAX = 4 << 20 }; /* larger objects are not compared */
enum same { SAME_NO, SAME_YES, SAME_UNKNOWN };
/* Drops what was compared while pairs were missing. */
void data_forget(struct match *m);
/* f1, f2: the functions that refer to it, or MATCH_NONE. */
enum same data_same(struct match *m, uint64_t a1, uint64_t a2, uint32_t f1, uint32_t f2);
enum same ref_same(struct match *m, const struct ref *a, const struct ref *b, uint32_t f1, uint32_t f2);
/* Where code that no table bounds may end. */
uint64_t side_stray_end(const struct side *s, uint64_t address);
enum same same_bytes(struct match *m, uint64_t a1, uint64_t a2, uint64_t n, uint32_t f1, uint32_t f2);

/* ---- data.c ---- */
void side_learn(struct match *m, uint64_t a1, uint64_t a2, unsigned reasons);
void data_by_symbol(struct match *m);
/* After functions are paired: writable data by use in identical code. */
void data_by_use(struct match *m);

/* ---- outside.c, initial.c ---- */
void outside_add(struct match *m, const char *kind, bool matters, const char *old, const char *new, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));
void initial_contents(struct match *m);
/* All n bytes mean the same in both, beyond doubt. */
bool same_contents(struct match *m, uint64_t a1, uint64_t a2, uint64_t n);
/* The first that occupies memory. */
const struct object_section *side_section_named(const struct side *s, const char *name);

/* ---- linking.c ---- */
/* An export of a relocatable object that both have. */
void linking_symbol(struct match *m, const struct object_symbol *a, const struct object_symbol *b);
void linking_sections(struct match *m);

/* ---- marks.c ---- */
void landing_marks(struct match *m);

/* ---- pair.c ---- */
void pair_functions(struct match *m);
/* Share of instructions that two functions have in common, by block. */
double code_similarity(const struct code *a, const struct code *b);
/* For each block of a the block of b that has the same code and neighbours, or MATCH_NONE. */
void code_align(const struct code *a, const struct code *b, uint32_t *to);

void match_progress(const struct match_options *opt, const char *what, size_t done, size_t total);

#endif
