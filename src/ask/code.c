/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/code.h"

#include <stdio.h>

#include "base/system.h"

const char *code_text(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                      char text[CODE_TEXT])
{
    size_t available = 0;
    bool thumb = program_machine(p)->arch == MACHINE_ARM && (b->label & 1);
    const uint8_t *bytes = object_bytes(program_object(p), m->address, &available);
    if (!bytes ||
        !lift_disassemble(program_lifter(p), object_display_address(program_object(p), m->address) | thumb,
                          bytes, available, text, CODE_TEXT))
        snprintf(text, CODE_TEXT, "(not decoded)");
    return text;
}

const char *code_source(const char *file, unsigned line, struct arena *arena)
{
    return arena_printf(arena, "%s:%u", path_base(file), line);
}

const char *code_source_at(struct program *p, uint64_t address, struct arena *arena)
{
    struct object_line line;
    return object_debug_line(program_object(p), address, &line) && line.file
               ? code_source(line.file, line.line, arena)
               : NULL;
}
