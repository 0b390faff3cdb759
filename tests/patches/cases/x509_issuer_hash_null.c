/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=x509_issuer_hash_null function=x509_issuer_serial_hash kind=null-check
 * why: The issuer's name as text may not be had; it was used all the same (after CVE-2021-23841). */
struct name {
    const uint8_t *der;
    size_t length;
};
struct cert {
    int version;
    uint32_t flags;
    struct name *issuer, *subject;
    uint8_t *serial;
    int serial_length;
};

extern char *name_oneline(const struct name *n, char *buf, int size);
extern int digest_new(void **ctx, int kind);
extern int digest_update(void *ctx, const void *data, size_t size);
extern int digest_final(void *ctx, uint8_t *out);
extern void digest_free(void *ctx);
extern void trace_event(int event, const void *what);

unsigned long x509_issuer_serial_hash(struct cert *a)
{
    unsigned long ret = 0;
    void *ctx = NULL;
    uint8_t md[16];
    char *f;

    if (!digest_new(&ctx, 4))
        goto err;
#ifdef LATER
    trace_event(17, a->serial);
#endif
    f = name_oneline(a->issuer, NULL, 0);
#ifdef PATCHED
    if (f == NULL)
        goto err;
#endif
    if (!digest_update(ctx, f, strlen(f)))
        goto err;
    free(f);
#ifdef LATER
    if (a->version > 2 && !digest_update(ctx, &a->flags, sizeof a->flags))
        goto err;
#endif
    if (!digest_update(ctx, a->serial, (size_t)a->serial_length))
        goto err;
    if (!digest_final(ctx, md))
        goto err;
    ret = ((unsigned long)md[0] | (unsigned long)md[1] << 8 | (unsigned long)md[2] << 16 |
           (unsigned long)md[3] << 24) &
          0xffffffffL;
err:
    digest_free(ctx);
    return ret;
}
