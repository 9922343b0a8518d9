/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of data queues: errors, order of words and tasks, timeouts. */
#include "settled.h"

static const takt_id places = TAKT_DATA_QUEUE_places, direct = TAKT_DATA_QUEUE_direct;

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_DATA_QUEUES + 1, UINT32_MAX};
    intptr_t word;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_data_queue_send(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_data_queue_try_send(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_data_queue_send_for(wrong[i], 1, 0), TAKT_E_ID);
        CHECK_IS(takt_data_queue_force_send(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_data_queue_receive(wrong[i], &word), TAKT_E_ID);
        CHECK_IS(takt_data_queue_try_receive(wrong[i], &word), TAKT_E_ID);
        CHECK_IS(takt_data_queue_receive_for(wrong[i], &word, 0), TAKT_E_ID);
    }
    CHECK_IS(takt_data_queue_send_for(places, 1, -1), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_receive_for(places, &word, -1), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_receive_for(places, 0, 1), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_receive(places, 0), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_try_receive(places, 0), TAKT_E_PAR);
    CHECK_IS(takt_data_queue_force_send(direct, 1), TAKT_E_ILUSE);
}

static void receives(takt_id queue, intptr_t expected) {
    intptr_t word = ~expected;
    CHECK_IS(takt_data_queue_try_receive(queue, &word), TAKT_OK);
    CHECK_IS(word, expected);
}

static void is_empty(takt_id queue) {
    intptr_t word = 0x5a5a;
    CHECK_IS(takt_data_queue_try_receive(queue, &word), TAKT_E_TMOUT);
    CHECK_IS(word, 0x5a5a);
}

/* Three places: words go through the ring's end and back to its start. */
static void words(void) {
    is_empty(places);
    for (intptr_t round = 0; round < 5; round++) {
        CHECK_IS(takt_data_queue_send(places, INTPTR_MIN + round), TAKT_OK);
        CHECK_IS(takt_data_queue_send_for(places, -round, TAKT_SECOND), TAKT_OK);
        receives(places, INTPTR_MIN + round);
        CHECK_IS(takt_data_queue_try_send(places, round), TAKT_OK);
        CHECK_IS(takt_data_queue_send_for(places, INTPTR_MAX, 0), TAKT_OK);
        CHECK_IS(takt_data_queue_try_send(places, 9), TAKT_E_TMOUT);
        CHECK_IS(takt_data_queue_send_for(places, 9, 0), TAKT_E_TMOUT);
        receives(places, -round);
        receives(places, round);
        receives(places, INTPTR_MAX);
        is_empty(places);
    }
    for (intptr_t word = 1; word <= 5; word++) {
        CHECK_IS(takt_data_queue_force_send(places, word), TAKT_OK);
    }
    receives(places, 3); /* 1 and 2 were dropped */
    receives(places, 4);
    receives(places, 5);
    is_empty(places);
    is_empty(direct);
    CHECK_IS(takt_data_queue_try_send(direct, 1), TAKT_E_TMOUT);
    is_empty(direct);
}

static void timeouts(void) {
    intptr_t word = 0x5a5a;
    for (takt_time timeout = 1; timeout < 5 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_data_queue_receive_for(places, &word, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
        before = takt_time_now();
        CHECK_IS(takt_data_queue_send_for(direct, 1, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK_IS(word, 0x5a5a);
    is_empty(direct); /* the word of a sender that gave up is gone */
    CHECK_IS(takt_data_queue_try_send(direct, 2), TAKT_E_TMOUT); /* no task waits any more */
    CHECK_IS(takt_data_queue_send(places, 7), TAKT_OK);
    CHECK_IS(takt_data_queue_receive(places, &word), TAKT_OK);
    CHECK_IS(word, 7);
}

/* --- Tasks that wait ------------------------------------------------------------------------ */

enum { LOW, HIGH, MIDDLE, ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                     TAKT_TASK_above};
static struct {
    takt_id queue;
    bool sends;
    intptr_t word;
    takt_time timeout;
    takt_error result;
} parts[TASKS];
static unsigned done;

void part_job(intptr_t who) {
    takt_id queue = parts[who].queue;
    takt_time timeout = parts[who].timeout;
    parts[who].result = parts[who].sends
                            ? takt_data_queue_send_for(queue, parts[who].word, timeout)
                            : takt_data_queue_receive_for(queue, &parts[who].word, timeout);
    count_up(&done);
}

/* Lets a task make its call; returns when the task waits or has finished. */
static void begin(int who, takt_id queue, bool sends, intptr_t word, takt_time timeout) {
    parts[who].queue = queue, parts[who].sends = sends, parts[who].word = word;
    parts[who].timeout = timeout, parts[who].result = 1;
    run_until_it_waits(tasks[who]);
}

/* A send to a higher task of this core returns after that task has run. */
static void same_core(void) {
    done = 0;
    begin(ABOVE, places, false, 0, TAKT_FOR_EVER);
    CHECK_IS(takt_data_queue_try_send(places, 11), TAKT_OK);
    CHECK_IS(read_count(&done), 1);
    CHECK_IS(parts[ABOVE].word, 11);
    begin(ABOVE, direct, true, 12, TAKT_FOR_EVER);
    receives(direct, 12);
    CHECK_IS(read_count(&done), 2);
    CHECK_IS(parts[ABOVE].result, TAKT_OK);
    begin(ABOVE, places, false, 0, TAKT_FOR_EVER);
    CHECK_IS(takt_data_queue_force_send(places, 13), TAKT_OK);
    CHECK_IS(parts[ABOVE].word, 13);
    is_empty(places);
}

/* Receivers are served in the order in which they came, whatever their priority. */
static void receivers(takt_id queue) {
    done = 0;
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, queue, false, 0, TAKT_FOR_EVER);
    }
    for (int who = LOW; who <= MIDDLE; who++) {
        CHECK_IS(takt_data_queue_send(queue, 20 + who), TAKT_OK);
        wait_until_count(&done, (unsigned)who + 1);
        CHECK_IS(parts[who].result, TAKT_OK);
        CHECK_IS(parts[who].word, 20 + who);
    }
}

/* Senders get a place in the described order; words arrive in the order of the places. */
static void senders(takt_id queue, unsigned capacity, const int *order) {
    done = 0;
    for (unsigned i = 0; i < capacity; i++) {
        CHECK_IS(takt_data_queue_try_send(queue, 100 + (intptr_t)i), TAKT_OK);
    }
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, queue, true, 30 + who, TAKT_FOR_EVER);
    }
    CHECK_IS(takt_data_queue_try_send(queue, 9), TAKT_E_TMOUT);
    for (unsigned i = 0; i < capacity; i++) {
        receives(queue, 100 + (intptr_t)i);
        if (i < 3) {
            wait_until_count(&done, i + 1);
            CHECK_IS(parts[order[i]].result, TAKT_OK);
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        receives(queue, 30 + order[i]);
    }
    wait_until_count(&done, 3);
    is_empty(queue);
}

/* A forced send to a full queue with waiting senders: they keep waiting, behind the new word. */
static void force_over_senders(void) {
    done = 0;
    for (intptr_t word = 1; word <= 3; word++) {
        CHECK_IS(takt_data_queue_try_send(places, word), TAKT_OK);
    }
    begin(LOW, places, true, 5, TAKT_FOR_EVER);
    CHECK_IS(takt_data_queue_force_send(places, 4), TAKT_OK);
    CHECK_IS(read_count(&done), 0);
    for (intptr_t word = 2; word <= 5; word++) {
        receives(places, word);
    }
    is_empty(places);
    wait_until_count(&done, 1);
}

/* A task that gives up leaves the queue intact, and its word does not arrive. */
static void gives_up(bool sends) {
    for (int who = LOW; who <= MIDDLE; who++) {
        done = 0;
        for (int i = LOW; i <= MIDDLE; i++) {
            takt_time timeout = i == who ? 2 * TAKT_MILLISECOND : TAKT_FOR_EVER;
            begin(i, direct, sends, 40 + i, timeout);
        }
        wait_until_count(&done, 1);
        CHECK_IS(parts[who].result, TAKT_E_TMOUT);
        for (int i = LOW; i <= MIDDLE; i++) {
            if (i == who) {
                continue;
            }
            if (sends) {
                receives(direct, 40 + i);
            } else {
                CHECK_IS(takt_data_queue_try_send(direct, 50 + i), TAKT_OK);
            }
        }
        wait_until_count(&done, 3);
        for (int i = LOW; i <= MIDDLE && !sends; i++) {
            CHECK_IS(parts[i].word, i == who ? 40 + i : 50 + i);
        }
        is_empty(direct);
    }
}

void main_job(intptr_t argument) {
    errors();
    words();
    timeouts();
    same_core();
    receivers(places);
    receivers(direct);
    senders(places, 3, (int[]){LOW, HIGH, MIDDLE});
    senders(direct, 0, (int[]){LOW, HIGH, MIDDLE});
    senders(TAKT_DATA_QUEUE_by_priority, 1, (int[]){HIGH, MIDDLE, LOW});
    force_over_senders();
    gives_up(true);
    gives_up(false);
    check_end();
}
