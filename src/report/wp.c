/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/wp.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/page.h"

/* ---- the document ---- */

static json_t *program_record(const struct ask_facts *f)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "file", report_string(f->file), "sha256",
                     report_string(f->sha256), "build_id", report_string(f->build_id), "architecture",
                     report_string(f->architecture));
}

/* All digits of a register, zeros too: registers are read in columns. */
static json_t *hex_string(struct bits b, unsigned width)
{
    struct buf out = BUF_INIT;
    buf_puts(&out, "0x");
    for (unsigned i = (width + 3) / 4; i-- > 0;)
        buf_putc(&out, "0123456789abcdef"[b.w[i / 16] >> (i % 16 * 4) & 15]);
    json_t *j = json_string(buf_text(&out));
    buf_free(&out);
    return j;
}

static json_t *register_record(const struct wp_register *r)
{
    char name[32];
    size_t i = 0;
    for (; r->name[i] && i + 1 < sizeof name; i++)
        name[i] = (char)(r->name[i] >= 'a' && r->name[i] <= 'z' ? r->name[i] - 32 : r->name[i]);
    name[i] = 0;
    return json_pack("{s:s, s:i, s:o, s:b}", "name", name, "width", (int)r->width, "value",
                     hex_string(r->value, r->width), "matters", r->matters);
}

static json_t *piece_record(const struct wp_piece *k)
{
    struct buf hex = BUF_INIT;
    for (size_t i = 0; i < k->n; i++)
        buf_printf(&hex, "%02x", k->bytes[i]);
    json_t *j = json_pack("{s:o, s:s, s:b}", "address", report_address(k->address), "bytes", buf_text(&hex),
                          "matters", k->matters);
    buf_free(&hex);
    return j;
}

static json_t *code_record(const struct ask_wp_run *x)
{
    json_t *blocks = json_array();
    for (size_t b = 0; b < x->nblocks; b++) {
        bool taken = false;
        for (size_t i = 0; i < x->run.nsteps && !taken; i++)
            taken = x->run.step[i].block == b;
        json_t *lines = json_array();
        for (size_t i = 0; i < x->block[b].nlines; i++)
            json_array_append_new(lines, json_pack("{s:o, s:o}", "address",
                                                   report_address(x->block[b].line[i].address), "text",
                                                   report_string(x->block[b].line[i].text)));
        json_array_append_new(blocks,
                              json_pack("{s:o, s:b, s:o}", "address", report_address(x->block[b].address),
                                        "taken", taken, "code", lines));
    }
    return blocks;
}

static json_t *run_record(const struct ask_wp_run *x, const char *version, bool with_code)
{
    const struct wp_run *run = &x->run;
    json_t *j = json_object();
    if (version)
        json_object_set_new(j, "version", json_string(version));
    json_object_set_new(j, "replayed", json_boolean(run->replayed));
    json_t *list = json_array();
    for (size_t i = 0; i < run->nregs; i++)
        json_array_append_new(list, register_record(&run->reg[i]));
    json_object_set_new(j, "registers", list);
    list = json_array();
    for (size_t i = 0; i < run->nmemory; i++)
        json_array_append_new(list, piece_record(&run->memory[i]));
    json_object_set_new(j, "memory", list);
    list = json_array();
    for (size_t i = 0; i < run->nsteps; i++) {
        json_t *regs = json_array();
        for (size_t k = 0; k < run->step[i].nregs; k++)
            json_array_append_new(regs, register_record(&run->step[i].reg[k]));
        json_array_append_new(
            list, json_pack("{s:o, s:o}", "block", report_address(run->step[i].address), "changed", regs));
    }
    json_object_set_new(j, "path", list);
    list = json_array();
    for (size_t i = 0; i < run->ncalls; i++) {
        const struct wp_call *c = &run->call[i];
        json_t *k = json_pack("{s:o, s:o, s:b}", "name", report_string(c->name), "site",
                              report_address(c->site), "summarised", c->summarised);
        if (c->has_result)
            json_object_set_new(k, "result", report_address(c->result));
        json_array_append_new(list, k);
    }
    json_object_set_new(j, "calls", list);
    json_object_set_new(j, "end", json_string(run->end ? run->end : ""));
    if (with_code && x->has_code)
        json_object_set_new(j, "code", code_record(x));
    return j;
}

/* What names of a file may be in, line by line. */
static json_t *lines_record(const char *text)
{
    json_t *list = json_array();
    while (*text) {
        size_t n = strcspn(text, "\n");
        char *line = xmalloc(n + 1);
        memcpy(line, text, n);
        line[n] = 0;
        json_array_append_new(list, report_string(line));
        free(line);
        text += n + (text[n] == '\n');
    }
    return list;
}

static json_t *stats_record(const struct wp_stats *s)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "goals", (json_int_t)s->goals,
                     "condition_terms", (json_int_t)s->condition, "terms", (json_int_t)s->terms, "blocks",
                     (json_int_t)(s->blocks[0] + s->blocks[1]), "instructions",
                     (json_int_t)(s->instructions[0] + s->instructions[1]), "merges", (json_int_t)s->merges,
                     "ends", (json_int_t)s->paths, "rounds", (json_int_t)s->rounds, "solver_questions",
                     (json_int_t)s->solve.queries, "solver_asked", (json_int_t)s->solve.by_solver);
}

static void add_countermodel(json_t *j, const struct ask_checked *c, bool with_code)
{
    static const char *const version[] = {"original", "modified"};
    json_t *list = json_array();
    for (size_t i = 0; i < c->ngoals; i++) {
        json_t *k = json_pack("{s:o}", "tag", report_string(c->goal[i].tag));
        if (c->goal[i].values)
            json_object_set_new(k, "values", report_string(c->goal[i].values));
        if (c->goal[i].site != ASK_NO_PLACE)
            json_object_set_new(k, "address", report_address(c->goal[i].site));
        if (c->nruns == 2)
            json_object_set_new(k, "version", json_string(version[c->goal[i].side]));
        json_array_append_new(list, k);
    }
    json_object_set_new(j, "refuted", list);
    list = json_array();
    for (size_t i = 0; i < c->nruns; i++)
        json_array_append_new(list, run_record(&c->run[i], c->nruns == 2 ? version[i & 1] : NULL, with_code));
    json_object_set_new(j, "runs", list);
}

static json_t *checked_record(const struct ask_checked *c, const struct report_wp *how)
{
    static const char *const word[] = {[ASK_WP_UNSAT] = "unsat",
                                       [ASK_WP_SAT] = "sat",
                                       [ASK_WP_UNKNOWN] = "unknown",
                                       [ASK_WP_TIMEOUT] = "timeout",
                                       [ASK_WP_ABSENT] = "absent"};
    json_t *j = json_pack("{s:o, s:s}", "function", report_string(c->function), "verdict", word[c->verdict]);
    if (c->reason)
        json_object_set_new(j, "reason", report_string(c->reason));
    if (!c->checked)
        return j;
    json_object_set_new(j, "address", report_address(c->address));
    json_object_set_new(j, "unrolled", json_integer(c->unrolled));
    json_object_set_new(j, "bounded", json_boolean(c->bounded));
    if (c->spurious)
        json_object_set_new(j, "spurious", json_true());
    if (c->has_ir) {
        json_t *list = json_array();
        for (size_t i = 0; i < c->nir; i++) /* its lines are our own */
            json_array_append_new(list, json_string(c->ir[i]));
        json_object_set_new(j, "ir", list);
    }
    if (c->smtlib)
        json_object_set_new(j, "smtlib", json_string(c->smtlib));
    if (c->internal)
        json_object_set_new(j, "internal", lines_record(c->internal));
    if (ask_checked_refuted(c))
        add_countermodel(j, c, how->page);
    json_object_set_new(j, "rests_on", report_strings(c->note, c->nnotes));
    json_object_set_new(j, "show_paths", json_boolean(how->paths));
    if (how->stats)
        json_object_set_new(j, "stats", stats_record(&c->stats));
    return j;
}

struct report *report_wp(const struct ask_wp_answer *a, const struct report_wp *how)
{
    struct report *r = report_new("wp");
    json_t *input = json_object();
    json_object_set_new(input, a->nprograms == 2 ? "original" : "program", program_record(&a->facts[0]));
    if (a->nprograms == 2)
        json_object_set_new(input, "modified", program_record(&a->facts[1]));
    report_add(r, "input", input);
    if (how->page)
        report_add(r, "page", json_true());
    if (!a->q->function)
        report_add(r, "several", json_true());
    for (size_t i = 0; i < a->checked.len; i++)
        report_add(r, "checked[]", checked_record(&a->checked.data[i], how));
    report_cut(r, &a->end);
    return r;
}

/* ---- for people ---- */

void report_wp_stats_text(const struct ask_wp_answer *a, struct buf *out)
{
    const char *key;
    json_t *value, *stats;
    if (a->checked.len != 1 || !a->checked.data[0].checked)
        return;
    stats = stats_record(&a->checked.data[0].stats);
    json_object_foreach(stats, key, value)
        buf_printf(out, "%s %lld\n", key, (long long)json_integer_value(value));
    json_decref(stats);
}

/* Times are not part of the document, which is the same on every run. */
void report_wp_times_text(const struct ask_wp_answer *a, struct buf *out)
{
    for (size_t i = 0; i < a->checked.len; i++) {
        const struct ask_checked *c = &a->checked.data[i];
        if (c->checked)
            buf_printf(out, "%s: condition of %zu terms built in %" PRIu64 " ms, decided in %" PRIu64 " ms\n",
                       c->function, c->stats.condition, c->stats.build_ms, c->stats.solve_ms);
    }
}
