/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <string.h>

#include "match/private.h"

/* What gcc and clang add to the name of a function they specialised, split or renamed. */
static const char *const suffix[] = {".constprop", ".isra",       ".part", ".cold",
                                     ".lto_priv",  ".localalias", ".llvm", ".clone"};

size_t name_stem(const char *name)
{
    size_t best = strlen(name);
    for (size_t i = 0; i < sizeof suffix / sizeof *suffix; i++) {
        size_t n = strlen(suffix[i]);
        for (const char *at = name; (at = strstr(at, suffix[i])); at += n) {
            /* ".part" ends there, or a number follows; ".partial" is something else. */
            if (at > name && (at[n] == '\0' || at[n] == '.') && (size_t)(at - name) < best)
                best = (size_t)(at - name);
        }
    }
    return best;
}

bool name_is_numbered(const char *name)
{
    const size_t n = strlen(name);
    return strncmp(name, ".L", 2) == 0 &&
           (isdigit((unsigned char)name[n - 1]) || strcmp(name, ".L.str") == 0 || strcmp(name, ".Lstr") == 0);
}
