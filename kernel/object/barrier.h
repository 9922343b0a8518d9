/* SPDX-License-Identifier: Apache-2.0 */
/* docs/design/services.md, "Barriers". */
#ifndef KERNEL_BARRIER_H
#define KERNEL_BARRIER_H

#include <takt/barrier.h>

#include "config.h"
#include "object/served.h"

struct takt_barrier_config {
    const char *name;
    uint32_t participants;
};

struct barrier {
    union {
        struct waiters waiters;
        struct served served; /* those that have arrived wait, fewer than the participants; the
                               * waits of those for which it has opened have ended */
    };
} __attribute__((aligned(64)));

extern struct barrier takt_barriers[];                          /* by ID - 1 (configurator) */
extern const struct takt_barrier_config takt_barrier_configs[]; /* the same */
extern const uint32_t takt_barrier_count;

/* The value of `waiters.next`. */
struct task *barrier_next(struct waiters *waiters, bool *more);

#endif
