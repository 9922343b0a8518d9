# SPDX-License-Identifier: Apache-2.0
# S-mode code runs into eight bytes of its own line in which nothing is executed. Each case says where it begins, where
# PMP forbids, and what trap must come: mcause, mepc, mtval, as offsets from `ground`. main answers the number of the first case that differs.
    .section .text
    .globl main
main:
    bnez a0, other
    addi sp, sp, -16
    sd   ra, 0(sp)
    la   t0, caught
    csrw mtvec, t0
    la   s2, cases
    li   s3, 1                  # number of the case
next:
    ld   t0, 0(s2)
    li   t1, -1
    beq  t0, t1, all
    la   s4, ground
    add  s5, s4, t0             # begins
    ld   t0, 8(s2)
    add  t0, t0, s4             # forbidden: 8 bytes
    srli t0, t0, 2
    csrw pmpaddr0, t0
    li   t0, -1
    csrw pmpaddr1, t0
    li   t0, 0x1f18             # entry 1: all; entry 0, which is asked first: nothing
    csrw pmpcfg0, t0
    csrw mepc, s5
    li   t0, 0x1800
    csrc mstatus, t0
    li   t0, 0x0800             # S
    csrs mstatus, t0
    fence.i
    mret
    .align 2
caught:
    csrr t0, mcause
    ld   t1, 16(s2)
    bne  t0, t1, differs
    csrr t0, mepc
    sub  t0, t0, s4
    ld   t1, 24(s2)
    bne  t0, t1, differs
    csrr t0, mtval
    beqz t0, 1f
    sub  t0, t0, s4
1:  ld   t1, 32(s2)
    bne  t0, t1, differs
    addi s2, s2, 40
    addi s3, s3, 1
    j    next
differs:
    mv   a0, s3
    j    end
all:
    li   a0, 0
end:
    csrw pmpcfg0, zero
    ld   ra, 0(sp)
    addi sp, sp, 16
    ret
other:
    li   a0, 0
    ret

    .data
    .balign 8
# begins, forbidden, mcause, mepc, mtval
cases:
    .dword 0,   32,  1, 32,  32     # compressed instructions up to it
    .dword 70,  96,  1, 94,  96     # long ones: the first half may be executed, the second not
    .dword 134, 192, 1, 190, 192    # the same where the second half begins a line
    .dword 40,  32,  9, 64,  0      # behind it in the line: an ecall comes
    .dword 2,   8,   1, 8,   8
    .dword 36,  32,  1, 36,  36     # in the midst of it
    .dword -1

    .section .text
    .balign 256
ground:
    .option push
    .option rvc
    .rept 32                    # 0 to 63
    c.nop
    .endr
    .option norvc
    ecall                       # 64
    .option rvc
    c.nop                       # 68
    .option norvc
    .rept 32                    # 70 to 197, each across a multiple of four
    nop
    .endr
    ecall
    .option pop
