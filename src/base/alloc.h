/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation that does not return NULL, and arenas for things that die together.
 *
 * When memory runs out, alloc_exhausted() writes one line and ends the process with ALLOC_EXIT. Work on
 * untrusted input runs in workers (src/work), so this costs one job, reported as "out of memory". */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stddef.h>
#include <stdint.h>

enum { ALLOC_EXIT = 75 };

_Noreturn void alloc_exhausted(size_t wanted);

void *xmalloc(size_t n);
void *xcalloc(size_t count, size_t size); /* zeroed; overflow of count*size is exhaustion */
void *xrealloc(void *p, size_t n);
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s);

/* Bump allocator. Nothing is freed before arena_free or arena_reset. Not zeroed unless asked. */
struct arena_chunk;
struct arena {
    struct arena_chunk *chunk; /* newest first */
    char *at, *end;
    size_t total; /* bytes held from the system */
};

#define ARENA_INIT { NULL, NULL, NULL, 0 }

void *arena_alloc(struct arena *a, size_t n); /* aligned for any scalar type */
void *arena_zalloc(struct arena *a, size_t n);
void *arena_dup(struct arena *a, const void *p, size_t n);
char *arena_strdup(struct arena *a, const char *s);
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void arena_reset(struct arena *a); /* keeps one chunk for reuse */
void arena_free(struct arena *a);

#define arena_new(a, type) ((type *)arena_zalloc((a), sizeof(type)))
#define arena_array(a, type, n) ((type *)arena_zalloc((a), (size_t)(n) * sizeof(type)))

#endif
