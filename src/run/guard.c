/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The guarding allocator, preloaded into programs that `assay poc` runs.
 *
 * A chunk ends where its slot ends, and behind the slot is memory that nobody may touch: an overflow faults
 * at the very access, and a chunk of no bytes at the first. A freed slot is never used again and may not be
 * touched either: so does a use after free. What a chunk holds at first is zero, or guard_pool.fill. Slots
 * are of four sizes; slot and unused part behind it are of the same power of two, so that one bit of an
 * address tells which of the two it is in.
 *
 * Functions that copy, fill, compare and search are here as plain loops. The same code is run by the
 * processor and followed by the symbolic executor, so what faults there faults here, at the same byte. What
 * ends a program in despair (abort, a failed assertion, a smashed stack, freeing twice, a division by zero on
 * ARM) faults at address 0 in the function of that name, for both of them likewise.
 *
 * guard_pool is read by src/run. Not for programs with threads. */
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))
#define APART __attribute__((noinline, noclone))
#define DESPAIR                                                                                              \
    for (;;)                                                                                                 \
    *(volatile char *)0 = 0
#define STAYS __asm__ volatile("" ::: "memory") /* no tail call */

enum { CLASSES = 4, SLOTS = 1536 + 128 + 24 + 4, PAGE = 4096 };
enum { NEVER, LIVE, FREED };

/* As src/run/guard.h has it. */
struct guard_class {
    uint64_t base;  /* of the first slot */
    uint64_t bytes; /* of a slot: a power of two, as many are unused behind it */
    uint64_t slots, used, open;
    uint64_t first; /* index of the first slot in `state` and `size` */
};
struct guard_pool {
    uint64_t ready;
    struct guard_class cls[CLASSES];
    uint64_t size[SLOTS]; /* of the chunk */
    uint8_t state[SLOTS];
    uint8_t fill; /* written from outside: what chunks hold at first, and what is before them */
};
EXPORT struct guard_pool guard_pool;

/* Known by name: what it does to memory is told from `state`. */
EXPORT APART void guard_protect(void *at, size_t n, int how)
{
    mprotect(at, n, how);
    STAYS;
}

/* Slots are opened a few at a time, as each costs a call of the system. What is written into a process from
 * outside may take some that it has not come to, so some are kept open ahead; only small ones are taken so.
 */
enum { SMALL_AHEAD = 16, LARGE_AHEAD = 0, SMALL_MORE = 4, LARGE_MORE = 1 };
static inline uint64_t ahead_of(const struct guard_class *k)
{
    return k->bytes == PAGE ? SMALL_AHEAD : LARGE_AHEAD;
}

EXPORT APART void guard_open(struct guard_class *k)
{
    uint64_t until = k->used + ahead_of(k) + (k->bytes == PAGE ? SMALL_MORE : LARGE_MORE);
    for (; k->open < until && k->open < k->slots; k->open++)
        guard_protect((char *)(uintptr_t)(k->base + k->open * k->bytes * 2), k->bytes, PROT_READ | PROT_WRITE);
    STAYS;
}

EXPORT APART void guard_start(void)
{
    static const unsigned pages[CLASSES] = {1, 16, 256, 4096}, slots[CLASSES] = {1536, 128, 24, 4};
    struct guard_pool *g = &guard_pool;
    uint64_t first = 0;
    g->ready = 1;
    for (unsigned c = 0; c < CLASSES; c++) {
        size_t bytes = (size_t)pages[c] * PAGE, all = bytes * 2 * (slots[c] + 1);
        char *at = mmap(NULL, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (at == MAP_FAILED)
            continue;
        uint64_t base = ((uint64_t)(uintptr_t)at + bytes * 2 - 1) / (bytes * 2) * (bytes * 2);
        g->cls[c] = (struct guard_class){.base = base, .bytes = bytes, .slots = slots[c], .first = first};
        if (ahead_of(&g->cls[c]))
            guard_open(&g->cls[c]);
        first += slots[c];
    }
}

/* So that the pool is there when a call begins that asks for the program's first chunk. */
__attribute__((constructor)) static void start_early(void)
{
    if (!guard_pool.ready)
        guard_start();
}

/* What a program does with memory that it has not written to shows in what it does when that holds something
 * else. */
EXPORT APART void guard_fill(char *end, size_t n)
{
    for (size_t i = 1; i <= n; i++)
        end[-i] = (char)guard_pool.fill;
    STAYS;
}

EXPORT void *malloc(size_t n)
{
    struct guard_pool *g = &guard_pool;
    if (!g->ready)
        guard_start();
    for (unsigned c = 0; c < CLASSES; c++) {
        struct guard_class *k = &g->cls[c];
        if (n > k->bytes || k->used == k->slots)
            continue;
        uint64_t i = k->used++;
        if (k->open < k->used + ahead_of(k) && k->open < k->slots)
            guard_open(k);
        g->state[k->first + i] = LIVE;
        g->size[k->first + i] = n;
        char *end = (char *)(uintptr_t)(k->base + i * 2 * k->bytes + k->bytes);
        if (g->fill)
            guard_fill(end, n + PAGE < k->bytes ? n + PAGE : k->bytes);
        return end - n;
    }
    return NULL;
}

/* The slot of a chunk; SLOTS: none of ours. */
static inline uint64_t slot_of(uintptr_t p, uint64_t *base, uint64_t *bytes)
{
    struct guard_pool *g = &guard_pool;
    for (unsigned c = 0; c < CLASSES; c++) {
        struct guard_class *k = &g->cls[c];
        if (p < k->base || p >= k->base + k->slots * 2 * k->bytes)
            continue;
        uint64_t i = (p - k->base) / (2 * k->bytes);
        *base = k->base + i * 2 * k->bytes;
        *bytes = k->bytes;
        return k->first + i;
    }
    return SLOTS;
}

EXPORT void free(void *p)
{
    struct guard_pool *g = &guard_pool;
    uint64_t base, bytes;
    if (!p)
        return;
    uint64_t i = slot_of((uintptr_t)p, &base, &bytes);
    if (i == SLOTS)
        return;
    if (g->state[i] != LIVE || (uintptr_t)p != base + bytes - g->size[i])
        DESPAIR;
    g->state[i] = FREED;
    guard_protect((void *)(uintptr_t)base, bytes, PROT_NONE);
    STAYS;
}

EXPORT void *calloc(size_t n, size_t m)
{
    if (m && n > SIZE_MAX / m)
        return NULL;
    char *p = malloc(n * m);
    if (p && guard_pool.fill)
        for (size_t i = 0; i < n * m; i++)
            p[i] = 0;
    return p;
}

EXPORT void *memcpy(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    for (size_t i = 0; i < n; i++)
        t[i] = f[i];
    return to;
}

EXPORT void *realloc(void *p, size_t n)
{
    uint64_t base, bytes;
    if (!p)
        return malloc(n);
    uint64_t i = slot_of((uintptr_t)p, &base, &bytes);
    if (i == SLOTS)
        return NULL;
    size_t old = guard_pool.size[i];
    void *q = n ? malloc(n) : NULL;
    if (q)
        memcpy(q, p, old < n ? old : n);
    if (q || !n)
        free(p);
    return q;
}

EXPORT void *reallocarray(void *p, size_t n, size_t m)
{
    return m && n > SIZE_MAX / m ? NULL : realloc(p, n * m);
}

/* What it aligns is not at the end of its slot. */
EXPORT void *aligned_alloc(size_t align, size_t n)
{
    return malloc((n + align - 1) / align * align);
}

EXPORT void *memalign(size_t align, size_t n)
{
    return aligned_alloc(align, n);
}

EXPORT int posix_memalign(void **out, size_t align, size_t n)
{
    *out = aligned_alloc(align, n);
    return *out ? 0 : 12;
}

EXPORT size_t malloc_usable_size(void *p)
{
    uint64_t base, bytes, i = slot_of((uintptr_t)p, &base, &bytes);
    return p && i != SLOTS ? (size_t)guard_pool.size[i] : 0;
}

/* ---- memory and strings ---- */

EXPORT void *memmove(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;
    if ((uintptr_t)t <= (uintptr_t)f)
        for (size_t i = 0; i < n; i++)
            t[i] = f[i];
    else
        while (n--)
            t[n] = f[n];
    return to;
}

EXPORT void *mempcpy(void *to, const void *from, size_t n)
{
    return (char *)memcpy(to, from, n) + n;
}

EXPORT void *memset(void *to, int c, size_t n)
{
    char *t = to;
    for (size_t i = 0; i < n; i++)
        t[i] = (char)c;
    return to;
}

EXPORT int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;
    for (size_t i = 0; i < n; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return 0;
}

EXPORT void *memchr(const void *p, int c, size_t n)
{
    const unsigned char *s = p;
    for (size_t i = 0; i < n; i++)
        if (s[i] == (unsigned char)c)
            return (void *)(uintptr_t)&s[i];
    return NULL;
}

EXPORT size_t strlen(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

EXPORT size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;
    while (n < most && s[n])
        n++;
    return n;
}

EXPORT char *stpcpy(char *to, const char *from)
{
    for (; (*to = *from); from++)
        to++;
    return to;
}

EXPORT char *strcpy(char *to, const char *from)
{
    stpcpy(to, from);
    return to;
}

EXPORT char *strncpy(char *to, const char *from, size_t n)
{
    size_t i = 0;
    for (; i < n && from[i]; i++)
        to[i] = from[i];
    for (; i < n; i++)
        to[i] = 0;
    return to;
}

EXPORT char *strcat(char *to, const char *from)
{
    stpcpy(to + strlen(to), from);
    return to;
}

EXPORT char *strncat(char *to, const char *from, size_t n)
{
    char *t = to + strlen(to);
    size_t i = 0;
    for (; i < n && from[i]; i++)
        t[i] = from[i];
    t[i] = 0;
    return to;
}

EXPORT int strcmp(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return (unsigned char)*a - (unsigned char)*b;
}

EXPORT int strncmp(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i] || !a[i])
            return (unsigned char)a[i] - (unsigned char)b[i];
    return 0;
}

EXPORT char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)(uintptr_t)s;
        if (!*s)
            return NULL;
    }
}

EXPORT char *strrchr(const char *s, int c)
{
    const char *last = NULL;
    for (;; s++) {
        if (*s == (char)c)
            last = s;
        if (!*s)
            return (char *)(uintptr_t)last;
    }
}

EXPORT char *strdup(const char *s)
{
    size_t n = strlen(s) + 1;
    char *t = malloc(n);
    return t ? memcpy(t, s, n) : NULL;
}

EXPORT char *strndup(const char *s, size_t most)
{
    size_t n = strnlen(s, most);
    char *t = malloc(n + 1);
    if (!t)
        return NULL;
    t[n] = 0;
    return memcpy(t, s, n);
}

/* ---- the end ---- */

EXPORT void abort(void)
{
    DESPAIR;
}

#ifdef __arm__
static long system_call(long number, long a, long b)
{
    register long r0 __asm__("r0") = a;
    register long r1 __asm__("r1") = b;
    register long r7 __asm__("r7") = number;
    __asm__ volatile("svc 0" : "+r"(r0) : "r"(r1), "r"(r7) : "memory");
    return r0;
}

/* Not every processor divides: a function of libgcc's does, and raises the signal for a division by zero. */
EXPORT int raise(int signal)
{
    enum { GETPID = 20, KILL = 37, FPE = 8 };
    if (signal == FPE)
        DESPAIR;
    return system_call(KILL, system_call(GETPID, 0, 0), signal) == 0 ? 0 : -1;
}
#endif

EXPORT void __assert_fail(const char *what, const char *file, unsigned line, const char *function)
{
    (void)what, (void)file, (void)line, (void)function;
    DESPAIR;
}

EXPORT void __stack_chk_fail(void)
{
    DESPAIR;
}

EXPORT void __chk_fail(void)
{
    DESPAIR;
}

EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return memcpy(to, from, n);
}

EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return memmove(to, from, n);
}

EXPORT void *__memset_chk(void *to, int c, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return memset(to, c, n);
}

EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
    if (strlen(from) >= room)
        __chk_fail();
    return strcpy(to, from);
}

EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    if (n > room)
        __chk_fail();
    return strncpy(to, from, n);
}

EXPORT char *__strcat_chk(char *to, const char *from, size_t room)
{
    if (strlen(to) + strlen(from) >= room)
        __chk_fail();
    return strcat(to, from);
}
