/* SPDX-License-Identifier: Apache-2.0 */
#include "lock.h"

#include "core.h"

void lock_wait(struct lock *lock, uint32_t ticket) {
    /* Written while there is nothing else to do; only how long it took is added with the lock
     * held, so that those behind do not wait for the record. */
    struct takt_record_event *event =
        record_event(core_here(), TAKT_EVENT_LOCK_WAIT, task_self()->id, 0);
    /* Acquire: pairs with the release in lock_release. */
    while (__atomic_load_n(&lock->serving, __ATOMIC_ACQUIRE) != ticket) {
        kernel_spin();
    }
    if (event != 0) {
        uint64_t ticks = arch_ticks() - event->time;
        event->value = ticks == 0 ? 1 : ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
    }
}
