/* SPDX-License-Identifier: Apache-2.0 */
/* Joins and barriers: threads arrive at the count of their group, groups at the root. */
#include "gomp.h"
#include "thread.h"

/* Arrives at a count. Returns true if the caller is the last one to arrive; then the count is 0
 * again. By acquire and release, the last one sees all that the others wrote before they arrived,
 * and hands it on to the threads that load its `passed`. */
static bool arrives_last(struct count *count, uint32_t expected) {
    if (__atomic_add_fetch(&count->arrived, 1, __ATOMIC_ACQ_REL) != expected) {
        return false;
    }
    /* No thread arrives here again before it has loaded `passed`, which is stored later. */
    store_relaxed(&count->arrived, 0);
    return true;
}

/* Arrives at the next barrier or join. Returns true if the caller is the last one; then all
 * threads may go on. */
static bool arrive(struct thread *self) {
    const struct parmgr_place *place = self->place;
    struct team *team = self->team;
    uint32_t end = place->end < self->threads ? place->end : self->threads;
    uint32_t groups = self->places[self->threads - 1].group + 1u;
    self->numbers.arrivals++;
    if (!arrives_last(&self->groups[place->group], end - place->first) ||
        (groups > 1 && !arrives_last(&team->root, groups))) {
        return false;
    }
    store_release(&team->passed, self->numbers.arrivals);
    return true;
}

/* Waits until all threads have arrived at the caller's latest barrier or join. `passed` does not
 * grow beyond its number: all threads arrive at the next one only if the caller does. */
static void wait(struct thread *self) {
    const uint32_t *passed = &self->team->passed;
    if (self->place->spins) {
        while (__atomic_load_n(passed, __ATOMIC_RELAXED) != self->numbers.arrivals) {
        }
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        return;
    }
    while (__atomic_load_n(passed, __ATOMIC_ACQUIRE) != self->numbers.arrivals) {
        /* If an earlier wake-up was counted, the call returns at once. The call is refused while
         * dispatch is disabled; then the wait could not end. */
        takt_assert(takt_task_sleep() != TAKT_E_CTX);
    }
}

/* Wakes the threads below `end` that block, after `passed` was stored. The wake-up of a thread that
 * has loaded `passed` already is counted; its next wait then loads it once more. */
static void wake(const struct thread *self, uint32_t end) {
    for (uint32_t number = 0; number < end; number++) {
        if (number != self->number && !self->places[number].spins) {
            takt_task_wakeup(self->places[number].task);
        }
    }
}

void team_join(struct thread *self) {
    if (arrive(self)) {
        wake(self, 1);
    } else if (self->number == 0) {
        wait(self);
    }
}

void team_barrier(struct thread *self) {
    if (self->threads == 1) {
        return;
    }
    if (!arrive(self)) {
        wait(self);
    } else if (self->blocks) {
        wake(self, self->threads);
    }
}

void GOMP_barrier(void) {
    team_barrier(thread_self());
}
