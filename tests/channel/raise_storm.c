/* SPDX-License-Identifier: Apache-2.0 */
/* Senders of three cores send messages of all priorities to a receiver of a fourth, whose own
 * priority they change, too. `watcher`, of the receiver's core, has a priority between: while the
 * receiver has a message above that, the watcher does not run; and a message above it that was sent
 * is received although the watcher does not let the core go.
 *
 * This test is for a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include <takt/channel.h>

#include "until.h"

#ifndef MESSAGES /* of each sender */
#define MESSAGES 100
#endif

enum { SENDERS = 3, WATCHER = SENDERS, SENDER_KINDS, WATCHER_PRIORITY = 20, LOWEST = 64 };

/* How long the watcher waits for what must come: longer than a host lets a hart stand still. */
static const takt_time LONG = PATIENCE / 4;

static unsigned senders_done, receiver_done, watcher_done;

/* The messages above the watcher: sent, counted by each sender behind the send; and released. */
static unsigned urgent_sent, urgent_released;
static unsigned sent_in_all, received;
static unsigned steps; /* of the watcher */

struct message {
    uint32_t sender, number;
};

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

/* Runs on for up to 63 us without letting the core go, and counts meanwhile. */
static void run_on(unsigned *random, unsigned *counter) {
    takt_time end = takt_time_now() + next_random(random) % 64 * TAKT_MICROSECOND;
    while (takt_time_now() < end) {
        count_up(counter);
    }
}

static void send(unsigned who, unsigned number, unsigned priority) {
    struct message message = {.sender = who, .number = number};
    CHECK_IS(takt_channel_send(TAKT_CHANNEL_orders, &message, sizeof message, priority), TAKT_OK);
    if (priority < WATCHER_PRIORITY) {
        count_up(&urgent_sent);
    }
}

/* One sender also changes the receiver's own priority, to one below the watcher's. */
void sender_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    for (unsigned number = 1; number <= MESSAGES; number++) {
        count_up(&sent_in_all);
        send((unsigned)who, number, 1 + next_random(&random) % LOWEST);
        if (who == 0 && number % 4 == 0) {
            unsigned base = WATCHER_PRIORITY + 1 + next_random(&random) % 40;
            CHECK_IS(takt_task_set_priority(TAKT_TASK_receiver, base), TAKT_OK);
        }
        takt_task_delay(next_random(&random) % 16 * TAKT_MICROSECOND);
    }
    count_up(&senders_done);
}

void receiver_job(intptr_t unused) {
    unsigned latest[SENDER_KINDS][LOWEST] = {{0}};
    unsigned random = 200, turns = 0;
    while (read_count(&watcher_done) == 0 || received < read_count(&sent_in_all)) {
        const void *place;
        size_t size;
        unsigned priority;
        if (takt_channel_receive_for(TAKT_CHANNEL_orders, &place, &size, &priority,
                                     100 * TAKT_MICROSECOND) != TAKT_OK) {
            continue;
        }
        unsigned before = read_count(&steps);
        const struct message *message = place;
        CHECK(message->sender < SENDER_KINDS);
        unsigned *last = &latest[message->sender % SENDER_KINDS][(priority - 1) % LOWEST];
        CHECK(message->number > *last);
        *last = message->number;
        received++;
        run_on(&random, &turns);
        bool urgent = priority < WATCHER_PRIORITY;
        CHECK(!urgent || read_count(&steps) == before);
        if (urgent) {
            count_up(&urgent_released); /* before it is: then the watcher may run */
        }
        if (message->number % 2 == 0) {
            CHECK_IS(takt_channel_release(TAKT_CHANNEL_orders, place), TAKT_OK);
        }
    }
    count_up(&receiver_done);
}

/* Waits, without letting the core go, until what was sent above it has been read. */
static void wait_for_urgent(void) {
    unsigned expected = read_count(&urgent_sent);
    takt_time end = takt_time_now() + LONG;
    while (read_count(&urgent_released) < expected && takt_time_now() < end) {
        count_up(&steps);
    }
    if (read_count(&urgent_released) < expected) {
        CHECK(!"the receiver was raised");
        check_end(); /* what follows would wait in vain */
    }
}

void watcher_job(intptr_t unused) {
    unsigned random = 100;
    unsigned number = 0;
    while (read_count(&senders_done) < SENDERS) {
        run_on(&random, &steps); /* messages are sent to a receiver that does not run */
        wait_for_urgent();
        if (next_random(&random) % 2 == 0) {
            struct message message = {.sender = WATCHER, .number = ++number};
            count_up(&sent_in_all);
            unsigned priority = 1 + next_random(&random) % (WATCHER_PRIORITY - 1);
            if (takt_channel_try_send(TAKT_CHANNEL_orders, &message, sizeof message, priority) ==
                TAKT_OK) {
                /* This may go on first: where another core has just sent, too, the receiver runs
                 * when that core's wake-up or raise has arrived. */
                count_up(&urgent_sent);
                wait_for_urgent();
            } else {
                __atomic_fetch_sub(&sent_in_all, 1, __ATOMIC_RELEASE);
            }
        }
        takt_task_delay(next_random(&random) % 64 * TAKT_MICROSECOND);
    }
    count_up(&watcher_done);
}

void main_job(intptr_t unused) {
    for (takt_id task = TAKT_TASK_sender_0; task <= TAKT_TASK_watcher; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&receiver_done, 1);
    printf("%u received, %u of them above the watcher\n", received, urgent_released);
    CHECK_IS(received, sent_in_all);
    CHECK(urgent_released > 0);
    check_end();
}
