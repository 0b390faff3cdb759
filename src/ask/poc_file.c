/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was given, as something that can be run: object files are linked. */
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/poc_internal.h"

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
              error_set(err, ERROR_INPUT, "%s is for %s, and %s is for %s", f->name, object_info(o)->arch_name,
                        a->old.name, object_info(program_object(a->p))->arch_name);
    object_free(o);
    return ok;
}

bool poc_file_make(struct poc_asking *a, size_t index, struct poc_file *f, struct error *err)
{
    if (!is_object_file(f->path))
        return true;
    if (!a->q->link)
        return error_set(err, ERROR_INPUT,
                         "%s is an object file, which cannot be run; say with --link how a program is made of it: "
                         "--link 'cc -o {} {object} main.o'",
                         f->name);
    if (!is_for_machine(a, f, err) || !poc_link(a, index, f, err))
        return false;
    return !is_object_file(f->path) ||
           error_set(err, ERROR_INPUT, "%s: the command of --link makes an object file of it, and no program",
                     f->name);
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
