/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of the C library whose meaning is simple enough to be done here. Which they are is what the
 * library table (flow/library.h) says by `like`; everything else stops the run, and the user says what it
 * returns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/log.h"

enum { MAX_BYTES = 16 << 20 };

uint64_t import_argument(const struct debuggee *d, unsigned i)
{
    const struct ir_machine *m = d->m;
    if (i < m->nargs)
        return debuggee_word(d, m->arg[i]);
    unsigned word = m->pointer_width / 8;
    uint8_t bytes[8] = {0};
    debuggee_peek(d, debuggee_word(d, m->sp) + m->stack_arg + (uint64_t)(i - m->nargs) * word, bytes, word,
                  NULL);
    return bits_low(bits_from_bytes(bytes, word));
}

static const struct flow_library_entry *entry_of(const struct debuggee *d, const char *name)
{
    return flow_library_find(program_library(d->p), name);
}

/* A call of the function, while it is done. */
struct call {
    struct debuggee *d;
    const char *name;
    uint64_t arg[4];
};

static enum import_outcome give(struct call *c, uint64_t value)
{
    unsigned w = c->d->m->pointer_width;
    debuggee_put(c->d, c->d->m->ret, w, bits_u64(value, w));
    return IMPORT_DONE;
}

static enum import_outcome too_much(struct call *c, uint64_t n)
{
    c->d->state = DEBUGGEE_FAULT;
    snprintf(c->d->why, sizeof c->d->why, "%s of 0x%" PRIx64 " bytes", c->name, n);
    return IMPORT_FAULT;
}

/* n bytes of the program's memory, to be freed; NULL when it faulted. */
static uint8_t *load(struct call *c, uint64_t address, uint64_t n)
{
    if (n > MAX_BYTES) {
        too_much(c, n);
        return NULL;
    }
    uint8_t *p = xcalloc(n + 1, 1);
    if (n && !debuggee_load(c->d, address, p, (size_t)n)) {
        free(p);
        return NULL;
    }
    return p;
}

/* The string at an address, its length at most `max`, terminated; to be freed. */
static char *load_string(struct call *c, uint64_t address, uint64_t max, uint64_t *len)
{
    uint64_t n = 0;
    uint8_t byte = 1;
    while (n < max && n <= MAX_BYTES) {
        debuggee_peek(c->d, address + n, &byte, 1, NULL);
        if (!byte)
            break;
        n++;
    }
    *len = n;
    return (char *)load(c, address, n < max ? n + 1 : n);
}

static enum import_outcome store(struct call *c, uint64_t address, const void *p, uint64_t n, uint64_t result)
{
    if (n && !debuggee_store(c->d, address, p, (size_t)n))
        return IMPORT_FAULT;
    return give(c, result);
}

static enum import_outcome copy(struct call *c, uint64_t to, uint64_t from, uint64_t n, uint64_t result)
{
    uint8_t *p = load(c, from, n);
    if (!p)
        return IMPORT_FAULT;
    enum import_outcome o = store(c, to, p, n, result);
    free(p);
    return o;
}

static enum import_outcome set(struct call *c, uint64_t to, uint8_t byte, uint64_t n, uint64_t result)
{
    if (n > MAX_BYTES)
        return too_much(c, n);
    uint8_t *p = xmalloc((size_t)n + 1);
    memset(p, byte, (size_t)n);
    enum import_outcome o = store(c, to, p, n, result);
    free(p);
    return o;
}

/* Compares as memcmp or, with `strings`, as strncmp does; reads only as far as it must. */
static enum import_outcome compare(struct call *c, uint64_t n, bool strings)
{
    int result = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint8_t x, y;
        if (k > MAX_BYTES)
            return too_much(c, n);
        if (!debuggee_load(c->d, c->arg[0] + k, &x, 1) || !debuggee_load(c->d, c->arg[1] + k, &y, 1))
            return IMPORT_FAULT;
        result = x - y;
        if (result || (strings && !x))
            break;
    }
    return give(c, (uint32_t)result);
}

static enum import_outcome find_byte(struct call *c, uint8_t byte, uint64_t n, bool string, bool last)
{
    uint64_t found = 0;
    for (uint64_t k = 0; k < n; k++) {
        uint8_t x;
        if (k > MAX_BYTES)
            return too_much(c, n);
        if (!debuggee_load(c->d, c->arg[0] + k, &x, 1))
            return IMPORT_FAULT;
        if (x == byte) {
            found = c->arg[0] + k;
            if (!last)
                break;
        }
        if (string && !x)
            break;
    }
    return give(c, found);
}

enum string_copy { STRING_COPY, STRING_APPEND };

static enum import_outcome copy_string(struct call *c, enum string_copy how, uint64_t max, bool pad, bool end)
{
    uint64_t len, at = 0;
    char *s = load_string(c, c->arg[1], max, &len);
    if (!s)
        return IMPORT_FAULT;
    if (how == STRING_APPEND) {
        char *old = load_string(c, c->arg[0], UINT64_MAX, &at);
        if (!old) {
            free(s);
            return IMPORT_FAULT;
        }
        free(old);
    }
    uint64_t n = len + (how == STRING_APPEND || len < max ? 1 : 0);
    if (pad && max > MAX_BYTES) {
        free(s);
        return too_much(c, max);
    }
    if (pad && n < max) {
        s = xrealloc(s, (size_t)max);
        memset(s + len, 0, (size_t)(max - len));
        n = max;
    }
    enum import_outcome o = store(c, c->arg[0] + at, s, n, end ? c->arg[0] + len : c->arg[0]);
    free(s);
    return o;
}

/* A bump allocator: what was freed is not given again, so that a use after free is still visible in a watch.
 */
static uint64_t allocate(struct call *c, uint64_t n)
{
    struct debuggee *d = c->d;
    if (n > (d->m->pointer_width == 64 ? UINT64_C(1) << 40 : 1u << 28)) {
        debuggee_note(d, "%s of 0x%" PRIx64 " bytes gives NULL", c->name, n);
        return 0;
    }
    uint64_t at = d->heap;
    log_add(d, (struct undo){.kind = UNDO_HEAP, .a = d->heap});
    d->heap += ((n + 15) & ~UINT64_C(15)) + 16;
    map_set(&d->allocated, at, n);
    return at;
}

static enum import_outcome duplicate(struct call *c, uint64_t max)
{
    uint64_t len;
    char *s = load_string(c, c->arg[0], max, &len);
    if (!s)
        return IMPORT_FAULT;
    uint64_t at = allocate(c, len + 1);
    enum import_outcome o = at ? store(c, at, s, len + 1, at) : give(c, 0);
    free(s);
    return o;
}

static enum import_outcome reallocate(struct call *c)
{
    uint64_t old = map_find(&c->d->allocated, c->arg[0], 0), at = allocate(c, c->arg[1]);
    if (!at || !c->arg[0])
        return give(c, at);
    uint64_t n = old < c->arg[1] ? old : c->arg[1];
    if (n > MAX_BYTES)
        return too_much(c, n);
    /* Bytes without a value stay without one. */
    for (uint64_t k = 0; k < n; k++) {
        uint8_t byte;
        bool known;
        debuggee_peek(c->d, c->arg[0] + k, &byte, 1, &known);
        if (known)
            debuggee_poke(c->d, at + k, &byte, 1);
    }
    return give(c, at);
}

static enum import_outcome length(struct call *c, uint64_t max)
{
    uint64_t len;
    char *s = load_string(c, c->arg[0], max, &len);
    if (!s)
        return IMPORT_FAULT;
    free(s);
    return give(c, len);
}

/* strspn, strcspn, strpbrk, strstr: of two strings. */
static enum import_outcome look_for(struct call *c, enum library_like what)
{
    uint64_t n;
    char *in = load_string(c, c->arg[0], UINT64_MAX, &n);
    char *set = in ? load_string(c, c->arg[1], UINT64_MAX, &n) : NULL;
    const enum import_outcome o = set ? give(c, flow_library_look(what, c->arg[0], in, set)) : IMPORT_FAULT;
    free(in);
    free(set);
    return o;
}

static enum import_outcome like(struct call *c, enum library_like what)
{
    const uint64_t *a = c->arg;
    struct debuggee *d = c->d;
    switch (what) {
    case LIKE_MEMCPY:
    case LIKE_MEMMOVE:
        return copy(c, a[0], a[1], a[2], a[0]);
    case LIKE_MEMPCPY:
        return copy(c, a[0], a[1], a[2], a[0] + a[2]);
    case LIKE_BCOPY:
        return copy(c, a[1], a[0], a[2], 0);
    case LIKE_MEMSET:
        return set(c, a[0], (uint8_t)a[1], a[2], a[0]);
    case LIKE_BZERO:
        return set(c, a[0], 0, a[1], 0);
    case LIKE_MEMCMP:
    case LIKE_BCMP:
        return compare(c, a[2], false);
    case LIKE_STRCMP:
        return compare(c, UINT64_MAX, true);
    case LIKE_STRNCMP:
        return compare(c, a[2], true);
    case LIKE_MEMCHR:
        return find_byte(c, (uint8_t)a[1], a[2], false, false);
    case LIKE_STRCHR:
        return find_byte(c, (uint8_t)a[1], UINT64_MAX, true, false);
    case LIKE_STRRCHR:
        return find_byte(c, (uint8_t)a[1], UINT64_MAX, true, true);
    case LIKE_STRSPN:
    case LIKE_STRCSPN:
    case LIKE_STRPBRK:
    case LIKE_STRSTR:
        return look_for(c, what);
    case LIKE_STRLEN:
        return length(c, UINT64_MAX);
    case LIKE_STRNLEN:
        return length(c, a[1]);
    case LIKE_STRCPY:
        return copy_string(c, STRING_COPY, UINT64_MAX, false, false);
    case LIKE_STPCPY:
        return copy_string(c, STRING_COPY, UINT64_MAX, false, true);
    case LIKE_STRNCPY:
        return copy_string(c, STRING_COPY, a[2], true, false);
    case LIKE_STRCAT:
        return copy_string(c, STRING_APPEND, UINT64_MAX, false, false);
    case LIKE_STRNCAT:
        return copy_string(c, STRING_APPEND, a[2], false, false);
    case LIKE_STRDUP:
        return duplicate(c, UINT64_MAX);
    case LIKE_STRNDUP:
        return duplicate(c, a[1]);
    case LIKE_MALLOC:
        return give(c, allocate(c, a[0]));
    case LIKE_CALLOC: {
        uint64_t n, at;
        if (__builtin_mul_overflow(a[0], a[1], &n))
            return give(c, 0);
        at = allocate(c, n);
        return at ? set(c, at, 0, n, at) : give(c, 0);
    }
    case LIKE_REALLOC:
        return reallocate(c);
    case LIKE_FREE:
        return IMPORT_DONE;
    case LIKE_ABS:
        return give(c, (uint32_t)((int32_t)a[0] < 0 ? -(uint32_t)a[0] : (uint32_t)a[0]));
    case LIKE_EXIT:
    case LIKE_ABORT:
        return IMPORT_OVER;
    case LIKE_ERRNO_LOCATION:
        if (!debuggee_known(d, d->errno_at))
            debuggee_poke(d, d->errno_at, (const uint8_t[4]){0}, 4);
        return give(c, d->errno_at);
    case LIKE_SPRINTF:
    case LIKE_SYSCONF:
    case LIKE_NONE:
    case LIKE_COUNT_:
        break;
    }
    return IMPORT_NONE;
}

static bool ends(const char *name, const struct flow_library_entry *e)
{
    return (e && e->noreturn) || strcmp(name, "__VERIFIER_error") == 0;
}

bool import_modelled(const struct debuggee *d, const char *name)
{
    const struct flow_library_entry *e = entry_of(d, name);
    const enum library_like what = e ? e->like : LIKE_NONE;
    return ends(name, e) || (what != LIKE_NONE && what != LIKE_SPRINTF && what != LIKE_SYSCONF) ||
           strcmp(name, "puts") == 0;
}

/* Without a file to write to, what is printed becomes a note. */
static enum import_outcome print(struct call *c)
{
    uint64_t len;
    char *s = load_string(c, c->arg[0], UINT64_MAX, &len);
    if (!s)
        return IMPORT_FAULT;
    debuggee_note(c->d, "puts prints \"%.200s%s\"", s, len > 200 ? "..." : "");
    free(s);
    return give(c, (uint32_t)(len + 1));
}

enum import_outcome import_run(struct debuggee *d, const char *name)
{
    const struct flow_library_entry *e = entry_of(d, name);
    struct call c = {.d = d, .name = name};
    for (unsigned i = 0; i < 4; i++)
        c.arg[i] = import_argument(d, i);
    if (ends(name, e))
        return IMPORT_OVER;
    if (strcmp(name, "puts") == 0)
        return print(&c);
    return e ? like(&c, e->like) : IMPORT_NONE;
}
