/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/priority_data_queue.h as commands. */
#include "object/priority_data_queue.h"

#include "node/node.h"
#include "object/raise.h"
#include "record/record.h"
#include "service.h"

takt_error takt_priority_data_queue_send_for(takt_id id, intptr_t word, unsigned priority,
                                             takt_time timeout) {
    bool good = id - 1 < takt_priority_data_queue_count &&
                priority - 1 < takt_priority_data_queue_configs[id - 1].priorities;
    takt_error error = service_check(id, takt_priority_data_queue_count, good, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct command command = {.argument = (uint64_t)word};
    enum command_wait wait = node_wait(timeout, &command.until);
    enum command_op op = word == (int32_t)word ? COMMAND_SEND : COMMAND_SEND_LONG;
    command.word = command_word(op, wait, priority, id, task_self()->id, (uint32_t)word);
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = node_call(&command);
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
    if (error == TAKT_OK && !raise_may_receive(id)) {
        error = TAKT_E_ILUSE;
    }
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct task *self = task_self();
    struct command command = {0};
    enum command_wait wait = node_wait(timeout, &command.until);
    command.word = command_word(COMMAND_RECEIVE, wait, 1, id, self->id, 0);
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = node_call(&command);
    if (result == TAKT_OK) {
        *word = self->wait_value;
        *priority = (unsigned)self->wait_mode;
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

takt_error takt_priority_data_queue_release(takt_id id) {
    takt_error error = service_check(id, takt_priority_data_queue_count, true, 0);
    if (error == TAKT_OK && !raise_is_self(id)) {
        error = TAKT_E_ILUSE;
    }
    if (error != TAKT_OK) {
        return refused(error);
    }
    return node_command(command_word(COMMAND_RELEASE, COMMAND_WAIT_NONE, 1, id, task_self()->id, 0),
                        0);
}
