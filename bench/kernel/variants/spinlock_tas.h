/* SPDX-License-Identifier: Apache-2.0 */
/* Test and set, and test, test and set: one word, taken by an exchange. Not FIFO: a core can wait
 * without bound. To be compared with; not for a system with deadlines. */
#ifndef KERNEL_SPINLOCK_TAS_H
#define KERNEL_SPINLOCK_TAS_H

#include <stdint.h>

struct spinlock {
    uint32_t held;
};

struct spinlock_node {};

#endif
