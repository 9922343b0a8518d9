/* SPDX-License-Identifier: Apache-2.0 */
/* Twelve tasks of four cores lock, nest and give up mutexes at random, and end, suspend, release
 * and raise each other meanwhile. Whoever holds a mutex finds its own mark until it lets go. In the
 * end all mutexes are free, and all priorities as described. */
#include "until.h"

enum { TASKS = 12, CORES = 4, FIRST = TAKT_TASK_storm_0, LOCAL = 3, SHARED = 2 };

/* The mutexes of a core: two with inheritance, one with a ceiling; then those of all cores. */
enum { MUTEXES = CORES * LOCAL + SHARED };

static volatile intptr_t marks[MUTEXES + 1];
static unsigned seeds[TASKS], locked, timeouts, nested, spun, ended_whole, orders, calm_jobs;
static volatile bool calm, over;

static unsigned next_random(unsigned *state) {
    *state = *state * 1664525 + 1013904223;
    return *state >> 16;
}

static takt_id local_mutex(intptr_t who, unsigned which) {
    return TAKT_MUTEX_core_0_a + (takt_id)(who % CORES * LOCAL) + which;
}

static takt_id shared_mutex(unsigned which) {
    return TAKT_MUTEX_shared_a + which;
}

static void stay(unsigned turns) {
    for (volatile unsigned turn = 0; turn < turns; turn++) {
    }
}

/* Holds a mutex for a while; sleeps in the meantime, or locks another one inside, if that is
 * allowed. */
static void hold(intptr_t who, takt_id mutex, unsigned depth, unsigned random);

static void lock_some(intptr_t who, unsigned depth) {
    unsigned random = next_random(&seeds[who]);
    bool is_shared = random % 4 == 0;
    takt_id mutex =
        is_shared ? shared_mutex(random / 4 % SHARED) : local_mutex(who, random / 4 % LOCAL);
    takt_time timeout = random / 16 % 4 == 0 ? 0 : random / 64 % 1024 * 200;
    takt_error result = takt_mutex_lock_for(mutex, timeout);
    if (result == TAKT_OK) {
        hold(who, mutex, depth, random / 64);
        return;
    }
    CHECK(result == TAKT_E_TMOUT || result == TAKT_E_RLWAI || result == TAKT_E_ILUSE);
    count_up(result == TAKT_E_TMOUT ? &timeouts : &orders);
}

static void hold(intptr_t who, takt_id mutex, unsigned depth, unsigned random) {
    bool is_shared = mutex > TAKT_MUTEX_core_3_c;
    marks[mutex] = who;
    count_up(is_shared ? &spun : &locked);
    if (!is_shared && depth < 2 && random % 2 == 0) {
        count_up(&nested);
        lock_some(who, depth + 1);
    } else if (!is_shared && random % 8 == 1) {
        takt_task_delay(random / 8 % 64 * TAKT_MICROSECOND);
    } else {
        stay(random / 8 % 64);
    }
    CHECK_IS(marks[mutex], who);
    if (random % 32 != 3) { /* otherwise the end of the job unlocks it, or a later turn fails */
        CHECK_IS(takt_mutex_unlock(mutex), TAKT_OK);
    } else if (is_shared) {
        takt_task_exit();
    }
}

static void govern(unsigned random, takt_id other) {
    takt_error result = TAKT_OK;
    switch (random % 8) {
    case 0:
        result = takt_task_terminate(other);
        break;
    case 1:
        result = takt_task_suspend(other);
        break;
    case 2:
    case 3:
        result = takt_task_resume(other);
        break;
    case 4:
        result = takt_task_release_wait(other);
        break;
    case 5:
    case 6:
        result = takt_task_set_priority(other, 29 + random / 8 % 5);
        break;
    default:
        result = takt_task_activate(other);
    }
    CHECK(result == TAKT_OK || result == TAKT_E_OBJ || result == TAKT_E_QOVR ||
          result == TAKT_E_ILUSE);
    count_up(&orders);
}

/* All mutexes that the task uses are free, unless another task examines them at the same time. */
static void look(intptr_t who) {
    for (unsigned which = 0; which < LOCAL + SHARED; which++) {
        takt_id mutex = which < LOCAL ? local_mutex(who, which) : shared_mutex(which - LOCAL);
        CHECK_IS(takt_mutex_lock_for(mutex, TAKT_SECOND), TAKT_OK);
        CHECK_IS(takt_mutex_unlock(mutex), TAKT_OK);
    }
    unsigned priority = 0;
    CHECK_IS(takt_task_priority(FIRST + (takt_id)who, &priority), TAKT_OK);
    CHECK_IS(priority, 30 + who / CORES);
}

void storm_job(intptr_t who) {
    if (over) {
        look(who);
        count_up(&calm_jobs);
        return;
    }
    for (int turn = 0; turn < 50 && !calm; turn++) {
        unsigned random = next_random(&seeds[who]);
        if (random % 4 == 0) {
            govern(next_random(&seeds[who]), FIRST + next_random(&seeds[who]) % TASKS);
        } else {
            lock_some(who, 0);
        }
    }
    count_up(&ended_whole);
}

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
    for (int i = 0; i < 120; i++) {
        stir();
        takt_task_delay(50 * TAKT_MICROSECOND);
    }
    calm = true;
    for (int i = 0; i < 1000 && !all_dormant(); i++) {
        stir();
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK(all_dormant());
    printf("locked %u, nested %u, shared %u, gave up %u, ended whole %u, orders %u\n", locked,
           nested, spun, timeouts, ended_whole, orders);
    CHECK(locked > 100 && nested > 20 && spun > 50 && timeouts > 20 && orders > 100);

    over = true;
    for (takt_id task = FIRST; task < FIRST + TASKS; task++) {
        unsigned count;
        CHECK_IS(takt_task_cancel_activations(task, &count), TAKT_OK);
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&calm_jobs, TASKS);
    check_end();
}
