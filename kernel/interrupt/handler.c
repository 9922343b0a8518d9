/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt/handler.h"

#include "object/user_spinlock.h"
#include "task/rights.h"

void handler_call(struct core *core, void (*function)(intptr_t argument), intptr_t argument,
                  enum takt_record_handler kind, takt_id id, uint32_t limit) {
    uint32_t which = (uint32_t)kind << 24 | id;
    record_event(core, TAKT_EVENT_HANDLER, TAKT_ID_NONE, which);
    unsigned long floats = arch_float_disable();
    uint64_t begin = RIGHTS ? arch_ticks() : 0;
    function(argument);
    user_spinlock_end(core);
    if (RIGHTS) {
        limit_ticks(limit, arch_ticks() - begin);
    }
    arch_float_restore(floats);
    record_event(core, TAKT_EVENT_HANDLER_END, TAKT_ID_NONE, which);
}
