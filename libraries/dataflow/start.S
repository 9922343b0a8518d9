/* SPDX-License-Identifier: Apache-2.0 */
/* Where a worker leaves reset: in machine mode, translation off, its image in the scratchpad. */
    .section .text.dataflow_start, "ax"
    .globl dataflow_start
dataflow_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, dataflow_stack_top
    la tp, dataflow_tls
    la t0, trap
    csrw mtvec, t0
    li t0, 0x6000               /* mstatus.FS: floating point is on */
    csrs mstatus, t0
    la t0, dataflow_bss
    la t1, dataflow_bss_end
    j 2f
1:  sd zero, 0(t0)
    addi t0, t0, 8
2:  bltu t0, t1, 1b
    csrr a0, mhartid
    tail dataflow_worker

/* Leaves cause, pc and value in this core's words, without the stack: it may be what failed. */
    .balign 4
trap:
    csrr t0, mhartid
    slli t0, t0, 8              /* 32 words of 8 bytes */
    la t1, takt_device_dataflow_words
    add t0, t0, t1
    csrr t1, mepc
    sd t1, 8 * 28(t0)
    csrr t1, mtval
    sd t1, 8 * 29(t0)
    lwu t1, 8 * 31(t0)          /* the status, whose object stays */
    andi t1, t1, -256
    ori t1, t1, 8               /* STATE_FAULT */
    csrr t2, mcause
    slli t2, t2, 32
    or t1, t1, t2
    sd t1, 8 * 31(t0)
3:  wfi
    j 3b
