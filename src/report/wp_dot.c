/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A version's graph for Graphviz, with the countermodel's path drawn heavily. */
#include <inttypes.h>
#include <string.h>

#include "report/wp.h"

static void put_label(struct buf *out, const char *s)
{
    struct buf plain = BUF_INIT;
    buf_put_printable(&plain, s);
    report_dot_escaped(out, buf_text(&plain));
    buf_free(&plain);
}

static bool is_step(const struct wp_run *run, uint32_t from, uint32_t to)
{
    for (size_t i = 0; i + 1 < run->nsteps; i++)
        if (run->step[i].block == from && run->step[i + 1].block == to)
            return true;
    return false;
}

static bool is_on_way(const struct wp_run *run, uint32_t block)
{
    for (size_t i = 0; i < run->nsteps; i++)
        if (run->step[i].block == block)
            return true;
    return false;
}

void report_wp_dot(const struct ask_wp_run *x, const char *title, struct buf *out)
{
    const struct wp_run *run = &x->run;
    buf_puts(out, "digraph \"");
    put_label(out, title);
    buf_puts(out, "\" {\n  label=\"");
    put_label(out, title);
    buf_puts(out, "\";\n  node [shape=box, fontname=monospace, labeljust=l];\n");
    for (size_t b = 0; b < x->nblocks; b++) {
        buf_printf(out, "  b%zu [label=\"", b);
        for (size_t i = 0; i < x->block[b].nlines; i++) {
            buf_printf(out, "0x%" PRIx64 ": ", x->block[b].line[i].address);
            put_label(out, x->block[b].line[i].text);
            buf_puts(out, "\\l");
        }
        buf_printf(out, "\"%s];\n",
                   is_on_way(run, (uint32_t)b) ? ", color=red, penwidth=2, style=filled, fillcolor=mistyrose"
                                               : "");
    }
    for (size_t e = 0; e < x->nedges; e++)
        buf_printf(out, "  b%u -> b%u%s;\n", x->edge[e].from, x->edge[e].to,
                   is_step(run, x->edge[e].from, x->edge[e].to) ? " [color=red, penwidth=3]" : "");
    buf_puts(out, "}\n");
}
