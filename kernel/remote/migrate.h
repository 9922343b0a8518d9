/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that change cores: docs/design/services.md, "Migration". All with interrupts disabled. */
#ifndef KERNEL_MIGRATE_H
#define KERNEL_MIGRATE_H

#include "core.h"

/* At the end of the outermost interrupt: takes those that depart out of all that is this core's.
 * Bound: their number, at most the tasks that migrate. */
RARE void migration_detach_all(struct core *core);

/* Then, once no register or stack of theirs is in use here: hands them over. Bound: as above. */
void migration_send_all(struct core *core);

/* The core of that number, null if the task may not run there. Any core. */
struct core *migration_target(const struct task *task, uint32_t core);

/* Whether the task is to move before its next job begins. */
bool migration_pending(struct task *task);

/* Lets the task go to its destination when the interrupt under way is over, else one that comes at
 * once: then nobody uses its stack or its registers here. */
void migration_request(struct task *task);

/* Makes the task, which has come here, what it was where it came from. */
RARE void migration_receive(struct task *task);

#endif
