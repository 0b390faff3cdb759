/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RC4 of the library that this is linked with, on known answers: prints what comes out. Compiled with OPENSSL or without,
 * for mbedTLS. `used` says which of the two libraries are in the process. */
#include <stdio.h>
#include <string.h>

#ifdef OPENSSL
struct context { _Alignas(16) unsigned char room[2048]; };
void RC4_set_key(struct context *, int, const unsigned char *);
void RC4(struct context *, size_t, const unsigned char *, unsigned char *);
static void set_up(struct context *c, const unsigned char *key, unsigned n) { RC4_set_key(c, (int)n, key); }
static void encrypt(struct context *c, size_t n, const unsigned char *in, unsigned char *out) { RC4(c, n, in, out); }
#else
struct context { _Alignas(16) unsigned char room[2048]; };
void mbedtls_arc4_setup(struct context *, const unsigned char *, unsigned);
int mbedtls_arc4_crypt(struct context *, size_t, const unsigned char *, unsigned char *);
static void set_up(struct context *c, const unsigned char *key, unsigned n) { mbedtls_arc4_setup(c, key, n); }
static void encrypt(struct context *c, size_t n, const unsigned char *in, unsigned char *out) { mbedtls_arc4_crypt(c, n, in, out); }
#endif

static void say(const unsigned char *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", out[i]);
    putchar('\n');
}

int main(void)
{
    /* the three well-known ones */
    static const char *const vector[][2] = {{"Key", "Plaintext"}, {"Wiki", "pedia"}, {"Secret", "Attack at dawn"}};
    struct context c;
    unsigned char out[5000], zero[5000] = {0};
    for (unsigned i = 0; i < 3; i++) {
        memset(&c, 0x5a, sizeof c);
        set_up(&c, (const unsigned char *)vector[i][0], (unsigned)strlen(vector[i][0]));
        encrypt(&c, strlen(vector[i][1]), (const unsigned char *)vector[i][1], out);
        say(out, strlen(vector[i][1]));
    }
    /* RFC 6229: keys of 1, 2, 3, ... with 5, 7, 16 and 32 bytes, in pieces of any length: 16 bytes at 0, 240 and 4096 */
    static const unsigned length[] = {5, 7, 16, 32}, at[] = {0, 240, 4096};
    for (unsigned i = 0; i < 4; i++) {
        unsigned char key[32];
        for (unsigned k = 0; k < 32; k++)
            key[k] = (unsigned char)(k + 1);
        memset(&c, 0xa5, sizeof c);
        set_up(&c, key, length[i]);
        for (size_t done = 0, piece = 0; done < sizeof out; done += piece) {
            piece = (piece * 5 + 3) % 611;
            if (piece > sizeof out - done)
                piece = sizeof out - done;
            encrypt(&c, piece, zero + done, out + done);
        }
        for (unsigned k = 0; k < 3; k++)
            say(out + at[k], 16);
    }
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[500];
    int openssl = 0, mbedtls = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        openssl |= strstr(line, "libcrypto.so") != NULL;
        mbedtls |= strstr(line, "libmbedcrypto.so") != NULL;
    }
    printf("used%s%s\n", openssl ? " openssl" : "", mbedtls ? " mbedtls" : "");
    return 0;
}
