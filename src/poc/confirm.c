/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Findings, tried out by inputs: where a value that the witness changes is found in the input as it is in the
 * state (a number as text or bytes, the contents or the length of a text), it is changed there; both programs
 * are run on that from their beginning. What they do then is all that counts. Findings are tried out from the
 * state in state.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "poc/confirm.h"
#include "poc/input.h"

/* ---- from the input ---- */

/* What was printed, as a digest. The scratch directory, which a program may tell of, is another one for each
 * worker. */
static void digest_output(const struct run_target *t, const char *text, size_t n, char out[SHA256_HEX])
{
    struct buf b = BUF_INIT;
    const char *at = text, *end = text + n, *found;
    size_t len = strlen(t->scratch);
    while ((found = memmem(at, (size_t)(end - at), t->scratch, len))) {
        buf_put(&b, at, (size_t)(found - at));
        buf_putc(&b, '\0');
        at = found + len;
    }
    buf_put(&b, at, (size_t)(end - at));
    sha256_hex(buf_text(&b), b.len, out);
    buf_free(&b);
}

struct poc_did confirm_did(const struct poc_runs *r, unsigned which, const struct run_target *t,
                           const struct watch_run *w)
{
    struct poc_side *side = r->side[which];
    struct poc_did did = {.ok = true, .crash = poc_crash_of(w, side->p, r->guard_file, side->guard)};
    did.code = w->end == WATCH_EXIT ? w->code : -1;
    digest_output(t, w->text[0], w->ntext[0], did.text);
    return did;
}

/* The candidate's run, and which others of its family do the same. */
static bool run_with_others(struct poc_runs *r, const struct run_target *t, struct poc_company *with,
                            struct watch_run *w, struct error *err)
{
    const uint64_t *start;
    const size_t n = poc_family_starts(r->family, &start);
    *with = (struct poc_company){.family = r->family, .member = r->member, .with = ~UINT64_C(0)};
    return watch_stops(t, start, n, poc_company_stop, with, w, err);
}

static struct poc_did behave(struct poc_runs *r, unsigned which, const struct poc_input *in,
                             const char *digest)
{
    struct run_target t = *(which ? r->new : r->old);
    struct poc_side *side = r->side[which];
    struct poc_did b = {0};
    struct watch_run w;
    struct error err;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    const size_t watched = which ? 0 : r->nchanged;
    uint32_t reached = 0;
    /* others may go wrong in the same run where only checks see it */
    const bool others = which && r->family && !side->checked;
    struct poc_company with;
    if (others ? !run_with_others(r, &t, &with, &w, &err)
               : !watch_reach(&t, r->changed, watched, &reached, &w, &err))
        return b;
    b = confirm_did(r, which, &t, &w);
    if (others)
        poc_shared_put(r->shared, digest, poc_family_id(r->family), with.with, &b);
    uint64_t call;
    /* what the program notices later, and as something else, is what the checks saw first */
    if (side->checked && !poc_crash_same(&b.crash, r->crash)) {
        struct poc_crash seen = poc_check_run(side, &t, &call);
        b.crash = seen.kind ? seen : b.crash;
    }
    b.reached = reached;
    watch_run_free(&w);
    return b;
}

/* Whether the original comes to the call on that input with chunks of the same sizes as on the proof of
 * concept, but for those whose size is open; what was found out about the second halves of chunks holds only
 * then. */
static bool makes_same_heap(struct poc_runs *r, const struct poc_input *in)
{
    struct run_target t = *r->old;
    const struct snapshot *s = r->side[0]->s;
    struct guard_pool there = {0};
    struct error err;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    struct process *p = watch_call(&t, r->side[0]->f->address, r->call, &err);
    bool guarded = p && watch_pool(p, &t, &there);
    const struct poc_abstract *a = r->side[0]->a;
    for (size_t i = 0; guarded && a->open_sizes && i < a->size.len; i++) {
        struct guard_chunk chunk;
        if (guard_chunk_at(&s->pool, a->size.data[i].base, &chunk))
            there.size[chunk.slot] = chunk.size;
    }
    bool same = p && guarded == s->guarded && memcmp(&there, &s->pool, sizeof s->pool) == 0;
    process_end(p);
    return same;
}

/* The same, once for all candidates that are judged in this directory. */
static bool same_heap(struct poc_runs *r, const struct poc_input *in, const char *digest)
{
    struct poc_here *h = r->here;
    const char *key =
        arena_printf(&r->memory->arena, "%s %s %p", r->old->scratch, digest, (void *)r->side[0]);
    uint64_t known;
    if (strmap_get(&h->heap, key, &known))
        return known;
    bool same = makes_same_heap(r, in);
    strmap_set(&h->heap, arena_strdup(&h->arena, key), same);
    return same;
}

bool confirm_same_end(const struct poc_did *x, const struct poc_did *y)
{
    return x->ok == y->ok && x->crash.kind == y->crash.kind && x->code == y->code &&
           strcmp(x->text, y->text) == 0;
}

bool confirm_compare(const struct poc_runs *r, const struct poc_did *o, const struct poc_did *n,
                     struct poc_confirmation *out)
{
    if (!o->ok || !n->ok)
        return false;
    out->crash = n->crash;
    if (poc_crash_same(&n->crash, r->crash)) {
        out->which = o->crash.kind ? POC_CRASH_SAME : POC_NORMAL_SAME;
        return true;
    }
    if (n->crash.kind && !o->crash.kind) {
        out->which = POC_NORMAL_OTHER;
        return true;
    }
    if (n->crash.kind || o->crash.kind)
        return false;
    out->which = POC_NORMAL_NORMAL;
    out->failed = o->code && o->code == n->code;
    return o->code != n->code || strcmp(o->text, n->text) != 0;
}

/* What the original did on the input in this directory; the arena has what it names. */
static bool did_here(struct poc_runs *r, const char *digest, struct poc_did *did, bool put)
{
    struct poc_here *h = r->here;
    const char *key = arena_printf(&r->memory->arena, "%s %s", r->old->scratch, digest);
    uint64_t known;
    if (put) {
        did->crash.function = did->crash.function ? arena_strdup(&h->arena, did->crash.function) : NULL;
        vec_push(&h->all, *did);
        strmap_set(&h->seen, arena_strdup(&h->arena, key), h->all.len);
    } else if (strmap_get(&h->seen, key, &known)) {
        *did = h->all.data[known - 1];
        return true;
    }
    return false;
}

bool poc_original_on(struct poc_runs *r, const struct poc_input *in, const char *digest, struct poc_did *o)
{
    if (did_here(r, digest, o, false))
        return true;
    if (poc_shared_get(r->shared, digest, 0, 0, o, &r->memory->arena))
        return false;
    *o = behave(r, 0, in, digest);
    did_here(r, digest, o, true);
    poc_shared_put(r->shared, digest, 0, 1, o);
    return true;
}

bool confirm_known(struct poc_runs *r, const char *digest, bool crashes, struct poc_confirmation *out,
                   struct poc_did *o)
{
    struct poc_did n;
    *o = (struct poc_did){0};
    if (!did_here(r, digest, o, false) && !poc_shared_get(r->shared, digest, 0, 0, o, &r->memory->arena))
        return false;
    const bool same = r->differ && o->ok && !o->crash.kind && !(o->reached & r->differ);
    if (!same && !(r->family && poc_shared_get(r->shared, digest, poc_family_id(r->family), r->member, &n,
                                               &r->memory->arena)))
        return false;
    if (!same && n.ok && confirm_compare(r, o, &n, out) && !(crashes && out->which == POC_NORMAL_NORMAL))
        return false;
    out->tried++;
    return true;
}

/* The original may have been run on the input for another candidate. That it did something else in another
 * directory, or at another time, shows nothing before it does so here. */
bool poc_compare_on(struct poc_runs *r, const struct poc_input *in, const char *digest, bool crashes,
                    struct poc_confirmation *out, struct poc_did *o, struct poc_did *n)
{
    *o = *n = (struct poc_did){0};
    out->tried++;
    bool here = poc_original_on(r, in, digest, o);
    /* nothing that differs is run */
    if (r->differ && o->ok && !o->crash.kind && !(o->reached & r->differ))
        return false;
    /* another one did the same; what is wrong in that, this one has to show itself */
    const bool known = r->family && poc_shared_get(r->shared, digest, poc_family_id(r->family), r->member, n,
                                                   &r->memory->arena);
    for (unsigned own = !known; own < 2; own++) {
        if (own)
            *n = behave(r, 1, in, digest);
        if (!n->ok || !confirm_compare(r, o, n, out) || (crashes && out->which == POC_NORMAL_NORMAL))
            return false;
    }
    /* it may print something else each time */
    if (!here || out->which == POC_NORMAL_NORMAL) {
        *o = behave(r, 0, in, digest);
        did_here(r, digest, o, true);
    }
    const bool wrong = confirm_compare(r, o, n, out);
    const bool regression = out->which == POC_NORMAL_NORMAL || out->which == POC_NORMAL_OTHER;
    out->undefined = wrong && regression && !confirm_defined(r, in, digest, o);
    return wrong;
}

static bool goes_wrong(struct poc_runs *r, const struct poc_input *in, const char *digest,
                       struct poc_confirmation *out)
{
    struct poc_did o, n;
    r->budget -= r->budget > 0;
    bool wrong = poc_compare_on(r, in, digest, false, out, &o, &n);
    out->elsewhere = wrong && out->which == POC_NORMAL_NORMAL && !same_heap(r, in, digest);
    return wrong;
}

/* The same, once for each input. */
static bool tried_wrong(struct poc_runs *r, const struct input *in, struct poc_input *given,
                        struct poc_confirmation *out, struct arena *arena)
{
    struct poc_memory *m = r->memory;
    const char *digest = input_digest(in, &m->arena);
    uint64_t known;
    if (strmap_get(&m->seen, digest, &known)) {
        const struct poc_tried *t = &m->all.data[known - 1];
        out->tried++;
        out->which = t->which;
        out->crash = t->crash;
        out->failed = t->failed;
        out->elsewhere = t->elsewhere;
        out->undefined = t->undefined;
        /* its files may have been overwritten since */
        return t->wrong && input_give(in, r->old->scratch, given, arena);
    }
    struct poc_confirmation now = *out;
    struct poc_did o;
    const bool harmless = r->budget && confirm_known(r, digest, false, &now, &o);
    if (harmless) {
        r->budget--;
        *out = now;
    }
    if (!harmless && (!r->budget || !input_give(in, r->old->scratch, given, arena)))
        return false;
    bool wrong = !harmless && goes_wrong(r, given, digest, out);
    vec_push(&m->all,
             (struct poc_tried){wrong, out->which, out->crash, out->failed, out->elsewhere, out->undefined});
    strmap_set(&m->seen, digest, m->all.len);
    return wrong;
}

void poc_here_free(struct poc_here *h)
{
    strmap_free(&h->seen);
    strmap_free(&h->heap);
    strmap_free(&h->defined);
    vec_free(&h->all);
    arena_free(&h->arena);
}

void poc_memory_free(struct poc_memory *m)
{
    strmap_free(&m->seen);
    vec_free(&m->all);
    arena_free(&m->arena);
}

/* How long the text is that an object begins with, in the snapshot and with a witness; false: it is none, or
 * is as long as it was. */
static bool text_lengths(const struct poc_side *old, const struct poc_object *o, const struct poc_witness *w,
                         uint64_t *was, uint64_t *is)
{
    enum { MOST = 4096 };
    size_t there;
    const uint8_t *p = snapshot_at(old->s, o->base, &there);
    const uint8_t *end = p && o->size <= MOST && there >= o->size ? memchr(p, 0, o->size) : NULL;
    if (!end || end == p)
        return false;
    uint8_t text[MOST];
    memcpy(text, p, o->size);
    for (size_t i = 0; i < w->nvalues; i++) {
        const struct poc_value *v = &w->value[i];
        uint64_t at = v->address - o->base;
        if (!v->argument && at < o->size && v->bytes <= o->size - at)
            memcpy(text + at, &v->is, v->bytes);
    }
    const uint8_t *then = memchr(text, 0, o->size);
    *was = (uint64_t)(end - p);
    *is = then ? (uint64_t)(then - text) : 0;
    return then && *is != *was;
}

/* The witness with the lengths of texts in place of their bytes: a program may have been given those instead.
 * False when there are none. */
static bool lengths_of(const struct poc_runs *r, const struct poc_witness *w, struct poc_witness *out,
                       struct arena *arena)
{
    const struct poc_object *last = NULL;
    bool any = false;
    *out = (struct poc_witness){.value = arena_array(arena, struct poc_value, w->nvalues + 1)};
    for (size_t i = 0; i < w->nvalues; i++) {
        const struct poc_value *v = &w->value[i];
        const struct poc_object *o = v->argument ? NULL : poc_object_at(r->side[0]->a, v->address);
        struct poc_value length = {.argument = true, .bytes = 4, .name = v->name};
        if (o && o == last)
            continue; /* its values stand together */
        if (!o || !text_lengths(r->side[0], o, w, &length.was, &length.is)) {
            out->value[out->nvalues++] = *v;
            continue;
        }
        last = o;
        any = true;
        out->value[out->nvalues++] = length;
    }
    return any;
}

/* Whether it shows only that both report an error. */
static bool is_refused(const struct poc_confirmation *c)
{
    return c->which == POC_NORMAL_NORMAL && c->failed;
}

/* The number at a place of a piece. */
static uint64_t number_at(const struct piece *x, size_t at, unsigned bytes, bool big)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)(uint8_t)x->data[at + (big ? bytes - 1 - i : i)] << i * 8;
    return v;
}

/* Where both refuse an input with a longer block, that may be for another number which counts what is around
 * the block: those that may do so become larger, too, one at a time, until it is not refused. The last of
 * `change` is free. */
static bool try_around(struct poc_runs *r, const struct input *in, const struct change **change, size_t n,
                       struct poc_input *given, struct poc_confirmation *out, struct arena *arena)
{
    enum { TRIES = 12, LEAST = 4 };
    const struct edit *longer = NULL;
    size_t piece = 0;
    for (size_t i = 0; i < n && !longer; i++)
        for (unsigned k = 0; k < change[i]->n && !longer; k++)
            if (change[i]->edit[k].bylen && !change[i]->edit[k].len) {
                longer = &change[i]->edit[k];
                piece = change[i]->piece;
            }
    bool found = false;
    unsigned tries = 0;
    /* behind the block first: what is before it says how long it is itself, mostly */
    for (unsigned way = 0; longer && way < 8 && !found; way++) {
        const struct piece *x = &in->piece[piece];
        unsigned bytes = way & 2 ? 2 : 4;
        bool big = way & 1, before = way & 4;
        size_t begin = before ? 0 : longer->at, end = before ? longer->at : x->len;
        for (size_t at = begin; at + bytes <= end && !found && tries < TRIES; at++) {
            uint64_t v = number_at(x, at, bytes, big);
            uint8_t to[4];
            struct input changed;
            if (v < LEAST || v > x->len)
                continue;
            for (unsigned i = 0; i < bytes; i++)
                to[big ? bytes - 1 - i : i] = (uint8_t)((v + longer->bylen) >> i * 8);
            struct change around = {.piece = piece, .n = 1, .edit = {input_edit(at, bytes, to, bytes)}};
            change[n] = &around;
            if (input_apply(in, change, n + 1, &changed)) {
                struct poc_confirmation now = {.tried = out->tried};
                tries++;
                found = tried_wrong(r, &changed, given, &now, arena) && !is_refused(&now);
                if (found) {
                    now.told = input_told(in, change, n + 1, arena);
                    *out = now;
                }
                input_free(&changed);
            }
            free(around.edit[0].by);
        }
    }
    return found;
}

bool input_confirm(struct poc_runs *r, const struct poc_witness *w, const struct change *too,
                   struct poc_confirmation *out, struct arena *arena)
{
    enum { VALUES = 12, TRIES = 36 };
    const struct poc_value *value[VALUES];
    size_t n = 0;
    for (size_t i = 0; i < w->nvalues; i++)
        if (!w->value[i].grown) {
            if (n == VALUES)
                return false;
            value[n++] = &w->value[i];
        }
    if (!n)
        return false;
    struct input in = input_read(r->input);
    changes c[VALUES];
    size_t pick[VALUES] = {0};
    bool found = false, possible = true;
    memset(c, 0, sizeof c);
    for (size_t i = 0; i < n; i++) {
        input_changes(&c[i], &in, r, w, value[i]);
        possible = possible && c[i].len;
    }
    for (unsigned tries = 0; possible && !found && tries < TRIES; tries++) {
        const struct change *change[VALUES + 2];
        struct input changed;
        struct poc_input given;
        size_t nchange = n;
        for (size_t i = 0; i < n; i++)
            change[i] = &c[i].data[pick[i]];
        if (too)
            change[nchange++] = too;
        if (input_apply(&in, change, nchange, &changed)) {
            if (tried_wrong(r, &changed, &given, out, arena)) {
                found = true;
                out->told = input_told(&in, change, nchange, arena);
                /* files may have been overwritten */
                if (is_refused(out) && !try_around(r, &in, change, nchange, &given, out, arena))
                    input_give(&changed, r->old->scratch, &given, arena);
                out->how = POC_BY_INPUT;
                out->changed = given;
            }
            input_free(&changed);
        }
        size_t i = 0;
        while (i < n && ++pick[i] == c[i].len)
            pick[i++] = 0;
        if (i == n)
            break;
    }
    for (size_t i = 0; i < n; i++)
        input_changes_free(&c[i]);
    input_free(&in);
    return found;
}

bool poc_confirm_input(struct poc_runs *r, const struct poc_witness *w, struct poc_confirmation *out,
                       struct arena *arena)
{
    struct poc_witness lengths;
    struct poc_confirmation guess = {0};
    if (input_confirm(r, w, NULL, out, arena))
        return true;
    /* that a number is the length of a text is a guess: where it leads elsewhere, nothing is said */
    bool found = lengths_of(r, w, &lengths, arena) && input_confirm(r, &lengths, NULL, &guess, arena);
    if (found)
        *out = guess;
    return found;
}
