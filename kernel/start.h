/* SPDX-License-Identifier: Apache-2.0 */
/* Preparing the cores' blocks, and what a core does when there is nothing to do. */
#ifndef KERNEL_START_H
#define KERNEL_START_H

#include "core.h"

/* Prepares a core's own block and its tasks. Any core may do it, once, before the epoch. */
void core_init(uint32_t index, uint64_t hart);

/* Clears the stacks of the core's tasks, so that zeros show at the end how deep each was used.
 * Called on that core after core_init and before any start hook; no other core touches a stack
 * until then. Bound: the stacks' bytes. */
void core_clear_stacks(const struct core *core);

/* Loads all that this core touches after time 0 into its own cache, if that could hold it:
 * docs/design/residency.md. What this core alone writes is stored to, so that the core owns it.
 * Called on that core, interrupts disabled, when no other core writes its own part any more. Bound:
 * the cache's lines. */
void core_load_footprint(const struct core *core);

/* Runs the core for ever: to be called on its idle stack after core_init and the epoch. */
_Noreturn void core_run(struct core *core);

#endif
