/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known about functions of the C library, libm and pthreads by their names: data/prototypes.txt,
 * whose head explains its format. A copy is compiled in; another one can be read from a data directory.
 *
 * A listed function changes no memory of the program but what it is said to write through its arguments,
 * `errno` when LIBRARY_ERRNO is set, variables of the library when LIBRARY_GLOBALS is, and what
 * LIBRARY_CALLBACK may do by calling back. Memory of the library itself (buffers of streams, the heap's
 * lists) is not memory of the program, unless the file names what leads to it (`by`). */
#ifndef FLOW_LIBRARY_H
#define FLOW_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* X(enumerator, word in the table) */
#define LIBRARY_ATTRS(X)                                                                                     \
    X(LIBRARY_CONST, "const")       /* the result depends on the values of the arguments only; no effect */  \
    X(LIBRARY_PURE, "pure")         /* as const, but also reads memory */                                    \
    X(LIBRARY_NORETURN, "noreturn") /* never returns */                                                      \
    X(LIBRARY_ALLOC, "alloc")       /* returns fresh memory or NULL */                                       \
    X(LIBRARY_FREE, "free")         /* ends the life of the object its first argument points to */           \
    X(LIBRARY_REALLOC, "realloc")   /* both: the contents move */                                            \
    X(LIBRARY_IO, "io")             /* the outside world can see it: an observable event */                  \
    X(LIBRARY_ERRNO, "errno")       /* may set errno */                                                      \
    X(LIBRARY_STATE, "state") /* reads or changes hidden state of the library (rand, strtok, locale) */      \
    X(LIBRARY_CALLBACK, "callback") /* calls a function that it is given */                                  \
    X(LIBRARY_TWICE, "twice")       /* may return twice: setjmp, fork, vfork */                              \
    X(LIBRARY_JUMP, "jump")     /* goes on elsewhere, which is told an argument: longjmp, pthread_exit */    \
    X(LIBRARY_STATIC, "static") /* returns memory of the library, or NULL, that such a call may overwrite */ \
    X(LIBRARY_NONNULL, "nonnull") /* a pointer result is never NULL */                                       \
    X(LIBRARY_NULL, "null")       /* the result is the argument `returns`, or NULL */                        \
    X(LIBRARY_MAKES, "makes")     /* ... and where that argument is NULL, something new or NULL */           \
    X(LIBRARY_LOCK, "lock")       /* synchronises with other threads: others' writes become visible */       \
    X(LIBRARY_INTO, "into")       /* a pointer result is NULL or points into the first argument's object */  \
    X(LIBRARY_ACQUIRE,                                                                                       \
      "acquire") /* takes the lock that its first argument points to, unless it returns not 0 */             \
    X(LIBRARY_RELEASE, "release") /* gives it back */                                                        \
    X(LIBRARY_SCAN, "scan")       /* what its format lists are pointers that it writes through */            \
    X(LIBRARY_LIST, "list")       /* what its format lists is in a va_list, its last argument */             \
    X(LIBRARY_MAPS, "maps")       /* replaces memory, unless its fourth argument lacks MAP_FIXED */          \
    X(LIBRARY_GLOBALS, "globals") /* reads or changes variables that the library shares with the program */  \
    X(LIBRARY_ROUNDING, "rounding") /* changes how numbers are rounded */                                    \
    X(LIBRARY_SWITCH, "switch")     /* does not come back: goes on where the table behind the call says */   \
    X(LIBRARY_AGAIN, "again") /* comes back a second time, to the frame as it is by then: setjmp, vfork */

enum library_attr_bit {
#define LIBRARY_BIT(id, word) id##_BIT_,
    LIBRARY_ATTRS(LIBRARY_BIT)
#undef LIBRARY_BIT
};
enum library_attr {
#define LIBRARY_ENUM(id, word) id = 1 << id##_BIT_,
    LIBRARY_ATTRS(LIBRARY_ENUM)
#undef LIBRARY_ENUM
};

/* Functions with a sharp meaning: what the name says in ISO C, possibly under another name (`like=memcpy`).
 * X(enumerator, word) */
#define LIBRARY_LIKES(X)                                                                                     \
    X(LIKE_NONE, "")                                                                                         \
    X(LIKE_MEMCPY, "memcpy")                                                                                 \
    X(LIKE_MEMPCPY, "mempcpy")                                                                               \
    X(LIKE_MEMMOVE, "memmove")                                                                               \
    X(LIKE_MEMSET, "memset")                                                                                 \
    X(LIKE_BZERO, "bzero")                                                                                   \
    X(LIKE_BCOPY, "bcopy")                                                                                   \
    X(LIKE_MEMCMP, "memcmp")                                                                                 \
    X(LIKE_BCMP, "bcmp")                                                                                     \
    X(LIKE_MEMCHR, "memchr")                                                                                 \
    X(LIKE_STRLEN, "strlen")                                                                                 \
    X(LIKE_STRNLEN, "strnlen")                                                                               \
    X(LIKE_STRCPY, "strcpy")                                                                                 \
    X(LIKE_STPCPY, "stpcpy")                                                                                 \
    X(LIKE_STRNCPY, "strncpy")                                                                               \
    X(LIKE_STRCAT, "strcat")                                                                                 \
    X(LIKE_STRNCAT, "strncat")                                                                               \
    X(LIKE_STRCMP, "strcmp")                                                                                 \
    X(LIKE_STRNCMP, "strncmp")                                                                               \
    X(LIKE_STRCHR, "strchr")                                                                                 \
    X(LIKE_STRRCHR, "strrchr")                                                                               \
    X(LIKE_STRSPN, "strspn")                                                                                 \
    X(LIKE_STRCSPN, "strcspn")                                                                               \
    X(LIKE_STRPBRK, "strpbrk")                                                                               \
    X(LIKE_STRSTR, "strstr")                                                                                 \
    X(LIKE_STRDUP, "strdup")                                                                                 \
    X(LIKE_STRNDUP, "strndup")                                                                               \
    X(LIKE_MALLOC, "malloc")                                                                                 \
    X(LIKE_CALLOC, "calloc")                                                                                 \
    X(LIKE_REALLOC, "realloc")                                                                               \
    X(LIKE_FREE, "free")                                                                                     \
    X(LIKE_ABS, "abs")                                                                                       \
    X(LIKE_EXIT, "exit")                                                                                     \
    X(LIKE_ABORT, "abort")                                                                                   \
    X(LIKE_SPRINTF, "sprintf")                                                                               \
    X(LIKE_SYSCONF, "sysconf")                                                                               \
    X(LIKE_ERRNO_LOCATION, "__errno_location")

enum library_like {
#define LIBRARY_ENUM(id, word) id,
    LIBRARY_LIKES(LIBRARY_ENUM)
#undef LIBRARY_ENUM
    LIKE_COUNT_
};

enum { LIBRARY_MAX_ARGS = 12 };

/* One argument or result, as the letters of the table. */
enum library_type {
    LIBRARY_VOID = 'v',
    LIBRARY_INT = 'i',      /* an integer no wider than int, or an enumeration */
    LIBRARY_LONG = 'l',     /* as wide as a pointer: long, size_t, ssize_t */
    LIBRARY_WIDE = 'q',     /* 64 bits everywhere: off64_t, long long */
    LIBRARY_POINTER = 'p',  /* read through at most */
    LIBRARY_WRITTEN = 'w',  /* a pointer that is written through (or passed on to be written through later) */
    LIBRARY_FUNCTION = 'c', /* a pointer to a function */
    LIBRARY_FLOAT = 'f',    /* float */
    LIBRARY_DOUBLE = 'd',   /* double */
    LIBRARY_LONG_DOUBLE = 'D', /* long double */
};

struct flow_library_entry {
    const char *name;
    char result;                 /* enum library_type */
    char arg[LIBRARY_MAX_ARGS];  /* enum library_type, in order, as declared */
    unsigned nparams;            /* how many in arg */
    unsigned nargs;              /* integer and pointer arguments among them */
    unsigned nfargs;             /* float, double and long double arguments among them */
    bool variadic, returns, returns_float, noreturn;
    unsigned attrs;              /* set of enum library_attr */
    unsigned written;            /* bit i: memory is written through declared argument i */
    unsigned pointers;           /* bit i: declared argument i is a pointer to data */
    enum library_like like;
    /* At most arg[bytes] * arg[times] bytes are written through each written argument; -1: not told by an argument
     * (times == -1 alone: one factor only). */
    int bytes, times;
    int returns_arg; /* the result is this argument (LIBRARY_NULL: or NULL), else -1 */
    /* An integer result is one of these, as signed numbers of its width, which include 0; INT64_MIN,
     * INT64_MAX: no bound. */
    int64_t least, most;
    int upto;        /* a result that is not negative is at most this argument, else -1 */
    const char *by;  /* names, separated by commas, by which a file comes to memory of the library that the
                        function changes, or makes memory of its own the library's (`by=`); NULL: none */
};

struct flow_library;

/* dir NULL: the built-in table; otherwise dir/prototypes.txt. NULL with an error that names the line. */
struct flow_library *flow_library_open(const char *dir, struct error *err);
/* From text in memory; `name` is for messages. */
struct flow_library *flow_library_parse(const char *name, const char *text, size_t len, struct error *err);
void flow_library_free(struct flow_library *l);
size_t flow_library_count(const struct flow_library *l);

/* By plain name; a version ("memcpy@GLIBC_2.14"), and the decorations of the C library (__GI_memcpy,
 * __memcpy_avx_unaligned: not these; __isoc99_sscanf, __printf_chk: entries of their own) are looked up as they stand
 * after the version is cut off. NULL when not known. */
const struct flow_library_entry *flow_library_find(const struct flow_library *l, const char *name);

struct program;
/* The table that a program was opened with. */
const struct flow_library *program_library(const struct program *p);

/* What strspn, strcspn, strpbrk or strstr returns for two strings, of which the first lies at that address.
 */
uint64_t flow_library_look(enum library_like like, uint64_t at, const char *in, const char *set);

#endif
