/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a bitcode function on the concrete interpreter, with its callees in the module and a few of the C
 * library. */
#ifndef TEST_LLVM_PLAY_H
#define TEST_LLVM_PLAY_H

#include "exec/concrete.h"
#include "lift/llvm/bitcode.h"

enum { PLAY_WORDS = 8 };

struct play;

struct play *play_new(struct bitcode *m);
void play_free(struct play *p);
/* Calls f(a, b, words). False when it cannot be run to its end: *why says what happened. */
bool play_call(struct play *p, const char *f, uint64_t a, uint64_t b, uint64_t *words, uint64_t *result,
               char why[256]);

#endif
