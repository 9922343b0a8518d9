/* SPDX-License-Identifier: Apache-2.0 */
/* docs/design/services.md, "Barriers". */
#ifndef KERNEL_BARRIER_H
#define KERNEL_BARRIER_H

#include <takt/barrier.h>

#include "object/waiters.h"

struct barrier {
    union {
        struct waiters waiters;
        struct served served; /* those that have arrived wait, fewer than the participants; the
                               * waits of those for which it has opened have ended */
    };
} __attribute__((aligned(64)));

extern struct barrier takt_barriers[]; /* by ID - 1 (configurator) */

/* Of `waiters.next`. */
struct task *barrier_next(struct waiters *waiters, bool *more);

#endif
