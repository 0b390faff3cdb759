/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/ask.h"

#include <inttypes.h>
#include <sys/stat.h>

bool ask_put(ask_fn *ask, ask_hear_fn *hear, void *ctx, const struct ask_limits *limits, uint64_t timeout,
             unsigned grace, const struct ask_session *session, struct ask_end *end, struct error *err)
{
    struct ask_run r = {
        .ask = ask,
        .hear = hear,
        .ctx = ctx,
        .limits = {.timeout_ms = (unsigned)timeout, .grace_ms = grace, .memory_bytes = limits->memory},
        .progress = session ? session->progress : NULL,
        .progress_ctx = session ? session->progress_ctx : NULL,
        .cancel = session ? session->cancel : NULL,
    };
    if (!limits->here)
        return ask_in_worker(&r, end, err);
    *end = (struct ask_end){.outcome = WORK_DONE};
    if (!ask_here(ask, hear, ctx, &end->err))
        end->outcome = WORK_FAILED;
    return true;
}

enum verify_verdict ask_worst(enum verify_verdict a, enum verify_verdict b)
{
    return a == VERIFY_UNSAFE || b == VERIFY_UNSAFE     ? VERIFY_UNSAFE
           : a == VERIFY_UNKNOWN || b == VERIFY_UNKNOWN ? VERIFY_UNKNOWN
           : a == VERIFY_BOUNDED || b == VERIFY_BOUNDED ? VERIFY_BOUNDED
                                                        : VERIFY_SAFE;
}

enum ask_status ask_worst_status(enum ask_status a, enum ask_status b)
{
    return a == ASK_NO || b == ASK_NO ? ASK_NO : a == ASK_YES ? b : a;
}

enum ask_status ask_verdict_status(enum verify_verdict v)
{
    return v == VERIFY_SAFE ? ASK_YES : v == VERIFY_UNSAFE ? ASK_NO : ASK_UNKNOWN;
}

const char *ask_dump_dir(const char *dir, uint64_t address, struct arena *arena)
{
    const char *own = arena_printf(arena, "%s/0x%" PRIx64, dir, address);
    mkdir(own, 0777);
    return own;
}
