/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=ladder_expand_words function=ec_scalar_ladder kind=argument
 * why: A number needs two words more than the cardinality, not one (after CVE-2018-0735). */
struct bn {
    uint64_t *d;
    int top, dmax, neg;
};
struct group {
    struct bn *order, *cofactor;
    int kind;
};

extern struct bn *bn_new(void);
extern void bn_free(struct bn *b);
extern int bn_top(const struct bn *b);
extern int bn_bits(const struct bn *b);
extern int bn_mul(struct bn *r, const struct bn *a, const struct bn *b);
extern int bn_add(struct bn *r, const struct bn *a, const struct bn *b);
extern void *bn_wexpand(struct bn *b, int words);
extern void bn_set_constant_time(struct bn *b);
extern void ec_error(int function, int reason);
extern int ladder_run(const struct group *g, struct bn *k, struct bn *lambda, int bits);

int ec_scalar_ladder(const struct group *g, const struct bn *scalar)
{
    int ret = 0, bits, top;
    struct bn *k = bn_new(), *lambda = bn_new(), *cardinality = bn_new();

    if (k == NULL || lambda == NULL || cardinality == NULL) {
        ec_error(284, 65);
        goto err;
    }
    if (!bn_mul(cardinality, g->order, g->cofactor)) {
        ec_error(284, 3);
        goto err;
    }
#ifdef LATER
    if (g->kind == 3)
        bn_set_constant_time(cardinality);
#endif
    bits = bn_bits(cardinality);
    top = bn_top(cardinality);
#ifdef PATCHED
    if (bn_wexpand(k, top + 2) == NULL || bn_wexpand(lambda, top + 2) == NULL) {
#else
    if (bn_wexpand(k, top + 1) == NULL || bn_wexpand(lambda, top + 1) == NULL) {
#endif
        ec_error(284, 3);
        goto err;
    }
    bn_set_constant_time(k);
    bn_set_constant_time(lambda);
    if (!bn_add(lambda, k, cardinality)) {
        ec_error(284, 3);
        goto err;
    }
#ifdef LATER
    if (bits > 4096) {
        ec_error(284, 12);
        goto err;
    }
#endif
    ret = ladder_run(g, k, lambda, bits);
err:
    bn_free(k);
    bn_free(lambda);
    bn_free(cardinality);
    return ret;
}
