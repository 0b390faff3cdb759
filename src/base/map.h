/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one hash table: 64-bit key to 64-bit value, open addressing. Zero-initialised memory is a valid empty map.
 * `strmap` is the same for strings, which it does not own (intern them in an arena first). */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot {
    uint64_t key, value;
};

struct map {
    struct map_slot *slot;
    uint8_t *used; /* 0 free, 1 deleted, else in use */
    size_t cap;    /* power of two or 0 */
    size_t len;    /* live entries */
    size_t fill;   /* live and deleted */
};

uint64_t hash_u64(uint64_t x);
uint64_t hash_bytes(const void *p, size_t n);

bool map_get(const struct map *m, uint64_t key, uint64_t *value); /* value may be NULL */
uint64_t map_find(const struct map *m, uint64_t key, uint64_t absent);
/* Sets key to value; returns true when the key was not there. */
bool map_set(struct map *m, uint64_t key, uint64_t value);
bool map_remove(struct map *m, uint64_t key);
void map_clear(struct map *m);
void map_free(struct map *m);
struct map map_copy(const struct map *m);
/* Iteration in unspecified order: for (size_t i = 0; (i = map_next(m, i, &k, &v));) */
size_t map_next(const struct map *m, size_t i, uint64_t *key, uint64_t *value);

struct strmap {
    const char **key;
    uint64_t *value;
    size_t cap, len;
};

bool strmap_get(const struct strmap *m, const char *key, uint64_t *value);
uint64_t strmap_find(const struct strmap *m, const char *key, uint64_t absent);
bool strmap_set(struct strmap *m, const char *key, uint64_t value); /* borrows key */
void strmap_free(struct strmap *m);

#endif
