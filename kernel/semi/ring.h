/* SPDX-License-Identifier: Apache-2.0 */
/* The ring by which the server tells a node which of its tasks wait no more, and what tasks of
 * other nodes ask of it. Each task is in at most one ring, once, so no ring overflows. */
#ifndef KERNEL_RING_H
#define KERNEL_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "core.h"
#include "node/command.h"

/* In an entry: it is a command of a task of another node. Else it is a result, as an answer has it.
 */
#define RING_ASKS COMMAND_TURN

/* In VALUE of an entry that is a result, and of an answer with BUSY, where events are recorded: the
 * turn of the change of the object's queue in 8 bits, and whether the task is in that queue now. */
#define NOTE_QUEUED 256u

/* Empties the ring of this core; before time 0. */
void ring_init(const struct core *core);

/* The server's: adds an entry. `interrupts`: the node does not look by itself. */
void ring_put(uint32_t node, uint64_t entry, bool interrupts);

/* The node's: takes an entry, 0: there is none. Interrupts disabled. */
uint64_t ring_take(struct core *core);

#endif
