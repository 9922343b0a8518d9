/* SPDX-License-Identifier: Apache-2.0 */
/* Semaphores and priority data queues at the server. Counts and words are where `distributed` has
 * them; who waits is in queues of the server's own. */
#include "central/note.h"
#include "central/server.h"
#include "object/raise.h"
#include "object/semaphore.h"

static bool waits_at_all(const struct command *command) {
    return command_wait(command->word) != COMMAND_WAIT_NONE;
}

static void semaphore_take(struct central_task *caller, const struct command *command) {
    takt_id id = command_object(command->word);
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    if (semaphore->count > 0) {
        semaphore->count--;
        server_note_take(caller, id);
    } else if (waits_at_all(command)) {
        task_wait_in(caller, &takt_central_semaphore_waiters[id - 1],
                     takt_semaphore_configs[id - 1].by_priority, command);
    } else {
        caller->error = ANSWER_TIMEOUT;
    }
}

static void semaphore_give(struct central_task *caller, const struct command *command) {
    takt_id id = command_object(command->word);
    takt_id first = levels_first(&takt_central_semaphore_waiters[id - 1]);
    if (first != TAKT_ID_NONE) {
        task_wait_end(server_task(first), ANSWER_DONE);
    } else if (takt_semaphores[id - 1].count < takt_semaphore_configs[id - 1].maximum) {
        takt_semaphores[id - 1].count++;
        server_note_give(caller, id);
    } else {
        caller->error = ANSWER_OVERFLOW;
    }
}

/* Notes that a task has received a message of a queue. */
static void hold_message(struct central_task *task,
                         const struct takt_priority_data_queue_config *config, unsigned priority) {
    if (queue_raises(config) == task->id) {
        server_hold(task, priority);
    }
}

/* Returns whether a task has received a message of a queue that it has not released. */
static bool holds_message(const struct central_task *task,
                          const struct takt_priority_data_queue_config *config) {
#if RAISES
    return queue_raises(config) == task->id && task->held != 0;
#else
    (void)task, (void)config;
    return false;
#endif
}

/* Receivers wait while there is no word, and senders while all places are taken, so never both.
 * `waiters.senders_wait` says which, as long as there are any. */

static void queue_send(struct central_task *caller, const struct command *command, intptr_t word) {
    takt_id id = command_object(command->word);
    struct priority_data_queue *queue = &takt_priority_data_queues[id - 1];
    const struct takt_priority_data_queue_config *config =
        &takt_priority_data_queue_configs[id - 1];
    struct levels *waiters = &takt_central_queue_waiters[id - 1];
    unsigned priority = command_priority(command->word);
    takt_id first = queue->waiters.senders_wait ? TAKT_ID_NONE : levels_first(waiters);
    if (first != TAKT_ID_NONE) {
        server_task(first)->message = word;
        server_task(first)->message_priority = (uint8_t)priority;
        hold_message(server_task(first), config, priority);
        task_wait_end(server_task(first), ANSWER_DONE);
    } else if (queue->count < config->capacity) {
        bool rises = raise_outranks(queue, priority);
        priority_words_put(queue, config, word, priority);
        if (queue_raises(config) != TAKT_ID_NONE && rises) {
            task_lend(server_task(queue_raises(config)), caller, command);
        }
    } else if (waits_at_all(command)) {
        caller->message = word;
        caller->message_priority = (uint8_t)priority;
        queue->waiters.senders_wait = true;
        task_wait_in(caller, waiters, config->by_priority, command);
    } else {
        caller->error = ANSWER_TIMEOUT;
    }
}

static void queue_receive(struct central_task *caller, const struct command *command) {
    takt_id id = command_object(command->word);
    struct priority_data_queue *queue = &takt_priority_data_queues[id - 1];
    const struct takt_priority_data_queue_config *config =
        &takt_priority_data_queue_configs[id - 1];
    struct levels *waiters = &takt_central_queue_waiters[id - 1];
    if (holds_message(caller, config)) {
        caller->error = ANSWER_STATE;
        return;
    }
    if (queue->count == 0) {
        if (waits_at_all(command)) {
            queue->waiters.senders_wait = false;
            task_wait_in(caller, waiters, false, command);
        } else {
            caller->error = ANSWER_TIMEOUT;
        }
        return;
    }
    unsigned priority;
    caller->message = priority_words_take(queue, config, &priority);
    caller->message_priority = (uint8_t)priority;
    hold_message(caller, config, priority);
    takt_id first = queue->waiters.senders_wait ? levels_first(waiters) : TAKT_ID_NONE;
    if (first != TAKT_ID_NONE) {
        struct central_task *sender = server_task(first);
        priority_words_put(queue, config, sender->message, sender->message_priority);
        task_wait_end(sender, ANSWER_DONE);
    }
}

#if RAISES
/* The caller has read the message that it holds. The answer's priority is the highest of those
 * left, or the lowest of all, which raises nobody. */
static void queue_release(struct central_task *caller, const struct command *command) {
    uint64_t left = takt_priority_data_queues[command_object(command->word) - 1].filled;
    if (caller->held == 0) {
        caller->error = ANSWER_STATE;
    }
    caller->held = 0;
    caller->message_priority = (uint8_t)raise_highest(left, READY_LEVELS);
    task_lend(caller, caller, command);
}
#endif

bool object_serve(struct central_task *caller, const struct command *command) {
    switch (command_op(command->word)) {
    case COMMAND_DELAY:
        task_wait(caller, CENTRAL_WAITS, command);
        server_note_wait(caller);
        break;
    case COMMAND_TAKE:
        semaphore_take(caller, command);
        break;
    case COMMAND_GIVE:
        semaphore_give(caller, command);
        break;
    case COMMAND_SEND:
        queue_send(caller, command, (int32_t)command_immediate(command->word));
        break;
    case COMMAND_SEND_LONG:
        queue_send(caller, command, (intptr_t)command->argument);
        break;
    case COMMAND_RECEIVE:
        queue_receive(caller, command);
        break;
#if RAISES
    case COMMAND_RELEASE:
        queue_release(caller, command);
        break;
#endif
    default:
        return false;
    }
    return true;
}
