/* SPDX-License-Identifier: Apache-2.0 */
/* Fills registers with a pattern and checks whether they keep it. Both functions return the number of registers that
 * did not. */

        /* All registers that a task may use, except sp, gp, tp and those that the loops below need. */
        .macro  each_free_integer operation
        .irp    n, 1,8,9,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        \operation \n
        .endr
        .endm

        .macro  each_float operation
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        \operation \n
        .endr
        .endm

        .macro  each_preserved operation
        .irp    n, 9,18,19,20,21,22,23,24,25,26,27
        \operation \n
        .endr
        .endm

        .macro  each_preserved_float operation
        .irp    n, 8,9,18,19,20,21,22,23,24,25,26,27
        \operation \n
        .endr
        .endm

        .macro  keep n
        sd      x\n, 8*\n(sp)
        .endm
        .macro  give_back n
        ld      x\n, 8*\n(sp)
        .endm
        .macro  keep_float n
        fsd     f\n, 256+8*\n(sp)
        .endm
        .macro  give_back_float n
        fld     f\n, 256+8*\n(sp)
        .endm

        /* Sets x_n to the pattern x10 + n, and checks it. The loop uses x5, x6 and x7 itself. */
        .macro  set n
        addi    x\n, x10, \n
        .endm
        .macro  look n
        addi    x5, x10, \n
        sub     x5, x5, x\n
        snez    x5, x5
        add     x7, x7, x5
        .endm
        .macro  set_float n
        addi    x5, x10, \n
        fmv.d.x f\n, x5
        .endm
        .macro  look_float n
        addi    x5, x10, \n
        fmv.x.d x6, f\n
        sub     x5, x5, x6
        snez    x5, x5
        add     x7, x7, x5
        .endm

        .text

/* unsigned registers_spin(uint64_t pattern, uint64_t turns, uint64_t fcsr): integer registers,
 * floating-point registers and fcsr, looked at again and again without a call. The count of turns
 * lies on the stack. */
        .globl  registers_spin
        .type   registers_spin, @function
registers_spin:
        addi    sp, sp, -528
        each_free_integer keep
        each_preserved_float keep_float
        sd      x11, 512(sp)
        sd      x12, 520(sp)
        fscsr   x12
        each_float set_float
        each_free_integer set
        li      x7, 0
1:      each_free_integer look
        each_float look_float
        frcsr   x5
        ld      x6, 520(sp)
        sub     x5, x5, x6
        snez    x5, x5
        add     x7, x7, x5
        ld      x6, 512(sp)
        addi    x6, x6, -1
        sd      x6, 512(sp)
        bnez    x6, 1b
        fscsr   zero
        each_preserved_float give_back_float
        each_free_integer give_back
        mv      x10, x7
        addi    sp, sp, 528
        ret

/* unsigned registers_across(uint64_t pattern, void (*call)(void), uint64_t fcsr): checks the registers that a called
 * function preserves, and fcsr. */
        .globl  registers_across
        .type   registers_across, @function
registers_across:
        addi    sp, sp, -528
        each_preserved keep
        each_preserved_float keep_float
        sd      ra, 8(sp)
        sd      x10, 512(sp)
        sd      x12, 520(sp)
        fscsr   x12
        each_preserved_float set_float
        each_preserved set
        jalr    x11
        frcsr   x5
        ld      x6, 520(sp)
        sub     x7, x5, x6
        snez    x7, x7
        ld      x10, 512(sp)
        each_preserved look
        each_preserved_float look_float
        fscsr   zero
        each_preserved_float give_back_float
        each_preserved give_back
        ld      ra, 8(sp)
        mv      x10, x7
        addi    sp, sp, 528
        ret
