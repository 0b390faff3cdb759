# SPDX-License-Identifier: GPL-3.0-or-later
    .text
    .globl start
    .type start, @function
start:
    call outside                        # 0:  e8 rel32
    call local                          # 5:  e8 rel32
    lea data(%rip), %rax                # 10: 48 8d 05 rel32
    mov outside@GOTPCREL(%rip), %rax    # 17: 48 8b 05 rel32
    mov $data, %eax                     # 24: b8 abs32
    movabs $data+8, %rax                # 29: 48 b8 abs64
    mov %fs:tls@tpoff, %eax             # 39: 64 8b 04 25 off32
    .size start, . - start
    .type local, @function
local:
    ret
    .size local, . - local
    .data
    .globl data
data:
    .quad local, outside+4
    .long local - .
    .section .tdata, "awT", @progbits
    .long 0
tls:
    .long 1
