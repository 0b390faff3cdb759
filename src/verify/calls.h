/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two calls of one name: are they given the same, and do they see the same? */
#ifndef VERIFY_CALLS_H
#define VERIFY_CALLS_H

#include "verify/private.h"

struct call {
    const struct exec_event *e;
    term guard; /* as seen; TERM_NONE: always */
    bool matched;
    term done;   /* when this holds it has been matched already; TERM_NONE: never */
    bool united; /* with one that it is the same as only sometimes */
};

enum call_kind {
    SAME_CALL,
    OTHER_ARGUMENT,
    OTHER_MEMORY,
    OTHER_LOCAL,
    OTHER_CALL,
    CALL_UNDECIDED,
    CALL_ARGUMENT_UNDECIDED
};

/* Two calls: the same, what differs, or what could not be decided. */
struct call_answer {
    enum call_kind kind;
    unsigned which;                /* the argument, or how many bytes of a local */
    term at;                       /* where memory is, or the local */
    enum verify_reason_code doubt; /* what could not be decided first; NONE: everything was */
    bool argument;                 /* that is the argument `which`, ... */
    enum abi_evidence why;         /* ... of which that is shown, ... */
    bool sure;                     /* ... which surely is one; or the local surely is another */
};

/* ---- arguments.c ---- */
/* Compares two calls of one name. *model (NULL: not wanted): an input that shows what differs. */
struct call_answer arguments_compare(struct view *w, const struct call *o, const struct call *n,
                                     struct term_model **model);
/* Both versions show that argument i of a call is one. Where one alone does, the register may only be left
 * over there.
 */
bool arguments_sure(struct check *c, const struct exec_event *o, const struct exec_event *n, unsigned i);

/* ---- arguments_stack.c ---- */
/* Arguments that one version was seen to pass and the other was not, and what callees read besides arguments,
 * count only if somebody put them there. What is in doubt about them; NONE: nothing. */
enum verify_reason_code arguments_stack_doubt(struct view *w, const struct call *o, const struct call *n,
                                              unsigned common);

/* ---- families.c ---- */
/* Compilers or headers may call the one for the other. */
bool families_share(const struct check *c, const struct exec_event *a, const struct exec_event *b);
/* ... but here both are known to write something, and not the same. */
bool families_differ(struct view *w, const struct exec_event *o, const struct exec_event *n);

#endif
