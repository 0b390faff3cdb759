/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/layout.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"

enum { GAP_X = 24, GAP_Y = 36, BEND_WIDTH = 8, MARGIN = 10, SWEEPS = 6 };

/* A node of the drawing: one of the graph, or a bend of a long edge. */
struct spot {
    size_t layer, order;
    int width, height;
    double x; /* of the middle */
    double wish;
    int y;
};

/* A stretch of an edge from a layer to the next. */
struct stretch {
    size_t from, to; /* spots, downwards */
};

struct work {
    struct layout *l;
    bool *turned;  /* by edge */
    size_t *layer; /* by node */
    size_t nlayers;
    VEC(struct spot) spot;
    VEC(struct stretch) stretch;
    size_t *first_bend; /* by edge: the first of its bends among the spots */
    size_t *rank;       /* spots sorted by layer, then order */
    size_t *layer_at;   /* where each layer begins in it */
};

static size_t upper(const struct work *w, size_t e)
{
    return w->turned[e] ? w->l->edge[e].to : w->l->edge[e].from;
}

static size_t lower(const struct work *w, size_t e)
{
    return w->turned[e] ? w->l->edge[e].from : w->l->edge[e].to;
}

/* ---- layers ---- */

/* Depth first from the entry: an edge to a node that is still open closes a cycle. `order` gets the nodes in
 * the order they are closed. */
static void find_cycles(struct work *w, size_t *order)
{
    struct layout *l = w->l;
    enum { NEW, OPEN, CLOSED };
    size_t *first = xcalloc(l->nnodes + 2, sizeof *first), *out = xcalloc(l->nedges + 1, sizeof *out);
    size_t *next = xcalloc(l->nnodes + 1, sizeof *next), *stack = xcalloc(l->nnodes + 1, sizeof *stack);
    unsigned char *state = xcalloc(l->nnodes + 1, 1);
    for (size_t e = 0; e < l->nedges; e++)
        first[l->edge[e].from + 1]++;
    for (size_t i = 0; i < l->nnodes; i++)
        first[i + 1] += first[i];
    memcpy(next, first, l->nnodes * sizeof *next);
    for (size_t e = 0; e < l->nedges; e++)
        out[next[l->edge[e].from]++] = e;
    memcpy(next, first, l->nnodes * sizeof *next);
    size_t depth = 0, closed = 0;
    for (size_t root = 0; root < l->nnodes; root++) {
        if (state[root] != NEW)
            continue;
        stack[depth++] = root;
        state[root] = OPEN;
        while (depth) {
            size_t i = stack[depth - 1];
            if (next[i] == first[i + 1]) {
                state[i] = CLOSED;
                order[closed++] = i;
                depth--;
                continue;
            }
            size_t e = out[next[i]++], to = l->edge[e].to;
            if (state[to] == OPEN)
                w->turned[e] = true;
            if (state[to] == NEW) {
                state[to] = OPEN;
                stack[depth++] = to;
            }
        }
    }
    free(first);
    free(out);
    free(next);
    free(stack);
    free(state);
}

static void find_layers(struct work *w)
{
    struct layout *l = w->l;
    size_t *order = xcalloc(l->nnodes + 1, sizeof *order);
    find_cycles(w, order);
    /* Closed later is further up, but for turned edges: pass on until nothing moves. */
    bool moved = true;
    for (size_t round = 0; moved && round <= l->nnodes; round++) {
        moved = false;
        for (size_t e = 0; e < l->nedges; e++) {
            size_t a = upper(w, e), b = lower(w, e);
            if (a != b && w->layer[b] < w->layer[a] + 1) {
                w->layer[b] = w->layer[a] + 1;
                moved = true;
            }
        }
    }
    for (size_t i = 0; i < l->nnodes; i++)
        if (w->layer[i] + 1 > w->nlayers)
            w->nlayers = w->layer[i] + 1;
    /* Within a layer: as depth-first search leaves them, the last closed first. */
    for (size_t i = 0; i < l->nnodes; i++)
        w->spot.data[order[i]].order = l->nnodes - i;
    free(order);
}

/* ---- bends ---- */

static void add_bends(struct work *w)
{
    struct layout *l = w->l;
    for (size_t e = 0; e < l->nedges; e++) {
        size_t a = upper(w, e), b = lower(w, e), last = a;
        w->first_bend[e] = w->spot.len;
        if (a == b)
            continue;
        for (size_t k = w->layer[a] + 1; k < w->layer[b]; k++) {
            vec_push(&w->spot,
                     (struct spot){.layer = k, .order = w->spot.data[a].order, .width = BEND_WIDTH});
            vec_push(&w->stretch, (struct stretch){last, w->spot.len - 1});
            last = w->spot.len - 1;
        }
        vec_push(&w->stretch, (struct stretch){last, b});
    }
}

/* ---- order ---- */

static int by_place(const void *a, const void *b, void *ctx)
{
    const struct work *w = ctx;
    const struct spot *p = &w->spot.data[*(const size_t *)a], *q = &w->spot.data[*(const size_t *)b];
    if (p->layer != q->layer)
        return p->layer < q->layer ? -1 : 1;
    if (p->wish != q->wish)
        return p->wish < q->wish ? -1 : 1;
    return p < q ? -1 : p > q;
}

static void sort_spots(struct work *w)
{
    qsort_r(w->rank, w->spot.len, sizeof *w->rank, by_place, w);
    size_t at = 0;
    for (size_t k = 0; k < w->nlayers; k++) {
        w->layer_at[k] = at;
        while (at < w->spot.len && w->spot.data[w->rank[at]].layer == k) {
            w->spot.data[w->rank[at]].order = at - w->layer_at[k];
            at++;
        }
    }
    w->layer_at[w->nlayers] = at;
}

/* Every spot wishes to be in the middle of those it is connected to above or below. */
static void wish(struct work *w, bool above, double (*value)(const struct spot *))
{
    double *sum = xcalloc(w->spot.len + 1, sizeof *sum);
    size_t *n = xcalloc(w->spot.len + 1, sizeof *n);
    for (size_t i = 0; i < w->stretch.len; i++) {
        size_t to = above ? w->stretch.data[i].to : w->stretch.data[i].from,
               from = above ? w->stretch.data[i].from : w->stretch.data[i].to;
        sum[to] += value(&w->spot.data[from]);
        n[to]++;
    }
    for (size_t i = 0; i < w->spot.len; i++)
        w->spot.data[i].wish = n[i] ? sum[i] / (double)n[i] : value(&w->spot.data[i]);
    free(sum);
    free(n);
}

static double order_of(const struct spot *s)
{
    return (double)s->order;
}

static double middle_of(const struct spot *s)
{
    return s->x;
}

static void find_order(struct work *w)
{
    for (size_t i = 0; i < w->spot.len; i++) {
        w->rank[i] = i;
        w->spot.data[i].wish = (double)w->spot.data[i].order;
    }
    sort_spots(w);
    for (int k = 0; k < SWEEPS; k++) {
        wish(w, k % 2 == 0, order_of);
        sort_spots(w);
    }
}

/* ---- places ---- */

static double least_distance(const struct spot *a, const struct spot *b)
{
    return (a->width + b->width) / 2.0 + GAP_X;
}

/* Moves the spots of a layer towards what they wish, without overlaps: the nearest allowed place from the
 * left and from the right, and the middle of both. */
static void settle_layer(struct work *w, size_t k)
{
    size_t from = w->layer_at[k], n = w->layer_at[k + 1] - from;
    double *left = xcalloc(n + 1, sizeof *left), *right = xcalloc(n + 1, sizeof *right);
    for (size_t i = 0; i < n; i++) {
        const struct spot *s = &w->spot.data[w->rank[from + i]];
        double at = s->wish;
        if (i) {
            double least = left[i - 1] + least_distance(&w->spot.data[w->rank[from + i - 1]], s);
            at = at < least ? least : at;
        }
        left[i] = at;
    }
    for (size_t i = n; i-- > 0;) {
        const struct spot *s = &w->spot.data[w->rank[from + i]];
        double at = s->wish;
        if (i + 1 < n) {
            double most = right[i + 1] - least_distance(s, &w->spot.data[w->rank[from + i + 1]]);
            at = at > most ? most : at;
        }
        right[i] = at;
    }
    for (size_t i = 0; i < n; i++)
        w->spot.data[w->rank[from + i]].x = (left[i] + right[i]) / 2;
    free(left);
    free(right);
}

static void find_places(struct work *w)
{
    for (size_t i = 0; i < w->spot.len; i++)
        w->spot.data[i].wish = 0;
    for (size_t k = 0; k < w->nlayers; k++)
        settle_layer(w, k);
    for (int round = 0; round < SWEEPS; round++) {
        wish(w, round % 2 == 0, middle_of);
        for (size_t k = 0; k < w->nlayers; k++)
            settle_layer(w, k);
    }
    int y = MARGIN;
    double least = 0;
    for (size_t k = 0; k < w->nlayers; k++) {
        int height = 0;
        for (size_t i = w->layer_at[k]; i < w->layer_at[k + 1]; i++) {
            struct spot *s = &w->spot.data[w->rank[i]];
            s->y = y;
            height = s->height > height ? s->height : height;
            least = s->x - s->width / 2.0 < least || (k == 0 && i == 0) ? s->x - s->width / 2.0 : least;
        }
        for (size_t i = w->layer_at[k]; i < w->layer_at[k + 1]; i++)
            if (w->rank[i] >= w->l->nnodes) /* a bend runs through its layer */
                w->spot.data[w->rank[i]].height = height;
        y += height + GAP_Y;
    }
    w->l->height = y - GAP_Y + MARGIN;
    for (size_t i = 0; i < w->spot.len; i++) {
        struct spot *s = &w->spot.data[i];
        s->x += MARGIN - least;
        int end = (int)(s->x + s->width / 2.0) + MARGIN;
        w->l->width = end > w->l->width ? end : w->l->width;
    }
}

/* ---- the result ---- */

static void draw(struct work *w)
{
    enum { LOOP_POINTS = 4 };
    struct layout *l = w->l;
    size_t most = 0;
    for (size_t e = 0; e < l->nedges; e++)
        most += upper(w, e) == lower(w, e) ? LOOP_POINTS
                                           : 2 * (w->layer[lower(w, e)] - w->layer[upper(w, e)] - 1) + 2;
    l->points = xcalloc(2 * most + 1, sizeof *l->points);
    int *x = l->points, *y = l->points + most;
    for (size_t i = 0; i < l->nnodes; i++) {
        l->node[i].x = (int)(w->spot.data[i].x - l->node[i].width / 2.0);
        l->node[i].y = w->spot.data[i].y;
    }
    for (size_t e = 0; e < l->nedges; e++) {
        struct layout_edge *edge = &l->edge[e];
        const struct spot *a = &w->spot.data[upper(w, e)], *b = &w->spot.data[lower(w, e)];
        size_t n = 0;
        if (a == b) {
            int right = (int)(a->x + a->width / 2.0), out = right + GAP_X / 2;
            int px[] = {right, out, out, right};
            int py[] = {a->y + a->height * 3 / 4, a->y + a->height * 3 / 4, a->y + a->height / 4,
                        a->y + a->height / 4};
            for (; n < LOOP_POINTS; n++) {
                x[n] = px[n];
                y[n] = py[n];
            }
        } else {
            x[n] = (int)a->x;
            y[n++] = a->y + a->height;
            for (size_t k = 0; k + 1 < b->layer - a->layer; k++) {
                const struct spot *bend = &w->spot.data[w->first_bend[e] + k];
                x[n] = (int)bend->x;
                y[n++] = bend->y;
                x[n] = (int)bend->x;
                y[n++] = bend->y + bend->height;
            }
            x[n] = (int)b->x;
            y[n++] = b->y;
            for (size_t i = 0; w->turned[e] && i < n / 2; i++) {
                int t = x[i];
                x[i] = x[n - 1 - i];
                x[n - 1 - i] = t;
                t = y[i];
                y[i] = y[n - 1 - i];
                y[n - 1 - i] = t;
            }
        }
        edge->x = x;
        edge->y = y;
        edge->npoints = n;
        x += n;
        y += n;
    }
}

void layout_graph(struct layout *l)
{
    struct work w = {.l = l,
                     .turned = xcalloc(l->nedges + 1, sizeof *w.turned),
                     .layer = xcalloc(l->nnodes + 1, sizeof *w.layer),
                     .first_bend = xcalloc(l->nedges + 1, sizeof *w.first_bend)};
    l->width = l->height = 0;
    for (size_t i = 0; i < l->nnodes; i++)
        vec_push(&w.spot, (struct spot){.width = l->node[i].width, .height = l->node[i].height});
    find_layers(&w);
    for (size_t i = 0; i < l->nnodes; i++)
        w.spot.data[i].layer = w.layer[i];
    add_bends(&w);
    w.rank = xcalloc(w.spot.len + 1, sizeof *w.rank);
    w.layer_at = xcalloc(w.nlayers + 2, sizeof *w.layer_at);
    find_order(&w);
    find_places(&w);
    draw(&w);
    free(w.turned);
    free(w.layer);
    free(w.first_bend);
    free(w.rank);
    free(w.layer_at);
    vec_free(&w.spot);
    vec_free(&w.stretch);
}

void layout_free(struct layout *l)
{
    free(l->points);
    l->points = NULL;
}
