/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a partition's task into the kernel and back. Images without partitions have none of
 * it. */

#include "kernel_choice.h"

#if PARTITIONS
#include "context.h"
#include "csr.h"
#include "user.h"

        .macro  enter_user              /* clobbers t0: user mode at sepc, interrupts enabled there */
        li      t0, SSTATUS_SPP | SSTATUS_SUM
        csrc    sstatus, t0
        li      t0, SSTATUS_SPIE
        csrs    sstatus, t0
        .endm

        .section .text.trap, "ax"

/* A call from user mode, from trap_entry: sp is the task's context, sscratch the caller's sp. What a
 * called function need not preserve is lost, and what it preserves stays in its registers. */
        .globl  user_call
user_call:
        ld      t0, TASK_CONFIG(sp)
        ld      t1, CONTEXT_CORE(sp)
        ld      t0, CONFIG_STACK_TOP(t0)
        csrrw   sp, sscratch, t1        /* sp: the caller's */
        addi    t0, t0, -USER_SIZE
        csrr    t1, sepc
        sd      sp, USER_SP(t0)
        sd      ra, USER_RA(t0)
        sd      gp, USER_GP(t0)
        sd      tp, USER_TP(t0)
        sd      s0, USER_S0(t0)
        sd      t1, USER_PC(t0)
        mv      sp, t0
        ld      tp, USER_KERNEL_TP(sp)
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
        li      s0, 0                   /* backtraces end here */
        csrsi   sstatus, SSTATUS_SIE
        call    partition_gate          /* with the caller's a0 to a7; returns its result */
        csrci   sstatus, SSTATUS_SIE
        ld      t1, USER_PC(sp)
        addi    t1, t1, 4               /* behind the ecall */
        csrw    sepc, t1
        enter_user
        addi    t1, sp, USER_SCRATCH
        sc.d    zero, zero, (t1)        /* no LR of others shall pair with its SC */
        ld      ra, USER_RA(sp)
        ld      gp, USER_GP(sp)
        ld      tp, USER_TP(sp)
        ld      s0, USER_S0(sp)
        ld      sp, USER_SP(sp)
        .irp    register, t0,t1,t2,t3,t4,t5,t6,a1,a2,a3,a4,a5,a6,a7
        li      \register, 0            /* no value of the kernel's */
        .endr
        sret

/* _Noreturn void user_enter(entry, argument, sp, return address, kernel stack): the first code of a
 * job in user mode; its thread-local storage begins where its stack ends. Interrupts disabled. */
        .globl  user_enter
user_enter:
        sd      tp, USER_KERNEL_TP - USER_SIZE(a4)
        csrw    sepc, a0
        enter_user
        mv      a0, a1
        mv      sp, a2
        mv      tp, a2
        mv      ra, a3
        .irp    register, gp,t0,t1,t2,s0,s1,a1,a2,a3,a4,a5,a6,a7,s2,s3,s4,s5,s6,s7,s8,s9,s10,s11,t3,t4,t5,t6
        li      \register, 0
        .endr
        sret
#endif
