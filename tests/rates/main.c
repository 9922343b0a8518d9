/* SPDX-License-Identifier: Apache-2.0 */
/* Periodic tasks of three nodes that send readings to one of another node, which looks for them
 * periodically: nobody waits. Each placement has bounds for it. */
#include <takt/takt.h>

enum { NODES = 4, PRIORITIES = 2 };

static unsigned sent[NODES];

/* Each fourth reading is urgent. */
void sensor_step(intptr_t node) {
    unsigned number = sent[node]++;
    takt_error result = takt_priority_data_queue_try_send(
        TAKT_PRIORITY_DATA_QUEUE_readings, (intptr_t)number, number % 4 == 0 ? 1 : PRIORITIES);
    takt_assert(result == TAKT_OK);
}

/* Takes the readings of one period, and looks for one that cannot be there. */
void collector_step(intptr_t argument) {
    (void)argument;
    for (unsigned i = 1; i <= NODES; i++) {
        intptr_t word;
        unsigned priority;
        takt_error result = takt_priority_data_queue_try_receive(TAKT_PRIORITY_DATA_QUEUE_readings,
                                                                 &word, &priority);
        takt_assert(result == (i < NODES ? TAKT_OK : TAKT_E_TMOUT));
    }
}
