/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

bool file_read(const char *path, size_t most, struct buf *out, struct error *err)
{
    char block[65536];
    FILE *f = fopen(path, "re");
    if (!f)
        return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
    size_t size = 0;
    for (size_t n; size <= most && (n = fread(block, 1, sizeof block, f)) > 0; size += n)
        buf_put(out, block, n);
    int failed = ferror(f) ? errno : 0;
    fclose(f);
    if (failed)
        return error_set(err, ERROR_INPUT, "%s: %s", path, strerror(failed));
    return size <= most || error_set(err, ERROR_INPUT, "%s: larger than %zu MiB", path, most >> 20);
}

bool file_write(const char *path, const void *data, size_t size, struct error *err)
{
    FILE *f = fopen(path, "we");
    bool ok = f && fwrite(data, 1, size, f) == size;
    ok = f && fclose(f) == 0 && ok;
    return ok || error_set(err, ERROR_SYSTEM, "cannot write %s: %s", path, strerror(errno));
}
