/* SPDX-License-Identifier: Apache-2.0 */
/* The regulator: in each period of the description's [regulation] a core may read and write so many
 * lines of memory. A core that has used up either budget idles until the next period begins; what
 * it has overdrawn is taken off that period's budget. After MemGuard (Yun and others, RTAS 2013),
 * decentralised: docs/design/partitions.md, "Budgets".
 *
 * Each core's state is used by this core only, interrupts disabled. */
#ifndef KERNEL_REGULATOR_H
#define KERNEL_REGULATOR_H

#include "core.h"

#if REGULATED

/* Prepares the regulator of this core, which begins with the first period. Interrupts disabled,
 * before the epoch. Panics if the firmware gives the core no counters. */
void regulator_start(struct core *core);

/* Handles the overflow of a counter: throttles the core if a budget is spent. */
void regulator_overflow(struct core *core);

#endif
#endif
