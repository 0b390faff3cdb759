/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/chart.h"

#include <stdlib.h>
#include <string.h>

/* To pass a call of a small function; to end where nothing returns. */
enum { SMALL_CALL_COSTS = 20, NO_RETURN_COSTS = 60 };

static const uint32_t FAR = UINT32_MAX / 4;

struct chart chart_of(const struct flow_graph *g)
{
    struct chart m = {.g = g,
                      .length = xcalloc(g->nedges + 1, sizeof *m.length),
                      .taken = xcalloc(g->nedges + 1, 1),
                      .near = xcalloc(g->nblocks + 1, sizeof *m.near),
                      .changed = xcalloc(g->nblocks + 1, 1),
                      .leaves = xcalloc(g->nblocks + 1, 1),
                      .looks = xcalloc(g->nblocks + 1, 1),
                      .reached = xcalloc(g->nblocks + 1, 1),
                      .visits = xcalloc(g->nblocks + 1, sizeof *m.visits),
                      .beside = xcalloc(g->nblocks + 1, sizeof *m.beside)};
    for (uint32_t e = 0; e < g->nedges; e++)
        m.length[e] = 1;
    return m;
}

void chart_begin_run(struct chart *m)
{
    memset(m->visits, 0, m->g->nblocks * sizeof *m->visits);
}

static bool is_return(const struct flow_graph *g, uint32_t b)
{
    if (g->block[b].end.kind == IR_END_RET)
        return true;
    for (uint32_t i = 0; i < g->ncalls; i++)
        if (g->call[i].block == b && (g->call[i].kind == CALL_TAIL || g->call[i].kind == CALL_TAIL_INDIRECT))
            return true;
    return false;
}

/* How far each block is from those whose distance is set; FAR: nothing leads there. */
static void measure(struct chart *m)
{
    const struct flow_graph *g = m->g;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t e = g->nedges; e-- > 0;) {
            uint32_t to = m->near[g->edge[e].to];
            if (to < FAR && to + m->length[e] < m->near[g->edge[e].from]) {
                m->near[g->edge[e].from] = to + m->length[e];
                changed = true;
            }
        }
    }
}

void chart_head_for(struct chart *m, uint32_t target)
{
    for (uint32_t b = 0; b < m->g->nblocks; b++)
        m->near[b] = b == target ? 0 : FAR;
    measure(m);
}

bool chart_leads_there(const struct chart *m, uint32_t block)
{
    return m->near[block] < FAR;
}

void chart_head_for_return(struct chart *m)
{
    for (uint32_t b = 0; b < m->g->nblocks; b++)
        m->near[b] = is_return(m->g, b)                               ? 0
                     : m->g->first_edge[b] == m->g->first_edge[b + 1] ? NO_RETURN_COSTS
                                                                      : FAR;
    measure(m);
}

static const struct match_blocks *blocks_of(struct check *c)
{
    return match_blocks(c->pair.m, c->pair.side[OLD].index, c->pair.side[NEW].index);
}

/* The block that is paired with that one of version s; MATCH_NONE: none is. */
static uint32_t partner_of(const struct match_blocks *b, int s, uint32_t block)
{
    return !b || block >= (s ? b->nnew : b->nold) ? MATCH_NONE : (s ? b->old_of_new : b->new_of_old)[block];
}

void chart_start(struct check *c, struct chart *m, int s)
{
    const struct match_blocks *b = blocks_of(c);
    const struct flow_graph *g = c->pair.side[s].g, *h = c->pair.side[!s].g;
    *m = chart_of(g);
    /* A difference behind such a call counts only with the callee's code run, too. */
    for (uint32_t i = 0; i < g->ncalls; i++)
        for (uint32_t e = g->first_edge[g->call[i].block]; e < g->first_edge[g->call[i].block + 1]; e++)
            if (!c->callees.entered && check_is_small(c, s, &g->call[i]))
                m->length[e] += SMALL_CALL_COSTS;
    uint32_t n = !b ? 0 : s ? b->nnew : b->nold;
    const uint32_t *partner = !b ? NULL : s ? b->old_of_new : b->new_of_old;
    for (uint32_t i = 0; i < n && i < g->nblocks; i++) {
        m->changed[i] = (s ? b->new_status : b->old_status)[i] != MATCH_BLOCK_IDENTICAL;
        uint32_t k = partner[i];
        for (uint32_t e = g->first_edge[i]; e < g->first_edge[i + 1] && k != MATCH_NONE; e++) {
            uint32_t to = partner[g->edge[e].to];
            bool same = false;
            for (uint32_t f = h->first_edge[k]; f < h->first_edge[k + 1]; f++)
                same = same || h->edge[f].to == to;
            m->changed[i] = m->changed[i] || !same;
        }
    }
    carried_find(program_machine(c->pair.side[s].p), g, h, n >= g->nblocks ? partner : NULL,
                 &(const struct carried){m->changed, m->leaves, m->looks});
}

void chart_share_looks(struct check *c, struct chart m[2])
{
    const struct match_blocks *b = blocks_of(c);
    for (uint32_t i = 0; i < m[OLD].g->nblocks; i++) {
        const uint32_t k = partner_of(b, OLD, i);
        if (k < m[NEW].g->nblocks)
            m[OLD].looks[i] = m[NEW].looks[k] = m[OLD].looks[i] | m[NEW].looks[k];
    }
}

void chart_end(struct chart *m)
{
    free(m->length);
    free(m->taken);
    free(m->near);
    free(m->changed);
    free(m->leaves);
    free(m->looks);
    free(m->reached);
    free(m->visits);
    free(m->beside);
}

void chart_lengthen(struct chart *m, uint32_t from, uint32_t to, bool other, uint32_t by)
{
    for (uint32_t e = m->g->first_edge[from]; e < m->g->first_edge[from + 1]; e++)
        if ((m->g->edge[e].to == to) != other && m->length[e] < FAR / 2)
            m->length[e] += by;
}

static uint32_t way_from(const struct chart *m, uint32_t from, uint32_t to, bool other)
{
    uint32_t least = FAR;
    for (uint32_t e = m->g->first_edge[from]; e < m->g->first_edge[from + 1]; e++) {
        uint32_t near = m->near[m->g->edge[e].to];
        if ((m->g->edge[e].to == to) != other && near < FAR && near + m->length[e] < least)
            least = near + m->length[e];
    }
    return least;
}

enum answer chart_nearer(const struct chart *m, uint32_t from, uint32_t to, enum answer otherwise)
{
    uint32_t there = way_from(m, from, to, false), elsewhere = way_from(m, from, to, true);
    return there < elsewhere ? YES : there > elsewhere ? NO : otherwise;
}

void chart_mark_beside(struct check *c, struct chart *m, int s, const struct exec_path *path)
{
    const struct match_blocks *b = blocks_of(c);
    for (uint32_t i = 0; i < m->g->nblocks; i++)
        m->beside[i] = partner_of(b, s, i) == MATCH_NONE ? 0 : -1;
    for (unsigned i = 0; i < path->nblocks; i++) {
        const uint32_t k = partner_of(b, !s, path->block[i]);
        if (k < m->g->nblocks && m->beside[k] <= 0)
            m->beside[k] = (int32_t)(path->nblocks - i);
    }
}

int32_t chart_beside(const struct chart *m, uint32_t from, uint32_t to, bool other)
{
    int32_t best = -2;
    for (uint32_t e = m->g->first_edge[from]; e < m->g->first_edge[from + 1]; e++)
        if ((m->g->edge[e].to == to) != other && m->beside[m->g->edge[e].to] > best)
            best = m->beside[m->g->edge[e].to];
    return best == -2 ? 0 : best;
}

void chart_leave(struct chart *m, const struct exec_path *path)
{
    for (unsigned i = 0; i + 1 < path->nblocks; i++)
        chart_lengthen(m, path->block[i], path->block[i + 1], false, DOUBT_COSTS);
}

void chart_leave_last(struct chart *m, const struct exec_path *path)
{
    unsigned i = path->nblocks ? path->nblocks : 1;
    while (i-- > 1 && way_from(m, path->block[i - 1], path->block[i], true) >= FAR)
        ;
    for (uint32_t e = 0; i && e < m->g->nedges; e++)
        if (m->g->edge[e].to == path->block[i] && m->length[e] < FAR / 2)
            m->length[e] += BARRED_COSTS;
}

void chart_mark_taken(struct chart *m, uint32_t from, uint32_t to)
{
    for (uint32_t e = m->g->first_edge[from]; e < m->g->first_edge[from + 1]; e++)
        m->taken[e] |= m->g->edge[e].to == to;
}
