/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a verdict, a question and a set of properties are called. */
#include <stdio.h>

#include "verify/verify.h"

const char *verify_verdict_name(enum verify_verdict v)
{
    static const char *const name[] = {"safe", "unsafe", "unknown", "bounded"};
    return name[v];
}

bool verify_is_open(enum verify_verdict v)
{
    return v == VERIFY_UNKNOWN || v == VERIFY_BOUNDED;
}

const char *verify_question_name(enum verify_question q)
{
    static const char *const name[] = {"", "Q1", "Q2", "Q3", "Q4", "Q5"};
    return name[q];
}

const char *verify_properties_text(unsigned set, char *out, size_t cap)
{
    size_t n = 0;
    *out = 0;
    for (unsigned i = 0; 1u << i <= VERIFY_PROPERTIES_ALL; i++)
        if (set >> i & 1 && n < cap)
            n += (size_t)snprintf(out + n, cap - n, "%sP%u", n ? "," : "", i + 1);
    return out;
}
