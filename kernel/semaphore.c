/* SPDX-License-Identifier: Apache-2.0 */
#include "semaphore.h"

#include "core.h"

/* A change of the count, for the record: under the lock its turn is taken, and written after it. */
static void record_count(enum takt_record_event_kind kind, takt_id id, uint8_t turn) {
    record_event(core_here(), kind, task_self()->id,
                 (uint32_t)TAKT_OBJECT_SEMAPHORE << 24 | (uint32_t)turn << 16 | id);
}

takt_error takt_semaphore_signal(takt_id id) {
    if (id - 1 >= takt_semaphore_count) {
        return TAKT_E_ID;
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    takt_error result = TAKT_OK;
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&semaphore->waiters.lock);
    struct task *task = waiters_take(&semaphore->waiters);
    bool counts = task == 0 && semaphore->count < takt_semaphore_configs[id - 1].maximum;
    uint8_t turn = 0;
    if (counts) {
        semaphore->count++;
        turn = ++semaphore->waiters.turn;
    } else if (task == 0) {
        result = TAKT_E_QOVR;
    }
    lock_release(&semaphore->waiters.lock);
    if (counts) {
        record_count(TAKT_EVENT_GIVE, id, turn);
    } else if (task != 0) {
        wait_end(task, TAKT_OK);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_semaphore_wait_for(takt_id id, takt_time timeout) {
    if (id - 1 >= takt_semaphore_count) {
        return TAKT_E_ID;
    }
    if (timeout < 0) {
        return TAKT_E_PAR;
    }
    if (timeout != 0 && !wait_allowed()) {
        return TAKT_E_CTX;
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    takt_error result = TAKT_OK;
    if (cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&semaphore->waiters.lock);
    bool takes = semaphore->count > 0, waits = !takes && timeout != 0;
    uint8_t turn = 0;
    if (takes) {
        semaphore->count--;
        turn = ++semaphore->waiters.turn;
    } else if (waits) {
        waiters_join(&semaphore->waiters, takt_semaphore_configs[id - 1].by_priority);
    } else {
        result = TAKT_E_TMOUT;
    }
    lock_release(&semaphore->waiters.lock);
    if (takes) {
        record_count(TAKT_EVENT_TAKE, id, turn);
    } else if (waits) {
        result = wait_begin(WAIT_OBJECT, timeout, TAKT_OBJECT_SEMAPHORE, id);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_semaphore_wait(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, TAKT_FOR_EVER);
}

takt_error takt_semaphore_try(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, 0);
}
