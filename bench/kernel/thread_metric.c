/* SPDX-License-Identifier: Apache-2.0 */
/* Measures how often an operation can be done in a fixed time, in the manner of Express Logic's
 * Thread-Metric. The tests follow its descriptions and use none of its code: cooperative and
 * preemptive switches, interrupts, messages, synchronisation, memory. The system has one core. */
#include "bench.h"

enum { WINDOW = 10000000 /* ns */, TASKS = 5 };

/* Counted by the tasks, which loop for ever; main reads them when the time is over, and then ends
 * the tasks. */
static volatile uint64_t done[TASKS], handled;

/* Five tasks of equal priority let each other run in turn. */
void equal_job(intptr_t number) {
    for (;;) {
        takt_task_rotate(TAKT_PRIORITY_SELF);
        done[number]++;
    }
}

/* Five tasks of ascending priority, of which only the lowest is awake: each wakes the next one,
 * which preempts it and sleeps again after all tasks above have done the same. */
void rising_job(intptr_t number) {
    for (;;) {
        if (number != 0) {
            takt_task_sleep();
        }
        if (number + 1 < TASKS) {
            takt_task_wakeup(TAKT_TASK_rising_0 + (unsigned)number + 1);
        }
        done[number]++;
    }
}

/* The UART interrupts as soon as its interrupt for an empty transmitter is enabled, because the
 * transmitter is empty; it does so until that is disabled. */
enum { UART_INTERRUPT_ENABLE = 1, UART_NOTHING = 0, UART_TRANSMITTER_EMPTY = 2 };

static volatile uint8_t *uart;

/* The source of a test's interrupts is the argument of its tasks. */
enum { TIMER, DEVICE };

static inline void raise_interrupt(intptr_t source) {
    if (source == DEVICE) {
        uart[UART_INTERRUPT_ENABLE] = UART_TRANSMITTER_EMPTY;
    } else {
        takt_alarm_start(TAKT_ALARM_interrupt, 0);
    }
}

/* The handler of an alarm that is due at once; it signals a semaphore. */
void interrupt_handler(intptr_t argument) {
    (void)argument;
    handled++;
    takt_semaphore_signal(TAKT_SEMAPHORE_event);
}

/* The service routine of the UART. */
void on_uart(intptr_t argument) {
    uart[UART_INTERRUPT_ENABLE] = UART_NOTHING;
    interrupt_handler(argument);
}

/* Waits for the handler; this task is above the one that raises the interrupt. */
void handled_job(intptr_t argument) {
    (void)argument;
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_event) == TAKT_OK);
        done[1]++;
    }
}

void interrupt_job(intptr_t source) {
    for (;;) {
        uint64_t before = handled;
        raise_interrupt(source);
        while (handled == before) {
        }
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_event) == TAKT_OK);
        done[0]++;
    }
}

void preempted_job(intptr_t source) {
    for (;;) {
        uint64_t before = done[1];
        raise_interrupt(source);
        while (done[1] == before) {
        }
        done[0]++;
    }
}

void word_job(intptr_t argument) {
    (void)argument;
    for (;;) {
        intptr_t word;
        takt_assert(takt_data_queue_send(TAKT_DATA_QUEUE_queue, 1) == TAKT_OK);
        takt_assert(takt_data_queue_receive(TAKT_DATA_QUEUE_queue, &word) == TAKT_OK);
        done[0]++;
    }
}

void message_job(intptr_t argument) {
    (void)argument;
    static char sent[16], received[16];
    for (;;) {
        size_t size;
        takt_assert(takt_message_buffer_send(TAKT_MESSAGE_BUFFER_messages, sent, sizeof sent) ==
                    TAKT_OK);
        takt_assert(takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_messages, received, &size) ==
                    TAKT_OK);
        done[0]++;
    }
}

void synchronisation_job(intptr_t argument) {
    (void)argument;
    for (;;) {
        takt_assert(takt_semaphore_wait(TAKT_SEMAPHORE_semaphore) == TAKT_OK);
        takt_semaphore_signal(TAKT_SEMAPHORE_semaphore);
        done[0]++;
    }
}

void memory_job(intptr_t argument) {
    (void)argument;
    for (;;) {
        void *block;
        takt_assert(takt_memory_pool_get(TAKT_MEMORY_POOL_pool, &block) == TAKT_OK);
        takt_memory_pool_release(TAKT_MEMORY_POOL_pool, block);
        done[0]++;
    }
}

static void run(const char *name, takt_id first, unsigned tasks) {
    for (unsigned i = 0; i < TASKS; i++) {
        done[i] = 0;
    }
    for (unsigned i = 0; i < tasks; i++) {
        takt_assert(takt_task_activate(first + i) == TAKT_OK);
    }
    takt_task_delay(WINDOW);
    uint64_t sum = 0, least = UINT64_MAX, most = 0;
    for (unsigned i = 0; i < tasks; i++) {
        sum += done[i];
        least = done[i] < least ? done[i] : least;
        most = done[i] > most ? done[i] : most;
    }
    takt_assert(most > 0 && most - least <= 1); /* all tasks have had their turns */
    printf("bench,rate,%s,%lu,%u\n", name, sum, WINDOW);
    for (unsigned i = 0; i < tasks; i++) {
        takt_assert(takt_task_terminate(first + i) == TAKT_OK);
    }
}

void main_job(intptr_t cores) {
    (void)cores;
    volatile void *registers;
    takt_assert(takt_interrupt_registers(TAKT_INTERRUPT_uart, &registers) == TAKT_OK);
    uart = registers;
    takt_task_delay(TAKT_MILLISECOND);
    run("cooperative", TAKT_TASK_equal_0, TASKS);
    run("preemptive", TAKT_TASK_rising_0, TASKS);
    run("interrupt", TAKT_TASK_interrupt_0, 1);
    run("device_interrupt", TAKT_TASK_interrupt_1, 1);
    takt_assert(takt_task_activate(TAKT_TASK_handled) == TAKT_OK);
    run("interrupt_preempting", TAKT_TASK_preempted_0, 1);
    run("device_interrupt_preempting", TAKT_TASK_preempted_1, 1);
    run("message_word", TAKT_TASK_word, 1);
    run("message_16_bytes", TAKT_TASK_message, 1);
    run("synchronisation", TAKT_TASK_synchronisation, 1);
    run("memory", TAKT_TASK_memory, 1);
    takt_system_shutdown(0);
}
