/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode: looks at what the partitions publish, before and after the errors. */
#include "check.h"

static uint64_t read_first(takt_id buffer) {
    uint64_t count = 0;
    CHECK_IS(takt_buffer_read(buffer, &count), TAKT_OK);
    return count;
}

void judge_job(intptr_t argument) {
    takt_task_delay(4500 * TAKT_MICROSECOND);
    CHECK_IS((long)read_first(TAKT_BUFFER_reads), 5);
    takt_task_delay(20 * TAKT_MILLISECOND);
    CHECK_IS((long)read_first(TAKT_BUFFER_beats), 25);
    /* The task of the other core has been stopped by 5 ms, and nothing has begun it again. */
    uint64_t reads = read_first(TAKT_BUFFER_reads);
    CHECK(reads == 5 || reads == 6);
    CHECK_IS(takt_task_activate(TAKT_TASK_waits), TAKT_E_OBJ);
    /* Each job of `odd` that made an error was followed by the next one. */
    CHECK_IS((long)read_first(TAKT_BUFFER_odds), 25);
    /* Its neighbour in the partition was stopped, and not the task itself. */
    CHECK_IS((long)read_first(TAKT_BUFFER_calm), 25);
    CHECK_IS(takt_task_activate(TAKT_TASK_sinks), TAKT_E_OBJ);
    check_end();
}
