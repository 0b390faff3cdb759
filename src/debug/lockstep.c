/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two versions side by side: both are run from event to event, and the first event that differs stops them.
 *
 * Events are what can be compared whatever registers and addresses the two use: entering a block that has a
 * partner in the other version, calling a function, the end. With a call and with the end go the arguments or
 * the result. Memory outside their frames that either has written is looked at with every event; but
 * compilers reorder writes between calls, so a byte that differs is only suspected until the next call or the
 * end. What still differs then is the difference, and both go back to where it began. Addresses are compared
 * by what they stand for (match.h), pointers into their own frames not at all. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/private.h"
#include "flow/library.h"

enum compared {
    COMPARE_PATH = 1,
    COMPARE_CALLS = 2,
    COMPARE_MEMORY = 4,
    COMPARE_RESULT = 8,
    COMPARE_ALL = 15
};

enum event_kind {
    EVENT_BLOCK,
    EVENT_CALL,
    EVENT_END,
    EVENT_STOP /* a stop point or a limit: not compared */
};
struct event {
    enum event_kind kind;
    uint64_t block;    /* BLOCK: the same number for partners */
    enum move_end end; /* STOP */
};

struct half {
    struct map block;             /* address -> number */
    VEC(uint64_t) written, fresh; /* bytes outside the frames; those not compared yet */
    struct map seen;              /* those in written */
};

/* A byte that differs, and how far the two had run: when that was seen, and at the event before. */
struct suspect {
    uint64_t old;
    uint64_t steps[2], before[2];
};

struct lockstep {
    struct match *m;
    unsigned what; /* set of enum compared */
    struct half half[2];
    struct map functions;        /* old functions whose blocks are known */
    uint64_t blocks;             /* numbers given */
    VEC(struct suspect) suspect; /* in the order in which they were seen */
    uint64_t steps[2];           /* at the last event */
    struct event held;           /* of the first, when the second was stopped before its own */
    bool holding;
    enum debug_verdict verdict;
};

struct lockstep *lockstep_new(struct match *m)
{
    struct lockstep *p = xcalloc(1, sizeof *p);
    p->m = m;
    p->what = COMPARE_ALL;
    return p;
}

void lockstep_free(struct lockstep *p)
{
    if (!p)
        return;
    for (int i = 0; i < 2; i++) {
        map_free(&p->half[i].block);
        map_free(&p->half[i].seen);
        vec_free(&p->half[i].written);
        vec_free(&p->half[i].fresh);
    }
    map_free(&p->functions);
    vec_free(&p->suspect);
    free(p);
}

enum debug_verdict pair_verdict(const struct lockstep *p)
{
    return p->verdict;
}

void lockstep_moved(struct lockstep *p)
{
    p->holding = false;
    vec_clear(&p->suspect);
    if (p->verdict == DEBUG_SAME)
        p->verdict = DEBUG_NO_VERDICT;
}

bool lockstep_select(struct lockstep *p, const char *words, struct error *err)
{
    static const struct {
        const char *word;
        unsigned bit;
    } all[] = {{"path", COMPARE_PATH},
               {"calls", COMPARE_CALLS},
               {"memory", COMPARE_MEMORY},
               {"result", COMPARE_RESULT},
               {"all", COMPARE_ALL}};
    unsigned what = 0;
    while (*words) {
        size_t n = strcspn(words, ", "), k = 0;
        while (n && k < 5 && (strlen(all[k].word) != n || strncmp(all[k].word, words, n) != 0))
            k++;
        if (k == 5)
            return error_set(err, ERROR_USAGE, "compare takes words of: path, calls, memory, result, all");
        what |= n ? all[k].bit : 0;
        words += n + (words[n] != 0);
    }
    if (!what)
        return error_set(err, ERROR_USAGE, "compare takes words of: path, calls, memory, result, all");
    p->what = what;
    return true;
}

/* ---- events ---- */

static const struct flow_function *functions_of(const struct debuggee *d, size_t *n)
{
    const struct flow_function *f;
    *n = program_functions(d->p, &f);
    return f;
}

/* The blocks of the function that covers the address, and of its partner. */
static void learn(struct debug_session *s, unsigned side, uint64_t address)
{
    struct lockstep *p = s->pair;
    const struct flow_function *f = program_function_covering(s->side[side].d->p, address);
    if (!f || f->flags & (FLOW_PLT | FLOW_EXTERN))
        return;
    const struct match_pair *mp =
        side == 0 ? match_function(p->m, f->address) : match_function_new(p->m, f->address);
    if (!mp || mp->old == MATCH_NONE || mp->new == MATCH_NONE || !map_set(&p->functions, mp->old, 1))
        return;
    const struct match_blocks *b = match_blocks(p->m, mp->old, mp->new);
    for (uint32_t i = 0; b && i < b->nold; i++)
        if (b->new_of_old[i] != MATCH_NONE) {
            p->blocks++;
            map_set(&p->half[0].block, b->old_address[i], p->blocks);
            map_set(&p->half[1].block, b->new_address[b->new_of_old[i]], p->blocks);
        }
}

/* What the last instruction wrote is in the log: its entries from `from` on. */
static void note_writes(struct debug_session *s, unsigned side, size_t from)
{
    struct half *h = &s->pair->half[side];
    const struct debuggee *d = s->side[side].d;
    for (size_t i = from; i < d->log.len; i++) {
        const struct undo *u = &d->log.data[i];
        if (u->kind != UNDO_MEMORY || debuggee_in_frames(d, u->a))
            continue;
        for (unsigned k = 0; k < u->n; k++) {
            uint64_t a = debuggee_mask(d, u->a + k);
            vec_push(&h->fresh, a);
            if (map_set(&h->seen, a, 1))
                vec_push(&h->written, a);
        }
    }
}

/* Whether the instruction at `was` called or, at its end, jumped to another function. */
static bool made_call(const struct debuggee *d, ir_label was, size_t depth)
{
    uint64_t from = debuggee_address(d, was), to = debuggee_address(d, d->at);
    if (d->frame.len > depth || (debuggee_import_at(d, d->at) && !debuggee_import_at(d, was)))
        return true;
    return d->frame.len == depth && to != from && program_function_at(d->p, to) &&
           program_function_covering(d->p, from) != program_function_covering(d->p, to);
}

/* It is at a function of the library that does nothing but return something, or that does nothing:
 * free(NULL). */
static bool at_idle_import(const struct debuggee *d)
{
    const char *import = debuggee_import_at(d, d->at);
    const struct flow_library *all = program_library(d->p);
    const struct flow_library_entry *e = import && all ? flow_library_find(all, import) : NULL;
    return e &&
           (e->attrs & (LIBRARY_CONST | LIBRARY_PURE) || (e->like == LIKE_FREE && !import_argument(d, 0)));
}

static struct event next_event(struct debug_session *s, unsigned i, uint64_t *steps, struct buf *out)
{
    struct debug_side *side = &s->side[i];
    struct debuggee *d = side->d;
    for (;;) {
        size_t depth = d->frame.len;
        ir_label was = d->at;
        bool moved = debuggee_step(d);
        if (!moved)
            return (struct event){.kind = EVENT_END};
        note_writes(s, i, d->mark < d->log.len ? d->mark : d->log.len);
        enum move_end e = move_allowed(s, ++*steps);
        if (stop_here(side, out))
            e = MOVE_STOP_POINT;
        uint64_t number, at = debuggee_address(d, d->at);
        if (d->at < was || d->at - was > 16) /* not merely the next instruction */
            learn(s, i, at);
        if (made_call(d, was, depth) && !at_idle_import(d) &&
            s->pair->what & (COMPARE_CALLS | COMPARE_MEMORY))
            return (struct event){.kind = EVENT_CALL};
        if (d->state != DEBUGGEE_READY)
            return (struct event){.kind = EVENT_END};
        if (s->pair->what & COMPARE_PATH && map_get(&s->pair->half[i].block, at, &number))
            return (struct event){.kind = EVENT_BLOCK, .block = number};
        if (e != MOVE_DONE)
            return (struct event){.kind = EVENT_STOP, .end = e};
    }
}

/* ---- comparing ---- */

/* How far above the stack pointer it began with; false when that is far. */
static bool above_entry(const struct debuggee *d, uint64_t address, uint64_t *offset)
{
    enum { NEAR = 64 << 10 };
    *offset = debuggee_mask(d, address - d->entry_sp);
    return *offset < NEAR;
}

static bool same_value(struct debug_session *s, uint64_t old, uint64_t new)
{
    const struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    uint64_t i, k;
    const char *x = debuggee_import_at(a, old), *y = debuggee_import_at(b, new);
    if (x || y) /* the same number may stand for different functions */
        return x && y && strcmp(x, y) == 0;
    if (old == new || (debuggee_in_frames(a, old) && debuggee_in_frames(b, new)) ||
        (above_entry(a, old, &i) && above_entry(b, new, &k) && i == k))
        return true;
    return match_same_address(s->pair->m, debuggee_address(a, old), debuggee_address(b, new));
}

/* Where a byte of one version is in the other: the caller's stack is at the same distance, data where its
 * partner is. */
static uint64_t other_place(struct debug_session *s, unsigned side, uint64_t address)
{
    uint64_t there, offset;
    if (above_entry(s->side[side].d, address, &offset))
        return s->side[!side].d->entry_sp + offset;
    bool known = side == 0 ? match_data(s->pair->m, address, &there, NULL)
                           : match_data_back(s->pair->m, address, &there, NULL);
    return known ? there : address;
}

static uint64_t word_at(const struct debuggee *d, uint64_t address)
{
    uint8_t bytes[8] = {0};
    unsigned word = d->m->pointer_width / 8;
    debuggee_peek(d, address, bytes, word, NULL);
    return bits_low(bits_from_bytes(bytes, word));
}

static bool same_byte(struct debug_session *s, uint64_t old, uint64_t new)
{
    const struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    uint8_t x, y;
    debuggee_peek(a, old, &x, 1, NULL);
    debuggee_peek(b, new, &y, 1, NULL);
    if (x == y)
        return true;
    unsigned word = a->m->pointer_width / 8, off = old % word;
    return new % word == off &&same_value(s, word_at(a, old - off), word_at(b, new - off));
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

typedef VEC(uint64_t) addresses;

/* Old addresses, sorted, of bytes in the two lists that differ. */
static void differing(struct debug_session *s, bool all, addresses *out)
{
    for (unsigned i = 0; i < 2; i++) {
        struct half *h = &s->pair->half[i];
        size_t n = all ? h->written.len : h->fresh.len;
        for (size_t k = 0; k < n; k++) {
            uint64_t here = all ? h->written.data[k] : h->fresh.data[k], there = other_place(s, i, here);
            uint64_t old = i == 0 ? here : there, new = i == 0 ? there : here;
            if (!same_byte(s, old, new))
                vec_push(out, old);
        }
    }
    vec_sort(out, by_number);
    size_t n = 0;
    for (size_t k = 0; k < out->len; k++)
        if (n == 0 || out->data[n - 1] != out->data[k])
            out->data[n++] = out->data[k];
    out->len = n;
}

/* The instruction that wrote a byte last, as far as the log tells. */
static void put_writer(const struct debuggee *d, uint64_t address, struct buf *out)
{
    for (size_t k = d->log.len; k-- > 0;) {
        const struct undo *u = &d->log.data[k];
        if (u->kind != UNDO_MEMORY || debuggee_mask(d, address - u->a) >= u->n)
            continue;
        while (k-- > 0)
            if (d->log.data[k].kind == UNDO_STEP) {
                char name[256];
                uint64_t at = debuggee_address(d, d->log.data[k].a);
                buf_printf(out, " by %s", debuggee_describe(d, at, name, sizeof name));
                return;
            }
        return;
    }
}

/* The run of differing bytes from index k on, as one line; returns the index after it. */
static size_t put_difference(struct debug_session *s, const addresses *a, size_t k, struct buf *out)
{
    enum { MAX_RUN = 16 };
    size_t end = k + 1;
    while (end < a->len && end - k < MAX_RUN && a->data[end] == a->data[end - 1] + 1)
        end++;
    char name[256];
    uint64_t old = a->data[k], new = other_place(s, 0, old);
    buf_printf(out, "memory at 0x%" PRIx64, old);
    if (program_describe(s->side[0].d->p, old, name, sizeof name))
        buf_printf(out, " (%s)", name);
    if (new != old)
        buf_printf(out, ", in new at 0x%" PRIx64, new);
    buf_puts(out, ": old");
    for (int i = 0; i < 2; i++) {
        if (i)
            buf_puts(out, ", new");
        for (size_t j = k; j < end; j++) {
            uint8_t byte;
            debuggee_peek(s->side[i].d, i ? other_place(s, 0, a->data[j]) : a->data[j], &byte, 1, NULL);
            buf_printf(out, " %02x", byte);
        }
        put_writer(s->side[i].d, i ? new : old, out);
    }
    buf_putc(out, '\n');
    return end;
}

static bool is_suspected(const struct lockstep *p, uint64_t old)
{
    for (size_t i = 0; i < p->suspect.len; i++)
        if (p->suspect.data[i].old == old)
            return true;
    return false;
}

/* Both stand at the same event: what they wrote since the last one, and whether older suspicions still hold.
 */
static void look_at_memory(struct debug_session *s)
{
    enum { SUSPECTS_MAX = 256 };
    struct lockstep *p = s->pair;
    uint64_t now[2] = {s->side[0].d->steps, s->side[1].d->steps};
    if (p->what & COMPARE_MEMORY) {
        addresses a = VEC_INIT;
        size_t kept = 0;
        for (size_t i = 0; i < p->suspect.len; i++)
            if (!same_byte(s, p->suspect.data[i].old, other_place(s, 0, p->suspect.data[i].old)))
                p->suspect.data[kept++] = p->suspect.data[i];
        p->suspect.len = kept;
        differing(s, false, &a);
        for (size_t i = 0; i < a.len && p->suspect.len < SUSPECTS_MAX; i++)
            if (!is_suspected(p, a.data[i]))
                vec_push(&p->suspect,
                         (struct suspect){a.data[i], {now[0], now[1]}, {p->steps[0], p->steps[1]}});
        vec_free(&a);
    }
    vec_clear(&p->half[0].fresh);
    vec_clear(&p->half[1].fresh);
    memcpy(p->steps, now, sizeof now);
}

/* Whether the instruction that ran last wrote the byte. */
static bool just_wrote(const struct debuggee *d, uint64_t address)
{
    for (size_t k = d->log.len; k-- > 0 && d->log.data[k].kind != UNDO_STEP;)
        if (d->log.data[k].kind == UNDO_MEMORY &&
            debuggee_mask(d, address - d->log.data[k].a) < d->log.data[k].n)
            return true;
    return false;
}

/* Back to the event at which the byte was seen to differ, and if it was written since the event before, to
 * after that instruction. */
static void take_back(struct debuggee *d, uint64_t address, uint64_t steps, uint64_t before)
{
    while (d->steps > steps && debuggee_back(d))
        ;
    bool written = false;
    for (size_t k = d->log.len, n = (size_t)(d->steps - before); k-- > 0 && n && !written;) {
        n -= d->log.data[k].kind == UNDO_STEP;
        written = d->log.data[k].kind == UNDO_MEMORY &&
                  debuggee_mask(d, address - d->log.data[k].a) < d->log.data[k].n;
    }
    while (written && d->steps > before && !just_wrote(d, address) && debuggee_back(d))
        ;
}

static bool memory_differs(struct debug_session *s, struct buf *out)
{
    struct lockstep *p = s->pair;
    look_at_memory(s);
    if (!p->suspect.len)
        return false;
    struct suspect first = p->suspect.data[0];
    addresses a = VEC_INIT;
    for (size_t i = 0; i < p->suspect.len && p->suspect.data[i].steps[0] == first.steps[0]; i++)
        vec_push(&a, p->suspect.data[i].old);
    uint64_t place[2] = {first.old, other_place(s, 0, first.old)};
    for (unsigned i = 0; i < 2; i++)
        take_back(s->side[i].d, place[i], first.steps[i], first.before[i]);
    buf_puts(out, "difference: ");
    put_difference(s, &a, 0, out);
    vec_free(&a);
    vec_clear(&p->suspect);
    p->steps[0] = s->side[0].d->steps;
    p->steps[1] = s->side[1].d->steps;
    return true;
}

static const char *describe(const struct debuggee *d, char *out, size_t cap)
{
    return debuggee_describe(d, debuggee_address(d, d->at), out, cap);
}

static int arguments(const struct debuggee *d)
{
    struct flow_prototype proto;
    const char *import = debuggee_import_at(d, d->at);
    if (import)
        return flow_library_prototype(d->p, import, &proto) ? proto.nargs : -1;
    const struct flow_function *f = program_function_at(d->p, debuggee_address(d, d->at));
    return f ? flow_prototype(d->p, f).nargs : -1;
}

/* Whether argument i was written since the call or return before this call. */
static bool was_written(const struct debuggee *d, unsigned i)
{
    const struct ir_machine *m = d->m;
    uint64_t slot = debuggee_word(d, m->sp) + m->stack_arg + (uint64_t)(i - m->nargs) * m->pointer_width / 8;
    size_t k = d->mark < d->log.len ? d->mark : d->log.len;
    while (k-- > 0) {
        const struct undo *u = &d->log.data[k];
        if (u->kind == UNDO_PUSH || u->kind == UNDO_POP_MORE)
            return false;
        if (i < m->nargs ? u->kind == UNDO_REGISTER && u->at == m->arg[i]
                         : u->kind == UNDO_MEMORY && debuggee_mask(d, slot - u->a) < u->n)
            return true;
    }
    return false;
}

/* How many arguments an unknown function may take: those that both versions have set. The first counts when
 * either has, since a caller may pass its own argument on. A register that only one version writes may serve
 * something else. */
static int arguments_set(const struct debuggee *a, const struct debuggee *b)
{
    enum { MOST = 6 };
    if (!was_written(a, 0) && !was_written(b, 0))
        return 0;
    int n = 1;
    while (n < MOST && was_written(a, (unsigned)n) && was_written(b, (unsigned)n))
        n++;
    return n;
}

/* Whether both stand at the beginning of the same function. */
static bool same_callee(struct debug_session *s)
{
    const struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    const struct match_pair *mp = match_function(s->pair->m, debuggee_address(a, a->at));
    size_t n;
    const struct flow_function *f = functions_of(b, &n);
    if (debuggee_import_at(a, a->at) || debuggee_import_at(b, b->at) || !mp || mp->new == MATCH_NONE ||
        mp->new >= n)
        return same_value(s, a->at, b->at);
    return f[mp->new].address == debuggee_address(b, b->at);
}

static bool calls_differ(struct debug_session *s, struct buf *out)
{
    const struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    char x[256], y[256];
    if (!(s->pair->what & COMPARE_CALLS))
        return false;
    if (!same_callee(s)) {
        buf_printf(out, "difference: old calls %s, new calls %s\n", describe(a, x, sizeof x),
                   describe(b, y, sizeof y));
        return true;
    }
    int n = arguments(a), k = arguments(b);
    bool known = n >= 0 && k >= 0;
    if (k < n)
        n = k;
    if (!known)
        n = arguments_set(a, b);
    for (int i = 0; i < n; i++) {
        uint64_t old = import_argument(a, (unsigned)i), new = import_argument(b, (unsigned)i);
        if (!same_value(s, old, new)) {
            buf_printf(out, "difference: argument %d of %s: old 0x%" PRIx64 ", new 0x%" PRIx64 "%s\n", i,
                       describe(a, x, sizeof x), old, new, known ? "" : " (its prototype is unknown)");
            return true;
        }
    }
    return false;
}

static bool waits(const struct debuggee *d)
{
    return d->state == DEBUGGEE_CALL || d->state == DEBUGGEE_SYSCALL || d->state == DEBUGGEE_UNINITIALISED ||
           d->state == DEBUGGEE_NO_MEANING;
}

/* Whether the first function gives a result, as far as is known. */
static bool has_result(const struct debuggee *d)
{
    const struct flow_function *f = program_function_at(d->p, debuggee_address(d, d->frame.data[0].target));
    return !f || flow_prototype(d->p, f).returns || flow_prototype(d->p, f).source != PROTO_DWARF;
}

static void at_end(struct debug_session *s, struct buf *out)
{
    struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    struct lockstep *p = s->pair;
    if (memory_differs(s, out)) {
        p->verdict = DEBUG_DIFFERENT;
        return;
    }
    show_state(a, out);
    show_state(b, out);
    if (waits(a) || waits(b)) {
        if (a->state != b->state)
            buf_puts(out, "the two are waiting for different events\n");
        return;
    }
    if (a->state != b->state) {
        buf_printf(out, "difference: old ends by %s, new by %s\n", debuggee_state_text(a->state),
                   debuggee_state_text(b->state));
        p->verdict = DEBUG_DIFFERENT;
        return;
    }
    uint64_t x = debuggee_word(a, a->m->ret), y = debuggee_word(b, b->m->ret);
    if (a->state == DEBUGGEE_RETURNED && p->what & COMPARE_RESULT && has_result(a) && has_result(b) &&
        !same_value(s, x, y)) {
        buf_printf(out, "difference: old returns 0x%" PRIx64 ", new 0x%" PRIx64 "\n", x, y);
        p->verdict = DEBUG_DIFFERENT;
    } else if (p->verdict != DEBUG_DIFFERENT) {
        buf_puts(out, "no difference\n");
        p->verdict = DEBUG_SAME;
    }
}

static void describe_event(struct debug_session *s, unsigned i, const struct event *e, struct buf *out)
{
    struct debuggee *d = s->side[i].d;
    char name[256];
    describe(d, name, sizeof name);
    if (e->kind == EVENT_BLOCK)
        buf_printf(out, "%s continues at %s", d->title, name);
    else if (e->kind == EVENT_CALL)
        buf_printf(out, "%s calls %s", d->title, name);
    else
        buf_printf(out, "%s ends (%s)", d->title, debuggee_state_text(d->state));
}

/* True when the run goes on. */
static bool compare_events(struct debug_session *s, const struct event *a, const struct event *b,
                           struct buf *out)
{
    bool same = a->kind == b->kind && (a->kind != EVENT_BLOCK || a->block == b->block);
    if (!same && memory_differs(s, out)) { /* that was before */
        s->pair->verdict = DEBUG_DIFFERENT;
        return false;
    }
    if (!same) {
        /* A side that only waits for the user has not ended, but then the other one went elsewhere all the
         * same. */
        buf_puts(out, "difference: ");
        describe_event(s, 0, a, out);
        buf_puts(out, ", ");
        describe_event(s, 1, b, out);
        buf_putc(out, '\n');
        show_state(s->side[0].d, out);
        show_state(s->side[1].d, out);
        s->pair->verdict = DEBUG_DIFFERENT;
        return false;
    }
    if (a->kind == EVENT_END) {
        at_end(s, out);
        return false;
    }
    if (a->kind == EVENT_CALL && (memory_differs(s, out) || calls_differ(s, out))) {
        s->pair->verdict = DEBUG_DIFFERENT;
        return false;
    }
    if (a->kind == EVENT_BLOCK)
        look_at_memory(s);
    return true;
}

void lockstep_continue(struct debug_session *s, struct buf *out)
{
    struct lockstep *p = s->pair;
    uint64_t steps = 0;
    for (unsigned i = 0; i < 2; i++) {
        stop_points_refresh(&s->side[i]);
        learn(s, i, debuggee_address(s->side[i].d, s->side[i].d->at));
    }
    for (;;) {
        struct event a = p->holding ? p->held : next_event(s, 0, &steps, out);
        p->holding = false;
        if (a.kind == EVENT_STOP) {
            move_end_text(s, &s->side[0], a.end, out);
            return;
        }
        struct event b = next_event(s, 1, &steps, out);
        if (b.kind == EVENT_STOP) {
            p->held = a;
            p->holding = true;
            move_end_text(s, &s->side[1], b.end, out);
            return;
        }
        if (!compare_events(s, &a, &b, out))
            return;
    }
}

void lockstep_compare(struct debug_session *s, struct buf *out)
{
    enum { MAX_LINES = 40 };
    const struct debuggee *a = s->side[0].d, *b = s->side[1].d;
    bool any = false;
    for (unsigned i = 0; i < a->m->nreg; i++) {
        const struct machine_register *r = &a->m->reg[i];
        if (r->pseudo || r->width != a->m->pointer_width || r->offset == a->m->pc ||
            strncmp(r->name, "mm", 2) == 0)
            continue;
        uint64_t x = debuggee_word(a, r->offset), y = debuggee_word(b, r->offset);
        if (same_value(s, x, y))
            continue;
        any = true;
        buf_printf(out, "%-4s old 0x%" PRIx64 ", new 0x%" PRIx64 "\n", r->name, x, y);
    }
    addresses d = VEC_INIT;
    differing(s, true, &d);
    unsigned lines = 0;
    for (size_t k = 0; k < d.len; lines++) {
        any = true;
        if (lines == MAX_LINES) {
            buf_printf(out, "and %zu more bytes\n", d.len - k);
            break;
        }
        k = put_difference(s, &d, k, out);
    }
    vec_free(&d);
    if (!any)
        buf_puts(out, "registers, and memory written outside the frames, are the same\n");
}
