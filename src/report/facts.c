/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/facts.h"

static const char *type_name(unsigned t)
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

json_t *facts_record(const struct ask_facts *f)
{
    json_t *j = json_object();
    json_object_set_new(j, "file", report_string(f->file));
    json_object_set_new(j, "sha256", report_string(f->sha256));
    json_object_set_new(j, "build_id", report_string(f->build_id));
    json_object_set_new(j, "architecture", report_string(f->architecture));
    json_object_set_new(j, "supported", json_boolean(f->supported));
    json_object_set_new(j, "bits", json_integer(f->bits));
    json_object_set_new(j, "big_endian", json_boolean(f->big_endian));
    json_object_set_new(j, "type", json_string(f->format ? f->format : type_name(f->type)));
    if (f->format) {
        json_object_set_new(j, "target", report_string(f->target));
        json_object_set_new(j, "source", report_string(f->source));
    } else {
        json_object_set_new(j, "stripped", json_boolean(f->stripped));
        json_object_set_new(j, "static", json_boolean(f->is_static));
    }
    return j;
}
