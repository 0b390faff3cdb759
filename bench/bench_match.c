/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench_match [-v] [-n] DIR | OLD NEW: how well and how fast functions are paired when their names are
 * hidden. DIR (or $ASSAY_REAL) holds NAME/ARCH/{old,new}/FILE. An exported function is paired rightly when
 * its partner has its name. -v lists those that are not, and what changed. -n: names are used (for the time).
 */
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

#include "base/vec.h"
#include "match/match.h"

struct totals {
    size_t exported, right, wrong, missing, identical, changed, added, removed;
    double seconds;
};

static bool verbose, names;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static const struct object_symbol *exported_as(const struct object *o, const struct object_symbol *like)
{
    const struct object_symbol *s, *any = NULL;
    size_t n = object_symbols(o, &s);
    for (size_t i = 0; i < n; i++)
        if (s[i].dynamic && !s[i].undefined && strcmp(s[i].name, like->name) == 0) {
            bool same = !s[i].version == !like->version &&
                        (!s[i].version || strcmp(s[i].version, like->version) == 0);
            if (same)
                return &s[i];
            any = &s[i];
        }
    return any;
}

static void count_exported(struct match *m, struct program *old, struct program *new, struct totals *t)
{
    const struct object_symbol *s;
    const struct object *o = program_object(old);
    const struct flow_function *fn;
    program_functions(new, &fn);
    size_t n = object_symbols(o, &s);
    uint64_t last = UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        if (!s[i].dynamic || s[i].undefined || (s[i].type != SYMBOL_FUNC && s[i].type != SYMBOL_IFUNC) ||
            s[i].address == last)
            continue;
        const struct object_symbol *other = exported_as(program_object(new), &s[i]);
        const struct match_pair *p = match_function(m, s[i].address);
        if (!other || !p)
            continue;
        last = s[i].address;
        t->exported++;
        if (p->status != MATCH_REMOVED && fn[p->new].address == other->address) {
            t->right++;
            continue;
        }
        (*(p->status == MATCH_REMOVED ? &t->missing : &t->wrong))++;
        if (verbose)
            printf("    %s %#" PRIx64 " should be %#" PRIx64 ", is %#" PRIx64 " (%.2f, %u)\n", s[i].name,
                   s[i].address, other->address, p->status == MATCH_REMOVED ? 0 : fn[p->new].address, p->sure,
                   p->reasons);
    }
}

static void list_changed(struct match *m, struct program *old, struct program *new)
{
    const struct match_pair *p;
    const struct flow_function *f, *g;
    size_t n = match_pairs(m, &p);
    program_functions(old, &f);
    program_functions(new, &g);
    for (size_t i = 0; i < n; i++) {
        char why[128];
        if (p[i].status == MATCH_CHANGED)
            printf("    changed %s %s by %s: %s %.2f, similar %.2f, %#" PRIx64 " %#" PRIx64 "\n",
                   f[p[i].old].name, g[p[i].new].name, match_reasons_text(p[i].reasons, why, sizeof why),
                   p[i].change == MATCH_CHANGE_CODE     ? "code"
                   : p[i].change == MATCH_CHANGE_CALLEE ? "callee"
                                                        : "data",
                   p[i].sure, p[i].similar, p[i].old_at, p[i].new_at);
        else if (p[i].status == MATCH_REMOVED)
            printf("    removed %s\n", f[p[i].old].name);
        else if (p[i].status == MATCH_ADDED)
            printf("    added %s\n", g[p[i].new].name);
    }
}

static bool open_file(const struct match_file *f, struct program **p)
{
    struct error err = {0};
    struct object_options none = {.no_debug = true};
    struct object *o = object_open_memory(f->path, f->data, f->size, &none, &err);
    *p = o ? program_from_object(o, NULL, &err) : NULL;
    if (!*p)
        printf("    %s: %s\n", f->path, err.text);
    return *p != NULL;
}

static void compare(const char *old, const char *new, struct totals *t)
{
    struct error err = {0};
    struct match_files *files = match_files_open(old, new, &err);
    if (!files) {
        printf("    %s\n", err.text);
        return;
    }
    const struct match_file_pair *pair;
    size_t n = match_file_pairs(files, &pair);
    for (size_t i = 0; i < n; i++) {
        struct program *a, *b;
        if (!pair[i].old || !pair[i].new) {
            printf("    only in one: %s\n", (pair[i].old ? pair[i].old : pair[i].new)->path);
            continue;
        }
        double begun = now();
        if (!open_file(pair[i].old, &a))
            continue;
        if (open_file(pair[i].new, &b)) {
            struct match *m = match_programs(a, b, &(struct match_options){.ignore_names = !names}, &err);
            if (m) {
                t->seconds += now() - begun;
                count_exported(m, a, b, t);
                if (verbose)
                    list_changed(m, a, b);
                struct match_stats s = match_stats(m);
                t->identical += s.identical;
                t->changed += s.changed;
                t->added += s.added;
                t->removed += s.removed;
                match_free(m);
            }
            program_free(b);
        }
        program_free(a);
    }
    match_files_free(files);
}

static void show(const char *name, const struct totals *t)
{
    printf("%-28s %6zu exported %6zu right %4zu wrong %4zu missing %7.2f %%   %6zu same %5zu changed %4zu "
           "added %4zu removed %6.2f s\n",
           name, t->exported, t->right, t->wrong, t->missing,
           t->exported ? 100.0 * (double)t->right / (double)t->exported : 100.0, t->identical, t->changed,
           t->added, t->removed, t->seconds);
    fflush(stdout);
}

/* The first file in a directory. */
static bool only_file(const char *dir, char *out, size_t cap)
{
    struct dirent **e;
    int n = scandir(dir, &e, NULL, alphasort);
    bool found = false;
    for (int i = 0; i < n; i++) {
        if (!found && e[i]->d_name[0] != '.') {
            snprintf(out, cap, "%s/%s", dir, e[i]->d_name);
            found = true;
        }
        free(e[i]);
    }
    if (n >= 0)
        free(e);
    return found;
}

static int all_packages(const char *dir)
{
    static const char *const arch[] = {"amd64", "arm64", "i386", "armhf"};
    struct dirent **e;
    struct totals all = {0};
    int n = scandir(dir, &e, NULL, alphasort);
    if (n < 0) {
        fprintf(stderr, "%s: not a directory\n", dir);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        for (size_t k = 0; k < sizeof arch / sizeof *arch; k++) {
            char from[2048], to[2048], old[4096], new[4096], name[512];
            snprintf(from, sizeof from, "%s/%s/%s/old", dir, e[i]->d_name, arch[k]);
            snprintf(to, sizeof to, "%s/%s/%s/new", dir, e[i]->d_name, arch[k]);
            if (e[i]->d_name[0] == '.' || !only_file(from, old, sizeof old) ||
                !only_file(to, new, sizeof new))
                continue;
            struct totals t = {0};
            compare(old, new, &t);
            snprintf(name, sizeof name, "%s %s", e[i]->d_name, arch[k]);
            show(name, &t);
            all.exported += t.exported;
            all.right += t.right;
            all.wrong += t.wrong;
            all.missing += t.missing;
            all.identical += t.identical;
            all.changed += t.changed;
            all.added += t.added;
            all.removed += t.removed;
            all.seconds += t.seconds;
        }
        free(e[i]);
    }
    free(e);
    show("all", &all);
    return 0;
}

int main(int argc, char **argv)
{
    while (argc > 1 && argv[1][0] == '-') {
        if (strcmp(argv[1], "-v") == 0)
            verbose = true;
        else if (strcmp(argv[1], "-n") == 0)
            names = true;
        argv++;
        argc--;
    }
    if (argc == 3) {
        struct totals t = {0};
        compare(argv[1], argv[2], &t);
        show("pair", &t);
        struct rusage u;
        getrusage(RUSAGE_SELF, &u);
        printf("peak %ld MiB\n", u.ru_maxrss / 1024);
        return 0;
    }
    const char *dir = argc == 2 ? argv[1] : getenv("ASSAY_REAL");
    if (!dir) {
        fprintf(stderr, "usage: bench_match [-v] [-n] DIR | OLD NEW\n");
        return 2;
    }
    return all_packages(dir);
}
