/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/watch.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/private.h"

bool guard_valid(const struct guard_pool *g)
{
    uint64_t first = 0;
    bool ok = g->ready != 0;
    for (int c = 0; c < GUARD_CLASSES && ok; c++) {
        const struct guard_class *k = &g->cls[c];
        bool power = k->bytes && (k->bytes & (k->bytes - 1)) == 0 && k->bytes <= UINT64_C(1) << 30;
        ok = !k->slots || (power && k->first == first && k->slots <= GUARD_SLOTS - first &&
                           k->open <= k->slots && k->used <= k->slots);
        first += k->slots;
    }
    return ok;
}

int guard_class_of(const struct guard_pool *g, uint64_t address)
{
    for (int c = 0; c < GUARD_CLASSES; c++)
        if (address >= g->cls[c].base && address - g->cls[c].base < g->cls[c].slots * 2 * g->cls[c].bytes)
            return c;
    return -1;
}

bool guard_chunk_at(const struct guard_pool *g, uint64_t address, struct guard_chunk *out)
{
    int c = guard_class_of(g, address);
    if (c < 0)
        return false;
    const struct guard_class *k = &g->cls[c];
    uint64_t i = (address - k->base) / (2 * k->bytes), end = k->base + i * 2 * k->bytes + k->bytes;
    if (k->first + i >= GUARD_SLOTS || g->state[k->first + i] == GUARD_NEVER)
        return false;
    *out = (struct guard_chunk){.base = end - g->size[k->first + i],
                                .size = g->size[k->first + i],
                                .slot = (unsigned)(k->first + i),
                                .state = (enum guard_state)g->state[k->first + i]};
    return true;
}

bool guard_mapped(const struct guard_pool *g, int class, uint64_t address)
{
    const struct guard_class *k = &g->cls[class];
    uint64_t i = (address - k->base) / (2 * k->bytes);
    return ((address - k->base) & k->bytes) == 0 && k->first + i < GUARD_SLOTS &&
           g->state[k->first + i] != GUARD_FREED;
}

/* ---- places ---- */

/* Files are mapped from their beginning on, one part behind the other. */
static struct watch_place place_in(const struct process_map *map, size_t n, const struct run_target *t,
                                   uint64_t base, uint64_t pc)
{
    for (size_t i = 0; i < n; i++) {
        if (pc < map[i].low || pc >= map[i].high || !map[i].file)
            continue;
        size_t first = i;
        while (first > 0 && (!map[first - 1].file || strcmp(map[first - 1].file, map[i].file) == 0))
            first--;
        while (first < i && !map[first].file)
            first++;
        char *real = realpath(t->library ? t->library : t->program, NULL);
        bool own = real && strcmp(real, map[i].file) == 0;
        free(real);
        return (struct watch_place){map[i].file, pc - (own ? base : map[first].low)};
    }
    return (struct watch_place){0};
}

static bool read_pool(struct process *p, const struct process_map *map, size_t n, const struct run_target *t,
                      struct guard_pool *pool, uint64_t *at)
{
    uint64_t low = 0;
    for (size_t i = 0; t->guard && i < n && !low; i++)
        if (map[i].file && strcmp(map[i].file, t->guard) == 0)
            low = map[i].low;
    *at = low + t->guard_pool;
    return low && process_read(p, *at, pool, sizeof *pool) && guard_valid(pool);
}

bool watch_pool(struct process *p, const struct run_target *t, struct guard_pool *pool)
{
    struct arena arena = ARENA_INIT;
    const struct process_map *map;
    uint64_t at;
    size_t n = process_maps(p, &arena, &map);
    bool guarded = read_pool(p, map, n, t, pool, &at);
    arena_free(&arena);
    return guarded;
}

/* ---- a run ---- */

struct active {
    size_t function;
    uint64_t call, sp, back;
};

struct watching {
    struct process *p;
    const struct run_target *t;
    VEC(struct active) live;
    uint64_t *calls;
};

static uint64_t return_address(struct process *p)
{
    if (!p->m->call_pushes)
        return process_register(p, p->m->lr) & (p->m->arch == MACHINE_ARM ? ~UINT64_C(1) : ~UINT64_C(0));
    uint64_t back = 0;
    process_read(p, process_register(p, p->m->sp), &back, p->m->pointer_width / 8);
    return back;
}

static void crashed(struct process *p, const struct run_target *t, const struct process_event *e,
                    struct watch_run *out)
{
    const struct process_map *map;
    static struct guard_pool none;
    struct guard_pool *pool = arena_dup(&out->arena, &none, sizeof none);
    uint64_t at;
    size_t n = process_maps(p, &out->arena, &map);
    out->end = WATCH_CRASH;
    out->signal = e->signal;
    out->place = place_in(map, n, t, p->base, e->pc);
    out->address = e->address;
    out->addressed = e->addressed;
    if (!e->addressed && t->accessed && (e->signal == SIGSEGV || e->signal == SIGBUS))
        out->addressed = t->accessed(t->ctx, p, e->pc, &out->address);
    out->quotient = e->signal == SIGFPE && t->quotient && t->quotient(t->ctx, p, e->pc);
    if (out->addressed && read_pool(p, map, n, t, pool, &at)) {
        struct guard_chunk chunk;
        int c = guard_class_of(pool, out->address);
        if (guard_chunk_at(pool, out->address, &chunk)) {
            out->chunk = chunk.state;
            out->chunk_base = chunk.base;
            out->chunk_size = chunk.size;
        } else if (c >= 0) {
            out->chunk = GUARD_LIVE;
        }
    }
}

/* Signals that somebody else sends, or a clock: what the system kills as it has no memory left has not
 * crashed. */
static bool is_from_outside(int signal)
{
    return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP ||
           signal == SIGALRM;
}

/* What an event that ends the run says; false: it is an error. */
static bool ended(struct process *p, const struct run_target *t, const struct process_event *e,
                  struct watch_run *out, struct error *err)
{
    if ((e->stop == PROCESS_SIGNAL || e->stop == PROCESS_KILLED) && is_from_outside(e->signal))
        return error_set(err, ERROR_INPUT, "%s: it is killed by signal %d, which is no crash", t->program,
                         e->signal);
    switch (e->stop) {
    case PROCESS_EXIT:
        out->end = WATCH_EXIT;
        out->code = e->code;
        return true;
    case PROCESS_SIGNAL:
        if (e->signal != SIGXCPU && e->signal != SIGXFSZ) {
            crashed(p, t, e, out);
            return true;
        }
        return error_set(err, ERROR_INPUT, "%s: it %s", t->program,
                         e->signal == SIGXCPU ? "hangs: the time limit was reached"
                                              : "writes more than the limit of output allows");
    case PROCESS_KILLED:
        out->end = WATCH_CRASH;
        out->signal = e->signal;
        return true;
    case PROCESS_FORK:
        return error_set(err, ERROR_INPUT, "%s: it makes other processes or threads, which is not followed",
                         t->program);
    case PROCESS_TIMEOUT:
        return error_set(err, ERROR_INPUT, "%s: it hangs: no end after %u ms (--run-timeout)", t->program,
                         t->limits.time_ms);
    default:
        return error_set(err, ERROR_SYSTEM, "%s: lost the process", t->program);
    }
}

/* ... and what it printed. */
static bool told(struct process *p, const struct run_target *t, const struct process_event *e,
                 struct watch_run *out, struct error *err)
{
    bool ok = ended(p, t, e, out, err);
    for (unsigned i = 0; i < 2 && ok; i++)
        out->text[i] = process_output(p, i, &out->arena, &out->ntext[i]);
    if (!ok)
        watch_run_free(out);
    return ok;
}

/* The process is gone then. */
static bool finish(struct process *p, const struct run_target *t, const struct process_event *e,
                   struct watch_run *out, struct error *err)
{
    bool ok = told(p, t, e, out, err);
    process_end(p);
    return ok;
}

static size_t function_of(const struct process *p, const uint64_t *function, size_t n, uint64_t pc)
{
    size_t i = 0;
    while (i < n && p->base + function[i] != pc)
        i++;
    return i;
}

static void left(struct watching *w, uint64_t pc, uint64_t sp)
{
    while (w->live.len &&
           (vec_last(&w->live).sp < sp || (vec_last(&w->live).back == pc && vec_last(&w->live).sp <= sp)))
        w->live.len--;
}

bool watch_run(const struct run_target *t, const uint64_t *function, size_t n, struct watch_run *out,
               struct error *err)
{
    *out = (struct watch_run){0};
    struct watching w = {.t = t, .p = process_start(t, err)};
    if (!w.p)
        return false;
    w.calls = xcalloc(n + 1, sizeof *w.calls);
    for (size_t i = 0; i < n; i++)
        process_break(w.p, w.p->base + function[i]);
    struct process_event e;
    while ((e = process_continue(w.p)).stop == PROCESS_BREAK) {
        size_t i = function_of(w.p, function, n, e.pc);
        uint64_t sp = process_register(w.p, w.p->m->sp);
        left(&w, e.pc, sp);
        if (i == n)
            continue;
        uint64_t back = return_address(w.p);
        struct active a = {.function = i, .call = ++w.calls[i], .sp = sp, .back = back};
        vec_push(&w.live, a);
        out->calls++;
        process_break(w.p, back);
    }
    if (e.stop == PROCESS_SIGNAL) {
        left(&w, 0, process_register(w.p, w.p->m->sp));
        if (w.live.len) {
            out->function = vec_last(&w.live).function;
            out->call = vec_last(&w.live).call;
        }
    }
    bool ok = finish(w.p, t, &e, out, err);
    free(w.calls);
    vec_free(&w.live);
    return ok;
}

/* At the beginning of a call nothing below the stack pointer is anybody's. */
static void fill_stack(struct process *p, const struct run_target *t)
{
    enum { BYTES = 1024, TIMES = 16 };
    uint8_t piece[BYTES];
    const uint64_t sp = process_register(p, p->m->sp);
    memset(piece, t->fill, sizeof piece);
    for (unsigned i = 1; i <= TIMES && process_write(p, sp - i * sizeof piece, piece, sizeof piece); i++)
        ;
}

bool watch_reach(const struct run_target *t, const uint64_t *function, size_t n, uint32_t *reached,
                 struct watch_run *out, struct error *err)
{
    *out = (struct watch_run){0};
    *reached = 0;
    struct process *p = process_start(t, err);
    if (!p)
        return false;
    for (size_t i = 0; i < n; i++)
        process_break(p, p->base + function[i]);
    enum { CALLS = 64 };
    struct process_event e;
    size_t i;
    unsigned filled = 0;
    while ((e = process_continue(p)).stop == PROCESS_BREAK && (i = function_of(p, function, n, e.pc)) < n) {
        *reached |= 1u << i;
        if (t->fill && filled++ < CALLS)
            fill_stack(p, t);
        else
            process_unbreak(p, e.pc);
    }
    return finish(p, t, &e, out, err);
}

bool watch_stops(const struct run_target *t, const uint64_t *at, size_t n,
                 bool (*stop)(void *ctx, struct process *p, uint64_t pc), void *ctx, struct watch_run *out,
                 struct error *err)
{
    *out = (struct watch_run){0};
    struct process *p = process_start(t, err);
    if (!p)
        return false;
    for (size_t i = 0; i < n; i++)
        process_break(p, p->base + at[i]);
    struct process_event e;
    while ((e = process_continue(p)).stop == PROCESS_BREAK && function_of(p, at, n, e.pc) < n)
        if (!stop(ctx, p, e.pc))
            for (size_t i = 0; i < n; i++)
                process_unbreak(p, p->base + at[i]);
    return finish(p, t, &e, out, err);
}

void watch_run_free(struct watch_run *w)
{
    arena_free(&w->arena);
    *w = (struct watch_run){0};
}

struct process *watch_call(const struct run_target *t, uint64_t function, uint64_t call, struct error *err)
{
    struct process *p = process_start(t, err);
    if (!p)
        return NULL;
    process_break(p, p->base + function);
    uint64_t n = 0;
    struct process_event e;
    while ((e = process_continue(p)).stop == PROCESS_BREAK) {
        if (e.pc == p->base + function && ++n == call) {
            process_unbreak(p, e.pc);
            if (t->fill)
                fill_stack(p, t);
            return p;
        }
    }
    struct watch_run how = {0};
    if (ended(p, t, &e, &how, err))
        error_set(err, ERROR_INPUT, "%s: it ends before call %llu of the function", t->program,
                  (unsigned long long)call);
    watch_run_free(&how);
    process_end(p);
    return NULL;
}

bool watch_again(struct process *p, uint64_t function)
{
    const uint64_t at = p->base + function;
    process_break(p, at);
    const struct process_event e = process_continue(p);
    process_unbreak(p, at);
    return e.stop == PROCESS_BREAK && e.pc == at;
}

bool watch_through(const struct run_target *t, uint64_t function, uint64_t call, const struct snapshot *like,
                   struct snapshot *s, bool *taken, struct watch_run *out, struct error *err)
{
    *out = (struct watch_run){0};
    *taken = false;
    struct process *p = process_start(t, err);
    if (!p)
        return false;
    process_break(p, p->base + function);
    uint64_t n = 0;
    struct process_event e;
    while ((e = process_continue(p)).stop == PROCESS_BREAK)
        if (e.pc == p->base + function && ++n == call) {
            process_unbreak(p, e.pc);
            *taken = snapshot_take(p, t, like, s, err);
        }
    bool ok = ended(p, t, &e, out, err);
    process_end(p);
    if (!ok)
        watch_run_free(out);
    return ok;
}

bool watch_return(struct process *p, const struct run_target *t, struct watch_outcome *out, struct error *err)
{
    *out = (struct watch_outcome){0};
    uint64_t sp = process_register(p, p->m->sp), back = return_address(p);
    struct process_event e;
    process_break(p, back);
    while ((e = process_continue(p)).stop == PROCESS_BREAK) {
        uint64_t now = process_register(p, p->m->sp);
        if (e.pc == back && (p->m->call_pushes ? now > sp : now >= sp)) {
            out->returned = true;
            return true;
        }
    }
    return told(p, t, &e, &out->run, err);
}

bool watch_end(struct process *p, const struct run_target *t, struct watch_run *out, struct error *err)
{
    *out = (struct watch_run){0};
    struct process_event e;
    do
        e = process_continue(p);
    while (e.stop == PROCESS_BREAK);
    return told(p, t, &e, out, err);
}

/* ---- snapshots ---- */

static int by_low(const void *a, const void *b)
{
    const struct snapshot_part *x = a, *y = b;
    return x->low < y->low ? -1 : x->low > y->low;
}

/* Slots that the guard will open when it comes to them: they hold nothing. */
static size_t unopened(const struct guard_pool *g, const struct process_map *map, struct snapshot_part *out)
{
    size_t n = 0;
    for (int c = 0; c < GUARD_CLASSES; c++) {
        const struct guard_class *k = &g->cls[c];
        uint64_t each = 2 * k->bytes, end = k->base + k->slots * each;
        if (!k->slots || map->high <= k->base || map->low >= end)
            continue;
        uint64_t first = map->low > k->base ? (map->low - k->base + each - 1) / each : 0;
        for (uint64_t i = first > k->open ? first : k->open; i < k->slots && k->base + i * each < map->high;
             i++) {
            uint64_t low = k->base + i * each;
            out[n++] =
                (struct snapshot_part){.low = low, .high = low + k->bytes, .read = true, .write = true};
        }
    }
    return n;
}

const struct snapshot_part *snapshot_part_at(const struct snapshot *s, uint64_t address)
{
    size_t low = 0, high = s->nparts;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (address < s->part[mid].low)
            high = mid;
        else if (address >= s->part[mid].high)
            low = mid + 1;
        else
            return &s->part[mid];
    }
    return NULL;
}

bool snapshot_below(const struct snapshot *s, uint64_t address, uint64_t top)
{
    const struct snapshot_part *p = snapshot_part_at(s, address);
    return address < top && top - address < UINT64_C(1) << 26 && (!p || p == snapshot_part_at(s, top));
}

/* What the process itself has put into a part: a page of a file that it has not written to holds what the
 * file does, and one of no file that it has not come to is zero. */
enum pages { PAGES_UNKNOWN, PAGES_UNTOUCHED, PAGES_WRITTEN };

static enum pages pages_of(struct process *p, const struct process_map *map, uint64_t page)
{
    enum { AT_ONCE = 64 };
    uint64_t entry[AT_ONCE];
    for (uint64_t at = map->low; at < map->high; at += AT_ONCE * page) {
        uint64_t left = (map->high - at) / page;
        size_t n = left < AT_ONCE ? left : AT_ONCE;
        if (!map->private || !process_pages(p, at, page, entry, n))
            return PAGES_UNKNOWN;
        for (size_t i = 0; i < n; i++)
            if (entry[i] & PROCESS_PAGE_SWAPPED ||
                (entry[i] & PROCESS_PAGE_THERE && !(map->file && entry[i] & PROCESS_PAGE_OF_FILE)))
                return PAGES_WRITTEN;
    }
    return PAGES_UNTOUCHED;
}

/* What `like` has at the same place. */
static const struct snapshot_part *same_part(const struct snapshot *like, const struct process_map *map)
{
    const struct snapshot_part *p = like ? snapshot_part_at(like, map->low) : NULL;
    return p && p->low == map->low && p->high == map->high ? p : NULL;
}

/* The same file for both programs: none that they made themselves. */
static bool same_file(const struct run_target *t, const struct snapshot_part *p,
                      const struct process_map *map)
{
    return p->file && map->file && p->offset == map->offset && strcmp(p->file, map->file) == 0 &&
           strncmp(p->file, t->scratch, strlen(t->scratch)) != 0 && !strstr(p->file, " (deleted)");
}

/* The bytes of a part: those of `known` where they are the same, which most are; *byte NULL: all zero. */
static bool read_part(struct process *p, const struct process_map *map, const struct snapshot_part *known,
                      struct arena *arena, const uint8_t **byte)
{
    enum { AT_ONCE = 16384 };
    static const uint8_t zero[AT_ONCE];
    uint8_t piece[AT_ONCE], *own = NULL;
    uint64_t size = map->high - map->low;
    for (uint64_t at = 0; at < size; at += AT_ONCE) {
        size_t n = size - at < AT_ONCE ? size - at : AT_ONCE;
        if (!process_read(p, map->low + at, own ? own + at : piece, n))
            return false;
        const uint8_t *as = known && known->byte ? known->byte + at : zero;
        if (own || memcmp(piece, as, n) == 0)
            continue;
        own = arena_alloc(arena, size);
        if (known && known->byte)
            memcpy(own, known->byte, at);
        else
            memset(own, 0, at);
        memcpy(own + at, piece, n);
    }
    *byte = own ? own : known ? known->byte : NULL;
    return true;
}

bool snapshot_take(struct process *p, const struct run_target *t, const struct snapshot *like,
                   struct snapshot *s, struct error *err)
{
    const struct process_map *map;
    *s = (struct snapshot){.m = p->m, .base = p->base};
    uint8_t *file = arena_alloc(&s->arena, p->m->file_size);
    s->registers = file;
    size_t n = process_maps(p, &s->arena, &map);
    if (!process_registers(p, file) || !n) {
        arena_free(&s->arena);
        return error_set(err, ERROR_SYSTEM, "cannot read the state of %s", t->program);
    }
    s->guarded = read_pool(p, map, n, t, &s->pool, &s->pool_at);
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    struct snapshot_part *part = arena_array(&s->arena, struct snapshot_part, n + GUARD_SLOTS + 1);
    for (size_t i = 0; i < n; i++) {
        uint64_t size = map[i].high - map[i].low;
        struct snapshot_part one = {.low = map[i].low,
                                    .high = map[i].high,
                                    .offset = map[i].offset,
                                    .file = map[i].file,
                                    .read = map[i].read,
                                    .write = map[i].write,
                                    .exec = map[i].exec};
        int c = s->guarded ? guard_class_of(&s->pool, map[i].low) : -1;
        bool unused =
            c >= 0 && s->pool.state[s->pool.cls[c].first + (map[i].low - s->pool.cls[c].base) /
                                                               (2 * s->pool.cls[c].bytes)] == GUARD_NEVER;
        if (!one.read) {
            s->nparts += s->guarded ? unopened(&s->pool, &map[i], part + s->nparts) : 0;
            continue;
        }
        if (!unused && size > UINT64_C(1) << 28)
            continue;
        const struct snapshot_part *known = same_part(like, &map[i]);
        enum pages pages = unused ? PAGES_UNTOUCHED : pages_of(p, &map[i], page);
        one.as_file = map[i].file && pages == PAGES_UNTOUCHED;
        if (one.as_file && known && known->as_file && same_file(t, known, &map[i]))
            one.byte = known->byte;
        else if ((map[i].file || pages != PAGES_UNTOUCHED) &&
                 !read_part(p, &map[i], known, &s->arena, &one.byte))
            continue;
        part[s->nparts++] = one;
    }
    bool sorted = true;
    for (size_t i = 1; i < s->nparts && sorted; i++)
        sorted = part[i - 1].low <= part[i].low;
    if (!sorted)
        qsort(part, s->nparts, sizeof *part, by_low);
    s->part = part;
    uint8_t v[1024];
    s->nauxv = process_auxv(p, v, sizeof v);
    s->auxv = arena_dup(&s->arena, v, s->nauxv);
    return true;
}

void snapshot_free(struct snapshot *s)
{
    arena_free(&s->arena);
    *s = (struct snapshot){0};
}

void snapshot_copy(const struct snapshot *s, struct snapshot *out)
{
    *out = *s;
    out->arena = (struct arena)ARENA_INIT;
    struct snapshot_part *part = arena_dup(&out->arena, s->part, s->nparts * sizeof *part);
    for (size_t i = 0; i < s->nparts; i++)
        part[i].own = false;
    out->part = part;
    out->registers = arena_dup(&out->arena, s->registers, s->m->file_size);
    out->auxv = arena_dup(&out->arena, s->auxv, s->nauxv);
}

bool snapshot_write(struct snapshot *s, uint64_t address, const void *in, size_t n)
{
    const uint8_t *from = in;
    for (size_t i = 0; i < n; i++) {
        struct snapshot_part *p = (struct snapshot_part *)snapshot_part_at(s, address + i);
        if (!p)
            return false;
        if (!p->own) {
            uint8_t *byte = arena_alloc(&s->arena, p->high - p->low);
            if (p->byte)
                memcpy(byte, p->byte, p->high - p->low);
            else
                memset(byte, 0, p->high - p->low);
            p->byte = byte;
            p->own = true;
            p->as_file = false;
        }
        ((uint8_t *)p->byte)[address + i - p->low] = from[i];
        if (s->guarded && address + i - s->pool_at < sizeof s->pool)
            ((uint8_t *)&s->pool)[address + i - s->pool_at] = from[i];
    }
    return true;
}

void snapshot_register_set(struct snapshot *s, unsigned offset, uint64_t value)
{
    memcpy((uint8_t *)s->registers + offset, &value, s->m->pointer_width / 8);
}

const uint8_t *snapshot_at(const struct snapshot *s, uint64_t address, size_t *n)
{
    static const uint8_t zero[65536];
    const struct snapshot_part *p = snapshot_part_at(s, address);
    if (!p)
        return NULL;
    *n = p->high - address;
    if (p->byte)
        return p->byte + (address - p->low);
    *n = *n < sizeof zero ? *n : sizeof zero;
    return zero;
}
