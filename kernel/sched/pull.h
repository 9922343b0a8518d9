/* SPDX-License-Identifier: Apache-2.0 */
/* A core without work asks a neighbour for a task. All with interrupts disabled. */
#ifndef KERNEL_PULL_H
#define KERNEL_PULL_H

#include "core.h"

void pull_init(struct core *core);

/* A core that idles asks a neighbour for a task, if one seems to have more than it needs, at most
 * once each `takt_idle_pull`. O(log n) in its timers. */
void pull_look(struct core *core);

#endif
