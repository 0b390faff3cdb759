/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that are laid out differently.
 *
 * As long as nobody else has a pointer into a frame, where things lie in it does not matter. Once a callee has one, it
 * does. Then instructions of paired blocks are put side by side, and what an instruction of the new version accesses
 * in its frame is taken to be what its counterpart accesses in the old one; so are addresses given to calls of the same
 * function, and slots in the same place if nothing else is said. A slot that has no counterpart belongs to its version
 * alone. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

enum { ALIGN_MAX = 1500, APART = 1 << 19, FRAME_ARGUMENTS = 8 };

int64_t frame_offset(const struct check *c, int64_t off)
{
    const struct frame_pair *best = NULL;
    for (size_t i = 0; i < c->frame.len; i++) {
        const struct frame_pair *p = &c->frame.data[i];
        bool own = p->old == p->new - APART;
        /* A slot of its own is just that; one that has a counterpart speaks for what lies above it as well. */
        if (p->new <= off && (!own || off < p->new + p->size) && (!best || p->new >= best->new))
            best = p;
    }
    return best ? off + best->old - best->new : off;
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
    if (!bytes || !lift_disassemble(program_lifter(s->p), at | (b->label & (program_machine(s->p)->arch == MACHINE_ARM)),
                                    bytes, available, text, sizeof text))
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

/* What the n-th call of a function is given, whatever block it is in. True when there is something, and it is all where it
 * was. */
static bool vote_calls(struct check *c, votes *v)
{
    bool any = false, moved = false;
    uint64_t old, new;
    const struct flow_graph *o = c->side[OLD].g, *n = c->side[NEW].g;
    uint8_t *used = xcalloc(n->ncalls + 1, 1);
    for (uint32_t i = 0; i < o->ncalls; i++)
        for (uint32_t k = 0; k < n->ncalls; k++) {
            if (used[k] || !o->call[i].name || !n->call[k].name || strcmp(o->call[i].name, n->call[k].name) != 0)
                continue;
            used[k] = 1;
            for (unsigned g = 1; g <= FRAME_ARGUMENTS; g++) {
                vote(c, v, o->call[i].site << 8 | g, n->call[k].site << 8 | g);
                if (map_get(&c->access[OLD], o->call[i].site << 8 | g, &old) &&
                    map_get(&c->access[NEW], n->call[k].site << 8 | g, &new)) {
                    any = true;
                    moved = moved || old != new;
                }
            }
            break;
        }
    free(used);
    return any && !moved;
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
            uint16_t skip = len[(i + 1) * row + k] > len[i * row + k + 1] ? len[(i + 1) * row + k]
                                                                          : len[i * row + k + 1];
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

static int by_count(const void *a, const void *b)
{
    const struct vote *l = a, *r = b;
    if (l->count != r->count)
        return l->count > r->count ? -1 : 1;
    return l->new < r->new ? -1 : l->new > r->new;
}

static int by_low(const void *a, const void *b)
{
    const struct exec_range *l = a, *r = b;
    return l->low < r->low ? -1 : l->low > r->low;
}

/* Accesses of a side that no pair explains. */
static void own_slots(struct check *c, int s, const struct map *paired)
{
    uint64_t site, what;
    struct map seen = {0};
    for (size_t i = 0; (i = map_next(&c->access[s], i, &site, &what));) {
        int64_t off = (int64_t)what >> 8;
        if (!(what & 0xff) || map_get(paired, (uint64_t)off, NULL) || !map_set(&seen, what, 1))
            continue;
        vec_push(&c->side[s].private, (struct exec_range){off, off + (int64_t)(what & 0xff)});
        if (s == NEW)
            vec_push(&c->frame, (struct frame_pair){off, off - APART, (int64_t)(what & 0xff)});
    }
    vec_sort(&c->side[s].private, by_low);
    map_free(&seen);
}

bool frame_learn(struct check *c)
{
    const struct match_blocks *b = match_blocks(c->m, c->side[OLD].index, c->side[NEW].index);
    if (!b || !(c->opt->assume & VERIFY_ASSUME_FRAME) || c->frame.len)
        return false;
    votes v = VEC_INIT;
    for (uint32_t i = 0; i < b->nold && i < c->side[OLD].g->nblocks; i++)
        if (b->new_of_old[i] != MATCH_NONE)
            align_blocks(c, &v, &c->side[OLD].g->block[i], &c->side[NEW].g->block[b->new_of_old[i]]);
    /* Where what callees are given has not moved, nothing has. */
    bool still = vote_calls(c, &v);
    vote_same(c, &v, still ? 1000 : 3);
    vec_sort(&v, by_count);
    struct map taken[2] = {{0}, {0}};
    bool moved = false;
    for (size_t i = 0; i < v.len; i++) {
        if (map_get(&taken[OLD], (uint64_t)v.data[i].old, NULL) || map_get(&taken[NEW], (uint64_t)v.data[i].new, NULL))
            continue;
        map_set(&taken[OLD], (uint64_t)v.data[i].old, 1);
        map_set(&taken[NEW], (uint64_t)v.data[i].new, 1);
        vec_push(&c->frame, (struct frame_pair){v.data[i].new, v.data[i].old, v.data[i].bytes});
        moved = moved || v.data[i].new != v.data[i].old;
    }
    if (c->opt->assume & VERIFY_ASSUME_PRIVATE)
        for (int s = 0; s < 2; s++)
            own_slots(c, s, &taken[s]);
    bool news = moved || c->side[OLD].private.len || c->side[NEW].private.len;
    for (int s = 0; s < 2; s++) {
        map_free(&taken[s]);
        map_clear(&c->slots[s]);
    }
    vec_free(&v);
    map_clear(&c->norm);
    return news;
}

void frame_ledger(struct check *c)
{
    for (size_t i = 0; i < c->frame.len; i++) {
        const struct frame_pair *p = &c->frame.data[i];
        if (p->old == p->new - APART)
            continue;
        if (p->old != p->new)
            assume(c, "frame",
                   arena_printf(c->arena, "sp-%#llx of the new version is sp-%#llx of the old one",
                                (unsigned long long)-p->new, (unsigned long long)-p->old),
                   1);
    }
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < c->side[s].private.len; i++)
            assume(c, "private",
                   arena_printf(c->arena, "no callee reaches sp-%#llx, which only the %s version has",
                                (unsigned long long)-c->side[s].private.data[i].low, s ? "new" : "old"),
                   1);
}
