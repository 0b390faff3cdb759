/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SHA-256 (FIPS 180-4), to name inputs in reports. Eighty lines of our own instead of libcrypto: an identity
 * of a file is all that is wanted, and none of the libraries we already need offers it. */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES + 1 };

void sha256(const void *data, size_t n, uint8_t out[SHA256_BYTES]);
/* The same as lower-case hexadecimal, terminated. */
void sha256_hex(const void *data, size_t n, char out[SHA256_HEX]);

#endif
