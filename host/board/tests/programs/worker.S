# SPDX-License-Identifier: Apache-2.0
# The start of a worker in its scratchpad: the stack lies below the code. main gets the core's number. A word of the core
# keeps the OR of all registers at the start, which is 0.
    .section .text.start, "ax"
    .globl _start
_start:
    or   t0, x1, x2
    .irp r, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
    or   t0, t0, x\r
    .endr
    csrr a0, mhartid
    li   t1, 0x60001000
    slli t2, a0, 8
    add  t1, t1, t2
    sd   t0, 248(t1)            # word 31
    li   sp, 0x70001000
    call main
1:  j    1b
