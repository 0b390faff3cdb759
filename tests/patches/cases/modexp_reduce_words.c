/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=modexp_reduce_words function=mod_exp_x2 kind=argument-made-constant
 * why: The number of bits was handed on where words were meant (after CVE-2022-2274). */
extern void to_words52(uint64_t *out, int words, const uint64_t *in, int bits);
extern void from_words52(uint64_t *out, int bits, const uint64_t *in);
extern void almost_montgomery_exp(uint64_t *out, const uint64_t *base, const uint64_t *exp, int bits);
extern uint64_t sub_words(uint64_t *r, const uint64_t *a, const uint64_t *b, size_t n);
extern void cleanse(void *p, size_t size);

static void __attribute__((noinline))
reduce_once(uint64_t *r, uint64_t carry, const uint64_t *m, uint64_t *tmp, size_t n)
{
    size_t i;

    carry -= sub_words(tmp, r, m, n);
    for (i = 0; i < n; i++)
        r[i] = (carry & r[i]) | (~carry & tmp[i]);
}

int mod_exp_x2(uint64_t *res1, const uint64_t *base1, const uint64_t *m1, uint64_t *res2,
               const uint64_t *base2, const uint64_t *m2, const uint64_t *exp, int factor_size)
{
    uint64_t storage[192], red1[48], red2[48];

    if (factor_size != 1024)
        return 0;
#ifdef LATER
    if (exp == NULL || base1 == base2)
        return 0;
#endif
    to_words52(red1, 20, base1, factor_size);
    to_words52(red2, 20, base2, factor_size);
    almost_montgomery_exp(red1, red1, exp, factor_size);
    almost_montgomery_exp(red2, red2, exp, factor_size);
    from_words52(res1, factor_size, red1);
    from_words52(res2, factor_size, red2);
#ifdef PATCHED
    factor_size /= sizeof(uint64_t) * 8;
#endif
    reduce_once(res1, 0, m1, storage, (size_t)factor_size);
    reduce_once(res2, 0, m2, storage, (size_t)factor_size);
    cleanse(storage, sizeof storage);
#ifdef LATER
    cleanse(red1, sizeof red1);
    cleanse(red2, sizeof red2);
#endif
    return 1;
}
