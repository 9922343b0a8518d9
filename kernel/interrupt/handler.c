/* SPDX-License-Identifier: Apache-2.0 */
#include "interrupt/handler.h"

#include "object/user_spinlock.h"
#include "record/event.h"
#include "task/rights.h"

void handler_call(struct core *core, void (*function)(intptr_t argument), intptr_t argument,
                  enum takt_record_handler kind, takt_id id, uint32_t limit) {
    event_handler(core, TAKT_ID_NONE, kind, id);
    unsigned long floats = arch_float_disable();
    uint64_t begin = RIGHTS ? arch_ticks() : 0;
    function(argument);
    user_spinlock_end(core);
    if (RIGHTS) {
        limit_ticks(limit, arch_ticks() - begin);
    }
    arch_float_restore(floats);
    event_handler_end(core, TAKT_ID_NONE, kind, id);
}
