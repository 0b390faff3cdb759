# SPDX-License-Identifier: GPL-3.0-or-later
# price.c, compiled for x86-64
	.text
	.p2align 4
	.globl	price
	.type	price, @function
price:
	movl	(%rdi), %edx
	testl	%edx, %edx
	jle	.L4
	subq	$8, %rsp
	movl	%esi, %eax
	movl	4(%rdi), %esi
	imull	%edx, %esi
	movl	%esi, %r8d
	movl	%esi, %ecx
	sarl	$3, %r8d
	subl	%r8d, %ecx
	testl	%eax, %eax
	cmovne	%ecx, %esi
	movl	%esi, 8(%rdi)
	movl	%edx, %edi
	call	audit@PLT
	xorl	%eax, %eax
	addq	$8, %rsp
	ret
.L4:
	movl	$-1, %eax
	ret
	.size	price, .-price
	.section	.note.GNU-stack,"",@progbits
