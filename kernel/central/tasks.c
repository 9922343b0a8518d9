/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks at the server: their jobs, states, priorities, and times. */
#include "central/note.h"
#include "central/server.h"
#include "core.h"
#include "object/raise.h"

static struct levels *ready_of(const struct central_task *task) {
    return &takt_central_nodes[task->config->core].ready;
}

/* Gives a task the highest priority of its base and of what messages lend it. */
static void compute_priority(struct central_task *task) {
#if RAISES
    const struct priority_data_queue *queue = raised_by(task->config);
    if (queue != 0) {
        unsigned due = raise_highest(queue->filled, task->base);
        due = task->held != 0 && task->held < due ? task->held : due;
        task->priority = due < task->base ? (uint8_t)due : task->base;
    }
#else
    (void)task;
#endif
}

void task_make_ready(struct central_task *task) {
    unsigned before = task->priority;
    compute_priority(task);
    if (RAISES && task->priority != before) {
        server_note_priority(task, false);
    }
    task->state = CENTRAL_READY;
    levels_insert(ready_of(task), task, task->priority - 1u);
    server_decide(task->config->core);
}

void task_leave_ready(struct central_task *task) {
    levels_remove(ready_of(task), task);
}

void task_begin(struct central_task *task) {
    server_set_base(task, task->config->priority);
    task->job = !task->job;
    task->wakeups = 0;
    task->error = ANSWER_DONE;
    task->message = 0;
    server_note_release(task);
    task_make_ready(task);
}

void central_task_init(struct central_task *task, takt_id id) {
    task->id = id;
    task->config = &takt_task_configs[id - 1];
    server_set_base(task, task->config->priority);
    task_init_timer(task);
    if (task->config->start) {
        task->state = CENTRAL_STARTS;
        task_start_at(task, 0);
    }
}

enum answer_error task_start(struct central_task *task) {
    if (task->state == CENTRAL_DORMANT) {
        task_begin(task);
        return ANSWER_DONE;
    }
    if (task->activations == task->config->queue_limit) {
        return ANSWER_OVERFLOW;
    }
    task->activations++;
    event_queue(server_core(), task->id);
    return ANSWER_DONE;
}

void task_end(struct central_task *task) {
    task_leave_ready(task);
    task->state = CENTRAL_DORMANT;
    server_hold(task, 0);
    if (task->activations > 0) {
        task->activations--;
        event_unqueue(server_core(), task->id, 1);
        task_begin(task);
    }
}

void task_sleep(struct central_task *task, const struct command *command) {
    if (task->wakeups > 0) {
        task->wakeups--;
    } else if (command_wait(command->word) == COMMAND_WAIT_NONE) {
        task->error = ANSWER_TIMEOUT;
    } else {
        task_wait(task, CENTRAL_SLEEPS, command);
        server_note_wait(task);
    }
}

enum answer_error task_wake(struct central_task *task) {
    if (task->state == CENTRAL_SLEEPS) {
        task_wait_end(task, ANSWER_DONE);
        return ANSWER_DONE;
    }
    if (task->state == CENTRAL_DORMANT) {
        return ANSWER_STATE;
    }
    if (task->wakeups == TASK_WAKEUPS_MAX) {
        return ANSWER_OVERFLOW;
    }
    task->wakeups++;
    return ANSWER_DONE;
}

/* --- Places ----------------------------------------------------------------------------------- */

void task_yield(uint32_t node, unsigned priority) {
    struct levels *ready = &takt_central_nodes[node].ready;
    if (ready->taken & UINT64_C(1) << (priority - 1)) {
        struct central_task *first = server_task(ready->first[priority - 1]);
        levels_remove(ready, first);
        levels_insert(ready, first, priority - 1);
        server_note_priority(first, false);
    }
}

enum answer_error task_set_priority(struct central_task *task, unsigned priority) {
    if (task->state == CENTRAL_DORMANT || task->state == CENTRAL_STARTS) {
        return ANSWER_STATE;
    }
    server_set_base(task, priority);
    if (task->state == CENTRAL_READY) {
        task_leave_ready(task);
        server_note_priority(task, false);
        task_make_ready(task);
    } else {
        compute_priority(task);
        task_wait_again(task);
    }
    return ANSWER_DONE;
}

#if RAISES
void task_lend(struct central_task *task, struct central_task *caller,
               const struct command *command) {
    (void)caller, (void)command;
    unsigned before = task->priority;
    compute_priority(task);
    if (task->priority == before) {
        return;
    }
    if (task->state != CENTRAL_READY) {
        task_wait_again(task);
        return;
    }
    task_leave_ready(task);
    server_note_priority(task, task->priority > before);
    if (task->priority > before) {
        levels_insert_first(ready_of(task), task, task->priority - 1u);
    } else {
        levels_insert(ready_of(task), task, task->priority - 1u);
    }
    server_decide(task->config->core);
}
#endif
