/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/cachedir.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The base directory; one that is not absolute does not count (XDG Base Directory Specification). */
static bool cache_home(struct buf *out)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/')
        buf_puts(out, base);
    else if (home && home[0] == '/')
        buf_printf(out, "%s/.cache", home);
    else
        return false;
    return true;
}

bool cache_dir(struct buf *out)
{
    if (!cache_home(out))
        return false;
    buf_puts(out, "/assay");
    return true;
}

bool cache_dir_make(struct buf *out)
{
    if (!cache_home(out))
        return false;
    mkdir(buf_text(out), 0700);
    buf_puts(out, "/assay");
    mkdir(buf_text(out), 0700);
    return access(buf_text(out), W_OK | X_OK) == 0;
}
