/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idioms of compilers for ARM. */
    .syntax unified
    .arm
    .macro function name
    .globl \name
    .type \name, %function
\name:
    .endm
    .macro done name
    .size \name, .-\name
    .endm

    function saved_with_return
    push {r3, lr}
    mov r1, #5
    bl g
    pop {r3, pc}
    done saved_with_return

    function overflow_half
    push {r4, lr}
    umull r2, r3, r0, r1
    cmp r3, #0
    bne 1f
    mul r0, r1, r0
    bl g
    pop {r4, pc}
1:  mov r0, #0
    pop {r4, pc}
    done overflow_half

    function clobbered_by_callee
    push {r4, lr}
    mov r4, r0
    bl other
    mov r0, r4
    bl g
    pop {r4, pc}
    done clobbered_by_callee

    function two_results
    add r1, r0, #2
    add r0, r0, #1
    bx lr
    done two_results
