/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two versions of a function side by side: as graphs, and as disassembly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "report/html.h"
#include "report/layout.h"
#include "report/page.h"

enum {
    DRAWN_MAX = 160,  /* blocks in a drawing; of a larger function only what changed and what is near it */
    SPELLED_MAX = 60, /* in a drawing of more blocks than this, blocks are not spelled out */
    LINES_MAX = 14,   /* of one block in the drawing */
    LINE_CHARS = 44,  /* of one instruction in it */
    CHAR_WIDTH = 7,
    LINE_HEIGHT = 14,
    COMPARED_MAX = 400, /* instructions of a block that are compared line by line */
    LISTED_MAX = 120,   /* blocks of a function that is listed in full */
};

/* ---- which blocks a counterexample runs through ---- */

/* Which differences' inputs run through which block: by address of the block, a list of numbers "0 2". */
struct traces {
    struct strmap at; /* address to 1 + index in `set` */
    VEC(struct buf) set;
};

static void read_traces(struct traces *t, json_t *function, const char *which)
{
    json_t *d, *address;
    size_t i, k;
    json_array_foreach(json_object_get(function, "differences"), i, d)
        json_array_foreach(json_object_get(d, which), k, address)
    {
        const char *key = json_string_value(address);
        uint64_t at = strmap_find(&t->at, key, 0);
        if (!at) {
            vec_push(&t->set, (struct buf)BUF_INIT);
            at = t->set.len;
            strmap_set(&t->at, key, at);
        }
        char number[24], *last = NULL;
        snprintf(number, sizeof number, "%zu", i);
        struct buf *set = &t->set.data[at - 1];
        last = set->len ? strrchr(set->data, ' ') : NULL;
        if (set->len && strcmp(last ? last + 1 : set->data, number) == 0)
            continue;
        buf_printf(set, "%s%s", set->len ? " " : "", number);
    }
}

static void free_traces(struct traces *t)
{
    for (size_t i = 0; i < t->set.len; i++)
        buf_free(&t->set.data[i]);
    vec_free(&t->set);
    strmap_free(&t->at);
}

/* Attributes of what lies on a path; the first difference's is shown from the beginning. Returns whether it
 * is on that one. */
static const char *traces_of(const struct traces *t, json_t *block)
{
    uint64_t at = strmap_find(&t->at, str(block, "address"), 0);
    return at ? buf_text(&t->set.data[at - 1]) : "";
}

static bool on_first(const char *traces)
{
    return strcmp(traces, "0") == 0 || strncmp(traces, "0 ", 2) == 0;
}

/* ---- graphs ---- */

struct drawing {
    struct buf *out;
    json_t *blocks;
    const char *side, *other;
    size_t function; /* its number on the page */
    char arrow[48];
    struct traces traces;
    size_t *drawn; /* block index to 1 + its place in the drawing; 0: left out */
    size_t *block; /* the other way */
    size_t n;
    bool spelled;
};

static bool is_same(json_t *block)
{
    return strcmp(str(block, "status"), "same") == 0;
}

/* All of a small function; of a large one what changed, what a counterexample runs through, and neighbours.
 */
static void choose_blocks(struct drawing *d)
{
    size_t total = json_array_size(d->blocks), i, k;
    json_t *b, *e;
    bool *want = xcalloc(total + 1, sizeof *want), all = total <= DRAWN_MAX;
    json_array_foreach(d->blocks, i, b)
    {
        bool matters = !is_same(b) || on_first(traces_of(&d->traces, b));
        want[i] = want[i] || all || matters || i == 0;
        json_array_foreach(json_object_get(b, "successors"), k, e)
        {
            size_t to = (size_t)json_integer_value(json_object_get(e, "to"));
            if (to < total && (matters || !is_same(json_array_get(d->blocks, to)))) {
                want[to] = true;
                want[i] = true;
            }
        }
    }
    for (i = 0; i < total; i++)
        if (want[i] && d->n < DRAWN_MAX) {
            d->block[d->n] = i;
            d->drawn[i] = ++d->n;
        }
    d->spelled = d->n <= SPELLED_MAX;
    free(want);
}

static size_t lines_of(const struct drawing *d, json_t *block)
{
    size_t n = json_array_size(json_object_get(block, "instructions"));
    size_t most = d->spelled ? LINES_MAX : 2;
    return n > most ? most : n;
}

static void size_block(const struct drawing *d, json_t *block, struct layout_node *node)
{
    json_t *list = json_object_get(block, "instructions");
    size_t n = lines_of(d, block), widest = strlen(str(block, "address")) + 2;
    for (size_t i = 0; i < n; i++) {
        size_t len = strlen(str(json_array_get(list, i), "text"));
        len = len > LINE_CHARS ? LINE_CHARS : len;
        widest = len > widest ? len : widest;
    }
    node->width = (int)widest * CHAR_WIDTH + 14;
    node->height = (int)(n + 1 + (n < json_array_size(list))) * LINE_HEIGHT + 10;
}

static void put_svg_line(struct buf *out, int x, int y, const char *class, const char *text)
{
    struct buf cut = BUF_INIT;
    size_t n = strlen(text);
    if (n > LINE_CHARS) {
        n = LINE_CHARS - 1;
        while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
            n--;
        buf_put(&cut, text, n);
        buf_puts(&cut, "\xe2\x80\xa6");
    } else {
        buf_puts(&cut, text);
    }
    buf_printf(out, "<text%s x=\"%d\" y=\"%d\">", class, x, y);
    html_text(out, buf_text(&cut));
    buf_puts(out, "</text>");
    buf_free(&cut);
}

static void put_block(struct drawing *d, size_t index, const struct layout_node *node)
{
    json_t *b = json_array_get(d->blocks, index), *list = json_object_get(b, "instructions"),
           *partner = json_object_get(b, "partner");
    const char *traces = traces_of(&d->traces, b), *status = str(b, "status");
    size_t n = lines_of(d, b), all = json_array_size(list);
    buf_printf(d->out, "<g class=\"block %s%s\" id=\"f%zu-%s-%zu\" tabindex=\"0\" role=\"img\"", status,
               on_first(traces) ? " on" : "", d->function, d->side, index);
    if (json_is_integer(partner))
        buf_printf(d->out, " data-partner=\"f%zu-%s-%lld\"", d->function, d->other,
                   (long long)json_integer_value(partner));
    if (*traces)
        buf_printf(d->out, " data-traces=\"%s\"", traces);
    buf_printf(d->out, " aria-label=\"block %s, %s%s\">", str(b, "address"),
               strcmp(status, "alone") == 0 ? "without a partner" : status,
               *traces ? ", on a counterexample's path" : "");
    buf_printf(d->out, "<rect class=\"box\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\"/>", node->x,
               node->y, node->width, node->height);
    int y = node->y + LINE_HEIGHT;
    put_svg_line(d->out, node->x + 7, y, " class=\"label\"", str(b, "address"));
    for (size_t i = 0; i < n; i++)
        put_svg_line(d->out, node->x + 7, y += LINE_HEIGHT, "", str(json_array_get(list, i), "text"));
    if (n < all) {
        char more[48];
        snprintf(more, sizeof more, "and %zu more", all - n);
        put_svg_line(d->out, node->x + 7, y + LINE_HEIGHT, "", more);
    }
    buf_puts(d->out, "</g>\n");
}

/* Numbers both lists have, as a list. */
static void common(struct buf *out, const char *a, const char *b)
{
    while (*a) {
        size_t n = strcspn(a, " ");
        for (const char *q = b; *q;) {
            size_t m = strcspn(q, " ");
            if (m == n && strncmp(a, q, n) == 0)
                buf_printf(out, "%s%.*s", out->len ? " " : "", (int)n, a);
            q += m + (q[m] == ' ');
        }
        a += n + (a[n] == ' ');
    }
}

static void put_edge(struct drawing *d, const struct layout_edge *e, const char *kind)
{
    struct buf traces = BUF_INIT;
    common(&traces, traces_of(&d->traces, json_array_get(d->blocks, d->block[e->from])),
           traces_of(&d->traces, json_array_get(d->blocks, d->block[e->to])));
    buf_printf(d->out, "<path class=\"%s%s\"", kind, on_first(buf_text(&traces)) ? " on" : "");
    if (traces.len)
        buf_printf(d->out, " data-traces=\"%s\"", buf_text(&traces));
    html_svg_edge(d->out, e, d->arrow);
    buf_puts(d->out, "/>\n");
    buf_free(&traces);
}

static void draw(struct drawing *d)
{
    VEC(struct layout_edge) edge = VEC_INIT;
    VEC(const char *) kind = VEC_INIT;
    struct layout l = {.node = xcalloc(d->n + 1, sizeof *l.node), .nnodes = d->n};
    json_t *e;
    size_t k;
    for (size_t i = 0; i < d->n; i++) {
        json_t *b = json_array_get(d->blocks, d->block[i]);
        size_block(d, b, &l.node[i]);
        json_array_foreach(json_object_get(b, "successors"), k, e)
        {
            size_t to = (size_t)json_integer_value(json_object_get(e, "to"));
            if (to >= json_array_size(d->blocks) || !d->drawn[to])
                continue;
            vec_push(&edge, (struct layout_edge){.from = i, .to = d->drawn[to] - 1});
            vec_push(&kind, str(e, "kind"));
        }
    }
    l.edge = edge.data;
    l.nedges = edge.len;
    layout_graph(&l);
    char label[64];
    snprintf(label, sizeof label, "control flow of the %s version", d->side);
    snprintf(d->arrow, sizeof d->arrow, "f%zu-%s-arrow", d->function, d->side);
    html_svg(d->out, &l, label, d->arrow);
    for (size_t i = 0; i < l.nedges; i++)
        put_edge(d, &l.edge[i], kind.data[i]);
    for (size_t i = 0; i < d->n; i++)
        put_block(d, d->block[i], &l.node[i]);
    buf_puts(d->out, "</svg>\n");
    layout_free(&l);
    free(l.node);
    vec_free(&edge);
    vec_free(&kind);
}

static void put_graph(struct buf *out, json_t *f, size_t n, const char *side, const char *other)
{
    char trace[16];
    json_t *blocks = json_object_get(json_object_get(f, "graphs"), side);
    size_t total = json_array_size(blocks);
    struct drawing d = {.out = out,
                        .blocks = blocks,
                        .side = side,
                        .other = other,
                        .function = n,
                        .drawn = xcalloc(total + 1, sizeof *d.drawn),
                        .block = xcalloc(total + 1, sizeof *d.block)};
    snprintf(trace, sizeof trace, "%s_trace", side);
    read_traces(&d.traces, f, trace);
    choose_blocks(&d);
    buf_printf(out, "<figure><figcaption>%s version: ", side);
    if (d.n < total)
        buf_printf(out, "%zu of %zu blocks, those that changed and their neighbours", d.n, total);
    else
        buf_printf(out, "%zu block%s", total, total == 1 ? "" : "s");
    buf_puts(out, "</figcaption>\n");
    if (d.n)
        draw(&d);
    buf_puts(out, "</figure>\n");
    free_traces(&d.traces);
    free(d.drawn);
    free(d.block);
}

void html_graphs(struct buf *out, json_t *f, size_t n)
{
    buf_puts(out, "<h3>Control flow</h3>\n<ul class=\"legend\"><li><span class=\"key\"></span>the same in "
                  "both</li><li><span "
                  "class=\"key changed\"></span>changed</li><li><span class=\"key alone\"></span>without a "
                  "partner</li><li><span class=\"key on\"></span>the counterexample's path</li></ul>\n<div "
                  "class=\"graphs\">\n");
    put_graph(out, f, n, "old", "new");
    put_graph(out, f, n, "new", "old");
    buf_puts(out, "</div>\n");
}

/* ---- disassembly ---- */

/* Marks the instructions that are in a longest common subsequence of two blocks. */
static void compare_lines(json_t *a, json_t *b, bool *in_a, bool *in_b)
{
    size_t n = json_array_size(a), m = json_array_size(b);
    if (n > COMPARED_MAX || m > COMPARED_MAX)
        return;
    uint16_t *longest = xcalloc((n + 1) * (m + 1), sizeof *longest);
#define AT(i, k) longest[(i) * (m + 1) + (k)]
    for (size_t i = n; i-- > 0;)
        for (size_t k = m; k-- > 0;) {
            bool same = strcmp(str(json_array_get(a, i), "text"), str(json_array_get(b, k), "text")) == 0;
            uint16_t down = AT(i + 1, k), right = AT(i, k + 1);
            AT(i, k) = same ? (uint16_t)(AT(i + 1, k + 1) + 1) : down > right ? down : right;
        }
    for (size_t i = 0, k = 0; i < n && k < m;) {
        if (strcmp(str(json_array_get(a, i), "text"), str(json_array_get(b, k), "text")) == 0)
            in_a[i++] = in_b[k++] = true;
        else if (AT(i + 1, k) >= AT(i, k + 1))
            i++;
        else
            k++;
    }
#undef AT
    free(longest);
}

static void put_cell(struct buf *out, json_t *block, const struct traces *t, const bool *same,
                     const char *mark)
{
    if (!block) {
        buf_puts(out, "<td class=\"none\"></td>");
        return;
    }
    const char *traces = traces_of(t, block), *last = "";
    json_t *e;
    size_t i;
    buf_printf(out, "<td class=\"%s%s\"", str(block, "status"), on_first(traces) ? " on" : "");
    if (*traces)
        buf_printf(out, " data-traces=\"%s\"", traces);
    buf_puts(out, ">");
    json_array_foreach(json_object_get(block, "instructions"), i, e)
    {
        const char *source = str(e, "source");
        if (*source && strcmp(source, last) != 0) {
            buf_puts(out, "<span class=\"src\">");
            html_text(out, source);
            buf_puts(out, "</span>");
        }
        last = source;
        html_text(out, str(e, "address"));
        buf_puts(out, "  ");
        if (!same[i])
            buf_printf(out, "<%s>", mark);
        html_text(out, str(e, "text"));
        if (!same[i])
            buf_printf(out, "</%s>", mark);
        buf_putc(out, '\n');
    }
    buf_puts(out, "</td>");
}

static void put_row(struct buf *out, json_t *old, json_t *new, const struct traces t[2])
{
    json_t *a = json_object_get(old, "instructions"), *b = json_object_get(new, "instructions");
    size_t n = json_array_size(a), m = json_array_size(b);
    bool *in_a = xcalloc(n + 1, sizeof *in_a), *in_b = xcalloc(m + 1, sizeof *in_b);
    if (old && is_same(old)) {
        memset(in_a, 1, n);
        memset(in_b, 1, m);
    } else if (old && new) {
        compare_lines(a, b, in_a, in_b);
    }
    buf_puts(out, "<tr>");
    put_cell(out, old, &t[0], in_a, "del");
    put_cell(out, new, &t[1], in_b, "ins");
    buf_puts(out, "</tr>\n");
    free(in_a);
    free(in_b);
}

static void put_skipped(struct buf *out, size_t *n)
{
    if (*n)
        buf_printf(
            out, "<tr><td class=\"none dim\" colspan=\"2\">%zu block%s that %s the same in both</td></tr>\n",
            *n, *n == 1 ? "" : "s", *n == 1 ? "is" : "are");
    *n = 0;
}

/* Blocks of the new version without a partner come after the partner of the block before them. */
void html_code(struct buf *out, json_t *f)
{
    json_t *graphs = json_object_get(f, "graphs"), *old = json_object_get(graphs, "old"),
           *new = json_object_get(graphs, "new"), *b;
    size_t n = json_array_size(old), m = json_array_size(new), skipped = 0, i;
    bool all = n + m <= LISTED_MAX, *done = xcalloc(m + 1, sizeof *done);
    struct traces t[2] = {{{0}, VEC_INIT}, {{0}, VEC_INIT}};
    read_traces(&t[0], f, "old_trace");
    read_traces(&t[1], f, "new_trace");
    buf_puts(out,
             "<h3>Disassembly</h3>\n<table class=\"code\"><thead><tr><th scope=\"col\">old version</th><th "
             "scope=\"col\">new version</th></tr></thead><tbody>\n");
    json_array_foreach(old, i, b)
    {
        json_t *partner = json_object_get(b, "partner");
        size_t at = json_is_integer(partner) ? (size_t)json_integer_value(partner) : m;
        json_t *other = at < m ? json_array_get(new, at) : NULL;
        bool shown = all || !is_same(b) || on_first(traces_of(&t[0], b));
        if (at < m)
            done[at] = true;
        if (shown) {
            put_skipped(out, &skipped);
            put_row(out, b, other, t);
        } else {
            skipped++;
        }
        for (size_t k = at + 1; at < m && k < m && !done[k]; k++) {
            json_t *next = json_array_get(new, k);
            if (json_is_integer(json_object_get(next, "partner")))
                break;
            put_skipped(out, &skipped);
            put_row(out, NULL, next, t);
            done[k] = true;
        }
    }
    put_skipped(out, &skipped);
    for (i = 0; i < m; i++)
        if (!done[i])
            put_row(out, NULL, json_array_get(new, i), t);
    buf_puts(out, "</tbody></table>\n");
    free_traces(&t[0]);
    free_traces(&t[1]);
    free(done);
}
