/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands share, and those that are in files of their own. */
#ifndef DEBUG_COMMAND_H
#define DEBUG_COMMAND_H

#include "debug/private.h"

/* One command while it runs, for the sides s->first to s->last. A function of a command returns false when it
 * is wrong, after request_bad. */
struct request {
    struct debug_session *s;
    const char *name;   /* as in the table */
    const char *format; /* after the slash: "16xb"; "" when there is none */
    const char *rest;   /* its arguments */
    struct buf *out;
    struct error *err;
};

/* Says what is wrong with it, and returns false. */
bool request_bad(struct request *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool request_empty(struct request *r); /* it has no arguments */
bool request_count(struct request *r, uint64_t initial, uint64_t *out);
bool request_value(struct request *r, struct debug_side *side, const char *text, uint64_t *out);
/* "ADDRESS [LENGTH]" */
bool request_range(struct request *r, struct debug_side *side, uint64_t initial, uint64_t *address,
                   uint64_t *size);
/* n bytes without the spaces around them, to be freed. */
char *request_trim(const char *p, size_t n);

/* ---- command_stop.c ---- */
bool command_break(struct request *r);
bool command_watch(struct request *r);
bool command_access_watch(struct request *r);
bool command_delete(struct request *r);
bool command_breaks(struct request *r);

/* ---- command_data.c ---- */
bool command_registers(struct request *r);
bool command_examine(struct request *r);
bool command_print(struct request *r);
bool command_set(struct request *r);

#endif
