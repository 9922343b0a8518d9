/* SPDX-License-Identifier: Apache-2.0 */
/* The services of include/takt/partition.h as the gate calls them. */
#ifndef KERNEL_MODE_H
#define KERNEL_MODE_H

#include <takt/partition.h>

takt_error mode_gate_set(enum takt_partition_mode mode);

/* `state` is an address of user mode, which need not be aligned. */
takt_error mode_gate_state(void *state);

#endif
