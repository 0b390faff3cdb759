/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=generator_cofactor function=group_set_generator kind=several-changes
 * why: Without a cofactor one is computed, and a curve for which that fails is refused (after CVE-2019-1547).
 */
struct number;
struct curve {
    void *generator;
    struct number *order, *cofactor;
    uint32_t flags;
};

extern int number_copy(struct number *to, const struct number *from);
extern void number_zero(struct number *n);
extern int number_is_zero(const struct number *n);
extern int number_is_negative(const struct number *n);
extern int number_bits(const struct number *n);
extern void *point_new(struct curve *c);
extern int point_copy(void *to, const void *from);
extern int curve_guess_cofactor(struct curve *c);
extern int curve_precompute(struct curve *c);
extern void curve_error(int reason);

int group_set_generator(struct curve *c, const void *generator, const struct number *order,
                        const struct number *cofactor)
{
    if (generator == NULL) {
        curve_error(67);
        return 0;
    }
    if (order == NULL || number_is_zero(order) || number_is_negative(order)) {
        curve_error(122);
        return 0;
    }
    if (c->generator == NULL) {
        c->generator = point_new(c);
        if (c->generator == NULL)
            return 0;
    }
    if (!point_copy(c->generator, generator))
        return 0;
#ifdef LATER
    if (number_bits(order) < 112)
        c->flags |= 0x10;
#endif
    if (!number_copy(c->order, order))
        return 0;
#ifdef PATCHED
    if (cofactor != NULL && !number_is_zero(cofactor)) {
        if (!number_copy(c->cofactor, cofactor))
            return 0;
    } else if (!curve_guess_cofactor(c)) {
        number_zero(c->cofactor);
        return 0;
    }
#else
    if (cofactor != NULL) {
        if (!number_copy(c->cofactor, cofactor))
            return 0;
    } else {
        number_zero(c->cofactor);
    }
#endif
#ifdef LATER
    c->flags &= ~0x4u;
#endif
    if (c->flags & 1)
        return curve_precompute(c);
    return 1;
}
