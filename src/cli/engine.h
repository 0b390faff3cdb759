/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the engine that several commands have. */
#ifndef CLI_ENGINE_H
#define CLI_ENGINE_H

#include "base/error.h"
#include "cli/options.h"
#include "exec/explore.h"
#include "solve/solve.h"

/* --solver z3|cvc5|race|COMMAND and --dump-smt DIR, which is made; dump_dir may be NULL. */
bool engine_solver(const char *solver, const char *dump_dir, struct solve_options *out, struct error *err);
/* --no-axiom: all but these. */
bool engine_axioms(const struct option_list *off, unsigned *axioms, struct error *err);
/* A list of words, "a,b", each standing for a bit; "none" is the empty set. */
bool engine_set(const char *option, const char *list, const char *const *word, const unsigned *bit, size_t n,
                unsigned *out, struct error *err);

#endif
