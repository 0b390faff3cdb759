/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ask/cache.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ask/adapt_kept.h"
#include "ask/remember.h"
#include "base/cachedir.h"

/* The database, and the files that SQLite keeps beside it. */
static const char *const database[] = {"", "-wal", "-shm", "-journal"};
enum { DATABASE_FILES = sizeof database / sizeof *database };

static bool take_away(const char *path, struct error *err)
{
    return unlink(path) == 0 || errno == ENOENT ||
           error_set(err, ERROR_SYSTEM, "cannot remove %s: %s", path, strerror(errno));
}

static bool look_at_shelf(const struct shelf_kind *kind, bool clear, struct ask_cache_answer *a,
                          struct ask_cache_part *part, struct error *err)
{
    struct buf path = BUF_INIT;
    struct stat st;
    bool ok = true, there = false;
    for (int i = 0; ok && i < DATABASE_FILES; i++) {
        buf_clear(&path);
        shelf_path(kind, &path);
        buf_puts(&path, database[i]);
        if (clear) {
            ok = take_away(buf_text(&path), err);
        } else if (stat(buf_text(&path), &st) == 0) {
            part->bytes += (uint64_t)st.st_size;
            there = there || i == 0;
        }
    }
    buf_free(&path);
    struct error why = {0};
    if (there && !shelf_count(kind, &part->entries, &why))
        a->damaged = arena_strdup(&a->arena, why.text);
    return ok;
}

static bool look_at_features(bool clear, struct ask_cache_answer *a, struct error *err)
{
    const char *dir = arena_printf(&a->arena, "%s/present", a->directory);
    DIR *d = opendir(dir);
    bool ok = true;
    for (struct dirent *e; ok && d && (e = readdir(d));) {
        struct stat st;
        const char *path = arena_printf(&a->arena, "%s/%s", dir, e->d_name);
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
            continue;
        if (clear) {
            ok = take_away(path, err);
        } else {
            a->features.entries++;
            a->features.bytes += (uint64_t)st.st_size;
        }
    }
    if (d)
        closedir(d);
    return ok;
}

bool ask_cache(bool clear, struct ask_cache_answer *a, struct error *err)
{
    struct buf dir = BUF_INIT;
    *a = (struct ask_cache_answer){.cleared = clear};
    bool ok = cache_dir(&dir);
    if (!ok)
        error_set(err, ERROR_USAGE, "there is no place for a cache: neither XDG_CACHE_HOME nor HOME is an absolute path");
    else
        a->directory = arena_strdup(&a->arena, buf_text(&dir));
    buf_free(&dir);
    return ok && look_at_shelf(&remember_shelf, clear, a, &a->verdicts, err) &&
           look_at_shelf(&adapt_kept_shelf, clear, a, &a->summaries, err) && look_at_features(clear, a, err);
}

void ask_cache_free(struct ask_cache_answer *a)
{
    arena_free(&a->arena);
}
