/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Initial contents of memory. Variables are inputs of a function, so no function shows that they start with
 * something else; read-only data is compared with the functions that use it. */
#include <ctype.h>
#include <elf.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "match/private.h"

const struct object_section *side_section_named(const struct side *s, const char *name)
{
    const struct object_section *x;
    size_t n = object_sections(s->o, &x);
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && strcmp(x[i].name, name) == 0)
            return &x[i];
    return NULL;
}

/* Words that lead to things without partners are not known to be the same: here they count as different,
 * unless the matcher took the two for partners by their places. */
bool same_contents(struct match *m, uint64_t a1, uint64_t a2, uint64_t n)
{
    enum same r = n ? same_bytes(m, a1, a2, n, MATCH_NONE, MATCH_NONE) : SAME_YES;
    if (r != SAME_UNKNOWN)
        return r == SAME_YES;
    const struct side *s1 = &m->side[0];
    unsigned word = program_machine(s1->p)->pointer_width / 8;
    for (uint64_t at = 0; at + word <= n; at++) {
        const struct object_pointer *p = object_pointer_at(s1->o, a1 + at),
                                    *q = object_pointer_at(m->side[1].o, a2 + at);
        if (p && q && !p->name && !q->name && !match_same_address(m, p->target, q->target))
            return false;
        if (!p && s1->context.fixed && at % word == 0) {
            uint64_t w1 = 0, w2 = 0;
            if (object_read(s1->o, a1 + at, &w1, word) && object_read(m->side[1].o, a2 + at, &w2, word) &&
                w1 != w2 && !match_same_address(m, w1, w2))
                return false;
        }
    }
    return true;
}

static bool all_zero(const struct side *s, uint64_t address, uint64_t n)
{
    size_t have = 0;
    const uint8_t *b = n ? object_bytes(s->o, address, &have) : NULL;
    if (n && (!b || have < n))
        return false;
    for (uint64_t i = 0; i < n; i++)
        if (b[i])
            return false;
    return true;
}

/* ---- variables with names ---- */

/* One on each side, by name; those of one name, local to several files, in their order. */
struct variable {
    const char *name;
    uint64_t address, size;
    uint32_t number; /* of those of its name */
    bool paired;
};

typedef VEC(struct variable) variables;

static int by_name(const void *x, const void *y)
{
    const struct variable *a = x, *b = y;
    int c = strcmp(a->name, b->name);
    return c ? c : a->address < b->address ? -1 : a->address > b->address;
}

static int by_address(const void *x, const void *y)
{
    const struct variable *a = x, *b = y;
    return a->address < b->address ? -1 : a->address > b->address;
}

enum variable_kind { VARIABLE, CONSTANT, THREAD_LOCAL };

static variables variables_of(const struct side *s, enum variable_kind kind)
{
    bool tls = kind == THREAD_LOCAL;
    const struct object_symbol *y;
    size_t n = object_symbols(s->o, &y);
    uint64_t base = tls && object_info(s->o)->type == OBJECT_RELOCATABLE ? object_load(s->o)->tls_address : 0;
    variables out = VEC_INIT;
    for (size_t i = 0; i < n; i++)
        if (!y[i].undefined && y[i].type == (tls ? SYMBOL_TLS : SYMBOL_OBJECT) && y[i].size && y[i].name &&
            *y[i].name && !name_is_numbered(y[i].name) &&
            (tls || object_is_readonly(s->o, y[i].address, 1) == (kind == CONSTANT)))
            vec_push(&out, (struct variable){y[i].name, y[i].address - base, y[i].size, 0, false});
    vec_sort(&out, by_name);
    size_t kept = 0;
    for (size_t i = 0; i < out.len; i++) {
        struct variable *last = kept ? &out.data[kept - 1] : NULL, x = out.data[i];
        bool named = last && strcmp(last->name, x.name) == 0;
        if (named && last->address == x.address)
            continue;
        x.number = named ? last->number + 1 : 0;
        out.data[kept++] = x;
    }
    out.len = kept;
    return out;
}

/* How many have the name of the i-th, which is the first of them. */
static size_t run_length(const variables *v, size_t i)
{
    size_t n = 1;
    while (i + n < v->len && strcmp(v->data[i + n].name, v->data[i].name) == 0)
        n++;
    return n;
}

typedef bool same_fn(struct match *m, const struct variable *a, const struct variable *b);
typedef void pair_fn(void *ctx, const struct variable *a, const struct variable *b);

/* Calls fn for every pair of one name. */
static void pair_variables(variables *old, variables *new, pair_fn *fn, void *ctx)
{
    for (size_t i = 0, k = 0; i < old->len && k < new->len;) {
        int c = strcmp(old->data[i].name, new->data[k].name);
        size_t n1 = run_length(old, i), n2 = run_length(new, k);
        for (size_t j = 0; c == 0 && n1 == n2 && j < n1; j++) {
            struct variable *a = &old->data[i + j], *b = &new->data[k + j];
            a->paired = b->paired = true;
            fn(ctx, a, b);
        }
        i += c <= 0 ? n1 : 0;
        k += c >= 0 ? n2 : 0;
    }
}

struct comparison {
    struct match *m;
    same_fn *same;
    const char *kind;
};

static void compare_variable(void *ctx, const struct variable *a, const struct variable *b)
{
    const struct comparison *c = ctx;
    if (!c->same(c->m, a, b))
        outside_add(c->m, c->kind, true, NULL, NULL, "%s has different initial contents", a->name);
}

static void compare_variables(struct match *m, variables *old, variables *new, same_fn *same,
                              const char *kind)
{
    struct comparison c = {m, same, kind};
    pair_variables(old, new, compare_variable, &c);
}

static bool in_nobits(const struct side *s, uint64_t address)
{
    const struct object_section *x = side_section(s, address);
    return x && x->nobits;
}

static bool same_variable(struct match *m, const struct variable *a, const struct variable *b)
{
    if (a->size != b->size)
        return false;
    if (in_nobits(&m->side[0], a->address) && in_nobits(&m->side[1], b->address))
        return true;
    return a->size <= CONTENT_MAX && same_contents(m, a->address, b->address, a->size);
}

/* ---- variables without names ---- */

/* The dynamic linker fills them, or what they hold is compared elsewhere. */
static bool is_data(const struct object_section *x)
{
    static const char *const other[] = {
        ".got",   ".dynamic", ".init_array",     ".fini_array", ".preinit_array",   ".ctors",
        ".dtors", ".jcr",     ".tm_clone_table", ".eh_frame",   ".gcc_except_table"};
    if (!x->alloc || !x->write || x->exec || x->tls || x->nobits || x->relro)
        return false;
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        if (strncmp(x->name, other[i], strlen(other[i])) == 0)
            return false;
    return true;
}

/* What of a section no variable covers that has a partner, or that is only on this side. */
struct gap {
    uint64_t address, size;
};

typedef VEC(struct gap) gaps;

static void add_gap(const struct side *s, gaps *out, uint64_t from, uint64_t to)
{
    while (from < to && all_zero(s, from, 1) && !object_pointer_at(s->o, from))
        from++;
    const struct object_pointer *p = NULL;
    unsigned word = program_machine(s->p)->pointer_width / 8;
    while (to > from && all_zero(s, to - 1, 1) &&
           !(to - from >= word && (p = object_pointer_at(s->o, to - word))))
        to--;
    if (to > from)
        vec_push(out, ((struct gap){from, to - from}));
}

/* v is sorted by address. `lone`: of variables of this name the two sides have different numbers. */
static gaps gaps_of(const struct side *s, const struct object_section *x, const variables *v,
                    struct strmap *other)
{
    gaps out = VEC_INIT;
    uint64_t at = x->address, end = x->address + x->size;
    for (size_t i = 0; i < v->len && v->data[i].address < end; i++) {
        const struct variable *y = &v->data[i];
        if (y->address < x->address || (!y->paired && strmap_find(other, y->name, 0)))
            continue;
        if (y->address > at)
            add_gap(s, &out, at, y->address);
        if (y->address + y->size > at)
            at = y->address + y->size;
    }
    if (at < end)
        add_gap(s, &out, at, end);
    return out;
}

static bool same_gaps(struct match *m, const struct object_section *x, const struct object_section *y,
                      variables v[2])
{
    struct strmap name[2] = {{0}, {0}};
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < v[side].len; i++)
            strmap_set(&name[side], v[side].data[i].name, 1);
    gaps a = gaps_of(&m->side[0], x, &v[0], &name[1]), b = gaps_of(&m->side[1], y, &v[1], &name[0]);
    bool same = a.len == b.len;
    for (size_t i = 0; same && i < a.len; i++)
        same = a.data[i].size == b.data[i].size &&
               same_contents(m, a.data[i].address, b.data[i].address, a.data[i].size);
    vec_free(&a);
    vec_free(&b);
    strmap_free(&name[0]);
    strmap_free(&name[1]);
    return same;
}

static void unnamed(struct match *m, variables v[2])
{
    /* Without symbols nobody knows where one variable ends and the next begins. */
    bool named =
        !m->ignore_names && !object_info(m->side[0].o)->stripped && !object_info(m->side[1].o)->stripped;
    const struct object_section *x;
    for (int side = 0; side < 2; side++) {
        size_t n = object_sections(m->side[side].o, &x);
        for (size_t i = 0; i < n; i++) {
            const struct object_section *y =
                is_data(&x[i]) ? side_section_named(&m->side[!side], x[i].name) : NULL;
            if (!is_data(&x[i]) || (y && side == 1))
                continue;
            if (!y || !is_data(y)) {
                if (!named && !all_zero(&m->side[side], x[i].address, x[i].size))
                    outside_add(m, "data", true, NULL, NULL, "%s has different initial contents", x[i].name);
                continue;
            }
            bool same = x[i].size == y->size && same_contents(m, x[i].address, y->address, x[i].size);
            if (!same && !(named && same_gaps(m, &x[i], y, v)))
                outside_add(m, "data", true, NULL, NULL,
                            named ? "%s has unnamed data with different initial contents"
                                  : "%s has different initial contents",
                            x[i].name);
        }
    }
}

/* ---- thread-local variables ---- */

/* Offsets into what a thread starts with: after what the file holds there are zeros. */
static bool same_template(struct match *m, uint64_t a, uint64_t b, uint64_t n)
{
    const struct object_load *x = object_load(m->side[0].o), *y = object_load(m->side[1].o);
    uint64_t n1 = a < x->tls_file_size ? x->tls_file_size - a : 0,
             n2 = b < y->tls_file_size ? y->tls_file_size - b : 0;
    n1 = n1 < n ? n1 : n;
    n2 = n2 < n ? n2 : n;
    uint64_t both = n1 < n2 ? n1 : n2;
    return same_contents(m, x->tls_address + a, y->tls_address + b, both) &&
           all_zero(&m->side[0], x->tls_address + a + both, n1 - both) &&
           all_zero(&m->side[1], y->tls_address + b + both, n2 - both);
}

static bool same_thread_local(struct match *m, const struct variable *a, const struct variable *b)
{
    return a->size == b->size && a->size <= CONTENT_MAX && same_template(m, a->address, b->address, a->size);
}

static void thread_locals(struct match *m)
{
    const struct object_load *x = object_load(m->side[0].o), *y = object_load(m->side[1].o);
    if (!x->has_tls && !y->has_tls)
        return;
    bool named = !object_info(m->side[0].o)->stripped && !object_info(m->side[1].o)->stripped;
    bool both = x->has_tls && y->has_tls;
    if (both && x->tls_size == y->tls_size && x->tls_align == y->tls_align &&
        same_template(m, 0, 0, x->tls_size))
        return;
    size_t before = m->outside.len;
    variables v[2] = {variables_of(&m->side[0], THREAD_LOCAL), variables_of(&m->side[1], THREAD_LOCAL)};
    compare_variables(m, &v[0], &v[1], same_thread_local, "thread-local");
    /* What lies elsewhere in a block of another size shows in the code, which has its offset. */
    if (m->outside.len == before && (!named || (both && x->tls_size == y->tls_size)))
        outside_add(m, "thread-local", true, NULL, NULL,
                    "thread-local variables have different initial contents");
    vec_free(&v[0]);
    vec_free(&v[1]);
}

/* ---- what runs when it is loaded, and when it ends ---- */

static bool dynamic_entry(const struct object *o, uint64_t tag, uint64_t *value)
{
    const struct object_dynamic *e;
    size_t n = object_dynamic(o, &e);
    for (size_t i = 0; i < n; i++)
        if (e[i].tag == tag) {
            *value = e[i].value;
            return true;
        }
    return false;
}

static void lists(struct match *m)
{
    static const struct {
        const char *name;
        uint64_t address, size;
    } list[] = {
        {".preinit_array", DT_PREINIT_ARRAY, DT_PREINIT_ARRAYSZ},
        {".init_array", DT_INIT_ARRAY, DT_INIT_ARRAYSZ},
        {".fini_array", DT_FINI_ARRAY, DT_FINI_ARRAYSZ},
        {".ctors", 0, 0},
        {".dtors", 0, 0},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        uint64_t at[2] = {0, 0}, size[2] = {0, 0};
        for (int side = 0; side < 2; side++) {
            const struct object_section *x = side_section_named(&m->side[side], list[i].name);
            /* The dynamic section is what is obeyed; a file without one has its start files look at the
             * section. */
            if (list[i].address && !object_info(m->side[side].o)->is_static) {
                if (dynamic_entry(m->side[side].o, list[i].address, &at[side]))
                    dynamic_entry(m->side[side].o, list[i].size, &size[side]);
            } else if (x) {
                at[side] = x->address;
                size[side] = x->size;
            }
        }
        if (size[0] != size[1] || (size[0] && !same_contents(m, at[0], at[1], size[0])))
            outside_add(m, "start", true, NULL, NULL,
                        "%s lists different functions to run at load time or exit", list[i].name);
    }
}

/* Pieces of _init and _fini, of which an object file has some that are no function's. */
static void start_code(struct match *m)
{
    static const char *const name[] = {".init", ".fini"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        const struct object_section *x = side_section_named(&m->side[0], name[i]),
                                    *y = side_section_named(&m->side[1], name[i]);
        bool has1 = x && x->exec && x->size, has2 = y && y->exec && y->size;
        if (has1 != has2 || (has1 && !match_same_address(m, x->address, y->address)))
            outside_add(m, "start", true, NULL, NULL, "%s has other code to run at load time or exit",
                        name[i]);
    }
}

/* __start_NAME and __stop_NAME lead to all that is in sections of such a name, of whatever file: the number
 * of entries and their order count. */
static bool is_linker_set(const struct object_section *x)
{
    const char *c = x->name;
    if (!isalpha((unsigned char)*c) && *c != '_')
        return false;
    while (isalnum((unsigned char)*c) || *c == '_')
        c++;
    return !*c;
}

/* The one of the other side with that name, of several the one with as many before it. */
static const struct object_section *section_elsewhere(const struct match *m, int side, size_t i)
{
    const struct object_section *x, *y;
    object_sections(m->side[side].o, &x);
    size_t n = object_sections(m->side[!side].o, &y), before = 0;
    for (size_t k = 0; k < i; k++)
        before += x[k].alloc && strcmp(x[k].name, x[i].name) == 0;
    for (size_t k = 0; k < n; k++)
        if (y[k].alloc && strcmp(y[k].name, x[i].name) == 0 && !before--)
            return &y[k];
    return NULL;
}

/* Functions that run at load time or exit, among those of all files: the linker sorts such sections by the
 * number behind the name. */
static bool is_sorted_list(const struct object_section *x)
{
    static const char *const list[] = {".init_array.", ".fini_array.", ".ctors.", ".dtors."};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strncmp(x->name, list[i], strlen(list[i])) == 0)
            return true;
    return false;
}

/* Sections of a relocatable object that others look for by name, such as what a kernel module says of itself.
 */
static void other_sections(struct match *m)
{
    static const char *const usual[] = {".rodata",     ".data.rel.ro",   ".eh_frame", ".gcc_except_table",
                                        ".note",       ".ARM.ex",        ".debug",    ".init_array",
                                        ".fini_array", ".preinit_array", ".ctors",    ".dtors"};
    const struct object_section *x;
    if (object_info(m->side[0].o)->type != OBJECT_RELOCATABLE)
        return;
    for (int side = 0; side < 2; side++) {
        size_t n = object_sections(m->side[side].o, &x);
        for (size_t i = 0; i < n; i++) {
            bool sorted = is_sorted_list(&x[i]);
            bool skip = !x[i].alloc || x[i].exec || x[i].nobits || x[i].tls || !x[i].size ||
                        (is_data(&x[i]) && !is_linker_set(&x[i]) && !sorted);
            for (size_t k = 0; !skip && !sorted && k < sizeof usual / sizeof *usual; k++)
                skip = strncmp(x[i].name, usual[k], strlen(usual[k])) == 0;
            const struct object_section *y = skip ? NULL : section_elsewhere(m, side, i);
            if (skip || (y && side == 1))
                continue;
            if (!y || y->size != x[i].size || !same_contents(m, x[i].address, y->address, x[i].size))
                outside_add(m, "data", true, NULL, NULL, "section %s has different contents", x[i].name);
        }
    }
}

/* ---- constants ---- */

/* What is exported is compared as such. */
static bool is_exported(const struct side *s, const struct variable *v)
{
    const struct object_symbol *y;
    size_t n = object_symbols(s->o, &y);
    for (size_t i = 0; i < n; i++)
        if (y[i].dynamic && !y[i].undefined && y[i].address == v->address && y[i].name &&
            strcmp(y[i].name, v->name) == 0)
            return true;
    return false;
}

static bool refers_to(struct match *m, uint32_t function, const struct variable *v)
{
    size_t n = match_references(m, false, function, NULL, 0);
    uint64_t *all = xcalloc(n + 1, sizeof *all);
    match_references(m, false, function, all, n);
    bool refers = false;
    for (size_t k = 0; k < n; k++)
        refers = refers || (all[k] >= v->address && all[k] - v->address < v->size);
    free(all);
    return refers;
}

/* Some function that is asked about refers to the constant: then what it holds is looked at there. Or one
 * that is the same does, for which what it holds means the same: distances to strings that moved. */
static bool is_explained(struct match *m, const struct variable *a, const struct variable *b)
{
    const struct match_pair *pair;
    size_t npairs = match_pairs(m, &pair);
    for (size_t i = 0; i < npairs; i++) {
        const struct match_pair *p = &pair[i];
        bool changed = p->status == MATCH_CHANGED, same = p->status == MATCH_IDENTICAL;
        if ((changed || same) && refers_to(m, p->old, a) &&
            (changed || data_same(m, a->address, b->address, p->old, p->new) == SAME_YES))
            return true;
    }
    return false;
}

/* Constants are compared with the functions that use them. One that differs though no such function was found
 * to is used in a way that was not seen. */
static void compare_constant(void *ctx, const struct variable *a, const struct variable *b)
{
    struct match *m = ctx;
    const struct object_section *x = side_section(&m->side[0], a->address),
                                *y = side_section(&m->side[1], b->address);
    if (x && y && !x->exec && y->exec)
        outside_add(m, "executable", true, NULL, NULL, "%s is newly executable", a->name);
    if (!same_variable(m, a, b) && !is_exported(&m->side[0], a) && !is_explained(m, a, b))
        outside_add(m, "data", true, NULL, NULL,
                    "the constant %s has different contents, and no changed function is seen to use it",
                    a->name);
}

static void constants(struct match *m)
{
    variables v[2] = {variables_of(&m->side[0], CONSTANT), variables_of(&m->side[1], CONSTANT)};
    pair_variables(&v[0], &v[1], compare_constant, m);
    vec_free(&v[0]);
    vec_free(&v[1]);
}

/* A table that becomes writable: functions still read it, and anything that can write may change what they
 * read. */
static void compare_unlocked(void *ctx, const struct variable *a, const struct variable *b)
{
    struct match *m = ctx;
    const struct object_section *x = side_section(&m->side[0], a->address);
    bool linked = object_info(m->side[1].o)->type != OBJECT_RELOCATABLE;
    bool told =
        linked && x && x->relro && !object_load(m->side[1].o)->relro; /* of all that was read-only so */
    if (!told)
        outside_add(m, "writable", true, NULL, NULL, "%s is newly writable", a->name);
    if (!same_variable(m, a, b))
        outside_add(m, "data", true, NULL, NULL, "%s has different initial contents", a->name);
}

static void compare_locked(void *ctx, const struct variable *a, const struct variable *b)
{
    struct match *m = ctx;
    bool same = same_variable(m, a, b);
    outside_add(m, same ? "writable" : "data", !same, NULL, NULL, "%s %s", a->name,
                same ? "is no longer writable" : "has different initial contents");
}

static void rights_of_variables(struct match *m)
{
    for (int locked = 0; locked < 2; locked++) {
        variables v[2] = {variables_of(&m->side[0], locked ? VARIABLE : CONSTANT),
                          variables_of(&m->side[1], locked ? CONSTANT : VARIABLE)};
        pair_variables(&v[0], &v[1], locked ? compare_locked : compare_unlocked, m);
        vec_free(&v[0]);
        vec_free(&v[1]);
    }
}

/* GOT slots that stayed in place but are now for another thread-local: references to them look the same. */
static void slots(struct match *m)
{
    const struct object_pointer *p;
    size_t n = object_pointers(m->side[0].o, &p);
    for (size_t i = 0; i < n; i++) {
        const struct object_pointer *q = object_pointer_at(m->side[1].o, p[i].address);
        if (p[i].other && q && q->other && p[i].name && q->name && strcmp(p[i].name, q->name) != 0)
            outside_add(m, "thread-local", true, NULL, NULL, "a thread-local GOT entry for %s is now for %s",
                        p[i].name, q->name);
    }
}

void initial_contents(struct match *m)
{
    variables v[2] = {variables_of(&m->side[0], VARIABLE), variables_of(&m->side[1], VARIABLE)};
    if (!m->ignore_names)
        compare_variables(m, &v[0], &v[1], same_variable, "data");
    vec_sort(&v[0], by_address);
    vec_sort(&v[1], by_address);
    unnamed(m, v);
    vec_free(&v[0]);
    vec_free(&v[1]);
    thread_locals(m);
    lists(m);
    start_code(m);
    other_sections(m);
    if (!m->ignore_names) {
        constants(m);
        rights_of_variables(m);
    }
    slots(m);
}
