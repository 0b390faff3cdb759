/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/process.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "run/guard.h"
#include "run/private.h"

/* ---- the child ---- */

static void limit(int what, uint64_t n)
{
    struct rlimit r = {n, n};
    if (n)
        setrlimit(what, &r);
}

static void redirect(int fd, int to)
{
    if (fd < 0 || dup2(fd, to) < 0 || fcntl(to, F_SETFD, 0) != 0)
        _exit(126);
}

static void close_from(unsigned first)
{
    if (close_range(first, ~0u, 0) == 0)
        return;
    for (unsigned fd = first; fd < 256; fd++)
        close((int)fd);
}

/* Before the program takes over; does not return when that fails. The memory is that of whoever started it.
 */
static void prepare_child(const struct process *p, const struct run_target *t)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setsid();
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    if (chdir(t->scratch) != 0)
        _exit(126);
    redirect(open(t->input ? t->input : "/dev/null", O_RDONLY | O_CLOEXEC), 0);
    redirect(p->output[0], 1);
    redirect(p->errors_apart ? open("/dev/null", O_WRONLY | O_CLOEXEC) : p->output[1], 2);
    /* without network, where an ordinary user may have that */
    if (t->without && t->without->user >= 0 && setns(t->without->user, CLONE_NEWUSER) == 0)
        (void)(setns(t->without->network, CLONE_NEWNET) == 0);
    if (p->errors_apart)
        redirect(p->output[1],
                 PROCESS_ERRORS); /* any descriptor that was used above may have had that number */
    close_from(p->errors_apart ? PROCESS_ERRORS + 1 : 3);
    /* the limit of whoever started it is not the program's */
    struct rlimit space;
    if (getrlimit(RLIMIT_AS, &space) == 0) {
        space.rlim_cur = space.rlim_max;
        setrlimit(RLIMIT_AS, &space);
    }
    limit(RLIMIT_AS, t->limits.memory);
    limit(RLIMIT_FSIZE, t->limits.output);
    limit(RLIMIT_CPU, t->limits.time_ms / 1000 + 2);
    struct rlimit no = {0, 0};
    setrlimit(RLIMIT_CORE, &no);
    personality(ADDR_NO_RANDOMIZE);
}

/* Without a copy of this process's tables of pages: there are many runs, and an explorer is large. */
pid_t process_spawn(const struct process *p, const struct run_target *t, const char *program,
                    char *const *argv, char *const *env)
{
    pid_t pid = vfork();
    if (pid)
        return pid;
    prepare_child(p, t);
    if (program && ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(125);
    if (program)
        execveat(open(program, O_PATH | O_CLOEXEC), "", argv, env, AT_EMPTY_PATH);
    else
        execvpe(argv[0], argv, env);
    _exit(127);
}

void process_loader(const struct run_target *t, struct arena *arena, const char *out[LOADER_VARIABLES])
{
    unsigned n = 0;
    if (t->guard || t->library)
        out[n++] = arena_printf(arena, "LD_PRELOAD=%s%s%s", t->guard ? t->guard : "",
                                t->guard && t->library ? ":" : "",
                                t->library ? arena_printf(arena, "%s/" LIBRARY_NAME, t->scratch) : "");
    const char *dirs = NULL;
    for (const char *const *d = t->library_dir; d && *d; d++)
        dirs =
            arena_printf(arena, "%s%s%s/" ROOT_NAME "/%s", dirs ? dirs : "", dirs ? ":" : "", t->scratch, *d);
    if (dirs)
        out[n++] = arena_printf(arena, "LD_LIBRARY_PATH=%s", dirs);
    out[n] = NULL;
}

char *const *process_environment(const struct run_target *t, struct arena *arena, bool loader)
{
    char **env = arena_array(arena, char *, 12);
    unsigned n = 0;
    env[n++] = arena_strdup(arena, "PATH=/usr/local/bin:/usr/bin:/bin");
    env[n++] = arena_printf(arena, "HOME=%s", t->scratch);
    env[n++] = arena_printf(arena, "TMPDIR=%s", t->scratch);
    env[n++] = arena_strdup(arena, "LC_ALL=C");
    env[n++] = arena_strdup(arena, "TERM=dumb");
    env[n++] = arena_strdup(arena, "LD_BIND_NOW=1");
    const char *variable[LOADER_VARIABLES] = {NULL};
    if (loader)
        process_loader(t, arena, variable);
    for (unsigned i = 0; variable[i]; i++)
        env[n++] = arena_strdup(arena, variable[i]);
    if (t->sanitized) {
        env[n++] = arena_strdup(arena, "ASAN_OPTIONS=detect_leaks=0:symbolize=0:halt_on_error=1");
        env[n++] = arena_strdup(arena, "UBSAN_OPTIONS=print_stacktrace=1:symbolize=0:halt_on_error=1");
    }
    return env;
}

/* ---- the process ---- */

/* A word of the auxiliary vector; 0: it has none. */
static uint64_t auxiliary(struct process *p, uint64_t kind)
{
    uint8_t v[1024];
    size_t n = process_auxv(p, v, sizeof v), word = p->m->pointer_width / 8;
    for (size_t i = 0; i + 2 * word <= n; i += 2 * word) {
        uint64_t k = 0, value = 0;
        memcpy(&k, v + i, word);
        memcpy(&value, v + i + word, word);
        if (k == kind)
            return value;
    }
    return 0;
}

/* The random bytes that the kernel gives a program, of which the stack protector's guard is made, are the
 * same in every run: states of two processes then differ by what the programs do. */
static void settle_random(struct process *p)
{
    static const uint8_t bytes[16] = {0x5a, 0x1d, 0xc3, 0x86, 0xf2, 0x4b, 0x97, 0x3e,
                                      0xa8, 0x61, 0xd4, 0x0f, 0xb9, 0x72, 0xe5, 0x2c};
    const uint64_t at = auxiliary(p, AT_RANDOM);
    if (at)
        process_write(p, at, bytes, sizeof bytes);
}

static bool is_link_to(const char *name, const char *file)
{
    char to[4096];
    ssize_t n = readlink(name, to, sizeof to);
    return n > 0 && (size_t)n < sizeof to && (size_t)n == strlen(file) && memcmp(to, file, (size_t)n) == 0;
}

/* What stands in the scratch directory under a name; NULL: nothing. */
static bool make_link(const struct run_target *t, const char *as, const char *to)
{
    char name[4096];
    if ((size_t)snprintf(name, sizeof name, "%s/%s", t->scratch, as) >= sizeof name)
        return false;
    if (to && is_link_to(name, to))
        return true;
    unlink(name);
    return !to || symlink(to, name) == 0;
}

/* Output goes to memory: files cost more than a run does. */
static bool make_output(struct process *p)
{
    for (unsigned i = 0; i < 2; i++)
        p->output[i] = memfd_create("output", MFD_CLOEXEC);
    return p->output[0] >= 0 && p->output[1] >= 0;
}

const char *process_output(const struct process *p, unsigned which, struct arena *arena, size_t *n)
{
    struct stat st;
    *n = fstat(p->output[which], &st) == 0 && st.st_size > 0 ? (size_t)st.st_size : 0;
    char *text = arena_alloc(arena, *n + 1);
    ssize_t got = *n ? pread(p->output[which], text, *n, 0) : 0;
    *n = got > 0 ? (size_t)got : 0;
    text[*n] = '\0';
    return text;
}

/* Runs it to its first own instruction: what it is linked with is mapped then. */
static bool begin(struct process *p)
{
    const uint64_t at = auxiliary(p, AT_ENTRY);
    if (p->begun || process_register(p, p->m->pc) == at)
        return p->begun = true;
    p->begun = process_break(p, at) && process_continue(p).stop == PROCESS_BREAK;
    process_unbreak(p, at);
    return p->begun;
}

size_t process_room(const char *argument)
{
    enum { STEP = 64 };
    return (strlen(argument) / STEP + 1) * STEP;
}

bool process_put_arguments(struct process *p, uint64_t sp)
{
    const struct run_target *t = p->t;
    struct arena arena = ARENA_INIT;
    /* their number, the program's name, they */
    uint64_t *at = arena_array(&arena, uint64_t, t->narguments + 1);
    bool ok = !t->narguments || process_read(p, sp + 2 * sizeof *at, at, t->narguments * sizeof *at);
    for (size_t i = 0; i < t->narguments && ok; i++) {
        const size_t n = strlen(t->argument[i]), room = process_room(t->argument[i]);
        char *text = arena_alloc(&arena, room);
        memset(text, 0, room);
        memcpy(text, t->argument[i], n);
        ok = process_write(p, at[i], text, room);
    }
    arena_free(&arena);
    return ok;
}

static bool find_library(struct process *p, struct error *err)
{
    const struct process_map *map;
    struct arena arena = ARENA_INIT;
    char *real = realpath(p->t->library, NULL);
    bool there = false;
    if (real && begin(p)) {
        size_t n = process_maps(p, &arena, &map);
        for (size_t i = 0; i < n && !there; i++)
            if (map[i].file && strcmp(map[i].file, real) == 0) {
                p->base = map[i].low - map[i].offset;
                there = true;
            }
    }
    arena_free(&arena);
    free(real);
    return there || error_set(err, ERROR_INPUT, "%s is not loaded by %s, or ends that before it begins",
                              p->t->library, p->t->program);
}

/* Tells the guarding allocator what chunks are to hold. */
static bool fill_heap(struct process *p, struct error *err)
{
    const struct run_target *t = p->t;
    const struct process_map *map;
    struct arena arena = ARENA_INIT;
    bool there = begin(p);
    if (there && t->guard) {
        size_t n = process_maps(p, &arena, &map), i = 0;
        while (i < n && !(map[i].file && strcmp(map[i].file, t->guard) == 0))
            i++;
        there = i < n &&
                process_write(p, map[i].low + t->guard_pool + offsetof(struct guard_pool, fill), &t->fill, 1);
    }
    arena_free(&arena);
    return there || error_set(err, ERROR_SYSTEM, "%s ends before it begins", t->program);
}

struct process *process_launch(const struct run_target *t, bool ahead, struct error *err)
{
    struct process *p = xcalloc(1, sizeof *p);
    p->t = t;
    p->m = t->m;
    p->mem = p->fd = p->pages = -1;
    p->output[0] = p->output[1] = -1;
    p->ways = t->emulator ? &process_remote : &process_native;
    p->deadline = now_ms() + t->limits.time_ms;
    char *real = realpath(t->program, NULL);
    bool ok = real || error_set(err, ERROR_INPUT, "%s: %s", t->program, strerror(errno));
    char *library = ok && t->library ? realpath(t->library, NULL) : NULL;
    if (ok && t->library && !library)
        ok = error_set(err, ERROR_INPUT, "%s: %s", t->library, strerror(errno));
    /* a native program is started by a descriptor: so the link is the same for all, and is made once */
    if (ok && !(make_link(t, PROCESS_NAME, t->emulator ? real : "/proc/self/exe") &&
                (!library || make_link(t, LIBRARY_NAME, library)) &&
                (!t->library_dir || make_link(t, ROOT_NAME, t->root)) && make_output(p)))
        ok = error_set(err, ERROR_SYSTEM, "cannot prepare %s for %s: %s", t->scratch, t->program,
                       strerror(errno));
    ok = ok && p->ways->start(p, real, err);
    if (ok) {
        p->base = (auxiliary(p, AT_ENTRY) - t->entry) & ~UINT64_C(4095);
        settle_random(p);
    }
    ok = ok && (!t->library || find_library(p, err));
    if (ok && ahead && !begin(p))
        ok = error_set(err, ERROR_INPUT, "%s ends before it begins", t->program);
    free(real);
    free(library);
    if (!ok) {
        process_end(p);
        return NULL;
    }
    return p;
}

struct process *process_start(const struct run_target *t, struct error *err)
{
    const bool ahead = t->stock && !t->emulator;
    struct process *p = ahead ? stock_copy(t) : NULL;
    /* calls before the first own instruction are counted in no run, or in all */
    if (!p && ahead)
        p = process_launch(t, true, err);
    if (!p)
        p = process_launch(t, false, err);
    if (p && t->fill && !fill_heap(p, err)) {
        process_end(p);
        p = NULL;
    }
    return p;
}

void process_end(struct process *p)
{
    if (!p)
        return;
    p->ways->end(p);
    if (p->pid > 0) {
        kill(-p->pid, SIGKILL);
        kill(p->pid, SIGKILL);
        while (!p->ended && waitpid(p->pid, NULL, __WALL) < 0 && errno == EINTR)
            ;
    }
    if (p->blocked)
        sigprocmask(SIG_SETMASK, &p->mask, NULL);
    if (p->mem >= 0)
        close(p->mem);
    if (p->fd >= 0)
        close(p->fd);
    if (p->pages >= 0)
        close(p->pages);
    for (unsigned i = 0; i < 2; i++)
        if (p->output[i] >= 0)
            close(p->output[i]);
    vec_free(&p->point);
    if (p->of)
        stock_copied_end(p);
    free(p);
}

pid_t process_id(const struct process *p)
{
    return p->child ? p->child : p->pid;
}

uint64_t process_code(const struct process *p, uint64_t address)
{
    return p->m->arch == MACHINE_ARM ? address & ~UINT64_C(1) : address;
}

static struct process_break *find_point(struct process *p, uint64_t address)
{
    for (size_t i = 0; i < p->point.len; i++)
        if (p->point.data[i].address == address)
            return &p->point.data[i];
    return NULL;
}

bool process_break(struct process *p, uint64_t address)
{
    if (find_point(p, address))
        return true;
    struct process_break b = {.address = address};
    if (!p->ways->insert(p, &b))
        return false;
    vec_push(&p->point, b);
    return true;
}

void process_unbreak(struct process *p, uint64_t address)
{
    struct process_break *b = find_point(p, address);
    if (!b)
        return;
    p->ways->withdraw(p, b);
    *b = vec_last(&p->point);
    p->point.len--;
}

struct process_event process_continue(struct process *p)
{
    uint64_t pc = process_register(p, p->m->pc);
    struct process_break *b = find_point(p, pc);
    if (b) {
        p->ways->withdraw(p, b);
        struct process_event e = p->ways->resume(p, true);
        b = find_point(p, pc);
        if (e.stop == PROCESS_EXIT || e.stop == PROCESS_KILLED || e.stop == PROCESS_LOST ||
            e.stop == PROCESS_TIMEOUT)
            return e;
        p->ways->insert(p, b);
        if (e.stop != PROCESS_BREAK || find_point(p, e.pc))
            return e;
    }
    return p->ways->resume(p, false);
}

bool process_read(struct process *p, uint64_t address, void *out, size_t n)
{
    if (!p->ways->read(p, address, out, n))
        return false;
    /* what breakpoints hide */
    for (size_t i = 0; i < p->point.len; i++)
        for (unsigned k = 0; k < p->point.data[i].bytes; k++) {
            uint64_t at = process_code(p, p->point.data[i].address) + k - address;
            if (at < n)
                ((uint8_t *)out)[at] = p->point.data[i].saved[k];
        }
    return true;
}

bool process_write(struct process *p, uint64_t address, const void *in, size_t n)
{
    return p->ways->write(p, address, in, n);
}

bool process_registers(struct process *p, uint8_t *file)
{
    memset(file, 0, p->m->file_size);
    return p->ways->registers(p, file);
}

uint64_t process_register(struct process *p, unsigned offset)
{
    if (p->ways->get)
        return p->ways->get(p, offset);
    uint8_t *file = xcalloc(1, p->m->file_size);
    uint64_t value = 0;
    if (process_registers(p, file))
        memcpy(&value, file + offset, p->m->pointer_width / 8);
    free(file);
    return value;
}

bool process_register_set(struct process *p, unsigned offset, uint64_t value)
{
    return p->ways->set(p, offset, value);
}

bool process_put(const struct ir_machine *m, uint8_t *file, const char *reg, const void *value,
                 unsigned bytes)
{
    uint16_t offset, width;
    if (!machine_register_find(m, reg, &offset, &width))
        return false;
    memcpy(file + offset, value, bytes < width / 8u ? bytes : width / 8u);
    return true;
}

uint64_t process_base(const struct process *p)
{
    return p->base;
}

size_t process_auxv(struct process *p, uint8_t *out, size_t cap)
{
    return p->ways->auxv(p, out, cap);
}

size_t process_maps(struct process *p, struct arena *arena, const struct process_map **out)
{
    char path[64], *line = NULL;
    size_t cap = 0;
    VEC(struct process_map) all = VEC_INIT;
    snprintf(path, sizeof path, "/proc/%d/maps", (int)process_id(p));
    FILE *f = fopen(path, "re");
    while (f && getline(&line, &cap, f) > 0) {
        /* low-high rights offset device inode name */
        char *right, *end;
        line[strcspn(line, "\n")] = '\0';
        uint64_t low = strtoull(line, &end, 16), high = *end == '-' ? strtoull(end + 1, &right, 16) : 0;
        if (high <= low || *right != ' ' || strlen(++right) < 5)
            continue;
        uint64_t offset = strtoull(right + 5, &end, 16);
        for (unsigned i = 0; i < 2; i++) {
            end += strspn(end, " ");
            end += strcspn(end, " ");
        }
        end += strspn(end, " ");
        /* an emulator's own memory is none of the program's */
        bool own = !p->t->emulator || p->child;
        uint64_t most = own ? UINT64_MAX : p->m->pointer_width == 32 ? UINT64_C(1) << 32 : UINT64_C(1) << 40;
        if (low < p->guest || high - p->guest > most)
            continue;
        struct process_map m = {.low = low - p->guest,
                                .high = high - p->guest,
                                .offset = offset,
                                .read = right[0] == 'r',
                                .write = right[1] == 'w',
                                .exec = right[2] == 'x'};
        bool special = *end == '[' && strcmp(end, "[stack]") != 0 && strcmp(end, "[heap]") != 0;
        m.private = right[3] == 'p' && !special && (!*end || *end == '/' || *end == '[');
        if (*end == '/')
            m.file = arena_strdup(arena, p->image && strcmp(end, p->image) == 0 ? p->real : end);
        else if (strcmp(end, "[vvar]") == 0)
            continue; /* the kernel does not let it be read */
        vec_push(&all, m);
    }
    free(line);
    if (f)
        fclose(f);
    size_t n = all.len;
    *out = arena_dup(arena, all.data ? all.data : (void *)&cap, n * sizeof *all.data);
    vec_free(&all);
    return n;
}

bool process_pages(struct process *p, uint64_t address, uint64_t page, uint64_t *out, size_t n)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/pagemap", (int)p->pid);
    /* an emulator writes to the program's memory as it likes */
    if (p->pages < 0 && !p->t->emulator)
        p->pages = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t all = (ssize_t)(n * sizeof *out);
    return p->pages >= 0 && pread(p->pages, out, (size_t)all, (off_t)(address / page * sizeof *out)) == all;
}
