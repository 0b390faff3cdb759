/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "debug/session.h"

#include <assert.h>
#include <stdlib.h>

#include "debug/private.h"

struct debug_session *debug_session_new(struct debuggee *old, struct debuggee *new, struct match *m,
                                        const struct debug_session_options *opt)
{
    assert(!new == !m);
    struct debug_session *s = xcalloc(1, sizeof *s);
    s->opt = *opt;
    s->side[0].d = old;
    s->side[1].d = new;
    s->nsides = new ? 2 : 1;
    s->last = s->nsides - 1;
    if (m)
        s->pair = lockstep_new(m);
    return s;
}

void debug_session_free(struct debug_session *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->nsides; i++) {
        struct debug_side *side = &s->side[i];
        while (side->stop.len)
            stop_point_remove(side, vec_last(&side->stop).id);
        vec_free(&side->stop);
        map_free(&side->leaders);
        map_free(&side->analysed);
        free(side->shown);
        debuggee_free(side->d);
    }
    lockstep_free(s->pair);
    free(s);
}

enum debug_verdict debug_session_verdict(const struct debug_session *s)
{
    return s->pair ? pair_verdict(s->pair) : DEBUG_NO_VERDICT;
}

void debug_session_banner(struct debug_session *s, struct buf *out)
{
    for (unsigned i = 0; i < s->nsides; i++) {
        struct debuggee *d = s->side[i].d;
        char name[256], hex[160];
        const char *title = *d->title ? d->title : NULL;
        buf_printf(out, "%s%s%s, %s, starts at %s\n", title ? title : "", title ? ": " : "",
                   object_info(d->o)->name, d->m->name,
                   debuggee_describe(d, debuggee_address(d, d->at), name, sizeof name));
        for (unsigned k = 0; k < d->m->nreg; k++) {
            const struct machine_register *r = &d->m->reg[k];
            struct bits v = debuggee_get(d, r->offset, r->width);
            bool again = i == 1 && bits_eq(v, debuggee_get(s->side[0].d, r->offset, r->width));
            if (again || r->pseudo || bits_is_zero(v) || r->offset == d->m->pc ||
                (r->width > 64 && r->width != 256))
                continue;
            bits_format_hex(v, r->width, hex, sizeof hex);
            buf_printf(out, "%s%s  %-9s %s\n", title ? title : "", title ? ": " : "", r->name, hex);
        }
        show_position(&s->side[i], out);
    }
}
