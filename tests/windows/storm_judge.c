/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode on the console's core: judges what the watcher has seen of the storm. */
#include "check.h"

#include "storm.h"

enum { STORMS = 3 }; /* the storm's tasks of the watcher's core */

void judge_job(intptr_t argument) {
    struct watched seen;
    struct stormed stormed;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_watched, &seen), TAKT_OK);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_stormed, &stormed), TAKT_OK);
    CHECK(seen.windows > 20);
    CHECK(stormed.restarts > 10);
    CHECK_IS((long)stormed.wrong, 0);
    /* For each of the storm's tasks a wake-up or a timeout, and an activation; a hand-over. */
    CHECK(seen.most <= 2 * STORMS + 1);
    CHECK(seen.longest < 6000); /* the stop of a single task, whatever the partition has */
    printf("%lu windows, %lu restarts, %lu interrupts, at most %lu in a window, %lu ns, %lu ns\n",
           (unsigned long)seen.windows, (unsigned long)stormed.restarts,
           (unsigned long)seen.interrupts, (unsigned long)seen.most, (unsigned long)seen.longest,
           (unsigned long)seen.taken);
    check_end();
}
