# SPDX-License-Identifier: GPL-3.0-or-later
# price.c, compiled for x86-64
	.text
	.section	.rodata.str1.1,"aMS",@progbits,1
.LC0:
	.string	"empty order"
	.text
	.p2align 4
	.globl	price
	.type	price, @function
price:
	movl	(%rdi), %eax
	testl	%eax, %eax
	jle	.L12
	imull	4(%rdi), %eax
	movl	%eax, %ecx
	movl	%eax, %edx
	sarl	$3, %ecx
	subl	%ecx, %edx
	testl	%esi, %esi
	cmovne	%edx, %eax
	movl	%eax, 8(%rdi)
	xorl	%eax, %eax
	ret
.L12:
	subq	$8, %rsp
	leaq	.LC0(%rip), %rdi
	call	puts@PLT
	movl	$-1, %eax
	addq	$8, %rsp
	ret
	.size	price, .-price
	.section	.note.GNU-stack,"",@progbits
