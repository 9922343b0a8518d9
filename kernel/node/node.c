/* SPDX-License-Identifier: Apache-2.0 */
#include "node/node.h"

#include "node/release.h"
#include "node/transport.h"
#include "placement.h"
#include "record/event.h"
#include "sched/dispatch.h"
#include "system.h"
#include "time/time.h"

/* The first code of every job, on an empty stack, interrupts disabled. */
static void job_main(void) {
    const struct takt_task_config *config = task_self()->config;
    arch_interrupts_enable();
    config->entry(config->argument);
    takt_task_exit();
}

void node_begin_job(struct task *task, uint32_t job) {
    task->state = TASK_READY;
    task->job = job;
    task->release = task->latest_release =
        task_is_periodic(task->config) ? task->start_release : takt_time_now();
    task->execution = 0;
    task->suspensions = 0;
    context_prepare(&task->context, job_main, (uintptr_t)task->config->stack_top,
                    (uintptr_t)(task + 1));
    if (PLACEMENT == PLACEMENT_RTU) {
        event_unqueue(core_here(), task->id, 1);
    }
    if (PLACEMENT != PLACEMENT_CENTRAL) {
        event_release(core_here(), task->id, (uint32_t)task->release);
    }
}

takt_error node_error(enum answer_error error) {
    switch (error) {
    case ANSWER_DONE:
        return TAKT_OK;
    case ANSWER_TIMEOUT:
        return TAKT_E_TMOUT;
    case ANSWER_OVERFLOW:
        return TAKT_E_QOVR;
    case ANSWER_STATE:
        return TAKT_E_OBJ;
    default:
        kernel_panic(0, "a command was refused");
    }
}

void node_result(struct core *core, struct task *task, uint64_t answer) {
    task->wait_result = node_error(answer_error(answer));
    task->wait_mode = (int)answer_priority(answer);
    task->wait_value =
        answer & ANSWER_LONG ? transport_value(core, task->id) : answer_value(answer);
}

/* Keeps the number of the job's commands if it is the greatest so far; its end does not count. */
static void note_calls(const struct task *task) {
#if CALLS
    uint32_t limit = takt_call_limits[task->id - 1];
    if (limit != 0 && task->suspensions > record_of_limit(limit)->worst) {
        record_of_limit(limit)->worst = task->suspensions;
    }
#else
    (void)task;
#endif
}

bool node_job_ended(struct core *core) {
    struct task *self = core->running;
    uint64_t ticks = arch_ticks();
    execution_account(core, ticks);
    record_job(core, self, (takt_time)time_from_ticks(ticks - time_epoch));
    note_calls(self);
    self->state = TASK_DORMANT;
    return release_next(self);
}

void node_leave(struct core *core, struct task *next) {
    core->running_since = arch_ticks();
    node_run(core, next);
    context_load(&next->context);
}

enum command_wait node_delay(takt_time duration, uint64_t *until) {
    *until = duration == TAKT_FOR_EVER ? UINT64_MAX
                                       : time_to_ticks(time_add(time_not_before_now(), duration));
    return *until == UINT64_MAX ? COMMAND_WAIT_FOR_EVER : COMMAND_WAIT_UNTIL;
}

enum command_wait node_wait(takt_time timeout, uint64_t *until) {
    return timeout == 0 ? COMMAND_WAIT_NONE : node_delay(timeout, until);
}

void placement_init(void) {
    transport_init();
}
