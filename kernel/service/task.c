/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/task.h as commands. */
#include <takt/system.h>
#include <takt/task.h>

#include "node/node.h"
#include "node/release.h"
#include "record/record.h"
#include "service.h"

static uint64_t word_of(enum command_op op, enum command_wait wait, unsigned priority,
                        uint32_t immediate) {
    return command_word(op, wait, priority, 0, task_self()->id, immediate);
}

takt_error takt_task_activate(takt_id id) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (task_is_periodic(&takt_task_configs[id - 1])) {
        return refused(TAKT_E_OBJ);
    }
    takt_error result = node_command(word_of(COMMAND_START, COMMAND_WAIT_NONE, 1, id), 0);
    if (result == TAKT_E_QOVR) {
        /* Relaxed: a count, which is read when all cores have stopped. */
        __atomic_fetch_add(&record_of(takt_tasks[id - 1])->refused, 1, __ATOMIC_RELAXED);
    }
    return result;
}

void takt_task_exit(void) {
    takt_assert(task_self()->id != TAKT_ID_NONE);
    arch_interrupts_disable();
    node_job_end();
}

takt_error takt_task_rotate(unsigned priority) {
    bool own = priority == TAKT_PRIORITY_SELF;
    if (priority > READY_LEVELS || (own && task_self()->id == TAKT_ID_NONE)) {
        return refused(TAKT_E_PAR);
    }
    return node_command(word_of(COMMAND_YIELD, COMMAND_WAIT_NONE, own ? 1 : priority, own), 0);
}

takt_error takt_task_set_priority(takt_id id, unsigned priority) {
    if (!task_id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (priority > READY_LEVELS) {
        return refused(TAKT_E_PAR);
    }
    unsigned wanted =
        priority == TAKT_PRIORITY_INITIAL ? takt_task_configs[id - 1].priority : priority;
    return node_command(word_of(COMMAND_SET_PRIORITY, COMMAND_WAIT_NONE, wanted, id), 0);
}

takt_error takt_task_sleep_for(takt_time timeout) {
    if (timeout < 0) {
        return refused(TAKT_E_PAR);
    }
    if (!wait_allowed()) {
        return refused(TAKT_E_CTX);
    }
    uint64_t until = 0;
    enum command_wait wait = node_wait(timeout, &until);
    return node_command(word_of(COMMAND_SLEEP, wait, 1, 0), until);
}

takt_error takt_task_sleep(void) {
    return takt_task_sleep_for(TAKT_FOR_EVER);
}

takt_error takt_task_wakeup(takt_id id) {
    takt_error error = service_check(id, takt_task_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    return node_command(word_of(COMMAND_WAKE, COMMAND_WAIT_NONE, 1, id), 0);
}

takt_error takt_task_delay(takt_time duration) {
    if (duration < 0) {
        return refused(TAKT_E_PAR);
    }
    if (!wait_allowed()) {
        return refused(TAKT_E_CTX);
    }
    uint64_t until = 0;
    enum command_wait wait = node_delay(duration, &until);
    return node_command(word_of(COMMAND_DELAY, wait, 1, 0), until);
}
