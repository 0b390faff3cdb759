/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any text as an SMT-LIB script: it is read or refused with an error; what was read prints as a script that
 * is read again and as an expression. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "term/term.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct terms *t = terms_new();
    struct error err = {0};
    struct buf script = BUF_INIT, expression = BUF_INIT;
    term x = term_smtlib_read_script(t, (const char *)data, size, &err);
    if (x == TERM_NONE && (err.kind != ERROR_INPUT || !err.text[0])) {
        fprintf(stderr, "refused without saying why\n");
        abort();
    }
    if (x != TERM_NONE) {
        term_smtlib_script(&script, t, &x, 1, false, true);
        term_smtlib(&expression, t, x);
        struct terms *other = terms_new();
        if (term_smtlib_read_script(other, buf_text(&script), script.len, &err) == TERM_NONE) {
            fprintf(stderr, "%s in what was printed:\n%s", err.text, buf_text(&script));
            abort();
        }
        terms_free(other);
    }
    buf_free(&script);
    buf_free(&expression);
    terms_free(t);
    return 0;
}
