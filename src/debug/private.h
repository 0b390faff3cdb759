/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of a session share. */
#ifndef DEBUG_PRIVATE_H
#define DEBUG_PRIVATE_H

#include "debug/debuggee.h"
#include "debug/session.h"
#include "match/match.h"

/* A place or condition to stop at. */
struct stop_point {
    unsigned id;
    enum {
        STOP_AT,
        STOP_WHEN,
        STOP_CHANGE,
        STOP_ACCESS
    } kind;           /* a breakpoint, a condition anywhere, a value, an access */
    uint64_t address; /* AT, ACCESS */
    uint64_t size;    /* ACCESS */
    bool read, write; /* ACCESS */
    char *text;       /* as the user wrote it: place or expression */
    char *condition;  /* or NULL */
    uint64_t last;    /* CHANGE: the value when it was looked at last */
    bool temporary;
    uint64_t hits;
};

/* One of the programs and what the user wants of it. */
struct debug_side {
    struct debuggee *d;
    VEC(struct stop_point) stop;
    struct map leaders;  /* addresses where blocks begin */
    struct map analysed; /* functions whose leaders are in it */
    uint8_t *shown;      /* registers when they were shown last */
    struct object_line line; /* that a move by lines leaves; file NULL: none */
};

struct debug_session {
    struct debug_session_options opt;
    struct debug_side side[2];
    unsigned nsides;
    unsigned first, last; /* sides commands are for: first .. last */
    unsigned ids;         /* of stop points */
    struct lockstep *pair;    /* comparison of two versions, or NULL */
    unsigned show;        /* instructions around the position that are shown after every move */
    uint64_t deadline;    /* of the command that runs, ms; 0: none */
};

/* ---- move.c ---- */

enum move_kind { MOVE_STATEMENT, MOVE_STEP, MOVE_NEXT, MOVE_LINE, MOVE_NEXT_LINE, MOVE_BLOCK, MOVE_FINISH, MOVE_UNTIL, MOVE_CONTINUE };
enum move_end {
    MOVE_DONE,
    MOVE_STOP_POINT,
    MOVE_CANNOT,   /* the debuggee's state says why */
    MOVE_AT_START, /* backwards: there is nothing before */
    MOVE_LIMIT,
    MOVE_INTERRUPTED,
};
struct move {
    enum move_kind kind;
    bool back;
    uint64_t count;   /* of statements, instructions, blocks */
    uint64_t address; /* UNTIL */
};
enum move_end move(struct debug_session *s, struct debug_side *side, const struct move *m, struct buf *out);
/* The common checks while a command runs long; MOVE_DONE when it may go on. */
enum move_end move_allowed(struct debug_session *s, uint64_t steps);
void move_end_text(struct debug_session *s, const struct debug_side *side, enum move_end e, struct buf *out);
/* True when a stop point holds here; says which. */
bool stop_here(struct debug_side *side, struct buf *out);
void stop_points_refresh(struct debug_side *side); /* values of watched expressions are those of now */
void stop_points_changed(struct debug_side *side); /* after one was added */
bool stop_point_remove(struct debug_side *side, unsigned id);
bool move_is_leader(struct debug_side *side, uint64_t address);

/* ---- show.c ---- */

void show_notes(struct debug_side *side, struct buf *out);
void show_position(struct debug_side *side, struct buf *out);
void show_state(const struct debuggee *d, struct buf *out); /* why it cannot go on; nothing when it can */
void show_code(struct debug_side *side, unsigned around, bool with_ir, struct buf *out);
void show_statements(struct debug_side *side, struct buf *out);
void show_registers(struct debug_side *side, bool all, struct buf *out);
void show_frames(struct debug_side *side, struct buf *out);
void show_source(struct debug_side *side, unsigned around, struct buf *out);
/* `format` is x d u t c s i a, `unit` bytes of one item. */
void show_memory(struct debug_side *side, uint64_t address, unsigned count, char format, unsigned unit,
                 struct buf *out);
void show_value(struct debug_side *side, const char *text, uint64_t value, unsigned width, char format,
                struct buf *out);
void show_stop_points(const struct debug_side *side, struct buf *out);

/* ---- lockstep.c ---- */

struct lockstep *lockstep_new(struct match *m);
void lockstep_free(struct lockstep *p);
/* Runs both to the first difference. */
void lockstep_continue(struct debug_session *s, struct buf *out);
/* What differs between the states as they are. */
void lockstep_compare(struct debug_session *s, struct buf *out);
enum debug_verdict pair_verdict(const struct lockstep *p);
/* Which differences stop: a set of words, "path,calls,memory,result". */
bool lockstep_select(struct lockstep *p, const char *words, struct error *err);
void lockstep_moved(struct lockstep *p); /* the user moved one side: what was seen so far no longer holds */

#endif
