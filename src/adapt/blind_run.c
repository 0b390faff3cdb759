/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concrete interpreter, with a shade for every value of which not everything is known. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "adapt/blind.h"
#include "lift/lift.h"

/* ---- accesses ---- */

static bool has(const uint64_t *list, size_t n, uint64_t x)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == x)
            return true;
    return false;
}

bool blind_knows_pages(const struct run *r)
{
    return r->like->whole || (r->like->trapped && r->s->nevents < r->like->nevents);
}

bool blind_may_access(struct run *r, uint64_t address, unsigned bytes, shade of, bool *missing)
{
    struct side *s = r->s;
    *missing = false;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t at = (address + (i ? bytes - 1 : 0)) & word_ones(s->w->m->pointer_width),
                 page = at >> PAGE_BITS;
        if (blind_where(s->w, at) != OUTSIDE)
            continue;
        const struct side *code = r->like ? r->like : s;
        if (has(code->code.data, code->code.len, page))
            return stop(r, END_CUT);
        bool there = has(code->page.data, code->page.len, page);
        if (r->like && !there && of & SHADE_GIVEN)
            return stop(r, blind_knows_pages(r) ? END_REFUTED : END_CUT);
        *missing = *missing || (r->like && !there && page < NULL_PAGES);
        if (!r->like && !there)
            vec_push(&s->page, page);
    }
    return true;
}

void blind_note_written(struct side *s, uint64_t at, shade of)
{
    map_set(&s->shade, at, of);
    if (blind_where(s->w, at) != IN_STACK)
        vec_push(&s->written, at);
}

/* ---- one instruction ---- */

bool blind_at_constant(const struct run *r, uint64_t address, shade of)
{
    return of & SHADE_BASE && !(of & SHADE_HALF) && blind_is_far(r->s->w, blind_added(r, address, of));
}

bool blind_stop_at_constant(struct run *r, uint64_t address, shade of)
{
    r->k = base_of(of);
    r->value = blind_added(r, address, of);
    r->near = of & SHADE_NEAR;
    return stop(r, END_PIN);
}

/* Memory that is not the same in all tests. */
static bool is_variable(const struct world *w, uint64_t address, unsigned bytes)
{
    enum blind_where where = blind_where(w, address);
    return where != IN_STACK &&
           (where != IN_IMAGE || !object_is_readonly(w->o, address - w->guest.bias, bytes));
}

static bool run_load(struct run *r, const struct ir_insn *i, shade *out)
{
    struct side *s = r->s;
    struct world *w = s->w;
    if (i->d != 0)
        return stop(r, END_CUT);
    if (i->b != IR_NONE) {
        if (is_unknown(w->value[i->b]))
            return needs(r, w->value[i->b]);
        if (!concrete_word(s->c, i->b)) {
            *out = w->value[i->c];
            return true;
        }
    }
    shade of = w->value[i->a], byte[OP_MAX_WIDTH / 8] = {0};
    uint64_t address = concrete_word(s->c, i->a);
    unsigned n = i->width / 8;
    bool constant = blind_at_constant(r, address, of), missing;
    if (constant && !blind_is_in_page(r, address, of))
        return blind_stop_at_constant(r, address, of);
    if (of & SHADE_ARGS)
        return needs(r, of);
    if (constant && !blind_may_access(r, address, 1, of, &missing))
        return false;
    if (is_unknown(of)) {
        *out = SHADE_UNKNOWN | SHADE_GIVEN | blind_few(r, of);
        s->varies = true;
        /* the target's pages are not all known */
        return r->like || stop(r, END_CUT);
    }
    if (!blind_may_access(r, address, n, of, &missing))
        return false;
    if (missing) { /* it may have anything in it */
        *out = SHADE_UNKNOWN;
        s->varies = true;
        return true;
    }
    s->varies = s->varies || is_variable(w, address, n);
    for (unsigned k = 0; k < n; k++)
        byte[k] = blind_byte(s, address + k);
    *out = blind_joined(w, byte, n) | (of & SHADE_GIVEN);
    /* callers left it there: it may be made of arguments */
    s->varies = s->varies || (is_unknown(*out) && !(*out & SHADE_GIVEN) && address >= guest_stack(w->m) &&
                              blind_in_stack(w, address));
    if (r->watch && blind_where(w, address) == IN_IMAGE)
        blind_watch_text(r->watch, address);
    if (r->watch && n <= 8 && blind_where(w, address) == OUTSIDE && !map_get(&s->shade, address, NULL)) {
        uint8_t bytes[8];
        concrete_read(s->c, 0, address, bytes, n);
        blind_watch_load(r->watch, address, n, bits_low(bits_from_bytes(bytes, n)));
    }
    return true;
}

void blind_store_somewhere(struct run *r, uint64_t address, uint64_t n, shade of)
{
    const shade any = SHADE_UNKNOWN | SHADE_GIVEN | blind_few(r, of);
    for (uint64_t k = 0; k < n; k++)
        map_set(&r->s->shade, address + k, any);
    r->s->varies = true;
}

static bool run_store(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    struct side *s = r->s;
    struct world *w = s->w;
    if (i->d != 0)
        return stop(r, END_CUT);
    if (i->c != IR_NONE) {
        if (is_unknown(w->value[i->c]))
            return needs(r, w->value[i->c]);
        if (!concrete_word(s->c, i->c))
            return true;
    }
    shade of = w->value[i->a];
    uint64_t address = concrete_word(s->c, i->a);
    bool constant = blind_at_constant(r, address, of), missing;
    if (constant && !blind_is_in_page(r, address, of))
        return blind_stop_at_constant(r, address, of);
    unsigned n = block->insn[i->b].width / 8;
    if (constant) {
        if (!blind_may_access(r, address, 1, of, &missing))
            return false;
        if (missing)
            return stop(r, END_CUT);
        blind_store_somewhere(r, address, blind_others(r, of) + n, of);
        return true;
    }
    /* should it fault, it does nothing more of what the target does */
    if (r->like && of & SHADE_OFFSET && !(of & SHADE_ARGS) && !blind_hinges(r, of) && blind_knows_pages(r)) {
        s->blurred = s->varies = true;
        return true;
    }
    if (is_unknown(of))
        return needs(r, of);
    if (!blind_may_access(r, address, n, of, &missing))
        return false;
    if (missing)
        return stop(r, END_CUT);
    for (unsigned k = 0; k < n; k++)
        blind_note_written(s, address + k, blind_split(w, w->value[i->b], k, n));
    return true;
}

/* What comes out of it is made of all that it reads. */
static bool run_event(struct run *r, const struct ir_block *block, const struct ir_insn *i, shade *out)
{
    const struct ir_event *e = &block->event[i->a];
    struct side *s = r->s;
    shade guard = e->guard == IR_NONE ? 0 : s->w->value[e->guard], all = 0;
    if (is_unknown(guard))
        return needs(r, guard);
    if (e->guard != IR_NONE && !concrete_word(s->c, e->guard))
        return true;
    for (uint32_t k = 0; k < e->nargs; k++)
        all = blind_mixed(all, s->w->value[block->arg[e->args + k]]);
    for (unsigned k = 0; k < e->nreads; k++)
        for (unsigned n = 0; n < e->reads[k].bytes; n++)
            all = blind_mixed(all, s->reg[e->reads[k].offset + n]);
    if (e->mem_read || e->mem_write) {
        shade of = s->w->value[e->mem_addr];
        uint64_t address = concrete_word(s->c, e->mem_addr);
        bool missing;
        if (is_unknown(of))
            return needs(r, of);
        if (!blind_may_access(r, address, e->mem_bytes, of, &missing))
            return false;
        if (missing)
            return stop(r, END_CUT);
        s->varies = s->varies || (e->mem_read && is_variable(s->w, address, e->mem_bytes));
        for (uint32_t k = 0; k < e->mem_bytes && e->mem_read; k++)
            all = blind_mixed(all, blind_byte(s, address + k));
        for (uint32_t k = 0; k < e->mem_bytes && e->mem_write; k++) /* some may stay as they are */
            blind_note_written(s, address + k, blind_mixed(all, blind_byte(s, address + k)));
    }
    for (unsigned k = 0; k < e->nwrites; k++)
        for (unsigned n = 0; n < e->writes[k].bytes; n++)
            s->reg[e->writes[k].offset + n] = all;
    *out = all;
    return true;
}

/* The file's offset is in a register of floating-point arguments, which are others in each test. */
static bool is_of_floats(const struct ir_machine *m, uint32_t offset)
{
    for (unsigned i = 0; i < m->nfargs; i++)
        if (offset - m->farg[i] < 16u)
            return true;
    return false;
}

/* What is compared, and which bits are looked at. */
static void watch_operator(struct run *r, const struct ir_block *block, uint32_t n)
{
    const struct ir_insn *i = &block->insn[n];
    const struct side *s = r->s;
    if ((i->op != OP_AND && !blind_is_comparison(i->op)) || is_unknown(s->w->value[i->a]) ||
        is_unknown(s->w->value[i->b]) || block->insn[i->a].width > 64)
        return;
    uint64_t x = concrete_word(s->c, i->a), y = concrete_word(s->c, i->b);
    if (i->op == OP_AND)
        blind_watch_bits(r->watch, x, y, i->width);
    else
        blind_watch_comparison(r->watch, block->label + n, x, y, block->insn[i->a].width);
}

/* The shade of what instruction n gives; false: the run ends before it. */
static bool run_shade(struct run *r, const struct ir_block *block, uint32_t n)
{
    struct side *s = r->s;
    struct world *w = s->w;
    const struct ir_insn *i = &block->insn[n];
    shade *out = &w->value[n], byte[OP_MAX_WIDTH / 8];
    *out = 0;
    w->known[n] = 0;
    if (i->op < OP_COUNT_) {
        if (r->watch)
            watch_operator(r, block, n);
        *out = blind_operator(r, block, i);
        *out |= blind_rounds(r, block, n) ? (shade)SHADE_UNKNOWN : 0;
        if (blind_compares_rounded(r, i))
            *out &= SHADE_GIVEN;
        *out |= blind_rounded(r, block, n);
        return true;
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        *out = blind_rounds(r, block, n) ? (shade)SHADE_UNKNOWN : 0;
        return true;
    case IR_GET: {
        unsigned bytes = (i->width + 7u) / 8;
        memcpy(byte, &s->reg[i->a], bytes * sizeof *byte);
        *out = blind_joined(w, byte, bytes);
        while (w->known[n] < bytes && !is_unknown(byte[w->known[n]]))
            w->known[n]++;
        s->varies = s->varies || (*out & SHADE_GIVEN && is_of_floats(w->m, i->a));
        w->half[n] = is_unknown(*out) && bytes > 4 ? blind_joined(w, byte, 4) : *out;
        *out |= blind_rounded(r, block, n);
        return true;
    }
    case IR_PUT: {
        unsigned bytes = (block->insn[i->b].width + 7u) / 8;
        for (unsigned k = 0; k < bytes; k++)
            s->reg[i->a + k] = blind_split(w, w->value[i->b], k, bytes);
        return true;
    }
    case IR_LOAD:
        return run_load(r, i, out);
    case IR_STORE:
        return run_store(r, block, i);
    case IR_PURE: /* or of part of an address */
        for (uint32_t k = 0; k < i->c; k++)
            *out = blind_mixed(*out, w->value[block->arg[i->b + k]]);
        *out = (*out & ~SHADE_PURE) | (blind_rounds(r, block, n) ? (shade)SHADE_UNKNOWN : 0);
        *out |= blind_rounded(r, block, n);
        return true;
    case IR_EVENT:
        return run_event(r, block, i, out);
    default:
        return stop(r, END_CUT);
    }
}

/* ---- registers, memory, and what is seen from outside ---- */

shade blind_register(const struct side *s, unsigned offset)
{
    return blind_joined(s->w, &s->reg[offset], s->w->m->pointer_width / 8);
}

uint64_t blind_get_word(const struct side *s, unsigned offset)
{
    return bits_low(concrete_get(s->c, offset, s->w->m->pointer_width));
}

void blind_put_word(struct side *s, unsigned offset, uint64_t x, shade of)
{
    unsigned width = s->w->m->pointer_width;
    concrete_set(s->c, offset, width, bits_u64(x, width));
    for (unsigned i = 0; i < width / 8; i++)
        s->reg[offset + i] = blind_split(s->w, of, i, width / 8);
}

uint64_t blind_word(struct side *s, uint64_t address)
{
    unsigned unit = s->w->m->pointer_width / 8;
    uint8_t bytes[8] = {0};
    concrete_read(s->c, 0, address & ~(uint64_t)(unit - 1), bytes, unit);
    return bits_low(bits_from_bytes(bytes, unit));
}

bool blind_add_event(struct run *r, bool call, uint64_t nr)
{
    struct side *s = r->s;
    unsigned n = s->nevents;
    if (n >= EVENTS)
        return stop(r, END_CUT);
    s->event[n].call = call;
    s->event[n].looks = 0;
    s->event[n].nr = nr;
    s->event[n].takes = NULL;
    s->nevents++;
    s->varies = true;
    if (!r->like)
        return true;
    if (n >= r->like->nevents)
        return stop(r, r->like->whole || r->like->trapped ? END_REFUTED : END_CUT);
    return (r->like->event[n].call == call && r->like->event[n].nr == nr) || stop(r, END_REFUTED);
}

bool blind_leave(struct run *r, ir_label *at, uint64_t result, shade result_shade)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    shade of = 0;
    if (m->call_pushes) {
        uint64_t sp = blind_get_word(s, m->sp);
        for (unsigned i = 0; i < m->pointer_width / 8; i++)
            of |= blind_byte(s, sp + i);
        *at = blind_word(s, sp);
        blind_put_word(s, m->sp, sp + m->pointer_width / 8, 0);
    } else {
        of = blind_register(s, m->lr);
        *at = blind_get_word(s, m->lr);
    }
    for (unsigned i = 0; i < m->file_size; i++)
        if (!s->w->saved[i])
            s->reg[i] = SHADE_UNKNOWN;
    blind_put_word(s, m->ret, result, result_shade);
    return !is_unknown(of) || stop(r, END_CUT);
}

/* A function that the memory has which the arguments lead to: one that does something that can be seen, does
 * it elsewhere otherwise, and returns a number. */
static bool run_outside(struct run *r, ir_label *at)
{
    struct side *s = r->s;
    uint64_t page = *at >> PAGE_BITS;
    if (has(s->page.data, s->page.len, page))
        return stop(r, END_CUT);
    if (!blind_add_event(r, true, *at))
        return false;
    if (!blind_called(r, s->nevents - 1))
        return false;
    vec_push(&s->code, page);
    return blind_leave(r, at, s->scene.returns, 0);
}

/* Functions of other files of which enough is known. The dynamic linker puts a setting of the C library where
 * the second argument points, and does nothing else where the user did not change it. */
static bool run_import(struct run *r, ir_label *at)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    const struct object_stub *stub = object_stub_at(s->w->o, *at - s->w->guest.bias);
    if (!stub || !stub->name || strcmp(stub->name, "__tunable_get_val") != 0 || m->nargs < 2 ||
        is_unknown(blind_register(s, m->arg[1])))
        return stop(r, END_CUT);
    uint64_t to = blind_get_word(s, m->arg[1]);
    if (!blind_in_stack(s->w, to))
        return stop(r, END_CUT);
    for (unsigned i = 0; i < 8; i++)
        map_set(&s->shade, to + i, SHADE_UNKNOWN);
    return blind_leave(r, at, 0, SHADE_UNKNOWN);
}

/* ---- the run ---- */

void blind_open(struct side *s, struct world *w)
{
    *s = (struct side){.w = w};
    s->c = concrete_new(w->m, lift_pures(), blind_fill, s);
    s->reg = xcalloc(w->m->file_size, sizeof *s->reg);
}

void blind_close(struct side *s)
{
    concrete_free(s->c);
    free(s->reg);
    map_free(&s->shade);
    vec_free(&s->written);
    vec_free(&s->page);
    vec_free(&s->code);
    vec_free(&s->shown);
}

static bool run_function(struct run *r, ir_label at);

/* The implementation that a resolver chooses: any that it may choose does the same. */
static bool choose(struct world *w, uint64_t resolver, ir_label *to)
{
    uint64_t known;
    if (map_get(&w->chosen, resolver, &known)) {
        *to = known;
        return known != 0;
    }
    map_set(&w->chosen, resolver, 0);
    const struct flow_function *f = program_function_at(w->guest.p, resolver);
    struct side s;
    struct run r = {.s = &s, .end = END_CUT};
    blind_open(&s, w);
    if (f)
        run_function(&r, guest_label(&w->guest, f));
    if (r.end == END_RETURN && !is_unknown(s.result_shade))
        map_set(&w->chosen, resolver, s.result);
    blind_close(&s);
    *to = map_find(&w->chosen, resolver, 0);
    return *to != 0;
}

/* A branch of which it is known which way it goes; what is asked about may be runs that go the other way. */
static bool goes_along(struct run *r, bool taken)
{
    if (r->met >= r->ways.n || r->ways.at[r->met] != r->here)
        return true;
    return r->ways.taken[r->met++] == taken || stop(r, END_REFUTED);
}

bool blind_start(struct world *w, const struct flow_function *f, ir_label *at)
{
    *at = guest_label(&w->guest, f);
    return !(f->flags & FLOW_IFUNC) || choose(w, f->address, at);
}

static bool run_branch(struct run *r, shade of, bool *taken)
{
    if (of & SHADE_ARGS && !r->forks) {
        r->early = true;
        return needs(r, of);
    }
    if (blind_hinges(r, of))
        return stop(r, END_SPLIT);
    if (!r->like || r->met >= DECISIONS)
        return stop(r, END_CUT);
    r->s->varies = r->s->varies || of & SHADE_ARGS;
    if (r->met == r->ways.n) {
        r->ways.at[r->met] = r->here;
        r->ways.taken[r->ways.n++] = false;
    }
    if (r->ways.at[r->met] != r->here)
        return stop(r, END_CUT);
    *taken = r->ways.taken[r->met++];
    return true;
}

/* It goes on at a place that is not known. A constant is no address of the file: it leads to the function
 * that the target calls next, if to any. */
static bool leads_away(struct run *r, uint64_t to, shade of)
{
    unsigned next = r->s->nevents;
    if (!r->like || !blind_at_constant(r, to, of))
        return needs(r, of);
    if (is_exact(of) && next < r->like->nevents && r->like->event[next].call) {
        r->k = base_of(of);
        r->value = (r->like->event[next].nr - blind_added(r, to, of)) & word_ones(r->s->w->m->pointer_width);
        return stop(r, r->value < r->low[r->k] || r->value > r->high[r->k] ? END_REFUTED : END_FIX);
    }
    for (unsigned n = next; n < r->like->nevents; n++)
        if (r->like->event[n].call)
            return stop(r, END_CUT);
    return stop(r, END_TRAP);
}

/* Runs a block; false: the run is over. */
static bool run_block(struct run *r, const struct ir_block *block, ir_label *to)
{
    struct side *s = r->s;
    struct world *w = s->w;
    struct concrete_result result;
    if (w->nvalue < block->ninsn) {
        w->nvalue = block->ninsn * 2;
        w->value = xreallocarray(w->value, w->nvalue, sizeof *w->value);
        w->half = xreallocarray(w->half, w->nvalue, sizeof *w->half);
        w->known = xreallocarray(w->known, w->nvalue, sizeof *w->known);
    }
    concrete_begin(s->c, block);
    r->steps += block->ninsn + 1;
    w->steps += block->ninsn + 1;
    for (uint32_t n = 0;; n++) {
        const struct ir_insn *i = n < block->ninsn ? &block->insn[n] : NULL;
        if (i && i->op == IR_EXIT)
            r->here = (uint32_t)(r->steps - block->ninsn + n);
        if (i && i->op == IR_EXIT && !is_unknown(w->value[i->a]) &&
            !goes_along(r, concrete_word(s->c, i->a) != 0))
            return false;
        if (i && i->op == IR_EXIT && is_unknown(w->value[i->a])) {
            bool taken = false;
            if (!run_branch(r, w->value[i->a], &taken))
                return false;
            if (!taken)
                continue;
            if (i->exit != IR_EXIT_JUMP)
                return stop(r, i->exit == IR_EXIT_CALL || i->exit == IR_EXIT_RET ? END_CUT : END_TRAP);
            *to = ir_imm(i->b, i->c);
            return true;
        }
        if (i && i->op != IR_EXIT && !run_shade(r, block, n))
            return false;
        if (!i && block->end.label == IR_NO_LABEL && block->end.next != IR_NONE &&
            is_unknown(w->value[block->end.next]))
            return leads_away(r, concrete_word(s->c, block->end.next), w->value[block->end.next]);
        if (!concrete_step(s->c, block, n, &result))
            break;
    }
    *to = w->m->pointer_width == 32 ? (uint32_t)result.label : result.label;
    switch (result.stop) {
    case CONCRETE_RET:
        s->left = true;
        return true;
    case CONCRETE_JUMP:
    case CONCRETE_CALL:
        return true;
    case CONCRETE_SYSCALL:
        *to = result.after;
        return blind_syscall(r);
    case CONCRETE_TRAP:
        return stop(r, END_TRAP);
    default:
        return stop(r, END_CUT);
    }
}

static const uint64_t return_address = 0xc0ffee0;

/* Where it is not known which floating-point arguments there are, an adapter hands on their registers as they
 * are, or leaves anything in them: both functions find the same there. */
static void give_floats(struct side *s)
{
    static const double some[] = {1.5,    -2.25, (double)INFINITY, (double)NAN, 0, 1e300, -(double)INFINITY,
                                  3e-310, -0.0,  2147483648.0,     7,           -1};
    const struct ir_machine *m = s->w->m;
    const unsigned n = sizeof some / sizeof *some;
    for (unsigned i = 0; i < m->nfargs; i++) {
        unsigned from = s->floats && i < ADAPT_FLOATS ? s->floats[i] : i;
        bool constant = from == ADAPT_FLOATS && s->floats;
        unsigned at = s->scene.seed % 8 == 7 ? 0 : from; /* all may be the same */
        double x = some[(s->scene.seed / 2 + at + (s->scene.turned == from ? s->scene.by : 0)) % n];
        float y = (float)x;
        uint64_t bits = 0;
        uint32_t half;
        memcpy(&bits, &x, sizeof x);
        memcpy(&half, &y, sizeof y);
        if (s->scene.seed % 2) /* of half the width, twice */
            bits = (uint64_t)half << 32 | half;
        concrete_set(s->c, m->farg[i], 128, bits_u64(bits, 128));
        for (unsigned k = 0; k < 16; k++)
            s->reg[m->farg[i] + k] = constant ? SHADE_UNKNOWN | SHADE_GIVEN : SHADE_GIVEN;
    }
}

void blind_enter(struct side *s)
{
    struct world *w = s->w;
    const struct ir_machine *m = w->m;
    concrete_reset(s->c);
    map_clear(&s->shade);
    vec_clear(&s->written);
    s->nevents = 0;
    s->heap_end = BLIND_HEAP;
    s->mapped = BLIND_HEAP + (UINT64_C(1) << BLIND_HEAP_BITS);
    s->left = s->whole = s->trapped = s->varies = s->blurred = false;
    vec_clear(&s->shown);
    vec_clear(&s->page);
    vec_clear(&s->code);
    for (unsigned i = 0; i < m->file_size; i++)
        s->reg[i] = SHADE_UNKNOWN | SHADE_LEFT;
    for (unsigned i = 0; i < m->nargs * m->pointer_width / 8u; i++) /* these may be handed on as they are */
        s->reg[m->arg[i / (m->pointer_width / 8u)] + i % (m->pointer_width / 8u)] = SHADE_UNKNOWN;
    for (unsigned i = 0; i < s->w->guest.npromises; i++) {
        const struct guest_promise *x = &s->w->guest.promise[i];
        concrete_set(s->c, x->offset, x->width, bits_u64(x->value, x->width));
        memset(&s->reg[x->offset], 0, (x->width + 7u) / 8 * sizeof *s->reg);
    }
    blind_put_word(s, m->sp, guest_stack(m), 0);
    give_floats(s);
}

void blind_give(struct side *s, unsigned i, uint64_t x, shade of)
{
    const struct ir_machine *m = s->w->m;
    unsigned unit = m->pointer_width / 8;
    if (i < m->nargs) {
        blind_put_word(s, m->arg[i], x, of);
        return;
    }
    uint8_t bytes[8];
    uint64_t at = guest_stack(m) + m->stack_arg + (i - m->nargs) * unit;
    bits_to_bytes(bits_u64(x, m->pointer_width), bytes, unit);
    concrete_write(s->c, 0, at, bytes, unit);
    for (unsigned k = 0; k < unit; k++)
        map_set(&s->shade, at + k, blind_split(s->w, of, k, unit));
}

void blind_forget_half(struct side *s, unsigned i)
{
    const struct ir_machine *m = s->w->m;
    for (unsigned k = 4; k < m->pointer_width / 8; k++) {
        if (i < m->nargs)
            s->reg[m->arg[i] + k] = SHADE_UNKNOWN | SHADE_GIVEN;
        else
            map_set(&s->shade, guest_stack(m) + m->stack_arg + (i - m->nargs) * 8 + k,
                    SHADE_UNKNOWN | SHADE_GIVEN);
    }
}

void blind_clear_result(struct side *s)
{
    blind_put_word(s, s->w->m->ret, 0, 0);
}

/* What is at the top of the x87 unit's stack. */
static void note_x87(struct side *s)
{
    const struct world *w = s->w;
    unsigned top = (unsigned)bits_low(concrete_get(s->c, w->x87_top, 32)) & 7,
             from = w->x87_register + 8 * top;
    shade of = s->reg[w->x87_tag + top];
    for (unsigned i = 0; i < 8; i++)
        of = blind_mixed(of, blind_mixed(s->reg[from + i], s->reg[w->x87_top + i % 4]));
    bool empty = !bits_low(concrete_get(s->c, w->x87_tag + top, 8));
    s->x87_result = bits_low(concrete_get(s->c, from, 64));
    s->x87_shade = of | (empty ? (shade)SHADE_UNKNOWN : 0);
}

/* From the function's first instruction until it returns, or until nothing more is known. */
bool blind_run(struct run *r, ir_label at)
{
    struct side *s = r->s;
    struct world *w = s->w;
    const struct ir_machine *m = w->m;
    unsigned unit = m->pointer_width / 8;
    uint64_t resolver;
    if (m->call_pushes) {
        uint8_t bytes[8];
        bits_to_bytes(bits_u64(return_address, m->pointer_width), bytes, unit);
        concrete_write(s->c, 0, guest_stack(m), bytes, unit);
        for (unsigned k = 0; k < unit; k++)
            map_set(&s->shade, guest_stack(m) + k, 0);
    } else {
        blind_put_word(s, m->lr, return_address, 0);
    }
    while ((at & ~UINT64_C(1)) != return_address) {
        if (r->steps > RUN_STEPS || w->steps > w->steps_max)
            return stop(r, END_CUT);
        if (!guest_through_stub(&w->guest, &at, &resolver)) {
            if (!resolver && !run_import(r, &at))
                return false;
            bool done = false;
            if (resolver && !blind_callee(r, resolver, &at, &done))
                return false;
            if (resolver && !done && !choose(w, resolver, &at))
                return stop(r, END_CUT);
            continue;
        }
        if (blind_where(w, at) == OUTSIDE) {
            if (!run_outside(r, &at))
                return false;
            continue;
        }
        const struct ir_block *block = guest_block(&w->guest, at, 0);
        if (!block)
            return stop(r, END_CUT);
        if (r->watch)
            blind_watch_edge(r->watch, at);
        if (!run_block(r, block, &at))
            return false;
    }
    s->result = blind_get_word(s, m->ret);
    s->result_shade = blind_register(s, m->ret);
    if (m->fret != UINT16_MAX) {
        for (unsigned k = 0; k < 2; k++) {
            s->float_result[k] = bits_low(concrete_get(s->c, m->fret + 8 * k, 64));
            s->float_shade[k] = 0;
            for (unsigned i = 0; i < 8; i++)
                s->float_shade[k] = blind_mixed(s->float_shade[k], s->reg[m->fret + 8 * k + i]);
        }
    }
    if (w->x87)
        note_x87(s);
    s->whole = true;
    r->end = END_RETURN;
    return true;
}

static bool run_function(struct run *r, ir_label at)
{
    blind_enter(r->s);
    return blind_run(r, at);
}
