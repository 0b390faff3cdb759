/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores.
 *
 * With the frame axiom the function's own frame is an array of its own (state.frame), and everything else is
 * state.mem: a store through an argument can then not touch a local, without a question asked. The function's
 * frame is what is addressed as the entry stack pointer plus a constant below frame_top, or plus something
 * symbolic and a negative constant. This holds as long as nobody else knows an address in the frame. When one
 * is stored outside it or given to a call, the frame ESCAPES: its contents move into mem, and from then on
 * locals live there, exposed to every unknown pointer and every call. Nothing tells where one local ends and
 * the next begins, so all escape at once. Only words that hold saved registers and the return address stay
 * behind (the return axiom). What existed before the call (arguments, entry registers, memory as it was)
 * still holds no address in the frame.
 *
 * The caller's part of the stack is in mem, addressed with the symbol `caller`, which equals `sp`: so an
 * address made from `sp` in mem is always one of the own, escaped frame, and bases alone tell the two apart.
 */
#include <assert.h>
#include <string.h>

#include "exec/engine.h"

static bool memo_get(const struct map *m, term v, bool *answer)
{
    uint64_t a;
    if (!map_get(m, v, &a))
        return false;
    *answer = a != 0;
    return true;
}

/* v is a frame address plus something that is not one. */
static bool is_frame_address(struct explorer *x, term v, unsigned fuel)
{
    if (v == x->sp)
        return true;
    if (v == TERM_NONE || v < x->sp || fuel == 0)
        return false;
    bool answer = false;
    unsigned kind = term_kind(x->t, v);
    if (kind != OP_ADD && kind != OP_SUB && kind != OP_AND && kind != OP_ITE)
        return false;
    if (memo_get(&x->framed, v, &answer))
        return answer;
    if (kind == OP_ADD)
        answer = is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) !=
                 is_frame_address(x, term_kid(x->t, v, 1), fuel - 1);
    else if (kind == OP_SUB)
        answer =
            is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) && !memory_tainted(x, term_kid(x->t, v, 1));
    else if (kind == OP_AND) /* aligning; with the lower bits kept instead it would be a small number */
        answer = is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) &&
                 term_is_const(x->t, term_kid(x->t, v, 1)) &&
                 bits_bit(term_known(x->t, term_kid(x->t, v, 1)).one, x->width - 1);
    else
        answer = is_frame_address(x, term_kid(x->t, v, 1), fuel - 1) &&
                 is_frame_address(x, term_kid(x->t, v, 2), fuel - 1);
    map_set(&x->framed, v, answer);
    return answer;
}

/* Where a value may come from. */
enum {
    FROM_FRAME = 1, /* an address in the function's frame flows into it, other than through a comparison or an
                       address accessed */
    FROM_OTHERS = 2, /* a call or something not understood made it; what they were given was looked at then */
    FROM_CALLER = 4, /* made from sp by an amount not known: see is_astray */
};

static unsigned origin_of_leaf(struct explorer *x, term u, unsigned kind)
{
    if (u == x->sp)
        return FROM_FRAME;
    if (u == x->caller)
        return FROM_CALLER;
    if (kind == TERM_APPLY)
        return origin_is_new_object(x->t, u) ? 0 : FROM_OTHERS;
    return origin_is(x->t, u, TERM_ORIGIN_FRESH) ? FROM_OTHERS : 0;
}

/* Of a value or of what an array holds. */
static unsigned origin_of(struct explorer *x, term v)
{
    uint64_t answer = 0;
    if (v == TERM_NONE || map_get(&x->origin, v, &answer))
        return (unsigned)answer;
    VEC(term) todo = VEC_INIT;
    vec_push(&todo, v);
    while (todo.len) {
        term u = vec_last(&todo);
        if (map_get(&x->origin, u, NULL)) {
            (void)vec_pop(&todo);
            continue;
        }
        unsigned first = 0, last = term_nkids(x->t, u), kind = term_kind(x->t, u), from = 0;
        switch (kind) {
        case OP_EQ:
        case OP_ULT:
        case OP_ULE:
        case OP_SLT:
        case OP_SLE:
            last = 0;
            break;
        case TERM_CONST:
        case TERM_VAR:
        case TERM_APPLY:
            from = origin_of_leaf(x, u, kind);
            last = 0;
            break;
        case TERM_READ:
            last = 1;
            break;
        case OP_ITE:
        case TERM_AITE:
            first = 1;
            break;
        default:
            break;
        }
        bool wait = false;
        for (unsigned i = first; i < last; i++) {
            if (kind == TERM_WRITE && i == 1)
                continue;
            uint64_t kid = 0;
            if (map_get(&x->origin, term_kid(x->t, u, i), &kid)) {
                from |= (unsigned)kid;
            } else {
                vec_push(&todo, term_kid(x->t, u, i));
                wait = true;
            }
        }
        if (wait)
            continue;
        map_set(&x->origin, u, from);
        (void)vec_pop(&todo);
    }
    vec_free(&todo);
    return (unsigned)map_find(&x->origin, v, 0);
}

bool memory_tainted(struct explorer *x, term v)
{
    return origin_of(x, v) & FROM_FRAME;
}

bool memory_is_saved(const struct explorer *x, const struct saved_set *saved, int64_t offset, unsigned bytes)
{
    if (!(x->opt.axioms & AXIOM_RETURN))
        return false;
    int64_t word = x->unit;
    if (x->m->call_pushes && offset >= 0 && offset + bytes <= word)
        return true;
    for (unsigned i = 0; i < x->opt.nprivate; i++)
        if (offset >= x->opt.private[i].low && offset + bytes <= x->opt.private[i].high)
            return true;
    for (unsigned i = 0; i < saved->n; i++)
        if (offset >= saved->offset[i] && offset + bytes <= saved->offset[i] + word)
            return true;
    return false;
}

/* How many of the bytes from an offset on are of one kind: saved words or not, own or the caller's. */
static unsigned alike(const struct explorer *x, const struct saved_set *saved, int64_t offset, unsigned bytes)
{
    bool first = memory_is_saved(x, saved, offset, 1), own = offset < x->frame_top;
    unsigned n = 1;
    while (n < bytes && memory_is_saved(x, saved, offset + n, 1) == first &&
           (offset + n < x->frame_top) == own)
        n++;
    return n;
}

int64_t memory_offset(const struct explorer *x, uint64_t offset)
{
    return x->width == 64 ? (int64_t)offset : (int64_t)(int32_t)(uint32_t)offset;
}

struct place {
    bool in_frame;  /* in the function's frame */
    bool stack;     /* made from sp, own or not */
    bool exact;     /* at offset from sp */
    bool straddles; /* partly above the function's frame */
    int64_t offset;
};

static struct place place_of(struct explorer *x, term address, unsigned bytes)
{
    struct place p = {0};
    term base;
    uint64_t off;
    term_split(x->t, address, &base, &off);
    p.offset = memory_offset(x, off);
    if (base == x->sp) {
        p.exact = p.stack = true;
        p.in_frame = p.offset + (int64_t)bytes <= x->frame_top;
        p.straddles = !p.in_frame && p.offset < x->frame_top;
    } else if (base != TERM_NONE && is_frame_address(x, base, 64)) {
        p.stack = true;
        p.in_frame = p.offset < 0;
        /* An aligned stack pointer may keep its offset inside: and(sp - 24, -32). */
        if (!p.in_frame && term_kind(x->t, base) == OP_AND) {
            term inner;
            term_split(x->t, term_kid(x->t, base, 0), &inner, &off);
            p.in_frame = p.offset + memory_offset(x, off) < 0;
        }
    }
    return p;
}

/* Made from sp and something not known, which may lead into the function's frame or above it: sp + 4 + 4 * i
 * is an element of an array passed on the stack, sp - n + 100 one of an array whose size is computed. */
static bool is_astray(struct place p)
{
    return p.stack && !p.in_frame && !p.exact;
}

/* The address by which something that is not in the function's frame is known in mem. */
static term outside(struct explorer *x, struct place p, term address)
{
    return p.stack && !p.in_frame ? term_substitute(x->t, address, &x->sp, &x->caller, 1) : address;
}

/* The part from byte i on of an access at an exact offset. */
struct part {
    unsigned bytes;
    bool saved; /* in the frame array also after an escape */
    term address;
};

static struct part part_at(struct explorer *x, const struct state *st, struct place p, term address,
                           unsigned i, unsigned bytes)
{
    struct part part = {.bytes = alike(x, st->saved, p.offset + i, bytes - i)};
    part.saved = memory_is_saved(x, st->saved, p.offset + i, 1);
    x->stats.axiom_used[AXIOM_RETURN_IX] += part.saved;
    term base = p.offset + i < x->frame_top ? x->sp : x->caller;
    part.address = i == 0 && base == x->sp ? address : term_add_const(x->t, base, (uint64_t)p.offset + i);
    return part;
}

/* What stays the same from one array to the next: both sides of a choice are made from what was before it, so
 * each array is looked at once. */
struct replaying {
    const struct saved_set *saved;
    term root, onto;
    struct map done;
};

static term replay(struct explorer *x, struct replaying *r, term from)
{
    const struct saved_set *saved = r->saved;
    VEC(term) chain = VEC_INIT;
    term at = from, out;
    uint64_t known = TERM_NONE;
    while (at != r->root && term_kind(x->t, at) == TERM_WRITE && !map_get(&r->done, at, &known)) {
        vec_push(&chain, at);
        at = term_kid(x->t, at, 0);
    }
    if (known != TERM_NONE || map_get(&r->done, at, &known))
        out = (term)known;
    else if (at != r->root && term_kind(x->t, at) == TERM_AITE)
        out = term_ite(x->t, term_kid(x->t, at, 0), replay(x, r, term_kid(x->t, at, 1)),
                       replay(x, r, term_kid(x->t, at, 2)));
    else
        out = r->onto;
    map_set(&r->done, at, out);
    while (chain.len) {
        term w = vec_pop(&chain), address = term_kid(x->t, w, 1), value = term_kid(x->t, w, 2);
        struct place p = place_of(x, address, 1);
        unsigned bytes = term_width(x->t, value) / 8;
        if (!p.exact) {
            out = term_write(x->t, out, address, value);
            continue;
        }
        for (unsigned i = 0, n; i < bytes; i += n) {
            n = alike(x, saved, p.offset + i, bytes - i);
            if (!memory_is_saved(x, saved, p.offset + i, 1))
                out = term_write(x->t, out, term_add_const(x->t, address, i),
                                 term_extract(x->t, value, i * 8, n * 8));
        }
    }
    map_set(&r->done, from, out);
    vec_free(&chain);
    return out;
}

term memory_replay(struct explorer *x, const struct saved_set *saved, term from, term root, term onto)
{
    struct replaying r = {.saved = saved, .root = root, .onto = onto};
    term out = replay(x, &r, from);
    map_free(&r.done);
    return out;
}

term memory_place(struct explorer *x, term address, unsigned bytes, unsigned *together)
{
    const struct explore_hooks *h = x->opt.hooks;
    *together = bytes;
    return h && h->place ? h->place(h->ctx, address, bytes, together) : address;
}

struct mapped *memory_resolve(struct explorer *x, term address, uint64_t *value)
{
    const struct explore_hooks *h = x->opt.hooks;
    if (term_const_u64(x->t, address, value))
        return mapped_at(x, *value, value);
    return h && h->resolve && h->resolve(h->ctx, address, value) ? x->file : NULL;
}

term memory_code(struct explorer *x, uint64_t address)
{
    return term_const(x->t, x->width, address + x->file->bias);
}

term memory_whole(struct explorer *x, term mem, term frame, bool flat, const struct saved_set *saved)
{
    static const struct saved_set none = {0};
    if (!(x->opt.axioms & AXIOM_FRAME) || x->snapshot)
        return mem;
    if (!flat) {
        /* `none`: saved registers are to be in it, too */
        unsigned axioms = x->opt.axioms;
        x->opt.axioms &= ~AXIOM_RETURN;
        mem = memory_replay(x, &none, frame, x->mem, mem);
        x->opt.axioms = axioms;
        return mem;
    }
    if (!(x->opt.axioms & AXIOM_RETURN))
        return mem;
    for (unsigned i = 0; i <= saved->n; i++) {
        if (i == saved->n && !x->m->call_pushes)
            break;
        term at = term_add_const(x->t, x->sp, i < saved->n ? (uint64_t)saved->offset[i] : 0);
        mem = term_write(x->t, mem, at, term_read(x->t, frame, at, x->width));
    }
    return mem;
}

void memory_escape(struct explorer *x, struct state *st)
{
    if (st->flat || !x->opt.policy->escapes || !(x->opt.axioms & AXIOM_FRAME))
        return;
    st->mem = memory_replay(x, st->saved, st->frame, x->mem, st->mem);
    st->flat = true;
    x->stats.escapes++;
}

void memory_havoc_local(struct explorer *x, struct state *st, term address)
{
    /* Floats and vectors are arguments as well. */
    if (st->flat || term_width(x->t, address) != x->width || !place_of(x, address, 1).in_frame)
        return;
    for (term at = st->frame; term_kind(x->t, at) == TERM_WRITE; at = term_kid(x->t, at, 0))
        if (term_kid(x->t, at, 1) == address) {
            unsigned width = term_width(x->t, term_kid(x->t, at, 2));
            st->frame = term_write(x->t, st->frame, address, term_read(x->t, st->mem, address, width));
            return;
        }
}

/* ---- what is known of the file ---- */

/* The dynamic linker puts an address there. */
static bool holds_address(const struct object *o, uint64_t address)
{
    const struct object_stub *stub = object_stub_at(o, address);
    return object_pointer_at(o, address) ||
           (stub && stub->kind == STUB_GOT && stub->address == address && stub->name);
}

static term readonly_words(struct explorer *x, const struct mapped *in, uint64_t address, unsigned bytes)
{
    term out = TERM_NONE;
    for (unsigned at = 0; at < bytes; at += x->unit) {
        term word = memory_readonly(x, in, address + at, x->width);
        if (word == TERM_NONE)
            return TERM_NONE;
        out = out == TERM_NONE ? word : term_concat(x->t, word, out);
    }
    return out;
}

/* A slot of the GOT, which only the dynamic linker writes, also where it could be written
 * later. */
static bool is_offset_slot(const struct object *o, uint64_t address)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].alloc && address >= s[i].address && address - s[i].address < s[i].size)
            return strncmp(s[i].name, ".got", 4) == 0 && holds_address(o, address);
    return false;
}

term memory_readonly(struct explorer *x, const struct mapped *in, uint64_t address, unsigned width)
{
    unsigned bytes = width / 8;
    if (!in->o || bytes == 0 || bytes > OP_MAX_WIDTH / 8 ||
        (!object_is_readonly(in->o, address, bytes) &&
         (bytes != x->unit || !is_offset_slot(in->o, address))) ||
        object_is_replaceable(in->o, address))
        return TERM_NONE;
    const struct object_pointer *ptr;
    size_t n = object_pointers(in->o, &ptr);
    uint64_t from = address < x->unit ? 0 : address - x->unit + 1;
    for (size_t i = object_pointers_before(in->o, from); i < n && ptr[i].address < address + bytes; i++) {
        /* A word the dynamic linker fills with an address, its own or of another object's symbol. */
        if (!ptr[i].name && !in->bias)
            continue;
        if (bytes > x->unit && bytes % x->unit == 0)
            return readonly_words(x, in, address, bytes);
        if (ptr[i].address != address || bytes != x->unit)
            return TERM_NONE;
        if (!ptr[i].name)
            return term_const(x->t, x->width, (ptr[i].target | ptr[i].thumb) + in->bias);
        return term_add_const(x->t, mapped_address_of(x, ptr[i].name), (uint64_t)ptr[i].addend);
    }
    const struct object_stub *stub = object_stub_at(in->o, address);
    if (stub && stub->kind == STUB_GOT && stub->name && !stub->target && stub->address == address)
        return bytes == x->unit ? mapped_address_of(x, stub->name) : TERM_NONE;
    uint8_t data[OP_MAX_WIDTH / 8];
    if (!object_read(in->o, address, data, bytes))
        return TERM_NONE;
    const struct explore_hooks *h = x->opt.hooks;
    term word = TERM_NONE;
    if (h && h->word && bytes == x->unit)
        word = h->word(h->ctx, address, bits_low(bits_from_bytes(data, bytes)));
    if (word != TERM_NONE)
        return word;
    return term_const_bits(x->t, width, bits_from_bytes(data, bytes));
}

/* ---- what is known of a process ---- */

bool memory_snapshot_byte(const struct explorer *x, uint64_t address, uint8_t *byte)
{
    const struct exec_page *page = x->snapshot ? x->snapshot->page : NULL;
    size_t low = 0, high = x->snapshot ? x->snapshot->npages : 0;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (address < page[mid].address) {
            high = mid;
        } else if (address - page[mid].address >= page[mid].size) {
            low = mid + 1;
        } else {
            const uint8_t *open = page[mid].open;
            *byte = page[mid].byte[address - page[mid].address];
            return !open || !open[address - page[mid].address];
        }
    }
    return false;
}

bool memory_on_stack(struct explorer *x, term address)
{
    return place_of(x, address, 1).stack;
}

/* Tells whoever asks a solver what was there, where a store in between keeps it from being read here. */
static void assume_snapshot(struct explorer *x, uint64_t address, uint8_t byte)
{
    if (map_set(&x->facts, address, 1))
        vec_push(&x->assume, term_eq(x->t, term_read(x->t, x->mem, term_const(x->t, x->width, address), 8),
                                     term_const(x->t, 8, byte)));
}

term memory_snapshot(struct explorer *x, term mem, uint64_t address, unsigned width)
{
    const term index = term_const(x->t, x->width, address);
    term whole = term_read(x->t, mem, index, width), out = TERM_NONE;
    bool known = false;
    if (term_is_const(x->t, whole))
        return whole;
    /* what was written elsewhere since is not looked through for each byte */
    if (term_kind(x->t, whole) == TERM_READ && term_kid(x->t, whole, 1) == index)
        mem = term_kid(x->t, whole, 0);
    for (unsigned i = 0; i < width / 8; i++) {
        uint64_t at = x->width == 64 ? address + i : (uint32_t)(address + i);
        term cell = term_read(x->t, mem, term_const(x->t, x->width, at), 8);
        uint8_t byte;
        if (memory_snapshot_byte(x, at, &byte)) {
            /* not any cell of the snapshot: one may have been copied here from elsewhere */
            if (cell == term_read(x->t, x->mem, term_const(x->t, x->width, at), 8)) {
                cell = term_const(x->t, 8, byte);
                known = true;
            } else if (!term_is_const(x->t, cell)) {
                assume_snapshot(x, at, byte);
            }
        }
        out = out == TERM_NONE ? cell : term_concat(x->t, cell, out);
    }
    /* what was stored as a whole is what was stored: put together from bytes a pointer would no longer look like a sum */
    return known ? out : TERM_NONE;
}

/* The choice between two pointers that an address is made from, if a process's memory is accessed through it:
 * a pointer that was itself loaded from one of several places. TERM_NONE: none. */
static term choice_in(struct explorer *x, term address, unsigned fuel)
{
    if (!x->snapshot || !x->snapshot->within || term_is_const(x->t, address) || !fuel)
        return TERM_NONE;
    if (term_kind(x->t, address) == OP_ITE)
        return address;
    if (term_kind(x->t, address) != OP_ADD)
        return TERM_NONE;
    term of = choice_in(x, term_kid(x->t, address, 0), fuel - 1);
    return of != TERM_NONE ? of : choice_in(x, term_kid(x->t, address, 1), fuel - 1);
}

/* The address when the choice falls on its kid i. */
static term chosen(struct explorer *x, term address, term choice, unsigned i)
{
    term to = term_kid(x->t, choice, i);
    return term_substitute(x->t, address, &choice, &to, 1);
}

enum { CHOICE_FUEL = 4 };

term memory_unmapped(struct explorer *x, const struct exec_moment *at, term address, unsigned bytes)
{
    term choice = choice_in(x, address, CHOICE_FUEL);
    if (choice != TERM_NONE)
        return term_ite(x->t, term_kid(x->t, choice, 0),
                        memory_unmapped(x, at, chosen(x, address, choice, 1), bytes),
                        memory_unmapped(x, at, chosen(x, address, choice, 2), bytes));
    if (x->snapshot->unmapped)
        return x->snapshot->unmapped(x->snapshot->ctx, at, address, bytes);
    term out = term_true(x->t);
    const struct exec_page *page = x->snapshot->page;
    for (size_t i = 0, n; i < x->snapshot->npages; i += n) {
        uint64_t size = page[i].size;
        for (n = 1; i + n < x->snapshot->npages && page[i + n].address == page[i].address + size; n++)
            size += page[i + n].size;
        if (size < bytes)
            continue;
        /* address - low <= size - bytes */
        term off = term_bin(x->t, OP_SUB, address, term_const(x->t, x->width, page[i].address));
        out = term_and(x->t, out,
                       term_not(x->t, term_bin(x->t, OP_ULE, off, term_const(x->t, x->width, size - bytes))));
    }
    return out;
}

/* The cells that an access at an address that is not known may be to. */
struct cells {
    uint64_t low, step;
    unsigned n;
};

static bool cells_of(struct explorer *x, struct state *st, term address, unsigned bytes, struct cells *c)
{
    enum { MOST = 128 };
    struct exec_moment m = {.x = x, .st = st};
    uint64_t size;
    if (!x->snapshot || !x->snapshot->within || term_is_const(x->t, address) ||
        !x->snapshot->within(x->snapshot->ctx, &m, address, &c->low, &size) || size < bytes)
        return false;
    /* what is known of its lowest bits */
    term off = term_bin(x->t, OP_SUB, address, term_const(x->t, x->width, c->low));
    uint64_t open = ~bits_low(term_known(x->t, off).zero);
    c->step = open ? open & -open : 1;
    uint64_t n = (size - bytes) / c->step + 1;
    c->n = (unsigned)n;
    return n <= MOST;
}

static term cell_is(struct explorer *x, const struct cells *c, term address, unsigned i)
{
    return term_eq(x->t, address, term_const(x->t, x->width, c->low + i * c->step));
}

static term load_cells(struct explorer *x, struct state *st, const struct cells *c, term address, unsigned width)
{
    term out = TERM_NONE;
    for (unsigned i = c->n; i-- > 0;) {
        term v = memory_load(x, st, 0, term_const(x->t, x->width, c->low + i * c->step), width);
        out = out == TERM_NONE ? v : term_ite(x->t, cell_is(x, c, address, i), v, out);
    }
    return out;
}

/* The same of a load at an address that is not known: of the bytes that it can be, as far as the term itself
 * bounds it, else of some behind its constant part, where tables begin. */
static void assume_around(struct explorer *x, term address, unsigned bytes)
{
    enum { MOST = 1024, SOME = 256 };
    term base;
    uint64_t from, most = SOME;
    term_split(x->t, address, &base, &from);
    if (base != TERM_NONE) {
        uint64_t reach = ~bits_low(term_known(x->t, base).zero);
        if (x->width < 64)
            reach &= (UINT64_C(1) << x->width) - 1;
        most = reach < MOST ? reach + bytes : SOME;
    }
    uint64_t known = from << 16 | most;
    if (!map_set(&x->around, known, 1))
        return;
    for (uint64_t i = 0; i < most; i++) {
        uint8_t byte;
        uint64_t at = x->width == 64 ? from + i : (uint32_t)(from + i);
        if (memory_snapshot_byte(x, at, &byte))
            assume_snapshot(x, at, byte);
    }
}

/* The stack protector's canary is chosen once and never changes: glibc keeps it at fs:0x28 on x86-64, at
 * gs:0x14 on i386, elsewhere in the variable __stack_chk_guard. */
static bool is_canary(struct explorer *x, term base, uint64_t offset, unsigned width)
{
    if (width != x->width || base == TERM_NONE)
        return false;
    struct term_origin from = term_origin(x->t, base);
    if (x->m->arch == MACHINE_AMD64 && offset == 0x28)
        return from.kind == ORIGIN_REGISTER && from.name && strcmp(from.name, "fs_base") == 0;
    if (x->m->arch == MACHINE_X86 && offset == 0x14)
        return from.kind == ORIGIN_REGISTER && from.name && strcmp(from.name, "gs_base") == 0;
    return offset == 0 && from.kind == ORIGIN_ADDRESS && strcmp(from.name, "__stack_chk_guard") == 0;
}

/* Whatever the computed distance is, the load is from data that is never written. */
static bool is_constant_table(struct explorer *x, term base, uint64_t off, unsigned bytes)
{
    uint64_t at, reach = ~bits_low(term_known(x->t, base).zero) & (UINT64_MAX >> (64 - x->width));
    if (x->snapshot || reach >= UINT32_MAX || !(x->opt.axioms & AXIOM_LITERAL))
        return false;
    const struct mapped *in = memory_resolve(x, term_const(x->t, x->width, off), &at);
    return in && in->o && object_is_readonly(in->o, at, (size_t)reach + bytes) &&
           !object_is_replaceable(in->o, at);
}

term memory_load(struct explorer *x, struct state *st, unsigned space, term address, unsigned width)
{
    if (space != 0)
        return space_load(x, st, space, address, width);
    term base, known = TERM_NONE;
    uint64_t off;
    const struct explore_hooks *h = x->opt.hooks;
    unsigned together;
    term placed = memory_place(x, address, width / 8, &together);
    if (together < width / 8) {
        term low = memory_load(x, st, 0, address, together * 8);
        return term_concat(
            x->t, memory_load(x, st, 0, term_add_const(x->t, address, together), width - together * 8), low);
    }
    address = placed;
    if (x->snapshot && term_const_u64(x->t, address, &off) &&
        (known = memory_snapshot(x, st->mem, off, width)) != TERM_NONE)
        return known;
    term choice = choice_in(x, address, CHOICE_FUEL);
    if (choice != TERM_NONE) {
        term one = memory_load(x, st, 0, chosen(x, address, choice, 1), width);
        return term_ite(x->t, term_kid(x->t, choice, 0), one,
                        memory_load(x, st, 0, chosen(x, address, choice, 2), width));
    }
    struct cells cells;
    if (cells_of(x, st, address, width / 8, &cells))
        return load_cells(x, st, &cells, address, width);
    if (x->snapshot && !term_is_const(x->t, address))
        assume_around(x, address, width / 8);
    if (x->opt.axioms & AXIOM_LITERAL) {
        known = x->source->constant(x, address, width);
        if (known != TERM_NONE) {
            x->stats.axiom_used[AXIOM_LITERAL_IX]++;
            return known;
        }
    }
    term_split(x->t, address, &base, &off);
    if (base == TERM_NONE)
        return term_read(x->t, st->mem, address, width);
    if (x->opt.axioms & AXIOM_RETURN && is_canary(x, base, off, width)) {
        x->stats.axiom_used[AXIOM_RETURN_IX]++;
        x->canary_at = address;
        return x->canary = origin_symbol(x->t, (struct term_origin){.kind = ORIGIN_CANARY}, width);
    }
    if (!(x->opt.axioms & AXIOM_FRAME))
        return term_read(x->t, st->mem, address, width);

    unsigned bytes = width / 8;
    struct place p = place_of(x, address, bytes);
    if (!st->flat) {
        if (p.in_frame) {
            bool back = p.exact && x->m->call_pushes && p.offset >= 0 && p.offset + bytes <= x->unit;
            x->stats.axiom_used[back ? AXIOM_RETURN_IX : AXIOM_FRAME_IX]++;
            return term_read(x->t, st->frame, address, width);
        }
        if (p.straddles || is_astray(p) || (!p.stack && memory_tainted(x, base)))
            memory_escape(x, st);
    }
    if (!p.exact) {
        bool fixed = is_constant_table(x, base, off, bytes);
        x->stats.axiom_used[AXIOM_LITERAL_IX] += fixed;
        known = term_read(x->t, fixed ? x->mem : st->mem, outside(x, p, address), width);
        bool ask = h && h->load && !p.stack && x->opt.axioms & AXIOM_LITERAL;
        return ask ? h->load(h->ctx, address, width, known) : known;
    }
    term out = TERM_NONE;
    for (unsigned i = 0, n; i < bytes; i += n) {
        struct part part = part_at(x, st, p, address, i, bytes);
        n = part.bytes;
        term v = term_read(x->t, part.saved ? st->frame : st->mem, part.address, n * 8);
        out = out == TERM_NONE ? v : term_concat(x->t, v, out);
    }
    return out;
}

/* Remembers that a word of the frame holds a saved register or the stack protector's guard, or does no longer. */
static void note_saved(struct explorer *x, struct state *st, struct place p, term value)
{
    unsigned bytes = term_width(x->t, value) / 8;
    bool saves = false;
    if (bytes == x->unit && p.offset < 0) {
        for (unsigned i = 0; i < x->m->nsaved && !saves; i++)
            saves = x->m->saved[i] % x->unit == 0 && value == x->entry[x->m->saved[i] / x->unit];
        saves = saves || (!x->m->call_pushes && value == x->ret);
        saves = saves || (value == x->canary && value != TERM_NONE);
    }
    unsigned at = 0, end = 0;
    while (at < st->saved->n && st->saved->offset[at] + (int64_t)x->unit <= p.offset)
        at++;
    end = at;
    while (end < st->saved->n && st->saved->offset[end] < p.offset + (int64_t)bytes)
        end++;
    if ((!saves && at == end) || (saves && end == at + 1 && st->saved->offset[at] == p.offset))
        return;
    struct saved_set *s = arena_alloc(&x->arena, sizeof *s + (st->saved->n + 1) * sizeof s->offset[0]);
    memcpy(s->offset, st->saved->offset, at * sizeof s->offset[0]);
    s->n = at;
    if (saves)
        s->offset[s->n++] = p.offset;
    memcpy(s->offset + s->n, st->saved->offset + end, (st->saved->n - end) * sizeof s->offset[0]);
    s->n += st->saved->n - end;
    st->saved = s;
}

/* array[address] = guard ? value : array[address]. */
static term guarded_write(struct explorer *x, term array, term address, term value, term guard)
{
    if (guard != TERM_NONE)
        value = term_ite(x->t, guard, value, term_read(x->t, array, address, term_width(x->t, value)));
    return term_write(x->t, array, address, value);
}

void memory_store(struct explorer *x, struct state *st, unsigned space, term address, term value, term guard,
                  uint64_t site)
{
    if (guard != TERM_NONE) {
        if (term_is_false(x->t, guard))
            return;
        if (term_is_true(x->t, guard))
            guard = TERM_NONE;
    }
    if (space != 0) {
        /* every callee sees it */
        if (x->opt.axioms & AXIOM_FRAME && memory_tainted(x, value))
            memory_escape(x, st);
        space_store(x, st, space, address, value, guard);
        state_write(x, st,
                    &(struct exec_write){
                        .address = address, .value = value, .guard = guard, .site = site, .space = space});
        return;
    }
    unsigned bytes = term_width(x->t, value) / 8, together;
    term placed = memory_place(x, address, bytes, &together);
    if (together < bytes) {
        memory_store(x, st, 0, address, term_extract(x->t, value, 0, together * 8), guard, site);
        memory_store(x, st, 0, term_add_const(x->t, address, together),
                     term_extract(x->t, value, together * 8, (bytes - together) * 8), guard, site);
        return;
    }
    address = placed;
    term choice = choice_in(x, address, CHOICE_FUEL);
    if (choice != TERM_NONE) {
        term first = term_kid(x->t, choice, 0), other = term_not(x->t, first);
        memory_store(x, st, 0, chosen(x, address, choice, 1), value,
                     guard == TERM_NONE ? first : term_and(x->t, guard, first), site);
        memory_store(x, st, 0, chosen(x, address, choice, 2), value,
                     guard == TERM_NONE ? other : term_and(x->t, guard, other), site);
        return;
    }
    struct place p = place_of(x, address, bytes);
    state_write(x, st,
                &(struct exec_write){
                    .address = address, .value = value, .guard = guard, .site = site, .local = p.in_frame});
    struct cells cells;
    if (cells_of(x, st, address, bytes, &cells)) {
        for (unsigned k = 0; k < cells.n; k++) {
            term is = cell_is(x, &cells, address, k);
            st->mem = guarded_write(x, st->mem, term_const(x->t, x->width, cells.low + k * cells.step), value,
                                    guard == TERM_NONE ? is : term_and(x->t, guard, is));
        }
        return;
    }
    if (!(x->opt.axioms & AXIOM_FRAME)) {
        st->mem = guarded_write(x, st->mem, address, value, guard);
        return;
    }
    if (!st->flat) {
        if (p.in_frame) {
            if (p.exact && guard == TERM_NONE)
                note_saved(x, st, p, value);
            st->frame = guarded_write(x, st->frame, address, value, guard);
            return;
        }
        if (p.straddles || is_astray(p) || memory_tainted(x, value) ||
            (!p.stack && memory_tainted(x, address)))
            memory_escape(x, st);
    }
    if (!p.exact) {
        st->mem = guarded_write(x, st->mem, outside(x, p, address), value, guard);
        return;
    }
    for (unsigned i = 0, n; i < bytes; i += n) {
        struct part part = part_at(x, st, p, address, i, bytes);
        n = part.bytes;
        term *array = part.saved ? &st->frame : &st->mem;
        *array = guarded_write(x, *array, part.address, term_extract(x->t, value, i * 8, n * 8), guard);
    }
}

/* ---- axioms for addresses outside the function's frame ---- */

static bool is_errno_held(struct explorer *x)
{
    if (!x->errno_known)
        x->errno_held = summary_names_errno(x, x->errno_of);
    x->errno_known = true;
    return x->errno_held;
}

/* Does v depend on h? Terms are numbered as they are made, so what is older than h cannot. */
static bool depends_on(struct explorer *x, term v, term h)
{
    if (v == h)
        return true;
    if (v < h)
        return false;
    uint64_t key = (uint64_t)h << 32 | v, known;
    if (map_get(&x->heap_in, key, &known))
        return known;
    VEC(term) todo = VEC_INIT;
    struct map seen = {0};
    bool found = false;
    vec_push(&todo, v);
    while (todo.len && !found) {
        term u = vec_pop(&todo);
        if (u == h) {
            found = true;
        } else if (u > h && map_set(&seen, u, 1)) {
            for (unsigned i = 0; i < term_nkids(x->t, u); i++)
                vec_push(&todo, term_kid(x->t, u, i));
            /* Where nothing is known of the origin, anything may have been it: the address of errno only
             * where somebody asks for that. */
            if (origin_is(x->t, u, TERM_ORIGIN_FRESH))
                found = !origin_is(x->t, h, ORIGIN_ERRNO_PLACE) || is_errno_held(x);
        }
    }
    vec_free(&todo);
    map_free(&seen);
    map_set(&x->heap_in, key, found);
    return found;
}

bool memory_distinct(void *ctx, term a, term b)
{
    struct explorer *x = ctx;
    if (x->opt.axioms & AXIOM_OBJECT && a != b && code_is_global(x, a) && code_is_global(x, b)) {
        x->stats.object_used++;
        return true;
    }
    if (x->heap_seen && x->opt.axioms & AXIOM_HEAP) {
        term ha = summary_heap_root(x, a), hb = summary_heap_root(x, b);
        bool apart = ha != hb && ((ha != TERM_NONE && hb != TERM_NONE) ||
                                  (ha != TERM_NONE && (b == TERM_NONE || !depends_on(x, b, ha))) ||
                                  (hb != TERM_NONE && (a == TERM_NONE || !depends_on(x, a, hb))));
        x->stats.axiom_used[AXIOM_HEAP_IX] += apart;
        if (apart)
            return true;
    }
    if (x->opt.axioms & AXIOM_FRAME) {
        bool fa = a != TERM_NONE && is_frame_address(x, a, 64),
             fb = b != TERM_NONE && is_frame_address(x, b, 64);
        /* A stack, whoever's, is not a variable of the file; and what was there before the frame does not
         * point into it. */
        if ((fa && !fb && (b == TERM_NONE || b == x->caller || origin_of(x, b) == 0)) ||
            (fb && !fa && (a == TERM_NONE || a == x->caller || origin_of(x, a) == 0)) ||
            (a == x->caller && b == TERM_NONE) || (b == x->caller && a == TERM_NONE)) {
            x->stats.axiom_used[AXIOM_FRAME_IX]++;
            return true;
        }
    }
    return false;
}
