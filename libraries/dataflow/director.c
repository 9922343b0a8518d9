/* SPDX-License-Identifier: Apache-2.0 */
#include "director.h"

#include <dataflow.h>
#include <takt/dataflow_system.h>

#include "transport.h"
#if DATAFLOW_RTOS1
#include "rtos1.h"
#endif

/* Executes some entries of a pool; returns the entry behind them. Bound: their number. */
static const struct firing *fire_all(struct director *self, const struct firing *firing,
                                     uint32_t count) {
    for (; count != 0; count--, firing++) {
        firing->flow(self, firing);
    }
    return firing;
}

#if DATAFLOW_RTOS1
void director_clear_messages(uint32_t core) {
    volatile struct messages *own = messages_of(core);
    for (uint32_t row = 0; row < sizeof own->rows / sizeof own->rows[0]; row++) {
        own->rows[row] = 0;
    }
    own->decision = 0;
    FENCE(w, o); /* before this core says that it is ready, or the control core commands to go */
}
#endif

#ifdef DATAFLOW_ITERATIONS
/* The iterations that this core has ended. Its director alone writes it. */
static uint32_t ended_iterations;

uint32_t dataflow_iteration(void) {
    return ended_iterations;
}

#ifdef DATAFLOW_UNTIL_CORE
/* Where the object's core writes its decision, and another core finds it. */
static volatile uint64_t *decision_word(uint32_t core) {
#if DATAFLOW_RTOS1
    return &messages_of(core)->decision;
#else
    return mesh_word(DATAFLOW_UNTIL_CORE, WORD_DECISION);
#endif
}

/* Whether the object `until` has ended the iterations, which it does on its core alone. */
static bool has_end;

void dataflow_end(void) {
    has_end = true;
}

void director_decide(void) {
    uint64_t decision = (ended_iterations + 1) | (uint64_t)has_end << 32;
    *decision_word(DATAFLOW_UNTIL_CORE) = decision;
}

/* Returns whether an iteration follows, as the core of the object `until` decides in its word. It
 * is never behind a count that it has passed, and goes on only if that count was not the last. */
static bool follows(uint32_t core) {
    if (core == DATAFLOW_UNTIL_CORE) {
        return !has_end;
    }
    volatile uint64_t *word = decision_word(core);
    uint64_t decision;
    uint32_t looks = 0;
    do { /* until that core has ended as many iterations */
        mesh_pause(looks++);
        decision = *word;
    } while ((uint32_t)decision < ended_iterations);
    return (uint32_t)decision != ended_iterations || decision >> 32 == 0;
}
#else
static bool follows(uint32_t core) {
    return true;
}
#endif
#endif

void takt_dataflow_no_work(const void *ports) {
}

void director_run(const struct pool *pool) {
    struct director self = {.core = pool->core};
    const struct firing *next = fire_all(&self, pool->firings, pool->first);
#ifdef DATAFLOW_ITERATIONS
    for (ended_iterations = 1; ended_iterations < DATAFLOW_ITERATIONS && follows(self.core);
         ended_iterations++) {
        fire_all(&self, next, pool->body);
    }
    fire_all(&self, next + pool->body, pool->after);
#else
    (void)next;
#endif
    mesh_status(self.core, STATE_ENDED, 0);
}
