/* SPDX-License-Identifier: Apache-2.0 */
/* A node: a core that keeps contexts, and asks another who shall run. Its services are commands,
 * and the task that a decision names runs. docs/design/placements.md, "Central". */
#ifndef KERNEL_NODE_H
#define KERNEL_NODE_H

#include "core.h"
#include "node/command.h"
#include "record/event.h"
#include "sched/dispatch.h"

/* Has a command of the running task carried out, and runs what the answer says; returns the result
 * when the caller runs again. The message that it has received is in `wait_value` and `wait_mode`
 * of its block, the latter its priority; interrupts are disabled on return, so that these are not
 * overwritten. Interrupts disabled. */
takt_error node_call(const struct command *command);

#if PLACEMENT == PLACEMENT_SEMI
/* What a node does by itself where it concerns its own tasks alone: START, WAKE and SET_PRIORITY of
 * a task, SLEEP, YIELD. */
takt_error node_ask(uint64_t word);
takt_error node_sleep(uint64_t word, uint64_t until);
takt_error node_rotate(unsigned priority);

/* Returns the priority of a task without what messages lend it. */
static inline unsigned node_own_priority(const struct task *task) {
#if RAISES
    return task->own_priority;
#else
    return task->priority;
#endif
}
#endif

/* Has a command carried out by who decides, with interrupts as the application has them. */
takt_error node_submit(uint64_t word, uint64_t until);

/* Carries out a command that receives nothing, here or by who decides. */
static inline takt_error node_command(uint64_t word, uint64_t until) {
#if PLACEMENT == PLACEMENT_SEMI
    switch (command_op(word)) { /* constant where this is called */
    case COMMAND_START:
    case COMMAND_WAKE:
    case COMMAND_SET_PRIORITY:
        return node_ask(word);
    case COMMAND_SLEEP:
        return node_sleep(word, until);
    case COMMAND_YIELD:
        return node_rotate(command_immediate(word) ? node_own_priority(task_self())
                                                   : command_priority(word));
    default:
        break;
    }
#endif
    return node_submit(word, until);
}

/* Ends the running task's job. Interrupts disabled. */
_Noreturn void node_job_end(void);

/* Returns how a call waits, and in `*until` to when: for a duration from now on. */
enum command_wait node_delay(takt_time duration, uint64_t *until);

/* Does the same for a timeout: 0 does not wait, and leaves `*until`. */
enum command_wait node_wait(takt_time timeout, uint64_t *until);

/* Returns the task that should run, or the idle context, at the end of an interrupt. */
struct task *node_latest(struct core *core);

/* Between the node's files, interrupts disabled. */

/* Prepares the context of a job that begins. `job`: its number, of which a decision says one bit.
 */
void node_begin_job(struct task *task, uint32_t job);

/* Returns what the service returns. */
takt_error node_error(enum answer_error error);

/* Keeps the result of a task's call in its block. */
void node_result(struct core *core, struct task *task, uint64_t answer);

/* Records the running task's job, which is dormant then. Returns whether this node knows of another
 * one that waits. */
bool node_job_ended(struct core *core);

/* Runs `next`, and forgets the caller. */
_Noreturn void node_leave(struct core *core, struct task *next);

#if CALLS
/* By the configurator, by ID - 1: the limit (rights.h) of the commands of a job; 0: none. */
extern const uint16_t takt_call_limits[];
#endif

/* Counts a command, if the running task gives it, in `suspensions` of its block. */
static inline void node_count_call(struct core *core, uint64_t word) {
#if CALLS
    core->running->suspensions += command_caller(word) == core->running->id;
#else
    (void)core, (void)word;
#endif
}

/* Makes `next` the running task: the next trap saves into its block. Interrupts disabled. */
static inline void node_run(struct core *core, struct task *next) {
    core->running = next;
    core->save = &next->context;
    event_dispatch(core, next->id);
}

/* Records that the running task does not run on, although it is ready. */
static inline void node_note_preemption(struct core *core) {
    const struct task *task = core->running;
    if (EVENTS && task->id != TAKT_ID_NONE && task->state == TASK_READY) {
        event_preempt(core, task->id);
    }
}

/* Runs `next` if it does not run; returns when the caller runs again. */
static inline void node_switch(struct core *core, struct task *next) {
    struct task *self = core->running;
    if (next != self) {
        execution_account(core, arch_ticks());
        if (PLACEMENT == PLACEMENT_SEMI) { /* else it may wait */
            node_note_preemption(core);
        }
        node_run(core, next);
        context_switch(&self->context, &next->context);
    }
}

#endif
