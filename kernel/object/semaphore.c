/* SPDX-License-Identifier: Apache-2.0 */
#include "object/semaphore.h"

#include "core.h"
#include "object/object.h"
#include "record/event.h"
#include "task/rights.h"

/* Increments the count, or answers that it is at its maximum. The lock is held on entry and
 * released on return. */
static takt_error increment_and_unlock(struct semaphore *semaphore, takt_id id) {
    if (semaphore->count >= takt_semaphore_configs[id - 1].maximum) {
        lock_release(&semaphore->waiters.lock);
        return TAKT_E_QOVR;
    }
    semaphore->count++;
    uint8_t turn = waiters_turn(&semaphore->waiters);
    lock_release(&semaphore->waiters.lock);
    event_give(core_here(), task_self()->id, TAKT_OBJECT_SEMAPHORE, turn, id);
    return TAKT_OK;
}

static const struct takt_users *users_of(takt_id id) {
    return &takt_semaphore_configs[id - 1].users;
}

/* Returns whether the running code may take a count: those for mutual exclusion are for tasks that
 * declare how long they hold them. */
static bool semaphore_use_given(takt_id id) {
    const struct task *task = task_self();
    if (!SEMAPHORE_USERS || !RIGHTS || users_of(id)->count == 0) {
        return true;
    }
    return task->id != TAKT_ID_NONE &&
           (users_find(users_of(id), task->id) != 0 || task->config->unrestricted);
}

/* Hands the count to the first task that waits; there is one. The lock is held on entry. */
static OUT_OF_LINE takt_error signal_waiting(struct semaphore *semaphore,
                                             unsigned long interrupts) {
    struct task *task = waiters_take(&semaphore->waiters);
    lock_release(&semaphore->waiters.lock);
    wait_end(task, TAKT_OK);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

STRAIGHT takt_error takt_semaphore_signal(takt_id id) {
    takt_error error = service_check(id, takt_semaphore_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    hold_end(users_of(id), task_self());
    lock_acquire(&semaphore->waiters.lock);
    if (semaphore->waiters.first != 0) {
        return signal_waiting(semaphore, interrupts);
    }
    takt_error result = increment_and_unlock(semaphore, id);
    arch_interrupts_restore(interrupts);
    return result;
}

/* Restores the interrupts: the call on the semaphore ends with the result. */
static inline takt_error end_wait(takt_id id, takt_error result, unsigned long interrupts) {
    if (HOLDS) {
        task_self()->wait_id = TAKT_ID_NONE; /* nothing is on its way to the task any more */
    }
    if (result == TAKT_OK) {
        hold_begin(users_of(id), task_self());
    }
    arch_interrupts_restore(interrupts);
    return result;
}

/* Lets the running task wait for a signal. The lock is held on entry. */
static OUT_OF_LINE takt_error wait_for_signal(takt_id id, takt_time timeout,
                                              unsigned long interrupts) {
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    waiters_join(&semaphore->waiters, takt_semaphore_configs[id - 1].by_priority);
    lock_release(&semaphore->waiters.lock);
    hold_request(users_of(id), task_self());
    bool is_held = SEMAPHORE_USERS && RIGHTS && users_of(id)->count > 0;
    enum task_wait wait = is_held ? WAIT_HELD : WAIT_OBJECT;
    return end_wait(id, wait_begin(wait, timeout, TAKT_OBJECT_SEMAPHORE, id), interrupts);
}

STRAIGHT takt_error takt_semaphore_wait_for(takt_id id, takt_time timeout) {
    takt_error error = service_check(id, takt_semaphore_count, true, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    if (!semaphore_use_given(id)) {
        return refused(TAKT_E_ILUSE);
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    takt_error result = TAKT_OK;
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&semaphore->waiters.lock);
    if (semaphore->count > 0) {
        semaphore->count--;
        uint8_t turn = waiters_turn(&semaphore->waiters);
        lock_release(&semaphore->waiters.lock);
        event_take(core_here(), task_self()->id, TAKT_OBJECT_SEMAPHORE, turn, id);
        hold_request(users_of(id), task_self());
    } else if (timeout != 0) {
        return wait_for_signal(id, timeout, interrupts);
    } else {
        lock_release(&semaphore->waiters.lock);
        result = TAKT_E_TMOUT;
    }
    return end_wait(id, result, interrupts);
}

void semaphore_note_lost(struct task *task) {
    if (task->wait_id != TAKT_ID_NONE && task->wait_result == TAKT_OK) {
        hold_begin(users_of(task->wait_id), task); /* the end of the job finds it held */
    }
}

takt_id semaphore_holder(takt_id id) {
    const struct takt_users *users = users_of(id);
    takt_id found = TAKT_ID_NONE;
    for (uint32_t i = 0; HOLDS && i < users->count; i++) {
        if (users->holds[i].count > 0) {
            if (found != TAKT_ID_NONE) {
                return TAKT_ID_NONE;
            }
            found = users->ids[i];
        }
    }
    return found;
}

STRAIGHT takt_error takt_semaphore_wait(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, TAKT_FOR_EVER);
}

STRAIGHT takt_error takt_semaphore_try(takt_id semaphore) {
    return takt_semaphore_wait_for(semaphore, 0);
}

takt_error takt_semaphore_state(takt_id id, struct takt_semaphore_state *state) {
    takt_error error = service_check(id, takt_semaphore_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct semaphore *object = &takt_semaphores[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters);
    state->count = object->count;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void nothing(struct waiters *waiters) {
}

/* Restores the count by signals and polls, so that each change is one that the record knows.
 * Bound: the semaphore's maximum, a section each. */
takt_error takt_semaphore_reset(takt_id id) {
    if (id - 1 >= takt_semaphore_count) {
        return refused(TAKT_E_ID);
    }
    takt_error result = object_reset(&takt_semaphores[id - 1].waiters, nothing, __func__);
    if (result != TAKT_OK) {
        return result;
    }
    uint32_t initial = takt_semaphore_configs[id - 1].initial;
    struct takt_semaphore_state state = {.count = initial};
    takt_semaphore_state(id, &state);
    for (uint32_t count = state.count; count < initial; count++) {
        takt_semaphore_signal(id);
    }
    for (uint32_t count = state.count; count > initial; count--) {
        if (takt_semaphore_try(id) != TAKT_OK) {
            break; /* others have taken them */
        }
    }
    return TAKT_OK;
}

#if RESTARTS

/* Brings the count a step nearer to the initial one, as a signal or a poll does, so that the record
 * knows of it; returns whether it was there. */
static bool renew_step(struct semaphore *semaphore, takt_id id) {
    uint32_t initial = takt_semaphore_configs[id - 1].initial;
    unsigned long interrupts = object_lock(&semaphore->waiters);
    bool rises = semaphore->count<initial, falls = semaphore->count> initial;
    semaphore->count += rises ? 1 : 0;
    semaphore->count -= falls ? 1 : 0;
    uint8_t turn = rises || falls ? waiters_turn(&semaphore->waiters) : 0;
    lock_release(&semaphore->waiters.lock);
    if (rises) {
        event_give(core_here(), task_self()->id, TAKT_OBJECT_SEMAPHORE, turn, id);
    } else if (falls) {
        event_take(core_here(), task_self()->id, TAKT_OBJECT_SEMAPHORE, turn, id);
    }
    arch_interrupts_restore(interrupts);
    return !rises && !falls;
}

void semaphore_renew(takt_id id) {
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    object_put_back(&semaphore->waiters, nothing);
    while (!renew_step(semaphore, id)) {
    }
}

#endif
