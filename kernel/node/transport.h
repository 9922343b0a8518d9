/* SPDX-License-Identifier: Apache-2.0 */
/* The way of commands and answers between a node and who decides for it: kernel/central/exchange.c
 * or kernel/rtu. All with interrupts disabled. */
#ifndef KERNEL_TRANSPORT_H
#define KERNEL_TRANSPORT_H

#include "core.h"
#include "node/command.h"

/* Maps the way. The boot core, once, before it fills the cores' blocks. */
void transport_init(void);

/* Prepares this core's part of the way, its block being filled; before time 0. On the system core
 * also tasks and objects. */
void transport_start(struct core *core);

/* Submits a command of the running task and returns the answer to it, or a later decision, which
 * contains the answer. Bound: that of a command (docs/design/placements.md). */
uint64_t transport_call(struct core *core, const struct command *command);

/* Does what this core's inter-processor interrupt asks beside a decision: the system core serves.
 */
void transport_interrupted(struct core *core);

/* Returns the latest decision; called at the end of each interrupt of this core, and then carried
 * out: the node switches to NEXT. If that was an inter-processor interrupt, it was cleared before,
 * so a later decision interrupts again. */
uint64_t transport_decision(struct core *core);

/* Returns the 64 bits of the result of `next`, in a decision with ANSWER_LONG. */
intptr_t transport_value(struct core *core, takt_id next);

#endif
