/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random instruction sequences with defined results, made from tables of encodings. */
#ifndef TESTS_LIFT_GENERATE_H
#define TESTS_LIFT_GENERATE_H

#include <stdbool.h>
#include <stdint.h>

#include "case.h"

enum isa { ISA_X86_64, ISA_I386, ISA_ARM, ISA_THUMB, ISA_AARCH64, ISA_COUNT };

extern const char *const isa_name[ISA_COUNT];

struct generator {
    enum isa isa;
    uint64_t seed;
    uint32_t only; /* 1 + index of the single pattern to use, 0: all */
    bool native;   /* the other processor is a real one */
};

/* What else a case has to say. */
struct case_notes {
    uint64_t undefined_flags; /* bits of the flags register that the architecture leaves undefined */
    bool any_nan;             /* of several NaNs, which one survives is not compared */
    bool aligned; /* has vector operands in memory, which must be aligned */
    bool approximate; /* an estimate instruction: low bits differ between processors */
};

uint64_t random_next(uint64_t *seed);
/* Fills everything but the code. */
void generate_state(struct generator *g, struct diff_case *c);
/* Fills everything: code of 1 to `most` instructions and a random state whose pointer registers point into the data page. */
void generate_case(struct generator *g, unsigned most, struct diff_case *c, struct case_notes *notes);
unsigned generate_pattern_count(enum isa isa);
const char *generate_pattern_text(enum isa isa, unsigned i);

/* One instruction of the ISA appended at code + *len; false when it does not fit. (generate_x86.c, generate_arm.c) */
bool generate_x86(struct generator *g, bool is64, uint8_t *code, uint32_t *len, uint64_t *undefined, struct case_notes *notes);
bool generate_arm(struct generator *g, uint8_t *code, uint32_t *len, struct case_notes *notes);

extern const char *const patterns_x86[];
extern const char *const patterns_arm[];
extern const char *const patterns_thumb[];
extern const char *const patterns_arm64[];

#endif
