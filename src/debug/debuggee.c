/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a run: its start, registers, memory, and the undo log. */
#include "debug/debuggee.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "debug/log.h"

enum { PAGE_BITS = 8, PAGE_BYTES = 1 << PAGE_BITS, FIRST_PAGE = 0x1000, MAX_NOTES = 20 };

/* Where a caller would return to when the init file does not say: an address that is no code. */
static const uint64_t return_address = 0xc0ffee0;

/* Places for what the init file does not give, far from where programs are linked to. */
struct places {
    uint64_t stack, heap, thread, imports;
};
static const struct places places64 = {UINT64_C(0x7ffd5ea10000), UINT64_C(0x510000000000),
                                       UINT64_C(0x7ffd40000000), UINT64_C(0x7e0000000000)};
static const struct places places32 = {0xbea10000, 0x51000000, 0xb0000000, 0xe0000000};

static const struct places *places(const struct debuggee *d)
{
    return d->m->pointer_width == 64 ? &places64 : &places32;
}

uint64_t debuggee_mask(const struct debuggee *d, uint64_t x)
{
    return d->m->pointer_width == 32 ? (uint32_t)x : x;
}

uint64_t debuggee_address(const struct debuggee *d, ir_label label)
{
    return d->m->arch == MACHINE_ARM ? label & ~UINT64_C(1) : label;
}

const char *debuggee_state_text(enum debuggee_state s)
{
    static const char *const text[] = {
        [DEBUGGEE_READY] = "ready",
        [DEBUGGEE_RETURNED] = "returned",
        [DEBUGGEE_CALL] = "call",
        [DEBUGGEE_SYSCALL] = "system call",
        [DEBUGGEE_OVER] = "over",
        [DEBUGGEE_TRAP] = "trap",
        [DEBUGGEE_FAULT] = "fault",
        [DEBUGGEE_NO_MEANING] = "no meaning",
        [DEBUGGEE_UNINITIALISED] = "uninitialised",
    };
    return text[s];
}

void debuggee_note(struct debuggee *d, const char *fmt, ...)
{
    if (d->nnotes++ >= MAX_NOTES) {
        d->notes_left_out++;
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    buf_puts(&d->notes, "note: ");
    buf_vprintf(&d->notes, fmt, ap);
    buf_putc(&d->notes, '\n');
    va_end(ap);
}

const char *debuggee_describe(const struct debuggee *d, uint64_t address, char *out, size_t cap)
{
    const char *import = debuggee_import_at(d, address);
    if (import)
        snprintf(out, cap, "%s", import);
    else if (!program_describe(d->p, address, out, cap))
        snprintf(out, cap, "0x%" PRIx64, address);
    return out;
}

/* ---- the log ---- */

/* Forgets the older half, up to the beginning of an instruction. */
static void shorten(struct debuggee *d)
{
    size_t cut = d->log.len / 2;
    while (cut < d->log.len && d->log.data[cut].kind != UNDO_STEP)
        cut++;
    memmove(d->log.data, d->log.data + cut, (d->log.len - cut) * sizeof *d->log.data);
    d->log.len -= cut;
    d->forgot = true;
}

void log_add(struct debuggee *d, struct undo u)
{
    if (d->log.len >= d->log_max && u.kind == UNDO_STEP)
        shorten(d);
    vec_push(&d->log, u);
}

static void set_known(struct debuggee *d, uint64_t address, bool yes)
{
    uint8_t *bits = (uint8_t *)(uintptr_t)map_find(&d->known, address >> PAGE_BITS, 0);
    if (!bits) {
        bits = xcalloc(1, PAGE_BYTES / 8);
        map_set(&d->known, address >> PAGE_BITS, (uint64_t)(uintptr_t)bits);
    }
    unsigned i = address & (PAGE_BYTES - 1);
    if (yes)
        bits[i / 8] |= (uint8_t)(1u << (i % 8));
    else
        bits[i / 8] &= (uint8_t) ~(1u << (i % 8));
}

/* Besides what the file has. */
static bool was_given(const struct debuggee *d, uint64_t address)
{
    const uint8_t *bits = (const uint8_t *)(uintptr_t)map_find(&d->known, address >> PAGE_BITS, 0);
    unsigned i = address & (PAGE_BYTES - 1);
    return bits && bits[i / 8] >> (i % 8) & 1;
}

static bool in_file(const struct debuggee *d, uint64_t address)
{
    uint8_t byte;
    return object_read(d->o, address, &byte, 1);
}

bool debuggee_known(const struct debuggee *d, uint64_t address)
{
    return was_given(d, address) || in_file(d, address);
}

void log_registers(struct debuggee *d, unsigned offset, unsigned bytes)
{
    const uint8_t *regs = concrete_registers(d->c);
    for (unsigned k = 0; k < bytes; k += 8) {
        unsigned n = bytes - k < 8 ? bytes - k : 8;
        struct undo u = {.kind = UNDO_REGISTER, .n = (uint8_t)n, .at = (uint16_t)(offset + k)};
        memcpy(&u.b, regs + offset + k, n);
        log_add(d, u);
    }
}

void log_memory(struct debuggee *d, uint64_t address, size_t bytes)
{
    for (size_t k = 0; k < bytes; k += 8) {
        unsigned n = bytes - k < 8 ? (unsigned)(bytes - k) : 8;
        struct undo u = {.kind = UNDO_MEMORY, .n = (uint8_t)n, .a = debuggee_mask(d, address + k)};
        uint8_t old[8] = {0};
        for (unsigned i = 0; i < n; i++) {
            uint64_t a = debuggee_mask(d, u.a + i);
            concrete_read(d->c, 0, a, old + i, 1);
            u.known |= (uint8_t)(was_given(d, a) << i);
            set_known(d, a, true);
        }
        memcpy(&u.b, old, 8);
        log_add(d, u);
        if (object_is_exec(d->o, u.a))
            d->code_stale = true;
    }
}

void log_take_back(struct debuggee *d)
{
    struct undo u = vec_pop(&d->log);
    uint8_t old[8];
    memcpy(old, &u.b, 8);
    switch ((enum undo_kind)u.kind) {
    case UNDO_STEP:
        d->at = u.a;
        d->steps--;
        break;
    case UNDO_REGISTER:
        memcpy(concrete_registers(d->c) + u.at, old, u.n);
        break;
    case UNDO_MEMORY:
        for (unsigned i = 0; i < u.n; i++) {
            uint64_t a = debuggee_mask(d, u.a + i);
            concrete_write(d->c, 0, a, old + i, 1);
            set_known(d, a, u.known >> i & 1);
        }
        if (object_is_exec(d->o, u.a))
            d->code_stale = true;
        break;
    case UNDO_PUSH:
        d->frame.len--;
        break;
    case UNDO_POP_MORE: { /* its other half is below it */
        struct undo first = vec_pop(&d->log);
        assert(first.kind == UNDO_POP);
        vec_push(&d->frame, (struct debuggee_frame){first.a, first.b, u.a, u.b});
        break;
    }
    case UNDO_POP:
        assert(!"half a frame");
        break;
    case UNDO_HEAP:
        d->heap = u.a;
        break;
    }
}

/* ---- registers ---- */

struct bits debuggee_get(const struct debuggee *d, unsigned offset, unsigned width)
{
    return concrete_get(d->c, offset, width);
}

uint64_t debuggee_word(const struct debuggee *d, unsigned offset)
{
    return bits_low(concrete_get(d->c, offset, d->m->pointer_width));
}

void debuggee_put(struct debuggee *d, unsigned offset, unsigned width, struct bits value)
{
    log_registers(d, offset, (width + 7) / 8);
    concrete_set(d->c, offset, width, bits_mask(value, width));
}

/* ---- memory ---- */

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    const struct debuggee *d = ctx;
    (void)space;
    if (object_read(d->o, address, byte, 1))
        return true;
    *byte = 0;
    return true;
}

void debuggee_peek(const struct debuggee *d, uint64_t address, uint8_t *out, size_t n, bool *known)
{
    if (known)
        *known = true;
    for (size_t k = 0; k < n; k++) {
        uint64_t a = debuggee_mask(d, address + k);
        concrete_read(d->c, 0, a, out + k, 1);
        if (known && !debuggee_known(d, a))
            *known = false;
    }
}

void debuggee_poke(struct debuggee *d, uint64_t address, const uint8_t *in, size_t n)
{
    log_memory(d, address, n);
    for (size_t k = 0; k < n; k++)
        concrete_write(d->c, 0, debuggee_mask(d, address + k), in + k, 1);
}

bool debuggee_in_frames(const struct debuggee *d, uint64_t address)
{
    enum { RED_ZONE = 128 };
    uint64_t low = d->low_sp - RED_ZONE, high = d->entry_sp + d->stack_bytes;
    return debuggee_mask(d, address - low) < debuggee_mask(d, high - low);
}

/* A library is linked from address 0 on, so its headers are where a null pointer points. Its loader would put
 * them elsewhere: what no section covers there cannot be accessed. */
static bool in_first_page(const struct debuggee *d, uint64_t address)
{
    const struct object_section *s;
    size_t n = object_sections(d->o, &s);
    if (address >= FIRST_PAGE || was_given(d, address))
        return false;
    for (size_t i = 0; i < n; i++)
        if (s[i].alloc && address - s[i].address < s[i].size)
            return false;
    return true;
}

static bool refuse(struct debuggee *d, const char *does, uint64_t address, size_t n, const char *why)
{
    d->state = DEBUGGEE_FAULT;
    snprintf(d->why, sizeof d->why, "%s %zu byte%s at 0x%" PRIx64 ", %s", does, n, n == 1 ? "" : "s", address,
             why);
    return false;
}

/* "the frame at rsp+0x18" for what is near the stack pointer, else the number only. */
static void place(const struct debuggee *d, uint64_t address, char *out, size_t cap)
{
    char name[160];
    int64_t off = (int64_t)(address - debuggee_word(d, d->m->sp));
    if (d->m->pointer_width == 32)
        off = (int32_t)off;
    *out = 0;
    if (off > -4096 && off < 65536)
        snprintf(out, cap, " (%s%s0x%" PRIx64 ")", machine_register_name(d->m, d->m->sp, d->m->pointer_width),
                 off < 0 ? "-" : "+", (uint64_t)(off < 0 ? -off : off));
    else if (program_describe(d->p, address, name, sizeof name))
        snprintf(out, cap, " (%s)", name);
}

bool debuggee_may_access(struct debuggee *d, uint64_t address, size_t n, bool write)
{
    for (size_t i = 0; i < d->access.len; i++) {
        struct debuggee_access *w = &d->access.data[i];
        if ((write ? w->write : w->read) && (debuggee_mask(d, address - w->address) < w->size ||
                                             debuggee_mask(d, w->address - address) < n)) {
            w->hit = true;
            w->hit_write = write;
        }
    }
    size_t unknown = 0;
    uint64_t first = 0;
    for (size_t k = 0; k < n; k++) {
        uint64_t a = debuggee_mask(d, address + k);
        bool known = debuggee_known(d, a);
        if (in_first_page(d, a))
            return refuse(d, write ? "writes" : "reads", address, n, "in the first page: a null pointer");
        if (write && object_is_readonly(d->o, a, 1))
            return refuse(d, "writes", address, n, "which the file maps read-only");
        if (!known && !unknown++)
            first = a;
    }
    if (!write && unknown) {
        char where[200];
        place(d, first, where, sizeof where);
        if (d->stop_uninitialised && !d->allow) {
            d->state = DEBUGGEE_UNINITIALISED;
            snprintf(d->why, sizeof d->why, "about to read %zu uninitialised byte%s at 0x%" PRIx64 "%s",
                     unknown, unknown == 1 ? "" : "s", first, where);
            return false;
        }
        d->allow = false;
        char at[160];
        if (!map_set(&d->noted, first, 1))
            return true;
        debuggee_note(d, "%zu uninitialised byte%s at 0x%" PRIx64 "%s, read by %s, assumed to be 0", unknown,
                      unknown == 1 ? "" : "s", first, where,
                      debuggee_describe(d, debuggee_address(d, d->at), at, sizeof at));
    }
    return true;
}

bool debuggee_load(struct debuggee *d, uint64_t address, uint8_t *out, size_t n)
{
    if (!debuggee_may_access(d, address, n, false))
        return false;
    debuggee_peek(d, address, out, n, NULL);
    return true;
}

bool debuggee_store(struct debuggee *d, uint64_t address, const uint8_t *in, size_t n)
{
    if (!debuggee_may_access(d, address, n, true))
        return false;
    debuggee_poke(d, address, in, n);
    return true;
}

/* ---- functions of other files ---- */

static uint64_t import_address(struct debuggee *d, const char *name)
{
    uint64_t index;
    if (!strmap_get(&d->import_name, name, &index)) {
        index = d->import.len;
        vec_push(&d->import,
                 (struct debuggee_import){arena_strdup(&d->arena, name), places(d)->imports + index * 16});
        strmap_set(&d->import_name, d->import.data[index].name, index);
    }
    return d->import.data[index].address;
}

static void put_word(struct debuggee *d, uint64_t address, uint64_t value)
{
    uint8_t bytes[8];
    bits_to_bytes(bits_u64(value, 64), bytes, 8);
    concrete_write(d->c, 0, address, bytes, d->m->pointer_width / 8);
}

/* Words the dynamic linker would fill with addresses of other files get an address that stands for the name.
 */
static void link_imports(struct debuggee *d)
{
    const struct object_pointer *w;
    size_t n = object_pointers(d->o, &w);
    for (size_t i = 0; i < n; i++)
        if (w[i].name && !w[i].other)
            put_word(d, w[i].address, import_address(d, w[i].name) + (uint64_t)w[i].addend);
    const struct object_stub *s;
    n = object_stubs(d->o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].slot && s[i].name && (!s[i].target || s[i].ifunc))
            put_word(d, s[i].slot, import_address(d, s[i].name));
}

const char *debuggee_import_at(const struct debuggee *d, ir_label label)
{
    uint64_t address = debuggee_address(d, label), index = (address - places(d)->imports) / 16;
    if (address >= places(d)->imports && index < d->import.len && d->import.data[index].address == address)
        return d->import.data[index].name;
    const struct object_stub *s = object_stub_at(d->o, address);
    if (!s || s->kind == STUB_GOT || !s->name)
        return NULL;
    return !s->target || s->ifunc ? s->name : NULL;
}

/* ---- how it begins ---- */

ir_label debuggee_code_label(const struct debuggee *d, uint64_t address)
{
    if (d->m->arch != MACHINE_ARM || address & 1)
        return address;
    const struct flow_function *f = program_function_covering(d->p, address);
    int mode = object_code_mode(d->o, address);
    return mode == 1 || (mode < 0 && f && f->flags & FLOW_THUMB) ? address | 1 : address;
}

static void put_default(struct debuggee *d, const char *name, uint64_t value)
{
    uint16_t offset, width;
    if (machine_register_find(d->m, name, &offset, &width))
        concrete_set(d->c, offset, width, bits_u64(value, width));
}

/* A function's entry sees the stack aligned as the calling conventions say. */
static void default_registers(struct debuggee *d)
{
    uint64_t sp = places(d)->stack - d->m->call_pushes;
    concrete_set(d->c, d->m->sp, d->m->pointer_width, bits_u64(sp, d->m->pointer_width));
    put_default(d, "<dflag>", 1); /* strings go up */
    put_default(d, d->m->arch == MACHINE_X86 ? "gs_base" : "fs_base", places(d)->thread);
    put_default(d, "tpidr_el0", places(d)->thread);
    put_default(d, "tpidruro", places(d)->thread);
}

static bool take_register(struct debuggee *d, const struct debug_init *init, const struct init_register *r,
                          struct error *err)
{
    uint16_t offset, width;
    if (machine_register_find(d->m, r->name, &offset, &width)) {
        if (!bits_eq(bits_mask(r->value, width), r->value))
            return error_set(err, ERROR_INPUT, "%s: the value of %s has more than its %u bits", init->name,
                             r->name, width);
        concrete_set(d->c, offset, width, r->value);
        return true;
    }
    if (debuggee_set_flag(d, r->name, !bits_is_zero(r->value)))
        return true;
    return error_set(err, ERROR_INPUT, "%s: %s has no register '%s'", init->name, d->m->name, r->name);
}

/* Whole registers first, so that parts and flags given as well take precedence. */
static bool take_registers(struct debuggee *d, const struct debug_init *init, struct error *err)
{
    for (int parts = 0; parts < 2; parts++)
        for (size_t i = 0; i < init->nreg; i++) {
            uint16_t offset, width;
            bool whole = machine_register_find(d->m, init->reg[i].name, &offset, &width) &&
                         width >= d->m->pointer_width;
            if (whole != parts && !take_register(d, init, &init->reg[i], err))
                return false;
        }
    return true;
}

static bool take_init(struct debuggee *d, const struct debug_init *init, struct error *err)
{
    for (size_t i = 0; i < init->nmemory; i++) {
        const struct init_memory *m = &init->memory[i];
        if (debuggee_mask(d, m->address + (m->size - 1)) != m->address + (m->size - 1))
            return error_set(err, ERROR_INPUT, "%s: 0x%" PRIx64 " is not an address of %s", init->name,
                             m->address, d->m->name);
        concrete_write(d->c, 0, m->address, m->bytes, m->size);
        for (size_t k = 0; k < m->size; k++)
            set_known(d, m->address + k, true);
    }
    return take_registers(d, init, err);
}

static bool register_given(const struct debuggee *d, const struct debug_init *init, unsigned wanted)
{
    for (size_t i = 0; init && i < init->nreg; i++) {
        uint16_t offset, width;
        if (machine_register_find(d->m, init->reg[i].name, &offset, &width) && offset == wanted)
            return true;
    }
    return false;
}

/* Where the first function returns to: what the init file says, else an address that is no code. */
static ir_label first_return(struct debuggee *d, const struct debug_init *init)
{
    unsigned word = d->m->pointer_width / 8;
    if (d->m->call_pushes) {
        uint8_t bytes[8] = {0};
        bool known;
        debuggee_peek(d, d->entry_sp, bytes, word, &known);
        if (known)
            return bits_low(bits_from_bytes(bytes, word));
        put_word(d, d->entry_sp, return_address);
        for (unsigned k = 0; k < word; k++)
            set_known(d, debuggee_mask(d, d->entry_sp + k), true);
        return return_address;
    }
    if (d->m->lr != UINT16_MAX && !register_given(d, init, d->m->lr))
        concrete_set(d->c, d->m->lr, d->m->pointer_width, bits_u64(return_address, d->m->pointer_width));
    return d->m->lr == UINT16_MAX ? return_address : debuggee_word(d, d->m->lr);
}

/* What a callee may use as its own above the stack pointer it was entered with. */
static unsigned stack_bytes(struct debuggee *d, const struct flow_function *f)
{
    int n = flow_prototype(d->p, f).nargs - (int)d->m->nargs;
    return d->m->stack_arg + (n > 0 ? (unsigned)n * d->m->pointer_width / 8 : 0);
}

static bool begin(struct debuggee *d, const char *function, const struct debug_init *init, struct error *err)
{
    if (init && init->arch && strcmp(init->arch, d->m->name) != 0)
        return error_set(err, ERROR_INPUT, "%s is for %s, and %s is for %s", init->name, init->arch,
                         object_info(d->o)->name, d->m->name);
    if (!function && init)
        function = init->function;
    if (!function)
        return error_set(err, ERROR_USAGE, "which function? --func or the init file names one");
    const struct flow_function *f = program_function(d->p, function, err);
    if (!f)
        return false;
    default_registers(d);
    link_imports(d);
    if (init && !take_init(d, init, err))
        return false;
    vec_clear(&d->log); /* what the init file set is where the run begins */
    d->entry_sp = d->low_sp = debuggee_word(d, d->m->sp);
    d->stack_bytes = stack_bytes(d, f);
    d->heap = places(d)->heap;
    d->errno_at = places(d)->thread - 64;
    d->at = f->address | (f->flags & FLOW_THUMB && d->m->arch == MACHINE_ARM ? 1 : 0);
    ir_label after = first_return(d, init);
    vec_push(&d->frame, (struct debuggee_frame){.target = d->at, .after = after, .sp = d->entry_sp});
    return true;
}

struct debuggee *debuggee_new(struct program *p, const char *title, const char *function,
                              const struct debug_init *init, const struct debuggee_options *opt,
                              struct error *err)
{
    enum { HISTORY = 512 << 20 };
    struct debuggee *d = xcalloc(1, sizeof *d);
    d->p = p;
    d->o = program_object(p);
    d->m = program_machine(p);
    d->pures = lift_pures();
    d->title = title;
    d->stop_uninitialised = opt->stop_uninitialised;
    d->zero_calls = opt->zero_calls;
    d->log_max = (size_t)(opt->history ? opt->history : HISTORY) / sizeof(struct undo);
    if (d->log_max < 1024)
        d->log_max = 1024;
    d->c = concrete_new(d->m, d->pures, fill, d);
    if (begin(d, function, init, err))
        return d;
    debuggee_free(d);
    return NULL;
}

void debuggee_free(struct debuggee *d)
{
    if (!d)
        return;
    uint64_t page;
    for (size_t i = 0; (i = map_next(&d->known, i, NULL, &page));)
        free((uint8_t *)(uintptr_t)page);
    map_free(&d->known);
    map_free(&d->code);
    map_free(&d->allocated);
    map_free(&d->noted);
    strmap_free(&d->import_name);
    vec_free(&d->import);
    vec_free(&d->frame);
    vec_free(&d->log);
    vec_free(&d->access);
    buf_free(&d->notes);
    arena_free(&d->code_arena);
    arena_free(&d->arena);
    concrete_free(d->c);
    free(d);
}
