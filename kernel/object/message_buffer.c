/* SPDX-License-Identifier: Apache-2.0 */
#include "object/message_buffer.h"

#include "core.h"
#include "object/object.h"

/* In the ring a message is its size, in 8 bytes, and its bytes, up to a multiple of 8. */

/* --- With the lock held ----------------------------------------------------------------------- */
enum { HEADER = 8 };

typedef uint64_t __attribute__((may_alias)) word_t;

static size_t room_for(size_t size) {
    return HEADER + ((size + 7) & ~7ul);
}

static const struct takt_message_buffer_config *config_of(const struct message_buffer *buffer) {
    return &takt_message_buffer_configs[buffer - takt_message_buffers];
}

/* Whether all of them are multiples of 8. */
static bool are_words(const void *message, size_t size) {
    return (((uintptr_t)message | size) & 7) == 0;
}

/* Copies words; `size` is a multiple of 8 and not 0. The compiler must not see that it copies: it
 * would call its library's memcpy, which takes a byte at a time. Bound: the limit on a message. */
static void copy_words(void *to, const void *from, size_t size) {
    word_t *at = to;
    const word_t *end = (const word_t *)((const char *)from + size);
    for (const word_t *next = from; next != end; next++, at++) {
        *at = *next;
        arch_compiler_barrier();
    }
}

/* Copies what need be no words. Bound: as above. */
static void copy_bytes(uint8_t *to, const uint8_t *from, size_t size) {
    size_t words = are_words(to, (uintptr_t)from) ? size & ~7ul : 0;
    copy_words(to, from, words);
    for (size_t i = words; i < size; i++) {
        to[i] = from[i];
        arch_compiler_barrier();
    }
}

/* The place in the ring that is `at` bytes behind the first message. */
static size_t place_behind(const struct message_buffer *buffer, size_t at) {
    size_t place = buffer->first + at, size = config_of(buffer)->size;
    return __builtin_expect(place < size, 1) ? place : place - size;
}

/* The size of the message at a place: a word, as the ring's size is a multiple of 8. */
static word_t *header_at(const struct message_buffer *buffer, size_t place) {
    return (word_t *)(config_of(buffer)->ring + place);
}

/* Whether the message whose size is at `header` can be copied as words, in one piece. */
static bool is_simple(const struct message_buffer *buffer, size_t header, const void *message,
                      size_t size) {
    return are_words(message, size) && header + HEADER + size <= config_of(buffer)->size;
}

/* The same of the oldest message, and of where it goes. */
static bool oldest_is_simple(const struct message_buffer *buffer, const void *to) {
    return is_simple(buffer, buffer->first, to, *header_at(buffer, buffer->first));
}

/* Copies the bytes of any message to the ring, or back, whose size is at `header`. Bound: the limit
 * on a message. */
static void copy_message(const struct takt_message_buffer_config *config, size_t header,
                         void *bytes, size_t size, bool to_ring) {
    size_t place = header + HEADER < config->size ? header + HEADER : 0;
    size_t straight = size < config->size - place ? size : config->size - place;
    if (to_ring) {
        copy_bytes(config->ring + place, bytes, straight);
        copy_bytes(config->ring, (uint8_t *)bytes + straight, size - straight);
    } else {
        copy_bytes(bytes, config->ring + place, straight);
        copy_bytes((uint8_t *)bytes + straight, config->ring, size - straight);
    }
}

static bool has_room(const struct message_buffer *buffer, size_t size) {
    return room_for(size) <= config_of(buffer)->size - buffer->used;
}

/* Enters a message that has been copied, or removes one. */
static void enter(struct message_buffer *buffer, size_t size) {
    buffer->used += room_for(size);
    buffer->count++;
}

static void message_buffer_leave(struct message_buffer *buffer, size_t size) {
    size_t room = room_for(size);
    buffer->first = place_behind(buffer, room);
    buffer->used -= room;
    buffer->count--;
}

static bool message_buffer_put(struct message_buffer *buffer, const void *message, size_t size) {
    if (!has_room(buffer, size)) {
        return false;
    }
    size_t header = place_behind(buffer, buffer->used);
    *header_at(buffer, header) = size;
    copy_message(config_of(buffer), header, (void *)(uintptr_t)message, size, true);
    enter(buffer, size);
    return true;
}

static size_t message_buffer_take_oldest(struct message_buffer *buffer, void *message) {
    size_t size = *header_at(buffer, buffer->first);
    copy_message(config_of(buffer), buffer->first, message, size, false);
    message_buffer_leave(buffer, size);
    return size;
}

/* Returns the first task that waits, if it sends and its message finds room now; else null. */
static struct task *first_that_fits(const struct message_buffer *buffer) {
    struct task *first = buffer->waiters.first;
    bool fits = first != 0 && buffer->waiters.senders_wait && has_room(buffer, first->wait_size);
    return fits ? first : 0;
}

struct task *message_buffer_next(struct waiters *waiters, bool *more) {
    struct message_buffer *buffer = (struct message_buffer *)waiters; /* stands first there */
    struct task *task = first_that_fits(buffer);
    if (task != 0) {
        message_buffer_put(buffer, (const void *)task->wait_value, task->wait_size);
        waiters_remove(waiters, task);
    }
    *more = first_that_fits(buffer) != 0;
    return task;
}

/* Returns whether the running code comes before all senders that wait: by priority a higher task
 * does. */
static bool sender_is_first(const struct message_buffer *buffer) {
    const struct task *task = task_self(), *first = buffer->waiters.first;
    return first == 0 || (config_of(buffer)->by_priority && task->id != TAKT_ID_NONE &&
                          task->priority < first->priority);
}

/* Hands the message on without waiting; `*woken`: the task that then has it. Returns TAKT_E_TMOUT
 * if there is no room, or others come first. */
static takt_error message_buffer_send(struct message_buffer *buffer, const void *message,
                                      size_t size, struct task **woken) {
    struct task *first = buffer->waiters.first;
    if (first != 0 && !buffer->waiters.senders_wait) {
        copy_bytes((uint8_t *)first->wait_value, message, size);
        first->wait_size = size;
        waiters_remove(&buffer->waiters, first);
        *woken = first;
        return TAKT_OK;
    }
    return sender_is_first(buffer) && message_buffer_put(buffer, message, size) ? TAKT_OK
                                                                                : TAKT_E_TMOUT;
}

/* Takes the oldest message without waiting; `*woken`: the sender that had it; `*more`: others find
 * room by that, for which each makes a section of its own. Returns TAKT_E_TMOUT if there is none.
 */
static takt_error message_buffer_receive(struct message_buffer *buffer, void *message, size_t *size,
                                         struct task **woken, bool *more) {
    struct task *first = buffer->waiters.first;
    if (buffer->used > 0) {
        *size = message_buffer_take_oldest(buffer, message);
    } else if (first != 0 && buffer->waiters.senders_wait) {
        *size = first->wait_size;
        copy_bytes(message, (const uint8_t *)first->wait_value, first->wait_size);
        waiters_remove(&buffer->waiters, first);
        *woken = first;
    } else {
        return TAKT_E_TMOUT;
    }
    *more = first_that_fits(buffer) != 0;
    return TAKT_OK;
}

/* Links the running task with its bytes. */
static void message_buffer_join(struct message_buffer *buffer, const void *bytes, size_t size,
                                bool receives) {
    struct task *task = task_self();
    task->wait_value = (intptr_t)bytes;
    task->wait_size = size;
    buffer->waiters.senders_wait = !receives;
    waiters_join(&buffer->waiters, !receives && config_of(buffer)->by_priority);
}

/* --- Services --------------------------------------------------------------------------------- */

/* Sends where tasks wait for the buffer, the message finds no room in it, or its copy is not
 * simple. The lock is held on entry. */
static APART takt_error send_or_wait(takt_id id, const void *message, size_t size,
                                     takt_time timeout, unsigned long interrupts) {
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    struct task *woken = 0;
    takt_error result = message_buffer_send(buffer, message, size, &woken);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        message_buffer_join(buffer, message, size, false);
    }
    result = object_unlock_and_wait(&buffer->waiters, woken, result, waits, timeout,
                                    TAKT_OBJECT_MESSAGE_BUFFER, id);
    arch_interrupts_restore(interrupts);
    return result;
}

/* The straight way is that of a message that is copied as words, in one piece. */
static IN_STRAIGHT takt_error send_within(takt_id id, const void *message, size_t size,
                                          takt_time timeout, const char *service) {
    bool good = id - 1 < takt_message_buffer_count && message != 0 &&
                size - 1 < takt_message_buffer_configs[id - 1].limit;
    takt_error error = service_check(id, takt_message_buffer_count, good, timeout);
    if (error != TAKT_OK) {
        return record_refusal(error, service);
    }
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    unsigned long interrupts = object_lock(&buffer->waiters);
    size_t header = place_behind(buffer, buffer->used);
    if (LEAVES_STRAIGHT(buffer->waiters.first != 0 || !has_room(buffer, size) ||
                        !is_simple(buffer, header, message, size))) {
        return send_or_wait(id, message, size, timeout, interrupts);
    }
    *header_at(buffer, header) = size;
    copy_words(header_at(buffer, header + HEADER), message, size);
    enter(buffer, size);
    object_unlock(&buffer->waiters, interrupts);
    return TAKT_OK;
}

STRAIGHT takt_error takt_message_buffer_send_for(takt_id buffer, const void *message, size_t size,
                                                 takt_time timeout) {
    return send_within(buffer, message, size, timeout, __func__);
}

STRAIGHT takt_error takt_message_buffer_send(takt_id buffer, const void *message, size_t size) {
    return send_within(buffer, message, size, TAKT_FOR_EVER, __func__);
}

STRAIGHT takt_error takt_message_buffer_try_send(takt_id buffer, const void *message, size_t size) {
    return send_within(buffer, message, size, 0, __func__);
}

/* Receives where tasks wait for the buffer, no message is in it, or its copy is not simple. The
 * lock is held on entry. */
static APART takt_error receive_or_wait(takt_id id, void *message, size_t *size, takt_time timeout,
                                        unsigned long interrupts) {
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    struct task *woken = 0;
    bool more = false;
    takt_error result = message_buffer_receive(buffer, message, size, &woken, &more);
    bool waits = result != TAKT_OK && timeout != 0;
    if (waits) {
        message_buffer_join(buffer, message, 0, true);
    }
    lock_release(&buffer->waiters.lock);
    served_wake(&buffer->waiters, woken, more, interrupts);
    if (waits) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_MESSAGE_BUFFER, id);
        if (result == TAKT_OK) {
            *size = task_self()->wait_size;
        }
    }
    arch_interrupts_restore(interrupts);
    return result;
}

static IN_STRAIGHT takt_error receive_within(takt_id id, void *message, size_t *size,
                                             takt_time timeout, const char *service) {
    takt_error error =
        service_check(id, takt_message_buffer_count, message != 0 && size != 0, timeout);
    if (error != TAKT_OK) {
        return record_refusal(error, service);
    }
    struct message_buffer *buffer = &takt_message_buffers[id - 1];
    unsigned long interrupts = object_lock(&buffer->waiters);
    if (LEAVES_STRAIGHT(buffer->waiters.first != 0 || buffer->used == 0 ||
                        !oldest_is_simple(buffer, message))) {
        return receive_or_wait(id, message, size, timeout, interrupts);
    }
    size_t header = buffer->first, its_size = *header_at(buffer, header);
    copy_words(message, header_at(buffer, header + HEADER), its_size);
    message_buffer_leave(buffer, its_size);
    *size = its_size;
    object_unlock(&buffer->waiters, interrupts);
    return TAKT_OK;
}

STRAIGHT takt_error takt_message_buffer_receive_for(takt_id buffer, void *message, size_t *size,
                                                    takt_time timeout) {
    return receive_within(buffer, message, size, timeout, __func__);
}

STRAIGHT takt_error takt_message_buffer_receive(takt_id buffer, void *message, size_t *size) {
    return receive_within(buffer, message, size, TAKT_FOR_EVER, __func__);
}

STRAIGHT takt_error takt_message_buffer_try_receive(takt_id buffer, void *message, size_t *size) {
    return receive_within(buffer, message, size, 0, __func__);
}

takt_error takt_message_buffer_state(takt_id id, struct takt_message_buffer_state *state) {
    takt_error error = service_check(id, takt_message_buffer_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct message_buffer *object = &takt_message_buffers[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->sender = object_first_sender(&object->waiters);
    state->receiver = object_first_receiver(&object->waiters);
    state->count = object->count;
    state->used = object->used;
    state->free = takt_message_buffer_configs[id - 1].size - object->used;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void empty_message_buffer(struct waiters *waiters) {
    struct message_buffer *buffer = (struct message_buffer *)waiters;
    buffer->count = buffer->first = buffer->used = 0;
}

takt_error takt_message_buffer_reset(takt_id id) {
    return id - 1 < takt_message_buffer_count
               ? object_reset(&takt_message_buffers[id - 1].waiters, empty_message_buffer, __func__)
               : refused(TAKT_E_ID);
}

#if RESTARTS
void message_buffer_empty(takt_id id) {
    object_put_back(&takt_message_buffers[id - 1].waiters, empty_message_buffer);
}
#endif
