/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a core's regulator, and what the configurator writes for it: see regulator.h. */
#ifndef KERNEL_BANDWIDTH_H
#define KERNEL_BANDWIDTH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel_choice.h"
#include "time/timer.h"

#if REGULATED

/* One counter of a core. Lines are counted modulo 2^64. */
struct bandwidth {
    uint64_t base; /* the count at which the period's use is 0 */
    uint64_t debt; /* lines of the period's use that were overdrawn in those before */
    bool spent;    /* the use has reached the budget; the counter is armed out of reach */
};

struct regulator {
    struct timer timer; /* expires when a period begins */
    struct bandwidth bandwidths[2];
    bool throttled; /* either is spent: the core idles, unless its task has disabled dispatch */
    uint64_t throttled_since; /* ticks */
};

/* Lines that a core may read and write a period; both 0: it is not regulated. */
struct takt_budget_config {
    uint64_t lines[2];
};

/* What the host reads of a core when the machine has stopped (host/cli: `regulation.rs`). */
struct takt_record_regulation {
    uint64_t periods;          /* that have ended */
    uint64_t exhausted;        /* of these, how many throttled the core */
    uint64_t throttled_ticks;  /* while the core was throttled */
    uint64_t early;            /* overflow interrupts that came with a part of the budget left */
    uint64_t lines_max[2];     /* read and written: the most in one period */
    uint64_t overdrawn_max[2]; /* and the most above the budget when a period ended */
};

extern const takt_time takt_regulation_period;
extern const struct takt_budget_config takt_budget_configs[];  /* by core */
extern struct takt_record_regulation takt_record_regulation[]; /* by core */

/* Constants of the image, which `takt interference` changes in memory before the machine starts. */
extern const volatile uint32_t takt_regulation_holds; /* 0: no core is regulated */
extern const volatile uint32_t takt_core_released[];  /* by core; 0: no task of its own starts */

#endif
#endif
