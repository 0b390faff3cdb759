/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/compare.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask/code.h"

/* Symbols, unwind tables and calls usually show all functions; searching the code takes much longer and is
 * for the rest. Padding up to the next function hides none. */
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
        if (one[0] != '0' || (one[1] != 'x' && one[1] != 'X'))
            continue;
        uint64_t address = strtoull(one, &end, 16);
        if (end > one + 2 && (*end == '\0' || *end == ':'))
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
    struct program *p =
        o ? program_from_object(
                o, &(struct program_options){.object = *opt, .entry = entry, .nentries = nentries}, err)
          : NULL;
    if (p)
        lifter_keep_loads(program_lifter(p));
    if (p && !tables_suffice(p))
        program_search(p, NULL, NULL);
    else if (p)
        match_find_called(p);
    buf_free(&name);
    return p;
}

/* What is asked for is looked for in the code of both when the tables of neither know it. */
static void reach(struct compared *c, const struct compare_options *opt)
{
    struct error ignored = {0};
    for (size_t i = 0; i < opt->nfunctions; i++) {
        const char *colon = compare_colon(opt->function[i]);
        bool known = false;
        for (int side = 0; side < 2; side++) {
            char *one = side && colon ? xstrdup(colon + 1)
                        : colon       ? strndup(opt->function[i], (size_t)(colon - opt->function[i]))
                                      : xstrdup(opt->function[i]);
            known = known || (one && program_function(c->p[side], one, &ignored));
            free(one);
        }
        for (size_t k = 0; k < opt->nnames; k++)
            known = known || strcmp(opt->name[k].name, opt->function[i]) == 0;
        for (int side = 0; side < 2 && !known; side++)
            program_search(c->p[side], NULL, NULL);
    }
}

bool compare_open(struct compared *c, const struct match_file_pair *pair, const struct compare_options *opt,
                  struct ask_sink *say, struct error *err)
{
    *c = (struct compared){0};
    uint64_t *entry = xcalloc(opt->nfunctions + opt->nnames + 1, sizeof *entry);
    bool ok = true;
    for (int side = 0; ok && side < 2; side++) {
        size_t n = addresses(side, opt->function, opt->nfunctions, entry);
        for (size_t i = 0; i < opt->nnames; i++)
            if (opt->name[i].new == (side == 1))
                entry[n++] = opt->name[i].address;
        c->p[side] = open_program(side ? opt->new : opt->old, side ? pair->new : pair->old, opt->object,
                                  entry, n, err);
        ok = c->p[side] != NULL;
        for (size_t i = 0; ok && i < opt->nnames; i++)
            if (opt->name[i].new == (side == 1))
                program_name(c->p[side],
                             object_internal_address(program_object(c->p[side]), opt->name[i].address),
                             opt->name[i].name);
    }
    free(entry);
    if (ok)
        reach(c, opt);
    if (!ok || !(c->m = match_programs(c->p[0], c->p[1],
                                       &(struct match_options){.progress = ask_progress_of(say), .ctx = say},
                                       err))) {
        compare_close(c);
        return false;
    }
    const char *build_id[2];
    for (int side = 0; side < 2; side++) {
        c->n[side] = program_functions(c->p[side], &c->f[side]);
        build_id[side] = object_info(program_object(c->p[side]))->build_id;
    }
    ask_say_opened(say, build_id[0], build_id[1]);
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

/* ---- parts of answers ---- */

static const struct wire_field place_field[] = {
    WIRE_NAME(struct ask_place, name),
    WIRE_VALUE(struct ask_place, address),
    WIRE_VALUE(struct ask_place, size),
};
const struct wire_type ask_place_type = WIRE_TYPE(struct ask_place, place_field);

static const struct wire_field datum_field[] = {
    WIRE_TEXT(struct ask_datum, name),        WIRE_VALUE(struct ask_datum, old),
    WIRE_VALUE(struct ask_datum, new),        WIRE_VALUE(struct ask_datum, old_size),
    WIRE_VALUE(struct ask_datum, new_size),   WIRE_VALUE(struct ask_datum, writable),
    WIRE_TEXT(struct ask_datum, old_content), WIRE_TEXT(struct ask_datum, new_content),
};
const struct wire_type ask_datum_type = WIRE_TYPE(struct ask_datum, datum_field);

static const struct wire_field outside_field[] = {
    WIRE_TEXT(struct match_outside, kind),     WIRE_TEXT(struct match_outside, text),
    WIRE_TEXT(struct match_outside, old),      WIRE_TEXT(struct match_outside, new),
    WIRE_VALUE(struct match_outside, matters),
};
const struct wire_type ask_outside_type = WIRE_TYPE(struct match_outside, outside_field);

struct ask_place compare_place(const struct program *p, const struct flow_function *f)
{
    return (struct ask_place){f->name, object_display_address(program_object(p), f->address), f->size};
}

const char *compare_described(struct program *p, uint64_t address, struct arena *arena)
{
    char text[512];
    size_t len;
    const char *string = object_string(program_object(p), address, &len);
    if (string && len)
        return arena_printf(arena, "\"%.*s\"%s", len > 60 ? 60 : (int)len, string, len > 60 ? "..." : "");
    if (program_describe(p, address, text, sizeof text))
        return arena_strdup(arena, text);
    return arena_printf(arena, "0x%" PRIx64, object_display_address(program_object(p), address));
}

size_t compare_data(const struct compared *c, struct arena *arena, const struct ask_datum **out)
{
    const struct match_datum *d;
    size_t n = match_data_changes(c->m, &d);
    struct ask_datum *list = arena_array(arena, struct ask_datum, n + 1);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct ask_datum){.name = d[i].name,
                                     .old = object_display_address(program_object(c->p[0]), d[i].old),
                                     .new = object_display_address(program_object(c->p[1]), d[i].new),
                                     .old_size = d[i].old_size,
                                     .new_size = d[i].new_size,
                                     .writable = d[i].writable,
                                     .old_content = compare_described(c->p[0], d[i].old, arena),
                                     .new_content = compare_described(c->p[1], d[i].new, arena)};
    *out = list;
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

static void name_target(struct program *p, char *text, size_t cap)
{
    const char *number = strrchr(text, ' ');
    number = number ? number + 1 + (number[1] == '#') : "";
    char *end;
    uint64_t shown = strtoull(number, &end, 0), address = object_internal_address(program_object(p), shown);
    enum { SMALL = 0x10000 }; /* such numbers are more often just that */
    if (!isdigit((unsigned char)*number) || *end || (shown < SMALL && !is_branch(text)))
        return;
    const struct object_stub *stub = object_stub_at(program_object(p), address);
    const struct flow_function *f = program_function_at(p, address);
    const char *name = stub ? stub->name : f ? f->name : NULL;
    size_t n = strlen(text);
    if (name && n + strlen(name) + 4 < cap)
        snprintf(text + n, cap - n, " <%s>", name);
}

const char *compare_code(struct program *p, const struct ir_block *b, const struct ir_mark *m,
                         struct arena *arena)
{
    char text[CODE_TEXT];
    code_text(p, b, m, text);
    name_target(p, text, sizeof text);
    return arena_strdup(arena, text);
}
