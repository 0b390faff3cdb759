/* SPDX-License-Identifier: GPL-3.0-or-later */
/* corpus: name=goto_fail_repaired function=verify_chain_entry kind=goto-fail
 * strict: unsafe P4
 * analyst: safe accept=Q4,P3
 * why: The other way round, a superfluous goto was removed: right, but it makes a call that was not made
 *   before. */
#include <stddef.h>
#include <stdint.h>

extern int cert_parse(void *c, const uint8_t *der, unsigned len);
extern int cert_dates(void *c);
extern int cert_signature(void *c, void *issuer);
extern void cert_free(void *c);

int verify_chain_entry(void *c, void *issuer, const uint8_t *der, unsigned len)
{
    int err;

    if ((err = cert_parse(c, der, len)) != 0)
        goto fail;
    if ((err = cert_dates(c)) != 0)
        goto fail;
#ifndef PATCHED
    goto fail;
#endif
    err = cert_signature(c, issuer);
fail:
    cert_free(c);
    return err;
}
