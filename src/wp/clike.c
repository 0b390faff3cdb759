/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions as a C programmer writes them: arg0 != 0 && mem32[arg0 + 8] < 100, ret@new == ret@old, p->len
 * <= 64.
 *
 *   number 'c'             decimal, hexadecimal or octal; as wide as what it meets
 *   argN, a parameter      the value at entry
 *   a variable             of the file, when the condition is about; its type from debug information
 *   ret                    what the function returns (in --post)
 *   $rax, rax              a register
 *   memN[a]                N bits of memory at a (8, 16, 32, 64)
 *   p->f, p[i], *p, s.f    through types that debug information knows
 *   &x                     where the variable, field, element lies
 *   x@old, x@new           of which version; needed in --post of two
 *   init(x)                x as it was at entry
 *   (type) x               char short int long, signed or unsigned, (u)intN_t, size_t
 *   ! ~ - * / % + - << >> < <= > >= == != & ^ | && || ==> ?:
 *
 * Numbers are signed unless their type says otherwise; a narrower operand is extended by its own sign.
 * Division by zero and shifts past the width are as in base/op.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wp/internal.h"

enum node_kind {
    NODE_NUMBER,
    NODE_NAME,
    NODE_UNARY,
    NODE_BINARY,
    NODE_COND,
    NODE_MEM,
    NODE_FIELD,
    NODE_INDEX,
    NODE_DEREF,
    NODE_ADDRESS,
    NODE_VERSION,
    NODE_INIT,
    NODE_CAST
};

struct node {
    uint8_t kind;
    unsigned column;
    char op[4];
    struct node *a, *b, *c;
    const char *name;
    uint64_t number;
    unsigned width; /* casts and memory */
    bool is_signed, arrow, decimal;
    unsigned version;
};

struct parser {
    struct wp *w;
    const char *what, *text, *at;
    bool post, failed;
    unsigned depth;
};

enum { DEPTH_MAX = 200 };

static void fail_at(struct parser *p, unsigned column, const char *why)
{
    if (p->failed)
        return;
    p->failed = true;
    wp_fail(p->w, "%s: column %u: %s: %.*s >>> %s", p->what, column + 1, why, (int)column, p->text,
            p->text + column);
}

static struct node *new_node(struct parser *p, enum node_kind kind, unsigned column)
{
    struct node *n = arena_new(p->w->arena, struct node);
    n->kind = (uint8_t)kind;
    n->column = column;
    return n;
}

static unsigned here(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return (unsigned)(p->at - p->text);
}

static bool accept(struct parser *p, const char *word)
{
    here(p);
    size_t n = strlen(word);
    if (strncmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool expect(struct parser *p, const char *word)
{
    char why[40];
    if (accept(p, word))
        return true;
    snprintf(why, sizeof why, "expected '%s'", word);
    fail_at(p, here(p), why);
    return false;
}

static char *word(struct parser *p)
{
    here(p);
    const char *from = p->at;
    if (!isalpha((unsigned char)*from) && *from != '_' && *from != '$')
        return NULL;
    while (isalnum((unsigned char)*p->at) || *p->at == '_' || *p->at == '$' || *p->at == '.')
        if (*p->at == '.') /* a.b is a field; only names like .L5 have dots, and they are not for people */
            break;
        else
            p->at++;
    return arena_strndup(p->w->arena, from, (size_t)(p->at - from));
}

/* The type in parentheses, when there is one. */
static bool cast(struct parser *p, unsigned *width, bool *is_signed)
{
    const char *start = p->at;
    unsigned pointer = p->w->side[0].code->m->pointer_width;
    *width = 0;
    *is_signed = true;
    if (!accept(p, "("))
        return false;
    for (char *w; (w = word(p));) {
        unsigned n = 0;
        bool sign = true;
        char tail = 0;
        if (strcmp(w, "unsigned") == 0 || strcmp(w, "signed") == 0) {
            *is_signed = *w == 's';
            *width = *width ? *width : 32;
            continue;
        }
        if (strcmp(w, "char") == 0)
            n = 8;
        else if (strcmp(w, "short") == 0)
            n = 16;
        else if (strcmp(w, "int") == 0)
            n = *width && *width != 32 ? *width : 32;
        else if (strcmp(w, "long") == 0)
            n = *width == pointer && pointer == 32 ? 64 : pointer;
        else if (strcmp(w, "size_t") == 0 || strcmp(w, "uintptr_t") == 0)
            n = pointer, sign = false;
        else if (sscanf(w, "uint%u_%c", &n, &tail) == 2 && tail == 't')
            sign = false;
        else if (sscanf(w, "int%u_%c", &n, &tail) == 2 && tail == 't')
            sign = true;
        else {
            p->at = start;
            return false;
        }
        *width = n;
        *is_signed = *is_signed && sign;
    }
    if (!*width || *width > 64 || *width % 8 || !accept(p, ")")) {
        p->at = start;
        return false;
    }
    return true;
}

static struct node *expression(struct parser *p);

static struct node *memory_access(struct parser *p, const char *name, unsigned column)
{
    struct node *n = new_node(p, NODE_MEM, column);
    n->width = (unsigned)strtoul(name + 3, NULL, 10);
    n->is_signed = true;
    if (n->width != 8 && n->width != 16 && n->width != 32 && n->width != 64)
        fail_at(p, column, "memory is mem8, mem16, mem32 or mem64");
    expect(p, "[");
    n->a = expression(p);
    expect(p, "]");
    return n;
}

static struct node *primary(struct parser *p)
{
    unsigned column = here(p);
    if (isdigit((unsigned char)*p->at)) {
        struct node *n = new_node(p, NODE_NUMBER, column);
        char *end;
        n->number = strtoull(p->at, &end, 0);
        n->is_signed = true;
        n->decimal = *p->at != '0';
        while (*end && strchr("uUlL", *end)) {
            n->is_signed = n->is_signed && *end != 'u' && *end != 'U';
            end++;
        }
        p->at = end;
        if (isalnum((unsigned char)*p->at))
            fail_at(p, column, "not a number");
        return n;
    }
    if (*p->at == '\'' && p->at[1] && p->at[2] == '\'') {
        struct node *n = new_node(p, NODE_NUMBER, column);
        n->number = (unsigned char)p->at[1];
        n->is_signed = true;
        p->at += 3;
        return n;
    }
    if (accept(p, "(")) {
        struct node *n = expression(p);
        expect(p, ")");
        return n;
    }
    char *name = word(p);
    if (!name) {
        fail_at(p, column, *p->at ? "expected a value" : "unexpected end");
        return new_node(p, NODE_NUMBER, column);
    }
    if (strcmp(name, "init") == 0 && accept(p, "(")) {
        struct node *n = new_node(p, NODE_INIT, column);
        n->a = expression(p);
        expect(p, ")");
        return n;
    }
    if (strncmp(name, "mem", 3) == 0 && isdigit((unsigned char)name[3]))
        return memory_access(p, name, column);
    struct node *n = new_node(p, NODE_NAME, column);
    if (strcmp(name, "NULL") == 0) {
        n->kind = NODE_NUMBER;
        n->is_signed = false;
    } else if (strcmp(name, "true") == 0 || strcmp(name, "false") == 0) {
        n->kind = NODE_NUMBER;
        n->number = *name == 't';
        n->is_signed = true;
    }
    n->name = name;
    return n;
}

static struct node *postfix(struct parser *p)
{
    struct node *n = primary(p);
    while (!p->failed) {
        unsigned column = here(p);
        if (accept(p, "->") || (strncmp(p->at, "..", 2) != 0 && accept(p, "."))) {
            struct node *f = new_node(p, NODE_FIELD, column);
            f->a = n;
            f->arrow = p->text[column] == '-';
            f->name = word(p);
            if (!f->name)
                fail_at(p, here(p), "expected the name of a field");
            n = f;
        } else if (accept(p, "[")) {
            struct node *i = new_node(p, NODE_INDEX, column);
            i->a = n;
            i->b = expression(p);
            expect(p, "]");
            n = i;
        } else if (accept(p, "@")) {
            struct node *v = new_node(p, NODE_VERSION, column);
            char *which = word(p);
            bool old = which && (strcmp(which, "old") == 0 || strcmp(which, "orig") == 0);
            bool new = which && (strcmp(which, "new") == 0 || strcmp(which, "mod") == 0);
            if (!old && !new)
                fail_at(p, column, "a version is @old or @new");
            v->version = new;
            v->a = n;
            n = v;
        } else {
            break;
        }
    }
    return n;
}

static struct node *unary(struct parser *p)
{
    unsigned column = here(p), width;
    bool is_signed;
    if (++p->depth > DEPTH_MAX) {
        fail_at(p, column, "nested too deeply");
        p->depth--;
        return new_node(p, NODE_NUMBER, column);
    }
    struct node *n;
    if (cast(p, &width, &is_signed)) {
        n = new_node(p, NODE_CAST, column);
        n->width = width;
        n->is_signed = is_signed;
        n->a = unary(p);
    } else if (*p->at == '!' || *p->at == '~' || *p->at == '-') {
        n = new_node(p, NODE_UNARY, column);
        n->op[0] = *p->at++;
        n->a = unary(p);
    } else if (*p->at == '*') {
        p->at++;
        n = new_node(p, NODE_DEREF, column);
        n->a = unary(p);
    } else if (*p->at == '&') {
        p->at++;
        n = new_node(p, NODE_ADDRESS, column);
        n->a = unary(p);
    } else {
        n = postfix(p);
    }
    p->depth--;
    return n;
}

static const char *const level[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
enum { LEVELS = sizeof level / sizeof *level };

/* The operator of this level that stands next, not the beginning of a longer one. */
static const char *operator_at(struct parser *p, unsigned k)
{
    here(p);
    for (unsigned i = 0; i < 5 && level[k][i]; i++) {
        const char *o = level[k][i];
        size_t n = strlen(o);
        if (strncmp(p->at, o, n) != 0)
            continue;
        char next = p->at[n];
        if ((n == 1 && strchr("|&", *o) && next == *o) || (n == 1 && strchr("<>", *o) && next == *o) ||
            (strcmp(o, "==") == 0 && next == '>') || (*o == '-' && next == '>'))
            continue;
        return o;
    }
    return NULL;
}

static struct node *binary(struct parser *p, unsigned k)
{
    if (k == LEVELS)
        return unary(p);
    struct node *l = binary(p, k + 1);
    for (const char *o; !p->failed && (o = operator_at(p, k));) {
        struct node *n = new_node(p, NODE_BINARY, here(p));
        memcpy(n->op, o, strlen(o) + 1);
        p->at += strlen(o);
        n->a = l;
        n->b = binary(p, k + 1);
        l = n;
    }
    return l;
}

static struct node *expression(struct parser *p)
{
    if (++p->depth > DEPTH_MAX) {
        fail_at(p, here(p), "nested too deeply");
        p->depth--;
        return new_node(p, NODE_NUMBER, here(p));
    }
    struct node *l = binary(p, 0), *n;
    if (accept(p, "==>")) {
        n = new_node(p, NODE_BINARY, here(p));
        memcpy(n->op, "==>", 4);
        n->a = l;
        n->b = expression(p);
        l = n;
    } else if (accept(p, "?")) {
        n = new_node(p, NODE_COND, here(p));
        n->a = l;
        n->b = expression(p);
        expect(p, ":");
        n->c = expression(p);
        l = n;
    }
    p->depth--;
    return l;
}

/* ---- meaning ---- */

struct value {
    term x;
    unsigned width;
    bool is_signed, literal, decimal;
    uint64_t number;                     /* of a literal */
    const struct object_type_info *type; /* or NULL */
    bool place;                          /* x is the address of an object of the type */
    term at;                             /* where it was read; or TERM_NONE */
};

struct scope {
    struct parser *p;
    struct side *side;
    int version; /* -1: none was said */
    bool entry;  /* as it was at entry */
    bool address; /* no more than where it is, is asked */
};

static struct value evaluate(struct scope s, const struct node *n);

static struct value nothing(struct scope s)
{
    return (struct value){.x = term_const(s.p->w->t, 32, 0), .width = 32, .is_signed = true};
}

/* From the memory at the end, in pieces where those of the two versions lie apart. */
static term loaded_at_end(struct side *side, term address, unsigned bits)
{
    struct terms *t = side->w->t;
    const struct explore_hooks *h = &side->code->hooks;
    unsigned together = bits / 8;
    term at = h->place ? h->place(h->ctx, address, bits / 8, &together) : address;
    if (together && together < bits / 8)
        return term_concat(t, loaded_at_end(side, term_add_const(t, address, together), bits - together * 8),
                           loaded_at_end(side, address, together * 8));
    return term_read(t, side_final_memory(side), at, bits);
}

/* What the code would load there. */
static term loaded(struct scope s, const struct node *n, term address, unsigned bits)
{
    if (!s.entry && s.p->w->nsides == 2 && s.version < 0)
        fail_at(s.p, n->column, "which version? add @old or @new");
    term x = explorer_load(s.side->code->x, address, bits);
    if (!s.entry && !term_is_const(s.p->w->t, x)) /* or it never changes */
        x = loaded_at_end(s.side, address, bits);
    return rom_load(s.side, address, bits, x);
}

static bool type_signed(const struct object_type_info *t)
{
    return t->kind == TYPE_INT ? t->is_signed : t->kind == TYPE_ENUM && t->is_signed;
}

static bool is_scalar(const struct object_type_info *t)
{
    return t && t->size >= 1 && t->size <= 8 &&
           (t->kind == TYPE_INT || t->kind == TYPE_BOOL || t->kind == TYPE_POINTER || t->kind == TYPE_ENUM);
}

/* The object at an address: read when it is a number, kept as a place when it is a structure or an array. */
static struct value object_at(struct scope s, const struct node *n, term address,
                              const struct object_type_info *t)
{
    struct wp *w = s.p->w;
    if (!t) {
        fail_at(s.p, n->column, "unknown type");
        return nothing(s);
    }
    if (!is_scalar(t))
        return (struct value){
            .x = address, .width = term_width(w->t, address), .type = t, .place = true, .at = address};
    return (struct value){.x = loaded(s, n, address, (unsigned)t->size * 8),
                          .width = (unsigned)t->size * 8,
                          .is_signed = type_signed(t),
                          .type = t,
                          .at = address};
}

static struct value typed(term x, unsigned width, const struct object_type_info *t)
{
    struct value v = {.x = x, .width = width, .is_signed = true, .type = t};
    if (t)
        v.is_signed = type_signed(t);
    return v;
}

/* Arguments in their order: whole words, two for a wide one on 32 bits. */
static bool parameter(struct scope s, const struct node *n, struct value *out)
{
    struct wp *w = s.p->w;
    const struct object_function_debug *d = object_debug_function(s.side->code->o, s.side->code->f->address);
    unsigned word = 0, bits = s.side->code->m->pointer_width;
    for (size_t i = 0; d && i < d->nparams; i++) {
        const struct object_type_info *t = d->param[i].type;
        bool this = d->param[i].name && strcmp(d->param[i].name, n->name) == 0;
        if (!is_scalar(t)) {
            if (this)
                fail_at(s.p, n->column, "a parameter of this type cannot be named; use registers or memory");
            if (!t || t->kind != TYPE_FLOAT) /* how it is passed decides where the next ones are */
                return this;
            continue;
        }
        unsigned words = t->size * 8 > bits ? 2 : 1;
        if (words == 2 && s.side->code->m->arch == MACHINE_ARM)
            word += word % 2;
        if (this) {
            term x = side_argument(s.side, word);
            if (words == 2)
                x = term_concat(w->t, side_argument(s.side, word + 1), x);
            *out = typed(term_extract(w->t, x, 0, (unsigned)t->size * 8), (unsigned)t->size * 8, t);
            return true;
        }
        word += words;
    }
    return false;
}

static struct value returned(struct scope s, const struct node *n)
{
    struct wp *w = s.p->w;
    const struct ir_machine *m = s.side->code->m;
    if (!s.p->post || s.entry)
        fail_at(s.p, n->column, "there is no return value at entry");
    if (w->nsides == 2 && s.version < 0)
        fail_at(s.p, n->column, "which version? use ret@old or ret@new");
    const struct object_function_debug *d = object_debug_function(s.side->code->o, s.side->code->f->address);
    const struct object_type_info *t = d ? d->result : NULL;
    if (t && t->kind == TYPE_FLOAT && t->size <= 8 && m->fret != UINT16_MAX)
        return typed(side_final(s.side, m->fret, (unsigned)t->size * 8), (unsigned)t->size * 8, NULL);
    if (t && t->kind == TYPE_FLOAT)
        fail_at(s.p, n->column, "a result of this type is not in a register that can be named");
    unsigned width = is_scalar(t) ? (unsigned)t->size * 8 : m->pointer_width;
    term x = side_final(s.side, m->ret, width > m->pointer_width ? m->pointer_width : width);
    if (width > m->pointer_width)
        x = term_concat(w->t, side_final(s.side, m->ret2, m->pointer_width), x);
    return typed(x, width, is_scalar(t) ? t : NULL);
}

/* A variable of the file. False: there is none of that name. */
static bool variable(struct scope s, const struct node *n, struct value *out)
{
    struct global g;
    const char *why;
    *out = nothing(s);
    if (!global_find(s.side, n->name, &g, &why)) {
        if (why)
            fail_at(s.p, n->column, why);
        return why != NULL;
    }
    if (s.address)
        *out = (struct value){.x = g.at, .width = term_width(s.p->w->t, g.at), .at = g.at};
    else if (g.type)
        *out = object_at(s, n, g.at, g.type);
    else
        fail_at(s.p, n->column, "nothing says of what type this variable is; mem32[&x] reads 32 bits of x");
    return true;
}

static struct value name_value(struct scope s, const struct node *n)
{
    struct wp *w = s.p->w;
    struct value v;
    unsigned k;
    char rest;
    if (parameter(s, n, &v))
        return s.p->failed ? nothing(s) : v;
    if (sscanf(n->name, "arg%u%c", &k, &rest) == 1 && k < 64) {
        /* typed as the parameter is */
        const struct object_function_debug *d =
            object_debug_function(s.side->code->o, s.side->code->f->address);
        bool plain = d && k < d->nparams;
        for (unsigned i = 0; plain && i <= k; i++)
            plain =
                is_scalar(d->param[i].type) && d->param[i].type->size * 8 <= s.side->code->m->pointer_width;
        const struct object_type_info *t = plain ? d->param[k].type : NULL;
        unsigned width = t ? (unsigned)t->size * 8 : s.side->code->m->pointer_width;
        return typed(term_extract(w->t, side_argument(s.side, k), 0, width), width, t);
    }
    if (strcmp(n->name, "ret") == 0)
        return returned(s, n);
    uint16_t offset, width;
    if (machine_register_find(s.side->code->m, *n->name == '$' ? n->name + 1 : n->name, &offset, &width) &&
        width % 8 == 0) {
        if (s.p->post && !s.entry && w->nsides == 2 && s.version < 0)
            fail_at(s.p, n->column, "which version? add @old or @new");
        return typed(s.p->post && !s.entry ? side_final(s.side, offset, width)
                                           : side_entry(s.side, offset, width),
                     width, NULL);
    }
    if (variable(s, n, &v))
        return v;
    fail_at(s.p, n->column,
            "not a parameter, register, argN, ret or variable of the file (which debug information or a "
            "symbol names)");
    return nothing(s);
}

static struct value fit(struct scope s, struct value v, unsigned width)
{
    struct terms *t = s.p->w->t;
    if (v.place) {
        v.place = false;
        v.type = NULL;
    }
    v.at = TERM_NONE;
    if (v.literal)
        v.x = term_const(t, width, v.number);
    else if (v.width < width)
        v.x = v.is_signed ? term_sext(t, v.x, width) : term_zext(t, v.x, width);
    else if (v.width > width)
        v.x = term_extract(t, v.x, 0, width);
    v.width = width;
    return v;
}

static term truth(struct scope s, struct value v)
{
    struct terms *t = s.p->w->t;
    return v.width == 1 ? v.x : term_not(t, term_eq(t, v.x, term_const(t, v.width, 0)));
}

static struct value boolean(term x)
{
    return (struct value){.x = x, .width = 1};
}

/* A truth value among numbers is 0 or 1. */
static struct value number(struct scope s, struct value v)
{
    if (v.width != 1)
        return v;
    return (struct value){.x = term_zext(s.p->w->t, v.x, 32), .width = 32, .is_signed = true};
}

/* The width of a value that meets a literal: its own, unless the literal does not fit. 0xffffffff may be
 * meant as -1, 4294967295 is not. */
static unsigned width_with(struct value v, struct value literal)
{
    uint64_t high = v.width < 64 ? literal.number >> (v.width - 1) : 0;
    unsigned most = v.is_signed && literal.decimal && literal.is_signed ? 0 : 1;
    bool fits = v.width >= 64 || high <= most || high == UINT64_MAX >> (v.width - 1);
    return fits ? v.width : 64;
}

static struct value compute(struct scope s, const struct node *n, struct value a, struct value b)
{
    struct terms *t = s.p->w->t;
    const char *o = n->op;
    if (strcmp(o, "&&") == 0)
        return boolean(term_and(t, truth(s, a), truth(s, b)));
    if (strcmp(o, "||") == 0)
        return boolean(term_or(t, truth(s, a), truth(s, b)));
    if (strcmp(o, "==>") == 0)
        return boolean(term_implies(t, truth(s, a), truth(s, b)));
    if (a.width == 1 && b.width == 1 && (*o == '=' || (*o == '!' && o[1]))) {
        term same = term_eq(t, a.x, b.x);
        return boolean(*o == '=' ? same : term_not(t, same));
    }
    a = number(s, a);
    b = number(s, b);
    /* p + 1 is the next object */
    const struct object_type_info *elem =
        a.type && (a.type->kind == TYPE_POINTER || a.type->kind == TYPE_ARRAY) ? a.type->target : NULL;
    bool arith = strcmp(o, "+") == 0 || strcmp(o, "-") == 0;
    const struct object_type_info *pointer =
        arith && elem && !(b.type && b.type->kind == TYPE_POINTER) ? a.type : NULL;
    unsigned width = a.literal && b.literal ? 64
                     : a.literal            ? width_with(b, a)
                     : b.literal            ? width_with(a, b)
                     : a.width > b.width    ? a.width
                                            : b.width;
    bool is_signed = (a.literal ? b.is_signed : b.literal ? a.is_signed : a.is_signed && b.is_signed);
    if (a.width != b.width && !a.literal && !b.literal)
        is_signed = a.width > b.width ? a.is_signed : b.is_signed;
    if ((a.literal && !a.is_signed) || (b.literal && !b.is_signed))
        is_signed = false;
    a = fit(s, a, width);
    b = fit(s, b, width);
    if (pointer && elem->size > 1)
        b.x = term_bin(t, OP_MUL, b.x, term_const(t, width, elem->size));
    static const struct {
        const char *text;
        enum op sign, plain;
        bool swap, negate, compares;
    } table[] = {
        {"+", OP_ADD, OP_ADD, false, false, false},   {"-", OP_SUB, OP_SUB, false, false, false},
        {"*", OP_MUL, OP_MUL, false, false, false},   {"/", OP_SDIV, OP_UDIV, false, false, false},
        {"%", OP_SREM, OP_UREM, false, false, false}, {"&", OP_AND, OP_AND, false, false, false},
        {"|", OP_OR, OP_OR, false, false, false},     {"^", OP_XOR, OP_XOR, false, false, false},
        {"<<", OP_SHL, OP_SHL, false, false, false},  {">>", OP_ASHR, OP_LSHR, false, false, false},
        {"==", OP_EQ, OP_EQ, false, false, true},     {"!=", OP_EQ, OP_EQ, false, true, true},
        {"<", OP_SLT, OP_ULT, false, false, true},    {"<=", OP_SLE, OP_ULE, false, false, true},
        {">", OP_SLT, OP_ULT, true, false, true},     {">=", OP_SLE, OP_ULE, true, false, true},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (strcmp(table[i].text, o) != 0)
            continue;
        term x = term_bin(t, is_signed ? table[i].sign : table[i].plain, table[i].swap ? b.x : a.x,
                          table[i].swap ? a.x : b.x);
        if (table[i].compares)
            return boolean(table[i].negate ? term_not(t, x) : x);
        return (struct value){.x = x, .width = width, .is_signed = is_signed, .type = pointer};
    }
    return nothing(s);
}

static struct value field(struct scope s, const struct node *n)
{
    struct value v = evaluate(s, n->a);
    const struct object_type_info *t = v.type;
    if (s.p->failed)
        return v;
    if (n->arrow) {
        if (!t || t->kind != TYPE_POINTER || v.place) {
            fail_at(s.p, n->a->column,
                    "not known to be a pointer to a structure (is there debug information?)");
            return nothing(s);
        }
        t = t->target;
    } else if (!v.place) {
        fail_at(s.p, n->a->column, "not a structure");
        return nothing(s);
    }
    for (size_t i = 0; t && i < t->nfields; i++) {
        const struct object_field *f = &t->field[i];
        if (!f->name || strcmp(f->name, n->name) != 0)
            continue;
        struct value at = object_at(s, n, term_add_const(s.p->w->t, v.x, f->offset), f->type);
        if (f->bit_size && !at.place && f->bit_offset + f->bit_size <= at.width) {
            term x = term_extract(s.p->w->t, at.x, f->bit_offset, f->bit_size);
            at.x = at.is_signed ? term_sext(s.p->w->t, x, at.width) : term_zext(s.p->w->t, x, at.width);
            at.at = TERM_NONE;
        }
        return at;
    }
    fail_at(s.p, n->column, "the structure has no field of this name");
    return nothing(s);
}

static struct value element(struct scope s, const struct node *n, const struct node *index)
{
    struct terms *t = s.p->w->t;
    struct value v = evaluate(s, n->a);
    const struct object_type_info *elem =
        v.type && (v.type->kind == TYPE_POINTER || v.type->kind == TYPE_ARRAY) ? v.type->target : NULL;
    if (s.p->failed)
        return v;
    if (!elem || (v.place && v.type->kind != TYPE_ARRAY) || !elem->size) {
        fail_at(s.p, n->column, "not known to be a pointer or an array; memN[address] needs no types");
        return nothing(s);
    }
    term at = v.x;
    if (index) {
        struct value i = fit(s, number(s, evaluate(s, index)), v.width);
        at = term_bin(t, OP_ADD, at, term_bin(t, OP_MUL, i.x, term_const(t, v.width, elem->size)));
    }
    return object_at(s, n, at, elem);
}

/* A number: what is added to it are bytes. */
static struct value address_of(struct scope s, const struct node *n)
{
    s.address = true;
    struct value v = evaluate(s, n->a);
    if (!s.p->failed && v.at == TERM_NONE)
        fail_at(s.p, n->column, "only a variable, a field, an element or memory has an address");
    if (s.p->failed)
        return nothing(s);
    return (struct value){.x = v.at, .width = term_width(s.p->w->t, v.at)};
}

static struct value evaluate(struct scope s, const struct node *n)
{
    struct terms *t = s.p->w->t;
    if (s.p->failed)
        return nothing(s);
    s.address = s.address && (n->kind == NODE_NAME || n->kind == NODE_VERSION || n->kind == NODE_INIT);
    switch ((enum node_kind)n->kind) {
    case NODE_NUMBER:
        return (struct value){.x = term_const(t, 64, n->number),
                              .width = 64,
                              .literal = true,
                              .decimal = n->decimal,
                              .number = n->number,
                              .is_signed = n->is_signed};
    case NODE_NAME:
        return name_value(s, n);
    case NODE_VERSION:
        if (s.p->w->nsides < 2) {
            fail_at(s.p, n->column, "@old and @new are for comparing two programs");
            return nothing(s);
        }
        s.version = (int)n->version;
        s.side = &s.p->w->side[n->version];
        return evaluate(s, n->a);
    case NODE_INIT:
        s.entry = true;
        return evaluate(s, n->a);
    case NODE_CAST: {
        struct value v = fit(s, number(s, evaluate(s, n->a)), n->width);
        return (struct value){.x = v.x, .width = n->width, .is_signed = n->is_signed};
    }
    case NODE_UNARY: {
        struct value v = evaluate(s, n->a);
        if (n->op[0] == '!')
            return boolean(term_not(t, truth(s, v)));
        v = number(s, v);
        v.x = term_un(t, n->op[0] == '-' ? OP_NEG : OP_NOT, v.x);
        v.number = n->op[0] == '-' ? -v.number : ~v.number;
        v.type = NULL;
        v.at = TERM_NONE;
        return v;
    }
    case NODE_BINARY: {
        struct value a = evaluate(s, n->a), b = evaluate(s, n->b);
        return s.p->failed ? nothing(s) : compute(s, n, a, b);
    }
    case NODE_COND: {
        struct value c = evaluate(s, n->a), a = number(s, evaluate(s, n->b)),
                     b = number(s, evaluate(s, n->c));
        unsigned width = a.literal ? b.width : b.literal ? a.width : a.width > b.width ? a.width : b.width;
        a = fit(s, a, width);
        b = fit(s, b, width);
        a.x = term_ite(t, truth(s, c), a.x, b.x);
        a.literal = false;
        return a;
    }
    case NODE_MEM: {
        struct value at = fit(s, number(s, evaluate(s, n->a)), s.side->code->m->pointer_width);
        return (struct value){
            .x = loaded(s, n, at.x, n->width), .width = n->width, .is_signed = true, .at = at.x};
    }
    case NODE_FIELD:
        return field(s, n);
    case NODE_INDEX:
        return element(s, n, n->b);
    case NODE_DEREF:
        return element(s, n, NULL);
    case NODE_ADDRESS:
        return address_of(s, n);
    }
    return nothing(s);
}

term clike_read(struct wp *w, const char *what, const char *text, bool post)
{
    struct parser p = {.w = w, .what = what, .text = text, .at = text, .post = post};
    struct node *n = expression(&p);
    if (!p.failed && *(p.text + here(&p)))
        fail_at(&p, here(&p), "expected an operator");
    if (p.failed)
        return TERM_NONE;
    struct scope s = {.p = &p, .side = &w->side[0], .version = -1, .entry = !post};
    struct value v = evaluate(s, n);
    if (p.failed)
        return TERM_NONE;
    return truth(s, v);
}
