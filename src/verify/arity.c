/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many arguments a call passes to a function whose prototype nobody knows.
 *
 * A register that is given a value in the block of the call, and that value goes nowhere else, was set for the callee.
 * The most that any call of it in the two versions surely passes is what all of them are taken to pass. */
#include <stdlib.h>
#include <string.h>

#include "verify/private.h"

static bool is_const_val(const struct ir_block *b, ir_val v)
{
    return b->insn[v].op == IR_CONST;
}

/* The number of argument registers that the block surely sets for the call at its end. `own`: how many the function
 * itself has. */
static int sure_of(const struct ir_machine *m, const struct ir_block *b, int own)
{
    uint32_t *used = xcalloc(b->ninsn + 1, sizeof *used);
    ir_val put[MACHINE_MAX_ARGS];
    for (unsigned a = 0; a < m->nargs; a++)
        put[a] = IR_NONE;
    for (uint32_t i = 0; i < b->ninsn; i++) {
        const struct ir_insn *in = &b->insn[i];
        if (in->op == IR_PUT) {
            for (unsigned a = 0; a < m->nargs; a++)
                if (in->a == m->arg[a] && b->insn[in->b].width == m->pointer_width)
                    put[a] = in->b;
            continue;
        }
        const uint32_t arg[] = {in->a, in->b, in->c, in->d};
        if (in->op < OP_COUNT_) {
            unsigned n = in->op == OP_EXTRACT ? 1 : op_info[in->op].arity;
            for (unsigned k = 0; k < n; k++)
                used[arg[k]]++;
        } else if (in->op == IR_LOAD || in->op == IR_STORE) {
            for (unsigned k = 0; k < 3; k++)
                if (arg[k] != IR_NONE)
                    used[arg[k]]++;
        } else if (in->op == IR_EXIT) {
            used[in->a]++;
            /* what was set before may have been set for the other way */
            for (unsigned a = 0; a < m->nargs; a++)
                put[a] = IR_NONE;
        }
    }
    for (uint32_t i = 0; i < b->narg; i++)
        used[b->arg[i]]++;
    int n = 0;
    for (unsigned a = 0; a < m->nargs; a++) {
        /* one that is not set at all must be what the function itself was given */
        if (put[a] == IR_NONE && (int)a >= own)
            break;
        if (put[a] != IR_NONE && (is_const_val(b, put[a]) || used[put[a]] == 0))
            n = (int)a + 1;
    }
    free(used);
    return n;
}

int arity_of(void *ctx, const char *name, uint64_t site)
{
    (void)site;
    struct side *s = ctx;
    struct check *c = s->c;
    const struct verify_knowledge *know = c->opt->know;
    for (size_t i = 0; name && know && i < know->nprototypes; i++)
        if (know->prototype[i].nargs >= 0 && strcmp(know->prototype[i].name, name) == 0) {
            know->prototype[i].used = true;
            return know->prototype[i].nargs;
        }
    if (!name)
        name = "";
    uint64_t key = hash_bytes(name, strlen(name)), known;
    if (map_get(&c->arity, key, &known))
        return (int)known - 1;
    int most = 0;
    const struct ir_machine *m = program_machine(s->p);
    for (int k = 0; k < 2; k++) {
        const struct flow_graph *g = c->side[k].g;
        for (uint32_t i = 0; i < g->ncalls; i++) {
            const char *called = g->call[i].name ? g->call[i].name : "";
            if (g->call[i].target && *called)
                called = norm_callee(&c->side[k], called, g->call[i].target);
            if (strcmp(called, name) != 0)
                continue;
            int n = sure_of(m, &g->block[g->call[i].block], c->side[k].proto.nargs);
            most = n > most ? n : most;
        }
    }
    /* All registers used: there may be more on the stack, which only the engine sees. */
    if (m->nargs == 0 || most == (int)m->nargs)
        most = -1;
    map_set(&c->arity, key, (uint64_t)(most + 1));
    return most;
}
