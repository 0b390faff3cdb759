@ SPDX-License-Identifier: GPL-3.0-or-later
@ Fragments of ARM code, and pieces that are none; tests/cli/test_adapt.py says which.
	.syntax unified
	.arm
	.text
	.global to_byte, to_byte_end, turned, turned_end, distance, distance_end, distance_off, distance_off_end
	.global loads, loads_end, leaves, leaves_end, conditional, conditional_end, stacks, stacks_end, asks, asks_end
to_byte:
	mov r2, r7
	cmp r2, #0
	movlt r2, #0
	cmp r2, #255
	movgt r2, #255
to_byte_end:
	bx lr
turned:
	eor r1, r9, r9, ror #16
	bic r1, r1, #0xff0000
	mov r4, r9, ror #8
	eor r4, r4, r1, lsr #8
turned_end:
	bx lr
distance:
	subs r0, r5, r6
	bge 1f
	rsb r0, r0, #0
1:
distance_end:
	bx lr
distance_off:
	subs r0, r5, r6
	bge 1f
	mvn r0, r0
1:
distance_off_end:
	bx lr
loads:
	add r0, r0, #1
	ldr r1, [r0]
	add r0, r0, r1
loads_end:
	bx lr
leaves:
	cmp r0, #0
	beq to_byte
	add r0, r0, #1
leaves_end:
	bx lr
conditional:
	addeq r0, r0, #1
	add r0, r0, #1
	add r0, r0, #1
conditional_end:
	bx lr
stacks:
	add r0, sp, #4
	add r0, r0, #1
stacks_end:
	bx lr
asks:
	mov r7, #1
	svc #0
	mov r0, r7
asks_end:
	bx lr
to_lower:
	sub r3, r0, #65
	cmp r3, #25
	addls r0, r0, #32
to_lower_end:
	bx lr
