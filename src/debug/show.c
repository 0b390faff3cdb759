/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a session shows: where it is, code with its IR, registers, memory, frames. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "debug/private.h"

/* Every line begins with the side's title when there are two. */
static void title(const struct debug_side *side, struct buf *out)
{
    if (*side->d->title)
        buf_printf(out, "%s: ", side->d->title);
}

void show_notes(struct debug_side *side, struct buf *out)
{
    struct debuggee *d = side->d;
    for (const char *line = buf_text(&d->notes); *line;) {
        size_t n = strcspn(line, "\n");
        title(side, out);
        buf_printf(out, "%.*s\n", (int)n, line);
        line += n + (line[n] == '\n');
    }
    if (d->notes_left_out) {
        title(side, out);
        buf_printf(out, "note: and %u more like these\n", d->notes_left_out);
    }
    buf_clear(&d->notes);
    d->nnotes = d->notes_left_out = 0;
    map_clear(&d->noted);
}

/* ---- code ---- */

static unsigned instruction_text(struct debuggee *d, ir_label label, char *out, size_t cap)
{
    uint8_t bytes[16] = {0};
    size_t room;
    uint64_t address = debuggee_address(d, label);
    if (!object_is_exec(d->o, address) || !object_bytes(d->o, address, &room)) {
        snprintf(out, cap, "not code");
        return 0;
    }
    if (room > sizeof bytes)
        room = sizeof bytes;
    debuggee_peek(d, address, bytes, room, NULL);
    unsigned n = lift_disassemble(program_lifter(d->p), label, bytes, room, out, cap);
    if (!n)
        snprintf(out, cap, "not an instruction");
    return n;
}

static void line_of(const struct debuggee *d, uint64_t address, struct buf *out)
{
    struct object_line l;
    if (!object_debug_line(d->o, address, &l) || !l.file)
        return;
    buf_printf(out, "  ; %s:%u", path_base(l.file), l.line);
}

void show_state(const struct debuggee *d, struct buf *out)
{
    static const char *const before[] = {
        [DEBUGGEE_READY] = NULL,
        [DEBUGGEE_RETURNED] = "the function returned, ",
        [DEBUGGEE_CALL] = "stopped: ",
        [DEBUGGEE_SYSCALL] = "stopped: ",
        [DEBUGGEE_OVER] = "the run is over: ",
        [DEBUGGEE_TRAP] = "trap: ",
        [DEBUGGEE_FAULT] = "fault: ",
        [DEBUGGEE_NO_MEANING] = "stopped: ",
        [DEBUGGEE_UNINITIALISED] = "stopped: ",
    };
    if (d->state == DEBUGGEE_READY)
        return;
    if (*d->title)
        buf_printf(out, "%s: ", d->title);
    buf_printf(out, "%s%s\n", before[d->state], d->why);
}

void show_position(struct debug_side *side, struct buf *out)
{
    struct debuggee *d = side->d;
    uint64_t address = debuggee_address(d, d->at);
    char text[256], name[256];
    if (d->state == DEBUGGEE_RETURNED)
        return;
    title(side, out);
    const char *import = debuggee_import_at(d, d->at);
    if (import) {
        buf_printf(out, "=> %s, not in the file%s\n", import,
                   import_modelled(d, import) ? "" : ", without a model");
        return;
    }
    instruction_text(d, d->at, text, sizeof text);
    buf_printf(out, "=> 0x%" PRIx64 " <%s>  %s", address, debuggee_describe(d, address, name, sizeof name),
               text);
    line_of(d, address, out);
    buf_putc(out, '\n');
    if (d->block && d->n > d->first) {
        title(side, out);
        buf_puts(out, "   -> ");
        ir_print_insn(out, d->block, d->n, d->m, &d->pures);
        buf_putc(out, '\n');
    }
}

struct place {
    ir_label label;
    uint64_t address;
    bool flags_known; /* which operation set them */
    uint64_t cc_op;
};

static int by_address(const void *a, const void *b)
{
    uint64_t x = ((const struct place *)a)->address, y = ((const struct place *)b)->address;
    return x < y ? -1 : x > y;
}

static bool writes_flags(const struct debuggee *d, const struct ir_block *b)
{
    uint16_t offset, width;
    if (!machine_register_find(d->m, "<cc_op>", &offset, &width))
        return false;
    for (uint32_t n = 0; n < b->ninsn; n++)
        if (b->insn[n].op == IR_PUT && b->insn[n].a == offset)
            return true;
    return false;
}

typedef VEC(struct place) places;

/* The instructions of a block, and which operation set the flags before each, as far as its own code tells.
 */
static void places_of(struct debuggee *d, const struct ir_block *b, bool with_flags, places *out)
{
    bool known = false;
    uint64_t cc_op = 0;
    for (uint32_t k = 0; k < b->nmark; k++) {
        uint64_t a = b->mark[k].address;
        struct place p = {.label = a | (d->m->arch == MACHINE_ARM ? b->label & 1 : 0), .address = a};
        p.flags_known = known;
        p.cc_op = cc_op;
        vec_push(out, p);
        const struct ir_block *one = with_flags ? debuggee_lift(d, p.label, known ? &cc_op : NULL) : NULL;
        if (one && writes_flags(d, one))
            known = lift_flags_at(one, d->m->arch, one->ninsn, &cc_op);
    }
}

/* The instructions around the position: those of its function, else those that follow. */
static size_t neighbourhood(struct debug_side *side, unsigned around, bool with_flags, struct place **out)
{
    struct debuggee *d = side->d;
    places all = VEC_INIT;
    uint64_t at = debuggee_address(d, d->at);
    const struct flow_function *f = program_function_covering(d->p, at);
    const struct flow_graph *g = f ? flow_graph(d->p, f) : NULL;
    for (uint32_t i = 0; g && i < g->nblocks; i++)
        places_of(d, &g->block[i], with_flags, &all);
    vec_sort(&all, by_address);
    size_t here = 0;
    while (here < all.len && all.data[here].address != at)
        here++;
    if (here == all.len) {
        vec_clear(&all);
        ir_label label = d->at;
        char text[256];
        for (unsigned i = 0; i <= around; i++) {
            vec_push(&all, (struct place){.label = label, .address = debuggee_address(d, label)});
            unsigned n = instruction_text(d, label, text, sizeof text);
            if (!n)
                break;
            label += n;
        }
        here = 0;
    }
    size_t from = here > around ? here - around : 0,
           to = here + around + 1 < all.len ? here + around + 1 : all.len;
    *out = xcalloc(to - from + 1, sizeof **out);
    memcpy(*out, all.data + from, (to - from) * sizeof **out);
    vec_free(&all);
    return to - from;
}

static bool has_break(const struct debug_side *side, uint64_t address)
{
    for (size_t i = 0; i < side->stop.len; i++)
        if (side->stop.data[i].kind == STOP_AT && side->stop.data[i].address == address)
            return true;
    return false;
}

/* IR of an instruction next to its text. */
static void beside(struct debug_side *side, const struct place *p, const char *left, struct buf *out)
{
    enum { COLUMN = 52, MOST = 24 };
    struct debuggee *d = side->d;
    bool here = d->at == p->label && d->block;
    const struct ir_block *b =
        here ? d->block : debuggee_lift(d, p->label, p->flags_known ? &p->cc_op : NULL);
    bool first = true;
    unsigned shown = 0;
    for (uint32_t n = 0; b && n <= b->ninsn; n++) {
        if (n < b->ninsn && b->insn[n].op == IR_CONST)
            continue;
        if (!here && shown++ == MOST) { /* flags of unknown origin: every possible one is in it */
            title(side, out);
            buf_printf(out, "%-*s |  and %u more\n", COLUMN, "", b->ninsn - n + 1);
            break;
        }
        title(side, out);
        buf_printf(out, "%-*s %s ", COLUMN, first ? left : "", here && n == d->n ? "->" : "|");
        if (!(here && n == d->n))
            buf_putc(out, ' ');
        ir_print_insn(out, b, n, d->m, &d->pures);
        buf_putc(out, '\n');
        first = false;
    }
    if (first) {
        title(side, out);
        buf_printf(out, "%s\n", left);
    }
}

void show_code(struct debug_side *side, unsigned around, bool with_ir, struct buf *out)
{
    struct debuggee *d = side->d;
    if (debuggee_import_at(d, d->at) || d->state == DEBUGGEE_RETURNED) {
        show_position(side, out);
        return;
    }
    debuggee_block(d);
    struct place *p;
    size_t n = neighbourhood(side, around, with_ir, &p);
    for (size_t i = 0; i < n; i++) {
        char text[256];
        struct buf left = BUF_INIT;
        instruction_text(d, p[i].label, text, sizeof text);
        buf_printf(&left, "%s%c 0x%" PRIx64 "  %s", p[i].address == debuggee_address(d, d->at) ? "=>" : "  ",
                   has_break(side, p[i].address) ? 'b' : ' ', p[i].address, text);
        if (with_ir) {
            beside(side, &p[i], buf_text(&left), out);
        } else {
            title(side, out);
            buf_puts(out, buf_text(&left));
            line_of(d, p[i].address, out);
            buf_putc(out, '\n');
        }
        buf_free(&left);
    }
    free(p);
}

void show_statements(struct debug_side *side, struct buf *out)
{
    show_code(side, 0, true, out);
}

/* ---- registers ---- */

static bool is_shown(const struct ir_machine *m, unsigned i, bool all)
{
    const struct machine_register *r = &m->reg[i];
    if (r->pseudo || (!all && (r->width > m->pointer_width || strncmp(r->name, "mm", 2) == 0)))
        return false;
    if (r->offset == m->pc)
        return false;
    for (unsigned k = 0; k < m->nreg; k++) /* parts of wider ones are not shown again */
        if (!m->reg[k].pseudo && m->reg[k].width > r->width && m->reg[k].offset <= r->offset &&
            r->offset + r->width / 8 <= m->reg[k].offset + m->reg[k].width / 8)
            return false;
    return true;
}

/* Printable text at an address, in quotes; nothing when it is none. */
static void put_string(const struct debuggee *d, uint64_t address, size_t max, bool must, struct buf *out)
{
    struct buf s = BUF_INIT;
    size_t n = 0;
    bool known = true, end = false;
    for (; n < max; n++) {
        uint8_t c;
        debuggee_peek(d, address + n, &c, 1, &known);
        if (!known || !c) {
            end = known;
            break;
        }
        if (c == '"' || c == '\\')
            buf_printf(&s, "\\%c", c);
        else if (c >= 0x20 && c < 0x7f)
            buf_putc(&s, (char)c);
        else if (must)
            buf_printf(&s, "\\x%02x", c);
        else
            goto out;
    }
    if (must || (n >= 3 && end))
        buf_printf(out, "\"%s\"%s", buf_text(&s), n == max ? "..." : end ? "" : " (then uninitialised)");
out:
    buf_free(&s);
}

/* What an address may stand for. */
static void put_meaning(const struct debuggee *d, uint64_t x, struct buf *out)
{
    char name[256];
    uint8_t byte;
    if (debuggee_import_at(d, x)) {
        buf_printf(out, "  %s", debuggee_import_at(d, x));
    } else if (object_read(d->o, debuggee_address(d, x), &byte, 1)) {
        bool named = program_describe(d->p, debuggee_address(d, x), name, sizeof name);
        if (named)
            buf_printf(out, "  %s", name);
        struct buf s = BUF_INIT;
        if (!named || !object_is_exec(d->o, debuggee_address(d, x)))
            put_string(d, x, 60, false, &s);
        if (s.len)
            buf_printf(out, "  %s", buf_text(&s));
        buf_free(&s);
    } else if (debuggee_known(d, x)) {
        struct buf s = BUF_INIT;
        put_string(d, x, 60, false, &s);
        if (s.len)
            buf_printf(out, "  %s", buf_text(&s));
        buf_free(&s);
    }
}

static void put_register(struct debug_side *side, unsigned i, struct buf *out)
{
    const struct debuggee *d = side->d;
    const struct machine_register *r = &d->m->reg[i];
    struct bits v = debuggee_get(d, r->offset, r->width);
    char hex[160];
    bits_format_hex(v, r->width, hex, sizeof hex);
    bool changed = side->shown &&
                   memcmp(side->shown + r->offset, concrete_registers(d->c) + r->offset, r->width / 8) != 0;
    title(side, out);
    buf_printf(out, "%c %-9s %s", changed ? '*' : ' ', r->name, hex);
    uint64_t x;
    if (bits_to_u64(v, &x) && x > 9) {
        if (x < 1000000)
            buf_printf(out, "  %" PRIu64, x);
        put_meaning(d, x, out);
    }
    buf_putc(out, '\n');
}

void show_registers(struct debug_side *side, bool all, struct buf *out)
{
    struct debuggee *d = side->d;
    for (unsigned i = 0; i < d->m->nreg; i++)
        if (is_shown(d->m, i, all))
            put_register(side, i, out);
    struct buf flags = BUF_INIT;
    debuggee_flags(d, false, &flags);
    title(side, out);
    buf_printf(out, "  flags     %s\n", flags.len ? buf_text(&flags) : "none set");
    buf_free(&flags);
    if (!side->shown)
        side->shown = xmalloc(d->m->file_size);
    memcpy(side->shown, concrete_registers(d->c), d->m->file_size);
}

/* ---- values and memory ---- */

static void put_number(uint64_t x, unsigned bytes, char format, struct buf *out)
{
    int64_t s = bytes >= 8 ? (int64_t)x : (int64_t)(x << (64 - bytes * 8)) >> (64 - bytes * 8);
    switch (format) {
    case 'd':
        buf_printf(out, "%" PRId64, s);
        break;
    case 'u':
        buf_printf(out, "%" PRIu64, x);
        break;
    case 't':
        for (unsigned i = bytes * 8; i-- > 0;)
            buf_putc(out, x >> i & 1 ? '1' : '0');
        break;
    case 'c':
        buf_printf(out, x >= 0x20 && x < 0x7f ? "'%c'" : "0x%02x", (int)x);
        break;
    default:
        buf_printf(out, "0x%0*" PRIx64, (int)bytes * 2, x);
    }
}

void show_value(struct debug_side *side, const char *text, uint64_t value, unsigned width, char format,
                struct buf *out)
{
    const struct debuggee *d = side->d;
    title(side, out);
    if (format == 's') {
        buf_printf(out, "%s = ", text);
        put_string(d, value, 4096, true, out);
    } else if (format) {
        buf_printf(out, "%s = ", text);
        put_number(value, (width + 7) / 8, format, out);
    } else {
        buf_printf(out, "%s = 0x%" PRIx64, text, value);
        if (value > 9) {
            buf_puts(out, "  ");
            put_number(value, (width + 7) / 8, 'd', out);
        }
        put_meaning(d, value, out);
    }
    buf_putc(out, '\n');
}

static void memory_strings(struct debug_side *side, uint64_t address, unsigned count, struct buf *out)
{
    for (unsigned i = 0; i < count; i++) {
        uint8_t byte = 1;
        title(side, out);
        buf_printf(out, "0x%" PRIx64 ": ", address);
        put_string(side->d, address, 4096, true, out);
        buf_putc(out, '\n');
        for (unsigned k = 0; k < 4096 && byte; k++)
            debuggee_peek(side->d, address++, &byte, 1, NULL);
    }
}

static void memory_code(struct debug_side *side, uint64_t address, unsigned count, struct buf *out)
{
    struct debuggee *d = side->d;
    ir_label label = debuggee_code_label(d, address);
    for (unsigned i = 0; i < count; i++) {
        char text[256];
        unsigned n = instruction_text(d, label, text, sizeof text);
        title(side, out);
        buf_printf(out, "0x%" PRIx64 ": %s\n", debuggee_address(d, label), text);
        if (!n)
            break;
        label += n;
    }
}

void show_memory(struct debug_side *side, uint64_t address, unsigned count, char format, unsigned unit,
                 struct buf *out)
{
    struct debuggee *d = side->d;
    if (format == 's') {
        memory_strings(side, address, count, out);
        return;
    }
    if (format == 'i') {
        memory_code(side, address, count, out);
        return;
    }
    unsigned a_line = format == 'a' ? 1 : format == 't' ? 4 : 16 / unit;
    for (unsigned i = 0; i < count; i++) {
        if (i % a_line == 0) {
            title(side, out);
            buf_printf(out, "0x%" PRIx64 ":", debuggee_mask(d, address));
        }
        uint8_t bytes[8] = {0};
        bool known;
        debuggee_peek(d, address, bytes, unit, &known);
        uint64_t x = bits_low(bits_from_bytes(bytes, unit));
        buf_putc(out, ' ');
        if (known)
            put_number(x, unit, format, out);
        else
            buf_printf(out, "%.*s", (int)(format == 'x' || format == 'a' ? unit * 2 + 2 : 2),
                       "??????????????????");
        if (known && format == 'a')
            put_meaning(d, x, out);
        address += unit;
        if (i % a_line == a_line - 1 || i + 1 == count)
            buf_putc(out, '\n');
    }
}

/* ---- frames and source ---- */

void show_frames(struct debug_side *side, struct buf *out)
{
    const struct debuggee *d = side->d;
    enum { MAX_FRAMES = 100 };
    for (size_t i = 0; i < d->frame.len; i++) {
        size_t k = d->frame.len - 1 - i;
        uint64_t pc = i == 0 ? debuggee_address(d, d->at) : d->frame.data[k + 1].site;
        char name[256];
        if (i == MAX_FRAMES) {
            title(side, out);
            buf_printf(out, "and %zu more\n", d->frame.len - i);
            break;
        }
        title(side, out);
        buf_printf(out, "#%zu 0x%" PRIx64 " in %s", i, pc, debuggee_describe(d, pc, name, sizeof name));
        line_of(d, pc, out);
        buf_putc(out, '\n');
    }
}

/* The file's name comes from the program's debug information, so only what looks like a source file and is a
 * plain, not too large file is opened. */
static FILE *open_source(const char *path)
{
    static const char *const endings[] = {".c", ".h",  ".cc", ".cpp", ".cxx", ".hpp", ".hh", ".s",
                                          ".S", ".rs", ".go", ".m",   ".f90", ".ada", ".d",  ".inc"};
    enum { MAX_SOURCE = 8 << 20 };
    const char *dot = strrchr(path, '.');
    size_t k = 0;
    while (dot && k < sizeof endings / sizeof *endings && strcmp(dot, endings[k]) != 0)
        k++;
    if (!dot || k == sizeof endings / sizeof *endings)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat st;
    if (fd < 0)
        return NULL;
    FILE *f = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= MAX_SOURCE ? fdopen(fd, "r") : NULL;
    if (!f)
        close(fd);
    return f;
}

void show_source(struct debug_side *side, unsigned around, struct buf *out)
{
    const struct debuggee *d = side->d;
    struct object_line l;
    title(side, out);
    if (!object_debug_line(d->o, debuggee_address(d, d->at), &l) || !l.file) {
        buf_puts(out, "no source line is known here\n");
        return;
    }
    buf_printf(out, "%s:%u\n", l.file, l.line);
    FILE *f = open_source(l.file);
    if (!f) {
        title(side, out);
        buf_puts(out, "the file cannot be read\n");
        return;
    }
    char *line = NULL;
    size_t cap = 0;
    unsigned from = l.line > around ? l.line - around : 1;
    for (unsigned n = 1; n <= l.line + around && getline(&line, &cap, f) >= 0; n++) {
        if (n < from)
            continue;
        line[strcspn(line, "\r\n")] = 0;
        title(side, out);
        buf_printf(out, "%s%5u  ", n == l.line ? "=>" : "  ", n);
        for (const char *c = line; *c && c - line < 500; c++)
            buf_puts(out, *c == '\t' ? "    " : (const char[]){*c, 0});
        buf_putc(out, '\n');
    }
    free(line);
    fclose(f);
}

void show_stop_points(const struct debug_side *side, struct buf *out)
{
    if (!side->stop.len) {
        title(side, out);
        buf_puts(out, "none\n");
    }
    for (size_t i = 0; i < side->stop.len; i++) {
        const struct stop_point *p = &side->stop.data[i];
        title(side, out);
        buf_printf(out, "%u  %s", p->id, p->temporary ? "temporary " : "");
        if (p->kind == STOP_AT)
            buf_printf(out, "break at 0x%" PRIx64 " %s", p->address, p->text);
        else if (p->kind == STOP_WHEN)
            buf_puts(out, "break");
        else
            buf_printf(out, "watch%s %s",
                       p->kind != STOP_ACCESS ? ""
                       : p->read && p->write  ? " access to"
                                              : " read of",
                       p->text);
        if (p->condition)
            buf_printf(out, " if %s", p->condition);
        buf_printf(out, ", %" PRIu64 " time%s\n", p->hits, p->hits == 1 ? "" : "s");
    }
}
