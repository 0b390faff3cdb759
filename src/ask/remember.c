/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/remember.h"

#include <string.h>

#include "ask/shelf.h"
#include "assay/assay.h"
#include "base/pack.h"

/* ---- keys ---- */

static void put_texts(struct buf *b, const char *const *text, size_t n)
{
    pack_number(b, n);
    for (size_t i = 0; i < n; i++)
        pack_text(b, text[i]);
}

static const char *digest(struct buf *b, struct arena *arena)
{
    char hex[SHA256_HEX];
    sha256_hex(buf_text(b), b->len, hex);
    buf_free(b);
    return arena_strdup(arena, hex);
}

static void put_knowledge(struct buf *b, const struct verify_knowledge *k)
{
    static const struct verify_knowledge nothing;
    k = k ? k : &nothing;
    pack_number(b, k->nprototypes);
    for (size_t i = 0; i < k->nprototypes; i++) {
        const struct verify_prototype *p = &k->prototype[i];
        pack_text(b, p->name);
        pack_number(b, (uint64_t)p->nargs);
        pack_number(b, (uint64_t)p->returns);
        pack_number(b, p->variadic);
        pack_number(b, p->outputs);
    }
    pack_number(b, k->nnames);
    for (size_t i = 0; i < k->nnames; i++) {
        pack_number(b, k->name[i].new);
        pack_number(b, k->name[i].address);
        pack_text(b, k->name[i].name);
    }
    pack_number(b, k->nequals);
    for (size_t i = 0; i < k->nequals; i++) {
        pack_text(b, k->equal[i].old);
        pack_text(b, k->equal[i].new);
    }
    const struct {
        const struct verify_word *word;
        size_t n;
    } list[] = {{k->error_function, k->nerror_functions},
                {k->pure_function, k->npure_functions},
                {k->ignore, k->nignores},
                {k->accepted, k->naccepted}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        pack_number(b, list[i].n);
        for (size_t j = 0; j < list[i].n; j++)
            pack_text(b, list[i].word[j].text);
    }
    pack_number(b, k->ninvalid);
    for (size_t i = 0; i < k->ninvalid; i++) {
        pack_text(b, k->invalid[i].function);
        pack_number(b, (uint64_t)k->invalid[i].value);
    }
    pack_number(b, k->nedges);
    for (size_t i = 0; i < k->nedges; i++) {
        pack_number(b, k->edge[i].new);
        pack_number(b, k->edge[i].from);
        pack_number(b, k->edge[i].to);
    }
}

static void put_imports(struct buf *b, const struct verify_import *import, size_t n)
{
    pack_number(b, n);
    for (size_t i = 0; i < n; i++) {
        pack_text(b, import[i].name);
        pack_text(b, import[i].library);
        pack_number(b, import[i].takes.nargs);
        pack_number(b, import[i].takes.floats);
        pack_number(b, import[i].takes.back);
        buf_put(b, import[i].takes.bits, sizeof import[i].takes.bits);
    }
}

bool remember_possible(const struct ask_verify *q)
{
    return q->remember && !q->limits.here && !q->how.solve.dump_dir && q->how.solve.engine == SOLVE_Z3 &&
           !q->how.solve.command;
}

const char *remember_file_key(const struct remember_file *f, struct arena *arena)
{
    const struct ask_verify *q = f->q;
    const struct verify_options *how = &q->how;
    struct buf b = BUF_INIT;
    pack_text(&b, "assay verdict 1 " ASSAY_VERSION);
    shelf_put_build(&b);
    pack_text(&b, f->pair->old->sha256);
    pack_text(&b, f->pair->new->sha256);
    for (int side = 0; side < 2; side++) {
        char hex[SHA256_HEX];
        object_debug_digest(program_object(f->compared->p[side]), hex);
        pack_text(&b, hex);
    }
    pack_number(&b, q->object.no_debug);
    put_texts(&b, q->function, q->nfunctions);
    pack_number(&b, q->no_libraries);
    pack_number(&b, q->graphs);
    pack_number(&b, how->strategy);
    pack_number(&b, how->heuristics);
    pack_number(&b, how->assume);
    pack_number(&b, how->axioms);
    pack_number(&b, (uint64_t)(how->short_ratio * 1000000));
    pack_number(&b, how->steps);
    pack_number(&b, how->solve.timeout_ms);
    pack_number(&b, how->solve.effort);
    pack_number(&b, how->solve.fp_theory);
    pack_number(&b, how->solve.memory_mb);
    put_knowledge(&b, how->know);
    put_imports(&b, f->import, f->nimports);
    return digest(&b, arena);
}

const char *remember_key(const char *file_key, const struct match_pair *x, unsigned limit_ms, struct arena *arena)
{
    struct buf b = BUF_INIT;
    pack_text(&b, file_key);
    pack_number(&b, x->old);
    pack_number(&b, x->new);
    pack_number(&b, x->status);
    pack_number(&b, x->change);
    pack_number(&b, (uint64_t)(x->sure * 1000000));
    pack_number(&b, limit_ms);
    return digest(&b, arena);
}

bool remember_lasts(const struct verify_result *r)
{
    switch (r->reason.code) {
    case VERIFY_REASON_OUT_OF_TIME:
    case VERIFY_REASON_OUT_OF_TIME_EXPLORING:
    case VERIFY_REASON_OUT_OF_MEMORY:
    case VERIFY_REASON_WORKER_DIED:
    case VERIFY_REASON_SOLVER_MISSING:
    case VERIFY_REASON_SOLVER_MEMORY:
    case VERIFY_REASON_SOLVER_GAVE_UP:
        return false;
    default:
        return true;
    }
}

/* ---- the database ---- */

const struct shelf_kind remember_shelf = {"verdicts.sqlite", "verdict"};

bool remember_get(struct shelf *s, const char *key, struct arena *arena, struct ask_verified *out,
                  struct error *err)
{
    struct buf bytes = BUF_INIT;
    bool found = shelf_get(s, key, &bytes, err) &&
                 wire_get(bytes.data, bytes.len, &ask_verified_type, out, arena) && out->key &&
                 strcmp(out->key, key) == 0 && remember_lasts(&out->result);
    buf_free(&bytes);
    return found;
}
