/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Moving through a run: by statements, instructions and blocks, over calls, to where something stops it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/system.h"
#include "debug/expr.h"
#include "debug/private.h"

/* ---- blocks ---- */

static void learn_leaders(struct debug_side *side, const struct flow_function *f)
{
    if (!map_set(&side->analysed, f->address, 1))
        return;
    const struct flow_graph *g = flow_graph(side->d->p, f);
    for (uint32_t i = 0; i < g->nblocks; i++)
        map_set(&side->leaders, debuggee_address(side->d, g->block[i].label), 1);
}

/* Code of no known function has no known blocks: every instruction is one. */
bool move_is_leader(struct debug_side *side, uint64_t address)
{
    const struct flow_function *f = program_function_covering(side->d->p, address);
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN))
        return true;
    learn_leaders(side, f);
    return map_get(&side->leaders, address, NULL);
}

/* ---- stop points ---- */

static bool condition_holds(struct debug_side *side, const char *condition, struct buf *out)
{
    uint64_t x;
    struct error err = {0};
    if (expr_eval(side->d, condition, &x, &err))
        return x != 0;
    buf_printf(out, "the condition cannot be evaluated here: %s\n", err.text);
    return true;
}

static bool access_hit(const struct debug_side *side, const struct stop_point *p, bool *write)
{
    for (size_t i = 0; i < side->d->access.len; i++) {
        const struct debuggee_access *a = &side->d->access.data[i];
        if (a->hit && a->address == p->address && a->size == p->size && a->read == p->read &&
            a->write == p->write) {
            *write = a->hit_write;
            return true;
        }
    }
    return false;
}

static bool holds(struct debug_side *side, struct stop_point *p, struct buf *out)
{
    struct debuggee *d = side->d;
    uint64_t now;
    bool write;
    switch (p->kind) {
    case STOP_AT:
        if (debuggee_address(d, d->at) != p->address || (d->block && d->n > d->first) ||
            (p->condition && !condition_holds(side, p->condition, out)))
            return false;
        buf_printf(out, "breakpoint %u, %s\n", p->id, p->text);
        return true;
    case STOP_WHEN:
        if (!condition_holds(side, p->condition, out))
            return false;
        buf_printf(out, "breakpoint %u: %s holds\n", p->id, p->condition);
        return true;
    case STOP_CHANGE:
        if (!expr_eval(d, p->text, &now, NULL) || now == p->last)
            return false;
        buf_printf(out, "watchpoint %u: %s was 0x%" PRIx64 ", is 0x%" PRIx64 "\n", p->id, p->text, p->last,
                   now);
        p->last = now;
        return true;
    case STOP_ACCESS:
        if (!access_hit(side, p, &write))
            return false;
        buf_printf(out, "watchpoint %u: %s was %s\n", p->id, p->text, write ? "written" : "read");
        return true;
    }
    return false;
}

bool stop_here(struct debug_side *side, struct buf *out)
{
    bool any = false;
    for (size_t i = 0; i < side->stop.len; i++) {
        struct stop_point *p = &side->stop.data[i];
        if (!holds(side, p, out))
            continue;
        any = true;
        p->hits++;
        if (p->temporary)
            stop_point_remove(side, side->stop.data[i--].id);
    }
    return any;
}

void stop_points_refresh(struct debug_side *side)
{
    for (size_t i = 0; i < side->stop.len; i++)
        if (side->stop.data[i].kind == STOP_CHANGE)
            expr_eval(side->d, side->stop.data[i].text, &side->stop.data[i].last, NULL);
}

void stop_points_changed(struct debug_side *side)
{
    vec_clear(&side->d->access);
    for (size_t i = 0; i < side->stop.len; i++) {
        const struct stop_point *p = &side->stop.data[i];
        if (p->kind == STOP_ACCESS)
            vec_push(&side->d->access,
                     (struct debuggee_access){p->address, p->size, p->read, p->write, false, false});
    }
}

bool stop_point_remove(struct debug_side *side, unsigned id)
{
    for (size_t i = 0; i < side->stop.len; i++)
        if (side->stop.data[i].id == id) {
            free(side->stop.data[i].text);
            free(side->stop.data[i].condition);
            memmove(&side->stop.data[i], &side->stop.data[i + 1],
                    (side->stop.len - i - 1) * sizeof *side->stop.data);
            side->stop.len--;
            stop_points_changed(side);
            return true;
        }
    return false;
}

/* ---- moving ---- */

enum move_end move_allowed(struct debug_session *s, uint64_t steps)
{
    enum { LOOK_EVERY = 256 };
    if (s->opt.max_steps && steps >= s->opt.max_steps)
        return MOVE_LIMIT;
    if (steps % LOOK_EVERY)
        return MOVE_DONE;
    if (s->opt.interrupt && *s->opt.interrupt)
        return MOVE_INTERRUPTED;
    return s->deadline && now_ms() >= s->deadline ? MOVE_LIMIT : MOVE_DONE;
}

/* ---- lines of source ---- */

static bool same_line(const struct object_line *a, const struct object_line *b)
{
    return a->line == b->line && (a->file == b->file || strcmp(a->file, b->file) == 0);
}

/* The line here; code without one belongs to the line that called it. */
static bool line_here(const struct debug_side *side, struct object_line *out)
{
    const struct debuggee *d = side->d;
    return object_debug_line(d->o, debuggee_address(d, d->at), out) && out->file;
}

/* Another line, or the same one in another call of the function. */
static bool line_reached(const struct debug_side *side, const struct move *m, size_t depth)
{
    struct object_line now;
    size_t frames = side->d->frame.len;
    if ((m->kind == MOVE_NEXT_LINE && frames > depth) || !line_here(side, &now))
        return false;
    return !side->line.file || !same_line(&now, &side->line) || frames != depth;
}

/* Backwards a line is left at its end: on to its beginning. */
static void to_line_begin(struct debug_side *side)
{
    struct debuggee *d = side->d;
    struct object_line at, before;
    size_t depth = d->frame.len;
    if (!line_here(side, &at))
        return;
    while (debuggee_back(d)) {
        bool inside = d->frame.len > depth ||
                      (d->frame.len == depth && line_here(side, &before) && same_line(&at, &before));
        if (!inside) {
            debuggee_step(d);
            return;
        }
    }
}

/* Whether one unit of the move is complete after a step. */
static bool reached(struct debug_side *side, const struct move *m, size_t depth)
{
    struct debuggee *d = side->d;
    uint64_t at = debuggee_address(d, d->at);
    switch (m->kind) {
    case MOVE_STATEMENT:
    case MOVE_STEP:
        return true;
    case MOVE_NEXT:
        return d->frame.len <= depth;
    case MOVE_LINE:
    case MOVE_NEXT_LINE:
        return line_reached(side, m, depth);
    case MOVE_BLOCK:
        return move_is_leader(side, at);
    case MOVE_FINISH:
        return d->frame.len < depth;
    case MOVE_UNTIL:
        return at == m->address;
    case MOVE_CONTINUE:
        return false;
    }
    return true;
}

static bool one_step(struct debuggee *d, const struct move *m)
{
    if (m->kind == MOVE_STATEMENT)
        return m->back ? debuggee_statement_back(d) : debuggee_statement(d);
    return m->back ? debuggee_back(d) : debuggee_step(d);
}

enum move_end move(struct debug_session *s, struct debug_side *side, const struct move *m, struct buf *out)
{
    struct debuggee *d = side->d;
    uint64_t steps = 0;
    bool single = m->kind == MOVE_STATEMENT || m->kind == MOVE_STEP;
    stop_points_refresh(side);
    bool by_line = m->kind == MOVE_LINE || m->kind == MOVE_NEXT_LINE;
    for (uint64_t i = 0; i < m->count; i++) {
        size_t depth = d->frame.len;
        /* backwards, what comes first is the line it stands in the middle of */
        if (!by_line || m->back || !line_here(side, &side->line))
            side->line.file = NULL;
        do {
            bool moved = one_step(d, m);
            if (!moved)
                return m->back ? MOVE_AT_START : MOVE_CANNOT;
            steps++;
            /* A single step stops by itself; several of them stop for what stops a longer move, too. */
            if ((!single || m->count > 1) && stop_here(side, out))
                return MOVE_STOP_POINT;
            if (!m->back && d->state != DEBUGGEE_READY)
                return MOVE_CANNOT;
            enum move_end e = move_allowed(s, steps);
            if (e != MOVE_DONE)
                return e;
        } while (!reached(side, m, depth));
        if (by_line && m->back)
            to_line_begin(side);
    }
    return MOVE_DONE;
}

void move_end_text(struct debug_session *s, const struct debug_side *side, enum move_end e, struct buf *out)
{
    switch (e) {
    case MOVE_DONE:
    case MOVE_STOP_POINT:
        break;
    case MOVE_CANNOT:
        show_state(side->d, out);
        break;
    case MOVE_AT_START:
        buf_puts(out, side->d->forgot ? "no further back: the start is no longer in the history (--history)\n"
                                      : "at the start\n");
        break;
    case MOVE_LIMIT:
        if (s->opt.max_steps)
            buf_printf(out,
                       "stopped after %" PRIu64 " instructions (--max-steps) or the time limit (--timeout)\n",
                       s->opt.max_steps);
        else
            buf_puts(out, "stopped by the time limit (--timeout)\n");
        break;
    case MOVE_INTERRUPTED:
        buf_puts(out, "interrupted\n");
        break;
    }
}
