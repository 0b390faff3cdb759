/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/system.h"
#include "report/code.h"

#include <stdio.h>
#include <string.h>

const char *code_text(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                      char text[CODE_TEXT])
{
    size_t available = 0;
    bool thumb = program_machine(p)->arch == MACHINE_ARM && (b->label & 1);
    const uint8_t *bytes = object_bytes(program_object(p), m->address, &available);
    if (!bytes || !lift_disassemble(program_lifter(p), m->address | thumb, bytes, available, text, CODE_TEXT))
        snprintf(text, CODE_TEXT, "(not decoded)");
    return text;
}

void code_put_source(json_t *insn, const char *file, unsigned line)
{
    struct buf text = BUF_INIT;
    buf_printf(&text, "%s:%u", path_base(file), line);
    json_object_set_new(insn, "source", report_string(buf_text(&text)));
    buf_free(&text);
}
