/* SPDX-License-Identifier: Apache-2.0 */
/* A task that owns mutexes with a protocol has the highest of its own priority, the ceilings, and
 * the priorities of those that wait for mutexes with inheritance. One guard orders all of this;
 * what it guards takes a constant number of steps, whatever waits: tasks wait in the order of
 * priorities, and what raises a task is counted by priority. */
#include "protocol.h"

#include <errno.h>

#include <takt/posix_system.h>
#include <takt/system_ids.h>

#include "thread.h"
#include "waiting.h"

enum { LEVELS = 64, LOWEST = LEVELS }; /* the kernel's priorities: 1 is the highest */

/* The order of those that wait for one mutex: they are a list, highest first, and for each priority
 * the last one is known. Each task brings one turnstile: the first that waits lends its own, and
 * the others put theirs beside it; who leaves takes one of them. */
struct turnstile {
    uint64_t levels; /* the priorities of which somebody waits */
    takt_id last[LEVELS];
    struct turnstile *spare;
};

/* What is known of a task. Guarded. */
struct record {
    uint64_t levels;         /* the priorities that raise the task */
    uint16_t counts[LEVELS]; /* how many mutexes raise it to each of them */
    uint8_t own;             /* of a task of the description: its own priority; 0: not known yet */
    uint8_t set;             /* the kernel's priority, as it was last set; 0: its own */
    /* From here on while it waits: */
    pthread_mutex_t *waits_for;
    uint8_t queued; /* the priority by which it has its place */
    takt_id next, previous;
    struct turnstile *turnstile; /* of its own while it does not wait */
    bool granted;
};

static struct record records[TAKT_TASKS + 1]; /* by task ID */
static struct turnstile turnstiles[TAKT_TASKS + 1];

static void guard_enter(void) {
    guard_acquire(guard_of(records));
}

static void guard_leave(void) {
    guard_release(guard_of(records));
}

static uint64_t bit_of(unsigned priority) {
    return (uint64_t)1 << (priority - 1);
}

static unsigned highest_of(uint64_t levels) {
    return levels ? (unsigned)__builtin_ctzl(levels) + 1 : LOWEST + 1;
}

/* --- What raises a task -------------------------------------------------------------------------
 */

/* A thread's own priority is what pthread_setschedparam last said; the load is relaxed, since who
 * changes it calls changed() afterwards. */
static unsigned own_priority(takt_id task) {
    size_t index = task - TAKT_POSIX_FIRST_TASK;
    if (index >= TAKT_POSIX_THREADS) {
        return records[task].own;
    }
    int priority =
        __atomic_load_n(&takt_posix_threads[index].scheduling.priority, __ATOMIC_RELAXED);
    return priority == 0 ? TAKT_POSIX_PRIORITY
                         : (unsigned)(LOWEST_PRIORITY + HIGHEST_PRIORITY - priority);
}

static unsigned due_priority(takt_id task) {
    unsigned own = own_priority(task), raised = highest_of(records[task].levels);
    return own < raised ? own : raised;
}

static void raise_to(takt_id task, unsigned priority) {
    struct record *record = &records[task];
    record->counts[priority - 1]++;
    record->levels |= bit_of(priority);
}

static void raise_no_more(takt_id task, unsigned priority) {
    struct record *record = &records[task];
    if (--record->counts[priority - 1] == 0) {
        record->levels &= ~bit_of(priority);
    }
}

/* --- Those that wait for a mutex ----------------------------------------------------------------
 */

/* The queue's `first` is the highest task's record, and its `last` the turnstile. */
static takt_id first_of(const pthread_mutex_t *mutex) {
    const struct record *first = mutex->queue.first;
    return first ? (takt_id)(first - records) : TAKT_ID_NONE;
}

static void set_first(pthread_mutex_t *mutex, takt_id task) {
    mutex->queue.first = task != TAKT_ID_NONE ? &records[task] : 0;
}

/* Gives the task its place behind all that have at least this priority. */
static void place(pthread_mutex_t *mutex, takt_id task, unsigned priority) {
    struct record *record = &records[task];
    struct turnstile *turnstile = mutex->queue.last;
    uint64_t before = turnstile->levels & (bit_of(priority) | (bit_of(priority) - 1));
    takt_id previous = before ? turnstile->last[63 - __builtin_clzl(before)] : TAKT_ID_NONE;
    takt_id next = previous != TAKT_ID_NONE ? records[previous].next : first_of(mutex);
    record->queued = (uint8_t)priority;
    record->previous = previous;
    record->next = next;
    if (previous != TAKT_ID_NONE) {
        records[previous].next = task;
    } else {
        set_first(mutex, task);
    }
    if (next != TAKT_ID_NONE) {
        records[next].previous = task;
    }
    turnstile->last[priority - 1] = task;
    turnstile->levels |= bit_of(priority);
}

static void take_out(pthread_mutex_t *mutex, takt_id task) {
    struct record *record = &records[task];
    struct turnstile *turnstile = mutex->queue.last;
    if (turnstile->last[record->queued - 1] == task) {
        if (record->previous != TAKT_ID_NONE &&
            records[record->previous].queued == record->queued) {
            turnstile->last[record->queued - 1] = record->previous;
        } else {
            turnstile->levels &= ~bit_of(record->queued);
        }
    }
    if (record->previous != TAKT_ID_NONE) {
        records[record->previous].next = record->next;
    } else {
        set_first(mutex, record->next);
    }
    if (record->next != TAKT_ID_NONE) {
        records[record->next].previous = record->previous;
    }
}

static takt_id owner_of(const pthread_mutex_t *mutex) {
    return __atomic_load_n(&mutex->word, __ATOMIC_RELAXED) & MUTEX_OWNER;
}

/* Before and after those that wait change: what the first of them lends the owner. */
static void lend_no_more(pthread_mutex_t *mutex, takt_id owner) {
    const struct record *first = mutex->queue.first;
    if (first && mutex->protocol == PTHREAD_PRIO_INHERIT) {
        raise_no_more(owner, first->queued);
    }
}

static void lend(pthread_mutex_t *mutex, takt_id owner) {
    const struct record *first = mutex->queue.first;
    if (first && mutex->protocol == PTHREAD_PRIO_INHERIT) {
        raise_to(owner, first->queued);
    }
}

static void join(pthread_mutex_t *mutex, takt_id task) {
    struct record *record = &records[task];
    struct turnstile *own = record->turnstile ? record->turnstile : &turnstiles[task];
    struct turnstile *there = mutex->queue.last;
    own->spare = there ? there->spare : 0;
    if (there) {
        there->spare = own;
    } else {
        own->levels = 0;
        mutex->queue.last = own;
    }
    record->granted = false;
    record->waits_for = mutex;
    place(mutex, task, due_priority(task));
}

static void leave(pthread_mutex_t *mutex, takt_id task) {
    struct record *record = &records[task];
    struct turnstile *turnstile = mutex->queue.last;
    take_out(mutex, task);
    record->waits_for = 0;
    if (turnstile->spare) {
        record->turnstile = turnstile->spare;
        turnstile->spare = record->turnstile->spare;
    } else {
        record->turnstile = turnstile;
        mutex->queue.last = 0;
    }
}

/* --- The kernel's priorities follow -------------------------------------------------------------
 */

/* Gives the kernel the priority that is due. Several calls may be under way for a task, and one
 * that set an older priority may come last; but each looks again afterwards, and sets what is due
 * then, so the last one that is set is the one that is due. Dispatch is disabled meanwhile, or a
 * caller could be preempted before it looks again. Bound: each round but the last one is due to
 * another call that changed what is due. */
static void follow(takt_id task) {
    struct record *record = &records[task];
    bool disabled = !takt_dispatch_disabled() && takt_dispatch_disable() == TAKT_OK;
    guard_enter();
    unsigned due = due_priority(task);
    bool differs = due != (record->set ? record->set : own_priority(task));
    while (differs) {
        record->set = (uint8_t)due;
        guard_leave();
        /* An error says that the task has ended meanwhile, which does not matter. */
        takt_task_set_priority(task, due);
        guard_enter();
        differs = due_priority(task) != due;
        due = due_priority(task);
    }
    guard_leave();
    if (disabled) {
        takt_dispatch_enable();
    }
}

/* Moves a task that waits to the place of the priority that is due; returns the owner that this may
 * raise or lower. */
static takt_id move(takt_id task) {
    takt_id owner = TAKT_ID_NONE;
    guard_enter();
    pthread_mutex_t *mutex = records[task].waits_for;
    unsigned due = due_priority(task);
    if (mutex && due != records[task].queued) {
        owner = owner_of(mutex);
        lend_no_more(mutex, owner);
        take_out(mutex, task);
        place(mutex, task, due);
        lend(mutex, owner);
    }
    guard_leave();
    return owner;
}

/* Follows the chain of owners that wait themselves. Bound: the number of tasks, also if they wait
 * in a circle. */
static void follow_all(takt_id task) {
    for (size_t step = 0; task != TAKT_ID_NONE && step < TAKT_TASKS; step++) {
        follow(task);
        task = move(task);
    }
}

static void protocol_changed(takt_id task) {
    guard_enter();
    records[task].set = LOWEST + 1; /* nobody knows which one the kernel has */
    guard_leave();
    follow_all(task);
}

/* --- Locking and unlocking ----------------------------------------------------------------------
 */

static int wait_until(pthread_mutex_t *mutex, takt_id self, takt_time until) {
    struct record *record = &records[self];
    /* Pairs with the store in protocol_unlock. */
    while (!__atomic_load_n(&record->granted, __ATOMIC_ACQUIRE)) {
        waiter_sleep(until);
        if (until != TAKT_FOR_EVER && takt_time_now() >= until) {
            guard_enter();
            bool granted = record->granted;
            takt_id owner = owner_of(mutex);
            if (!granted) {
                lend_no_more(mutex, owner);
                leave(mutex, self);
                lend(mutex, owner);
            }
            guard_leave();
            if (!granted) {
                follow_all(owner);
                return ETIMEDOUT;
            }
        }
    }
    return 0;
}

static int protocol_lock(pthread_mutex_t *mutex, takt_id self, takt_time until) {
    bool protects = mutex->protocol == PTHREAD_PRIO_PROTECT;
    uint32_t unlocked = MUTEX_PROTOCOL;
    if (records[self].own == 0) {
        unsigned priority = LOWEST;
        takt_task_priority(self, &priority); /* it has locked nothing yet that could raise it */
        records[self].own = (uint8_t)priority;
    }
    if (!protects && __atomic_compare_exchange_n(&mutex->word, &unlocked, self | MUTEX_PROTOCOL,
                                                 false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
        return 0;
    }
    guard_enter();
    if (protects && own_priority(self) < mutex->ceiling) {
        guard_leave();
        return EINVAL;
    }
    /* An owner whose unlock finds the bit takes the guard, too; nobody else changes the word of a
     * mutex that has it. */
    takt_id owner = __atomic_fetch_or(&mutex->word, MUTEX_WAITERS, __ATOMIC_ACQUIRE) & MUTEX_OWNER;
    if (owner == TAKT_ID_NONE) {
        store_relaxed(&mutex->word, self | MUTEX_PROTOCOL);
        if (protects) {
            raise_to(self, mutex->ceiling);
        }
        guard_leave();
        follow(self);
        return 0;
    }
    if (until <= 0) {
        guard_leave();
        return ETIMEDOUT; /* the bit costs the owner's unlock a look at the queue */
    }
    lend_no_more(mutex, owner);
    join(mutex, self);
    lend(mutex, owner);
    guard_leave();
    follow_all(owner);
    return wait_until(mutex, self, until);
}

static void protocol_unlock(pthread_mutex_t *mutex, takt_id self) {
    bool protects = mutex->protocol == PTHREAD_PRIO_PROTECT;
    if (!protects && change_release(&mutex->word, self | MUTEX_PROTOCOL, MUTEX_PROTOCOL)) {
        return;
    }
    guard_enter();
    lend_no_more(mutex, self);
    if (protects) {
        raise_no_more(self, mutex->ceiling);
    }
    takt_id next = first_of(mutex);
    uint32_t word = MUTEX_PROTOCOL;
    if (next != TAKT_ID_NONE) {
        leave(mutex, next);
        word |= next | (mutex->queue.first ? MUTEX_WAITERS : 0);
        lend(mutex, next); /* no more than it has: it came first */
        if (protects) {
            raise_to(next, mutex->ceiling);
        }
    }
    /* Release: the next owner sees what this one has written. The grant comes last, since the next
     * owner may then unlock the mutex and destroy it. */
    store_release(&mutex->word, word);
    if (next != TAKT_ID_NONE) {
        store_release(&records[next].granted, true);
    }
    guard_leave();
    if (next != TAKT_ID_NONE) {
        follow(next);
        takt_task_wakeup(next);
    }
    follow(self);
}

static const struct protocol_calls calls = {protocol_lock, protocol_unlock, protocol_changed};

int pthread_mutexattr_setprotocol(pthread_mutexattr_t *attributes, int protocol) {
    if (protocol < PTHREAD_PRIO_NONE || protocol > PTHREAD_PRIO_PROTECT) {
        return EINVAL;
    }
    if (protocol != PTHREAD_PRIO_NONE) {
        takt_posix_protocol = &calls;
    }
    attributes->protocol = protocol;
    return 0;
}

int pthread_mutexattr_getprotocol(const pthread_mutexattr_t *attributes, int *protocol) {
    *protocol = attributes->protocol;
    return 0;
}

/* --- Ceilings, which POSIX counts the other way round -------------------------------------------
 */

static bool is_priority(int priority) {
    return priority >= LOWEST_PRIORITY && priority <= HIGHEST_PRIORITY;
}

int pthread_mutexattr_setprioceiling(pthread_mutexattr_t *attributes, int ceiling) {
    if (!is_priority(ceiling)) {
        return EINVAL;
    }
    attributes->ceiling = ceiling;
    return 0;
}

int pthread_mutexattr_getprioceiling(const pthread_mutexattr_t *attributes, int *ceiling) {
    *ceiling = attributes->ceiling;
    return 0;
}

int pthread_mutex_getprioceiling(const pthread_mutex_t *mutex, int *ceiling) {
    if (mutex->protocol != PTHREAD_PRIO_PROTECT) {
        return EINVAL;
    }
    *ceiling = LOWEST_PRIORITY + HIGHEST_PRIORITY - mutex->ceiling;
    return 0;
}

/* The caller must be able to lock the mutex with the present ceiling. */
int pthread_mutex_setprioceiling(pthread_mutex_t *mutex, int ceiling, int *former) {
    if (mutex->protocol != PTHREAD_PRIO_PROTECT || !is_priority(ceiling)) {
        return EINVAL;
    }
    int error = pthread_mutex_lock(mutex);
    if (error) {
        return error;
    }
    takt_id self = waiter_self()->task;
    guard_enter();
    if (former) {
        *former = LOWEST_PRIORITY + HIGHEST_PRIORITY - mutex->ceiling;
    }
    raise_no_more(self, mutex->ceiling);
    mutex->ceiling = (uint8_t)(LOWEST_PRIORITY + HIGHEST_PRIORITY - ceiling);
    raise_to(self, mutex->ceiling);
    guard_leave();
    follow(self);
    return pthread_mutex_unlock(mutex);
}
