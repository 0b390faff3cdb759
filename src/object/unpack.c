/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object/unpack.h"

#include <assert.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system.h"
#include "base/vec.h"
#include "object/container.h"

const char *const *library_dirs(enum machine_arch arch, struct arena *arena)
{
    static const char *const triple[] = {[MACHINE_AMD64] = "x86_64-linux-gnu",
                                         [MACHINE_X86] = "i386-linux-gnu",
                                         [MACHINE_ARM] = "arm-linux-gnueabihf",
                                         [MACHINE_ARM64] = "aarch64-linux-gnu"};
    static const char *const below[] = {"lib", "usr/lib", "lib64", "usr/lib64"};
    enum { BELOW = sizeof below / sizeof *below };
    const char **out = arena_array(arena, const char *, 2 * BELOW + 1);
    for (size_t i = 0; i < BELOW; i++) {
        out[2 * i] = below[i];
        out[2 * i + 1] = arena_printf(arena, "%s/%s", below[i], triple[arch]);
    }
    return out;
}

static const char *normalised(const char *path, struct arena *arena)
{
    char *made = container_normalise(path);
    const char *out = arena_strdup(arena, made);
    free(made);
    return out;
}

/* ---- what there is ---- */

struct listing {
    struct arena *arena;
    VEC(struct container_program) program;
};

static bool list_program(void *ctx, const struct object_member *m)
{
    struct listing *l = ctx;
    if (!m->is_elf || m->is_symlink)
        return true;
    struct object *o = object_open_memory(
        m->path, m->data, m->size, &(struct object_options){.no_debug = true, .no_digest = true}, NULL);
    if (o) {
        vec_push(&l->program,
                 (struct container_program){normalised(m->path, l->arena),
                                            normalised(m->path + m->inner, l->arena), object_info(o)->type});
        object_free(o);
    }
    return true;
}

bool container_programs(const char *path, struct arena *arena, const struct container_program **out,
                        size_t *n, struct error *err)
{
    struct listing l = {.arena = arena};
    bool ok = container_walk(path, list_program, &l, err);
    *n = l.program.len;
    *out = arena_dup(arena, l.program.data ? (void *)l.program.data : "", *n * sizeof *l.program.data);
    vec_free(&l.program);
    return ok;
}

/* ---- unpacking ---- */

struct link {
    const char *at, *to; /* below the root */
};

struct unpacking {
    const char *path, *wanted; /* the container; the member's normalised path in it */
    const char *dir;
    struct arena *arena;
    const char
        *prefix; /* what is before the path in the innermost container, of the member; NULL: not met yet */
    const char *file; /* the member's path there */
    VEC(struct link) link;
    struct error *err;
    bool failed;
};

/* Where a member is to be, below the root. What is only compressed has no path. */
static const char *below_of(const struct object_member *m, struct arena *arena)
{
    const char *path = normalised(m->path + m->inner, arena);
    return *path ? path : "program";
}

static bool find_wanted(void *ctx, const struct object_member *m)
{
    struct unpacking *u = ctx;
    if (m->data && strcmp(normalised(m->path, u->arena), u->wanted) == 0) {
        u->prefix = arena_strndup(u->arena, m->path, m->inner);
        u->file = below_of(m, u->arena);
    }
    return !u->prefix;
}

static bool leads_up(const char *path)
{
    for (size_t n; *path; path += n + (path[n] == '/')) {
        n = strcspn(path, "/");
        if (n == 2 && path[0] == '.' && path[1] == '.')
            return true;
    }
    return false;
}

/* Makes the directories that lead to it, not so many that nobody removes them again. */
static bool make_parents(const char *dir, const char *path)
{
    enum { DEEPEST = 64 };
    char *name = xstrdup(path);
    unsigned depth = 0;
    bool ok = true;
    for (char *at = name + strlen(dir) + 1; ok && (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        errno = ENAMETOOLONG;
        ok = depth++ < DEEPEST && (mkdir(name, 0700) == 0 || errno == EEXIST);
    }
    free(name);
    return ok;
}

static bool failed(struct unpacking *u, const char *path, const char *why)
{
    u->failed = true;
    return error_set(u->err, ERROR_INPUT, "%s: cannot unpack %s: %s", u->path, path, why);
}

/* There are no links in the directory yet: nothing leads out of it. */
static bool write_file(struct unpacking *u, const char *below, const struct object_member *m)
{
    const char *path = arena_printf(u->arena, "%s/%s", u->dir, below);
    int fd = make_parents(u->dir, path)
                 ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700)
                 : -1;
    bool ok = fd >= 0 && write_all(fd, (const char *)m->data, m->size);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok || failed(u, below, why == EEXIST ? "it occurs more than once" : strerror(why));
}

static bool is_loadable(const struct object_member *m)
{
    enum { TYPE = offsetof(Elf32_Ehdr, e_type) };
    if (!m->is_elf || m->size < TYPE + 2)
        return false;
    bool big = m->data[EI_DATA] == ELFDATA2MSB;
    return (m->data[TYPE + !big] << 8 | m->data[TYPE + big]) == ET_DYN;
}

static bool unpack_member(void *ctx, const struct object_member *m)
{
    struct unpacking *u = ctx;
    if (m->error || strlen(u->prefix) != m->inner || strncmp(m->path, u->prefix, m->inner) != 0)
        return true;
    const char *inner = m->path + m->inner;
    const char *below = below_of(m, u->arena);
    bool wanted = !m->is_symlink && strcmp(below, u->file) == 0, more = true;
    if (m->is_symlink) {
        char *to = container_link(below, m->link);
        vec_push(&u->link, (struct link){below, arena_strdup(u->arena, to)});
        free(to);
    } else if (wanted || is_loadable(m)) {
        more = leads_up(inner) ? failed(u, inner, "the path leads out of it") : write_file(u, below, m);
    }
    return more;
}

/* One that cannot be made is missed by whoever needs it. */
static void make_links(const struct unpacking *u)
{
    for (size_t i = 0; i < u->link.len; i++) {
        const char *at = arena_printf(u->arena, "%s/%s", u->dir, u->link.data[i].at);
        if (make_parents(u->dir, at))
            (void)(symlink(arena_printf(u->arena, "%s/%s", u->dir, u->link.data[i].to), at) == 0);
    }
}

bool container_unpack(const char *path, const char *member, const char *dir, struct arena *arena,
                      struct container_unpacked *out, struct error *err)
{
    struct stat st;
    char *wanted = container_member(path, member, err);
    struct unpacking u = {.path = path, .wanted = wanted, .dir = dir, .arena = arena, .err = err};
    bool ok = wanted && container_walk(path, find_wanted, &u, err);
    assert(!ok || u.prefix);
    if (ok && !*u.prefix && stat(path, &st) == 0 && S_ISDIR(st.st_mode)) {
        char *real = realpath(path, NULL);
        out->root = arena_strdup(arena, real ? real : path);
        free(real);
    } else if (ok) {
        out->root = dir;
        if (mkdir(dir, 0700) != 0)
            ok = error_set(err, ERROR_SYSTEM, "%s: %s", dir, strerror(errno));
        ok = ok && container_walk(path, unpack_member, &u, err) && !u.failed;
        if (ok)
            make_links(&u);
    }
    if (ok)
        out->file = arena_printf(arena, "%s/%s", out->root, u.file);
    vec_free(&u.link);
    free(wanted);
    return ok;
}
