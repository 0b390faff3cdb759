/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a candidate's process, made from the original's: for when
 * nothing is run. The candidate's code and constants take the place of the
 * original's; what the process has written stays, and pointers in it to
 * functions and constants that are elsewhere in the candidate follow. Only for
 * candidates whose variables are where the original's are. */
#include <string.h>

#include "poc/poc.h"

static bool same_layout(const struct object *x, const struct object *y)
{
    const struct object_section *a, *b;
    size_t n = object_sections(x, &a), m = object_sections(y, &b), i = 0, k = 0;
    for (;; i++, k++) {
        while (i < n && !(a[i].alloc && a[i].write))
            i++;
        while (k < m && !(b[k].alloc && b[k].write))
            k++;
        if (i == n || k == m)
            return i == n && k == m;
        if (a[i].address != b[k].address || a[i].size != b[k].size)
            return false;
    }
}

/* Where something of the original's file is in the candidate's; what is not
 * known stays. */
static uint64_t moved_to(struct program *old, struct match *m, struct program *new, uint64_t address)
{
    uint64_t there;
    const struct match_pair *pair =
        object_is_exec(program_object(old), address) ? match_function(m, address) : NULL;
    if (pair) {
        const struct flow_function *f;
        size_t n = program_functions(new, &f);
        return pair->new < n ? f[pair->new].address : address;
    }
    return match_data(m, address, &there, NULL) ? there : address;
}

static bool put_constants(struct program *new, struct snapshot *s)
{
    const struct object *o = program_object(new);
    const struct object_segment *segment;
    size_t n = object_segments(o, &segment);
    for (size_t i = 0; i < n; i++) {
        if (segment[i].write)
            continue;
        for (uint64_t at = segment[i].address, end = at + segment[i].file_size; at < end;) {
            size_t len;
            const uint8_t *p = object_bytes(o, at, &len);
            if (!p)
                return false;
            len = len < end - at ? len : (size_t)(end - at);
            if (!snapshot_write(s, s->base + at, p, len))
                return false;
            at += len;
        }
    }
    return true;
}

static bool put_pointers(struct program *old, struct match *m, struct program *new,
                         const struct snapshot *was, struct snapshot *s)
{
    unsigned word = s->m->pointer_width / 8;
    const struct object *o = program_object(old);
    for (size_t i = 0; i < was->nparts; i++) {
        const struct snapshot_part *p = &was->part[i];
        for (uint64_t at = p->low; p->byte && p->write && at + word <= p->high; at += word) {
            uint64_t v = 0, to;
            size_t n;
            memcpy(&v, p->byte + (at - p->low), word);
            if (v < s->base || !object_bytes(o, v - s->base, &n))
                continue;
            to = moved_to(old, m, new, v - s->base) + s->base;
            if (to != v && !snapshot_write(s, at, &to, word))
                return false;
        }
    }
    for (unsigned i = 0; i < s->m->nreg; i++) {
        const struct machine_register *r = &s->m->reg[i];
        uint64_t v = 0;
        size_t n;
        if (r->width != s->m->pointer_width || r->pseudo)
            continue;
        memcpy(&v, s->registers + r->offset, word);
        if (v >= s->base && object_bytes(o, v - s->base, &n))
            snapshot_register_set(s, r->offset, moved_to(old, m, new, v - s->base) + s->base);
    }
    return true;
}

const char *poc_carry(struct program *old, struct match *m, struct program *new, const struct snapshot *was,
                      struct snapshot *out)
{
    snapshot_copy(was, out);
    if (!same_layout(program_object(old), program_object(new)))
        return "its variables are elsewhere, and it was not run";
    if (!put_constants(new, out))
        return "its code does not fit where the original's was, and it was not run";
    return put_pointers(old, m, new, was, out) ? NULL : "its memory cannot be made";
}
