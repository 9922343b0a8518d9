/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that change cores: docs/design/services.md, "Migration". All with interrupts disabled. */
#ifndef KERNEL_MIGRATE_H
#define KERNEL_MIGRATE_H

#include "core.h"

/* Takes those that depart out of all that is this core's, at the end of the outermost interrupt.
 * Bound: their number, at most the tasks that migrate. */
RARE void migration_detach_all(struct core *core);

/* Hands them over, once no register or stack of theirs is in use here. Bound: as above. */
void migration_send_all(struct core *core);

/* Returns the core of that number, null if the task may not run there. Any core. */
struct core *migration_target(const struct task *task, uint32_t core);

/* Returns whether the task is to move before its next job begins. */
bool migration_pending(struct task *task);

/* Lets the task go to its destination when the interrupt under way is over, else one that comes at
 * once: then nobody uses its stack or its registers here. */
void migration_request(struct task *task);

/* Makes the task, which has come here, what it was where it came from; returns whether its next job
 * is to begin, at `begin_release`. */
RARE bool migration_receive(struct task *task);

#endif
