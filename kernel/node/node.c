/* SPDX-License-Identifier: Apache-2.0 */
#include "node/node.h"

#include "node/transport.h"
#include "placement.h"
#include "record/record.h"
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

/* Prepares the context of a job that begins. `job`: its number, of which a decision says one bit.
 */
static void begin_job(struct task *task, uint32_t job) {
    task->state = TASK_READY;
    task->job = job;
    task->release = task->latest_release = takt_time_now();
    task->execution = 0;
    context_prepare(&task->context, job_main, (uintptr_t)task->config->stack_top,
                    (uintptr_t)(task + 1));
}

static takt_error error_of(uint64_t answer) {
    switch (answer_error(answer)) {
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

struct task *node_next(struct core *core, uint64_t decision) {
    takt_id id = answer_next(decision);
    if (id == TAKT_ID_NONE) {
        return core->idle;
    }
    struct task *task = takt_tasks[id - 1];
    uint32_t job = (decision & ANSWER_JOB) != 0;
    if (task->state == TASK_DORMANT || task->job != job) {
        begin_job(task, job);
    } else {
        task->wait_result = error_of(decision);
        task->wait_mode = (int)answer_priority(decision);
        task->wait_value =
            decision & ANSWER_LONG ? transport_value(core, id) : answer_value(decision);
    }
    return task;
}

void node_run(struct core *core, struct task *next) {
    core->running = next;
    core->save = &next->context;
}

takt_error node_call(const struct command *command) {
    struct core *core = core_here();
    struct task *self = core->running;
    struct task *next = node_next(core, transport_call(core, command));
    if (next != self) {
        execution_account(core, arch_ticks());
        node_run(core, next);
        context_switch(&self->context, &next->context);
    }
    return self->wait_result;
}

takt_error node_command(uint64_t word, uint64_t until) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = node_call(&(struct command){.word = word, .until = until});
    arch_interrupts_restore(interrupts);
    return result;
}

void node_job_end(void) {
    struct core *core = core_here();
    struct task *self = core->running;
    uint64_t ticks = arch_ticks();
    execution_account(core, ticks);
    record_job(core, self, (takt_time)time_from_ticks(ticks - time_epoch));
    self->state = TASK_DORMANT;
    struct command command = {.word =
                                  command_word(COMMAND_END, COMMAND_WAIT_NONE, 1, 0, self->id, 0)};
    struct task *next = node_next(core, transport_call(core, &command));
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

void placement_start(struct core *core) {
    transport_start(core);
}
