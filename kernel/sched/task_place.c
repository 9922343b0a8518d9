/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/task_place.h"

#include "object/waiters.h"
#include "record/event.h"

void task_place(struct task *task, uint8_t priority, bool before) {
    struct core *core = task->context.core;
    bool is_ready = task->state == TASK_READY && !task->suspended, moved = false;
    bool has_priority = task->priority == priority;
    if (is_ready) {
        ready_remove(ready_queue_of(core, task), task);
    }
    if (task_waits_for_object(task)) {
        moved = waiters_change_priority(task->waits_for, task, priority);
    } else {
        task->priority = priority;
    }
    if (is_ready && before) {
        ready_insert_first(ready_queue_of(core, task), task);
    } else if (is_ready) {
        ready_insert(ready_queue_of(core, task), task);
    }
    if (!moved && (!has_priority || is_ready)) { /* a place may change alone */
        event_priority(core, task->id, 0, is_ready && before, false, priority);
    }
}
