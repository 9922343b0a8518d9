/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_FLAG_H
#define KERNEL_FLAG_H

#include <takt/flag.h>

#include "object/waiters.h"

struct flag {
    union {
        struct waiters waiters;
        struct served served; /* none that waits has what it waits for */
    };
    uint32_t bits;
} __attribute__((aligned(64)));

extern struct flag takt_flags[]; /* by ID - 1 (configurator) */

/* Of `waiters.next`. */
struct task *flag_next(struct waiters *waiters, bool *more);

#endif
