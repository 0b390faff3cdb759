/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process of the host's own instruction set, driven through ptrace. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "run/private.h"

/* General registers as the kernel has them: their names here, and where each is. */
#if defined __x86_64__
typedef struct user_regs_struct regs;
#define REG(name_, member)                                                                                   \
    {                                                                                                        \
        name_, offsetof(regs, member)                                                                        \
    }
static const struct place {
    const char *name;
    size_t at;
} place[] = {
    REG("rax", rax), REG("rbx", rbx), REG("rcx", rcx),         REG("rdx", rdx),         REG("rsi", rsi),
    REG("rdi", rdi), REG("rbp", rbp), REG("rsp", rsp),         REG("r8", r8),           REG("r9", r9),
    REG("r10", r10), REG("r11", r11), REG("r12", r12),         REG("r13", r13),         REG("r14", r14),
    REG("r15", r15), REG("rip", rip), REG("fs_base", fs_base), REG("gs_base", gs_base),
};
static const uint8_t trap[] = {0xcc};
enum { TRAP_BEHIND = 1, ARCH = MACHINE_AMD64, VECTORS = 16 };
static const char vector_name[] = "xmm%u";
typedef struct user_fpregs_struct vectors;
#define VECTOR(v, i) (&(v).xmm_space[(i)*4])
#elif defined __aarch64__
typedef struct user_regs_struct regs;
#define X(n)                                                                                                 \
    {                                                                                                        \
        "x" #n, offsetof(regs, regs[n])                                                                      \
    }
static const struct place {
    const char *name;
    size_t at;
} place[] = {
    X(0),
    X(1),
    X(2),
    X(3),
    X(4),
    X(5),
    X(6),
    X(7),
    X(8),
    X(9),
    X(10),
    X(11),
    X(12),
    X(13),
    X(14),
    X(15),
    X(16),
    X(17),
    X(18),
    X(19),
    X(20),
    X(21),
    X(22),
    X(23),
    X(24),
    X(25),
    X(26),
    X(27),
    X(28),
    X(29),
    X(30),
    {"sp", offsetof(regs, sp)},
    {"pc", offsetof(regs, pc)},
};
static const uint8_t trap[] = {0x00, 0x00, 0x20, 0xd4}; /* brk #0 */
enum { TRAP_BEHIND = 0, ARCH = MACHINE_ARM64, VECTORS = 32 };
static const char vector_name[] = "v%u";
typedef struct user_fpsimd_struct vectors;
#define VECTOR(v, i) (&(v).vregs[i])
#else
#error "assay runs on amd64 and arm64"
#endif

static bool get(struct process *p, int set, void *out, size_t n)
{
    struct iovec v = {out, n};
    return ptrace(PTRACE_GETREGSET, p->pid, set, &v) == 0;
}

enum { PLACES = sizeof place / sizeof *place };

#if defined __x86_64__
/* syscall; int3 */
static const uint8_t service[] = {0x0f, 0x05, 0xcc};
#else
static const uint8_t service[1]; /* nothing is copied */
#endif

/* Where registers of the kernel's structures are in the register file: looking up their names costs more than
 * they do. */
struct offsets {
    struct {
        uint16_t offset, bytes; /* 0 bytes: it is not there */
    } general[PLACES], vector[VECTORS];
    /* of a process that stands ready, and its copies: registers, what `service` hides */
    regs stand;
    uint8_t hidden[sizeof service];
};

static struct offsets *find_offsets(const struct ir_machine *m)
{
    struct offsets *o = xcalloc(1, sizeof *o);
    uint16_t offset, width;
    for (unsigned i = 0; i < PLACES; i++)
        if (machine_register_find(m, place[i].name, &offset, &width)) {
            o->general[i].offset = offset;
            o->general[i].bytes = width / 8 < 8 ? width / 8 : 8;
        }
    for (unsigned i = 0; i < VECTORS; i++) {
        char name[8];
        snprintf(name, sizeof name, vector_name, i);
        if (machine_register_find(m, name, &offset, &width)) {
            o->vector[i].offset = offset;
            o->vector[i].bytes = width / 8 < 16 ? width / 8 : 16;
        }
    }
    return o;
}

static bool registers(struct process *p, uint8_t *file)
{
    regs r;
    vectors v;
    const struct offsets *o = p->kept;
    if (!get(p, NT_PRSTATUS, &r, sizeof r))
        return false;
    for (unsigned i = 0; i < PLACES; i++)
        memcpy(file + o->general[i].offset, (const uint8_t *)&r + place[i].at, o->general[i].bytes);
    if (get(p, NT_PRFPREG, &v, sizeof v))
        for (unsigned i = 0; i < VECTORS; i++)
            memcpy(file + o->vector[i].offset, VECTOR(v, i), o->vector[i].bytes);
#if defined __aarch64__
    uint64_t tls;
    if (get(p, NT_ARM_TLS, &tls, sizeof tls))
        process_put(p->m, file, "tpidr_el0", &tls, 8);
#endif
    return true;
}

static unsigned place_of(const struct process *p, unsigned offset)
{
    const struct offsets *o = p->kept;
    unsigned i = 0;
    while (i < PLACES && (o->general[i].offset != offset || !o->general[i].bytes))
        i++;
    return i;
}

static uint64_t get_one(struct process *p, unsigned offset)
{
    regs r;
    uint64_t value = 0;
    unsigned i = place_of(p, offset);
    if (i < PLACES && get(p, NT_PRSTATUS, &r, sizeof r))
        memcpy(&value, (const uint8_t *)&r + place[i].at, 8);
    return value;
}

static bool set(struct process *p, unsigned offset, uint64_t value)
{
    regs r;
    unsigned i = place_of(p, offset);
    if (i < PLACES && get(p, NT_PRSTATUS, &r, sizeof r)) {
        memcpy((uint8_t *)&r + place[i].at, &value, 8);
        struct iovec v = {&r, sizeof r};
        return ptrace(PTRACE_SETREGSET, p->pid, NT_PRSTATUS, &v) == 0;
    }
    return false;
}

static bool read_memory(struct process *p, uint64_t address, void *out, size_t n)
{
    return pread(p->mem, out, n, (off_t)address) == (ssize_t)n;
}

static bool write_memory(struct process *p, uint64_t address, const void *in, size_t n)
{
    return pwrite(p->mem, in, n, (off_t)address) == (ssize_t)n;
}

static bool insert(struct process *p, struct process_break *b)
{
    b->bytes = sizeof trap;
    return read_memory(p, b->address, b->saved, sizeof trap) &&
           write_memory(p, b->address, trap, sizeof trap);
}

static void withdraw(struct process *p, struct process_break *b)
{
    write_memory(p, b->address, b->saved, sizeof trap);
}

/* Waits for the process to stop; false: the time is up. */
static bool wait_for(struct process *p, int *status)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    for (;;) {
        pid_t got = waitpid(p->pid, status, __WALL | WNOHANG);
        if (got == p->pid)
            return true;
        if (got < 0 && errno != EINTR) {
            *status = 0;
            return true;
        }
        uint64_t now = now_ms();
        if (now >= p->deadline)
            return false;
        uint64_t left = p->deadline - now < 200 ? p->deadline - now : 200;
        struct timespec t = {0, (long)left * 1000000};
        sigtimedwait(&child, NULL, &t);
    }
}

static bool is_fatal(int sig)
{
    return sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE || sig == SIGABRT ||
           sig == SIGSYS || sig == SIGXCPU || sig == SIGXFSZ || sig == SIGKILL || sig == SIGTERM ||
           sig == SIGALRM || sig == SIGPIPE || sig == SIGHUP || sig == SIGINT;
}

static struct process_event resume(struct process *p, bool step)
{
    int deliver = 0;
    for (;;) {
        int status;
        if (ptrace(step ? PTRACE_SINGLESTEP : PTRACE_CONT, p->pid, NULL, (void *)(intptr_t)deliver) != 0)
            return (struct process_event){.stop = PROCESS_LOST};
        if (!wait_for(p, &status))
            return (struct process_event){.stop = PROCESS_TIMEOUT};
        if (WIFEXITED(status)) {
            p->ended = true;
            return (struct process_event){.stop = PROCESS_EXIT, .code = WEXITSTATUS(status)};
        }
        if (WIFSIGNALED(status)) {
            p->ended = true;
            return (struct process_event){.stop = PROCESS_KILLED, .signal = WTERMSIG(status)};
        }
        if (!WIFSTOPPED(status))
            return (struct process_event){.stop = PROCESS_LOST};
        int sig = WSTOPSIG(status);
        if (status >> 16 != 0)
            return (struct process_event){.stop = PROCESS_FORK};
        struct process_event e = {.pc = get_one(p, p->m->pc), .signal = sig};
        if (sig == SIGTRAP) {
            if (TRAP_BEHIND && !step) {
                e.pc -= TRAP_BEHIND;
                set(p, p->m->pc, e.pc);
            }
            e.stop = PROCESS_BREAK;
            return e;
        }
        siginfo_t info;
        memset(&info, 0, sizeof info);
        ptrace(PTRACE_GETSIGINFO, p->pid, NULL, &info);
        if (is_fatal(sig) || sig == SIGSTKFLT) {
            e.stop = PROCESS_SIGNAL;
            e.addressed = sig == SIGSEGV || sig == SIGBUS;
            e.address = e.addressed ? (uint64_t)(uintptr_t)info.si_addr : 0;
            return e;
        }
        deliver = sig;
    }
}

static void block_child(struct process *p)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    p->blocked = sigprocmask(SIG_BLOCK, &child, &p->mask) == 0;
}

static bool open_memory(struct process *p)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/mem", (int)p->pid);
    p->mem = open(path, O_RDWR | O_CLOEXEC);
    return p->mem >= 0;
}

static bool start(struct process *p, const char *program, struct error *err)
{
    const struct run_target *t = p->t;
    if ((int)p->m->arch != ARCH)
        return error_set(err, ERROR_INPUT,
                         "%s is for %s, which this machine does not run; name an emulator with --emulator",
                         t->program, p->m->name);
    struct arena arena = ARENA_INIT;
    char **argv = arena_array(&arena, char *, t->narguments + 2);
    argv[0] = arena_printf(&arena, "%s/" PROCESS_NAME, t->scratch);
    for (size_t i = 0; i < t->narguments; i++) {
        const size_t room = process_room(t->argument[i]);
        argv[i + 1] = arena_alloc(&arena, room);
        memset(argv[i + 1], ' ', room - 1);
        argv[i + 1][room - 1] = '\0';
    }
    char *const *env = process_environment(t, &arena, true);
    block_child(p);
    p->kept = find_offsets(p->m);
    p->pid = process_spawn(p, t, program, argv, env);
    arena_free(&arena);
    if (p->pid < 0)
        return error_set(err, ERROR_SYSTEM, "cannot start %s: %s", t->program, strerror(errno));
    int status;
    if (!wait_for(p, &status) || !WIFSTOPPED(status)) {
        p->ended = WIFEXITED(status) || WIFSIGNALED(status);
        return error_set(err, ERROR_INPUT, "%s cannot be run: %s", t->program,
                         WIFEXITED(status) && WEXITSTATUS(status) == 125
                             ? "the system does not allow ptrace"
                             : "it is no program of this machine");
    }
    ptrace(PTRACE_SETOPTIONS, p->pid, NULL,
           (void *)(uintptr_t)(PTRACE_O_EXITKILL | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                               PTRACE_O_TRACECLONE));
    if (!open_memory(p))
        return error_set(err, ERROR_SYSTEM, "cannot read the memory of %s: %s", t->program, strerror(errno));
    return !t->narguments || process_put_arguments(p, get_one(p, p->m->sp)) ||
           error_set(err, ERROR_SYSTEM, "cannot write to the memory of %s: %s", t->program, strerror(errno));
}

#if defined __x86_64__
static bool put_registers(struct process *p, regs *r)
{
    struct iovec v = {r, sizeof *r};
    return ptrace(PTRACE_SETREGSET, p->pid, NT_PRSTATUS, &v) == 0;
}

/* The process stands ready; it calls the system. *child: the process that this makes, or NULL where it makes
 * none. */
static bool serve(struct process *p, uint64_t number, uint64_t a, uint64_t b, uint64_t *result, pid_t *child)
{
    const struct offsets *o = p->kept;
    regs r = o->stand;
    r.orig_rax = ~UINT64_C(0);
    r.rax = number;
    r.rdi = a;
    r.rsi = b;
    r.rdx = r.r10 = r.r8 = 0;
    if (!put_registers(p, &r))
        return false;
    for (;;) {
        int status;
        unsigned long id;
        if (ptrace(PTRACE_CONT, p->pid, NULL, NULL) != 0 || !wait_for(p, &status))
            return false;
        p->ended = WIFEXITED(status) || WIFSIGNALED(status);
        if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
            return false;
        if (status >> 16 == 0)
            break;
        if (!child || ptrace(PTRACE_GETEVENTMSG, p->pid, NULL, &id) != 0)
            return false;
        *child = (pid_t)id;
    }
    const bool ok = get(p, NT_PRSTATUS, &r, sizeof r) && r.rip == o->stand.rip + sizeof service;
    *result = r.rax;
    return ok;
}

static bool ready(struct process *p)
{
    struct offsets *o = p->kept;
    return get(p, NT_PRSTATUS, &o->stand, sizeof o->stand) &&
           read_memory(p, o->stand.rip, o->hidden, sizeof service) &&
           write_memory(p, o->stand.rip, service, sizeof service);
}

/* Copies have the place in files that are open: standard input is opened again. */
static bool open_again(struct process *p)
{
    enum { MOST = 4096, BELOW = 2 * MOST };
    const struct offsets *o = p->kept;
    const size_t n = p->t->input ? strlen(p->t->input) + 1 : 0;
    const uint64_t at = o->stand.rsp - BELOW;
    uint8_t was[MOST];
    uint64_t result;
    if (!n)
        return true;
    return n <= MOST && read_memory(p, at, was, n) && write_memory(p, at, p->t->input, n) &&
           serve(p, SYS_close, 0, 0, &result, NULL) && serve(p, SYS_open, at, O_RDONLY, &result, NULL) &&
           result == 0 && write_memory(p, at, was, n);
}

static bool copy(struct process *of, struct process *p)
{
    struct offsets *o = p->kept = xmalloc(sizeof *o);
    int status;
    uint64_t result;
    *o = *(const struct offsets *)of->kept;
    block_child(p);
    of->deadline = p->deadline;
    p->pid = 0;
    if (!serve(of, SYS_clone, CLONE_PARENT | SIGCHLD, 0, &result, &p->pid) || p->pid <= 0 ||
        !wait_for(p, &status))
        return false;
    p->ended = !WIFSTOPPED(status);
    return !p->ended && open_memory(p) && serve(p, SYS_setsid, 0, 0, &result, NULL) && open_again(p) &&
           write_memory(p, o->stand.rip, o->hidden, sizeof service) && put_registers(p, &o->stand) &&
           process_put_arguments(p, o->stand.rsp);
}
#endif

static void end(struct process *p)
{
    free(p->kept);
}

static size_t auxv(struct process *p, uint8_t *out, size_t cap)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/auxv", (int)p->pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, out, cap);
    if (fd >= 0)
        close(fd);
    return n < 0 ? 0 : (size_t)n;
}

const struct process_ways process_native = {
    .start = start,
    .end = end,
    .resume = resume,
    .insert = insert,
    .withdraw = withdraw,
    .read = read_memory,
    .write = write_memory,
    .registers = registers,
    .get = get_one,
    .set = set,
    .auxv = auxv,
#if defined __x86_64__
    .ready = ready,
    .copy = copy,
#endif
};
