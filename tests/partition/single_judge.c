/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode, beside a single partition: reads what the partition makes of what is written. */
#include "check.h"

void judge_job(intptr_t argument) {
    uint64_t words[3] = {1000, 2000, 3000};
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_work, words), TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_to_judge, words), TAKT_OK);
    CHECK(words[0] == 1 && words[1] == 0 && words[2] == 0);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_to_judge, words), TAKT_OK);
    CHECK(words[0] == 1111 && words[1] == 2122 && words[2] == 3133);
    /* The fourth job has left its memory, and others follow it. */
    words[0] = 4000;
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_to_work, words), TAKT_OK);
    takt_task_delay(4 * TAKT_MILLISECOND);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_to_judge, words), TAKT_OK);
    CHECK(words[0] == 4111);
    takt_task_delay(TAKT_MILLISECOND); /* core 0 sends what the kernel says of that */
    check_end();
}
