/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the original ends well with a larger block and the candidate does something else, the original may
 * have gone from one part of the block into the next, which is no fault, and the candidate may be right to
 * refuse that. Not where it REFUSES BY THE SIZE ALONE: it looks at nothing in the block to decide, does
 * nothing and returns what does not depend on the block, and all else that it decides the original decides,
 * too. Then it refuses whatever a block of that size has in it, and the original ended well with one.
 *
 * A number that grew with the block says how long it is. Where it says less than the block has, what it
 * leaves out may be a part of its own; so the block must be larger by as much as the original needs not to
 * leave it. */
#include <string.h>

#include "poc/input.h"

/* One of the two programs in its state on such an input. */
struct state {
    struct poc_side side;
    struct poc_abstract abstract;
    struct snapshot s;
};

struct block {
    const struct poc_side *of;
    uint64_t base, size;
};

/* A number of the state before the block grew by so much and one after it, when it is how long that is. */
static bool is_length(uint64_t was, uint64_t is, uint64_t size, uint64_t by, uint64_t least)
{
    return is == was + by && is <= size && by >= least + (size - is);
}

static bool read_u32(const struct snapshot *s, uint64_t at, uint64_t *v)
{
    size_t n;
    uint32_t word;
    const uint8_t *p = snapshot_at(s, at, &n);
    if (!p || n < sizeof word)
        return false;
    memcpy(&word, p, sizeof word);
    *v = word;
    return true;
}

/* Numbers that are lengths of the block stay what they are on that input: of what the call is given, and of
 * what that leads to. */
static void find_lengths(const struct poc_abstract *old, const struct state *grown, uint64_t size,
                         uint64_t by, uint64_t least, struct poc_abstract *keep)
{
    enum { WORD = 4 };
    for (unsigned i = 0; i < grown->abstract.narguments && i < old->narguments && i < 32; i++) {
        const struct poc_argument *x = &old->argument[i], *y = &grown->abstract.argument[i];
        if (!x->pointer && !y->pointer && is_length(x->value, y->value, size, by, least))
            keep->kept_args |= 1u << i;
    }
    for (size_t i = 0; i < old->object.len; i++) {
        const struct poc_object *o = &old->object.data[i];
        uint64_t was, is;
        for (uint64_t at = (o->base + WORD - 1) / WORD * WORD;
             o->kind == POC_HEAP && at + WORD <= o->base + o->size; at += WORD)
            if (read_u32(old->s, at, &was) && read_u32(&grown->s, at, &is) &&
                is_length(was, is, size, by, least))
                poc_keep_bytes(&keep->kept, at, WORD);
    }
}

/* The program on that input at the call, with everything open but the lengths. */
static bool enter(const struct poc_runs *r, unsigned which, const struct poc_input *in, struct state *out)
{
    struct run_target t = *(which ? r->new : r->old);
    const struct poc_side *like = r->side[which];
    struct error err;
    t.argument = in->argument;
    t.narguments = in->narguments;
    t.input = in->input;
    struct process *p = watch_call(&t, like->f->address, r->call, &err);
    bool ok = p && snapshot_take(p, &t, r->side[0]->s, &out->s, &err);
    process_end(p);
    if (!ok)
        return false;
    poc_abstract_make(&out->abstract, like->p, like->f, &out->s);
    poc_abstract_follow(&out->abstract, r->side[0]->a, like->p, which ? r->match : NULL);
    return true;
}

/* keep NULL: nothing is open but the object that begins at `only`, and paths are followed on which one
 * decision is another. */
static bool follow(const struct poc_runs *r, unsigned which, const struct poc_abstract *keep, uint64_t only,
                   struct state *x)
{
    const struct poc_side *like = r->side[which];
    struct error err;
    if (keep)
        poc_abstract_keep_as(&x->abstract, keep);
    x->abstract.only = only;
    poc_abstract_room(&x->abstract, false);
    x->side = (struct poc_side){.p = like->p,
                                .guard = like->guard,
                                .f = like->f,
                                .s = &x->s,
                                .a = &x->abstract,
                                .guard_base = x->s.pool_at - r->old->guard_pool,
                                .t = like->t,
                                .solver = like->solver,
                                .answers = like->answers,
                                .begun = *terms_work(like->t),
                                .opt = like->opt,
                                .trial = true,
                                .glance = !keep,
                                .alone = keep,
                                .others = !keep};
    return poc_explore(&x->side, &err);
}

static void leave(struct state *x)
{
    poc_side_free(&x->side);
    poc_abstract_free(&x->abstract);
    snapshot_free(&x->s);
}

/* Whether a term that is read is, or may be, of the block. */
static bool is_of_block(void *ctx, term x)
{
    const struct block *b = ctx;
    const struct terms *t = b->of->t;
    uint64_t at;
    if (term_kind(t, x) != TERM_READ)
        return false;
    return !term_const_u64(t, term_kid(t, x, 1), &at) ||
           (at < b->base + b->size && at + term_width(t, x) / 8 > b->base);
}

static bool looks_into(const struct block *b, term x)
{
    return term_any(b->of->t, x, is_of_block, (void *)b);
}

/* Whether the path does nothing but to return: it writes to its own frame only, and what it calls is
 * followed. */
static bool does_nothing(const struct state *x, const struct exec_path *path)
{
    const struct ir_machine *m = x->s.m;
    uint64_t sp = 0, at;
    memcpy(&sp, x->s.registers + m->sp, m->pointer_width / 8);
    if (path->end != PATH_RETURN || x->side.printed)
        return false;
    for (unsigned i = 0; i < path->nevents; i++)
        if (path->event[i].kind != EVENT_INTRINSIC && !path->event[i].silent)
            return false;
    for (unsigned i = 0; i < path->nwrites; i++)
        if (path->write[i].space || !term_const_u64(x->side.t, path->write[i].address, &at) ||
            !(at < POC_REAL || snapshot_below(&x->s, at, sp)))
            return false;
    return true;
}

static bool decides(const struct exec_path *path, term literal)
{
    for (unsigned i = 0; i < path->nliterals; i++)
        if (path->literal[i] == literal)
            return true;
    return false;
}

static bool is_refusal(struct state *old, struct state *new, const struct block *b)
{
    if (old->side.class.len != 1 || new->side.class.len != 1)
        return false;
    const struct poc_class *o = &old->side.class.data[0], *n = &new->side.class.data[0];
    const struct object_function_debug *d =
        object_debug_function(program_object(new->side.p), new->side.f->address);
    bool result = !d || d->result;
    if (!n->known || n->crash.kind || new->side.kept || !new->side.whole || !does_nothing(new, n->path) ||
        (result && (n->path->result == TERM_NONE || looks_into(b, n->path->result))))
        return false;
    for (unsigned i = 0; i < n->path->nliterals; i++)
        if (looks_into(b, n->path->literal[i]) || !decides(o->path, n->path->literal[i]))
            return false;
    return true;
}

/* The block on an input where it is so much larger; false: it is not there. */
static bool find_block(const struct poc_runs *r, const struct snapshot *s, uint64_t by,
                       struct guard_chunk *chunk)
{
    return s->guarded && guard_chunk_at(&s->pool, r->crash->base + r->crash->size - 1, chunk) &&
           chunk->state == GUARD_LIVE && chunk->size == r->crash->size + by;
}

static bool refuses_by_size(const struct poc_runs *r, const struct poc_input *in, uint64_t by, uint64_t least)
{
    struct state x[2] = {{.side = {0}}, {.side = {0}}};
    struct poc_abstract keep = {.kept_args = r->side[0]->a->kept_args};
    struct guard_chunk chunk;
    bool ok = true;
    for (unsigned i = 0; i < 2 && ok; i++)
        ok = enter(r, i, in, &x[i]) && find_block(r, &x[i].s, by, &chunk);
    if (ok) {
        const struct block b = {&x[0].side, chunk.base, chunk.size};
        find_lengths(r->side[0]->a, &x[0], chunk.size, by, least, &keep);
        ok = follow(r, 0, &keep, 0, &x[0]) && follow(r, 1, &keep, 0, &x[1]) && is_refusal(&x[0], &x[1], &b);
    }
    map_free(&keep.kept);
    leave(&x[0]);
    leave(&x[1]);
    return ok;
}

/* ---- inputs that the original takes ---- */

/* An input on which the original reports an error. */
struct refused {
    struct poc_well well;
    struct poc_did did;
};

/* What the search knows so far. */
struct search {
    struct poc_runs *r;
    struct poc_growths *all;
    struct poc_growth *g;
    const struct input *in;
    struct arena *arena;
    VEC(struct refused) other;
};

/* How the original ends; false: with a crash, or not at all. */
static bool ends(struct search *s, const struct poc_well *w, uint8_t fill, struct poc_did *did)
{
    struct poc_growth g = *s->g;
    struct growth_input x;
    *did = (struct poc_did){0};
    g.number[2] = w->around;
    if (!growth_input(&g, w->by, fill, w->contents, s->in, s->r->old->scratch, &x, s->arena))
        return false;
    poc_original_on(s->r, &x.given, x.digest, did);
    return did->ok && !did->crash.kind;
}

/* Whether it does not crash whatever is in what is new. */
static bool stays_inside(struct search *s, uint64_t by)
{
    static const uint8_t fill[] = {0, 1, 0xff};
    const struct poc_well plain = {.by = by};
    struct poc_did did;
    bool ok = true;
    for (size_t i = 0; i < sizeof fill && ok; i++)
        ok = ends(s, &plain, fill[i], &did);
    return ok;
}

/* Keeps it where the original reports no error; where it reports one, too, for another number around the
 * block. */
static void see(struct search *s, const struct poc_well *w, bool keep)
{
    struct poc_did did;
    if (!ends(s, w, 0, &did))
        return;
    if (did.code && keep)
        vec_push(&s->other, ((struct refused){*w, did}));
    else if (!did.code)
        vec_push(&s->g->well, *w);
}

/* With contents of the block with which the original decides otherwise in one place, or two where the second
 * is that a number is what it has to be. */
static void see_contents(struct search *s, uint64_t by)
{
    struct state x = {.side = {0}};
    struct growth_input in;
    struct guard_chunk chunk;
    struct bits cell;
    if (growth_input(s->g, by, 0, NULL, s->in, s->r->old->scratch, &in, s->arena) &&
        enter(s->r, 0, &in.given, &x) && find_block(s->r, &x.s, by, &chunk) && chunk.size > s->g->slack &&
        follow(s->r, 0, NULL, chunk.base, &x)) {
        const struct ir_machine *m = x.s.m;
        const uint64_t size = chunk.size - s->g->slack;
        term mem = explorer_symbols(x.side.x).mem;
        for (size_t i = 0; i < x.side.class.len; i++) {
            const struct poc_class *c = &x.side.class.data[i];
            uint8_t *contents = arena_alloc(&s->all->arena, size);
            size_t there;
            const uint8_t *was = snapshot_at(&x.s, chunk.base, &there);
            if (!c->known || c->crash.kind || !c->guide[0] || !was || there < size)
                continue;
            for (uint64_t k = 0; k < size; k++) {
                term at = term_const(x.side.t, m->pointer_width, chunk.base + k);
                bool known = term_eval(x.side.t, c->guide[0], term_read(x.side.t, mem, at, 8), &cell);
                contents[k] = known ? (uint8_t)bits_low(cell) : was[k];
            }
            see(s, &(struct poc_well){.by = by, .contents = contents}, true);
        }
    }
    leave(&x);
}

static bool ends_alike(const struct poc_did *x, const struct poc_did *y)
{
    return x->code == y->code && strcmp(x->text, y->text) == 0;
}

/* Some of the inputs that are refused, each in another way; the last of them went furthest. */
static unsigned ways_of_refusal(const struct search *s, const struct refused **out, unsigned most)
{
    unsigned n = 0;
    for (size_t i = s->other.len; i-- > 0 && n < most;) {
        bool new = true;
        for (unsigned k = 0; k < n && new; k++)
            new = !ends_alike(&out[k]->did, &s->other.data[i].did);
        if (new)
            out[n++] = &s->other.data[i];
    }
    return n;
}

/* Another number of the input may count what is around the block, where the original reports errors all the
 * time: one with which it ends in another way. */
static void see_around(struct search *s)
{
    enum { NUMBERS = 12, KEPT = 3, ENOUGH = 3, WAYS = 4 };
    const struct refused *way[WAYS];
    const unsigned nways = ways_of_refusal(s, way, WAYS);
    struct input_around at = {0};
    for (unsigned n = 0, kept = 0; n < NUMBERS && kept < KEPT && s->g->well.len < ENOUGH &&
                                   input_around(&s->in->piece[s->g->piece], s->g->end, &at);
         n++) {
        bool other = false;
        struct poc_growth_number around = {
            .at = at.field.at, .bytes = at.field.bytes, .big = at.field.big, .was = at.value};
        for (unsigned i = 0; i < nways && !other; i++) {
            struct poc_well w = way[i]->well;
            struct poc_did did;
            w.around = around;
            other = ends(s, &w, 0, &did) && !ends_alike(&did, &way[i]->did);
        }
        kept += other;
        for (size_t i = 0; other && i < s->other.len && s->g->well.len < ENOUGH; i++) {
            struct poc_well w = s->other.data[i].well;
            w.around = around;
            see(s, &w, false);
        }
    }
}

/* Inputs with larger blocks on which the original reports no error: with nothing new in the block, or with
 * contents that the original's decisions tell. */
static void find_well(struct search *s)
{
    enum { LENGTHS = 16, MOST = 8 };
    struct poc_growth *g = s->g;
    g->searched = true;
    g->steady = g->least;
    while (!stays_inside(s, g->steady))
        if (g->steady++ == g->least + MOST)
            return;
    const uint64_t first = g->steady + g->slack;
    for (uint64_t by = first; by < first + LENGTHS; by++)
        see(s, &(struct poc_well){.by = by}, true);
    for (uint64_t by = first; by < first + LENGTHS && !g->well.len; by++)
        see_contents(s, by);
    if (!g->well.len)
        see_around(s);
}

bool growth_refused(struct poc_runs *r, struct poc_growths *all, struct poc_growth *g, const struct input *in,
                    const struct growth_input *differ, struct poc_confirmation *out, uint64_t *by,
                    struct arena *arena)
{
    enum { DIFFERENT = 3 };
    struct search s = {.r = r, .all = all, .g = g, .in = in, .arena = arena};
    bool refuses = false;
    /* mostly it does not, and nothing has to be looked for */
    if (r->side[0]->checked || !g->least || !refuses_by_size(r, &differ->given, *by, 0))
        return false;
    if (!g->searched)
        find_well(&s);
    for (size_t i = 0, tries = 0; i < g->well.len && !refuses && tries < DIFFERENT; i++) {
        const struct poc_well *w = &g->well.data[i];
        struct poc_growth with = *g;
        struct poc_confirmation now = {0};
        struct poc_did o, n;
        struct growth_input x;
        with.number[2] = w->around;
        if (!growth_input(&with, w->by, 0, w->contents, in, r->old->scratch, &x, arena) ||
            !poc_compare_on(r, &x.given, x.digest, &now, &o, &n) || now.which != POC_NORMAL_NORMAL)
            continue;
        tries++;
        refuses = refuses_by_size(r, &x.given, w->by, g->steady);
        if (refuses) {
            now.changed = x.given;
            now.told = x.told;
            *out = now;
            *by = w->by;
        }
    }
    vec_free(&s.other);
    return refuses;
}
