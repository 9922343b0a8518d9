/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what it costs a task to find its own ID, and to migrate: see own_task.py. */
#include "costs.h"

static struct costs asks, moves;
static volatile takt_id found;

/* Makes a hundred calls, so that the cost of reading the counter is negligible. */
static void ask(void) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        uint64_t start = cycles();
        for (unsigned i = 0; i < 100; i++) {
            found = takt_task_self();
        }
        costs_note(&asks, (cycles() - start) / 100);
    }
}

static void move(void) {
    for (unsigned round = 0; round < WARM + ROUNDS; round++) {
        uint64_t start = cycles();
        takt_task_migrate(TAKT_TASK_mover, round % 2 == 0);
        costs_note(&moves, cycles() - start);
    }
}

void mover_job(intptr_t argument) {
    ask();
    move();
    costs_print("own_task", "self", &asks);
    costs_print("own_task", "move", &moves);
    takt_system_shutdown(0);
}
