/* SPDX-License-Identifier: Apache-2.0 */
/* Waits of tasks at the server: for objects and for time. */
#include "central/note.h"
#include "central/server.h"
#include "core.h"
#include "time/time.h"

static struct timers *clock(void) {
    return &takt_cores[SYSTEM_CORE]->timers;
}

/* A time is over: that of a delay, of a wait, or the one before time 0. */
static void task_expired(struct timer *timer) {
    struct central_task *task =
        (struct central_task *)((char *)timer - offsetof(struct central_task, timer));
    if (PLACEMENT == PLACEMENT_CENTRAL && task->state == CENTRAL_STARTS) {
        task_begin(task);
    } else {
        bool delays = command_op(task->call) == COMMAND_DELAY;
        task_wait_end(task, delays ? ANSWER_DONE : ANSWER_TIMEOUT);
    }
}

void task_init_timer(struct central_task *task) {
    task->timer.expire = task_expired;
    task->timer.order = task->id;
}

void task_start_at(struct central_task *task, takt_time time) {
    timer_start(clock(), &task->timer, time);
}

/* Returns the first time at which the clock has reached `ticks`, which lie behind time 0. */
static takt_time time_of(uint64_t ticks) {
    takt_time time = (takt_time)time_from_ticks(ticks - time_epoch);
    return time_to_ticks(time) < ticks ? time + 1 : time;
}

void task_wait(struct central_task *task, enum central_state state, const struct command *command) {
    task_leave_ready(task);
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
    server_note_turn(task);
    server_note_wait(task);
}

void task_wait_end(struct central_task *task, enum answer_error error) {
    timer_stop(clock(), &task->timer);
    if (task->waiters != 0) {
        levels_remove(task->waiters, task);
        task->waiters = 0;
        server_note_turn(task);
    }
    task->error = error;
    server_note_wake(task);
    task_make_ready(task);
}

void task_wait_again(struct central_task *task) {
    if (task->waiters != 0 && task->waits_by_priority) {
        levels_remove(task->waiters, task);
        levels_insert(task->waiters, task, task->priority - 1u);
        server_note_turn(task);
        server_note_turn(task);
        server_note_move(task);
    } else {
        server_note_priority(task, false);
    }
}
