/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions, source lines and inlined calls from DWARF, through libdw. */
#include "object/debug.h"

#include <dwarf.h>
#include <elf.h>
#include <string.h>

#include "base/sha256.h"

struct debug *debug_new(void)
{
    return xcalloc(1, sizeof(struct debug));
}

void debug_free(struct debug *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->unit.len; i++) {
        vec_free(&d->unit.data[i].function);
        vec_free(&d->unit.data[i].declared);
    }
    vec_free(&d->unit);
    vec_free(&d->range);
    vec_free(&d->fresh);
    vec_free(&d->fresh_die);
    map_free(&d->type);
    if (d->file.dwarf && d->alternate.dwarf)
        dwarf_setalt(d->file.dwarf, NULL);
    debug_close_file(&d->file);
    debug_close_file(&d->alternate);
    arena_free(&d->arena);
    free(d);
}

bool debug_spend(uint64_t *budget)
{
    if (*budget == 0)
        return false;
    --*budget;
    return true;
}

static int range_order(const void *a, const void *b)
{
    const struct debug_range *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->unit < y->unit ? -1 : x->unit > y->unit;
}

/* Calls fn for every non-empty range of a DIE. Returns whether there was one. */
static bool each_range(uint64_t *budget, Dwarf_Die *die, void (*fn)(void *ctx, uint64_t low, uint64_t high),
                       void *ctx)
{
    Dwarf_Addr base, low, high;
    ptrdiff_t at = 0;
    bool any = false;
    while (debug_spend(budget) && (at = dwarf_ranges(die, at, &base, &low, &high)) > 0) {
        if (low >= high)
            continue;
        fn(ctx, low, high);
        any = true;
    }
    return any;
}

static void add_unit_range(void *ctx, uint64_t low, uint64_t high)
{
    struct debug *d = ctx;
    vec_push(&d->range, (struct debug_range){low, high, d->unit.len});
}

static void list_units(struct debug *d)
{
    Dwarf_Off at = 0, next;
    size_t header;
    while (debug_spend(&d->budget) &&
           dwarf_next_unit(d->file.dwarf, at, &next, &header, NULL, NULL, NULL, NULL, NULL, NULL) == 0) {
        if (next <= at)
            break;
        Dwarf_Die die;
        int tag = dwarf_offdie(d->file.dwarf, at + header, &die) ? dwarf_tag(&die) : DW_TAG_invalid;
        /* A skeleton's functions are in a file of its own, which is not looked for; its lines are here. */
        if (tag == DW_TAG_compile_unit || tag == DW_TAG_skeleton_unit) {
            struct debug_unit u = {.die = at + header, .size = next - at};
            u.ranged = each_range(&d->budget, &die, add_unit_range, d);
            vec_push(&d->unit, u);
        }
        at = next;
    }
    vec_sort(&d->range, range_order);
}

static bool open_debug(struct object *o, struct debug *d)
{
    const struct image *im = &o->image;
    struct arena scratch = ARENA_INIT;
    struct image detached;
    struct error quiet;
    uint8_t *data = o->file;
    size_t size = o->image.size;
    if (d->file.data) {
        if (!image_open(&detached, &scratch, d->file.path, d->file.data, d->file.size, &quiet)) {
            arena_free(&scratch);
            return false;
        }
        im = &detached;
        data = d->file.data;
        size = d->file.size;
    }
    uint64_t bytes = debug_dwarf_size(im);
    bool good = bytes > 0;
    if (good && o->info.type == OBJECT_RELOCATABLE) {
        d->file.data = xmalloc(size);
        memcpy(d->file.data, data, size);
        data = d->file.data;
        good = reloc_apply_debug(o, d->file.data, &quiet);
    }
    if (good)
        debug_find_alternate(o, im, d->file.path, &d->alternate);
    debug_hide_alternate(im, data);
    good = good && debug_open_file(&d->file, data, size);
    if (good) {
        if (d->alternate.data && debug_open_file(&d->alternate, d->alternate.data, d->alternate.size))
            dwarf_setalt(d->file.dwarf, d->alternate.dwarf);
        d->budget = (bytes + d->alternate.size) * 8 + 4096;
        list_units(d);
    }
    arena_free(&scratch);
    return good;
}

void object_debug_digest(const struct object *o, char hex[65])
{
    const struct debug *d = o->debug;
    char one[2][65] = {"", ""};
    debug_use(o); /* which finds the alternate file */
    if (o->info.debug_file && d->file.data)
        sha256_hex(d->file.data, d->file.size, one[0]);
    if (d->alternate.data)
        sha256_hex(d->alternate.data, d->alternate.size, one[1]);
    sha256_hex(one, sizeof one, hex);
}

struct debug *debug_use(const struct object *o)
{
    struct debug *d = o->debug;
    if (!d->opened) {
        d->opened = true;
        /* The object stays as it is; only its cache of debug information and list of problems is filled. */
        if (!d->disabled && !open_debug((struct object *)(uintptr_t)o, d))
            d->disabled = true;
    }
    return d->disabled ? NULL : d;
}

/* ---- functions ---- */

static int function_order(const void *a, const void *b)
{
    const struct debug_function *x = a, *y = b;
    if (x->low != y->low)
        return x->low < y->low ? -1 : 1;
    return x->die < y->die ? -1 : x->die > y->die;
}

struct function_ranges {
    struct debug_unit *unit;
    Dwarf_Off die;
};

static void add_function_range(void *ctx, uint64_t low, uint64_t high)
{
    struct function_ranges *f = ctx;
    vec_push(&f->unit->function, (struct debug_function){low, high, f->die, NULL});
}

static bool flag(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    bool set = false;
    return dwarf_attr_integrate(die, attribute, &a) && dwarf_formflag(&a, &set) == 0 && set;
}

/* Functions are found below the unit, in namespaces and classes, and nested in functions (Ada, Fortran, GNU
 * C). */
static bool may_hold_functions(int tag)
{
    switch (tag) {
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_interface_type:
    case DW_TAG_module:
    case DW_TAG_subprogram:
    case DW_TAG_lexical_block:
        return true;
    default:
        return false;
    }
}

static void index_unit(struct debug *d, struct debug_unit *u)
{
    enum { DEPTH = 64 };
    Dwarf_Die stack[DEPTH];
    size_t depth = 0;
    u->indexed = true;
    Dwarf_Die unit;
    if (!dwarf_offdie(d->file.dwarf, u->die, &unit) || dwarf_child(&unit, &stack[depth]) != 0)
        return;
    u->assembled = dwarf_srclang(&unit) == DW_LANG_Mips_Assembler;
    depth = 1;
    /* An entry takes a byte at least; overlapping levels could otherwise be walked again and again. */
    for (uint64_t left = u->size; depth > 0 && left > 0 && debug_spend(&d->budget); left--) {
        Dwarf_Die *die = &stack[depth - 1];
        int tag = dwarf_tag(die);
        if (tag == DW_TAG_subprogram && !dwarf_hasattr(die, DW_AT_declaration)) {
            struct function_ranges f = {u, dwarf_dieoffset(die)};
            each_range(&d->budget, die, add_function_range, &f);
        } else if (tag == DW_TAG_subprogram && flag(die, DW_AT_external) && flag(die, DW_AT_prototyped)) {
            vec_push(&u->declared, (struct debug_function){.die = dwarf_dieoffset(die)});
        }
        if (may_hold_functions(tag) && depth < DEPTH && dwarf_haschildren(die) > 0 &&
            dwarf_child(die, &stack[depth]) == 0) {
            depth++;
            continue;
        }
        while (depth > 0) {
            Dwarf_Die next;
            bool more = dwarf_siblingof(&stack[depth - 1], &next) == 0 &&
                        (const char *)next.addr > (const char *)stack[depth - 1].addr;
            if (more) {
                stack[depth - 1] = next;
                break;
            }
            depth--;
        }
    }
    vec_sort(&u->function, function_order);
}

/* Finds the last element whose low is at or below the address, in an array sorted by low; n when none. */
#define LAST_BELOW(array, n, address, out)                                                                   \
    do {                                                                                                     \
        size_t low_ = 0, high_ = (n);                                                                        \
        while (low_ < high_) {                                                                               \
            size_t mid_ = low_ + (high_ - low_) / 2;                                                         \
            if ((array)[mid_].low <= (address))                                                              \
                low_ = mid_ + 1;                                                                             \
            else                                                                                             \
                high_ = mid_;                                                                                \
        }                                                                                                    \
        (out) = low_ ? low_ - 1 : (n);                                                                       \
    } while (0)

static struct debug_function *function_in(struct debug *d, struct debug_unit *u, uint64_t address)
{
    if (!u->indexed)
        index_unit(d, u);
    size_t i;
    LAST_BELOW(u->function.data, u->function.len, address, i);
    if (i == u->function.len)
        return NULL;
    /* Nested functions lie inside others: the innermost begins last. A few steps back find an outer one. */
    enum { BACK = 16 };
    for (size_t k = 0; k < BACK && k <= i; k++) {
        struct debug_function *f = &u->function.data[i - k];
        if (address < f->high)
            return f;
    }
    return NULL;
}

/* The unit whose code covers the address, and the function in it when there is one. */
static struct debug_unit *unit_at(struct debug *d, uint64_t address, struct debug_function **function)
{
    *function = NULL;
    size_t i;
    struct debug_unit *unit = NULL;
    LAST_BELOW(d->range.data, d->range.len, address, i);
    enum { BACK = 16 };
    for (size_t k = 0; i < d->range.len && k < BACK && k <= i; k++) {
        const struct debug_range *r = &d->range.data[i - k];
        if (address >= r->high)
            continue;
        if (!unit)
            unit = &d->unit.data[r->unit];
        *function = function_in(d, &d->unit.data[r->unit], address);
        if (*function)
            return &d->unit.data[r->unit];
    }
    for (size_t k = 0; k < d->unit.len; k++) {
        if (d->unit.data[k].ranged)
            continue;
        *function = function_in(d, &d->unit.data[k], address);
        if (*function)
            return &d->unit.data[k];
    }
    return unit;
}

/* For each_range: the range around an address. */
struct cover {
    uint64_t address, low, high;
};

static void note_cover(void *ctx, uint64_t low, uint64_t high)
{
    struct cover *c = ctx;
    if (c->address >= low && c->address < high) {
        c->low = low;
        c->high = high;
    }
}

const char *debug_name(Dwarf_Die *die)
{
    Dwarf_Attribute a;
    return dwarf_attr_integrate(die, DW_AT_name, &a) ? dwarf_formstring(&a) : NULL;
}

/* A file number of a DIE's own unit. dwarf_decl_file of Debian 12 takes number 0 for none, which DWARF 5 does
 * not. */
static const char *numbered_file(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute a;
    Dwarf_Word index;
    Dwarf_Die unit;
    Dwarf_Files *files;
    size_t count;
    if (!dwarf_attr(die, attribute, &a) || dwarf_formudata(&a, &index) != 0 ||
        !dwarf_diecu(die, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, &count) != 0 ||
        index >= count)
        return NULL;
    return dwarf_filesrc(files, index, NULL, NULL);
}

/* Where a function is declared: said by itself, or by what it is an instance of (which may be in another
 * unit). */
static void declared_at(Dwarf_Die *function, const char **file, unsigned *line)
{
    enum { ORIGINS = 16 };
    Dwarf_Die die = *function;
    for (int i = 0; i < ORIGINS; i++) {
        Dwarf_Attribute a;
        Dwarf_Word number;
        if (!*line && dwarf_attr(&die, DW_AT_decl_line, &a) && dwarf_formudata(&a, &number) == 0)
            *line = (unsigned)number;
        if (!*file)
            *file = numbered_file(&die, DW_AT_decl_file);
        if ((*file && *line) ||
            !(dwarf_attr(&die, DW_AT_abstract_origin, &a) || dwarf_attr(&die, DW_AT_specification, &a)) ||
            !dwarf_formref_die(&a, &die))
            return;
    }
}

static void make_parameters(struct debug *d, Dwarf_Die *die, struct object_function_debug *f)
{
    VEC(struct object_param) param = VEC_INIT;
    enum { PARAMETER_LIMIT = 1024 };
    Dwarf_Die child;
    bool more = dwarf_child(die, &child) == 0;
    while (more && debug_spend(&d->budget) && param.len < PARAMETER_LIMIT) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_formal_parameter)
            vec_push(&param, (struct object_param){debug_name(&child), debug_type(d, &child)});
        else if (tag == DW_TAG_unspecified_parameters)
            f->variadic = true;
        Dwarf_Die next;
        more = dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr > (const char *)child.addr;
        child = next;
    }
    f->param = param.len ? arena_dup(&d->arena, param.data, param.len * sizeof *param.data) : NULL;
    f->nparams = param.len;
    vec_free(&param);
}

static const struct object_function_debug *make_function(struct debug *d, struct debug_function *at)
{
    if (at->made)
        return at->made;
    Dwarf_Die die;
    if (!dwarf_offdie(d->file.dwarf, at->die, &die))
        return NULL;
    struct object_function_debug *f = arena_new(&d->arena, struct object_function_debug);
    /* Of a function in several parts (.cold), every part gives the function as it is entered. */
    Dwarf_Addr entry;
    struct cover whole = {.address = at->low, .low = at->low, .high = at->high};
    if (dwarf_entrypc(&die, &entry) == 0) {
        whole.address = entry;
        each_range(&d->budget, &die, note_cover, &whole);
    }
    f->address = whole.low;
    f->size = whole.high - whole.low;
    f->name = debug_name(&die);
    f->noreturn = flag(&die, DW_AT_noreturn);
    f->external = flag(&die, DW_AT_external);
    f->result = debug_type(d, &die);
    declared_at(&die, &f->file, &f->line);
    make_parameters(d, &die, f);
    at->made = f;
    return f;
}

const struct object_function_debug *object_debug_function(const struct object *o, uint64_t address)
{
    struct debug *d = debug_use(o);
    struct debug_function *f = NULL;
    struct debug_unit *u = d ? unit_at(d, address, &f) : NULL;
    return f && !u->assembled ? make_function(d, f) : NULL;
}

const struct object_function_debug *object_debug_declared(const struct object *o, uint64_t address,
                                                          const char *name)
{
    struct debug *d = debug_use(o);
    struct debug_function *f = NULL;
    struct debug_unit *u = d ? unit_at(d, address, &f) : NULL;
    for (size_t i = 0; f && i < u->declared.len; i++) {
        const struct object_function_debug *k = make_function(d, &u->declared.data[i]);
        if (k && k->name && strcmp(k->name, name) == 0)
            return k;
    }
    return NULL;
}

void debug_each_function(const struct object *o,
                         void (*fn)(void *ctx, uint64_t low, uint64_t high, const char *name), void *ctx)
{
    struct debug *d = debug_use(o);
    for (size_t i = 0; d && i < d->unit.len; i++) {
        struct debug_unit *u = &d->unit.data[i];
        if (!u->indexed)
            index_unit(d, u);
        for (size_t k = 0; k < u->function.len; k++) {
            Dwarf_Die die;
            const struct debug_function *f = &u->function.data[k];
            if (dwarf_offdie(d->file.dwarf, f->die, &die))
                fn(ctx, f->low, f->high, debug_name(&die));
        }
    }
}

/* ---- lines ---- */

bool object_debug_line(const struct object *o, uint64_t address, struct object_line *out)
{
    struct debug *d = debug_use(o);
    struct debug_function *f;
    struct debug_unit *u = d ? unit_at(d, address, &f) : NULL;
    Dwarf_Die die;
    if (!u || !dwarf_offdie(d->file.dwarf, u->die, &die))
        return false;
    Dwarf_Line *line = dwarf_getsrc_die(&die, address);
    int number = 0, column = 0;
    const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
    if (!file || dwarf_lineno(line, &number) != 0 || number <= 0)
        return false;
    dwarf_linecol(line, &column);
    *out = (struct object_line){
        .file = file, .line = (unsigned)number, .column = column > 0 ? (unsigned)column : 0};
    return true;
}

static bool is_file(const char *path, const char *name)
{
    size_t n = strlen(path), k = strlen(name);
    return n >= k && strcmp(path + n - k, name) == 0 && (n == k || path[n - k - 1] == '/' || *name == '/');
}

size_t object_debug_line_places(const struct object *o, const char *file, unsigned line, uint64_t *out, size_t cap)
{
    struct debug *d = debug_use(o);
    size_t found = 0;
    for (size_t i = 0; d && i < d->unit.len; i++) {
        Dwarf_Die die;
        Dwarf_Lines *lines;
        size_t n;
        int before = 0;
        if (!dwarf_offdie(d->file.dwarf, d->unit.data[i].die, &die) || dwarf_getsrclines(&die, &lines, &n) != 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            Dwarf_Line *l = dwarf_onesrcline(lines, k);
            int number = 0;
            bool begins = false, end = false;
            Dwarf_Addr at;
            if (!l || dwarf_lineno(l, &number) != 0 || dwarf_lineaddr(l, &at) != 0)
                continue;
            dwarf_linebeginstatement(l, &begins);
            dwarf_lineendsequence(l, &end);
            const char *path = number == (int)line && number != before && begins && !end ? dwarf_linesrc(l, NULL, NULL) : NULL;
            before = end ? 0 : number;
            if (!path || !is_file(path, file))
                continue;
            if (found < cap)
                out[found] = at;
            found++;
        }
    }
    return found;
}

/* ---- inlined calls ---- */

/* The child scope that covers the address: an inlined call, or a block that may hold one. */
static bool covering_child(uint64_t *budget, Dwarf_Die *scope, uint64_t address, Dwarf_Die *out,
                           struct cover *cover)
{
    Dwarf_Die child;
    bool more = dwarf_child(scope, &child) == 0;
    while (more && debug_spend(budget)) {
        int tag = dwarf_tag(&child);
        if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block) {
            *cover = (struct cover){.address = address};
            each_range(budget, &child, note_cover, cover);
            if (cover->high) {
                *out = child;
                return true;
            }
        }
        Dwarf_Die next;
        more = dwarf_siblingof(&child, &next) == 0 && (const char *)next.addr > (const char *)child.addr;
        child = next;
    }
    return false;
}

bool debug_covers(uint64_t *budget, Dwarf_Die *die, uint64_t address)
{
    struct cover cover = {.address = address};
    each_range(budget, die, note_cover, &cover);
    return cover.high != 0;
}

bool debug_function_die(struct debug *d, uint64_t address, Dwarf_Die *out, uint64_t *budget)
{
    struct debug_function *f = NULL;
    const struct debug_unit *u = unit_at(d, address, &f);
    *budget = u ? u->size + 4096 : 0;
    return f && dwarf_offdie(d->file.dwarf, f->die, out);
}

bool debug_unit_die(struct debug *d, uint64_t address, Dwarf_Die *out, uint64_t *budget)
{
    struct debug_function *f = NULL;
    const struct debug_unit *u = unit_at(d, address, &f);
    *budget = u ? u->size + 4096 : 0;
    return u && dwarf_offdie(d->file.dwarf, u->die, out);
}

size_t object_debug_inlined(const struct object *o, uint64_t address, struct object_inline *out, size_t cap)
{
    enum { DEPTH = 64 };
    struct debug *d = debug_use(o);
    struct debug_function *f = NULL;
    Dwarf_Die scope, next;
    const struct debug_unit *u = d ? unit_at(d, address, &f) : NULL;
    if (!f || !dwarf_offdie(d->file.dwarf, f->die, &scope))
        return 0;
    /* Nothing of this walk is kept, so it must not use up what the caches are made from. */
    uint64_t budget = u->size + 4096;
    size_t n = 0;
    struct cover cover;
    for (int depth = 0; depth < DEPTH && covering_child(&budget, &scope, address, &next, &cover);
         depth++, scope = next) {
        if (dwarf_tag(&next) != DW_TAG_inlined_subroutine)
            continue;
        if (n < cap) {
            Dwarf_Attribute a;
            Dwarf_Word line = 0;
            if (dwarf_attr(&next, DW_AT_call_line, &a))
                dwarf_formudata(&a, &line);
            out[n] = (struct object_inline){.name = debug_name(&next),
                                            .call_file = numbered_file(&next, DW_AT_call_file),
                                            .call_line = (unsigned)line,
                                            .low = cover.low,
                                            .high = cover.high};
        }
        n++;
    }
    return n;
}
