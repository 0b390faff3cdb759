/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "pair/pair.h"

/* Operands of an instruction: 0 is what it accesses, then the arguments of a call, the first of them on the
 * stack (where all of them are), and what it stores. */
enum { ALIGN_MAX = 1500, FRAME_FAR = 1 << 19, FRAME_WORD = 62, FRAME_STORED = 63, SPAN_MAX = 1 << 12 };

int frame_by_offset(const void *a, const void *b)
{
    const int64_t *l = a, *r = b;
    return *l < *r ? -1 : *l > *r;
}

/* A place that the old frame does not have. */
static int64_t far_away(int64_t off)
{
    return off - FRAME_FAR;
}

bool frame_is_unpaired(const struct pair *pair, term x)
{
    int64_t off;
    return !term_is_array(pair->t, x) && term_width(pair->t, x) == pair->width &&
           pair_sp_offset(pair, x, &off) && off < far_away(0);
}

int64_t frame_offset(const struct frame_map *map, int64_t off)
{
    const struct frame_local *l = NULL;
    if (off >= 0)
        return off;
    for (size_t i = 0; i < map->nlocals && map->local[i].new <= off; i++)
        l = &map->local[i];
    if (l)
        return l->room > off - l->new ? l->old + (off - l->new) : far_away(off);
    int64_t to = off + map->shift;
    return to < map->low ? to : far_away(off);
}

static int64_t canonical_offset(const struct pair *pair, const struct pair_side *s, int64_t off)
{
    return s->new ? frame_offset(&pair->frame, off) : off;
}

/* Some of the bytes have moved by another distance than others: what was taken for the beginning of a local
 * is in the middle of one. */
static bool is_torn(const struct frame_map *map, int64_t off, int64_t bytes)
{
    for (int64_t k = 1; k < bytes; k++)
        if (frame_offset(map, off + k) != frame_offset(map, off) + k)
            return true;
    return false;
}

void frame_see_access(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes,
                      uint64_t site)
{
    map_set(&pair->observed.access[s->new], site << 8, (uint64_t)offset << 8 | (bytes & 0xff));
    pair->slots.torn = pair->slots.torn || (s->new && is_torn(&pair->frame, offset, bytes));
    for (unsigned i = 0; i < bytes; i++)
        map_set(&pair->slots.of[s->new], (uint64_t)canonical_offset(pair, s, offset + i),
                (uint64_t)(offset + i));
}

static void note_bytes(struct map *of, int64_t offset, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        map_set(of, (uint64_t)offset + i, 1);
}

static bool any_noted(const struct map *of, int64_t offset, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (map_get(of, (uint64_t)offset + i, NULL))
            return true;
    return false;
}

void frame_see_load(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes)
{
    note_bytes(&pair->observed.loaded[s->new], offset, bytes);
}

void frame_see_store(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes)
{
    note_bytes(&pair->observed.stored[s->new], offset, bytes);
}

bool frame_is_read(const struct pair *pair, int side, int64_t offset, unsigned bytes)
{
    return any_noted(&pair->observed.loaded[side], offset, bytes);
}

bool frame_is_unread(void *ctx, uint64_t store)
{
    const struct pair_side *s = ctx;
    uint64_t at;
    return map_get(&s->pair->observed.access[s->new], store << 8, &at) &&
           !frame_is_read(s->pair, s->new, (int64_t)at >> 8, at & 0xff);
}

void frame_see_index(struct pair *pair, const struct pair_side *s, term base, int64_t offset, unsigned bytes)
{
    struct frame_observations *seen = &pair->observed;
    struct term_known k = term_known(pair->t, term_bin(pair->t, OP_SUB, base, pair->sp));
    uint64_t most = 0, known;
    for (unsigned i = 0; i < pair->width; i++)
        most |= (uint64_t)!bits_bit(k.zero, i) << i;
    const bool bounded = most <= SPAN_MAX;
    most += bytes;
    seen->computed_anywhere[s->new] = seen->computed_anywhere[s->new] || !bounded;
    seen->computed_above[s->new] =
        seen->computed_above[s->new] || offset >= 0 || (bounded && offset + (int64_t)most > 0);
    if (!bounded)
        return;
    if (!map_get(&seen->computed[s->new], (uint64_t)offset, &known) || known < most)
        map_set(&seen->computed[s->new], (uint64_t)offset, most);
    if (s->new && offset < 0)
        pair->slots.torn = pair->slots.torn || is_torn(&pair->frame, offset, (int64_t)most);
}

/* Of its parts one is an address in the frame. */
static bool has_address(const struct pair *pair, const struct pair_side *s, term x)
{
    if (term_kind(pair->t, x) == OP_CONCAT)
        return has_address(pair, s, term_kid(pair->t, x, 0)) || has_address(pair, s, term_kid(pair->t, x, 1));
    return term_width(pair->t, x) == pair->width && explorer_in_frame(s->x, x);
}

static bool no_register(void *ctx, unsigned number, uint64_t *out)
{
    (void)ctx;
    (void)number;
    (void)out;
    return false;
}

static bool no_memory(void *ctx, uint64_t address, unsigned bytes, uint64_t *out)
{
    (void)ctx;
    (void)address;
    (void)bytes;
    (void)out;
    return false;
}

/* The variable, by debug information, that an offset of the frame is part of; false: nothing says. Several
 * may lie in one place, and all of them count. */
static bool declared(const struct pair_side *s, uint64_t site, int64_t offset, struct exec_range *out)
{
    enum { VARIABLES = 256, ENTRY_SP = 1 << 30 };
    const struct ir_machine *m = program_machine(s->p);
    struct object_variable v[VARIABLES];
    const struct object_view at_call = {.cfa = ENTRY_SP + m->call_pushes,
                                        .pointer_bytes = m->pointer_width / 8,
                                        .get = no_register,
                                        .load = no_memory};
    size_t n = object_debug_variables(s->o, site, v, VARIABLES);
    *out = (struct exec_range){offset, offset};
    for (size_t i = 0; i < n && i < VARIABLES; i++) {
        struct object_place at = object_debug_place(s->o, &v[i], site, &at_call);
        if (at.kind != PLACE_MEMORY || !v[i].type)
            continue;
        const int64_t low = (int64_t)(at.value - ENTRY_SP), high = low + (int64_t)v[i].type->size;
        if (v[i].type->size >= INT32_MAX || low > offset || high <= offset)
            continue;
        out->low = low < out->low ? low : out->low;
        out->high = high > out->high ? high : out->high;
    }
    return out->high > offset;
}

/* The instruction is one of the function's own, and not of a callee's that is followed. */
static bool is_own_site(const struct pair_side *s, uint64_t site)
{
    for (uint32_t i = 0; i < s->g->nblocks; i++)
        if (site >= s->g->block[i].label && site < s->g->block[i].label + s->g->block[i].bytes)
            return true;
    return false;
}

/* How large the local is that an address leads to which is given away. It may lead into the middle: a callee
 * may come from there to what is before it. None where nothing says so of one of them. */
static void see_size(struct pair *pair, const struct pair_side *s, int64_t off, uint64_t site)
{
    enum { SITES = 44 }; /* bits of a site in a key; the rest is for the offset */
    if (!map_set(&pair->observed.sized[s->new], (uint64_t)off << SITES ^ site, 1))
        return;
    struct map *sizes = &pair->observed.declared[s->new];
    struct exec_range local = {off, off};
    uint64_t had;
    bool known = is_own_site(s, site) && declared(s, site, off, &local);
    uint64_t size = known ? (uint64_t)(local.high - local.low) : 0;
    if (!map_get(sizes, (uint64_t)local.low, &had) || (had && (!size || size > had)))
        map_set(sizes, (uint64_t)local.low, size);
}

/* It was read from memory or yielded by a call, so it leads to where somebody was given an address before, by
 * a call or a store that was seen; if anything is added, it lies higher. */
static bool was_given(const struct pair *pair, term x)
{
    term base;
    uint64_t off;
    term_split(pair->t, x, &base, &off);
    return base != TERM_NONE && pair_signed(pair, off) >= 0 &&
           (term_kind(pair->t, base) == TERM_READ || term_kind(pair->t, base) == TERM_APPLY);
}

/* An address in the frame is given away. */
static void passed(struct pair *pair, const struct pair_side *s, unsigned operand, term x, uint64_t site)
{
    int64_t off;
    if (term_is_array(pair->t, x))
        return;
    if (term_width(pair->t, x) != pair->width) {
        /* several at once: which is which does not matter then */
        for (unsigned i = 0; term_kind(pair->t, x) == OP_CONCAT && i < 2; i++)
            pair->observed.escaped_anywhere[s->new] =
                pair->observed.escaped_anywhere[s->new] || has_address(pair, s, term_kid(pair->t, x, i));
    } else if (term_kind(pair->t, x) == OP_ITE) {
        passed(pair, s, operand, term_kid(pair->t, x, 1), site);
        passed(pair, s, operand, term_kid(pair->t, x, 2), site);
    } else if (!pair_sp_offset(pair, x, &off)) {
        pair->observed.escaped_anywhere[s->new] =
            pair->observed.escaped_anywhere[s->new] || (explorer_in_frame(s->x, x) && !was_given(pair, x));
    } else if (off < 0) {
        map_set(&pair->observed.access[s->new], site << 8 | operand, (uint64_t)off << 8);
        see_size(pair, s, off, site);
    } else {
        pair->observed.escaped_above[s->new] = true;
    }
}

static void set_least(struct map *map, int64_t offset, uint64_t bytes)
{
    uint64_t least;
    if (!map_get(map, (uint64_t)offset, &least) || bytes < least)
        map_set(map, (uint64_t)offset, bytes);
}

/* How much a callee may write to where an argument points. What functions that only copy write is known. */
static void see_room(struct pair *pair, const struct pair_side *s, const struct exec_event *e, term argument)
{
    int64_t off;
    if (e->kind != EVENT_CALL || e->depth || pair_call_is_transparent(e->name) ||
        term_is_array(pair->t, argument) || term_width(pair->t, argument) != pair->width ||
        !pair_sp_offset(pair, argument, &off) || off >= 0)
        return;
    set_least(&pair->observed.room[s->new], off, (uint64_t)event_room(e, off));
}

/* A callee that may keep it is given the address of something in the frame: that is a local, whatever else is
 * there. Structures are copied to where arguments are by functions that do only that. */
static void given_surely(struct pair *pair, const struct pair_side *s, const struct exec_event *e)
{
    int64_t off;
    unsigned n = program_machine(s->p)->nargs;
    if (e->kind != EVENT_CALL || e->depth || pair_call_is_transparent(e->name))
        return;
    for (unsigned k = 0; k < e->nargs - e->nhidden && k < n; k++)
        if (term_width(pair->t, e->arg[k]) == pair->width && pair_sp_offset(pair, e->arg[k], &off) &&
            off < 0 && !map_get(&pair->observed.escaped[s->new], (uint64_t)off, NULL) &&
            (!e->bounded || abi_argument(s->abi, e->site, k).set >= ABI_LIKELY))
            map_set(&pair->observed.escaped[s->new], (uint64_t)off, 1);
}

void frame_see_path(struct pair *pair, const struct pair_side *s, const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *e = &p->event[i];
        int64_t off;
        given_surely(pair, s, e);
        for (unsigned k = 0; k < e->nargs && k < FRAME_WORD - 1; k++) {
            passed(pair, s, k + 1, e->arg[k], e->site);
            see_room(pair, s, e, e->arg[k]);
        }
        if (e->nargs > e->nhidden && !e->depth && !program_machine(s->p)->nargs && e->stack != TERM_NONE &&
            pair_sp_offset(pair, e->stack, &off) && off < 0) {
            map_set(&pair->observed.access[s->new], e->site << 8 | FRAME_WORD,
                    (uint64_t)off << 8 | pair->width / 8);
            frame_see_store(pair, s, off, pair->width / 8);
        }
    }
    for (unsigned i = 0; i < p->nwrites; i++)
        passed(pair, s, FRAME_STORED, p->write[i].value, p->write[i].site);
}

/* ---- instructions side by side ---- */

static uint64_t kind_of(const struct pair_side *s, const struct ir_block *b, uint32_t i)
{
    char text[128];
    size_t available;
    uint64_t at = b->mark[i].address;
    const uint8_t *bytes = object_bytes(s->o, at, &available);
    if (!bytes || !lift_disassemble(program_lifter(s->p),
                                    at | (b->label & (program_machine(s->p)->arch == MACHINE_ARM)), bytes,
                                    available, text, sizeof text))
        return 0;
    return hash_bytes(text, strcspn(text, " \t"));
}

typedef VEC(int64_t) offsets;
typedef VEC(struct exec_range) ranges;
typedef VEC(struct frame_local) locals;

struct vote {
    int64_t new, old;
    bool escapes; /* it is an address that is given away, not an access */
    unsigned count;
};
typedef VEC(struct vote) votes;

static void cast(votes *v, uint64_t o, uint64_t n, unsigned weight)
{
    int64_t oo = (int64_t)o >> 8, no = (int64_t)n >> 8;
    for (size_t i = 0; i < v->len; i++)
        if (v->data[i].new == no && v->data[i].old == oo && v->data[i].escapes == !(n & 0xff)) {
            v->data[i].count += weight;
            return;
        }
    if (!(o & 0xff) == !(n & 0xff))
        vec_push(v, (struct vote){no, oo, !(n & 0xff), weight});
}

static void vote(const struct pair *pair, votes *v, uint64_t old_site, uint64_t new_site)
{
    uint64_t o, n;
    if (map_get(&pair->observed.access[OLD], old_site, &o) &&
        map_get(&pair->observed.access[NEW], new_site, &n))
        cast(v, o, n, 2);
}

/* What the n-th call of a function is given, whatever block it is in. */
static void vote_calls(const struct pair *pair, votes *v)
{
    const struct flow_graph *o = pair->side[OLD].g, *n = pair->side[NEW].g;
    uint8_t *used = xcalloc(n->ncalls + 1, 1);
    for (uint32_t i = 0; i < o->ncalls; i++)
        for (uint32_t k = 0; k < n->ncalls; k++) {
            const char *a = o->call[i].name, *b = n->call[k].name; /* NULL: through a pointer */
            if (used[k] || !a != !b || (a && strcmp(a, b) != 0))
                continue;
            used[k] = 1;
            for (unsigned g = 1; g < FRAME_STORED; g++)
                vote(pair, v, o->call[i].site << 8 | g, n->call[k].site << 8 | g);
            break;
        }
    free(used);
}

/* Most frames have not moved. */
static void vote_same(const struct pair *pair, votes *v, unsigned weight)
{
    struct map old = {0};
    uint64_t site, what;
    for (size_t i = 0; (i = map_next(&pair->observed.access[OLD], i, &site, &what));)
        map_set(&old, what, 1);
    for (size_t i = 0; (i = map_next(&pair->observed.access[NEW], i, &site, &what));)
        if (map_get(&old, what, NULL) && map_remove(&old, what))
            cast(v, what, what, weight);
    map_free(&old);
}

/* Longest common subsequence of the two blocks' kinds of instructions. */
static void align_blocks(const struct pair *pair, votes *v, const struct ir_block *a,
                         const struct ir_block *b)
{
    uint32_t n = a->nmark, m = b->nmark;
    if (n > ALIGN_MAX || m > ALIGN_MAX || !n || !m)
        return;
    uint64_t *ka = xcalloc(n, sizeof *ka), *kb = xcalloc(m, sizeof *kb);
    uint16_t *len = xcalloc((size_t)(n + 1) * (m + 1), sizeof *len);
    for (uint32_t i = 0; i < n; i++)
        ka[i] = kind_of(&pair->side[OLD], a, i);
    for (uint32_t i = 0; i < m; i++)
        kb[i] = kind_of(&pair->side[NEW], b, i);
    size_t row = m + 1;
    for (uint32_t i = n; i-- > 0;)
        for (uint32_t k = m; k-- > 0;) {
            uint16_t skip =
                len[(i + 1) * row + k] > len[i * row + k + 1] ? len[(i + 1) * row + k] : len[i * row + k + 1];
            uint16_t take = ka[i] == kb[k] ? (uint16_t)(len[(i + 1) * row + k + 1] + 1) : 0;
            len[i * row + k] = take > skip ? take : skip;
        }
    for (uint32_t i = 0, k = 0; i < n && k < m;) {
        if (ka[i] == kb[k] && len[i * row + k] == len[(i + 1) * row + k + 1] + 1) {
            for (unsigned g = 0; g <= FRAME_STORED; g++)
                vote(pair, v, a->mark[i].address << 8 | g, b->mark[k].address << 8 | g);
            i++;
            k++;
        } else if (len[(i + 1) * row + k] >= len[i * row + k + 1]) {
            i++;
        } else {
            k++;
        }
    }
    free(ka);
    free(kb);
    free(len);
}

static int by_low(const void *a, const void *b)
{
    const struct exec_range *l = a, *r = b;
    return l->low < r->low ? -1 : l->low > r->low;
}

static void beginnings(const struct pair *pair, int s, offsets *out)
{
    uint64_t operand, what;
    struct map seen = {0};
    for (size_t i = 0; (i = map_next(&pair->observed.access[s], i, &operand, &what));)
        if (!(what & 0xff) && map_set(&seen, what, 1))
            vec_push(out, (int64_t)what >> 8);
    map_free(&seen);
    vec_sort(out, frame_by_offset);
}

/* By an index the version may access something between two places of its frame. Which of the bytes it is
 * cannot be told, so none of them is apart from the rest. */
static bool is_computed(const struct pair *pair, int s, int64_t low, int64_t high)
{
    uint64_t key, bytes;
    for (size_t i = 0; (i = map_next(&pair->observed.computed[s], i, &key, &bytes));)
        if (low < (int64_t)key + (int64_t)bytes && high > (int64_t)key)
            return true;
    return pair->observed.computed_anywhere[s];
}

/* What of a frame callees are given: where debug information says how large a local is, that far, else all
 * that lies above. False: something has escaped in a way that was not seen. */
static bool given_ranges(const struct pair *pair, int s, ranges *out)
{
    uint64_t key, size;
    for (size_t i = 0; (i = map_next(&pair->observed.declared[s], i, &key, &size));) {
        int64_t begin = (int64_t)key;
        vec_push(out,
                 (struct exec_range){begin, size && size < INT32_MAX ? begin + (int64_t)size : INT64_MAX});
    }
    return out->len && !pair->observed.escaped_anywhere[s];
}

static bool is_given(const ranges *given, int64_t low, int64_t high)
{
    for (size_t i = 0; i < given->len; i++)
        if (low < given->data[i].high && high > given->data[i].low)
            return true;
    return false;
}

/* No callee reaches it, nor does an index. */
static bool is_own(const struct pair *pair, int s, const ranges *given, int64_t low, int64_t high)
{
    return !is_given(given, low, high) && !is_computed(pair, s, low, high);
}

bool frame_out_of_reach(const struct pair *pair, int s, int64_t native)
{
    ranges given = VEC_INIT;
    bool out = given_ranges(pair, s, &given) && !is_given(&given, native, native + 1);
    vec_free(&given);
    return out;
}

/* x is the address of what begins there. */
static bool is_address_of(const struct pair *pair, term x, int64_t begin)
{
    int64_t off;
    return !term_is_array(pair->t, x) && term_width(pair->t, x) == pair->width &&
           pair_sp_offset(pair, x, &off) && off == begin;
}

bool frame_escaped_by(const struct pair *pair, int s, const struct exec_path *p, const struct exec_event *e,
                      int64_t native)
{
    uint64_t operand, what;
    int64_t begin = INT64_MIN, off;
    bool given = pair->observed.escaped_anywhere[s];
    for (size_t i = 0; (i = map_next(&pair->observed.access[s], i, &operand, &what));)
        if (!(what & 0xff) && (int64_t)what >> 8 <= native && (int64_t)what >> 8 > begin)
            begin = (int64_t)what >> 8;
    /* stored, but where no callee looks */
    for (unsigned i = 0; i < p->nwrites; i++)
        if (is_address_of(pair, p->write[i].value, begin))
            given = given || !pair_sp_offset(pair, p->write[i].address, &off) ||
                    !frame_out_of_reach(pair, s, off);
    for (const struct exec_event *k = p->event; k <= e && !given; k++)
        for (unsigned i = 0; i < k->nargs; i++)
            given = given || is_address_of(pair, k->arg[i], begin);
    return given || begin == INT64_MIN;
}

/* Slots that only one side accesses, or in which the two have different things, and that no callee can reach.
 */
static void own_slots(const struct pair *pair, const struct frame_map *map, const struct frame_slots *slots,
                      int s, ranges *out)
{
    uint64_t site, what;
    struct map seen = {0};
    ranges given = VEC_INIT;
    bool seen_all = given_ranges(pair, s, &given);
    for (size_t i = 0; seen_all && (i = map_next(&pair->observed.access[s], i, &site, &what));) {
        int64_t off = (int64_t)what >> 8, bytes = (int64_t)(what & 0xff);
        int64_t at = s ? frame_offset(map, off) : off;
        bool both = false;
        for (int64_t k = 0; k < bytes; k++)
            both = both || map_get(&slots->of[!s], (uint64_t)(at + k), NULL);
        for (int64_t k = 0; k < bytes && both; k++)
            both = !map_get(&pair->observed.apart[s], (uint64_t)(off + k), NULL);
        if (bytes && !both && is_own(pair, s, &given, off, off + bytes) && map_set(&seen, what, 1))
            vec_push(out, (struct exec_range){off, off + bytes});
    }
    vec_sort(out, by_low);
    size_t n = 0;
    for (size_t i = 0; i < out->len; i++) {
        const struct exec_range r = out->data[i];
        if (n && r.low <= out->data[n - 1].high)
            out->data[n - 1].high = r.high > out->data[n - 1].high ? r.high : out->data[n - 1].high;
        else
            out->data[n++] = r;
    }
    out->len = n;
    map_free(&seen);
    vec_free(&given);
}

static bool gives_parameters(const struct pair *pair, int s)
{
    const struct frame_observations *seen = &pair->observed;
    return seen->escaped_above[s] || seen->escaped_anywhere[s] || seen->computed_above[s];
}

/* Parameters on the stack: no callee reaches them by the address of a local. */
static void own_parameters(const struct pair *pair, int s, ranges *out)
{
    struct explore_symbols y = explorer_symbols(pair->side[s].x);
    const struct ir_machine *m = program_machine(pair->side[s].p);
    if (y.frame_top > (int64_t)m->stack_arg && !gives_parameters(pair, s))
        vec_push(out, (struct exec_range){(int64_t)m->stack_arg, y.frame_top});
}

static int by_count(const void *a, const void *b)
{
    const struct vote *l = a, *r = b;
    if (l->count != r->count)
        return l->count > r->count ? -1 : 1;
    return l->new != r->new ? (l->new > r->new ? -1 : 1) : l->old > r->old ? -1 : l->old < r->old;
}

static int by_new(const void *a, const void *b)
{
    const struct frame_local *l = a, *r = b;
    return l->new < r->new ? -1 : l->new > r->new;
}

/* Pairs the locals that escape, those with most agreement first. Returns where the lowest of the old frame
 * begins. */
static int64_t pair_locals(const struct pair *pair, votes *v, locals *out)
{
    offsets begin[2] = {VEC_INIT, VEC_INIT};
    struct map taken[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        beginnings(pair, s, &begin[s]);
    vec_sort(v, by_count);
    for (size_t i = 0; i < v->len; i++) {
        const struct vote *w = &v->data[i];
        if (!w->escapes || map_get(&taken[OLD], (uint64_t)w->old, NULL) ||
            map_get(&taken[NEW], (uint64_t)w->new, NULL))
            continue;
        map_set(&taken[OLD], (uint64_t)w->old, 1);
        map_set(&taken[NEW], (uint64_t)w->new, 1);
        int64_t end = 0;
        for (size_t k = begin[OLD].len; k-- > 0 && begin[OLD].data[k] > w->old;)
            end = begin[OLD].data[k];
        vec_push(out, (struct frame_local){.new = w->new, .old = w->old, .room = end - w->old});
    }
    for (size_t i = 0; i < begin[NEW].len; i++)
        if (!map_get(&taken[NEW], (uint64_t)begin[NEW].data[i], NULL))
            vec_push(out, (struct frame_local){.new = begin[NEW].data[i]});
    vec_sort(out, by_new);
    int64_t low = begin[OLD].len ? begin[OLD].data[0] : 0;
    for (int s = 0; s < 2; s++) {
        vec_free(&begin[s]);
        map_free(&taken[s]);
    }
    return low;
}

/* Bytes from a local that is given away up to the next one, or to what must not be overwritten. A local that
 * only the old version gives away does not count. */
static int64_t room_of(const struct pair *pair, int s, const locals *all, int64_t begin)
{
    int64_t room = (int64_t)map_find(&pair->observed.room[s], (uint64_t)begin, 0);
    for (size_t i = 0; i < all->len; i++) {
        int64_t next = s ? all->data[i].new : all->data[i].old;
        if ((s || all->data[i].room) && next > begin && next - begin < room)
            room = next - begin;
    }
    return room;
}

/* The local, which callees may write to, is smaller: by what is declared, else by the room that it has. */
static bool has_shrunk(const struct pair *pair, const locals *all, const struct frame_local *l,
                       struct frame_shrunk *out)
{
    if (!l->room || !map_get(&pair->observed.room[OLD], (uint64_t)l->old, NULL) ||
        !map_get(&pair->observed.room[NEW], (uint64_t)l->new, NULL))
        return false;
    uint64_t had = map_find(&pair->observed.declared[OLD], (uint64_t)l->old, 0);
    uint64_t left = map_find(&pair->observed.declared[NEW], (uint64_t)l->new, 0);
    if (!had || !left) {
        had = (uint64_t)room_of(pair, OLD, all, l->old);
        left = (uint64_t)room_of(pair, NEW, all, l->new);
    }
    *out = (struct frame_shrunk){.at = l->new, .had = had, .left = left};
    return left < had;
}

static int64_t lowest(const struct frame_map *map)
{
    return map->nlocals ? map->local[0].new : 0;
}

/* How far the lowest local has moved. */
static int64_t lowest_shift(const struct frame_map *map)
{
    return map->nlocals && map->local[0].room ? map->local[0].old - lowest(map) : 0;
}

/* The version stores to some of that. */
static bool stores_to(const struct pair *pair, int s, int64_t offset, unsigned bytes)
{
    return any_noted(&pair->observed.stored[s], offset, bytes);
}

/* How far everything below those has moved: as far as the lowest local, unless observations say otherwise.
 * What is only read tells nothing: it need not be the same in both versions. */
static int64_t common_shift(const struct pair *pair, const struct frame_map *map, const votes *v)
{
    int64_t low = lowest(map), shift = lowest_shift(map);
    unsigned best = 0;
    for (size_t i = 0; i < v->len; i++) {
        unsigned count = 0;
        for (size_t k = 0; k < v->len; k++)
            if (!v->data[k].escapes && v->data[k].new < low &&
                v->data[k].old < map->low && stores_to(pair, OLD, v->data[k].old, 1) &&
                stores_to(pair, NEW, v->data[k].new, 1) &&
                v->data[k].old - v->data[k].new == v->data[i].old - v->data[i].new)
                count += v->data[k].count;
        if (count > best) {
            best = count;
            shift = v->data[i].old - v->data[i].new;
        }
    }
    return shift;
}

/* Below all that is given away a version reads what only a callee can have put there, which came to it from a
 * local that has moved otherwise than what lies there. */
static bool comes_from_above(const struct pair *pair, const struct frame_map *map)
{
    uint64_t site, what;
    bool comes = false;
    if (map->shift == lowest_shift(map))
        return false;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; !comes && (i = map_next(&pair->observed.access[s], i, &site, &what));) {
            const int64_t off = (int64_t)what >> 8;
            const unsigned bytes = what & 0xff;
            comes = bytes && off < (s ? lowest(map) : map->low) && !stores_to(pair, s, off, bytes);
        }
    return comes;
}

static bool any_torn(const struct pair *pair, const struct frame_map *map)
{
    uint64_t site, what;
    bool torn = false;
    for (size_t i = 0; !torn && (i = map_next(&pair->observed.access[NEW], i, &site, &what));)
        torn = is_torn(map, (int64_t)what >> 8, (int64_t)(what & 0xff));
    uint64_t begin, bytes;
    for (size_t i = 0; !torn && (i = map_next(&pair->observed.computed[NEW], i, &begin, &bytes));)
        torn = (int64_t)begin < 0 && is_torn(map, (int64_t)begin, (int64_t)bytes);
    return torn;
}

/* The bytes each side accesses, in the places that a map gives them. */
static void slots_under(const struct pair *pair, const struct frame_map *map, struct frame_slots *out)
{
    uint64_t site, what;
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; (i = map_next(&pair->observed.access[s], i, &site, &what));)
            for (int64_t k = 0; k < (int64_t)(what & 0xff); k++) {
                int64_t own = ((int64_t)what >> 8) + k;
                map_set(&out->of[s], (uint64_t)(s ? frame_offset(map, own) : own), (uint64_t)own);
            }
}

/* How many observations there are. */
static size_t observations(const struct pair *pair)
{
    size_t n = pair->observed.access[OLD].len + pair->observed.access[NEW].len;
    for (int s = 0; s < 2; s++)
        n += gives_parameters(pair, s) + pair->observed.apart[s].len + pair->observed.computed[s].len +
             pair->observed.computed_anywhere[s];
    return n;
}

static void vote_all(const struct pair *pair, votes *v)
{
    const struct match_blocks *b = match_blocks(pair->m, pair->side[OLD].index, pair->side[NEW].index);
    for (uint32_t i = 0; b && i < b->nold && i < pair->side[OLD].g->nblocks; i++)
        if (b->new_of_old[i] != MATCH_NONE)
            align_blocks(pair, v, &pair->side[OLD].g->block[i], &pair->side[NEW].g->block[b->new_of_old[i]]);
    vote_calls(pair, v);
    vote_same(pair, v, 3);
}

bool frame_shrunk(const struct pair *pair, struct frame_shrunk *out)
{
    votes v = VEC_INIT;
    locals found = VEC_INIT;
    vote_all(pair, &v);
    pair_locals(pair, &v, &found);
    bool any = false;
    for (size_t i = 0; i < found.len && !any; i++)
        any = has_shrunk(pair, &found, &found.data[i], out);
    vec_free(&v);
    vec_free(&found);
    return any;
}

void frame_solve(const struct pair *pair, struct arena *arena, struct frame_map *out,
                 struct frame_slots *slots)
{
    *slots = (struct frame_slots){0};
    votes v = VEC_INIT;
    vote_all(pair, &v);
    locals found = VEC_INIT;
    *out = (struct frame_map){.of = observations(pair), .low = pair_locals(pair, &v, &found)};
    out->local = arena_dup(arena, found.data, found.len * sizeof *found.data);
    out->nlocals = found.len;
    out->shift = common_shift(pair, out, &v);
    vec_free(&v);
    vec_free(&found);
    if (any_torn(pair, out) || comes_from_above(pair, out))
        *out = (struct frame_map){.of = out->of};
    slots_under(pair, out, slots);
    for (int s = 0; s < 2 && pair->may.keep_private; s++) {
        ranges own = VEC_INIT;
        own_slots(pair, out, slots, s, &own);
        own_parameters(pair, s, &own);
        out->private[s] = arena_dup(arena, own.data, own.len * sizeof *own.data);
        out->nprivate[s] = own.len;
        vec_free(&own);
    }
}

bool frame_keeps(const struct pair *pair, int s, int64_t native)
{
    for (size_t i = 0; i < pair->frame.nprivate[s]; i++)
        if (native >= pair->frame.private[s][i].low && native < pair->frame.private[s][i].high)
            return true;
    return false;
}

void frame_see_apart(struct pair *pair, int s, int64_t native)
{
    map_set(&pair->observed.apart[s], (uint64_t)native, 1);
}

void frame_see_all_apart(struct pair *pair)
{
    uint64_t site, what;
    for (int s = 0; s < 2; s++) {
        ranges given = VEC_INIT;
        const bool seen_all = given_ranges(pair, s, &given);
        for (size_t i = 0; seen_all && (i = map_next(&pair->observed.access[s], i, &site, &what));)
            for (int64_t off = (int64_t)what >> 8, end = off + (int64_t)(what & 0xff); off < end; off++)
                if (!is_given(&given, off, off + 1))
                    frame_see_apart(pair, s, off);
        vec_free(&given);
    }
}

bool frame_holds(const struct pair *pair)
{
    bool holds = true;
    for (int s = 0; s < 2; s++) {
        ranges given = VEC_INIT;
        const bool seen_all = given_ranges(pair, s, &given);
        for (size_t i = 0; i < pair->frame.nprivate[s]; i++) {
            const struct exec_range *r = &pair->frame.private[s][i];
            holds = holds && (r->low < 0 ? seen_all && is_own(pair, s, &given, r->low, r->high)
                                         : !gives_parameters(pair, s));
        }
        vec_free(&given);
    }
    return holds;
}

static void slots_free(struct frame_slots *slots)
{
    map_free(&slots->of[OLD]);
    map_free(&slots->of[NEW]);
}

bool frame_update(struct pair *pair, struct arena *arena)
{
    if (!match_blocks(pair->m, pair->side[OLD].index, pair->side[NEW].index) || !pair->may.move_frame ||
        pair->frame.of == observations(pair))
        return false;
    bool moved = pair->frame.nlocals || pair->frame.shift;
    slots_free(&pair->slots);
    frame_solve(pair, arena, &pair->frame, &pair->slots);
    map_clear(&pair->canonical.term);
    moved = moved || pair->frame.shift;
    for (size_t i = 0; i < pair->frame.nlocals; i++)
        moved = moved || pair->frame.local[i].new != pair->frame.local[i].old;
    return moved || pair->frame.nprivate[OLD] || pair->frame.nprivate[NEW];
}

void frame_free(struct pair *pair)
{
    for (int s = 0; s < 2; s++) {
        map_free(&pair->observed.access[s]);
        map_free(&pair->observed.loaded[s]);
        map_free(&pair->observed.stored[s]);
        map_free(&pair->observed.apart[s]);
        map_free(&pair->observed.escaped[s]);
        map_free(&pair->observed.declared[s]);
        map_free(&pair->observed.sized[s]);
        map_free(&pair->observed.room[s]);
        map_free(&pair->observed.computed[s]);
    }
    slots_free(&pair->slots);
}
