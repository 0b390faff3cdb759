/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conditions in SMT-LIB: a register is called by its name, memory is the array `mem`; init_ in front means at
 * entry (in a function summary: before the call), _orig and _mod behind say of which version. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "wp/internal.h"

struct reading {
    struct wp *w;
    const struct condition_names *names;
    char unknown[96]; /* why a name is not known */
};

/* Cuts _orig or _mod off the name: 0, 1, or -1 without one. */
static int cut_version(char *name)
{
    size_t n = strlen(name);
    if (n > 5 && strcmp(name + n - 5, "_orig") == 0) {
        name[n - 5] = 0;
        return 0;
    }
    if (n > 4 && strcmp(name + n - 4, "_mod") == 0) {
        name[n - 4] = 0;
        return 1;
    }
    return -1;
}

static term memory_now(const struct condition_names *n, struct side *s, bool entry)
{
    if (entry && n->before)
        return n->before_mem;
    if (entry || n->entry)
        return explorer_symbols(s->code->x).mem;
    return n->now ? moment_memory(n->now) : side_final_memory(s);
}

static term register_now(const struct condition_names *n, struct side *s, bool entry, unsigned offset,
                         unsigned width)
{
    if (entry && n->before) {
        /* put together from the words that were kept */
        unsigned unit = s->code->m->pointer_width / 8;
        term out = TERM_NONE;
        for (unsigned at = offset / unit * unit; at < offset + width / 8; at += unit) {
            term word = (term)map_find(n->before, at, TERM_NONE);
            out = out == TERM_NONE ? word : term_concat(s->w->t, word, out);
        }
        return term_extract(s->w->t, out, offset % unit * 8, width);
    }
    if (entry || n->entry)
        return side_entry(s, offset, width);
    return n->now ? moment_register(n->now, offset, width) : side_final(s, offset, width);
}

static term look_up(void *ctx, const char *full)
{
    struct reading *r = ctx;
    const struct condition_names *n = r->names;
    char name[64];
    snprintf(name, sizeof name, "%s", full);
    int version = cut_version(name);
    char *plain = name;
    bool entry = strncmp(plain, "init_", 5) == 0;
    if (entry)
        plain += 5;
    struct side *s = n->side;
    if (version >= 0 && !n->suffixes) {
        snprintf(r->unknown, sizeof r->unknown, "_orig and _mod are for comparing two programs");
        return TERM_NONE;
    }
    if (version >= 0)
        s = &s->w->side[version];
    else if (n->suffixes && !n->entry && !entry) {
        snprintf(r->unknown, sizeof r->unknown, "use %.30s_orig or %.30s_mod", plain, plain);
        return TERM_NONE;
    }
    if (strcmp(plain, "mem") == 0)
        return memory_now(n, s, entry);
    uint16_t offset, width;
    if (!machine_register_find(s->code->m, plain, &offset, &width)) {
        snprintf(r->unknown, sizeof r->unknown, "%s has no register of that name", s->code->m->name);
        return TERM_NONE;
    }
    if (width % 8)
        width = (uint16_t)((width + 7) / 8 * 8);
    return register_now(n, s, entry, offset, width);
}

term condition_read(struct wp *w, const char *what, const char *text, const struct condition_names *names)
{
    struct reading r = {w, names, ""};
    struct error err = {0};
    term x;
    /* a bare expression is taken for its assertion */
    if (strstr(text, "assert"))
        x = term_smtlib_read_script_with(w->t, text, strlen(text), look_up, &r, &err);
    else
        x = term_smtlib_read(w->t, text, strlen(text), look_up, &r, &err);
    if (x != TERM_NONE && (term_is_array(w->t, x) || term_width(w->t, x) != 1)) {
        error_set(&err, ERROR_USAGE, "1:1: not a Boolean");
        x = TERM_NONE;
    }
    if (x == TERM_NONE) {
        err.kind = ERROR_USAGE;
        wp_fail(w, "%s: %s%s%s%s", what, err.text, r.unknown[0] ? " (" : "", r.unknown,
                r.unknown[0] ? ")" : "");
    }
    return x;
}
