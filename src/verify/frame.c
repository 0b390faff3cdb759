/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that are laid out differently.
 *
 * As long as nobody else has a pointer into a frame, where things lie in it does not matter. Once a callee
 * has one, it does. What is given away (as an argument, or stored) is taken to be the beginning of a local
 * that reaches up to the next such beginning. Locals of the two versions are paired by who is given them: the
 * same argument of the same call, the same instruction of paired blocks. A place in the new frame is then
 * that of the local it lies in, at the same distance from its beginning, as long as the local of the old
 * version has room for it; else it is a place that the old frame does not have. Below all locals that are
 * given away everything has moved by the distance that most instructions agree on. A slot there that only one
 * version has is taken to be out of the reach of callees; one above may be part of what they were given, and
 * nothing is assumed. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

/* Operands of an instruction: 0 is what it accesses, then the arguments of a call, the first of them on the
 * stack (where all of them are), and what it stores. */
enum { ALIGN_MAX = 1500, FRAME_FAR = 1 << 19, FRAME_WORD = 62, FRAME_STORED = 63, SPAN_MAX = 1 << 12 };

int64_t frame_signed(const struct check *c, uint64_t off)
{
    return c->width == 64 ? (int64_t)off : (int64_t)(int32_t)(uint32_t)off;
}

bool is_sp_offset(const struct check *c, term x, int64_t *off)
{
    term base;
    uint64_t o;
    term_split(c->t, x, &base, &o);
    *off = frame_signed(c, o);
    return base == c->sp;
}

int by_offset(const void *a, const void *b)
{
    const int64_t *l = a, *r = b;
    return *l < *r ? -1 : *l > *r;
}

/* A place that the old frame does not have. */
static int64_t far_away(int64_t off)
{
    return off - FRAME_FAR;
}

bool frame_is_unpaired(const struct check *c, term x)
{
    int64_t off;
    return !term_is_array(c->t, x) && term_width(c->t, x) == c->width && is_sp_offset(c, x, &off) &&
           off < far_away(0);
}

int64_t frame_offset(const struct check *c, int64_t off)
{
    const struct frame_local *l = NULL;
    if (off >= 0)
        return off;
    for (size_t i = 0; i < c->locals.len && c->locals.data[i].new <= off; i++)
        l = &c->locals.data[i];
    if (l)
        return l->room > off - l->new ? l->old + (off - l->new) : far_away(off);
    int64_t to = off + c->frame_shift;
    return to < c->frame_low ? to : far_away(off);
}

static int64_t canonical_offset(const struct check *c, const struct side *s, int64_t off)
{
    return s->new ? frame_offset(c, off) : off;
}

/* Some of the bytes have moved by another distance than others: what was taken for the beginning of a local
 * is in the middle of one. */
static bool is_torn(const struct check *c, int64_t off, int64_t bytes)
{
    for (int64_t k = 1; k < bytes; k++)
        if (frame_offset(c, off + k) != frame_offset(c, off) + k)
            return true;
    return false;
}

void frame_seen(struct check *c, const struct side *s, int64_t offset, unsigned bytes, uint64_t site)
{
    map_set(&c->access[s->new], site << 8, (uint64_t)offset << 8 | (bytes & 0xff));
    c->torn = c->torn || (s->new &&is_torn(c, offset, bytes));
    for (unsigned i = 0; i < bytes; i++)
        map_set(&c->slots[s->new], (uint64_t)canonical_offset(c, s, offset + i), (uint64_t)(offset + i));
}

bool frame_is_read(const struct check *c, int side, int64_t offset, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        if (map_get(&c->loaded[side], (uint64_t)offset + i, NULL))
            return true;
    return false;
}

bool frame_is_unread(void *ctx, uint64_t store)
{
    const struct side *s = ctx;
    uint64_t at;
    return map_get(&s->c->access[s->new], store << 8, &at) &&
           !frame_is_read(s->c, s->new, (int64_t)at >> 8, at & 0xff);
}

void frame_indexed(struct check *c, const struct side *s, term base, int64_t offset, unsigned bytes,
                   uint64_t site)
{
    struct term_known k = term_known(c->t, term_bin(c->t, OP_SUB, base, c->sp));
    uint64_t most = 0, known;
    for (unsigned i = 0; i < c->width; i++)
        most |= (uint64_t)!bits_bit(k.zero, i) << i;
    if (!s->new || offset >= 0 || most > SPAN_MAX)
        return;
    most += bytes;
    if (!map_get(&c->span, site, &known) || (known & 0xffff) < most)
        map_set(&c->span, site, (uint64_t)offset << 16 | most);
    c->torn = c->torn || is_torn(c, offset, (int64_t)most);
}

/* Of its parts one is an address in the frame. */
static bool has_address(const struct check *c, const struct side *s, term x)
{
    if (term_kind(c->t, x) == OP_CONCAT)
        return has_address(c, s, term_kid(c->t, x, 0)) || has_address(c, s, term_kid(c->t, x, 1));
    return term_width(c->t, x) == c->width && explorer_in_frame(s->x, x);
}

/* An address in the frame is given away. */
static void passed(struct check *c, const struct side *s, unsigned operand, term x, uint64_t site)
{
    int64_t off;
    if (term_is_array(c->t, x))
        return;
    if (term_width(c->t, x) != c->width) {
        /* several at once: which is which does not matter then */
        for (unsigned i = 0; term_kind(c->t, x) == OP_CONCAT && i < 2; i++)
            c->given_anywhere[s->new] = c->given_anywhere[s->new] || has_address(c, s, term_kid(c->t, x, i));
    } else if (term_kind(c->t, x) == OP_ITE) {
        passed(c, s, operand, term_kid(c->t, x, 1), site);
        passed(c, s, operand, term_kid(c->t, x, 2), site);
    } else if (!is_sp_offset(c, x, &off)) {
        c->given_anywhere[s->new] = c->given_anywhere[s->new] || explorer_in_frame(s->x, x);
    } else if (off < 0) {
        map_set(&c->access[s->new], site << 8 | operand, (uint64_t)off << 8);
    } else {
        c->given_above[s->new] = true;
    }
}

/* A callee that may keep it is given the address of something in the frame: that is a local, whatever else is
 * there. Structures are copied to where arguments are by functions that do only that. */
static void given_surely(struct check *c, const struct side *s, const struct exec_event *e)
{
    int64_t off;
    unsigned n = program_machine(s->p)->nargs;
    if (e->kind != EVENT_CALL || e->depth || call_is_transparent(e->name))
        return;
    for (unsigned k = 0; k < e->nargs - e->nhidden && k < n; k++)
        if (term_width(c->t, e->arg[k]) == c->width && is_sp_offset(c, e->arg[k], &off) && off < 0 &&
            !map_get(&c->given[s->new], (uint64_t)off, NULL) &&
            (!e->bounded || abi_argument(s->abi, e->site, k).set >= ABI_LIKELY))
            map_set(&c->given[s->new], (uint64_t)off, 1);
}

void frame_given(struct check *c, const struct side *s, const struct exec_path *p)
{
    for (unsigned i = 0; i < p->nevents; i++) {
        const struct exec_event *e = &p->event[i];
        int64_t off;
        given_surely(c, s, e);
        for (unsigned k = 0; k < e->nargs && k < FRAME_WORD - 1; k++)
            passed(c, s, k + 1, e->arg[k], e->site);
        if (e->nargs > e->nhidden && !e->depth && !program_machine(s->p)->nargs && e->stack != TERM_NONE &&
            is_sp_offset(c, e->stack, &off) && off < 0)
            map_set(&c->access[s->new], e->site << 8 | FRAME_WORD, (uint64_t)off << 8 | c->width / 8);
    }
    for (unsigned i = 0; i < p->nwrites; i++)
        passed(c, s, FRAME_STORED, p->write[i].value, p->write[i].site);
}

/* ---- instructions side by side ---- */

static uint64_t kind_of(const struct side *s, const struct ir_block *b, uint32_t i)
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

struct vote {
    int64_t new, old;
    bool given; /* it is an address that is given away, not an access */
    unsigned count;
};
typedef VEC(struct vote) votes;

static void cast(votes *v, uint64_t o, uint64_t n, unsigned weight)
{
    int64_t oo = (int64_t)o >> 8, no = (int64_t)n >> 8;
    for (size_t i = 0; i < v->len; i++)
        if (v->data[i].new == no && v->data[i].old == oo && v->data[i].given == !(n & 0xff)) {
            v->data[i].count += weight;
            return;
        }
    if (!(o & 0xff) == !(n & 0xff))
        vec_push(v, (struct vote){no, oo, !(n & 0xff), weight});
}

static void vote(struct check *c, votes *v, uint64_t old_site, uint64_t new_site)
{
    uint64_t o, n;
    if (map_get(&c->access[OLD], old_site, &o) && map_get(&c->access[NEW], new_site, &n))
        cast(v, o, n, 2);
}

/* What the n-th call of a function is given, whatever block it is in. */
static void vote_calls(struct check *c, votes *v)
{
    const struct flow_graph *o = c->side[OLD].g, *n = c->side[NEW].g;
    uint8_t *used = xcalloc(n->ncalls + 1, 1);
    for (uint32_t i = 0; i < o->ncalls; i++)
        for (uint32_t k = 0; k < n->ncalls; k++) {
            const char *a = o->call[i].name, *b = n->call[k].name; /* NULL: through a pointer */
            if (used[k] || !a != !b || (a && strcmp(a, b) != 0))
                continue;
            used[k] = 1;
            for (unsigned g = 1; g < FRAME_STORED; g++)
                vote(c, v, o->call[i].site << 8 | g, n->call[k].site << 8 | g);
            break;
        }
    free(used);
}

/* Most frames have not moved. */
static void vote_same(struct check *c, votes *v, unsigned weight)
{
    struct map old = {0};
    uint64_t site, what;
    for (size_t i = 0; (i = map_next(&c->access[OLD], i, &site, &what));)
        map_set(&old, what, 1);
    for (size_t i = 0; (i = map_next(&c->access[NEW], i, &site, &what));)
        if (map_get(&old, what, NULL) && map_remove(&old, what))
            cast(v, what, what, weight);
    map_free(&old);
}

/* Longest common subsequence of the two blocks' kinds of instructions. */
static void align_blocks(struct check *c, votes *v, const struct ir_block *a, const struct ir_block *b)
{
    uint32_t n = a->nmark, m = b->nmark;
    if (n > ALIGN_MAX || m > ALIGN_MAX || !n || !m)
        return;
    uint64_t *ka = xcalloc(n, sizeof *ka), *kb = xcalloc(m, sizeof *kb);
    uint16_t *len = xcalloc((size_t)(n + 1) * (m + 1), sizeof *len);
    for (uint32_t i = 0; i < n; i++)
        ka[i] = kind_of(&c->side[OLD], a, i);
    for (uint32_t i = 0; i < m; i++)
        kb[i] = kind_of(&c->side[NEW], b, i);
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
                vote(c, v, a->mark[i].address << 8 | g, b->mark[k].address << 8 | g);
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

static void beginnings(const struct check *c, int s, offsets *out)
{
    uint64_t operand, what;
    struct map seen = {0};
    for (size_t i = 0; (i = map_next(&c->access[s], i, &operand, &what));)
        if (!(what & 0xff) && map_set(&seen, what, 1))
            vec_push(out, (int64_t)what >> 8);
    map_free(&seen);
    vec_sort(out, by_offset);
}

/* The lowest address in its own frame that a side gives away: what lies above it may be part of what is
 * pointed to. */
static int64_t lowest_given(const struct check *c, int s)
{
    offsets all = VEC_INIT;
    beginnings(c, s, &all);
    /* none: something has escaped in a way that was not seen */
    int64_t lowest = all.len && !c->given_anywhere[s] ? all.data[0] : INT64_MIN;
    vec_free(&all);
    return lowest;
}

bool frame_out_of_reach(const struct check *c, int s, int64_t native)
{
    return native < lowest_given(c, s);
}

/* x is the address of what begins there. */
static bool is_address_of(const struct check *c, term x, int64_t begin)
{
    int64_t off;
    return !term_is_array(c->t, x) && term_width(c->t, x) == c->width && is_sp_offset(c, x, &off) &&
           off == begin;
}

bool frame_given_by(const struct check *c, int s, const struct exec_path *p, const struct exec_event *e,
                    int64_t native)
{
    uint64_t operand, what;
    int64_t begin = INT64_MIN, off;
    bool given = c->given_anywhere[s];
    for (size_t i = 0; (i = map_next(&c->access[s], i, &operand, &what));)
        if (!(what & 0xff) && (int64_t)what >> 8 <= native && (int64_t)what >> 8 > begin)
            begin = (int64_t)what >> 8;
    /* stored, but where no callee looks */
    for (unsigned i = 0; i < p->nwrites; i++)
        if (is_address_of(c, p->write[i].value, begin))
            given = given || !is_sp_offset(c, p->write[i].address, &off) || !frame_out_of_reach(c, s, off);
    for (const struct exec_event *k = p->event; k <= e && !given; k++)
        for (unsigned i = 0; i < k->nargs; i++)
            given = given || is_address_of(c, k->arg[i], begin);
    return given || begin == INT64_MIN;
}

/* Slots that only one side accesses, and that no callee can reach: they lie below all that callees are given.
 */
static void own_slots(struct check *c, int s)
{
    uint64_t site, what;
    struct map seen = {0};
    int64_t low = lowest_given(c, s);
    for (size_t i = 0; (i = map_next(&c->access[s], i, &site, &what));) {
        int64_t off = (int64_t)what >> 8, bytes = (int64_t)(what & 0xff);
        int64_t at = canonical_offset(c, &c->side[s], off);
        bool both = false;
        for (int64_t k = 0; k < bytes; k++)
            both = both || map_get(&c->slots[!s], (uint64_t)(at + k), NULL);
        if (bytes && !both && off + bytes <= low && map_set(&seen, what, 1))
            vec_push(&c->side[s].private, (struct exec_range){off, off + bytes});
    }
    vec_sort(&c->side[s].private, by_low);
    map_free(&seen);
}

static bool gives_parameters(const struct check *c, int s)
{
    return c->given_above[s] || c->given_anywhere[s];
}

/* Parameters on the stack: no callee reaches them by the address of a local. */
static void own_parameters(struct check *c, int s)
{
    struct explore_symbols y = explorer_symbols(c->side[s].x);
    const struct ir_machine *m = program_machine(c->side[s].p);
    if (y.frame_top > (int64_t)m->stack_arg && !gives_parameters(c, s))
        vec_push(&c->side[s].private, (struct exec_range){(int64_t)m->stack_arg, y.frame_top});
}

/* The bytes each side accesses, anew, after the shift became known. */
static void slots_again(struct check *c)
{
    uint64_t site, what;
    for (int s = 0; s < 2; s++) {
        map_clear(&c->slots[s]);
        for (size_t i = 0; (i = map_next(&c->access[s], i, &site, &what));)
            for (int64_t k = 0; k < (int64_t)(what & 0xff); k++)
                map_set(&c->slots[s], (uint64_t)canonical_offset(c, &c->side[s], ((int64_t)what >> 8) + k),
                        (uint64_t)(((int64_t)what >> 8) + k));
    }
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

/* Pairs the locals that are given away, those that most agree on first. */
static void pair_locals(struct check *c, votes *v)
{
    offsets begin[2] = {VEC_INIT, VEC_INIT};
    struct map taken[2] = {{0}, {0}};
    for (int s = 0; s < 2; s++)
        beginnings(c, s, &begin[s]);
    vec_sort(v, by_count);
    for (size_t i = 0; i < v->len; i++) {
        const struct vote *w = &v->data[i];
        if (!w->given || map_get(&taken[OLD], (uint64_t)w->old, NULL) ||
            map_get(&taken[NEW], (uint64_t)w->new, NULL))
            continue;
        map_set(&taken[OLD], (uint64_t)w->old, 1);
        map_set(&taken[NEW], (uint64_t)w->new, 1);
        int64_t end = 0;
        for (size_t k = begin[OLD].len; k-- > 0 && begin[OLD].data[k] > w->old;)
            end = begin[OLD].data[k];
        vec_push(&c->locals, (struct frame_local){.new = w->new, .old = w->old, .room = end - w->old});
    }
    for (size_t i = 0; i < begin[NEW].len; i++)
        if (!map_get(&taken[NEW], (uint64_t)begin[NEW].data[i], NULL))
            vec_push(&c->locals, (struct frame_local){.new = begin[NEW].data[i]});
    vec_sort(&c->locals, by_new);
    c->frame_low = begin[OLD].len ? begin[OLD].data[0] : 0;
    for (int s = 0; s < 2; s++) {
        vec_free(&begin[s]);
        map_free(&taken[s]);
    }
}

/* How far what lies below all that has moved: as far as the lowest local, if nothing says otherwise. */
static int64_t common_shift(const struct check *c, const votes *v)
{
    int64_t low = c->locals.len ? c->locals.data[0].new : 0;
    int64_t shift = c->locals.len && c->locals.data[0].room ? c->locals.data[0].old - low : 0;
    unsigned best = 0;
    for (size_t i = 0; i < v->len; i++) {
        unsigned count = 0;
        for (size_t k = 0; k < v->len; k++)
            if (!v->data[k].given && v->data[k].new < low && v->data[k].old < c->frame_low &&
                v->data[k].old - v->data[k].new == v->data[i].old - v->data[i].new)
                count += v->data[k].count;
        if (count > best) {
            best = count;
            shift = v->data[i].old - v->data[i].new;
        }
    }
    return shift;
}

static bool any_torn(const struct check *c)
{
    uint64_t site, what;
    bool torn = false;
    for (size_t i = 0; !torn && (i = map_next(&c->access[NEW], i, &site, &what));)
        torn = is_torn(c, (int64_t)what >> 8, (int64_t)(what & 0xff));
    for (size_t i = 0; !torn && (i = map_next(&c->span, i, &site, &what));)
        torn = is_torn(c, (int64_t)what >> 16, (int64_t)(what & 0xffff));
    return torn;
}

bool frame_learn(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->m, c->side[OLD].index, c->side[NEW].index);
    size_t seen = c->access[OLD].len + c->access[NEW].len;
    for (int s = 0; s < 2; s++)
        seen += gives_parameters(c, s);
    if (!b || !(c->opt->assume & VERIFY_ASSUME_FRAME) || c->frame_seen == seen)
        return false;
    bool moved = c->locals.len || c->frame_shift;
    c->frame_seen = seen;
    vec_clear(&c->locals);
    for (int s = 0; s < 2; s++)
        vec_clear(&c->side[s].private);
    votes v = VEC_INIT;
    for (uint32_t i = 0; i < b->nold && i < c->side[OLD].g->nblocks; i++)
        if (b->new_of_old[i] != MATCH_NONE)
            align_blocks(c, &v, &c->side[OLD].g->block[i], &c->side[NEW].g->block[b->new_of_old[i]]);
    vote_calls(c, &v);
    vote_same(c, &v, 3);
    pair_locals(c, &v);
    c->frame_shift = common_shift(c, &v);
    vec_free(&v);
    c->torn = false;
    if (any_torn(c)) {
        vec_clear(&c->locals);
        c->frame_shift = c->frame_low = 0;
    }
    slots_again(c);
    if (c->opt->assume & VERIFY_ASSUME_PRIVATE)
        for (int s = 0; s < 2; s++) {
            own_slots(c, s);
            own_parameters(c, s);
        }
    map_clear(&c->norm);
    moved = moved || c->frame_shift;
    for (size_t i = 0; i < c->locals.len; i++)
        moved = moved || c->locals.data[i].new != c->locals.data[i].old;
    return moved || c->side[OLD].private.len || c->side[NEW].private.len;
}

void frame_ledger(struct check *c)
{
    if (c->frame_shift)
        ledger_say(&c->ledger, c->arena, LEDGER_FRAME_SHIFT, (long long)c->frame_shift);
    for (size_t i = 0; i < c->locals.len; i++)
        if (c->locals.data[i].room && c->locals.data[i].new != c->locals.data[i].old)
            ledger_say(&c->ledger, c->arena, LEDGER_FRAME_LOCAL, (unsigned long long)-c->locals.data[i].new,
                       (unsigned long long)-c->locals.data[i].old);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].private.len; i++) {
            const struct exec_range *r = &c->side[s].private.data[i];
            const char *version = s ? "new" : "old";
            ledger_say(&c->ledger, c->arena, LEDGER_PRIVATE_PLACE,
                       r->low < 0 ? arena_printf(c->arena, "sp-%#llx, which only the %s version has",
                                                 (unsigned long long)-r->low, version)
                                  : arena_printf(c->arena, "the parameters on the stack of the %s version",
                                                 version));
        }
}
