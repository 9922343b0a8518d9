/* SPDX-License-Identifier: Apache-2.0 */
/* What the algorithms share. */
#include "lock/spinlock.h"

#include "core.h"
#include "record/event.h"

#if GRANULARITY == GRANULARITY_GIANT && !SINGLE_CORE
struct spinlock lock_giant __attribute__((aligned(64)));
#endif

void spinlock_backoff(unsigned turns) {
    while (turns-- > 0) {
        kernel_spin();
    }
}

struct takt_record_event *spinlock_wait_begins(void) {
    return event_lock_wait(core_here(), task_self()->id, 0);
}

void spinlock_wait_ends(struct takt_record_event *event) {
    if (event != 0) {
        uint64_t ticks = arch_ticks() - event->time;
        event->value = ticks == 0 ? 1 : ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
    }
}
