/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What compilers write around calls of g and other, of which nothing is known: an idiom a function. */
    .macro function name
    .globl \name
    .type \name, @function
\name:
    .endm
    .macro done name
    .size \name, .-\name
    .endm

    function surely_set
    push %rbx
    mov $5, %esi
    lea 1(%rbx), %rdx
    mov %rbx, %rdi
    call g@plt
    pop %rbx
    ret
    done surely_set

    function also_stored
    push %rbx
    mov 8(%rdi), %rsi
    mov %rsi, 16(%rdi)
    call g@plt
    pop %rbx
    ret
    done also_stored

    function remainder_beside_quotient
    push %rbx
    mov %rdi, %rax
    xor %edx, %edx
    div %rsi
    mov %rax, %rdi
    call g@plt
    pop %rbx
    ret
    done remainder_beside_quotient

    function divided_by_number
    push %rbx
    mov %rdi, %rax
    xor %edx, %edx
    mov $10, %ecx
    div %rcx
    mov %rax, %rdi
    call g@plt
    pop %rbx
    ret
    done divided_by_number

    function clobbered_by_callee
    push %rbx
    mov %rdi, %rbx
    call other@plt
    mov %rbx, %rdi
    call g@plt
    pop %rbx
    ret
    done clobbered_by_callee

    function left_on_one_path
    push %rbx
    mov %rdi, %rbx
    cmpl $0, (%rdi)
    je 1f
    call other@plt
    jmp 2f
1:  mov $7, %esi
    mov %esi, (%rbx)
2:  mov %rbx, %rdi
    call g@plt
    pop %rbx
    ret
    done left_on_one_path

    function overflow_product
    push %rbx
    mov %rdi, %rax
    mul %rsi
    jo 1f
    mov %rax, %rdi
    call g@plt
    pop %rbx
    ret
1:  xor %eax, %eax
    pop %rbx
    ret
    done overflow_product

    function product_passed
    push %rbx
    mov %rdi, %rax
    mul %rsi
    mov %rax, %rdi
    call g@plt
    pop %rbx
    ret
    done product_passed

    function loop_bound
    push %rbx
    lea 64(%rdi), %rsi
1:  movl $0, (%rdi)
    add $8, %rdi
    cmp %rsi, %rdi
    jne 1b
    call g@plt
    pop %rbx
    ret
    done loop_bound

    function unoptimised
    push %rbp
    mov %rsp, %rbp
    sub $32, %rsp
    mov %edi, -4(%rbp)
    mov %esi, -8(%rbp)
    mov -8(%rbp), %esi
    mov %esi, -12(%rbp)
    jmp 1f
1:  mov -4(%rbp), %edi
    call g@plt
    leave
    ret
    done unoptimised

    function one_result
    lea 1(%rdi), %rax
    ret
    done one_result

    function two_results
    lea 1(%rdi), %rax
    lea 2(%rdi), %rdx
    ret
    done two_results

    function no_result
    movl $0, (%rdi)
    ret
    done no_result
