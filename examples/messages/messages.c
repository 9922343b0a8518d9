/* SPDX-License-Identifier: Apache-2.0 */
/* A sensor on one node sends readings to a collector on another one: a word each, with a priority.
 * Urgent readings overtake the others that wait. */
#include <stdio.h>
#include <takt/takt.h>

enum { URGENT = 1, USUAL = 2, READINGS = 8 };

static const intptr_t LIMIT = 90;        /* a reading above it is urgent */
static const takt_time HANDLING = 50000; /* ns that the collector needs for a reading */

static void check(takt_error error) {
    if (error != TAKT_OK) {
        takt_panic("a service failed");
    }
}

void sensor_job(intptr_t argument) {
    static const intptr_t readings[READINGS] = {20, 22, 21, 95, 23, 24, 97, 22};
    for (unsigned index = 0; index < READINGS; index++) {
        unsigned priority = readings[index] > LIMIT ? URGENT : USUAL;
        check(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_readings, readings[index],
                                            priority));
    }
}

void collector_job(intptr_t argument) {
    for (unsigned count = 0; count < READINGS; count++) {
        intptr_t reading;
        unsigned priority;
        check(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_readings, &reading,
                                               &priority));
        printf("%s %ld\n", priority == URGENT ? "urgent" : "reading", (long)reading);
        check(takt_task_delay(HANDLING));
    }
    takt_system_shutdown(0);
}
