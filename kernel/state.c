/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/state.h. */
#include <takt/state.h>

#include "barrier.h"
#include "core.h"
#include "data_queue.h"
#include "flag.h"
#include "memory_pool.h"
#include "message_buffer.h"
#include "mutex.h"
#include "priority_data_queue.h"
#include "reader_writer_lock.h"
#include "rights.h"
#include "semaphore.h"
#include "time.h"
#include "time_event.h"
#include "user_spinlock.h"

/* --- Tasks; on the owner, interrupts disabled ------------------------------------------------ */

static int what_it_does(const struct task *task) {
    if (task->state == TASK_DORMANT) {
        return TAKT_TASK_IS_DORMANT;
    }
    if (task->state == TASK_WAITING) {
        return task->suspended ? TAKT_TASK_IS_WAITING_SUSPENDED : TAKT_TASK_IS_WAITING;
    }
    bool runs = task->context.core->running == task;
    return task->suspended ? TAKT_TASK_IS_SUSPENDED
           : runs          ? TAKT_TASK_IS_RUNNING
                           : TAKT_TASK_IS_READY;
}

_Static_assert(TAKT_WAIT_SEMAPHORE - TAKT_OBJECT_SEMAPHORE == TAKT_WAIT_WRITE - TAKT_OBJECT_WRITE,
               "waits are numbered as the record's classes of objects");

static int what_it_waits_for(const struct task *task) {
    switch (task->wait) {
    case WAIT_SLEEP:
        return TAKT_WAIT_SLEEP;
    case WAIT_DELAY:
        return TAKT_WAIT_DELAY;
    default:
        return TAKT_WAIT_SEMAPHORE - TAKT_OBJECT_SEMAPHORE + (int)task->wait_class;
    }
}

static takt_time left_until(takt_time time) {
    takt_time now = takt_time_now();
    return time > now ? time - now : 0;
}

/* Of one that is linked: so nobody changes the answer. With the object's lock held. */
static bool sends(const struct task *task) {
    switch (task->wait_class) {
    case TAKT_OBJECT_DATA_QUEUE:
        return !takt_data_queues[task->wait_id - 1].receivers_wait;
    case TAKT_OBJECT_PRIORITY_DATA_QUEUE:
        return !takt_priority_data_queues[task->wait_id - 1].receivers_wait;
    case TAKT_OBJECT_MESSAGE_BUFFER:
        return !takt_message_buffers[task->wait_id - 1].receivers_wait;
    default:
        return false;
    }
}

static void describe_wait(const struct task *task, struct takt_task_state *state) {
    if (task->state == TASK_WAITING) {
        state->waits_for = what_it_waits_for(task);
        state->wait_object = task->wait_id;
        if (task->wait == WAIT_OBJECT) {
            lock_acquire(&task->waits_for->lock);
            state->sends = task->wait_linked && sends(task);
            lock_release(&task->waits_for->lock);
        }
        if (task->wait_timer.place != 0) {
            state->wait_left = left_until(task->wait_timer.time);
        }
    }
}

static takt_error describe(struct task *task, intptr_t found) {
    struct takt_task_state *state = (struct takt_task_state *)found;
    bool is_dormant = job_none(task);
    *state = (struct takt_task_state){
        .is = what_it_does(task), .core = core_here()->index, .wait_left = TAKT_FOR_EVER};
    describe_wait(task, state);
    if (!is_dormant) {
        state->priority = task->priority;
        state->base_priority = task->base_priority;
        state->release = task->release;
        state->execution = (takt_time)time_from_ticks(task->execution);
    }
    lock_acquire(&task->lock);
    state->activations = task->queue_count;
    state->wakeups = task->wakeups;
    lock_release(&task->lock);
    return TAKT_OK;
}

takt_error takt_task_state(takt_id id, struct takt_task_state *state) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (state == 0) {
        return refused(TAKT_E_PAR);
    }
    /* On its own core the look costs the caller's time only. */
    if (!task_is_here(takt_tasks[id - 1]) && !control_given(TAKT_CONTROL_OBSERVE, id)) {
        return refused(TAKT_E_ILUSE);
    }
    /* Another core's answer comes to the caller's block, not to its stack: it may be ended before.
     * Such a late one is not mixed with what its next job finds here. */
    struct takt_task_state here = {.is = -1}, *found = &task_self()->found;
    takt_error result = order_give(takt_tasks[id - 1], describe, (intptr_t)&here, (intptr_t)found);
    if (result == TAKT_OK) {
        *state = here.is != -1 ? here : *found;
    }
    return order_answer(result, __func__);
}

/* --- Objects -----------------------------------------------------------------------------------
 */

static takt_error check(takt_id id, uint32_t count, const void *state, const char *service) {
    if (id - 1 >= count) {
        return record_refusal(TAKT_E_ID, service);
    }
    if (state == 0) {
        return record_refusal(TAKT_E_PAR, service);
    }
    return cpu_locked() ? record_refusal(TAKT_E_CTX, service) : TAKT_OK;
}

static unsigned long look(struct waiters *waiters) {
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&waiters->lock);
    return interrupts;
}

static void look_away(struct waiters *waiters, unsigned long interrupts) {
    lock_release(&waiters->lock);
    arch_interrupts_restore(interrupts);
}

static takt_id first_of(const struct waiters *waiters, bool wanted) {
    const struct task *first =
        waiters->next != 0 ? served_first_waiting((const struct served *)waiters) : waiters->first;
    return wanted && first != 0 ? first->id : TAKT_ID_NONE;
}

takt_error takt_semaphore_state(takt_id id, struct takt_semaphore_state *state) {
    takt_error error = check(id, takt_semaphore_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct semaphore *object = &takt_semaphores[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->first = first_of(&object->waiters, true);
    state->count = object->count;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_flag_state(takt_id id, struct takt_flag_state *state) {
    takt_error error = check(id, takt_flag_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct flag *object = &takt_flags[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->first = first_of(&object->waiters, true);
    state->bits = object->bits;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_data_queue_state(takt_id id, struct takt_data_queue_state *state) {
    takt_error error = check(id, takt_data_queue_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct data_queue *object = &takt_data_queues[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->sender = first_of(&object->waiters, !object->receivers_wait);
    state->receiver = first_of(&object->waiters, object->receivers_wait);
    state->count = object->count;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_priority_data_queue_state(takt_id id,
                                          struct takt_priority_data_queue_state *state) {
    takt_error error = check(id, takt_priority_data_queue_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct priority_data_queue *object = &takt_priority_data_queues[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->sender = first_of(&object->waiters, !object->receivers_wait);
    state->receiver = first_of(&object->waiters, object->receivers_wait);
    state->count = object->count;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_barrier_state(takt_id id, struct takt_barrier_state *state) {
    takt_error error = check(id, takt_barrier_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct barrier *object = &takt_barriers[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->first = first_of(&object->waiters, true);
    state->arrived = object->served.waiting;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_reader_writer_lock_state(takt_id id, struct takt_reader_writer_lock_state *state) {
    takt_error error = check(id, takt_reader_writer_lock_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct reader_writer_lock *object = &takt_reader_writer_locks[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->first = first_of(&object->waiters, true);
    state->writer = object->writer;
    state->readers = object->readers;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_spin_lock_state(takt_id id, struct takt_spin_lock_state *state) {
    takt_error error = check(id, takt_spin_lock_count, state, __func__);
    if (error == TAKT_OK) {
        state->held = __atomic_load_n(&takt_spin_locks[id - 1].held, __ATOMIC_RELAXED) != 0;
    }
    return error;
}

takt_error takt_message_buffer_state(takt_id id, struct takt_message_buffer_state *state) {
    takt_error error = check(id, takt_message_buffer_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct message_buffer *object = &takt_message_buffers[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->sender = first_of(&object->waiters, !object->receivers_wait);
    state->receiver = first_of(&object->waiters, object->receivers_wait);
    state->count = object->count;
    state->used = object->used;
    state->free = takt_message_buffer_configs[id - 1].size - object->used;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_memory_pool_state(takt_id id, struct takt_memory_pool_state *state) {
    takt_error error = check(id, takt_memory_pool_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct memory_pool *object = &takt_memory_pools[id - 1];
    unsigned long interrupts = look(&object->waiters);
    state->first = first_of(&object->waiters, true);
    state->free = takt_memory_pool_configs[id - 1].count - object->taken;
    look_away(&object->waiters, interrupts);
    return TAKT_OK;
}

takt_error takt_mutex_state(takt_id id, struct takt_mutex_state *state) {
    takt_error error = check(id, takt_mutex_count, state, __func__);
    if (error != TAKT_OK) {
        return error;
    }
    struct mutex *mutex = &takt_mutexes[id - 1];
    unsigned long interrupts = look(&mutex->waiters);
    state->holder = mutex->holder != 0 ? mutex->holder->id : TAKT_ID_NONE;
    state->first = first_of(&mutex->waiters, true);
    look_away(&mutex->waiters, interrupts);
    return TAKT_OK;
}

static takt_error time_event_state(takt_id id, uint32_t first, uint32_t count,
                                   struct takt_time_event_state *state, const char *service) {
    takt_error error = check(id, count, state, service);
    if (error != TAKT_OK) {
        return error;
    }
    struct time_event *event = takt_time_events[first + id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&event->lock);
    state->started = event->started;
    takt_time next = event->next;
    lock_release(&event->lock);
    arch_interrupts_restore(interrupts);
    state->core = takt_time_event_configs[first + id - 1].core;
    state->left = state->started ? left_until(next) : TAKT_FOR_EVER;
    return TAKT_OK;
}

takt_error takt_cyclic_state(takt_id id, struct takt_time_event_state *state) {
    return time_event_state(id, 0, takt_cyclic_count, state, __func__);
}

takt_error takt_alarm_state(takt_id id, struct takt_time_event_state *state) {
    return time_event_state(id, takt_cyclic_count, takt_alarm_count, state, __func__);
}
