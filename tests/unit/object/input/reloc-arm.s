@ SPDX-License-Identifier: GPL-3.0-or-later
    .syntax unified
    .text
    .arm
    .globl start
    .type start, %function
start:
    bl outside                          @ 0
    bl thumb_local                      @ 4: becomes blx
    movw r0, #:lower16:data             @ 8
    movt r0, #:upper16:data             @ 12
    b arm_local                         @ 16
    .word outside(GOT_PREL)             @ 20
    .word thumb_local                   @ 24: with the Thumb bit
    .size start, . - start
    .section .text.arm, "ax", %progbits
    .type arm_local, %function
arm_local:
    bx lr
    .size arm_local, . - arm_local
    .section .text.thumb, "ax", %progbits
    .thumb
    .thumb_func
    .type thumb_local, %function
thumb_local:
    bl outside                          @ 0
    bl arm_local                        @ 4: becomes blx
    movw r0, #:lower16:data             @ 8
    movt r0, #:upper16:data             @ 12
    b.w thumb_end                       @ 16
    .size thumb_local, . - thumb_local
    .section .text.thumb2, "ax", %progbits
    .thumb
    .thumb_func
    .type thumb_end, %function
thumb_end:
    bx lr
    .size thumb_end, . - thumb_end
    .data
    .globl data
data:
    .word thumb_local, outside+4
