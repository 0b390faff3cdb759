/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions that VEX does not decode, looked at with Capstone: how long they are, what they may write, and
 * a few whose meaning is simple enough to give here. */
#ifndef LIFT_VEX_UNDECODED_H
#define LIFT_VEX_UNDECODED_H

#include "lift/vex/vex.h"

#include <capstone/capstone.h>

struct disassembler {
    enum machine_arch arch;
    csh handle[2]; /* [1]: Thumb */
    cs_insn *insn[2];
};

bool disassembler_init(struct disassembler *d, enum machine_arch arch);
void disassembler_free(struct disassembler *d);

/* One instruction at a label, or NULL. It is overwritten by the next call. */
const cs_insn *disassemble(struct disassembler *d, ir_label label, const uint8_t *bytes, size_t available);

struct undecoded {
    unsigned length; /* 0 when it is not known */
    bool avx512;
    bool counted; /* false when a meaning was given after all */
    bool ends;    /* the block ends here, with `end` */
    struct ir_end end;
};

/* Emits what is known about the instruction at `label`. */
struct undecoded vex_undecoded(struct vex_ctx *c, struct disassembler *d, ir_label label,
                               const uint8_t *bytes, size_t available);

#endif
