/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/engine.h"

#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

bool engine_solver(const char *solver, const char *dump_dir, struct solve_options *out, struct error *err)
{
    out->engine = strcmp(solver, "z3") == 0     ? SOLVE_Z3
                  : strcmp(solver, "race") == 0 ? SOLVE_RACE
                                                : SOLVE_EXTERNAL;
    if (out->engine == SOLVE_EXTERNAL)
        out->command = solver;
    out->dump_dir = dump_dir;
    if (dump_dir && mkdir(dump_dir, 0777) != 0 && errno != EEXIST)
        return error_set(err, ERROR_USAGE, "--dump-smt: cannot create the directory %s: %s", dump_dir,
                         strerror(errno));
    return true;
}

bool engine_axioms(const struct option_list *off, unsigned *axioms, struct error *err)
{
    static const char *const name[] = {"frame", "heap", "literal", "return", "object", "faults", "x87"};
    static const unsigned bit[] = {AXIOM_FRAME,  AXIOM_HEAP,   AXIOM_LITERAL, AXIOM_RETURN,
                                   AXIOM_OBJECT, AXIOM_FAULTS, AXIOM_X87};
    *axioms = AXIOM_ALL;
    for (size_t i = 0; i < off->n; i++) {
        unsigned set;
        if (!engine_set("no-axiom", off->item[i], name, bit, sizeof bit / sizeof *bit, &set, err))
            return false;
        *axioms &= ~set;
    }
    return true;
}

bool engine_set(const char *option, const char *list, const char *const *word, const unsigned *bit, size_t n,
                unsigned *out, struct error *err)
{
    *out = 0;
    if (strcmp(list, "none") == 0)
        return true;
    for (const char *p = list; *p;) {
        size_t len = strcspn(p, ","), k = 0;
        while (k < n && (strlen(word[k]) != len || strncasecmp(word[k], p, len) != 0))
            k++;
        if (k == n) {
            struct buf known = BUF_INIT;
            for (size_t i = 0; i < n; i++)
                buf_printf(&known, "%s%s", i ? ", " : "", word[i]);
            error_set(err, ERROR_USAGE, "--%s: '%.*s' is not one of %s", option, (int)len, p,
                      buf_text(&known));
            buf_free(&known);
            return false;
        }
        *out |= bit[k];
        p += len + (p[len] == ',');
    }
    return true;
}
