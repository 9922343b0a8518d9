/* SPDX-License-Identifier: Apache-2.0 */
#include "object/barrier.h"

#include "core.h"
#include "object/object.h"

struct task *barrier_next(struct waiters *waiters, bool *more) {
    return served_take((struct served *)waiters, more); /* stands first there */
}

/* Arrives, as the last or to wait, with the lock held. */
static bool arrive(struct barrier *barrier, uint32_t participants, bool may_wait) {
    bool is_last = barrier->served.waiting + 1 == participants;
    if (is_last) {
        served_grant_all(&barrier->served);
    } else if (may_wait) {
        waiters_join(&barrier->waiters, false);
    }
    return is_last;
}

takt_error takt_barrier_wait_for(takt_id id, takt_time timeout) {
    takt_error error = service_check(id, takt_barrier_count, true, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct barrier *barrier = &takt_barriers[id - 1];
    unsigned long interrupts = object_lock(&barrier->waiters);
    bool more = false;
    bool is_last = arrive(barrier, takt_barrier_configs[id - 1].participants, timeout != 0);
    struct task *woken = is_last ? barrier_next(&barrier->waiters, &more) : 0;
    lock_release(&barrier->waiters.lock);
    takt_error result = is_last ? TAKT_OK : TAKT_E_TMOUT;
    served_wake(&barrier->waiters, woken, more, interrupts);
    if (!is_last && timeout != 0) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_BARRIER, id);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_barrier_wait(takt_id barrier) {
    return takt_barrier_wait_for(barrier, TAKT_FOR_EVER);
}

takt_error takt_barrier_try(takt_id barrier) {
    return takt_barrier_wait_for(barrier, 0);
}

takt_error takt_barrier_state(takt_id id, struct takt_barrier_state *state) {
    takt_error error = service_check(id, takt_barrier_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct barrier *object = &takt_barriers[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters);
    state->arrived = object->served.waiting;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}
