/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pair/written.h"

#include "pair/pair.h"

enum { LAST_MAX = 1600 };

term written_last(const struct terms *t, term x, term *base, struct map *bytes)
{
    for (; term_kind(t, x) == TERM_WRITE; x = term_kid(t, x, 0)) {
        term own;
        uint64_t off;
        term_split(t, term_kid(t, x, 1), &own, &off);
        if (!bytes->len)
            *base = own;
        if (own != *base || bytes->len > LAST_MAX)
            break;
        for (unsigned i = 0; i < term_width(t, term_kid(t, x, 2)) / 8; i++)
            map_set(bytes, off + i, 1);
    }
    return x;
}

term written_instead(struct terms *t, term array, term at, term from, term to)
{
    VEC(term) above = VEC_INIT;
    term x = array;
    while (term_kind(t, x) == TERM_WRITE && !(term_kid(t, x, 1) == at && term_kid(t, x, 2) == from)) {
        vec_push(&above, x);
        x = term_kid(t, x, 0);
    }
    if (term_kind(t, x) == TERM_WRITE) {
        x = to == TERM_NONE ? term_kid(t, x, 0) : term_write(t, term_kid(t, x, 0), at, to);
        while (above.len) {
            term y = vec_pop(&above);
            x = term_write(t, x, term_kid(t, y, 1), term_kid(t, y, 2));
        }
        array = x;
    }
    vec_free(&above);
    return array;
}

void written_all(const struct terms *t, term array, written_list *out)
{
    struct map seen = {0};
    written_list todo = VEC_INIT;
    vec_push(&todo, array);
    while (todo.len) {
        term x = vec_pop(&todo);
        unsigned kind = term_kind(t, x);
        if ((kind != TERM_WRITE && kind != TERM_AITE) || !map_set(&seen, x, 1))
            continue;
        if (kind == TERM_WRITE)
            vec_push(out, x);
        vec_push(&todo, term_kid(t, x, kind == TERM_WRITE ? 0 : 2));
        if (kind == TERM_AITE)
            vec_push(&todo, term_kid(t, x, 1));
    }
    vec_free(&todo);
    map_free(&seen);
}

bool written_has(const struct terms *t, term array, term at, term value)
{
    written_list all = VEC_INIT;
    bool found = false;
    written_all(t, array, &all);
    for (size_t i = 0; i < all.len && !found; i++)
        found = term_kid(t, all.data[i], 1) == at && term_kid(t, all.data[i], 2) == value;
    vec_free(&all);
    return found;
}

bool written_bytes(const struct terms *t, term array, term at, unsigned bytes)
{
    written_list all = VEC_INIT;
    bool found = false;
    written_all(t, array, &all);
    for (size_t i = 0; i < all.len && !found; i++)
        found = term_kid(t, all.data[i], 1) == at && term_width(t, term_kid(t, all.data[i], 2)) == bytes * 8;
    vec_free(&all);
    return found;
}

static uint64_t write_key(const struct terms *t, term x)
{
    return (uint64_t)term_kid(t, x, 1) << 32 | term_kid(t, x, 2);
}

void written_places(const struct pair *pair, term a, term b, written_list *out)
{
    const struct terms *t = pair->t;
    written_list w[2] = {VEC_INIT, VEC_INIT};
    struct map has[2] = {{0}, {0}}, seen = {0};
    written_all(t, a, &w[0]);
    written_all(t, b, &w[1]);
    for (int s = 0; s < 2; s++)
        for (size_t i = 0; i < w[s].len; i++)
            map_set(&has[s], write_key(t, w[s].data[i]), 1);
    for (int pass = 0; pass < 2; pass++)
        for (int s = 1; s >= 0; s--)
            for (size_t i = 0; i < w[s].len; i++) {
                term x = w[s].data[i];
                int64_t off;
                if ((!pass && map_get(&has[!s], write_key(t, x), NULL)) ||
                    pair_sp_offset(pair, term_kid(t, x, 1), &off) || !map_set(&seen, term_kid(t, x, 1), 1))
                    continue;
                vec_push(out, x);
            }
    for (int s = 0; s < 2; s++) {
        vec_free(&w[s]);
        map_free(&has[s]);
    }
    map_free(&seen);
}

/* A node of an array without writes to the frames. */
static term node_outside(const struct pair *pair, term x, const term *kid)
{
    int64_t off;
    if (term_kind(pair->t, x) == TERM_WRITE && pair_sp_offset(pair, term_kid(pair->t, x, 1), &off) &&
        off >= -PAIR_FRAME_BYTES &&
        off + (int64_t)term_width(pair->t, term_kid(pair->t, x, 2)) / 8 <= pair_frames_top(pair))
        return kid[0];
    return term_rebuild(pair->t, x, kid);
}

term written_outside(const struct pair *pair, term array)
{
    struct map done = {0};
    written_list todo = VEC_INIT;
    uint64_t known;
    vec_push(&todo, array);
    while (todo.len) {
        term x = vec_last(&todo), kid[3], deeper = TERM_NONE;
        unsigned kind = term_kind(pair->t, x);
        if (map_get(&done, x, NULL)) {
            todo.len--;
            continue;
        }
        if (kind != TERM_WRITE && kind != TERM_AITE) {
            map_set(&done, x, x);
            continue;
        }
        for (unsigned i = 0; i < 3; i++) {
            kid[i] = term_kid(pair->t, x, i);
            if (!term_is_array(pair->t, kid[i]))
                continue;
            if (map_get(&done, kid[i], &known))
                kid[i] = (term)known;
            else
                deeper = kid[i];
        }
        if (deeper != TERM_NONE)
            vec_push(&todo, deeper);
        else
            map_set(&done, x, node_outside(pair, x, kid));
    }
    term out = (term)map_find(&done, array, array);
    vec_free(&todo);
    map_free(&done);
    return out;
}
