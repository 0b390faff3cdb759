/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which file the debug information is in: the object itself, or a detached file found by build-id
 * (DIR/.build-id/ab/cdef.debug) or by .gnu_debuglink (name and CRC), in directories, packages of debug symbols,
 * and, by build-id, on debuginfod servers. A file that does not prove to belong to
 * the object is not used. */
#include <elf.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "object/container.h"
#include "object/debug.h"

/* The CRC of .gnu_debuglink: CRC-32 of IEEE 802.3, as zlib's. */
static uint32_t crc32_of(const uint8_t *p, size_t n)
{
    uint32_t table[256];
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320 ^ c >> 1 : c >> 1;
        table[i] = c;
    }
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++)
        crc = table[(crc ^ p[i]) & 0xff] ^ crc >> 8;
    return crc ^ 0xffffffff;
}

/* Debug sections of more than this, unpacked, are a bomb and not a program. */
#define UNPACKED_LIMIT (UINT64_C(4) << 30)

uint64_t debug_dwarf_size(const struct image *im)
{
    bool info = false;
    uint64_t unpacked = 0, total = 0;
    for (size_t i = 1; i < im->nsections; i++) {
        const struct image_section *s = &im->section[i];
        bool plain = !strncmp(s->name, ".debug_", 7), old = !strncmp(s->name, ".zdebug_", 8);
        if ((!plain && !old) || !s->data)
            continue;
        info |= !strcmp(s->name + (old ? 8 : 7), "info") && s->size > 0;
        uint64_t size = 0;
        if (s->flags & SHF_COMPRESSED) {
            size_t header = im->is64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
            if (s->size < header)
                return 0;
            size = image_word(im, s->data + (im->is64 ? 8 : 4));
        } else if (old) {
            if (s->size < 12 || memcmp(s->data, "ZLIB", 4))
                return 0;
            for (int k = 0; k < 8; k++)
                size = size << 8 | s->data[4 + k];
        }
        /* Deflate cannot do better than 1032 to 1; what claims more, lies. */
        if (size / 1032 > s->size || size > UNPACKED_LIMIT - unpacked)
            return 0;
        unpacked += size;
        total += size ? size : s->size;
    }
    return info ? total : 0;
}

bool debug_open_file(struct debug_file *f, const uint8_t *data, size_t size)
{
    if (elf_version(EV_CURRENT) == EV_NONE)
        return false;
    f->elf = elf_memory((char *)(uintptr_t)data, size);
    f->dwarf = f->elf ? dwarf_begin_elf(f->elf, DWARF_C_READ, NULL) : NULL;
    return f->dwarf != NULL;
}

void debug_close_file(struct debug_file *f)
{
    if (f->dwarf)
        dwarf_end(f->dwarf);
    if (f->elf)
        elf_end(f->elf);
    free(f->data);
    free(f->path);
    *f = (struct debug_file){0};
}

/* A candidate that is a pipe or a device would make us wait. */
static uint8_t *read_candidate(const char *path, size_t *size)
{
    struct stat st;
    struct error quiet;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? container_read_file(path, size, &quiet) : NULL;
}

/* ---- places: directories, and packages of debug symbols ---- */

static bool is_package(const char *place)
{
    struct stat st;
    return stat(place, &st) == 0 && S_ISREG(st.st_mode);
}

struct member_search {
    const char *end; /* of its path */
    uint8_t *data;
    size_t size;
};

static bool look_at_member(void *ctx, const struct object_member *m)
{
    struct member_search *s = ctx;
    size_t n = strlen(m->path), end = strlen(s->end);
    if (!m->is_elf || !m->data || n < end || strcmp(m->path + n - end, s->end) != 0)
        return true;
    s->data = xmalloc(m->size);
    memcpy(s->data, m->data, m->size);
    s->size = m->size;
    return false;
}

/* The file of that path below a place; in a package, the one whose path ends so. *path becomes where it is. */
static uint8_t *read_below(const char *place, const char *below, struct buf *path, size_t *size)
{
    buf_clear(path);
    buf_printf(path, "%s/%s", place, below);
    if (!is_package(place))
        return read_candidate(buf_text(path), size);
    struct buf end = BUF_INIT;
    struct error quiet;
    buf_printf(&end, "/%s", below);
    struct member_search s = {.end = buf_text(&end)};
    container_walk(place, look_at_member, &s, &quiet);
    buf_free(&end);
    *size = s.size;
    return s.data;
}

enum proof { BY_BUILD_ID, BY_CRC };

/* Takes a candidate, or NULL; true when it belongs to the object. */
static bool try_data(struct object *o, const char *path, uint8_t *data, size_t size, enum proof proof,
                     uint32_t crc, struct debug_file *out)
{
    struct error quiet;
    if (!data)
        return false;
    struct arena scratch = ARENA_INIT;
    struct image im;
    bool good = container_is_elf(data, size) && image_open(&im, &scratch, path, data, size, &quiet);
    good = good && im.machine == o->image.machine && im.is64 == o->image.is64 &&
           im.big_endian == o->image.big_endian;
    if (good && proof == BY_BUILD_ID) {
        const char *id = image_build_id(&im, &scratch);
        good = id && o->info.build_id && !strcmp(id, o->info.build_id);
    } else if (good) {
        good = crc32_of(data, size) == crc;
    }
    arena_free(&scratch);
    if (!good) {
        free(data);
        return false;
    }
    *out = (struct debug_file){.path = xstrdup(path), .data = data, .size = size};
    return true;
}

static bool try_file(struct object *o, const char *path, enum proof proof, uint32_t crc,
                     struct debug_file *out)
{
    size_t size = 0;
    uint8_t *data = read_candidate(path, &size);
    return try_data(o, path, data, size, proof, crc, out);
}

static bool find_by_build_id(struct object *o, const char *const *dirs, struct debug_file *out)
{
    const char *id = o->info.build_id;
    bool found = false;
    struct buf path = BUF_INIT, below = BUF_INIT;
    for (; id && strlen(id) > 2 && dirs && *dirs && !found; dirs++) {
        size_t size = 0;
        buf_clear(&below);
        buf_printf(&below, ".build-id/%.2s/%s.debug", id, id + 2);
        uint8_t *data = read_below(*dirs, buf_text(&below), &path, &size);
        found = try_data(o, buf_text(&path), data, size, BY_BUILD_ID, 0, out);
    }
    buf_free(&below);
    buf_free(&path);
    return found;
}

static bool find_by_debuginfod(struct object *o, struct debug_file *out)
{
    char *path = o->info.build_id ? debug_fetch(o->info.build_id) : NULL;
    bool found = path && try_file(o, path, BY_BUILD_ID, 0, out);
    free(path);
    return found;
}

static bool find_by_link(struct object *o, const char *const *dirs, struct debug_file *out)
{
    const struct image_section *s = image_section_named(&o->image, ".gnu_debuglink");
    const char *name = s && s->data ? image_string(s->data, s->size, 0) : NULL;
    /* The name is a plain file name; anything else would lead out of the directories searched. */
    if (!name || !*name || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, ".."))
        return false;
    uint64_t at = (strlen(name) + 1 + 3) & ~UINT64_C(3);
    if (s->size < at || s->size - at < 4)
        return false;
    uint32_t crc = image_u32(&o->image, s->data + at);
    bool found = false;
    struct buf path = BUF_INIT;
    const char *own = o->path_dir;
    if (own) {
        buf_printf(&path, "%s/%s", own, name);
        /* A file stripped in place may name itself. */
        found = try_file(o, buf_text(&path), BY_CRC, crc, out);
        if (!found) {
            buf_clear(&path);
            buf_printf(&path, "%s/.debug/%s", own, name);
            found = try_file(o, buf_text(&path), BY_CRC, crc, out);
        }
    }
    for (; dirs && *dirs && !found; dirs++) {
        for (int below = 0; below < 2 && !found; below++) {
            if (below && (!own || own[0] != '/' || is_package(*dirs)))
                continue;
            size_t size = 0;
            struct buf rest = BUF_INIT;
            buf_printf(&rest, "%s%s%s", below ? own + 1 : "", below ? "/" : "", name);
            uint8_t *data = read_below(*dirs, buf_text(&rest), &path, &size);
            found = try_data(o, buf_text(&path), data, size, BY_CRC, crc, out);
            buf_free(&rest);
        }
    }
    buf_free(&path);
    return found;
}

bool debug_attach(struct object *o, const struct object_options *opt, struct error *err)
{
    struct debug *d = o->debug;
    if (opt->no_debug) {
        d->disabled = true;
        return true;
    }
    if (opt->debug_dirs) {
        size_t n = 0;
        while (opt->debug_dirs[n])
            n++;
        const char **copy = arena_array(&o->arena, const char *, n + 1);
        for (size_t i = 0; i < n; i++)
            copy[i] = arena_strdup(&o->arena, opt->debug_dirs[i]);
        o->debug_dirs = copy;
    }
    if (debug_dwarf_size(&o->image) || o->info.type == OBJECT_RELOCATABLE)
        return true;
    if (!find_by_build_id(o, o->debug_dirs, &d->file) && !find_by_link(o, o->debug_dirs, &d->file) &&
        !(opt->debuginfod && find_by_debuginfod(o, &d->file)))
        return true;
    o->info.debug_file = arena_strdup(&o->arena, d->file.path);
    struct image im;
    if (!image_open(&im, &o->arena, o->info.debug_file, d->file.data, d->file.size, err))
        return false;
    return o->symtab.count || symbol_read_symtab(o, &im, &o->symtab, err);
}

void debug_hide_alternate(const struct image *im, uint8_t *file)
{
    enum { TYPE_OFFSET = 4 }; /* of sh_type in a section header */
    for (size_t i = 1; i < im->nsections; i++) {
        uint8_t *type = file + im->section[i].header + TYPE_OFFSET;
        if (!strcmp(im->section[i].name, ".gnu_debugaltlink"))
            for (int k = 0; k < 4; k++)
                type[im->big_endian ? 3 - k : k] = (uint8_t)((uint32_t)SHT_NOBITS >> (8 * k));
    }
}

void debug_find_alternate(const struct object *o, const struct image *im, const char *path,
                          struct debug_file *out)
{
    const struct image_section *s = image_section_named(im, ".gnu_debugaltlink");
    const char *name = s && s->data ? image_string(s->data, s->size, 0) : NULL;
    if (!name || !path)
        return;
    /* After the name: the build-id of the supplementary file, as bytes. */
    uint64_t at = strlen(name) + 1;
    char id[2 * 64 + 1];
    if (s->size - at > 64 || s->size - at < 2)
        return;
    for (uint64_t i = 0; i < s->size - at; i++) {
        id[2 * i] = "0123456789abcdef"[s->data[at + i] >> 4];
        id[2 * i + 1] = "0123456789abcdef"[s->data[at + i] & 15];
    }
    id[2 * (s->size - at)] = 0;
    const char *slash = strrchr(path, '/');
    /* A package has it by its name: .dwz/x86_64-linux-gnu/libfoo.debug */
    const char *dwz = strstr(name, ".dwz/");
    struct buf where = BUF_INIT, below = BUF_INIT;
    buf_printf(&below, ".build-id/%.2s/%s.debug", id, id + 2);
    for (size_t i = 0; !out->data; i++) {
        struct error quiet;
        size_t size = 0;
        uint8_t *data = NULL;
        buf_clear(&where);
        if (i == 0) {
            buf_printf(&where, "%.*s/%s", slash ? (int)(slash - path) : 1, slash ? path : ".", name);
            data = read_candidate(buf_text(&where), &size);
        } else if (o->debug_dirs && o->debug_dirs[i - 1]) {
            data = read_below(o->debug_dirs[i - 1], buf_text(&below), &where, &size);
            if (!data && dwz && is_package(o->debug_dirs[i - 1]))
                data = read_below(o->debug_dirs[i - 1], dwz, &where, &size);
        } else {
            break;
        }
        struct arena scratch = ARENA_INIT;
        struct image alt;
        const char *found = NULL;
        if (data && container_is_elf(data, size) &&
            image_open(&alt, &scratch, buf_text(&where), data, size, &quiet) && debug_dwarf_size(&alt))
            found = image_build_id(&alt, &scratch);
        if (found && !strcmp(found, id)) {
            debug_hide_alternate(&alt, data);
            *out = (struct debug_file){.data = data, .size = size};
        } else {
            free(data);
        }
        arena_free(&scratch);
    }
    buf_free(&below);
    buf_free(&where);
}
