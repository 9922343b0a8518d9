/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve tasks of four cores wait for each other and govern each other at random: each may be ended
 * in any state, also while its own order is under way. In the end all that is left is in order.
 *
 * For a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef STIRS /* tests/seeds has fewer */
#define STIRS  400
#define ENOUGH 20 /* calls of each kind */
#endif

#ifdef MIGRATES /* tests/migrate */
enum { KINDS = 12 };
#else
enum { KINDS = 8 };
#endif
enum { TASKS = 12, FIRST = TAKT_TASK_storm_0 };

static unsigned orders[KINDS], refused, ended_whole, begun, calm_jobs;
static volatile bool calm;
static unsigned seeds[TASKS];

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void count_result(unsigned kind, takt_error result) {
    CHECK(result == TAKT_OK || result == TAKT_E_OBJ || result == TAKT_E_QOVR ||
          result == TAKT_E_ILUSE);
    count_up(result == TAKT_OK ? &orders[kind] : &refused);
}

static void govern(unsigned random, takt_id other) {
    unsigned kind = random % KINDS;
    switch (kind) {
    case 0:
        count_result(kind, takt_task_terminate(other));
        break;
    case 1:
        count_result(kind, takt_task_suspend(other));
        break;
    case 2:
    case 3:
        count_result(kind, takt_task_resume(other));
        break;
    case 4:
        count_result(kind, takt_task_release_wait(other));
        break;
    case 5:
        count_result(kind, takt_task_set_priority(other, 30 + random / 8 % 4));
        break;
    case 6:
        count_result(kind, takt_task_wakeup(other));
        break;
    case 7:
        count_result(kind, takt_task_activate(other));
        break;
    case 8:
        count_result(kind, takt_task_activate_on(other, random / 16 % 4));
        break;
    case 9: /* the caller itself */
        count_result(kind, takt_task_migrate(takt_task_self(), random / 16 % 4));
        break;
    default:
        count_result(kind, takt_task_migrate(other, random / 16 % 4));
    }
}

/* Waits for something, with a timeout that may be shorter than any wait. */
static void wait(unsigned random) {
    takt_time timeout = random / 8 % 4096;
    intptr_t word;
    uint32_t found;
    uint8_t bytes[24];
    size_t size;
    switch (random % 10) {
    case 0:
        takt_task_sleep_for(timeout);
        break;
    case 1:
        takt_task_delay(timeout);
        break;
    case 2:
        any_result(takt_semaphore_wait_for(TAKT_SEMAPHORE_storm, timeout));
        break;
    case 3:
        takt_semaphore_signal(TAKT_SEMAPHORE_storm);
        break;
    case 4:
        any_result(takt_data_queue_send_for(TAKT_DATA_QUEUE_storm, 1, timeout));
        break;
    case 5:
        any_result(takt_data_queue_receive_for(TAKT_DATA_QUEUE_storm, &word, timeout));
        break;
    case 7:
        any_result(takt_message_buffer_send_for(
            TAKT_MESSAGE_BUFFER_storm, "a message of any length", random / 64 % 24 + 1, timeout));
        break;
    case 8:
        any_result(
            takt_message_buffer_receive_for(TAKT_MESSAGE_BUFFER_storm, bytes, &size, timeout));
        break;
    case 6:
        any_result(takt_flag_wait_for(TAKT_FLAG_storm, 1u << random / 8 % 2, TAKT_FLAG_ANY, &found,
                                      timeout));
        break;
    default:
        takt_flag_set(TAKT_FLAG_storm, 1u << random / 8 % 2);
    }
}

void storm_job(intptr_t who) {
    if (calm) {
        count_up(&calm_jobs);
        return;
    }
    count_up(&begun);
    for (int turn = 0; turn < 50 && !calm; turn++) {
        unsigned random = next_random(&seeds[who]);
        if (random % 3 == 0) {
            govern(next_random(&seeds[who]), FIRST + next_random(&seeds[who]) % TASKS);
        } else if (random % 16 == 1) {
            any_result(takt_dispatch_disable());
            govern(5, FIRST + (takt_id)who); /* a call for its own core */
            takt_dispatch_enable();
        } else {
            wait(next_random(&seeds[who]));
        }
    }
    count_up(&ended_whole);
}

/* Lets every task go on: suspended, waiting and ended ones. */
static void stir(void) {
    for (takt_id task = FIRST; task < FIRST + TASKS; task++) {
        takt_task_resume(task);
        if (calm) {
            takt_task_release_wait(task);
        } else {
            takt_task_activate(task);
        }
    }
}

/* Whether enough calls of each kind were made. */
static bool all_given(void) {
    bool enough = true;
    for (int kind = 0; kind < KINDS; kind++) {
        enough &= read_count(&orders[kind]) > ENOUGH;
    }
    return enough;
}

static bool all_dormant(void) {
    for (takt_id task = FIRST; task < FIRST + TASKS; task++) {
        unsigned priority;
        if (takt_task_priority(task, &priority) != TAKT_E_OBJ) {
            return false;
        }
    }
    return true;
}

void main_job(intptr_t argument) {
    for (unsigned who = 0; who < TASKS; who++) {
        seeds[who] = who * 977 + 1;
    }
    for (int i = 0; i < STIRS || (!all_given() && takt_time_now() < PATIENCE); i++) {
        stir();
        takt_task_delay(50 * TAKT_MICROSECOND);
    }
    calm = true;
    for (int i = 0; i < 1000 && !all_dormant(); i++) {
        stir();
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK(all_dormant());
    printf("%u jobs, %u whole; ended %u, suspended %u, resumed %u, released %u, priorities %u, "
           "woken %u, activated %u, refused %u\n",
           begun, ended_whole, orders[0], orders[1], orders[2] + orders[3], orders[4], orders[5],
           orders[6], orders[7], refused);
    CHECK(all_given());

    /* Nothing is left in any queue, and all tasks run as at the start. */
    intptr_t word = 0;
    uint32_t found;
    uint8_t bytes[24] = {0};
    size_t size;
    while (takt_semaphore_try(TAKT_SEMAPHORE_storm) == TAKT_OK) {
    }
    while (takt_data_queue_try_receive(TAKT_DATA_QUEUE_storm, &word) == TAKT_OK) {
    }
    while (takt_message_buffer_try_receive(TAKT_MESSAGE_BUFFER_storm, bytes, &size) == TAKT_OK) {
        CHECK(size <= sizeof bytes && bytes[0] == 'a');
    }
    takt_flag_clear(TAKT_FLAG_storm, 0);
    calm_jobs = 0;
    for (takt_id task = FIRST; task < FIRST + TASKS; task++) {
        unsigned count;
        CHECK_IS(takt_task_cancel_activations(task, &count), TAKT_OK);
        CHECK_IS(count, 0);
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&calm_jobs, TASKS);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_storm), TAKT_OK);
    CHECK_IS(takt_semaphore_try(TAKT_SEMAPHORE_storm), TAKT_OK);
    CHECK_IS(takt_data_queue_try_send(TAKT_DATA_QUEUE_storm, 7), TAKT_OK);
    CHECK_IS(takt_data_queue_try_receive(TAKT_DATA_QUEUE_storm, &word), TAKT_OK);
    CHECK_IS(word, 7);
    CHECK_IS(takt_message_buffer_try_send(TAKT_MESSAGE_BUFFER_storm, "whole", 5), TAKT_OK);
    CHECK_IS(takt_message_buffer_try_receive(TAKT_MESSAGE_BUFFER_storm, bytes, &size), TAKT_OK);
    CHECK(size == 5 && bytes[4] == 'e');
    CHECK_IS(takt_flag_set(TAKT_FLAG_storm, 4), TAKT_OK);
    CHECK_IS(takt_flag_try(TAKT_FLAG_storm, 4, TAKT_FLAG_ALL, &found), TAKT_OK);
    check_end();
}
