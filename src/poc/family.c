/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Candidates that differ in numbers only do the same on most inputs. While one of them runs, it is stopped where their
 * code differs, and what each of the others would do there is computed beside it by the concrete interpreter, until
 * nothing is different any more: then all that follows is the same, and how the run ends is how theirs does. So only
 * inputs are decided on which a candidate does nothing wrong: what it does wrong, it has to do itself. */
#include <stdlib.h>
#include <string.h>

#include "exec/concrete.h"
#include "poc/poc.h"

enum { STOPS = 64, BLOCKS = 16, ACCESSES = 64, CODE_MOST = 256, LINE = 64 };

struct access {
    uint64_t address;
    unsigned bytes;
    bool write;
};

/* Memory of a process that stands still, as far as it was looked at. */
struct seen {
    struct process *p;
    struct map line; /* by address: 1 + index */
    VEC(struct line {
        bool there;
        uint8_t byte[LINE];
    }) all;
};

/* One of the two that go side by side. */
struct walker {
    struct concrete *c;
    struct seen *seen;
    struct access access[ACCESSES]; /* of the present block */
    size_t naccesses;
};

struct poc_family {
    struct program *member[POC_FAMILY];
    unsigned n, id;
    VEC(uint64_t) differ; /* bytes of code, as the file has them */
    VEC(uint64_t) start;  /* of their blocks */
    struct map block;     /* address in the process: that is the same for all, 1 + index */
    struct map own[POC_FAMILY];
    VEC(struct ir_block *) all;
    uint8_t *known; /* bytes of the register file that processes tell */
    struct seen seen; /* at the present stop */
    struct walker one, other;
    struct arena arena;
};

static bool add_difference(struct poc_family *f, struct program *p, uint64_t at)
{
    const struct flow_function *function = program_function_covering(p, at);
    const struct flow_graph *g = function ? flow_graph(p, function) : NULL;
    for (uint32_t i = 0; g && i < g->nblocks; i++) {
        const uint64_t begin = g->block[i].label;
        if (at - begin >= g->block[i].bytes)
            continue;
        bool there = false;
        for (size_t k = 0; k < f->start.len; k++)
            there = there || f->start.data[k] == begin;
        if (!there)
            vec_push(&f->start, begin);
        vec_push(&f->differ, at);
        return true;
    }
    return false;
}

/* Registers that are read from processes. Those of vectors are only as far as all processors have them. */
static bool find_known(struct poc_family *f, const struct ir_machine *m)
{
    static const char *const name[] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp", "r8",     "r9",
                                       "r10", "r11", "r12", "r13", "r14", "r15", "rip", "fs_base"};
    uint16_t offset, width;
    f->known = arena_array(&f->arena, uint8_t, m->file_size);
    memset(f->known, 0, m->file_size);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        if (!machine_register_find(m, name[i], &offset, &width))
            return false;
        memset(f->known + offset, 1, width / 8);
    }
    return m->arch == MACHINE_AMD64;
}

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    struct seen *s = ((const struct walker *)ctx)->seen;
    const uint64_t low = address / LINE * LINE;
    uint64_t i;
    if (!map_get(&s->line, low, &i)) {
        struct line l;
        l.there = process_read(s->p, low, l.byte, LINE);
        vec_push(&s->all, l);
        map_set(&s->line, low, i = s->all.len);
    }
    const struct line *l = &s->all.data[i - 1];
    *cell = l->byte[address - low];
    return space == 0 && l->there;
}

static void see(void *ctx, unsigned space, uint64_t address, unsigned cells, bool write)
{
    struct walker *w = ctx;
    (void)space;
    if (w->naccesses < ACCESSES)
        w->access[w->naccesses] = (struct access){address, cells, write};
    w->naccesses++;
}

struct poc_family *poc_family_new(struct program *const *member, unsigned n, unsigned id)
{
    const struct ir_machine *m = program_machine(member[0]);
    struct poc_family *f = xcalloc(1, sizeof *f);
    const struct object *of = program_object(member[0]);
    f->id = id;
    f->n = n < POC_FAMILY ? n : POC_FAMILY;
    memcpy(f->member, member, f->n * sizeof *member);
    bool ok = find_known(f, m);
    for (unsigned i = 1; i < f->n && ok; i++) {
        const struct object *o = program_object(member[i]);
        uint64_t at;
        for (uint64_t from = 0; ok && object_differ(of, o, from, &at); from = at + 1)
            ok = at != UINT64_MAX && add_difference(f, member[0], at);
    }
    if (!ok) {
        poc_family_free(f);
        return NULL;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct walker *w = i ? &f->other : &f->one;
        w->seen = &f->seen;
        w->c = concrete_new(m, lift_pures(), fill, w);
        concrete_watch(w->c, see, w);
    }
    return f;
}

void poc_family_free(struct poc_family *f)
{
    if (!f)
        return;
    for (unsigned i = 0; i < 2; i++)
        if ((i ? &f->other : &f->one)->c)
            concrete_free((i ? &f->other : &f->one)->c);
    for (unsigned i = 0; i < POC_FAMILY; i++)
        map_free(&f->own[i]);
    map_free(&f->block);
    map_free(&f->seen.line);
    vec_free(&f->seen.all);
    vec_free(&f->all);
    vec_free(&f->differ);
    vec_free(&f->start);
    arena_free(&f->arena);
    free(f);
}

unsigned poc_family_id(const struct poc_family *f)
{
    return f->id;
}

size_t poc_family_starts(const struct poc_family *f, const uint64_t **start)
{
    *start = f->start.data;
    return f->start.len;
}

/* ---- blocks ---- */

static const struct ir_block *lift(struct poc_family *f, unsigned member, struct process *p, uint64_t pc, struct map *in)
{
    uint64_t i;
    if (map_get(in, pc, &i))
        return f->all.data[i - 1];
    uint8_t code[CODE_MOST];
    const uint64_t at = pc - process_base(p);
    size_t n = 0;
    const uint8_t *own = object_is_exec(program_object(f->member[member]), at)
                             ? object_bytes(program_object(f->member[member]), at, &n)
                             : NULL;
    if (!own)
        for (n = sizeof code; n && !process_read(p, pc, code, n);)
            n /= 2;
    if (!n)
        return NULL;
    struct ir_block *b = arena_alloc(&f->arena, sizeof *b);
    lift_block(program_lifter(f->member[0]), pc, own ? own : code, n < sizeof code ? n : sizeof code, 0, &f->arena, b);
    vec_push(&f->all, b);
    map_set(in, pc, f->all.len);
    return b;
}

/* The block of a member at an address of the process. Most are the same for all. */
static const struct ir_block *block_of(struct poc_family *f, unsigned member, struct process *p, uint64_t pc)
{
    const struct ir_block *b = lift(f, 0, p, pc, &f->block);
    const uint64_t at = pc - process_base(p);
    for (size_t i = 0; b && i < f->differ.len; i++)
        if (f->differ.data[i] - at < CODE_MOST)
            return lift(f, member, p, pc, &f->own[member]);
    return b;
}

/* Whether all registers that it reads are known; those that it writes are afterwards. */
static bool reads_known(const struct ir_block *b, uint8_t *known)
{
    bool exits = false;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *x = &b->insn[i];
        const unsigned width = x->op == IR_GET ? x->width : x->op == IR_PUT ? b->insn[x->b].width : 0;
        const size_t n = (width + 7) / 8;
        exits = exits || x->op == IR_EXIT;
        if (x->op == IR_EVENT || x->op == IR_UNKNOWN)
            return false;
        for (size_t k = 0; k < n && x->op == IR_GET; k++)
            if (!known[x->a + k])
                return false;
        /* a way out before it does not write */
        if (x->op == IR_PUT && !exits)
            memset(known + x->a, 1, n);
    }
    return true;
}

/* ---- side by side ---- */

static bool same_accesses(const struct walker *x, const struct walker *y)
{
    bool same = x->naccesses == y->naccesses && x->naccesses <= ACCESSES;
    for (size_t i = 0; i < x->naccesses && same; i++) {
        const struct access *a = &x->access[i], *b = &y->access[i];
        uint8_t was[64], is[64];
        same = a->address == b->address && a->bytes == b->bytes && a->write == b->write;
        if (same && a->write)
            same = a->bytes <= sizeof was && concrete_read(x->c, 0, a->address, was, a->bytes) &&
                   concrete_read(y->c, 0, a->address, is, a->bytes) && memcmp(was, is, a->bytes) == 0;
    }
    return same;
}

/* Whether what differs is no result of a call that returns. */
static bool may_return(const struct ir_machine *m, const uint8_t *x, const uint8_t *y)
{
    static const char *const result[] = {"rax", "rdx", "xmm0", "xmm1", "rbx", "rbp", "rsp", "r12", "r13", "r14", "r15"};
    uint16_t offset, width;
    for (size_t i = 0; i < sizeof result / sizeof *result; i++)
        if (machine_register_find(m, result[i], &offset, &width) && memcmp(x + offset, y + offset, width / 8) != 0)
            return false;
    return true;
}

/* Whether another member would go on from here as this one does: nothing is different after a few blocks. */
static bool goes_along(struct poc_family *f, unsigned self, unsigned other, struct process *p, uint64_t pc,
                       const uint8_t *registers)
{
    const struct ir_machine *m = program_machine(f->member[0]);
    struct walker *x = &f->one, *y = &f->other;
    struct arena arena = ARENA_INIT;
    uint8_t *known = arena_dup(&arena, f->known, m->file_size);
    bool same = false, alike = true;
    concrete_reset(x->c);
    concrete_reset(y->c);
    memcpy(concrete_registers(x->c), registers, m->file_size);
    memcpy(concrete_registers(y->c), registers, m->file_size);
    for (unsigned i = 0; i < BLOCKS && alike && !same; i++) {
        const struct ir_block *a = block_of(f, self, p, pc), *b = block_of(f, other, p, pc);
        x->naccesses = y->naccesses = 0;
        alike = a && b && reads_known(a, known) && reads_known(b, known);
        if (!alike)
            break;
        const struct concrete_result r = concrete_run_block(x->c, a), s = concrete_run_block(y->c, b);
        alike = r.stop == s.stop && r.exit == s.exit && r.label == s.label && r.after == s.after &&
                (r.stop == CONCRETE_JUMP || r.stop == CONCRETE_CALL || r.stop == CONCRETE_RET) && same_accesses(x, y);
        const uint8_t *rx = concrete_registers(x->c), *ry = concrete_registers(y->c);
        same = alike && memcmp(rx, ry, m->file_size) == 0;
        alike = alike && (r.stop != CONCRETE_RET || same || may_return(m, rx, ry));
        pc = r.label;
    }
    arena_free(&arena);
    return same;
}

bool poc_company_stop(void *ctx, struct process *p, uint64_t pc)
{
    struct poc_company *c = ctx;
    struct poc_family *f = c->family;
    const struct ir_machine *m = program_machine(f->member[0]);
    const uint64_t alone = UINT64_C(1) << c->member;
    struct arena arena = ARENA_INIT;
    uint8_t *registers = arena_array(&arena, uint8_t, m->file_size);
    f->seen.p = p;
    f->seen.all.len = 0;
    map_clear(&f->seen.line);
    if (c->stops++ == STOPS || !process_registers(p, registers))
        c->with = alone;
    for (unsigned i = 0; i < f->n && c->with != alone; i++) {
        const uint64_t it = UINT64_C(1) << i;
        if (i != c->member && c->with & it && !goes_along(f, c->member, i, p, pc, registers))
            c->with &= ~it;
    }
    arena_free(&arena);
    return c->with != alone;
}
