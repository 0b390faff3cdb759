/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idioms of compilers for AArch64. */
    .macro function name
    .globl \name
    .type \name, %function
\name:
    .endm
    .macro done name
    .size \name, .-\name
    .endm

    function surely_set
    stp x29, x30, [sp, #-32]!
    str x19, [sp, #16]
    mov x1, #5
    add x2, x19, #1
    mov x0, x19
    bl g
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
    ret
    done surely_set

    function clobbered_by_callee
    stp x29, x30, [sp, #-32]!
    str x19, [sp, #16]
    mov x19, x0
    bl other
    mov x0, x19
    bl g
    ldr x19, [sp, #16]
    ldp x29, x30, [sp], #32
    ret
    done clobbered_by_callee

    function two_results
    add x1, x0, #2
    add x0, x0, #1
    ret
    done two_results

    function no_result
    str wzr, [x0]
    ret
    done no_result

    function guard_wiped
    stp x29, x30, [sp, #-32]!
    mov x0, x19
    ldr x2, [x1]
    str x2, [sp, #24]
    mov x2, #0
    bl g
    ldp x29, x30, [sp], #32
    ret
    done guard_wiped

    function spares
    add x0, x0, #3
    ret
    done spares

    function kept_over_call
    stp x29, x30, [sp, #-16]!
    mov x1, #5
    bl spares
    bl g
    ldp x29, x30, [sp], #16
    ret
    done kept_over_call
