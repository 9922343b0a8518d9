/* SPDX-License-Identifier: Apache-2.0 */
/* The way of a partition's tasks into the kernel. */
#ifndef KERNEL_GATE_H
#define KERNEL_GATE_H

#include "partition/partition.h"

/* Carries out the service of this number, with the arguments as user mode has left them in its
 * registers; returns what the caller gets. Called by arch on the task's kernel stack, interrupts
 * enabled. */
intptr_t partition_gate(intptr_t first, intptr_t second, intptr_t a2, intptr_t a3, intptr_t a4,
                        intptr_t a5, intptr_t a6, uintptr_t number);

#endif
