/* SPDX-License-Identifier: Apache-2.0 */
/* Is added to main.c in a second system: makes the kernel execute the paths that not every system
 * takes. The figures of both systems count, because these tasks keep lines of the kernel in the
 * caches that main.c alone displaces. docs/design/calibration.md describes the measurement. */
#include <takt/takt.h>

#include "calibrate.h" /* CORES, PERIOD */
#include "path.h"

/* A call on the way to a path. The calibration fails if the kernel refuses one. */
static void called(takt_error result) {
    (void)result;
}

static unsigned far_from(unsigned core) {
    return (core + CORES / 2) % CORES;
}

/* --- Mutexes of this core and of two cores --------------------------------------------------- */

/* The rival wakes up and finds the mutexes locked. */
static void lock_nested(unsigned core) {
    called(takt_mutex_lock(TAKT_MUTEX_outer_0 + core));
    returned(PATH_nested_mutex, takt_mutex_lock(TAKT_MUTEX_inner_0 + core));
    takt_task_wakeup(TAKT_TASK_rival_0 + core);
    takt_mutex_unlock(TAKT_MUTEX_inner_0 + core);
    takt_mutex_unlock(TAKT_MUTEX_outer_0 + core);
}

static void lock_ceiling(unsigned core) {
    called(takt_mutex_lock(TAKT_MUTEX_ceiling_0 + core));
    takt_task_wakeup(TAKT_TASK_rival_0 + core);
    takt_mutex_unlock(TAKT_MUTEX_ceiling_0 + core);
}

/* All cores lock it at about the same time, so that some of them spin. */
static void lock_shared(unsigned core) {
    returned(PATH_msrp_mutex, takt_mutex_lock(TAKT_MUTEX_shared_0 + core));
    takt_mutex_unlock(TAKT_MUTEX_shared_0 + core);
}

/* The sections that a task itself may create, as short as possible. */
static void disable(unsigned core) {
    takt_error result = takt_cpu_lock();
    takt_cpu_unlock();
    returned(PATH_cpu_lock, result);
    result = takt_dispatch_disable();
    takt_dispatch_enable();
    returned(PATH_dispatch_disable, result);
    result = takt_spin_lock_acquire(TAKT_SPIN_LOCK_spin_0 + core);
    takt_spin_lock_release(TAKT_SPIN_LOCK_spin_0 + core);
    returned(PATH_spin_lock, result);
}

void holder_job(intptr_t core) {
    volatile double number = 1; /* the preempted task uses floating point, too */
    for (;;) {
        number = number * 1.5;
        takt_task_delay(PERIOD - PERIOD / 8);
        exercised(PATH_floating_point);
        lock_nested((unsigned)core);
        lock_ceiling((unsigned)core);
        lock_shared((unsigned)core);
        lock_shared(far_from((unsigned)core));
        disable((unsigned)core);
        disable(far_from((unsigned)core));
    }
}

/* The rival is above the holder: it waits for the mutex, and gets it when the holder unlocks it. */
void rival_job(intptr_t argument) {
    unsigned core = (unsigned)argument;
    for (;;) {
        takt_task_sleep();
        if (takt_mutex_try(TAKT_MUTEX_outer_0 + core) == TAKT_E_TMOUT) {
            returned(PATH_mutex, takt_mutex_lock(TAKT_MUTEX_outer_0 + core));
        }
        takt_mutex_unlock(TAKT_MUTEX_outer_0 + core);
        takt_task_sleep();
        called(takt_mutex_lock(TAKT_MUTEX_ceiling_0 + core));
        takt_mutex_unlock(TAKT_MUTEX_ceiling_0 + core);
    }
}

/* --- Objects between two cores, each with one call of each kind --------------------------------
 * */

void giver_job(intptr_t argument) {
    unsigned core = far_from((unsigned)argument);
    uint64_t line[8] = {0};
    for (;;) {
        void *block = 0;
        takt_task_activate(TAKT_TASK_victim_0 + core);
        takt_task_delay(PERIOD - PERIOD / 5);
        takt_alarm_start(TAKT_ALARM_alarm_0 + core, PERIOD / 16);
        returned(PATH_terminate, takt_task_terminate(TAKT_TASK_victim_0 + core));
        called(takt_memory_pool_get(TAKT_MEMORY_POOL_pool_0 + core, &block));
        called(takt_data_queue_send(TAKT_DATA_QUEUE_queue_0 + core, (intptr_t)block));
        called(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_sorted_0 + core, 1, 1));
        takt_flag_set(TAKT_FLAG_flag_0 + core, 1);
        called(takt_message_buffer_send(TAKT_MESSAGE_BUFFER_messages_0 + core, line, sizeof line));
        called(takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_lock_0 + core));
        takt_reader_writer_lock_unlock(TAKT_READER_WRITER_LOCK_lock_0 + core);
        takt_buffer_write(TAKT_BUFFER_buffer_0 + core, line);
        called(takt_barrier_wait(TAKT_BARRIER_barrier_0 + core));
    }
}

void taker_job(intptr_t argument) {
    unsigned core = (unsigned)argument;
    uint64_t line[8];
    for (;;) {
        intptr_t word = 0;
        size_t size = 0;
        unsigned priority = 0;
        uint32_t bits = 0;
        takt_error result = takt_data_queue_receive(TAKT_DATA_QUEUE_queue_0 + core, &word);
        returned(PATH_data_queue, result);
        result = takt_memory_pool_release(TAKT_MEMORY_POOL_pool_0 + core, (void *)word);
        returned(PATH_memory_pool, result);
        result = takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_sorted_0 + core, &word,
                                                  &priority);
        returned(PATH_priority_data_queue, result);
        result = takt_flag_wait(TAKT_FLAG_flag_0 + core, 1, TAKT_FLAG_ANY, &bits);
        returned(PATH_flag, result);
        result = takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_messages_0 + core, line, &size);
        returned(PATH_message_buffer, result);
        result = takt_reader_writer_lock_read(TAKT_READER_WRITER_LOCK_lock_0 + core);
        takt_reader_writer_lock_unlock(TAKT_READER_WRITER_LOCK_lock_0 + core);
        returned(PATH_reader_writer_lock, result);
        returned(PATH_buffer, takt_buffer_read(TAKT_BUFFER_buffer_0 + core, line));
        returned(PATH_barrier, takt_barrier_wait(TAKT_BARRIER_barrier_0 + core));
    }
}

/* --- Handlers, and jobs that other tasks end -------------------------------------------------- */

void on_cyclic(intptr_t argument) {
    (void)argument;
    exercised(PATH_cyclic);
}

void on_alarm(intptr_t argument) {
    (void)argument;
    exercised(PATH_alarm);
}

void on_deadline(intptr_t task) {
    (void)task;
    exercised(PATH_deadline_handler);
}

void on_overrun(intptr_t task) {
    (void)task;
    exercised(PATH_budget);
}

/* Misses its deadline, and is stopped while it uses floating point. The preempted task, which then
 * goes on, uses it too. */
void stopped_step(intptr_t core) {
    (void)core;
    volatile double number = 1;
    for (;;) {
        number = number * 1.5;
    }
}

/* The giver of the far core ends this task's job. */
void victim_job(intptr_t core) {
    (void)core;
    takt_task_sleep();
}
