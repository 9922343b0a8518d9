/* SPDX-License-Identifier: Apache-2.0 */
/* Six impatient tasks of four cores read and write two words that must be equal, while others hold
 * the lock and end, or are ended, with it or while they wait.
 *
 * For a machine whose harts really run at the same time, as semaphore/storm.c says. */
#include "until.h"

#ifndef ROUNDS /* tests/seeds has fewer */
#define ROUNDS 300
#endif

enum { PARTS = 6, VICTIMS = 3 };

static const takt_id lock = TAKT_READER_WRITER_LOCK_storm;
static volatile unsigned left, right; /* guarded by the lock */
static unsigned read_rounds, written, timeouts, wrong, finished, ended;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static void write_both(void) {
    left++;
    for (volatile int i = 0; i < 20; i++) {
    }
    right++;
    if (left != right) {
        count_up(&wrong);
    }
    count_up(&written);
}

static void read_both(void) {
    unsigned before = left;
    for (volatile int i = 0; i < 20; i++) {
    }
    if (before != right) {
        count_up(&wrong);
    }
    count_up(&read_rounds);
}

void part_job(intptr_t who) {
    unsigned random = (unsigned)who + 1;
    /* The rounds go on if no request has timed out yet, which depends on the host: victims keep
     * holding the lock. */
    for (unsigned round = 0; round < ROUNDS || read_count(&timeouts) == 0; round++) {
        bool writes = next_random(&random) % 3 == 0;
        takt_time timeout = next_random(&random) % 8192 * 2;
        takt_error result = writes ? takt_reader_writer_lock_write_for(lock, timeout)
                                   : takt_reader_writer_lock_read_for(lock, timeout);
        if (result != TAKT_OK) {
            count_up(&timeouts);
            continue;
        }
        if (writes) {
            write_both();
        } else {
            read_both();
        }
        CHECK_IS(takt_reader_writer_lock_unlock(lock), TAKT_OK);
    }
    count_up(&finished);
}

/* Releases nothing. */
void victim_job(intptr_t who) {
    static unsigned randoms[VICTIMS];
    unsigned random = next_random(&randoms[who]) + (unsigned)who;
    if (random % 2 == 0) {
        CHECK_IS(takt_reader_writer_lock_read(lock), TAKT_OK);
    } else {
        CHECK_IS(takt_reader_writer_lock_write(lock), TAKT_OK);
    }
    takt_task_delay(random % 4 * TAKT_MICROSECOND);
}

void main_job(intptr_t argument) {
    unsigned random = 17;
    for (takt_id task = TAKT_TASK_part_0; task < TAKT_TASK_part_0 + PARTS; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    while (read_count(&finished) < PARTS || ended == 0) {
        takt_id victim = TAKT_TASK_victim_0 + next_random(&random) % VICTIMS;
        takt_task_activate(victim);
        takt_task_delay(next_random(&random) % 16 * TAKT_MICROSECOND);
        ended += takt_task_terminate(victim) == TAKT_OK;
    }
    struct takt_reader_writer_lock_state state;
    CHECK_IS(takt_reader_writer_lock_write_for(lock, PATIENCE), TAKT_OK);
    CHECK_IS(takt_reader_writer_lock_state(lock, &state), TAKT_OK);
    CHECK(state.writer == TAKT_TASK_main && state.readers == 0 && state.first == 0);
    printf("%u read, %u written, %u timeouts, %u ended\n", read_rounds, written, timeouts, ended);
    CHECK_IS(wrong, 0);
    CHECK(timeouts > 0 && read_rounds > 0 && written > 0 && ended > 0);
    check_end();
}
