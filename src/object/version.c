/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GNU symbol versions: .gnu.version gives each dynamic symbol an index, .gnu.version_d and .gnu.version_r
 * name it. Both are linked lists inside the file; every step must go forward, so a looping list ends. */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "object/private.h"

struct version_names {
    const char **name; /* by index, NULL where none */
    size_t count;
};

static void name_version(struct object *o, struct version_names *v, unsigned index, const char *name)
{
    index &= 0x7fff;
    if (index >= v->count) {
        const char **bigger = arena_array(&o->arena, const char *, index + 32);
        if (v->count)
            memcpy(bigger, v->name, v->count * sizeof *bigger);
        v->name = bigger;
        v->count = index + 32;
    }
    v->name[index] = name;
}

static bool lost(const struct object *o, const char *what, uint64_t address, struct error *err)
{
    return error_set(err, ERROR_INPUT, "%s: %s at 0x%" PRIx64 " extends past the file or names no string",
                     o->info.name, what, address);
}

static bool read_definitions(struct object *o, const uint8_t *str, struct version_names *v, struct error *err)
{
    const struct image *im = &o->image;
    const struct dynamic *d = &o->dynamic;
    size_t room;
    const uint8_t *p = object_bytes(o, d->verdef, &room);
    uint64_t at = 0;
    for (uint64_t i = 0; i < d->verdefnum; i++) {
        if (!p || at > room || room - at < 20)
            return lost(o, "version definition", d->verdef + at, err);
        unsigned index = image_u16(im, p + at + 4), flags = image_u16(im, p + at + 2);
        uint64_t aux = at + image_u32(im, p + at + 12), next = image_u32(im, p + at + 16);
        if (aux > room || room - aux < 8)
            return lost(o, "version definition", d->verdef + at, err);
        const char *name = image_string(str, d->strsz, image_u32(im, p + aux));
        if (!name)
            return lost(o, "version definition", d->verdef + at, err);
        if (!(flags & VER_FLG_BASE))
            name_version(o, v, index, name);
        if (next == 0)
            break;
        at += next;
    }
    return true;
}

static bool read_needs(struct object *o, const uint8_t *str, struct version_names *v, struct error *err)
{
    const struct image *im = &o->image;
    const struct dynamic *d = &o->dynamic;
    size_t room;
    const uint8_t *p = object_bytes(o, d->verneed, &room);
    uint64_t at = 0;
    uint64_t budget =
        room; /* lists of auxiliary entries may share entries; no file needs more steps than bytes */
    for (uint64_t i = 0; i < d->verneednum; i++) {
        if (!p || at > room || room - at < 16)
            return lost(o, "version requirement", d->verneed + at, err);
        unsigned count = image_u16(im, p + at + 2);
        uint64_t aux = at + image_u32(im, p + at + 8), next = image_u32(im, p + at + 12);
        for (unsigned k = 0; k < count; k++) {
            if (aux > room || room - aux < 16 || budget-- == 0)
                return lost(o, "version requirement", d->verneed + at, err);
            const char *name = image_string(str, d->strsz, image_u32(im, p + aux + 8));
            if (!name)
                return lost(o, "version requirement", d->verneed + aux, err);
            name_version(o, v, image_u16(im, p + aux + 6), name);
            uint64_t step = image_u32(im, p + aux + 12);
            if (step == 0)
                break;
            aux += step;
        }
        if (next == 0)
            break;
        at += next;
    }
    return true;
}

bool version_read(struct object *o, struct error *err)
{
    const struct dynamic *d = &o->dynamic;
    if (!d->versym)
        return true;
    size_t room;
    struct version_names v = {NULL, 0};
    if (d->verdef && !read_definitions(o, d->string, &v, err))
        return false;
    if (d->verneed && !read_needs(o, d->string, &v, err))
        return false;
    const uint8_t *p = object_bytes(o, d->versym, &room);
    if (o->dynsym.count && (!p || room / 2 < o->dynsym.count))
        return error_set(err, ERROR_INPUT,
                         "%s: version table at 0x%" PRIx64 " is shorter than the %zu dynamic symbols",
                         o->info.name, d->versym, o->dynsym.count);
    for (size_t i = 1; i < o->dynsym.count; i++) {
        unsigned index = image_u16(&o->image, p + 2 * i);
        unsigned plain = index & 0x7fff;
        if (plain < 2 || plain >= v.count || !v.name[plain])
            continue;
        o->dynsym.symbol[i].version = v.name[plain];
        o->dynsym.symbol[i].version_hidden = index & 0x8000;
    }
    return true;
}
