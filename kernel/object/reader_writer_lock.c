/* SPDX-License-Identifier: Apache-2.0 */
#include "object/reader_writer_lock.h"

#include "core.h"
#include "object/object.h"
#include "record/event.h"

static const struct takt_reader_writer_lock_config *
reader_writer_lock_config(const struct reader_writer_lock *lock) {
    return &takt_reader_writer_lock_configs[lock - takt_reader_writer_locks];
}

static uint32_t task_bit(const struct task *task) {
    return 1u << (task->id - 1) % 32;
}

/* Returns the word with the bits of this task and of others. */
static uint32_t *task_bits(const struct reader_writer_lock *lock, const struct task *task) {
    return &reader_writer_lock_config(lock)->holders[(task->id - 1) / 32];
}

static bool holds(const struct reader_writer_lock *lock, const struct task *task) {
    return (*task_bits(lock, task) & task_bit(task)) != 0;
}

/* Returns whether one that writes, or reads, can hold the lock beside those that do. */
static bool fits(const struct reader_writer_lock *lock, bool writes) {
    return lock->writer == TAKT_ID_NONE && (!writes || lock->readers == 0);
}

/* Makes the task a holder for what it wants: `wait_mode`, true to write. */
static void reader_writer_lock_hold(struct reader_writer_lock *lock, const struct task *task) {
    *task_bits(lock, task) |= task_bit(task);
    if (task->wait_mode) {
        lock->writer = task->id;
    } else {
        lock->readers++;
    }
}

/* Records a change without a wait. `turn` was taken with the lock held. */
static takt_id reader_writer_lock_id(const struct reader_writer_lock *lock) {
    return (takt_id)(lock - takt_reader_writer_locks) + 1;
}

static enum takt_record_object object_of(bool writes) {
    return writes ? TAKT_OBJECT_WRITE : TAKT_OBJECT_READ;
}

static bool first_fits(const struct reader_writer_lock *lock) {
    const struct task *first = lock->waiters.first;
    return first != 0 && fits(lock, first->wait_mode);
}

struct task *reader_writer_lock_next(struct waiters *waiters, bool *more) {
    struct reader_writer_lock *lock = (struct reader_writer_lock *)waiters; /* stands first there */
    struct task *task = first_fits(lock) ? waiters->first : 0;
    if (task != 0) {
        waiters_remove(waiters, task);
        reader_writer_lock_hold(lock, task);
    }
    *more = first_fits(lock);
    return task;
}

/* Notes that the task holds or waits for the lock, or not. Written by its core alone. */
static void reader_writer_lock_note(struct task *task, takt_id id, bool uses) {
    uint64_t *word = &task->config->locks[(id - 1) / 64], bit = 1ull << (id - 1) % 64;
    *word = uses ? *word | bit : *word & ~bit;
    task->locks += uses ? 1u : -1u;
}

/* --- Taking ----------------------------------------------------------------------------------- */

/* Returns whether the running task would stand before all that wait. */
static bool comes_first(const struct reader_writer_lock *lock, const struct task *task) {
    const struct task *first = lock->waiters.first;
    return first == 0 ||
           (reader_writer_lock_config(lock)->by_priority && task->priority < first->priority);
}

enum outcome { TAKEN, WAITS, REFUSED };

/* Takes the lock, or joins its queue. With the object's lock held. */
static enum outcome take_or_join(struct reader_writer_lock *lock, struct task *task,
                                 bool may_wait) {
    if (fits(lock, task->wait_mode) && comes_first(lock, task)) {
        reader_writer_lock_hold(lock, task);
        return TAKEN;
    }
    if (may_wait) {
        waiters_join(&lock->waiters, reader_writer_lock_config(lock)->by_priority);
        return WAITS;
    }
    return REFUSED;
}

static takt_error refuse_taking(takt_error error, bool writes) {
    return record_refusal(error, writes ? "takt_reader_writer_lock_write_for"
                                        : "takt_reader_writer_lock_read_for");
}

static takt_error reader_writer_lock_take(struct reader_writer_lock *lock, takt_id id, bool writes,
                                          takt_time timeout) {
    struct task *task = task_self();
    lock_acquire(&lock->waiters.lock);
    if (holds(lock, task)) {
        lock_release(&lock->waiters.lock);
        return refuse_taking(TAKT_E_ILUSE, writes);
    }
    task->wait_mode = writes;
    enum outcome outcome = take_or_join(lock, task, timeout != 0);
    uint8_t turn = outcome == TAKEN ? waiters_turn(&lock->waiters) : 0;
    lock_release(&lock->waiters.lock);
    if (outcome == REFUSED) {
        return TAKT_E_TMOUT;
    }
    reader_writer_lock_note(task, id, true);
    if (outcome == TAKEN) {
        event_take(core_here(), task->id, object_of(writes), turn, reader_writer_lock_id(lock));
        return TAKT_OK;
    }
    takt_error result = wait_begin(WAIT_OBJECT, timeout, object_of(writes), id);
    if (result != TAKT_OK) {
        reader_writer_lock_note(task, id, false);
    }
    return result;
}

static takt_error take_for(takt_id id, bool writes, takt_time timeout) {
    takt_error error = service_check(id, takt_reader_writer_lock_count, true, timeout);
    if (error != TAKT_OK || task_self()->id == TAKT_ID_NONE) {
        return refuse_taking(error != TAKT_OK ? error : TAKT_E_CTX, writes);
    }
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result =
        reader_writer_lock_take(&takt_reader_writer_locks[id - 1], id, writes, timeout);
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

/* Gives the lock back on the task's core; false if the task does not hold it. `*woken`: the first
 * that now holds it, and `*more` follow. Does not dispatch. */
static bool reader_writer_lock_give_back(struct reader_writer_lock *lock, struct task *task,
                                         struct task **woken, bool *more) {
    lock_acquire(&lock->waiters.lock);
    if (!holds(lock, task)) {
        lock_release(&lock->waiters.lock);
        return false;
    }
    bool writes = lock->writer == task->id;
    *task_bits(lock, task) &= ~task_bit(task);
    lock->writer = TAKT_ID_NONE;
    lock->readers -= !writes;
    uint8_t turn = waiters_turn(&lock->waiters);
    *woken = reader_writer_lock_next(&lock->waiters, more);
    lock_release(&lock->waiters.lock);
    reader_writer_lock_note(task, (takt_id)(lock - takt_reader_writer_locks) + 1, false);
    event_give(core_here(), task->id, object_of(writes), turn, reader_writer_lock_id(lock));
    return true;
}

takt_error takt_reader_writer_lock_unlock(takt_id id) {
    takt_error error = service_check(id, takt_reader_writer_lock_count, true, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    if (task_self()->id == TAKT_ID_NONE) {
        return refused(TAKT_E_CTX);
    }
    unsigned long interrupts = arch_interrupts_disable();
    struct reader_writer_lock *lock = &takt_reader_writer_locks[id - 1];
    struct task *woken;
    bool more, held = reader_writer_lock_give_back(lock, task_self(), &woken, &more);
    if (held) {
        served_wake(&lock->waiters, woken, more, interrupts);
    }
    arch_interrupts_restore(interrupts);
    return held ? TAKT_OK : refused(TAKT_E_ILUSE);
}

/* Returns the first lock that the task holds or waits for; there is one. */
static takt_id first_of(const struct task *task) {
    const uint64_t *word = task->config->locks;
    while (*word == 0) {
        word++;
    }
    return (takt_id)(word - task->config->locks) * 64 + bits_lowest(*word) + 1;
}

bool reader_writer_lock_give_back_one(struct task *task) {
    if (task->locks == 0) {
        return false;
    }
    takt_id id = first_of(task);
    struct reader_writer_lock *lock = &takt_reader_writer_locks[id - 1];
    struct task *woken;
    bool more;
    if (reader_writer_lock_give_back(lock, task, &woken, &more)) {
        served_wake_later(&lock->served, woken, more);
    } else {
        reader_writer_lock_note(task, id, false); /* one that it waited for */
    }
    return true;
}

takt_id reader_writer_lock_holder(takt_id id) {
    if (takt_reader_writer_locks[id - 1].writer != TAKT_ID_NONE) {
        return takt_reader_writer_locks[id - 1].writer;
    }
    const uint32_t *holders = takt_reader_writer_lock_configs[id - 1].holders;
    for (uint32_t i = 0; i < takt_task_count; i++) {
        if (holders[i / 32] & 1u << i % 32) {
            return i + 1;
        }
    }
    return TAKT_ID_NONE;
}

takt_error takt_reader_writer_lock_state(takt_id id, struct takt_reader_writer_lock_state *state) {
    takt_error error = service_check(id, takt_reader_writer_lock_count, state != 0, 0);
    if (error != TAKT_OK) {
        return refused(error);
    }
    struct reader_writer_lock *object = &takt_reader_writer_locks[id - 1];
    unsigned long interrupts = object_lock(&object->waiters);
    state->first = object_first_waiting(&object->waiters);
    state->writer = object->writer;
    state->readers = object->readers;
    object_unlock(&object->waiters, interrupts);
    return TAKT_OK;
}
