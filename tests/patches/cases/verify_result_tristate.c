/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=verify_result_tristate function=package_verify kind=condition
 * why: The check returns 1 for good, 0 for bad and less for an error; errors were taken for good. */
struct package {
    const uint8_t *body, *sig;
    uint32_t body_size, sig_size;
    int trusted;
    uint32_t checks;
};

extern void *key_load(const char *name);
extern void key_free(void *key);
extern int key_verify(void *key, const uint8_t *p, uint32_t n, const uint8_t *sig, uint32_t sig_size);
extern void package_reject(struct package *p, const char *why);

int package_verify(struct package *p, const char *keyname)
{
    void *key = key_load(keyname);
    int ok;

    if (key == NULL) {
        package_reject(p, "no key");
        return -1;
    }
#ifdef LATER
    p->checks++;
    if (p->sig_size > 512) {
        package_reject(p, "signature too long");
        key_free(key);
        return -1;
    }
#endif
    ok = key_verify(key, p->body, p->body_size, p->sig, p->sig_size);
    key_free(key);
#ifdef PATCHED
    if (ok <= 0) {
#else
    if (ok == 0) {
#endif
        package_reject(p, "bad signature");
        return -1;
    }
    p->trusted = 1;
    return 0;
}
