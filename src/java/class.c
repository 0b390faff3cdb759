/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java/class.h"

#include <string.h>

struct reader {
    const uint8_t *data;
    size_t size, at;
    const char *origin;
    struct arena *arena;
    struct error *err;
    struct java_class *c;
    bool bad;
};

static bool fail(struct reader *r, const char *what)
{
    if (!r->bad)
        error_set(r->err, ERROR_INPUT, "%s: not a class file that can be read: %s (byte %zu)", r->origin,
                  what, r->at);
    return !(r->bad = true);
}

static const uint8_t *take(struct reader *r, size_t n)
{
    if (r->bad || r->size - r->at < n) {
        fail(r, "it ends too early");
        return NULL;
    }
    r->at += n;
    return r->data + r->at - n;
}

static uint32_t number(struct reader *r, unsigned bytes)
{
    const uint8_t *p = take(r, bytes);
    uint32_t v = 0;
    for (unsigned i = 0; p && i < bytes; i++)
        v = v << 8 | p[i];
    return v;
}

/* ---- names and descriptors ---- */

const char *java_dotted(struct arena *arena, const char *name)
{
    char *out = arena_strdup(arena, name);
    for (char *p = out; *p; p++)
        *p = *p == '/' ? '.' : *p;
    return out;
}

char java_type(const char *p, const char **end)
{
    unsigned dims = 0;
    const char *s = p;
    while (*s == '[') {
        s++;
        if (++dims > 255)
            return 0;
    }
    if (*s == 'L') {
        const char *first = ++s;
        while (*s && *s != ';' && *s != '[' && *s != '.' && *s != '(' && *s != ')')
            s++;
        if (*s != ';' || s == first)
            return 0;
    } else if (!*s || !strchr(dims ? "BCDFIJSZ" : "BCDFIJSZV", *s)) {
        return 0;
    }
    *end = s + 1;
    return *p;
}

bool java_signature(const char *desc, unsigned *words, unsigned *count)
{
    *words = *count = 0;
    if (*desc++ != '(')
        return false;
    while (*desc != ')') {
        char type = java_type(desc, &desc);
        if (!type || type == 'V')
            return false;
        *words += type == 'J' || type == 'D' ? 2 : 1;
        ++*count;
    }
    return *words <= 255 && java_type(desc + 1, &desc) && !*desc;
}

static bool is_field_type(const char *desc)
{
    const char *end;
    char type = java_type(desc, &end);
    return type && type != 'V' && !*end;
}

static bool is_class_name(const char *name)
{
    const char *end;
    if (*name == '[')
        return java_type(name, &end) && !*end;
    return *name && !strpbrk(name, ".;[()") && name[0] != '/';
}

/* Modified UTF-8: no byte 0, nothing beyond three bytes, every sequence whole. */
static bool is_text(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        unsigned more = p[i] < 0x80 ? 0 : (p[i] & 0xe0) == 0xc0 ? 1 : (p[i] & 0xf0) == 0xe0 ? 2 : 9;
        if (!p[i] || more > 2 || n - i <= more)
            return false;
        for (unsigned k = 1; k <= more; k++)
            if ((p[i + k] & 0xc0) != 0x80)
                return false;
        i += 1 + more;
    }
    return true;
}

/* ---- the constant pool ---- */

const struct java_cp *java_cp(const struct java_class *c, unsigned index, unsigned tag)
{
    return index && index < c->ncp && c->cp[index].tag == tag ? &c->cp[index] : NULL;
}

static const char *text_at(struct reader *r, unsigned index)
{
    const struct java_cp *p = java_cp(r->c, index, JAVA_CP_UTF8);
    if (!p)
        fail(r, "a name is not in the constant pool");
    return p ? p->text : "";
}

static const char *class_at(struct reader *r, unsigned index)
{
    const struct java_cp *p = java_cp(r->c, index, JAVA_CP_CLASS);
    const struct java_cp *name = p ? java_cp(r->c, p->a, JAVA_CP_UTF8) : NULL;
    if (!name || !is_class_name(name->text)) {
        fail(r, "a class is not in the constant pool");
        return "";
    }
    return name->text;
}

static void read_entry(struct reader *r, struct java_cp *p)
{
    p->tag = (uint8_t)number(r, 1);
    switch (p->tag) {
    case JAVA_CP_UTF8: {
        p->len = number(r, 2);
        const uint8_t *s = take(r, p->len);
        if (s && !is_text(s, p->len))
            fail(r, "a text is not modified UTF-8");
        p->text = s ? arena_strndup(r->arena, (const char *)s, p->len) : "";
        return;
    }
    case JAVA_CP_INTEGER:
    case JAVA_CP_FLOAT:
        p->bits = number(r, 4);
        return;
    case JAVA_CP_LONG:
    case JAVA_CP_DOUBLE:
        p->bits = (uint64_t)number(r, 4) << 32;
        p->bits |= number(r, 4);
        return;
    case JAVA_CP_CLASS:
    case JAVA_CP_STRING:
    case JAVA_CP_METHOD_TYPE:
    case JAVA_CP_MODULE:
    case JAVA_CP_PACKAGE:
        p->a = (uint16_t)number(r, 2);
        return;
    case JAVA_CP_FIELD:
    case JAVA_CP_METHOD:
    case JAVA_CP_INTERFACE_METHOD:
    case JAVA_CP_NAME_AND_TYPE:
    case JAVA_CP_DYNAMIC:
    case JAVA_CP_INVOKE_DYNAMIC:
        p->a = (uint16_t)number(r, 2);
        p->b = (uint16_t)number(r, 2);
        return;
    case JAVA_CP_HANDLE:
        p->handle = (uint8_t)number(r, 1);
        p->a = (uint16_t)number(r, 2);
        return;
    }
    fail(r, "an entry of the constant pool is of no known kind");
}

/* Name and descriptor of a member. */
static void name_and_type(struct reader *r, struct java_cp *p)
{
    const struct java_cp *n = java_cp(r->c, p->b, JAVA_CP_NAME_AND_TYPE);
    if (!n) {
        fail(r, "a member has no name and type");
        return;
    }
    unsigned words, count;
    p->text = text_at(r, n->a);
    p->desc = text_at(r, n->b);
    bool field = p->tag == JAVA_CP_FIELD || p->tag == JAVA_CP_DYNAMIC;
    if (!*p->text || (field ? !is_field_type(p->desc) : !java_signature(p->desc, &words, &count)))
        fail(r, "the descriptor of a member is wrong");
}

static void resolve_entry(struct reader *r, struct java_cp *p)
{
    const struct java_cp *to;
    unsigned words, count;
    switch (p->tag) {
    case JAVA_CP_CLASS:
        p->text = class_at(r, (unsigned)(p - r->c->cp));
        return;
    case JAVA_CP_STRING:
        to = java_cp(r->c, p->a, JAVA_CP_UTF8);
        if (!to)
            fail(r, "a string is not in the constant pool");
        p->text = to ? to->text : "";
        p->len = to ? to->len : 0;
        return;
    case JAVA_CP_METHOD_TYPE:
        p->text = text_at(r, p->a);
        if (!java_signature(p->text, &words, &count))
            fail(r, "the descriptor of a method type is wrong");
        return;
    case JAVA_CP_FIELD:
    case JAVA_CP_METHOD:
    case JAVA_CP_INTERFACE_METHOD:
        p->owner = class_at(r, p->a);
        name_and_type(r, p);
        return;
    case JAVA_CP_DYNAMIC:
    case JAVA_CP_INVOKE_DYNAMIC:
        name_and_type(r, p);
        return;
    }
}

static void resolve_handle(struct reader *r, struct java_cp *p)
{
    if (p->tag != JAVA_CP_HANDLE)
        return;
    const struct java_cp *to = p->a && p->a < r->c->ncp ? &r->c->cp[p->a] : NULL;
    bool field = to && to->tag == JAVA_CP_FIELD;
    bool method = to && (to->tag == JAVA_CP_METHOD || to->tag == JAVA_CP_INTERFACE_METHOD);
    if (p->handle < 1 || p->handle > 9 || (p->handle <= 4 ? !field : !method)) {
        fail(r, "a method handle leads nowhere");
        return;
    }
    p->owner = to->owner;
    p->text = to->text;
    p->desc = to->desc;
}

static void read_pool(struct reader *r)
{
    struct java_class *c = r->c;
    c->ncp = (uint16_t)number(r, 2);
    c->cp = arena_array(r->arena, struct java_cp, c->ncp + 1u);
    for (unsigned i = 1; i < c->ncp && !r->bad; i++) {
        read_entry(r, &c->cp[i]);
        if (c->cp[i].tag == JAVA_CP_LONG || c->cp[i].tag == JAVA_CP_DOUBLE)
            i++;
    }
    for (unsigned i = 1; i < c->ncp && !r->bad; i++)
        resolve_entry(r, &c->cp[i]);
    for (unsigned i = 1; i < c->ncp && !r->bad; i++)
        resolve_handle(r, &c->cp[i]);
}

/* ---- members ---- */

/* Begins an attribute; *next is where it ends. */
static const char *attribute(struct reader *r, size_t *next)
{
    const char *name = text_at(r, number(r, 2));
    size_t n = number(r, 4);
    if (!r->bad && r->size - r->at < n)
        fail(r, "an attribute is too long");
    *next = r->at + n;
    return name;
}

static bool attribute_end(struct reader *r, size_t next)
{
    if (!r->bad && r->at > next)
        fail(r, "an attribute is shorter than what is in it");
    r->at = r->bad ? r->at : next;
    return !r->bad;
}

static void read_lines(struct reader *r, struct java_method *m)
{
    unsigned n = number(r, 2);
    if (r->bad || r->size - r->at < (size_t)n * 4) {
        fail(r, "a table of lines is too long");
        return;
    }
    struct java_line *all = arena_array(r->arena, struct java_line, m->nlines + n + 1);
    if (m->nlines)
        memcpy(all, m->line, m->nlines * sizeof *all);
    for (unsigned i = 0; i < n; i++) {
        all[m->nlines].pc = (uint16_t)number(r, 2);
        all[m->nlines++].line = (uint16_t)number(r, 2);
    }
    m->line = all;
}

static void read_code(struct reader *r, struct java_method *m)
{
    if (m->code) {
        fail(r, "a method has its code twice");
        return;
    }
    m->max_stack = (uint16_t)number(r, 2);
    m->max_locals = (uint16_t)number(r, 2);
    m->ncode = number(r, 4);
    const uint8_t *code = take(r, m->ncode);
    if (!r->bad && (m->ncode == 0 || m->ncode > UINT16_MAX))
        fail(r, "a method's code is empty or too long");
    if (r->bad)
        return;
    m->code = arena_dup(r->arena, code, m->ncode);
    m->nhandlers = (uint16_t)number(r, 2);
    if (r->bad || r->size - r->at < (size_t)m->nhandlers * 8) {
        fail(r, "a table of handlers is too long");
        return;
    }
    struct java_handler *h = arena_array(r->arena, struct java_handler, m->nhandlers + 1u);
    m->handler = h;
    for (unsigned i = 0; i < m->nhandlers && !r->bad; i++) {
        h[i].start = (uint16_t)number(r, 2);
        h[i].end = (uint16_t)number(r, 2);
        h[i].at = (uint16_t)number(r, 2);
        unsigned type = number(r, 2);
        h[i].type = type ? class_at(r, type) : NULL;
        if (h[i].start >= h[i].end || h[i].end > m->ncode || h[i].at >= m->ncode)
            fail(r, "a handler lies outside the code");
    }
    unsigned n = number(r, 2);
    for (unsigned i = 0; i < n && !r->bad; i++) {
        size_t next;
        const char *name = attribute(r, &next);
        if (!r->bad && strcmp(name, "LineNumberTable") == 0)
            read_lines(r, m);
        attribute_end(r, next);
    }
}

static void read_field(struct reader *r, struct java_field *f)
{
    f->owner = r->c;
    f->flags = (uint16_t)number(r, 2);
    f->name = text_at(r, number(r, 2));
    f->desc = text_at(r, number(r, 2));
    if (!r->bad && !is_field_type(f->desc))
        fail(r, "the descriptor of a field is wrong");
    unsigned n = number(r, 2);
    for (unsigned i = 0; i < n && !r->bad; i++) {
        size_t next;
        const char *name = attribute(r, &next);
        if (!r->bad && strcmp(name, "ConstantValue") == 0)
            f->constant = (uint16_t)number(r, 2);
        attribute_end(r, next);
    }
    if (f->constant && (f->constant >= r->c->ncp || !r->c->cp[f->constant].tag))
        fail(r, "the value of a constant is not in the constant pool");
}

static void read_method(struct reader *r, struct java_method *m)
{
    unsigned words, count;
    m->owner = r->c;
    m->flags = (uint16_t)number(r, 2);
    m->name = text_at(r, number(r, 2));
    m->desc = text_at(r, number(r, 2));
    if (!r->bad && (!*m->name || !java_signature(m->desc, &words, &count)))
        fail(r, "the descriptor of a method is wrong");
    unsigned n = number(r, 2);
    for (unsigned i = 0; i < n && !r->bad; i++) {
        size_t next;
        const char *name = attribute(r, &next);
        if (!r->bad && strcmp(name, "Code") == 0)
            read_code(r, m);
        attribute_end(r, next);
    }
    if (!r->bad && (m->flags & (JAVA_NATIVE | JAVA_ABSTRACT) ? m->code != NULL : m->code == NULL))
        fail(r, "a method has code and should not, or has none");
    if (!r->bad && m->code && java_signature(m->desc, &words, &count) &&
        words + !(m->flags & JAVA_STATIC) > m->max_locals)
        fail(r, "a method's arguments do not fit its locals");
}

static void read_bootstraps(struct reader *r)
{
    struct java_class *c = r->c;
    if (c->bootstrap) {
        fail(r, "bootstrap methods are there twice");
        return;
    }
    c->nbootstraps = (uint16_t)number(r, 2);
    c->bootstrap = arena_array(r->arena, struct java_bootstrap, c->nbootstraps + 1u);
    for (unsigned i = 0; i < c->nbootstraps && !r->bad; i++) {
        struct java_bootstrap *b = &c->bootstrap[i];
        b->method = (uint16_t)number(r, 2);
        b->nargs = (uint16_t)number(r, 2);
        if (!r->bad && (!java_cp(c, b->method, JAVA_CP_HANDLE) || r->size - r->at < b->nargs * 2u)) {
            fail(r, "a bootstrap method is wrong");
            return;
        }
        uint16_t *arg = arena_array(r->arena, uint16_t, b->nargs + 1u);
        b->arg = arg;
        for (unsigned k = 0; k < b->nargs; k++) {
            arg[k] = (uint16_t)number(r, 2);
            if (!arg[k] || arg[k] >= c->ncp || !c->cp[arg[k]].tag)
                fail(r, "an argument of a bootstrap method is not in the constant pool");
        }
    }
}

/* Of the classes that are listed only this one is of interest. */
static void read_inner_classes(struct reader *r)
{
    unsigned n = number(r, 2);
    for (unsigned i = 0; i < n && !r->bad; i++) {
        const char *class = class_at(r, number(r, 2));
        unsigned outer = number(r, 2), name = number(r, 2);
        number(r, 2);
        if (r->bad || strcmp(class, r->c->name) != 0)
            continue;
        r->c->simple_name = name ? text_at(r, name) : "";
        r->c->outer_name = outer ? class_at(r, outer) : NULL;
    }
}

static void read_class(struct reader *r)
{
    struct java_class *c = r->c;
    if (number(r, 4) != 0xcafebabe && !r->bad)
        fail(r, "it does not begin as one");
    number(r, 2);
    c->version = (uint16_t)number(r, 2);
    if (!r->bad && (c->version < JAVA_VERSION_MIN || c->version > JAVA_VERSION_MAX)) {
        error_set(r->err, ERROR_INPUT,
                  "%s: its version is %u (Java %d), and this reads up to %u (Java %u): compile it with "
                  "--release %u",
                  r->origin, c->version, (int)c->version - 44, JAVA_VERSION_MAX, JAVA_VERSION_MAX - 44, 17u);
        r->bad = true;
    }
    read_pool(r);
    c->flags = (uint16_t)number(r, 2);
    c->name = r->bad ? "" : class_at(r, number(r, 2));
    unsigned super = number(r, 2);
    c->super_name = super && !r->bad ? class_at(r, super) : NULL;
    if (!r->bad && (c->name[0] == '[' || (c->super_name && c->super_name[0] == '[')))
        fail(r, "a class is named as an array");
    if (!r->bad && !c->super_name && strcmp(c->name, "java/lang/Object") != 0 && !(c->flags & 0x8000))
        fail(r, "a class has no superclass");
    c->ninterfaces = (uint16_t)number(r, 2);
    const char **name = arena_array(r->arena, const char *, c->ninterfaces + 1u);
    c->interface_name = name;
    for (unsigned i = 0; i < c->ninterfaces && !r->bad; i++)
        name[i] = class_at(r, number(r, 2));
    c->nfields = (uint16_t)number(r, 2);
    c->field = arena_array(r->arena, struct java_field, c->nfields + 1u);
    for (unsigned i = 0; i < c->nfields && !r->bad; i++)
        read_field(r, &c->field[i]);
    c->nmethods = (uint16_t)number(r, 2);
    c->method = arena_array(r->arena, struct java_method, c->nmethods + 1u);
    for (unsigned i = 0; i < c->nmethods && !r->bad; i++)
        read_method(r, &c->method[i]);
    unsigned n = number(r, 2);
    for (unsigned i = 0; i < n && !r->bad; i++) {
        size_t next;
        const char *what = attribute(r, &next);
        if (!r->bad && strcmp(what, "BootstrapMethods") == 0)
            read_bootstraps(r);
        else if (!r->bad && strcmp(what, "SourceFile") == 0)
            c->source = text_at(r, number(r, 2));
        else if (!r->bad && strcmp(what, "InnerClasses") == 0)
            read_inner_classes(r);
        attribute_end(r, next);
    }
    if (!r->bad && r->at != r->size)
        fail(r, "something follows its end");
}

struct java_class *java_class_read(const uint8_t *data, size_t size, const char *origin, struct arena *arena,
                                   struct error *err)
{
    struct reader r = {.data = data, .size = size, .origin = origin, .arena = arena, .err = err};
    r.c = arena_new(arena, struct java_class);
    r.c->origin = arena_strdup(arena, origin);
    read_class(&r);
    return r.bad ? NULL : r.c;
}
