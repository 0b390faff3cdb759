/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "present/source.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/container.h"
#include "present/compile.h"

enum { STRIP_MAX = 8 };

/* A file of which there are two versions. */
struct change {
    const char *path;       /* in the tree */
    const char *version[2]; /* the text before and after; NULL: as it is in the tree */
    size_t size[2];
    bool missing[2]; /* it is not there at all */
};

struct job {
    const struct source_options *s;
    struct arena arena;
    char tree[PATH_MAX];
    VEC(struct change) change;
    VEC(const char *) unit; /* paths in the tree */
};

static bool ends_in(const char *path, const char *const *ending, size_t count)
{
    size_t n = strlen(path);
    for (size_t i = 0; i < count; i++) {
        size_t k = strlen(ending[i]);
        if (n > k && strcmp(path + n - k, ending[i]) == 0)
            return true;
    }
    return false;
}

static bool is_unit(const char *path)
{
    static const char *const ending[] = {".c", ".cc", ".cpp", ".cxx", ".C", ".c++"};
    return ends_in(path, ending, sizeof ending / sizeof *ending);
}

static bool is_header(const char *path)
{
    static const char *const ending[] = {".h", ".hh", ".hpp", ".hxx", ".inc", ".def"};
    return ends_in(path, ending, sizeof ending / sizeof *ending);
}

static const char *in_tree(struct job *j, const char *tree, const char *path)
{
    return arena_printf(&j->arena, "%s/%s", tree, path);
}

static const char *read_text(struct job *j, const char *path, size_t *n, struct error *err)
{
    uint8_t *bytes = container_read_file(path, n, err);
    if (!bytes)
        return NULL;
    const char *text = arena_strndup(&j->arena, (const char *)bytes, *n);
    free(bytes);
    if (j->s->read)
        j->s->read(j->s->ctx, path);
    return text;
}

/* ---- what changed: a patch ---- */

/* The file that a path of the diff means: as it is, or without some of its first components, whichever is
 * there. */
static const char *locate(struct job *j, const char *path, unsigned *strip)
{
    static const unsigned order[STRIP_MAX] = {1, 0, 2, 3, 4, 5, 6, 7};
    for (unsigned i = 0; i < STRIP_MAX; i++) {
        const char *p = patch_path(path, order[i]);
        if (p && access(in_tree(j, j->tree, p), F_OK) == 0) {
            *strip = order[i];
            return p;
        }
    }
    return NULL;
}

/* One file of the diff, in one direction. Files that hold no code are passed over. */
static bool change_file(struct job *j, const struct patch_file *f, bool reverse, unsigned *strip,
                        struct error *err)
{
    const struct patch *p = j->s->patch;
    const char *from = reverse ? f->new_path : f->old_path, *to = reverse ? f->old_path : f->new_path;
    struct change c = {.missing = {!f->old_path, !f->new_path}};
    struct buf text = BUF_INIT;
    size_t n = 0;
    const char *now = "", *any = f->new_path ? f->new_path : f->old_path;
    if (!any || (!is_unit(any) && !is_header(any)))
        return true;
    if (from) {
        c.path = locate(j, from, strip);
        if (!c.path)
            return error_set(err, ERROR_INPUT, "%s: changes %s, which is not in %s", p->name, from,
                             j->s->tree);
        if (!(now = read_text(j, in_tree(j, j->tree, c.path), &n, err)))
            return false;
    } else {
        c.path = patch_path(to, *strip);
        if (!c.path)
            return error_set(err, ERROR_INPUT, "%s: '%s' is not a path in a tree", p->name, to);
    }
    if (to) {
        bool ok = patch_apply(p, f, now, n, reverse, &text, err);
        if (ok) {
            c.version[!reverse] = arena_strndup(&j->arena, buf_text(&text), text.len);
            c.size[!reverse] = text.len;
        }
        buf_free(&text);
        if (!ok)
            return false;
    }
    vec_push(&j->change, c);
    return true;
}

static bool change_files(struct job *j, bool reverse, struct error *err)
{
    const struct patch *p = j->s->patch;
    unsigned strip = 1;
    vec_clear(&j->change);
    for (size_t i = 0; i < p->file.len; i++)
        if (p->file.data[i].hunk.len && !change_file(j, &p->file.data[i], reverse, &strip, err))
            return false;
    if (!j->change.len)
        return error_set(err, ERROR_INPUT, "%s: changes no C or C++ file", p->name);
    return true;
}

static bool changes_of_patch(struct job *j, struct error *err)
{
    struct error backwards = {0};
    return change_files(j, false, err) || change_files(j, true, &backwards);
}

/* ---- what changed: two trees ---- */

static bool compare_file(struct job *j, const char *path, struct error *err)
{
    struct change c = {.path = path};
    size_t n;
    const char *after = NULL, *full = in_tree(j, j->tree, path);
    if (!(c.version[0] = read_text(j, in_tree(j, j->s->before, path), &c.size[0], err)))
        return false;
    if (access(full, F_OK) == 0 && !(after = read_text(j, full, &n, err)))
        return false;
    c.missing[1] = !after;
    if (!after || n != c.size[0] || memcmp(after, c.version[0], n) != 0)
        vec_push(&j->change, c);
    return true;
}

static int by_path(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

static bool changes_of_trees(struct job *j, struct error *err)
{
    char *const roots[] = {(char *)(uintptr_t)j->s->before, NULL};
    size_t skip = strlen(j->s->before);
    FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, by_path);
    bool ok = walk || error_set(err, ERROR_SYSTEM, "%s: %s", j->s->before, strerror(errno));
    for (FTSENT *e; ok && walk && (e = fts_read(walk));) {
        if (e->fts_info != FTS_F || (!is_unit(e->fts_path) && !is_header(e->fts_path)))
            continue;
        const char *path = e->fts_path + skip;
        ok = compare_file(j, arena_strdup(&j->arena, path + strspn(path, "/")), err);
    }
    if (walk)
        fts_close(walk);
    if (ok && !j->change.len)
        return error_set(err, ERROR_INPUT, "%s and %s have the same source files", j->s->before, j->s->tree);
    return ok;
}

/* ---- laying a version over the tree ---- */

static int file_in_memory(const char *text, size_t n, struct error *err)
{
    int fd = memfd_create("assay", 0);
    if (fd < 0 || write(fd, text, n) != (ssize_t)n) {
        error_set(err, ERROR_SYSTEM, "cannot create a file in memory: %s", strerror(errno));
        if (fd >= 0)
            close(fd);
        return -1;
    }
    return fd;
}

static void put_quoted(struct buf *out, const char *s)
{
    buf_putc(out, '"');
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            buf_putc(out, '\\');
        buf_putc(out, *s);
    }
    buf_putc(out, '"');
}

struct overlay {
    VEC(int) fd;
    char path[64]; /* of its description; "": nothing is laid over */
};

static void overlay_free(struct overlay *o)
{
    for (size_t i = 0; i < o->fd.len; i++)
        close(o->fd.data[i]);
    vec_free(&o->fd);
}

static bool overlay_make(struct job *j, int version, struct overlay *o, struct error *err)
{
    struct buf b = BUF_INIT;
    bool any = false, ok = true;
    *o = (struct overlay){.path = ""};
    buf_puts(&b, "{\"version\": 0, \"use-external-names\": false, \"roots\": [");
    for (size_t i = 0; i < j->change.len && ok; i++) {
        const struct change *c = &j->change.data[i];
        if (!c->version[version])
            continue;
        int fd = file_in_memory(c->version[version], c->size[version], err);
        ok = fd >= 0;
        if (ok)
            vec_push(&o->fd, fd);
        buf_printf(&b, "%s{\"type\": \"file\", \"name\": ", any ? ", " : "");
        put_quoted(&b, in_tree(j, j->tree, c->path));
        buf_printf(&b, ", \"external-contents\": \"/proc/%d/fd/%d\"}", (int)getpid(), fd);
        any = true;
    }
    buf_puts(&b, "]}\n");
    if (ok && any) {
        int fd = file_in_memory(buf_text(&b), b.len, err);
        ok = fd >= 0;
        if (ok)
            vec_push(&o->fd, fd);
        snprintf(o->path, sizeof o->path, "/proc/%d/fd/%d", (int)getpid(), fd);
    }
    buf_free(&b);
    return ok;
}

/* ---- compiling ---- */

/* "x.o: a.c inc/b.h \\<newline> c.h" */
static void tell_files(struct job *j, const char *directory, const char *list)
{
    const char *s = strchr(list, ':');
    struct buf word = BUF_INIT;
    for (s = s ? s + 1 : ""; *s && j->s->read;) {
        buf_clear(&word);
        while (*s == ' ' || *s == '\n' || (*s == '\\' && s[1] == '\n'))
            s++;
        for (; *s && *s != ' ' && *s != '\n'; s++) {
            if (*s == '\\' && s[1] == ' ')
                s++;
            buf_putc(&word, *s);
        }
        if (word.len)
            j->s->read(j->s->ctx, word.data[0] == '/' ? word.data : in_tree(j, directory, word.data));
    }
    buf_free(&word);
}

static bool compile_unit(struct job *j, const struct compiler *cc, const char *unit, const struct overlay *o,
                         struct reference *r, const struct reference_options *opt, struct buf *message,
                         struct error *err)
{
    static const char *const level[] = {"-O0", "-O3"};
    const char *full = in_tree(j, j->tree, unit);
    bool ok = true;
    for (size_t l = 0; l < sizeof level / sizeof *level && ok; l++) {
        struct buf code[2] = {BUF_INIT, BUF_INIT}, reads = BUF_INIT;
        for (int v = 0; v < 2 && ok; v++) {
            ok = compile_bitcode(cc, full, j->tree, level[l], o[v].path, &code[v], &reads, message, err);
            if (ok && l == 0)
                tell_files(j, j->tree, buf_text(&reads));
        }
        buf_free(&reads);
        if (ok)
            ok = reference_add_bitcode(r, level[l], unit, &code[0], &code[1], opt, err);
        buf_free(&code[0]);
        buf_free(&code[1]);
    }
    return ok;
}

static bool choose_units(struct job *j, struct error *err)
{
    for (size_t i = 0; i < j->change.len; i++) {
        const struct change *c = &j->change.data[i];
        /* A file that only one version has holds no function that both have. */
        if (is_unit(c->path) && !c->missing[0] && !c->missing[1])
            vec_push(&j->unit, c->path);
    }
    for (size_t i = 0; i < j->s->nunits; i++) {
        if (access(in_tree(j, j->tree, j->s->unit[i]), F_OK) != 0)
            return error_set(err, ERROR_USAGE, "--compile: no %s in %s", j->s->unit[i], j->s->tree);
        vec_push(&j->unit, j->s->unit[i]);
    }
    return j->unit.len ||
           error_set(
               err, ERROR_INPUT,
               "the patch changes headers only (%s); name a source file that includes it: --compile FILE",
               j->change.data[0].path);
}

bool source_add(struct reference *r, const struct source_options *s, const struct reference_options *opt,
                struct buf *message, struct error *err)
{
    struct job j = {.s = s};
    struct overlay o[2] = {{.path = ""}, {.path = ""}};
    struct compiler cc = {0};
    struct stat st;
    bool ok = realpath(s->tree, j.tree) && stat(j.tree, &st) == 0 && S_ISDIR(st.st_mode);
    if (!ok)
        error_set(err, ERROR_INPUT,
                  "%s: no such directory; expected the source tree that the patch applies to", s->tree);
    ok = ok && (s->patch ? changes_of_patch(&j, err) : changes_of_trees(&j, err)) && choose_units(&j, err) &&
         compiler_open(&cc, s->cc, s->compile_commands, err);
    for (int v = 0; v < 2 && ok; v++)
        ok = overlay_make(&j, v, &o[v], err);
    for (size_t i = 0; i < j.unit.len && ok; i++)
        ok = compile_unit(&j, &cc, j.unit.data[i], o, r, opt, message, err);
    compiler_close(&cc);
    overlay_free(&o[0]);
    overlay_free(&o[1]);
    vec_free(&j.change);
    vec_free(&j.unit);
    arena_free(&j.arena);
    return ok;
}
