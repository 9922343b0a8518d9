/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_BARRIER_H
#define KERNEL_BARRIER_H

#include <takt/barrier.h>

#include "waiters.h"

struct barrier {
    struct waiters waiters; /* those that have arrived: fewer than the participants */
    uint32_t arrived;       /* their number */
} __attribute__((aligned(64)));

extern struct barrier takt_barriers[]; /* by ID - 1 (configurator) */

/* Of `waiters.shrunk`: one that had arrived has not. */
struct task *barrier_shrunk(struct waiters *waiters);

#endif
