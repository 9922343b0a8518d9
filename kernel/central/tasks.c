/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks at the server: their jobs, states, priorities, and times. */
#include "central/server.h"
#include "core.h"
#include "time/time.h"

static struct levels *ready_of(const struct central_task *task) {
    return &takt_central_nodes[task->config->core].ready;
}

static struct timers *clock(void) {
    return &takt_cores[SYSTEM_CORE]->timers;
}

static void make_ready(struct central_task *task) {
    task->state = CENTRAL_READY;
    levels_insert(ready_of(task), task, task->priority - 1u);
    server_decide(task->config->core);
}

static void leave_ready(struct central_task *task) {
    levels_remove(ready_of(task), task);
}

static void begin_job(struct central_task *task) {
    task->priority = task->config->priority;
    task->job = !task->job;
    task->wakeups = 0;
    task->error = ANSWER_DONE;
    task->message = 0;
    make_ready(task);
}

/* A time is over: that of a delay, of a wait, or the one before time 0. */
static void task_expired(struct timer *timer) {
    struct central_task *task =
        (struct central_task *)((char *)timer - offsetof(struct central_task, timer));
    if (task->state == CENTRAL_STARTS) {
        begin_job(task);
    } else {
        bool delays = command_op(task->call) == COMMAND_DELAY;
        task_wait_end(task, delays ? ANSWER_DONE : ANSWER_TIMEOUT);
    }
}

void task_init(struct central_task *task, takt_id id) {
    task->id = id;
    task->config = &takt_task_configs[id - 1];
    task->priority = task->config->priority;
    task->timer.expire = task_expired;
    task->timer.order = id;
    if (task->config->start) {
        task->state = CENTRAL_STARTS;
        timer_start(clock(), &task->timer, 0);
    }
}

enum answer_error task_start(struct central_task *task) {
    if (task->state == CENTRAL_DORMANT) {
        begin_job(task);
        return ANSWER_DONE;
    }
    if (task->activations == task->config->queue_limit) {
        return ANSWER_OVERFLOW;
    }
    task->activations++;
    return ANSWER_DONE;
}

void task_end(struct central_task *task) {
    leave_ready(task);
    task->state = CENTRAL_DORMANT;
    if (task->activations > 0) {
        task->activations--;
        begin_job(task);
    }
}

/* --- Waiting ---------------------------------------------------------------------------------- */

/* Returns the first time at which the clock has reached `ticks`, which lie behind time 0. */
static takt_time time_of(uint64_t ticks) {
    takt_time time = (takt_time)time_from_ticks(ticks - time_epoch);
    return time_to_ticks(time) < ticks ? time + 1 : time;
}

void task_wait(struct central_task *task, enum central_state state, const struct command *command) {
    leave_ready(task);
    task->state = state;
    task->waiters = 0;
    task->call = command->word;
    if (command_wait(command->word) == COMMAND_WAIT_UNTIL) {
        timer_start(clock(), &task->timer, time_of(command->until));
    }
}

void task_wait_in(struct central_task *task, struct levels *waiters, bool by_priority,
                  const struct command *command) {
    task_wait(task, CENTRAL_WAITS, command);
    task->waiters = waiters;
    task->waits_by_priority = by_priority;
    levels_insert(waiters, task, by_priority ? task->priority - 1u : 0);
}

void task_wait_end(struct central_task *task, enum answer_error error) {
    timer_stop(clock(), &task->timer);
    if (task->waiters != 0) {
        levels_remove(task->waiters, task);
        task->waiters = 0;
    }
    task->error = error;
    make_ready(task);
}

void task_delay(struct central_task *task, const struct command *command) {
    task_wait(task, CENTRAL_WAITS, command);
}

void task_sleep(struct central_task *task, const struct command *command) {
    if (task->wakeups > 0) {
        task->wakeups--;
    } else if (command_wait(command->word) == COMMAND_WAIT_NONE) {
        task->error = ANSWER_TIMEOUT;
    } else {
        task_wait(task, CENTRAL_SLEEPS, command);
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
    }
}

enum answer_error task_set_priority(struct central_task *task, unsigned priority) {
    if (task->state == CENTRAL_DORMANT || task->state == CENTRAL_STARTS) {
        return ANSWER_STATE;
    }
    task->priority = (uint8_t)priority;
    if (task->state == CENTRAL_READY) {
        leave_ready(task);
        make_ready(task);
    } else if (task->waiters != 0 && task->waits_by_priority) {
        levels_remove(task->waiters, task);
        levels_insert(task->waiters, task, priority - 1);
    }
    return ANSWER_DONE;
}
