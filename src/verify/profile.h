/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the paths of a version return, and how they come to it: what heuristic B goes by (exits.c). */
#ifndef VERIFY_PROFILE_H
#define VERIFY_PROFILE_H

#include "verify/private.h"

struct value_use {
    int64_t value;
    double length;
    uint64_t paths;
    uint64_t idle; /* of them, those that do nothing else */
    uint64_t told; /* of them, those that were told the same by the last callee */
    uint64_t moved; /* of them, those on which no branch chose it: a conditional move did */
    uint64_t most; /* done by one of them */
};

struct order {
    term less, more;
};

/* A number that is returned where something was compared with it. */
struct bound {
    term of;
    int64_t value;
};

struct profile {
    struct check *c;
    struct pair_side *s;
    VEC(struct value_use) value;
    uint64_t others;   /* paths that return something that is not a constant */
    uint64_t pointers; /* of them, those that return what looks like a pointer */
    /* What is returned and may be a pointer: it is one if it is used as an address somewhere. */
    VEC(term) open;
    double length;
    uint64_t paths, returning, cut;
    /* Returned numbers that are too narrow for a pointer, or what callees returned where nothing is: how
     * many, and of those known not to be 0 and of all other paths that return something how many and how
     * long. */
    uint64_t numbers, some, rest;
    term one;            /* the first that is known not to be 0 */
    bool many, constant; /* so are others; something returned is a constant by itself */
    double some_length, rest_length;
    /* Paths that return what a callee returned and they found not to be 0. */
    uint64_t handed;
    double handed_length;
    struct result_signs signs;
    uint64_t others_most; /* done by a path that returns something that is not a constant */
    /* What was found to be less than what, on paths to a negative and to a positive constant. */
    VEC(struct order) below, above;
    /* Paths to a negative constant beside which the second register holds what extends it, and others. */
    uint64_t extended, unextended;
    bool orders; /* a difference of two things is returned, or what a function that compares returned */
    VEC(struct bound) beyond;
    struct map returned; /* what else than a constant is returned, however wide it is made */
    struct map errno_known; /* term -> whether the address of errno is in it */
};

/* A constant of that width as the number that is returned. */
int64_t profile_number(const struct check *c, uint64_t v, unsigned width);
/* explore_hooks.path; ctx is a profile. */
bool profile_see(void *ctx, const struct exec_path *path);
/* A comparator: it returns a negative number when one thing is less than another and a positive one when it
 * is greater. No result is an error. */
bool profile_compares(const struct profile *p);
/* The number takes the place of one that lies beyond it, and that the version returns otherwise. */
bool profile_is_bound(const struct profile *p, int64_t v);
/* The address is that of errno: what is stored there tells why, and is no work. */
bool profile_is_errno(struct terms *t, term address);

#endif
