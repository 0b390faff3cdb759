# SPDX-License-Identifier: GPL-3.0-or-later
    .text
    .globl start
    .type start, @function
start:
    call outside                        # 0:  e8 rel32
    call local                          # 5:  e8 rel32
    mov $data+4, %eax                   # 10: b8 abs32
    add $_GLOBAL_OFFSET_TABLE_, %ebx    # 15: 81 c3 gotpc
    lea data@GOTOFF(%ebx), %eax         # 21: 8d 83 gotoff
    mov outside@GOT(%ebx), %eax         # 27: 8b 83 got32x
    mov %gs:tls@ntpoff, %eax            # 33: 65 a1 off32
    .size start, . - start
    .type local, @function
local:
    ret
    .size local, . - local
    .data
    .globl data
data:
    .long local, outside+4
    .section .tdata, "awT", @progbits
    .long 0
tls:
    .long 1
