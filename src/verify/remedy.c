/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a person can do about a verdict that is not known. Of some reasons nothing is known to help. */
#include <string.h>

#include "verify/verify.h"

#define PROTOTYPE                                                                                            \
    "give the library that defines these callees (--libraries DIR), say in the configuration how many "       \
    "arguments they take (--write-config lists them, to be filled in), or give debug information"
#define RETURNS                                                                                              \
    "say in the configuration whether the function returns a value (\"returns\" of its prototype), or give " \
    "debug information"
#define HEURISTICS                                                                                           \
    "look at the exits (--func lists them), and leave heuristics that are wrong here out of --heuristics, "  \
    "or say in the configuration which exits are errors"
#define STRATEGY "use --strategy=converge, which needs no bound"

/* The first whose words are in the reason counts. */
static const struct {
    const char *words, *remedy;
} remedies[] = {
    {"calls of (", NULL}, /* no prototype has the name of a pointer */
    {"if it takes so many", PROTOTYPE},
    {"how many arguments there are", PROTOTYPE},
    {"an argument on the stack", PROTOTYPE},
    {"in a register that may carry an argument", PROTOTYPE},
    {"how wide an argument is", "give the library that defines the callee (--libraries DIR), or "
                                "debug information, which says how wide arguments are"},
    {"nothing says whether it returns a value", RETURNS},
    {"if the function returns nothing", RETURNS},
    {"a register that may be part of the result", RETURNS},
    {"differ in their upper halves", "give debug information, which says how wide the result is"},
    {"if returning 0 means an error",
     "if 0 means an error, name it among the \"invalid_values\" of the configuration; if not, leave B out of "
     "--heuristics; debug information decides it, too"},
    {"every exit looks like an error exit", HEURISTICS},
    {"out of work", "raise --timeout"},
    {"out of time", "raise --timeout"},
    {"the solver gave up: limit of", "raise --query-timeout, and --timeout with it"},
    {"the solver gave up: time limit", "raise --query-timeout, and --timeout with it"},
    {"memory limit", "raise --memory"},
    {"too many paths to look at", STRATEGY},
    {"loops were followed for two rounds only", STRATEGY},
    {"it is not certain which function",
     "name the function in both versions (\"names\" in the configuration)"},
};

const char *verify_remedy(const char *reason)
{
    for (size_t i = 0; reason && i < sizeof remedies / sizeof *remedies; i++)
        if (strstr(reason, remedies[i].words))
            return remedies[i].remedy;
    return NULL;
}
