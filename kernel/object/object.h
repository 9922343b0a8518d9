/* SPDX-License-Identifier: Apache-2.0 */
/* What the services of all classes of objects share: the look at an object, and its reset. */
#ifndef KERNEL_OBJECT_H
#define KERNEL_OBJECT_H

#include <takt/state.h>

#include "core.h"

/* Checks the arguments of a look in the order of all services: ID, pointer, context. `service`: its
 * name, for the count of refused calls. */
takt_error object_check(takt_id id, uint32_t count, const void *state, const char *service);

/* Disables interrupts and takes the object's lock; returns the interrupts' former state. */
static inline unsigned long object_lock(struct waiters *waiters) {
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&waiters->lock);
    return interrupts;
}

static inline void object_unlock(struct waiters *waiters, unsigned long interrupts) {
    lock_release(&waiters->lock);
    arch_interrupts_restore(interrupts);
}

/* The first task whose wait has not ended, TAKT_ID_NONE: none waits, or it is not `wanted`. With
 * the lock held. */
takt_id object_first_waiting(const struct waiters *waiters, bool wanted);

/* Ends all waits for the object with TAKT_E_DLT, a task in each section with interrupts disabled,
 * then calls `put_back` in the section in which nobody waits. A job that ends between two sections
 * leaves an object that is as good as before. Bound: a section for each task that waits, and for
 * each that begins to wait meanwhile. */
takt_error object_reset(struct waiters *waiters, void (*put_back)(struct waiters *waiters),
                        const char *service);

#endif
