/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "java/path.h"

#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/map.h"
#include "base/vec.h"
#include "java/image.h"

enum { CLASS_MAX = 64 << 20 }; /* bytes of one class file */

enum part_kind { PART_DIRECTORY, PART_ZIP, PART_IMAGE };

struct entry {
    const char *name;
    uint64_t at; /* where its header begins in the file */
    uint64_t size;
};

struct part {
    enum part_kind kind;
    char *path;
    const uint8_t *data; /* mapped */
    size_t size;
    struct java_image image;
    VEC(struct entry) entry;
    struct strmap by_name; /* -> index of entry */
    struct arena arena;
};

struct java_path {
    VEC(struct part *) part; /* the JDK's last */
    char *home;
};

struct java_path *java_path_new(void)
{
    return xcalloc(1, sizeof(struct java_path));
}

void java_path_free(struct java_path *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->part.len; i++) {
        struct part *t = p->part.data[i];
        if (t->data)
            munmap((void *)(uintptr_t)t->data, t->size);
        vec_free(&t->entry);
        strmap_free(&t->by_name);
        arena_free(&t->arena);
        free(t->path);
        free(t);
    }
    vec_free(&p->part);
    free(p->home);
    free(p);
}

static bool map_file(struct part *t, struct error *err)
{
    struct stat st;
    int fd = open(t->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0) {
        int why = errno;
        if (fd >= 0)
            close(fd);
        return error_set(err, ERROR_INPUT, "%s: %s", t->path, strerror(why));
    }
    void *p = S_ISREG(st.st_mode) && st.st_size > 0
                  ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                  : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return error_set(err, ERROR_INPUT, "%s: an empty file, or not a file that can be mapped", t->path);
    t->data = p;
    t->size = (size_t)st.st_size;
    return true;
}

/* ---- zip files ---- */

static uint32_t le(const uint8_t *p, unsigned bytes)
{
    uint32_t v = 0;
    for (unsigned i = bytes; i-- > 0;)
        v = v << 8 | p[i];
    return v;
}

/* The list at the end (APPNOTE.TXT 4.3.12, 4.3.16). A jmod has four bytes before its first entry, which the
 * offsets in it do not count. */
static bool read_zip(struct part *t, struct error *err)
{
    enum { END = 22, COMMENT_MAX = 65535, ITEM = 46 };
    static const uint8_t end_magic[] = {'P', 'K', 5, 6}, item_magic[] = {'P', 'K', 1, 2};
    size_t at, low = t->size > END + COMMENT_MAX ? t->size - END - COMMENT_MAX : 0;
    bool found = false;
    for (at = t->size >= END ? t->size - END + 1 : 0; !found && at-- > low;)
        found = memcmp(t->data + at, end_magic, sizeof end_magic) == 0;
    if (!found)
        return error_set(err, ERROR_INPUT,
                         "%s: a jar without a list of its files: it is cut short, or no jar", t->path);
    uint64_t size = le(t->data + at + 12, 4), first = le(t->data + at + 16, 4);
    unsigned count = le(t->data + at + 10, 2);
    if (size > at || first > at - size)
        return error_set(err, ERROR_INPUT, "%s: the list of the jar's files is not where it should be",
                         t->path);
    uint64_t before = at - size - first;
    const uint8_t *p = t->data + at - size, *end = t->data + at;
    while (end - p >= ITEM && memcmp(p, item_magic, sizeof item_magic) == 0) {
        unsigned name = le(p + 28, 2), skip = le(p + 30, 2) + le(p + 32, 2);
        uint64_t header = le(p + 42, 4) + before;
        if ((size_t)(end - p) - ITEM < name + skip || header >= t->size)
            return error_set(err, ERROR_INPUT, "%s: the list of the jar's files is damaged", t->path);
        const char *text = arena_strndup(&t->arena, (const char *)p + ITEM, name);
        if (strncmp(text, "classes/", 8) == 0 && before)
            text += 8; /* a jmod */
        strmap_set(&t->by_name, text, t->entry.len);
        vec_push(&t->entry, (struct entry){text, header, le(p + 24, 4)});
        p += ITEM + name + skip;
    }
    if (p != end || (t->entry.len & 0xffff) != count)
        return error_set(err, ERROR_INPUT, "%s: the list of the jar's files is damaged", t->path);
    return true;
}

/* One entry: libarchive reads the file as a stream that begins with it. */
static const uint8_t *unpack(const struct part *t, const struct entry *e, size_t *size, struct arena *arena,
                             struct error *err)
{
    struct archive *a = archive_read_new();
    struct archive_entry *head;
    uint8_t *out = NULL;
    if (e->size <= CLASS_MAX && archive_read_support_format_zip_streamable(a) == ARCHIVE_OK &&
        archive_read_open_memory(a, t->data + e->at, t->size - e->at) == ARCHIVE_OK &&
        archive_read_next_header(a, &head) == ARCHIVE_OK) {
        out = arena_alloc(arena, e->size + 1);
        la_ssize_t n = archive_read_data(a, out, e->size + 1);
        if (n < 0 || (uint64_t)n != e->size)
            out = NULL;
    }
    archive_read_free(a);
    if (!out)
        error_set(err, ERROR_INPUT, "%s: %s cannot be unpacked", t->path, e->name);
    *size = (size_t)e->size;
    return out;
}

/* ---- parts ---- */

static bool add(struct java_path *p, const char *path, enum part_kind kind, struct error *err)
{
    struct part *t = xcalloc(1, sizeof *t);
    t->kind = kind;
    t->path = xstrdup(path);
    vec_push(&p->part, t);
    if (kind == PART_DIRECTORY)
        return true;
    if (!map_file(t, err))
        return false;
    if (kind == PART_ZIP)
        return read_zip(t, err);
    return java_image_open(&t->image, t->data, t->size) ||
           error_set(err, ERROR_INPUT, "%s: not an image of a JDK's modules", path);
}

bool java_path_add(struct java_path *p, const char *list, struct error *err)
{
    for (const char *s = list; *s;) {
        size_t n = strcspn(s, ":");
        char *path = n ? strndup(s, n) : NULL;
        struct stat st;
        bool ok = true;
        if (path && stat(path, &st) != 0)
            ok = error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
        else if (path)
            ok = add(p, path, S_ISDIR(st.st_mode) ? PART_DIRECTORY : PART_ZIP, err);
        free(path);
        if (!ok)
            return false;
        s += n + (s[n] == ':');
    }
    return true;
}

/* The number of the Java release in a JDK's file `release`; 0: none. */
static unsigned release_of(const char *dir)
{
    char name[1024], line[256];
    unsigned version = 0;
    snprintf(name, sizeof name, "%s/release", dir);
    FILE *f = fopen(name, "re");
    while (f && !version && fgets(line, sizeof line, f))
        if (sscanf(line, "JAVA_VERSION=\"%u", &version) != 1)
            version = 0;
    if (f)
        fclose(f);
    snprintf(name, sizeof name, "%s/lib/modules", dir);
    return access(name, R_OK) == 0 ? version : 0;
}

/* The one that JAVA_HOME names, unless it is too old or too new; else that with the highest version that can be read, 17 before all
 * others, for it is what is tested most. */
static char *installed(struct error *err)
{
    enum { OLDEST = 9, TESTED = 17, NEWEST = 21 };
    static const char base[] = "/usr/lib/jvm";
    const char *home = getenv("JAVA_HOME");
    unsigned release = home && *home ? release_of(home) : 0;
    if (release >= OLDEST && release <= NEWEST)
        return xstrdup(home);
    if (home && *home && !release) {
        error_set(err, ERROR_INPUT,
                  "%s: JAVA_HOME names it, and it is not the directory of a JDK: set it right, unset it, or say "
                  "where one is with --jdk DIR",
                  home);
        return NULL;
    }
    DIR *d = opendir(base);
    char *best = NULL;
    unsigned rank = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        char dir[1024];
        int n = snprintf(dir, sizeof dir, "%s/%s", base, e->d_name);
        unsigned v = e->d_name[0] != '.' && n > 0 && (size_t)n < sizeof dir ? release_of(dir) : 0;
        unsigned is = v < OLDEST || v > NEWEST ? 0 : v == TESTED ? 1000 : v;
        /* the same for every order of the directory */
        if (is && (is > rank || (is == rank && strcmp(dir, best) < 0))) {
            free(best);
            best = xstrdup(dir);
            rank = is;
        }
    }
    if (d)
        closedir(d);
    if (!best)
        error_set(err, ERROR_INPUT,
                  "no JDK of Java 9 to 21 in /usr/lib/jvm or JAVA_HOME: install "
                  "openjdk-17-jre-headless, or say where one is with --jdk DIR");
    return best;
}

bool java_path_jdk(struct java_path *p, const char *dir, struct error *err)
{
    p->home = dir ? xstrdup(dir) : installed(err);
    if (!p->home)
        return false;
    unsigned release = release_of(p->home);
    if (!release)
        return error_set(err, ERROR_INPUT,
                         "%s: not the directory of a JDK: it has no release and lib/modules", p->home);
    char name[1024];
    snprintf(name, sizeof name, "%s/lib/modules", p->home);
    return add(p, name, PART_IMAGE, err);
}

const char *java_path_home(const struct java_path *p)
{
    return p->home;
}

/* ---- finding ---- */

static const uint8_t *read_file(const char *path, size_t *size, struct arena *arena, struct error *err)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    uint8_t *out = NULL;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= CLASS_MAX) {
        out = arena_alloc(arena, (size_t)st.st_size + 1);
        size_t at = 0;
        ssize_t n;
        while (at < (size_t)st.st_size && (n = read(fd, out + at, (size_t)st.st_size - at)) > 0)
            at += (size_t)n;
        *size = at;
    } else {
        error_set(err, ERROR_INPUT, "%s: cannot be read", path);
    }
    close(fd);
    return out;
}

const uint8_t *java_path_find(struct java_path *p, const char *file, size_t *size, const char **origin,
                              struct arena *arena, struct error *err)
{
    for (size_t i = 0; i < p->part.len; i++) {
        struct part *t = p->part.data[i];
        const uint8_t *out = NULL;
        uint64_t at;
        struct error why = {0};
        *origin = arena_printf(arena, "%s%s%s", t->path, t->kind == PART_DIRECTORY ? "/" : ":", file);
        if (t->kind == PART_IMAGE)
            out = java_image_find(&t->image, file, size);
        else if (t->kind == PART_DIRECTORY)
            out = strstr(file, "..") ? NULL : read_file(*origin, size, arena, &why);
        else if (strmap_get(&t->by_name, file, &at))
            out = unpack(t, &t->entry.data[at], size, arena, &why);
        if (why.kind && err)
            *err = why;
        if (out || why.kind)
            return out;
    }
    return NULL;
}

bool java_path_is_system(const struct java_path *p, const char *origin)
{
    for (size_t i = 0; i < p->part.len; i++)
        if (p->part.data[i]->kind == PART_IMAGE)
            return strncmp(origin, p->part.data[i]->path, strlen(p->part.data[i]->path)) == 0;
    return false;
}

static bool class_name(const char *file, char *out, size_t cap)
{
    size_t n = strlen(file);
    if (n < 7 || n - 6 >= cap || strcmp(file + n - 6, ".class") != 0)
        return false;
    memcpy(out, file, n - 6);
    out[n - 6] = 0;
    return true;
}

static void each_in(const char *base, const char *below, void (*fn)(void *ctx, const char *name), void *ctx,
                    unsigned depth)
{
    char path[4096], name[4096];
    snprintf(path, sizeof path, "%s/%s", base, below);
    struct dirent **list;
    int n = depth < 64 ? scandir(path, &list, NULL, alphasort) : -1;
    for (int i = 0; i < n; i++) {
        const char *e = list[i]->d_name;
        struct stat st;
        int full = snprintf(path, sizeof path, "%s/%s%s", base, below, e);
        int len = snprintf(name, sizeof name, "%s%s", below, e);
        if (e[0] != '.' && full > 0 && (size_t)full < sizeof path && len > 0 &&
            (size_t)len + 2 < sizeof name && stat(path, &st) == 0) {
            char class[4096];
            if (S_ISDIR(st.st_mode)) {
                memcpy(name + len, "/", 2);
                each_in(base, name, fn, ctx, depth + 1);
            } else if (class_name(name, class, sizeof class)) {
                fn(ctx, class);
            }
        }
        free(list[i]);
    }
    if (n >= 0)
        free(list);
}

void java_path_each(struct java_path *p, void (*fn)(void *ctx, const char *name), void *ctx)
{
    for (size_t i = 0; i < p->part.len; i++) {
        const struct part *t = p->part.data[i];
        char class[4096];
        if (t->kind == PART_DIRECTORY)
            each_in(t->path, "", fn, ctx, 0);
        for (size_t k = 0; t->kind == PART_ZIP && k < t->entry.len; k++)
            if (class_name(t->entry.data[k].name, class, sizeof class))
                fn(ctx, class);
    }
}
