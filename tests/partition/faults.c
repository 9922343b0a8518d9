/* SPDX-License-Identifier: Apache-2.0 */
/* What a task of a partition must not do. */
#include <stdio.h>
#include <takt/takt.h>

static uint64_t count;

void read_job(intptr_t argument) {
    printf("reads\n");
    printf("%d\n", *(volatile int *)0xffffffff80000000);
}

void wait_job(intptr_t argument) {
    (void)!takt_semaphore_wait(TAKT_SEMAPHORE_never);
}

void count_reads(intptr_t argument) {
    count++;
    takt_buffer_write(TAKT_BUFFER_reads, &count);
}

/* Into the first partition's code. */
void write_job(intptr_t argument) {
    *(volatile int *)0xffffffff00000000 = 1;
}

static volatile int deepest = INT32_MAX;

__attribute__((noinline, noclone)) static int sink(int depth) {
    volatile char local[1000];
    local[0] = (char)depth;
    return depth < deepest ? sink(depth + 1) + local[0] : 0;
}

void sink_job(intptr_t argument) {
    sink(0);
}

/* A fault of another kind in each job; the last ones have none. */
void odd_job(intptr_t argument) {
    count++;
    takt_buffer_write(TAKT_BUFFER_odds, &count);
    switch (count) {
    case 1:
        __asm__ volatile("csrr t0, sstatus" ::: "t0");
        break;
    case 2:
        __asm__ volatile("ebreak");
        break;
    case 3:
        __asm__ volatile("li a7, 1000\n\tecall" ::: "a7", "a0", "memory");
        break;
    case 4:
        ((void (*)(void))0xffffffff80000000)();
        break;
    case 5:
        __asm__ volatile("sret");
        break;
    case 6:
        __asm__ volatile("csrw satp, zero");
        break;
    case 7:
        *(volatile int *)(uintptr_t)odd_job = 0;
        break;
    case 8:
        ((void (*)(void)) & count)();
        break;
    case 9:
        __asm__ volatile("csrr t0, instret" ::: "t0");
        break;
    case 10:
        __asm__ volatile("amoadd.d t0, t0, (%0)" ::"r"((char *)&count + 1) : "t0", "memory");
        break;
    }
}

static int worries;

void worry_job(intptr_t argument) {
    takt_assert(++worries < 3);
}

void calm_job(intptr_t argument) {
    count++;
    takt_buffer_write(TAKT_BUFFER_calm, &count);
}
