/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what a user writes ("file", "libfoo.a(bar.o)", "pkg.deb:usr/bin/foo") to the bytes of one program. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "object/container.h"
#include "object/private.h"

char *container_normalise(const char *path)
{
    char *out = xmalloc(strlen(path) + 1);
    size_t n = 0;
    while (*path) {
        size_t len = strcspn(path, "/");
        if (len == 2 && path[0] == '.' && path[1] == '.') {
            while (n > 0 && out[--n] != '/')
                ;
        } else if (len && !(len == 1 && path[0] == '.')) {
            if (n)
                out[n++] = '/';
            memcpy(out + n, path, len);
            n += len;
        }
        path += len;
        path += *path == '/';
    }
    out[n] = 0;
    return out;
}

struct search {
    char *want;       /* normalised member, or NULL for the only program; its own */
    char *path;       /* best match so far, normalised */
    uint8_t *data;
    size_t size;
    char *link;
    size_t matches;   /* different paths as good as the best */
    bool twice;       /* the best is there again, and differs */
    char *error;      /* of a file that could not be read and may be what is wanted */
    struct buf names; /* programs seen, for the message */
    size_t nnames;
};

static void search_keep(struct search *s, char *path, const struct object_member *m)
{
    free(s->path);
    free(s->data);
    free(s->link);
    s->path = path;
    s->link = m->is_symlink ? xstrdup(m->link) : NULL;
    s->data = xmalloc(m->size ? m->size : 1);
    s->size = m->size;
    if (m->size)
        memcpy(s->data, m->data, m->size);
    s->matches = 1;
    s->twice = false;
}

/* Whether a member with the path of the best match is the same file. */
static bool search_same(const struct search *s, const struct object_member *m)
{
    if (m->is_symlink || s->link)
        return m->is_symlink && s->link && !strcmp(m->link, s->link);
    return m->size == s->size && (!m->size || !memcmp(m->data, s->data, m->size));
}

static bool search_member(void *ctx, const struct object_member *m)
{
    enum { NAMES_SHOWN = 12 };
    struct search *s = ctx;
    char *path = container_normalise(m->path);
    if (m->error) {
        if (!s->error && (!s->want || !strcmp(path, s->want)))
            s->error = xstrdup(m->error);
        free(path);
        return true;
    }
    if (m->is_elf && ++s->nnames <= NAMES_SHOWN)
        buf_printf(&s->names, "%s%s", s->names.len ? ", " : "", path);
    if (!s->want) {
        if (m->is_elf && !s->path)
            search_keep(s, path, m);
        else
            free(path);
        return true;
    }
    size_t n = strlen(path), k = strlen(s->want);
    bool exact = !strcmp(path, s->want);
    bool tail = n > k && path[n - k - 1] == '/' && !strcmp(path + n - k, s->want);
    /* The shortest tail match is the one nearest the root of its container. */
    if ((exact || tail) && (!s->path || n < strlen(s->path))) {
        search_keep(s, path, m);
        return true;
    }
    if ((exact || tail) && n == strlen(s->path)) {
        if (strcmp(path, s->path))
            s->matches++;
        else if (!search_same(s, m))
            s->twice = true;
    }
    free(path);
    return true;
}

static void search_free(struct search *s)
{
    free(s->want);
    free(s->path);
    free(s->data);
    free(s->link);
    free(s->error);
    buf_free(&s->names);
}

char *container_link(const char *path, const char *link)
{
    if (link[0] == '/')
        return container_normalise(link);
    const char *slash = strrchr(path, '/');
    struct buf b = BUF_INIT;
    buf_put(&b, path, slash ? (size_t)(slash - path) : 0);
    buf_putc(&b, '/');
    buf_puts(&b, link);
    char *out = container_normalise(buf_text(&b));
    buf_free(&b);
    return out;
}

/* Whether it found the one program that is meant. */
static bool search_good(const char *container, const struct search *s, struct error *err)
{
    if (s->error && (!s->path || !s->want))
        return error_set(err, ERROR_INPUT, "%s", s->error);
    if (s->nnames == 0 && !s->path)
        return error_set(err, ERROR_INPUT, "%s: no program (ELF file) in it", container);
    if (!s->want && s->nnames > 1)
        return error_set(err, ERROR_INPUT, "%s: contains %zu programs; name one as \"%s:MEMBER\": %s%s",
                         container, s->nnames, container, buf_text(&s->names), s->nnames > 12 ? ", ..." : "");
    if (!s->path)
        return error_set(err, ERROR_INPUT, "%s: no member %s; programs in it: %s%s", container, s->want,
                         buf_text(&s->names), s->nnames > 12 ? ", ..." : "");
    if (s->matches > 1)
        return error_set(err, ERROR_INPUT,
                         "%s: %s matches several members; give the whole path. Programs in it: %s", container,
                         s->want, buf_text(&s->names));
    /* Unpacking would leave the last; which one is meant is not for us to guess. */
    if (s->twice)
        return error_set(
            err, ERROR_INPUT,
            "%s: member %s occurs more than once, with different contents; unpack it and name the "
            "file you mean",
            container, s->path);
    if (!container_is_elf(s->data, s->size))
        return error_set(err, ERROR_INPUT, "%s: member %s is not an ELF file", container, s->path);
    return true;
}

static struct object *open_search(const char *container, const char *spec, struct search *s,
                                  const struct object_options *opt, struct error *err)
{
    if (!search_good(container, s, err))
        return NULL;
    const char *name = spec;
    struct buf made = BUF_INIT;
    if (!s->want && *s->path) {
        buf_printf(&made, "%s:%s", container, s->path);
        name = buf_text(&made);
    }
    struct object *o = object_open_memory(name, s->data, s->size, opt, err);
    buf_free(&made);
    return o;
}

static struct object *open_file(const char *path, const struct object_options *opt, struct error *err);

/* What is searched: a directory or file by name, or a file already read (a pipe cannot be read twice). */
struct source {
    const char *path;
    const uint8_t *data; /* NULL: not read yet */
    size_t size;
};

static bool walk_source(const struct source *from, object_member_fn *fn, void *ctx, struct error *err)
{
    return from->data ? container_walk_memory(from->path, from->data, from->size, fn, ctx, err)
                      : container_walk(from->path, fn, ctx, err);
}

/* Whether a file is in a directory after all links were followed: those of an unpacked package mean files of
 * that package, and not of this machine. */
static bool lies_in(const char *path, const char *directory)
{
    char *file = realpath(path, NULL), *root = realpath(directory, NULL);
    size_t n = root ? strlen(root) : 0;
    bool in = file && root && !strncmp(file, root, n) && (file[n] == '/' || root[n - 1] == '/');
    free(file);
    free(root);
    return in;
}

/* Searches, from one link to the next. */
static bool find(const struct source *from, const char *member, struct search *s, struct error *err)
{
    enum { LINK_LIMIT = 8 };
    char *want = member ? container_normalise(member) : NULL;
    bool good;
    for (int hop = 0;; hop++) {
        *s = (struct search){.want = want};
        good = walk_source(from, search_member, s, err);
        bool follows = good && s->link && s->matches == 1 && !s->twice;
        if (follows && hop == LINK_LIMIT)
            good = error_set(err, ERROR_INPUT, "%s: member %s is a cycle of symbolic links", from->path,
                             s->path);
        if (!follows || hop == LINK_LIMIT)
            break;
        want = container_link(s->path, s->link);
        search_free(s);
    }
    return good;
}

static struct object *open_member(const struct source *from, const char *member, const char *spec,
                                  const struct object_options *opt, struct error *err)
{
    struct stat st;
    const char *container = from->path;
    if (member && stat(container, &st) == 0 && S_ISDIR(st.st_mode)) {
        /* A file of a directory can be opened where it is, with its debug file next to it. */
        struct buf path = BUF_INIT;
        buf_printf(&path, "%s/%s", container, member);
        bool there =
            stat(buf_text(&path), &st) == 0 && S_ISREG(st.st_mode) && lies_in(buf_text(&path), container);
        struct object *o = there ? open_file(buf_text(&path), opt, err) : NULL;
        buf_free(&path);
        if (there)
            return o;
    }
    struct search s;
    struct object *o = find(from, member, &s, err) ? open_search(container, spec, &s, opt, err) : NULL;
    search_free(&s);
    return o;
}

char *container_member(const char *path, const char *member, struct error *err)
{
    struct search s;
    bool good = find(&(struct source){.path = path}, member, &s, err) && search_good(path, &s, err);
    char *found = good ? xstrdup(s.path) : NULL;
    search_free(&s);
    return found;
}

static struct object *open_file(const char *path, const struct object_options *opt, struct error *err)
{
    size_t size;
    uint8_t *data = container_read_file(path, &size, err);
    if (!data)
        return NULL;
    struct object *o = NULL;
    if (container_is_elf(data, size)) {
        const char *slash = strrchr(path, '/');
        struct buf dir = BUF_INIT;
        if (slash)
            buf_put(&dir, path, slash == path ? 1 : (size_t)(slash - path));
        else
            buf_puts(&dir, ".");
        o = object_open_at(path, buf_text(&dir), data, size, opt, err);
        buf_free(&dir);
        free(data);
        return o;
    }
    struct source from = {path, data, size};
    o = open_member(&from, NULL, path, opt, err);
    free(data);
    return o;
}

static bool exists(const char *path, struct stat *st)
{
    return stat(path, st) == 0;
}

/* "container(member)", then "container:member"; a file name may hold either character itself. */
bool container_split(const char *path, char **container, char **member)
{
    struct stat st;
    size_t n = strlen(path);
    *container = *member = NULL;
    if (exists(path, &st))
        return false;
    for (size_t i = n; i-- > 1;) {
        bool paren = path[i] == '(' && path[n - 1] == ')';
        if (!paren && path[i] != ':')
            continue;
        *container = xstrdup(path);
        (*container)[i] = '\0';
        if (exists(*container, &st)) {
            *member = xstrdup(path + i + 1);
            (*member)[n - i - 1 - paren] = '\0';
            return true;
        }
        free(*container);
        *container = NULL;
    }
    return false;
}

struct object *object_open(const char *path, const struct object_options *opt, struct error *err)
{
    struct stat st;
    if (exists(path, &st))
        return S_ISDIR(st.st_mode) ? open_member(&(struct source){.path = path}, NULL, path, opt, err)
                                   : open_file(path, opt, err);
    int why = errno;
    char *container, *member;
    if (!container_split(path, &container, &member)) {
        error_set(err, ERROR_INPUT, "%s: cannot open: %s", path, strerror(why));
        return NULL;
    }
    struct object *o = open_member(&(struct source){.path = container}, member, path, opt, err);
    free(container);
    free(member);
    return o;
}
