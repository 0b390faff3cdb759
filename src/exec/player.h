/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A replay under way: the concrete interpreter, and beside it the path that it must take. Shared by the files
 * of replay: memory (player_memory.c), events and the code of callees (player_calls.c), the run itself
 * (replay.c). */
#ifndef EXEC_PLAYER_H
#define EXEC_PLAYER_H

#include "base/vec.h"
#include "exec/concrete.h"
#include "exec/engine.h"
#include "exec/replay.h"

enum { FRAME_BYTES = 1 << 20 }; /* how far below the entry stack pointer the function's frame may reach */
/* Globals whose addresses are symbols lie where replay_path puts them. */
enum { GLOBALS_AT = 0x52000000, GLOBAL_SIZE = 0x100000, GLOBALS_MAX = 256 };

/* Memory between two calls: concrete contents are asked for by evaluating these. */
struct epoch {
    term mem, frame;
    bool escaped;
    const struct saved_set *saved;
    const struct exec_spaces *spaces;
};

struct written_cell {
    unsigned space;
    uint64_t address;
};

struct level {
    struct graph *g;
    uint32_t after; /* block of the level above to go on at; UINT32_MAX: a tail call */
    uint32_t *visits;
    const struct ir_end *call;  /* that entered it, in the level above; NULL: a tail call */
    const struct ir_machine *m; /* of its register file */
    struct mapped *file;        /* that has its code */
    bool own_registers;         /* its register file is not that of the level above */
};

struct player {
    struct explorer *x;
    const struct exec_path *path;
    struct term_model *model;
    term at; /* a symbol for the address of the byte being asked for */
    struct concrete *c;
    struct epoch epoch;
    struct map written;             /* address -> 1, since the last call */
    VEC(struct written_cell) cells; /* likewise, of other spaces */
    uint64_t sp;
    unsigned event;
    struct replay *out;
    const struct replay_watch *watch; /* or NULL */
    bool faulted;                     /* made the access that the path ends with */
    bool real;                        /* code of callees is run, nothing is compared */
    struct bits thrown;
    VEC(struct level) level; /* the functions whose code is being run, outermost first */
    struct map moved;        /* block -> copy of it with addresses as the hooks write them */
    struct arena arena;
};

/* ---- replay.c ---- */
/* Sets the outcome and what to say of it; true for REPLAY_OK. */
bool player_says(struct replay *out, enum replay_outcome o, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Under the model; 0 where it does not say. */
struct bits player_eval(const struct player *p, term v);
bool player_holds(const struct player *p, term guard);

/* ---- player_memory.c ---- */
/* As wide as a pointer. */
uint64_t player_mask(const struct explorer *x, uint64_t v);
/* A known word at an address of the file in memory that is never written; TERM_NONE when not known. */
term player_known_word(struct explorer *x, const struct mapped *in, uint64_t address, unsigned width);
/* For concrete_new and concrete_watch; ctx is a player. */
bool player_fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte);
void player_see_access(void *ctx, unsigned space, uint64_t address, unsigned bytes, bool write);
/* What the concrete run stored since the last call is what the symbolic one has. */
bool player_same_memory(struct player *p, const struct epoch *e, bool with_frame);
/* From here on memory is what these say. */
void player_new_epoch(struct player *p, struct epoch e);

/* ---- player_calls.c ---- */
/* The next event of the path of that kind whose guard holds; NULL: there is none. */
const struct exec_event *player_next_event(struct player *p, enum exec_event_kind kind);
/* Applies the event's effects to the concrete state. */
bool player_serve(struct player *p, const struct exec_event *e, uint64_t site);
/* Sets a word of the register file. */
void player_put_slot(struct player *p, unsigned slot, struct bits v);
/* Takes the return address, and so many bytes more, off the stack. */
void player_pop_return(struct player *p, unsigned more);
/* Of the function whose code is being run. */
struct graph *player_graph(const struct player *p);
/* Runs that code next; when it returns, the block `after` of this one (UINT32_MAX: a tail call). */
void player_enter(struct player *p, const struct flow_graph *g, uint32_t after);
/* A destination, as the graphs of the file that it is in know it; that file, NULL: none that is mapped. */
struct mapped *player_native_label(const struct explorer *x, const struct concrete_result *r,
                                   ir_label *label);
/* The block with constants that are addresses as the hooks write them. */
const struct ir_block *player_block(struct player *p, const struct ir_block *b);
/* The event of a call that is about to be made, left where it is. */
const struct exec_event *player_peek_event(const struct player *p, enum exec_event_kind kind);
/* The callee whose code is to be run for a call from here, and its file; or NULL. */
const struct flow_function *player_followed(struct player *p, struct mapped **in, uint64_t target,
                                            uint64_t site);
/* To a label of the file `in` (NULL: not known where). */
bool player_step_back_in(struct player *p, const struct concrete_result *r, struct mapped *in,
                         const struct ir_block *b, uint32_t *block, bool *threw);
/* Leaves the callees that return now; false when it is the function itself that does. */
bool player_leave(struct player *p, uint32_t *block);
/* An object is thrown: goes to the innermost handler, of `call` (or NULL) or of those that led here. False
 * when there is none. */
bool player_unwind(struct player *p, const struct ir_end *call, uint32_t *block);

#endif
