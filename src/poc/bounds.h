/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounds of objects while a side is explored (bounds.c). Inside src/poc only. */
#ifndef POC_BOUNDS_H
#define POC_BOUNDS_H

#include "poc/poc.h"

/* When an index is so large that the address made from it wraps around, which leads back into the object;
 * false on 64-bit machines, where an int does not. */
term bounds_wraps(const struct poc_side *side, term address);
/* That so many bytes at the address are in [low, low + size). */
term bounds_in_range(struct terms *t, unsigned width, term address, uint64_t low, uint64_t size, unsigned bytes);
/* Of a chunk whose size is open: how many bytes it holds, and that it stays within what there is room for, which keeps
 * that from wrapping around. */
term bounds_size(const struct poc_side *side, const struct poc_size *z);
term bounds_size_holds(const struct poc_side *side, const struct poc_size *z);
/* The open size of the chunk that an address is made from; NULL: it has none. */
const struct poc_size *bounds_open_size(const struct poc_side *side, term address);
/* exec_snapshot.within, exec_snapshot.unmapped; ctx is the side */
bool bounds_within(void *ctx, const struct exec_moment *at, term address, uint64_t *low, uint64_t *size);
term bounds_unmapped(void *ctx, const struct exec_moment *at, term address, unsigned bytes);
/* Before the guarding allocator's free is called: a chunk whose size is not known is freed in its place, as which one it
 * is would be computed from that. False: it is none. */
bool bounds_frees(struct poc_side *side, struct exec_moment *at);
/* Of a block of a size that is not known, which the call allocated where the watched one was: where in it an
 * access is. False: it is of no such block. */
bool bounds_grown(struct poc_side *side, const struct exec_moment *at, term address, term *off);

#endif
