/* SPDX-License-Identifier: Apache-2.0 */
/* A worker waits for the command, executes its objects, and stops. On a mesh it has no kernel; in
 * shared memory it is a task. */
#include "transport.h"

static void execute(const struct pool *pool) {
    mesh_status(pool->core, STATE_READY, 0);
    uint32_t looks = 0;
    while (*mesh_word(0, WORD_COMMAND) != COMMAND_GO) { /* until the scheduler has loaded all */
        mesh_pause(looks++);
    }
    director_run(pool);
}

#ifdef DATAFLOW_SHARED
/* The task of this core; the build adds the core's number to the name. */
void takt_dataflow_worker(intptr_t unused);

void takt_dataflow_worker(intptr_t unused) {
    execute(&dataflow_pools[0]);
}
#else
_Noreturn void dataflow_worker(uint64_t core);

_Noreturn void dataflow_worker(uint64_t core) {
    const struct pool *pool = dataflow_pools;
    while (pool->core != core) { /* bound: the cores of this image */
        pool++;
    }
#if DATAFLOW_RTOS1
    director_clear_messages(pool->core);
#endif
    execute(pool);
    for (;;) {
        __asm__ volatile("wfi");
    }
}
#endif
