/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of priority data queues: errors, order of words and tasks, timeouts. */
#include "settled.h"

static const takt_id places = TAKT_PRIORITY_DATA_QUEUE_places, one = TAKT_PRIORITY_DATA_QUEUE_one;
static const takt_id by_priority = TAKT_PRIORITY_DATA_QUEUE_by_priority;

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_PRIORITY_DATA_QUEUES + 1, UINT32_MAX};
    intptr_t word;
    unsigned priority;
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_priority_data_queue_send(wrong[i], 1, 1), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_try_send(wrong[i], 1, 1), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_send_for(wrong[i], 1, 1, 0), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_receive(wrong[i], &word, &priority), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_try_receive(wrong[i], &word, &priority), TAKT_E_ID);
        CHECK_IS(takt_priority_data_queue_receive_for(wrong[i], &word, &priority, 0), TAKT_E_ID);
    }
    const unsigned none[] = {0, 5, UINT32_MAX};
    for (unsigned i = 0; i < sizeof none / sizeof *none; i++) {
        CHECK_IS(takt_priority_data_queue_send(places, 1, none[i]), TAKT_E_PAR);
        CHECK_IS(takt_priority_data_queue_try_send(places, 1, none[i]), TAKT_E_PAR);
    }
    CHECK_IS(takt_priority_data_queue_try_send(one, 1, 2), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_try_send(by_priority, 1, 65), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_send_for(places, 1, 1, -1), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_receive_for(places, &word, &priority, -1), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_receive_for(places, 0, &priority, 1), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_receive(places, &word, 0), TAKT_E_PAR);
    CHECK_IS(takt_priority_data_queue_try_receive(places, 0, 0), TAKT_E_PAR);
#ifndef COMMON
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_priority_data_queue_send(places, 1, 1), TAKT_E_CTX);
    CHECK_IS(takt_priority_data_queue_receive_for(places, &word, &priority, 1), TAKT_E_CTX);
    CHECK_IS(takt_priority_data_queue_try_receive(places, &word, &priority), TAKT_E_TMOUT);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
#endif
}

static void sends(takt_id queue, intptr_t word, unsigned priority) {
    CHECK_IS(takt_priority_data_queue_try_send(queue, word, priority), TAKT_OK);
}

static void receives(takt_id queue, intptr_t expected, unsigned with) {
    intptr_t word = ~expected;
    unsigned priority = 0;
    CHECK_IS(takt_priority_data_queue_try_receive(queue, &word, &priority), TAKT_OK);
    CHECK_IS(word, expected);
    CHECK_IS(priority, with);
}

static void is_empty(takt_id queue) {
    intptr_t word = 0x5a5a;
    unsigned priority = 77;
    CHECK_IS(takt_priority_data_queue_try_receive(queue, &word, &priority), TAKT_E_TMOUT);
    CHECK_IS(word, 0x5a5a);
    CHECK_IS(priority, 77);
}

static void holds(takt_id queue, uint32_t count) {
#ifndef COMMON
    struct takt_priority_data_queue_state state;
    CHECK_IS(takt_priority_data_queue_state(queue, &state), TAKT_OK);
    CHECK_IS(state.count, count);
    CHECK(state.sender == 0 && state.receiver == 0);
#endif
}

/* All combinations of three words with two priorities are compared with a sorted list. */
static void order_of_words(void) {
    is_empty(places);
    for (unsigned priorities = 0; priorities < 4 * 4 * 4; priorities++) {
        unsigned of[3] = {1 + priorities % 4, 1 + priorities / 4 % 4, 1 + priorities / 16};
        for (int i = 0; i < 3; i++) {
            sends(places, INTPTR_MIN + i, of[i]);
        }
        CHECK_IS(takt_priority_data_queue_try_send(places, 9, 1), TAKT_E_TMOUT);
        CHECK_IS(takt_priority_data_queue_send_for(places, 9, 1, 0), TAKT_E_TMOUT);
        holds(places, 3);
        for (unsigned level = 1; level <= 4; level++) {
            for (int i = 0; i < 3; i++) {
                if (of[i] == level) {
                    receives(places, INTPTR_MIN + i, level);
                }
            }
        }
        is_empty(places);
    }
    sends(places, 1,
          2); /* a later word of higher priority goes before, one of equal priority behind */
    sends(places, 2, 2);
    receives(places, 1, 2);
    sends(places, 3, 2);
    sends(places, 4, 1);
    receives(places, 4, 1);
    receives(places, 2, 2);
    receives(places, 3, 2);
    is_empty(places);
    sends(by_priority, INTPTR_MAX, 64);
    receives(by_priority, INTPTR_MAX, 64);
    is_empty(by_priority);
}

static void timeouts(void) {
    intptr_t word = 0x5a5a;
    unsigned priority = 77;
    sends(one, 3, 1);
    for (takt_time timeout = 1; timeout < 5 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_priority_data_queue_receive_for(places, &word, &priority, timeout),
                 TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
        before = takt_time_now();
        CHECK_IS(takt_priority_data_queue_send_for(one, 1, 1, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK_IS(word, 0x5a5a);
    CHECK_IS(priority, 77);
    receives(one, 3, 1);
    is_empty(one); /* the word of a sender that gave up is gone */
    CHECK_IS(takt_priority_data_queue_send(one, 7, 1), TAKT_OK);
    CHECK_IS(takt_priority_data_queue_receive(one, &word, &priority), TAKT_OK);
    CHECK_IS(word, 7);
    CHECK_IS(priority, 1);
}

/* --- Tasks that wait ------------------------------------------------------------------------ */

enum { LOW, HIGH, MIDDLE, ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                     TAKT_TASK_above};
static struct {
    takt_id queue;
    bool sends;
    intptr_t word;
    unsigned priority;
    takt_time timeout;
    takt_error result;
} parts[TASKS];
static unsigned done;

void part_job(intptr_t who) {
    takt_id queue = parts[who].queue;
    takt_time timeout = parts[who].timeout;
    parts[who].result = parts[who].sends
                            ? takt_priority_data_queue_send_for(queue, parts[who].word,
                                                                parts[who].priority, timeout)
                            : takt_priority_data_queue_receive_for(queue, &parts[who].word,
                                                                   &parts[who].priority, timeout);
    count_up(&done);
}

/* Lets a task make its call; returns when the task waits or has finished. */
static void begin(int who, takt_id queue, bool sends, intptr_t word, unsigned priority,
                  takt_time timeout) {
    parts[who].queue = queue, parts[who].sends = sends;
    parts[who].word = word, parts[who].priority = priority;
    parts[who].timeout = timeout, parts[who].result = 1;
    run_until_it_waits(tasks[who]);
}

/* A send to a higher task of this core returns after that task has run. */
static void same_core(void) {
    done = 0;
    begin(ABOVE, places, false, 0, 0, TAKT_FOR_EVER);
    sends(places, 11, 3);
    CHECK_IS(read_count(&done), 1);
    CHECK_IS(parts[ABOVE].word, 11);
    CHECK_IS(parts[ABOVE].priority, 3);
    sends(one, 12, 1);
    begin(ABOVE, one, true, 13, 1, TAKT_FOR_EVER);
    receives(one, 12, 1);
    CHECK_IS(read_count(&done), 2);
    CHECK_IS(parts[ABOVE].result, TAKT_OK);
    receives(one, 13, 1);
    is_empty(one);
}

/* Receivers are served in the order in which they came, whatever their priority and that of the
 * words. */
static void receivers(takt_id queue) {
    done = 0;
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, queue, false, 0, 0, TAKT_FOR_EVER);
    }
    for (int who = LOW; who <= MIDDLE; who++) {
        CHECK_IS(takt_priority_data_queue_send(queue, 20 + who, 3 - (unsigned)who), TAKT_OK);
        wait_until_count(&done, (unsigned)who + 1);
        CHECK_IS(parts[who].result, TAKT_OK);
        CHECK_IS(parts[who].word, 20 + who);
        CHECK_IS(parts[who].priority, 3 - who);
    }
    is_empty(queue);
}

/* Senders get the only place in the described order, whatever the priority of their words. */
static void senders(takt_id queue, const int *order) {
    done = 0;
    sends(queue, 100, 1);
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who, queue, true, 30 + who, 1, TAKT_FOR_EVER);
    }
    CHECK_IS(takt_priority_data_queue_try_send(queue, 9, 1), TAKT_E_TMOUT);
    receives(queue, 100, 1);
    for (unsigned i = 0; i < 3; i++) {
        wait_until_count(&done, i + 1);
        CHECK_IS(parts[order[i]].result, TAKT_OK);
        receives(queue, 30 + order[i], 1);
    }
    is_empty(queue);
}

/* When the word of a waiting sender gets a place, it goes before lower words that were there
 * already. */
static void word_finds_its_line(void) {
    done = 0;
    sends(places, 1, 2);
    sends(places, 2, 4);
    sends(places, 3, 4);
    begin(LOW, places, true, 5, 3, TAKT_FOR_EVER);
    begin(HIGH, places, true, 6, 2, TAKT_FOR_EVER);
    receives(places, 1, 2);
    wait_until_count(&done, 1);
    receives(places, 5, 3);
    wait_until_count(&done, 2);
    receives(places, 6, 2);
    receives(places, 2, 4);
    receives(places, 3, 4);
    is_empty(places);
}

/* A task that gives up, or is terminated, leaves the queue intact, and its word does not arrive. */
static void leaves(bool gives_up) {
    for (int who = LOW; who <= MIDDLE; who++) {
        done = 0;
        sends(one, 100, 1);
        for (int i = LOW; i <= MIDDLE; i++) {
            bool is_short = gives_up && i == who;
            begin(i, one, true, 40 + i, 1, is_short ? 2 * TAKT_MILLISECOND : TAKT_FOR_EVER);
        }
        if (gives_up) {
            wait_until_count(&done, 1);
            CHECK_IS(parts[who].result, TAKT_E_TMOUT);
        } else {
#ifndef COMMON
            CHECK_IS(takt_task_terminate(tasks[who]), TAKT_OK);
#endif
        }
        receives(one, 100, 1);
        for (int i = LOW; i <= MIDDLE; i++) {
            if (i != who) {
                receives(one, 40 + i, 1);
            }
        }
        wait_until_count(&done, gives_up ? 3 : 2);
        is_empty(one);
    }
}

void main_job(intptr_t argument) {
    errors();
    order_of_words();
    timeouts();
    same_core();
    receivers(places);
    receivers(by_priority);
    senders(one, (int[]){LOW, HIGH, MIDDLE});
    senders(by_priority, (int[]){HIGH, MIDDLE, LOW});
    word_finds_its_line();
    leaves(true);
#ifndef COMMON
    leaves(false);
#endif
    check_end();
}
