/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of partitions: what they are, and what the kernel does about them. */
#ifndef KERNEL_HEALTH_H
#define KERNEL_HEALTH_H

#include "partition/partition.h"

/* Handles a fault of the running task, which was in user mode: in its trap. `text` names it, and
 * `place` is the program counter. */
void health_fault(struct core *core, enum takt_partition_error error, const char *text,
                  uintptr_t address, uintptr_t place);

/* Handles an error that a call has shown: the running job ends. Interrupts enabled. */
_Noreturn void health_call(enum takt_partition_error error, const char *text, uintptr_t value);

/* takt_panic of a partition; `message` is an address of user mode. */
_Noreturn void health_panic(const char *message);

#endif
