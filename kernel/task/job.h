/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of a task. On the task's core, interrupts disabled. */
#ifndef KERNEL_JOB_H
#define KERNEL_JOB_H

#include "core.h"

/* The nominal release of an activation, where the latest one before was `latest` (< 0: none): a
 * sporadic task's are at least its separation apart. */
takt_time job_nominal_release(const struct task *task, takt_time latest, takt_time activation);

/* Makes the next job ready (null: here), or holds it back when it comes too early after the last.
 */
void job_begin(struct task *task, takt_time release, struct core *on);

/* Begins the job that another core has requested, if that is on its way; on the owner. */
void job_begin_requested(struct task *task);

/* Completes the running job: figures, then the next one that waits. */
void job_complete(struct task *task);

/* Asks for a job at `release`, on core `on` if that is not null. Any core. TAKT_E_QOVR when the
 * queue is full. */
takt_error job_request(struct task *task, takt_time release, struct core *on);

/* Ends the job of a task that does not wait: as if it had never been, but for its time. Then the
 * next one that waits. `wait`: for the record. */
void job_abort(struct task *task, enum takt_record_ended wait);

/* Returns whether no job of the task runs, is ready or waits. */
static inline bool job_none(const struct task *task) {
    return task->state == TASK_DORMANT;
}

/* Prepares a task's first release at the epoch. */
void job_init(struct task *task);

#if PARTITIONS
/* Lets a task that has no job run `work`, in S-mode with interrupts disabled, as if that were a job
 * of this priority, but that nothing is measured of it; and ends that for the running task. */
void job_begin_work(struct task *task, uint8_t priority, void (*work)(void));
void job_end_work(struct task *task);

/* Prepares the next release of a task that has no job: of a periodic one as if it had never been
 * stopped; of another now, if it is active. */
void job_start_again(struct task *task, bool active);
#endif

#endif
