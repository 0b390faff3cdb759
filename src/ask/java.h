/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `assay java`: does a Java method fail, on any input. */
#ifndef ASK_JAVA_H
#define ASK_JAVA_H

#include "ask/ask.h"
#include "base/vec.h"
#include "exec/explore.h"

/* What is a failure: an exception that nobody catches, by its class. */
enum ask_java_check {
    JAVA_CHECK_ASSERT = 1,     /* AssertionError */
    JAVA_CHECK_BOUNDS = 2,     /* ArrayIndexOutOfBoundsException */
    JAVA_CHECK_NULL = 4,       /* NullPointerException */
    JAVA_CHECK_DIVIDE = 8,     /* ArithmeticException */
    JAVA_CHECK_CAST = 16,      /* ClassCastException */
    JAVA_CHECK_SIZE = 32,      /* NegativeArraySizeException */
    JAVA_CHECK_EXCEPTION = 64, /* any other */
    JAVA_CHECK_ALL = 127,
};
const char *ask_java_check_name(unsigned check); /* of one */

struct ask_java {
    const char *class_path;
    const char *method; /* Class, Class.method or Class.method(I)V */
    const char *jdk;    /* NULL: the one that is installed */
    unsigned checks;    /* set of enum ask_java_check */
    unsigned mode;      /* 1 to 5 */
    unsigned unwind;    /* iterations of a loop whose condition is open */
    unsigned length;    /* greatest length of arrays and strings that are inputs */
    bool args;          /* main's array is an input */
    uint64_t max_paths;
    struct solve_options solve;
    struct ask_limits limits;
};

struct ask_java_input {
    const char *name;  /* arg0, arg0[2], arg0.length; int, boolean, ...: what the program asked for */
    const char *type;  /* int */
    const char *value; /* as Java writes it */
};

struct ask_java_failure {
    uint32_t check;        /* enum ask_java_check */
    const char *exception; /* java.lang.ArithmeticException */
    const char *method;    /* Class.method(desc) that threw it */
    const char *file;      /* of its source; NULL: not known */
    uint32_t line;         /* 0: not known */
    const struct ask_java_input *input;
    size_t ninputs;
};

struct ask_java_counts {
    uint64_t paths, states, blocks, forks, merges, merges_refused, regions, spliced, calls, infeasible;
    uint64_t queries, solver_calls, solver_gave_up, terms, classes, methods;
};

enum ask_java_verdict { JAVA_HOLDS, JAVA_FAILS, JAVA_UNKNOWN, JAVA_BOUNDED, JAVA_VERDICTS };

struct ask_java_answer {
    bool begun;    /* the method was found */
    bool finished; /* the counts and the verdict are there */
    uint32_t verdict;
    const char *method;
    VEC(struct ask_java_failure) failure;
    const char *const *unknown; /* why it is not known, or how far it was looked, each once */
    size_t nunknown;
    const char *const *assumed; /* what was taken for something simpler */
    size_t nassumed;
    struct ask_java_counts counts;
    struct ask_end end;
    /* Its own: */
    const struct ask_java *q;
    struct arena arena;
};

bool ask_java(const struct ask_java *q, const struct ask_session *session, struct ask_java_answer *a,
              struct error *err);
void ask_java_free(struct ask_java_answer *a);
enum ask_status ask_java_status(const struct ask_java_answer *a);

#endif
