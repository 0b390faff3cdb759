/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bitcode files, before libLLVM comes in. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "lift/llvm/bitcode.h"

enum { BITCODE_MAX = 1 << 30 };

bool bitcode_is(const uint8_t *bytes, size_t n)
{
    static const uint8_t plain[] = {'B', 'C', 0xc0, 0xde}, wrapped[] = {0xde, 0xc0, 0x17, 0x0b};
    return n >= 4 && (memcmp(bytes, plain, 4) == 0 || memcmp(bytes, wrapped, 4) == 0);
}

bool bitcode_is_file(const char *path)
{
    uint8_t magic[4];
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    bool is = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
              read(fd, magic, sizeof magic) == sizeof magic && bitcode_is(magic, sizeof magic);
    if (fd >= 0)
        close(fd);
    return is;
}

struct bitcode *bitcode_open(const char *path, struct error *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    struct buf data = BUF_INIT;
    bool ok = S_ISREG(st.st_mode) && st.st_size <= BITCODE_MAX;
    if (!ok)
        error_set(err, ERROR_INPUT, "%s: %s", path,
                  S_ISREG(st.st_mode) ? "over 1 GiB, too large for a bitcode module" : "not a regular file");
    char chunk[65536];
    ssize_t n = 0;
    while (ok && ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)))
        if (n > 0)
            buf_put(&data, chunk, (size_t)n);
    if (ok && n < 0)
        ok = error_set(err, ERROR_INPUT, "%s: %s", path, strerror(errno));
    close(fd);
    struct bitcode *m = ok ? bitcode_read(path, (const uint8_t *)buf_text(&data), data.len, err) : NULL;
    buf_free(&data);
    return m;
}

const struct bitcode_function *bitcode_function(const struct bitcode *m, const char *spec, struct error *err)
{
    const struct bitcode_function *f;
    size_t n = bitcode_functions(m, &f);
    for (size_t i = 0; i < n; i++)
        if (strcmp(f[i].name, spec) == 0)
            return &f[i];
    char *end;
    uint64_t address = strtoull(spec, &end, 16);
    if (strncmp(spec, "0x", 2) == 0 && *end == 0 && bitcode_function_at(m, address))
        return bitcode_function_at(m, address);
    char near[256] = "";
    size_t len = 0, shown = 0;
    for (size_t i = 0; i < n && shown < 5; i++) {
        if (f[i].declared || (!strstr(f[i].name, spec) && !strstr(spec, f[i].name)))
            continue;
        int k = snprintf(near + len, sizeof near - len, "%s%s", shown ? ", " : "; there is ", f[i].name);
        shown++;
        len += k > 0 && (size_t)k < sizeof near - len ? (size_t)k : 0;
    }
    error_set(err, ERROR_USAGE, "%s: no function '%s'%s", bitcode_info(m)->name, spec, near);
    return NULL;
}
