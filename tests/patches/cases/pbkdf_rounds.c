/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=pbkdf_rounds function=derive_storage_key kind=constant
 * why: A thousand rounds are too few for a key that is kept. */
struct vault {
    uint8_t salt[16];
    uint32_t rounds;
    uint8_t key[32];
    int locked;
    uint32_t opened;
};

extern int random_fill(void *p, size_t size);
extern int pbkdf2(const char *pass, size_t pass_length, const uint8_t *salt, size_t salt_length,
                  uint32_t rounds, uint8_t *out, size_t size);
extern void wipe(void *p, size_t size);

int derive_storage_key(struct vault *v, const char *pass)
{
    size_t length = strlen(pass);

    if (length < 8)
        return -22;
#ifdef LATER
    if (length > 1024)
        return -7;
#endif
    if (v->rounds == 0) {
        if (random_fill(v->salt, sizeof v->salt) != 0)
            return -5;
#ifdef PATCHED
        v->rounds = 310000;
#else
        v->rounds = 1000;
#endif
    }
    if (pbkdf2(pass, length, v->salt, sizeof v->salt, v->rounds, v->key, sizeof v->key) != 0) {
        wipe(v->key, sizeof v->key);
        v->locked = 1;
        return -5;
    }
    v->locked = 0;
#ifdef LATER
    v->opened++;
#endif
    return 0;
}
