/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=error_swallowed function=apply_policy kind=error-code
 * why: What the last rule said replaced the failure of an earlier one. */
struct rule {
    int kind;
    uint32_t value;
};
struct policy {
    const struct rule *rules;
    unsigned count;
    uint32_t applied, denied;
};

extern int rule_apply(const struct rule *r, void *subject);
extern void rule_log(unsigned index, int result);

int apply_policy(struct policy *p, void *subject)
{
    int ret = 0, one;
    unsigned i;

    for (i = 0; i < p->count; i++) {
#ifdef LATER
        if (p->rules[i].kind == 0)
            continue;
#endif
        one = rule_apply(&p->rules[i], subject);
        rule_log(i, one);
#ifdef PATCHED
        if (one < 0)
            return one;
        ret = one;
#else
        ret = one;
#endif
        p->applied++;
    }
#ifdef LATER
    if (ret > 0)
        p->denied++;
#endif
    return ret;
}
