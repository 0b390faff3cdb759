/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading SMT-LIB 2.6: the core theory, bit-vectors, arrays of bit-vectors and declared functions, quantifier
 * free.
 *
 * Text is assumed to be hostile. It is read into s-expressions, which are then built into terms with an
 * explicit stack, so nesting cannot exhaust the machine's; let-bound names are built once; a define-fun is
 * built once over fresh symbols and instantiated by substitution, and what all that may cost together is
 * limited (WORK_LIMIT).
 *
 * Bool and (_ BitVec 1) are one sort here, as everywhere in assay. */
#include "term/smtlib_reader.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

bool reader_fail(struct reader *r, const struct sexp *at, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return error_set(r->err, ERROR_INPUT, "%u:%u: %s", at->line, at->column, text);
}

/* What an expression looks like in an error message. */
const char *reader_shown(const struct sexp *s)
{
    return s->token == SMTLIB_OPEN ? "(...)" : s->text;
}

bool reader_spend(struct reader *r, const struct sexp *at, uint64_t n)
{
    r->work += n;
    return r->work <= WORK_LIMIT ||
           reader_fail(r, at, "the expression is too large: over %d nodes from define-fun", WORK_LIMIT);
}

/* ---- scopes ---- */

static struct binding *find(struct reader *r, const char *name)
{
    size_t i = (size_t)strmap_find(&r->scope, name, 0);
    return i ? &r->binding.data[i - 1] : NULL;
}

static void bind(struct reader *r, struct binding b)
{
    b.shadowed = (size_t)strmap_find(&r->scope, b.name, 0);
    vec_push(&r->binding, b);
    strmap_set(&r->scope, b.name, r->binding.len);
}

static void unbind_to(struct reader *r, size_t len)
{
    while (r->binding.len > len) {
        struct binding b = vec_pop(&r->binding);
        strmap_set(&r->scope, b.name, b.shadowed);
    }
}

/* ---- sorts ---- */

struct sort reader_sort_of(const struct reader *r, term x)
{
    if (term_is_array(r->t, x))
        return (struct sort){0, term_index_width(r->t, x), term_cell_width(r->t, x)};
    return (struct sort){term_width(r->t, x), 0, 0};
}

bool reader_sort_eq(struct sort a, struct sort b)
{
    return a.width == b.width && a.index == b.index && a.cell == b.cell;
}

const char *reader_sort_text(struct reader *r, struct sort s)
{
    if (!s.width)
        return arena_printf(&r->arena, "(Array %u %u)", s.index, s.cell);
    return s.width == 1 ? "Bool" : arena_printf(&r->arena, "(_ BitVec %u)", s.width);
}

bool reader_number(struct reader *r, const struct sexp *s, unsigned limit, const char *what, unsigned *out)
{
    struct bits v;
    if (s->token != SMTLIB_NUMERAL)
        return reader_fail(r, s, "%s: expected a number, found '%s'", what, reader_shown(s));
    if (!smtlib_decimal(s->text, s->len, 32, &v) || bits_low(v) > limit)
        return reader_fail(r, s, "%s: %.20s is more than %u", what, s->text, limit);
    *out = (unsigned)bits_low(v);
    return true;
}

static bool read_bits_sort(struct reader *r, const struct sexp *s, struct sort *out)
{
    *out = (struct sort){0};
    if (sexp_is(s, "Bool")) {
        out->width = 1;
        return true;
    }
    if (s->token == SMTLIB_OPEN && s->nkids == 3 && sexp_is(s->kid[0], "_") && sexp_is(s->kid[1], "BitVec")) {
        if (!reader_number(r, s->kid[2], OP_MAX_WIDTH, "BitVec", &out->width))
            return false;
        return out->width || reader_fail(r, s->kid[2], "BitVec: the width must be at least 1");
    }
    struct binding *b = s->token == SMTLIB_SYMBOL ? find(r, s->text) : NULL;
    if (b && b->kind == BOUND_SORT && b->result.width) {
        *out = b->result;
        return true;
    }
    return reader_fail(r, s, "expected Bool or (_ BitVec WIDTH), found '%s'", reader_shown(s));
}

bool reader_sort(struct reader *r, const struct sexp *s, struct sort *out)
{
    if (s->token == SMTLIB_OPEN && s->nkids == 3 && sexp_is(s->kid[0], "Array")) {
        struct sort index, cell;
        if (!read_bits_sort(r, s->kid[1], &index) || !read_bits_sort(r, s->kid[2], &cell))
            return false;
        *out = (struct sort){0, index.width, cell.width};
        map_set(&r->array_sorts, (uint64_t)index.width << 32 | cell.width, 1);
        return r->array_sorts.len <= ARRAY_SORTS ||
               reader_fail(r, s, "more than %d array sorts", ARRAY_SORTS);
    }
    struct binding *b = s->token == SMTLIB_SYMBOL ? find(r, s->text) : NULL;
    if (b && b->kind == BOUND_SORT) {
        *out = b->result;
        return true;
    }
    if (s->token == SMTLIB_SYMBOL && !sexp_is(s, "Bool"))
        return reader_fail(r, s, "unknown sort '%s': expected Bool, (_ BitVec WIDTH) or (Array SORT SORT)",
                           s->text);
    return read_bits_sort(r, s, out);
}

static bool apply_bound(struct reader *r, const struct sexp *at, const struct binding *b, const term *arg,
                        size_t n, term *out)
{
    if (!want_args(r, at, b->name, n, b->nargs, b->nargs))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!reader_sort_eq(reader_sort_of(r, arg[i]), b->arg[i]))
            return reader_fail(r, at, "%s: operand %zu is %s, expected %s", b->name, i + 1,
                               reader_sort_text(r, reader_sort_of(r, arg[i])),
                               reader_sort_text(r, b->arg[i]));
    enum op op;
    unsigned width, arg_width;
    if (b->kind == BOUND_MACRO) {
        if (!reader_spend(r, at, b->size))
            return false;
        *out = term_substitute(r->t, b->value, b->param, arg, n);
    } else if (smt_fp_op(b->name, &op, &width, &arg_width)) {
        return apply_fp(r, at, b->name, op, width, arg, n, out);
    } else if (b->result.width) {
        *out = term_apply(r->t, b->name, b->result.width, arg, (unsigned)n);
    } else {
        *out = term_apply_array(r->t, b->name, b->result.index, b->result.cell, arg, (unsigned)n);
    }
    return true;
}

static bool apply(struct reader *r, const struct sexp *s, const term *arg, size_t n, term *out)
{
    const struct sexp *head = s->kid[0];
    if (head->token == SMTLIB_OPEN) {
        if (head->nkids && sexp_is(head->kid[0], "_"))
            return apply_indexed(r, s, head, arg, n, out);
        if (head->nkids && sexp_is(head->kid[0], "as"))
            return apply_const_array(r, s, head, arg, n, out);
        return reader_fail(r, head, "expected a function name, (_ NAME NUMBER ...) or (as const SORT)");
    }
    if (head->token != SMTLIB_SYMBOL)
        return reader_fail(r, head, "expected a function name, found '%s'", reader_shown(head));
    struct binding *b = find(r, head->text);
    if (b) {
        if (b->kind == BOUND_TERM || b->kind == BOUND_SORT)
            return reader_fail(r, head, "'%s' is not a function", head->text);
        struct binding copy =
            *b; /* building terms does not touch bindings, but stay clear of a moving vector */
        return apply_bound(r, s, &copy, arg, n, out);
    }
    const struct builtin *f = builtin_find(head->text);
    if (f)
        return apply_builtin(r, s, f, arg, n, out);
    enum op op;
    unsigned width, arg_width;
    if (smt_fp_op(head->text, &op, &width, &arg_width))
        return apply_fp(r, s, head->text, op, width, arg, n, out);
    return reader_fail(r, head, "unknown function '%s'", head->text);
}

/* ---- expressions ---- */

static bool read_atom(struct reader *r, const struct sexp *s, term *out)
{
    struct bits v;
    unsigned width;
    if (sexp_bits(s, &v, &width)) {
        *out = term_const_bits(r->t, width, v);
        return true;
    }
    switch (s->token) {
    case SMTLIB_HEX:
    case SMTLIB_BINARY:
        return reader_fail(r, s, "the literal has over %d bits", OP_MAX_WIDTH);
    case SMTLIB_NUMERAL:
    case SMTLIB_DECIMAL:
        return reader_fail(
            r, s, "'%.40s' is a number: expected a bit-vector such as #x00000001 or (_ bv1 32)", s->text);
    case SMTLIB_SYMBOL:
        break;
    default:
        return reader_fail(r, s, "expected an expression, found '%.40s'", reader_shown(s));
    }
    struct binding *b = find(r, s->text);
    if (b && b->kind == BOUND_TERM) {
        *out = b->value;
        return true;
    }
    if (b && b->kind != BOUND_SORT)
        return reader_fail(r, s, "'%s' is a function of %u operands", s->text, b->nargs);
    *out = r->lookup ? r->lookup(r->lookup_ctx, s->text) : TERM_NONE;
    return *out != TERM_NONE || reader_fail(r, s, "unknown symbol '%s'", s->text);
}

static bool check_let(struct reader *r, const struct sexp *s)
{
    if (s->nkids != 3 || s->kid[1]->token != SMTLIB_OPEN || !s->kid[1]->nkids)
        return reader_fail(r, s, "let: expected (let ((NAME VALUE) ...) EXPRESSION)");
    for (size_t i = 0; i < s->kid[1]->nkids; i++) {
        const struct sexp *pair = s->kid[1]->kid[i];
        if (pair->token != SMTLIB_OPEN || pair->nkids != 2 || pair->kid[0]->token != SMTLIB_SYMBOL)
            return reader_fail(r, pair, "let: expected (NAME VALUE)");
    }
    return true;
}

/* Pushes a frame for a list, or the value of an atom. */
static bool enter(struct reader *r, const struct sexp *s)
{
    term x = TERM_NONE;
    struct bits v;
    unsigned width;
    if (s->token != SMTLIB_OPEN || sexp_bits(s, &v, &width)) {
        if (!read_atom(r, s, &x))
            return false;
        vec_push(&r->value, x);
        return true;
    }
    if (!s->nkids)
        return reader_fail(r, s, "expected an expression, found '()'");
    struct frame f = {.s = s, .next = 1, .first_value = r->value.len, .first_binding = r->binding.len};
    if (sexp_is(s->kid[0], "let")) {
        if (!check_let(r, s))
            return false;
        f.next = 0;
    } else if (sexp_is(s->kid[0], "_")) {
        return reader_fail(r, s, "expected a literal (_ bvVALUE WIDTH) of at most %d bits", OP_MAX_WIDTH);
    } else if (sexp_is(s->kid[0], "forall") || sexp_is(s->kid[0], "exists")) {
        return reader_fail(r, s->kid[0], "'%s': quantifiers are not supported", s->kid[0]->text);
    } else if (sexp_is(s->kid[0], "!") && s->nkids < 2) {
        return reader_fail(r, s, "!: expected an expression and its attributes");
    }
    vec_push(&r->frame, f);
    return true;
}

/* One step of a let: its values are read in the outer scope, then all bound, then the body is read. */
static bool step_let(struct reader *r, struct frame *f)
{
    const struct sexp *s = f->s, *pairs = s->kid[1];
    if (f->in_body) {
        unbind_to(r, f->first_binding);
        (void)vec_pop(&r->frame);
        return true;
    }
    if (f->next < pairs->nkids)
        return enter(r, pairs->kid[f->next++]->kid[1]);
    for (size_t i = 0; i < pairs->nkids; i++)
        bind(r, (struct binding){.kind = BOUND_TERM,
                                 .name = pairs->kid[i]->kid[0]->text,
                                 .value = r->value.data[f->first_value + i]});
    r->value.len = f->first_value;
    f->in_body = true;
    return enter(r, s->kid[2]);
}

static bool read_expression(struct reader *r, const struct sexp *root, term *out)
{
    r->value.len = r->frame.len = 0;
    if (!enter(r, root))
        return false;
    while (r->frame.len) {
        struct frame *f = &vec_last(&r->frame);
        const struct sexp *s = f->s;
        if (sexp_is(s->kid[0], "let")) {
            if (!step_let(r, f))
                return false;
        } else if (sexp_is(s->kid[0], "!")) {
            if (f->next == 1) {
                f->next++;
                if (!enter(r, s->kid[1]))
                    return false;
            } else {
                (void)vec_pop(&r->frame);
            }
        } else if (f->next < s->nkids) {
            if (!enter(r, s->kid[f->next++]))
                return false;
        } else {
            size_t first = f->first_value;
            term x;
            if (!apply(r, s, r->value.data + first, r->value.len - first, &x))
                return false;
            r->value.len = first;
            vec_push(&r->value, x);
            (void)vec_pop(&r->frame);
        }
    }
    assert(r->value.len == 1);
    *out = r->value.data[0];
    return true;
}

static void reader_start(struct reader *r, struct terms *t, const char *text, size_t n, struct error *err)
{
    *r = (struct reader){.t = t, .err = err};
    vec_reserve(&r->value, 16); /* no operands is still a place in the vector */
    smtlib_lexer_init(&r->lexer, text, n);
}

static void reader_end(struct reader *r)
{
    vec_free(&r->binding);
    vec_free(&r->value);
    vec_free(&r->frame);
    strmap_free(&r->scope);
    map_free(&r->array_sorts);
    arena_free(&r->arena);
}

term term_smtlib_read(struct terms *t, const char *text, size_t n, term_lookup_fn *lookup, void *ctx,
                      struct error *err)
{
    struct reader r;
    struct sexp *s, *more;
    term x = TERM_NONE;
    reader_start(&r, t, text, n, err);
    r.lookup = lookup;
    r.lookup_ctx = ctx;
    if (sexp_read(&r.lexer, &r.arena, &s, err)) {
        if (!s)
            error_set(err, ERROR_INPUT, "%u:%u: expected an expression, found the end", r.lexer.line,
                      r.lexer.column);
        else if (!read_expression(&r, s, &x))
            x = TERM_NONE;
        else if (!sexp_read(&r.lexer, &r.arena, &more, err))
            x = TERM_NONE;
        else if (more) {
            reader_fail(&r, more, "expected the end after one expression");
            x = TERM_NONE;
        }
    }
    reader_end(&r);
    return x;
}

/* ---- scripts ---- */

static bool read_name(struct reader *r, const struct sexp *s, const char *command)
{
    enum op op;
    unsigned width, arg_width;
    if (s->token != SMTLIB_SYMBOL)
        return reader_fail(r, s, "%s: expected a name, found '%.40s'", command, reader_shown(s));
    if (find(r, s->text))
        return reader_fail(r, s, "%s: '%s' is declared already", command, s->text);
    if (smtlib_is_reserved(s->text) && !smt_fp_op(s->text, &op, &width, &arg_width))
        return reader_fail(r, s, "%s: '%s' has a meaning of its own in SMT-LIB; choose another name", command,
                           s->text);
    return true;
}

static bool declare_symbol(struct reader *r, const struct sexp *at, const char *name, struct sort s)
{
    term known = term_find_var(r->t, name);
    if (known != TERM_NONE && !reader_sort_eq(reader_sort_of(r, known), s))
        return reader_fail(r, at, "'%s' is known with the sort %s", name,
                           reader_sort_text(r, reader_sort_of(r, known)));
    term x = s.width ? term_var(r->t, name, s.width) : term_array_var(r->t, name, s.index, s.cell);
    bind(r, (struct binding){.kind = BOUND_TERM, .name = name, .value = x});
    return true;
}

static bool read_declare(struct reader *r, const struct sexp *s, bool is_const)
{
    const char *command = s->kid[0]->text;
    if (s->nkids != (is_const ? 3u : 4u) || (!is_const && s->kid[2]->token != SMTLIB_OPEN))
        return reader_fail(r, s, is_const ? "expected (%s NAME SORT)" : "expected (%s NAME (SORT ...) SORT)",
                           command);
    struct sort result;
    if (!read_name(r, s->kid[1], command) || !reader_sort(r, s->kid[s->nkids - 1], &result))
        return false;
    if (is_const || !s->kid[2]->nkids)
        return declare_symbol(r, s->kid[1], s->kid[1]->text, result);
    size_t n = s->kid[2]->nkids;
    struct sort *arg = arena_array(&r->arena, struct sort, n);
    if (n > 255)
        return reader_fail(r, s->kid[2], "%s: a function of %zu operands; the limit is 255", command, n);
    for (size_t i = 0; i < n; i++)
        if (!reader_sort(r, s->kid[2]->kid[i], &arg[i]))
            return false;
    bind(r, (struct binding){.kind = BOUND_FUNCTION,
                             .name = s->kid[1]->text,
                             .result = result,
                             .arg = arg,
                             .nargs = (unsigned)n});
    return true;
}

static bool read_define(struct reader *r, const struct sexp *s, bool is_const)
{
    const char *command = s->kid[0]->text;
    if (s->nkids != (is_const ? 4u : 5u) || (!is_const && s->kid[2]->token != SMTLIB_OPEN))
        return reader_fail(r, s,
                           is_const ? "expected (%s NAME SORT EXPRESSION)"
                                    : "expected (%s NAME ((NAME SORT) ...) SORT EXPRESSION)",
                           command);
    struct sort result;
    if (!read_name(r, s->kid[1], command) || !reader_sort(r, s->kid[s->nkids - 2], &result))
        return false;
    size_t n = is_const ? 0 : s->kid[2]->nkids, scope = r->binding.len;
    struct sort *arg = arena_array(&r->arena, struct sort, n + 1);
    term *param = arena_array(&r->arena, term, n + 1);
    for (size_t i = 0; i < n; i++) {
        const struct sexp *pair = s->kid[2]->kid[i];
        if (pair->token != SMTLIB_OPEN || pair->nkids != 2 || pair->kid[0]->token != SMTLIB_SYMBOL)
            return reader_fail(r, pair, "%s: expected (NAME SORT)", command);
        if (!reader_sort(r, pair->kid[1], &arg[i]))
            return false;
        param[i] = arg[i].width ? term_fresh(r->t, "param", arg[i].width)
                                : term_fresh_array(r->t, "param", arg[i].index, arg[i].cell);
    }
    for (size_t i = 0; i < n; i++)
        bind(r, (struct binding){
                    .kind = BOUND_TERM, .name = s->kid[2]->kid[i]->kid[0]->text, .value = param[i]});
    term body;
    if (!read_expression(r, s->kid[s->nkids - 1], &body))
        return false;
    unbind_to(r, scope);
    if (!reader_sort_eq(reader_sort_of(r, body), result))
        return reader_fail(r, s->kid[s->nkids - 1], "%s: the value is %s, declared %s", s->kid[1]->text,
                           reader_sort_text(r, reader_sort_of(r, body)), reader_sort_text(r, result));
    struct binding b = {
        .kind = n ? BOUND_MACRO : BOUND_TERM, .name = s->kid[1]->text, .value = body, .arg = arg};
    b.param = param;
    b.nargs = (unsigned)n;
    b.size = n ? term_size(r->t, body) : 0;
    bind(r, b);
    return true;
}

static bool read_define_sort(struct reader *r, const struct sexp *s)
{
    if (s->nkids != 4 || s->kid[2]->token != SMTLIB_OPEN || s->kid[2]->nkids)
        return reader_fail(r, s, "expected (define-sort NAME () SORT)");
    struct sort sort;
    if (!read_name(r, s->kid[1], "define-sort") || !reader_sort(r, s->kid[3], &sort))
        return false;
    bind(r, (struct binding){.kind = BOUND_SORT, .name = s->kid[1]->text, .result = sort});
    return true;
}

static bool read_assert(struct reader *r, const struct sexp *s, term *all)
{
    term x;
    if (s->nkids != 2)
        return reader_fail(r, s, "expected (assert EXPRESSION)");
    if (!read_expression(r, s->kid[1], &x))
        return false;
    if (reader_sort_of(r, x).width != 1)
        return reader_fail(r, s->kid[1], "assert: the expression is %s, expected Bool",
                           reader_sort_text(r, reader_sort_of(r, x)));
    *all = term_and(r->t, *all, x);
    return true;
}

static bool read_command(struct reader *r, const struct sexp *s, term *all, bool *stop)
{
    static const char *const ignored[] = {"set-logic",     "set-option",     "set-info", "check-sat",
                                          "get-model",     "get-value",      "get-info", "get-option",
                                          "get-proof",     "get-unsat-core", "echo",     "get-assertions",
                                          "get-assignment"};
    if (s->token != SMTLIB_OPEN || !s->nkids || s->kid[0]->token != SMTLIB_SYMBOL)
        return reader_fail(r, s, "expected a command such as (assert ...), found '%.40s'", reader_shown(s));
    const char *name = s->kid[0]->text;
    if (!strcmp(name, "assert"))
        return read_assert(r, s, all);
    if (!strcmp(name, "declare-const") || !strcmp(name, "declare-fun"))
        return read_declare(r, s, name[8] == 'c');
    if (!strcmp(name, "define-fun") || !strcmp(name, "define-const"))
        return read_define(r, s, name[7] == 'c');
    if (!strcmp(name, "define-sort"))
        return read_define_sort(r, s);
    if (!strcmp(name, "exit")) {
        *stop = true;
        return true;
    }
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (!strcmp(name, ignored[i]))
            return true;
    return reader_fail(r, s, "the command '%.40s' is not supported here", name);
}

term term_smtlib_read_script(struct terms *t, const char *text, size_t n, struct error *err)
{
    return term_smtlib_read_script_with(t, text, n, NULL, NULL, err);
}

term term_smtlib_read_script_with(struct terms *t, const char *text, size_t n, term_lookup_fn *lookup, void *ctx,
                                  struct error *err)
{
    struct reader r;
    term all = term_true(t);
    bool ok = true, stop = false;
    reader_start(&r, t, text, n, err);
    r.lookup = lookup;
    r.lookup_ctx = ctx;
    while (ok && !stop) {
        struct sexp *s;
        ok = sexp_read(&r.lexer, &r.arena, &s, err);
        if (!ok || !s)
            break;
        ok = read_command(&r, s, &all, &stop);
    }
    reader_end(&r);
    return ok ? all : TERM_NONE;
}
