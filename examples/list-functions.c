/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Uses libassay: lists a program's functions, and the paths of one of them.
 *
 *     cc list-functions.c $(pkg-config --cflags --libs assay) -o list-functions
 *     ./list-functions /bin/true
 *     ./list-functions a.out main */
#include <inttypes.h>
#include <stdio.h>

#include <assay/assay.h>

static bool show_path(void *ctx, const struct assay_path *path)
{
    size_t *count = ctx;
    printf("path %zu: %s\n  when   %s\n", ++*count, path->end, path->condition);
    if (path->result)
        printf("  result %s\n", path->result);
    return true;
}

int main(int argc, char **argv)
{
    struct assay_error err;
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE [FUNCTION]\n", argv[0]);
        return 2;
    }
    assay_program *p = assay_open(argv[1], NULL, &err);
    if (!p) {
        fprintf(stderr, "%s: %s\n", argv[0], err.text);
        return err.code;
    }
    int status = 0;
    if (argc > 2) {
        size_t count = 0;
        if (!assay_explore(p, argv[2], NULL, show_path, &count, &err)) {
            fprintf(stderr, "%s: %s\n", argv[0], err.text);
            status = err.code;
        }
    } else {
        printf("%s, %zu functions\n", assay_architecture(p), assay_function_count(p));
        for (size_t i = 0; i < assay_function_count(p); i++) {
            struct assay_function f;
            assay_function_get(p, i, &f);
            printf("%#18" PRIx64 " %s\n", f.address, f.name);
        }
    }
    assay_close(p);
    return status;
}
