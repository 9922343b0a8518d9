/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each service that a partition has, with arguments of each kind, good and bad. */
#include "check.h"

#include <string.h>

struct value {
    uint64_t words[3];
};

/* Equal names stand in right.c. */
static struct value shared = {{1, 2, 3}};
static const struct value constant = {{4, 5, 6}};
static int zeroed[1000];
static _Thread_local int own = 7;

static void *volatile stack_of_helper;
static volatile unsigned helped;

/* A call as no stub makes it. */
static intptr_t call(uintptr_t number, uintptr_t first, uintptr_t second) {
    register uintptr_t a0 __asm__("a0") = first;
    register uintptr_t a1 __asm__("a1") = second;
    register uintptr_t a7 __asm__("a7") = number;
    __asm__ volatile("ecall"
                     : "+r"(a0)
                     : "r"(a1), "r"(a7)
                     : "memory", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a2", "a3", "a4", "a5",
                       "a6");
    return (intptr_t)a0;
}

enum { ACTIVATE = 1, WAKEUP = 4, CONSOLE = 9, SIGNAL = 10, WRITE = 13, READ = 14 };

void helper_job(intptr_t argument) {
    int here;
    stack_of_helper = &here;
    CHECK_IS(own++, 7 + (int)helped);
    helped++;
    CHECK_IS(takt_task_sleep(), TAKT_OK);
    takt_task_exit();
}

static void check_tasks(void) {
    CHECK_IS(takt_task_self(), TAKT_TASK_caller);
    CHECK_IS(takt_task_activate(TAKT_TASK_helper), TAKT_OK);
    CHECK_IS(takt_task_delay(TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS(helped, 1);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_helper), TAKT_OK);
    CHECK_IS(takt_task_delay(TAKT_MILLISECOND), TAKT_OK);
    /* The sign of 32 bits is not extended: the kernel does it. */
    CHECK_IS(call(ACTIVATE, 1ul << 32 | TAKT_TASK_helper, 0), TAKT_OK);
    CHECK_IS(takt_task_delay(TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS(helped, 2);
    CHECK_IS(call(WAKEUP, TAKT_TASK_helper, 0), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_echo), TAKT_E_OACV);
    CHECK_IS(takt_task_activate(TAKT_TASK_main), TAKT_E_OACV);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_echo), TAKT_E_OACV);
    for (unsigned id = 65; id < 70; id++) {
        CHECK_IS(takt_task_wakeup(id), TAKT_E_OACV);
    }
    CHECK_IS(takt_task_wakeup(0), TAKT_E_OACV);
    CHECK_IS(takt_task_wakeup(UINT32_MAX), TAKT_E_OACV);
    CHECK_IS(call(WAKEUP, 1ul << 63 | TAKT_TASK_echo, 0), TAKT_E_OACV);
}

static void check_times(void) {
    takt_time before = takt_time_now();
    CHECK(takt_task_release_time() >= 0 && takt_task_release_time() <= before);
    CHECK_IS(takt_task_delay(100 * TAKT_MICROSECOND), TAKT_OK);
    CHECK(takt_time_now() >= before + 100 * TAKT_MICROSECOND);
    CHECK_IS(takt_task_delay(-1), TAKT_E_PAR);
    CHECK_IS(takt_task_sleep_for(TAKT_MICROSECOND), TAKT_E_TMOUT);
    CHECK_IS(takt_task_sleep_for(-1), TAKT_E_PAR);
}

static void check_semaphores(void) {
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_left_door, 0), TAKT_E_TMOUT);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_left_door), TAKT_OK);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_left_door), TAKT_OK);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_left_door, TAKT_MICROSECOND), TAKT_E_TMOUT);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_right_door), TAKT_E_OACV);
    CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_right_door), TAKT_E_OACV);
    CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_free, 0), TAKT_E_OACV);
    CHECK_IS(takt_semaphore_signal(0), TAKT_E_OACV);
    CHECK_IS(call(SIGNAL, 1ul << 32 | TAKT_SEMAPHORE_right_door, 0), TAKT_E_OACV);
}

/* Addresses that the task must not have the kernel use. */
static void check_addresses(intptr_t (*use)(uintptr_t address, size_t size), size_t size) {
    uintptr_t kernel = 0xffffffff80000000, other = 0xffffffff02000000, own_text = (uintptr_t)call;
    uintptr_t data_end = ((uintptr_t)zeroed + sizeof zeroed + 4095) & -4096ul;
    const uintptr_t bad[] = {0,
                             kernel,
                             kernel - 1,
                             kernel + 0x10000,
                             other,
                             other + 0x2000,
                             other + 0x3000,
                             own_text,
                             data_end - 1,
                             data_end,
                             (uintptr_t)stack_of_helper,
                             -1ul,
                             -8ul,
                             0xffffffff00000000 - 1};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
        intptr_t result = use(bad[i], size);
        CHECK_IS(result, TAKT_E_MACV);
        if (result != TAKT_E_MACV) {
            printf("    address %lx\n", (unsigned long)bad[i]);
        }
    }
}

static intptr_t write_from(uintptr_t address, size_t size) {
    return takt_buffer_write(TAKT_BUFFER_to_right, (const void *)address);
}

static intptr_t read_to(uintptr_t address, size_t size) {
    return takt_buffer_read(TAKT_BUFFER_to_left, (void *)address);
}

static intptr_t print_from(uintptr_t address, size_t size) {
    return takt_console_write((const char *)address, size);
}

static void check_memory(void) {
    struct value here = {{7, 8, 9}};
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_right, &constant), TAKT_OK);
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_right, &shared), TAKT_OK);
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_right, &here), TAKT_OK);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_to_left, (void *)&constant), TAKT_E_MACV);
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_left, &here), TAKT_E_ILUSE);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_private, &here), TAKT_E_OACV);
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_private, &here), TAKT_E_OACV);
    CHECK_IS(takt_buffer_write(99, &here), TAKT_E_OACV);
    CHECK_IS(call(WRITE, 1ul << 32 | TAKT_BUFFER_private, (uintptr_t)&here), TAKT_E_OACV);
    check_addresses(write_from, sizeof here);
    check_addresses(read_to, sizeof here);
    check_addresses(print_from, 5);
    CHECK_IS(takt_console_write("left\n", 5), TAKT_OK);
    CHECK_IS(takt_console_write((const char *)&here, SIZE_MAX), TAKT_E_MACV);
    CHECK_IS(call(CONSOLE, (uintptr_t)&here, 1ul << 32), TAKT_E_MACV);
    CHECK_IS(takt_console_write((const char *)0, 0), TAKT_E_MACV);
}

/* What `echo` of the other partition has made of what was written. */
static void check_echo(void) {
    CHECK_IS(takt_task_delay(3 * TAKT_MILLISECOND), TAKT_OK);
    struct value answer;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_to_left, &answer), TAKT_OK);
    CHECK(answer.words[0] == 107 && answer.words[1] == 108 && answer.words[2] == 109);
}

/* Registers that a called function preserves keep their values over a call that waits, integers and
 * floats. */
static void check_registers(void) {
    volatile double scale = 1.5;
    double kept = scale * 3;
    uint64_t sum = (uint64_t)scale * 11;
    CHECK_IS(takt_task_delay(TAKT_MILLISECOND), TAKT_OK);
    CHECK(kept == 4.5 && sum == 11);
}

void work(intptr_t argument) {
    for (unsigned i = 0; i < sizeof zeroed / sizeof *zeroed; i++) {
        CHECK(zeroed[i] == 0);
    }
    CHECK_IS(own, 7);
    CHECK_IS((long)shared.words[0], 1);
    check_tasks();
    check_times();
    check_semaphores();
    check_memory();
    check_echo();
    check_registers();
    uint64_t result[2] = {check_count, check_failures};
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_checked, result), TAKT_OK);
    printf("left: %u checks, %u failed\n", check_count, check_failures);
}
