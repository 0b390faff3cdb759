/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a solver process writes: "sat", "unsat" or "unknown", and for sat the answer to one get-value. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "solve/internal.h"

void reply_free(struct reply *r)
{
    assignment_free(&r->model);
}

void reply_unknown(struct reply *r, const char *fmt, ...)
{
    assignment_free(&r->model);
    r->answer = SOLVE_UNKNOWN;
    r->why = WHY_OTHER;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(r->reason, sizeof r->reason, fmt, ap);
    va_end(ap);
}

void reply_limit(struct reply *r, const struct question *q, enum reply_why why)
{
    if (why == WHY_STEPS)
        reply_unknown(r, "limit of %u steps", q->effort);
    else if (why == WHY_TIME)
        reply_unknown(r, "time limit of %u ms", q->timeout_ms);
    else
        reply_unknown(r, "memory limit of %llu MB", (unsigned long long)q->memory_mb);
    r->why = why;
}

static bool is_const_array(const struct sexp *s)
{
    return s->token == SMTLIB_OPEN && s->nkids == 2 && s->kid[0]->token == SMTLIB_OPEN &&
           s->kid[0]->nkids == 3 && sexp_is(s->kid[0]->kid[0], "as") && sexp_is(s->kid[0]->kid[1], "const");
}

/* (store (store ((as const SORT) v) i v) i v): the outermost store of an index counts. */
static bool parse_array(const struct sexp *s, unsigned index_width, unsigned cell_width, struct value *out)
{
    struct map seen = {0};
    bool ok = true;
    unsigned width;
    while (ok && s->token == SMTLIB_OPEN && s->nkids == 4 && sexp_is(s->kid[0], "store")) {
        struct bits index;
        struct cell c;
        ok = sexp_bits(s->kid[2], &index, &width) && width == index_width && bits_to_u64(index, &c.index) &&
             sexp_bits(s->kid[3], &c.value, &width) && width == cell_width;
        if (ok && map_set(&seen, c.index, 1))
            vec_push(&out->cell, c);
        s = s->kid[1];
    }
    map_free(&seen);
    return ok && is_const_array(s) && sexp_bits(s->kid[1], &out->bits, &width) && width == cell_width;
}

static bool parse_value(struct terms *t, term x, const struct sexp *s, struct value *out)
{
    unsigned width;
    *out = (struct value){.is_array = term_is_array(t, x)};
    if (out->is_array)
        return parse_array(s, term_index_width(t, x), term_cell_width(t, x), out);
    return sexp_bits(s, &out->bits, &width) && width == term_width(t, x);
}

static bool parse_values(struct reply *r, const struct question *q, const struct sexp *list)
{
    if (list->token != SMTLIB_OPEN || list->nkids != q->nwanted)
        return false;
    for (size_t i = 0; i < q->nwanted; i++) {
        const struct sexp *pair = list->kid[i];
        struct value v;
        if (pair->token != SMTLIB_OPEN || pair->nkids != 2)
            return false;
        if (!parse_value(q->terms, q->wanted[i], pair->kid[1], &v)) {
            value_free(&v);
            return false;
        }
        assignment_add(&r->model, q->wanted[i], v);
    }
    return true;
}

void reply_parse(struct reply *r, const struct question *q, const char *text, size_t n)
{
    struct smtlib_lexer lexer;
    struct arena arena = ARENA_INIT;
    struct sexp *s = NULL, *values = NULL;
    struct error err = {0};
    smtlib_lexer_init(&lexer, text, n);
    if (!sexp_read(&lexer, &arena, &s, &err)) {
        reply_unknown(r, "the solver's output is not SMT-LIB: %.150s", err.text);
    } else if (!s) {
        reply_unknown(r, "the solver gave no answer");
    } else if (sexp_is(s, "unsat")) {
        r->answer = SOLVE_UNSAT;
    } else if (sexp_is(s, "unknown")) {
        reply_unknown(r, "the solver answered unknown");
    } else if (sexp_is(s, "timeout")) {
        reply_limit(r, q, WHY_TIME);
    } else if (sexp_is(s, "sat")) {
        r->answer = SOLVE_SAT;
        if (!q->nwanted)
            goto end;
        if (!sexp_read(&lexer, &arena, &values, &err) || !values)
            reply_unknown(r, "the solver answered sat without a model");
        else if (!parse_values(r, q, values))
            reply_unknown(r, "the solver answered sat with a malformed model");
    } else if (s->token == SMTLIB_OPEN && s->nkids == 2 && sexp_is(s->kid[0], "error")) {
        reply_unknown(r, "the solver reports: %.200s", s->kid[1]->text ? s->kid[1]->text : "an error");
    } else {
        reply_unknown(r, "the solver's output begins with '%.40s', not with an answer",
                      s->text ? s->text : "(");
    }
end:
    arena_free(&arena);
}

static bool is_word(const struct smtlib_lexer *l, const char *word)
{
    return l->token == SMTLIB_SYMBOL && l->len == strlen(word) && memcmp(l->text, word, l->len) == 0;
}

bool reply_is_complete(const struct question *q, const char *text, size_t n)
{
    struct smtlib_lexer lexer;
    if (!n || text[n - 1] != '\n') /* a word may go on */
        return false;
    smtlib_lexer_init(&lexer, text, n);
    smtlib_next(&lexer);
    if (is_word(&lexer, "unsat"))
        return true;
    if (!is_word(&lexer, "sat"))
        return false;
    size_t depth = 0;
    while (q->nwanted) {
        enum smtlib_token token = smtlib_next(&lexer);
        if (token == SMTLIB_END || token == SMTLIB_BAD)
            return false;
        depth += token == SMTLIB_OPEN;
        depth -= token == SMTLIB_CLOSE && depth;
        if (!depth)
            break;
    }
    return true;
}
