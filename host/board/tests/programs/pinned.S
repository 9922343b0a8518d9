# SPDX-License-Identifier: Apache-2.0
# Each hart works on lines of its own, on lines of all, and on words of all in turn. In assembler, so that its cycles are the board's
# and not the compiler's.
    .option norvc
    .text
    .balign 64
    .globl main
main:
    lla  t0, lines
    slli t1, a0, 6
    add  t1, t0, t1             # a line of its own
    li   t2, 40
1:  amoadd.d t3, t2, (t0)       # a word of all
    andi t4, t3, 63
    slli t4, t4, 6
    add  t4, t4, t0
    ld   t5, 1024(t4)           # a line of whoever comes by
    add  t5, t5, t3
    sd   t5, 1032(t4)
    ld   t6, 8(t1)
    mul  t5, t5, t6
    divu t5, t5, t2
    sd   t5, 8(t1)
    fcvt.d.l ft0, t5
    fmadd.d ft1, ft0, ft0, ft0
    fence rw, rw
    addi a2, t0, 64
2:  lr.d t5, (a2)
    addi t5, t5, 1
    sc.d t3, t5, (a2)
    bnez t3, 2b
    addi t2, t2, -1
    bnez t2, 1b
    li   a0, 0
    ret

    .bss
    .balign 4096
lines: .space 65536
