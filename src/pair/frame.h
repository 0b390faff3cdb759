/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames that are laid out differently.
 *
 * As long as no pointer into a frame escapes, the places of its locals do not matter. Once a callee has one,
 * they do. An address that escapes (as an argument, or stored) is assumed to be the beginning of a local that
 * reaches up to the next such beginning. Locals of the two versions are paired by who is given them: the same
 * argument of the same call, the same instruction of paired blocks. A place in the new frame is then that of
 * the local it lies in, at the same distance from its beginning, as long as the local of the old version has
 * room for it; else it is a place that the old frame does not have. Below all locals that escape, everything
 * has moved by the distance that most instructions agree on that are about what the versions store there:
 * what they only read comes from callees that came to it from a local, and has moved with that. Callees are
 * assumed not to reach a slot there that only one version has, nor one that lies above and, by debug
 * information, in no local that escaped; else it may be part of one, and nothing is assumed of it.
 *
 * Observe, then solve, then keep: whoever runs a side adds observations; frame_solve makes a
 * map of all that was seen; the map in use (pair.frame) changes only in frame_update, between two attempts.
 * An access may show meanwhile that the map is wrong (frame_slots.torn): nothing is proved with it then. */
#ifndef PAIR_FRAME_H
#define PAIR_FRAME_H

#include "base/map.h"
#include "exec/segment.h"

struct pair;
struct pair_side;

/* What was seen of the two frames; it only grows. Offsets are from the stack pointer at entry, in the side's
 * own frame. */
struct frame_observations {
    struct map access[2]; /* instruction and operand -> offset and size of the frame it accesses or passes */
    struct map apart[2];  /* bytes that no callee can reach and that both have, with different contents */
    struct map loaded[2]; /* bytes of the frame that are read, other than by popping them */
    struct map stored[2]; /* ... that are stored to */
    struct map escaped[2]; /* places in the frame that callees are surely given the address of */
    struct map declared[2]; /* every place that is given away -> how large debug information says the local is
                               that begins there; 0: it does not */
    struct map sized[2];    /* which of those were looked up, by site */
    struct map room[2]; /* places that callees are given -> bytes up to a saved register, the guard or the end
                           of the frame */
    struct map computed[2];    /* where an index into the frame begins -> bytes that are accessed by it */
    bool computed_anywhere[2]; /* one leads nobody knows how far */
    bool computed_above[2];    /* ... into the parameters on the stack, or above them */
    bool escaped_anywhere[2]; /* an address at a computed place in the frame is given away */
    bool escaped_above[2];    /* one of the parameters on the stack, or above them */
};

/* A local whose address escapes. */
struct frame_local {
    int64_t new, old; /* where it begins */
    int64_t room; /* bytes up to the next one in the old frame; 0: the old version gives no such local away */
};

/* A local that callees are given has less room than before. */
struct frame_shrunk {
    int64_t at; /* in the new frame */
    uint64_t left, had;
};

/* How the frames correspond. It is never changed; all zero is that of frames laid out alike. */
struct frame_map {
    size_t of;                       /* this many observations */
    const struct frame_local *local; /* of the new frame that are given away, by where they begin */
    size_t nlocals;
    int64_t shift; /* of what lies below them: from an offset in the new frame to that in the old one */
    int64_t low;   /* the lowest that is given away of the old frame */
    const struct exec_range *private[2]; /* out of the reach of callees */
    size_t nprivate[2];
};

/* What accesses come to under a map. */
struct frame_slots {
    struct map of[2]; /* bytes that are accessed directly: in the old frame's places -> in its own */
    bool torn; /* an access of the new version is to parts of the frame that moved by different distances */
};

/* ---- observing ---- */
void frame_see_access(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes,
                      uint64_t site);
/* The same of what lies somewhere behind: `base` is the stack pointer and an index. */
void frame_see_index(struct pair *pair, const struct pair_side *s, term base, int64_t offset, unsigned bytes);
void frame_see_load(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes);
void frame_see_store(struct pair *pair, const struct pair_side *s, int64_t offset, unsigned bytes);
/* The addresses in the frame that a path gives away. */
void frame_see_path(struct pair *pair, const struct pair_side *s, const struct exec_path *p);

/* ---- solving ---- */
/* The map of all that was seen, in the arena, and what was seen under it (frame_free frees pair.slots). */
void frame_solve(const struct pair *pair, struct arena *arena, struct frame_map *out,
                 struct frame_slots *slots);
/* Solves again if more was seen than the map in use is of, and puts the new one in its place. False when that
 * says nothing new, or frames are not to be paired. */
bool frame_update(struct pair *pair, struct arena *arena);
/* Some local that callees are given may be too small for what they write. */
bool frame_shrunk(const struct pair *pair, struct frame_shrunk *out);
void frame_free(struct pair *pair);

/* ---- asking ---- */
int frame_by_offset(const void *a, const void *b); /* for sorting */
/* An offset in the new frame as one in the old frame. */
int64_t frame_offset(const struct frame_map *map, int64_t off);
/* An address in the new frame without a counterpart in the old one, as far as is known. */
bool frame_is_unpaired(const struct pair *pair, term x);
bool frame_is_read(const struct pair *pair, int side, int64_t offset,
                   unsigned bytes); /* some of it is loaded */
/* The instruction was seen to store to the frame, and none to read that (abi_observe; ctx is a pair_side). */
bool frame_is_unread(void *ctx, uint64_t store);
/* It lies below all that the side gives away; the offset is in its own frame. */
bool frame_out_of_reach(const struct pair *pair, int side, int64_t native);
/* Under the map in use callees are assumed to leave the byte as it is. */
bool frame_keeps(const struct pair *pair, int side, int64_t native);
/* Both have the byte, with different contents, and no callee reaches it: the next map keeps it. */
void frame_see_apart(struct pair *pair, int side, int64_t native);
/* The same of all bytes of both that no callee reaches: what lies there matters only to the version itself. */
void frame_see_all_apart(struct pair *pair);
/* What the map in use keeps from callees is still out of their reach, by all that was seen since. */
bool frame_holds(const struct pair *pair);
/* The local that lies there was given away on the path at that call or before it. */
bool frame_escaped_by(const struct pair *pair, int side, const struct exec_path *p, const struct exec_event *e,
                    int64_t native);

#endif
