/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about files: what every report says about its input, and the report of `assay info`. */
#include "report/report.h"

#include <string.h>

#include "base/vec.h"

static const char *type_name(enum object_type t)
{
    switch (t) {
    case OBJECT_EXECUTABLE:
        return "executable";
    case OBJECT_PIE:
        return "position-independent executable";
    case OBJECT_SHARED:
        return "shared object";
    case OBJECT_RELOCATABLE:
        return "relocatable object";
    }
    return "?";
}

static json_t *facts(const struct object_info *i, const char *file)
{
    json_t *j = json_object();
    json_object_set_new(j, "file", report_string(file));
    json_object_set_new(j, "sha256", json_string(i->sha256));
    json_object_set_new(j, "build_id", report_string(i->build_id));
    json_object_set_new(j, "architecture", report_string(i->arch_name));
    json_object_set_new(j, "supported", json_boolean(i->arch != MACHINE_NONE));
    json_object_set_new(j, "bits", json_integer(i->bits));
    json_object_set_new(j, "big_endian", json_boolean(i->big_endian));
    json_object_set_new(j, "type", json_string(type_name(i->type)));
    json_object_set_new(j, "stripped", json_boolean(i->stripped));
    json_object_set_new(j, "static", json_boolean(i->is_static));
    return j;
}

void report_input(struct program *p, struct report_sink sink)
{
    const struct object_info *i = object_info(program_object(p));
    sink.put(sink.ctx, "input", facts(i, i->name));
}

static json_t *sections(const struct object *o)
{
    const struct object_section *s;
    size_t n = object_sections(o, &s);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "name", report_string(s[i].name));
        json_object_set_new(j, "address", report_address(s[i].address));
        json_object_set_new(j, "size", json_integer((json_int_t)s[i].size));
        char flags[8], *f = flags;
        if (s[i].alloc)
            *f++ = 'a';
        if (s[i].write)
            *f++ = s[i].relro ? 'r' : 'w';
        if (s[i].exec)
            *f++ = 'x';
        if (s[i].nobits)
            *f++ = 'z';
        if (s[i].tls)
            *f++ = 't';
        *f = 0;
        json_object_set_new(j, "flags", json_string(flags));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *problems(const struct object *o)
{
    const struct object_problem *p;
    size_t n = object_problems(o, &p);
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "address", report_address(p[i].address));
        json_object_set_new(j, "text", report_string(p[i].text));
        json_array_append_new(list, j);
    }
    return list;
}

static json_t *all_facts(const struct object *o, const char *file)
{
    const struct object_info *i = object_info(o);
    json_t *j = facts(i, file);
    json_object_set_new(j, "entry", i->entry ? report_address(i->entry) : json_null());
    json_object_set_new(j, "soname", report_string(i->soname));
    json_object_set_new(j, "interpreter", report_string(i->interp));
    json_object_set_new(j, "debug_file", report_string(i->debug_file));
    const struct object_symbol *sym;
    const struct object_stub *stub;
    const struct object_bound *bound;
    json_object_set_new(j, "symbols", json_integer((json_int_t)object_symbols(o, &sym)));
    json_object_set_new(j, "stubs", json_integer((json_int_t)object_stubs(o, &stub)));
    json_object_set_new(j, "function_bounds", json_integer((json_int_t)object_bounds(o, &bound)));
    json_object_set_new(j, "sections", sections(o));
    json_object_set_new(j, "problems", problems(o));
    return j;
}

struct info_walk {
    const char *path;
    const struct object_options *opt;
    struct report_sink sink;
    size_t members, programs, unread;
    struct error first; /* of the first member that could not be read */
};

static bool info_member(void *ctx, const struct object_member *m)
{
    struct info_walk *w = ctx;
    bool plain = m->path[0] == 0;
    w->members++;
    if (w->sink.progress)
        w->sink.progress(w->sink.ctx, "members", w->members, 0);
    json_t *j;
    if (m->error) {
        w->unread++;
        if (!w->first.kind)
            error_set(&w->first, ERROR_INPUT, "%s", m->error);
        j = json_object();
        json_object_set_new(j, "error", report_string(m->error));
    } else if (m->is_elf) {
        struct buf name = BUF_INIT;
        buf_puts(&name, w->path);
        if (!plain)
            buf_printf(&name, ":%s", m->path);
        struct error err = {0};
        struct object *o = object_open_memory(buf_text(&name), m->data, m->size, w->opt, &err);
        if (o) {
            w->programs++;
            j = all_facts(o, buf_text(&name));
            object_free(o);
        } else {
            if (!w->first.kind)
                w->first = err;
            j = json_object();
            json_object_set_new(j, "error", report_string(err.text));
        }
        buf_free(&name);
    } else {
        j = json_object();
    }
    json_object_set_new(j, "path", report_string(m->path));
    json_object_set_new(j, "size", json_integer((json_int_t)m->size));
    if (m->is_symlink)
        json_object_set_new(j, "link", report_string(m->link));
    return w->sink.put(w->sink.ctx, "members[]", j);
}

bool report_info(const char *path, const struct object_options *opt, struct report_sink sink,
                 struct error *err)
{
    struct info_walk w = {.path = path, .opt = opt, .sink = sink};
    struct error walk_err = {0};
    if (!container_walk(path, info_member, &w, &walk_err)) {
        /* "container:member" is not a container: it is one program in one. */
        struct object *o = object_open(path, opt, err);
        if (!o) {
            if (err && walk_err.kind)
                *err = walk_err;
            return false;
        }
        json_t *j = all_facts(o, path);
        json_object_set_new(j, "path", json_string(""));
        object_free(o);
        sink.put(sink.ctx, "members[]", j);
        return true;
    }
    if (w.programs && w.unread) {
        sink.put(sink.ctx, "complete", json_false());
        sink.put(sink.ctx, "reason", json_string("not every file could be read"));
    }
    if (w.programs)
        return true;
    if (w.first.kind) {
        if (err)
            *err = w.first;
        return false;
    }
    return error_set(
        err, ERROR_INPUT,
        "%s: no program in it (an ELF file, or a package, archive or directory that holds one, is needed)",
        path);
}
