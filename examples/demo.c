/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small program to look at: a packet parser with a table of kinds, a checksum loop and an error exit. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packet {
    uint8_t kind, flags;
    uint16_t length;
    uint8_t payload[60];
};

__attribute__((noinline, noreturn)) static void fail(const char *why)
{
    fprintf(stderr, "demo: %s\n", why);
    exit(1);
}

__attribute__((noinline)) int clamp(int x, int low, int high)
{
    if (x < low)
        return low;
    return x > high ? high : x;
}

__attribute__((noinline)) const char *kind_name(unsigned kind)
{
    switch (kind) {
    case 0:
        return "hello";
    case 1:
        return "data";
    case 2:
        return "ack";
    case 3:
        return "reset";
    case 4:
        return "probe";
    case 5:
        return "bye";
    default:
        return NULL;
    }
}

__attribute__((noinline)) unsigned checksum(const uint8_t *p, size_t n)
{
    unsigned sum = 0;
    for (size_t i = 0; i < n; i++)
        sum = sum * 31 + p[i];
    return sum;
}

__attribute__((noinline)) int parse(struct packet *p, const uint8_t *in, size_t n)
{
    if (n < 4)
        return -1;
    p->kind = in[0];
    p->flags = in[1];
    p->length = (uint16_t)(in[2] << 8 | in[3]);
    if (p->length > sizeof p->payload || p->length > n - 4)
        return -2;
    memcpy(p->payload, in + 4, p->length);
    return p->length;
}

int main(int argc, char **argv)
{
    struct packet p;
    if (argc < 2)
        fail("an argument is needed");
    const uint8_t *in = (const uint8_t *)argv[1];
    int n = parse(&p, in, strlen(argv[1]));
    if (n < 0)
        fail("not a packet");
    const char *name = kind_name(p.kind);
    printf("%s: %d bytes, checksum %u\n", name ? name : "unknown", clamp(n, 0, 60),
           checksum(p.payload, (size_t)n));
    return 0;
}
