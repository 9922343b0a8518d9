/* SPDX-License-Identifier: Apache-2.0 */
/* How a task learns its ID: by the way that the description names. docs/design/kernel.md, "Own
 * task". All return TAKT_ID_NONE in a handler and before time 0. */
#ifndef KERNEL_OWN_TASK_H
#define KERNEL_OWN_TASK_H

#include "core.h"
#include "kernel_choice.h"

#define OWN_TASK_GENERIC  1
#define OWN_TASK_FAST     2
#define OWN_TASK_REGISTER 3

#if OWN_TASK == OWN_TASK_REGISTER

/* A register has the running code's own storage. */
static inline takt_id own_task(void) {
    return task_self()->id;
}

#else

/* The others are there to be compared with: bench/kernel/variants/own_task.c. */
takt_id own_task(void);

#endif

#endif
