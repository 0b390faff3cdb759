/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/reason.h"

#include <assert.h>
#include <stdarg.h>

#include "base/buf.h"

static const struct {
    const char *text;
    enum verify_remedy remedy;
} row[] = {
    [VERIFY_REASON_NONE] = {NULL, VERIFY_NOTHING_KNOWN},
#define X(code, text, remedy) [VERIFY_REASON_##code] = {text, VERIFY_##remedy},
#include "verify/reasons.def"
#undef X
};

struct verify_reason reason_of(struct arena *arena, enum verify_reason_code code, ...)
{
    assert(code < VERIFY_REASONS);
    struct verify_reason out = {.code = code, .remedy = row[code].remedy};
    if (code == VERIFY_REASON_NONE)
        return out;
    struct buf b = BUF_INIT;
    va_list ap;
    va_start(ap, code);
    buf_vprintf(&b, row[code].text, ap);
    va_end(ap);
    out.text = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}

const char *verify_remedy_text(enum verify_remedy remedy)
{
    switch (remedy) {
    case VERIFY_MORE_TIME:
        return "raise --timeout";
    case VERIFY_MORE_BUDGET:
        return "raise --budget: what the run had was used up before it was asked with the whole --timeout";
    case VERIFY_MORE_MEMORY:
        return "raise --memory";
    case VERIFY_MORE_SOLVING:
        return "raise --query-timeout, and --timeout with it";
    case VERIFY_OTHER_STRATEGY:
        return "use --strategy=converge, which needs no bound";
    case VERIFY_PROTOTYPE:
        return "provide the library that defines these callees (--libraries DIR), or debug information, or "
               "their "
               "numbers of arguments in the configuration (--write-config lists the callees)";
    case VERIFY_ARGUMENT_WIDTH:
        return "provide the library that defines the callee (--libraries DIR), or debug information, which "
               "states "
               "the widths of arguments";
    case VERIFY_NAMES:
        return "name the function in both versions (\"names\" in the configuration)";
    case VERIFY_RETURNS:
        return "state in the configuration whether the function returns a value (\"returns\" of its "
               "prototype), or "
               "provide debug information";
    case VERIFY_RESULT_WIDTH:
        return "provide debug information, which states the width of the result";
    case VERIFY_ZERO_FAILS:
        return "if it means an error, add it to \"invalid_values\" in the configuration; if not, drop B from "
               "--heuristics; debug information decides it, too";
    case VERIFY_HEURISTICS:
        return "check the exits (--func lists them); drop wrong heuristics from --heuristics, or name the "
               "error "
               "exits in the configuration";
    case VERIFY_NOTHING_KNOWN:
    case VERIFY_REMEDIES:
        break;
    }
    return NULL;
}
