/* SPDX-License-Identifier: Apache-2.0 */
/* Stopping a partition, and starting it again. A worker does it in steps: a task of the partition,
 * in supervisor mode, in place of a job. There is one worker at a time, which hands over to a task
 * of the next core. docs/design/partitions.md, "Stop and restart". */
#ifndef KERNEL_RESTART_H
#define KERNEL_RESTART_H

#include "core.h"
#include "partition/partition.h"

/* Asks for TAKT_RESTART_WARM, TAKT_RESTART_COLD or TAKT_STOP_PARTITION of the task's partition, and
 * stops the task: it becomes the worker, unless there is one, which then does this too. On the
 * task's core, interrupts disabled. O(1). */
void restart_request(struct task *task, enum takt_reaction action);

/* Stops a task: it has no job, and gets none before it is started again. On its core, interrupts
 * disabled. Bound: what its job holds. */
void restart_stop_task(struct task *task);

/* Makes the task the worker, as the one of another core has asked. On the task's core, interrupts
 * disabled. Bound: as above. */
void restart_receive(struct task *task);

#endif
