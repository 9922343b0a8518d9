/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode on the other core: judges what the watcher has seen. */
#include "check.h"

#include "seen.h"

void judge_job(intptr_t argument) {
    struct seen seen;
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_seen, &seen), TAKT_OK);
    CHECK(seen.first > 1000);
    CHECK(seen.second > 1000);
    CHECK_IS((long)seen.outside, 0);
    printf("%lu looks, the last outside at %lu ns\n", (unsigned long)seen.looks,
           (unsigned long)seen.wrong);
    check_end();
}
