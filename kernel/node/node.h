/* SPDX-License-Identifier: Apache-2.0 */
/* A node: a core that keeps contexts, and asks another who shall run. Its services are commands,
 * and the task that a decision names runs. docs/design/placements.md, "Central". */
#ifndef KERNEL_NODE_H
#define KERNEL_NODE_H

#include "core.h"
#include "node/command.h"

/* Has a command of the running task carried out, and runs what the answer says; returns the result
 * when the caller runs again. The message that it has received is in `wait_value` and `wait_mode`
 * of its block, the latter its priority; interrupts are disabled on return, so that these are not
 * overwritten. Interrupts disabled. */
takt_error node_call(const struct command *command);

/* Does so with interrupts as the application has them, for a call that receives nothing. */
takt_error node_command(uint64_t word, uint64_t until);

/* Ends the running task's job. Interrupts disabled. */
_Noreturn void node_job_end(void);

/* Returns how a call waits, and in `*until` to when: for a duration from now on. */
enum command_wait node_delay(takt_time duration, uint64_t *until);

/* Does the same for a timeout: 0 does not wait, and leaves `*until`. */
enum command_wait node_wait(takt_time timeout, uint64_t *until);

/* Returns the task that `decision` names, or the idle context, prepared so that it can run: a job
 * that begins has its context, another the result of its call. Interrupts disabled. */
struct task *node_next(struct core *core, uint64_t decision);

/* Makes `next` the running task: the next trap saves into its block. Interrupts disabled. */
void node_run(struct core *core, struct task *next);

#endif
