/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode on the console's core: judges what the watcher has seen. */
#include "check.h"

#include "remote.h"

void judge_job(intptr_t argument) {
    struct interrupted seen;
    uint64_t attacks;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_interrupted, &seen), TAKT_OK);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_attacks, &attacks), TAKT_OK);
    CHECK(attacks > 1000);
    CHECK(seen.windows > 20);
    CHECK(seen.all >= 2 * seen.windows); /* the attacks arrive */
    CHECK(seen.most <= ATTACKED);        /* once for each task, as it does not run in between */
    printf("%lu windows, %lu attacks, %lu interrupts, at most %lu in a window, %lu ns\n",
           (unsigned long)seen.windows, (unsigned long)attacks, (unsigned long)seen.all,
           (unsigned long)seen.most, (unsigned long)seen.longest);
    check_end();
}
