// SPDX-License-Identifier: Apache-2.0
// What stands around the generated blocks, in M-mode: gives each block its registers, enters it,
// records every trap and a dump of the hart after each round, and ends the machine.
//
// A generated block never writes gp (the context below), and keeps in tp where to go on after a
// jump that fails. Everything else of the hart is its own.

// The context: x1 to x31 at 8 * number, then
#define CONTEXT_LOG     256
#define CONTEXT_BLOCK   264
#define CONTEXT_ROUND   272
#define CONTEXT_BUDGET  280

// A block's description; image.rs writes it.
#define BLOCK_ENTRY     0
#define BLOCK_END       8
#define BLOCK_MSTATUS   16
#define BLOCK_MEDELEG   24
#define BLOCK_MIDELEG   32
#define BLOCK_SATP      40
#define BLOCK_MIE       48
#define BLOCK_TABLES    56
#define BLOCK_OPERANDS  64
#define BLOCK_S0        72
#define BLOCK_SP        80
#define BLOCK_S1        88
#define BLOCK_COUNTERS  96
#define BLOCK_FRM       104
#define BLOCK_PMPCFG    112
#define BLOCK_PMPADDR0  120
#define BLOCK_PMPADDR1  128
#define BLOCK_SIZE      256

#define RECORD_TRAP     1
#define RECORD_TRAP_S   2
#define RECORD_DUMP     3

#define MSTATUS_FS      0x6000
#define INTERRUPTS_S    0x222
#define LOAD_ACCESS_FAULT 5
#define ECALL_S         9

.section .text
.globl _start
_start:
    csrr t0, mhartid
    bnez t0, park
    la gp, context
    // No timer interrupt; a machine without the timer traps, and goes on behind.
    la t0, 1f
    csrw mtvec, t0
    li t0, MTIMECMP
    li t1, -1
    sd t1, 0(t0)
.balign 4
1:  la t0, trap
    csrw mtvec, t0
    la t0, trap_s
    csrw stvec, t0
    csrw mcause, zero
    csrw mtval, zero
    csrw mie, zero
    csrw mscratch, zero
    csrw sscratch, zero
    csrw satp, zero
    // What the first two entries of PMP leave is open to S and U: the page tables decide.
    li t0, -1
    csrw pmpaddr2, t0
    li t0, LOG
    sd t0, CONTEXT_LOG(gp)
    li t0, BLOCKS
    sd t0, CONTEXT_BLOCK(gp)
    sd zero, CONTEXT_ROUND(gp)

round:
    ld s0, CONTEXT_BLOCK(gp)
    ld t0, BLOCK_ENTRY(s0)
    beqz t0, finish
    csrw mepc, t0
    li t0, TRAP_BUDGET
    sd t0, CONTEXT_BUDGET(gp)

    // The page tables as they were made, without the A and D bits that were set since.
    ld t0, BLOCK_TABLES(s0)
    li t1, ROOT_ENTRIES
    li t2, 4
    call copy
    li t1, LEVEL1
    li t2, TABLE_ENTRIES
    call copy
    li t1, LEVEL0_A
    li t2, TABLE_ENTRIES
    call copy
    li t1, LEVEL0_B
    li t2, TABLE_ENTRIES
    call copy
    ld t0, BLOCK_SATP(s0)
    csrw satp, t0
    ld t0, BLOCK_PMPADDR0(s0)
    csrw pmpaddr0, t0
    ld t0, BLOCK_PMPADDR1(s0)
    csrw pmpaddr1, t0
    ld t0, BLOCK_PMPCFG(s0)
    csrw pmpcfg0, t0
    sfence.vma

    la t0, trap_s
    csrw stvec, t0
    ld t0, BLOCK_MEDELEG(s0)
    csrw medeleg, t0
    ld t0, BLOCK_MIDELEG(s0)
    csrw mideleg, t0
    li t0, INTERRUPTS_S
    csrc mip, t0
    ld t0, BLOCK_MIE(s0)
    csrw mie, t0
    ld t0, BLOCK_COUNTERS(s0)
    csrw mcounteren, t0
    srli t0, t0, 8
    csrw scounteren, t0

    // Registers: the next stretch of the operands, another rounding mode each round.
    li t0, MSTATUS_FS
    csrs mstatus, t0
    ld t0, BLOCK_OPERANDS(s0)
    ld t1, CONTEXT_ROUND(gp)
    li t2, 1528
    mul t2, t2, t1
    add t0, t0, t2
    li t2, OPERANDS_MASK
    and t0, t0, t2
    li t2, OPERANDS
    add t0, t0, t2
    ld t2, BLOCK_FRM(s0)
    add t1, t1, t2
    li t2, 5
    remu t1, t1, t2
    slli t1, t1, 5
    csrw fcsr, t1
.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fld f\n, 8*\n(t0)
.endr
    addi x31, t0, 256
    ld t0, BLOCK_MSTATUS(s0)
    csrw mstatus, t0
    ld tp, BLOCK_END(s0)
    ld s1, BLOCK_S1(s0)
    ld sp, BLOCK_SP(s0)
    ld s0, BLOCK_S0(s0)
.irp n, 1,5,6,7,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld x\n, 8*\n(x31)
.endr
    mret

.balign 4
trap:
.irp n, 1,2,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    sd x\n, 8*\n(gp)
.endr
    sd gp, 24(gp)
    ld s0, CONTEXT_LOG(gp)
    ld s1, CONTEXT_BLOCK(gp)
    csrr a0, mcause
    csrr a1, mepc
    csrr a2, mtval
    csrr a3, mstatus
    li a4, RECORD_TRAP
    la s2, trap_s
    li t0, ECALL_S
    bne a0, t0, 1f
    bne a1, s2, 1f
    // The trap was delegated, and the S-mode handler asks for what comes next.
    csrr a0, scause
    csrr a1, sepc
    csrr a2, stval
    li a4, RECORD_TRAP_S
1:  sd a4, 0(s0)
    sd a0, 8(s0)
    sd a1, 16(s0)
    sd a2, 24(s0)
    sd a3, 32(s0)
    addi s0, s0, 40
    sd s0, CONTEXT_LOG(gp)

    // QEMU gets details of access faults wrong (compare.rs): recorded, but not to be read by the
    // block.
    addi t0, a0, -LOAD_ACCESS_FAULT
    andi t0, t0, ~2
    bnez t0, 7f
    li t0, LOAD_ACCESS_FAULT
    andi t1, a2, -8
    addi t2, a4, -RECORD_TRAP
    bnez t2, 8f
    csrw mcause, t0
    csrw mtval, t1
    j 7f
8:  csrw scause, t0
    csrw stval, t1

7:  ld t0, CONTEXT_BUDGET(gp)
    addi t0, t0, -1
    sd t0, CONTEXT_BUDGET(gp)
    beqz t0, dump
    bltz a0, interrupt
    // Blocks begin at different addresses for S and U: the low 30 bits are the same.
    ld t0, BLOCK_END(s1)
    xor t0, t0, a1
    slli t0, t0, 34
    bnez t0, 2f
    addi t0, a0, -8
    sltiu t0, t0, 4
    bnez t0, dump
2:  // An instruction that cannot be fetched has no length.
    addi t0, a0, -1
    beqz t0, 3f
    addi t0, a0, -12
    beqz t0, 3f
    slli t0, a1, 34
    srli t0, t0, 34
    li t1, RAM
    or t0, t0, t1
    lhu t0, 0(t0)
    addi a1, a1, 2
    andi t0, t0, 3
    addi t0, t0, -3
    bnez t0, resume
    addi a1, a1, 2
    j resume
3:  ld a1, 32(gp)
    j resume
interrupt:
    li t0, INTERRUPTS_S
    csrc mip, t0
resume:
    addi a4, a4, -RECORD_TRAP
    bnez a4, 4f
    csrw mepc, a1
    j 5f
4:  csrw sepc, a1
    addi s2, s2, 4
    csrw mepc, s2
    // With MPRV, mret changes whose accesses the block's are; QEMU keeps translations over that.
5:  sfence.vma
.irp n, 1,2,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld x\n, 8*\n(gp)
.endr
    mret

// One word after another, as compare.rs names them.
dump:
    li t0, RECORD_DUMP
    sd t0, 0(s0)
    li t0, BLOCKS
    sub t0, s1, t0
    srli t0, t0, 8
    sd t0, 8(s0)
    ld t0, CONTEXT_ROUND(gp)
    sd t0, 16(s0)
    addi s0, s0, 24
.irp n, 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    ld t0, 8*\n(gp)
    sd t0, 8*(\n-1)(s0)
.endr
    addi s0, s0, 248
    li t0, MSTATUS_FS
    csrs mstatus, t0
.irp n, 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31
    fsd f\n, 8*\n(s0)
.endr
    addi s0, s0, 256
.macro dump_csrs csrs:vararg
.irp csr, \csrs
    csrr t0, \csr
    sd t0, 0(s0)
    addi s0, s0, 8
.endr
.endm
    dump_csrs fcsr, mscratch, sscratch, stvec, sepc, scause, stval
    dump_csrs medeleg, mideleg, mie, mip, satp, mcounteren, scounteren
    li t6, 0x9e3779b97f4a7c15
    li a0, 0
    li t0, DATA
    li t1, DATA_WORDS
    call checksum
    li t0, ROOT_ENTRIES
    li t1, 4
    call checksum
    li t0, LEVEL1
    li t1, TABLE_ENTRIES
    call checksum
    li t0, LEVEL0_A
    li t1, TABLE_ENTRIES
    call checksum
    li t0, LEVEL0_B
    li t1, TABLE_ENTRIES
    call checksum
    sd a0, 0(s0)
    addi s0, s0, 8
    sd s0, CONTEXT_LOG(gp)

    ld t0, CONTEXT_ROUND(gp)
    addi t0, t0, 1
    li t1, ROUNDS
    bltu t0, t1, 6f
    addi s1, s1, BLOCK_SIZE
    sd s1, CONTEXT_BLOCK(gp)
    li t0, 0
6:  sd t0, CONTEXT_ROUND(gp)
    j round

// t2 doublewords from t0 to t1; t0 is left behind them.
copy:
    ld t3, 0(t0)
    sd t3, 0(t1)
    addi t0, t0, 8
    addi t1, t1, 8
    addi t2, t2, -1
    bnez t2, copy
    ret

// Mixes t1 doublewords from t0 into a0.
checksum:
    ld t2, 0(t0)
    xor a0, a0, t2
    mul a0, a0, t6
    addi t0, t0, 8
    addi t1, t1, -1
    bnez t1, checksum
    ret

finish:
    ld t0, CONTEXT_LOG(gp)
    sd zero, 0(t0)
    li t0, FINISHER
    li t1, 0x5555
    sw t1, 0(t0)
park:
    wfi
    j park

// The handler of S-mode has no registers of its own: it asks M-mode, and returns.
.balign 4
trap_s:
    ecall
    sret

.balign 4096
context:
    .space 512
