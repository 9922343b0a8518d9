/* SPDX-License-Identifier: Apache-2.0 */
/* Where tasks, queues and time are: docs/design/placements.md. The description chooses, and CMake
 * compiles the folders of that placement beside what all share. What all share asks DISTRIBUTED, a
 * constant, before it touches what only that placement has. */
#ifndef KERNEL_PLACEMENT_H
#define KERNEL_PLACEMENT_H

#include "kernel_choice.h"

#define PLACEMENT_DISTRIBUTED 1 /* with their owner cores */
#define PLACEMENT_SEMI        2 /* tasks with their cores, objects and time at core 0 */
#define PLACEMENT_CENTRAL     3 /* at core 0, which serves the requests of all */
#define PLACEMENT_RTU         4 /* in a device */

#define DISTRIBUTED (PLACEMENT == PLACEMENT_DISTRIBUTED)

struct core;

/* Maps what the cores share. The boot core, before it fills the cores' blocks. Not of
 * `distributed`, as the next one. */
void placement_init(void);

/* Prepares this core's part, its block being filled; before time 0. */
void placement_start(struct core *core);

#endif
