/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/mode.h"

#include <string.h>

#include "partition/restart.h"
#include "record/record.h"
#include "remote/remote_call.h"
#include "sched/dispatch.h"

#if RESTARTS

static bool restarts_left(const struct takt_partition_task *own) {
    return takt_partition_restarts[own->partition - 1].count < partition_of(own)->restarts;
}

takt_error mode_gate_set(enum takt_partition_mode mode) {
    static const uint8_t actions[] = {
        [TAKT_PARTITION_IDLE] = TAKT_STOP_PARTITION,
        [TAKT_PARTITION_WARM_START] = TAKT_RESTART_WARM,
        [TAKT_PARTITION_COLD_START] = TAKT_RESTART_COLD,
    };
    struct task *task = task_self();
    if ((size_t)mode >= sizeof actions) {
        return record_refusal(TAKT_E_PAR, "takt_partition_set_mode");
    }
    if (mode != TAKT_PARTITION_IDLE && !restarts_left(partition_task(task))) {
        return record_refusal(TAKT_E_ILUSE, "takt_partition_set_mode");
    }
    arch_interrupts_disable();
    execution_account(task->context.core, arch_ticks());
    restart_request(task, actions[mode]);
    remote_call_close_ending(task);
    dispatch_away();
}

takt_error mode_gate_state(void *state) {
    const struct takt_partition_task *own = partition_task(task_self());
    const struct partition_restart *restart = &takt_partition_restarts[own->partition - 1];
    struct takt_partition_state its_state = {.start = restart->start, .restarts = restart->count};
    if (!partition_can_write(own, (uintptr_t)state, sizeof its_state)) {
        return record_refusal(TAKT_E_MACV, "takt_partition_state");
    }
    memcpy(state, &its_state, sizeof its_state); /* the gate has opened user memory */
    return TAKT_OK;
}

#endif
