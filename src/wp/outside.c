/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What differs between two files, and what no run of the function shows: where thread-local variables lie and
 * what they begin with, and callees that are summarised though their code changed. */
#include <string.h>

#include "wp/internal.h"

/* The function asks where the variables of its thread are. */
static bool asks_for_thread(const struct pair_side *s)
{
    static const char *const pointer[] = {"fs_base", "gs_base", "gs", "tpidr_el0", "tpidruro"};
    const struct ir_machine *m = program_machine(s->p);
    for (uint32_t i = 0; i < s->g->ncalls; i++)
        if (s->g->call[i].name && strstr(s->g->call[i].name, "tls_get_addr"))
            return true;
    for (size_t k = 0; k < sizeof pointer / sizeof *pointer; k++) {
        uint16_t offset, width;
        if (!machine_register_find(m, pointer[k], &offset, &width))
            continue;
        for (uint32_t i = 0; i < s->g->nblocks; i++)
            for (uint32_t j = 0; j < s->g->block[i].ninsn; j++)
                if (s->g->block[i].insn[j].op == IR_GET && s->g->block[i].insn[j].a == offset)
                    return true;
    }
    return false;
}

const char *outside_threads(struct wp *w)
{
    const struct match_outside *all;
    size_t n = w->nsides == 2 ? match_outside(w->pair.m, &all) : 0;
    if (!n || !(w->has_follow || asks_for_thread(w->side[0].code) || asks_for_thread(w->side[1].code)))
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (all[i].matters && (strcmp(all[i].kind, "thread-local") == 0 || strstr(all[i].text, "thread-local")))
            return arena_printf(w->arena, "thread-local variables are not compared, and %s", all[i].text);
    return NULL;
}

void outside_note_callees(struct wp *w)
{
    const struct flow_graph *g = w->side[0].code->g;
    if (w->nsides < 2)
        return;
    for (uint32_t i = 0; i < g->ncalls; i++) {
        const struct flow_call *c = &g->call[i];
        const struct match_pair *p = c->target && c->name ? match_function(w->pair.m, c->target) : NULL;
        bool inlined = w->has_follow && c->name && regexec(&w->follow, c->name, 0, NULL, 0) == 0;
        if (p && p->status == MATCH_CHANGED && !inlined)
            wp_note(w, "%s does the same in both versions, though its code differs (--inline=%s inlines it)", c->name,
                    c->name);
    }
}
