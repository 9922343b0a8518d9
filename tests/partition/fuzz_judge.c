/* SPDX-License-Identifier: Apache-2.0 */
/* In S-mode: waits for the last call, and judges what is left. */
#include "check.h"

#ifndef LAST
#define LAST 20000
#endif

void judge_job(intptr_t argument) {
    uint64_t calls[2] = {0}, beats[2], message[4];
    size_t size;
    takt_time before = 0;
    while (calls[0] < LAST) {
        CHECK_IS(takt_task_delay(TAKT_MILLISECOND), TAKT_OK);
        CHECK_IS(takt_buffer_read(TAKT_BUFFER_calls, calls), TAKT_OK);
        any_result(takt_queuing_port_send(TAKT_QUEUING_PORT_back, message, 1 + calls[0] % 32));
        any_result(takt_queuing_port_receive(TAKT_QUEUING_PORT_out, message, &size, 0));
        CHECK(takt_time_now() > before);
        before = takt_time_now();
    }
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_beats, beats), TAKT_OK);
    CHECK((takt_time)beats[0] >= before / TAKT_MILLISECOND - 1); /* none was lost */
    CHECK_IS((long)beats[1], 0);
    CHECK(calls[1] > LAST / 100);
    printf("%lu calls in %lu jobs beside %lu beats\n", (unsigned long)calls[0],
           (unsigned long)calls[1], (unsigned long)beats[0]);
    check_end();
}
