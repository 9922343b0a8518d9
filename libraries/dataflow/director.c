/* SPDX-License-Identifier: Apache-2.0 */
#include "director.h"

#include "mesh.h"

void director_run(const struct pool *pool) {
    struct director self = {.core = pool->core};
    for (uint32_t i = 0; i < pool->count; i++) { /* bound: the core's objects */
        pool->firings[i].flow(&self, &pool->firings[i]);
    }
    mesh_status(self.core, STATE_ENDED, 0);
}
