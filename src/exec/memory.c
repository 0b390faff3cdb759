/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loads and stores.
 *
 * With the frame axiom the function's own frame is an array of its own (state.frame), and everything else is
 * state.mem: a store through an argument can then not touch a local, without a question asked. The own frame is what
 * is addressed as the entry stack pointer plus a constant below frame_top, or plus something symbolic and a negative
 * constant. This holds as long as nobody else knows an address in the frame. When one is stored outside it or given
 * to a call, the frame ESCAPES: its contents move into mem, and from then on locals live there, exposed to every
 * unknown pointer and every call. Nothing tells where one local ends and the next begins, so all escape at once. Only
 * words that hold saved registers and the return address stay behind (the return axiom). */
#include <assert.h>
#include <string.h>

#include "exec/engine.h"

enum { AXIOM_FRAME_IX, AXIOM_HEAP_IX, AXIOM_LITERAL_IX, AXIOM_RETURN_IX };

/* A copy of "is or may hold": answers are kept for each term, for good. */
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
        answer = is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) != is_frame_address(x, term_kid(x->t, v, 1), fuel - 1);
    else if (kind == OP_SUB)
        answer = is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) && !memory_tainted(x, term_kid(x->t, v, 1));
    else if (kind == OP_AND) /* aligning */
        answer = is_frame_address(x, term_kid(x->t, v, 0), fuel - 1) && term_is_const(x->t, term_kid(x->t, v, 1));
    else
        answer = is_frame_address(x, term_kid(x->t, v, 1), fuel - 1) && is_frame_address(x, term_kid(x->t, v, 2), fuel - 1);
    map_set(&x->framed, v, answer);
    return answer;
}

/* v may be an address in the frame, or an array that may hold one: the stack pointer flows into it other than
 * through a comparison, an address that is only accessed, or a call (whose arguments were looked at when it was made). */
bool memory_tainted(struct explorer *x, term v)
{
    VEC(term) todo = VEC_INIT;
    bool answer = false;
    if (v == TERM_NONE || v < x->sp)
        return false;
    if (memo_get(&x->tainted, v, &answer))
        return answer;
    vec_push(&todo, v);
    while (todo.len) {
        term u = vec_last(&todo);
        bool known;
        if (u == x->sp) {
            map_set(&x->tainted, u, true);
            (void)vec_pop(&todo);
            continue;
        }
        if (u < x->sp || memo_get(&x->tainted, u, &known)) {
            (void)vec_pop(&todo);
            continue;
        }
        unsigned first = 0, last = term_nkids(x->t, u), kind = term_kind(x->t, u);
        bool leaf = false;
        switch (kind) {
        case OP_EQ:
        case OP_ULT:
        case OP_ULE:
        case OP_SLT:
        case OP_SLE:
        case TERM_CONST:
        case TERM_VAR:
        case TERM_APPLY:
            leaf = true;
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
        bool yes = false, wait = false;
        for (unsigned i = first; !leaf && i < last; i++) {
            if (kind == TERM_WRITE && i == 1)
                continue;
            term k = term_kid(x->t, u, i);
            bool kid = false;
            if (k < x->sp)
                continue;
            if (k == x->sp)
                yes = true;
            else if (memo_get(&x->tainted, k, &kid))
                yes = yes || kid;
            else {
                vec_push(&todo, k);
                wait = true;
            }
        }
        if (wait && !yes)
            continue;
        map_set(&x->tainted, u, yes);
        if (vec_last(&todo) == u)
            (void)vec_pop(&todo);
    }
    memo_get(&x->tainted, v, &answer);
    vec_free(&todo);
    return answer;
}

static bool is_saved_word(const struct explorer *x, const struct saved_set *saved, int64_t offset, unsigned bytes)
{
    if (!(x->opt.axioms & AXIOM_RETURN))
        return false;
    int64_t word = x->unit;
    if (x->m->call_pushes && offset >= 0 && offset + bytes <= word)
        return true;
    for (unsigned i = 0; i < saved->n; i++)
        if (offset >= saved->offset[i] && offset + bytes <= saved->offset[i] + word)
            return true;
    return false;
}

/* Where of several regions the first byte of a saved word or of what follows one lies; 0 when the access is of one kind. */
static unsigned saved_seam(const struct explorer *x, const struct saved_set *saved, int64_t offset, unsigned bytes)
{
    bool first = is_saved_word(x, saved, offset, 1);
    for (unsigned i = 1; i < bytes; i++)
        if (is_saved_word(x, saved, offset + i, 1) != first)
            return i;
    return 0;
}

static int64_t signed_offset(const struct explorer *x, uint64_t offset)
{
    return x->width == 64 ? (int64_t)offset : (int64_t)(int32_t)(uint32_t)offset;
}

struct place {
    bool own;       /* in the own frame */
    bool exact;     /* at offset from sp */
    bool straddles; /* partly above the own frame */
    int64_t offset;
};

static struct place place_of(struct explorer *x, term address, unsigned bytes)
{
    struct place p = {0};
    term base;
    uint64_t off;
    term_split(x->t, address, &base, &off);
    p.offset = signed_offset(x, off);
    if (base == x->sp) {
        p.exact = true;
        p.own = p.offset + (int64_t)bytes <= x->frame_top;
        p.straddles = !p.own && p.offset < x->frame_top;
    } else if (base != TERM_NONE) {
        p.own = p.offset < 0 && is_frame_address(x, base, 64);
        /* An aligned stack pointer may keep its offset inside: and(sp - 24, -32). */
        if (!p.own && term_kind(x->t, base) == OP_AND && is_frame_address(x, base, 64)) {
            term inner;
            term_split(x->t, term_kid(x->t, base, 0), &inner, &off);
            p.own = p.offset + signed_offset(x, off) < 0;
        }
    }
    return p;
}

bool memory_is_local(struct explorer *x, term address, unsigned bytes)
{
    return place_of(x, address, bytes).own;
}

term memory_replay(struct explorer *x, const struct saved_set *saved, term from, term root, term onto)
{
    VEC(term) chain = VEC_INIT;
    term at = from, out;
    while (at != root && term_kind(x->t, at) == TERM_WRITE) {
        vec_push(&chain, at);
        at = term_kid(x->t, at, 0);
    }
    if (at != root && term_kind(x->t, at) == TERM_AITE)
        out = term_ite(x->t, term_kid(x->t, at, 0), memory_replay(x, saved, term_kid(x->t, at, 1), root, onto),
                       memory_replay(x, saved, term_kid(x->t, at, 2), root, onto));
    else
        out = onto;
    while (chain.len) {
        term w = vec_pop(&chain), address = term_kid(x->t, w, 1), value = term_kid(x->t, w, 2);
        struct place p = place_of(x, address, 1);
        unsigned bytes = term_width(x->t, value) / 8;
        if (!p.exact) {
            out = term_write(x->t, out, address, value);
            continue;
        }
        for (unsigned i = 0, n; i < bytes; i += n) {
            unsigned seam = saved_seam(x, saved, p.offset + i, bytes - i);
            n = seam ? seam : bytes - i;
            if (!is_saved_word(x, saved, p.offset + i, 1))
                out = term_write(x->t, out, term_add_const(x->t, address, i), term_extract(x->t, value, i * 8, n * 8));
        }
    }
    vec_free(&chain);
    return out;
}

void memory_escape(struct explorer *x, struct state *st)
{
    if (st->flat || !(x->opt.axioms & AXIOM_FRAME))
        return;
    st->mem = memory_replay(x, st->saved, st->frame, x->mem, st->mem);
    st->flat = true;
    x->stats.escapes++;
}

/* ---- what is known of the file ---- */

term memory_readonly(struct explorer *x, uint64_t address, unsigned width)
{
    unsigned bytes = width / 8;
    if (!x->o || bytes == 0 || bytes > OP_MAX_WIDTH / 8 || !object_is_readonly(x->o, address, bytes))
        return TERM_NONE;
    const struct object_pointer *ptr;
    size_t n = object_pointers(x->o, &ptr), lo = 0, hi = n;
    uint64_t from = address < x->unit ? 0 : address - x->unit + 1;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (ptr[mid].address < from)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (lo < n && ptr[lo].address < address + bytes && ptr[lo].name) {
        /* A word the dynamic linker fills with the address of another object's symbol. */
        if (ptr[lo].address != address || bytes != x->unit)
            return TERM_NONE;
        char name[256];
        snprintf(name, sizeof name, "&%s", ptr[lo].name);
        return term_add_const(x->t, term_var(x->t, name, x->width), (uint64_t)ptr[lo].addend);
    }
    const struct object_stub *stub = object_stub_at(x->o, address);
    if (stub && stub->kind == STUB_GOT && stub->name && !stub->target && stub->address == address) {
        if (bytes != x->unit)
            return TERM_NONE;
        char name[256];
        snprintf(name, sizeof name, "&%s", stub->name);
        return term_var(x->t, name, x->width);
    }
    uint8_t data[OP_MAX_WIDTH / 8];
    if (!object_read(x->o, address, data, bytes))
        return TERM_NONE;
    return term_const_bits(x->t, width, bits_from_bytes(data, bytes));
}

/* The stack protector's secret is chosen once and never changes: glibc keeps it at fs:0x28 on x86-64, at gs:0x14 on
 * i386, elsewhere in the variable __stack_chk_guard. */
static bool is_canary(struct explorer *x, term base, uint64_t offset, unsigned width)
{
    if (width != x->width || base == TERM_NONE || term_kind(x->t, base) != TERM_VAR)
        return false;
    const char *name = term_name(x->t, base);
    if (x->m->arch == MACHINE_AMD64 && offset == 0x28)
        return strcmp(name, "fs_base") == 0;
    if (x->m->arch == MACHINE_X86 && offset == 0x14)
        return strcmp(name, "gs_base") == 0;
    return offset == 0 && strcmp(name, "&__stack_chk_guard") == 0;
}

term memory_load(struct explorer *x, struct state *st, unsigned space, term address, unsigned width)
{
    if (space != 0) {
        assert(x->nslots + space - 1 < x->nterms);
        return term_read(x->t, st->reg[x->nslots + space - 1], address, width);
    }
    term base;
    uint64_t off;
    term_split(x->t, address, &base, &off);
    if (base == TERM_NONE) {
        term known = x->opt.axioms & AXIOM_LITERAL ? memory_readonly(x, off, width) : TERM_NONE;
        if (known != TERM_NONE) {
            x->stats.axiom_used[AXIOM_LITERAL_IX]++;
            return known;
        }
        return term_read(x->t, st->mem, address, width);
    }
    if (x->opt.axioms & AXIOM_RETURN && is_canary(x, base, off, width)) {
        x->stats.axiom_used[AXIOM_RETURN_IX]++;
        return term_var(x->t, "canary", width);
    }
    if (!(x->opt.axioms & AXIOM_FRAME))
        return term_read(x->t, st->mem, address, width);

    unsigned bytes = width / 8;
    struct place p = place_of(x, address, bytes);
    if (!st->flat) {
        if (p.own) {
            x->stats.axiom_used[AXIOM_FRAME_IX]++;
            return term_read(x->t, st->frame, address, width);
        }
        if (p.straddles || memory_tainted(x, base))
            memory_escape(x, st);
        return term_read(x->t, st->mem, address, width);
    }
    if (!p.exact)
        return term_read(x->t, st->mem, address, width);
    term out = TERM_NONE;
    for (unsigned i = 0, n; i < bytes; i += n) {
        unsigned seam = saved_seam(x, st->saved, p.offset + i, bytes - i);
        n = seam ? seam : bytes - i;
        bool saved = is_saved_word(x, st->saved, p.offset + i, 1);
        x->stats.axiom_used[AXIOM_RETURN_IX] += saved;
        term part = term_read(x->t, saved ? st->frame : st->mem, term_add_const(x->t, address, i), n * 8);
        out = out == TERM_NONE ? part : term_concat(x->t, part, out);
    }
    return out;
}

/* Remembers that a word of the frame holds a saved register, or does no longer. */
static void note_saved(struct explorer *x, struct state *st, struct place p, term value)
{
    unsigned bytes = term_width(x->t, value) / 8;
    bool saves = false;
    if (bytes == x->unit && p.offset < 0) {
        for (unsigned i = 0; i < x->m->nsaved && !saves; i++)
            saves = x->m->saved[i] % x->unit == 0 && value == x->entry[x->m->saved[i] / x->unit];
        saves = saves || (!x->m->call_pushes && value == x->ret);
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
        assert(x->nslots + space - 1 < x->nterms);
        term *array = &st->reg[x->nslots + space - 1];
        *array = guarded_write(x, *array, address, value, guard);
        state_write(x, st, &(struct exec_write){address, value, guard, site, false});
        return;
    }
    unsigned bytes = term_width(x->t, value) / 8;
    struct place p = place_of(x, address, bytes);
    state_write(x, st, &(struct exec_write){address, value, guard, site, p.own});
    if (!(x->opt.axioms & AXIOM_FRAME)) {
        st->mem = guarded_write(x, st->mem, address, value, guard);
        return;
    }
    if (!st->flat) {
        if (p.own) {
            if (p.exact && guard == TERM_NONE)
                note_saved(x, st, p, value);
            st->frame = guarded_write(x, st->frame, address, value, guard);
            return;
        }
        if (p.straddles || memory_tainted(x, value) || memory_tainted(x, address))
            memory_escape(x, st);
        if (!st->flat) {
            st->mem = guarded_write(x, st->mem, address, value, guard);
            return;
        }
    }
    if (!p.exact) {
        st->mem = guarded_write(x, st->mem, address, value, guard);
        return;
    }
    for (unsigned i = 0, n; i < bytes; i += n) {
        unsigned seam = saved_seam(x, st->saved, p.offset + i, bytes - i);
        n = seam ? seam : bytes - i;
        term *array = is_saved_word(x, st->saved, p.offset + i, 1) ? &st->frame : &st->mem;
        *array = guarded_write(x, *array, term_add_const(x->t, address, i), term_extract(x->t, value, i * 8, n * 8), guard);
    }
}

/* ---- axioms for addresses outside the own frame ---- */

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
            /* Where nothing is known of the origin, anything may have been it. */
            if (term_kind(x->t, u) == TERM_VAR && strchr(term_name(x->t, u), '!'))
                found = true;
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
        /* A stack, whoever's, is not a variable of the file. */
        if ((a == TERM_NONE && b != TERM_NONE && is_frame_address(x, b, 64)) ||
            (b == TERM_NONE && a != TERM_NONE && is_frame_address(x, a, 64))) {
            x->stats.axiom_used[AXIOM_FRAME_IX]++;
            return true;
        }
    }
    return false;
}
