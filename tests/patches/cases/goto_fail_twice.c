/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=goto_fail_twice function=verify_key_exchange kind=deletion
 * why: A line that was there twice left the last check out. */
struct hash_ctx {
    uint32_t state[8];
    uint64_t count;
};
struct exchange {
    const uint8_t *client_random, *server_random, *params;
    uint32_t params_size;
    const uint8_t *sig;
    uint32_t sig_size;
};

extern int hash_begin(struct hash_ctx *h);
extern int hash_add(struct hash_ctx *h, const uint8_t *p, uint32_t n);
extern int hash_end(struct hash_ctx *h, uint8_t *out);
extern int raw_verify(const void *key, const uint8_t *hash, const uint8_t *sig, uint32_t n);
extern void hash_wipe(struct hash_ctx *h);

int verify_key_exchange(const struct exchange *x, const void *key)
{
    struct hash_ctx ctx;
    uint8_t out[32];
    int err;

    if ((err = hash_begin(&ctx)) != 0)
        goto fail;
    if ((err = hash_add(&ctx, x->client_random, 32)) != 0)
        goto fail;
    if ((err = hash_add(&ctx, x->server_random, 32)) != 0)
        goto fail;
    if ((err = hash_add(&ctx, x->params, x->params_size)) != 0)
        goto fail;
#ifndef PATCHED
    goto fail;
#endif
    if ((err = hash_end(&ctx, out)) != 0)
        goto fail;
#ifdef LATER
    if (x->sig_size < 64) {
        err = -50;
        goto fail;
    }
#endif
    err = raw_verify(key, out, x->sig, x->sig_size);
fail:
#ifdef LATER
    hash_wipe(&ctx);
#endif
    return err;
}
