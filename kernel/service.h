/* SPDX-License-Identifier: Apache-2.0 */
/* The checks that services share, in one order: ID, arguments, context. What a description does not
 * give to the caller (TAKT_E_ILUSE) is checked after them. */
#ifndef KERNEL_SERVICE_H
#define KERNEL_SERVICE_H

#include "core.h"

/* Checks a call on one of `count` objects, tasks or handlers. `good`: whether the arguments are,
 * but for the timeout. `timeout`: 0 for a call that does not wait, which is refused only while the
 * CPU is locked; another is for tasks that may wait. The caller counts the refusal. */
static inline takt_error service_check(takt_id id, uint32_t count, bool good, takt_time timeout) {
    if (id - 1 >= count) {
        return TAKT_E_ID;
    }
    if (!good || timeout < 0) {
        return TAKT_E_PAR;
    }
    bool is_allowed = timeout != 0 ? wait_allowed() : !cpu_locked();
    return is_allowed ? TAKT_OK : TAKT_E_CTX;
}

#endif
