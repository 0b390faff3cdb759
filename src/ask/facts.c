/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/facts.h"

#include <string.h>

#define T struct ask_facts
static const struct wire_field facts_field[] = {
    WIRE_TEXT(T, file),         WIRE_TEXT(T, sha256), WIRE_TEXT(T, build_id),    WIRE_TEXT(T, architecture),
    WIRE_VALUE(T, supported),   WIRE_VALUE(T, bits),  WIRE_VALUE(T, big_endian), WIRE_TEXT(T, format),
    WIRE_TEXT(T, short_format), WIRE_VALUE(T, type),  WIRE_VALUE(T, stripped),   WIRE_VALUE(T, is_static),
    WIRE_TEXT(T, target),       WIRE_TEXT(T, source),
};
const struct wire_type ask_facts_type = WIRE_TYPE(T, facts_field);
#undef T

struct ask_facts ask_facts(const struct object *o, const char *file)
{
    const struct object_info *i = object_info(o);
    return (struct ask_facts){.file = file ? file : i->name,
                              .sha256 = i->sha256,
                              .build_id = i->build_id,
                              .architecture = i->arch_name,
                              .supported = i->arch != MACHINE_NONE,
                              .bits = i->bits,
                              .big_endian = i->big_endian,
                              .type = (uint8_t)i->type,
                              .stripped = i->stripped,
                              .is_static = i->is_static};
}

static struct ask_facts front_facts(const struct ask_opened *o, struct arena *arena)
{
    struct front_info *i = arena_new(arena, struct front_info);
    o->front->info(o->file, i);
    return (struct ask_facts){.file = i->file,
                              .sha256 = i->sha256,
                              .architecture = arena_strndup(arena, i->target, strcspn(i->target, "-")),
                              .supported = true,
                              .bits = i->pointer_width,
                              .big_endian = i->big_endian,
                              .format = o->front->name,
                              .short_format = o->front->short_name,
                              .target = i->target,
                              .source = i->source};
}

bool ask_open(struct ask_opened *o, struct program *open, const char *file, const struct object_options *how,
              bool deep, struct error *err)
{
    *o = (struct ask_opened){.p = open, .borrowed = open != NULL};
    if (open)
        return true;
    if ((o->front = front_of_file(file)))
        return (o->file = o->front->open(file, err)) != NULL;
    return (o->p = program_open(file, &(struct program_options){.object = *how, .deep = deep}, err)) != NULL;
}

struct ask_facts ask_opened_facts(const struct ask_opened *o, struct arena *arena)
{
    return o->front ? front_facts(o, arena) : ask_facts(program_object(o->p), NULL);
}

void ask_close(struct ask_opened *o)
{
    if (!o->borrowed)
        program_free(o->p);
    if (o->file)
        o->front->free(o->file);
}
