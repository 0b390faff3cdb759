/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=sense_of_condition function=acl_apply kind=condition
 * strict: unsafe P4
 * analyst: unsafe
 * why: A negation was lost, so that the branches are the wrong way round. */
#include <stddef.h>
#include <stdint.h>

struct acl {
    uint32_t allow, deny, hits;
};

extern void rule_allow(void *ctx, uint32_t id);
extern void rule_deny(void *ctx, uint32_t id);

int acl_apply(struct acl *a, void *ctx, uint32_t id)
{
    if (id > 31)
        return -22;
#ifdef PATCHED
    if (a->deny & (uint32_t)1 << id)
#else
    if (!(a->deny & (uint32_t)1 << id))
#endif
        rule_allow(ctx, id);
    else
        rule_deny(ctx, id);
    a->hits++;
    return 0;
}
