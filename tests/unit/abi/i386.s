/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of the stack: arguments, and what is pushed to align it. */
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro done name
    .size \name, .-\name
    .endm

    function pushed_register
    mov 4(%esp), %eax
    test %eax, %eax
    je 1f
    push %eax
    push %eax
    push %eax
    push $3
    call g@plt
    add $16, %esp
1:  ret
    done pushed_register

    function pushed_number
    cmpl $0, 4(%esp)
    je 1f
    mov $7, %eax
    mov %eax, 8(%esp)
    push %eax
    push %eax
    push %eax
    push $3
    call g@plt
    add $16, %esp
1:  ret
    done pushed_number

    function pops
    mov 4(%esp), %ecx
    push %ecx
    call g@plt
    pop %ecx
    ret
    done pops

    function no_result
    mov 4(%esp), %ecx
    movl $0, (%ecx)
    ret
    done no_result
