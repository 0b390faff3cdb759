/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that are laid out differently.
 *
 * As long as nobody else has a pointer into a frame, where things lie in it does not matter. Once a callee
 * has one, it does. Then instructions of paired blocks are put side by side, and calls of the same function,
 * and the distance between what the two versions access there is found: the one that most agree on is taken
 * for the distance between the two frames as a whole. A slot that then has no counterpart belongs to its
 * version alone. If it lies below everything that callees are given it is taken to be out of their reach;
 * above, it may be part of what they were given, and nothing is assumed. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { ALIGN_MAX = 1500, FRAME_ARGUMENTS = 8 };

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

int64_t frame_offset(const struct check *c, int64_t off)
{
    return off < 0 ? off + c->frame_shift : off;
}

static int64_t canonical_offset(const struct check *c, const struct side *s, int64_t off)
{
    return s->new ? frame_offset(c, off) : off;
}

void frame_seen(struct check *c, const struct side *s, int64_t offset, unsigned bytes, uint64_t site)
{
    map_set(&c->access[s->new], site << 8, (uint64_t)offset << 8 | (bytes & 0xff));
    for (unsigned i = 0; i < bytes; i++)
        map_set(&c->slots[s->new], (uint64_t)canonical_offset(c, s, offset + i), 1);
}

void frame_passed(struct check *c, const struct side *s, unsigned argument, int64_t offset, uint64_t site)
{
    map_set(&c->access[s->new], site << 8 | (argument + 1), (uint64_t)offset << 8);
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

struct vote {
    int64_t new, old;
    unsigned bytes, count;
};
typedef VEC(struct vote) votes;

static void cast(votes *v, uint64_t o, uint64_t n, unsigned weight)
{
    int64_t oo = (int64_t)o >> 8, no = (int64_t)n >> 8;
    for (size_t i = 0; i < v->len; i++)
        if (v->data[i].new == no && v->data[i].old == oo) {
            v->data[i].count += weight;
            return;
        }
    vec_push(v, (struct vote){no, oo, (unsigned)(n & 0xff), weight});
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
            if (used[k] || !o->call[i].name || !n->call[k].name ||
                strcmp(o->call[i].name, n->call[k].name) != 0)
                continue;
            used[k] = 1;
            for (unsigned g = 1; g <= FRAME_ARGUMENTS; g++)
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
            for (unsigned g = 0; g <= FRAME_ARGUMENTS; g++)
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

/* The lowest address in its frame that a side gives to a callee, in the old one's places: what lies above it
 * may be part of what is pointed to. */
int64_t frame_lowest_passed(const struct check *c, int s)
{
    uint64_t operand, what;
    int64_t lowest = INT64_MAX;
    for (size_t i = 0; (i = map_next(&c->access[s], i, &operand, &what));)
        if (!(what & 0xff)) {
            int64_t off = canonical_offset(c, &c->side[s], (int64_t)what >> 8);
            lowest = off < lowest ? off : lowest;
        }
    /* Something has escaped in a way that was not seen. */
    return lowest == INT64_MAX ? INT64_MIN : lowest;
}

/* Slots that only one side accesses, and that no callee can reach: they lie below all that callees are given.
 */
static void own_slots(struct check *c, int s)
{
    uint64_t site, what;
    struct map seen = {0};
    int64_t lowest[2] = {frame_lowest_passed(c, OLD), frame_lowest_passed(c, NEW)};
    int64_t low = lowest[OLD] < lowest[NEW] ? lowest[OLD] : lowest[NEW];
    for (size_t i = 0; (i = map_next(&c->access[s], i, &site, &what));) {
        int64_t off = (int64_t)what >> 8, bytes = (int64_t)(what & 0xff);
        int64_t at = canonical_offset(c, &c->side[s], off);
        bool both = false;
        for (int64_t k = 0; k < bytes; k++)
            both = both || map_get(&c->slots[!s], (uint64_t)(at + k), NULL);
        if (bytes && !both && at + bytes <= low && map_set(&seen, what, 1))
            vec_push(&c->side[s].private, (struct exec_range){off, off + bytes});
    }
    vec_sort(&c->side[s].private, by_low);
    map_free(&seen);
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
                        1);
    }
}

bool frame_learn(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->m, c->side[OLD].index, c->side[NEW].index);
    if (!b || !(c->opt->assume & VERIFY_ASSUME_FRAME) || c->frame_known)
        return false;
    c->frame_known = true;
    votes v = VEC_INIT;
    for (uint32_t i = 0; i < b->nold && i < c->side[OLD].g->nblocks; i++)
        if (b->new_of_old[i] != MATCH_NONE)
            align_blocks(c, &v, &c->side[OLD].g->block[i], &c->side[NEW].g->block[b->new_of_old[i]]);
    vote_calls(c, &v);
    vote_same(c, &v, 3);
    /* One distance for the whole frame: a slot of its own that moved differently is another slot. */
    unsigned best = 0;
    for (size_t i = 0; i < v.len; i++) {
        unsigned count = 0;
        for (size_t k = 0; k < v.len; k++)
            if (v.data[k].old - v.data[k].new == v.data[i].old - v.data[i].new)
                count += v.data[k].count;
        if (count > best) {
            best = count;
            c->frame_shift = v.data[i].old - v.data[i].new;
        }
    }
    vec_free(&v);
    slots_again(c);
    if (c->opt->assume & VERIFY_ASSUME_PRIVATE)
        for (int s = 0; s < 2; s++)
            own_slots(c, s);
    map_clear(&c->norm);
    return c->frame_shift || c->side[OLD].private.len || c->side[NEW].private.len;
}

void frame_ledger(struct check *c)
{
    if (c->frame_shift)
        assume(c, "frame",
               arena_printf(c->arena, "what lies at sp-N in the new version lies at sp-N%+lld in the old one",
                            (long long)c->frame_shift),
               1);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].private.len; i++)
            assume(c, "private",
                   arena_printf(c->arena, "no callee reaches sp-%#llx, which only the %s version has",
                                (unsigned long long)-c->side[s].private.data[i].low, s ? "new" : "old"),
                   1);
}
