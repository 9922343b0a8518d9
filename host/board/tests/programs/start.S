# SPDX-License-Identifier: Apache-2.0
# Each hart gets a stack of 4 KiB and calls main(hart, harts). When all have returned, hart 0 ends the run through `tohost`:
# with 1 (good), or with 2 x code + 1 for the first nonzero code that a main returned.
    .section .text.start, "ax"
    .globl _start
_start:
    la   t0, trap
    csrw mtvec, t0
    li   t0, 0x6000             # FS: dirty
    csrs mstatus, t0
    csrr a0, mhartid
    la   sp, stacks
    addi t0, a0, 1
    slli t0, t0, 12
    add  sp, sp, t0
    la   a1, harts
    ld   a1, 0(a1)
    mv   s0, a0
    mv   s1, a1
    call main
    beqz a0, 1f
    la   t0, failed
    sd   a0, 0(t0)
1:  fence rw, rw
    la   t0, arrived
    li   t1, 1
    amoadd.d.aqrl zero, t1, (t0)
    bnez s0, sleep
2:  ld   t2, 0(t0)
    bne  t2, s1, 2b
    fence rw, rw
    la   t0, failed
    ld   t1, 0(t0)
    slli t1, t1, 1
    ori  t1, t1, 1
    la   t0, tohost
    sd   t1, 0(t0)
    li   t0, 0x100000           # QEMU's word for a good end
    li   t1, 0x5555
    sw   t1, 0(t0)
sleep:
    wfi
    j    sleep

    .align 2
trap:                           # nothing is expected to trap: code 1000 + cause
    csrr t1, mcause
    addi t1, t1, 1000
    slli t1, t1, 1
    ori  t1, t1, 1
    la   t0, tohost
    sd   t1, 0(t0)
    j    sleep

    .data
    .balign 64
    .globl harts
harts:   .dword 1               # the loader of the test writes it
    .balign 64
arrived: .dword 0
    .balign 64
failed:  .dword 0
    .balign 4096
    .globl tohost, fromhost
tohost:  .dword 0
fromhost: .dword 0

    .bss
    .balign 4096
stacks:  .space 4096 * 129
