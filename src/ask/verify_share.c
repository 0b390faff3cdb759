/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control-flow graphs that workers share.
 *
 * Each function is asked about in a process of its own, which looks at its callers and at their callees as
 * well. What is known when the process is forked need not be found out in each of them. */
#include "ask/verify.h"
#include "flow/abi/abi.h"

/* REACH: steps from what is asked about. Of one program so many bytes of code, for each worker and in all. */
enum { REACH = 4, BYTES_EACH = 1 << 15, BYTES_MAX = 1 << 20 };

struct links {
    VEC(uint32_t) to;
};

static bool is_body(const struct flow_function *f)
{
    return !(f->flags & (FLOW_PLT | FLOW_EXTERN | FLOW_PART));
}

/* Who refers to whom, in both directions. */
static struct links *link_functions(const struct compared *c, int s)
{
    struct links *all = xcalloc(c->n[s] + 1, sizeof *all);
    VEC(uint64_t) at = VEC_INIT;
    for (uint32_t i = 0; i < c->n[s]; i++) {
        size_t n = is_body(&c->f[s][i]) ? match_references(c->m, s, i, NULL, 0) : 0;
        vec_reserve(&at, n);
        match_references(c->m, s, i, at.data, n);
        for (size_t k = 0; k < n; k++) {
            const struct flow_function *f = program_local_function(c->p[s], at.data[k]);
            uint32_t to = f && is_body(f) ? (uint32_t)(f - c->f[s]) : i;
            if (to == i)
                continue;
            vec_push(&all[i].to, to);
            vec_push(&all[to].to, i);
        }
    }
    vec_free(&at);
    return all;
}

static void share_side(const struct compared *c, int s, const struct match_pair *ask, size_t nask)
{
    struct links *link = link_functions(c, s);
    uint8_t *seen = xcalloc(c->n[s] + 1, 1);
    VEC(uint32_t) order = VEC_INIT; /* nearest first */
    for (size_t i = 0; i < nask; i++)
        vec_push(&order, s ? ask[i].new : ask[i].old);
    uint64_t bytes = 0, most = nask < BYTES_MAX / BYTES_EACH ? nask * BYTES_EACH : BYTES_MAX;
    size_t at = 0;
    for (unsigned step = 0; step <= REACH; step++)
        for (size_t end = order.len; at < end && bytes < most; at++) {
            uint32_t i = order.data[at];
            if (seen[i])
                continue;
            seen[i] = 1;
            flow_graph(c->p[s], &c->f[s][i]);
            abi_prepare(c->p[s], &c->f[s][i]);
            bytes += c->f[s][i].size;
            for (size_t k = 0; k < link[i].to.len; k++)
                if (!seen[link[i].to.data[k]])
                    vec_push(&order, link[i].to.data[k]);
        }
    for (size_t i = 0; i < c->n[s]; i++)
        vec_free(&link[i].to);
    free(link);
    free(seen);
    vec_free(&order);
}

void ask_verify_share(const struct compared *c, const struct match_pair *ask, size_t nask)
{
    for (int s = 0; s < 2; s++)
        share_side(c, s, ask, nask);
}
