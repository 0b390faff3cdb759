/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A version's graph for Graphviz, the way that a countermodel takes drawn heavily. */
#include <inttypes.h>
#include <string.h>

#include "ask/code.h"
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

void report_wp_dot(struct program *p, const struct flow_function *f, const struct wp_run *run,
                   const char *title, struct buf *out)
{
    const struct flow_graph *g = flow_graph(p, f);
    buf_puts(out, "digraph \"");
    put_label(out, title);
    buf_puts(out, "\" {\n  label=\"");
    put_label(out, title);
    buf_puts(out, "\";\n  node [shape=box, fontname=monospace, labeljust=l];\n");
    for (uint32_t b = 0; b < g->nblocks; b++) {
        buf_printf(out, "  b%u [label=\"", b);
        for (uint32_t i = 0; i < g->block[b].nmark; i++) {
            const struct ir_mark *m = &g->block[b].mark[i];
            char text[CODE_TEXT];
            buf_printf(out, "%#" PRIx64 ": ", m->address);
            put_label(out, code_text(p, &g->block[b], m, text));
            buf_puts(out, "\\l");
        }
        buf_printf(out, "\"%s];\n",
                   is_on_way(run, b) ? ", color=red, penwidth=2, style=filled, fillcolor=mistyrose" : "");
    }
    for (uint32_t e = 0; e < g->nedges; e++)
        buf_printf(out, "  b%u -> b%u%s;\n", g->edge[e].from, g->edge[e].to,
                   is_step(run, g->edge[e].from, g->edge[e].to) ? " [color=red, penwidth=3]" : "");
    buf_puts(out, "}\n");
}
