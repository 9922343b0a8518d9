/* SPDX-License-Identifier: Apache-2.0 */
/* The first instructions of every hart, at physical addresses: a0 is the hart's number. */

#include "csr.h"
#include "machine.h"

        /* Turns on the page tables of a0 (satp) and goes on at the virtual address of `1:`. The
         * fetch after the write faults, as nothing is mapped where the image was loaded, and the
         * trap vector is the way out. Clobbers t0. */
        .macro  enter_virtual
        ld      t0, 2f
        csrw    stvec, t0
        sfence.vma
        csrw    satp, a0
        .balign 8
2:      .dword  1f
        .balign 4
1:
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        .endm

        .section .text.boot, "ax"

/* Entered by the firmware on one hart: a1 is the physical address of the device tree. OpenSBI 1.1
 * lets a hart that is being started go before it has written where to: it comes here too. */
        .globl  _start
_start:
        csrw    sie, zero
        csrw    sip, zero
        la      t0, boot_begun
        li      t1, 1
        amoswap.w.aqrl t1, t1, (t0)
        bnez    t1, boot_secondary
        mv      s1, a1
        mv      s2, a0

        la      t0, takt_bss_start
        la      t1, takt_bss_end
1:      sd      zero, 0(t0)
        addi    t0, t0, 8
        bltu    t0, t1, 1b

        la      sp, boot_stack_top
        la      a0, takt_image_start
        mv      a1, s1
        call    boot_map
        la      t0, boot_satp
        sd      a0, 0(t0)
        enter_virtual
        la      sp, boot_stack_top
        la      t0, trap_in_boot
        csrw    stvec, t0
        li      tp, 0
        li      s0, 0
        mv      a0, s2
        mv      a1, s1
        call    boot_main

/* Entered from the HSM extension on every other hart. Which core it is, its number says: a1 may be
 * what it was for the first hart, for the same reason. */
        .globl  boot_secondary
boot_secondary:
        csrw    sie, zero
        csrw    sip, zero
        mv      s2, a0
        la      t0, boot_satp
        ld      a0, 0(t0)
        enter_virtual
        la      t0, machine             /* its harts; this one is among them, or it was not started */
        li      a0, 0
1:      ld      t1, 0(t0)
        beq     t1, s2, boot_enter_core
        addi    t0, t0, MACHINE_HART_SIZE
        addi    a0, a0, 1
        j       1b

/* _Noreturn void boot_enter_core(uint32_t core): continues on the core's idle stack. */
        .globl  boot_enter_core
boot_enter_core:
        la      t0, takt_idle_tops
        slli    t1, a0, 3
        add     t0, t0, t1
        ld      sp, 0(t0)
        li      s0, 0
        call    boot_core

/* A fault before the core has its trap stack. */
        .balign 4
trap_in_boot:
        la      sp, boot_stack_top
        csrr    a0, scause
        csrr    a1, sepc
        csrr    a2, stval
        call    boot_trap

        .data
        .balign 4
boot_begun:                             /* by one hart; not zeroed by it */
        .word   0

        .section .bss.boot, "aw", @nobits
        .balign 16
        .space  4096
boot_stack_top:
        .globl  boot_satp
boot_satp:
        .space  8
