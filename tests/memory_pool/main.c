/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of memory pools: errors, blocks, timeouts, and which task gets a block first.
 */
#include "settled.h"

#include <string.h>

static const takt_id pool = TAKT_MEMORY_POOL_pool;
enum { BLOCKS = 3, SIZE = 100 };

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_MEMORY_POOLS + 1, UINT32_MAX};
    void *block = &block;
    static uint8_t other[64];
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_memory_pool_get(wrong[i], &block), TAKT_E_ID);
        CHECK_IS(takt_memory_pool_try_get(wrong[i], &block), TAKT_E_ID);
        CHECK_IS(takt_memory_pool_get_for(wrong[i], &block, 0), TAKT_E_ID);
        CHECK_IS(takt_memory_pool_release(wrong[i], other), TAKT_E_ID);
    }
    CHECK_IS(takt_memory_pool_get(pool, 0), TAKT_E_PAR);
    CHECK_IS(takt_memory_pool_get_for(pool, &block, -1), TAKT_E_PAR);
    CHECK_IS(takt_memory_pool_release(pool, 0), TAKT_E_PAR);
    CHECK_IS(takt_memory_pool_release(pool, other), TAKT_E_PAR);
    CHECK(block == &block);
}

static uint8_t *take(void) {
    void *block = 0;
    CHECK_IS(takt_memory_pool_try_get(pool, &block), TAKT_OK);
    CHECK((uintptr_t)block % 64 == 0);
    return block;
}

static void none_left(void) {
    void *block = (void *)1;
    CHECK_IS(takt_memory_pool_try_get(pool, &block), TAKT_E_TMOUT);
    CHECK(block == (void *)1);
}

static void blocks(void) {
    uint8_t *taken[BLOCKS];
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < BLOCKS; i++) {
            taken[i] = take();
            memset(taken[i], (int)(round + i), SIZE);
        }
        none_left();
        for (unsigned i = 0; i < BLOCKS; i++) { /* blocks do not overlap */
            for (unsigned at = 0; at < SIZE; at++) {
                CHECK(taken[i][at] == round + i);
            }
            CHECK_IS(takt_memory_pool_release(pool, taken[i] + 1), TAKT_E_PAR);
            CHECK_IS(takt_memory_pool_release(pool, taken[i] + 64), TAKT_E_PAR);
        }
        unsigned first = round % BLOCKS;
        CHECK_IS(takt_memory_pool_release(pool, taken[first]), TAKT_OK);
        CHECK_IS(takt_memory_pool_release(pool, taken[first]), TAKT_E_PAR); /* released twice */
        CHECK_IS(
            takt_memory_pool_release(TAKT_MEMORY_POOL_by_priority, taken[(first + 1) % BLOCKS]),
            TAKT_E_PAR);
        CHECK(take() == taken[first]);
        none_left();
        for (unsigned i = 0; i < BLOCKS; i++) {
            CHECK_IS(takt_memory_pool_release(pool, taken[i]), TAKT_OK);
        }
    }
}

static void timeouts(void) {
    void *taken[BLOCKS], *block = (void *)1;
    for (unsigned i = 0; i < BLOCKS; i++) {
        CHECK_IS(takt_memory_pool_get_for(pool, &taken[i], TAKT_SECOND), TAKT_OK);
    }
    for (takt_time timeout = 1; timeout < 2 * TAKT_MILLISECOND; timeout *= 7) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_memory_pool_get_for(pool, &block, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
    }
    CHECK(block == (void *)1);
    for (unsigned i = 0; i < BLOCKS; i++) {
        CHECK_IS(takt_memory_pool_release(pool, taken[i]), TAKT_OK);
    }
}

/* --- Tasks that wait ------------------------------------------------------------------------ */

enum { LOW, HIGH, MIDDLE, ABOVE, TASKS };

static const takt_id tasks[TASKS] = {TAKT_TASK_low, TAKT_TASK_high, TAKT_TASK_middle,
                                     TAKT_TASK_above};
static takt_id line_pool;
static int impatient;
static unsigned served, gave_up;
static int serving_order[TASKS];
static void *got[TASKS];

void part_job(intptr_t who) {
    if (who == impatient) {
        CHECK_IS(takt_memory_pool_get_for(line_pool, &got[who], 2 * TAKT_MILLISECOND),
                 TAKT_E_TMOUT);
        count_up(&gave_up);
        return;
    }
    CHECK_IS(takt_memory_pool_get(line_pool, &got[who]), TAKT_OK);
    serving_order[read_count(&served)] = (int)who; /* one task is served at a time */
    count_up(&served);
}

static void begin(int who) {
    run_until_it_waits(tasks[who]);
}

/* The pool's only block is handed from task to task. */
static void line(takt_id which, int who_is_impatient, const int *order, unsigned count) {
    void *block = 0;
    line_pool = which;
    impatient = who_is_impatient;
    served = gave_up = 0;
    CHECK_IS(takt_memory_pool_get(which, &block), TAKT_OK);
    for (int who = LOW; who <= MIDDLE; who++) {
        begin(who);
    }
    if (impatient >= 0) {
        wait_until_count(&gave_up, 1);
    }
    for (unsigned i = 0; i < count; i++) {
        CHECK_IS(takt_memory_pool_release(which, block), TAKT_OK);
        wait_until_count(&served, i + 1);
        CHECK_IS(serving_order[i], order[i]);
        CHECK(got[order[i]] == block);
    }
    CHECK_IS(takt_memory_pool_release(which, block), TAKT_OK);
    CHECK_IS(takt_memory_pool_release(which, block), TAKT_E_PAR);
}

static void same_core(void) {
    void *block = 0;
    line_pool = TAKT_MEMORY_POOL_fifo;
    impatient = -1;
    served = 0;
    CHECK_IS(takt_memory_pool_get(line_pool, &block), TAKT_OK);
    begin(ABOVE);
    CHECK_IS(takt_memory_pool_release(line_pool, block), TAKT_OK);
    CHECK_IS(read_count(&served), 1);
    CHECK_IS(takt_memory_pool_release(line_pool, got[ABOVE]), TAKT_OK);
}

void main_job(intptr_t argument) {
    errors();
    blocks();
    timeouts();
    same_core();
    line(TAKT_MEMORY_POOL_fifo, -1, (int[]){LOW, HIGH, MIDDLE}, 3);
    line(TAKT_MEMORY_POOL_by_priority, -1, (int[]){HIGH, MIDDLE, LOW}, 3);
    line(TAKT_MEMORY_POOL_fifo, LOW, (int[]){HIGH, MIDDLE}, 2);
    line(TAKT_MEMORY_POOL_fifo, HIGH, (int[]){LOW, MIDDLE}, 2);
    line(TAKT_MEMORY_POOL_fifo, MIDDLE, (int[]){LOW, HIGH}, 2);
    check_end();
}
