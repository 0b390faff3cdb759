/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=ocsp_signer_result function=ocsp_verify_signer kind=return-value
 * why: The error's number, which is positive, was returned as if the signer had been verified (after
 * CVE-2022-1343). */
struct store_ctx;
struct signer {
    int trust;
    void *chain;
};

extern struct store_ctx *store_ctx_new(void);
extern int store_ctx_init(struct store_ctx *c, void *store, struct signer *s, void *untrusted);
extern int store_ctx_error(struct store_ctx *c);
extern void store_ctx_purpose(struct store_ctx *c, int purpose);
extern void store_ctx_free(struct store_ctx *c);
extern int verify_cert(struct store_ctx *c);
extern const char *verify_error_text(int code);
extern void err_raise(int lib, int reason, const char *format, ...);
extern void *chain_dup(struct store_ctx *c);
extern void store_ctx_depth(struct store_ctx *c, int depth);

int ocsp_verify_signer(struct signer *signer, int response, void *store, unsigned flags, void *untrusted,
                       void **chain)
{
    struct store_ctx *ctx = store_ctx_new();
    int ret = -1;

    if (ctx == NULL) {
        err_raise(39, 65, "no memory");
        goto end;
    }
    if (!store_ctx_init(ctx, store, signer, untrusted)) {
        err_raise(39, 15, "cannot set up");
        goto end;
    }
    if (response && (flags & 0x200))
        store_ctx_purpose(ctx, 8);
#ifdef LATER
    if (signer->trust > 3)
        store_ctx_depth(ctx, signer->trust + 1);
#endif
    ret = verify_cert(ctx);
    if (ret <= 0) {
#ifdef PATCHED
        int err = store_ctx_error(ctx);

        err_raise(39, 101, "verify error: %s", verify_error_text(err));
#else
        ret = store_ctx_error(ctx);
        err_raise(39, 101, "verify error: %s", verify_error_text(ret));
#endif
        goto end;
    }
    if (chain != NULL)
        *chain = chain_dup(ctx);
#ifdef LATER
    signer->trust++;
#endif
end:
    store_ctx_free(ctx);
    return ret;
}
