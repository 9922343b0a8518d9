/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes of several cores: docs/design/services.md, "Mutexes". */
#ifndef KERNEL_MUTEX_MSRP_H
#define KERNEL_MUTEX_MSRP_H

#include "object/mutex.h"

/* The services, for a task that is a user of the mutex, and holds none of this protocol to lock it
 * or this one to unlock it. Context: task. */
takt_error mutex_msrp_lock(struct mutex *mutex, takt_time timeout);
void mutex_msrp_unlock(struct mutex *mutex);

/* Hands on the mutex that the job of the task holds, if it holds one, to the first task that spins
 * for it. Dispatch stays disabled, for the caller to enable. Interrupts disabled. */
void mutex_msrp_give_back(struct task *task);

#endif
