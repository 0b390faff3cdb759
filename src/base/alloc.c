/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Weak, so that a program can define its own. */
__attribute__((weak)) void alloc_exhausted(size_t wanted)
{
    fprintf(stderr, "assay: out of memory (%zu more bytes wanted)\n", wanted);
    _exit(ALLOC_EXIT);
}

void *xmalloc(size_t n)
{
    void *p = malloc(n ? n : 1);
    if (!p)
        alloc_exhausted(n);
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p)
        alloc_exhausted(count);
    return p;
}

void *xrealloc(void *p, size_t n)
{
    void *q = realloc(p, n ? n : 1);
    if (!q)
        alloc_exhausted(n);
    return q;
}

void *xreallocarray(void *p, size_t count, size_t size)
{
    size_t n;
    if (__builtin_mul_overflow(count, size, &n))
        alloc_exhausted(SIZE_MAX);
    return xrealloc(p, n);
}

char *xstrdup(const char *s)
{
    size_t n = strlen(s) + 1;
    return memcpy(xmalloc(n), s, n);
}

struct arena_chunk {
    struct arena_chunk *next;
    size_t size;
    _Alignas(16) char data[];
};

enum { ARENA_CHUNK = 64 * 1024, ARENA_CHUNK_MAX = 4 * 1024 * 1024 };

static void arena_grow(struct arena *a, size_t n)
{
    size_t size = a->chunk ? a->chunk->size * 2 : ARENA_CHUNK;
    if (size > ARENA_CHUNK_MAX)
        size = ARENA_CHUNK_MAX;
    if (size < n)
        size = n;
    struct arena_chunk *c = xmalloc(sizeof *c + size);
    c->next = a->chunk;
    c->size = size;
    a->chunk = c;
    a->at = c->data;
    a->end = c->data + size;
    a->total += size;
}

void *arena_alloc(struct arena *a, size_t n)
{
    if (n > SIZE_MAX / 2)
        alloc_exhausted(n);
    n = n ? (n + 15) & ~(size_t)15 : 16; /* an empty allocation has an address of its own, too */
    if ((size_t)(a->end - a->at) < n)
        arena_grow(a, n);
    void *p = a->at;
    a->at += n;
    return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
    return memset(arena_alloc(a, n), 0, n);
}

void *arena_dup(struct arena *a, const void *p, size_t n)
{
    void *q = arena_alloc(a, n);
    if (n)
        memcpy(q, p, n);
    return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
    char *q = arena_alloc(a, n + 1);
    memcpy(q, s, n);
    q[n] = 0;
    return q;
}

char *arena_strdup(struct arena *a, const char *s)
{
    return arena_strndup(a, s, strlen(s));
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        n = 0;
    char *s = arena_alloc(a, (size_t)n + 1);
    va_start(ap, fmt);
    vsnprintf(s, (size_t)n + 1, fmt, ap);
    va_end(ap);
    return s;
}

void arena_reset(struct arena *a)
{
    if (!a->chunk)
        return;
    struct arena_chunk *keep = a->chunk;
    for (struct arena_chunk *c = keep->next, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    keep->next = NULL;
    a->at = keep->data;
    a->end = keep->data + keep->size;
    a->total = keep->size;
}

void arena_free(struct arena *a)
{
    for (struct arena_chunk *c = a->chunk, *next; c; c = next) {
        next = c->next;
        free(c);
    }
    *a = (struct arena)ARENA_INIT;
}
