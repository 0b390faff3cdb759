/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process run by a stub that speaks gdb's remote protocol: qemu-user with `-g SOCKET`, for another
 * instruction set, or gdbserver on a terminal, for one that this processor has beside its own. Registers and
 * breakpoints go through the connection. Memory does not: with qemu it is the emulator's own, at a fixed
 * distance; with gdbserver it is that of gdbserver's child. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/buf.h"
#include "run/private.h"

/* Where address 0 of a 32-bit program is; a 64-bit one has its own addresses. */
#define GUEST_32 UINT64_C(0x100000000000)

/* ---- packets ---- */

static bool wait_readable(struct process *p)
{
    uint64_t now = now_ms();
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    int n = now >= p->deadline ? 0 : poll(&f, 1, (int)(p->deadline - now));
    p->late = n == 0;
    return n > 0;
}

static int next_byte(struct process *p)
{
    unsigned char c;
    for (;;) {
        if (!wait_readable(p))
            return -1;
        ssize_t n = read(p->fd, &c, 1);
        if (n == 1)
            return c;
        if (n == 0 || errno != EINTR)
            return -1;
    }
}

static bool put_packet(struct process *p, const char *text)
{
    unsigned sum = 0;
    for (const char *c = text; *c; c++)
        sum += (unsigned char)*c;
    struct buf b = BUF_INIT;
    buf_printf(&b, "$%s#%02x", text, sum & 255);
    bool ok = write_all(p->fd, b.data, b.len);
    buf_free(&b);
    return ok;
}

/* The next answer, unescaped: `}` escapes what is behind it, `*` and a number repeat what is before it. */
static bool get_packet(struct process *p, struct buf *out)
{
    enum { REPEAT_BASE = 29 };
    int c;
    buf_clear(out);
    while ((c = next_byte(p)) != '$')
        if (c < 0)
            return false;
    while ((c = next_byte(p)) != '#') {
        if (c == '*' && out->len) {
            char last = out->data[out->len - 1];
            for (c = next_byte(p); c > REPEAT_BASE; c--)
                buf_putc(out, last);
            if (c < 0)
                return false;
            continue;
        }
        if (c == '}') {
            c = next_byte(p);
            c = c < 0 ? c : c ^ 0x20;
        }
        if (c < 0)
            return false;
        buf_putc(out, (char)c);
    }
    return next_byte(p) >= 0 && next_byte(p) >= 0 && write_all(p->fd, "+", 1);
}

static bool ask(struct process *p, const char *text, struct buf *out)
{
    return put_packet(p, text) && get_packet(p, out);
}

static bool says_ok(struct process *p, const char *text)
{
    struct buf b = BUF_INIT;
    bool ok = ask(p, text, &b) && strcmp(buf_text(&b), "OK") == 0;
    buf_free(&b);
    return ok;
}

/* All of an object of the protocol. */
static bool transfer(struct process *p, const char *what, struct buf *out)
{
    struct buf part = BUF_INIT;
    bool ok = true, more = true;
    buf_clear(out);
    while (ok && more) {
        char line[128];
        snprintf(line, sizeof line, "qXfer:%s:%zx,7ff", what, out->len);
        ok = ask(p, line, &part) && part.len && (part.data[0] == 'l' || part.data[0] == 'm');
        more = ok && part.data[0] == 'm' && part.len > 1;
        if (ok)
            buf_put(out, part.data + 1, part.len - 1);
    }
    buf_free(&part);
    return ok;
}

/* ---- registers ---- */

/* Where the register of the machine is among the bytes of a `g` packet. */
struct remote_register {
    uint16_t offset; /* in the register file */
    uint16_t bytes;
    uint32_t at;
};
struct remote {
    VEC(struct remote_register) reg;
    uint64_t thread; /* i386: where the thread's block is, once it is known */
};

/* Every <reg name="..." bitsize="..."> in its order. */
static void read_registers(struct process *p, const char *xml, uint32_t *at)
{
    struct remote *r = p->kept;
    for (const char *s = xml; (s = strstr(s, "<reg ")); s++) {
        char name[32] = "";
        unsigned bits = 0;
        const char *end = strchr(s, '>'), *n = strstr(s, "name=\""), *b = strstr(s, "bitsize=\"");
        if (!end || !n || !b || n > end || b > end)
            continue;
        sscanf(n + 6, "%31[^\"]", name);
        sscanf(b + 9, "%u", &bits);
        uint16_t offset, width;
        if (machine_register_find(p->m, name, &offset, &width) && width >= 32) {
            struct remote_register one = {offset, (uint16_t)((bits < width ? bits : width) / 8), *at};
            vec_push(&r->reg, one);
        }
        *at += bits / 8;
    }
}

static bool describe(struct process *p)
{
    struct buf target = BUF_INIT, part = BUF_INIT;
    uint32_t at = 0;
    bool ok = transfer(p, "features:read:target.xml", &target);
    if (ok)
        read_registers(p, buf_text(&target), &at);
    for (const char *s = buf_text(&target); ok && (s = strstr(s, "href=\"")); s++) {
        char file[64], what[96];
        if (sscanf(s + 6, "%63[^\"]", file) != 1)
            continue;
        snprintf(what, sizeof what, "features:read:%s", file);
        ok = transfer(p, what, &part);
        if (ok)
            read_registers(p, buf_text(&part), &at);
    }
    buf_free(&part);
    buf_free(&target);
    return ok && ((struct remote *)p->kept)->reg.len;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool all_registers(struct process *p, struct buf *hex)
{
    return ask(p, "g", hex) && hex->len > 8;
}

/* Whether glibc's block of a thread is there: it begins with its own address, and has that once more. */
static bool is_thread(uint64_t at, const uint32_t *word)
{
    enum { SELF = 2 };
    return word[0] == at && word[SELF] == at;
}

/* No stub tells where %gs leads to on i386: the block of the only thread is looked for. */
static uint64_t find_thread(struct process *p)
{
    enum { WORDS = 1024, LEAST = 4, LARGEST = 1 << 20 };
    struct arena arena = ARENA_INIT;
    const struct process_map *map;
    size_t n = process_maps(p, &arena, &map);
    uint64_t found = 0;
    for (size_t i = 0; i < n && !found; i++) {
        if (!map[i].write || map[i].file || map[i].high - map[i].low > LARGEST)
            continue;
        for (uint64_t at = map[i].low; at < map[i].high && !found; at += sizeof(uint32_t) * WORDS) {
            uint32_t word[WORDS];
            if (!process_read(p, at, word, sizeof word))
                break;
            for (size_t k = 0; k + LEAST <= WORDS && !found; k++)
                if (is_thread(at + k * sizeof *word, word + k))
                    found = at + k * sizeof *word;
        }
    }
    arena_free(&arena);
    return found;
}

static bool registers(struct process *p, uint8_t *file)
{
    struct remote *r = p->kept;
    struct buf hex = BUF_INIT;
    bool ok = all_registers(p, &hex);
    for (size_t i = 0; ok && i < r->reg.len; i++) {
        const struct remote_register *x = &r->reg.data[i];
        for (unsigned k = 0; k < x->bytes && (x->at + k) * 2 + 1 < hex.len; k++) {
            int high = digit(hex.data[(x->at + k) * 2]), low = digit(hex.data[(x->at + k) * 2 + 1]);
            if (high >= 0 && low >= 0)
                file[x->offset + k] = (uint8_t)(high * 16 + low);
        }
    }
    buf_free(&hex);
    if (ok && p->m->arch == MACHINE_X86) {
        r->thread = r->thread ? r->thread : find_thread(p);
        process_put(p->m, file, "gs_base", &r->thread, sizeof(uint32_t));
    }
    return ok;
}

static bool set(struct process *p, unsigned offset, uint64_t value)
{
    const struct remote *r = p->kept;
    struct buf hex = BUF_INIT, line = BUF_INIT;
    bool ok = all_registers(p, &hex), found = false;
    for (size_t i = 0; ok && i < r->reg.len; i++) {
        const struct remote_register *x = &r->reg.data[i];
        if (x->offset != offset || (size_t)(x->at + x->bytes) * 2 > hex.len)
            continue;
        found = true;
        for (unsigned k = 0; k < x->bytes && k < 8; k++) {
            char two[3];
            snprintf(two, sizeof two, "%02x", (unsigned)(value >> k * 8 & 255));
            memcpy(hex.data + (x->at + k) * 2, two, 2);
        }
    }
    if (found) {
        buf_putc(&line, 'G');
        buf_put(&line, hex.data, hex.len);
        ok = says_ok(p, buf_text(&line));
    }
    buf_free(&line);
    buf_free(&hex);
    return ok && found;
}

/* ---- the process ---- */

static bool read_memory(struct process *p, uint64_t address, void *out, size_t n)
{
    return pread(p->mem, out, n, (off_t)(address + p->guest)) == (ssize_t)n;
}

static bool write_memory(struct process *p, uint64_t address, const void *in, size_t n)
{
    return pwrite(p->mem, in, n, (off_t)(address + p->guest)) == (ssize_t)n;
}

/* How much is written over. It is nothing to an emulator, which stops before it translates. */
static unsigned kind(const struct process *p, uint64_t address)
{
    bool thumb = p->m->arch == MACHINE_ARM && address & 1;
    return thumb && p->child ? 2 : p->m->arch == MACHINE_ARM || p->m->arch == MACHINE_ARM64 ? 4 : 1;
}

static bool point(struct process *p, char what, uint64_t address)
{
    char line[64];
    snprintf(line, sizeof line, "%c0,%llx,%u", what, (unsigned long long)process_code(p, address),
             kind(p, address));
    return says_ok(p, line);
}

static bool insert(struct process *p, struct process_break *b)
{
    b->bytes = p->child ? kind(p, b->address) : 0;
    return read_memory(p, process_code(p, b->address), b->saved, b->bytes) && point(p, 'Z', b->address);
}

static void withdraw(struct process *p, struct process_break *b)
{
    point(p, 'z', b->address);
}

/* Signals have gdb's numbers in the protocol. */
static int host_signal(unsigned n)
{
    static const int known[] = {
        [1] = SIGHUP,  [2] = SIGINT,   [3] = SIGQUIT,  [4] = SIGILL,   [5] = SIGTRAP,
        [6] = SIGABRT, [8] = SIGFPE,   [9] = SIGKILL,  [10] = SIGBUS,  [11] = SIGSEGV,
        [12] = SIGSYS, [13] = SIGPIPE, [14] = SIGALRM, [15] = SIGTERM, [20] = SIGCHLD};
    return n < sizeof known / sizeof *known && known[n] ? known[n] : SIGTERM;
}

static struct process_event resume(struct process *p, bool step)
{
    struct buf b = BUF_INIT;
    struct process_event e = {.stop = PROCESS_LOST};
    bool sent = put_packet(p, step ? "s" : "c");
    while (sent && get_packet(p, &b)) {
        unsigned n = 0;
        const char *s = buf_text(&b);
        if (s[0] == 'O')
            continue;
        if (sscanf(s + 1, "%2x", &n) != 1)
            break;
        if (s[0] == 'W')
            e = (struct process_event){.stop = PROCESS_EXIT, .code = (int)n};
        else if (s[0] == 'X')
            e = (struct process_event){.stop = PROCESS_KILLED, .signal = host_signal(n)};
        else if (s[0] == 'T' || s[0] == 'S') {
            int sig = host_signal(n);
            e = (struct process_event){.stop = sig == SIGTRAP ? PROCESS_BREAK : PROCESS_SIGNAL,
                                       .signal = sig};
            e.pc = process_register(p, p->m->pc);
            if (sig == SIGCHLD || sig == SIGPIPE) {
                sent = put_packet(p, "c");
                continue;
            }
        }
        buf_free(&b);
        return e;
    }
    e.stop = p->late ? PROCESS_TIMEOUT : PROCESS_LOST;
    buf_free(&b);
    return e;
}

static void split(const char *command, struct arena *arena, char **argv, unsigned *n, unsigned most)
{
    const char *s = command;
    while (*s && *n < most) {
        s += strspn(s, " \t");
        size_t len = strcspn(s, " \t");
        if (len)
            argv[(*n)++] = arena_strndup(arena, s, len);
        s += len;
    }
}

static bool connect_to(struct process *p, const char *path)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    snprintf(a.sun_path, sizeof a.sun_path, "%s", path);
    while (now_ms() < p->deadline) {
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
            return false;
        if (connect(fd, (struct sockaddr *)&a, sizeof a) == 0) {
            p->fd = fd;
            return true;
        }
        close(fd);
        if (waitpid(p->pid, NULL, WNOHANG) == p->pid) {
            p->ended = true;
            return false;
        }
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
    return false;
}

/* The other end of a terminal. gdbserver takes no socket that only this user can open, but any device.
 * Returns that end, which is to stay open until gdbserver has it, or -1. */
static int open_terminal(struct process *p, char *path, size_t n)
{
    struct termios raw;
    p->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    bool ok = p->fd >= 0 && grantpt(p->fd) == 0 && unlockpt(p->fd) == 0 && ptsname_r(p->fd, path, n) == 0 &&
              tcgetattr(p->fd, &raw) == 0;
    if (!ok)
        return -1;
    cfmakeraw(&raw);
    return tcsetattr(p->fd, TCSANOW, &raw) == 0 ? open(path, O_RDWR | O_NOCTTY | O_CLOEXEC) : -1;
}

/* Whether something comes before the stub ends or time is up. */
static bool wait_for_server(struct process *p)
{
    struct pollfd f = {.fd = p->fd, .events = POLLIN};
    while (now_ms() < p->deadline) {
        if (poll(&f, 1, 2) > 0)
            return true;
        if (waitpid(p->pid, NULL, WNOHANG) == p->pid) {
            p->ended = true;
            return false;
        }
    }
    return false;
}

/* The words of a command for the stub, with the program and its arguments. */
struct command {
    struct arena *arena;
    char **word;
    unsigned n;
};

static void add(struct command *c, const char *word)
{
    c->word[c->n++] = arena_strdup(c->arena, word);
}

static void add_for_qemu(struct command *c, const struct process *p, const char *socket,
                         const char *const *variable)
{
    add(c, "-g");
    add(c, socket);
    if (p->guest) {
        add(c, "-B");
        add(c, arena_printf(c->arena, "0x%llx", (unsigned long long)p->guest));
    }
    for (; *variable; variable++) {
        add(c, "-E");
        add(c, *variable);
    }
}

/* What gdbserver says of itself on standard error is none of the program's output: that has a descriptor of
 * its own. Nor is what the loader is told for gdbserver. */
static bool write_wrapper(const char *path, const char *const *variable)
{
    struct buf b = BUF_INIT;
    buf_puts(&b, "#!/bin/sh\n");
    for (; *variable; variable++) {
        buf_puts(&b, "export '");
        for (const char *c = *variable; *c; c++)
            buf_printf(&b, *c == '\'' ? "'\\''" : "%c", *c);
        buf_puts(&b, "'\n");
    }
    buf_printf(&b, "exec \"$@\" 2>&%d %d>&-\n", PROCESS_ERRORS, PROCESS_ERRORS);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
    bool ok = fd >= 0 && write_all(fd, b.data, b.len);
    if (fd >= 0)
        close(fd);
    buf_free(&b);
    return ok;
}

static void add_for_gdbserver(struct command *c, const char *terminal, const char *wrapper)
{
    add(c, "--once");
    add(c, "--wrapper");
    add(c, wrapper);
    add(c, "--");
    add(c, terminal);
}

static bool is_gdbserver(const char *command)
{
    const char *name = strrchr(command, '/');
    name = name ? name + 1 : command;
    return strstr(name, "gdbserver") != NULL;
}

/* gdbserver says which thread has stopped: its child, which has only one. */
static pid_t stopped_thread(const char *reply)
{
    const char *s = strstr(reply, "thread:");
    return s ? (pid_t)strtol(s + strlen("thread:"), NULL, 16) : 0;
}

static bool start(struct process *p, const char *program, struct error *err)
{
    (void)program; /* its name is a link in the scratch directory */
    enum { WORDS = 32 };
    const struct run_target *t = p->t;
    struct arena arena = ARENA_INIT;
    struct command c = {&arena, arena_array(&arena, char *, t->narguments + WORDS + 16), 0};
    char path[128] = "";
    split(t->emulator, &arena, c.word, &c.n, WORDS);
    bool server = c.n && is_gdbserver(c.word[0]);
    p->kept = xcalloc(1, sizeof(struct remote));
    p->guest = !server && p->m->pointer_width == 32 ? GUEST_32 : 0;
    const char *variable[LOADER_VARIABLES];
    process_loader(t, &arena, variable);
    bool ok = true;
    int other = -1, reason = 0;
    if (server) {
        const char *wrapper = arena_printf(&arena, "%s/wrapper", t->scratch);
        other = open_terminal(p, path, sizeof path);
        reason = errno;
        ok = other >= 0 && write_wrapper(wrapper, variable);
        p->errors_apart = true;
        add_for_gdbserver(&c, path, wrapper);
    } else {
        snprintf(path, sizeof path, "%s/socket", t->scratch);
        unlink(path);
        add_for_qemu(&c, p, path, variable);
    }
    add(&c, arena_printf(&arena, "%s/" PROCESS_NAME, t->scratch));
    for (size_t i = 0; i < t->narguments; i++)
        add(&c, t->argument[i]);
    char *const *env = process_environment(t, &arena, false);
    struct run_target without = *t;
    if (!server)
        without.limits.memory = 0; /* the emulator reserves more than the program has */
    p->pid = ok ? process_spawn(p, &without, NULL, c.word, env) : -1;
    ok = p->pid > 0 && (server || connect_to(p, path)) &&
         put_packet(p, "qSupported:swbreak+;xmlRegisters=i386,arm,aarch64") &&
         (!server || wait_for_server(p));
    if (other >= 0)
        close(other);
    struct buf b = BUF_INIT;
    ok = ok && get_packet(p, &b) && ask(p, "?", &b);
    p->child = ok && server ? stopped_thread(buf_text(&b)) : 0;
    ok = ok && (!server || p->child > 0) && describe(p);
    buf_free(&b);
    if (server && other < 0)
        error_set(err, ERROR_SYSTEM, "cannot open a terminal for %s: %s", c.word[0], strerror(reason));
    else if (!ok)
        error_set(err, ERROR_INPUT, "%s cannot be run by %s: it does not answer as %s does", t->program,
                  c.n ? c.word[0] : "nothing", server ? "gdbserver" : "an emulator with -g SOCKET");
    arena_free(&arena);
    if (!ok)
        return false;
    snprintf(path, sizeof path, "/proc/%d/mem", (int)process_id(p));
    p->mem = open(path, O_RDWR | O_CLOEXEC);
    if (p->mem < 0)
        return error_set(err, ERROR_SYSTEM, "cannot read the memory of %s: %s", t->program, strerror(errno));
    return true;
}

static void end(struct process *p)
{
    struct remote *r = p->kept;
    if (r)
        vec_free(&r->reg);
    free(r);
    p->kept = NULL;
}

static size_t auxv(struct process *p, uint8_t *out, size_t cap)
{
    struct buf b = BUF_INIT;
    size_t n = transfer(p, "auxv:read:", &b) ? b.len : 0;
    n = n < cap ? n : cap;
    memcpy(out, buf_text(&b), n);
    buf_free(&b);
    return n;
}

const struct process_ways process_remote = {.start = start,
                                            .end = end,
                                            .resume = resume,
                                            .insert = insert,
                                            .withdraw = withdraw,
                                            .read = read_memory,
                                            .write = write_memory,
                                            .registers = registers,
                                            .set = set,
                                            .auxv = auxv};
