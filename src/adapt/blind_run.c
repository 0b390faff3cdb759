/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The concrete interpreter, with a shade for every value of which not everything is known. */
#include <stdlib.h>
#include <string.h>

#include "adapt/blind.h"
#include "lift/lift.h"

/* ---- memory ---- */

enum where { IN_IMAGE, IN_STACK, IN_THREAD, IN_OTHER_FILES, OUTSIDE };

static uint64_t others_from(const struct world *w)
{
    return w->m->pointer_width == 64 ? UINT64_C(0x7f6600000000) : 0xa0000000;
}

bool blind_in_stack(const struct ir_machine *m, uint64_t address)
{
    uint64_t below = m->pointer_width == 64 ? 1 << 28 : 1 << 24;
    return address + below - guest_stack(m) < below + (1 << 16);
}

static enum where where_is(const struct world *w, uint64_t address)
{
    if (address - w->low < w->high - w->low)
        return IN_IMAGE;
    if (blind_in_stack(w->m, address))
        return IN_STACK;
    if (address + 0x10000 - guest_thread(w->m) < 0x20000)
        return IN_THREAD;
    if (address - others_from(w) < (uint64_t)w->nexternal << EXTERN_BITS)
        return IN_OTHER_FILES;
    return OUTSIDE;
}

/* Where an object of another file is: somewhere, with nothing but zeroes in it. */
static uint64_t external_address(struct world *w, const char *name)
{
    uint64_t i;
    if (!strmap_get(&w->external, name, &i)) {
        i = w->nexternal++;
        strmap_set(&w->external, name, i);
    }
    return others_from(w) + (i << EXTERN_BITS);
}

/* What the dynamic linker puts at a word of the file, if anything. *unknown: nobody knows. */
static bool linked_word(struct world *w, uint64_t address, uint64_t *at, uint64_t *value, bool *unknown)
{
    unsigned unit = w->m->pointer_width / 8;
    const struct object_pointer *ptr;
    size_t n = object_pointers(w->o, &ptr);
    size_t i = object_pointers_before(w->o, address < unit ? 0 : address - unit + 1);
    *unknown = false;
    if (i < n && ptr[i].address <= address) {
        *at = ptr[i].address;
        if (ptr[i].other) {
            *unknown = strcmp(ptr[i].name, "tpoff:") != 0;
            *value = (uint64_t)ptr[i].addend - TLS_SIZE;
        } else if (ptr[i].name) {
            *value = external_address(w, ptr[i].name) + (uint64_t)ptr[i].addend;
        } else {
            *value = (ptr[i].target | ptr[i].thumb) + w->guest.bias;
        }
        return true;
    }
    const struct object_stub *stub = object_stub_at(w->o, address);
    if (!stub || stub->kind != STUB_GOT || address - stub->address >= unit)
        return false;
    *at = stub->address;
    *unknown = stub->ifunc || (!stub->target && !stub->name);
    *value = stub->target ? stub->target + w->guest.bias : stub->name ? external_address(w, stub->name) : 0;
    return true;
}

static uint8_t image_byte(struct world *w, uint64_t address)
{
    uint64_t at, value;
    bool unknown;
    uint8_t byte = 0;
    if (w->single && address == w->single)
        return 1;
    if (linked_word(w, address, &at, &value, &unknown))
        return (uint8_t)(value >> (address - at) * 8);
    object_read(w->o, address, &byte, 1);
    return byte;
}

/* The C library's data of a thread begins with its own address, and has it again (tcbhead_t). What a thread's
 * variables start with is in the file. */
static uint8_t thread_byte(struct world *w, uint64_t address)
{
    uint64_t base = guest_thread(w->m);
    const struct object_load *load = object_load(w->o);
    unsigned unit = w->m->pointer_width / 8;
    bool x86 = w->m->arch == MACHINE_AMD64 || w->m->arch == MACHINE_X86;
    for (unsigned again = 0; x86 && again < 2; again++)
        if (address - base - again * 2 * unit < unit)
            return (uint8_t)(base >> (address - base - again * 2 * unit) * 8);
    uint64_t offset = address - (base - TLS_SIZE);
    return load->has_tls && offset < load->tls_file_size ? image_byte(w, load->tls_address + offset) : 0;
}

/* What a word has in it that is a pointer: no other word has it, and none in another test. */
static uint64_t pointer_in(const struct side *s, uint64_t address)
{
    uint64_t some = hash_u64(address), seed = s->seed;
    return s->w->m->pointer_width == 64 ? UINT64_C(0x200000000000) + (seed << 37) + (some & 0xffffff) * 0x1000
                                        : 0x80000000 + (some & 0xffff) * 0x1000;
}

static uint8_t outside_byte(const struct side *s, uint64_t address)
{
    unsigned unit = s->w->m->pointer_width / 8;
    switch (s->content) {
    case CONTENT_ZEROES:
        return 0;
    case CONTENT_TEXTS:
        return address % 8 != 7 ? (uint8_t)('1' + (address >> PAGE_BITS) % 9) : 0;
    case CONTENT_POINTERS:
        break;
    }
    uint64_t at = address & ~(uint64_t)(unit - 1);
    bool first = at << (64 - PAGE_BITS) == 0;
    return first ? 0 : (uint8_t)(pointer_in(s, at) >> (address - at) * 8);
}

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    struct side *s = ctx;
    if (space != 0)
        return false;
    switch (where_is(s->w, address)) {
    case IN_IMAGE:
        *cell = image_byte(s->w, address - s->w->guest.bias);
        break;
    case IN_THREAD:
        *cell = thread_byte(s->w, address);
        break;
    case OUTSIDE:
        *cell = outside_byte(s, address);
        break;
    default:
        *cell = 0;
    }
    return true;
}

shade blind_byte(struct side *s, uint64_t address)
{
    uint64_t known, at, value;
    bool unknown = false;
    if (map_get(&s->shade, address, &known))
        return (shade)known;
    switch (where_is(s->w, address)) {
    case IN_STACK: /* nobody wrote there in this run: what callers left */
        return SHADE_UNKNOWN;
    case IN_IMAGE:
        linked_word(s->w, address - s->w->guest.bias, &at, &value, &unknown);
        return unknown ? SHADE_UNKNOWN : 0;
    default:
        return 0;
    }
}

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

/* An access at a known address is one that the target may make, or makes too. *missing: that is not said, as
 * the address is the file's own. */
static bool may_access(struct run *r, uint64_t address, unsigned bytes, shade of, bool *missing)
{
    struct side *s = r->s;
    *missing = false;
    for (unsigned i = 0; i < 2; i++) {
        uint64_t at = address + (i ? bytes - 1 : 0), page = at >> PAGE_BITS;
        if (where_is(s->w, at) != OUTSIDE)
            continue;
        const struct side *code = r->like ? r->like : s;
        if (has(code->code.data, code->code.len, page))
            return stop(r, END_CUT);
        bool there = has(code->page.data, code->page.len, page);
        if (r->like && !there && of & SHADE_GIVEN)
            return stop(r, blind_knows_pages(r) ? END_REFUTED : END_CUT);
        *missing = *missing || (r->like && !there);
        if (!r->like && !there)
            vec_push(&s->page, page);
    }
    return true;
}

/* Whether a value of a register or of memory, byte by byte, is a constant plus something. */
static shade joined(const struct world *w, const shade *byte, unsigned n)
{
    shade all = 0, base = byte[0] & SHADE_BASE;
    for (unsigned i = 0; i < n; i++) {
        all |= without_base(byte[i]);
        if ((byte[i] & SHADE_BASE) != base || byte[i] >> BYTE_SHIFT != i % 8)
            base = 0;
    }
    return n == w->m->pointer_width / 8 ? all | base : all;
}

static shade split(shade s, unsigned i)
{
    return s & SHADE_BASE ? (shade)(s | (i % 8) << BYTE_SHIFT) : s;
}

/* ---- one instruction ---- */

static bool run_load(struct run *r, const struct ir_insn *i, shade *out)
{
    struct side *s = r->s;
    struct world *w = s->w;
    if (i->d != 0)
        return stop(r, END_CUT);
    if (i->b != IR_NONE) {
        if (is_unknown(w->value[i->b]))
            return needs(r, w->value[i->b]);
        if (bits_is_zero(concrete_value(s->c, i->b))) {
            *out = w->value[i->c];
            return true;
        }
    }
    shade of = w->value[i->a], byte[OP_MAX_WIDTH / 8] = {0};
    uint64_t address = bits_low(concrete_value(s->c, i->a));
    unsigned n = i->width / 8;
    if (of & SHADE_BASE) {
        r->k = ((of & SHADE_BASE) >> BASE_SHIFT) - 1u;
        r->value = address;
        return stop(r, END_PIN);
    }
    if (of & SHADE_ARGS)
        return needs(r, of);
    if (is_unknown(of)) {
        *out = SHADE_UNKNOWN | SHADE_GIVEN;
        s->strayed = true;
        /* the target's pages are not all known */
        return r->like || stop(r, END_CUT);
    }
    bool missing;
    if (!may_access(r, address, n, of, &missing))
        return false;
    if (missing) { /* it may have anything in it */
        *out = SHADE_UNKNOWN;
        s->strayed = true;
        return true;
    }
    for (unsigned k = 0; k < n; k++)
        byte[k] = blind_byte(s, address + k);
    *out = joined(w, byte, n) | (of & SHADE_GIVEN);
    return true;
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
        if (bits_is_zero(concrete_value(s->c, i->c)))
            return true;
    }
    shade of = w->value[i->a];
    uint64_t address = bits_low(concrete_value(s->c, i->a));
    if (of & SHADE_BASE) {
        r->k = ((of & SHADE_BASE) >> BASE_SHIFT) - 1u;
        r->value = address;
        return stop(r, END_PIN);
    }
    if (is_unknown(of))
        return needs(r, of);
    unsigned n = block->insn[i->b].width / 8;
    bool missing;
    if (!may_access(r, address, n, of, &missing))
        return false;
    if (missing)
        return stop(r, END_CUT);
    for (unsigned k = 0; k < n; k++) {
        map_set(&s->shade, address + k, split(w->value[i->b], k));
        if (where_is(w, address + k) != IN_STACK)
            vec_push(&s->written, address + k);
    }
    return true;
}

static bool run_event(struct run *r, const struct ir_block *block, const struct ir_insn *i)
{
    const struct ir_event *e = &block->event[i->a];
    struct side *s = r->s;
    shade all = e->guard == IR_NONE ? 0 : s->w->value[e->guard];
    for (uint32_t k = 0; k < e->nargs; k++)
        all |= s->w->value[block->arg[e->args + k]];
    for (unsigned k = 0; k < e->nreads; k++)
        for (unsigned n = 0; n < e->reads[k].bytes; n++)
            all |= s->reg[e->reads[k].offset + n];
    if (e->mem_read || e->mem_write)
        return stop(r, END_CUT);
    if (is_unknown(all))
        return needs(r, all);
    for (unsigned k = 0; k < e->nwrites; k++)
        memset(&s->reg[e->writes[k].offset], 0, e->writes[k].bytes * sizeof *s->reg);
    return true;
}

static shade operator_shade(const struct run *r, const struct ir_insn *i)
{
    const struct world *w = r->s->w;
    const uint32_t operand[] = {i->a, i->b, i->c, i->d};
    shade all = 0;
    if (i->op == OP_ITE && !is_unknown(w->value[i->a]))
        return w->value[bits_is_zero(concrete_value(r->s->c, i->a)) ? i->c : i->b] |
               (w->value[i->a] & SHADE_GIVEN);
    for (unsigned k = 0; k < op_info[i->op].arity; k++) {
        shade x = w->value[operand[k]];
        if (i->op == OP_AND && !is_unknown(x) && bits_is_zero(concrete_value(r->s->c, operand[k])))
            return x;
        all |= without_base(x);
    }
    if (i->width != w->m->pointer_width || (i->op != OP_ADD && i->op != OP_SUB))
        return all;
    shade x = w->value[i->a], y = w->value[i->b];
    if (x & SHADE_BASE && !is_unknown(y))
        all |= x & SHADE_BASE;
    if (i->op == OP_ADD && y & SHADE_BASE && !is_unknown(x))
        all |= y & SHADE_BASE;
    return all;
}

/* The shade of what instruction n gives; false: the run ends before it. */
static bool run_shade(struct run *r, const struct ir_block *block, uint32_t n)
{
    struct side *s = r->s;
    struct world *w = s->w;
    const struct ir_insn *i = &block->insn[n];
    shade *out = &w->value[n], byte[OP_MAX_WIDTH / 8];
    *out = 0;
    if (i->op < OP_COUNT_) {
        *out = operator_shade(r, i);
        return true;
    }
    switch ((enum ir_op)i->op) {
    case IR_CONST:
        return true;
    case IR_GET: {
        unsigned bytes = (i->width + 7u) / 8;
        memcpy(byte, &s->reg[i->a], bytes * sizeof *byte);
        *out = joined(w, byte, bytes);
        return true;
    }
    case IR_PUT: {
        unsigned bytes = (block->insn[i->b].width + 7u) / 8;
        for (unsigned k = 0; k < bytes; k++)
            s->reg[i->a + k] = split(w->value[i->b], k);
        return true;
    }
    case IR_LOAD:
        return run_load(r, i, out);
    case IR_STORE:
        return run_store(r, block, i);
    case IR_PURE:
        for (uint32_t k = 0; k < i->c; k++)
            *out |= without_base(w->value[block->arg[i->b + k]]);
        return true;
    case IR_EVENT:
        return run_event(r, block, i);
    default:
        return stop(r, END_CUT);
    }
}

/* ---- system calls ---- */

static shade register_shade(const struct side *s, unsigned offset)
{
    return joined(s->w, &s->reg[offset], s->w->m->pointer_width / 8);
}

static uint64_t word(const struct side *s, unsigned offset)
{
    return bits_low(concrete_get(s->c, offset, s->w->m->pointer_width));
}

static void put_word(struct side *s, unsigned offset, uint64_t x, shade of)
{
    unsigned width = s->w->m->pointer_width;
    concrete_set(s->c, offset, width, bits_u64(x, width));
    for (unsigned i = 0; i < width / 8; i++)
        s->reg[offset + i] = split(of, i);
}

/* Whether a value of the inner function can be what the target has: where it is a constant plus something,
 * that says which. */
static bool can_be(struct run *r, uint64_t x, shade of, uint64_t target, shade target_of)
{
    const struct ir_machine *m = r->s->w->m;
    if (is_unknown(target_of) || blind_in_stack(m, target))
        return true;
    if (of & SHADE_BASE) {
        r->k = ((of & SHADE_BASE) >> BASE_SHIFT) - 1u;
        r->value = m->pointer_width == 32 ? (uint32_t)(target - x) : target - x;
        return stop(r, END_FIX);
    }
    if (of & SHADE_ARGS)
        return needs(r, of);
    if (is_unknown(of) || blind_in_stack(m, x) || x == target)
        return true;
    return stop(r, END_REFUTED);
}

uint64_t blind_word(struct side *s, uint64_t address)
{
    unsigned unit = s->w->m->pointer_width / 8;
    uint8_t bytes[8] = {0};
    concrete_read(s->c, 0, address & ~(uint64_t)(unit - 1), bytes, unit);
    return bits_low(bits_from_bytes(bytes, unit));
}

/* One more thing that can be seen from outside. */
static bool add_event(struct run *r, bool call, uint64_t nr)
{
    struct side *s = r->s;
    unsigned n = s->nevents;
    if (n >= EVENTS)
        return stop(r, END_CUT);
    s->event[n].call = call;
    s->event[n].nr = nr;
    s->nevents++;
    if (!r->like)
        return true;
    if (n >= r->like->nevents)
        return stop(r, r->like->whole || r->like->trapped ? END_REFUTED : END_CUT);
    return (r->like->event[n].call == call && r->like->event[n].nr == nr) || stop(r, END_REFUTED);
}

/* exit, exit_group */
static bool ends_process(const struct ir_machine *m, uint64_t nr)
{
    return m->arch == MACHINE_AMD64 && (nr == 60 || nr == 231);
}

static bool run_syscall(struct run *r)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    if (m->syscall_nr == UINT16_MAX || m->syscall_ret == UINT16_MAX)
        return stop(r, END_CUT);
    shade of = register_shade(s, m->syscall_nr);
    uint64_t nr = word(s, m->syscall_nr);
    if (is_unknown(of))
        return needs(r, of);
    int takes = syscall_takes(m, nr);
    if (takes < 0)
        return stop(r, END_CUT);
    if (!add_event(r, false, nr))
        return false;
    unsigned n = s->nevents - 1;
    for (unsigned i = 0; i < (unsigned)takes && i < m->nsyscall_args; i++) {
        s->event[n].arg[i] = word(s, m->syscall_arg[i]);
        s->event[n].shade[i] = register_shade(s, m->syscall_arg[i]);
        if (r->like && !can_be(r, s->event[n].arg[i], s->event[n].shade[i], r->like->event[n].arg[i],
                               r->like->event[n].shade[i]))
            return false;
    }
    if (ends_process(m, nr))
        return stop(r, END_TRAP);
    put_word(s, m->syscall_ret, (uint64_t)-ENOSYS_, 0);
    return true;
}

static bool is_saved(const struct ir_machine *m, unsigned offset)
{
    unsigned unit = m->pointer_width / 8;
    for (unsigned i = 0; i < m->nsaved; i++)
        if (offset - m->saved[i] < unit)
            return true;
    uint16_t at, width;
    uint64_t value;
    for (unsigned i = 0; guest_promised(m, i, &at, &width, &value); i++)
        if (offset - at < (width + 7u) / 8)
            return true;
    return offset - m->sp < unit;
}

/* A callee returns, and leaves nothing in registers that it need not keep. */
static bool leave_callee(struct run *r, ir_label *at, uint64_t result, shade result_shade)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    shade of = 0;
    if (m->call_pushes) {
        uint64_t sp = word(s, m->sp);
        for (unsigned i = 0; i < m->pointer_width / 8; i++)
            of |= blind_byte(s, sp + i);
        *at = blind_word(s, sp);
        put_word(s, m->sp, sp + m->pointer_width / 8, 0);
    } else {
        of = register_shade(s, m->lr);
        *at = word(s, m->lr);
    }
    for (unsigned i = 0; i < m->file_size; i++)
        if (!is_saved(m, i))
            s->reg[i] = SHADE_UNKNOWN;
    put_word(s, m->ret, result, result_shade);
    return !is_unknown(of) || stop(r, END_CUT);
}

/* A function that the memory has which the arguments lead to: one that does something that can be seen, does
 * it elsewhere otherwise, and returns a number. What it is given is not compared. */
static bool run_outside(struct run *r, ir_label *at)
{
    struct side *s = r->s;
    uint64_t page = *at >> PAGE_BITS;
    if (has(s->page.data, s->page.len, page))
        return stop(r, END_CUT);
    if (!add_event(r, true, *at))
        return false;
    vec_push(&s->code, page);
    return leave_callee(r, at, s->returns, 0);
}

/* Functions of other files of which enough is known. The dynamic linker puts a setting of the C library where
 * the second argument points, and does nothing else where the user did not change it. */
static bool run_import(struct run *r, ir_label *at)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    const struct object_stub *stub = object_stub_at(s->w->o, *at - s->w->guest.bias);
    if (!stub || !stub->name || strcmp(stub->name, "__tunable_get_val") != 0 || m->nargs < 2 ||
        is_unknown(register_shade(s, m->arg[1])))
        return stop(r, END_CUT);
    uint64_t to = word(s, m->arg[1]);
    if (!blind_in_stack(m, to))
        return stop(r, END_CUT);
    for (unsigned i = 0; i < 8; i++)
        map_set(&s->shade, to + i, SHADE_UNKNOWN);
    return leave_callee(r, at, 0, SHADE_UNKNOWN);
}

/* ---- the run ---- */

static void find_image(struct world *w)
{
    const struct object_segment *seg;
    size_t n = object_segments(w->o, &seg);
    w->low = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t from = seg[i].address + w->guest.bias, to = from + seg[i].size;
        w->low = from < w->low ? from : w->low;
        w->high = to > w->high ? to : w->high;
    }
    const struct object_symbol *y;
    n = object_symbols(w->o, &y);
    for (size_t i = 0; i < n && !w->single; i++)
        if (y[i].name && !y[i].undefined && strcmp(y[i].name, "__libc_single_threaded") == 0)
            w->single = y[i].address;
}

struct world *blind_world(struct program *p)
{
    struct world *w = xcalloc(1, sizeof *w);
    const struct ir_machine *m = program_machine(p);
    *w = (struct world){
        .p = p,
        .m = m,
        .o = program_object(p),
        .guest = {.p = p, .bias = m->pointer_width == 64 ? UINT64_C(0x556a00000000) : 0x5a000000}};
    lifter_keep_loads(program_lifter(p));
    find_image(w);
    return w;
}

void blind_world_free(struct world *w)
{
    guest_free(&w->guest);
    strmap_free(&w->external);
    map_free(&w->chosen);
    free(w->value);
    free(w);
}

void blind_open(struct side *s, struct world *w)
{
    *s = (struct side){.w = w};
    s->c = concrete_new(w->m, lift_pures(), fill, s);
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

static bool run_branch(struct run *r, shade of, bool *taken)
{
    if (of & SHADE_ARGS)
        return needs(r, of);
    if (!r->like || r->met >= DECISIONS)
        return stop(r, END_CUT);
    if (r->met >= r->ways.n)
        return stop(r, END_BRANCH);
    *taken = r->ways.taken[r->met++];
    return true;
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
    }
    concrete_begin(s->c, block);
    r->steps += block->ninsn + 1;
    w->steps += block->ninsn + 1;
    for (uint32_t n = 0;; n++) {
        const struct ir_insn *i = n < block->ninsn ? &block->insn[n] : NULL;
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
            return needs(r, w->value[block->end.next]);
        if (!concrete_step(s->c, block, n, &result))
            break;
    }
    *to = w->m->pointer_width == 32 ? (uint32_t)result.label : result.label;
    switch (result.stop) {
    case CONCRETE_JUMP:
    case CONCRETE_CALL:
    case CONCRETE_RET:
        return true;
    case CONCRETE_SYSCALL:
        *to = result.after;
        return run_syscall(r);
    case CONCRETE_TRAP:
        return stop(r, END_TRAP);
    default:
        return stop(r, END_CUT);
    }
}

static const uint64_t return_address = 0xc0ffee0;

void blind_enter(struct side *s)
{
    struct world *w = s->w;
    const struct ir_machine *m = w->m;
    uint16_t offset, width;
    uint64_t value;
    concrete_reset(s->c);
    map_clear(&s->shade);
    vec_clear(&s->written);
    s->nevents = 0;
    s->whole = s->trapped = s->strayed = false;
    vec_clear(&s->page);
    vec_clear(&s->code);
    for (unsigned i = 0; i < m->file_size; i++)
        s->reg[i] = SHADE_UNKNOWN;
    for (unsigned i = 0; guest_promised(m, i, &offset, &width, &value); i++) {
        concrete_set(s->c, offset, width, bits_u64(value, width));
        memset(&s->reg[offset], 0, (width + 7u) / 8 * sizeof *s->reg);
    }
    put_word(s, m->sp, guest_stack(m), 0);
}

void blind_give(struct side *s, unsigned i, uint64_t x, shade of)
{
    const struct ir_machine *m = s->w->m;
    unsigned unit = m->pointer_width / 8;
    if (i < m->nargs) {
        put_word(s, m->arg[i], x, of);
        return;
    }
    uint8_t bytes[8];
    uint64_t at = guest_stack(m) + m->stack_arg + (i - m->nargs) * unit;
    bits_to_bytes(bits_u64(x, m->pointer_width), bytes, unit);
    concrete_write(s->c, 0, at, bytes, unit);
    for (unsigned k = 0; k < unit; k++)
        map_set(&s->shade, at + k, split(of, k));
}

void blind_clear_result(struct side *s)
{
    put_word(s, s->w->m->ret, 0, 0);
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
        put_word(s, m->lr, return_address, 0);
    }
    while ((at & ~UINT64_C(1)) != return_address) {
        if (r->steps > RUN_STEPS || w->steps > ALL_STEPS)
            return stop(r, END_CUT);
        if (!guest_through_stub(&w->guest, &at, &resolver)) {
            if (!resolver && !run_import(r, &at))
                return false;
            if (resolver && !choose(w, resolver, &at))
                return stop(r, END_CUT);
            continue;
        }
        if (where_is(w, at) == OUTSIDE) {
            if (!run_outside(r, &at))
                return false;
            continue;
        }
        const struct ir_block *block = guest_block(&w->guest, at, 0);
        if (!block)
            return stop(r, END_CUT);
        if (!run_block(r, block, &at))
            return false;
    }
    s->result = word(s, m->ret);
    s->result_shade = register_shade(s, m->ret);
    s->whole = true;
    r->end = END_RETURN;
    return true;
}

static bool run_function(struct run *r, ir_label at)
{
    blind_enter(r->s);
    return blind_run(r, at);
}

