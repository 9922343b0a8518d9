/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic handlers and alarms of this core and of another one: when they are called, what stops
 * them, what they may do, and every error. */
#include "until.h"

enum { STEADY_CALLS = 400, LINKS = 10 };

static const takt_id wrong[] = {0, 100, UINT32_MAX};

/* --- A cyclic handler that runs from time 0: period 250001 ns, offset 100003 ns ----------------
 */

static unsigned steady_calls, steady_early, steady_outside;
static takt_time steady_least = INT64_MAX, steady_first, steady_most;

void steady_handler(intptr_t argument) {
    takt_time late = takt_time_now() - (100003 + (takt_time)steady_calls * 250001);
    steady_early += late < 0;
    steady_outside += takt_task_self() != TAKT_ID_NONE || argument != -7;
    steady_first = steady_calls == 0 ? late : steady_first;
    steady_most = late > steady_most ? late : steady_most;
    if (steady_calls >= STEADY_CALLS / 2 && late < steady_least) {
        steady_least = late;
    }
    count_up(&steady_calls);
}

static void is_steady(void) {
    wait_until_count(&steady_calls, STEADY_CALLS);
    CHECK_IS(takt_cyclic_stop(TAKT_CYCLIC_steady), TAKT_OK);
    CHECK_IS(steady_early, 0);
    CHECK_IS(steady_outside, 0);
    CHECK(steady_least < 100 * TAKT_MICROSECOND); /* delays do not add up */
    printf("steady: first %ld, latest %ld, of the later half the least late %ld ns\n",
           (long)steady_first, (long)steady_most, (long)steady_least);
}

/* --- Started and stopped -----------------------------------------------------------------------
 */

static unsigned calls[2];
static takt_time called_at[2];

void cyclic_handler(intptr_t which) {
    called_at[which] = takt_time_now();
    count_up(&calls[which]);
}

static void starts_and_stops(takt_id cyclic, int which) {
    calls[which] = 0;
    CHECK_IS(takt_cyclic_stop(cyclic), TAKT_OK); /* it was not started */
    takt_time before = takt_time_now();
    CHECK_IS(takt_cyclic_start(cyclic), TAKT_OK);
    wait_until_count(&calls[which], 1);
    CHECK(called_at[which] >= before + 300 * TAKT_MICROSECOND); /* the offset */
    wait_until_count(&calls[which], 5);
    CHECK(called_at[which] >= before + 4300 * TAKT_MICROSECOND);
    CHECK_IS(takt_cyclic_stop(cyclic), TAKT_OK);
    unsigned then = read_count(&calls[which]);
    takt_task_delay(4 * TAKT_MILLISECOND);
    CHECK(read_count(&calls[which]) - then <= 1); /* one call may have begun before the stop */
    /* A handler that is restarted again and again is never called twice within a period. */
    then = read_count(&calls[which]);
    before = takt_time_now();
    takt_time now = before;
    while (now < before + 3 * TAKT_MILLISECOND ||
           (read_count(&calls[which]) == then && now < before + PATIENCE)) {
        CHECK_IS(takt_cyclic_start(cyclic), TAKT_OK);
        takt_task_delay(400 * TAKT_MICROSECOND);
        now = takt_time_now();
    }
    CHECK_IS(takt_cyclic_stop(cyclic), TAKT_OK);
    takt_time passed = takt_time_now() - before;
    CHECK(read_count(&calls[which]) - then >= 1);
    CHECK(read_count(&calls[which]) - then <= passed / TAKT_MILLISECOND + 1);
}

/* --- Alarms ------------------------------------------------------------------------------------
 */

static unsigned rings[3];
static takt_time rang_at[3];

void alarm_handler(intptr_t which) {
    rang_at[which] = takt_time_now();
    count_up(&rings[which]);
}

static void rings_once(takt_id alarm, int which, bool disabled) {
    rings[which] = 0;
    if (disabled) {
        CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    }
    takt_time before = takt_time_now();
    CHECK_IS(takt_alarm_start(alarm, 123457), TAKT_OK);
    if (disabled) {
        CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    }
    wait_until_count(&rings[which], 1);
    CHECK(rang_at[which] >= before + 123457);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(read_count(&rings[which]), 1);
}

static void alarms(takt_id alarm, int which) {
    rings_once(alarm, which, false);
    rings_once(alarm, which, true);
    /* The later start replaces the earlier one, whether it is for an earlier or a later time. */
    rings[which] = 0;
    takt_time before = takt_time_now();
    CHECK_IS(takt_alarm_start(alarm, INT64_MAX), TAKT_OK);
    CHECK_IS(takt_alarm_start(alarm, 2 * TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS(takt_alarm_start_at(alarm, before + 3 * TAKT_MILLISECOND), TAKT_OK);
    wait_until_count(&rings[which], 1);
    CHECK(rang_at[which] >= before + 3 * TAKT_MILLISECOND);
    /* The alarm is started for a past time. */
    CHECK_IS(takt_alarm_start_at(alarm, 0), TAKT_OK);
    wait_until_count(&rings[which], 2);
    CHECK_IS(takt_alarm_start(alarm, 0), TAKT_OK);
    wait_until_count(&rings[which], 3);
    /* The alarm is stopped, and stopped again. */
    CHECK_IS(takt_alarm_start(alarm, 2 * TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS(takt_alarm_stop(alarm), TAKT_OK);
    CHECK_IS(takt_alarm_stop(alarm), TAKT_OK);
    takt_task_delay(4 * TAKT_MILLISECOND);
    CHECK_IS(read_count(&rings[which]), 3);
}

/* Two starts at once: the second call keeps the separation. */
static void keeps_its_distance(void) {
    rings[2] = 0;
    takt_time before = takt_time_now();
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_apart, before), TAKT_OK);
    wait_until_count(&rings[2], 1);
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_apart, before), TAKT_OK);
    wait_until_count(&rings[2], 2);
    CHECK(rang_at[2] >= before + 3 * TAKT_MILLISECOND);
    /* The separation also holds if a start in between was cancelled. */
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_apart, before), TAKT_OK);
    CHECK_IS(takt_alarm_stop(TAKT_ALARM_apart), TAKT_OK);
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_apart, before), TAKT_OK);
    wait_until_count(&rings[2], 3);
    CHECK(rang_at[2] >= before + 6 * TAKT_MILLISECOND);
}

/* The far core is busy in a handler while one of its alarms becomes due, and another core stops or
 * restarts that alarm: the due call is not made any more. */
static unsigned held_up, let_go;

void holding_handler(intptr_t argument) {
    takt_time patience = takt_time_now() + TAKT_SECOND;
    count_up(&held_up);
    while (read_count(&let_go) == 0 && takt_time_now() < patience) {
    }
}

static void forgets_what_was_due(bool anew) {
    rings[1] = held_up = let_go = 0;
    takt_time start = takt_time_now() + TAKT_MILLISECOND, late = start + 5 * TAKT_SECOND;
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_holding, start), TAKT_OK);
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_far, start + 50 * TAKT_MICROSECOND), TAKT_OK);
    wait_until_count(&held_up, 1);
    while (takt_time_now() < start + 100 * TAKT_MICROSECOND) {
    }
    CHECK_IS(anew ? takt_alarm_start_at(TAKT_ALARM_far, late) : takt_alarm_stop(TAKT_ALARM_far),
             TAKT_OK);
    count_up(&let_go);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(read_count(&rings[1]), 0);
    CHECK_IS(takt_alarm_stop(TAKT_ALARM_far), TAKT_OK);
}

/* Each alarm of the chain is on the other core than the one before, and starts the next one exactly
 * a step after its own due time. */
static unsigned links;
static takt_time chain_start, chain_late[LINKS];

void chain_handler(intptr_t core) {
    unsigned link = links;
    takt_time due = chain_start + (takt_time)link * 333333;
    chain_late[link] = takt_time_now() - due;
    count_up(&links); /* before the next one, on the other core, can read it */
    if (link + 1 < LINKS) {
        takt_id next = core == 0 ? TAKT_ALARM_chain_1 : TAKT_ALARM_chain_0;
        CHECK_IS(takt_alarm_start_at(next, due + 333333), TAKT_OK);
    }
}

static void chains(void) {
    chain_start = takt_time_now() + TAKT_MILLISECOND;
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_chain_0, chain_start), TAKT_OK);
    wait_until_count(&links, LINKS);
    for (int link = 0; link < LINKS; link++) {
        CHECK(chain_late[link] >= 0);
    }
}

/* --- What a handler may do ----------------------------------------------------------------------
 */

static takt_error refused[8], allowed[6];
static unsigned tried, activated;

void activated_job(intptr_t argument) {
    count_up(&activated);
}

void trying_handler(intptr_t argument) {
    uint32_t found;
    refused[0] = takt_task_sleep();
    refused[1] = takt_task_delay(1);
    refused[2] = takt_flag_wait(TAKT_FLAG_flag, 1, TAKT_FLAG_ANY, &found);
    refused[3] = takt_task_terminate(TAKT_TASK_activated_0);
    refused[4] = takt_task_suspend(TAKT_TASK_activated_1);
    refused[5] = takt_dispatch_disable();
    refused[6] = takt_dispatch_enable();
    refused[7] = takt_task_sleep_for(1);
    allowed[0] = takt_task_activate(TAKT_TASK_activated_0);
    allowed[1] = takt_task_activate(TAKT_TASK_activated_1);
    allowed[2] = takt_flag_set(TAKT_FLAG_flag, 2);
    allowed[3] = takt_alarm_stop(TAKT_ALARM_trying_0);
    allowed[4] = takt_alarm_stop(TAKT_ALARM_trying_1);
    allowed[5] = takt_flag_try(TAKT_FLAG_flag, 2, TAKT_FLAG_ALL, &found);
    count_up(&tried);
}

static void tries(takt_id alarm) {
    tried = activated = 0;
    CHECK_IS(takt_alarm_start(alarm, 10 * TAKT_MICROSECOND), TAKT_OK);
    wait_until_count(&tried, 1);
    wait_until_count(&activated, 2);
    for (unsigned i = 0; i < sizeof refused / sizeof *refused; i++) {
        CHECK_IS(refused[i], TAKT_E_CTX);
    }
    for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; i++) {
        CHECK_IS(allowed[i], TAKT_OK);
    }
}

/* --- The calendar -------------------------------------------------------------------------------
 */

static void calendar(void) {
    takt_time far = 1700000000 * TAKT_SECOND, time = takt_time_now();
    CHECK(takt_calendar_now() >= time && takt_calendar_now() < time + TAKT_SECOND);
    rings[0] = 0;
    CHECK_IS(takt_alarm_start(TAKT_ALARM_near, 2 * TAKT_MILLISECOND), TAKT_OK);
    CHECK_IS(takt_calendar_set(far), TAKT_OK);
    CHECK(takt_calendar_now() >= far && takt_calendar_now() < far + TAKT_SECOND);
    CHECK(takt_time_now() >= time && takt_time_now() < time + TAKT_SECOND);
    CHECK_IS(read_count(&rings[0]), 0); /* two milliseconds have not passed */
    wait_until_count(&rings[0], 1);
    CHECK(rang_at[0] >= time + 2 * TAKT_MILLISECOND);
    CHECK_IS(takt_calendar_set(-far), TAKT_OK);
    CHECK(takt_calendar_now() >= -far && takt_calendar_now() < -far + TAKT_SECOND);
    CHECK_IS(takt_calendar_set(INT64_MAX), TAKT_E_PAR);
    CHECK_IS(takt_calendar_set(INT64_MIN), TAKT_E_PAR);
    CHECK(takt_calendar_now() < 0); /* unchanged */
}

static void errors(void) {
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_cyclic_start(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_cyclic_stop(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_alarm_start(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_alarm_start_at(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_alarm_stop(wrong[i]), TAKT_E_ID);
    }
    CHECK_IS(takt_cyclic_start(TAKT_CYCLICS + 1), TAKT_E_ID);
    CHECK_IS(takt_alarm_stop(TAKT_ALARMS + 1), TAKT_E_ID);
    CHECK_IS(takt_alarm_start(TAKT_ALARM_near, -1), TAKT_E_PAR);
    CHECK_IS(takt_alarm_start_at(TAKT_ALARM_near, -1), TAKT_E_PAR);
}

void main_job(intptr_t argument) {
    errors();
    starts_and_stops(TAKT_CYCLIC_near, 0);
    starts_and_stops(TAKT_CYCLIC_far, 1);
    alarms(TAKT_ALARM_near, 0);
    alarms(TAKT_ALARM_far, 1);
    keeps_its_distance();
    forgets_what_was_due(false);
    forgets_what_was_due(true);
    chains();
    tries(TAKT_ALARM_trying_0);
    tries(TAKT_ALARM_trying_1);
    calendar();
    is_steady();
    check_end();
}
