/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/replay.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "exec/concrete.h"
#include "exec/engine.h"

enum {
    FRAME_BYTES = 1 << 20, /* how far below the entry stack pointer the function's frame may reach */
    ROUNDS = 40,           /* of asking for an input that agrees with read-only memory */
};

/* Memory between two calls: concrete contents are asked for by evaluating these. */
struct epoch {
    term mem, frame;
    bool escaped;
    const struct saved_set *saved;
    const struct exec_spaces *spaces;
};

struct written_cell {
    unsigned space;
    uint64_t address;
};

struct level {
    struct graph *g;
    uint32_t after; /* block of the level above to go on at; UINT32_MAX: a tail call */
    uint32_t *visits;
    const struct ir_end *call;  /* that entered it, in the level above; NULL: a tail call */
    const struct ir_machine *m; /* of its register file */
    struct mapped *file;        /* that has its code */
    bool own_registers;         /* its register file is not that of the level above */
};

struct player {
    struct explorer *x;
    const struct exec_path *path;
    struct term_model *model;
    term at; /* a symbol for the address of the byte being asked for */
    struct concrete *c;
    struct epoch epoch;
    struct map written; /* address -> 1, since the last call */
    VEC(struct written_cell) cells; /* likewise, of other spaces */
    uint64_t sp;
    unsigned event;
    struct replay *out;
    const struct replay_watch *watch; /* or NULL */
    bool faulted;                     /* made the access that the path ends with */
    bool real;                        /* code of callees is run, nothing is compared */
    struct bits thrown;
    VEC(struct level) level;          /* the functions whose code is being run, outermost first */
    struct map moved;                 /* block -> copy of it with addresses as the hooks write them */
    struct arena arena;
};

static bool says(struct replay *out, enum replay_outcome o, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static bool says(struct replay *out, enum replay_outcome o, const char *fmt, ...)
{
    va_list ap;
    out->outcome = o;
    va_start(ap, fmt);
    vsnprintf(out->why, sizeof out->why, fmt, ap);
    va_end(ap);
    return o == REPLAY_OK;
}

static struct bits eval(const struct player *p, term v)
{
    struct bits b;
    /* What the model has no value for is unconstrained: zero will do. */
    return term_eval(p->x->t, p->model, v, &b) ? b : bits_u64(0, 1);
}

static bool holds(const struct player *p, term guard)
{
    return guard == TERM_NONE || !bits_is_zero(eval(p, guard));
}

/* ---- memory ---- */

static uint64_t mask(const struct explorer *x, uint64_t v)
{
    return x->width == 64 ? v : (uint32_t)v;
}

static bool in_frame(const struct player *p, uint64_t address)
{
    int64_t off = (int64_t)(address - p->sp);
    if (p->x->width == 32)
        off = (int32_t)(uint32_t)off;
    return p->x->opt.axioms & AXIOM_FRAME && !p->x->snapshot && off >= -FRAME_BYTES && off < p->x->frame_top;
}

/* The array that a byte is in. */
static term memory_of(const struct player *p, const struct epoch *e, uint64_t address)
{
    const struct explorer *x = p->x;
    term array = e->mem;
    if (in_frame(p, address)) {
        int64_t off = (int64_t)(address - p->sp);
        if (x->width == 32)
            off = (int32_t)(uint32_t)off;
        bool saved = false;
        if (e->escaped && x->opt.axioms & AXIOM_RETURN) {
            saved = x->m->call_pushes && off >= 0 && off < (int64_t)x->unit;
            for (unsigned i = 0; i < x->opt.nprivate && !saved; i++)
                saved = off >= x->opt.private[i].low && off < x->opt.private[i].high;
            for (unsigned i = 0; i < e->saved->n && !saved; i++)
                saved = off >= e->saved->offset[i] && off < e->saved->offset[i] + (int64_t)x->unit;
        }
        if (!e->escaped || saved)
            array = e->frame;
    }
    return array;
}

static uint8_t symbolic_byte(struct player *p, const struct epoch *e, uint64_t address)
{
    term known = p->x->snapshot ? memory_snapshot(p->x, e->mem, address, 8) : TERM_NONE;
    if (known != TERM_NONE)
        return (uint8_t)bits_low(eval(p, known));
    term_model_set(p->model, p->at, bits_u64(address, p->x->width));
    return (uint8_t)bits_low(eval(p, term_read(p->x->t, memory_of(p, e, address), p->at, 8)));
}

/* Globals whose addresses are symbols lie where replay_path puts them. */
enum { GLOBALS_AT = 0x52000000, GLOBAL_SIZE = 0x100000, GLOBALS_MAX = 256 };

/* The file that the address of a byte is in; the address there. With one file it is always that. */
static struct mapped *native(const struct explorer *x, uint64_t address, uint64_t *local)
{
    *local = mask(x, address - x->file->bias);
    return x->mapped.len == 1 ? x->file : mapped_at(x, address, local);
}

/* A known word at an address of the file in memory that is never written; TERM_NONE when not known. */
static term known_word(struct explorer *x, const struct mapped *in, uint64_t address, unsigned width)
{
    uint64_t k = (address - GLOBALS_AT) / GLOBAL_SIZE;
    if (!x->code)
        return memory_readonly(x, in, address, width);
    return address >= GLOBALS_AT && k < x->globals.len && k < GLOBALS_MAX
               ? code_constant(x, x->globals.data[k], (address - GLOBALS_AT) % GLOBAL_SIZE, width)
               : TERM_NONE;
}

/* The headers of a file that may be loaded anywhere lie at address zero, and the file is never loaded there.
 */
static bool is_header(const struct object *o, uint64_t address)
{
    const struct object_section *x;
    size_t n = address < 4096 ? object_sections(o, &x) : 0;
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc && address - x[i].address < x[i].size)
            return false;
    return address < 4096;
}

static bool image_byte(const struct player *p, uint64_t address, uint8_t *byte)
{
    struct explorer *x = p->x;
    const struct explore_hooks *h = x->opt.hooks;
    /* where the hooks say where things lie, the file is there and nowhere else */
    if (h && h->resolve && !h->resolve(h->ctx, term_const(x->t, x->width, address), &address))
        return false;
    const struct mapped *in = native(x, address, &address);
    if (!in || (!x->code && (!in->o || is_header(in->o, address))))
        return false;
    /* a word that is an address is, all of it, what the hooks write it as */
    term v = h && h->word ? TERM_NONE : known_word(x, in, address, 8);
    unsigned at = 0;
    if (v == TERM_NONE) {
        at = (unsigned)(address % x->unit);
        v = known_word(x, in, address - at, x->width);
    }
    if (v == TERM_NONE && h && h->word) {
        at = 0;
        v = known_word(x, in, address, 8);
    }
    if (v == TERM_NONE)
        return false;
    struct bits b = eval(p, v);
    *byte = (uint8_t)(b.w[0] >> (at * 8));
    return true;
}

/* A cell of a space other than memory. */
static struct bits symbolic_cell(const struct player *p, const struct epoch *e, unsigned space,
                                 uint64_t address)
{
    struct terms *t = p->x->t;
    term array = exec_spaces_array(p->x, e->spaces, space);
    term at = term_const(t, term_index_width(t, array), address);
    return eval(p, term_read(t, array, at, term_cell_width(t, array)));
}

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    struct player *p = ctx;
    if (space != 0) {
        struct ir_space s;
        machine_space(p->x->m, space, &s);
        bits_to_bytes(symbolic_cell(p, &p->epoch, space, address), byte, s.cell_width / 8);
        return true;
    }
    uint64_t secret = p->x->canary == TERM_NONE ? 0 : address - bits_low(eval(p, p->x->canary_at));
    if (p->x->canary != TERM_NONE && mask(p->x, secret) < p->x->unit)
        *byte = (uint8_t)(bits_low(eval(p, p->x->canary)) >> (mask(p->x, secret) * 8));
    else if (memory_snapshot_byte(p->x, address, byte) || !image_byte(p, address, byte))
        *byte = symbolic_byte(p, &p->epoch, address);
    return true;
}

static void watch(void *ctx, unsigned space, uint64_t address, unsigned bytes, bool write)
{
    struct player *p = ctx;
    struct ir_space s;
    machine_space(p->x->m, space, &s);
    uint64_t last = s.index_width < 64 ? (UINT64_C(1) << s.index_width) - 1 : UINT64_MAX;
    for (unsigned i = 0; write && space != 0 && i < bytes; i++)
        vec_push(&p->cells, (struct written_cell){space, (address + i) & last});
    const struct exec_fault *f = p->path->fault;
    if (f && f->kind != FAULT_DIVISION && space == 0 && write == f->write && bytes == f->bytes &&
        address == bits_low(eval(p, f->address)))
        p->faulted = true;
    if (p->watch && p->watch->access && space == 0)
        p->watch->access(p->watch->ctx, address, bytes, write);
    for (unsigned i = 0; write && space == 0 && i < bytes; i++)
        map_set(&p->written, mask(p->x, address + i), 1);
}

static bool same_spaces(struct player *p, const struct epoch *e)
{
    for (size_t i = 0; i < p->cells.len; i++) {
        struct written_cell w = p->cells.data[i];
        struct ir_space s;
        uint8_t got[OP_MAX_WIDTH / 8];
        machine_space(p->x->m, w.space, &s);
        if (concrete_read(p->c, w.space, w.address, got, 1) &&
            !bits_eq(bits_from_bytes(got, s.cell_width / 8), symbolic_cell(p, e, w.space, w.address)))
            return says(p->out, REPLAY_DIFFERS, "%s at %#llx differs from the path", s.name,
                        (unsigned long long)w.address);
    }
    return true;
}

/* What the concrete run stored since the last call is what the symbolic one has. */
static bool same_memory(struct player *p, const struct epoch *e, bool with_frame)
{
    uint64_t address, one;
    if (p->real)
        return true;
    if (!same_spaces(p, e))
        return false;
    VEC(uint64_t) at = VEC_INIT;
    VEC(term) byte = VEC_INIT;
    for (size_t i = 0; (i = map_next(&p->written, i, &address, &one));) {
        if (in_frame(p, address) && !with_frame)
            continue;
        vec_push(&at, address);
        vec_push(&byte,
                 term_read(p->x->t, memory_of(p, e, address), term_const(p->x->t, p->x->width, address), 8));
    }
    struct bits *value = xcalloc(byte.len + 1, sizeof *value);
    bool *known = xcalloc(byte.len + 1, sizeof *known), same = true;
    term_eval_all(p->x->t, p->model, byte.data, byte.len, value, known);
    for (size_t i = 0; i < at.len && same; i++) {
        uint8_t got, want = known[i] ? (uint8_t)bits_low(value[i]) : 0;
        if (!concrete_read(p->c, 0, at.data[i], &got, 1) || got == want)
            continue;
        uint64_t own;
        const struct mapped *in = native(p->x, at.data[i], &own);
        if (in && in->o && object_is_readonly(in->o, own, 1) && !is_header(in->o, own))
            same = says(p->out, REPLAY_UNABLE, "the input causes a store to read-only memory at %#llx",
                        (unsigned long long)at.data[i]);
        else
            same = says(p->out, REPLAY_DIFFERS, "memory at %#llx is %#x, not %#x",
                        (unsigned long long)at.data[i], got, want);
    }
    vec_free(&at);
    vec_free(&byte);
    free(value);
    free(known);
    return same;
}

static void new_epoch(struct player *p, struct epoch e)
{
    if (p->real) /* what callees really did stays */
        return;
    size_t n = vec_last(&p->level).m->file_size;
    uint8_t *regs = xmalloc(n);
    memcpy(regs, concrete_registers(p->c), n);
    concrete_reset(p->c);
    memcpy(concrete_registers(p->c), regs, n);
    free(regs);
    map_clear(&p->written);
    vec_clear(&p->cells);
    p->epoch = e;
}

/* ---- events ---- */

static const struct exec_event *next_event(struct player *p, enum exec_event_kind kind)
{
    while (p->event < p->path->nevents) {
        const struct exec_event *e = &p->path->event[p->event++];
        if (e->kind == kind && holds(p, e->guard))
            return e;
    }
    return NULL;
}

static void put_slot(struct player *p, unsigned slot, struct bits v)
{
    uint8_t *regs = concrete_registers(p->c);
    unsigned at = slot * p->x->unit, n = p->x->unit;
    if (at + n > p->x->m->file_size)
        n = p->x->m->file_size - at;
    uint8_t bytes[8];
    bits_to_bytes(v, bytes, p->x->unit);
    memcpy(regs + at, bytes, n);
}

/* Also when one is an address as the program has it and the other as the hooks write it. */
static bool same_value(struct player *p, uint64_t site, struct bits got, struct bits want)
{
    const struct explore_hooks *h = p->x->opt.hooks;
    if (bits_eq(got, want) || !h || !h->constant)
        return bits_eq(got, want);
    term known = h->constant(h->ctx, site, bits_low(got));
    return known != TERM_NONE && bits_eq(eval(p, known), want);
}

/* Applies the event's effects to the concrete state. */
static bool serve(struct player *p, const struct exec_event *e, uint64_t site)
{
    struct explorer *x = p->x;
    if (!e)
        return says(p->out, REPLAY_DIFFERS, "an unexpected call at %#llx",
                    (unsigned long long)site);
    if (e->site != site || e->file != x->file->index)
        return says(p->out, REPLAY_DIFFERS, "a call at %#llx where the path has one at %#llx",
                    (unsigned long long)site, (unsigned long long)e->site);
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, e->name, site, e, p->c);
    if (p->real && (e->mem_after != e->mem_before || x->m->nspaces))
        return says(p->out, REPLAY_UNABLE, "%s at %#llx changes memory in an unknown way",
                    e->name ? e->name : "a call", (unsigned long long)site);
    for (unsigned i = 0; !p->real && e->kind == EVENT_CALL && !e->explicit_args &&
                         i < e->nargs - e->nhidden && i < x->m->nargs;
         i++) {
        struct bits got = concrete_get(p->c, x->m->arg[i], x->width), want = eval(p, e->arg[i]);
        if (term_width(x->t, e->arg[i]) != x->width)
            break; /* floats and pairs: not in these registers */
        if (!same_value(p, site, got, want))
            return says(p->out, REPLAY_DIFFERS, "argument %u of %s at %#llx is %#llx, not %#llx", i,
                        e->name ? e->name : "a call", (unsigned long long)site,
                        (unsigned long long)bits_low(got), (unsigned long long)bits_low(want));
    }
    struct epoch before = {e->mem_before, e->frame_after, e->escaped, e->saved, e->spaces_before};
    if (!same_memory(p, &before, false))
        return false;
    if (e->kind == EVENT_CALL)
        for (unsigned i = 0; i < x->nslots; i++)
            if (!x->slot_keep[i] && (!e->changes || e->changes[i]))
                put_slot(p, i, eval(p, origin_apply(x->t, x->slot_left[i], x->unit * 8, &e->token, 1)));
    if (e->x87 != TERM_NONE) {
        concrete_set(p->c, e->x87_at, 64, eval(p, e->x87));
        concrete_set(p->c, e->x87_tag_at, 8, bits_u64(1, 8));
    }
    if (e->result != TERM_NONE && e->result_at != UINT32_MAX)
        concrete_set(p->c, e->result_at, term_width(x->t, e->result), eval(p, e->result));
    new_epoch(p, (struct epoch){e->mem_after, e->frame_after, e->escaped, e->saved, e->spaces_after});
    return true;
}

static void pop_return_address(struct player *p, unsigned more)
{
    struct explorer *x = p->x;
    if (!x->m->call_pushes && !more)
        return;
    struct bits sp = concrete_get(p->c, x->m->sp, x->width);
    concrete_set(p->c, x->m->sp, x->width, bits_u64(bits_low(sp) + x->m->call_pushes + more, x->width));
}

/* ---- the run ---- */

static bool at_end(struct player *p, enum path_end end, uint64_t site)
{
    static const char *const what[] = {
        "returned", "called a function that never returns",  "made a tail call",      "trapped", "went on",
        "went on",  "jumped to an unknown place", "ran into unknown code", "went on", "went on",
        "threw"};
    struct explorer *x = p->x;
    const struct exec_path *path = p->path;
    if (p->watch && p->watch->end)
        p->watch->end(p->watch->ctx, end, p->c);
    if (p->real)
        return says(p->out, REPLAY_OK, "with its callees");
    if (path->end != end)
        return says(p->out, REPLAY_DIFFERS, "%s at %#llx, where the path %s", what[end],
                    (unsigned long long)site, path_end_name(path->end));
    struct epoch last = {path->memory, path->frame, path->escaped, path->saved, path->spaces};
    if (!same_memory(p, &last, true))
        return false;
    if (end == PATH_THROW && !bits_eq(p->thrown, eval(p, path->thrown)))
        return says(p->out, REPLAY_DIFFERS, "throws %#llx, not %#llx",
                    (unsigned long long)bits_low(p->thrown),
                    (unsigned long long)bits_low(eval(p, path->thrown)));
    if (path->result != TERM_NONE && end == PATH_RETURN) {
        unsigned w = term_width(x->t, path->result);
        struct bits want = eval(p, path->result), got;
        if (x->m->locals)
            got = concrete_get(p->c, x->m->ret, w);
        else if (x->prototype.returns_float && x->m->fret != UINT16_MAX)
            got = concrete_get(p->c, x->m->fret, w);
        else if (w > x->width)
            got = bits_u64(bits_low(concrete_get(p->c, x->m->ret2, x->width)) << 32 |
                               bits_low(concrete_get(p->c, x->m->ret, x->width)),
                           w);
        else
            got = concrete_get(p->c, x->m->ret, w);
        if (!bits_eq(got, want))
            return says(p->out, REPLAY_DIFFERS, "returns %#llx, not %#llx", (unsigned long long)bits_low(got),
                        (unsigned long long)bits_low(want));
    }
    return says(p->out, REPLAY_OK, "as predicted");
}

/* ---- code of callees ---- */

static struct graph *current(const struct player *p)
{
    return vec_last(&p->level).g;
}

static void enter_level(struct player *p, const struct flow_graph *g, uint32_t after)
{
    struct graph *gr = graph_prepare(p->x, g);
    const struct ir_machine *m = p->level.len ? vec_last(&p->level).m : p->x->m;
    vec_push(&p->level,
             ((struct level){.g = gr,
                             .after = after,
                             .visits = arena_array(&p->arena, uint32_t, g->nblocks ? g->nblocks : 1),
                             .m = m,
                             .file = p->x->file}));
}

/* A destination, as the graphs of the file that it is in know it; that file, NULL: none that is mapped. */
static struct mapped *native_label(const struct explorer *x, const struct concrete_result *r, ir_label *label)
{
    uint64_t moved = mask(x, r->label - x->file->bias);
    *label = r->label;
    if (x->mapped.len > 1)
        return r->computed ? mapped_at(x, mask(x, r->label), label) : x->file;
    if (x->file->bias && moved < UINT64_C(1) << (x->width == 64 ? 40 : 28))
        *label = moved;
    return x->file;
}

/* Where a stub leads, as its slot says; else nothing changes. */
static struct mapped *through_stub(struct player *p, struct mapped *in, uint64_t *target)
{
    const struct explorer *x = p->x;
    const struct object_stub *stub = in ? mapped_stub(x, in, *target) : NULL;
    uint8_t holds[8] = {0};
    uint64_t to;
    if (!stub || !concrete_read(p->c, 0, mask(x, stub->slot + in->bias), holds, x->unit))
        return in;
    struct mapped *bound = mapped_bound(x, in, bits_low(bits_from_bytes(holds, x->unit)), &to);
    if (bound)
        *target = x->m->arch == MACHINE_ARM ? to & ~UINT64_C(1) : to;
    return bound ? bound : in;
}

/* The block with constants that are addresses as the hooks write them. */
static const struct ir_block *moved_block(struct player *p, const struct ir_block *b)
{
    struct explorer *x = p->x;
    const struct explore_hooks *h = x->opt.hooks;
    uint64_t known;
    if (!h || !h->constant)
        return b;
    if (map_get(&p->moved, (uint64_t)(uintptr_t)b, &known))
        return (const struct ir_block *)(uintptr_t)known;
    struct ir_block *copy = arena_dup(&p->arena, b, sizeof *b);
    copy->insn = arena_dup(&p->arena, b->insn, b->ninsn * sizeof *b->insn);
    uint64_t site = b->label;
    for (uint32_t i = 0, mark = 0; i < b->ninsn; i++) {
        struct ir_insn *in = &copy->insn[i];
        while (mark < b->nmark && b->mark[mark].first <= i)
            site = b->mark[mark++].address;
        if (in->op != IR_CONST || in->width != x->width)
            continue;
        term v = h->constant(h->ctx, site, ir_imm(in->a, in->b));
        if (v == TERM_NONE)
            continue;
        uint64_t value = bits_low(eval(p, v));
        in->a = (uint32_t)value;
        in->b = (uint32_t)(value >> 32);
    }
    map_set(&p->moved, (uint64_t)(uintptr_t)b, (uint64_t)(uintptr_t)copy);
    return copy;
}

/* The event of a call that is about to be made, left where it is. */
static const struct exec_event *peek_event(const struct player *p, enum exec_event_kind kind)
{
    for (unsigned i = p->event; i < p->path->nevents; i++)
        if (p->path->event[i].kind == kind && holds(p, p->path->event[i].guard))
            return &p->path->event[i];
    return NULL;
}

/* The return address that was pushed is not in the symbolic memory. */
static void forget_push(struct player *p)
{
    uint64_t sp = bits_low(concrete_get(p->c, p->x->m->sp, p->x->width));
    for (unsigned i = 0; i < p->x->m->call_pushes; i++)
        map_remove(&p->written, mask(p->x, sp + i));
}

/* The callee whose code is to be run for a call from here, and its file; or NULL. */
static const struct flow_function *followed(struct player *p, struct mapped **in, uint64_t target,
                                            uint64_t site)
{
    struct explorer *x = p->x;
    unsigned depth = (unsigned)p->level.len - 1;
    const struct exec_event *e = peek_event(p, EVENT_CALL);
    bool summarised = e && e->site == site && e->file == x->file->index && e->depth == depth;
    *in = through_stub(p, *in, &target);
    if (!*in || !(*in)->p || (!x->stats.inlined && !p->real))
        return NULL;
    if (x->opt.hooks && x->opt.hooks->resolve)
        x->opt.hooks->resolve(x->opt.hooks->ctx, term_const(x->t, x->width, target), &target);
    const struct flow_function *f = program_function_at((*in)->p, target);
    const struct object_stub *stub = object_stub_at((*in)->o, target);
    if (stub && stub->target)
        f = program_function_at((*in)->p, stub->target);
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN))
        return NULL;
    if (summarised && !(p->real && p->watch->real(p->watch->ctx, f)))
        return NULL;
    if (summarised)
        p->event = (unsigned)(e - p->path->event) + 1;
    const struct explore_hooks *h = x->opt.hooks;
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, h && h->name ? h->name(h->ctx, f->name, f->address) : f->name, site,
                       NULL, p->c);
    return f;
}

/* The same for code that is not a program's: enters it. */
static bool follow_code(struct player *p, uint64_t target, uint64_t site, const struct ir_block *b,
                        uint32_t after)
{
    struct explorer *x = p->x;
    const struct level caller = vec_last(&p->level);
    const struct exec_event *e = peek_event(p, EVENT_CALL);
    struct exec_body body;
    if (!x->code || !x->stats.inlined || (e && e->site == site && e->depth == p->level.len - 1) ||
        !code_body(x, target, caller.m, &b->end, &body))
        return false;
    uint32_t top;
    uint64_t frame = code_frame(x, &caller.g->g->block[0], caller.m, body.machine, &top);
    struct bits sp = concrete_get(p->c, top != UINT32_MAX ? top : caller.m->sp, x->width);
    if (top == UINT32_MAX)
        sp = bits_u64(bits_low(sp) - frame, x->width);
    const struct registers *in = code_file(x, body.machine);
    concrete_enter(p->c, body.machine);
    for (unsigned i = 0; i < in->nslots; i++)
        if (in->entry[i] != TERM_NONE)
            concrete_set(p->c, i * x->unit, x->width, eval(p, in->entry[i]));
    for (unsigned i = 0; i < body.ninputs; i++)
        concrete_set(p->c, body.input[i].offset, body.input[i].width,
                     concrete_value(p->c, b->arg[b->end.args + i]));
    concrete_set(p->c, body.machine->sp, x->width, sp);
    enter_level(p, body.graph, after);
    vec_last(&p->level).call = &b->end;
    vec_last(&p->level).m = body.machine;
    vec_last(&p->level).own_registers = true;
    if (p->watch && p->watch->call)
        p->watch->call(p->watch->ctx, NULL, site, NULL, p->c);
    return true;
}

/* Back from the innermost level. */
static struct level pop_level(struct player *p, bool threw)
{
    struct level l = vec_pop(&p->level);
    p->x->file = vec_last(&p->level).file;
    if (!l.own_registers)
        return l;
    const struct ir_end *end = l.call;
    bool wanted = !threw && end->result != IR_NONE && end->result_width;
    struct bits result = wanted ? concrete_get(p->c, l.m->ret, end->result_width) : bits_u64(0, 1);
    concrete_leave(p->c);
    if (wanted)
        concrete_set(p->c, end->result, end->result_width, result);
    return l;
}

/* To a label of the file `in` (NULL: not known where). */
static bool step_back_in(struct player *p, const struct concrete_result *r, struct mapped *in,
                         const struct ir_block *b, uint32_t *block, bool *threw)
{
    struct explorer *x = p->x;
    uint64_t known, target = r->label;
    if (x->m->arch == MACHINE_ARM)
        target &= ~UINT64_C(1);
    const struct callee *c =
        in && map_get(&in->callees, target, &known) ? (const struct callee *)(uintptr_t)known : NULL;
    uint32_t after = r->after == IR_NO_LABEL ? UINT32_MAX : graph_block(current(p), r->after);
    const struct flow_function *f = NULL;
    if (c && c->thunk) {
        concrete_set(p->c, c->thunk_reg, x->width, eval(p, memory_code(x, r->after)));
        forget_push(p);
        pop_return_address(p, 0);
    } else if ((f = followed(p, &in, target, r->address))) {
        forget_push(p);
        x->file = in;
        enter_level(p, flow_graph(in->p, f), after);
        vec_last(&p->level).call = &b->end;
        after = 0;
    } else if (follow_code(p, target, r->address, b, after)) {
        after = 0;
    } else {
        const struct exec_event *e = next_event(p, EVENT_CALL);
        forget_push(p);
        if (!serve(p, e, r->address))
            return false;
        pop_return_address(p, e->pops);
        *threw = e->threw != TERM_NONE && !bits_is_zero(eval(p, e->threw));
        if (*threw)
            p->thrown = eval(p, e->thrown);
    }
    *block = after;
    return true;
}

/* Leaves the callees that return now; false when it is the function itself that does. */
static bool leave_level(struct player *p, uint32_t *block)
{
    while (p->level.len > 1) {
        struct level l = pop_level(p, false);
        *block = l.after;
        if (l.after != UINT32_MAX)
            return true;
    }
    return false;
}

/* An object is thrown: goes to the innermost handler, of `call` (or NULL) or of those that led here. False
 * when there is none. */
static bool unwind(struct player *p, const struct ir_end *call, uint32_t *block)
{
    for (;;) {
        if (call && call->unwinds) {
            concrete_set(p->c, call->caught, call->caught_width, p->thrown);
            *block = graph_block(current(p), call->unwind);
            return *block != UINT32_MAX;
        }
        if (p->level.len == 1)
            return false;
        call = pop_level(p, true).call;
    }
}

static bool run(struct player *p)
{
    const struct exec_path *path = p->path;
    bool bounded = path->end == PATH_LOOP_BOUND || path->end == PATH_DEPTH;
    uint32_t block = 0;
    for (unsigned step = 0;; step++) {
        struct level *level = &vec_last(&p->level);
        const struct ir_block *b = &level->g->g->block[block];
        unsigned depth = (unsigned)p->level.len - 1;
        if (step > 100000)
            return says(p->out, REPLAY_UNABLE, "still running after 100000 blocks");
        if (!path->merged && !p->x->stats.inlined && !p->real) {
            if (step >= path->nblocks && bounded)
                return says(p->out, REPLAY_OK, "as predicted up to the bound");
            if (step >= path->nblocks || path->block[step] != block)
                return says(p->out, REPLAY_DIFFERS, "step %u is in block %u, where the path has %d", step,
                            block, step < path->nblocks ? (int)path->block[step] : -1);
        }
        bool last = bounded && b->label == path->end_address && level->visits[block] >= p->x->opt.visits;
        if (last && (path->merged || p->x->stats.inlined || p->real)) {
            if (p->watch && p->watch->end)
                p->watch->end(p->watch->ctx, path->end, p->c);
            return says(p->out, REPLAY_OK, "as predicted up to the bound");
        }
        level->visits[block]++;
        if (p->watch && p->watch->block)
            p->watch->block(p->watch->ctx, block, depth, p->c);
        struct concrete_result r = concrete_run_block(p->c, moved_block(p, b));
        /* what the block did after it is not looked at */
        if (p->faulted || (path->end == PATH_FAULT && path->fault->kind == FAULT_DIVISION && !path->merged &&
                           step + 1 == path->nblocks && depth == 0))
            return says(p->out, REPLAY_OK, "as predicted");
        uint64_t absolute = mask(p->x, r.label);
        struct mapped *in = NULL;
        if (r.stop == CONCRETE_JUMP || r.stop == CONCRETE_CALL)
            in = native_label(p->x, &r, &r.label);
        const struct flow_function *f;
        uint32_t to;
        bool threw;
        switch (r.stop) {
        case CONCRETE_JUMP:
            to = in == p->x->file ? graph_block(current(p), r.label) : UINT32_MAX;
            if (to == UINT32_MAX && in == p->x->file && p->x->m->arch == MACHINE_ARM)
                to = graph_block(current(p), r.label ^ 1);
            if (to != UINT32_MAX) {
                block = to;
                break;
            }
            if (path->end == PATH_UNRESOLVED)
                return at_end(p, PATH_UNRESOLVED, r.address);
            if (r.computed && absolute == bits_low(eval(p, p->x->ret))) {
                if (leave_level(p, &block))
                    break;
                return at_end(p, PATH_RETURN, r.address);
            }
            if ((f = followed(p, &in, p->x->m->arch == MACHINE_ARM ? r.label & ~UINT64_C(1) : r.label,
                              r.address))) {
                p->x->file = in;
                enter_level(p, flow_graph(in->p, f), UINT32_MAX);
                block = 0;
                break;
            }
            if (!serve(p, next_event(p, EVENT_CALL), r.address))
                return false;
            if (p->level.len > 1 && path->end != PATH_NORETURN) {
                pop_return_address(p, 0);
                if (leave_level(p, &block))
                    break;
                return at_end(p, PATH_RETURN, r.address);
            }
            return at_end(p, path->end == PATH_NORETURN ? PATH_NORETURN : PATH_TAIL_CALL, r.address);
        case CONCRETE_CALL:
            threw = false;
            if (!step_back_in(p, &r, in, b, &block, &threw))
                return false;
            if (threw && !unwind(p, &b->end, &block))
                return at_end(p, PATH_THROW, r.address);
            if (threw)
                break;
            if (path->end == PATH_NORETURN && p->event == path->nevents && !path->merged &&
                step + 1 == path->nblocks && p->level.len == 1)
                return at_end(p, PATH_NORETURN, r.address);
            if (path->end == PATH_NORETURN && peek_event(p, EVENT_CALL) == NULL &&
                r.address == path->end_address)
                return at_end(p, PATH_NORETURN, r.address);
            if (block == UINT32_MAX)
                return at_end(p, PATH_NORETURN, r.address);
            break;
        case CONCRETE_SYSCALL:
            if (!serve(p, next_event(p, EVENT_SYSCALL), r.address))
                return false;
            block = r.after == IR_NO_LABEL ? UINT32_MAX : graph_block(current(p), r.after);
            if (block == UINT32_MAX)
                return at_end(p, PATH_NORETURN, r.address);
            break;
        case CONCRETE_RET:
            if (leave_level(p, &block))
                break;
            return at_end(p, PATH_RETURN, r.address);
        case CONCRETE_THROW:
            p->thrown = r.thrown;
            if (!unwind(p, NULL, &block))
                return at_end(p, PATH_THROW, r.address);
            break;
        case CONCRETE_TRAP:
            return at_end(p, PATH_TRAP, r.address);
        case CONCRETE_FAULT:
            return says(p->out, REPLAY_UNABLE, "memory at %#llx cannot be accessed",
                        (unsigned long long)r.address);
        case CONCRETE_NO_MEANING:
            return says(p->out, REPLAY_UNABLE, "no concrete meaning for %s",
                        r.what ? r.what : "an instruction");
        }
    }
}

bool replay_model(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                  struct term_model *model, struct replay *out)
{
    return replay_watched(x, g, path, model, NULL, out);
}

bool replay_watched(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                    struct term_model *model, const struct replay_watch *by, struct replay *out)
{
    for (unsigned i = 0; i < path->nevents; i++)
        if ((path->event[i].kind == EVENT_INTRINSIC && !path->event[i].reads) ||
            path->event[i].kind == EVENT_UNKNOWN)
            return says(out, REPLAY_UNABLE, "no concrete meaning for %s",
                        path->event[i].name ? path->event[i].name : "an instruction");
    if (path->merged && path->end == PATH_DEPTH)
        return says(out, REPLAY_UNABLE, "merged paths do not meet a bound at one place");
    struct player p = {.x = x, .path = path, .model = model, .out = out, .watch = by, .real = by && by->real};
    enter_level(&p, g, UINT32_MAX);
    static const struct saved_set none = {0};
    p.epoch = (struct epoch){x->first_mem, x->frame, false, &none, NULL};
    p.sp = bits_low(eval(&p, x->sp));
    p.at = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_STAND_IN, .name = "replay"}, x->width);
    /* The address is a number, no longer something made from a symbol that an axiom mentions. */
    const struct term_distinct axioms = terms_set_distinct(x->t, (struct term_distinct){0});
    p.c = concrete_new(x->m, x->pures, fill, &p);
    concrete_watch(p.c, watch, &p);
    if (x->opt.hooks && x->opt.hooks->settle)
        concrete_settle(p.c, x->opt.hooks->settle, x->opt.hooks->ctx);
    for (unsigned i = 0; i < x->nslots; i++)
        put_slot(&p, i, eval(&p, x->first_reg[i]));
    bool ok = run(&p);
    x->file = x->mapped.data[0];
    terms_set_distinct(x->t, axioms);
    concrete_free(p.c);
    map_free(&p.written);
    vec_free(&p.cells);
    map_free(&p.moved);
    vec_free(&p.level);
    arena_free(&p.arena);
    return ok;
}

/* ---- finding an input ---- */

/* Everything the path's terms are made of. */
static void collect(struct explorer *x, const struct exec_path *path, struct map *seen)
{
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, path->condition);
    vec_push(&todo, path->memory);
    vec_push(&todo, path->frame);
    for (uint32_t i = 0; path->spaces && i < path->spaces->n; i++)
        vec_push(&todo, path->spaces->at[i].array);
    if (path->result != TERM_NONE)
        vec_push(&todo, path->result);
    if (path->thrown != TERM_NONE)
        vec_push(&todo, path->thrown);
    for (unsigned i = 0; i < path->nevents; i++) {
        const struct exec_event *e = &path->event[i];
        const term some[] = {e->guard,  e->mem_before, e->mem_after, e->frame_after, e->result,
                             e->target, e->token,      e->x87,       e->threw,       e->thrown};
        for (unsigned k = 0; k < sizeof some / sizeof *some; k++)
            if (some[k] != TERM_NONE)
                vec_push(&todo, some[k]);
        for (unsigned k = 0; k < e->nargs; k++)
            vec_push(&todo, e->arg[k]);
    }
    while (todo.len) {
        term u = vec_pop(&todo);
        if (!map_set(seen, u, 1))
            continue;
        for (unsigned i = 0; i < term_nkids(x->t, u); i++)
            vec_push(&todo, term_kid(x->t, u, i));
    }
    vec_free(&todo);
}

static int by_number(const void *a, const void *b)
{
    term x = *(const term *)a, y = *(const term *)b;
    return x < y ? -1 : x > y;
}

static term root_of(struct explorer *x, const struct term_model *m, term array)
{
    for (;;) {
        unsigned kind = term_kind(x->t, array);
        struct bits c;
        if (kind == TERM_WRITE)
            array = term_kid(x->t, array, 0);
        else if (kind == TERM_AITE && term_eval(x->t, m, term_kid(x->t, array, 0), &c))
            array = term_kid(x->t, array, bits_is_zero(c) ? 2 : 1);
        else
            return array;
    }
}

bool replay_path(struct explorer *x, const struct flow_graph *g, const struct exec_path *path,
                 struct replay *out)
{
    if (!x->s)
        return says(out, REPLAY_NO_INPUT, "no solver");
    struct map seen = {0};
    collect(x, path, &seen);
    VEC(term) node = VEC_INIT, q = VEC_INIT;
    uint64_t key, one;
    for (size_t i = 0; (i = map_next(&seen, i, &key, &one));)
        vec_push(&node, (term)key);
    map_free(&seen);
    vec_sort(&node, by_number);

    vec_push(&q, path->condition);
    for (size_t i = 0; i < x->assume.len; i++)
        vec_push(&q, x->assume.data[i]);
    /* Places the stack where no argument is likely to point, the return address outside the code, and objects
     * so that they do not overlap. */
    uint64_t sp = (x->width == 64 ? UINT64_C(0x7ffd5ea10000) : UINT64_C(0xbea10000)) + x->sp_residue;
    vec_push(&q, term_eq(x->t, x->sp, term_const(x->t, x->width, sp)));
    if (x->ret != TERM_NONE && !x->snapshot)
        vec_push(&q, term_eq(x->t, x->ret, term_const(x->t, x->width, 0xc0ffee0)));
    unsigned heaps = 0;
    for (size_t i = 0; i < node.len; i++) {
        term u = node.data[i];
        unsigned kind = term_kind(x->t, u);
        if (kind == TERM_APPLY && term_is_array(x->t, u)) { /* so that the model mentions it */
            unsigned index = term_index_width(x->t, u), cell = term_cell_width(x->t, u);
            vec_push(&q, term_eq(x->t, term_read(x->t, u, term_const(x->t, index, 0xdead0), cell),
                                 term_const(x->t, cell, 0x5a)));
        }
        if (kind == TERM_APPLY && summary_heap_root(x, u) == u && heaps < 64) {
            term at = term_const(x->t, x->width, UINT64_C(0x51000000) + 0x100000 * ++heaps);
            term is = term_eq(x->t, u, at), null = term_eq(x->t, u, term_const(x->t, x->width, 0));
            vec_push(&q, term_or(x->t, is, null));
        }
    }
    for (size_t i = 0; i < x->globals.len && i < GLOBALS_MAX; i++)
        vec_push(&q, term_eq(x->t, x->globals.data[i],
                             term_const(x->t, x->width, GLOBALS_AT + (uint64_t)i * GLOBAL_SIZE)));
    bool ok = false, done = false;
    for (unsigned round = 0; round < ROUNDS && !done; round++) {
        struct term_model *m = NULL;
        enum solve_answer a = solve_check(x->s, q.data, q.len, &m);
        if (a != SOLVE_SAT) {
            ok = says(out, REPLAY_NO_INPUT, "%s",
                      a == SOLVE_UNSAT ? "no input takes this path" : solver_reason(x->s));
            break;
        }
        /* Reads of read-only memory, and of pages of a snapshot, at computed addresses are open for the
         * solver: tell it what is there. */
        bool agrees = true;
        for (size_t i = 0; i < node.len && (x->file->o || x->code || x->snapshot); i++) {
            term u = node.data[i];
            struct bits at, got;
            uint64_t address;
            if (term_kind(x->t, u) != TERM_READ || term_index_width(x->t, term_kid(x->t, u, 0)) != x->width ||
                term_cell_width(x->t, term_kid(x->t, u, 0)) != 8 ||
                !term_eval(x->t, m, term_kid(x->t, u, 1), &at) || !bits_to_u64(at, &address))
                continue;
            term root = root_of(x, m, term_kid(x->t, u, 0));
            for (unsigned k = 0; k < term_width(x->t, u) / 8; k++) {
                uint64_t byte = mask(x, address + k);
                uint8_t was;
                bool paged = memory_snapshot_byte(x, byte, &was);
                if (paged && root != x->mem)
                    continue; /* something else was there by then */
                uint64_t own = byte;
                const struct mapped *in = x->mapped.len > 1 ? mapped_at(x, byte, &own) : x->file;
                if (!paged && !in)
                    continue;
                term v = paged ? term_const(x->t, 8, was) : known_word(x, in, own, 8);
                if (v == TERM_NONE) { /* part of a word that the dynamic linker fills */
                    byte -= own % x->unit;
                    own -= own % x->unit;
                    v = known_word(x, in, own, x->width);
                }
                if (v == TERM_NONE)
                    continue;
                term there = term_read(x->t, root, term_const(x->t, x->width, byte), term_width(x->t, v));
                term fact = term_eq(x->t, there, v);
                if (!term_eval(x->t, m, fact, &got) || bits_is_zero(got)) {
                    vec_push(&q, fact);
                    agrees = false;
                }
            }
        }
        if (agrees) {
            done = true;
            ok = replay_model(x, g, path, m, out);
        }
        term_model_free(m);
        if (!agrees && round + 1 == ROUNDS)
            ok = says(out, REPLAY_NO_INPUT, "no input found that agrees with known memory");
    }
    vec_free(&node);
    vec_free(&q);
    return ok;
}
