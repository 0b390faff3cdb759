/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is numbered and kept: spaces, methods, selectors, and what constant spaces hold. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "lift/java/internal.h"

const struct java_boxed java_boxed[JAVA_BOXES] = {{"java/lang/Byte", 'B', -128, 127},
                                                  {"java/lang/Short", 'S', -128, 127},
                                                  {"java/lang/Integer", 'I', -128, 127},
                                                  {"java/lang/Long", 'J', -128, 127},
                                                  {"java/lang/Character", 'C', 0, 127}};

static uint32_t add_space(struct java_lift *l, const char *name, unsigned index, unsigned cell, bool constant)
{
    if (l->nspaces == SPACES_MAX)
        return UINT32_MAX;
    l->space[l->nspaces++] = (struct ir_space){.name = name,
                                               .index_width = (uint16_t)index,
                                               .cell_width = (uint16_t)cell,
                                               .survives_calls = true,
                                               .survives_unknown = true,
                                               .zero = !constant,
                                               .constant = constant};
    for (size_t i = 0; i < l->machine.len; i++)
        l->machine.data[i]->nspaces = l->nspaces;
    return l->nspaces;
}

unsigned java_element_width(unsigned element)
{
    static const uint8_t width[] = {0, 8, 16, 16, 32, 64, 32, 64, 32};
    return width[element];
}

uint32_t java_element_space(unsigned element)
{
    return JAVA_ELEMENTS + element - 1;
}

unsigned java_element_of(const struct java_class *array)
{
    static const char letters[] = "BCSIJFD";
    if (!array->component)
        return JAVA_NO_ARRAY;
    const char *p = strchr(letters, array->name[1] == 'Z' ? 'B' : array->name[1]);
    return p ? JAVA_BYTES + (unsigned)(p - letters) : JAVA_REFERENCES;
}

unsigned java_width(char type)
{
    switch (type) {
    case 'B':
    case 'Z':
        return 8;
    case 'C':
    case 'S':
        return 16;
    case 'J':
    case 'D':
        return 64;
    }
    return 32;
}

/* What the machine's own exceptions keep of their message (synth_exception). */
static void extend_throwable(struct java_lift *l)
{
    static const char *const name[] = {"assay index", "assay length", "assay message"};
    struct java_class *c = java_world_class(l->w, "java/lang/Throwable", NULL);
    if (!c)
        return;
    struct java_field *f = arena_array(&l->w->arena, struct java_field, c->nfields + 3u);
    memcpy(f, c->field, c->nfields * sizeof *f);
    for (unsigned i = 0; i < 3; i++)
        f[c->nfields + i] = (struct java_field){.owner = c, .name = name[i], .desc = "I"};
    c->field = f;
    c->nfields = (uint16_t)(c->nfields + 3);
}

struct java_lift *java_lift_new(struct java_world *w, bool assertions)
{
    static const struct {
        const char *name;
        uint8_t index, cell;
        bool constant;
    } fixed[] = {{"class", 32, 32, false},    {"length", 32, 32, false},   {"ready", 32, 8, false},
                 {"thrown", 32, 64, false},   {"subclass", 64, 8, true},   {"dispatch", 64, 64, true},
                 {"element", 32, 32, true},   {"component", 32, 32, true}, {"array of", 32, 32, true},
                 {"byte[]", 64, 8, false},    {"char[]", 64, 16, false},   {"short[]", 64, 16, false},
                 {"int[]", 64, 32, false},    {"long[]", 64, 64, false},   {"float[]", 64, 32, false},
                 {"double[]", 64, 64, false}, {"Object[]", 64, 32, false}};
    struct java_lift *l = xcalloc(1, sizeof *l);
    l->w = w;
    l->assertions = assertions;
    l->b = ir_builder_new();
    l->space = xcalloc(SPACES_MAX, sizeof *l->space);
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        add_space(l, fixed[i].name, fixed[i].index, fixed[i].cell, fixed[i].constant);
    assert(l->nspaces == JAVA_ELEMENTS + JAVA_ELEMENT_KINDS - 2);
    vec_push(&l->method, NULL);
    vec_push(&l->code, NULL);
    vec_push(&l->selector, NULL);
    extend_throwable(l);
    return l;
}

void java_lift_free(struct java_lift *l)
{
    if (!l)
        return;
    for (size_t i = 0; i < l->machine.len; i++)
        free(l->machine.data[i]);
    vec_free(&l->machine);
    vec_free(&l->method);
    vec_free(&l->code);
    vec_free(&l->selector);
    vec_free(&l->literal);
    vec_free(&l->models);
    map_free(&l->selectors);
    map_free(&l->initialisers);
    map_free(&l->dynamics);
    map_free(&l->reasons);
    map_free(&l->assumed);
    strmap_free(&l->literals);
    strmap_free(&l->made);
    ir_builder_free(l->b);
    arena_free(&l->arena);
    free(l->space);
    free(l);
}

const struct ir_machine *java_machine(struct java_lift *l, unsigned slots)
{
    enum { STEP = 8 };
    unsigned bytes = (slots + STEP - 1) / STEP * STEP * SLOT;
    for (size_t i = 0; i < l->machine.len; i++)
        if (l->machine.data[i]->file_size == bytes)
            return l->machine.data[i];
    struct ir_machine *m = xcalloc(1, sizeof *m);
    *m = (struct ir_machine){.name = "java",
                             .pointer_width = 64,
                             .file_size = bytes,
                             .space = l->space,
                             .nspaces = l->nspaces,
                             .pc = UINT16_MAX,
                             .sp = REG_SP * SLOT,
                             .fp = UINT16_MAX,
                             .lr = UINT16_MAX,
                             .ret = REG_RESULT * SLOT,
                             .ret2 = UINT16_MAX,
                             .fret = UINT16_MAX,
                             .syscall_nr = UINT16_MAX,
                             .syscall_ret = UINT16_MAX,
                             .locals = true,
                             .ret_width = 64,
                             .sp_align = 1};
    vec_push(&l->machine, m);
    return m;
}

uint64_t java_address(struct java_lift *l, struct java_method *m)
{
    if (!m->number) {
        m->number = (uint32_t)l->method.len;
        vec_push(&l->method, m);
        vec_push(&l->code, NULL);
    }
    return (uint64_t)m->number << 32;
}

struct java_method *java_method_at(const struct java_lift *l, uint64_t address)
{
    uint64_t n = address >> 32;
    return n < l->method.len ? l->method.data[n] : NULL;
}

const struct java_code *java_code(struct java_lift *l, uint64_t address)
{
    struct java_method *m = java_method_at(l, address);
    if (!m)
        return NULL;
    if (!l->code.data[m->number]) {
        struct java_method *other = model_of(l, m);
        struct java_code *c;
        if (other && other != m) {
            /* The code of the model under the address of the method. */
            other->number = m->number;
            c = java_translate(l, other);
        } else {
            c = java_translate(l, m);
        }
        l->code.data[m->number] = c;
    }
    return l->code.data[m->number];
}

bool java_has_model(const struct java_lift *l, const struct java_method *m)
{
    const struct java_code *c = m->number < l->code.len ? l->code.data[m->number] : NULL;
    return c && c->method != m;
}

uint32_t java_field_space(struct java_lift *l, struct java_field *f)
{
    if (!f->space) {
        const char *name = arena_printf(&l->arena, "%s.%s:%s", f->owner->name, f->name, f->desc);
        uint32_t n = add_space(l, name, 32, java_width(f->desc[0]), false);
        f->space = n == UINT32_MAX ? 0 : n;
    }
    return f->space;
}

uint32_t java_selector(struct java_lift *l, struct java_method *m)
{
    uint64_t known;
    if (map_get(&l->selectors, (uint64_t)(uintptr_t)m, &known))
        return (uint32_t)known;
    uint32_t n = (uint32_t)l->selector.len;
    vec_push(&l->selector, m);
    map_set(&l->selectors, (uint64_t)(uintptr_t)m, n);
    return n;
}

void java_note_reason(struct java_lift *l, uint64_t label, const char *why)
{
    map_set(&l->reasons, label, (uint64_t)(uintptr_t)arena_strdup(&l->arena, why));
}

void java_model_used(struct java_lift *l, const char *name)
{
    for (size_t i = 0; i < l->models.len; i++)
        if (strcmp(l->models.data[i], name) == 0)
            return;
    vec_push(&l->models, arena_strdup(&l->arena, name));
}

size_t java_models_used(const struct java_lift *l, const char *const **out)
{
    *out = l->models.data;
    return l->models.len;
}

const char *java_reason(const struct java_lift *l, uint64_t label)
{
    return (const char *)(uintptr_t)map_find(&l->reasons, label, 0);
}

const char *java_strings(const struct java_lift *l)
{
    return l->strings;
}

bool java_assumed(const struct java_lift *l, uint64_t label)
{
    return map_get(&l->assumed, label, NULL);
}

struct java_class *java_class_of(const struct java_lift *l, uint64_t id)
{
    return id < l->w->class.len ? l->w->class.data[id] : NULL;
}

/* The methods that a class has though no file says so have selectors of their own. */
static struct java_method *selected(struct java_lift *l, struct java_class *c, struct java_method *m)
{
    if (m->owner->origin || m->name[0] != '*')
        return java_select(c, m);
    static const struct {
        const char *name;
        struct java_method *(*make)(struct java_lift *l, struct java_class *c);
    } made[] = {{"*clone", synth_clone},   {"*name", synth_name},
                {"*super", synth_super},   {"*simple", synth_simple_name},
                {"*values", synth_values}, {"*canonical", synth_canonical_name}};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++)
        if (strcmp(m->name, made[i].name) == 0)
            return made[i].make(l, c);
    return NULL;
}

bool java_cell(struct java_lift *l, unsigned space, uint64_t index, struct bits *out)
{
    uint32_t high = (uint32_t)(index >> 32), low = (uint32_t)index;
    struct java_class *c = java_class_of(l, low), *of;
    uint64_t value = 0;
    switch (space) {
    case JAVA_SUBCLASS:
        of = java_class_of(l, high);
        value = c && of && java_subclass(c, of);
        break;
    case JAVA_DISPATCH: {
        if (high >= l->selector.len || !high)
            return false;
        struct java_method *named = l->selector.data[high], *m = c ? selected(l, c, named) : NULL;
        if (!m || m->flags & JAVA_ABSTRACT)
            m = synth_unknown(l, named, "a call of a method that the object's class does not have");
        value = java_address(l, m);
        break;
    }
    case JAVA_ELEMENT:
        value = c ? java_element_of(c) : 0;
        break;
    case JAVA_COMPONENT:
        value = c && c->component ? c->component->id : 0;
        break;
    case JAVA_ARRAY_OF:
        of = c && strcmp(c->name, "void") != 0 ? java_world_array(l->w, c, NULL) : NULL;
        if (!of)
            return false;
        value = of->id;
        break;
    default:
        return false;
    }
    *out = bits_u64(value, 64);
    return true;
}
