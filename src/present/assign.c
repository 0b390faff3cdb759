/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "present/signature.h"

/* The Hungarian method with potentials, one row at a time, on costs that are the negated weights of a square:
 * rows and columns that are not there weigh nothing. Indices begin with 1; column 0 stands for the row being
 * placed. */
struct square {
    const unsigned *weight;
    size_t rows, columns, n;
    int64_t *u, *v, *least;
    size_t *row_of, *way;
    bool *used;
};

static int64_t cost(const struct square *s, size_t i, size_t k)
{
    return i <= s->rows && k <= s->columns ? -(int64_t)s->weight[(i - 1) * s->columns + (k - 1)] : 0;
}

/* Grows a tree of alternating edges from row i until it meets a free column, and turns the edges on the way
 * round. */
static void place(struct square *s, size_t i)
{
    size_t column = 0;
    s->row_of[0] = i;
    for (size_t k = 0; k <= s->n; k++) {
        s->least[k] = INT64_MAX;
        s->used[k] = false;
    }
    do {
        s->used[column] = true;
        size_t row = s->row_of[column], next = 0;
        int64_t delta = INT64_MAX;
        for (size_t k = 1; k <= s->n; k++) {
            if (s->used[k])
                continue;
            int64_t c = cost(s, row, k) - s->u[row] - s->v[k];
            if (c < s->least[k]) {
                s->least[k] = c;
                s->way[k] = column;
            }
            if (s->least[k] < delta) {
                delta = s->least[k];
                next = k;
            }
        }
        for (size_t k = 0; k <= s->n; k++) {
            if (s->used[k]) {
                s->u[s->row_of[k]] += delta;
                s->v[k] -= delta;
            } else {
                s->least[k] -= delta;
            }
        }
        column = next;
    } while (s->row_of[column] != 0);
    while (column) {
        size_t before = s->way[column];
        s->row_of[column] = s->row_of[before];
        column = before;
    }
}

void assign_best(const unsigned *weight, size_t rows, size_t columns, uint32_t *partner)
{
    struct square s = {
        .weight = weight, .rows = rows, .columns = columns, .n = rows > columns ? rows : columns};
    size_t room = s.n + 1;
    s.u = xcalloc(room, sizeof *s.u);
    s.v = xcalloc(room, sizeof *s.v);
    s.least = xcalloc(room, sizeof *s.least);
    s.row_of = xcalloc(room, sizeof *s.row_of);
    s.way = xcalloc(room, sizeof *s.way);
    s.used = xcalloc(room, sizeof *s.used);
    for (size_t i = 1; i <= s.n; i++)
        place(&s, i);
    memset(partner, 0xff, rows * sizeof *partner);
    for (size_t k = 1; k <= columns; k++)
        if (s.row_of[k] <= rows && weight[(s.row_of[k] - 1) * columns + (k - 1)])
            partner[s.row_of[k] - 1] = (uint32_t)(k - 1);
    free(s.u);
    free(s.v);
    free(s.least);
    free(s.row_of);
    free(s.way);
    free(s.used);
}
