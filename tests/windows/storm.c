/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `storm`: its tasks on two cores fault at random, each in one of the ways that
 * restart it cold or warm. Its variables are larger than what a window copies. */
#include "storm.h"

static uint64_t filled[FILLED] = {1, 2, 3}, zeros[FILLED];
static struct stormed stormed;
static uint64_t checked; /* 1 + the restarts when the variables were looked at */

/* The clock and the seed's order of accesses make it differ. */
static uint32_t random_below(uint32_t limit) {
    uint64_t value = (uint64_t)takt_time_now() * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(value >> 40) % limit;
}

static void fault(void) {
    switch (random_below(3)) {
    case 0:
        *(volatile int *)0 = 0; /* cold */
        break;
    case 1:
        __asm__ volatile("ebreak"); /* warm */
        break;
    default:
        takt_panic("warm, too");
    }
}

static bool variables_are_initial(void) {
    bool right = filled[0] == 1 && filled[1] == 2 && filled[2] == 3;
    for (uint32_t i = 3; i < FILLED; i++) {
        right &= filled[i] == 0;
    }
    for (uint32_t i = 0; i < FILLED; i++) {
        right &= zeros[i] == 0;
    }
    return right;
}

/* Looks at the variables after each cold start, and makes them differ from their initial values. */
void look_job(intptr_t argument) {
    struct takt_partition_state state;
    if (takt_partition_state(&state) != TAKT_OK || checked == state.restarts + 1) {
        return;
    }
    struct stormed found;
    takt_error error = takt_buffer_read(TAKT_BUFFER_stormed, &found);
    bool kept = checked != 0;
    stormed.wrong = error == TAKT_OK ? found.wrong : 0;
    stormed.wrong += state.start == TAKT_START_COLD && (kept || !variables_are_initial());
    checked = state.restarts + 1;
    stormed.restarts = state.restarts;
    takt_buffer_write(TAKT_BUFFER_stormed, &stormed);
    filled[0] = filled[FILLED - 1] = zeros[0] = zeros[FILLED - 1] = 99;
}

/* Waits for a time or for the semaphore, wakes and activates the others, and faults. */
void storm_job(intptr_t which) {
    static const takt_id tasks[] = {TAKT_TASK_storm_1, TAKT_TASK_storm_2, TAKT_TASK_storm_3,
                                    TAKT_TASK_storm_4};
    for (;;) {
        takt_id other = tasks[random_below(4)];
        (void)!takt_task_activate(other);
        (void)!takt_task_wakeup(other);
        (void)!takt_semaphore_wait_for(TAKT_SEMAPHORE_door, random_below(300) * TAKT_MICROSECOND);
        (void)!takt_semaphore_signal(TAKT_SEMAPHORE_door);
        (void)!takt_task_sleep_for(random_below(500) * TAKT_MICROSECOND);
        if (random_below(8) == 0) {
            fault();
        }
    }
}
