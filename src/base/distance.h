/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How far words are apart: which one was meant. */
#ifndef BASE_DISTANCE_H
#define BASE_DISTANCE_H

/* Edits (insert, delete, change, swap neighbours) between two short words; more than `most` is told as most + 1, as is
 * a word of more than 64 bytes. */
unsigned edit_distance(const char *a, const char *b, unsigned most);

#endif
