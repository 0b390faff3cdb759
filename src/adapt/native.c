/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The target and the adapted inner function on this machine's own processor.
 *
 * That executes foreign code, so it is done only when asked for, in a child that may make no system call: its
 * files are loaded, which runs their constructors, then every system call but the one that ends it is a
 * signal. The call is noted and answered with a number, as on the interpreter (run.c); the kernel sees
 * nothing of it. The child cannot allocate from then on: inputs are made before it is forked, and what it
 * finds out goes into shared memory.
 *
 * Pointers that are given point into an arena that both functions see with the same contents. What the files
 * have as writable data is put back before each run. */
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/ucontext.h>
#include <sys/wait.h>
#include <unistd.h>

#include "adapt/internal.h"

enum {
    SLOT = 2048,
    ARENA = SLOT * ADAPT_ARGUMENTS,
    PAGE = 65536, /* of any kernel */
    TICK_MS = 10,
    LONG_TICKS = 10, /* of one run */
    STATE_MAX = 1 << 20,
    PARTS = 8,
    WHY_MAX = 200,
    CALLS = 16, /* system calls of one run */
    CALL_WORDS = 7,
    NEAR_STACK = 1 << 20,
};

/* ---- inputs ---- */

struct input {
    uint64_t seed;
    uint64_t arg[ADAPT_ARGUMENTS];
};

struct native {
    struct adapt *a;
    uint8_t *mapped, *arena; /* pages without access on either side */
    size_t mapped_size;
    unsigned often[ADAPT_ARGUMENTS]; /* of 16 times, it is a pointer */
    VEC(struct input) input;
    struct finding *found; /* shared with the child */
};

/* What the child says. */
struct finding {
    bool ready, over; /* both files are loaded; it came to its end */
    bool differs, agrees;
    uint32_t same, unable;
    uint64_t tried, at; /* of an enumeration */
    char why[WHY_MAX];  /* it is not ready */
};

/* The target reaches memory through it; *maybe: or with its help. */
static bool is_pointer(struct adapt *a, unsigned i, bool *maybe)
{
    for (size_t r = 0; r < a->opt->nregions; r++)
        if (a->opt->region[r].arg == i)
            return true;
    for (size_t k = 0; k < a->target.is.naccesses; k++) {
        term base;
        uint64_t offset;
        term_split(a->t, a->target.is.access[k].address, &base, &offset);
        if (base == a->target.arg[i])
            return true;
        *maybe = *maybe || term_any(a->t, a->target.is.access[k].address, term_is_that, &a->target.arg[i]);
    }
    return false;
}

static void make_inputs(struct native *n, unsigned count)
{
    struct adapt *a = n->a;
    for (unsigned i = 0; i < a->target.nargs; i++) {
        bool maybe = false;
        n->often[i] = is_pointer(a, i, &maybe) ? 15 : maybe ? 8 : 0;
    }
    /* assumptions may hold of few, and not all can be compared */
    uint64_t most = count + (uint64_t)count / 4;
    for (uint64_t seed = 1; n->input.len < most && seed <= 8 * most; seed++) {
        struct input x = {.seed = seed};
        for (unsigned i = 0; i < a->target.nargs; i++) {
            uint64_t r = hash_u64(seed * 64 + i);
            x.arg[i] = r % 16 < n->often[i]        ? (uint64_t)(uintptr_t)n->arena + i * SLOT
                       : n->often[i] && r >> 4 & 1 ? (r >> 8) % 64
                                                   : test_argument(&a->target, i, seed * 16 + i + 1000003);
        }
        if (arguments_allowed(a, x.arg) == 1)
            vec_push(&n->input, x);
    }
}

bool adapt_runs_here(const struct program *p)
{
#if defined __x86_64__
    const enum machine_arch here = MACHINE_AMD64;
#elif defined __aarch64__
    const enum machine_arch here = MACHINE_ARM64;
#else
    const enum machine_arch here = MACHINE_NONE;
#endif
    return program_machine(p)->arch == here;
}

struct native *native_new(struct adapt *a, unsigned count, const char **why)
{
#ifdef __SANITIZE_ADDRESS__
    const bool sanitized = true;
#else
    const bool sanitized = false;
#endif
    if (sanitized) {
        *why = "a sanitizer has its own data where pointers may lead";
        return NULL;
    }
    if (!adapt_runs_here(a->target.code.p) || a->target.code.fragment || a->inner.code.fragment) {
        *why = a->target.code.fragment || a->inner.code.fragment ? "fragments are not run natively"
                                                                 : "this machine does not run their code";
        return NULL;
    }
    struct native *n = xcalloc(1, sizeof *n);
    n->a = a;
    size_t room = (ARENA + PAGE - 1) / PAGE * PAGE;
    n->mapped_size = room + 2 * PAGE;
    n->mapped = mmap(NULL, n->mapped_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    n->found = mmap(NULL, sizeof *n->found, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (n->mapped == MAP_FAILED || n->found == MAP_FAILED ||
        mprotect(n->mapped + PAGE, room, PROT_READ | PROT_WRITE)) {
        *why = "there is no memory";
        free(n);
        return NULL;
    }
    n->arena = n->mapped + PAGE;
    make_inputs(n, count);
    return n;
}

void native_free(struct native *n)
{
    munmap(n->mapped, n->mapped_size);
    munmap(n->found, sizeof *n->found);
    vec_free(&n->input);
    free(n);
}

/* ---- the child ---- */

typedef struct {
    uint64_t first, second;
} results;
typedef results function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                         uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double,
                         double, double, double, double);
/* The same that returns a floating-point number; of a float the lower half is one. */
typedef double real_function(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, double, double, double, double,
                             double, double, double, double);

enum end { END_RETURN, END_TRAP, END_FAULT, END_UNABLE };

struct part {
    uint8_t *at;
    size_t size;
    uint8_t *initial, *after; /* as loaded; as the target leaves it */
};

/* The system calls of a run, each with its number and what the kernel would look at. */
struct calls {
    uint64_t word[CALLS][CALL_WORDS];
    unsigned n;
};

struct child {
    struct native *n;
    const struct ir_machine *m;
    struct calls calls, before; /* of this run; of the target */
    uint64_t seed;
    function *f[3]; /* target, inner, compiled adapter */
    struct part part[PARTS];
    unsigned nparts;
    uint8_t arena_after[ARENA];
    /* Of a run: */
    sigjmp_buf out;
    volatile bool inside;
    volatile unsigned ticks, began;
};

/* Signal handlers have no context of their own. */
static struct child *now;

/* False: it is not known at what the kernel looks, or it is in the frame, and what is there is not compared.
 */
static bool note_call(struct child *c, const uint64_t *x, uint64_t stack)
{
    unsigned looks;
    struct calls *all = &c->calls;
    if (all->n == CALLS || !syscall_looks_at(c->m, x[0], &x[2], &looks))
        return false;
    uint64_t *word = all->word[all->n++];
    memset(word, 0, sizeof all->word[0]);
    word[0] = x[0];
    for (unsigned i = 0; i + 1 < CALL_WORDS; i++) {
        if (!(looks >> i & 1))
            continue;
        if (x[i + 1] + NEAR_STACK - stack < 2 * NEAR_STACK)
            return false;
        word[i + 1] = x[i + 1];
    }
    return true;
}

static uint64_t call_answer(const struct child *c)
{
    uint64_t hash = c->seed;
    for (unsigned i = 0; i < CALL_WORDS; i++)
        hash = hash_u64(hash ^ c->calls.word[c->calls.n - 1][i]);
    return syscall_answer(hash);
}

/* True: the function goes on behind the call. */
static bool on_system_call(struct child *c, ucontext_t *u)
{
#if defined __x86_64__
    const greg_t *r = u->uc_mcontext.gregs;
    const uint64_t x[] = {(uint64_t)r[REG_RAX], (uint64_t)r[REG_RDI], (uint64_t)r[REG_RSI],
                          (uint64_t)r[REG_RDX], (uint64_t)r[REG_R10], (uint64_t)r[REG_R8],
                          (uint64_t)r[REG_R9]};
    if (!c->inside || !note_call(c, x, (uint64_t)r[REG_RSP]))
        return false;
    u->uc_mcontext.gregs[REG_RAX] = (greg_t)call_answer(c);
    return true;
#else /* of other machines it is not known at what the kernel looks */
    (void)c;
    (void)u;
    return false;
#endif
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
    (void)info;
    if (signal == SIGSYS && on_system_call(now, context))
        return;
    if (signal == SIGPROF) {
        now->ticks++;
        if (!now->inside || now->ticks - now->began < LONG_TICKS)
            return;
    }
    if (!now->inside)
        _exit(1);
    now->inside = false;
    siglongjmp(now->out, signal == SIGFPE || signal == SIGILL || signal == SIGTRAP ? END_TRAP
                         : signal == SIGSEGV || signal == SIGBUS                   ? END_FAULT
                                                                                   : END_UNABLE);
}

static void catch_signals(void)
{
    static const int list[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS, SIGPROF};
    size_t size = 65536;
    stack_t stack = {.ss_sp = xmalloc(size), .ss_size = size};
    struct sigaction how = {.sa_sigaction = on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
    sigaltstack(&stack, NULL);
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        sigaction(list[i], &how, NULL);
    struct itimerval every = {{0, TICK_MS * 1000}, {0, TICK_MS * 1000}};
    setitimer(ITIMER_PROF, &every, NULL);
}

/* Every system call is a signal, but those that end the process or leave a signal handler. */
static bool forbid_system_calls(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sigaltstack, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

static bool child_fails(struct child *c, const char *why)
{
    snprintf(c->n->found->why, WHY_MAX, "%s", why ? why : "?");
    return false;
}

struct looking {
    struct child *c;
    uint64_t base;
    bool there, fits;
};

/* Writable data, without what the loader makes read-only. */
static int note_parts(struct dl_phdr_info *info, size_t size, void *ctx)
{
    struct looking *l = ctx;
    (void)size;
    if (info->dlpi_addr != l->base)
        return 0;
    l->there = l->fits = true;
    uint64_t fixed = 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_RELRO)
            fixed = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        uint64_t from = info->dlpi_phdr[i].p_vaddr, to = from + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD || !(info->dlpi_phdr[i].p_flags & PF_W))
            continue;
        from = fixed > from && fixed <= to ? fixed : from;
        if (from == to)
            continue;
        l->fits = l->fits && to - from <= STATE_MAX && l->c->nparts < PARTS;
        if (!l->fits)
            return 1;
        struct part *p = &l->c->part[l->c->nparts++];
        *p = (struct part){(uint8_t *)(uintptr_t)(l->base + from), to - from, xmalloc(to - from),
                           xmalloc(to - from)};
        memcpy(p->initial, p->at, p->size);
    }
    return 1;
}

static bool load_side(struct child *c, unsigned side)
{
    const struct adapt_code *code = side ? &c->n->a->inner.code : &c->n->a->target.code;
    char *path = code->file ? realpath(code->file, NULL) : NULL;
    void *file = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    struct link_map *map;
    if (!file || dlinfo(file, RTLD_DI_LINKMAP, &map) != 0)
        return child_fails(c, path ? dlerror() : "the file is not there by itself");
    uint64_t there = map->l_addr + code->f->address;
    memcpy(&c->f[side], &there, sizeof there);
    free(path);
    if (side && code->p == c->n->a->target.code.p)
        return true;
    struct looking l = {.c = c, .base = map->l_addr};
    dl_iterate_phdr(note_parts, &l);
    return (l.there && l.fits) || child_fails(c, "the file has too much writable data");
}

/* After the file of the inner function, which it may need by name. */
static bool load_compiled(struct child *c, const char *library, const char *name)
{
    void *file = dlopen(library, RTLD_NOW | RTLD_LOCAL), *there = file ? dlsym(file, name) : NULL;
    memcpy(&c->f[2], &there, sizeof there);
    return there || child_fails(c, dlerror());
}

/* A text, zeroes, numbers or anything, with a zero at the end. */
static void fill_arena(struct child *c, uint64_t seed)
{
    for (unsigned i = 0; i < ADAPT_ARGUMENTS; i++) {
        uint64_t kind = hash_u64(seed * 32 + i) % 4, r = 0;
        uint8_t *slot = c->n->arena + i * SLOT;
        if (!c->n->often[i])
            continue;
        for (unsigned k = 0; k < SLOT; k++, r >>= 8) {
            if (k % 8 == 0)
                r = hash_u64(seed * 8192 + i * SLOT + k);
            slot[k] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? 'A' + (r & 31) : kind == 2 && k % 4 ? 0 : r);
        }
        if (kind == 1)
            slot[hash_u64(seed + i) % 24] = 0;
        slot[SLOT - 1] = 0;
    }
}

/* The target's structure, if an adapter has one, as view.c wants it: no wide entry has more than a narrow one
 * can hold. */
static void settle_structure(struct child *c, const uint64_t *x)
{
    const struct adapt_view *v = c->n->a->view;
    uint8_t *arena = c->n->arena, *at = v ? (uint8_t *)(uintptr_t)x[v->target_arg] : NULL;
    for (unsigned i = 0; v && at >= arena && at < arena + ARENA && i < v->nfields; i++) {
        const struct adapt_field *f = &v->field[i];
        for (uint8_t *e = at + f->target;
             f->inner_bytes < f->target_bytes && e < at + f->target + f->count * f->target_bytes &&
             e + f->target_bytes <= arena + ARENA;
             e += f->target_bytes)
            memset(e + f->inner_bytes, f->sign && e[f->inner_bytes - 1] >> 7 ? 0xff : 0,
                   f->target_bytes - f->inner_bytes);
    }
}

#define WORDS_AND_FLOATS(x, y)                                                                               \
    x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10], x[11], x[12], y[0], y[1], y[2], y[3], \
        y[4], y[5], y[6], y[7]

static enum end run(struct child *c, unsigned side, const uint64_t *x, uint64_t seed, results *out)
{
    for (unsigned i = 0; i < c->nparts; i++)
        memcpy(c->part[i].at, c->part[i].initial, c->part[i].size);
    fill_arena(c, seed);
    settle_structure(c, x);
    double y[ADAPT_FLOATS] = {0};
    const struct summary *s = side == 1 ? &c->n->a->inner : &c->n->a->target;
    for (unsigned i = 0; i < s->shape.floats; i++)
        memcpy(&y[i], &x[s->shape.words + i], sizeof *y);
    int end = sigsetjmp(c->out, 0);
    if (end)
        return (enum end)end;
    c->calls.n = 0;
    c->seed = seed;
    c->began = c->ticks;
    c->inside = true;
    if (c->n->a->real) {
        real_function *f;
        memcpy(&f, &c->f[side], sizeof f);
        double r = f(WORDS_AND_FLOATS(x, y));
        memcpy(&out->first, &r, sizeof r);
    } else {
        *out = c->f[side](WORDS_AND_FLOATS(x, y));
    }
    c->inside = false;
    return END_RETURN;
}

static bool state_is_initial(const struct child *c)
{
    for (unsigned i = 0; i < c->nparts; i++)
        if (memcmp(c->part[i].at, c->part[i].initial, c->part[i].size) != 0)
            return false;
    return true;
}

static bool state_is_after(const struct child *c)
{
    for (unsigned i = 0; i < c->nparts; i++)
        if (memcmp(c->part[i].at, c->part[i].after, c->part[i].size) != 0)
            return false;
    return memcmp(c->arena_after, c->n->arena, ARENA) == 0;
}

/* Where regions are told, one may be smaller than what a pointer points to here: the target would fault
 * elsewhere. */
static enum run_outcome differ(const struct adapt *a)
{
    return a->opt->modulo_faults && a->opt->nregions ? RUN_UNABLE : RUN_DIFFERS;
}

/* `d` NULL: the compiled adapter. */
static enum run_outcome try_one(struct child *c, const struct adapter *d, const struct input *in)
{
    const struct adapt *a = c->n->a;
    results x = {0}, y = {0};
    uint64_t to[ADAPT_ARGUMENTS] = {0};
    bool two_files = a->target.code.p != a->inner.code.p;
    enum end first = run(c, 0, in->arg, in->seed, &x);
    if (first == END_UNABLE || first == END_FAULT || (first == END_TRAP && a->opt->modulo_faults) ||
        (two_files && !state_is_initial(c)))
        return RUN_UNABLE;
    for (unsigned i = 0; i < c->nparts; i++)
        memcpy(c->part[i].after, c->part[i].at, c->part[i].size);
    memcpy(c->arena_after, c->n->arena, ARENA);
    c->before = c->calls;
    for (unsigned i = 0; d && i < d->nargs; i++)
        to[i] = value_number(&d->arg[i], a->width, in->arg);
    enum end second = d ? run(c, 1, to, in->seed, &y) : run(c, 2, in->arg, in->seed, &y);
    if (second == END_UNABLE || (two_files && !state_is_initial(c)))
        return RUN_UNABLE;
    if (c->calls.n != c->before.n ||
        memcmp(c->calls.word, c->before.word, c->calls.n * sizeof *c->calls.word) != 0)
        return differ(a);
    if (first != END_RETURN || second != END_RETURN)
        return first == second ? RUN_SAME : differ(a);
    uint64_t result = d ? value_number(&d->result, a->width, &y.first) : y.first;
    if (compared_part(&a->compared, x.first) != compared_part(&a->compared, result) ||
        (a->compared.pair && x.second != y.second))
        return differ(a);
    return state_is_after(c) ? RUN_SAME : differ(a);
}

/* ---- what is asked ---- */

/* The adapter is given, or its function in a library, or all of a family are tried. */
struct native_task {
    const struct adapter *d;
    const char *library, *name;
    struct enumeration *e;
    uint64_t ms; /* of processor time; 0: any */
};

static void try_adapter(struct child *c, const struct adapter *d, size_t most)
{
    struct finding *f = c->n->found;
    f->same = f->unable = 0;
    f->differs = false;
    for (size_t i = 0; i < c->n->input.len && f->same < most && !f->differs; i++) {
        enum run_outcome x = try_one(c, d, &c->n->input.data[i]);
        f->same += x == RUN_SAME;
        f->unable += x == RUN_UNABLE;
        f->differs = x == RUN_DIFFERS;
    }
}

static void try_family(struct child *c, struct native_task *task)
{
    enum { TESTS = 12 };
    struct finding *f = c->n->found;
    struct adapter d;
    struct enumeration e = *task->e;
    while (!f->agrees && (!task->ms || c->ticks * TICK_MS < task->ms) && enumeration_next(&e, &d)) {
        f->tried++;
        try_adapter(c, &d, TESTS);
        f->agrees = f->same && !f->differs;
    }
    f->at = e.done;
}

static _Noreturn void child_main(struct native *n, struct native_task *task)
{
    struct child *c = xcalloc(1, sizeof *c);
    struct rlimit none = {0, 0};
    c->n = n;
    c->m = program_machine(n->a->target.code.p);
    now = c;
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGALRM, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* constructors may print */
    int null = open("/dev/null", O_RDWR);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    if (!load_side(c, 0) || !load_side(c, 1) ||
        (task->library && !load_compiled(c, task->library, task->name)))
        _exit(1);
    catch_signals();
    if (!forbid_system_calls()) {
        child_fails(c, "system calls cannot be forbidden here");
        _exit(1);
    }
    n->found->ready = true;
    if (!task->e)
        try_adapter(c, task->d, n->a->opt->runs);
    else
        try_family(c, task);
    n->found->over = true;
    _exit(0);
}

static bool ask_child(struct native *n, struct native_task *task, const char **why)
{
    *n->found = (struct finding){0};
    pid_t pid = fork();
    if (pid == 0)
        child_main(n, task);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    if (pid > 0 && n->found->over)
        return true;
    *why = pid < 0          ? "no process can be started"
           : n->found->ready ? "one of the functions ended the process"
           : *n->found->why  ? arena_strdup(n->a->arena, n->found->why)
                             : "the files could not be loaded";
    return false;
}

enum run_outcome native_try(struct native *n, const struct adapter *d, uint32_t *same, const char **why)
{
    struct native_task task = {.d = d};
    *same = 0;
    if (!ask_child(n, &task, why))
        return RUN_UNABLE;
    *same = n->found->same;
    return n->found->differs ? RUN_DIFFERS : RUN_SAME;
}

bool adapt_run_compiled(struct adapt *a, const char *library, const char *name, uint32_t *same,
                        const char **why)
{
    struct native *n = native_new(a, a->opt->runs, why);
    struct native_task task = {.library = library, .name = name};
    *same = 0;
    if (!n)
        return true;
    bool ran = ask_child(n, &task, why), differs = ran && n->found->differs;
    *same = n->found->same;
    native_free(n);
    return !differs;
}

bool native_enumerate(struct native *n, struct enumeration *e, uint64_t ms, uint64_t *tried,
                      struct adapter *out, const char **why)
{
    struct native_task task = {.e = e, .ms = ms};
    if (!ask_child(n, &task, why))
        return false;
    *tried += n->found->tried;
    while (e->done < n->found->at)
        enumeration_next(e, out);
    return n->found->agrees;
}
