/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one growable array. `VEC(int) v = VEC_INIT;` declares one; v.data and v.len are public.
 * Zero-initialised memory is a valid empty vector. */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define VEC(type)   \
    struct {        \
        type *data; \
        size_t len; \
        size_t cap; \
    }
#define VEC_INIT { NULL, 0, 0 }

#define vec_reserve(v, want)                                                         \
    do {                                                                             \
        size_t vec_want_ = (want);                                                   \
        if ((v)->cap < vec_want_) {                                                  \
            size_t vec_cap_ = (v)->cap ? (v)->cap * 2 : 8;                           \
            if (vec_cap_ < vec_want_)                                                \
                vec_cap_ = vec_want_;                                                \
            (v)->data = xreallocarray((v)->data, vec_cap_, sizeof *(v)->data);       \
            (v)->cap = vec_cap_;                                                     \
        }                                                                            \
    } while (0)

#define vec_push(v, ...)                      \
    do {                                      \
        vec_reserve((v), (v)->len + 1);       \
        (v)->data[(v)->len++] = (__VA_ARGS__); \
    } while (0)

#define vec_append(v, from)                                                                                  \
    do {                                                                                                     \
        vec_reserve((v), (v)->len + (from)->len);                                                            \
        if ((from)->len)                                                                                     \
            memcpy((v)->data + (v)->len, (from)->data, (from)->len * sizeof *(v)->data);                     \
        (v)->len += (from)->len;                                                                             \
    } while (0)
#define vec_pop(v) ((v)->data[--(v)->len])
#define vec_last(v) ((v)->data[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v)                                        \
    do {                                                   \
        free((v)->data);                                   \
        (v)->data = NULL;                                  \
        (v)->len = (v)->cap = 0;                           \
    } while (0)
#define vec_sort(v, cmp)                                                  \
    do {                                                                  \
        if ((v)->len > 1)                                                 \
            qsort((v)->data, (v)->len, sizeof *(v)->data, (cmp));         \
    } while (0)

#endif
