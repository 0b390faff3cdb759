/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a linker does with symbols and sections of a relocatable object, apart from their contents. */
#include <inttypes.h>
#include <string.h>

#include "match/private.h"

void linking_symbol(struct match *m, const struct object_symbol *a, const struct object_symbol *b)
{
    const struct object_section *x = side_section(&m->side[0], a->address),
                                *y = side_section(&m->side[1], b->address);
    if (x && y && x->comdat != y->comdat)
        outside_add(m, "export", true, NULL, NULL, "%s is %s", a->name,
                    y->comdat ? "newly in a group (COMDAT): another file's may be used in its place"
                              : "no longer in a group (COMDAT): it is used along with those of other files");
    if (a->protect != b->protect)
        outside_add(m, "export", true, NULL, NULL, "%s is %s", a->name,
                    b->protect ? "newly protected: another file's is no longer used in place of this one"
                               : "no longer protected: another file's may be used in its place");
}

static const char *key(struct buf *b, const struct object_section *x)
{
    buf_clear(b);
    buf_printf(b, "%s %d %" PRIx64, x->name, x->excluded, x->merge);
    return buf_text(b);
}

/* A section that was there before, and that the linker is newly told to leave out or to merge with others, or
 * no longer to leave out. */
void linking_sections(struct match *m)
{
    if (object_info(m->side[0].o)->type != OBJECT_RELOCATABLE ||
        object_info(m->side[1].o)->type != OBJECT_RELOCATABLE)
        return;
    const struct object_section *x;
    struct strmap known = {0}; /* names, and names with what is told */
    struct buf b = BUF_INIT;
    size_t n = object_sections(m->side[0].o, &x);
    enum { LEFT_OUT = 1, LINKED = 2 };
    for (size_t i = 0; i < n; i++)
        if (x[i].alloc) {
            uint64_t was = 0;
            strmap_get(&known, x[i].name, &was);
            strmap_set(&known, x[i].name, was | (x[i].excluded ? LEFT_OUT : LINKED));
            strmap_set(&known, arena_strdup(&m->arena, key(&b, &x[i])), 1);
        }
    n = object_sections(m->side[1].o, &x);
    for (size_t i = 0; i < n; i++) {
        uint64_t was;
        if (!x[i].alloc || !strmap_get(&known, x[i].name, &was))
            continue;
        if (!x[i].excluded && was == LEFT_OUT)
            outside_add(m, "section", true, NULL, NULL, "section %s is no longer left out when linked",
                        x[i].name);
        else if ((x[i].excluded || x[i].merge) &&
                 strmap_set(&known, arena_strdup(&m->arena, key(&b, &x[i])), 1))
            outside_add(m, "section", true, NULL, NULL, "section %s is newly %s when linked", x[i].name,
                        x[i].excluded ? "left out" : "merged with others");
    }
    strmap_free(&known);
    buf_free(&b);
}
