# SPDX-License-Identifier: Apache-2.0
# One access of each kind, by hart 0, in an order that the test knows.
    .option norvc
    .text
    .balign 64
    .globl main, main_end
main:
    lla  a2, data
    bnez a0, 1f
    li   a3, 0x55
    sd   a3, 0(a2)
    lw   a4, 4(a2)
    lr.d.aq a4, (a2)
    sc.d.rl a5, a3, (a2)
    sc.d a5, a3, (a2)
    amoadd.w.aqrl a4, a3, (a2)
    fence rw, w
    fence.i
    sw   a3, 62(a2)             # across two lines
    ld   a4, 60(a2)
    li   t0, 0x10000000
    lbu  t1, 5(t0)              # the UART's state
    sb   a3, 7(t0)              # its scratch register; the first instruction of the second line
    li   t0, 0x70000000
    sh   a3, 8(t0)              # the own scratchpad
    amoswap.d a4, zero, (t0)
    lla  a2, data
    cbo.flush (a2)
    jal  t2, 2f
1:  li   a0, 0
    ret
    .balign 64
2:  j    3f                     # a third line, and back
    .skip 56
    .option push
    .option rvc
3:  c.nop
    .option norvc
    ld   a4, 1024(a2)           # ends in a fourth line, and waits
    jr   t2
    .option pop
main_end:
    .data
    .balign 64
    .globl data
data:
    .space 2048
