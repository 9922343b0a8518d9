/* SPDX-License-Identifier: Apache-2.0 */
/* What only the owner of a task may do, called from any core: docs/design/services.md. */
#ifndef KERNEL_REMOTE_CALL_H
#define KERNEL_REMOTE_CALL_H

#include "core.h"

/* Lets the owner of a task carry out what only it may do, and returns its answer. Context: task,
 * interrupts enabled, else TAKT_E_CTX. `carry_out` runs on the owner, interrupts disabled. With
 * dispatch disabled a call to another core's task is TAKT_E_CTX if the answer may be late, or if
 * a call of a former job of the caller is not answered yet.
 * Bound: docs/design/services.md, "Requests and calls".
 * On this core with another argument than elsewhere, from where an answer may be late. */
takt_error remote_call(struct task *task, remote_call_function *carry_out, intptr_t here,
                       intptr_t elsewhere);

/* The same for a call whose answer may be REMOTE_CALL_LATER. */
takt_error remote_call_late(struct task *task, remote_call_function *carry_out);

/* What a service answers that has given a call: a refusal is counted. */
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
