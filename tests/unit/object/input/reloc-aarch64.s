// SPDX-License-Identifier: GPL-3.0-or-later
    .text
    .globl start
    .type start, @function
start:
    bl outside                          // 0
    b local                             // 4
    adrp x0, data                       // 8
    add x0, x0, :lo12:data              // 12
    ldr x1, [x0, :lo12:data]            // 16
    adrp x2, :got:outside               // 20
    ldr x2, [x2, :got_lo12:outside]     // 24
    cbz x0, local                       // 28
    movz x3, #:abs_g0_nc:data           // 32
    movk x3, #:abs_g1:data              // 36
    .size start, . - start
    .section .text.far, "ax", @progbits
    .type local, @function
local:
    ret
    .size local, . - local
    .data
    .globl data
    .balign 8
data:
    .xword local, outside+4
    .word local - .
