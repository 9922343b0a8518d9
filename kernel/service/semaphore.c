/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/semaphore.h as commands. */
#include <takt/semaphore.h>

#include "node/node.h"
#include "object/semaphore.h"
#include "record/record.h"
#include "service.h"

takt_error takt_semaphore_signal(takt_id id) {
    takt_error error = service_check(id, takt_semaphore_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    return node_command(command_word(COMMAND_GIVE, COMMAND_WAIT_NONE, 1, id, task_self()->id, 0),
                        0);
}

takt_error takt_semaphore_wait_for(takt_id id, takt_time timeout) {
    takt_error error = service_check(id, takt_semaphore_count, true, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    uint64_t until = 0;
    enum command_wait wait = node_wait(timeout, &until);
    return node_command(command_word(COMMAND_TAKE, wait, 1, id, task_self()->id, 0), until);
}

takt_error takt_semaphore_wait(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, TAKT_FOR_EVER);
}

takt_error takt_semaphore_try(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, 0);
}
