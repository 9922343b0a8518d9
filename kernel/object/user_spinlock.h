/* SPDX-License-Identifier: Apache-2.0 */
/* The application's spin locks: docs/design/services.md, "Spin locks of the application". */
#ifndef KERNEL_USER_SPINLOCK_H
#define KERNEL_USER_SPINLOCK_H

#include <takt/spin_lock.h>

#include "core.h"

struct takt_spin_lock_config {
    const char *name;
    struct takt_users users;
};

struct user_spinlock {
    struct spinlock own;
    uint32_t held; /* written by who holds it, read by any: for takt_spin_lock_state */
    uint8_t turn;  /* as in struct waiters; guarded by the lock */
} __attribute__((aligned(64)));

extern struct user_spinlock takt_spin_locks[];                      /* by ID - 1 (configurator) */
extern const struct takt_spin_lock_config takt_spin_lock_configs[]; /* the same */
extern const uint32_t takt_spin_lock_count;

/* Gives the core's spin lock back, if it holds one, without enabling interrupts. */
void user_spinlock_give_back(struct core *core);

/* Gives back what a job, handler or hook that ends still has: a spin lock, mostly none, and a
 * locked CPU. Interrupts disabled, and they stay so. */
static inline void user_spinlock_end(struct core *core) {
    if (__builtin_expect(core->user_spinlock != 0, 0)) {
        user_spinlock_give_back(core);
    }
    task_self()->cpu_locked = false;
}

#endif
