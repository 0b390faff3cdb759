/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every answer says about the program it is about: machine code, or what another front end reads. */
#ifndef ASK_FACTS_H
#define ASK_FACTS_H

#include "ask/wire.h"
#include "exec/front.h"
#include "flow/flow.h"

struct ask_facts {
    const char *file, *sha256;
    const char *build_id; /* or NULL */
    const char *architecture;
    bool supported; /* the architecture */
    uint32_t bits;
    bool big_endian;
    const char *format, *short_format; /* front_end.name and short_name; NULL: machine code */
    /* of machine code: */
    uint8_t type; /* enum object_type */
    bool stripped, is_static;
    /* of other formats: */
    const char *target, *source;
};
extern const struct wire_type ask_facts_type;

struct ask_facts ask_facts(const struct object *o, const char *file); /* file NULL: what it was opened as */

/* A program or a file of another front end, opened. */
struct ask_opened {
    struct program *p; /* or */
    const struct front_end *front;
    void *file;    /* of `front` */
    bool borrowed; /* it was open before */
};
/* `open`: a program that is already; else opens the file. `deep`: looks for functions in the code as well. */
bool ask_open(struct ask_opened *o, struct program *open, const char *file, const struct object_options *how,
              bool deep, struct error *err);
struct ask_facts ask_opened_facts(const struct ask_opened *o, struct arena *arena);
void ask_close(struct ask_opened *o);

#endif
