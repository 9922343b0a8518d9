/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered loops. Their chunks have numbers, which go on from one loop of the team to the next:
 * each thread counts the chunks of all ordered loops that it meets. The team's `turn` is the number
 * of the chunk whose ordered regions may run. Its thread passes the turn on when it takes its next
 * chunk, or finds that none is left. */
#include "gomp.h"
#include "thread.h"

/* The chunk for whose turn each thread sleeps; stale if it does not sleep. Written by that thread,
 * with a fence between the store and its load of `turn`; read by the thread that passes the turn,
 * with a fence between its store of `turn` and the load. So one of the two sees the other's. */
static uint32_t sleeps_for[TAKT_OPENMP_THREADS + 1];

static uint32_t *sleeps_for_of(const struct parmgr_place *place) {
    return &sleeps_for[place - parmgr_places];
}

static void turn_await(struct thread *self) {
    const uint32_t *turn = &self->team->turn;
    uint32_t own = self->loop.turn;
    if (!self->place->spins) {
        store_relaxed(sleeps_for_of(self->place), own);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    }
    while (__atomic_load_n(turn, __ATOMIC_RELAXED) != own) {
        if (!self->place->spins) {
            takt_assert(takt_task_sleep() != TAKT_E_CTX); /* refused while dispatch is disabled */
        }
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

/* Wakes the thread that sleeps for the turn. A wake-up too many is counted, and makes that
 * thread's next wait look once more. Bound: the region's threads. */
static void turn_wake(const struct thread *self, uint32_t turn) {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t number = 0; number < self->threads; number++) {
        const struct parmgr_place *place = &self->places[number];
        if (!place->spins && number != self->number &&
            __atomic_load_n(sleeps_for_of(place), __ATOMIC_RELAXED) == turn) {
            takt_task_wakeup(place->task);
        }
    }
}

void ordered_pass(struct thread *self) {
    turn_await(self);
    self->loop.turns = false;
    uint32_t next = self->loop.turn + 1;
    store_release(&self->team->turn, next);
    if (self->blocks) {
        turn_wake(self, next);
    }
}

void GOMP_ordered_start(void) {
    struct thread *self = thread_self();
    if (self->loop.turns) {
        turn_await(self);
    }
}

/* The turn is passed at the end of the chunk, since the chunk may have more ordered regions. */
void GOMP_ordered_end(void) {
}
