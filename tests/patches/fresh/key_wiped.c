/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=key_wiped function=vault_open kind=information-leak
 * why: The derived key stayed on the stack. */
extern int derive_key(const char *password, const uint8_t *salt, uint8_t *key, size_t size);
extern int aead_open(const uint8_t *key, const uint8_t *in, size_t size, uint8_t *out);
extern void wipe(void *p, size_t size);
extern void audit(int event, int result);

struct vault {
    uint8_t salt[16];
    uint32_t size, opened;
    uint8_t body[512];
};

int vault_open(struct vault *v, const char *password, uint8_t *out)
{
    uint8_t key[32];
    int r;

    if (v->size > sizeof v->body || v->size < 16)
        return -22;
    r = derive_key(password, v->salt, key, sizeof key);
    if (r != 0)
        return r;
    r = aead_open(key, v->body, v->size, out);
#ifdef PATCHED
    wipe(key, sizeof key);
#endif
#ifdef LATER
    audit(17, r);
#endif
    if (r == 0)
        v->opened++;
    return r;
}
