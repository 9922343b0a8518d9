/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_FLAG_H
#define KERNEL_FLAG_H

#include <takt/flag.h>

#include "waiters.h"

struct flag {
    struct waiters waiters; /* none has what it waits for */
    uint32_t bits;
} __attribute__((aligned(64)));

extern struct flag takt_flags[]; /* by ID - 1 (configurator) */

#endif
