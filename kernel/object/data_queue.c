/* SPDX-License-Identifier: Apache-2.0 */
#include "object/data_queue.h"

#include "core.h"
#include "object/object.h"

/* --- With the lock held ----------------------------------------------------------------------- */

static void data_queue_put(struct data_queue *queue, const struct takt_data_queue_config *config,
                           intptr_t word) {
    uint32_t place = queue->first + queue->count++;
    config->words[place < config->capacity ? place : place - config->capacity] = word;
}

static intptr_t data_queue_take_oldest(struct data_queue *queue,
                                       const struct takt_data_queue_config *config) {
    intptr_t word = config->words[queue->first];
    queue->first = queue->first + 1 < config->capacity ? queue->first + 1 : 0;
    queue->count--;
    return word;
}

/* Hands the word on without waiting; `*woken`: the task that then has it. Returns TAKT_E_TMOUT if
 * there is no place. */
static takt_error data_queue_send(struct data_queue *queue,
                                  const struct takt_data_queue_config *config, intptr_t word,
                                  struct task **woken) {
    if (!queue->waiters.senders_wait && (*woken = waiters_take(&queue->waiters)) != 0) {
        (*woken)->wait_value = word;
        return TAKT_OK;
    }
    if (queue->count == config->capacity) {
        return TAKT_E_TMOUT;
    }
    data_queue_put(queue, config, word);
    return TAKT_OK;
}

/* Takes the oldest word without waiting; `*woken`: the task whose word it was, or whose word has
 * found a place by that. Returns TAKT_E_TMOUT if there is none. */
static takt_error data_queue_receive(struct data_queue *queue,
                                     const struct takt_data_queue_config *config, intptr_t *word,
                                     struct task **woken) {
    *woken = queue->waiters.senders_wait ? waiters_take(&queue->waiters) : 0;
    if (queue->count > 0) {
        *word = data_queue_take_oldest(queue, config);
        if (*woken != 0) {
            data_queue_put(queue, config, (*woken)->wait_value);
        }
        return TAKT_OK;
    }
    if (*woken != 0) {
        *word = (*woken)->wait_value;
        return TAKT_OK;
    }
    return TAKT_E_TMOUT;
}

/* --- Services --------------------------------------------------------------------------------- */

takt_error takt_data_queue_send_for(takt_id id, intptr_t word, takt_time timeout) {
    takt_error error = service_check(id, takt_data_queue_count, true, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct data_queue *queue = &takt_data_queues[id - 1];
    const struct takt_data_queue_config *config = &takt_data_queue_configs[id - 1];
    struct task *woken = 0;
    unsigned long interrupts = object_lock(&queue->waiters);
    takt_error result = data_queue_send(queue, config, word, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        task_self()->wait_value = word;
        queue->waiters.senders_wait = true;
        waiters_join(&queue->waiters, config->by_priority);
    }
    result = object_unlock_and_wait(&queue->waiters, woken, result, waits, timeout,
                                    TAKT_OBJECT_DATA_QUEUE, id);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_data_queue_send(takt_id queue, intptr_t word) {
    return takt_data_queue_send_for(queue, word, TAKT_FOR_EVER);
}

takt_error takt_data_queue_try_send(takt_id queue, intptr_t word) {
    return takt_data_queue_send_for(queue, word, 0);
}

takt_error takt_data_queue_force_send(takt_id id, intptr_t word) {
    takt_error error = service_check(id, takt_data_queue_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct data_queue *queue = &takt_data_queues[id - 1];
    const struct takt_data_queue_config *config = &takt_data_queue_configs[id - 1];
    if (config->capacity == 0) {
        return refused(TAKT_E_ILUSE);
    }
    struct task *woken = 0;
    unsigned long interrupts = object_lock(&queue->waiters);
    if (data_queue_send(queue, config, word, &woken) != TAKT_OK) {
        data_queue_take_oldest(queue, config);
        data_queue_put(queue, config, word);
    }
    object_unlock_and_wake(&queue->waiters, woken);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_data_queue_receive_for(takt_id id, intptr_t *word, takt_time timeout) {
    takt_error error = service_check(id, takt_data_queue_count, word != 0, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct data_queue *queue = &takt_data_queues[id - 1];
    struct task *woken;
    unsigned long interrupts = object_lock(&queue->waiters);
    takt_error result = data_queue_receive(queue, &takt_data_queue_configs[id - 1], word, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        queue->waiters.senders_wait = false;
        waiters_join(&queue->waiters, false);
    }
    result = object_unlock_and_wait(&queue->waiters, woken, result, waits, timeout,
                                    TAKT_OBJECT_DATA_QUEUE, id);
    if (waits && result == TAKT_OK) {
        *word = task_self()->wait_value;
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_data_queue_receive(takt_id queue, intptr_t *word) {
    return takt_data_queue_receive_for(queue, word, TAKT_FOR_EVER);
}

takt_error takt_data_queue_try_receive(takt_id queue, intptr_t *word) {
    return takt_data_queue_receive_for(queue, word, 0);
}

takt_error takt_data_queue_state(takt_id id, struct takt_data_queue_state *state) {
    takt_error error = service_check(id, takt_data_queue_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct data_queue *object = &takt_data_queues[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->sender = object_first_sender(&object->waiters);
    state->receiver = object_first_receiver(&object->waiters);
    state->count = object->count;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void empty_data_queue(struct waiters *waiters) {
    ((struct data_queue *)waiters)->first = ((struct data_queue *)waiters)->count = 0;
}

takt_error takt_data_queue_reset(takt_id id) {
    return id - 1 < takt_data_queue_count
               ? object_reset(&takt_data_queues[id - 1].waiters, empty_data_queue, __func__)
               : refused(TAKT_E_ID);
}
