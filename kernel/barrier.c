/* SPDX-License-Identifier: Apache-2.0 */
#include "barrier.h"

#include "core.h"

struct task *barrier_shrunk(struct waiters *waiters) {
    struct barrier *barrier = (struct barrier *)waiters; /* stands first there */
    barrier->arrived--;
    return 0;
}

takt_error takt_barrier_wait_for(takt_id id, takt_time timeout) {
    if (id - 1 >= takt_barrier_count) {
        return TAKT_E_ID;
    }
    if (timeout < 0) {
        return TAKT_E_PAR;
    }
    if (timeout != 0 && !wait_allowed()) {
        return TAKT_E_CTX;
    }
    struct barrier *barrier = &takt_barriers[id - 1];
    struct task *woken = 0;
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&barrier->waiters.lock);
    bool is_last = barrier->arrived + 1 == takt_barrier_configs[id - 1].participants;
    bool waits = !is_last && timeout != 0;
    if (is_last) {
        woken = waiters_take_all(&barrier->waiters);
        barrier->arrived = 0;
    } else if (waits) {
        waiters_join(&barrier->waiters, false);
        barrier->arrived++;
    }
    lock_release(&barrier->waiters.lock);
    takt_error result = is_last ? TAKT_OK : TAKT_E_TMOUT;
    wait_end_all(woken, TAKT_OK);
    if (waits) {
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
