/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symbolic execution of Java methods: lift/java as a source of code (exec/code.h).
 *
 * Every callee is followed (hooks->call has to say so); a method that cannot be translated ends the path,
 * with PATH_UNKNOWN_CODE at a label that java_reason knows. */
#ifndef EXEC_JAVA_H
#define EXEC_JAVA_H

#include "exec/explore.h"
#include "lift/java/java.h"

/* Explores a method, with java_explore. Keeps a reference to the lifter. */
struct explorer *explorer_new_java(struct java_lift *l, struct java_method *m, struct terms *t,
                                   struct solver *s, const struct explore_options *opt);
bool explore_java(struct explorer *x, struct java_lift *l, struct java_method *m, explore_fn *fn, void *ctx,
                  struct error *err);

#endif
