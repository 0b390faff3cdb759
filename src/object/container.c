/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Containers, through libarchive. Each level is recognised by its first bytes and opened with exactly the one
 * format or one compression it claims to be: libarchive's own guessing would stack up to 25 decompressors (a
 * bomb), try formats that read other files (mtree) and run external programs (lrzip). */
#include "object/container.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "object/object.h"

enum layer { LAYER_NONE, LAYER_FORMAT, LAYER_FILTER };

typedef int format_fn(struct archive *);

static const struct signature {
    uint16_t offset;
    uint8_t length;
    const char *bytes;
    enum layer layer;
    int filter;
    format_fn *format;
    const char *what;
} signature[] = {
    {0, 8, "!<arch>\n", LAYER_FORMAT, 0, archive_read_support_format_ar, "ar archive"},
    {257, 5, "ustar", LAYER_FORMAT, 0, archive_read_support_format_tar, "tar archive"},
    {0, 4, "PK\003\004", LAYER_FORMAT, 0, archive_read_support_format_zip, "zip archive"},
    {0, 4, "PK\005\006", LAYER_FORMAT, 0, archive_read_support_format_zip, "zip archive"},
    {0, 4, "JM\001\000", LAYER_FORMAT, 0, archive_read_support_format_zip, "jmod archive"},
    {0, 6, "7z\274\257\047\034", LAYER_FORMAT, 0, archive_read_support_format_7zip, "7-zip archive"},
    {0, 6, "070701", LAYER_FORMAT, 0, archive_read_support_format_cpio, "cpio archive"},
    {0, 6, "070702", LAYER_FORMAT, 0, archive_read_support_format_cpio, "cpio archive"},
    {0, 6, "070707", LAYER_FORMAT, 0, archive_read_support_format_cpio, "cpio archive"},
    {0, 3, "\037\213\010", LAYER_FILTER, ARCHIVE_FILTER_GZIP, NULL, "gzip file"},
    {0, 6, "\3757zXZ\000", LAYER_FILTER, ARCHIVE_FILTER_XZ, NULL, "xz file"},
    {0, 3, "BZh", LAYER_FILTER, ARCHIVE_FILTER_BZIP2, NULL, "bzip2 file"},
    {0, 4, "\050\265\057\375", LAYER_FILTER, ARCHIVE_FILTER_ZSTD, NULL, "zstd file"},
    {0, 4, "\004\042\115\030", LAYER_FILTER, ARCHIVE_FILTER_LZ4, NULL, "lz4 file"},
    {0, 4, "LZIP", LAYER_FILTER, ARCHIVE_FILTER_LZIP, NULL, "lzip file"},
    {0, 5, "\135\000\000\200\000", LAYER_FILTER, ARCHIVE_FILTER_LZMA, NULL, "lzma file"},
    {0, 4, "\355\253\356\333", LAYER_FILTER, ARCHIVE_FILTER_RPM, NULL, "rpm package"},
};

/* A tar file from before POSIX has no magic, but the header's checksum is hard to meet by chance. */
static bool is_old_tar(const uint8_t *data, size_t size)
{
    enum { HEADER = 512, CHECKSUM = 148, CHECKSUM_END = 156 };
    if (size < HEADER || data[0] == 0)
        return false;
    unsigned sum = 0, stored = 0, digits = 0;
    for (int i = 0; i < HEADER; i++)
        sum += i >= CHECKSUM && i < CHECKSUM_END ? ' ' : data[i];
    for (int i = CHECKSUM; i < CHECKSUM_END; i++) {
        if (data[i] >= '0' && data[i] <= '7') {
            stored = stored * 8 + (data[i] - '0');
            digits++;
        } else if (digits || data[i] != ' ') {
            break;
        }
    }
    return digits && sum == stored;
}

static const struct signature *recognise(const uint8_t *data, size_t size)
{
    static const struct signature old_tar = {
        0, 0, "", LAYER_FORMAT, 0, archive_read_support_format_tar, "tar archive"};
    for (size_t i = 0; i < sizeof signature / sizeof *signature; i++) {
        const struct signature *s = &signature[i];
        if (size >= (size_t)s->offset + s->length && !memcmp(data + s->offset, s->bytes, s->length))
            return s;
    }
    return is_old_tar(data, size) ? &old_tar : NULL;
}

bool container_is_elf(const uint8_t *data, size_t size)
{
    return size >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG);
}

struct entry {
    char *path;
    size_t inner; /* of struct object_member */
    uint8_t *data;
    size_t size;
    char *link; /* NULL for a file */
    size_t order;
};

struct walk {
    const char *name; /* of the outermost file */
    VEC(struct entry) entry;
    uint64_t total;
};

static void entry_add(struct walk *w, char *path, size_t inner, uint8_t *data, size_t size, char *link)
{
    vec_push(&w->entry, (struct entry){path, inner, data, size, link, w->entry.len});
}

static void walk_free(struct walk *w)
{
    for (size_t i = 0; i < w->entry.len; i++) {
        free(w->entry.data[i].path);
        free(w->entry.data[i].data);
        free(w->entry.data[i].link);
    }
    vec_free(&w->entry);
}

static char *join(const char *a, const char *sep, const char *b)
{
    size_t n = strlen(a) + strlen(sep) + strlen(b) + 1;
    char *s = xmalloc(n);
    size_t at = 0;
    for (int i = 0; i < 3; i++) {
        const char *part = i == 0 ? a : i == 1 ? sep : b;
        memcpy(s + at, part, strlen(part));
        at += strlen(part);
    }
    s[at] = 0;
    return s;
}

/* The rest of the current entry. NULL and an error when it is damaged or too big. */
static uint8_t *read_entry(struct walk *w, struct archive *a, const char *path, size_t *size,
                           struct error *err)
{
    VEC(uint8_t) out = VEC_INIT;
    enum { CHUNK = 64 << 10 };
    for (;;) {
        vec_reserve(&out, out.len + CHUNK);
        la_ssize_t n = archive_read_data(a, out.data + out.len, CHUNK);
        if (n == ARCHIVE_WARN || n == ARCHIVE_RETRY)
            n = ARCHIVE_FAILED;
        if (n < 0) {
            error_set(err, ERROR_INPUT, "%s: cannot read member %s: %s", w->name, path,
                      archive_error_string(a) ? archive_error_string(a) : "damaged");
            vec_free(&out);
            return NULL;
        }
        if (n == 0)
            break;
        out.len += (size_t)n;
        w->total += (uint64_t)n;
        if (w->total > CONTAINER_TOTAL_LIMIT) {
            error_set(err, ERROR_RESOURCE,
                      "%s: unpacks to more than %" PRIu64
                      " MiB (at member %s); unpack it and name the file you mean",
                      w->name, (uint64_t)(CONTAINER_TOTAL_LIMIT >> 20), path);
            vec_free(&out);
            return NULL;
        }
    }
    *size = out.len;
    /* Members are kept until all are known: without the unused part of the last chunk, or many small ones
     * would take more memory than the limit on what is unpacked allows for. */
    return xrealloc(out.data, out.len);
}

static struct archive *open_layer(const struct signature *s, const uint8_t *data, size_t size)
{
    struct archive *a = archive_read_new();
    if (!a)
        alloc_exhausted(0);
    int r;
    if (s->layer == LAYER_FORMAT) {
        r = s->format(a);
    } else {
        r = archive_read_append_filter(a, s->filter);
        if (r == ARCHIVE_OK || r == ARCHIVE_WARN)
            r = archive_read_support_format_raw(a);
    }
    if (r == ARCHIVE_OK || r == ARCHIVE_WARN)
        r = archive_read_open_memory(a, data, size);
    if (r != ARCHIVE_OK && r != ARCHIVE_WARN) {
        archive_read_free(a);
        return NULL;
    }
    return a;
}

static bool collect(struct walk *w, const char *prefix, const uint8_t *data, size_t size, int depth,
                    struct error *err);

/* Adds a member: what is inside it when it is a container itself, or the member. Takes path and data. */
static bool add_member(struct walk *w, char *path, size_t inner, uint8_t *data, size_t size, int depth,
                       struct error *err)
{
    if (!container_is_elf(data, size) && recognise(data, size)) {
        size_t before = w->entry.len;
        struct error why = {0};
        char *prefix = join(path, "/", "");
        bool good = collect(w, prefix, data, size, depth + 1, &why);
        free(prefix);
        if (good && w->entry.len > before) {
            free(path);
            free(data);
            return true;
        }
        if (!good && why.kind == ERROR_RESOURCE) {
            free(path);
            free(data);
            return error_set(err, why.kind, "%s", why.text);
        }
        /* Not what it looked like, or damaged: still a file, and perhaps an irrelevant one. */
        while (w->entry.len > before) {
            struct entry e = vec_pop(&w->entry);
            free(e.path);
            free(e.data);
            free(e.link);
        }
    }
    entry_add(w, path, inner, data, size, NULL);
    return true;
}

/* The name of what a compressed file holds: its own without the directory and the last suffix. */
static char *uncompressed_name(const char *prefix)
{
    size_t n = strlen(prefix);
    if (n && prefix[n - 1] == '/')
        n--;
    size_t start = n;
    while (start > 0 && prefix[start - 1] != '/')
        start--;
    size_t end = n;
    for (size_t i = start + 1; i < n; i++)
        if (prefix[i] == '.')
            end = i;
    char *inner = xmalloc(end - start + 1);
    memcpy(inner, prefix + start, end - start);
    inner[end - start] = 0;
    char *path = join(prefix, "", inner);
    free(inner);
    return path;
}

static bool collect_filter(struct walk *w, const char *prefix, struct archive *a, int depth,
                           struct error *err)
{
    struct archive_entry *e;
    int r = archive_read_next_header(a, &e);
    if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
        return error_set(err, ERROR_INPUT, "%s: cannot unpack %s: %s", w->name, *prefix ? prefix : "it",
                         archive_error_string(a) ? archive_error_string(a) : "empty");
    size_t size;
    uint8_t *data = read_entry(w, a, *prefix ? prefix : "its contents", &size, err);
    if (!data)
        return false;
    bool good = true;
    if (container_is_elf(data, size)) {
        entry_add(w, *prefix ? uncompressed_name(prefix) : xstrdup(""), strlen(prefix), data, size, NULL);
        return true;
    }
    if (recognise(data, size))
        good = collect(w, prefix, data, size, depth + 1, err);
    free(data);
    return good;
}

/* The symbol index and name table of an ar archive are not members to anybody. */
static bool is_ar_table(const char *path)
{
    return !strcmp(path, "/") || !strcmp(path, "//") || !strcmp(path, "/SYM64/") ||
           !strncmp(path, "__.SYMDEF", 9);
}

static bool collect_format(struct walk *w, const char *prefix, struct archive *a, int depth,
                           struct error *err)
{
    for (;;) {
        struct archive_entry *e;
        int r = archive_read_next_header(a, &e);
        if (r == ARCHIVE_EOF)
            return true;
        if (r != ARCHIVE_OK && r != ARCHIVE_WARN)
            return error_set(
                err, ERROR_INPUT, "%s: damaged archive%s%s: %s", w->name, *prefix ? " " : "", prefix,
                archive_error_string(a) ? archive_error_string(a) : "cannot read the next member");
        const char *path = archive_entry_pathname(e);
        if (!path)
            path = archive_entry_pathname_utf8(e);
        if (!path || is_ar_table(path))
            continue;
        if (w->entry.len >= CONTAINER_ENTRY_LIMIT)
            return error_set(err, ERROR_RESOURCE,
                             "%s: more than %d members; unpack it and name the file you mean", w->name,
                             CONTAINER_ENTRY_LIMIT);
        const char *hard = archive_entry_hardlink(e), *soft = archive_entry_symlink(e);
        if (hard || (soft && archive_entry_filetype(e) == AE_IFLNK)) {
            /* A hard link is written from the root of the archive, as an absolute symbolic link is. */
            char *link = hard ? join("/", "", hard) : xstrdup(soft);
            entry_add(w, join(prefix, "", path), strlen(prefix), NULL, 0, link);
            continue;
        }
        if (archive_entry_filetype(e) != AE_IFREG && archive_entry_filetype(e) != 0)
            continue;
        char *full = join(prefix, "", path);
        size_t size;
        uint8_t *data = read_entry(w, a, full, &size, err);
        if (!data) {
            free(full);
            return false;
        }
        if (!add_member(w, full, strlen(prefix), data, size, depth, err))
            return false;
    }
}

static bool collect(struct walk *w, const char *prefix, const uint8_t *data, size_t size, int depth,
                    struct error *err)
{
    const struct signature *s = recognise(data, size);
    if (!s)
        return error_set(
            err, ERROR_INPUT,
            "%s: neither an ELF file nor an archive (deb, rpm, tar, zip, ar, cpio, 7z, compressed)", w->name);
    if (depth > CONTAINER_DEPTH_LIMIT)
        return error_set(err, ERROR_RESOURCE,
                         "%s: containers nested more than %d deep%s%s; unpack it and name the file you mean",
                         w->name, CONTAINER_DEPTH_LIMIT, *prefix ? ", at " : "", prefix);
    struct archive *a = open_layer(s, data, size);
    if (!a)
        return error_set(err, ERROR_INPUT, "%s: cannot open %s as %s", w->name, *prefix ? prefix : "it",
                         s->what);
    bool good = s->layer == LAYER_FORMAT ? collect_format(w, prefix, a, depth, err)
                                         : collect_filter(w, prefix, a, depth, err);
    archive_read_free(a);
    return good;
}

static int entry_order(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int c = strcmp(x->path, y->path);
    return c ? c : x->order < y->order ? -1 : x->order > y->order;
}

static bool visit(struct walk *w, object_member_fn *fn, void *ctx)
{
    vec_sort(&w->entry, entry_order);
    for (size_t i = 0; i < w->entry.len; i++) {
        const struct entry *e = &w->entry.data[i];
        struct object_member m = {.path = e->path,
                                  .inner = e->inner,
                                  .data = e->data,
                                  .size = e->size,
                                  .is_elf = e->data && container_is_elf(e->data, e->size),
                                  .is_symlink = e->link != NULL,
                                  .link = e->link};
        if (!fn(ctx, &m))
            return false;
    }
    return true;
}

bool container_walk_memory(const char *name, const uint8_t *data, size_t size, object_member_fn *fn,
                           void *ctx, struct error *err)
{
    if (container_is_elf(data, size)) {
        struct object_member m = {.path = "", .data = data, .size = size, .is_elf = true};
        fn(ctx, &m);
        return true;
    }
    if (size >= 8 && !memcmp(data, "!<thin>\n", 8))
        return error_set(err, ERROR_UNSUPPORTED,
                         "%s: a thin archive, which only names its members; give the object files themselves",
                         name);
    struct walk w = {.name = name};
    bool good = collect(&w, "", data, size, 0, err);
    if (good)
        visit(&w, fn, ctx);
    walk_free(&w);
    return good;
}

static bool too_large(const char *path, struct error *err)
{
    return error_set(err, ERROR_RESOURCE, "%s: larger than %" PRIu64 " MiB", path,
                     (uint64_t)(CONTAINER_TOTAL_LIMIT >> 20));
}

uint8_t *container_read_file(const char *path, size_t *size, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        error_set(err, ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
        error_set(err, ERROR_INPUT, "%s: not a regular file", path);
        close(fd);
        return NULL;
    }
    VEC(uint8_t) out = VEC_INIT;
    bool good = true;
    if (S_ISREG(st.st_mode) && st.st_size > 0 && (uint64_t)st.st_size <= CONTAINER_TOTAL_LIMIT)
        vec_reserve(&out, (size_t)st.st_size + 1);
    else if (S_ISREG(st.st_mode) && st.st_size > 0)
        good = too_large(path, err);
    while (good) {
        vec_reserve(&out, out.len + 1);
        ssize_t n = read(fd, out.data + out.len, out.cap - out.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            good = error_set(err, ERROR_INPUT, "%s: cannot read: %s", path, strerror(errno));
        if (n <= 0)
            break;
        out.len += (size_t)n;
        if (out.len > CONTAINER_TOTAL_LIMIT)
            good = too_large(path, err);
    }
    close(fd);
    if (!good) {
        vec_free(&out);
        return NULL;
    }
    *size = out.len;
    return out.data;
}

/* ---- directories ---- */

struct listed {
    char *path;  /* relative to the root */
    char *error; /* of a folder that cannot be looked into; NULL */
};

struct listing {
    VEC(struct listed) file;
};

static int path_order(const void *a, const void *b)
{
    return strcmp(((const struct listed *)a)->path, ((const struct listed *)b)->path);
}

/* Takes the path. */
static void list_error(struct listing *l, const char *root, char *path, int why)
{
    struct error err;
    error_set(&err, ERROR_INPUT, "%s/%s: cannot read: %s", root, path, strerror(why));
    vec_push(&l->file, (struct listed){path, xstrdup(err.text)});
}

static bool list_directory(struct listing *l, const char *root, const char *under, int depth,
                           struct error *err)
{
    enum { DIRECTORY_DEPTH = 64 };
    if (depth > DIRECTORY_DEPTH)
        return error_set(err, ERROR_RESOURCE, "%s/%s: directories nested more than %d deep", root, under,
                         DIRECTORY_DEPTH);
    char *full = join(root, "/", under);
    DIR *d = opendir(full);
    int why = errno;
    bool good = true;
    if (!d && *under)
        list_error(l, root, xstrdup(under), why);
    else if (!d)
        good = error_set(err, ERROR_INPUT, "%s: cannot open: %s", full, strerror(why));
    free(full);
    if (!d)
        return good;
    struct dirent *e;
    while (good && (e = readdir(d))) {
        if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
            continue;
        char *path = *under ? join(under, "/", e->d_name) : xstrdup(e->d_name);
        struct stat st;
        if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
            list_error(l, root, path, errno);
        } else if (S_ISDIR(st.st_mode)) {
            good = list_directory(l, root, path, depth + 1, err);
            free(path);
        } else if (S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) {
            vec_push(&l->file, (struct listed){.path = path});
        } else {
            free(path);
        }
        if (good && l->file.len > CONTAINER_ENTRY_LIMIT)
            good = error_set(err, ERROR_RESOURCE, "%s: more than %d files", root, CONTAINER_ENTRY_LIMIT);
    }
    closedir(d);
    return good;
}

static bool visit_error(const char *path, const char *error, object_member_fn *fn, void *ctx)
{
    struct object_member m = {.path = path, .error = error};
    return fn(ctx, &m);
}

/* *more is false once the callback has had enough. A file that cannot be read does not keep the others from
 * being visited. */
static bool visit_file(const char *full, const char *path, object_member_fn *fn, void *ctx, bool *more,
                       struct error *err)
{
    struct walk w = {.name = full};
    char link[4096];
    ssize_t n = readlink(full, link, sizeof link - 1);
    bool good = true;
    if (n >= 0) {
        link[n] = 0;
        entry_add(&w, xstrdup(path), 0, NULL, 0, xstrdup(link));
    } else {
        size_t size;
        struct error why = {0};
        uint8_t *data = container_read_file(full, &size, &why);
        if (!data) {
            *more = visit_error(path, why.text, fn, ctx);
            return true;
        }
        good = add_member(&w, xstrdup(path), 0, data, size, 0, err);
    }
    if (good)
        *more = visit(&w, fn, ctx);
    walk_free(&w);
    return good;
}

static bool walk_directory(const char *root, object_member_fn *fn, void *ctx, struct error *err)
{
    struct listing l = {VEC_INIT};
    bool good = list_directory(&l, root, "", 0, err), more = true;
    vec_sort(&l.file, path_order);
    for (size_t i = 0; good && more && i < l.file.len; i++) {
        const struct listed *x = &l.file.data[i];
        char *full = join(root, "/", x->path);
        if (x->error)
            more = visit_error(x->path, x->error, fn, ctx);
        else
            good = visit_file(full, x->path, fn, ctx, &more, err);
        free(full);
    }
    for (size_t i = 0; i < l.file.len; i++) {
        free(l.file.data[i].path);
        free(l.file.data[i].error);
    }
    vec_free(&l.file);
    return good;
}

bool container_walk(const char *path, object_member_fn *fn, void *ctx, struct error *err)
{
    struct stat st;
    if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
        return walk_directory(path, fn, ctx, err);
    size_t size;
    uint8_t *data = container_read_file(path, &size, err);
    if (!data)
        return false;
    bool good = container_walk_memory(path, data, size, fn, ctx, err);
    free(data);
    return good;
}
