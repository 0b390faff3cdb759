/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between two files and is in no function's code: what the kernel and the dynamic linker are
 * told, and what is exported. A change that removes a privilege, or makes the processor check more, is
 * reported but does not matter: whatever the program still does, it did before. */
#include <elf.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "match/private.h"

void outside_add(struct match *m, const char *kind, bool matters, const char *old, const char *new,
                 const char *fmt, ...)
{
    struct buf b = BUF_INIT;
    va_list ap;
    va_start(ap, fmt);
    buf_vprintf(&b, fmt, ap);
    va_end(ap);
    vec_push(&m->outside, (struct match_outside){.kind = kind,
                                                 .text = arena_strdup(&m->arena, buf_text(&b)),
                                                 .old = old ? arena_strdup(&m->arena, old) : NULL,
                                                 .new = new ? arena_strdup(&m->arena, new) : NULL,
                                                 .matters = matters});
    buf_free(&b);
}

/* ---- the header ---- */

static const char *type_name(enum object_type t)
{
    static const char *const name[] = {
        [OBJECT_EXECUTABLE] = "a fixed-address executable",
        [OBJECT_PIE] = "a position-independent executable",
        [OBJECT_SHARED] = "a shared library",
        [OBJECT_RELOCATABLE] = "a relocatable object",
    };
    return name[t];
}

static const char *hexadecimal(uint64_t v, char *out)
{
    enum { HEX = 24 };
    snprintf(out, HEX, "%#" PRIx64, v);
    return out;
}

static const char *place_name(const struct match *m, int side, uint64_t address, char *out, size_t cap)
{
    const struct side *s = &m->side[side];
    uint32_t f = side_function_at(s, address);
    if (f != MATCH_NONE)
        snprintf(out, cap, "%s", s->function[f].name);
    else
        snprintf(out, cap, "%#" PRIx64, address);
    return out;
}

static void header(struct match *m)
{
    const struct object_info *a = object_info(m->side[0].o), *b = object_info(m->side[1].o);
    const struct object_load *x = object_load(m->side[0].o), *y = object_load(m->side[1].o);
    char t1[24], t2[24];
    if (a->type != b->type)
        outside_add(m, "type", !(a->type == OBJECT_EXECUTABLE && b->type == OBJECT_PIE), type_name(a->type),
                    type_name(b->type), "file type: %s, was %s", type_name(b->type), type_name(a->type));
    if (x->flags != y->flags)
        outside_add(m, "flags", true, hexadecimal(x->flags, t1), hexadecimal(y->flags, t2),
                    "ELF flags: %#" PRIx32 ", were %#" PRIx32, y->flags, x->flags);
    if (x->float_arguments != y->float_arguments)
        outside_add(m, "convention", true, NULL, NULL,
                    "floating-point arguments are passed otherwise (Tag_ABI_VFP_args)");
    if (x->abi != y->abi)
        outside_add(m, "abi", true, hexadecimal(x->abi, t1), hexadecimal(y->abi, t2),
                    "ELF OS ABI: %u, was %u", y->abi, x->abi);
    const char *i1 = a->interp, *i2 = b->interp;
    if (!i1 != !i2 || (i1 && strcmp(i1, i2) != 0))
        outside_add(m, "interpreter", true, i1, i2, "interpreter: %s, was %s", i2 ? i2 : "none",
                    i1 ? i1 : "none");
}

static bool runs(const struct object_info *i)
{
    return i->type == OBJECT_EXECUTABLE || i->type == OBJECT_PIE || (i->type == OBJECT_SHARED && i->interp);
}

/* Where the same thing must be: another function, though one that both have, is another program. */
static void one_place(struct match *m, const char *kind, const char *what, uint64_t old, uint64_t new)
{
    char t1[256], t2[256];
    if ((!old && !new) || (old && new &&match_same_address(m, old, new)))
        return;
    const char *n1 = old ? place_name(m, 0, old, t1, sizeof t1) : NULL,
               *n2 = new ? place_name(m, 1, new, t2, sizeof t2) : NULL;
    outside_add(m, kind, true, n1, n2, "%s %s, %s %s", what, n2 ? n2 : "nothing", "was", n1 ? n1 : "nothing");
}

static void entry(struct match *m)
{
    const struct object_info *a = object_info(m->side[0].o), *b = object_info(m->side[1].o);
    if (runs(a) || runs(b))
        one_place(m, "entry", "entry point:", runs(a) ? a->entry : 0, runs(b) ? b->entry : 0);
}

/* ---- the dynamic section ---- */

static uint64_t dynamic_value(const struct object *o, uint64_t tag)
{
    const struct object_dynamic *e;
    size_t n = object_dynamic(o, &e);
    for (size_t i = 0; i < n; i++)
        if (e[i].tag == tag)
            return e[i].value;
    return 0;
}

static bool dynamic_has(const struct object *o, uint64_t tag)
{
    const struct object_dynamic *e;
    size_t n = object_dynamic(o, &e);
    for (size_t i = 0; i < n; i++)
        if (e[i].tag == tag)
            return true;
    return false;
}

typedef VEC(const char *) names;

static names dynamic_texts(const struct object *o, uint64_t tag)
{
    const struct object_dynamic *e;
    size_t n = object_dynamic(o, &e);
    names out = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        if (e[i].tag == tag)
            vec_push(&out, e[i].text ? e[i].text : "?");
    return out;
}

static bool holds(const names *list, const char *name)
{
    for (size_t i = 0; i < list->len; i++)
        if (strcmp(list->data[i], name) == 0)
            return true;
    return false;
}

/* Libraries needed: their constructors run, and names are looked up in them in this order. */
static void needed(struct match *m)
{
    names a = dynamic_texts(m->side[0].o, DT_NEEDED), b = dynamic_texts(m->side[1].o, DT_NEEDED);
    size_t differ = 0;
    for (size_t i = 0; i < b.len; i++)
        if (!holds(&a, b.data[i]))
            outside_add(m, "needed", true, NULL, b.data[i], "%s is newly needed", b.data[i]), differ++;
    for (size_t i = 0; i < a.len; i++)
        if (!holds(&b, a.data[i]))
            outside_add(m, "needed", true, a.data[i], NULL, "%s is no longer needed", a.data[i]), differ++;
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++)
        same = strcmp(a.data[i], b.data[i]) == 0;
    if (!same && !differ)
        outside_add(m, "needed", true, NULL, NULL, "the order of needed libraries changed");
    vec_free(&a);
    vec_free(&b);
}

static void dynamic_strings(struct match *m)
{
    static const struct {
        uint64_t tag;
        const char *kind, *what;
    } known[] = {
        {DT_SONAME, "soname", "soname:"},
        {DT_RPATH, "rpath", "library search path (RPATH):"},
        {DT_RUNPATH, "runpath", "library search path (RUNPATH):"},
        {DT_CONFIG, "config", "configuration of the dynamic linker:"},
        {DT_AUDIT, "audit", "audit libraries:"},
        {DT_DEPAUDIT, "audit", "audit libraries of dependencies:"},
        {DT_AUXILIARY, "auxiliary", "auxiliary filter for:"},
        {DT_FILTER, "filter", "filter for:"},
    };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        struct buf text[2] = {BUF_INIT, BUF_INIT};
        for (int side = 0; side < 2; side++) {
            names list = dynamic_texts(m->side[side].o, known[k].tag);
            for (size_t i = 0; i < list.len; i++)
                buf_printf(&text[side], "%s%s", i ? ", " : "", list.data[i]);
            vec_free(&list);
        }
        const char *a = buf_text(&text[0]), *b = buf_text(&text[1]);
        if (strcmp(a, b) != 0)
            outside_add(m, known[k].kind, true, *a ? a : NULL, *b ? b : NULL, "%s %s, was %s", known[k].what,
                        *b ? b : "nothing", *a ? a : "nothing");
        buf_free(&text[0]);
        buf_free(&text[1]);
    }
}

/* DT_FLAGS, and the older entries that say the same. */
static uint64_t dynamic_flags(const struct object *o)
{
    return dynamic_value(o, DT_FLAGS) | (dynamic_has(o, DT_SYMBOLIC) ? DF_SYMBOLIC : 0) |
           (dynamic_has(o, DT_TEXTREL) ? DF_TEXTREL : 0) | (dynamic_has(o, DT_BIND_NOW) ? DF_BIND_NOW : 0) |
           (dynamic_value(o, DT_FLAGS_1) & DF_1_NOW ? DF_BIND_NOW : 0);
}

/* Whether one that is gained, or lost, matters. */
struct flag {
    uint64_t bit;
    const char *name;
    bool gained, lost;
};

static void flags(struct match *m, const struct flag *known, size_t n, uint64_t old, uint64_t new)
{
    for (size_t i = 0; i < n; i++) {
        bool was = old & known[i].bit, is = new &known[i].bit;
        if (was != is)
            outside_add(m, "dynamic-flag", is ? known[i].gained : known[i].lost, was ? known[i].name : NULL,
                        is ? known[i].name : NULL, "dynamic flag %s: %s", is ? "added" : "removed",
                        known[i].name);
        old &= ~known[i].bit;
        new &= ~known[i].bit;
    }
    char t1[24], t2[24];
    if (old != new)
        outside_add(m, "dynamic-flag", true, hexadecimal(old, t1), hexadecimal(new, t2),
                    "other dynamic flags: %s, were %s", t2, t1);
}

static void dynamic_flag_sets(struct match *m)
{
    static const struct flag plain[] = {
        {DF_ORIGIN, "$ORIGIN is used (ORIGIN)", true, true},
        {DF_SYMBOLIC, "search the library itself for symbols first (SYMBOLIC)", true, true},
        {DF_TEXTREL, "code is relocated, hence writable during loading (TEXTREL)", true, false},
        {DF_BIND_NOW, "resolve all symbols at load time (BIND_NOW)", false, true},
        {DF_STATIC_TLS, "static thread-local storage (STATIC_TLS)", true, false},
    };
    static const struct flag more[] = {
        {DF_1_NOW | DF_1_PIE, "", false, false}, /* said otherwise */
        {DF_1_GLOBAL, "GLOBAL", true, true},
        {DF_1_GROUP, "GROUP", true, true},
        {DF_1_NODELETE, "never unload it (NODELETE)", true, true},
        {DF_1_INITFIRST, "initialise it first (INITFIRST)", true, true},
        {DF_1_NOOPEN, "dlopen cannot open it (NOOPEN)", true, true},
        {DF_1_ORIGIN, "$ORIGIN is used (ORIGIN)", true, true},
        {DF_1_INTERPOSE, "search it for symbols before all others (INTERPOSE)", true, true},
        {DF_1_NODEFLIB, "do not search the default directories (NODEFLIB)", true, true},
    };
    const uint64_t said = DF_1_NOW | DF_1_PIE;
    const struct object *a = m->side[0].o, *b = m->side[1].o;
    flags(m, plain, sizeof plain / sizeof *plain, dynamic_flags(a), dynamic_flags(b));
    flags(m, more + 1, sizeof more / sizeof *more - 1, dynamic_value(a, DT_FLAGS_1) & ~said,
          dynamic_value(b, DT_FLAGS_1) & ~said);
}

/* ---- rights ---- */

static void rights(struct match *m)
{
    const struct object_load *x = object_load(m->side[0].o), *y = object_load(m->side[1].o);
    bool linked = object_info(m->side[0].o)->type != OBJECT_RELOCATABLE;
    if (x->exec_stack != y->exec_stack)
        outside_add(m, "stack", y->exec_stack, x->exec_stack ? "executable" : "not executable",
                    y->exec_stack ? "executable" : "not executable", "the stack is %s",
                    y->exec_stack ? "newly executable" : "no longer executable");
    if (x->stack_size != y->stack_size)
        outside_add(m, "stack", y->stack_size && (!x->stack_size || y->stack_size < x->stack_size), NULL,
                    NULL, "another size of the stack is asked for");
    if (x->relro != y->relro && linked)
        outside_add(m, "relro", x->relro, x->relro ? "yes" : "no", y->relro ? "yes" : "no",
                    "relocated data (RELRO) %s",
                    x->relro ? "stays writable after loading" : "is no longer writable after loading");
    uint32_t lost = x->features & ~y->features, gained = y->features & ~x->features;
    char t1[24], t2[24];
    if (lost || gained)
        outside_add(m, "features", lost, hexadecimal(x->features, t1), hexadecimal(y->features, t2),
                    "%s control-flow protection (CET, BTI, PAC) than before", lost ? "less" : "more");
}

struct access {
    bool write, exec;
};

static struct access access_of(const struct object *o, const struct object_section *x)
{
    struct access a = {x->write && !x->relro, x->exec};
    const struct object_segment *s;
    size_t n = object_segments(o, &s);
    for (size_t i = 0; i < n; i++)
        if (x->address >= s[i].address && x->address - s[i].address < s[i].size)
            a = (struct access){s[i].write && !x->relro, s[i].exec};
    return a;
}

static bool has_both(const struct object *o)
{
    const struct object_segment *s;
    size_t n = object_segments(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].write && s[i].exec)
            return true;
    const struct object_section *t;
    size_t k = object_info(o)->type == OBJECT_RELOCATABLE ? object_sections(o, &t) : 0;
    for (size_t i = 0; i < k; i++)
        if (t[i].alloc && t[i].write && t[i].exec)
            return true;
    return false;
}

static void name_section(struct buf *b, const char *name)
{
    buf_printf(b, "%s%s", b->len ? ", " : "", name);
}

static void segments(struct match *m)
{
    enum { WRITE, EXEC, KINDS };
    static const char *const what[] = {"writable", "executable"};
    struct buf gained[KINDS] = {BUF_INIT, BUF_INIT}, lost[KINDS] = {BUF_INIT, BUF_INIT};
    const struct object_section *s;
    size_t n = object_sections(m->side[0].o, &s);
    bool relro = object_load(m->side[0].o)->relro == object_load(m->side[1].o)->relro;
    for (size_t i = 0; i < n; i++) {
        const struct object_section *t =
            s[i].alloc && !s[i].tls ? side_section_named(&m->side[1], s[i].name) : NULL;
        if (!t || (!relro && s[i].relro != t->relro)) /* which was told already */
            continue;
        struct access a = access_of(m->side[0].o, &s[i]), b = access_of(m->side[1].o, t);
        if (a.write != b.write)
            name_section(b.write ? &gained[WRITE] : &lost[WRITE], s[i].name);
        if (a.exec != b.exec)
            name_section(b.exec ? &gained[EXEC] : &lost[EXEC], s[i].name);
    }
    for (int k = 0; k < KINDS; k++) {
        if (gained[k].len)
            outside_add(m, "segment", true, NULL, NULL, "newly %s: %s", what[k], buf_text(&gained[k]));
        if (lost[k].len)
            outside_add(m, "segment", false, NULL, NULL, "no longer %s: %s", what[k], buf_text(&lost[k]));
        buf_free(&gained[k]);
        buf_free(&lost[k]);
    }
    if (has_both(m->side[1].o) && !has_both(m->side[0].o))
        outside_add(m, "segment", true, NULL, NULL, "some memory is newly both writable and executable");
}

/* ---- what others see ---- */

static bool is_exported(const struct object *o, const struct object_symbol *s)
{
    bool visible = object_info(o)->type == OBJECT_RELOCATABLE || s->dynamic;
    return visible && !s->undefined && !s->hidden && s->bind != BIND_LOCAL && s->type != SYMBOL_SECTION &&
           s->type != SYMBOL_FILE && s->name && *s->name;
}

/* The default version of a name is the one that is linked with. */
static const char *export_key(struct buf *b, const struct object_symbol *s)
{
    buf_clear(b);
    buf_printf(b, "%s%s%s", s->name,
               !s->version          ? ""
               : s->version_default ? "@@"
                                    : "@",
               s->version ? s->version : "");
    return buf_text(b);
}

/* Its index and one, 0 when there is none. */
static struct strmap exports(struct match *m, const struct object *o)
{
    const struct object_symbol *s;
    size_t n = object_symbols(o, &s);
    struct strmap out = {0};
    struct buf b = BUF_INIT;
    for (size_t i = 0; i < n; i++)
        if (is_exported(o, &s[i])) {
            strmap_set(&out, arena_strdup(&m->arena, export_key(&b, &s[i])), i + 1);
            if (!strmap_find(&out, s[i].name, 0))
                strmap_set(&out, s[i].name, i + 1);
        }
    buf_free(&b);
    return out;
}

static bool is_function(const struct object_symbol *s)
{
    return s->type == SYMBOL_FUNC || s->type == SYMBOL_IFUNC;
}

/* Two functions that are not each other's partners may still be the same, when a linker folded equal ones. */
static bool same_function(struct match *m, uint64_t old, uint64_t new)
{
    uint32_t i = side_function_at(&m->side[0], old), j = side_function_at(&m->side[1], new);
    if (match_same_address(m, old, new))
        return true;
    if (i == MATCH_NONE || j == MATCH_NONE)
        return false;
    const struct code *a = &m->side[0].code[i], *b = &m->side[1].code[j];
    bool same = code_equal(a, b);
    for (uint32_t k = 0; same && k < a->nrefs; k++)
        same = ref_same(m, &a->ref[k], &b->ref[k], i, j) == SAME_YES;
    return same;
}

/* A variable of a library that the linker gave a place in the program: it starts with what the library says,
 * and is the library's own from then on. */
static bool is_copied(const struct object *o, const struct object_symbol *s)
{
    return s->type == SYMBOL_OBJECT && object_is_copied(o, s->address);
}

/* Where a thread-local variable lies in what every thread has a copy of. */
static uint64_t thread_offset(const struct object *o, const struct object_symbol *s)
{
    return s->address - (object_info(o)->type == OBJECT_RELOCATABLE ? object_load(o)->tls_address : 0);
}

/* One that both have. */
static void one_export(struct match *m, const struct object_symbol *a, const struct object_symbol *b)
{
    bool relocatable = object_info(m->side[0].o)->type == OBJECT_RELOCATABLE;
    if (is_function(a) != is_function(b) || (a->type == SYMBOL_TLS) != (b->type == SYMBOL_TLS) ||
        (a->type == SYMBOL_IFUNC) != (b->type == SYMBOL_IFUNC))
        outside_add(m, "export", true, NULL, NULL, "export %s changed its kind", a->name);
    else if (is_function(a) && !same_function(m, a->address, b->address))
        outside_add(m, "export", true, NULL, NULL, "export %s is another function", a->name);
    else if (!is_function(a) && a->size != b->size)
        outside_add(m, "export", true, NULL, NULL, "export %s changed its size", a->name);
    else if (a->type == SYMBOL_OBJECT && object_is_readonly(m->side[0].o, a->address, 1) &&
             a->size <= CONTENT_MAX && !same_contents(m, a->address, b->address, a->size))
        outside_add(m, "export", true, NULL, NULL, "export %s changed its contents", a->name);
    /* Code has the offset as a number, and code of other files reaches it by its name. */
    else if (a->type == SYMBOL_TLS && b->type == SYMBOL_TLS &&
             thread_offset(m->side[0].o, a) != thread_offset(m->side[1].o, b))
        outside_add(m, "export", true, NULL, NULL, "thread-local export %s moved", a->name);
    if (relocatable && (a->bind == BIND_WEAK) != (b->bind == BIND_WEAK))
        outside_add(m, "export", true, NULL, NULL, "%s is %s", a->name,
                    b->bind == BIND_WEAK ? "newly weak: another definition may override it"
                                         : "no longer weak: it may override another definition");
    if (relocatable)
        linking_symbol(m, a, b);
}

static void exported(struct match *m)
{
    const struct object *o[2] = {m->side[0].o, m->side[1].o};
    const struct object_symbol *s[2];
    size_t n[2] = {object_symbols(o[0], &s[0]), object_symbols(o[1], &s[1])};
    struct strmap known[2] = {exports(m, o[0]), exports(m, o[1])};
    struct buf key = BUF_INIT, other = BUF_INIT;
    bool relocatable = object_info(o[0])->type == OBJECT_RELOCATABLE;
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < n[side]; i++) {
            const struct object_symbol *x = &s[side][i];
            if (!is_exported(o[side], x))
                continue;
            uint64_t at = strmap_find(&known[!side], export_key(&key, x), 0),
                     name = strmap_find(&known[!side], x->name, 0);
            if (at && side == 0) {
                one_export(m, x, &s[1][at - 1]);
            } else if (!at && name && side == 0) {
                outside_add(m, "version", true, buf_text(&key), export_key(&other, &s[1][name - 1]),
                            "%s is exported as %s, was as %s", x->name, buf_text(&other), buf_text(&key));
                one_export(m, x, &s[1][name - 1]);
            } else if (!at && !name && side == 0) {
                outside_add(m, "export", !is_copied(o[0], x), x->name, NULL, "export %s was removed",
                            x->name);
            } else if (!at && !name && is_copied(o[1], x)) {
                outside_add(m, "export", false, NULL, x->name,
                            "%s of a library is now copied into the program", x->name);
            } else if (!at && !name && !relocatable) {
                outside_add(m, "export", true, NULL, x->name,
                            "export %s was added: it may interpose on another of that name", x->name);
            }
        }
    buf_free(&key);
    buf_free(&other);
    strmap_free(&known[0]);
    strmap_free(&known[1]);
}

/* The functions and variables of the file itself that it looks up by name, so that another file's may be
 * used. */
static struct strmap looked_up(const struct object *o)
{
    struct strmap out = {0};
    const struct object_pointer *p;
    size_t n = object_pointers(o, &p);
    for (size_t i = 0; i < n; i++)
        if (p[i].own)
            strmap_set(&out, p[i].own, 1);
    return out;
}

/* The value of a constant may be in the code instead; of a file that has all its symbols to itself that is
 * told. */
static void interposed(struct match *m)
{
    if (dynamic_flags(m->side[1].o) & DF_SYMBOLIC)
        return;
    struct strmap known[2] = {looked_up(m->side[0].o), looked_up(m->side[1].o)};
    const struct object_symbol *s;
    size_t n = object_symbols(m->side[1].o, &s);
    for (size_t i = 0; i < n; i++)
        if (is_exported(m->side[1].o, &s[i]) && strmap_get(&known[0], s[i].name, NULL) &&
            !strmap_get(&known[1], s[i].name, NULL) &&
            (is_function(&s[i]) || !object_is_readonly(m->side[1].o, s[i].address, 1)))
            outside_add(m, "interposition", true, NULL, NULL,
                        "another file's %s is no longer used in place of this one", s[i].name);
    strmap_free(&known[0]);
    strmap_free(&known[1]);
}

/* ---- what others give ---- */

typedef VEC(const struct object_symbol *) symbols;

static const char *version_of(const struct object_symbol *s)
{
    return s->version ? s->version : "no version";
}

static int by_name_and_version(const void *x, const void *y)
{
    const struct object_symbol *const *a = x, *const *b = y;
    int c = strcmp((*a)->name, (*b)->name);
    return c ? c : strcmp(version_of(*a), version_of(*b));
}

static symbols imports(const struct object *o)
{
    const struct object_symbol *s;
    size_t n = object_symbols(o, &s);
    symbols out = VEC_INIT;
    bool relocatable = object_info(o)->type == OBJECT_RELOCATABLE;
    for (size_t i = 0; i < n; i++)
        if ((s[i].dynamic || relocatable) && s[i].undefined && s[i].name && *s[i].name)
            vec_push(&out, &s[i]);
    vec_sort(&out, by_name_and_version);
    return out;
}

/* All versions of the name of the i-th import, and how many there are; `weak` when every one may be missing.
 */
static size_t import_versions(const symbols *v, size_t i, struct buf *versions, bool *weak)
{
    size_t n = 0;
    buf_clear(versions);
    *weak = true;
    for (; i + n < v->len && strcmp(v->data[i + n]->name, v->data[i]->name) == 0; n++) {
        buf_printf(versions, "%s%s", n ? ", " : "", version_of(v->data[i + n]));
        *weak = *weak && v->data[i + n]->bind == BIND_WEAK;
    }
    return n;
}

/* A function of another version is another function, though what calls it shows the name only. */
static void imported(struct match *m)
{
    symbols old = imports(m->side[0].o), new = imports(m->side[1].o);
    struct buf a = BUF_INIT, b = BUF_INIT;
    bool relocatable = object_info(m->side[0].o)->type == OBJECT_RELOCATABLE;
    for (size_t i = 0, k = 0; i < old.len && k < new.len;) {
        bool weak1, weak2;
        const char *name = old.data[i]->name;
        size_t n1 = import_versions(&old, i, &a, &weak1), n2 = import_versions(&new, k, &b, &weak2);
        int c = strcmp(name, new.data[k]->name);
        if (c == 0 && strcmp(buf_text(&a), buf_text(&b)) != 0)
            outside_add(m, "import", true, buf_text(&a), buf_text(&b), "%s is imported as %s, was as %s",
                        name, buf_text(&b), buf_text(&a));
        if (c == 0 && weak1 != weak2 && (!relocatable || weak2))
            outside_add(m, "import", weak2, weak1 ? "weak" : NULL, weak2 ? "weak" : NULL, "%s %s", name,
                        relocatable ? "may newly be missing when linked (WEAK)"
                        : weak2     ? "may newly be missing at load time (WEAK)"
                                    : "must now be present at load time (no longer WEAK)");
        if (c == 0 && relocatable && old.data[i]->hidden != new.data[k]->hidden)
            outside_add(m, "import", true, NULL, NULL, "%s is %s", name,
                        new.data[k]->hidden ? "newly hidden: a shared library's is no longer used"
                                            : "no longer hidden: a shared library's may be used");
        i += c <= 0 ? n1 : 0;
        k += c >= 0 ? n2 : 0;
    }
    buf_free(&a);
    buf_free(&b);
    vec_free(&old);
    vec_free(&new);
}

/* ---- exceptions ---- */

static bool same_type(struct match *m, uint64_t a, uint64_t b, bool indirect)
{
    if (!a || !b)
        return a == b;
    const struct object_pointer *p = object_pointer_at(m->side[0].o, a),
                                *q = object_pointer_at(m->side[1].o, b);
    /* slots of the GOT of relocatable objects, of ARM */
    const struct object_stub *s = object_stub_at(m->side[0].o, a), *t = object_stub_at(m->side[1].o, b);
    if (indirect && !p && !q && s && t)
        return s->name && t->name ? strcmp(s->name, t->name) == 0
                                  : !s->name && !t->name && match_same_address(m, s->target, t->target);
    if (!indirect || !p || !q)
        return !indirect && match_same_address(m, a, b);
    if (p->name || q->name)
        return p->name && q->name && strcmp(p->name, q->name) == 0 && p->addend == q->addend;
    return match_same_address(m, p->target, q->target);
}

/* Which types a handler catches is in no instruction. */
static bool same_handlers(struct match *m, const struct object_handlers *a, const struct object_handlers *b,
                          bool same_code)
{
    if (!a && !b)
        return true;
    if (!a || !b)
        return !same_code;
    if (a->broken || b->broken || a->ntypes != b->ntypes || a->indirect != b->indirect)
        return false;
    for (size_t i = 0; i < a->ntypes; i++)
        if (!same_type(m, a->type[i], b->type[i], a->indirect))
            return false;
    return !same_code || (a->nsite == b->nsite && memcmp(a->site, b->site, a->nsite) == 0);
}

static void exceptions(struct match *m)
{
    for (size_t i = 0; i < m->pairs.len; i++) {
        const struct match_pair *x = &m->pairs.data[i];
        if (x->old == MATCH_NONE || x->new == MATCH_NONE)
            continue;
        const struct flow_function *f = &m->side[0].function[x->old], *g = &m->side[1].function[x->new];
        if (!same_handlers(m, object_handlers(m->side[0].o, f->address),
                           object_handlers(m->side[1].o, g->address), x->status == MATCH_IDENTICAL))
            outside_add(m, "exceptions", true, NULL, NULL, "%s may catch other exceptions", g->name);
    }
}

/* A function that only one has, and that nobody calls but the dynamic linker. */
static void starters(struct match *m)
{
    for (size_t i = 0; i < m->pairs.len; i++) {
        const struct match_pair *x = &m->pairs.data[i];
        int side = x->old == MATCH_NONE;
        if (x->old != MATCH_NONE && x->new != MATCH_NONE)
            continue;
        const struct flow_function *f = &m->side[side].function[side ? x->new : x->old];
        if (f->sources & BOUND_INIT)
            outside_add(m, "start", true, side ? NULL : f->name, side ? f->name : NULL, "%s %s", f->name,
                        side ? "was added and runs at load time" : "was removed and ran at load time");
    }
}

static int by_text(const void *x, const void *y)
{
    const struct match_outside *a = x, *b = y;
    int c = strcmp(a->kind, b->kind);
    return c ? c : strcmp(a->text, b->text);
}

size_t match_outside(struct match *m, const struct match_outside **out)
{
    if (!m->outside_made) {
        m->outside_made = true;
        header(m);
        entry(m);
        needed(m);
        dynamic_strings(m);
        dynamic_flag_sets(m);
        one_place(m, "start", "initialisation function (DT_INIT):", dynamic_value(m->side[0].o, DT_INIT),
                  dynamic_value(m->side[1].o, DT_INIT));
        one_place(m, "start", "termination function (DT_FINI):", dynamic_value(m->side[0].o, DT_FINI),
                  dynamic_value(m->side[1].o, DT_FINI));
        rights(m);
        segments(m);
        exported(m);
        interposed(m);
        imported(m);
        starters(m);
        exceptions(m);
        initial_contents(m);
        linking_sections(m);
        landing_marks(m);
        vec_sort(&m->outside, by_text);
    }
    *out = m->outside.data;
    return m->outside.len;
}
