/* SPDX-License-Identifier: Apache-2.0 */
/* A node that another decides for: `central` and `rtu`. */
#include "node/node.h"
#include "node/release.h"
#include "node/transport.h"
#include "placement.h"

/* Returns the task that `decision` names, or the idle context, prepared so that it can run: a job
 * that begins has its context, another the result of its call. */
static struct task *node_next(struct core *core, uint64_t decision) {
    takt_id id = answer_next(decision);
    if (id == TAKT_ID_NONE) {
        return core->idle;
    }
    struct task *task = takt_tasks[id - 1];
    uint32_t job = (decision & ANSWER_JOB) != 0;
    if (task->state == TASK_DORMANT || task->job != job) {
        node_begin_job(task, job);
    } else {
        node_result(core, task, decision);
    }
    return task;
}

struct task *node_latest(struct core *core) {
    return node_next(core, transport_decision(core));
}

takt_error node_call(const struct command *command) {
    MARK(dispatch);
    struct core *core = core_here();
    struct task *self = core->running;
    node_switch(core, node_next(core, transport_call(core, command)));
    return self->wait_result;
}

takt_error node_submit(uint64_t word, uint64_t until) {
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = node_call(&(struct command){.word = word, .until = until});
    arch_interrupts_restore(interrupts);
    return result;
}

void node_job_end(void) {
    MARK(job_complete);
    struct core *core = core_here();
    node_job_ended(core);
    struct command command = {
        .word = command_word(COMMAND_END, COMMAND_WAIT_NONE, 1, 0, core->running->id, 0)};
    node_leave(core, node_next(core, transport_call(core, &command)));
}

/* The command has no caller: who runs here has asked for nothing, and keeps the result of its own
 * call. The end of the interrupt looks at the decision. */
void release_job(struct core *core, struct task *task) {
    transport_call(core, &(struct command){.word = command_word(COMMAND_START, COMMAND_WAIT_NONE, 1,
                                                                0, TAKT_ID_NONE, task->id)});
}

void placement_start(struct core *core) {
    transport_start(core);
    release_init(core);
}
