/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KERNEL_FLAG_H
#define KERNEL_FLAG_H

#include <takt/flag.h>

#include "config.h"
#include "object/served.h"

struct takt_flag_config {
    const char *name;
    uint32_t initial; /* bits at the start */
    bool clears;      /* as a whole, with each task that it wakes (TA_CLR) */
    bool shared;      /* several tasks may wait (TA_WMUL) */
    bool by_priority; /* the order of waiting tasks; else FIFO */
};

struct flag {
    union {
        struct waiters waiters;
        struct served served; /* none that waits has what it waits for */
    };
    uint32_t bits;
} __attribute__((aligned(64)));

extern struct flag takt_flags[];                          /* by ID - 1 (configurator) */
extern const struct takt_flag_config takt_flag_configs[]; /* the same */
extern const uint32_t takt_flag_count;

/* The value of `waiters.next`. */
struct task *flag_next(struct waiters *waiters, bool *more);

#endif
