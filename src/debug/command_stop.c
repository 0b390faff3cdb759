/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands for breakpoints and watchpoints. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/command.h"

/* "PLACE if CONDITION", "if CONDITION"; both may be empty. To be freed. */
static void split_condition(const char *text, char **place, char **condition)
{
    const char *at = strncmp(text, "if ", 3) == 0 ? text : strstr(text, " if ");
    *condition = NULL;
    if (!at) {
        *place = request_trim(text, strlen(text));
        return;
    }
    *place = request_trim(text, (size_t)(at - text));
    at = strstr(at, "if ") + 3;
    *condition = request_trim(at, strlen(at));
}

static void add_stop(struct debug_side *side, struct stop_point p)
{
    vec_push(&side->stop, p);
    stop_points_changed(side);
}

/* Addresses that stand for a function of another file. */
static size_t import_places(const struct debuggee *d, const char *name, uint64_t *out, size_t cap)
{
    size_t n = 0, count;
    uint64_t index;
    const struct object_stub *s;
    count = object_stubs(d->o, &s);
    for (size_t i = 0; i < count && n < cap; i++)
        if (s[i].name && strcmp(s[i].name, name) == 0 && debuggee_import_at(d, s[i].address))
            out[n++] = s[i].address;
    if (n < cap && strmap_get(&d->import_name, name, &index))
        out[n++] = d->import.data[index].address;
    return n;
}

/* "FILE:LINE", or ":LINE" of the file whose code runs. *is: it is such a place. */
static bool line_places(struct request *r, const struct debuggee *d, const char *place, uint64_t *out,
                        size_t cap, size_t *n, bool *is)
{
    const char *colon = strrchr(place, ':');
    char *end, *file;
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    struct object_line here;
    *is = colon && colon[1] >= '0' && colon[1] <= '9' && !*end && line <= INT_MAX;
    if (!*is)
        return true;
    file = request_trim(place, (size_t)(colon - place));
    if (!*file && object_debug_line(d->o, debuggee_address(d, d->at), &here) && here.file) {
        free(file);
        file = xstrdup(here.file);
    }
    size_t found = *file ? object_debug_line_places(d->o, file, (unsigned)line, out, cap) : 0;
    *n = found < cap ? found : cap;
    free(file);
    return found ? true : request_bad(r, "no code for line %lu of %.*s", line, (int)(colon - place), place);
}

static bool break_side(struct request *r, struct debug_side *side, const char *place, const char *condition,
                       bool temporary)
{
    enum { MAX_PLACES = 16 };
    struct debuggee *d = side->d;
    uint64_t at[MAX_PLACES], x;
    size_t n = 1;
    char name[256];
    if (condition && !request_value(r, side, condition, &x))
        return false;
    if (!*place && !condition)
        return request_bad(r, "where? an address, a symbol, or 'if CONDITION'");
    if (*place) {
        bool line = false;
        n = import_places(d, place, at, MAX_PLACES);
        if (!n && !line_places(r, d, place, at, MAX_PLACES, &n, &line))
            return false;
        if (!n && !line) {
            if (!request_value(r, side, place, &at[0]))
                return false;
            n = 1;
            at[0] = debuggee_address(d, at[0]);
            if (!object_is_exec(d->o, at[0]) && !debuggee_import_at(d, at[0]))
                return request_bad(r, "no code at 0x%" PRIx64, at[0]);
        }
    }
    for (size_t i = 0; i < n; i++)
        add_stop(side, (struct stop_point){
                           .id = r->s->ids,
                           .kind = *place ? STOP_AT : STOP_WHEN,
                           .address = *place ? at[i] : 0,
                           .text = xstrdup(*place ? debuggee_describe(d, at[i], name, sizeof name) : ""),
                           .condition = condition ? xstrdup(condition) : NULL,
                           .temporary = temporary});
    if (*d->title)
        buf_printf(r->out, "%s: ", d->title);
    if (*place)
        buf_printf(r->out, "breakpoint %u at 0x%" PRIx64 " %s\n", r->s->ids, at[0],
                   vec_last(&side->stop).text);
    else
        buf_printf(r->out, "breakpoint %u if %s\n", r->s->ids, condition);
    return true;
}

bool command_break(struct request *r)
{
    char *place, *condition;
    split_condition(r->rest, &place, &condition);
    bool ok = true;
    r->s->ids++;
    for (unsigned i = r->s->first; i <= r->s->last; i++)
        ok = ok && break_side(r, &r->s->side[i], place, condition, strcmp(r->name, "tbreak") == 0);
    if (!ok) {
        for (unsigned i = r->s->first; i <= r->s->last; i++)
            while (stop_point_remove(&r->s->side[i], r->s->ids))
                ;
        r->s->ids--;
    }
    free(place);
    free(condition);
    return ok;
}

bool command_watch(struct request *r)
{
    uint64_t x;
    for (unsigned i = r->s->first; i <= r->s->last; i++)
        if (!request_value(r, &r->s->side[i], r->rest, &x))
            return false;
    r->s->ids++;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        request_value(r, &r->s->side[i], r->rest, &x);
        add_stop(
            &r->s->side[i],
            (struct stop_point){.id = r->s->ids, .kind = STOP_CHANGE, .text = xstrdup(r->rest), .last = x});
    }
    buf_printf(r->out, "watchpoint %u: %s\n", r->s->ids, r->rest);
    return true;
}

bool command_access_watch(struct request *r)
{
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        uint64_t address, size;
        if (!request_range(r, side, side->d->m->pointer_width / 8, &address, &size))
            return false;
        if (!size || size > UINT32_MAX)
            return request_bad(r, "0x%" PRIx64 " is not a valid length", size);
        char text[64];
        snprintf(text, sizeof text, "%" PRIu64 " bytes at 0x%" PRIx64, size, address);
        if (i == r->s->first)
            r->s->ids++;
        add_stop(side, (struct stop_point){.id = r->s->ids,
                                           .kind = STOP_ACCESS,
                                           .address = address,
                                           .size = size,
                                           .read = true,
                                           .write = r->name[0] == 'a',
                                           .text = xstrdup(text)});
        buf_printf(r->out, "watchpoint %u: %s\n", r->s->ids, text);
    }
    return true;
}

bool command_delete(struct request *r)
{
    uint64_t id = 0;
    if (*r->rest && !request_count(r, 0, &id))
        return false;
    bool any = false;
    for (unsigned i = r->s->first; i <= r->s->last; i++) {
        struct debug_side *side = &r->s->side[i];
        for (size_t k = side->stop.len; k-- > 0;)
            if (!id || side->stop.data[k].id == id)
                any |= stop_point_remove(side, side->stop.data[k].id);
    }
    return any || !id ? true : request_bad(r, "no stop point %" PRIu64, id);
}

bool command_breaks(struct request *r)
{
    if (!request_empty(r))
        return false;
    for (unsigned i = r->s->first; i <= r->s->last; i++)
        show_stop_points(&r->s->side[i], r->out);
    return true;
}
