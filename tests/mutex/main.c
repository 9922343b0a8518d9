/* SPDX-License-Identifier: Apache-2.0 */
/* Tests each service of mutexes: errors, priorities, the order of tasks, and what ends a hold or a
 * wait. Tasks of core 0 play roles; each appends its letter to `story`, which shows the order. */
#include <string.h>

#include "until.h"

static const takt_id ceiling = TAKT_MUTEX_ceiling, lends = TAKT_MUTEX_lends,
                     lends_too = TAKT_MUTEX_lends_too, in_turn = TAKT_MUTEX_in_turn,
                     written = TAKT_MUTEX_written, plain = TAKT_MUTEX_plain,
                     plain_in_turn = TAKT_MUTEX_plain_in_turn, shared = TAKT_MUTEX_shared,
                     shared_too = TAKT_MUTEX_shared_too;

/* --- The story ------------------------------------------------------------------------------ */

static char story[64];
static unsigned length;

static void tell(char what) {
    story[length++ % (sizeof story - 1)] = what;
}

static void was(const char *expected) {
    story[length % sizeof story] = 0;
    CHECK(strcmp(story, expected) == 0);
    if (strcmp(story, expected) != 0) {
        printf("    was \"%s\", expected \"%s\"\n", story, expected);
    }
    length = 0;
}

static unsigned priority_of(takt_id task) {
    unsigned priority = 0;
    takt_task_priority(task, &priority);
    return priority;
}

enum { LOW, MIDDLE, HIGH, FAR_1, FAR_2, FAR_3, EQUAL, ROLES };
static const takt_id tasks[ROLES] = {TAKT_TASK_low,   TAKT_TASK_middle, TAKT_TASK_high,
                                     TAKT_TASK_far_1, TAKT_TASK_far_2,  TAKT_TASK_far_3,
                                     TAKT_TASK_equal};
static void (*roles[ROLES])(void);
static unsigned ended[ROLES];

void role_job(intptr_t who) {
    roles[who]();
    count_up(&ended[who]);
}

/* Lets a task play a role; a task of core 0 has come as far as it can when this returns. */
static void play(int who, void (*role)(void)) {
    roles[who] = role;
    CHECK_IS(takt_task_activate(tasks[who]), TAKT_OK);
    if (who <= MIDDLE) {
        wait_a_while();
    }
}

static void gone(int who) {
    unsigned priority;
    for (int i = 0; i < 1000 && takt_task_priority(tasks[who], &priority) == TAKT_OK; i++) {
        takt_task_delay(100 * TAKT_MICROSECOND);
    }
    CHECK_IS(takt_task_priority(tasks[who], &priority), TAKT_E_OBJ);
}

/* --- Errors --------------------------------------------------------------------------------- */

static void errors(void) {
    const takt_id wrong[] = {0, TAKT_MUTEXES + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_mutex_lock(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_mutex_try(wrong[i]), TAKT_E_ID);
        CHECK_IS(takt_mutex_lock_for(wrong[i], 1), TAKT_E_ID);
        CHECK_IS(takt_mutex_unlock(wrong[i]), TAKT_E_ID);
    }
    const takt_id all[] = {ceiling, lends, in_turn, written, plain, plain_in_turn, shared};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        CHECK_IS(takt_mutex_lock_for(all[i], -1), TAKT_E_PAR);
        CHECK_IS(takt_mutex_unlock(all[i]), TAKT_E_ILUSE);
        CHECK_IS(takt_mutex_lock(all[i]), TAKT_OK);
        CHECK_IS(takt_mutex_lock(all[i]), TAKT_E_ILUSE);
        CHECK_IS(takt_mutex_try(all[i]), TAKT_E_ILUSE);
        CHECK_IS(takt_mutex_unlock(all[i]), TAKT_OK);
        CHECK_IS(takt_mutex_unlock(all[i]), TAKT_E_ILUSE);
        CHECK_IS(takt_mutex_try(all[i]), TAKT_OK);
        CHECK_IS(takt_mutex_unlock(all[i]), TAKT_OK);
        CHECK_IS(takt_mutex_lock_for(all[i], TAKT_SECOND), TAKT_OK);
        CHECK_IS(takt_mutex_unlock(all[i]), TAKT_OK);
    }
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_of_others), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_try(TAKT_MUTEX_of_others), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_lock(TAKT_MUTEX_of_nobody), TAKT_E_ILUSE);

    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_mutex_lock(lends), TAKT_E_CTX);
    CHECK_IS(takt_mutex_lock_for(ceiling, 1), TAKT_E_CTX);
    CHECK_IS(takt_mutex_try(lends), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
}

/* A base priority above the ceiling is refused. */
static void ceilings_forbid(void) {
    const takt_id self = TAKT_TASK_main;
    CHECK_IS(takt_task_set_priority(self, 9), TAKT_OK);
    CHECK_IS(takt_mutex_lock(ceiling), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    CHECK_IS(takt_task_set_priority(self, 10), TAKT_OK);
    CHECK_IS(takt_mutex_lock(ceiling), TAKT_OK);
    CHECK_IS(takt_task_set_priority(self, 9), TAKT_E_ILUSE);
    CHECK_IS(takt_task_set_priority(self, TAKT_PRIORITY_INITIAL), TAKT_OK);
    CHECK_IS(priority_of(self), 10);
    CHECK_IS(takt_mutex_unlock(ceiling), TAKT_OK);
    CHECK_IS(priority_of(self), 20);
}

/* The described ceiling is above all described priorities. */
static void written_ceiling(void) {
    const takt_id self = TAKT_TASK_main;
    CHECK_IS(takt_mutex_lock(written), TAKT_OK);
    CHECK_IS(priority_of(self), 7);
    CHECK_IS(takt_task_set_priority(self, 6), TAKT_E_ILUSE);
    CHECK_IS(takt_task_set_priority(self, 8), TAKT_OK);
    CHECK_IS(priority_of(self), 7);
    CHECK_IS(takt_mutex_unlock(written), TAKT_OK);
    CHECK_IS(priority_of(self), 8);
    CHECK_IS(takt_mutex_try(ceiling), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_try(written), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(written), TAKT_OK);
    CHECK_IS(takt_task_set_priority(self, 6), TAKT_OK);
    CHECK_IS(takt_mutex_try(written), TAKT_E_ILUSE);
    CHECK_IS(takt_task_set_priority(self, TAKT_PRIORITY_INITIAL), TAKT_OK);
}

/* --- Ceiling -------------------------------------------------------------------------------- */

static void just_told_high(void) {
    tell('h');
}

static void just_told_middle(void) {
    tell('m');
}

static void holder_is_above(void) {
    CHECK_IS(takt_mutex_lock(ceiling), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_main), 10);
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    play(HIGH, just_told_high);
    tell('1');
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    tell('2');
    CHECK_IS(takt_mutex_unlock(ceiling), TAKT_OK);
    tell('3');
    was("12h3");
}

static void just_told_equal(void) {
    tell('q');
}

/* Raised and lowered again, it runs before the tasks that came to its priority after it. */
static void holder_keeps_its_turn(void) {
    play(EQUAL, just_told_equal);
    CHECK_IS(takt_mutex_lock(ceiling), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(ceiling), TAKT_OK);
    tell('1');
    wait_a_while();
    was("1q");
}

/* --- Without a protocol ---------------------------------------------------------------------- */

static void just_told_low(void) {
    tell('l');
}

static void takes_plain(void) {
    CHECK_IS(takt_mutex_lock(plain), TAKT_OK);
    tell('l');
    takt_task_sleep();
    tell('u');
    CHECK_IS(takt_mutex_unlock(plain), TAKT_OK);
    tell('v');
}

static void wants_plain(void) {
    CHECK_IS(takt_mutex_try(plain), TAKT_E_TMOUT);
    CHECK_IS(takt_mutex_lock_for(plain, TAKT_MILLISECOND), TAKT_E_TMOUT);
    CHECK_IS(takt_mutex_unlock(plain), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_lock(plain), TAKT_OK);
    tell('h');
    /* The job ends with the mutex locked, which unlocks it. */
}

/* The holder keeps its own priority, whatever waits: a task with a priority in between runs before
 * it. */
static void plain_lends_nothing(void) {
    play(LOW, takes_plain);
    play(HIGH, wants_plain);
    wait_a_while(); /* its first timeout has expired */
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
    CHECK_IS(priority_of(TAKT_TASK_high), 10);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_low), TAKT_OK);
    play(MIDDLE, just_told_middle);
    was("lmuhv");
    CHECK_IS(takt_mutex_try(plain), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_main), 20);
    CHECK_IS(takt_mutex_unlock(plain), TAKT_OK);
    play(LOW, just_told_low);
    was("l");
}

/* --- Inheritance ---------------------------------------------------------------------------- */

static void hold_and_wake_main(void) {
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_main), TAKT_OK); /* main is higher */
    tell('l');
    CHECK_IS(priority_of(TAKT_TASK_low), 20);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK); /* main goes on here */
    tell('e');
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
}

static void the_middle_stays_out(void) {
    roles[LOW] = hold_and_wake_main, roles[MIDDLE] = just_told_middle;
    CHECK_IS(takt_task_activate(TAKT_TASK_low), TAKT_OK);
    CHECK_IS(takt_task_sleep(), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_middle), TAKT_OK);
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    tell('1');
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    gone(LOW);
    was("l1me");
}

/* low holds one mutex and sleeps; middle holds the other one and waits for low; main waits for
 * middle. */
static void hold_lends(void) {
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    takt_task_sleep();
    tell('l');
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    tell('L');
}

static void hold_both(void) {
    CHECK_IS(takt_mutex_lock(lends_too), TAKT_OK);
    CHECK_IS(takt_mutex_lock(lends), TAKT_OK);
    tell('m');
    CHECK_IS(priority_of(TAKT_TASK_middle), 20);
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_middle), 20);
    CHECK_IS(takt_mutex_unlock(lends_too), TAKT_OK);
    tell('M');
    CHECK_IS(priority_of(TAKT_TASK_middle), 25);
}

static void wake_low(void) {
    wait_a_while();
    CHECK_IS(priority_of(TAKT_TASK_middle), 20);
    CHECK_IS(priority_of(TAKT_TASK_low), 20);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_low), TAKT_OK);
}

static void lends_through_a_chain(void) {
    play(LOW, hold_lends);
    play(MIDDLE, hold_both);
    CHECK_IS(priority_of(TAKT_TASK_low), 25);
    play(HIGH, wake_low);
    CHECK_IS(takt_mutex_lock(lends_too), TAKT_OK);
    tell('1');
    CHECK_IS(takt_mutex_unlock(lends_too), TAKT_OK);
    gone(LOW);
    was("lm1ML");
}

/* Along the chain all priorities fall when main gives up, and rise again with main's own priority.
 */
static void probe_chain(void) {
    wait_a_while();
    CHECK_IS(priority_of(TAKT_TASK_middle), 20);
    CHECK_IS(priority_of(TAKT_TASK_low), 20);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_main, 15), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_middle), 15);
    CHECK_IS(priority_of(TAKT_TASK_low), 15);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_main, 22), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_middle), 22);
    CHECK_IS(priority_of(TAKT_TASK_low), 22);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_middle, 12), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_low), 12);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_middle, TAKT_PRIORITY_INITIAL), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_low), 22);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_main, 20), TAKT_OK);
}

static void a_timeout_takes_back(void) {
    play(LOW, hold_lends);
    play(MIDDLE, hold_both);
    play(HIGH, probe_chain);
    takt_time before = takt_time_now();
    CHECK_IS(takt_mutex_lock_for(lends_too, 200 * TAKT_MILLISECOND), TAKT_E_TMOUT);
    CHECK(takt_time_now() - before >= 200 * TAKT_MILLISECOND);
    CHECK_IS(takt_mutex_try(lends_too), TAKT_E_TMOUT);
    CHECK_IS(priority_of(TAKT_TASK_middle), 25);
    CHECK_IS(priority_of(TAKT_TASK_low), 25);
    CHECK_IS(takt_task_terminate(TAKT_TASK_middle), TAKT_OK); /* gives lends_too back */
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
    CHECK_IS(takt_mutex_try(lends_too), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(lends_too), TAKT_OK);
    CHECK_IS(takt_task_terminate(TAKT_TASK_low), TAKT_OK);
    CHECK_IS(takt_mutex_try(lends), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    gone(HIGH);
    was("");
}

/* --- Which task comes next ---------------------------------------------------------------------
 */

static takt_id wanted;
static takt_error results[ROLES];
static takt_time patience;

static void want(int who, char letter) {
    results[who] = takt_mutex_lock_for(wanted, patience);
    tell(letter);
    if (results[who] == TAKT_OK) {
        CHECK_IS(takt_mutex_unlock(wanted), TAKT_OK);
    }
}

static void low_wants(void) {
    want(LOW, 'l');
}

static void middle_wants(void) {
    want(MIDDLE, 'm');
}

static void high_wants(void) {
    want(HIGH, 'h');
}

static void serves(takt_id mutex, unsigned priority, const char *expected) {
    wanted = mutex, patience = TAKT_FOR_EVER;
    CHECK_IS(takt_mutex_lock(mutex), TAKT_OK);
    play(LOW, low_wants);
    play(HIGH, high_wants);
    play(MIDDLE, middle_wants);
    CHECK_IS(priority_of(TAKT_TASK_main), priority);
    CHECK_IS(takt_mutex_unlock(mutex), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_main), 20);
    wait_a_while();
    was(expected);
}

/* --- What ends a wait or a hold ------------------------------------------------------------- */

static void hold_and_return(void) {
    CHECK_IS(takt_mutex_lock(wanted), TAKT_OK);
    takt_task_sleep();
    tell('l');
}

/* `raised` is the holder's priority in the meantime. */
static void ends_of_holders(takt_id mutex, unsigned raised) {
    wanted = mutex, patience = TAKT_FOR_EVER;
    play(LOW, hold_and_return);
    play(HIGH, high_wants);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_low), TAKT_OK);
    gone(LOW);
    was("lh"); /* the end of the job unlocked it */
    CHECK_IS(results[HIGH], TAKT_OK);

    play(LOW, hold_and_return);
    play(HIGH, high_wants);
    CHECK_IS(takt_task_terminate(TAKT_TASK_low), TAKT_OK);
    was("h"); /* at once */
    CHECK_IS(results[HIGH], TAKT_OK);

    /* A suspended task keeps the mutex. */
    play(LOW, hold_and_return);
    CHECK_IS(takt_task_suspend(TAKT_TASK_low), TAKT_OK);
    play(HIGH, high_wants);
    CHECK_IS(priority_of(TAKT_TASK_low), raised);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_low), TAKT_OK);
    wait_a_while();
    was("");
    CHECK_IS(takt_task_resume(TAKT_TASK_low), TAKT_OK);
    if (raised > 20) { /* it is below main */
        was("");
        wait_a_while();
    }
    was("lh");
    CHECK_IS(takt_mutex_try(mutex), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(mutex), TAKT_OK);
}

static void ends_of_waits(void) {
    wanted = lends, patience = TAKT_FOR_EVER;
    play(LOW, hold_and_return);
    play(HIGH, high_wants);
    CHECK_IS(priority_of(TAKT_TASK_low), 10);
    CHECK_IS(takt_task_release_wait(TAKT_TASK_high), TAKT_OK);
    CHECK_IS(results[HIGH], TAKT_E_RLWAI);
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
    play(HIGH, high_wants);
    CHECK_IS(priority_of(TAKT_TASK_low), 10);
    CHECK_IS(takt_task_terminate(TAKT_TASK_high), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_low), 30);
    was("h");
    /* The base priority is low, but the mutex raises it. */
    play(HIGH, high_wants);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_low, 40), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_low), 10);
    CHECK_IS(takt_task_terminate(TAKT_TASK_high), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_low), 40);
    CHECK_IS(takt_task_wakeup(TAKT_TASK_low), TAKT_OK);
    gone(LOW);
    play(LOW, hold_and_return);
    CHECK_IS(priority_of(TAKT_TASK_low), 30); /* the next job begins with the described priority */
    CHECK_IS(takt_task_terminate(TAKT_TASK_low), TAKT_OK);
    was("l");
}

/* Only a task that waits for a mutex with a ceiling, because the holder sleeps, must stay below the
 * ceiling. */
static void waits_for_a_ceiling(void) {
    wanted = ceiling, patience = TAKT_FOR_EVER;
    play(LOW, hold_and_return);
    play(HIGH, high_wants);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_high, 9), TAKT_E_ILUSE);
    CHECK_IS(takt_task_set_priority(TAKT_TASK_high, 11), TAKT_OK);
    CHECK_IS(priority_of(TAKT_TASK_high), 11);
    CHECK_IS(takt_task_terminate(TAKT_TASK_low), TAKT_OK);
    CHECK_IS(results[HIGH], TAKT_OK);
    was("h");
}

/* --- Across cores --------------------------------------------------------------------------- */

static unsigned held, let_go;

static void hold_shared(void) {
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    count_up(&held);
    while (read_count(&let_go) == 0) {
    }
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    tell('f');
}

static void begin_hold(void) {
    held = let_go = 0;
    play(FAR_1, hold_shared);
    wait_until_count(&held, 1);
}

static void keeps_the_core(void) {
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    CHECK(takt_dispatch_disabled());
    CHECK_IS(priority_of(TAKT_TASK_main), 20);
    CHECK_IS(takt_dispatch_enable(), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_lock(shared_too), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_try(shared_too), TAKT_E_ILUSE);
    CHECK_IS(takt_mutex_unlock(shared_too), TAKT_E_ILUSE);
    CHECK_IS(takt_task_delay(0), TAKT_E_CTX);
    CHECK_IS(takt_mutex_lock(lends), TAKT_E_CTX);
    CHECK_IS(takt_mutex_try(lends), TAKT_OK);
    play(HIGH, just_told_high);
    CHECK_IS(takt_mutex_unlock(lends), TAKT_OK);
    tell('1');
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    CHECK(!takt_dispatch_disabled());
    was("1h");

    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    CHECK(takt_dispatch_disabled());
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    CHECK_IS(takt_dispatch_disable(), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    CHECK(takt_dispatch_disabled());
    CHECK_IS(takt_dispatch_enable(), TAKT_OK);
}

static void spins(void) {
    begin_hold();
    CHECK_IS(takt_mutex_try(shared), TAKT_E_TMOUT);
    CHECK(!takt_dispatch_disabled());
    for (takt_time timeout = 1; timeout < 5 * TAKT_MILLISECOND; timeout *= 50) {
        takt_time before = takt_time_now();
        CHECK_IS(takt_mutex_lock_for(shared, timeout), TAKT_E_TMOUT);
        CHECK(takt_time_now() - before >= timeout);
        CHECK(!takt_dispatch_disabled());
    }
    CHECK_IS(takt_mutex_unlock(shared), TAKT_E_ILUSE);
    count_up(&let_go);
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    gone(FAR_1);
    was("f");
}

/* The call to end the job waits for the unlock; then the job ends. */
static void let_go_later(void) {
    wait_a_while();
    count_up(&let_go);
}

static void ends_across_cores(void) {
    begin_hold();
    play(FAR_2, let_go_later);
    CHECK_IS(takt_task_terminate(TAKT_TASK_far_1), TAKT_OK);
    CHECK_IS(read_count(&let_go), 1);
    gone(FAR_1);
    gone(FAR_2);
    was("");
    CHECK_IS(takt_mutex_try(shared), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
}

static void return_with_it(void) {
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
}

static unsigned spinning;

static void spin_and_tell(char letter) {
    count_up(&spinning);
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    tell(letter);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
}

static void spin_1(void) {
    spin_and_tell('1');
}

static void spin_2(void) {
    spin_and_tell('2');
}

static void spin_3(void) {
    spin_and_tell('3');
}

static void busy(takt_time time) {
    for (takt_time end = takt_time_now() + time; takt_time_now() < end;) {
    }
}

/* Waiting cores are served in FIFO order; a job that returns with the mutex locked unlocks it. */
static void serves_in_turn(void) {
    static void (*const spinners[])(void) = {spin_1, spin_2, spin_3};
    static const int order[] = {1, 0, 2};
    spinning = 0;
    CHECK_IS(takt_mutex_lock(shared), TAKT_OK);
    for (unsigned i = 0; i < 3; i++) {
        roles[FAR_1 + order[i]] = spinners[order[i]];
        CHECK_IS(takt_task_activate(tasks[FAR_1 + order[i]]), TAKT_OK);
        while (read_count(&spinning) <= i) {
        }
        busy(20 * TAKT_MILLISECOND); /* it has queued by then */
    }
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
    for (int who = FAR_1; who <= FAR_3; who++) {
        gone(who);
    }
    was("213");
    play(FAR_3, return_with_it);
    gone(FAR_3);
    CHECK_IS(takt_mutex_try(shared), TAKT_OK);
    CHECK_IS(takt_mutex_unlock(shared), TAKT_OK);
}

void main_job(intptr_t argument) {
    errors();
    ceilings_forbid();
    written_ceiling();
    holder_is_above();
    holder_keeps_its_turn();
    the_middle_stays_out();
    plain_lends_nothing();
    lends_through_a_chain();
    a_timeout_takes_back();
    serves(lends, 10, "hml");
    serves(in_turn, 10, "lhm");
    serves(plain, 20, "hml");
    serves(plain_in_turn, 20, "lhm");
    ends_of_holders(lends, 10);
    ends_of_holders(ceiling, 10);
    ends_of_holders(written, 7);
    ends_of_holders(plain, 30);
    ends_of_waits();
    waits_for_a_ceiling();
    keeps_the_core();
    spins();
    ends_across_cores();
    serves_in_turn();
    check_end();
}
