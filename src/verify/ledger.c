/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/ledger.h"

#include <assert.h>
#include <stdarg.h>
#include <string.h>

#include "base/buf.h"

enum { BY_NONE, BY_ASSUME, BY_AXIOM, BY_HEURISTICS };

static const struct {
    const char *name, *text;
    uint8_t by;
} table[] = {
#define X(row, name, by, text) [LEDGER_##row] = {name, text, BY_##by},
#include "verify/ledger.def"
#undef X
};

void ledger_count(struct ledger *l, enum ledger_row row, uint64_t n)
{
    assert(row < LEDGER_ROWS && !strchr(table[row].text, '%'));
    l->count[row] += n;
}

void ledger_say(struct ledger *l, struct arena *arena, enum ledger_row row, ...)
{
    assert(row < LEDGER_ROWS);
    struct buf b = BUF_INIT;
    va_list ap;
    va_start(ap, row);
    buf_vprintf(&b, table[row].text, ap);
    va_end(ap);
    vec_push(&l->said, (struct ledger_entry){row, arena_strdup(arena, buf_text(&b))});
    buf_free(&b);
}

static const char *denied_by(struct arena *arena, enum ledger_row row)
{
    if (table[row].by == BY_NONE)
        return NULL;
    if (table[row].by == BY_HEURISTICS)
        return "--heuristics without it";
    return arena_printf(arena, table[row].by == BY_AXIOM ? "--no-axiom %s" : "--assume without %s",
                        table[row].name);
}

const struct verify_assumption *ledger_list(const struct ledger *l, struct arena *arena, size_t *n)
{
    VEC(struct verify_assumption) all = VEC_INIT;
    for (unsigned row = 0; row < LEDGER_ROWS; row++) {
        struct verify_assumption a = {.name = table[row].name, .denied_by = denied_by(arena, row)};
        for (size_t i = 0; i < l->said.len; i++)
            if (l->said.data[i].row == row) {
                a.text = l->said.data[i].text;
                a.count = 1;
                vec_push(&all, a);
            }
        if (l->count[row]) {
            a.text = table[row].text;
            a.count = l->count[row];
            vec_push(&all, a);
        }
    }
    const struct verify_assumption *out = arena_dup(arena, all.data, all.len * sizeof *all.data);
    *n = all.len;
    vec_free(&all);
    return out;
}

void ledger_free(struct ledger *l)
{
    vec_free(&l->said);
}
