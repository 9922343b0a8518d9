/* SPDX-License-Identifier: Apache-2.0 */
/* Four senders and four receivers on four cores use one queue with short timeouts: each word that
 * was sent arrives exactly once, and the words of one sender arrive in their order.
 *
 * This test is for a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef WORDS /* tests/seeds has fewer */
#define WORDS 4000
#endif

enum { SENDERS = 4, RECEIVERS = 4 };

static unsigned sent, received, timeouts, senders_done, receivers_done;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Sends the words 1, 2, 3, ..., each again and again until it is accepted. */
void sender_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    for (intptr_t number = 1; number <= WORDS; number++) {
        while (takt_data_queue_send_for(TAKT_DATA_QUEUE_storm, who << 32 | number,
                                        next_random(&random) % 2048) != TAKT_OK) {
            count_up(&timeouts);
        }
        count_up(&sent);
    }
    count_up(&senders_done);
}

/* The words that one receiver gets from one sender must increase. */
void receiver_job(intptr_t who) {
    unsigned random = (unsigned)who + 100;
    intptr_t latest[SENDERS] = {0};
    while (read_count(&senders_done) < SENDERS || read_count(&received) < SENDERS * WORDS) {
        intptr_t word;
        if (takt_data_queue_receive_for(TAKT_DATA_QUEUE_storm, &word,
                                        next_random(&random) % 2048) != TAKT_OK) {
            count_up(&timeouts);
            continue;
        }
        intptr_t sender = word >> 32, number = word & 0xffffffff;
        CHECK(sender >= 0 && sender < SENDERS && number > latest[sender]);
        latest[sender] = number;
        count_up(&received);
    }
    count_up(&receivers_done);
}

void main_job(intptr_t argument) {
    for (takt_id task = TAKT_TASK_sender_0; task <= TAKT_TASK_receiver_3; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&receivers_done, RECEIVERS);
    intptr_t word;
    CHECK_IS(takt_data_queue_try_receive(TAKT_DATA_QUEUE_storm, &word), TAKT_E_TMOUT);
    printf("%u sent, %u received, %u timeouts\n", sent, received, timeouts);
    CHECK_IS(received, SENDERS * WORDS);
    CHECK(timeouts > 0);
    check_end();
}
