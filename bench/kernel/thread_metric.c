/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how often an operation can be done in a fixed time, in the manner of Express Logic's
 * Thread-Metric. The tests follow its descriptions and use none of its code: cooperative and
 * preemptive switches, interrupts, messages, synchronisation, memory. The system has one core. */
#include "bench.h"

enum { WINDOW = 10000000 /* ns */, TASKS = 5 };

static uint64_t over; /* the end of the test in ticks */
static volatile uint64_t done[TASKS], handled;

static bool goes_on(void) {
    return ticks() < over;
}

/* Five tasks of equal priority let each other run in turn. */
void equal_job(intptr_t number) {
    while (goes_on()) {
        takt_task_rotate(TAKT_PRIORITY_SELF);
        done[number]++;
    }
}

/* Five tasks of ascending priority, of which only the lowest is awake: each wakes the next one,
 * which preempts it and sleeps again after all tasks above have done the same. */
void rising_job(intptr_t number) {
    while (goes_on()) {
        if (number != 0) {
            takt_task_sleep();
        }
        if (number + 1 < TASKS) {
            takt_task_wakeup(TAKT_TASK_rising_0 + (unsigned)number + 1);
        }
        done[number]++;
    }
}

/* The handler of an alarm that is due at once; it signals a semaphore. */
void interrupt_handler(intptr_t argument) {
    (void)argument;
    handled++;
    takt_semaphore_signal(TAKT_SEMAPHORE_event);
}

/* Waits for the handler; this task is above the one that raises the alarm. */
void handled_job(intptr_t argument) {
    (void)argument;
    while (goes_on()) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_event) == TAKT_OK);
        done[1]++;
    }
}

static enum { INTERRUPT, PREEMPTING, WORDS, BYTES, SYNCHRONISATION, MEMORY } test;

static void raise_and_take(void) {
    uint64_t before = handled;
    takt_alarm_start(TAKT_ALARM_interrupt, 0);
    while (handled == before) {
    }
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_event) == TAKT_OK);
}

static void raise_for_other(void) {
    uint64_t before = done[1];
    takt_alarm_start(TAKT_ALARM_interrupt, 0);
    while (__atomic_load_n(&done[1], __ATOMIC_RELAXED) == before) {
    }
}

static void words(void) {
    intptr_t word;
    takt_assert(takt_data_queue_send(TAKT_DATA_QUEUE_queue, 1) == TAKT_OK);
    takt_assert(takt_data_queue_receive(TAKT_DATA_QUEUE_queue, &word) == TAKT_OK);
}

static void bytes(void) {
    static char sent[16], received[16];
    size_t size;
    takt_assert(takt_message_buffer_send(TAKT_MESSAGE_BUFFER_messages, sent, sizeof sent) ==
                TAKT_OK);
    takt_assert(takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_messages, received, &size) ==
                TAKT_OK);
}

static void synchronise(void) {
    takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_semaphore) == TAKT_OK);
    takt_semaphore_signal(TAKT_SEMAPHORE_semaphore);
}

static void allocate(void) {
    void *block;
    takt_assert(takt_memory_pool_get(TAKT_MEMORY_POOL_pool, &block) == TAKT_OK);
    takt_memory_pool_release(TAKT_MEMORY_POOL_pool, block);
}

void alone_job(intptr_t argument) {
    (void)argument;
    static void (*const step[])(void) = {raise_and_take, raise_for_other, words,
                                         bytes,          synchronise,     allocate};
    while (goes_on()) {
        step[test]();
        done[0]++;
    }
}

static void run(const char *name, takt_id first, unsigned tasks) {
    for (unsigned i = 0; i < TASKS; i++) {
        done[i] = 0;
    }
    over = ticks() + WINDOW / TICK;
    for (unsigned i = 0; i < tasks; i++) {
        takt_assert(takt_task_activate(first + i) == TAKT_OK);
    }
    takt_task_delay(WINDOW + TAKT_MILLISECOND);
    uint64_t sum = 0, least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < tasks; i++) {
        sum += done[i];
        least = done[i] < least ? done[i] : least;
        most = done[i] > most ? done[i] : most;
    }
    takt_assert(most > 0 && most - least <= 1); /* all tasks have had their turns */
    printf("bench,rate,%s,%lu,%u\n", name, sum, WINDOW);
}

void main_job(intptr_t cores) {
    (void)cores;
    takt_task_delay(TAKT_MILLISECOND);
    run("cooperative", TAKT_TASK_equal_0, TASKS);
    run("preemptive", TAKT_TASK_rising_0, TASKS);
    for (unsigned i = 1; i < TASKS; i++) {
        takt_task_wakeup(TAKT_TASK_rising_0 + i); /* so that they end */
    }
    static const char *const names[] = {"interrupt",        "interrupt_preempting", "message_word",
                                        "message_16_bytes", "synchronisation",      "memory"};
    for (test = INTERRUPT; test <= MEMORY; test++) {
        if (test == PREEMPTING) {
            over = ticks() + WINDOW / TICK;
            takt_assert(takt_task_activate(TAKT_TASK_handled) == TAKT_OK);
        }
        run(names[test], TAKT_TASK_alone, 1);
        if (test == PREEMPTING) {
            takt_semaphore_signal(TAKT_SEMAPHORE_event); /* so that it ends */
            takt_task_delay(TAKT_MILLISECOND);
        }
    }
    takt_system_shutdown(0);
}
