/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/pair.h"

static json_t *file_record(const struct ask_pair *p, const struct ask_file *f, bool there)
{
    if (p->lost)
        return json_pack("{s:o}", "path", report_string(f->path));
    if (!there)
        return json_null();
    json_t *j = json_object();
    json_object_set_new(j, "path", report_string(f->path));
    json_object_set_new(j, "sha256", report_string(f->sha256));
    json_object_set_new(j, "size", json_integer((json_int_t)f->size));
    if (p->opened)
        json_object_set_new(j, "build_id", report_string(f->build_id));
    return j;
}

json_t *pair_record(const struct ask_pair *p)
{
    json_t *j = json_object();
    json_object_set_new(j, "old", file_record(p, &p->old, p->has_old));
    json_object_set_new(j, "new", file_record(p, &p->new, p->has_new));
    if (!p->lost)
        json_object_set_new(j, "renamed", json_boolean(p->renamed));
    if (p->error)
        json_object_set_new(j, "error", report_string(p->error));
    return j;
}

json_t *pair_place(const struct ask_place *p)
{
    json_t *j = json_object();
    json_object_set_new(j, "name", report_string(p->name));
    json_object_set_new(j, "address", report_address(p->address));
    json_object_set_new(j, "size", json_integer((json_int_t)p->size));
    return j;
}

json_t *pair_places(const struct ask_place *p, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, pair_place(&p[i]));
    return list;
}

json_t *pair_data(const struct ask_datum *d, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "name", report_string(d[i].name));
        json_object_set_new(j, "old", report_address(d[i].old));
        json_object_set_new(j, "new", report_address(d[i].new));
        json_object_set_new(j, "writable", json_boolean(d[i].writable));
        json_object_set_new(j, "old_content", report_string(d[i].old_content));
        json_object_set_new(j, "new_content", report_string(d[i].new_content));
        if (d[i].old_size != d[i].new_size) {
            json_object_set_new(j, "old_size", json_integer((json_int_t)d[i].old_size));
            json_object_set_new(j, "new_size", json_integer((json_int_t)d[i].new_size));
        }
        json_array_append_new(list, j);
    }
    return list;
}

json_t *pair_outside(const struct match_outside *x, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *j = json_object();
        json_object_set_new(j, "kind", report_string(x[i].kind));
        json_object_set_new(j, "text", report_string(x[i].text));
        json_object_set_new(j, "old", report_string(x[i].old));
        json_object_set_new(j, "new", report_string(x[i].new));
        json_object_set_new(j, "matters", json_boolean(x[i].matters));
        json_array_append_new(list, j);
    }
    return list;
}
