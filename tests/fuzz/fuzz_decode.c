/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as code: every block lifts, validates, disassembles and runs without a crash. The first byte
 * chooses the instruction set. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "exec/concrete.h"
#include "lift/lift.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool fill(void *ctx, unsigned space, uint64_t address, uint8_t *byte)
{
    (void)ctx;
    (void)space;
    *byte = (uint8_t)(address * 31);
    return true;
}

static void check(const struct ir_block *b, const struct ir_machine *m)
{
    struct ir_pures pures = lift_pures();
    struct buf why = BUF_INIT;
    if (!ir_validate(b, m, &pures, &why)) {
        fprintf(stderr, "invalid IR:\n%s", buf_text(&why));
        abort();
    }
    ir_print_block(&why, b, m, &pures);
    buf_free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum machine_arch arch[] = {MACHINE_AMD64, MACHINE_X86, MACHINE_ARM, MACHINE_ARM,
                                             MACHINE_ARM64};
    if (size < 2)
        return 0;
    unsigned which = data[0] % 5;
    ir_label base = 0x10000 | (which == 3);
    data++;
    size--;
    static struct lifter *lifters[5]; /* kept: bringing one up costs more than a block */
    if (!lifters[which])
        lifters[which] = lifter_new(arch[which], NULL);
    struct lifter *l = lifters[which];
    const struct ir_machine *m = lift_machine(arch[which]);
    struct concrete *cpu = concrete_new(m, lift_pures(), fill, NULL);
    struct arena arena = ARENA_INIT;
    for (size_t at = 0; at < size;) {
        struct ir_block b;
        lift_block(l, base + at, data + at, size - at, 0, &arena, &b);
        if (b.bytes > size - at)
            abort();
        check(&b, m);
        concrete_run_block(cpu, &b);
        char text[160];
        lift_disassemble(l, base + at, data + at, size - at, text, sizeof text);
        at += b.bytes ? b.bytes : which == 3 ? 2 : which >= 2 ? 4 : 1;
        arena_reset(&arena);
    }
    arena_free(&arena);
    concrete_free(cpu);
    return 0;
}
