/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The programs in two containers, and which is which. */
#include <ctype.h>
#include <string.h>

#include "base/sha256.h"
#include "base/system.h"
#include "match/private.h"

typedef VEC(struct match_file) file_list;

struct match_files {
    struct arena arena;
    file_list side[2];
    VEC(struct match_file_pair) pair;
};

struct collect {
    struct match_files *f;
    int side;
    const char *wanted; /* only this member; NULL: all */
    const char *unread; /* why a member that is wanted could not be read */
};

/* Paths begin with the archive they were in ("data.tar.xz/./usr/lib/x"), whose compression may differ. */
static const char *inner_path(const char *path)
{
    const char *dot = strstr(path, "/./");
    if (dot)
        return dot + 3;
    if (strncmp(path, "data.tar", 8) == 0 && strchr(path, '/'))
        path = strchr(path, '/') + 1;
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    return path;
}

/* Is this the member that was asked for: its path, or the end of it. */
static bool is_named(const char *path, const char *wanted)
{
    while (*wanted == '/' || strncmp(wanted, "./", 2) == 0)
        wanted += *wanted == '/' ? 1 : 2;
    size_t n = strlen(path), k = strlen(wanted);
    return n >= k && strcmp(path + n - k, wanted) == 0 && (n == k || path[n - k - 1] == '/');
}

static bool collect_member(void *ctx, const struct object_member *x)
{
    struct collect *c = ctx;
    const char *path = inner_path(x->path);
    if (x->error && (!c->wanted || is_named(path, c->wanted)))
        c->unread = arena_strdup(&c->f->arena, x->error);
    if (c->unread)
        return false;
    if (!x->is_elf || x->is_symlink || (c->wanted && !is_named(path, c->wanted)))
        return true;
    struct match_file f = {.path = c->wanted ? "" : arena_strdup(&c->f->arena, path),
                           .data = arena_dup(&c->f->arena, x->data, x->size),
                           .size = x->size};
    sha256_hex(x->data, x->size, f.sha256);
    vec_push(&c->f->side[c->side], f);
    return !c->wanted;
}

static bool collect_side(struct match_files *f, int side, const char *path, struct error *err)
{
    char *container = NULL, *member = NULL;
    bool part = container_split(path, &container, &member);
    struct collect c = {f, side, part ? member : NULL, NULL};
    bool walked = container_walk(part ? container : path, collect_member, &c, err);
    free(container);
    free(member);
    if (!walked)
        return false;
    if (c.unread)
        return error_set(err, ERROR_INPUT, "%s", c.unread);
    if (!f->side[side].len)
        return error_set(err, ERROR_INPUT,
                         part ? "%s: no such program in it"
                              : "%s: no program in it; expected an ELF file, or a package, archive or "
                                "directory with one",
                         path);
    return true;
}

/* "usr/lib/libfoo.so.1.2" and "usr/lib/libfoo-1.2.so": the path without the numbers of a version. */
static void put_without_version(struct buf *out, const char *path)
{
    const char *base = path_base(path), *so = strstr(base, ".so");
    buf_put(out, path, (size_t)(base - path));
    if (!so || (so[3] && so[3] != '.')) {
        buf_puts(out, base);
        return;
    }
    size_t n = (size_t)(so - base);
    while (n && (isdigit((unsigned char)base[n - 1]) || base[n - 1] == '.'))
        n--;
    /* libpng16.so keeps its 16 when nothing separates it: -1.2 is a version, 16 is a name. */
    if (n && n < (size_t)(so - base) && base[n - 1] == '-')
        n--;
    else
        n = (size_t)(so - base);
    buf_put(out, base, n);
    buf_puts(out, ".so");
}

typedef void key_fn(struct buf *out, const char *path);

static void key_path(struct buf *out, const char *path)
{
    buf_puts(out, path);
}
static void key_library(struct buf *out, const char *path)
{
    put_without_version(out, path);
}
static void key_base(struct buf *out, const char *path)
{
    buf_puts(out, path_base(path));
}
static void key_base_library(struct buf *out, const char *path)
{
    put_without_version(out, path_base(path));
}

static void pair_files(struct match_files *f, key_fn *key, uint32_t *to[2])
{
    struct strmap at[2] = {{0}, {0}};
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < f->side[side].len; i++) {
            if (to[side][i] != MATCH_NONE)
                continue;
            struct buf b = BUF_INIT;
            key(&b, f->side[side].data[i].path);
            const char *k = arena_strdup(&f->arena, buf_text(&b));
            buf_free(&b);
            strmap_set(&at[side], k, strmap_get(&at[side], k, NULL) ? MATCH_NONE : i);
        }
    for (uint32_t i = 0; i < f->side[0].len; i++) {
        if (to[0][i] != MATCH_NONE)
            continue;
        struct buf b = BUF_INIT;
        key(&b, f->side[0].data[i].path);
        uint32_t j = (uint32_t)strmap_find(&at[1], buf_text(&b), MATCH_NONE);
        if (strmap_find(&at[0], buf_text(&b), MATCH_NONE) == i && j != MATCH_NONE) {
            to[0][i] = j;
            to[1][j] = i;
        }
        buf_free(&b);
    }
    strmap_free(&at[0]);
    strmap_free(&at[1]);
}

static int by_path(const void *x, const void *y)
{
    const struct match_file_pair *a = x, *b = y;
    return strcmp((a->old ? a->old : a->new)->path, (b->old ? b->old : b->new)->path);
}

struct match_files *match_files_open(const char *old, const char *new, struct error *err)
{
    static key_fn *const step[] = {key_path, key_library, key_base, key_base_library};
    struct match_files *f = xcalloc(1, sizeof *f);
    if (!collect_side(f, 0, old, err) || !collect_side(f, 1, new, err)) {
        match_files_free(f);
        return NULL;
    }
    /* A plain file among those of a package goes by its name. */
    const char *const given[2] = {old, new};
    for (int side = 0; side < 2; side++)
        if (f->side[side].len == 1 && !f->side[side].data[0].path[0] &&
            (f->side[!side].len > 1 || f->side[!side].data[0].path[0]))
            f->side[side].data[0].path = arena_strdup(&f->arena, path_base(given[side]));
    uint32_t *to[2];
    for (int side = 0; side < 2; side++) {
        to[side] = xcalloc(f->side[side].len, sizeof **to);
        for (size_t i = 0; i < f->side[side].len; i++)
            to[side][i] = MATCH_NONE;
    }
    /* Two programs given by name are compared whatever their names are. */
    if (f->side[0].len == 1 && f->side[1].len == 1)
        to[0][0] = to[1][0] = 0;
    for (size_t i = 0; i < sizeof step / sizeof *step; i++)
        pair_files(f, step[i], to);
    for (size_t i = 0; i < f->side[0].len; i++) {
        const struct match_file *a = &f->side[0].data[i],
                                *b = to[0][i] == MATCH_NONE ? NULL : &f->side[1].data[to[0][i]];
        vec_push(&f->pair, (struct match_file_pair){a, b, b && strcmp(a->path, b->path) != 0});
    }
    for (size_t j = 0; j < f->side[1].len; j++)
        if (to[1][j] == MATCH_NONE)
            vec_push(&f->pair, (struct match_file_pair){NULL, &f->side[1].data[j], false});
    vec_sort(&f->pair, by_path);
    free(to[0]);
    free(to[1]);
    return f;
}

void match_files_free(struct match_files *f)
{
    if (!f)
        return;
    vec_free(&f->side[0]);
    vec_free(&f->side[1]);
    vec_free(&f->pair);
    arena_free(&f->arena);
    free(f);
}

size_t match_file_pairs(const struct match_files *f, const struct match_file_pair **out)
{
    *out = f->pair.data;
    return f->pair.len;
}

size_t match_files_of(const struct match_files *f, bool new, const struct match_file **out)
{
    *out = f->side[new].data;
    return f->side[new].len;
}
