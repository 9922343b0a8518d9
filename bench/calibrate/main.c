/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the kernel execute each path whose time takt calibrate measures, on all cores at once: with
 * caches that other code and data have displaced while all cores load the memory, and with warm
 * caches. docs/design/calibration.md describes the measurement. */
#include <takt/takt.h>

#include "calibrate.h" /* CORES, CHURN (bytes), CODE (bytes), PERIOD, COLD, and the memory's shape */

/* The core that exchanges requests with this one; no two cores have the same. */
static unsigned far_from(intptr_t core) {
    return ((unsigned)core + CORES / 2) % CORES;
}

#ifdef PLACED
/* Lasts beyond the release of the asker in each fourth job: an interrupt that releases a job and
 * switches to none. */
static void run_into_a_release(void) {
    takt_time now = takt_time_now();
    while (now / PERIOD % 4 == 3 && now % PERIOD < PERIOD / 2 + CORES * 7000) {
        now = takt_time_now();
    }
}
#endif

/* The jobs of all cores begin at the same time. */
void first_step(intptr_t core) {
    takt_semaphore_signal(TAKT_SEMAPHORE_far_0 + far_from(core));
#ifdef PLACED
    run_into_a_release();
#endif
}

#ifndef PLACED
void second_step(intptr_t core) {
    takt_task_activate(TAKT_TASK_activated_0 + far_from(core));
}
#endif

/* The caches of the requested core hold other lines. */
void asker_step(intptr_t core) {
    takt_task_activate(TAKT_TASK_activated_0 + far_from(core));
#ifdef PLACED /* a command with an argument */
    takt_error sent = takt_priority_data_queue_try_send(
        TAKT_PRIORITY_DATA_QUEUE_queue_0 + far_from(core), (intptr_t)1 << 40, 1);
    takt_assert(sent == TAKT_OK || sent == TAKT_E_TMOUT);
#endif
    takt_semaphore_signal(TAKT_SEMAPHORE_far_0 + far_from(core));
}

/* Wakes two tasks of its own core. */
void third_step(intptr_t core) {
    takt_task_wakeup(TAKT_TASK_sleeper_0 + (unsigned)core);
    takt_semaphore_signal(TAKT_SEMAPHORE_near_0 + (unsigned)core);
}

void activated_job(intptr_t core) {
    (void)core;
}

void far_job(intptr_t core) {
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_far_0 + (unsigned)core) == TAKT_OK);
#ifdef PLACED
        intptr_t word;
        unsigned priority;
        takt_error received = takt_priority_data_queue_try_receive(
            TAKT_PRIORITY_DATA_QUEUE_queue_0 + (unsigned)core, &word, &priority);
        takt_assert(received == TAKT_OK || received == TAKT_E_TMOUT);
#endif
    }
}

void near_job(intptr_t core) {
    for (;;) {
        takt_error result =
            takt_semaphore_wait_for(TAKT_SEMAPHORE_near_0 + (unsigned)core, PERIOD / 3);
        takt_assert(result == TAKT_OK || result == TAKT_E_TMOUT);
    }
}

void sleeper_job(intptr_t core) {
    (void)core;
    for (;;) {
        takt_task_sleep();
    }
}

#ifndef PLACED
void napper_job(intptr_t core) {
    (void)core;
    for (;;) {
        takt_task_delay(PERIOD / 5);
    }
}
#endif

/* Executes one line of code after another, twice as many as fill any instruction cache. */
__attribute__((noinline)) static void run_through(void) {
    __asm__ volatile(".rept %c0\n.balign 64\nj 1f\n.balign 64\n1:\n.endr" ::"i"(CODE / 64));
}

#ifndef PLACED

/* --- A device: the UART in loopback mode, where it receives what it sends --------------------- */

enum { DATA = 0, INTERRUPT_ENABLE = 1, MODEM_CONTROL = 4 };
enum { RECEIVED = 1, LOOP = 0x10 };

static volatile uint8_t *uart;

__attribute__((noinline)) static void raise(void) {
    uart[DATA] = 'x';
}

/* The service routine runs on the last core, which is at a corner of a mesh. */
void on_device(intptr_t core) {
    (void)uart[DATA];
    takt_semaphore_signal(TAKT_SEMAPHORE_near_0 + (unsigned)core);
}

/* The task runs far from that core, at times that drift relative to all periods. */
void raiser_job(intptr_t argument) {
    (void)argument;
    volatile void *registers = 0;
    takt_interrupt_registers(TAKT_INTERRUPT_device, &registers);
    uart = registers;
    uart[MODEM_CONTROL] = LOOP;
    uart[INTERRUPT_ENABLE] = RECEIVED;
    for (;;) {
        takt_task_delay(PERIOD / 17);
        raise();
    }
}

#endif

/* --- The load, below all other tasks: it uses caches, TLBs, floating point and memory --------- */

enum load { WRITERS, ONE_BANK, READERS, MIX };
enum { LINE = 64, LINES_OF_A_TURN = 512 };

/* The load of each period. The figures are maxima over all periods, so the loads that delay most
 * have most periods. */
static const enum load order[COLD / PERIOD] = {WRITERS, ONE_BANK, ONE_BANK, READERS,
                                               WRITERS, ONE_BANK, MIX,      ONE_BANK};

static enum load load_of(intptr_t core) {
    enum load load = order[takt_time_now() / PERIOD % (COLD / PERIOD)];
    return load == MIX ? (enum load)(core % MIX) : load;
}

/* A cyclic handler that is not called before the end of the run. Such handlers make the heap of
 * each core's timers deeper. */
void parked(intptr_t argument) {
    (void)argument;
}

/* Stores to line after line without waiting for any of them, like the filling of an array. */
static void write_lines(volatile uint64_t *lines, unsigned count) {
    for (unsigned i = 0; i < count * (LINE / 8); i += LINE / 8) {
        lines[i] = i;
    }
}

static void read_lines(const volatile uint64_t *lines, unsigned count) {
    for (unsigned i = 0; i < count * (LINE / 8); i += LINE / 8) {
        (void)lines[i];
    }
}

/* Converts an address of this system to its physical address, by a walk through the page table. */
static uintptr_t physical(uintptr_t address) {
    uintptr_t satp;
    __asm__ volatile("csrr %0, satp" : "=r"(satp));
    uintptr_t table = (satp & ((1ul << 44) - 1)) << 12;
    for (unsigned shift = 30;; shift -= 9) {
        const uint64_t *entries = (const uint64_t *)(table - LOAD + LINK_BASE);
        uint64_t entry = entries[address >> shift & 511];
        table = (entry >> 10 & ((1ul << 44) - 1)) << 12;
        if ((entry & 0xe) != 0 || shift == 12) {
            return table + (address & ((1ul << shift) - 1));
        }
    }
}

static unsigned parity(uintptr_t bits) {
    for (unsigned half = 32; half != 0; half /= 2) {
        bits ^= bits >> half;
    }
    return bits & 1;
}

/* Returns whether a physical address lies in the bank that all cores write to: bank 0 of the first
 * controller. */
static bool in_the_bank(uintptr_t place) {
    static const uintptr_t masks[] = {BANK_MASKS 0};
    unsigned bank = 0;
    for (unsigned i = 0; i < sizeof masks / sizeof *masks; i++) {
        bank |= parity(place & masks[i]);
    }
    return bank == 0 && place / INTERLEAVE % CONTROLLERS == 0;
}

/* The offsets, in a core's ground, of blocks of GRAIN bytes in that bank. */
enum { MOST_BLOCKS = 512 };
static uint32_t blocks[CORES][MOST_BLOCKS], block_count[CORES];

static void find_blocks(intptr_t core, uintptr_t ground) {
    uintptr_t first = -physical(ground) % GRAIN;
    unsigned count = 0;
    for (uintptr_t at = first; at + GRAIN <= GROUND && count < MOST_BLOCKS; at += GRAIN) {
        /* Consecutive pages need not be physically contiguous. */
        if (in_the_bank(physical(ground + at))) {
            blocks[core][count++] = (uint32_t)at;
        }
    }
    block_count[core] = count;
}

/* Accesses this number of lines of the core's ground, from where the last call ended. */
static void load_the_memory(intptr_t core, uint8_t *ground, uint32_t *at) {
    enum load load = load_of(core);
    if (load == ONE_BANK) {
        for (unsigned lines = 0; lines < LINES_OF_A_TURN && block_count[core] != 0;
             lines += GRAIN / LINE) {
            uint32_t offset = blocks[core][++*at % block_count[core]];
            write_lines((volatile uint64_t *)(ground + offset), GRAIN / LINE);
        }
        return;
    }
    uint32_t offset = ++*at % (CHURN / (LINES_OF_A_TURN * LINE)) * (LINES_OF_A_TURN * LINE);
    if (load == READERS) {
        read_lines((volatile uint64_t *)(ground + offset), LINES_OF_A_TURN);
    } else {
        write_lines((volatile uint64_t *)(ground + offset), LINES_OF_A_TURN);
    }
}

#pragma GCC diagnostic ignored "-Wframe-larger-than="
void churn_job(intptr_t core) {
    uint8_t ground[GROUND]
        __attribute__((aligned(64))); /* on the stack, whose size the description gives */
    volatile double number = 1;
    uint32_t at = 0;
    find_blocks(core, (uintptr_t)ground);
    while (takt_time_now() < COLD) {
        load_the_memory(core, ground, &at);
        run_through();
        number = number * 1.5;
    }
    /* The core idles in between, and its lines stay warm. */
    for (;;) {
        takt_task_delay(PERIOD / 7);
    }
}
