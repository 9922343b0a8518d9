/* SPDX-License-Identifier: Apache-2.0 */
/* A handler may send without waiting: what it could send arrives, in order. It may neither wait nor
 * receive. A sender that is terminated while it copies takes a place with it, and nothing else. */
#include <takt/channel.h>

#include "until.h"

enum { TICKS = 10, PAGE = 256 << 10, PLACES = 2, ATTEMPTS = 1000 };

static unsigned refusals;

void send_tick(intptr_t unused) {
    static uint64_t tick = 1;
    const void *message;
    size_t size;
    unsigned priority;
    refusals +=
        takt_channel_send(TAKT_CHANNEL_ticks, &tick, sizeof tick, 1) == TAKT_E_CTX &&
        takt_channel_receive(TAKT_CHANNEL_ticks, &message, &size, &priority) == TAKT_E_ILUSE;
    tick += takt_channel_try_send(TAKT_CHANNEL_ticks, &tick, sizeof tick, 1) == TAKT_OK;
}

static void receive_ticks(void) {
    for (uint64_t tick = 1; tick <= TICKS; tick++) {
        const void *message;
        size_t size;
        unsigned priority;
        CHECK_IS(takt_channel_receive(TAKT_CHANNEL_ticks, &message, &size, &priority), TAKT_OK);
        CHECK(size == sizeof tick && *(const uint64_t *)message == tick);
    }
    CHECK(refusals >= TICKS);
}

/* Copies for so long that it can be terminated meanwhile. */
void writer_job(intptr_t unused) {
    static const uint8_t page[PAGE];
    any_result(takt_channel_send(TAKT_CHANNEL_pages, page, PAGE, 1));
}

static takt_error receive_page(uint64_t *first, size_t *size) {
    const void *message;
    unsigned priority;
    takt_error error = takt_channel_try_receive(TAKT_CHANNEL_pages, &message, size, &priority);
    *first = error == TAKT_OK ? *(const uint64_t *)message : 0;
    return error;
}

/* Takes what is there, fills the channel with the numbers 1, 2 and so on, and takes them again;
 * returns how many there were. */
static unsigned count_places(void) {
    uint64_t sent = 0, first;
    size_t size;
    while (receive_page(&first, &size) == TAKT_OK) {
        CHECK(size == PAGE && first == 0);
    }
    do {
        sent++;
    } while (takt_channel_try_send(TAKT_CHANNEL_pages, &sent, sizeof sent, 1) == TAKT_OK);
    for (uint64_t number = 1; number < sent; number++) {
        CHECK_IS(receive_page(&first, &size), TAKT_OK);
        CHECK(size == sizeof first && first == number);
    }
    CHECK_IS(receive_page(&first, &size), TAKT_E_TMOUT);
    return (unsigned)sent - 1;
}

/* Terminates the writer after times that differ, until it was copying. */
static void lose_a_place(void) {
    for (takt_time attempt = 1; attempt <= ATTEMPTS && count_places() == PLACES; attempt++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_writer), TAKT_OK);
        CHECK_IS(takt_task_delay(attempt * 7 % 100 * TAKT_MICROSECOND), TAKT_OK);
        any_result(takt_task_terminate(TAKT_TASK_writer));
    }
}

void receiver_job(intptr_t unused) {
    receive_ticks();
    CHECK_IS(count_places(), PLACES);
    lose_a_place();
    CHECK_IS(count_places(), PLACES - 1);
    CHECK_IS(count_places(), PLACES - 1);
    check_end();
}
