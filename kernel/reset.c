/* SPDX-License-Identifier: Apache-2.0 */
/* Objects that become what they were at the start. Who waits for one is told so, a task in each
 * section with interrupts disabled; a job that ends between two sections leaves an object that is
 * as good as before. */
#include "core.h"
#include "data_queue.h"
#include "flag.h"
#include "memory_pool.h"
#include "message_buffer.h"
#include "priority_data_queue.h"
#include "rights.h"
#include "semaphore.h"

/* Unlinks and returns the first task, null: none waits. `*result`: how its wait ends. Where a call
 * has ended it before, and only the wake-up is to come, it has ended well. With the lock held. */
static struct task *take_first(struct waiters *waiters, takt_error *result) {
    *result = TAKT_E_DLT;
    struct task *first = waiters->first;
    if (waiters->next == 0 || first == 0) {
        return waiters_take(waiters);
    }
    if (served_is_granted((const struct served *)waiters, first)) { /* stands first there */
        *result = TAKT_OK;
    }
    waiters_remove(waiters, first);
    return first;
}

/* Ends the wait of the first task that waits for the object. Where none does, puts the object back,
 * in the same section, and returns false. Interrupts enabled. */
static bool reset_step(struct waiters *waiters, void (*put_back)(struct waiters *waiters)) {
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&waiters->lock);
    takt_error result;
    struct task *task = take_first(waiters, &result);
    if (task == 0) {
        put_back(waiters);
    }
    lock_release(&waiters->lock);
    if (task != 0) {
        wait_end(task, result);
    }
    arch_interrupts_restore(interrupts);
    return task != 0;
}

/* Bound: a section for each task that waits, and for each that begins to wait meanwhile. */
static takt_error reset(struct waiters *waiters, void (*put_back)(struct waiters *waiters),
                        const char *service) {
    if (task_self()->id == TAKT_ID_NONE || cpu_locked()) {
        return record_refusal(TAKT_E_CTX, service);
    }
    if (!right_unrestricted()) {
        return record_refusal(TAKT_E_ILUSE, service);
    }
    while (reset_step(waiters, put_back)) {
    }
    return TAKT_OK;
}

static void nothing(struct waiters *waiters) {
}

/* By signals and polls, so that each change of the count is one that the record knows.
 * Bound: the semaphore's maximum, a section each. */
takt_error takt_semaphore_reset(takt_id id) {
    if (id - 1 >= takt_semaphore_count) {
        return refused(TAKT_E_ID);
    }
    takt_error result = reset(&takt_semaphores[id - 1].waiters, nothing, __func__);
    if (result != TAKT_OK) {
        return result;
    }
    uint32_t initial = takt_semaphore_configs[id - 1].initial;
    struct takt_semaphore_state state = {.count = initial};
    takt_semaphore_state(id, &state);
    for (uint32_t count = state.count; count < initial; count++) {
        takt_semaphore_signal(id);
    }
    for (uint32_t count = state.count; count > initial; count--) {
        if (takt_semaphore_try(id) != TAKT_OK) {
            break; /* others have taken them */
        }
    }
    return TAKT_OK;
}

static void empty_data_queue(struct waiters *waiters) {
    ((struct data_queue *)waiters)->first = ((struct data_queue *)waiters)->count = 0;
}

takt_error takt_data_queue_reset(takt_id id) {
    return id - 1 < takt_data_queue_count
               ? reset(&takt_data_queues[id - 1].waiters, empty_data_queue, __func__)
               : refused(TAKT_E_ID);
}

static void empty_priority_data_queue(struct waiters *waiters) {
    struct priority_data_queue *queue = (struct priority_data_queue *)waiters;
    queue->count = queue->free = queue->fresh = 0;
    queue->filled = 0;
}

takt_error takt_priority_data_queue_reset(takt_id id) {
    return id - 1 < takt_priority_data_queue_count
               ? reset(&takt_priority_data_queues[id - 1].waiters, empty_priority_data_queue,
                       __func__)
               : refused(TAKT_E_ID);
}

static void free_blocks(struct waiters *waiters) {
    struct memory_pool *pool = (struct memory_pool *)waiters;
    pool->free = pool->fresh = pool->taken = 0;
}

takt_error takt_memory_pool_reset(takt_id id) {
    return id - 1 < takt_memory_pool_count
               ? reset(&takt_memory_pools[id - 1].waiters, free_blocks, __func__)
               : refused(TAKT_E_ID);
}

static void put_back_flag(struct waiters *waiters) {
    struct flag *flag = (struct flag *)waiters;
    flag->bits = takt_flag_configs[flag - takt_flags].initial;
}

takt_error takt_flag_reset(takt_id id) {
    return id - 1 < takt_flag_count ? reset(&takt_flags[id - 1].waiters, put_back_flag, __func__)
                                    : refused(TAKT_E_ID);
}

static void empty_message_buffer(struct waiters *waiters) {
    struct message_buffer *buffer = (struct message_buffer *)waiters;
    buffer->count = buffer->first = buffer->used = 0;
}

takt_error takt_message_buffer_reset(takt_id id) {
    return id - 1 < takt_message_buffer_count
               ? reset(&takt_message_buffers[id - 1].waiters, empty_message_buffer, __func__)
               : refused(TAKT_E_ID);
}
