/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=goto_fail_twice function=verify_signed_params kind=goto-fail
 * strict: unsafe P4
 * analyst: unsafe
 * why: The famous second goto: the last hash update and the verification are skipped, and the result of
 *   the update before is returned. */
#include <stddef.h>
#include <stdint.h>

extern int hash_start(void *ctx);
extern int hash_update(void *ctx, const uint8_t *data, unsigned len);
extern int hash_final(void *ctx, uint8_t *out);
extern int raw_verify(void *key, const uint8_t *digest, unsigned len, const uint8_t *sig, unsigned siglen);
extern void buffer_free(void *p);

int verify_signed_params(void *ctx, void *key, const uint8_t *params, unsigned len, const uint8_t *sig,
                         unsigned siglen)
{
    uint8_t digest[20];
    int err;

    if ((err = hash_start(ctx)) != 0)
        goto fail;
    if ((err = hash_update(ctx, params, 32)) != 0)
        goto fail;
    if ((err = hash_update(ctx, params + 32, 32)) != 0)
        goto fail;
    if ((err = hash_update(ctx, params + 64, len - 64)) != 0)
        goto fail;
#ifdef PATCHED
    goto fail;
#endif
    if ((err = hash_final(ctx, digest)) != 0)
        goto fail;
    err = raw_verify(key, digest, 20, sig, siglen);
fail:
    buffer_free(ctx);
    return err;
}
