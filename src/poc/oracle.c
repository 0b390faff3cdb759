/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a build with sanitizers says about the proof of concept. Its report is read from standard error: what
 * went wrong, and the addresses of the calls, of which the first that is in a function of the original is the
 * place. Sanitizers are asked not to look up names themselves: some start another program for that. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "poc/poc.h"

static const struct {
    const char *says;
    enum poc_kind kind;
} report[] = {
    {"heap-use-after-free", POC_FREED},
    {"double-free", POC_DOUBLE_FREE},
    {"attempting free", POC_DOUBLE_FREE},
    {"bad-free", POC_DOUBLE_FREE},
    {"SEGV on unknown address 0x00000000", POC_NULL},
    {"SEGV", POC_OVERFLOW},
    {"FPE", POC_DIVISION},
    {"ABRT", POC_ABORT},
    {"overflow on", POC_OVERFLOW},
    {"underflow on", POC_OVERFLOW},
    {"stack-use-after", POC_OVERFLOW},
    {"signed integer overflow", POC_SIGNED},
    {"left shift of", POC_SIGNED},
    {"shift exponent", POC_SIGNED},
    {"negation of", POC_SIGNED},
    {"cannot be represented in type", POC_SIGNED},
    {"division by zero", POC_DIVISION},
    {"null pointer", POC_NULL},
    {"out of bounds", POC_OVERFLOW},
    {"insufficient space", POC_OVERFLOW},
};

static const struct flow_function *frame_of(const char *line, const char *real, struct program *p)
{
    const char *file = strstr(line, real);
    const char *plus = file ? file + strlen(real) : NULL;
    if (line[strspn(line, " ")] != '#' || !plus || *plus != '+')
        return NULL;
    return program_function_covering(p, strtoull(plus + 1, NULL, 16));
}

static struct poc_crash read_report(FILE *f, const char *real, struct program *p, struct program *old)
{
    struct poc_crash c = {0};
    char *line = NULL;
    size_t cap = 0;
    while (!c.function && getline(&line, &cap, f) > 0) {
        const char *error = strstr(line, "ERROR: "), *said = error ? error : strstr(line, "runtime error: ");
        for (size_t i = 0; said && !c.kind && i < sizeof report / sizeof *report; i++)
            if (strstr(said, report[i].says))
                c.kind = report[i].kind;
        const struct flow_function *in = c.kind ? frame_of(line, real, p) : NULL;
        struct error err;
        /* not one of the sanitizer's own */
        const struct flow_function *there = in ? program_function(old, in->name, &err) : NULL;
        c.function = there ? there->name : NULL;
    }
    free(line);
    return c;
}

bool poc_oracle(const struct run_target *t, struct program *p, struct program *old, struct poc_crash *out,
                struct error *err)
{
    struct watch_run w;
    *out = (struct poc_crash){0};
    if (!watch_run(t, NULL, 0, &w, err))
        return false;
    *out = poc_crash_of(&w, p, NULL, NULL);
    FILE *f = out->kind || !w.ntext[1] ? NULL : fmemopen((void *)w.text[1], w.ntext[1], "r");
    char *real = realpath(t->program, NULL);
    if (f && real)
        *out = read_report(f, real, p, old);
    if (f)
        fclose(f);
    free(real);
    int code = w.code;
    watch_run_free(&w);
    return out->kind || error_set(err, ERROR_INPUT,
                                  "%s, the oracle, reports no error on the proof of concept that is known "
                                  "here: it exits with %d",
                                  t->program, code);
}
