/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Queries to solvers in other processes. The script is a file in memory that the solver opens through this
 * process's entry in /proc, so that there is none to be left behind. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/system.h"
#include "solve/internal.h"

enum { OUTPUT_MAX = 16 << 20 };

struct child {
    struct minder *minder;
    const char *name;
    int out, script; /* its output, and what it is to read */
    struct buf text;
    bool too_much;
};

static int write_script(const struct question *q)
{
    struct buf script = BUF_INIT;
    smt_print_script(&script, q->graph, q->assertion, q->nassertions, q->wanted_node, q->nwanted);
    int fd = memfd_create("query.smt2", MFD_CLOEXEC);
    if (fd >= 0 && !write_all(fd, buf_text(&script), script.len)) {
        close(fd);
        fd = -1;
    }
    buf_free(&script);
    return fd;
}

static bool start(struct child *c, struct minder *m, const char *name, const struct question *q,
                  struct reply *r)
{
    int out[2] = {-1, -1};
    *c = (struct child){.minder = m, .name = name, .out = -1, .script = write_script(q)};
    bool ok = c->script >= 0 && !pipe2(out, O_CLOEXEC) && minder_start(m, c->script, q, out[1]);
    if (!ok)
        reply_unknown(r, "%s cannot be started: %s", name, strerror(errno));
    if (out[1] >= 0)
        close(out[1]);
    c->out = out[0];
    return ok;
}

/* Ends what it is doing, and waits for nothing. */
static void finish(struct child *c)
{
    if (c->out >= 0) {
        minder_stop(c->minder);
        close(c->out);
    }
    if (c->script >= 0)
        close(c->script);
    buf_free(&c->text);
}

/* Takes what there is to read; false when the output has ended or is too much. */
static bool take_output(struct child *c)
{
    char piece[65536];
    ssize_t n = read(c->out, piece, sizeof piece);
    if (n < 0)
        return errno == EINTR || errno == EAGAIN;
    buf_put(&c->text, piece, (size_t)n);
    c->too_much = c->text.len > OUTPUT_MAX;
    return n > 0 && !c->too_much;
}

/* Of the output as a whole. */
static void understand(struct child *c, const struct question *q, struct reply *r)
{
    /* the process has almost certainly ended, too: give it a moment to exit */
    enum { PATIENCE_MS = 100 };
    int code = c->too_much || c->text.len ? 0 : minder_exit_code(c->minder, PATIENCE_MS);
    if (c->too_much)
        reply_unknown(r, "%s wrote more than %d MB", c->name, OUTPUT_MAX >> 20);
    else if (code == MINDER_NO_EXEC)
        reply_unknown(r, "%s cannot be run", c->name);
    else if (code > 128)
        reply_unknown(r, "%s ended by signal %d without an answer", c->name, code - 128);
    else
        reply_parse(r, q, buf_text(&c->text), c->text.len);
}

/* Takes what a child that can be read has to say. True when that is its reply: what it does after an answer,
 * such as giving back its memory, is not waited for. */
static bool hear(struct child *c, const struct question *q, struct reply *r)
{
    *r = (struct reply){.answer = SOLVE_UNKNOWN};
    bool more = take_output(c);
    if (more && !reply_is_complete(q, buf_text(&c->text), c->text.len))
        return false;
    if (more)
        reply_parse(r, q, buf_text(&c->text), c->text.len);
    else
        understand(c, q, r);
    return true;
}

/* Listens until it replies or the time is up. */
static void hear_out(struct child *c, const struct question *q, uint64_t deadline, struct reply *r)
{
    for (;;) {
        uint64_t now = now_ms();
        if (now >= deadline) {
            reply_limit(r, q, WHY_TIME);
            return;
        }
        struct pollfd p = {c->out, POLLIN, 0};
        if (poll(&p, 1, (int)(deadline - now)) > 0 && hear(c, q, r))
            return;
    }
}

void child_ask(struct minder *m, const char *name, const struct question *q, struct reply *r)
{
    struct child c;
    uint64_t deadline = now_ms() + q->timeout_ms;
    *r = (struct reply){.answer = SOLVE_UNKNOWN};
    if (start(&c, m, name, q, r))
        hear_out(&c, q, deadline, r);
    finish(&c);
}

/* ---- two at once ---- */

struct race {
    struct minder *minder;
    const char *name; /* of the rival of Z3 */
    const struct question *q;
    accept_fn *accept;
    void *ctx;
    uint64_t start_at;            /* for the rival */
    bool started, over, accepted; /* is it running, has it said what it has to say, was that accepted? */
    struct child rival;
    struct reply reply; /* of the rival, when it is over */
};

static void race_start(struct race *x)
{
    x->started = true;
    x->over = !start(&x->rival, x->minder, x->name, x->q, &x->reply);
}

static void race_judge(struct race *x)
{
    x->over = true;
    x->accepted = x->reply.answer != SOLVE_UNKNOWN && x->accept(x->ctx, &x->reply);
    if (x->reply.answer != SOLVE_UNKNOWN && !x->accepted)
        reply_unknown(&x->reply, "the model of %s does not satisfy the query", x->name);
}

static bool race_goes_on(void *ctx, int done)
{
    struct race *x = ctx;
    while (!x->accepted) {
        uint64_t now = now_ms();
        if (!x->started && now >= x->start_at)
            race_start(x);
        bool listening = x->started && !x->over;
        struct pollfd p[] = {{done, POLLIN, 0}, {listening ? x->rival.out : -1, POLLIN, 0}};
        if (poll(p, 2, x->started ? -1 : (int)(x->start_at - now)) <= 0)
            continue;
        if (p[0].revents)
            return true;
        if (hear(&x->rival, x->q, &x->reply))
            race_judge(x);
    }
    return false;
}

/* Is it so large that Z3 will not have begun by the time its head start is over? */
static bool is_large(const struct question *q)
{
    enum { LARGE = 10000 };
    struct smt_nodes node = {0};
    smt_reachable(q->graph, q->assertion, q->nassertions, &node);
    bool large = node.len > LARGE;
    vec_free(&node);
    return large;
}

void child_race(struct minder *m, const char *name, struct z3 *z, struct question *q, unsigned head_start_ms,
                accept_fn *accept, void *ctx, struct reply *r)
{
    uint64_t now = now_ms(), deadline = now + q->timeout_ms;
    struct race x = {
        .minder = m, .name = name, .q = q, .accept = accept, .ctx = ctx, .start_at = now + head_start_ms};
    if (is_large(q))
        race_start(&x);
    q->meanwhile = race_goes_on;
    q->meanwhile_ctx = &x;
    z3_ask(z, q, r);
    q->meanwhile = NULL;
    bool won = !x.accepted && r->answer != SOLVE_UNKNOWN && accept(ctx, r);
    if (!won && !x.started)
        race_start(&x);
    if (!won && !x.over) {
        hear_out(&x.rival, q, deadline, &x.reply);
        race_judge(&x);
    }
    if (!won) {
        reply_free(r);
        *r = x.reply;
    } else {
        reply_free(&x.reply);
    }
    if (x.started)
        finish(&x.rival);
}
