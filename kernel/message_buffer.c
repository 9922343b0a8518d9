/* SPDX-License-Identifier: Apache-2.0 */
#include "message_buffer.h"

#include <string.h>

#include "core.h"

/* In the ring a message is its size, in 8 bytes, and its bytes, up to a multiple of 8. All below
 * but the services: with the lock held. */
enum { HEADER = 8 };

static uint32_t room_for(size_t size) {
    return HEADER + (((uint32_t)size + 7) & ~7u);
}

static const struct takt_message_buffer_config *config_of(const struct message_buffer *buffer) {
    return &takt_message_buffer_configs[buffer - takt_message_buffers];
}

/* Copies to the ring from `at` bytes behind its first, or back. Bound: the limit on a message. */
static void copy(const struct message_buffer *buffer, uint32_t at, void *bytes, size_t size,
                 bool to_ring) {
    const struct takt_message_buffer_config *config = config_of(buffer);
    uint32_t place =
        buffer->first + at < config->size ? buffer->first + at : buffer->first + at - config->size;
    size_t straight = size < config->size - place ? size : config->size - place;
    if (to_ring) {
        memcpy(config->ring + place, bytes, straight);
        memcpy(config->ring, (uint8_t *)bytes + straight, size - straight);
    } else {
        memcpy(bytes, config->ring + place, straight);
        memcpy((uint8_t *)bytes + straight, config->ring, size - straight);
    }
}

static bool put(struct message_buffer *buffer, const void *message, size_t size) {
    uint32_t room = room_for(size);
    if (room > config_of(buffer)->size - buffer->used) {
        return false;
    }
    uint64_t header = size;
    copy(buffer, buffer->used, &header, HEADER, true);
    copy(buffer, buffer->used + HEADER, (void *)(uintptr_t)message, size, true);
    buffer->used += room;
    buffer->count++;
    return true;
}

static size_t take_oldest(struct message_buffer *buffer, void *message) {
    uint64_t size = 0;
    copy(buffer, 0, &size, HEADER, false);
    copy(buffer, HEADER, message, size, false);
    uint32_t room = room_for(size), end = buffer->first + room;
    buffer->first = end < config_of(buffer)->size ? end : end - config_of(buffer)->size;
    buffer->used -= room;
    buffer->count--;
    return size;
}

/* Unlinks the senders, from the first on, whose messages find room now. Bound: those that wait. */
struct task *message_buffer_shrunk(struct waiters *waiters) {
    struct message_buffer *buffer = (struct message_buffer *)waiters;
    struct task *first = 0, **end = &first, *task;
    while (!buffer->receivers_wait && (task = waiters->first) != 0 &&
           put(buffer, (const void *)task->wait_value, task->wait_size)) {
        waiters_remove(waiters, task);
        task->wait_next = 0;
        *end = task;
        end = &task->wait_next;
    }
    return first;
}

/* Hands the message on without waiting; `*woken`: who then has it. TAKT_E_TMOUT: there is no room.
 */
static takt_error send(struct message_buffer *buffer, const void *message, size_t size,
                       struct task **woken) {
    if (buffer->waiters.first == 0) {
        return put(buffer, message, size) ? TAKT_OK : TAKT_E_TMOUT;
    }
    if (!buffer->receivers_wait) {
        return TAKT_E_TMOUT;
    }
    *woken = waiters_take(&buffer->waiters);
    memcpy((void *)(*woken)->wait_value, message, size);
    (*woken)->wait_size = size;
    (*woken)->wait_next = 0;
    return TAKT_OK;
}

/* Takes the oldest message without waiting; `*woken`: whose messages found room by that, or who had
 * the message. TAKT_E_TMOUT: there is none. */
static takt_error receive(struct message_buffer *buffer, void *message, size_t *size,
                          struct task **woken) {
    struct task *sender = 0;
    *woken = 0;
    if (buffer->used > 0) {
        *size = take_oldest(buffer, message);
    } else if (!buffer->receivers_wait && (sender = waiters_take(&buffer->waiters)) != 0) {
        *size = sender->wait_size;
        memcpy(message, (const void *)sender->wait_value, sender->wait_size);
    } else {
        return TAKT_E_TMOUT;
    }
    *woken = message_buffer_shrunk(&buffer->waiters);
    if (sender != 0) {
        sender->wait_next = *woken;
        *woken = sender;
    }
    return TAKT_OK;
}

/* Links the running task with its bytes. */
static void join(struct message_buffer *buffer, const void *bytes, size_t size, bool receives) {
    struct task *task = task_self();
    task->wait_value = (intptr_t)bytes;
    task->wait_size = size;
    buffer->receivers_wait = receives;
    waiters_join(&buffer->waiters, !receives && config_of(buffer)->by_priority);
}

takt_error takt_message_buffer_send_for(takt_id id, const void *message, size_t size,
                                        takt_time timeout) {
    if (id - 1 >= takt_message_buffer_count) {
        return TAKT_E_ID;
    }
    if (message == 0 || size == 0 || size > takt_message_buffer_configs[id - 1].limit ||
        timeout < 0) {
        return TAKT_E_PAR;
    }
    if (timeout != 0 && !wait_allowed()) {
        return TAKT_E_CTX;
    }
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    struct task *woken = 0;
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&buffer->waiters.lock);
    takt_error result = send(buffer, message, size, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        join(buffer, message, size, false);
    }
    lock_release(&buffer->waiters.lock);
    wait_end_all(woken, TAKT_OK);
    if (waits) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_MESSAGE_BUFFER, id);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_message_buffer_send(takt_id buffer, const void *message, size_t size) {
    return takt_message_buffer_send_for(buffer, message, size, TAKT_FOR_EVER);
}

takt_error takt_message_buffer_try_send(takt_id buffer, const void *message, size_t size) {
    return takt_message_buffer_send_for(buffer, message, size, 0);
}

takt_error takt_message_buffer_receive_for(takt_id id, void *message, size_t *size,
                                           takt_time timeout) {
    if (id - 1 >= takt_message_buffer_count) {
        return TAKT_E_ID;
    }
    if (message == 0 || size == 0 || timeout < 0) {
        return TAKT_E_PAR;
    }
    if (timeout != 0 && !wait_allowed()) {
        return TAKT_E_CTX;
    }
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    struct task *woken;
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&buffer->waiters.lock);
    takt_error result = receive(buffer, message, size, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        join(buffer, message, 0, true);
    }
    lock_release(&buffer->waiters.lock);
    wait_end_all(woken, TAKT_OK);
    if (waits) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_MESSAGE_BUFFER, id);
        if (result == TAKT_OK) {
            *size = task_self()->wait_size;
        }
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_message_buffer_receive(takt_id buffer, void *message, size_t *size) {
    return takt_message_buffer_receive_for(buffer, message, size, TAKT_FOR_EVER);
}

takt_error takt_message_buffer_try_receive(takt_id buffer, void *message, size_t *size) {
    return takt_message_buffer_receive_for(buffer, message, size, 0);
}
