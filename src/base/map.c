/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

uint64_t hash_u64(uint64_t x)
{
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

uint64_t hash_bytes(const void *p, size_t n)
{
    const unsigned char *s = p;
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ s[i]) * 0x100000001b3u;
    return hash_u64(h);
}

enum { SLOT_FREE, SLOT_DELETED, SLOT_USED = 0x80 };

/* What the slot of a key with that hash is marked with: a part of the hash, so that hardly a slot is looked
 * at but the one with the key. */
static uint8_t mark_of(uint64_t hash)
{
    return (uint8_t)(SLOT_USED | hash >> 57);
}

/* Where key is, or where it may be put (the first deleted or free slot on its way). */
static size_t map_locate(const struct map *m, uint64_t key, uint64_t hash, bool *found)
{
    const size_t mask = m->cap - 1;
    const uint8_t mark = mark_of(hash);
    size_t i = hash & mask, put = SIZE_MAX;
    for (;; i = (i + 1) & mask) {
        if (m->used[i] == mark && m->slot[i].key == key) {
            *found = true;
            return i;
        }
        if (m->used[i] == SLOT_FREE) {
            *found = false;
            return put == SIZE_MAX ? i : put;
        }
        if (m->used[i] == SLOT_DELETED && put == SIZE_MAX)
            put = i;
    }
}

static void map_rehash(struct map *m, size_t cap)
{
    struct map old = *m;
    m->slot = xmalloc(cap * sizeof *m->slot);
    m->used = xcalloc(cap, 1);
    m->cap = cap;
    m->fill = m->len;
    for (size_t i = 0; i < old.cap; i++) {
        if (!(old.used[i] & SLOT_USED))
            continue;
        bool found;
        size_t at = map_locate(m, old.slot[i].key, hash_u64(old.slot[i].key), &found);
        m->slot[at] = old.slot[i];
        m->used[at] = old.used[i];
    }
    free(old.slot);
    free(old.used);
}

bool map_get(const struct map *m, uint64_t key, uint64_t *value)
{
    if (!m->len)
        return false;
    bool found;
    size_t i = map_locate(m, key, hash_u64(key), &found);
    if (found && value)
        *value = m->slot[i].value;
    return found;
}

uint64_t map_find(const struct map *m, uint64_t key, uint64_t absent)
{
    uint64_t v = absent;
    map_get(m, key, &v);
    return v;
}

bool map_set(struct map *m, uint64_t key, uint64_t value)
{
    if ((m->fill + 1) * 4 > m->cap * 3)
        map_rehash(m, m->len * 4 > m->cap ? (m->cap ? m->cap * 2 : 16) : (m->cap ? m->cap : 16));
    const uint64_t hash = hash_u64(key);
    bool found;
    size_t i = map_locate(m, key, hash, &found);
    if (!found) {
        if (m->used[i] == SLOT_FREE)
            m->fill++;
        m->used[i] = mark_of(hash);
        m->slot[i].key = key;
        m->len++;
    }
    m->slot[i].value = value;
    return !found;
}

bool map_remove(struct map *m, uint64_t key)
{
    if (!m->len)
        return false;
    bool found;
    size_t i = map_locate(m, key, hash_u64(key), &found);
    if (found) {
        m->used[i] = SLOT_DELETED;
        m->len--;
    }
    return found;
}

void map_clear(struct map *m)
{
    if (m->cap)
        memset(m->used, 0, m->cap);
    m->len = m->fill = 0;
}

void map_free(struct map *m)
{
    free(m->slot);
    free(m->used);
    *m = (struct map){0};
}

struct map map_copy(const struct map *m)
{
    struct map copy = *m;
    copy.slot = m->cap ? xmalloc(m->cap * sizeof *m->slot) : NULL;
    copy.used = m->cap ? xmalloc(m->cap) : NULL;
    if (m->cap) {
        memcpy(copy.slot, m->slot, m->cap * sizeof *m->slot);
        memcpy(copy.used, m->used, m->cap);
    }
    return copy;
}

size_t map_next(const struct map *m, size_t i, uint64_t *key, uint64_t *value)
{
    for (; i < m->cap; i++) {
        if (m->used[i] & SLOT_USED) {
            if (key)
                *key = m->slot[i].key;
            if (value)
                *value = m->slot[i].value;
            return i + 1;
        }
    }
    return 0;
}

static size_t strmap_locate(const struct strmap *m, const char *key)
{
    size_t mask = m->cap - 1, i = hash_bytes(key, strlen(key)) & mask;
    while (m->key[i] && strcmp(m->key[i], key) != 0)
        i = (i + 1) & mask;
    return i;
}

bool strmap_get(const struct strmap *m, const char *key, uint64_t *value)
{
    if (!m->len)
        return false;
    size_t i = strmap_locate(m, key);
    if (m->key[i] && value)
        *value = m->value[i];
    return m->key[i] != NULL;
}

uint64_t strmap_find(const struct strmap *m, const char *key, uint64_t absent)
{
    uint64_t v = absent;
    strmap_get(m, key, &v);
    return v;
}

bool strmap_set(struct strmap *m, const char *key, uint64_t value)
{
    if ((m->len + 1) * 4 > m->cap * 3) {
        struct strmap old = *m;
        m->cap = old.cap ? old.cap * 2 : 16;
        m->key = xcalloc(m->cap, sizeof *m->key);
        m->value = xmalloc(m->cap * sizeof *m->value);
        for (size_t i = 0; i < old.cap; i++) {
            if (!old.key[i])
                continue;
            size_t at = strmap_locate(m, old.key[i]);
            m->key[at] = old.key[i];
            m->value[at] = old.value[i];
        }
        free(old.key);
        free(old.value);
    }
    size_t i = strmap_locate(m, key);
    bool fresh = !m->key[i];
    if (fresh) {
        m->key[i] = key;
        m->len++;
    }
    m->value[i] = value;
    return fresh;
}

void strmap_free(struct strmap *m)
{
    free(m->key);
    free(m->value);
    *m = (struct strmap){0};
}
