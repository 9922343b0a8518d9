/* SPDX-License-Identifier: Apache-2.0 */
/* The program for the paths of a resident core whose tasks wait for each other, wake and activate
 * each other, and lock each other out. */
#include <takt/takt.h>

#include "calibrate.h" /* PERIOD; FIRST: the first core that is measured, TASKS: the tasks of each */
#include "path.h"
#include "resident.h"

/* The ID of a measured core's task, by its name. */
#define JOIN(name, core)    TAKT_TASK_##name##_##core
#define TASK_AT(name, core) JOIN(name, core)
#define OWN(name, core)     (takt_id)(TASK_AT(name, FIRST) + (core) / 2 * TASKS)

/* The ID of a measured core's object, by the name of the first core's. */
#define OBJECT(name, core) (takt_id)(TAKT_##name##_0 + (core) / 2)
#define NEAR(core)         OBJECT(SEMAPHORE_near, core)

/* A call on the way to a path. The calibration fails if the kernel refuses one. */
static void called(takt_error result) {
    (void)result;
}

/* Tasks that wait on this core: two below this one, and one that the wake-up makes run. */
void third_step(intptr_t core) {
    volatile double number = 1;
    number = number * 1.5;
    takt_semaphore_signal(NEAR(core));
    takt_task_activate(OWN(activated, core));
    takt_task_wakeup(OWN(sleeper, core));
}

/* Waits end by a signal from above, from below, from a handler, and by their timeout. */
void sleeper_job(intptr_t core) {
    (void)core;
    for (;;) {
        if (takt_task_sleep_for(PERIOD / 9) == TAKT_OK) {
            exercised(PATH_local_requests);
        }
        (void)!takt_task_sleep();
    }
}

void near_job(intptr_t core) {
    for (;;) {
        called(takt_semaphore_wait(NEAR(core)));
    }
}

void activated_job(intptr_t core) {
    volatile double number = 1;
    number = number * 1.5;
    takt_semaphore_signal(NEAR(core));
}

/* The rival, which is above the holder, wakes up and finds the mutexes locked. */
void holder_job(intptr_t core) {
    volatile double number = 1; /* the preempted task uses floating point, too */
    for (;;) {
        number = number * 1.5;
        takt_task_delay(PERIOD - PERIOD / 8);
        called(takt_mutex_lock(OBJECT(MUTEX_outer, core)));
        returned(PATH_nested_mutex, takt_mutex_lock(OBJECT(MUTEX_inner, core)));
        takt_task_wakeup(OWN(rival, core));
        takt_mutex_unlock(OBJECT(MUTEX_inner, core));
        takt_mutex_unlock(OBJECT(MUTEX_outer, core));
        called(takt_mutex_lock(OBJECT(MUTEX_ceiling, core)));
        takt_task_wakeup(OWN(rival, core));
        takt_mutex_unlock(OBJECT(MUTEX_ceiling, core));
    }
}

void rival_job(intptr_t core) {
    for (;;) {
        takt_task_sleep();
        if (takt_mutex_try(OBJECT(MUTEX_outer, core)) == TAKT_E_TMOUT) {
            returned(PATH_mutex, takt_mutex_lock(OBJECT(MUTEX_outer, core)));
        }
        takt_mutex_unlock(OBJECT(MUTEX_outer, core));
        takt_task_sleep();
        called(takt_mutex_lock(OBJECT(MUTEX_ceiling, core)));
        takt_mutex_unlock(OBJECT(MUTEX_ceiling, core));
    }
}

/* The taker is above the giver, and waits for all that it gives; the second word waits for a place.
 */
void giver_job(intptr_t core) {
    for (;;) {
        void *block = 0;
        takt_task_delay(PERIOD - PERIOD / 5);
        takt_alarm_start(OBJECT(ALARM_alarm, core), PERIOD / 16);
        takt_alarm_stop(OBJECT(ALARM_alarm, core));
        takt_alarm_start(OBJECT(ALARM_alarm, core), PERIOD / 16);
        called(takt_memory_pool_get(OBJECT(MEMORY_POOL_pool, core), &block));
        called(takt_data_queue_send(OBJECT(DATA_QUEUE_queue, core), (intptr_t)block));
        called(takt_data_queue_send(OBJECT(DATA_QUEUE_queue, core), 1));
        called(takt_data_queue_send(OBJECT(DATA_QUEUE_queue, core), 2));
        called(takt_priority_data_queue_send(OBJECT(PRIORITY_DATA_QUEUE_sorted, core), 1, 1));
        called(takt_priority_data_queue_send(OBJECT(PRIORITY_DATA_QUEUE_sorted, core), 2, 1));
        takt_flag_set(OBJECT(FLAG_flag, core), 1);
        takt_flag_clear(OBJECT(FLAG_flag, core), ~1u);
    }
}

void taker_job(intptr_t core) {
    for (;;) {
        intptr_t word = 0, block = 0;
        unsigned priority = 0;
        uint32_t bits = 0;
        takt_error result = takt_data_queue_receive(OBJECT(DATA_QUEUE_queue, core), &block);
        returned(PATH_data_queue, result);
        called(takt_task_delay(PERIOD / 30)); /* until the giver waits */
        called(takt_data_queue_receive(OBJECT(DATA_QUEUE_queue, core), &word));
        called(takt_data_queue_receive(OBJECT(DATA_QUEUE_queue, core), &word));
        result = takt_memory_pool_release(OBJECT(MEMORY_POOL_pool, core), (void *)block);
        returned(PATH_memory_pool, result);
        takt_id sorted = OBJECT(PRIORITY_DATA_QUEUE_sorted, core);
        result = takt_priority_data_queue_receive(sorted, &word, &priority);
        returned(PATH_priority_data_queue, result);
        called(takt_priority_data_queue_receive(sorted, &word, &priority));
        result = takt_flag_wait(OBJECT(FLAG_flag, core), 1, TAKT_FLAG_ANY, &bits);
        returned(PATH_flag, result);
    }
}

void on_alarm(intptr_t core) {
    exercised(PATH_alarm);
    takt_semaphore_signal(NEAR(core));
}

void on_cyclic(intptr_t core) {
    exercised(PATH_cyclic);
    takt_task_wakeup(OWN(sleeper, core));
}

void device_interrupts(intptr_t core) {
    takt_semaphore_signal(NEAR(core));
}

void neighbour_begins(void) {
}
