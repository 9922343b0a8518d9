/* SPDX-License-Identifier: Apache-2.0 */
/* What other cores ask of a task's owner, without waiting for an answer. All with interrupts
 * disabled. */
#ifndef KERNEL_REQUEST_H
#define KERNEL_REQUEST_H

#include "core.h"

/* Posts a request to a task of another core, with the task's lock held, and releases the lock.
 * Interrupts disabled. */
void request_post_and_release(struct task *task, enum task_request request);

/* Posts a request to end the task's wait with TAKT_E_RLWAI, in the same way. */
void request_post_release_wait(struct task *task);

/* Posts a request to give the task the priority that its messages lend, in the same way. */
void request_post_raise(struct task *task);

/* Posts a request to go on with the stop or restart of the task's partition, in the same way. */
void request_post_stop(struct task *task);

#endif
