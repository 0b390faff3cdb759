/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "verify/steps.h"

#include "pair/pair.h"

enum { STEPS_MAX = 200 };

const char *steps_hex(struct arena *arena, struct bits v, unsigned width)
{
    char text[OP_MAX_WIDTH / 4 + 3];
    bits_format_hex(v, width, text, sizeof text);
    return arena_strdup(arena, text);
}

/* A place in memory in the program's words, or by its distance from the stack pointer at entry. */
static const char *place(struct arena *arena, const struct pair_side *s, uint64_t sp, uint64_t address)
{
    enum { FRAME = 1 << 20 };
    char text[256];
    uint64_t own = s->m->pointer_width == 32 ? (uint32_t)(address - s->bias) : address - s->bias;
    int64_t from_sp = (int64_t)(address - sp);
    if (program_describe(s->p, own, text, sizeof text))
        return arena_strdup(arena, text);
    if (from_sp > -FRAME && from_sp < FRAME)
        return arena_printf(arena, "[sp at entry %c 0x%llx]", from_sp < 0 ? '-' : '+',
                            (unsigned long long)(from_sp < 0 ? -from_sp : from_sp));
    return arena_printf(arena, "[0x%llx]", (unsigned long long)address);
}

/* Of the state it begins in only what the caller gives is told. */
static bool is_given(const struct ir_machine *m, const struct machine_register *r)
{
    bool given = r->offset == m->sp;
    for (unsigned k = 0; k < m->nargs; k++)
        given = given || m->arg[k] == r->offset;
    return given;
}

static uint64_t stack_pointer(const struct run *r)
{
    for (size_t i = 0; r->step.len && i < r->step.data[0].nregs; i++)
        if (r->step.data[0].reg[i].reg->offset == r->s->m->sp)
            return bits_low(r->step.data[0].reg[i].value);
    return 0;
}

const struct verify_step *steps_tell(struct arena *arena, const struct run *r, size_t *n)
{
    const uint64_t sp = stack_pointer(r);
    *n = r->step.len < STEPS_MAX ? r->step.len : STEPS_MAX;
    struct verify_step *out = arena_array(arena, struct verify_step, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        const struct run_step *from = &r->step.data[i];
        struct verify_input *reg = arena_array(arena, struct verify_input, from->nregs + 1);
        struct verify_access *access = arena_array(arena, struct verify_access, from->naccesses + 1);
        out[i] = (struct verify_step){.block = from->block == RUN_END ? 0 : r->s->g->block[from->block].label,
                                      .reg = reg,
                                      .access = access,
                                      .naccesses = from->naccesses};
        for (size_t k = 0; k < from->nregs; k++) {
            const struct machine_register *m = from->reg[k].reg;
            if (i || is_given(r->s->m, m))
                reg[out[i].nregs++] =
                    (struct verify_input){m->name, steps_hex(arena, from->reg[k].value, m->width)};
        }
        for (size_t k = 0; k < from->naccesses; k++) {
            const struct run_access *a = &from->access[k];
            access[k] =
                (struct verify_access){place(arena, r->s, sp, a->address),
                                       a->known ? steps_hex(arena, a->value, a->bytes * 8) : "?", a->write};
        }
    }
    return out;
}
