/* SPDX-License-Identifier: Apache-2.0 */
/* Four senders and four receivers on four cores use one queue with short timeouts: each word that
 * was sent arrives exactly once with its priority, and those of one sender and priority in their
 * order.
 *
 * This test is for a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef TIMEOUTS /* all are below this, ns; a call must not take longer than most of them */
#define TIMEOUTS 2048
#endif

#ifndef WORDS /* tests/seeds has fewer */
#define WORDS 2000
#endif

enum { SENDERS = 4, RECEIVERS = 4, PRIORITIES = 5 };

static unsigned sent, received, timeouts, senders_done, receivers_done;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Sends the words 1, 2, 3, ..., each again and again until it is accepted. */
void sender_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    for (intptr_t number = 1; number <= WORDS; number++) {
        while (takt_priority_data_queue_send_for(TAKT_PRIORITY_DATA_QUEUE_storm, who << 32 | number,
                                                 1 + (unsigned)number % PRIORITIES,
                                                 next_random(&random) % TIMEOUTS) != TAKT_OK) {
            count_up(&timeouts);
        }
        count_up(&sent);
    }
    count_up(&senders_done);
}

/* The words that one receiver gets from one sender with one priority must increase. */
void receiver_job(intptr_t who) {
    unsigned random = (unsigned)who + 100;
    intptr_t latest[SENDERS][PRIORITIES] = {{0}};
    while (read_count(&senders_done) < SENDERS || read_count(&received) < SENDERS * WORDS) {
        intptr_t word;
        unsigned priority;
        if (takt_priority_data_queue_receive_for(TAKT_PRIORITY_DATA_QUEUE_storm, &word, &priority,
                                                 next_random(&random) % TIMEOUTS) != TAKT_OK) {
            count_up(&timeouts);
            continue;
        }
        intptr_t sender = word >> 32, number = word & 0xffffffff;
        CHECK_IS(priority, 1 + number % PRIORITIES);
        CHECK(sender >= 0 && sender < SENDERS && number > latest[sender][priority - 1]);
        latest[sender][priority - 1] = number;
        count_up(&received);
    }
    count_up(&receivers_done);
}

void main_job(intptr_t argument) {
    for (takt_id task = TAKT_TASK_sender_0; task <= TAKT_TASK_receiver_3; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&receivers_done, RECEIVERS);
#ifndef COMMON
    struct takt_priority_data_queue_state state;
    CHECK_IS(takt_priority_data_queue_state(TAKT_PRIORITY_DATA_QUEUE_storm, &state), TAKT_OK);
    CHECK(state.count == 0 && state.sender == 0 && state.receiver == 0);
#endif
    printf("%u sent, %u received, %u timeouts\n", sent, received, timeouts);
    CHECK_IS(received, SENDERS * WORDS);
    CHECK(timeouts > 0);
    check_end();
}
