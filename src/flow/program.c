/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/distance.h"
#include "base/search.h"
#include "flow/private.h"

/* ---- the list of functions ---- */

uint32_t program_index_at(const struct program *p, uint64_t address)
{
    return (uint32_t)map_find(&p->by_address, address, NO_INDEX);
}

/* How many functions in `order` begin at or before the address. */
static size_t order_upper(const struct program *p, uint64_t address)
{
    return partition_point(p->order.len, i, p->function.data[p->order.data[i]].address <= address);
}

uint64_t program_next_start(const struct program *p, uint64_t address)
{
    size_t i = order_upper(p, address);
    return i < p->order.len ? p->function.data[p->order.data[i]].address : UINT64_MAX;
}

uint32_t program_index_covering(const struct program *p, uint64_t address)
{
    /* Functions may nest (several entries into one piece of assembly): look back past a few that are too
     * short. */
    size_t i = order_upper(p, address);
    for (unsigned tries = 0; i > 0 && tries < 8; tries++) {
        const struct flow_function *f = &p->function.data[p->order.data[--i]];
        if (address - f->address < f->size || f->address == address)
            return p->order.data[i];
    }
    return NO_INDEX;
}

void program_forget_last(struct program *p)
{
    uint32_t i = (uint32_t)p->function.len - 1;
    uint64_t address = p->function.data[i].address;
    map_remove(&p->by_address, address);
    size_t at = order_upper(p, address) - 1;
    memmove(p->order.data + at, p->order.data + at + 1, (p->order.len - 1 - at) * sizeof *p->order.data);
    p->order.len--;
    p->function.len--;
    p->state.len--;
}

/* Assembly often does not say what is a function. A label that code was found to begin at is the name of it, but for
 * those that assemblers and compilers make up. */
static const char *label_at(const struct program *p, uint64_t address)
{
    uint64_t offset;
    const struct object_symbol *s = object_symbol_at(p->object, address, &offset);
    return s && !offset && s->type == SYMBOL_NONE && strncmp(s->name, ".L", 2) != 0 ? s->name : NULL;
}

uint32_t program_add(struct program *p, uint64_t address, uint64_t size, const char *name, unsigned sources,
                     unsigned flags)
{
    uint32_t i = program_index_at(p, address);
    if (!name)
        name = label_at(p, address);
    if (i != NO_INDEX) {
        struct flow_function *f = &p->function.data[i];
        f->sources |= sources;
        f->flags |= flags;
        if (!f->size)
            f->size = size;
        if (!f->named && name) {
            f->name = arena_strdup(&p->arena, name);
            f->named = true;
        }
        return i;
    }
    struct flow_function f = {.address = address,
                              .size = size,
                              .named = name != NULL,
                              .sources = sources,
                              .flags = flags,
                              .parent = NO_INDEX};
    f.name = name ? arena_strdup(&p->arena, name)
                  : arena_printf(&p->arena, "sub_%" PRIx64, object_display_address(p->object, address));
    i = (uint32_t)p->function.len;
    vec_push(&p->function, f);
    vec_push(&p->state, (struct fn_state){0});
    map_set(&p->by_address, address, i);
    size_t at = order_upper(p, address);
    vec_push(&p->order, i);
    memmove(p->order.data + at + 1, p->order.data + at, (p->order.len - 1 - at) * sizeof *p->order.data);
    p->order.data[at] = i;
    return i;
}

static void find_code(struct program *p)
{
    const struct object_section *s;
    size_t n = object_sections(p->object, &s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].exec && s[i].alloc && !s[i].nobits && s[i].size)
            vec_push(&p->code, (struct code_range){s[i].address, s[i].address + s[i].size});
    }
    if (p->code.len)
        return;
    const struct object_segment *g;
    n = object_segments(p->object, &g);
    for (size_t i = 0; i < n; i++) {
        if (g[i].exec && g[i].size)
            vec_push(&p->code, (struct code_range){g[i].address, g[i].address + g[i].size});
    }
}

bool program_code_range(const struct program *p, uint64_t address, uint64_t *lo, uint64_t *hi)
{
    for (size_t i = 0; i < p->code.len; i++) {
        if (address >= p->code.data[i].lo && address < p->code.data[i].hi) {
            *lo = p->code.data[i].lo;
            *hi = p->code.data[i].hi;
            return true;
        }
    }
    return false;
}

bool program_is_code(const struct program *p, uint64_t address)
{
    uint64_t lo, hi;
    return program_code_range(p, address, &lo, &hi);
}

static void add_from_tables(struct program *p)
{
    const struct object_bound *b;
    size_t n = object_bounds(p->object, &b);
    for (size_t i = 0; i < n; i++) {
        if (!program_is_code(p, b[i].address))
            continue;
        /* The .plt sections have unwind information of their own: one range over all stubs. */
        if (b[i].eh_part && object_stub_at(p->object, b[i].address))
            continue;
        unsigned flags = (b[i].thumb ? FLOW_THUMB : 0) | (b[i].ifunc ? FLOW_IFUNC : 0);
        program_add(p, b[i].address, b[i].size, b[i].name, b[i].sources, flags);
    }
    const struct object_stub *s;
    n = object_stubs(p->object, &s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].kind == STUB_GOT || (s[i].kind == STUB_EXTERN && !s[i].called))
            continue;
        unsigned flags = s[i].kind == STUB_PLT ? FLOW_PLT : FLOW_EXTERN;
        /* A stub of ARM code that Thumb code jumps to begins with "bx pc" in Thumb. */
        uint8_t head[2];
        if (p->machine->arch == MACHINE_ARM && s[i].kind == STUB_PLT &&
            object_read(p->object, s[i].address, head, 2) && head[0] == 0x78 && head[1] == 0x47)
            flags |= FLOW_THUMB;
        program_add(p, s[i].address, s[i].size, s[i].name, BOUND_DYNSYM,
                    flags | (s[i].ifunc ? FLOW_IFUNC : 0));
    }
}

/* foo.cold, foo.cold.3: a part of foo. */
static size_t part_stem(const char *name)
{
    const char *c = strstr(name, ".cold");
    if (!c || c == name)
        return 0;
    const char *rest = c + 5;
    if (*rest == '.')
        rest++;
    while (isdigit((unsigned char)*rest))
        rest++;
    return *rest == '\0' ? (size_t)(c - name) : 0;
}

static void mark_named_parts(struct program *p)
{
    for (size_t i = 0; i < p->function.len; i++) {
        struct flow_function *f = &p->function.data[i];
        size_t n = f->named ? part_stem(f->name) : 0;
        if (!n || n >= 512)
            continue;
        char stem[512];
        memcpy(stem, f->name, n);
        stem[n] = '\0';
        f->flags |= FLOW_PART;
        f->parent = (uint32_t)strmap_find(&p->by_name, stem, NO_INDEX);
    }
}

static void index_names(struct program *p)
{
    strmap_free(&p->by_name);
    p->by_name = (struct strmap){0};
    for (size_t i = 0; i < p->function.len; i++) {
        /* A stub of the same name must not hide a definition, and the first of several static ones wins. */
        const struct flow_function *f = &p->function.data[i];
        uint64_t other = strmap_find(&p->by_name, f->name, NO_INDEX);
        if (other == NO_INDEX || ((p->function.data[other].flags & (FLOW_PLT | FLOW_EXTERN)) &&
                                  !(f->flags & (FLOW_PLT | FLOW_EXTERN))))
            strmap_set(&p->by_name, f->name, i);
    }
    const struct object_symbol *s;
    size_t n = object_symbols(p->object, &s);
    for (size_t i = 0; i < n; i++) {
        if (s[i].undefined ||
            (s[i].type != SYMBOL_FUNC && s[i].type != SYMBOL_IFUNC && s[i].type != SYMBOL_NONE))
            continue;
        uint32_t f = program_index_at(p, s[i].address);
        if (f == NO_INDEX || !s[i].name || !*s[i].name)
            continue;
        if (strmap_find(&p->by_name, s[i].name, NO_INDEX) == NO_INDEX)
            strmap_set(&p->by_name, s[i].name, f);
        if (s[i].version)
            strmap_set(&p->by_name, arena_printf(&p->arena, "%s@%s", s[i].name, s[i].version), f);
    }
}

/* Puts functions into the order of their addresses; from here on indices and pointers stay valid. */
static void settle(struct program *p)
{
    size_t n = p->function.len;
    struct flow_function *f = xcalloc(n, sizeof *f);
    struct fn_state *s = xcalloc(n, sizeof *s);
    uint32_t *where = xcalloc(n, sizeof *where);
    for (size_t i = 0; i < n; i++)
        where[p->order.data[i]] = (uint32_t)i;
    for (size_t i = 0; i < n; i++) {
        f[i] = p->function.data[p->order.data[i]];
        s[i] = p->state.data[p->order.data[i]];
        if (f[i].parent != NO_INDEX)
            f[i].parent = where[f[i].parent];
        map_set(&p->by_address, f[i].address, i);
        p->order.data[i] = (uint32_t)i;
    }
    free(where);
    free(p->function.data);
    free(p->state.data);
    p->function.data = f;
    p->function.cap = n;
    p->state.data = s;
    p->state.cap = n;
}

static bool is_thumb(const struct program *p, uint64_t address)
{
    const struct object_bound *b;
    size_t n = object_bounds(p->object, &b);
    if (p->machine->arch != MACHINE_ARM)
        return false;
    if (address & 1)
        return true;
    int mode = object_code_mode(p->object, address);
    for (size_t i = 0; mode < 0 && i < n; i++)
        if (b[i].sources & BOUND_ENTRY) /* most programs are of one kind */
            mode = b[i].thumb;
    return mode < 0 ? object_looks_thumb(p->object, address) : mode == 1;
}

static size_t add_entries(struct program *p, const uint64_t *entry, size_t n, unsigned source)
{
    size_t before = p->function.len;
    for (size_t i = 0; i < n; i++) {
        uint64_t address = p->machine->arch == MACHINE_ARM ? entry[i] & ~UINT64_C(1) : entry[i];
        uint32_t around = program_index_covering(p, address);
        if (program_is_code(p, address) && (around == NO_INDEX || !p->function.data[around].size))
            program_add(p, address, 0, NULL, source, is_thumb(p, entry[i]) ? FLOW_THUMB : 0);
    }
    return p->function.len - before;
}

/* What the user says: in addresses as they are shown. */
static void add_told(struct program *p, const uint64_t *shown, size_t n)
{
    uint64_t *entry = xcalloc(n + 1, sizeof *entry);
    for (size_t i = 0; i < n; i++)
        entry[i] = object_internal_address(p->object, shown[i]);
    add_entries(p, entry, n, FLOW_SOURCE_USER);
    free(entry);
}

static void forget_graphs(struct program *p)
{
    for (size_t i = 0; i < p->state.len; i++) {
        fn_drop_graph(&p->state.data[i]);
        p->state.data[i] = (struct fn_state){0};
    }
}

/* The number is the address of another file's symbol, which the instruction names. */
static bool is_extern(void *ctx, uint64_t insn, unsigned length, uint64_t number)
{
    int64_t offset;
    return object_extern_made(ctx, insn, length, number, &offset) != NULL;
}

struct program *program_from_object(struct object *o, const struct program_options *opt, struct error *err)
{
    static const struct program_options none;
    if (!opt)
        opt = &none;
    struct program *p = xcalloc(1, sizeof *p);
    p->object = o;
    p->library_borrowed = opt->like != NULL;
    p->library = opt->like ? opt->like->library : flow_library_open(opt->data_dir, err);
    enum machine_arch arch = object_info(o)->arch;
    if (p->library && (arch == MACHINE_NONE || !(p->machine = lift_machine(arch))))
        error_set(err, ERROR_UNSUPPORTED, "%s: %s code is not supported; x86-64, i386, ARM and AArch64 are",
                  object_info(o)->name, object_info(o)->arch_name);
    if (!p->machine || !(p->lifter = lifter_new(arch, err))) {
        program_free(p);
        return NULL;
    }
    if (object_info(o)->type == OBJECT_RELOCATABLE)
        lifter_keep_constants(p->lifter, is_extern, o);
    find_code(p);
    add_from_tables(p);
    add_told(p, opt->entry, opt->nentries);
    index_names(p);
    mark_named_parts(p);
    settle(p);
    index_names(p);
    if (program_find_main(p)) {
        forget_graphs(p);
        settle(p);
        index_names(p);
    }
    if (opt->deep)
        program_search(p, NULL, NULL);
    return p;
}

size_t program_add_called(struct program *p, const uint64_t *entry, size_t n)
{
    size_t more = add_entries(p, entry, n, FLOW_SOURCE_CALL);
    if (more) {
        forget_graphs(p);
        settle(p);
        index_names(p);
    }
    return more;
}

void program_search(struct program *p, flow_progress_fn *progress, void *ctx)
{
    if (p->searched)
        return;
    forget_graphs(p);
    program_discover(p, progress, ctx);
    settle(p);
    index_names(p);
    p->searched = true;
}

bool program_searched(const struct program *p)
{
    return p->searched;
}

struct program *program_open(const char *path, const struct program_options *opt, struct error *err)
{
    struct object *o = object_open(path, opt ? &opt->object : NULL, err);
    return o ? program_from_object(o, opt, err) : NULL;
}

void program_free(struct program *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->state.len; i++)
        fn_drop_graph(&p->state.data[i]);
    vec_free(&p->function);
    vec_free(&p->state);
    vec_free(&p->order);
    vec_free(&p->code);
    map_free(&p->by_address);
    strmap_free(&p->by_name);
    if (!p->library_borrowed)
        flow_library_free(p->library);
    if (p->lifter)
        lifter_free(p->lifter);
    object_free(p->object);
    arena_free(&p->arena);
    free(p);
}

const struct object *program_object(const struct program *p)
{
    return p->object;
}

const struct ir_machine *program_machine(const struct program *p)
{
    return p->machine;
}

struct lifter *program_lifter(struct program *p)
{
    return p->lifter;
}

const struct flow_library *program_library(const struct program *p)
{
    return p->library;
}

size_t program_functions(const struct program *p, const struct flow_function **out)
{
    *out = p->function.data;
    return p->function.len;
}

const struct flow_function *program_function_at(const struct program *p, uint64_t address)
{
    uint32_t i = program_index_at(p, address);
    return i == NO_INDEX ? NULL : &p->function.data[i];
}

const struct flow_function *program_local_function(const struct program *p, uint64_t address)
{
    if (p->machine->arch == MACHINE_ARM)
        address &= ~UINT64_C(1);
    const struct object_stub *stub = object_stub_at(p->object, address);
    if (stub && (!stub->target || stub->ifunc))
        return NULL;
    const struct flow_function *f = program_function_at(p, stub ? stub->target : address);
    return f && !(f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_IFUNC)) ? f : NULL;
}

const struct flow_function *program_function_covering(const struct program *p, uint64_t address)
{
    uint32_t i = program_index_covering(p, address);
    return i == NO_INDEX ? NULL : &p->function.data[i];
}

/* ---- finding by name ---- */

enum { NEAR_MAX = 3 };

static void name_nearest(struct program *p, const char *spec, struct error *err)
{
    const char *best[NEAR_MAX];
    unsigned distance[NEAR_MAX], n = 0;
    unsigned most = strlen(spec) < 5 ? 1 : strlen(spec) < 9 ? 2 : 3;
    for (size_t i = 0; i < p->by_name.cap; i++) {
        const char *k = p->by_name.key[i];
        if (!k || strchr(k, '@'))
            continue;
        unsigned d = edit_distance(spec, k, most);
        if (d > most)
            continue;
        unsigned at = n;
        while (at > 0 && (distance[at - 1] > d || (distance[at - 1] == d && strcmp(best[at - 1], k) > 0)))
            at--;
        if (at == NEAR_MAX)
            continue;
        if (n < NEAR_MAX)
            n++;
        for (unsigned j = n - 1; j > at; j--) {
            best[j] = best[j - 1];
            distance[j] = distance[j - 1];
        }
        best[at] = k;
        distance[at] = d;
    }
    struct buf text = BUF_INIT;
    buf_printf(&text, "%s: no function \"%s\"", object_info(p->object)->name, spec);
    for (unsigned i = 0; i < n; i++)
        buf_printf(&text, "%s%s", i == 0 ? "; did you mean " : i + 1 == n ? " or " : ", ", best[i]);
    if (n)
        buf_puts(&text, "?");
    else
        buf_puts(&text, "; `assay functions` lists them, an address is written 0x1234");
    error_set(err, ERROR_USAGE, "%s", buf_text(&text));
    buf_free(&text);
}

bool program_name(struct program *p, uint64_t address, const char *name)
{
    uint32_t i = program_index_at(p, address);
    if (i == NO_INDEX || p->function.data[i].named || strmap_get(&p->by_name, name, NULL))
        return false;
    p->function.data[i].name = arena_strdup(&p->arena, name);
    p->function.data[i].named = true;
    return strmap_set(&p->by_name, p->function.data[i].name, i);
}

const struct flow_function *program_function(struct program *p, const char *spec, struct error *err)
{
    uint64_t i = strmap_find(&p->by_name, spec, NO_INDEX);
    if (i == NO_INDEX && strstr(spec, "@@")) {
        struct buf one = BUF_INIT;
        const char *at = strstr(spec, "@@");
        buf_put(&one, spec, (size_t)(at - spec));
        buf_puts(&one, at + 1);
        i = strmap_find(&p->by_name, buf_text(&one), NO_INDEX);
        buf_free(&one);
    }
    if (i != NO_INDEX)
        return &p->function.data[i];
    uint64_t address;
    if (object_read_place(p->object, spec, &address)) {
        const struct flow_function *f = program_function_at(p, address);
        if (!f && p->machine->arch == MACHINE_ARM)
            f = program_function_at(p, address & ~UINT64_C(1));
        if (f)
            return f;
        const struct flow_function *c = program_function_covering(p, address);
        if (c)
            error_set(err, ERROR_USAGE, "%s: no function starts at %s; it is inside %s at 0x%" PRIx64,
                      object_info(p->object)->name, spec, c->name,
                      object_display_address(p->object, c->address));
        else
            error_set(err, ERROR_USAGE, "%s: no function starts at %s", object_info(p->object)->name, spec);
        return NULL;
    }
    const struct object_symbol *label = object_symbol_by_name(p->object, spec);
    const struct flow_function *in = label && !label->undefined && label->type == SYMBOL_NONE
                                         ? program_function_covering(p, label->address)
                                         : NULL;
    if (in)
        error_set(err, ERROR_USAGE, "%s: %s is a label inside %s, at 0x%" PRIx64 "; no function starts there",
                  object_info(p->object)->name, spec, in->name,
                  object_display_address(p->object, label->address));
    else
        name_nearest(p, spec, err);
    return NULL;
}

bool program_reach(struct program *p, const char *spec)
{
    struct error ignored = {0};
    if (program_function(p, spec, &ignored) || p->searched)
        return false;
    program_search(p, NULL, NULL);
    return true;
}

const char *program_describe(const struct program *p, uint64_t address, char *out, size_t cap)
{
    const char *name = NULL;
    uint64_t base = 0;
    const struct object_stub *stub = object_stub_at(p->object, address);
    const struct flow_function *f = program_function_covering(p, address);
    const struct object_symbol *s;
    uint64_t offset = 0;
    if (f) {
        name = f->name;
        base = f->address;
    } else if (stub && stub->name) {
        name = stub->name;
        base = stub->address;
    } else if ((s = object_symbol_at(p->object, address, &offset)) && s->name && *s->name &&
               (offset == 0 || offset < s->size)) {
        name = s->name;
        base = address - offset;
    }
    if (!name)
        return NULL;
    if (address == base)
        snprintf(out, cap, "%s", name);
    else
        snprintf(out, cap, "%s+0x%" PRIx64, name, address - base);
    return out;
}

struct flow_stats program_flow_stats(const struct program *p)
{
    struct flow_stats s = {.functions = p->function.len};
    for (size_t i = 0; i < p->state.len; i++) {
        const struct fn_state *f = &p->state.data[i];
        if (!f->counted)
            continue;
        s.graphs++;
        s.blocks += f->blocks;
        s.instructions += f->insns;
        s.tables += f->tables;
        s.unresolved += f->unresolved;
        s.functions_unresolved += f->unresolved > 0;
    }
    return s;
}
