/* SPDX-License-Identifier: Apache-2.0 */
#include "object/object.h"

#include "object/served.h"
#include "task/rights.h"

takt_id object_first_waiting(const struct waiters *waiters) {
    const struct task *first =
        waiters->next != 0 ? served_first_waiting((const struct served *)waiters) : waiters->first;
    return first != 0 ? first->id : TAKT_ID_NONE;
}

/* Unlinks and returns the first task, null if none waits. `*result`: how its wait ends. Where a
 * call has ended it before, and only the wake-up is to come, it has ended well. With the lock held.
 */
static struct task *take_first(struct waiters *waiters, takt_error *result) {
    *result = TAKT_E_DLT;
    struct task *first = waiters->first;
    if (waiters->next == 0 || first == 0) {
        return waiters_take(waiters);
    }
    if (served_is_granted((const struct served *)waiters, first)) { /* stands first there */
        *result = TAKT_OK;
    }
    waiters_remove(waiters, first);
    return first;
}

/* Ends the wait of the first task that waits for the object. Where none does, puts the object back,
 * in the same section, and returns false. Interrupts enabled. */
static bool reset_step(struct waiters *waiters, void (*put_back)(struct waiters *waiters)) {
    unsigned long interrupts = object_lock(waiters);
    takt_error result;
    struct task *task = take_first(waiters, &result);
    if (task == 0) {
        put_back(waiters);
    }
    lock_release(&waiters->lock);
    if (task != 0) {
        wait_end(task, result);
    }
    arch_interrupts_restore(interrupts);
    return task != 0;
}

takt_error object_reset(struct waiters *waiters, void (*put_back)(struct waiters *waiters),
                        const char *service) {
    if (task_self()->id == TAKT_ID_NONE || cpu_locked()) {
        return record_refusal(TAKT_E_CTX, service);
    }
    if (!right_unrestricted()) {
        return record_refusal(TAKT_E_ILUSE, service);
    }
    while (reset_step(waiters, put_back)) {
    }
    return TAKT_OK;
}

#if RESTARTS
void object_put_back(struct waiters *waiters, void (*put_back)(struct waiters *waiters)) {
    while (reset_step(waiters, put_back)) {
    }
}
#endif
