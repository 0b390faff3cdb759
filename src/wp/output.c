/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A countermodel for debuggers. */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "wp/wp.h"

static void put_hex(struct buf *out, struct bits b, unsigned width)
{
    char text[OP_MAX_WIDTH / 4 + 3];
    bits_format_hex(b, width, text, sizeof text);
    buf_puts(out, text);
}

/* gdb runs the real program: its stack pointer stays as it is, only registers that gdb can set are set, and
 * only memory of the program's own writable data, which exists before anything was allocated. */
void wp_write_gdb(struct buf *out, struct program *p, const struct flow_function *f, const struct wp_run *run)
{
    const struct ir_machine *m = program_machine(p);
    const struct object *o = program_object(p);
    if (f->named)
        buf_printf(out, "break *%s\n", f->name);
    else
        buf_printf(out, "break *0x%" PRIx64 "\n", object_display_address(o, f->address));
    buf_puts(out, "run\n");
    for (size_t i = 0; i < run->nregs; i++) {
        const struct wp_register *r = &run->reg[i];
        uint16_t offset, width;
        if (r->width > 64 || !machine_register_find(m, r->name, &offset, &width) || offset == m->sp ||
            offset == m->pc || strstr(r->name, "_base"))
            continue;
        bool saved = offset == m->fp || offset == m->lr;
        if (saved && !r->matters) /* whatever the caller needs there */
            continue;
        buf_printf(out, "set $%s = ", r->name);
        put_hex(out, r->value, r->width);
        buf_putc(out, '\n');
    }
    const struct object_section *x;
    size_t n = object_sections(o, &x);
    for (size_t i = 0; i < run->nmemory; i++) {
        const struct wp_piece *k = &run->memory[i];
        bool writable = false;
        for (size_t s = 0; s < n; s++)
            writable =
                writable || (x[s].alloc && x[s].write && !x[s].tls && !x[s].relro &&
                             k->address >= x[s].address && k->address + k->n <= x[s].address + x[s].size);
        bool moves = object_info(o)->type != OBJECT_EXECUTABLE;
        for (size_t b = 0; writable && b < k->n; b++) {
            if (moves) /* relative to the function, wherever the program was loaded */
                buf_printf(out, "set {unsigned char}((char *)$pc + %" PRId64 ") = 0x%02x\n",
                           (int64_t)(k->address + b - f->address), k->bytes[b]);
            else
                buf_printf(out, "set {unsigned char}%#" PRIx64 " = 0x%02x\n", k->address + b, k->bytes[b]);
        }
    }
}

void wp_write_bildb(struct buf *out, const struct wp_run *run)
{
    buf_puts(out, "Variables:\n");
    for (size_t i = 0; i < run->nregs; i++) {
        buf_puts(out, "  ");
        for (const char *c = run->reg[i].name; *c; c++)
            buf_putc(out, (char)toupper((unsigned char)*c));
        buf_puts(out, ": ");
        put_hex(out, run->reg[i].value, run->reg[i].width);
        buf_putc(out, '\n');
    }
    if (run->nmemory)
        buf_puts(out, "Locations:\n");
    for (size_t i = 0; i < run->nmemory; i++)
        for (size_t b = 0; b < run->memory[i].n; b++)
            buf_printf(out, "  %#" PRIx64 ": 0x%02x\n", run->memory[i].address + b, run->memory[i].bytes[b]);
}

void wp_write_debug(struct buf *out, struct program *p, const struct flow_function *f,
                    const struct wp_run *run, const char *version)
{
    buf_printf(out, "{\n  \"schema\": 1,\n  \"arch\": \"%s\",\n", program_machine(p)->name);
    buf_printf(out, "  \"function\": \"0x%" PRIx64 "\",\n",
               object_display_address(program_object(p), f->address));
    if (version)
        buf_printf(out, "  \"version\": \"%s\",\n", version);
    buf_puts(out, "  \"registers\": {");
    for (size_t i = 0; i < run->nregs; i++) {
        buf_printf(out, "%s\n    \"", i ? "," : "");
        for (const char *c = run->reg[i].name; *c; c++)
            buf_putc(out, (char)toupper((unsigned char)*c));
        buf_puts(out, "\": \"");
        put_hex(out, run->reg[i].value, run->reg[i].width);
        buf_putc(out, '"');
    }
    buf_puts(out, "\n  },\n  \"memory\": [");
    for (size_t i = 0; i < run->nmemory; i++) {
        buf_printf(out, "%s\n    { \"address\": \"%#" PRIx64 "\", \"bytes\": \"", i ? "," : "",
                   run->memory[i].address);
        for (size_t b = 0; b < run->memory[i].n; b++)
            buf_printf(out, "%02x", run->memory[i].bytes[b]);
        buf_puts(out, "\" }");
    }
    buf_puts(out, run->nmemory ? "\n  ]\n}\n" : "]\n}\n");
}
