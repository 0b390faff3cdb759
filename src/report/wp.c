/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/wp.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/code.h"

/* ---- records ---- */

static json_t *program_record(struct program *p)
{
    const struct object_info *i = object_info(program_object(p));
    return json_pack("{s:o, s:s, s:o, s:o}", "file", report_string(i->name), "sha256", i->sha256, "build_id",
                     report_string(i->build_id), "architecture", report_string(i->arch_name));
}

void report_wp_input(struct program *orig, struct program *mod, struct report_sink sink)
{
    json_t *j = json_object();
    json_object_set_new(j, mod ? "original" : "program", program_record(orig));
    if (mod)
        json_object_set_new(j, "modified", program_record(mod));
    sink.put(sink.ctx, "input", j);
}

static json_t *hex_string(struct bits b, unsigned width, bool padded)
{
    struct buf out = BUF_INIT;
    bool any = padded;
    buf_puts(&out, "0x");
    for (unsigned i = (width + 3) / 4; i-- > 0;) {
        unsigned digit = (unsigned)(b.w[i / 16] >> (i % 16 * 4) & 15);
        any = any || digit || i == 0;
        if (any)
            buf_putc(&out, "0123456789abcdef"[digit]);
    }
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
                     hex_string(r->value, r->width, true), "matters", r->matters);
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

static json_t *code_record(struct program *p, const struct flow_graph *g, const struct wp_run *run)
{
    json_t *blocks = json_array();
    for (uint32_t b = 0; b < g->nblocks; b++) {
        bool taken = false;
        for (size_t i = 0; i < run->nsteps && !taken; i++)
            taken = run->step[i].block == b;
        json_t *lines = json_array();
        for (uint32_t i = 0; i < g->block[b].nmark; i++) {
            const struct ir_mark *m = &g->block[b].mark[i];
            char text[CODE_TEXT];
            json_array_append_new(
                lines, json_pack("{s:o, s:o}", "address", report_address(m->address), "text",
                                 report_string(code_text(p, &g->block[b], m, text))));
        }
        json_array_append_new(blocks,
                              json_pack("{s:o, s:b, s:o}", "address", report_address(g->block[b].label),
                                        "taken", taken, "code", lines));
    }
    return blocks;
}

static json_t *run_record(struct program *p, const struct wp_run *run, const char *version, bool with_code)
{
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
        for (unsigned k = 0; k < run->step[i].nregs; k++)
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
    if (with_code && run->graph)
        json_object_set_new(j, "code", code_record(p, run->graph, run));
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

static const char *const verdict_word[] = {[WP_UNSAT] = "unsat", [WP_SAT] = "sat", [WP_UNKNOWN] = "unknown"};

static json_t *ir_text(struct program *p, const struct flow_function *f)
{
    const struct flow_graph *g = flow_graph(p, f);
    struct ir_pures pures = lift_pures();
    struct buf text = BUF_INIT;
    for (uint32_t b = 0; b < g->nblocks; b++)
        ir_print_block(&text, &g->block[b], program_machine(p), &pures);
    json_t *j = json_string(buf_text(&text));
    buf_free(&text);
    return j;
}

static json_t *stats_record(const struct wp_result *r)
{
    const struct wp_stats *s = &r->stats;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "goals", (json_int_t)s->goals,
                     "condition_terms", (json_int_t)s->condition, "terms", (json_int_t)s->terms, "blocks",
                     (json_int_t)(s->blocks[0] + s->blocks[1]), "instructions",
                     (json_int_t)(s->instructions[0] + s->instructions[1]), "merges", (json_int_t)s->merges,
                     "ends", (json_int_t)s->paths, "rounds", (json_int_t)s->rounds, "solver_questions",
                     (json_int_t)s->solve.queries, "solver_asked", (json_int_t)s->solve.by_solver);
}

/* ---- files ---- */

static bool write_file(const char *path, const struct buf *text, struct error *err)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(buf_text(text), 1, text->len, f) == text->len;
    int e = errno;
    if (f && fclose(f) != 0)
        ok = false;
    return ok || error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(e));
}

/* NAME for one program; NAME with the version in front of its ending for two. */
static bool write_version(const char *name, unsigned side, unsigned n, const struct buf *text,
                          struct error *err)
{
    char path[4096];
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    if (!dot || (slash && dot < slash))
        dot = name + strlen(name);
    if (n == 1 || side == 0)
        snprintf(path, sizeof path, "%s", name);
    else
        snprintf(path, sizeof path, "%.*s_mod%s", (int)(dot - name), name, dot);
    return write_file(path, text, err);
}

static bool write_files(struct program *const p[2], const struct flow_function *const f[2],
                        const struct wp_result *r, const struct report_wp *opt, struct error *err)
{
    static const char *const suffix[] = {"orig", "mod"}, *const version[] = {"old", "new"};
    bool ok = true;
    struct buf text = BUF_INIT;
    for (unsigned i = 0; i < r->nruns && ok; i++) {
        if (opt->gdb) {
            buf_clear(&text);
            wp_write_gdb(&text, p[i], f[i], &r->run[i]);
            ok = write_version(opt->gdb, i, r->nruns, &text, err);
        }
        if (ok && opt->bildb) {
            buf_clear(&text);
            wp_write_bildb(&text, &r->run[i]);
            ok = write_version(opt->bildb, i, r->nruns, &text, err);
        }
        if (ok && opt->debug) {
            buf_clear(&text);
            wp_write_debug(&text, p[i], f[i], &r->run[i], r->nruns == 2 ? version[i] : NULL);
            ok = write_version(opt->debug, i, r->nruns, &text, err);
        }
        if (ok && opt->show & WP_SHOW_PATHS) {
            char path[300], title[300];
            size_t n = 0;
            for (const char *c = f[0]->name; *c && n < 200; c++) /* it becomes a file's name */
                path[n++] = strchr("/ \\\"'<>|&;$`", *c) || (unsigned char)*c < 32 ? '_' : *c;
            snprintf(path + n, sizeof path - n, "_%s.dot", suffix[i]);
            snprintf(title, sizeof title, "%s%s", f[i]->name,
                     r->nruns == 1 ? ""
                     : i           ? " (modified)"
                                   : " (original)");
            buf_clear(&text);
            report_wp_dot(p[i], f[i], &r->run[i], title, &text);
            ok = write_file(path, &text, err);
        }
    }
    buf_free(&text);
    return ok;
}

/* ---- the question ---- */

bool report_wp_function(struct program *orig, const struct flow_function *f, struct program *mod,
                        const struct flow_function *g, struct match *match, const struct report_wp *opt,
                        struct report_sink sink, struct error *err)
{
    static const char *const version[] = {"original", "modified"};
    struct program *p[] = {orig, mod};
    const struct flow_function *fn[] = {f, g};
    struct wp_result r;
    struct wp_options how = opt->how;
    how.want_smtlib = opt->show & WP_SHOW_SMTLIB;
    how.want_internal = opt->show & WP_SHOW_INTERNAL;
    bool ok = wp_check(orig, f, mod, g, match, &how, &r, err);
    if (ok && r.nruns && (r.verdict == WP_SAT || r.spurious))
        ok = write_files(p, fn, &r, opt, err);
    if (!ok) {
        wp_result_free(&r);
        return false;
    }
    json_t *j = json_pack("{s:o, s:o, s:s, s:i, s:b}", "function", report_string(f->name), "address",
                          report_address(f->address), "verdict", verdict_word[r.verdict], "unrolled",
                          (int)r.unrolled, "bounded", r.bounded);
    if (r.reason)
        json_object_set_new(j, "reason", report_string(r.reason));
    if (r.spurious)
        json_object_set_new(j, "spurious", json_true());
    if (opt->show & WP_SHOW_IR) {
        json_t *list = json_array();
        for (unsigned i = 0; i < 2 && p[i]; i++)
            json_array_append_new(list, ir_text(p[i], fn[i]));
        json_object_set_new(j, "ir", list);
    }
    if (r.smtlib)
        json_object_set_new(j, "smtlib", json_string(r.smtlib));
    if (r.internal)
        json_object_set_new(j, "internal", lines_record(r.internal));
    if (r.verdict == WP_SAT || r.spurious) {
        json_t *list = json_array();
        for (size_t i = 0; i < r.ngoals; i++) {
            json_t *k = json_pack("{s:o}", "tag", report_string(r.goal[i].tag));
            if (r.goal[i].values)
                json_object_set_new(k, "values", report_string(r.goal[i].values));
            if (r.goal[i].site)
                json_object_set_new(k, "address", report_address(r.goal[i].site));
            if (r.nruns == 2)
                json_object_set_new(k, "version", json_string(version[r.goal[i].side]));
            json_array_append_new(list, k);
        }
        json_object_set_new(j, "refuted", list);
        list = json_array();
        for (unsigned i = 0; i < r.nruns; i++)
            json_array_append_new(list,
                                  run_record(p[i], &r.run[i], r.nruns == 2 ? version[i] : NULL, opt->page));
        json_object_set_new(j, "runs", list);
    }
    json_t *notes = json_array();
    for (size_t i = 0; i < r.nnotes; i++)
        json_array_append_new(notes, report_string(r.note[i]));
    json_object_set_new(j, "rests_on", notes);
    json_object_set_new(j, "show_paths", json_boolean(opt->show & WP_SHOW_PATHS));
    if (opt->stats)
        json_object_set_new(j, "stats", stats_record(&r));
    if (opt->show &
        WP_SHOW_DIAGNOSTICS) /* times are not part of the document, which is the same on every run */
        fprintf(stderr, "%s: condition of %zu terms built in %" PRIu64 " ms, decided in %" PRIu64 " ms\n",
                f->name, r.stats.condition, r.stats.build_ms, r.stats.solve_ms);
    sink.put(sink.ctx, "checked[]", j);
    wp_result_free(&r);
    return true;
}

void report_wp_failed(const char *function, const char *verdict, const char *reason, struct report_sink sink)
{
    sink.put(sink.ctx, "checked[]",
             json_pack("{s:o, s:s, s:o}", "function", report_string(function), "verdict", verdict, "reason",
                       report_string(reason)));
}
