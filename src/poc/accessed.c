/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why the processor stopped at an instruction: which address it could not access, what it could not divide.
 * It is run by the concrete interpreter, with the registers and memory of the process. */
#include <stdlib.h>
#include <string.h>

#include "exec/concrete.h"
#include "poc/poc.h"

struct looking {
    struct process *p;
    const struct process_map *map;
    size_t nmaps;
    bool found;
    uint64_t address;
};

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *cell)
{
    const struct looking *l = ctx;
    if (!process_read(l->p, address, cell, 1))
        *cell = 0;
    return space == 0;
}

static void see(void *ctx, unsigned space, uint64_t address, unsigned cells, bool write)
{
    struct looking *l = ctx;
    for (unsigned i = 0; i < cells && !l->found && space == 0; i++) {
        bool mapped = false;
        for (size_t k = 0; k < l->nmaps && !mapped; k++)
            mapped = address + i >= l->map[k].low && address + i < l->map[k].high &&
                     (write ? l->map[k].write : l->map[k].read);
        l->found = !mapped;
        l->address = address + i;
    }
}

static struct concrete_result interpret(struct program *program, struct process *p, uint64_t pc,
                                        struct looking *l)
{
    const struct ir_machine *m = program_machine(program);
    struct concrete_result r = {.stop = CONCRETE_NO_MEANING};
    uint8_t code[32];
    size_t n = sizeof code;
    while (n && !process_read(p, pc, code, n))
        n /= 2;
    if (!n)
        return r;
    struct arena arena = ARENA_INIT;
    struct ir_block b;
    l->nmaps = process_maps(p, &arena, &l->map);
    const struct flow_function *f = program_function_covering(program, pc - process_base(p));
    ir_label label = m->arch == MACHINE_ARM && f && f->flags & FLOW_THUMB ? pc | 1 : pc;
    lift_block(program_lifter(program), label, code, n, LIFT_STEP, &arena, &b);
    struct concrete *c = concrete_new(m, lift_pures(), fill, l);
    concrete_watch(c, see, l);
    if (process_registers(p, concrete_registers(c)))
        r = concrete_run_block(c, &b);
    concrete_free(c);
    arena_free(&arena);
    return r;
}

bool poc_accessed(void *ctx, struct process *p, uint64_t pc, uint64_t *address)
{
    struct looking l = {.p = p};
    interpret(ctx, p, pc, &l);
    *address = l.address;
    return l.found;
}

bool poc_quotient(void *ctx, struct process *p, uint64_t pc)
{
    struct looking l = {.p = p};
    struct concrete_result r = interpret(ctx, p, pc, &l);
    return r.stop == CONCRETE_TRAP && r.exit == IR_EXIT_QUOTIENT;
}
