/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls in blind runs: which are compared, and what a kernel answers. */
#include <errno.h>

#include "adapt/blind.h"

bool blind_can_be(struct run *r, uint64_t x, shade of, uint64_t target, shade target_of)
{
    const struct ir_machine *m = r->s->w->m;
    const bool in_frame = blind_in_stack(r->s->w, target);
    if (is_unknown(target_of))
        return true;
    if (is_exact(of)) {
        r->k = base_of(of);
        r->value = (target - blind_added(r, x, of)) & word_ones(m->pointer_width);
        bool out = r->value < r->low[r->k] || r->value > r->high[r->k];
        if (in_frame && !blind_is_far(r->s->w, blind_added(r, x, of)))
            return true;
        return stop(r, out || in_frame ? END_REFUTED : END_FIX);
    }
    if (of & SHADE_ARGS)
        return needs(r, of);
    if (is_unknown(of) || blind_in_stack(r->s->w, x) || x == target)
        return true;
    return stop(r, END_REFUTED);
}

/* exit, exit_group */
static bool ends_process(const struct ir_machine *m, uint64_t nr)
{
    return m->arch == MACHINE_AMD64 && (nr == 60 || nr == 231);
}

static void clear(struct side *s, uint64_t at, unsigned bytes)
{
    for (unsigned k = 0; k < bytes; k++) {
        concrete_write(s->c, 0, at + k, &(uint8_t){0}, 1);
        blind_note_written(s, at + k, 0);
    }
}

/* The kernel writes zeroes; or in every second test numbers, small ones or some pages, another in each word.
 */
static void answer_with(struct side *s, uint64_t at, unsigned bytes)
{
    enum { SMALL = 50 };
    clear(s, at, bytes);
    for (unsigned k = 0; k + 4 <= bytes && s->scene.seed % 2; k += 8) {
        uint32_t number = 1 + (uint32_t)hash_u64(k + s->scene.seed) % SMALL;
        uint8_t word[4];
        bits_to_bytes(bits_u64(number << (s->scene.seed & 2 ? PAGE_BITS : 0), 32), word, 4);
        concrete_write(s->c, 0, at + k, word, 4);
    }
}

/* Where some system calls put something, if an argument points anywhere, and how much. */
static const struct {
    uint16_t nr;
    uint8_t arg;
    uint16_t bytes;
} fills[] = {
    {4, 1, 144} /* stat */,
    {5, 1, 144} /* fstat */,
    {6, 1, 144} /* lstat */,
    {13, 2, 32} /* rt_sigaction */,
    {14, 2, 8} /* rt_sigprocmask */,
    {22, 0, 8} /* pipe */,
    {61, 1, 4} /* wait4 */,
    {61, 3, 144},
    {63, 0, 390} /* uname */,
    {96, 0, 16} /* gettimeofday */,
    {96, 1, 8},
    {97, 1, 16} /* getrlimit */,
    {98, 1, 144} /* getrusage */,
    {99, 0, 112} /* sysinfo */,
    {100, 0, 32} /* times */,
    {115, 1, 0} /* getgroups: none */,
    {118, 0, 4} /* getresuid */,
    {118, 1, 4},
    {118, 2, 4},
    {120, 0, 4} /* getresgid */,
    {120, 1, 4},
    {120, 2, 4},
    {36, 1, 32} /* getitimer */,
    {38, 2, 32} /* setitimer */,
    {127, 0, 8} /* rt_sigpending */,
    {131, 1, 24} /* sigaltstack */,
    {137, 1, 120} /* statfs */,
    {138, 1, 120} /* fstatfs */,
    {143, 1, 4} /* sched_getparam */,
    {148, 1, 16} /* sched_rr_get_interval */,
    {201, 0, 8} /* time */,
    {228, 1, 16} /* clock_gettime */,
    {229, 1, 16} /* clock_getres */,
    {262, 2, 144} /* newfstatat */,
    {302, 3, 16} /* prlimit64 */,
    {332, 4, 256} /* statx */,
};

/* Those that write nothing. Reading finds the end of a file. */
static bool writes_nothing(uint64_t nr)
{
    static const uint16_t list[] = {
        0 /* read */,        3 /* close */,         8 /* lseek */,        10 /* mprotect */,
        11 /* munmap */,     21 /* access */,       24 /* sched_yield */, 28 /* madvise */,
        37 /* alarm */,      42 /* connect */,      44 /* sendto */,      46 /* sendmsg */,
        48 /* shutdown */,   49 /* bind */,         50 /* listen */,      54 /* setsockopt */,
        62 /* kill */,       73 /* flock */,        74 /* fsync */,       75 /* fdatasync */,
        76 /* truncate */,   77 /* ftruncate */,    80 /* chdir */,       81 /* fchdir */,
        82 /* rename */,     83 /* mkdir */,        84 /* rmdir */,       86 /* link */,
        87 /* unlink */,     88 /* symlink */,      90 /* chmod */,       91 /* fchmod */,
        92 /* chown */,      93 /* fchown */,       94 /* lchown */,      95 /* umask */,
        102 /* getuid */,    104 /* getgid */,      105 /* setuid */,     106 /* setgid */,
        107 /* geteuid */,   108 /* getegid */,     109 /* setpgid */,    112 /* setsid */,
        113 /* setreuid */,  114 /* setregid */,    116 /* setgroups */,  117 /* setresuid */,
        119 /* setresgid */, 160 /* setrlimit */,   162 /* sync */,       165 /* mount */,
        166 /* umount2 */,   170 /* sethostname */, 200 /* tkill */,      234 /* tgkill */,
        258 /* mkdirat */,   260 /* fchownat */,    263 /* unlinkat */,   264 /* renameat */,
        268 /* fchmodat */,  269 /* faccessat */,
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i] == nr)
            return true;
    return false;
}

/* *answer: 0, or that the kernel has no such call: of which it is not known here what they write. */
static bool fill_buffers(struct run *r, unsigned n, uint64_t *answer)
{
    struct side *s = r->s;
    *answer = writes_nothing(s->event[n].nr) ? 0 : (uint64_t)-ENOSYS;
    for (size_t i = 0; i < sizeof fills / sizeof *fills; i++) {
        if (fills[i].nr != s->event[n].nr)
            continue;
        *answer = 0;
        uint64_t at = s->event[n].arg[fills[i].arg];
        shade of = s->event[n].shade[fills[i].arg];
        bool missing;
        if (is_unknown(of))
            return needs(r, of);
        if (!at)
            continue;
        if (!blind_may_access(r, at, fills[i].bytes, of, &missing))
            return false;
        if (missing)
            return stop(r, END_CUT);
        answer_with(s, at, fills[i].bytes);
    }
    return true;
}

static bool all_known(struct run *r, const shade *of, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (is_unknown(of[i]))
            return needs(r, of[i]);
    return true;
}

/* Random numbers are zeroes, too. */
static bool fill_randomly(struct run *r, unsigned n)
{
    enum { MOST = 256 };
    const uint64_t *arg = r->s->event[n].arg;
    const shade *of = r->s->event[n].shade;
    bool missing;
    if (!all_known(r, of, 2))
        return false;
    if (!arg[1] || arg[1] > MOST)
        return stop(r, END_CUT);
    if (!blind_may_access(r, arg[0], (unsigned)arg[1], of[0], &missing))
        return false;
    if (missing)
        return stop(r, END_CUT);
    clear(r->s, arg[0], (unsigned)arg[1]);
    return true;
}

/* What a kernel answers that does what it is asked for, and has nothing to read but zeroes. (Numbers of Linux
 * for amd64; others do not come here.) */
static bool run_answer(struct run *r, unsigned n)
{
    enum { WRITE = 1, OPEN, MMAP = 9, BRK = 12, GETPID = 39, SOCKET = 41, FORK = 57, EXECVE = 59 };
    enum { GETPPID = 110, GETTID = 186, FUTEX = 202, OPENAT = 257, GETRANDOM = 318 };
    enum { FIXED = 0x10 /* where it is asked for */, OPERATION = 127, WAIT = 0 };
    struct side *s = r->s;
    const uint64_t *arg = s->event[n].arg;
    const shade *of = s->event[n].shade;
    uint64_t answer = 0;
    switch (s->event[n].nr) {
    case WRITE:
        if (is_unknown(of[2]))
            return needs(r, of[2]);
        answer = arg[2];
        break;
    case OPEN:
    case SOCKET:
    case OPENAT:
        answer = 3;
        break;
    case GETPID:
    case GETPPID:
    case GETTID:
    case FORK:
        answer = 1234;
        break;
    case EXECVE:
        return stop(r, END_TRAP);
    case BRK:
        if (is_unknown(of[0]))
            return needs(r, of[0]);
        if (arg[0] - BLIND_HEAP < UINT64_C(1) << BLIND_HEAP_BITS)
            s->heap_end = arg[0];
        answer = s->heap_end;
        break;
    case MMAP:
        if (!all_known(r, of, 4))
            return false;
        if (arg[3] & FIXED)
            return stop(r, END_CUT);
        answer = arg[1] >> BLIND_HEAP_BITS ? (uint64_t)-ENOMEM : s->mapped;
        if (!(arg[1] >> BLIND_HEAP_BITS))
            s->mapped += (arg[1] + 0xfff) & ~UINT64_C(0xfff);
        break;
    case FUTEX:
        if (!all_known(r, of, 2))
            return false;
        if ((arg[1] & OPERATION) == WAIT) /* the thread that is waited for is done */
            clear(s, arg[0], 4);
        break;
    case GETRANDOM:
        if (!fill_randomly(r, n))
            return false;
        answer = arg[1];
        break;
    default:
        if (!fill_buffers(r, n, &answer))
            return false;
    }
    blind_put_word(s, s->w->m->syscall_ret, answer, 0);
    return true;
}

/* The memory is there that a kernel was given which did not complain. */
static void touch_given(struct side *s, unsigned n)
{
    for (unsigned i = 0; i < s->w->m->nsyscall_args; i++)
        if (s->event[n].looks >> i & 1 && !is_unknown(s->event[n].shade[i]) &&
            s->event[n].arg[i] >> PAGE_BITS >= NULL_PAGES && blind_where(s->w, s->event[n].arg[i]) == OUTSIDE)
            vec_push(&s->page, s->event[n].arg[i] >> PAGE_BITS);
}

/* At which arguments the call looks that is about to be made. */
static bool looks_at(struct run *r, uint64_t nr, unsigned *looks)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    uint64_t second = m->nsyscall_args > 1 ? blind_get_word(s, m->syscall_arg[1]) : 0;
    shade of = syscall_hangs_on_second(m, nr) ? blind_register(s, m->syscall_arg[1]) : 0;
    unsigned n = s->nevents;
    if (r->like && n < r->like->nevents && !r->like->event[n].call && r->like->event[n].nr == nr &&
        is_unknown(of) && !blind_can_be(r, second, of, r->like->event[n].arg[1], r->like->event[n].shade[1]))
        return false;
    if (is_unknown(of))
        return needs(r, of);
    return syscall_looks_at(m, nr, &second, looks) || stop(r, END_CUT);
}

bool blind_syscall(struct run *r)
{
    struct side *s = r->s;
    const struct ir_machine *m = s->w->m;
    if (m->syscall_nr == UINT16_MAX || m->syscall_ret == UINT16_MAX)
        return stop(r, END_CUT);
    shade of = blind_register(s, m->syscall_nr);
    uint64_t nr = blind_get_word(s, m->syscall_nr);
    if (is_unknown(of))
        return needs(r, of);
    unsigned looks;
    if (!looks_at(r, nr, &looks))
        return false;
    if (!blind_add_event(r, false, nr))
        return false;
    unsigned n = s->nevents - 1;
    s->event[n].looks = looks;
    for (unsigned i = 0; i < m->nsyscall_args; i++) {
        if (!(looks >> i & 1))
            continue;
        s->event[n].arg[i] = blind_get_word(s, m->syscall_arg[i]);
        s->event[n].shade[i] = blind_register(s, m->syscall_arg[i]);
        if (r->like && !blind_can_be(r, s->event[n].arg[i], s->event[n].shade[i], r->like->event[n].arg[i],
                                     r->like->event[n].shade[i]))
            return false;
    }
    if (!blind_given(r, n))
        return false;
    if (ends_process(m, nr))
        return stop(r, END_TRAP);
    if (!s->scene.answers) {
        blind_put_word(s, m->syscall_ret, (uint64_t)-ENOSYS, 0);
        return true;
    }
    if (!r->like)
        touch_given(s, n);
    return run_answer(r, n);
}
