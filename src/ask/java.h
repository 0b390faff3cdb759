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
    const char *symbolic; /* names of the arguments and static fields that are inputs, with commas; NULL: all
                             arguments */
    bool replay;          /* run failures on the virtual machine */
    bool cases;           /* look for inputs that take each path, each line and each branch */
    bool coverage;        /* ... and say which are reached; with cases */
    const char *sources;  /* directory below which the source is looked for (java_source); NULL: it is not */
    uint64_t max_paths;
    struct solve_options solve;
    struct ask_limits limits;
};

struct ask_java_input {
    const char *name;  /* arg0, arg0[2], arg0.length; int, boolean, ...: what the program asked for */
    const char *type;  /* int */
    const char *value; /* as Java writes it */
    const char *file;  /* whose code asked for it; NULL: it is an argument or a field */
    uint32_t line;     /* 0: not known */
};

enum ask_java_replay { JAVA_REPLAY_NOT_ASKED, JAVA_REPLAY_CONFIRMED, JAVA_REPLAY_DIFFERS };

struct ask_java_failure {
    uint32_t check;        /* enum ask_java_check */
    const char *exception; /* java.lang.ArithmeticException */
    const char *method;    /* Class.method(desc) that threw it */
    const char *file;      /* of its source; NULL: not known */
    uint32_t line;         /* 0: not known */
    const struct ask_java_input *input;
    size_t ninputs;
    uint32_t replay;         /* enum ask_java_replay */
    const char *replay_said; /* JAVA_REPLAY_DIFFERS: what happened instead */
};

struct ask_java_place {
    const char *file;
    uint32_t line;
    bool branch;        /* a way out of a branch in that line: ... */
    const char *method; /* ... Class.method(desc) and ... */
    uint32_t from, to;  /* ... where in its code the branch is, and where it leads ... */
    uint32_t to_line;   /* ... which is in this line; 0: not known */
};

/* Inputs, what comes of them, and what no case before it reaches. */
struct ask_java_case {
    const char *exception; /* NULL: the method returns */
    const struct ask_java_input *input;
    size_t ninputs;
    const struct ask_java_place *reaches;
    size_t nreaches;
};

/* A line of a method that was entered. */
struct ask_java_line {
    const char *class, *file;
    uint32_t line;
    bool covered;             /* by a case */
    uint32_t branches, taken; /* ways out of branches; those that a case takes */
};

struct ask_java_counts {
    uint64_t mode; /* that the others are of: 1 where merging did not pay */
    uint64_t work; /* of all attempts, merging that did not pay included, as base/budget.h counts it */
    uint64_t paths, states, blocks, forks, merges, merges_refused, regions, spliced, calls, infeasible;
    uint64_t queries, solver_calls, solver_gave_up, terms, classes, methods;
};

enum ask_java_verdict { JAVA_HOLDS, JAVA_FAILS, JAVA_UNKNOWN, JAVA_BOUNDED, JAVA_VERDICTS };

struct ask_java_answer {
    bool begun;    /* the method was found */
    bool finished; /* the counts and the verdict are there */
    uint32_t verdict;
    const char *method;
    const char *home; /* the JDK */
    VEC(struct ask_java_failure) failure;
    VEC(struct ask_java_case) cases;
    const struct ask_java_line *line;
    size_t nlines;
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

/* The source of the class that a line is in; NULL: it is not at hand. To be freed. */
char *java_source(const struct ask_java_answer *a, const struct ask_java_line *l);
/* ask/java_run.c. Runs every failure; its class files and the program's are executed. False: it could not be
 * tried. */
bool java_replay(struct ask_java_answer *a, const struct ask_session *session, struct error *err);
/* Writes a JUnit test for every case, and what it needs, to the directory. */
bool java_write_tests(const struct ask_java_answer *a, const char *dir, struct error *err);

#endif
