/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions before and, with -DNEW, after a fix. The kinds of fixes are those the paper shows. */
#include <stddef.h>

struct group {
    void *order, *cofactor;
    int top;
    unsigned flags;
};

int is_zero(const void *n);
int copy(void *to, const void *from);
int expand(void *n, int words);
int get_top(const void *n);
int guess(struct group *g);
int verify(void *ctx);
int get_error(void *ctx);
void raise_error(int code, const char *text);
char *one_line(void *name, int size);
unsigned hash_of(const char *s);
void release(void *p);

/* A check that was missing: CVE-2021-23841. */
unsigned name_hash(void **name)
{
    char *f = one_line(name[3], 0);
#ifdef NEW
    if (f == NULL)
        return 0;
#endif
    unsigned h = hash_of(f);
    release(f);
    return h;
}

/* A number that was too small: CVE-2018-0735. */
int ladder(struct group *g, void *k, void *lambda)
{
    int top = get_top(g->order);
#ifdef NEW
    if (expand(k, top + 2) == 0 || expand(lambda, top + 2) == 0) {
#else
    if (expand(k, top + 1) == 0 || expand(lambda, top + 1) == 0) {
#endif
        raise_error(7, "no memory");
        return 0;
    }
    g->top = top;
    return 1;
}

/* A result that was overwritten: CVE-2022-1343. */
int verify_signer(void *ctx)
{
    int ret = verify(ctx);
    if (ret <= 0) {
#ifdef NEW
        int err = get_error(ctx);
        raise_error(err, "verify error");
#else
        ret = get_error(ctx);
        raise_error(ret, "verify error");
#endif
    }
    return ret;
}

/* A function that was added: CVE-2019-1547. */
int set_cofactor(struct group *g, const void *cofactor)
{
#ifdef NEW
    if (cofactor != NULL && !is_zero(cofactor)) {
        if (!copy(g->cofactor, cofactor))
            return 0;
    } else if (!guess(g)) {
        return 0;
    }
#else
    if (cofactor != NULL) {
        if (!copy(g->cofactor, cofactor))
            return 0;
    }
#endif
    return 1;
}

/* A bound that was wrong. */
int set_top(struct group *g, int top)
{
#ifdef NEW
    if (top < 0 || top >= 64)
#else
    if (top < 0 || top > 64)
#endif
        return -1;
    g->top = top;
    return 0;
}

/* Something that is no longer done. */
int drop(struct group *g)
{
#ifndef NEW
    release(g->order);
#endif
    release(g->cofactor);
    g->cofactor = NULL;
    return 0;
}

/* A flag that was forgotten. */
void finish(struct group *g)
{
    g->top = 0;
#ifdef NEW
    g->flags |= 0x40;
#endif
}
