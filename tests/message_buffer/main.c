/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of message buffers: errors, bytes through the ring's end, which task waits for
 * what. */
#include "settled.h"

#include <string.h>

enum { LIMIT = 20 };

static const takt_id ring = TAKT_MESSAGE_BUFFER_ring, direct = TAKT_MESSAGE_BUFFER_direct;

static void fill(uint8_t *bytes, size_t size, unsigned mark) {
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(mark * 31 + i * 7);
    }
}

static void send_ok(takt_id buffer, size_t size, unsigned mark) {
    uint8_t bytes[LIMIT];
    fill(bytes, size, mark);
    CHECK_IS(takt_message_buffer_try_send(buffer, bytes, size), TAKT_OK);
}

static void is_message(const uint8_t *bytes, size_t size, size_t expected, unsigned mark) {
    uint8_t wanted[LIMIT];
    fill(wanted, expected, mark);
    CHECK_IS((long)size, (long)expected);
    CHECK_IS(memcmp(bytes, wanted, expected), 0);
}

static void receives(takt_id buffer, size_t expected, unsigned mark) {
    uint8_t bytes[LIMIT + 1];
    size_t size = 99;
    memset(bytes, 0xee, sizeof bytes);
    CHECK_IS(takt_message_buffer_try_receive(buffer, bytes, &size), TAKT_OK);
    is_message(bytes, size, expected, mark);
    CHECK_IS(bytes[expected], 0xee); /* not one byte more */
}

static void is_empty(takt_id buffer) {
    uint8_t bytes[LIMIT];
    size_t size = 99;
    CHECK_IS(takt_message_buffer_try_receive(buffer, bytes, &size), TAKT_E_TMOUT);
    CHECK_IS((long)size, 99);
}

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_MESSAGE_BUFFERS + 1, UINT32_MAX};
    uint8_t bytes[LIMIT + 1] = {0};
    size_t size;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_message_buffer_send(wrong[i], bytes, 1), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_try_send(wrong[i], bytes, 1), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_send_for(wrong[i], bytes, 1, 0), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_receive(wrong[i], bytes, &size), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_try_receive(wrong[i], bytes, &size), TAKT_E_ID);
        CHECK_IS(takt_message_buffer_receive_for(wrong[i], bytes, &size, 0), TAKT_E_ID);
    }
    CHECK_IS(takt_message_buffer_send(ring, 0, 1), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_send(ring, bytes, 0), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_send(ring, bytes, LIMIT + 1), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_send_for(ring, bytes, 1, -1), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_receive(ring, 0, &size), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_receive(ring, bytes, 0), TAKT_E_PAR);
    CHECK_IS(takt_message_buffer_receive_for(ring, bytes, &size, -1), TAKT_E_PAR);
    is_empty(ring);
}

/* The buffer has 64 bytes, for two of the longest messages, or for one of them and a shorter one;
   messages begin at every place of the ring. */
static void bytes(void) {
    for (unsigned round = 0; round < 40; round++) {
        size_t size = round % LIMIT + 1;
        send_ok(ring, size, round);
        send_ok(ring, LIMIT, round + 1);
        receives(ring, size, round);
        send_ok(ring, LIMIT, round + 2);
        CHECK_IS(takt_message_buffer_try_send(ring, "x", 1), TAKT_E_TMOUT);
        receives(ring, LIMIT, round + 1);
        send_ok(ring, 3, round + 3);
        receives(ring, LIMIT, round + 2);
        receives(ring, 3, round + 3);
        is_empty(ring);
    }
    for (unsigned i = 0; i < 4; i++) { /* 16 bytes each */
        send_ok(ring, 8, i);
    }
    CHECK_IS(takt_message_buffer_try_send(ring, "x", 1), TAKT_E_TMOUT);
    for (unsigned i = 0; i < 4; i++) {
        receives(ring, 8, i);
    }
    is_empty(direct);
    CHECK_IS(takt_message_buffer_try_send(direct, "x", 1), TAKT_E_TMOUT);
}

static void timeouts(void) {
    uint8_t bytes[LIMIT];
    size_t size = 99;
    for (takt_time timeout = 1; timeout < 2 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_message_buffer_receive_for(ring, bytes, &size, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
        before = takt_time_now();
        CHECK_IS(takt_message_buffer_send_for(direct, "x", 1, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK_IS((long)size, 99);
    is_empty(direct); /* the message of a sender that gave up is gone */
}

/* --- Tasks that wait ------------------------------------------------------------------------ */

enum { LOW, HIGH, MIDDLE, ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                     TAKT_TASK_above};
static struct {
    takt_id buffer;
    bool sends;
    uint8_t bytes[LIMIT];
    size_t size;
    takt_time timeout;
    takt_error result;
} parts[TASKS];
static unsigned done;

void part_job(intptr_t who) {
    takt_id buffer = parts[who].buffer;
    takt_time timeout = parts[who].timeout;
    parts[who].result =
        parts[who].sends
            ? takt_message_buffer_send_for(buffer, parts[who].bytes, parts[who].size, timeout)
            : takt_message_buffer_receive_for(buffer, parts[who].bytes, &parts[who].size, timeout);
    count_up(&done);
}

/* Lets a task make its call; returns when the task waits or has finished. */
static void begin(int who, takt_id buffer, bool sends, size_t size, takt_time timeout) {
    parts[who].buffer = buffer, parts[who].sends = sends, parts[who].size = size;
    parts[who].timeout = timeout, parts[who].result = 1;
    fill(parts[who].bytes, size, (unsigned)who);
    run_until_it_waits(tasks[who]);
}

static void same_core(void) {
    done = 0;
    begin(ABOVE, ring, false, 0, TAKT_FOR_EVER);
    send_ok(ring, 13, 5);
    CHECK_IS(read_count(&done), 1);
    is_message(parts[ABOVE].bytes, parts[ABOVE].size, 13, 5);
    begin(ABOVE, direct, true, 17, TAKT_FOR_EVER);
    receives(direct, 17, ABOVE);
    CHECK_IS(read_count(&done), 2);
}

/* Receivers are served in the order in which they came. */
static void receivers(takt_id buffer) {
    done = 0;
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, buffer, false, 0, TAKT_FOR_EVER);
    }
    for (int who = LOW; who <= MIDDLE; who++) {
        send_ok(buffer, (size_t)who + 5, (unsigned)who + 50);
        wait_until_count(&done, (unsigned)who + 1);
        CHECK_IS(parts[who].result, TAKT_OK);
        is_message(parts[who].bytes, parts[who].size, (size_t)who + 5, (unsigned)who + 50);
    }
}

/* Senders get room in the described order, without overtaking: a short message waits behind a long
 * one. When room becomes free, as many senders go on as it suffices for. */
static void senders(takt_id buffer, const int *order) {
    done = 0;
    send_ok(buffer, LIMIT, 90);
    send_ok(buffer, LIMIT, 91);
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, buffer, true, 8, TAKT_FOR_EVER);
    }
    CHECK_IS(takt_message_buffer_try_send(buffer, "x", 1), TAKT_E_TMOUT);
    receives(buffer, LIMIT, 90);
    wait_until_count(&done, 2); /* 32 bytes: two of three */
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(read_count(&done), 2);
    receives(buffer, LIMIT, 91);
    wait_until_count(&done, 3);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_IS(parts[order[i]].result, TAKT_OK);
        receives(buffer, 8, (unsigned)order[i]);
    }
    is_empty(buffer);
}

/* The first sender in the queue needs more than is free; when it leaves, the others find room. */
static void first_goes(int how) {
    done = 0;
    send_ok(ring, LIMIT, 90);
    send_ok(ring, LIMIT - 12, 91); /* 16 bytes are left */
    begin(LOW, ring, true, LIMIT, how == 0 ? 100 * TAKT_MILLISECOND : TAKT_FOR_EVER);
    begin(HIGH, ring, true, 8, TAKT_FOR_EVER);
    CHECK_IS(read_count(&done), 0);
    if (how == 0) {
        wait_until_count(&done, 2);
        CHECK_IS(parts[LOW].result, TAKT_E_TMOUT);
    } else if (how == 1) {
        CHECK_IS(takt_task_release_wait(TAKT_TASK_low), TAKT_OK);
        wait_until_count(&done, 2);
        CHECK_IS(parts[LOW].result, TAKT_E_RLWAI);
    } else {
        CHECK_IS(takt_task_terminate(TAKT_TASK_low), TAKT_OK);
        wait_until_count(&done, 1);
    }
    CHECK_IS(parts[HIGH].result, TAKT_OK);
    receives(ring, LIMIT, 90);
    receives(ring, LIMIT - 12, 91);
    receives(ring, 8, HIGH);
    is_empty(ring);
}

/* The same happens by a change of priority: the sender that finds room becomes the first. */
static void first_changes(void) {
    takt_id buffer = TAKT_MESSAGE_BUFFER_by_priority;
    done = 0;
    send_ok(buffer, LIMIT, 90);
    send_ok(buffer, LIMIT - 12, 91);
    begin(HIGH, buffer, true, LIMIT, TAKT_FOR_EVER);
    begin(LOW, buffer, true, 8, TAKT_FOR_EVER);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_low, 5), TAKT_OK);
    wait_until_count(&done, 1);
    CHECK_IS(parts[LOW].result, TAKT_OK);
    receives(buffer, LIMIT, 90);
    wait_until_count(&done, 2);
    receives(buffer, LIMIT - 12, 91);
    receives(buffer, 8, LOW);
    receives(buffer, LIMIT, HIGH);
    is_empty(buffer);
}

/* In priority order a higher sender whose message fits does not wait behind a lower one whose
 * message does not fit; a sender that is lower than the waiting one waits. In FIFO order both wait.
 */
static void higher_goes_first(void) {
    takt_id buffer = TAKT_MESSAGE_BUFFER_by_priority;
    done = 0;
    send_ok(buffer, LIMIT, 90);
    send_ok(buffer, LIMIT - 12, 91); /* 16 bytes are left */
    begin(MIDDLE, buffer, true, LIMIT, TAKT_FOR_EVER);
    CHECK_IS(read_count(&done), 0);
    begin(HIGH, buffer, true, 8, 0);
    CHECK_IS(read_count(&done), 1);
    CHECK_IS(parts[HIGH].result, TAKT_OK);
    receives(buffer, LIMIT, 90);
    wait_until_count(&done, 2);
    CHECK_IS(parts[MIDDLE].result, TAKT_OK);
    receives(buffer, LIMIT - 12, 91);
    receives(buffer, 8, HIGH);
    receives(buffer, LIMIT, MIDDLE);
    done = 0;
    send_ok(buffer, LIMIT, 90);
    send_ok(buffer, LIMIT - 12, 91);
    begin(HIGH, buffer, true, LIMIT, TAKT_FOR_EVER);
    begin(MIDDLE, buffer, true, 8, 0);
    CHECK_IS(parts[MIDDLE].result, TAKT_E_TMOUT);
    CHECK_IS(takt_task_terminate(TAKT_TASK_high), TAKT_OK);
    receives(buffer, LIMIT, 90);
    receives(buffer, LIMIT - 12, 91);
    is_empty(buffer);
}

void main_job(intptr_t argument) {
    errors();
    bytes();
    timeouts();
    same_core();
    receivers(ring);
    receivers(direct);
    senders(ring, (int[]){LOW, HIGH, MIDDLE});
    senders(TAKT_MESSAGE_BUFFER_by_priority, (int[]){HIGH, MIDDLE, LOW});
    first_goes(0);
    first_goes(1);
    first_goes(2);
    first_changes();
    higher_goes_first();
    check_end();
}
