/* SPDX-License-Identifier: Apache-2.0 */
/* The least program that looks like a kernel to `takt run`: it writes a record by hand and then
 * does what MODE says, most of which a kernel must not do. It has one hart and one task. */

#define RUNNING 0
#define SHUTDOWN 1
#define PANIC 2

#define UART 0x10000000

    .section .text.entry, "ax"
    .globl _start
    .type _start, @function
_start:
    la s0, takt_record
    la a0, hello
    call print
    li t0, 1000
    sd t0, 96(s0)               /* epoch */
    sd t0, 104(s0)              /* now */
    tail MODE

    .type print, @function
print:
    li t1, UART
1:  lbu t0, (a0)
    beqz t0, 2f
    sb t0, (t1)
    addi a0, a0, 1
    j 1b
2:  ret

    /* Updates the record for a while, as a sign of life, then ends with code 7. */
    .type shutdown, @function
shutdown:
    li t2, 50
1:  ld t0, 104(s0)
    addi t0, t0, 100
    sd t0, 104(s0)
    li t1, 100000
2:  addi t1, t1, -1
    bnez t1, 2b
    addi t2, t2, -1
    bnez t2, 1b
    li t0, 20001000             /* two seconds at 10 MHz */
    sd t0, 112(s0)              /* end */
    li t0, 7
    sw t0, 40(s0)               /* code */
    li t0, SHUTDOWN
    j finish

    .type panic, @function
panic:
    li t0, PANIC
finish:
    fence rw, rw
    sw t0, 36(s0)               /* outcome */
    j park

    .type hang, @function
hang:
park:
    wfi
    j park

    /* Never stops and never ends, for tests that interrupt a run. */
    .type live, @function
live:
    ld t0, 104(s0)
    addi t0, t0, 1
    sd t0, 104(s0)
    j live

    /* Prints so much that the end of the output must wait for the host. */
    .type chatter, @function
chatter:
    li s1, 3000
1:  la a0, hello
    call print
    addi s1, s1, -1
    bnez s1, 1b
    la a0, bye
    call print
    li t0, SHUTDOWN
    j finish

    /* Overwrites the record before the host has seen it. */
    .type silence, @function
silence:
    sd zero, (s0)
    j park

    /* Resets the system by SBI: QEMU ends. */
    .type reset, @function
reset:
    li a7, 0x53525354
    li a6, 0
    li a0, 0
    li a1, 0
    ecall
    j park

    .section .rodata
hello:
    .asciz "hello from the payload\n"
bye:
    .asciz "good bye\n"

    .data
    .balign 8
    .globl takt_record
takt_record:
    .ascii "TAKTREC\0"
    .word RECORD_VERSION, HEADER_SIZE
    .fill 20, 1, BUILD_ID_BYTE
    .word RUNNING, 0            /* outcome, code */
    .word 1, 1, TASK_SIZE, EVENT_SIZE, 0 /* cores, tasks, sizes, no ring */
    .word HEADER_SIZE, core - takt_record, CORE_STRIDE, 0 /* offsets, stride, interrupts */
    .dword end - takt_record, 10000000 /* size of all, clock */
    .dword 0, 0, 0              /* epoch, now, end */
    .ascii "the payload panics"
    .fill 142
    .word INTERRUPT_SIZE, core - takt_record /* where interrupts would be */
    .word 0, LIMIT_SIZE, core - takt_record, REFUSAL_SIZE /* no limits, where they would be */
task:
    .dword 3, 0, 0, 0, 0, 0     /* jobs ... */
    .dword 10000, 30000, 60000, 20000, 45000, 0, 0, 100, 0, 20000
    .fill TASK_SIZE - (. - task)
core:
    .fill CORE_STRIDE
end:
