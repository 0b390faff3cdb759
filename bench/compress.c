/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One block of four hash functions, all rounds written out, from FIPS 180-4, RFC 1321 and GB/T 32905-2016:
 * straight code of sums, rotations and choices, which compilers arrange each in its own way. */
#include <stdint.h>

#define ROL(x, n) ((x) << (n) | (x) >> (32 - (n)))
#define ROR(x, n) ROL(x, 32 - (n))
#define FOUR(step, i) step(i) step((i) + 1) step((i) + 2) step((i) + 3)
#define SIXTEEN(step, i) FOUR(step, i) FOUR(step, (i) + 4) FOUR(step, (i) + 8) FOUR(step, (i) + 12)

static inline uint32_t big(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t little(const uint8_t *p)
{
    return (uint32_t)p[3] << 24 | (uint32_t)p[2] << 16 | (uint32_t)p[1] << 8 | p[0];
}

#define CH(x, y, z) (((x) & (y)) ^ (~(x) & (z)))
#define MAJ(x, y, z) (((x) & (y)) ^ ((x) & (z)) ^ ((y) & (z)))

void sha1(uint32_t h[5], const uint8_t *block)
{
    uint32_t w[80], a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], t;
#define LOAD(i) w[i] = big(block + 4 * (i));
#define MORE(i) t = w[(i) - 3] ^ w[(i) - 8] ^ w[(i) - 14] ^ w[(i) - 16]; w[i] = ROL(t, 1);
#define TURN(f, k, i) t = ROL(a, 5) + (f) + e + (k) + w[i]; e = d; d = c; c = ROL(b, 30); b = a; a = t;
#define R0(i) LOAD(i) TURN(CH(b, c, d), 0x5a827999u, i)
#define R1(i) MORE(i) TURN(CH(b, c, d), 0x5a827999u, i)
#define R2(i) MORE(i) TURN(b ^ c ^ d, 0x6ed9eba1u, i)
#define R3(i) MORE(i) TURN(MAJ(b, c, d), 0x8f1bbcdcu, i)
#define R4(i) MORE(i) TURN(b ^ c ^ d, 0xca62c1d6u, i)
    SIXTEEN(R0, 0)
    FOUR(R1, 16)
    SIXTEEN(R2, 20) FOUR(R2, 36)
    SIXTEEN(R3, 40) FOUR(R3, 56)
    SIXTEEN(R4, 60) FOUR(R4, 76)
    h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e;
#undef LOAD
#undef MORE
#undef TURN
#undef R0
#undef R1
#undef R2
#undef R3
#undef R4
}

static const uint32_t k256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

void sha256(uint32_t s[8], const uint8_t *block)
{
    uint32_t w[64], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7], t, u;
#define LOAD(i) w[i] = big(block + 4 * (i));
#define MORE(i)                                                                                              \
    t = ROR(w[(i) - 15], 7) ^ ROR(w[(i) - 15], 18) ^ w[(i) - 15] >> 3;                                       \
    u = ROR(w[(i) - 2], 17) ^ ROR(w[(i) - 2], 19) ^ w[(i) - 2] >> 10;                                        \
    w[i] = u + w[(i) - 7] + t + w[(i) - 16];
#define TURN(i)                                                                                              \
    t = h + (ROR(e, 6) ^ ROR(e, 11) ^ ROR(e, 25)) + CH(e, f, g) + k256[i] + w[i];                            \
    u = (ROR(a, 2) ^ ROR(a, 13) ^ ROR(a, 22)) + MAJ(a, b, c);                                                \
    h = g; g = f; f = e; e = d + t; d = c; c = b; b = a; a = t + u;
#define R0(i) LOAD(i) TURN(i)
#define R1(i) MORE(i) TURN(i)
    SIXTEEN(R0, 0)
    SIXTEEN(R1, 16)
    SIXTEEN(R1, 32)
    SIXTEEN(R1, 48)
    s[0] += a, s[1] += b, s[2] += c, s[3] += d, s[4] += e, s[5] += f, s[6] += g, s[7] += h;
#undef LOAD
#undef MORE
#undef TURN
#undef R0
#undef R1
}

void md5(uint32_t h[4], const uint8_t *block)
{
    uint32_t w[16], a = h[0], b = h[1], c = h[2], d = h[3];
#define LOAD(i) w[i] = little(block + 4 * (i));
#define TURN(f, a, b, c, d, i, s, k) a += f(b, c, d) + w[i] + (k); a = ROL(a, s) + b;
#define F(x, y, z) (((x) & (y)) | (~(x) & (z)))
#define G(x, y, z) (((x) & (z)) | ((y) & ~(z)))
#define H(x, y, z) ((x) ^ (y) ^ (z))
#define I(x, y, z) ((y) ^ ((x) | ~(z)))
#define R(f, i, j, k, l, s, t, u, v, m, n, o, p)                                                             \
    TURN(f, a, b, c, d, i, s, m) TURN(f, d, a, b, c, j, t, n) TURN(f, c, d, a, b, k, u, o) TURN(f, b, c, d, a, l, v, p)
    SIXTEEN(LOAD, 0)
    R(F, 0, 1, 2, 3, 7, 12, 17, 22, 0xd76aa478u, 0xe8c7b756u, 0x242070dbu, 0xc1bdceeeu)
    R(F, 4, 5, 6, 7, 7, 12, 17, 22, 0xf57c0fafu, 0x4787c62au, 0xa8304613u, 0xfd469501u)
    R(F, 8, 9, 10, 11, 7, 12, 17, 22, 0x698098d8u, 0x8b44f7afu, 0xffff5bb1u, 0x895cd7beu)
    R(F, 12, 13, 14, 15, 7, 12, 17, 22, 0x6b901122u, 0xfd987193u, 0xa679438eu, 0x49b40821u)
    R(G, 1, 6, 11, 0, 5, 9, 14, 20, 0xf61e2562u, 0xc040b340u, 0x265e5a51u, 0xe9b6c7aau)
    R(G, 5, 10, 15, 4, 5, 9, 14, 20, 0xd62f105du, 0x02441453u, 0xd8a1e681u, 0xe7d3fbc8u)
    R(G, 9, 14, 3, 8, 5, 9, 14, 20, 0x21e1cde6u, 0xc33707d6u, 0xf4d50d87u, 0x455a14edu)
    R(G, 13, 2, 7, 12, 5, 9, 14, 20, 0xa9e3e905u, 0xfcefa3f8u, 0x676f02d9u, 0x8d2a4c8au)
    R(H, 5, 8, 11, 14, 4, 11, 16, 23, 0xfffa3942u, 0x8771f681u, 0x6d9d6122u, 0xfde5380cu)
    R(H, 1, 4, 7, 10, 4, 11, 16, 23, 0xa4beea44u, 0x4bdecfa9u, 0xf6bb4b60u, 0xbebfbc70u)
    R(H, 13, 0, 3, 6, 4, 11, 16, 23, 0x289b7ec6u, 0xeaa127fau, 0xd4ef3085u, 0x04881d05u)
    R(H, 9, 12, 15, 2, 4, 11, 16, 23, 0xd9d4d039u, 0xe6db99e5u, 0x1fa27cf8u, 0xc4ac5665u)
    R(I, 0, 7, 14, 5, 6, 10, 15, 21, 0xf4292244u, 0x432aff97u, 0xab9423a7u, 0xfc93a039u)
    R(I, 12, 3, 10, 1, 6, 10, 15, 21, 0x655b59c3u, 0x8f0ccc92u, 0xffeff47du, 0x85845dd1u)
    R(I, 8, 15, 6, 13, 6, 10, 15, 21, 0x6fa87e4fu, 0xfe2ce6e0u, 0xa3014314u, 0x4e0811a1u)
    R(I, 4, 11, 2, 9, 6, 10, 15, 21, 0xf7537e82u, 0xbd3af235u, 0x2ad7d2bbu, 0xeb86d391u)
    h[0] += a, h[1] += b, h[2] += c, h[3] += d;
#undef LOAD
#undef TURN
#undef F
#undef G
#undef H
#undef I
#undef R
}

void sm3(uint32_t s[8], const uint8_t *block)
{
    uint32_t w[68], a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], g = s[6], h = s[7], t, u;
#define P1(x) ((x) ^ ROL(x, 15) ^ ROL(x, 23))
#define LOAD(i) w[i] = big(block + 4 * (i));
#define MORE(i)                                                                                              \
    t = w[(i) - 16] ^ w[(i) - 9] ^ ROL(w[(i) - 3], 15);                                                      \
    w[i] = P1(t) ^ ROL(w[(i) - 13], 7) ^ w[(i) - 6];
#define K(i, k) ((k) << ((i) & 31) | (uint32_t)((uint64_t)(k) >> (32 - ((i) & 31))))
#define TURN(i, ff, gg, k)                                                                                   \
    u = ROL(a, 12) + e + K(i, k); u = ROL(u, 7); t = u ^ ROL(a, 12);                                         \
    t += (ff) + d + (w[i] ^ w[(i) + 4]); u += (gg) + h + w[i];                                               \
    d = c; c = ROL(b, 9); b = a; a = t; h = g; g = ROL(f, 19); f = e; e = u ^ ROL(u, 9) ^ ROL(u, 17);
#define R0(i) TURN(i, a ^ b ^ c, e ^ f ^ g, 0x79cc4519u)
#define R1(i) MORE((i) + 4) R0(i)
#define R2(i) MORE((i) + 4) TURN(i, MAJ(a, b, c), CH(e, f, g), 0x7a879d8au)
    SIXTEEN(LOAD, 0)
    FOUR(R0, 0) FOUR(R0, 4) FOUR(R0, 8) FOUR(R1, 12)
    SIXTEEN(R2, 16)
    SIXTEEN(R2, 32)
    SIXTEEN(R2, 48)
    s[0] ^= a, s[1] ^= b, s[2] ^= c, s[3] ^= d, s[4] ^= e, s[5] ^= f, s[6] ^= g, s[7] ^= h;
#undef P1
#undef LOAD
#undef MORE
#undef K
#undef TURN
#undef R0
#undef R1
#undef R2
}
