/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and s-expressions of SMT-LIB 2.6 (section 3.1 of the standard). Everything read is bounded by the
 * text given and nothing recurses, so hostile text costs at most memory proportional to its size. */
#include "term/smtlib.h"

#include <string.h>

#include "base/error.h"

void smtlib_lexer_init(struct smtlib_lexer *l, const char *text, size_t n)
{
    *l = (struct smtlib_lexer){.at = text, .end = text + n, .line = 1, .column = 1};
}

static void step(struct smtlib_lexer *l)
{
    if (*l->at++ == '\n') {
        l->line++;
        l->column = 1;
    } else {
        l->column++;
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_symbol_char(char c)
{
    return is_letter(c) || is_digit(c) || (c && strchr("~!@$%^&*_-+=<>.?/", c));
}

static int hex_digit(char c)
{
    return is_digit(c)            ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static enum smtlib_token bad(struct smtlib_lexer *l, const char *problem)
{
    l->problem = problem;
    return l->token = SMTLIB_BAD;
}

static enum smtlib_token finish(struct smtlib_lexer *l, enum smtlib_token token, const char *from)
{
    l->text = from;
    l->len = (size_t)(l->at - from);
    return l->token = token;
}

static enum smtlib_token lex_quoted(struct smtlib_lexer *l)
{
    step(l);
    const char *from = l->at;
    while (l->at < l->end && *l->at != '|') {
        if (*l->at == '\\' || !*l->at)
            return bad(l, "a quoted symbol cannot hold a backslash or a zero byte");
        step(l);
    }
    if (l->at == l->end)
        return bad(l, "the quoted symbol is not closed: expected '|'");
    finish(l, SMTLIB_SYMBOL, from);
    l->quoted = true;
    step(l);
    return SMTLIB_SYMBOL;
}

/* A doubled quote stands for one; the text keeps both, as nothing here looks into strings. */
static enum smtlib_token lex_string(struct smtlib_lexer *l)
{
    step(l);
    const char *from = l->at;
    for (;;) {
        while (l->at < l->end && *l->at != '"')
            step(l);
        if (l->at == l->end)
            return bad(l, "the string is not closed: expected '\"'");
        if (l->at + 1 < l->end && l->at[1] == '"') {
            step(l);
            step(l);
            continue;
        }
        finish(l, SMTLIB_STRING, from);
        step(l);
        return SMTLIB_STRING;
    }
}

static enum smtlib_token lex_literal(struct smtlib_lexer *l)
{
    step(l);
    if (l->at == l->end || (*l->at != 'x' && *l->at != 'b'))
        return bad(l, "expected #x or #b");
    bool hex = *l->at == 'x';
    step(l);
    const char *from = l->at;
    while (l->at < l->end && (hex ? hex_digit(*l->at) >= 0 : *l->at == '0' || *l->at == '1'))
        step(l);
    if (l->at == from)
        return bad(l, hex ? "expected hexadecimal digits after #x" : "expected binary digits after #b");
    if (l->at < l->end && is_symbol_char(*l->at))
        return bad(l, hex ? "not a hexadecimal digit" : "not a binary digit");
    return finish(l, hex ? SMTLIB_HEX : SMTLIB_BINARY, from);
}

static enum smtlib_token lex_number(struct smtlib_lexer *l)
{
    const char *from = l->at;
    while (l->at < l->end && is_digit(*l->at))
        step(l);
    if (l->at == l->end || *l->at != '.')
        return finish(l, SMTLIB_NUMERAL, from);
    step(l);
    while (l->at < l->end && is_digit(*l->at))
        step(l);
    return finish(l, SMTLIB_DECIMAL, from);
}

enum smtlib_token smtlib_next(struct smtlib_lexer *l)
{
    l->quoted = false;
    while (l->at < l->end) {
        char c = *l->at;
        if (c == ';') {
            while (l->at < l->end && *l->at != '\n')
                step(l);
        } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            step(l);
        } else {
            break;
        }
    }
    l->token_line = l->line;
    l->token_column = l->column;
    l->text = l->at;
    l->len = 0;
    if (l->at == l->end)
        return l->token = SMTLIB_END;
    char c = *l->at;
    const char *from = l->at;
    if (c == '(' || c == ')') {
        step(l);
        return finish(l, c == '(' ? SMTLIB_OPEN : SMTLIB_CLOSE, from);
    }
    if (c == '|')
        return lex_quoted(l);
    if (c == '"')
        return lex_string(l);
    if (c == '#')
        return lex_literal(l);
    if (is_digit(c))
        return lex_number(l);
    bool keyword = c == ':';
    if (keyword)
        step(l);
    else if (!is_symbol_char(c))
        return bad(l, "unexpected character");
    while (l->at < l->end && is_symbol_char(*l->at))
        step(l);
    return finish(l, keyword ? SMTLIB_KEYWORD : SMTLIB_SYMBOL, from);
}

static bool literal_bits(enum smtlib_token token, const char *text, size_t len, struct bits *value,
                         unsigned *width)
{
    unsigned per = token == SMTLIB_HEX ? 4 : 1;
    if (!len || len > OP_MAX_WIDTH / per)
        return false;
    *value = (struct bits){0};
    *width = (unsigned)len * per;
    for (size_t i = 0; i < len; i++) {
        unsigned at = (unsigned)(len - 1 - i) * per;
        value->w[at / 64] |= (uint64_t)hex_digit(text[i]) << (at % 64);
    }
    return true;
}

bool smtlib_literal(const struct smtlib_lexer *l, struct bits *value, unsigned *width)
{
    return literal_bits(l->token, l->text, l->len, value, width);
}

bool smtlib_decimal(const char *s, size_t n, unsigned width, struct bits *value)
{
    struct bits v = {0};
    while (n && *s == '0') {
        s++;
        n--;
    }
    if (n > 155) /* 2^512 has 155 digits */
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(s[i]))
            return false;
        uint64_t carry = (uint64_t)(s[i] - '0');
        for (unsigned k = 0; k < OP_MAX_WIDTH / 64; k++) {
            __uint128_t x = (__uint128_t)v.w[k] * 10 + carry;
            v.w[k] = (uint64_t)x;
            carry = (uint64_t)(x >> 64);
        }
        if (carry)
            return false;
    }
    if (!bits_eq(v, bits_mask(v, width)))
        return false;
    *value = v;
    return true;
}

/* ---- s-expressions ---- */

static struct sexp *new_sexp(struct arena *a, const struct smtlib_lexer *l)
{
    struct sexp *s = arena_new(a, struct sexp);
    s->token = l->token;
    s->line = l->token_line;
    s->column = l->token_column;
    s->quoted = l->quoted;
    if (l->token != SMTLIB_OPEN) {
        s->text = arena_strndup(a, l->text, l->len);
        s->len = l->len;
    }
    return s;
}

bool sexp_read(struct smtlib_lexer *l, struct arena *a, struct sexp **out, struct error *err)
{
    VEC(struct sexp *) done = VEC_INIT; /* finished children of the open lists, innermost last */
    VEC(struct sexp *) open = VEC_INIT;
    VEC(size_t) first = VEC_INIT; /* where each open list's children start in `done` */
    bool ok = true;
    *out = NULL;
    do {
        struct sexp *s;
        switch (smtlib_next(l)) {
        case SMTLIB_END:
            if (open.len)
                ok = error_set(err, ERROR_INPUT, "%u:%u: the list opened here is not closed: expected ')'",
                               vec_last(&open)->line, vec_last(&open)->column);
            goto end;
        case SMTLIB_BAD:
            ok = error_set(err, ERROR_INPUT, "%u:%u: %s", l->line, l->column, l->problem);
            goto end;
        case SMTLIB_OPEN:
            s = new_sexp(a, l);
            vec_push(&open, s);
            vec_push(&first, done.len);
            break;
        case SMTLIB_CLOSE:
            if (!open.len) {
                ok = error_set(err, ERROR_INPUT, "%u:%u: ')' closes nothing", l->token_line, l->token_column);
                goto end;
            }
            s = vec_pop(&open);
            size_t from = vec_pop(&first);
            s->nkids = done.len - from;
            if (s->nkids)
                s->kid = arena_dup(a, done.data + from, s->nkids * sizeof *done.data);
            done.len = from;
            vec_push(&done, s);
            break;
        default:
            s = new_sexp(a, l);
            vec_push(&done, s);
        }
    } while (open.len);
    *out = done.data[0];
end:
    vec_free(&done);
    vec_free(&open);
    vec_free(&first);
    return ok;
}

bool sexp_is(const struct sexp *s, const char *name)
{
    return s->token == SMTLIB_SYMBOL && !s->quoted && !strcmp(s->text, name);
}

bool sexp_bits(const struct sexp *s, struct bits *value, unsigned *width)
{
    if (s->token == SMTLIB_HEX || s->token == SMTLIB_BINARY)
        return literal_bits(s->token, s->text, s->len, value, width);
    if (sexp_is(s, "true") || sexp_is(s, "false")) {
        *width = 1;
        *value = bits_u64(sexp_is(s, "true"), 1);
        return true;
    }
    if (s->token != SMTLIB_OPEN || s->nkids != 3 || !sexp_is(s->kid[0], "_") ||
        s->kid[1]->token != SMTLIB_SYMBOL || strncmp(s->kid[1]->text, "bv", 2) || s->kid[1]->len < 3 ||
        s->kid[2]->token != SMTLIB_NUMERAL)
        return false;
    struct bits w;
    if (!smtlib_decimal(s->kid[2]->text, s->kid[2]->len, 16, &w) || !bits_low(w) ||
        bits_low(w) > OP_MAX_WIDTH)
        return false;
    *width = (unsigned)bits_low(w);
    return smtlib_decimal(s->kid[1]->text + 2, s->kid[1]->len - 2, *width, value);
}
