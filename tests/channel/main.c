/* SPDX-License-Identifier: Apache-2.0 */
/* What channels do, call by call: `main` on core 0 sends, `collector` on core 1 receives in jobs
 * that follow each other, each activated when the one before has ended. */
#include <string.h>

#include <takt/channel.h>

#include "until.h"

enum { REPORTS = TAKT_CHANNEL_reports, ORDERS = TAKT_CHANNEL_orders };
enum { PLACES = 4, LONGEST = 40, PRIORITIES = 3 };

static const takt_time SOON = TAKT_MILLISECOND;

/* What the collector's next job does. */
static void (*volatile part)(void);
static unsigned parts_done;
static unsigned sent; /* by `waiting` */

void collector_job(intptr_t unused) {
    part();
    count_up(&parts_done);
}

static void run(void (*next)(void)) {
    unsigned before = read_count(&parts_done);
    part = next;
    CHECK_IS(takt_task_activate(TAKT_TASK_collector), TAKT_OK);
    wait_until_count(&parts_done, before + 1);
}

/* Byte `index` of a message. */
static uint8_t byte_of(unsigned message, size_t index) {
    return (uint8_t)(message * 37 + index * 11 + 1);
}

/* Sends a message without waiting, from an address that is `shift` bytes behind a multiple of 8. */
static takt_error send(unsigned message, size_t size, unsigned priority, size_t shift) {
    _Alignas(8) uint8_t bytes[LONGEST + 8];
    for (size_t i = 0; i < size; i++) {
        bytes[shift + i] = byte_of(message, i);
    }
    return takt_channel_try_send(REPORTS, bytes + shift, size, priority);
}

/* Receives a message without waiting, and compares all of it. */
static const void *expect(unsigned message, size_t size, unsigned priority) {
    const void *received = 0;
    size_t length = 0;
    unsigned level = 0;
    CHECK_IS(takt_channel_try_receive(REPORTS, &received, &length, &level), TAKT_OK);
    CHECK_IS((long)length, (long)size);
    CHECK_IS(level, priority);
    CHECK_IS((long)((uintptr_t)received % 64), 0);
    const uint8_t *bytes = received;
    for (size_t i = 0; i < length && length == size; i++) {
        CHECK_IS(bytes[i], byte_of(message, i));
    }
    return received;
}

/* Sends messages until the channel is full; returns how many places were free. */
static int count_free(void) {
    int count = 0;
    while (count <= PLACES && send((unsigned)count, 1, 1, 0) == TAKT_OK) {
        count++;
    }
    return count;
}

/* --- The collector's jobs --------------------------------------------------------------------- */

static void try_bad_calls(void) {
    const void *message;
    size_t size;
    unsigned priority;
    CHECK_IS(takt_channel_receive_for(0, &message, &size, &priority, SOON), TAKT_E_ID);
    CHECK_IS(takt_channel_try_receive(TAKT_CHANNELS + 1, &message, &size, &priority), TAKT_E_ID);
    CHECK_IS(takt_channel_try_receive(ORDERS, &message, &size, &priority), TAKT_E_ILUSE);
    CHECK_IS(takt_channel_try_receive(REPORTS, 0, &size, &priority), TAKT_E_PAR);
    CHECK_IS(takt_channel_receive(REPORTS, &message, 0, &priority), TAKT_E_PAR);
    CHECK_IS(takt_channel_receive_for(REPORTS, &message, &size, 0, SOON), TAKT_E_PAR);
    CHECK_IS(takt_channel_receive_for(REPORTS, &message, &size, &priority, -1), TAKT_E_PAR);
    CHECK_IS(takt_channel_release(TAKT_CHANNELS + 1, 0), TAKT_E_ID);
    CHECK_IS(takt_channel_release(ORDERS, 0), TAKT_E_ILUSE);
    CHECK_IS(takt_channel_release(REPORTS, 0), TAKT_E_OBJ);
}

static void find_it_empty(void) {
    const void *message;
    size_t size;
    unsigned priority;
    CHECK_IS(takt_channel_try_receive(REPORTS, &message, &size, &priority), TAKT_E_TMOUT);
    takt_time begin = takt_time_now();
    CHECK_IS(takt_channel_receive_for(REPORTS, &message, &size, &priority, SOON), TAKT_E_TMOUT);
    CHECK(takt_time_now() - begin >= SOON);
}

static void receive_in_order(void) {
    expect(1, 1, 1);
    expect(3, 8, 1);
    const void *third = expect(2, 40, 2);
    const void *fourth = expect(0, 15, 3);
    CHECK_IS(takt_channel_release(REPORTS, third), TAKT_E_PAR);
    size_t size;
    unsigned priority;
    CHECK_IS(takt_channel_receive_for(REPORTS, &third, &size, &priority, -1), TAKT_E_PAR);
    CHECK_IS(takt_channel_release(REPORTS, fourth), TAKT_OK);
    CHECK_IS(takt_channel_release(REPORTS, fourth), TAKT_E_OBJ);
    find_it_empty();
}

/* Keeps a message, also where it may not be released. */
static void hold_one(void) {
    const void *message = expect(0, 1, 1);
#ifndef COMMON
    size_t size;
    unsigned priority;
    CHECK_IS(takt_cpu_lock(), TAKT_OK);
    CHECK_IS(takt_channel_release(REPORTS, message), TAKT_E_CTX);
    CHECK_IS(takt_channel_try_receive(REPORTS, &message, &size, &priority), TAKT_E_CTX);
    CHECK_IS(takt_cpu_unlock(), TAKT_OK);
#endif
    CHECK_IS(*(const uint8_t *)message, byte_of(0, 0));
}

/* The message that the job before held is released. */
static void take_the_rest(void) {
    for (unsigned message = 1; message < PLACES; message++) {
        expect(message, 1, 1);
    }
    find_it_empty();
}

static void take_all(void) {
    const void *message;
    size_t size;
    unsigned priority;
    while (takt_channel_try_receive(REPORTS, &message, &size, &priority) == TAKT_OK) {
    }
}

static void release_one(void) {
    CHECK_IS(takt_channel_release(REPORTS, expect(0, 1, 1)), TAKT_OK);
}

static void wait_for_one(void) {
    const void *message;
    size_t size;
    unsigned priority;
    CHECK_IS(takt_channel_receive(REPORTS, &message, &size, &priority), TAKT_OK);
    CHECK_IS(*(const uint8_t *)message, byte_of(9, 0));
    CHECK_IS((long)size, 2);
    CHECK_IS(takt_channel_release(REPORTS, message), TAKT_OK);
}

/* --- main ------------------------------------------------------------------------------------- */

static void send_bad_messages(void) {
    char message[LONGEST + 1] = {0};
    CHECK_IS(takt_channel_send(0, message, 1, 1), TAKT_E_ID);
    CHECK_IS(takt_channel_try_send(TAKT_CHANNELS + 1, message, 1, 1), TAKT_E_ID);
    CHECK_IS(takt_channel_send(REPORTS, 0, 1, 1), TAKT_E_PAR);
    CHECK_IS(takt_channel_send(REPORTS, message, 0, 1), TAKT_E_PAR);
    CHECK_IS(takt_channel_send(REPORTS, message, LONGEST + 1, 1), TAKT_E_PAR);
    CHECK_IS(takt_channel_send(REPORTS, message, 1, 0), TAKT_E_PAR);
    CHECK_IS(takt_channel_send(REPORTS, message, 1, PRIORITIES + 1), TAKT_E_PAR);
    CHECK_IS(takt_channel_send_for(REPORTS, message, 1, 1, -1), TAKT_E_PAR);
}

/* Waits for a place, of which there is none before the collector releases one. */
void waiting_job(intptr_t unused) {
    char message = 7;
    CHECK_IS(takt_channel_send(REPORTS, &message, 1, 3), TAKT_OK);
    count_up(&sent);
}

/* What a channel of its own node carries, in the memory of core 0. */
static void send_to_oneself(void) {
    const void *message;
    size_t size;
    unsigned priority;
    char order = 'x';
    CHECK_IS(takt_channel_try_receive(ORDERS, &message, &size, &priority), TAKT_E_TMOUT);
    CHECK_IS(takt_channel_send(ORDERS, &order, 1, 1), TAKT_OK);
    CHECK_IS(takt_channel_receive(ORDERS, &message, &size, &priority), TAKT_OK);
    CHECK(size == 1 && *(const char *)message == 'x' && priority == 1);
}

void main_job(intptr_t unused) {
    send_bad_messages();
    /* The collector has not received yet. */
    CHECK_IS(count_free(), 0);
    char message = 0;
    CHECK_IS(takt_channel_send_for(REPORTS, &message, 1, 1, SOON), TAKT_E_TMOUT);
    run(try_bad_calls);
    CHECK_IS(count_free(), 0);
    run(find_it_empty);

    CHECK_IS(send(0, 15, 3, 0), TAKT_OK);
    CHECK_IS(send(1, 1, 1, 3), TAKT_OK);
    CHECK_IS(send(2, 40, 2, 1), TAKT_OK);
    CHECK_IS(send(3, 8, 1, 0), TAKT_OK);
    CHECK_IS(send(4, 1, 1, 0), TAKT_E_TMOUT);
    run(receive_in_order);

    CHECK_IS(count_free(), PLACES);
    run(hold_one);
    CHECK_IS(count_free(), 0);
    run(take_the_rest);
    CHECK_IS(count_free(), PLACES);
    CHECK_IS(takt_channel_send_for(REPORTS, &message, 1, 1, SOON), TAKT_E_TMOUT);

    CHECK_IS(takt_task_activate(TAKT_TASK_waiting), TAKT_OK);
    CHECK_IS(read_count(&sent), 0);
    run(release_one);
    wait_until_count(&sent, 1);
    run(take_all);
#ifndef COMMON
    /* A sender that is terminated while it waits has no place. */
    CHECK_IS(count_free(), PLACES);
    CHECK_IS(takt_task_activate(TAKT_TASK_waiting), TAKT_OK);
    CHECK_IS(takt_task_terminate(TAKT_TASK_waiting), TAKT_OK);
    run(take_all);
#endif
    CHECK_IS(count_free(), PLACES);
    run(take_all);

    unsigned before = read_count(&parts_done);
    part = wait_for_one;
    CHECK_IS(takt_task_activate(TAKT_TASK_collector), TAKT_OK);
    wait_a_while();
    CHECK_IS(send(9, 2, 2, 0), TAKT_OK);
    wait_until_count(&parts_done, before + 1);
    send_to_oneself();
    check_end();
}
