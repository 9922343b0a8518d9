/* SPDX-License-Identifier: Apache-2.0 */
/* A worker, which has no kernel: it waits for the command, executes its objects, and stops. */
#include "mesh.h"

_Noreturn void dataflow_worker(uint64_t core);

_Noreturn void dataflow_worker(uint64_t core) {
    const struct pool *pool = dataflow_pools;
    while (pool->core != core) { /* bound: the cores of this image */
        pool++;
    }
    mesh_status(pool->core, STATE_READY, 0);
    while (*mesh_word(0, WORD_COMMAND) != COMMAND_GO) { /* until the scheduler has loaded all */
    }
    director_run(pool);
    for (;;) {
        __asm__ volatile("wfi");
    }
}
