/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The original on a proof of concept: the call that crashes, its state, the
 * abstract states around it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ask/poc_internal.h"
#include "base/file.h"
#include "base/sha256.h"
#include "run/core.h"

/* ---- recording ---- */

/* Functions that some candidate changes, or the one that was named. */
static size_t changed_functions(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    const struct flow_function *f;
    size_t n = program_functions(a->p, &f), found = 0;
    uint64_t *list = arena_array(&a->arena, uint64_t, n + 1);
    proof->changed = list;
    if (a->q->function) {
        const struct flow_function *named = program_function(a->p, a->q->function, err);
        if (!named)
            return 0;
        list[0] = named->address;
        return proof->nchanged = 1;
    }
    uint8_t *seen = arena_array(&a->arena, uint8_t, n + 1);
    for (size_t i = 0; i < a->ncandidates; i++) {
        const struct match_pair *pair;
        size_t npairs = a->candidate[i].m ? match_pairs(a->candidate[i].m, &pair) : 0;
        for (size_t k = 0; k < npairs; k++)
            if (pair[k].status == MATCH_CHANGED && pair[k].old != MATCH_NONE && !seen[pair[k].old]) {
                seen[pair[k].old] = 1;
                list[found++] = f[pair[k].old].address;
            }
    }
    if (!found)
        error_set(err, ERROR_INPUT, "no candidate changes a function of %s; name the function with --func",
                  a->q->old);
    return proof->nchanged = found;
}

/* A run that ends normally may have gone wrong all the same: the first calls of
 * what was changed are checked.
 */
static void find_silent(const struct poc_asking *a, struct poc_proof *proof, const struct poc_crash *told,
                        bool arithmetic)
{
    enum { FUNCTIONS = 8 };
    for (size_t i = 0; i < proof->nchanged && i < FUNCTIONS && !proof->silent; i++) {
        struct snapshot none = {.guarded = a->guard != NULL};
        const struct flow_function *f = program_function_at(a->p, proof->changed[i]);
        struct poc_side like = poc_side_of(a, proof, a->p, f, &none, NULL);
        like.signed_checked = arithmetic;
        uint64_t call;
        struct poc_crash crash = poc_check_run(&like, &proof->target, &call);
        if (!crash.kind || (told->kind && !poc_crash_same(&crash, told)))
            continue;
        proof->silent = true;
        proof->crash = crash;
        proof->call = call;
        proof->f = f;
    }
}

static bool ask_oracle(const struct poc_asking *a, const struct poc_proof *proof, struct poc_crash *told,
                       struct error *err)
{
    struct program *p = program_open(a->q->oracle, &(struct program_options){.object = a->q->object}, err);
    if (!p)
        return false;
    struct run_target t =
        poc_target(a, proof, &(struct poc_file){.name = a->q->oracle, .path = a->q->oracle}, p, a->scratch);
    t.program = a->q->oracle;
    t.stock = NULL; /* sanitizers have memory of their own */
    t.library = t.guard = NULL;
    t.sanitized = true;
    t.limits.memory = 0; /* sanitizers reserve terabytes */
    bool ok = poc_oracle(&t, p, a->p, told, err);
    program_free(p);
    return ok;
}

/* The first line that a program wrote to standard error, which did not succeed: it may not even have begun,
 * as a library is missing. */
static const char *complaint(struct poc_asking *a, const struct watch_run *w)
{
    enum { SHOWN = 160 };
    size_t n = w->code && w->text[1] ? strcspn(w->text[1], "\n") : 0;
    if (!n)
        return "";
    struct buf b = BUF_INIT;
    buf_put_printable(&b, arena_strndup(&a->arena, w->text[1], n < SHOWN ? n : SHOWN));
    const char *out = arena_printf(&a->arena, ", and says: %s", buf_text(&b));
    buf_free(&b);
    return out;
}

/* Runs the original to see how it ends, and in which call. */
static bool find_crash(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    size_t n = changed_functions(a, proof, err);
    struct watch_run w;
    if (!n)
        return false;
    ask_progress(a->say, "running the original", 0, 1);
    struct poc_crash told = {0};
    if ((a->q->oracle && !ask_oracle(a, proof, &told, err)) ||
        !watch_run(&proof->target, proof->changed, n, &w, err))
        return false;
    proof->crash = poc_crash_of(&w, a->p, a->guard_file, a->guard);
    bool ok = true;
    bool other = told.kind && !poc_crash_same(&proof->crash, &told);
    /* also where it ends elsewhere, with a return address that was overwritten, or says only at the end of the
     * call that the stack was */
    if (w.end == WATCH_EXIT || !w.call || other || proof->crash.kind == POC_SMASHED)
        for (unsigned arithmetic = told.kind == POC_SIGNED;
             arithmetic < 2 && !proof->silent && (!arithmetic || w.end == WATCH_EXIT); arithmetic++)
            find_silent(a, proof, &told, arithmetic);
    if (proof->silent) {
        /* the call is known */
    } else if (other) {
        ok = error_set(err, ERROR_UNSUPPORTED,
                       "%s reports %s in %s; neither a run of %s nor the checks of "
                       "its first calls show that",
                       a->q->oracle, poc_kind_name(told.kind), told.function ? told.function : "unknown code",
                       a->q->old);
    } else if (w.end == WATCH_EXIT) {
        ok = error_set(err, ERROR_INPUT, "%s does not crash on the proof of concept: it exits with %d%s%s",
                       a->q->old, w.code,
                       a->guard ? ""
                                : " (without the guarding allocator, which does not fit this "
                                  "program)",
                       complaint(a, &w));
    } else if (!w.call) {
        struct buf names = BUF_INIT;
        for (size_t i = 0; i < n && i < 4; i++) {
            const struct flow_function *f = program_function_at(a->p, proof->changed[i]);
            buf_printf(&names, "%s%s", i ? ", " : "", f ? f->name : "?");
        }
        ok = error_set(err, ERROR_INPUT,
                       "%s: the crash (%s in %s) is not below a call of what was "
                       "changed (%s%s)",
                       a->q->old, poc_kind_name(proof->crash.kind),
                       proof->crash.function ? proof->crash.function : "unknown code", buf_text(&names),
                       n > 4 ? ", ..." : "");
        buf_free(&names);
    } else {
        proof->call = w.call;
        proof->f = program_function_at(a->p, proof->changed[w.function]);
    }
    watch_run_free(&w);
    return ok;
}

/* ---- a snapshot that is kept ---- */

/* What a core file says beside the state: of which program on which input it
 * is, and how that ends. */
struct kept {
    const char *program, *input; /* digests */
    uint64_t function, call;
    bool silent;
    uint8_t kind;
    const char *place;
    uint64_t base, size;
    bool flat;
    uint32_t line, column;
};
#define T struct kept
static const struct wire_field kept_field[] = {
    WIRE_NAME(T, program), WIRE_NAME(T, input), WIRE_VALUE(T, function),        WIRE_VALUE(T, call),
    WIRE_VALUE(T, silent), WIRE_TEXT(T, place), WIRE_ENUM(T, kind, POC_KINDS_), WIRE_VALUE(T, base),
    WIRE_VALUE(T, size),   WIRE_VALUE(T, flat), WIRE_VALUE(T, line), WIRE_VALUE(T, column),
};
static const struct wire_type kept_type = WIRE_TYPE(T, kept_field);
#undef T

/* Arguments, with the contents of those that name files, and standard input. */
static const char *input_digest(struct poc_asking *a, const struct poc_input *in)
{
    struct buf b = BUF_INIT;
    enum { INPUT_MOST = 1 << 30 };
    char *hex = arena_alloc(&a->arena, SHA256_HEX);
    for (size_t i = 0; i < in->narguments; i++) {
        buf_put(&b, in->argument[i], strlen(in->argument[i]) + 1);
        file_read(in->argument[i], INPUT_MOST, &b, NULL);
    }
    if (in->input)
        file_read(in->input, INPUT_MOST, &b, NULL);
    sha256_hex(buf_text(&b), b.len, hex);
    buf_free(&b);
    return hex;
}

static bool keep_snapshot(struct poc_asking *a, const struct poc_proof *proof, struct error *err)
{
    const struct poc_crash *c = &proof->crash;
    struct kept kept = {.program = object_info(program_object(a->p))->sha256,
                        .input = input_digest(a, &proof->input),
                        .function = proof->f->address,
                        .call = proof->call,
                        .silent = proof->silent,
                        .kind = (uint8_t)c->kind,
                        .place = c->function,
                        .base = c->base,
                        .size = c->size,
                        .flat = c->flat,
                        .line = c->line,
                        .column = c->column};
    struct buf about = BUF_INIT;
    wire_put(&about, &kept_type, &kept);
    bool ok = core_write(&proof->snapshot, a->q->snapshot, buf_text(&about), about.len, err);
    buf_free(&about);
    return ok;
}

static bool reuse_snapshot(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    const char *path = a->q->snapshot, *about;
    size_t n;
    struct kept kept;
    if (!core_read(path, program_machine(a->p), object_info(program_object(a->p))->entry, &proof->snapshot,
                   &about, &n, err))
        return false;
    if (!about || !wire_get(about, n, &kept_type, &kept, &a->arena))
        return error_set(err, ERROR_INPUT, "%s is there, and no snapshot that poc wrote", path);
    if (strcmp(kept.program, object_info(program_object(a->p))->sha256) != 0 ||
        strcmp(kept.input, input_digest(a, &proof->input)) != 0)
        return error_set(err, ERROR_INPUT,
                         "%s is a snapshot of another program, or of another proof "
                         "of concept; remove it to have it "
                         "made again",
                         path);
    proof->f = program_function_at(a->p, kept.function);
    proof->call = kept.call;
    proof->silent = kept.silent;
    proof->crash = (struct poc_crash){.kind = (enum poc_kind)kept.kind,
                                      .function = kept.place,
                                      .base = kept.base,
                                      .size = kept.size,
                                      .flat = kept.flat,
                                      .line = kept.line,
                                      .column = kept.column};
    size_t changed = changed_functions(a, proof, err), i = 0;
    while (i < changed && proof->changed[i] != kept.function)
        i++;
    if (changed && (i == changed || !proof->f))
        return error_set(err, ERROR_INPUT,
                         "%s is the state at a call of %s, which no candidate "
                         "changes; remove it to have it made "
                         "again",
                         path, proof->f ? proof->f->name : "no function");
    return changed != 0;
}

/* ---- a core file of somebody else ---- */

/* Nothing says how the call ends but executing it. */
static bool read_core(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    const struct ir_machine *m = program_machine(a->p);
    const char *path = a->q->core, *about;
    size_t nabout, i = 0;
    uint64_t pc = 0;
    size_t n = changed_functions(a, proof, err);
    if (!n ||
        !core_read(path, m, object_info(program_object(a->p))->entry, &proof->snapshot, &about, &nabout, err))
        return false;
    memcpy(&pc, proof->snapshot.registers + m->pc, m->pointer_width / 8);
    pc -= proof->snapshot.base;
    while (i < n && proof->changed[i] != pc)
        i++;
    if (i == n) {
        const struct flow_function *in = program_function_covering(a->p, pc),
                                   *first = program_function_at(a->p, proof->changed[0]);
        return error_set(err, ERROR_INPUT,
                         "%s: the process stands in %s, not at the beginning of a call of what "
                         "was changed; in gdb "
                         "'break *%s', 'run' and 'generate-core-file' make one that does",
                         path, in ? in->name : "unknown code", first ? first->name : "FUNC");
    }
    proof->still = proof->silent = true;
    proof->f = program_function_at(a->p, proof->changed[i]);
    struct poc_side like = poc_side_of(a, proof, a->p, proof->f, &proof->snapshot, NULL);
    proof->crash = poc_check_call(&like, &proof->snapshot);
    return proof->crash.kind != POC_NONE ||
           error_set(err, ERROR_INPUT,
                     "%s: from that state %s does not crash, as far as executing "
                     "it shows",
                     path, proof->f->name);
}

static bool record(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    if (a->q->core)
        return read_core(a, proof, err);
    if (a->q->snapshot && access(a->q->snapshot, F_OK) == 0)
        return reuse_snapshot(a, proof, err);
    if (!find_crash(a, proof, err))
        return false;
    struct process *p = watch_call(&proof->target, proof->f->address, proof->call, err);
    bool ok = p && snapshot_take(p, &proof->target, NULL, &proof->snapshot, err);
    process_end(p);
    return ok && (!a->q->snapshot || keep_snapshot(a, proof, err));
}

/* ---- exploring ---- */

static void free_ring(struct poc_ring *r)
{
    poc_side_free(&r->side);
    poc_abstract_free(&r->abstract);
    if (r->kind == RING_SHAPE)
        snapshot_free(&r->own);
    free(r);
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static struct poc_ring *add_ring(struct poc_proof *proof, enum poc_ring_kind kind)
{
    struct poc_ring *r = xcalloc(1, sizeof *r);
    r->kind = kind;
    vec_push(&proof->ring, r);
    return r;
}

static bool ends_normally(const struct poc_side *s)
{
    for (size_t i = 0; i < s->class.len; i++)
        if (s->class.data[i].known && !s->class.data[i].crash.kind)
            return true;
    return false;
}

static bool ends_like(const struct poc_side *s, const struct poc_crash *crash)
{
    for (size_t i = 0; i < s->class.len; i++)
        if (poc_crash_same(&s->class.data[i].crash, crash))
            return true;
    return false;
}

static bool explore_near(const struct poc_asking *a, struct poc_proof *proof, const uint64_t *read, size_t nread,
                         bool *tells, struct error *err);

/* Until no number turns out to be an address, or to select one of several objects where that is too much
 * work. */
static bool explore_ring(const struct poc_asking *a, struct poc_proof *proof, struct poc_ring *r,
                         const uint64_t *read, size_t nread, struct error *err)
{
    enum { ROUNDS = 8 };
    struct poc_side *s = &r->side;
    poc_abstract_globals(&r->abstract, a->p, read, nread);
    s->watched = proof->crash.base;
    s->watched_size = proof->crash.size;
    s->watched_flat = proof->crash.flat;
    s->signed_strict = true;
    s->members = true;
    s->trial = !a->q->how.no_concretise && r->kind != RING_NEAR;
    for (unsigned i = 0; i < ROUNDS; i++) {
        if (!poc_explore(s, err))
            return false;
        if (!a->q->how.no_concretise &&
            (poc_abstract_close(&r->abstract, s) || (s->limited && poc_abstract_keep(&r->abstract, s))))
            continue;
        bool enough = !s->trial || !s->limited;
        if (!enough && r->kind == RING_POC && !a->q->how.empty &&
            !explore_near(a, proof, read, nread, &enough, err))
            return false;
        if (enough)
            break;
        s->trial = false;
    }
    s->trial = false;
    return true;
}

/* All paths are too many: those near that of the proof of concept. *tells: it crashes on one, and ends normally on
 * another, so that the rest need not be tried. */
static bool explore_near(const struct poc_asking *a, struct poc_proof *proof, const uint64_t *read, size_t nread,
                         bool *tells, struct error *err)
{
    const struct poc_abstract *first = &proof->ring.data[0]->abstract;
    struct poc_ring *r = add_ring(proof, RING_NEAR);
    poc_abstract_make(&r->abstract, a->p, proof->f, &proof->snapshot);
    poc_abstract_keep_as(&r->abstract, first);
    r->side = poc_side_of(a, proof, a->p, proof->f, &proof->snapshot, &r->abstract);
    r->side.others = 1;
    if (!explore_ring(a, proof, r, read, nread, err))
        return false;
    *tells = ends_normally(&r->side) && ends_like(&r->side, &proof->crash);
    return true;
}

static bool explore_shape(const struct poc_asking *a, struct poc_proof *proof, size_t shape,
                          const uint64_t *read, size_t nread, struct error *err)
{
    struct poc_ring *r = add_ring(proof, RING_SHAPE);
    poc_patches patch = VEC_INIT;
    r->shape = shape;
    bool ok = poc_shape_patches(&proof->shapes.shape.data[shape], a->p, &proof->snapshot, &proof->snapshot,
                                NULL, &patch) &&
              poc_shape_snapshot(&patch, &proof->snapshot, &r->own);
    vec_free(&patch);
    if (!ok)
        return error_set(err, ERROR_SYSTEM, "a state cannot be changed");
    poc_abstract_make(&r->abstract, a->p, proof->f, &r->own);
    poc_shape_close(&proof->shapes.shape.data[shape], &r->abstract);
    if (!a->q->how.empty)
        poc_abstract_keep_as(&r->abstract, &proof->ring.data[0]->abstract);
    r->side = poc_side_of(a, proof, a->p, proof->f, &r->own, &r->abstract);
    return explore_ring(a, proof, r, read, nread, err);
}

/* Whether the chunk that is overflowed could be larger on another input. */
static bool may_grow(const struct poc_proof *proof, const struct poc_abstract *a)
{
    const struct poc_object *o =
        proof->crash.size && !proof->silent ? poc_object_at(a, proof->crash.base) : NULL;
    return proof->snapshot.guarded && o && o->base == proof->crash.base && poc_is_sized(o);
}

static size_t known_ends(const struct poc_side *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->class.len; i++)
        n += s->class.data[i].known;
    return n;
}

/* With sizes open there are many rounds of loops that differ in nothing else. Where the work that it may take
 * does not suffice for them, each is gone round once, which comes to more ends; then small blocks may become
 * larger, too. */
static bool explore_wide(struct poc_asking *a, struct poc_proof *proof, const uint64_t *read, size_t nread,
                         struct error *err)
{
    struct poc_ring *r = add_ring(proof, RING_WIDE);
    poc_abstract_make(&r->abstract, a->p, proof->f, &proof->snapshot);
    poc_abstract_keep_as(&r->abstract, &proof->ring.data[0]->abstract);
    r->abstract.open_sizes = true;
    r->abstract.overflowed = may_grow(proof, &r->abstract) ? proof->crash.base : 0;
    r->side = poc_side_of(a, proof, a->p, proof->f, &proof->snapshot, &r->abstract);
    if (!explore_ring(a, proof, r, read, nread, err))
        return false;
    if (!r->side.limited)
        return true;
    size_t deep = known_ends(&r->side);
    r->side.visits = 1;
    poc_abstract_room(&r->abstract, true);
    if (!poc_explore(&r->side, err))
        return false;
    if (known_ends(&r->side) > deep)
        return true;
    r->side.visits = 0;
    poc_abstract_room(&r->abstract, false);
    return poc_explore(&r->side, err);
}

/* The proof of concept's own path first: it shows that the executor sees what
 * the processor did, and which globals are read. Then everything around it. */
static bool explore_original(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    struct poc_ring *r = add_ring(proof, RING_POC);
    struct poc_side *s = &r->side;
    poc_abstract_make(&r->abstract, a->p, proof->f, &proof->snapshot);
    *s = poc_side_of(a, proof, a->p, proof->f, &proof->snapshot, &r->abstract);
    ask_progress(a->say, "exploring the original", 0, 1);
    r->abstract.concrete = true;
    poc_abstract_globals(&r->abstract, a->p, NULL, 0);
    if (!poc_explore(s, err))
        return false;
    /* where all is known nothing is signed; it was seen already */
    if (proof->crash.kind != POC_SIGNED && !ends_like(s, &proof->crash))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s: the crash (%s in %s) is not reproduced by symbolic execution of "
                         "%s: it %s%s%s",
                         a->q->old, poc_kind_name(proof->crash.kind),
                         proof->crash.function ? proof->crash.function : "unknown code", proof->f->name,
                         s->class.len ? path_end_name((enum path_end)s->class.data[0].path->end)
                                      : "comes to no end",
                         s->reason ? ": " : "", s->reason ? s->reason : "");
    vec_sort(&s->read, by_number);
    size_t nread = s->read.len;
    uint64_t *read = arena_dup(&a->arena, s->read.data ? s->read.data : (void *)"", nread * sizeof *read);
    r->abstract.concrete = false;
    if (!explore_ring(a, proof, r, read, nread, err))
        return false;
    if (a->q->how.empty) {
        /* only to know what is a pointer */
        poc_shapes_empty(&proof->shapes, &r->abstract);
        free_ring(vec_pop(&proof->ring));
    } else {
        if ((r->abstract.sizes || may_grow(proof, &r->abstract)) && !explore_wide(a, proof, read, nread, err))
            return false;
        poc_shapes_grow(&proof->shapes, NULL, s);
    }
    /* all shapes together are as many paths as one exploration may have */
    size_t classes = 0;
    for (size_t i = 0; i < proof->shapes.shape.len; i++) {
        if (classes > a->q->how.paths) {
            proof->shapes.bound = "a limit of paths";
            break;
        }
        ask_progress(a->say, "exploring other shapes", i, proof->shapes.shape.len);
        if (!explore_shape(a, proof, i, read, nread, err))
            return false;
        struct poc_shape from = proof->shapes.shape.data[i];
        classes += vec_last(&proof->ring)->side.class.len;
        vec_last(&proof->ring)->useless = !ends_normally(&vec_last(&proof->ring)->side);
        poc_shapes_grow(&proof->shapes, &from, &vec_last(&proof->ring)->side);
    }
    return true;
}

/* One of its type needs no number that says how large it is. */
static bool is_size_kept(const struct poc_abstract *a, const struct poc_object *o)
{
    if (!poc_is_sized(o))
        return false;
    for (size_t i = 0; i < a->size.len; i++)
        if (a->size.data[i].base == o->base)
            return false;
    return true;
}

/* The object graph. */
static void put_graph(struct poc_asking *a, const struct poc_abstract *abstract, struct ask_poc_original *o)
{
    enum { EDGES = 4096 };
    unsigned word = abstract->s->m->pointer_width / 8;
    struct ask_poc_object *object = arena_array(&a->arena, struct ask_poc_object, abstract->object.len + 1);
    VEC(struct ask_poc_edge) edge = VEC_INIT;
    for (size_t i = 0; i < abstract->object.len; i++) {
        const struct poc_object *x = &abstract->object.data[i];
        object[i] = (struct ask_poc_object){.name = x->name,
                                            .kind = x->kind,
                                            .size = x->size,
                                            .leaf = x->leaf,
                                            .size_kept = is_size_kept(abstract, x),
                                            .type = x->type ? x->type->name : NULL};
        for (uint64_t at = x->base; at < x->base + x->size; at++)
            object[i].open += poc_is_open(abstract, at);
        for (uint64_t at = (x->base + word - 1) / word * word;
             at + word <= x->base + x->size && edge.len < EDGES; at += word) {
            const struct poc_object *to = poc_object_at(abstract, poc_word_at(abstract, at));
            if (to && x->kind != POC_STRING)
                vec_push(&edge, (struct ask_poc_edge){(uint32_t)i, (uint32_t)(to - abstract->object.data),
                                                      poc_place_name(abstract, at, word, &a->arena)});
        }
    }
    o->object = object;
    o->nobjects = abstract->object.len;
    o->edge = arena_dup(&a->arena, edge.data ? edge.data : (void *)"", edge.len * sizeof *edge.data);
    o->nedges = edge.len;
    vec_free(&edge);
}

void poc_proof_say(struct poc_asking *a, const struct poc_proof *proof)
{
    const struct poc_abstract *abstract = &proof->ring.data[0]->abstract;
    const struct poc_side *side = &proof->ring.data[0]->side;
    struct ask_poc_original o = {.poc = proof->name,
                                 .path = a->old.path,
                                 .function = proof->f->name,
                                 .call = proof->call,
                                 .kind = (uint8_t)proof->crash.kind,
                                 .place = proof->crash.function,
                                 .guarded = proof->snapshot.guarded,
                                 .objects = (uint32_t)abstract->object.len,
                                 .classes = (uint32_t)side->class.len,
                                 .shapes = (uint32_t)proof->shapes.shape.len,
                                 .bound = proof->shapes.bound,
                                 .whole = side->whole,
                                 .reason = side->reason};
    for (size_t i = 0; i < abstract->npages; i++)
        for (size_t k = 0; abstract->open[i] && k < abstract->page[i].size; k++)
            o.symbols += abstract->open[i][k];
    for (unsigned i = 0; i < abstract->narguments; i++)
        o.symbols +=
            !abstract->argument[i].pointer && !((abstract->closed_args | abstract->size_args) >> i & 1);
    for (size_t i = 0; i < side->class.len; i++)
        o.crashing += poc_crash_same(&side->class.data[i].crash, &proof->crash);
    put_graph(a, abstract, &o);
    ask_say(a->say, POC_SAYS_ORIGINAL, &poc_original_type, &o);
}

bool poc_proof_make(struct poc_asking *a, struct poc_proof *proof, struct error *err)
{
    if (!record(a, proof, err))
        return false;
    proof->shared = poc_shared_new();
    a->begun = *terms_work(a->t);
    if (!explore_original(a, proof, err))
        return false;
    if (!proof->still && !proof->silent && !a->q->how.empty)
        poc_growths_find(&proof->growths, &(struct poc_growing){.old = &proof->target,
                                                                .side = &proof->ring.data[0]->side,
                                                                .call = proof->call,
                                                                .crash = &proof->crash,
                                                                .input = &proof->input});
    return true;
}

void poc_proof_free(struct poc_proof *proof)
{
    for (size_t i = 0; i < proof->ring.len; i++)
        free_ring(proof->ring.data[i]);
    vec_free(&proof->ring);
    poc_shapes_free(&proof->shapes);
    poc_shared_free(proof->shared);
    poc_here_free(&proof->here);
    poc_growths_free(&proof->growths);
    snapshot_free(&proof->snapshot);
}
