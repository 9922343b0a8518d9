/* SPDX-License-Identifier: Apache-2.0 */
/* What a node knows by itself: services of include/takt/context.h and task.h that ask nobody. */
#include <takt/context.h>

#include "core.h"
#include "sched/own_task.h"

takt_id takt_task_self(void) {
    return own_task();
}

bool takt_context_is_handler(void) {
    return task_self()->id == TAKT_ID_NONE;
}

uint32_t takt_core_self(void) {
    return core_here()->index;
}

uint32_t takt_cores_used(void) {
    return takt_core_count;
}
