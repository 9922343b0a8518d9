/* SPDX-License-Identifier: Apache-2.0 */
/* Traps and switches: the only code that saves and restores registers, floating point included.
 * docs/design/kernel.md, "Contexts", has the argument. All of it runs with interrupts disabled. */

#include "context.h"
#include "csr.h"
#include "kernel_choice.h"

        /* What a trap saves at once: all but x0, x2 (sp), x3 (gp), x10 (a0) and s2-s11. s0 is for
         * backtraces, s1 is used by the entry. gp is the same everywhere but in user mode. */
        .macro  each_at_once operation, base
#if PARTITIONS
        \operation x3, CONTEXT_X(3)(\base)
#endif
        .irp    n, 1,4,5,6,7,8,9,11,12,13,14,15,16,17,28,29,30,31
        \operation x\n, CONTEXT_X(\n)(\base)
        .endr
        .endm

        .macro  each_later operation, base     /* s2-s11, which the handler preserves */
        .irp    n, 18,19,20,21,22,23,24,25,26,27
        \operation x\n, CONTEXT_X(\n)(\base)
        .endr
        .endm

        .macro  each_preserved operation, base /* ra, sp, tp, s0-s11 */
        .irp    n, 1,2,4,8,9,18,19,20,21,22,23,24,25,26,27
        \operation x\n, CONTEXT_X(\n)(\base)
        .endr
        .endm

        .macro  each_float operation, base
        .irp    n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
        \operation f\n, CONTEXT_F(\n)(\base)
        .endr
        .endm

        .macro  each_preserved_float operation, base /* fs0-fs11 */
        .irp    n, 8,9,18,19,20,21,22,23,24,25,26,27
        \operation f\n, CONTEXT_F(\n)(\base)
        .endr
        .endm

        /* Saves fcsr and marks the context's floating point clean. t0: its sstatus; clobbers t1. */
        .macro  float_saved base
        frcsr   t1
        sd      t1, CONTEXT_FCSR(\base)
        li      t1, SSTATUS_FS_DIRTY ^ SSTATUS_FS_CLEAN
        not     t1, t1
        and     t0, t0, t1
        sd      t0, CONTEXT_STATUS(\base)
        .endm

        /* Makes sstatus.FS and the registers those of context a0: restores by `each`, or, where the
         * context has never used floating point, clears fcsr only; and nothing where the one before
         * has not either: fcsr is 0 then. t1: SSTATUS_FS; t3: sstatus.FS; clobbers t0-t2. */
        .macro  float_restore each
        ld      t0, CONTEXT_STATUS(a0)
        and     t0, t0, t1
        li      t2, SSTATUS_FS_INITIAL
        bne     t0, t2, 1f
        beq     t3, t2, 3f
        csrs    sstatus, t1
        fscsr   zero
        j       2f
1:      csrs    sstatus, t1
        \each   fld, a0
        ld      t2, CONTEXT_FCSR(a0)
        fscsr   t2
2:      csrc    sstatus, t1
        csrs    sstatus, t0
3:
        .endm

        /* Lets the handler run below the routine that is interrupted, where its stack has room for
         * one. t1: the core's block; clobbers t2. */
        .macro  below_routine
        ld      sp, CONTEXT_X(2)(a0)
        andi    sp, sp, -16
        ld      t2, CORE_TRAP_LIMIT(t1)
        bgeu    sp, t2, 9f
        ld      sp, CORE_FAULT_SP(t1)
9:
        .endm

        /* Calls what handles the trap of context a0 and returns the context that runs next. t1: the
         * core's block. */
        .macro  call_handler function
        ld      tp, CORE_TRAP_TP(t1)
#if PARTITIONS
        .option push
        .option norelax
        la      gp, __global_pointer$
        .option pop
#endif
        li      s0, 0                   /* backtraces end here */
        mv      s1, a0
        call    \function
        .endm

        .section .text.trap, "ax"

/* Every trap. Nothing is stored on the interrupted stack, which may have overflowed: the registers
 * go to where core->save points, the handler runs on the core's trap stack. */
        .globl  trap_entry
        .balign 4
trap_entry:
        csrrw   sp, sscratch, sp        /* sp: the core's block */
        ld      sp, CORE_SAVE(sp)
#if PARTITIONS
        sd      t0, CONTEXT_X(5)(sp)
        csrr    t0, scause
        addi    t0, t0, -SCAUSE_USER_CALL
        bnez    t0, 1f
        j       user_call               /* user.S */
1:      ld      t0, CONTEXT_X(5)(sp)
#endif
        each_at_once sd, sp
        sd      a0, CONTEXT_X(10)(sp)
        mv      a0, sp
        ld      t1, CONTEXT_CORE(a0)
        csrrw   t0, sscratch, t1
        sd      t0, CONTEXT_X(2)(a0)    /* the interrupted sp */
        csrr    t0, sepc
        sd      t0, CONTEXT_PC(a0)
        csrr    t0, sstatus
        sd      t0, CONTEXT_STATUS(a0)
        csrr    a1, scause
        bgez    a1, 6f                  /* no interrupt */
        ld      sp, CORE_TRAP_SP(t1)
        beqz    sp, 8f                  /* a service routine was interrupted */
#if MIGRATES
        each_later sd, a0               /* another core may load the context before this returns */
#endif
7:      call_handler trap_interrupt
trap_end:
        bne     a0, s1, 5f
        ld      t0, CONTEXT_STATUS(a0)
        li      t1, CONTEXT_CALLED
        and     t1, t0, t1
        bnez    t1, 2f
trap_return_same:                       /* t0: the context's sstatus */
        csrw    sstatus, t0
        ld      t0, CONTEXT_PC(a0)
        csrw    sepc, t0
        sc.d    zero, t0, (a0)          /* no LR of others shall pair with its SC; CONTEXT_PC is 0 */
        each_at_once ld, a0
        ld      sp, CONTEXT_X(2)(a0)
        ld      a0, CONTEXT_X(10)(a0)
        sret

2:      j       context_load            /* the same task, another job: somebody has ended its old one */

8:      each_later sd, a0
        below_routine
        j       7b

        /* A fault, which a panic shows with all registers; or user mode's. */
6:      each_later sd, a0
#if !PARTITIONS
        sd      gp, CONTEXT_X(3)(a0)
#endif
        ld      sp, CORE_TRAP_SP(t1)
        bnez    sp, 4f
        below_routine
4:      call_handler trap_fault
        j       trap_end

        /* Another task: keep what the old one has in registers, its floating point where it is dirty.
         * If its job has ended, what is written here is not read. */
5:
#if !MIGRATES
        each_later sd, s1
#endif
        ld      t0, CONTEXT_STATUS(s1)
        li      t1, SSTATUS_FS_DIRTY
        and     t2, t0, t1
        bne     t2, t1, context_load
        each_float fsd, s1
        float_saved s1

/* _Noreturn void context_load(struct context *next) */
        .globl  context_load
context_load:
        csrr    t3, sstatus
        li      t1, SSTATUS_FS
        and     t3, t3, t1
        j       context_resume

/* int context_switch_last(struct context *from, struct context *to): what a service calls last. Does
 * as below, and then returns TAKT_OK to the service's caller with interrupts enabled: so the service
 * needs no frame. Its return address is kept where a trap keeps t0. */
        .globl  context_switch_last
context_switch_last:
        sd      ra, CONTEXT_X(5)(a0)
        la      ra, context_last_return
        /* goes on below */

/* void context_switch(struct context *from, struct context *to): returns when `from` is loaded. The
 * straight way is that of two contexts that have called it and never used floating point. */
        .globl  context_switch
context_switch:
        each_preserved sd, a0
        csrr    t3, sstatus
        li      t1, SSTATUS_FS
        and     t3, t3, t1
        li      t0, SSTATUS_FS_INITIAL
        bne     t3, t0, 4f
        li      t0, SSTATUS_FS_INITIAL | CONTEXT_CALLED
        sd      t0, CONTEXT_STATUS(a0)
        ld      t2, CONTEXT_STATUS(a1)
        bne     t2, t0, 5f
context_return:                         /* the calibration knows this label, and context_resume */
        mv      a0, a1
.Lreturn:
        each_preserved ld, a0
        ret

4:      li      t0, CONTEXT_CALLED
        or      t0, t0, t3
        sd      t0, CONTEXT_STATUS(a0)
        bne     t3, t1, 5f              /* SSTATUS_FS_DIRTY: all bits of it */
        each_preserved_float fsd, a0
        float_saved a0
        li      t1, SSTATUS_FS
5:      mv      a0, a1
context_resume:                         /* a0: whom; t1: SSTATUS_FS; t3: sstatus.FS */
        ld      t0, CONTEXT_STATUS(a0)
        li      t2, CONTEXT_CALLED
        and     t0, t0, t2
        beqz    t0, 9f
        float_restore each_preserved_float
        j       .Lreturn

9:      float_restore each_float

trap_return:
        each_later ld, a0
        ld      t0, CONTEXT_STATUS(a0)
        j       trap_return_same

        .globl  context_last_return
context_last_return:                    /* a0: the context, which has just been loaded */
        ld      ra, CONTEXT_X(5)(a0)
        li      a0, 0
        csrs    sstatus, SSTATUS_SIE
        ret

/* void context_sleep(struct context *idle): waits for an interrupt, with all registers saved that
 * another context would not find, so that there is nothing to save when it comes. It is handled
 * as if it had trapped. Returns when `idle` is loaded. */
        .globl  context_sleep
context_sleep:
        each_preserved sd, a0
        csrr    t0, sstatus
        li      t1, SSTATUS_FS
        and     t0, t0, t1
        li      t1, CONTEXT_CALLED
        or      t0, t0, t1
        sd      t0, CONTEXT_STATUS(a0)
        mv      s1, a0
        li      s0, 0                   /* backtraces end here */
        ld      t1, CONTEXT_CORE(a0)
        ld      sp, CORE_TRAP_SP(t1)
        ld      tp, CORE_TRAP_TP(t1)
        wfi
        call    sleep_end               /* returns the context that runs next */
        beq     a0, s1, .Lreturn
        j       context_load

/* void context_keep(struct context *interrupted): see arch.h; as the end of a trap does it. */
        .globl  context_keep
context_keep:
        ld      t0, CONTEXT_STATUS(a0)
        li      t1, SSTATUS_FS_DIRTY
        and     t2, t0, t1
        bne     t2, t1, 6f
        each_float fsd, a0
        float_saved a0
6:      ret

/* void context_begin_floats(void) */
        .globl  context_begin_floats
context_begin_floats:
        li      t0, SSTATUS_FS
        csrs    sstatus, t0
        fscsr   zero
        csrc    sstatus, t0
        li      t0, SSTATUS_FS_INITIAL
        csrs    sstatus, t0
        ret
