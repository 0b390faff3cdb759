/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/compare.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Symbols and unwind tables, and calls, usually tell all functions; searching the code takes much longer and is for the
 * rest. What fills up to the beginning of the next function hides none. */
static bool tables_suffice(struct program *p)
{
    const struct object_section *s;
    const struct flow_function *f;
    size_t ns = object_sections(program_object(p), &s), nf = program_functions(p, &f);
    uint64_t all = 0, covered = 0;
    for (size_t i = 0; i < ns; i++)
        if (s[i].exec && s[i].alloc && strncmp(s[i].name, ".plt", 4) != 0)
            all += s[i].size;
    enum { ALIGNMENT = 16 };
    for (size_t i = 0; i < nf; i++) {
        if (f[i].flags & (FLOW_PLT | FLOW_EXTERN))
            continue;
        covered += f[i].size;
        uint64_t end = f[i].address + f[i].size, filled = (end + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (f[i].size && i + 1 < nf && f[i + 1].address == filled)
            covered += filled - end;
    }
    return covered >= all / 10 * 9;
}

const char *compare_colon(const char *spec)
{
    const char *colon = strchr(spec, ':');
    while (colon && colon[1] == ':') /* a name of C++ or Rust */
        colon = strchr(colon + 2, ':');
    return colon;
}

/* The addresses among what the user wants to see: NAME, 0xADDRESS, or both with a colon between them. */
static size_t addresses(int side, const char *const *function, size_t n, uint64_t *out)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        const char *colon = compare_colon(function[i]), *one = side && colon ? colon + 1 : function[i];
        char *end;
        uint64_t address = one[0] == '0' && (one[1] == 'x' || one[1] == 'X') ? strtoull(one, &end, 16) : 0;
        if (address && (*end == '\0' || *end == ':'))
            out[found++] = address;
    }
    return found;
}

static struct program *open_program(const char *container, const struct match_file *f,
                                    const struct object_options *opt, const uint64_t *entry, size_t nentries,
                                    struct error *err)
{
    struct buf name = BUF_INIT;
    buf_printf(&name, f->path[0] ? "%s:%s" : "%s", container, f->path);
    struct object *o = object_open_memory(buf_text(&name), f->data, f->size, opt, err);
    struct program *p = o ? program_from_object(
                                o,
                                &(struct program_options){.object = *opt, .entry = entry, .nentries = nentries},
                                err)
                          : NULL;
    if (p && !tables_suffice(p))
        program_search(p, NULL, NULL);
    else if (p)
        match_find_called(p);
    buf_free(&name);
    return p;
}

bool compare_open(struct compared *c, const struct match_file_pair *pair, const struct compare_options *opt,
                  struct report_sink sink, struct error *err)
{
    *c = (struct compared){0};
    uint64_t *entry = xcalloc(opt->nfunctions + opt->nnames + 1, sizeof *entry);
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        size_t n = addresses(side, opt->function, opt->nfunctions, entry);
        for (size_t i = 0; i < opt->nnames; i++)
            if (opt->name[i].new == (side == 1))
                entry[n++] = opt->name[i].address;
        c->p[side] = open_program(side ? opt->new : opt->old, side ? pair->new : pair->old, opt->object, entry, n, err);
        ok = c->p[side] != NULL;
        for (size_t i = 0; ok && i < opt->nnames; i++)
            if (opt->name[i].new == (side == 1))
                program_name(c->p[side], opt->name[i].address, opt->name[i].name);
    }
    free(entry);
    if (!ok || !(c->m = match_programs(c->p[0], c->p[1],
                                       &(struct match_options){.progress = sink.progress, .ctx = sink.ctx}, err))) {
        compare_close(c);
        return false;
    }
    for (int side = 0; side < 2; side++) {
        c->n[side] = program_functions(c->p[side], &c->f[side]);
        sink.put(sink.ctx, side ? "files.new.build_id" : "files.old.build_id",
                 report_string(object_info(program_object(c->p[side]))->build_id));
    }
    return true;
}

void compare_close(struct compared *c)
{
    if (c->m)
        match_free(c->m);
    for (int side = 0; side < 2; side++)
        if (c->p[side])
            program_free(c->p[side]);
    *c = (struct compared){0};
}

json_t *compare_file(const struct match_file *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "path", report_string(f->path));
    json_object_set_new(j, "sha256", json_string(f->sha256));
    json_object_set_new(j, "size", json_integer((json_int_t)f->size));
    return j;
}

json_t *compare_place(const struct flow_function *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(f->name));
    json_object_set_new(j, "address", report_address(f->address));
    json_object_set_new(j, "size", json_integer((json_int_t)f->size));
    return j;
}

json_t *compare_described(struct program *p, uint64_t address)
{
    char text[512];
    struct buf b = BUF_INIT;
    size_t len;
    const char *string = object_string(program_object(p), address, &len);
    if (string && len) {
        buf_printf(&b, "\"%.*s\"%s", len > 60 ? 60 : (int)len, string, len > 60 ? "..." : "");
    } else if (program_describe(p, address, text, sizeof text)) {
        buf_puts(&b, text);
    } else {
        buf_printf(&b, "0x%" PRIx64, address);
    }
    json_t *j = report_string(buf_text(&b));
    buf_free(&b);
    return j;
}

size_t compare_put_outside(const struct compared *c, bool reasons, struct report_sink sink)
{
    const struct match_outside *x;
    size_t n = match_outside(c->m, &x), matter = 0;
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "kind", json_string(x[i].kind));
        json_object_set_new(j, "text", report_string(x[i].text));
        json_object_set_new(j, "old", report_string(x[i].old));
        json_object_set_new(j, "new", report_string(x[i].new));
        json_object_set_new(j, "matters", json_boolean(x[i].matters));
        sink.put(sink.ctx, "files.outside[]", j);
        if (reasons && x[i].matters)
            sink.put(sink.ctx, "files.reasons[]", report_string(x[i].text));
        matter += x[i].matters;
    }
    return matter;
}

size_t compare_put_data(const struct compared *c, struct report_sink sink)
{
    const struct match_datum *d;
    size_t n = match_data_changes(c->m, &d);
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "name", report_string(d[i].name));
        json_object_set_new(j, "old", report_address(d[i].old));
        json_object_set_new(j, "new", report_address(d[i].new));
        json_object_set_new(j, "writable", json_boolean(d[i].writable));
        json_object_set_new(j, "old_content", compare_described(c->p[0], d[i].old));
        json_object_set_new(j, "new_content", compare_described(c->p[1], d[i].new));
        if (d[i].old_size != d[i].new_size) {
            json_object_set_new(j, "old_size", json_integer((json_int_t)d[i].old_size));
            json_object_set_new(j, "new_size", json_integer((json_int_t)d[i].new_size));
        }
        sink.put(sink.ctx, "files.data[]", j);
    }
    return n;
}

/* "call 0x1234": what ends it is surely an address. */
static bool is_branch(const char *text)
{
    static const char *const begin[] = {"j", "call", "loop", "b", "cb", "tb"};
    for (size_t i = 0; i < sizeof begin / sizeof *begin; i++)
        if (strncmp(text, begin[i], strlen(begin[i])) == 0)
            return true;
    return false;
}

void compare_name_target(struct program *p, char *text, size_t cap)
{
    const char *hex = strrchr(text, ' ');
    hex = hex ? strstr(hex, "0x") : NULL;
    char *end;
    uint64_t address = hex ? strtoull(hex, &end, 16) : 0;
    enum { SMALL = 0x10000 }; /* such numbers are more often just that */
    if (!hex || *end || (address < SMALL && !is_branch(text)))
        return;
    const struct object_stub *stub = object_stub_at(program_object(p), address);
    const struct flow_function *f = program_function_at(p, address);
    const char *name = stub ? stub->name : f ? f->name : NULL;
    size_t n = strlen(text);
    if (name && n + strlen(name) + 4 < cap)
        snprintf(text + n, cap - n, " <%s>", name);
}
