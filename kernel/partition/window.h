/* SPDX-License-Identifier: Apache-2.0 */
/* Windows: a core with a frame runs the tasks of a partition in the partition's windows only. Each
 * partition has a queue of its own for its ready tasks of the core, and the timer's interrupt at a
 * window's begin and end chooses the queue. After ARINC 653; docs/design/partitions.md, "Windows".
 */
#ifndef KERNEL_WINDOW_H
#define KERNEL_WINDOW_H

#include "core.h"

#if FRAMES

/* Prepares the frame of this core, whose first window opens at time 0 or later. Interrupts
 * disabled, before the epoch. */
void windows_start(struct core *core);

#endif
#endif
