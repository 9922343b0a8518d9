/* SPDX-License-Identifier: Apache-2.0 */
/* A partition that is stopped while its destination waits. */
#include <takt/takt.h>

void wait_job(intptr_t argument) {
    char message[13];
    size_t size;
    takt_error error =
        takt_queuing_port_receive(TAKT_QUEUING_PORT_to_lost, message, &size, TAKT_FOR_EVER);
    takt_console_write(error == TAKT_OK ? "lost: failed\n" : "lost: fails\n", 13);
}

void fail_job(intptr_t argument) {
    takt_task_delay(2 * TAKT_MILLISECOND);
    *(volatile int *)0 = 0;
}
