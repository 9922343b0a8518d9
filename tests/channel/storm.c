/* SPDX-License-Identifier: Apache-2.0 */
/* Four senders of four cores send to two receivers, with short timeouts: each message arrives once,
 * whole and with its priority, those of one sender and priority in their order, and none changes
 * while it is held.
 *
 * This test is for a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include <string.h>

#include <takt/channel.h>

#include "until.h"

#ifndef TIMEOUTS /* all are below this, ns; a call must not take longer than most of them */
#define TIMEOUTS 4096
#endif

#ifndef MESSAGES /* of each sender */
#define MESSAGES 400
#endif

enum { SENDERS = 4, RECEIVERS = 2, PRIORITIES = 5, LONGEST = 100 };

static unsigned sent[RECEIVERS], received[RECEIVERS], timeouts, senders_done, receivers_done;

struct message {
    uint32_t sender, number;
    uint8_t rest[LONGEST - 8];
};

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static size_t size_of(unsigned number) {
    return 8 + number * 7 % (LONGEST - 8 + 1);
}

static uint8_t byte_of(unsigned sender, unsigned number, size_t index) {
    return (uint8_t)(sender * 101 + number * 17 + index);
}

static bool is_whole(const struct message *message, size_t size) {
    bool whole = size == size_of(message->number);
    for (size_t i = 0; i < size - 8; i++) {
        whole &= message->rest[i] == byte_of(message->sender, message->number, i);
    }
    return whole;
}

/* Sends the messages 1, 2, 3, ..., each again and again until it is accepted. */
void sender_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    for (unsigned number = 1; number <= MESSAGES; number++) {
        struct message message = {.sender = (uint32_t)who, .number = number};
        size_t size = size_of(number);
        for (size_t i = 0; i < size - 8; i++) {
            message.rest[i] = byte_of((unsigned)who, number, i);
        }
        unsigned to = next_random(&random) % RECEIVERS;
        takt_id channel = to == 0 ? TAKT_CHANNEL_first : TAKT_CHANNEL_second;
        count_up(&sent[to]); /* before a receiver can have it */
        while (takt_channel_send_for(channel, &message, size, 1 + number % PRIORITIES,
                                     next_random(&random) % TIMEOUTS) != TAKT_OK) {
            count_up(&timeouts);
        }
    }
    count_up(&senders_done);
}

void receiver_job(intptr_t who) {
    takt_id channel = who == 0 ? TAKT_CHANNEL_first : TAKT_CHANNEL_second;
    unsigned random = (unsigned)who + 100;
    unsigned latest[SENDERS][PRIORITIES] = {{0}};
    while (read_count(&senders_done) < SENDERS || received[who] < read_count(&sent[who])) {
        const void *place;
        size_t size;
        unsigned priority;
        if (takt_channel_receive_for(channel, &place, &size, &priority,
                                     next_random(&random) % TIMEOUTS) != TAKT_OK) {
            count_up(&timeouts);
            continue;
        }
        struct message message;
        memcpy(&message, place, size);
        CHECK(message.sender < SENDERS && is_whole(&message, size));
        CHECK_IS(priority, 1 + message.number % PRIORITIES);
        unsigned *before = &latest[message.sender % SENDERS][(priority - 1) % PRIORITIES];
        CHECK(message.number > *before);
        *before = message.number;
        CHECK(memcmp(&message, place, size) == 0);
        if (next_random(&random) % 2 == 0) {
            CHECK_IS(takt_channel_release(channel, place), TAKT_OK);
        }
        count_up(&received[who]);
    }
    count_up(&receivers_done);
}

void main_job(intptr_t unused) {
    for (takt_id task = TAKT_TASK_sender_0; task <= TAKT_TASK_receiver_1; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&receivers_done, RECEIVERS);
    printf("%u and %u received, %u timeouts\n", received[0], received[1], timeouts);
    CHECK_IS(received[0] + received[1], SENDERS * MESSAGES);
    CHECK(timeouts > 0);
    check_end();
}
