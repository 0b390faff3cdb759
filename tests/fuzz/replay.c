/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gives a fuzzer's seeds to it without libFuzzer: every file of the directories named on the command line, an
 * empty input first. A crash or a sanitizer's report is the failure. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return 1;
    uint8_t *data = NULL;
    size_t len = 0, got;
    uint8_t chunk[65536];
    while ((got = fread(chunk, 1, sizeof chunk, f)) > 0) {
        uint8_t *more = realloc(data, len + got);
        if (!more)
            abort();
        data = more;
        memcpy(data + len, chunk, got);
        len += got;
    }
    fclose(f);
    printf("%s (%zu bytes)\n", path, len);
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, len);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    static const uint8_t nothing[1];
    LLVMFuzzerTestOneInput(nothing, 0);
    int bad = 0;
    for (int i = 1; i < argc; i++) {
        DIR *d = opendir(argv[i]);
        struct dirent *e;
        while (d && (e = readdir(d))) {
            char path[4096];
            if (e->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[i], e->d_name);
            bad |= replay(path);
        }
        if (d)
            closedir(d);
    }
    return bad;
}
