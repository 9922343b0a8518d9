/* SPDX-License-Identifier: Apache-2.0 */
#include "object/priority_data_queue.h"

#include "core.h"
#include "object/object.h"

/* --- With the lock held; none has a loop ------------------------------------------------------ */

/* Hands the word on without waiting; `*woken`: the task that then has it. Returns TAKT_E_TMOUT if
 * there is no place. */
static takt_error priority_data_queue_send(struct priority_data_queue *queue,
                                           const struct takt_priority_data_queue_config *config,
                                           intptr_t word, unsigned priority, struct task **woken) {
    if (!queue->waiters.senders_wait && (*woken = waiters_take(&queue->waiters)) != 0) {
        (*woken)->wait_value = word;
        (*woken)->wait_mode = (int)priority;
        return TAKT_OK;
    }
    if (queue->count == config->capacity) {
        return TAKT_E_TMOUT;
    }
    priority_words_put(queue, config, word, priority);
    return TAKT_OK;
}

/* Takes a word without waiting; `*woken`: the task whose word has found a place by that. Returns
 * TAKT_E_TMOUT if there is none, and so no sender waits either. */
static takt_error priority_data_queue_receive(struct priority_data_queue *queue,
                                              const struct takt_priority_data_queue_config *config,
                                              intptr_t *word, unsigned *priority,
                                              struct task **woken) {
    if (queue->count == 0) {
        return TAKT_E_TMOUT;
    }
    *word = priority_words_take(queue, config, priority);
    *woken = queue->waiters.senders_wait ? waiters_take(&queue->waiters) : 0;
    if (*woken != 0) {
        priority_words_put(queue, config, (*woken)->wait_value, (unsigned)(*woken)->wait_mode);
    }
    return TAKT_OK;
}

/* --- Services --------------------------------------------------------------------------------- */

takt_error takt_priority_data_queue_send_for(takt_id id, intptr_t word, unsigned priority,
                                             takt_time timeout) {
    bool good = id - 1 < takt_priority_data_queue_count &&
                priority - 1 < takt_priority_data_queue_configs[id - 1].priorities;
    takt_error error = service_check(id, takt_priority_data_queue_count, good, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    const struct takt_priority_data_queue_config *config =
        &takt_priority_data_queue_configs[id - 1];
    struct priority_data_queue *queue = &takt_priority_data_queues[id - 1];
    struct task *woken = 0;
    unsigned long interrupts = object_lock(&queue->waiters);
    takt_error result = priority_data_queue_send(queue, config, word, priority, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        task_self()->wait_value = word;
        task_self()->wait_mode = (int)priority;
        queue->waiters.senders_wait = true;
        waiters_join(&queue->waiters, config->by_priority);
    }
    result = object_unlock_and_wait(&queue->waiters, woken, result, waits, timeout,
                                    TAKT_OBJECT_PRIORITY_DATA_QUEUE, id);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_priority_data_queue_send(takt_id queue, intptr_t word, unsigned priority) {
    return takt_priority_data_queue_send_for(queue, word, priority, TAKT_FOR_EVER);
}

takt_error takt_priority_data_queue_try_send(takt_id queue, intptr_t word, unsigned priority) {
    return takt_priority_data_queue_send_for(queue, word, priority, 0);
}

takt_error takt_priority_data_queue_receive_for(takt_id id, intptr_t *word, unsigned *priority,
                                                takt_time timeout) {
    takt_error error =
        service_check(id, takt_priority_data_queue_count, word != 0 && priority != 0, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct priority_data_queue *queue = &takt_priority_data_queues[id - 1];
    struct task *woken = 0;
    unsigned long interrupts = object_lock(&queue->waiters);
    takt_error result = priority_data_queue_receive(
        queue, &takt_priority_data_queue_configs[id - 1], word, priority, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        queue->waiters.senders_wait = false;
        waiters_join(&queue->waiters, false);
    }
    result = object_unlock_and_wait(&queue->waiters, woken, result, waits, timeout,
                                    TAKT_OBJECT_PRIORITY_DATA_QUEUE, id);
    if (waits && result == TAKT_OK) {
        *word = task_self()->wait_value;
        *priority = (unsigned)task_self()->wait_mode;
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_priority_data_queue_receive(takt_id queue, intptr_t *word, unsigned *priority) {
    return takt_priority_data_queue_receive_for(queue, word, priority, TAKT_FOR_EVER);
}

takt_error takt_priority_data_queue_try_receive(takt_id queue, intptr_t *word, unsigned *priority) {
    return takt_priority_data_queue_receive_for(queue, word, priority, 0);
}

takt_error takt_priority_data_queue_state(takt_id id,
                                          struct takt_priority_data_queue_state *state) {
    takt_error error = service_check(id, takt_priority_data_queue_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct priority_data_queue *object = &takt_priority_data_queues[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->sender = object_first_sender(&object->waiters);
    state->receiver = object_first_receiver(&object->waiters);
    state->count = object->count;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void empty_priority_data_queue(struct waiters *waiters) {
    struct priority_data_queue *queue = (struct priority_data_queue *)waiters;
    queue->count = queue->free = queue->fresh = 0;
    queue->filled = 0;
}

takt_error takt_priority_data_queue_reset(takt_id id) {
    return id - 1 < takt_priority_data_queue_count
               ? object_reset(&takt_priority_data_queues[id - 1].waiters, empty_priority_data_queue,
                              __func__)
               : refused(TAKT_E_ID);
}
