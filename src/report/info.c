/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/info.h"

#include "report/facts.h"

static json_t *sections(const struct ask_section *s, size_t n)
{
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

static json_t *member_record(const struct ask_member *m)
{
    json_t *j = m->program ? facts_record(&m->facts) : json_object(), *problems = json_array();
    for (size_t i = 0; i < m->nproblems; i++)
        json_array_append_new(problems,
                              json_pack("{s:o, s:o}", "address", report_address(m->problem[i].address),
                                        "text", report_string(m->problem[i].text)));
    if (m->program) {
        json_object_set_new(j, "entry", m->entry ? report_address(m->entry) : json_null());
        json_object_set_new(j, "soname", report_string(m->soname));
        json_object_set_new(j, "interpreter", report_string(m->interpreter));
        json_object_set_new(j, "debug_file", report_string(m->debug_file));
        json_object_set_new(j, "symbols", json_integer((json_int_t)m->symbols));
        json_object_set_new(j, "stubs", json_integer((json_int_t)m->stubs));
        json_object_set_new(j, "function_bounds", json_integer((json_int_t)m->bounds));
        json_object_set_new(j, "sections", sections(m->section, m->nsections));
        json_object_set(j, "problems", problems);
    }
    json_decref(problems);
    json_object_set_new(j, "path", report_string(m->path));
    if (m->is_member)
        json_object_set_new(j, "size", json_integer((json_int_t)m->size));
    if (m->error)
        json_object_set_new(j, "error", report_string(m->error));
    if (m->is_symlink)
        json_object_set_new(j, "link", report_string(m->link));
    return j;
}

struct report *report_info(const struct ask_info_answer *a)
{
    struct report *r = report_new("info");
    for (size_t i = 0; i < a->member.len; i++)
        report_add(r, "members[]", member_record(&a->member.data[i]));
    if (a->unread) {
        report_add(r, "complete", json_false());
        report_add(r, "reason", json_string("some files could not be read"));
    }
    report_cut(r, &a->end);
    return r;
}
