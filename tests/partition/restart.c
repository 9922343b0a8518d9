/* SPDX-License-Identifier: Apache-2.0 */
/* Two partitions, `cold` and `warm` (the argument of their tasks is 0 and 1): every fifth job
 * faults. */
#include <takt/takt.h>

#include "restart.h"

static const takt_id seen_by[] = {TAKT_BUFFER_cold_seen, TAKT_BUFFER_warm_seen};
static const takt_id held_by[] = {TAKT_BUFFER_cold_held, TAKT_BUFFER_warm_held};
static const takt_id helped_by[] = {TAKT_BUFFER_cold_helped, TAKT_BUFFER_warm_helped};
static const takt_id notes[] = {TAKT_BUFFER_cold_note, TAKT_BUFFER_warm_note};
static const takt_id levels[] = {TAKT_SAMPLING_PORT_cold_level, TAKT_SAMPLING_PORT_warm_level};
static const takt_id doors[] = {TAKT_SEMAPHORE_cold_door, TAKT_SEMAPHORE_warm_door};
static const takt_id helpers[] = {TAKT_TASK_cold_helper, TAKT_TASK_warm_helper};

static uint64_t data = INITIAL, bss, woken;
static uint64_t *pointer = &data;
static _Thread_local uint64_t local = LOCAL;

static struct takt_partition_state state_now(void) {
    struct takt_partition_state state = {.start = UINT32_MAX};
    (void)!takt_partition_state(&state);
    return state;
}

void work_job(intptr_t which) {
    struct takt_partition_state state = state_now();
    ++*pointer;
    bss++;
    local++;
    struct seen seen = {data, bss, local, woken, state.start, state.restarts};
    takt_buffer_write(seen_by[which], &seen);
    takt_buffer_write(notes[which], &bss);
    takt_sampling_port_write(levels[which], &bss);
    if (bss % FAULT_AT == 0) {
        pointer = 0;
        *(volatile uint64_t *)pointer = 0;
    }
}

/* Before a warm restart: the variables are kept, so the pointer, too. */
void repair(void) {
    pointer = &data;
}

/* Takes the only count, and waits for another for ever. */
void holds_job(intptr_t which) {
    repair();
    struct held held = {state_now().restarts, 0, 0};
    held.activated = takt_task_activate(helpers[which]) == TAKT_OK;
    held.taken = takt_semaphore_wait_for(doors[which], 0) == TAKT_OK;
    takt_buffer_write(held_by[which], &held);
    (void)!takt_semaphore_wait(doors[which]);
    woken++;
}

/* Its wait is longer than the partition runs until it is started again. */
void helper_job(intptr_t which) {
    struct helped helped = {state_now().restarts, UINT64_MAX};
    (void)!takt_buffer_read(notes[which], &helped.note);
    takt_buffer_write(helped_by[which], &helped);
    (void)!takt_task_sleep_for(8 * TAKT_MILLISECOND);
    woken++;
}
