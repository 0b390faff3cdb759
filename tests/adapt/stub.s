# SPDX-License-Identifier: GPL-3.0-or-later
# A system call as C libraries have them: assembled with -g, it has an entry in the debug information that lists no parameters.
	.text
	.globl	ask_two
	.type	ask_two, @function
ask_two:
	movl	$109, %eax
	syscall
	cmpq	$-4095, %rax
	jae	1f
	ret
1:	orq	$-1, %rax
	ret
	.size	ask_two, .-ask_two
# The number of a system call, put together from two parts.
	.globl	open_at
	.type	open_at, @function
open_at:
	movl	$257, %eax
	syscall
	ret
	.size	open_at, .-open_at
	.globl	open_by_parts
	.type	open_by_parts, @function
open_by_parts:
	movl	$1, %eax
	movb	$1, %ah
	syscall
	ret
	.size	open_by_parts, .-open_by_parts
# A store to where the stack is moved for it.
	.globl	store_word
	.type	store_word, @function
store_word:
	movq	%rsi, (%rdi)
	ret
	.size	store_word, .-store_word
	.globl	push_word
	.type	push_word, @function
push_word:
	movq	%rsp, %rax
	leaq	8(%rdi), %rsp
	jmp	1f
1:	pushq	%rsi
	jmp	2f
2:	movq	%rax, %rsp
	ret
	.size	push_word, .-push_word
# The code that stores is returned to.
	.globl	store_behind
	.type	store_behind, @function
store_behind:
	leaq	store_word(%rip), %rax
	pushq	%rax
	ret
	.size	store_behind, .-store_behind
# Which implementation it is.
	.globl	memset
	.type	memset, @gnu_indirect_function
memset:
	leaq	set_bytes(%rip), %rax
	ret
	.size	memset, .-memset
	.section	.note.GNU-stack,"",@progbits
