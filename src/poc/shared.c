/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What programs do on inputs. Workers judge candidates side by side and come to the same inputs; memory that
 * they share keeps how the original ended, and candidates together with those that do the same, so one of
 * them runs it. An entry is written once, by whoever takes it first, and is read when it is complete; a full
 * table only means that a run is made again. */
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "base/map.h"
#include "poc/poc.h"

enum { ENTRIES = 8192, NAME_MOST = 96 };
enum { FREE, TAKEN, COMPLETE };

struct entry {
    _Atomic uint32_t state;
    char digest[SHA256_HEX];
    unsigned family; /* 0: the original */
    uint64_t members;
    struct poc_did did; /* its crash's function is `function` */
    bool named;
    char function[NAME_MOST];
};
struct poc_shared {
    struct entry entry[ENTRIES];
};

struct poc_shared *poc_shared_new(void)
{
    void *p = mmap(NULL, sizeof(struct poc_shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void poc_shared_free(struct poc_shared *s)
{
    if (s)
        munmap(s, sizeof *s);
}

static size_t home_of(const char *digest)
{
    return hash_bytes(digest, strlen(digest)) % ENTRIES;
}

bool poc_shared_get(struct poc_shared *s, const char *digest, unsigned family, unsigned member,
                    struct poc_did *out, struct arena *arena)
{
    for (size_t i = 0, at = home_of(digest); s && i < ENTRIES; i++, at = (at + 1) % ENTRIES) {
        const struct entry *e = &s->entry[at];
        uint32_t state = atomic_load_explicit(&e->state, memory_order_acquire);
        if (state == FREE)
            return false;
        if (state != COMPLETE || e->family != family || !(e->members >> member & 1) ||
            strcmp(e->digest, digest) != 0)
            continue;
        *out = e->did;
        out->crash.function = e->named ? arena_strdup(arena, e->function) : NULL;
        return true;
    }
    return false;
}

void poc_shared_put(struct poc_shared *s, const char *digest, unsigned family, uint64_t members,
                    const struct poc_did *did)
{
    const char *function = did->crash.function;
    if (!s || (function && strlen(function) >= NAME_MOST))
        return;
    for (size_t i = 0, at = home_of(digest); i < ENTRIES; i++, at = (at + 1) % ENTRIES) {
        struct entry *e = &s->entry[at];
        uint32_t free = FREE;
        if (!atomic_compare_exchange_strong(&e->state, &free, TAKEN))
            continue;
        strcpy(e->digest, digest);
        e->family = family;
        e->members = members;
        e->did = *did;
        e->did.crash.function = NULL;
        e->named = function != NULL;
        strcpy(e->function, function ? function : "");
        atomic_store_explicit(&e->state, COMPLETE, memory_order_release);
        return;
    }
}
