/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "exec/concrete.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"

enum { PAGE_BITS = 8, PAGE_SIZE_ = 1 << PAGE_BITS };

/* A piece of a space and which of its cells are known already. */
struct page {
    uint64_t known[PAGE_SIZE_ / 64];
    uint8_t byte[]; /* PAGE_SIZE_ cells */
};

struct pages {
    struct map page; /* page number -> struct page * */
    unsigned cell;   /* bytes of one */
    uint64_t mask;   /* of its addresses */
};

struct file {
    const struct ir_machine *machine;
    uint8_t *regs;
};

struct concrete {
    const struct ir_machine *machine;
    struct ir_pures pures;
    concrete_fill_fn *fill;
    void *fill_ctx;
    concrete_access_fn *watch;
    void *watch_ctx;
    concrete_settle_fn *settle;
    void *settle_ctx;
    uint8_t *regs;
    VEC(struct file) callers; /* register files that others were put in place of */
    struct pages memory;      /* space 0 */
    struct map spaces;        /* the others: number -> struct pages * */
    struct page *last;        /* of memory */
    uint64_t last_number;
    const struct ir_block *block; /* the one being run */
    struct bits *value;           /* of its instructions; of one of at most 64 bits the lowest word alone */
    size_t nvalue;
};

struct concrete *concrete_new(const struct ir_machine *m, struct ir_pures pures, concrete_fill_fn *fill,
                              void *ctx)
{
    struct concrete *c = xcalloc(1, sizeof *c);
    c->machine = m;
    c->pures = pures;
    c->fill = fill;
    c->fill_ctx = ctx;
    c->regs = xcalloc(m->file_size, 1);
    c->memory.cell = 1;
    c->memory.mask = m->pointer_width == 32 ? UINT32_MAX : UINT64_MAX;
    return c;
}

static void forget_pages(struct pages *s)
{
    uint64_t page;
    for (size_t i = 0; (i = map_next(&s->page, i, NULL, &page));)
        free((struct page *)(uintptr_t)page);
    map_clear(&s->page);
}

static void forget_memory(struct concrete *c)
{
    uint64_t space;
    for (size_t i = 0; (i = map_next(&c->spaces, i, NULL, &space));)
        forget_pages((struct pages *)(uintptr_t)space);
    forget_pages(&c->memory);
    c->last = NULL;
}

void concrete_free(struct concrete *c)
{
    if (!c)
        return;
    forget_memory(c);
    uint64_t space;
    for (size_t i = 0; (i = map_next(&c->spaces, i, NULL, &space));) {
        map_free(&((struct pages *)(uintptr_t)space)->page);
        free((struct pages *)(uintptr_t)space);
    }
    map_free(&c->spaces);
    map_free(&c->memory.page);
    free(c->value);
    while (c->callers.len)
        concrete_leave(c);
    vec_free(&c->callers);
    free(c->regs);
    free(c);
}

void concrete_reset(struct concrete *c)
{
    memset(c->regs, 0, c->machine->file_size);
    forget_memory(c);
}

void concrete_watch(struct concrete *c, concrete_access_fn *fn, void *ctx)
{
    c->watch = fn;
    c->watch_ctx = ctx;
}

void concrete_settle(struct concrete *c, concrete_settle_fn *fn, void *ctx)
{
    c->settle = fn;
    c->settle_ctx = ctx;
}

void concrete_enter(struct concrete *c, const struct ir_machine *m)
{
    vec_push(&c->callers, ((struct file){c->machine, c->regs}));
    c->machine = m;
    c->regs = xcalloc(m->file_size + 1, 1);
}

void concrete_leave(struct concrete *c)
{
    struct file caller = vec_pop(&c->callers);
    free(c->regs);
    c->machine = caller.machine;
    c->regs = caller.regs;
}

uint8_t *concrete_registers(struct concrete *c)
{
    return c->regs;
}

struct bits concrete_get(const struct concrete *c, unsigned offset, unsigned width)
{
    assert(offset + (width + 7) / 8 <= c->machine->file_size);
    return bits_mask(bits_from_bytes(c->regs + offset, (width + 7) / 8), width);
}

void concrete_set(struct concrete *c, unsigned offset, unsigned width, struct bits value)
{
    assert(offset + (width + 7) / 8 <= c->machine->file_size);
    bits_to_bytes(value, c->regs + offset, (width + 7) / 8);
}

static struct pages *pages_of(struct concrete *c, unsigned space)
{
    if (space == 0)
        return &c->memory;
    struct pages *s = (struct pages *)(uintptr_t)map_find(&c->spaces, space, 0);
    if (!s) {
        struct ir_space about;
        bool declared = machine_space(c->machine, space, &about);
        assert(declared && about.index_width <= 64 && about.cell_width % 8 == 0);
        (void)declared;
        s = xcalloc(1, sizeof *s);
        s->cell = about.cell_width / 8;
        s->mask = about.index_width < 64 ? (UINT64_C(1) << about.index_width) - 1 : UINT64_MAX;
        map_set(&c->spaces, space, (uint64_t)(uintptr_t)s);
    }
    return s;
}

static struct page *page_of(struct concrete *c, struct pages *s, uint64_t address)
{
    uint64_t number = address >> PAGE_BITS;
    if (s == &c->memory && c->last && c->last_number == number)
        return c->last;
    struct page *p = (struct page *)(uintptr_t)map_find(&s->page, number, 0);
    if (!p) {
        p = xcalloc(1, sizeof *p + (size_t)PAGE_SIZE_ * s->cell);
        map_set(&s->page, number, (uint64_t)(uintptr_t)p);
    }
    if (s == &c->memory) {
        c->last = p;
        c->last_number = number;
    }
    return p;
}

static bool is_known(const struct page *p, unsigned i)
{
    return p->known[i / 64] >> (i % 64) & 1;
}

static void set_known(struct page *p, unsigned i)
{
    p->known[i / 64] |= UINT64_C(1) << (i % 64);
}

/* The page of memory that so many bytes lie in together, if all of them are known; else NULL. */
static struct page *known_together(struct concrete *c, uint64_t address, size_t n)
{
    unsigned i = address & (PAGE_SIZE_ - 1);
    if (n > 64 || i + n > PAGE_SIZE_)
        return NULL;
    struct page *p = page_of(c, &c->memory, address & c->memory.mask);
    uint64_t known = p->known[i / 64] >> (i % 64), all = word_ones((unsigned)n);
    if (i % 64 + n > 64)
        known |= p->known[i / 64 + 1] << (64 - i % 64);
    return (known & all) == all ? p : NULL;
}

/* n cells. On refusal *bad is the one that was refused. */
static bool read_cells(struct concrete *c, unsigned space, uint64_t address, uint8_t *out, size_t n,
                       uint64_t *bad)
{
    const struct page *all = space == 0 ? known_together(c, address, n) : NULL;
    if (all) {
        memcpy(out, &all->byte[address & (PAGE_SIZE_ - 1)], n);
        return true;
    }
    struct pages *s = pages_of(c, space);
    for (size_t k = 0; k < n; k++) {
        uint64_t a = (address + k) & s->mask;
        struct page *p = page_of(c, s, a);
        unsigned i = a & (PAGE_SIZE_ - 1);
        uint8_t *cell = &p->byte[i * s->cell];
        if (!is_known(p, i)) {
            if (!c->fill || !c->fill(c->fill_ctx, space, a, cell)) {
                *bad = a;
                return false;
            }
            set_known(p, i);
        }
        if (s->cell == 1)
            out[k] = *cell;
        else
            memcpy(&out[k * s->cell], cell, s->cell);
    }
    return true;
}

/* Writing also asks `fill` first, so that a refusal applies to both directions. */
static bool write_cells(struct concrete *c, unsigned space, uint64_t address, const uint8_t *in, size_t n,
                        uint64_t *bad)
{
    uint8_t old[OP_MAX_WIDTH / 8];
    assert(n * pages_of(c, space)->cell <= sizeof old);
    struct page *all = space == 0 ? known_together(c, address, n) : NULL;
    if (all) {
        memcpy(&all->byte[address & (PAGE_SIZE_ - 1)], in, n);
        return true;
    }
    return read_cells(c, space, address, old, n, bad) && concrete_write(c, space, address, in, n);
}

bool concrete_read(struct concrete *c, unsigned space, uint64_t address, uint8_t *out, size_t n)
{
    uint64_t bad;
    return read_cells(c, space, address, out, n, &bad);
}

bool concrete_write(struct concrete *c, unsigned space, uint64_t address, const uint8_t *in, size_t n)
{
    struct pages *s = pages_of(c, space);
    for (size_t k = 0; k < n; k++) {
        uint64_t a = (address + k) & s->mask;
        struct page *p = page_of(c, s, a);
        unsigned i = a & (PAGE_SIZE_ - 1);
        if (s->cell == 1)
            p->byte[i] = in[k];
        else
            memcpy(&p->byte[i * s->cell], &in[k * s->cell], s->cell);
        set_known(p, i);
    }
    return true;
}

/* ---- values ---- */

static unsigned width_of(const struct concrete *c, ir_val v)
{
    return c->block->insn[v].width;
}

static struct bits value_of(const struct concrete *c, ir_val v)
{
    return width_of(c, v) > 64 ? c->value[v] : (struct bits){{c->value[v].w[0]}};
}

static uint64_t word_of(const struct concrete *c, ir_val v)
{
    return c->value[v].w[0];
}

static void set_value(struct concrete *c, uint32_t n, struct bits x)
{
    if (width_of(c, n) > 64)
        c->value[n] = x;
    else
        c->value[n].w[0] = x.w[0];
}

static void set_word(struct concrete *c, uint32_t n, uint64_t x)
{
    c->value[n].w[0] = x;
}

static void copy_value(struct concrete *c, uint32_t n, ir_val from)
{
    if (width_of(c, n) > 64)
        c->value[n] = c->value[from];
    else
        c->value[n].w[0] = c->value[from].w[0];
}

/* Of a known number of bytes this becomes one load. */
static inline __attribute__((always_inline)) uint64_t load_bytes(const uint8_t *p, size_t n)
{
    uint64_t x = 0;
    for (size_t i = 0; i < n; i++)
        x |= (uint64_t)p[i] << i * 8;
    return x;
}

static inline __attribute__((always_inline)) void store_bytes(uint64_t x, uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (uint8_t)(x >> i * 8);
}

static uint64_t word_from_bytes(const uint8_t *p, size_t n)
{
    return n == 8 ? load_bytes(p, 8) : n == 4 ? load_bytes(p, 4) : n == 1 ? *p : load_bytes(p, n);
}

static void word_to_bytes(uint64_t x, uint8_t *p, size_t n)
{
    if (n == 8)
        store_bytes(x, p, 8);
    else if (n == 4)
        store_bytes(x, p, 4);
    else
        store_bytes(x, p, n);
}

static void set_from_bytes(struct concrete *c, uint32_t n, const uint8_t *p, size_t bytes)
{
    if (bytes > 8)
        c->value[n] = bits_from_bytes(p, bytes);
    else
        c->value[n].w[0] = word_from_bytes(p, bytes);
}

static void value_to_bytes(const struct concrete *c, ir_val v, uint8_t *p, size_t bytes)
{
    if (width_of(c, v) > 64)
        bits_to_bytes(c->value[v], p, bytes);
    else
        word_to_bytes(c->value[v].w[0], p, bytes);
}

/* ---- one instruction ---- */

/* One step of one block; the result is what there is to say where it stops. */
struct run {
    struct concrete *c;
    const struct ir_block *b;
    struct concrete_result *result;
};

static bool holds(const struct run *r, ir_val guard)
{
    return guard == IR_NONE || word_of(r->c, guard) != 0;
}

/* It stops. */
static void stops(struct run *r, enum concrete_stop stop)
{
    *r->result = (struct concrete_result){.stop = stop, .label = IR_NO_LABEL, .after = IR_NO_LABEL};
}

static bool fault(struct run *r, uint64_t address, bool write)
{
    stops(r, CONCRETE_FAULT);
    r->result->address = address;
    r->result->fault_write = write;
    return false;
}

static bool no_meaning(struct run *r, const char *what)
{
    stops(r, CONCRETE_NO_MEANING);
    r->result->what = what;
    return false;
}

static void watch(struct run *r, unsigned space, uint64_t address, unsigned cells, bool write)
{
    if (r->c->watch)
        r->c->watch(r->c->watch_ctx, space, address, cells, write);
}

static uint64_t settle(const struct concrete *c, unsigned space, uint64_t address, unsigned cells,
                       unsigned *together)
{
    *together = cells;
    return c->settle && space == 0 ? c->settle(c->settle_ctx, address, cells, together) : address;
}

static bool run_load(struct run *r, uint32_t to)
{
    struct concrete *c = r->c;
    const struct ir_insn *i = &r->b->insn[to];
    if (!holds(r, i->b)) {
        copy_value(c, to, i->c);
        return true;
    }
    uint64_t address = word_of(c, i->a), bad;
    unsigned cell = i->d ? pages_of(c, i->d)->cell : 1, cells = i->width / 8 / cell;
    uint8_t bytes[OP_MAX_WIDTH / 8];
    for (unsigned k = 0, n; k < cells; k += n) {
        uint64_t at = settle(c, i->d, address + k, cells - k, &n);
        if (!read_cells(c, i->d, at, bytes + (size_t)k * cell, n, &bad))
            return fault(r, bad, false);
        watch(r, i->d, at, n, false);
    }
    set_from_bytes(c, to, bytes, i->width / 8);
    return true;
}

static bool run_store(struct run *r, const struct ir_insn *i)
{
    struct concrete *c = r->c;
    if (!holds(r, i->c))
        return true;
    uint64_t address = word_of(c, i->a), bad;
    unsigned n = width_of(c, i->b) / 8, cell = i->d ? pages_of(c, i->d)->cell : 1, cells = n / cell;
    uint8_t bytes[OP_MAX_WIDTH / 8];
    value_to_bytes(c, i->b, bytes, n);
    for (unsigned k = 0, part; k < cells; k += part) {
        uint64_t at = settle(c, i->d, address + k, cells - k, &part);
        if (!write_cells(c, i->d, at, bytes + (size_t)k * cell, part, &bad))
            return fault(r, bad, true);
        watch(r, i->d, at, part, true);
    }
    return true;
}

static bool run_pure(struct run *r, uint32_t to)
{
    const struct ir_insn *i = &r->b->insn[to];
    const struct pure *f = &r->c->pures.table[i->a];
    if (!f->eval)
        return no_meaning(r, f->name);
    struct bits arg[PURE_MAX_ARGS] = {{{0}}};
    for (uint32_t k = 0; k < i->c; k++)
        arg[k] = value_of(r->c, r->b->arg[i->b + k]);
    set_value(r->c, to, bits_mask(f->eval(arg), i->width));
    return true;
}

static bool run_event(struct run *r, uint32_t to)
{
    enum { MAX_ARGS = 16, MAX_MEMORY = 1024 };
    const struct ir_insn *i = &r->b->insn[to];
    const struct ir_event *e = &r->b->event[i->a];
    set_value(r->c, to, (struct bits){{0}});
    if (!holds(r, e->guard))
        return true;
    if (!e->eval || e->nargs > MAX_ARGS || e->mem_bytes > MAX_MEMORY)
        return no_meaning(r, e->name);
    struct bits arg[MAX_ARGS];
    for (uint32_t k = 0; k < e->nargs; k++)
        arg[k] = value_of(r->c, r->b->arg[e->args + k]);
    uint8_t memory[MAX_MEMORY] = {0};
    uint64_t address = 0, bad;
    if (e->mem_read || e->mem_write) {
        address = word_of(r->c, e->mem_addr);
        if (!read_cells(r->c, 0, address, memory, e->mem_bytes, &bad))
            return fault(r, bad, !e->mem_read);
        watch(r, 0, address, e->mem_bytes, e->mem_write);
    }
    struct bits out = e->eval(r->c->regs, arg, memory);
    if (i->width)
        set_value(r->c, to, bits_mask(out, i->width));
    if (e->mem_write)
        concrete_write(r->c, 0, address, memory, e->mem_bytes);
    return true;
}

static void run_operator(struct concrete *c, const struct ir_insn *i, uint32_t to)
{
    const uint32_t operand[] = {i->a, i->b, i->c, i->d};
    const unsigned arity = op_info[i->op].arity, lo = i->op == OP_EXTRACT ? i->b : 0;
    uint64_t word[OP_MAX_ARITY] = {0};
    unsigned width[OP_MAX_ARITY] = {0};
    for (unsigned k = 0; k < arity; k++) {
        word[k] = word_of(c, operand[k]);
        width[k] = width_of(c, operand[k]);
    }
    if (bits_apply_word((enum op)i->op, i->width, word, width, lo, &c->value[to].w[0]))
        return;
    struct bits arg[OP_MAX_ARITY];
    for (unsigned k = 0; k < arity; k++)
        arg[k] = value_of(c, operand[k]);
    set_value(c, to, bits_apply((enum op)i->op, i->width, arg, width, lo));
}

/* Runs instruction i; false when the block was left. */
static bool run_insn(struct run *r, uint32_t n)
{
    struct concrete *c = r->c;
    const struct ir_insn *i = &r->b->insn[n];
    if (i->op < OP_COUNT_) {
        run_operator(c, i, n);
        return true;
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        if (i->width <= 64)
            set_word(c, n, ir_imm(i->a, i->b) & word_ones(i->width));
        else
            c->value[n] = r->b->wide[i->a];
        return true;
    case IR_GET:
        assert(i->a + (i->width + 7) / 8 <= c->machine->file_size);
        if (i->width <= 64)
            set_word(c, n, word_from_bytes(c->regs + i->a, (i->width + 7u) / 8) & word_ones(i->width));
        else
            c->value[n] = concrete_get(c, i->a, i->width);
        return true;
    case IR_PUT:
        assert(i->a + (width_of(c, i->b) + 7) / 8 <= c->machine->file_size);
        value_to_bytes(c, i->b, c->regs + i->a, (width_of(c, i->b) + 7u) / 8);
        return true;
    case IR_LOAD:
        return run_load(r, n);
    case IR_STORE:
        return run_store(r, i);
    case IR_PURE:
        return run_pure(r, n);
    case IR_EVENT:
        return run_event(r, n);
    case IR_UNKNOWN:
        return no_meaning(r, r->b->unknown[i->a].text ? r->b->unknown[i->a].text : "undecoded instruction");
    case IR_EXIT: {
        static const enum concrete_stop stop[] = {
            [IR_EXIT_JUMP] = CONCRETE_JUMP,       [IR_EXIT_TRAP] = CONCRETE_TRAP,
            [IR_EXIT_DIVISION] = CONCRETE_TRAP,   [IR_EXIT_QUOTIENT] = CONCRETE_TRAP,
            [IR_EXIT_MISALIGNED] = CONCRETE_TRAP, [IR_EXIT_CALL] = CONCRETE_CALL,
            [IR_EXIT_RET] = CONCRETE_RET,
        };
        if (!holds(r, i->a))
            return true;
        stops(r, stop[i->exit]);
        r->result->exit = i->exit;
        r->result->label = ir_imm(i->b, i->c);
        r->result->after = r->b->end.after;
        return false;
    }
    default:
        assert(!"invalid instruction");
        return false;
    }
}

static void run_end(struct run *r)
{
    static const enum concrete_stop stop[] = {
        [IR_END_JUMP] = CONCRETE_JUMP,
        [IR_END_CALL] = CONCRETE_CALL,
        [IR_END_RET] = CONCRETE_RET,
        [IR_END_TRAP] = CONCRETE_TRAP,
        [IR_END_SYSCALL] = CONCRETE_SYSCALL,
        [IR_END_THROW] = CONCRETE_THROW,
        [IR_END_UNKNOWN] = CONCRETE_NO_MEANING,
    };
    const struct ir_end *e = &r->b->end;
    stops(r, stop[e->kind]);
    r->result->computed = e->label == IR_NO_LABEL;
    r->result->label = e->label != IR_NO_LABEL ? e->label
                       : e->next != IR_NONE    ? word_of(r->c, e->next)
                                               : IR_NO_LABEL;
    r->result->after = e->after;
    if (e->kind == IR_END_THROW)
        r->result->thrown = value_of(r->c, e->next);
    if (e->kind == IR_END_UNKNOWN)
        r->result->what = "code that could not be decoded";
}

/* The guest instruction that IR instruction n belongs to. */
static uint64_t guest_address(const struct ir_block *b, uint32_t n)
{
    uint64_t address = b->label;
    for (uint32_t m = 0; m < b->nmark && b->mark[m].first <= n; m++)
        address = b->mark[m].address;
    return address;
}

void concrete_begin(struct concrete *c, const struct ir_block *b)
{
    c->block = b;
    if (c->nvalue < b->ninsn) {
        c->nvalue = b->ninsn * 2;
        c->value = xreallocarray(c->value, c->nvalue, sizeof *c->value);
    }
}

struct bits concrete_value(const struct concrete *c, ir_val v)
{
    assert(v < c->nvalue);
    return value_of(c, v);
}

uint64_t concrete_word(const struct concrete *c, ir_val v)
{
    assert(v < c->nvalue);
    return word_of(c, v);
}

bool concrete_step(struct concrete *c, const struct ir_block *b, uint32_t n, struct concrete_result *result)
{
    assert(n <= b->ninsn && b == c->block);
    struct run r = {c, b, result};
    if (n < b->ninsn && run_insn(&r, n))
        return true;
    if (n == b->ninsn)
        run_end(&r);
    result->steps = n;
    if (result->stop != CONCRETE_FAULT)
        result->address = guest_address(b, n);
    return false;
}

struct concrete_result concrete_run_block(struct concrete *c, const struct ir_block *b)
{
    concrete_begin(c, b);
    struct concrete_result result;
    for (uint32_t n = 0; concrete_step(c, b, n, &result); n++)
        ;
    return result;
}
