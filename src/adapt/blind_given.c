/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a system call is given to read: bytes that are written to a file, the name of one. Frames of two
 * functions lie otherwise, and addresses in them are not compared; what is in a buffer there is. (Numbers of
 * Linux for amd64.) */
#include <string.h>

#include "adapt/blind.h"

enum { WRITE = 1, WRITEV = 20, SENDTO = 44, MOST = 512, MOST_PARTS = 8 };

/* The argument that is the name of a file; -1: none is. */
static int name_at(uint64_t nr)
{
    static const struct {
        uint16_t nr;
        uint8_t arg;
    } list[] = {
        {2, 0} /* open */,       {4, 0} /* stat */,        {6, 0} /* lstat */,    {21, 0} /* access */,
        {80, 0} /* chdir */,     {83, 0} /* mkdir */,      {84, 0} /* rmdir */,   {87, 0} /* unlink */,
        {89, 0} /* readlink */,  {90, 0} /* chmod */,      {257, 1} /* openat */, {262, 1} /* newfstatat */,
        {263, 1} /* unlinkat */, {269, 1} /* faccessat */,
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].nr == nr)
            return list[i].arg;
    return -1;
}

struct reading {
    struct run *r;
    uint64_t hash, total;
    bool known; /* all that was read */
};

/* False: the run ends, as a byte has to be decided. *byte: what is there, while all is known. */
static bool read_byte(struct reading *g, uint64_t at, uint8_t *byte)
{
    struct side *s = g->r->s;
    shade of = blind_byte(s, at);
    *byte = 0;
    if (g->r->like && (of & SHADE_ARGS || blind_hinges(g->r, of)))
        return needs(g->r, of);
    if (is_unknown(of) || at >> PAGE_BITS < NULL_PAGES || blind_in_stack(s->w, blind_word(s, at))) {
        g->known = false;
        return true;
    }
    concrete_read(s->c, 0, at, byte, 1);
    g->hash = hash_u64(g->hash * 31 + *byte);
    return true;
}

static bool read_buffer(struct reading *g, uint64_t at, uint64_t bytes)
{
    uint8_t byte;
    g->total += bytes;
    for (uint64_t i = 0; i < bytes && i < MOST && g->known; i++)
        if (!read_byte(g, at + i, &byte))
            return false;
    g->known = g->known && bytes <= MOST;
    return true;
}

static bool read_name(struct reading *g, uint64_t at)
{
    uint8_t byte = 1;
    for (uint64_t i = 0; i < MOST && byte && g->known; i++)
        if (!read_byte(g, at + i, &byte))
            return false;
    g->known = g->known && !byte;
    return true;
}

/* A word of the list that writev is given. */
static bool read_word(struct reading *g, uint64_t at, uint64_t *x)
{
    struct side *s = g->r->s;
    for (unsigned i = 0; i < 8; i++) {
        shade of = blind_byte(s, at + i);
        if (g->r->like && (of & SHADE_ARGS || blind_hinges(g->r, of)))
            return needs(g->r, of);
        g->known = g->known && !is_unknown(of);
    }
    *x = blind_word(s, at);
    return true;
}

static bool read_parts(struct reading *g, uint64_t at, uint64_t n)
{
    g->known = n <= MOST_PARTS && at % 8 == 0;
    for (uint64_t i = 0; i < n && g->known; i++) {
        uint64_t from, bytes;
        if (!read_word(g, at + i * 16, &from) || !read_word(g, at + i * 16 + 8, &bytes) ||
            (g->known && !read_buffer(g, from, bytes)))
            return false;
    }
    return true;
}

bool blind_given(struct run *r, unsigned n)
{
    const struct ir_machine *m = r->s->w->m;
    const uint64_t nr = r->s->event[n].nr, *arg = r->s->event[n].arg;
    const shade *of = r->s->event[n].shade;
    struct reading g = {.r = r, .known = true};
    int name = name_at(nr);
    r->s->event[n].read = false;
    if (m->arch != MACHINE_AMD64 || (r->like && !r->like->event[n].read))
        return true;
    if (name >= 0) {
        if (is_unknown(of[name]) || !arg[name])
            return true;
        if (!read_name(&g, arg[name]))
            return false;
    } else if (nr == WRITE || nr == SENDTO || nr == WRITEV) {
        if (is_unknown(of[1] | of[2]))
            return true;
        if (!(nr == WRITEV ? read_parts(&g, arg[1], arg[2]) : read_buffer(&g, arg[1], arg[2])))
            return false;
    } else {
        return true;
    }
    if (!g.known)
        return true;
    r->s->event[n].read = true;
    r->s->event[n].given = hash_u64(g.hash + g.total);
    return !r->like || r->s->event[n].given == r->like->event[n].given || stop(r, END_REFUTED);
}
