/* SPDX-License-Identifier: Apache-2.0 */
/* Time: one clock for all cores, timeouts up to the end of time, and releases exact to the
 * nanosecond for any tick of the clock. */
#include "time/reciprocal.h"
#include "until.h"

enum { CORES = 4, LOOKS = 20000 };

static takt_time published;
static unsigned backwards, ahead, lookers_done;

static takt_time look(takt_time latest) {
    takt_time others = __atomic_load_n(&published, __ATOMIC_ACQUIRE);
    takt_time now = takt_time_now();
    if (now < latest) {
        count_up(&backwards);
    }
    if (now < others) { /* another core read its clock before this one */
        count_up(&ahead);
    }
    return now;
}

/* All cores read the clock and publish the time, with a pause now and then; see
 * tests/semaphore/race.c. */
void looker_job(intptr_t core) {
    takt_time latest = 0;
    for (int i = 0; i < LOOKS; i++) {
        latest = look(latest);
        __atomic_store_n(&published, latest, __ATOMIC_RELEASE);
        if (i % 128 == 0) {
            takt_task_delay(3 * TAKT_MICROSECOND + core);
        }
    }
    count_up(&lookers_done);
}

static void one_clock(void) {
    for (takt_id task = TAKT_TASK_looker_0; task <= TAKT_TASK_looker_3; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
    }
    wait_until_count(&lookers_done, CORES);
    CHECK_IS(backwards, 0);
    CHECK_IS(ahead, 0);
}

/* --- The end of time ---------------------------------------------------------------------------
 */

static unsigned patient_started, patient_ended, slept_well, waited_well;

void delayed_job(intptr_t argument) {
    count_up(&patient_started);
    takt_task_delay(INT64_MAX);
    count_up(&patient_ended);
}

void almost_job(intptr_t argument) {
    count_up(&patient_started);
    takt_task_delay(INT64_MAX - takt_time_now() - 1);
    count_up(&patient_ended);
}

void asleep_job(intptr_t argument) {
    count_up(&patient_started);
    if (takt_task_sleep_for(INT64_MAX) == TAKT_OK) {
        count_up(&slept_well);
    }
}

void waiting_job(intptr_t argument) {
    count_up(&patient_started);
    if (takt_semaphore_wait_for(TAKT_SEMAPHORE_late, INT64_MAX - 1) == TAKT_OK) {
        count_up(&waited_well);
    }
}

static void patience_starts(void) {
    CHECK_IS(takt_task_activate(TAKT_TASK_delayed), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_almost), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_asleep), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_waiting), TAKT_OK);
    wait_until_count(&patient_started, 4);
}

static void patience_ends(void) {
    CHECK_IS(patient_ended, 0);
    CHECK_IS(slept_well, 0);
    CHECK_IS(waited_well, 0);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_asleep), TAKT_OK);
    wait_until_count(&slept_well, 1);
    CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_late), TAKT_OK);
    wait_until_count(&waited_well, 1);
    CHECK_IS(patient_ended, 0);
}

/* --- Odd periods -------------------------------------------------------------------------------
 */

struct rhythm {
    takt_time period, offset;
    unsigned next; /* the number of the expected release */
    unsigned jobs, lost, wrong, early;
};

static struct rhythm rhythms[] = {
    {.period = 333333, .offset = 0},
    {.period = 777777, .offset = 1},
    {.period = 1000003, .offset = 99999},
    {.period = 123456789, .offset = 50000001},
};

void rhythm_job(intptr_t which) {
    struct rhythm *rhythm = &rhythms[which];
    takt_time since = takt_task_release_time() - rhythm->offset;
    takt_time number = since / rhythm->period;
    rhythm->wrong += since < 0 || since % rhythm->period != 0 || number < (takt_time)rhythm->next;
    rhythm->early += takt_time_now() < takt_task_release_time();
    rhythm->lost += (unsigned)number - rhythm->next; /* only a slow machine loses releases */
    __atomic_store_n(&rhythm->next, (unsigned)number + 1, __ATOMIC_RELEASE);
    count_up(&rhythm->jobs);
}

static void odd_periods(void) {
    unsigned lost = 0;
    wait_until_count(&rhythms[0].jobs, 1000);
    wait_until_count(&rhythms[1].next, 421); /* of 428 in the time of the first one's 1000 */
    wait_until_count(&rhythms[3].jobs, 3);
    for (unsigned i = 0; i < sizeof rhythms / sizeof *rhythms; i++) {
        CHECK_IS(rhythms[i].wrong, 0);
        CHECK_IS(rhythms[i].early, 0);
        CHECK(rhythms[i].jobs > 2);
        lost += rhythms[i].lost;
    }
    printf("releases lost: %u\n", lost);
}

static void divides(uint64_t value, uint64_t divisor) {
    uint64_t rest = 0;
    uint64_t quotient = reciprocal_divide(reciprocal_of(divisor), value, &rest);
    bool right = quotient == value / divisor && rest == value % divisor;
    if (!right) {
        printf("%lu by %lu\n", value, divisor);
    }
    CHECK(right);
}

/* The kernel's conversion from ticks to time is exact: next to multiples, at the ends of the range,
 * and for random values. */
static void exact_divisions(void) {
    static const uint64_t divisors[] = {1,          2,          3,          32768,
                                        10000000,   12345677,   1000000000, 18000000000,
                                        1ull << 32, 1ull << 63, UINT64_MAX};
    uint64_t random = 1;
    for (unsigned i = 0; i < sizeof divisors / sizeof *divisors; i++) {
        uint64_t divisor = divisors[i], most = UINT64_MAX / divisor;
        for (unsigned turn = 0; turn < 200; turn++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint64_t value = random >> random % 64,
                     multiple = (value <= most ? value : most) * divisor;
            divides(value, divisor);
            divides(multiple - 1, divisor);
            divides(multiple, divisor);
            divides(multiple + 1, divisor);
            divides(UINT64_MAX - turn, divisor);
            divides(turn, divisor);
        }
    }
}

void main_job(intptr_t argument) {
    patience_starts();
    exact_divisions();
    one_clock();
    odd_periods();
    patience_ends();
    check_end();
}
