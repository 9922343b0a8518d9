/* SPDX-License-Identifier: Apache-2.0 */
/* Critical sections and locks. A critical section that the description declares is guarded by a
 * mutex of the kernel, whose protocol bounds the wait. A lock is one word, because omp_lock_t has
 * room for no more. While no task waits, a compare-and-swap sets and clears HELD. A task that finds
 * the lock held sets WAITED; from then on the word and the queue change only under a guard. The
 * upper half of the word is the ID of the last waiting task, whose `next` is the first one. */
#include <omp.h>

#include <takt/takt.h>

#include "gomp.h"
#include "thread.h"

#define HELD   1u
#define WAITED 2u

/* A task's node in the queue of the one lock that it waits for. */
static struct waiter {
    takt_id next;     /* the task behind this one; protected by the guard */
    bool sleeps;      /* the task must be woken when it is granted the lock; the same */
    uint32_t granted; /* stored with release by the former holder, loaded with acquire */
} __attribute__((aligned(LINE))) waiters[TAKT_OPENMP_TASKS + 1];

/* Returns the spin lock that guards the queue of a lock; several locks may have the same one. */
static takt_id guard_of(const uint32_t *word) {
    uint64_t mixed = ((uintptr_t)word >> 2) * 0x9e3779b97f4a7c15u;
    return TAKT_OPENMP_FIRST_LOCK + (takt_id)(mixed >> 32) % TAKT_OPENMP_LOCKS;
}

static void guard_acquire(takt_id guard) {
    takt_error error = takt_spin_lock_acquire(guard);
    if (error == TAKT_E_ILUSE) {
        takt_panic("openmp: beside deadlines a task that uses locks needs unrestricted = true");
    }
    takt_assert(error == TAKT_OK);
}

bool lock_test(uint32_t *word) {
    uint32_t before = 0;
    return __atomic_compare_exchange_n(word, &before, HELD, false, __ATOMIC_ACQUIRE,
                                       __ATOMIC_RELAXED);
}

/* Frees a lock for which no task waits. GCC up to 12 leaves the release out of a
 * compare-and-exchange whose failure has a weaker order, so a fence comes first. */
static bool free_alone(uint32_t *word) {
    uint32_t before = HELD;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return __atomic_compare_exchange_n(word, &before, 0, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Joins the queue. The guard is held. False: the lock was free, and is the caller's now. */
static bool queue_join(uint32_t *word, takt_id self, bool sleeps) {
    uint32_t before = __atomic_fetch_or(word, HELD | WAITED, __ATOMIC_ACQ_REL);
    if (before == 0) {
        return false;
    }
    struct waiter *waiter = &waiters[self], *last = &waiters[before >> 16];
    waiter->sleeps = sleeps;
    waiter->granted = false;
    if (before >> 16 == TAKT_ID_NONE) {
        waiter->next = self;
    } else {
        waiter->next = last->next;
        last->next = self;
    }
    store_relaxed(word, self << 16 | HELD | WAITED);
    return true;
}

void lock_set(uint32_t *word) {
    if (lock_test(word)) {
        return;
    }
    const struct thread *thread = thread_self();
    bool sleeps = !thread->place || !thread->place->spins;
    takt_id self = takt_task_self(), guard = guard_of(word);
    takt_assert(self != TAKT_ID_NONE); /* an interrupt handler cannot wait */
    guard_acquire(guard);
    bool waits = queue_join(word, self, sleeps);
    takt_spin_lock_release(guard);
    while (waits && !__atomic_load_n(&waiters[self].granted, __ATOMIC_ACQUIRE)) {
        if (sleeps) {
            takt_assert(takt_task_sleep() != TAKT_E_CTX); /* refused while dispatch is disabled */
        }
    }
}

/* Grants the lock to the first waiting task, or frees it. The guard is held. The caller wakes the
 * returned task after it has released the guard. TAKT_ID_NONE: no task must be woken. */
static takt_id queue_grant(uint32_t *word) {
    takt_id last = __atomic_load_n(word, __ATOMIC_RELAXED) >> 16;
    if (last == TAKT_ID_NONE) {
        store_release(word, 0);
        return TAKT_ID_NONE;
    }
    takt_id first = waiters[last].next;
    if (first == last) {
        store_relaxed(word, HELD);
    } else {
        waiters[last].next = waiters[first].next;
    }
    bool sleeps = waiters[first].sleeps;
    /* From here on the granted task may use its node again. */
    store_release(&waiters[first].granted, true);
    return sleeps ? first : TAKT_ID_NONE;
}

void lock_unset(uint32_t *word) {
    if (free_alone(word)) {
        return;
    }
    takt_id guard = guard_of(word);
    guard_acquire(guard);
    takt_id woken = queue_grant(word);
    takt_spin_lock_release(guard);
    if (woken != TAKT_ID_NONE) {
        takt_task_wakeup(woken);
    }
}

static uint32_t critical __attribute__((aligned(LINE)));
static uint32_t atomic __attribute__((aligned(LINE)));

/* Enters a critical section: by its mutex, or by a lock if it is not declared. */
static void critical_enter(takt_id mutex, uint32_t *lock) {
    if (mutex == TAKT_ID_NONE) {
        if (TAKT_OPENMP_BOUNDED) {
            takt_panic("openmp: a critical section is not declared in `stages`");
        }
        lock_set(lock);
    } else if (thread_self()->level == 0) {
        takt_panic("openmp: a declared critical section outside of a parallel region");
    } else if (takt_mutex_lock(mutex) != TAKT_OK) {
        takt_panic("openmp: a critical section inside another, or not of this task's `stages`");
    }
}

static void critical_leave(takt_id mutex, uint32_t *lock) {
    if (mutex == TAKT_ID_NONE) {
        lock_unset(lock);
    } else {
        takt_assert(takt_mutex_unlock(mutex) == TAKT_OK);
    }
}

void GOMP_critical_start(void) {
    critical_enter(TAKT_OPENMP_CRITICAL, &critical);
}

void GOMP_critical_end(void) {
    critical_leave(TAKT_OPENMP_CRITICAL, &critical);
}

/* The lower half of a name's word is the lock of a section that is not declared. */
static takt_id mutex_of(void **name) {
    return (takt_id)((uintptr_t)*name >> PARMGR_CRITICAL_SHIFT);
}

void GOMP_critical_name_start(void **name) {
    critical_enter(mutex_of(name), (uint32_t *)name);
}

void GOMP_critical_name_end(void **name) {
    critical_leave(mutex_of(name), (uint32_t *)name);
}

void GOMP_atomic_start(void) {
    lock_set(&atomic);
}

void GOMP_atomic_end(void) {
    lock_unset(&atomic);
}

void omp_init_lock(omp_lock_t *lock) {
    *lock = (omp_lock_t){};
}

void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint) {
    omp_init_lock(lock);
}

void omp_destroy_lock(omp_lock_t *lock) {
}

void omp_set_lock(omp_lock_t *lock) {
    lock_set(&lock->_word);
}

void omp_unset_lock(omp_lock_t *lock) {
    lock_unset(&lock->_word);
}

int omp_test_lock(omp_lock_t *lock) {
    return lock_test(&lock->_word);
}

void omp_init_nest_lock(omp_nest_lock_t *lock) {
    *lock = (omp_nest_lock_t){};
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint) {
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(omp_nest_lock_t *lock) {
}

/* Returns who holds a nestable lock: not a thread but its part of one region, as OpenMP asks. The
 * level belongs to it: a thread does not hold in an inner region what it has set outside. */
static uint32_t nest_owner(void) {
    return (uint32_t)thread_self()->level << 16 | takt_task_self();
}

/* Returns whether the caller holds the lock: only then the owner is the caller's. */
static bool nest_again(omp_nest_lock_t *lock) {
    return __atomic_load_n(&lock->_owner, __ATOMIC_RELAXED) == nest_owner();
}

static int nest_count(omp_nest_lock_t *lock) {
    store_relaxed(&lock->_owner, nest_owner());
    return (int)++lock->_count;
}

void omp_set_nest_lock(omp_nest_lock_t *lock) {
    if (!nest_again(lock)) {
        lock_set(&lock->_lock._word);
    }
    nest_count(lock);
}

int omp_test_nest_lock(omp_nest_lock_t *lock) {
    return nest_again(lock) || lock_test(&lock->_lock._word) ? nest_count(lock) : 0;
}

void omp_unset_nest_lock(omp_nest_lock_t *lock) {
    if (--lock->_count == 0) {
        store_relaxed(&lock->_owner, TAKT_ID_NONE);
        lock_unset(&lock->_lock._word);
    }
}
