/* SPDX-License-Identifier: Apache-2.0 */
#include "object/flag.h"

#include "core.h"
#include "object/object.h"

static bool flag_has(uint32_t bits, uint32_t pattern, int mode) {
    return mode == TAKT_FLAG_ALL ? (bits & pattern) == pattern : (bits & pattern) != 0;
}

/* Returns the flag's bits for a task, and clears them if the flag is so; with the lock held. */
static uint32_t give(struct flag *flag, bool clears) {
    uint32_t bits = flag->bits;
    if (clears) {
        flag->bits = 0;
    }
    return bits;
}

/* Ends the waits of all tasks that have what they wait for, the first one first; with the lock
 * held. Bound: the tasks that wait, each a step that the analysis charges (`queue_step`). */
static void grant_satisfied(struct flag *flag, bool clears) {
    for (struct task *task = served_first_waiting(&flag->served), *next;
         task != 0 && flag->bits != 0; task = next) {
        next = task->wait_next;
        if (flag_has(flag->bits, task->wait_pattern, task->wait_mode)) {
            task->wait_value = give(flag, clears);
            served_grant(&flag->served, task);
        }
    }
}

struct task *flag_next(struct waiters *waiters, bool *more) {
    return served_take((struct served *)waiters, more); /* stands first there */
}

takt_error takt_flag_set(takt_id id, uint32_t pattern) {
    takt_error error = service_check(id, takt_flag_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct flag *flag = &takt_flags[id - 1];
    unsigned long interrupts = object_lock(&flag->waiters);
    flag->bits |= pattern;
    struct task *woken = 0;
    bool more = false;
    if (flag->waiters.first != 0) {
        grant_satisfied(flag, takt_flag_configs[id - 1].clears);
        woken = flag_next(&flag->waiters, &more);
    }
    lock_release(&flag->waiters.lock);
    served_wake(&flag->waiters, woken, more, interrupts);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_flag_clear(takt_id id, uint32_t pattern) {
    takt_error error = service_check(id, takt_flag_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct flag *flag = &takt_flags[id - 1];
    unsigned long interrupts = object_lock(&flag->waiters);
    flag->bits &= pattern;
    object_unlock(&flag->waiters, interrupts);
    return TAKT_OK;
}

/* Takes the bits, or links the task, whose result so far is TAKT_E_TMOUT; with the lock held. */
static takt_error flag_take(struct flag *flag, const struct takt_flag_config *config,
                            bool may_wait) {
    struct task *task = task_self();
    if (flag_has(flag->bits, task->wait_pattern, task->wait_mode)) {
        task->wait_value = give(flag, config->clears);
        return TAKT_OK;
    }
    if (may_wait) {
        waiters_join(&flag->waiters, config->by_priority);
    }
    return TAKT_E_TMOUT;
}

takt_error takt_flag_wait_for(takt_id id, uint32_t pattern, int mode, uint32_t *found,
                              takt_time timeout) {
    bool good = pattern != 0 && (mode == TAKT_FLAG_ALL || mode == TAKT_FLAG_ANY) && found != 0;
    takt_error error = service_check(id, takt_flag_count, good, timeout);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct flag *flag = &takt_flags[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    struct task *task = task_self(); /* in a handler the core's storage, which does not wait */
    task->wait_pattern = pattern;
    task->wait_mode = mode;
    const struct takt_flag_config *config = &takt_flag_configs[id - 1];
    lock_acquire(&flag->waiters.lock);
    if (!config->shared && served_first_waiting(&flag->served) != 0) {
        object_unlock(&flag->waiters, interrupts);
        return refused(TAKT_E_ILUSE);
    }
    takt_error result = flag_take(flag, config, timeout != 0);
    result = object_unlock_and_wait(&flag->waiters, 0, result, result != TAKT_OK && timeout != 0,
                                    timeout, TAKT_OBJECT_FLAG, id);
    if (result == TAKT_OK) {
        *found = (uint32_t)task->wait_value;
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_flag_wait(takt_id flag, uint32_t pattern, int mode, uint32_t *found) {
    return takt_flag_wait_for(flag, pattern, mode, found, TAKT_FOR_EVER);
}

takt_error takt_flag_try(takt_id flag, uint32_t pattern, int mode, uint32_t *found) {
    return takt_flag_wait_for(flag, pattern, mode, found, 0);
}

takt_error takt_flag_state(takt_id id, struct takt_flag_state *state) {
    takt_error error = service_check(id, takt_flag_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct flag *object = &takt_flags[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters);
    state->bits = object->bits;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}

static void put_back_flag(struct waiters *waiters) {
    struct flag *flag = (struct flag *)waiters;
    flag->bits = takt_flag_configs[flag - takt_flags].initial;
}

takt_error takt_flag_reset(takt_id id) {
    return id - 1 < takt_flag_count
               ? object_reset(&takt_flags[id - 1].waiters, put_back_flag, __func__)
               : refused(TAKT_E_ID);
}
