/* SPDX-License-Identifier: Apache-2.0 */
/* Releases of periodic tasks, by a timer of their node's clock. Of a task's block, `active` says
 * that a job has been released and not ended, `start_release` is the release of that job, and the
 * ring `queue` has those of the jobs behind it, `queue_count` of them. On the task's node,
 * interrupts disabled. docs/design/placements.md, "Periods". */
#ifndef KERNEL_RELEASE_H
#define KERNEL_RELEASE_H

#include "core.h"

static inline bool task_is_periodic(const struct takt_task_config *config) {
    return PERIODS && config->activation == TAKT_PERIODIC;
}

/* Starts the timers of this core's periodic tasks; before time 0. Bound: the tasks of the core. */
void release_init(struct core *core);

/* Each placement has its own: a job of the task begins, or behind the one that is there. */
void release_job(struct core *core, struct task *task);

/* Takes the job that waits behind the one that has ended; returns whether there is one. */
bool release_next(struct task *task);

#endif
