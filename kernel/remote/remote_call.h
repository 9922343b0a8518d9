/* SPDX-License-Identifier: Apache-2.0 */
/* What only the owner of a task may do, called from any core: docs/design/services.md. */
#ifndef KERNEL_REMOTE_CALL_H
#define KERNEL_REMOTE_CALL_H

#include "atomic.h"
#include "core.h"
#include "sched/dispatch.h"
#include "task/job.h"

/* Returns whether a call for the task is carried out on this core. A job that another core has
 * asked for begins first, perhaps elsewhere. Interrupts disabled. */
static inline bool remote_call_stays_here(struct task *task) {
    bool is_here = task_is_here(task);
    if (is_here && task->state == TASK_DORMANT) {
        job_begin_requested(task);
    }
    return is_here && !task->departs;
}

/* Returns whether the call has not been answered yet. Acquire: what the owner has done; pairs with
 * the release in remote_call.c. */
static inline bool remote_call_open(const struct remote_call *call) {
    return atomic_load_acquire(&call->result) == REMOTE_CALL_OPEN;
}

/* Makes a call to a task that is elsewhere. `late`: the answer may be. */
takt_error remote_call_elsewhere(struct task *task, remote_call_function *carry_out,
                                 intptr_t argument, bool late);

/* Lets the owner of a task carry out what only it may do, and returns its answer. Context: task,
 * interrupts enabled, else TAKT_E_CTX. `carry_out` runs on the owner, interrupts disabled, and gets
 * `here` if that is this core. Else it gets `elsewhere`, which must outlive the caller's job, as
 * the answer may come after that has ended; with dispatch disabled the call is TAKT_E_CTX if the
 * answer may be `late` (REMOTE_CALL_LATER), or if a call of a former job of the caller is not
 * answered yet. Bound: docs/design/services.md, "Requests and calls". Inline: a call on this core
 * is a plain one.
 */
static inline takt_error remote_call_either(struct task *task, remote_call_function *carry_out,
                                            intptr_t here, intptr_t elsewhere, bool late) {
    if (task_self()->id == TAKT_ID_NONE || cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    bool is_here = remote_call_stays_here(task);
    takt_error result = TAKT_OK;
    if (is_here) {
        result = carry_out(task, here);
        dispatch();
    } else if (!remote_call_open(&task_self()->call)) {
        task_self()->call.task = task; /* early: the line comes, to be written, meanwhile */
    }
    arch_interrupts_restore(interrupts); /* then any task may be elsewhere, this one too */
    return is_here ? result : remote_call_elsewhere(task, carry_out, elsewhere, late);
}

static inline takt_error remote_call(struct task *task, remote_call_function *carry_out,
                                     intptr_t here, intptr_t elsewhere) {
    return remote_call_either(task, carry_out, here, elsewhere, false);
}

/* Makes a call whose answer may be REMOTE_CALL_LATER. */
static inline takt_error remote_call_late(struct task *task, remote_call_function *carry_out) {
    return remote_call_either(task, carry_out, 0, 0, true);
}

/* Returns the answer of a service that has made a call: a refusal is counted. */
static inline takt_error remote_call_result(takt_error result, const char *service) {
    bool is_refusal = result == TAKT_E_CTX || result == TAKT_E_ILUSE;
    return is_refusal ? record_refusal(result, service) : result;
}

/* What `carry_out` returns to end a task that has disabled dispatch: the call is answered when
 * the task enables it, or its job ends. */
#define REMOTE_CALL_LATER ((takt_error)1)

/* Answers the calls that were held while the task was on its way, now that it is here.
 * Bound: the other tasks. Interrupts disabled. */
void remote_call_answer_held(struct task *task);

/* Answers the calls to end a task whose job has ended. Interrupts disabled. */
void remote_call_close_ending(struct task *task);

#endif
