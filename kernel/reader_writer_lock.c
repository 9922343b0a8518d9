/* SPDX-License-Identifier: Apache-2.0 */
#include "reader_writer_lock.h"

#include "core.h"

static const struct takt_reader_writer_lock_config *
config_of(const struct reader_writer_lock *lock) {
    return &takt_reader_writer_lock_configs[lock - takt_reader_writer_locks];
}

static uint32_t bit_of(const struct task *task) {
    return 1u << (task->id - 1) % 32;
}

/* Has the bits of this task and of others. */
static uint32_t *bits_of(const struct reader_writer_lock *lock, const struct task *task) {
    return &config_of(lock)->holders[(task->id - 1) / 32];
}

static bool holds(const struct reader_writer_lock *lock, const struct task *task) {
    return (*bits_of(lock, task) & bit_of(task)) != 0;
}

/* Whether the lock can be held by one that writes, or reads, beside those that hold it. */
static bool fits(const struct reader_writer_lock *lock, bool writes) {
    return lock->writer == TAKT_ID_NONE && (!writes || lock->readers == 0);
}

/* For what it wants: `wait_mode`, true to write. */
static void hold(struct reader_writer_lock *lock, const struct task *task) {
    *bits_of(lock, task) |= bit_of(task);
    if (task->wait_mode) {
        lock->writer = task->id;
    } else {
        lock->readers++;
    }
}

/* Without a wait: for the record. `turn`: taken with the lock held. */
static void record_change(const struct reader_writer_lock *lock, const struct task *task,
                          enum takt_record_event_kind kind, bool writes, uint8_t turn) {
    uint32_t class = writes ? TAKT_OBJECT_WRITE : TAKT_OBJECT_READ;
    uint32_t id = (uint32_t)(lock - takt_reader_writer_locks) + 1;
    record_event(core_here(), kind, task->id, class << 24 | (uint32_t)turn << 16 | id);
}

struct task *reader_writer_lock_shrunk(struct waiters *waiters) {
    struct reader_writer_lock *lock = (struct reader_writer_lock *)waiters; /* stands first there */
    struct task *first = 0, **end = &first;
    while (waiters->first != 0 && fits(lock, waiters->first->wait_mode)) {
        struct task *task = waiters_take(waiters);
        hold(lock, task);
        task->wait_next = 0;
        *end = task;
        end = &task->wait_next;
    }
    return first;
}

/* --- Taking ----------------------------------------------------------------------------------- */

/* Whether the task, which runs, would stand before all that wait. */
static bool comes_first(const struct reader_writer_lock *lock, const struct task *task) {
    const struct task *first = lock->waiters.first;
    return first == 0 || (config_of(lock)->by_priority && task->priority < first->priority);
}

enum outcome { TAKEN, WAITS, REFUSED };

/* With the object's lock held. */
static enum outcome take_or_join(struct reader_writer_lock *lock, struct task *task,
                                 bool may_wait) {
    if (fits(lock, task->wait_mode) && comes_first(lock, task)) {
        hold(lock, task);
        return TAKEN;
    }
    if (may_wait) {
        waiters_join(&lock->waiters, config_of(lock)->by_priority);
        return WAITS;
    }
    return REFUSED;
}

static takt_error take(struct reader_writer_lock *lock, takt_id id, bool writes,
                       takt_time timeout) {
    struct task *task = task_self();
    lock_acquire(&lock->waiters.lock);
    if (holds(lock, task)) {
        lock_release(&lock->waiters.lock);
        return TAKT_E_ILUSE;
    }
    task->wait_mode = writes;
    enum outcome outcome = take_or_join(lock, task, timeout != 0);
    uint8_t turn = outcome == TAKEN ? ++lock->waiters.turn : 0;
    lock_release(&lock->waiters.lock);
    if (outcome == REFUSED) {
        return TAKT_E_TMOUT;
    }
    task->locks++;
    if (outcome == TAKEN) {
        record_change(lock, task, TAKT_EVENT_TAKE, writes, turn);
        return TAKT_OK;
    }
    takt_error result =
        wait_begin(WAIT_OBJECT, timeout, writes ? TAKT_OBJECT_WRITE : TAKT_OBJECT_READ, id);
    task->locks -= result != TAKT_OK;
    return result;
}

static takt_error take_for(takt_id id, bool writes, takt_time timeout) {
    if (id - 1 >= takt_reader_writer_lock_count) {
        return TAKT_E_ID;
    }
    if (timeout < 0) {
        return TAKT_E_PAR;
    }
    if (task_self()->id == TAKT_ID_NONE || cpu_locked() || (timeout != 0 && !wait_allowed())) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = take(&takt_reader_writer_locks[id - 1], id, writes, timeout);
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_reader_writer_lock_read(takt_id lock) {
    return take_for(lock, false, TAKT_FOR_EVER);
}

takt_error takt_reader_writer_lock_write(takt_id lock) {
    return take_for(lock, true, TAKT_FOR_EVER);
}

takt_error takt_reader_writer_lock_try_read(takt_id lock) {
    return take_for(lock, false, 0);
}

takt_error takt_reader_writer_lock_try_write(takt_id lock) {
    return take_for(lock, true, 0);
}

takt_error takt_reader_writer_lock_read_for(takt_id lock, takt_time timeout) {
    return take_for(lock, false, timeout);
}

takt_error takt_reader_writer_lock_write_for(takt_id lock, takt_time timeout) {
    return take_for(lock, true, timeout);
}

/* --- Giving back ------------------------------------------------------------------------------ */

/* On the task's core; false if the task does not hold it. Does not dispatch. */
static bool give_back(struct reader_writer_lock *lock, struct task *task) {
    lock_acquire(&lock->waiters.lock);
    if (!holds(lock, task)) {
        lock_release(&lock->waiters.lock);
        return false;
    }
    bool writes = lock->writer == task->id;
    *bits_of(lock, task) &= ~bit_of(task);
    lock->writer = TAKT_ID_NONE;
    lock->readers -= !writes;
    uint8_t turn = ++lock->waiters.turn;
    struct task *woken = reader_writer_lock_shrunk(&lock->waiters);
    lock_release(&lock->waiters.lock);
    task->locks--;
    record_change(lock, task, TAKT_EVENT_GIVE, writes, turn);
    wait_end_each(woken, TAKT_OK);
    return true;
}

takt_error takt_reader_writer_lock_unlock(takt_id id) {
    if (id - 1 >= takt_reader_writer_lock_count) {
        return TAKT_E_ID;
    }
    if (task_self()->id == TAKT_ID_NONE || cpu_locked()) {
        return TAKT_E_CTX;
    }
    unsigned long interrupts = arch_interrupts_disable();
    bool held = give_back(&takt_reader_writer_locks[id - 1], task_self());
    if (held) {
        dispatch();
    }
    arch_interrupts_restore(interrupts);
    return held ? TAKT_OK : TAKT_E_ILUSE;
}

void reader_writer_locks_give_back(struct task *task) {
    for (uint32_t i = 0; task->locks != 0 && i < takt_reader_writer_lock_count; i++) {
        give_back(&takt_reader_writer_locks[i], task);
    }
    task->locks = 0; /* one that it waited for */
}
