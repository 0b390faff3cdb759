/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was given, as something that can be run: packages are unpacked, object files are linked. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/poc_internal.h"
#include "base/system.h"
#include "object/unpack.h"

/* The beginning of a file, which is a regular one. */
static size_t head_of(const char *path, uint8_t *out, size_t cap)
{
    struct stat st;
    int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? read(fd, out, cap) : 0;
    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

static bool is_object_file(const char *path)
{
    enum { TYPE = offsetof(Elf32_Ehdr, e_type) };
    uint8_t head[TYPE + 2];
    return head_of(path, head, sizeof head) == sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0 &&
           (head[TYPE] | head[TYPE + 1]) == ET_REL;
}

/* Linkers only say that it does not fit. */
static bool is_for_machine(const struct poc_asking *a, const struct poc_file *f, struct error *err)
{
    struct object *o =
        object_open(f->path, &(struct object_options){.no_debug = true, .no_digest = true}, err);
    if (!o)
        return false;
    bool ok = !a->p || object_info(o)->arch == program_machine(a->p)->arch ||
              error_set(err, ERROR_INPUT, "%s is for %s, and %s is for %s", f->name,
                        object_info(o)->arch_name, a->old.name, object_info(program_object(a->p))->arch_name);
    object_free(o);
    return ok;
}

static bool link_object(struct poc_asking *a, size_t index, struct poc_file *f, struct error *err)
{
    if (!a->q->link)
        return error_set(
            err, ERROR_INPUT,
            "%s is an object file, which cannot be run; say with --link how a program is made of it: "
            "--link 'cc -o {} {object} main.o'",
            f->name);
    if (!is_for_machine(a, f, err) || !poc_link(a, index, f, err))
        return false;
    f->root = NULL; /* what was linked is not in the package */
    return !is_object_file(f->path) ||
           error_set(err, ERROR_INPUT, "%s: the command of --link makes an object file of it, and no program",
                     f->name);
}

/* ---- packages ---- */

enum wanted { WANT_PROGRAM, WANT_LIBRARY, WANT_OBJECT };

static bool is_wanted(enum object_type type, enum wanted w)
{
    return w == WANT_OBJECT    ? type == OBJECT_RELOCATABLE
           : w == WANT_LIBRARY ? type == OBJECT_SHARED
                               : type == OBJECT_EXECUTABLE || type == OBJECT_PIE;
}

/* Some of the paths. */
static const char *names_of(const struct container_program *p, size_t n, enum wanted w, struct arena *arena)
{
    enum { SHOWN = 12 };
    struct buf b = BUF_INIT;
    size_t shown = 0;
    for (size_t i = 0; i < n; i++)
        if (is_wanted(p[i].type, w) && shown++ <= SHOWN)
            buf_printf(&b, "%s%s", shown > 1 ? ", " : "", shown > SHOWN ? "..." : p[i].inner);
    const char *out = arena_strdup(arena, buf_text(&b));
    buf_free(&b);
    return out;
}

/* The only member that can be meant. */
static const char *only_member(struct poc_asking *a, const struct poc_file *f, const char *package,
                               struct error *err)
{
    static const char *const what[] = {"programs", "libraries", "object files"};
    const struct container_program *p;
    size_t n, found = 0, libraries = 0;
    const char *only = NULL;
    enum wanted w = f == &a->harness ? WANT_PROGRAM
                    : a->q->link     ? WANT_OBJECT
                    : a->q->harness  ? WANT_LIBRARY
                                     : WANT_PROGRAM;
    if (!container_programs(package, &a->arena, &p, &n, err))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        libraries += p[i].type == OBJECT_SHARED;
        if (is_wanted(p[i].type, w) && found++ == 0)
            only = p[i].path;
    }
    if (found == 1)
        return only;
    if (found)
        error_set(err, ERROR_INPUT, "%s: contains %zu %s; name one %s: %s", f->name, found, what[w],
                  f == &a->harness ? "as PACKAGE:MEMBER" : "with --member", names_of(p, n, w, &a->arena));
    else if (w == WANT_PROGRAM && libraries)
        error_set(
            err, ERROR_INPUT,
            "%s: no program in it that can be run; for a library, name it with --member and a program that "
            "loads it with --harness: %s",
            f->name, names_of(p, n, WANT_LIBRARY, &a->arena));
    else
        error_set(err, ERROR_INPUT, "%s: no %s (ELF files) in it", f->name, what[w]);
    return NULL;
}

static bool is_elf(const char *path)
{
    uint8_t head[SELFMAG];
    return head_of(path, head, sizeof head) == sizeof head && memcmp(head, ELFMAG, SELFMAG) == 0;
}

static bool unpack(struct poc_asking *a, size_t index, struct poc_file *f, const char *package,
                   const char *member, struct error *err)
{
    struct container_unpacked out;
    const char *dir = arena_printf(&a->arena, "%s/package%06zu", a->all, index);
    if (!member && f != &a->harness)
        member = a->q->member;
    if (!member)
        member = only_member(a, f, package, err);
    if (!member || !container_unpack(package, member, dir, &a->arena, &out, err))
        return false;
    f->path = out.file;
    f->root = out.root;
    a->packages++;
    return true;
}

bool poc_file_make(struct poc_asking *a, size_t index, struct poc_file *f, struct error *err)
{
    struct stat st;
    char *package = NULL, *member = NULL;
    bool there = stat(f->path, &st) == 0, ok = true;
    if (there ? S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !is_elf(f->path))
              : container_split(f->path, &package, &member))
        ok = unpack(a, index, f, package ? package : f->path, member, err);
    free(package);
    free(member);
    return ok && (!is_object_file(f->path) || link_object(a, index, f, err));
}

/* A directory of a search path, below the root; NULL: it is not. */
static const char *below_root(struct poc_asking *a, const char *dir, size_t n)
{
    static const char *const origin[] = {"$ORIGIN", "${ORIGIN}"};
    for (size_t i = 0; i < 2 && a->old.root; i++) {
        size_t k = strlen(origin[i]);
        const char *inside = a->old.path + strlen(a->old.root) + 1;
        if (n >= k && strncmp(dir, origin[i], k) == 0)
            return arena_printf(&a->arena, "%.*s%.*s", (int)(path_base(inside) - inside), inside,
                                (int)(n - k), dir + k);
    }
    return n > 1 && *dir == '/' ? arena_strndup(&a->arena, dir + 1, n - 1) : NULL;
}

const char *const *poc_library_dirs(struct poc_asking *a)
{
    const struct object_dynamic *d;
    size_t n = object_dynamic(program_object(a->p), &d);
    const char *const *usual = library_dirs(program_machine(a->p)->arch, &a->arena);
    VEC(const char *) all = VEC_INIT;
    for (; *usual; usual++)
        vec_push(&all, *usual);
    for (size_t i = 0; i < n; i++)
        for (const char *at = d[i].tag == DT_RUNPATH || d[i].tag == DT_RPATH ? d[i].text : NULL; at && *at;) {
            size_t len = strcspn(at, ":");
            const char *dir = below_root(a, at, len);
            if (dir)
                vec_push(&all, dir);
            at += len + (at[len] == ':');
        }
    vec_push(&all, NULL);
    const char *const *out = arena_dup(&a->arena, all.data, all.len * sizeof *all.data);
    vec_free(&all);
    return out;
}

/* All of `from` becomes `to`. */
static void replace(struct error *err, const char *from, const char *to)
{
    struct buf b = BUF_INIT;
    const char *at = err->text, *next;
    if (!from || strcmp(from, to) == 0)
        return;
    for (; (next = strstr(at, from)); at = next + strlen(from)) {
        buf_put(&b, at, (size_t)(next - at));
        buf_puts(&b, to);
    }
    buf_puts(&b, at);
    snprintf(err->text, sizeof err->text, "%s", buf_text(&b));
    buf_free(&b);
}

void poc_file_name(const struct poc_file *f, struct error *err)
{
    replace(err, f->object, f->name);
    replace(err, f->path, f->name);
}
