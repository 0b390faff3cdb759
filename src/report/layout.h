/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drawing a control-flow graph in layers, after Sugiyama, Tagawa and Toda (1981): edges that close a cycle
 * are turned round, nodes are put on the layer below their lowest predecessor, edges over several layers get
 * a point on each, and the order within a layer is that of the middle of what a node is connected to. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

struct layout_node {
    int width, height;
    int x, y; /* result: the upper left corner */
};

struct layout_edge {
    size_t from, to;
    /* Result: from the lower edge of `from` (or the upper one, when the edge goes up) to the other end. */
    const int *x, *y;
    size_t npoints;
};

struct layout {
    int width, height;
    struct layout_node *node;
    size_t nnodes;
    struct layout_edge *edge;
    size_t nedges;
    int *points; /* what the edges' x and y point into */
};

/* Node 0 is the entry. Fills in places; layout_free frees only what this made. */
void layout_graph(struct layout *l);
void layout_free(struct layout *l);

#endif
