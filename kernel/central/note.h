/* SPDX-License-Identifier: Apache-2.0 */
/* What the server records, in the ring of the system core: under `central` all that it decides,
 * under `semi` changes of objects, since nodes record what becomes of their tasks. Without events
 * none of this is an instruction. docs/design/placements.md, "Events". */
#ifndef KERNEL_CENTRAL_NOTE_H
#define KERNEL_CENTRAL_NOTE_H

#include "central/server.h"
#include "core.h"
#include "node/node.h"
#include "object/priority_data_queue.h"
#include "object/semaphore.h"
#include "record/event.h"
#include "time/time.h"

static inline struct core *server_core(void) {
    return takt_cores[SYSTEM_CORE];
}

/* Notes a change of the queue of the object for which a task waits. */
static inline void server_note_turn(struct central_task *task) {
#if EVENTS
    takt_id id = command_object(task->call);
    bool is_semaphore = command_op(task->call) == COMMAND_TAKE;
    task->turn = waiters_turn(is_semaphore ? &takt_semaphores[id - 1].waiters
                                           : &takt_priority_data_queues[id - 1].waiters);
#else
    (void)task;
#endif
}

static inline uint8_t server_note_latest_turn(const struct central_task *task) {
#if EVENTS
    return task->turn;
#else
    (void)task;
    return 0;
#endif
}

/* The caller has taken from a semaphore, or given to it, without meeting a task that waits. */
static inline void server_note_take(const struct central_task *caller, takt_id semaphore) {
    event_take(server_core(), caller->id, TAKT_OBJECT_SEMAPHORE,
               waiters_turn(&takt_semaphores[semaphore - 1].waiters), semaphore);
}

static inline void server_note_give(const struct central_task *caller, takt_id semaphore) {
    event_give(server_core(), caller->id, TAKT_OBJECT_SEMAPHORE,
               waiters_turn(&takt_semaphores[semaphore - 1].waiters), semaphore);
}

/* A job has begun, now; before anybody is told. */
static inline void server_note_release(const struct central_task *task) {
    if (EVENTS) {
        event_release(server_core(), task->id, (uint32_t)takt_time_now());
    }
}

/* A task has begun to wait. */
static inline void server_note_wait(const struct central_task *task) {
    if (EVENTS && PLACEMENT == PLACEMENT_CENTRAL) {
        enum takt_record_object class = task->waiters == 0 ? TAKT_OBJECT_NONE
                                        : command_op(task->call) == COMMAND_TAKE
                                            ? TAKT_OBJECT_SEMAPHORE
                                            : TAKT_OBJECT_PRIORITY_DATA_QUEUE;
        event_wait(server_core(), task->id, class, server_note_latest_turn(task),
                   class == TAKT_OBJECT_NONE ? TAKT_ID_NONE : command_object(task->call));
    }
}

/* A task waits no more; before anybody is told. */
static inline void server_note_wake(const struct central_task *task) {
    if (EVENTS && PLACEMENT == PLACEMENT_CENTRAL) {
        event_wake(server_core(), task->id, server_note_latest_turn(task),
                   (uint8_t)-node_error(task->error));
    }
}

/* A task has another priority, or another place among its equals; before anybody is told. */
static inline void server_note_priority(const struct central_task *task, bool first) {
    if (EVENTS && PLACEMENT == PLACEMENT_CENTRAL) {
        event_priority(server_core(), task->id, 0, first, false, task->priority);
    }
}

/* A task that waits has another priority and has moved in the object's queue. */
static inline void server_note_move(const struct central_task *task) {
    event_priority(server_core(), task->id, server_note_latest_turn(task), false, true,
                   task->priority);
}

#endif
