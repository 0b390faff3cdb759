/* SPDX-License-Identifier: GPL-3.0-or-later */
/* patch: name=legacy_cipher_removed function=cipher_for_id kind=deletion
 * why: Two ciphers that are broken are no longer known. */
struct cipher {
    uint16_t id;
    uint8_t key, block, tag;
};

extern const struct cipher *cipher_aes(int bits, int mode);
extern const struct cipher *cipher_chacha(void);
extern const struct cipher *cipher_rc4(int bits);
extern const struct cipher *cipher_des(int keys);
extern void cipher_unknown(uint16_t id);
extern int policy_allows(uint16_t id);

const struct cipher *cipher_for_id(uint32_t id, int fips)
{
#ifdef LATER
    if (!policy_allows((uint16_t)id))
        return NULL;
#endif
    switch (id) {
    case 0x1301:
        return cipher_aes(128, 7);
    case 0x1302:
        return cipher_aes(256, 7);
    case 0x1303:
        return fips ? NULL : cipher_chacha();
    case 0x002f:
        return cipher_aes(128, 2);
#ifndef PATCHED
    case 0x0005:
        return cipher_rc4(128);
    case 0x0009:
        return cipher_des(1);
#endif
    case 0x0035:
        return cipher_aes(256, 2);
#ifdef LATER
    case 0xc09c:
        return cipher_aes(128, 9);
#endif
    default:
        cipher_unknown((uint16_t)id);
        return NULL;
    }
}
