/* SPDX-License-Identifier: Apache-2.0 */
/* Activation, termination, wake-up and suspension of tasks on the same core and on another one. */
#include "sequence.h"

enum { HIGH = TAKT_TASK_high, LOW = TAKT_TASK_low, FAR = TAKT_TASK_far, MAIN = TAKT_TASK_main };

/* --- Tasks of the same core --------------------------------------------------------------------
 */

static int part;

static void high_sleeps(void) {
    POINT(2);
    CHECK_IS(slp_tsk(), E_OK);
    POINT(4);
    CHECK_IS(slp_tsk(), E_RLWAI);
    POINT(6);
    CHECK_IS(tslp_tsk(TMO_POL), E_TMOUT);
    CHECK_IS(slp_tsk(), E_OK); /* woken while it is suspended */
    POINT(9);
}

static void high_is_ended(void) {
    static int round;
    POINT(round == 0 ? 11 : 12);
    if (round++ == 0) {
        CHECK_IS(act_tsk(HIGH), E_OK);
        CHECK_IS(act_tsk(HIGH), E_QOVR);
        slp_tsk();
        CHECK(!"it was terminated");
    }
}

void high_job(EXINF argument) {
    part == 0 ? high_sleeps() : high_is_ended();
}

void low_job(EXINF argument) {
    POINT(15);
    ext_tsk();
    CHECK(!"it has ended");
}

static void of_a_dormant_task(void) {
    PRI priority;
    CHECK_IS(status_of(HIGH), TTS_DMT);
    CHECK_IS(ter_tsk(HIGH), E_OBJ);
    CHECK_IS(wup_tsk(HIGH), E_OBJ);
    CHECK_IS(can_wup(HIGH), E_OBJ);
    CHECK_IS(sus_tsk(HIGH), E_OBJ);
    CHECK_IS(rsm_tsk(HIGH), E_OBJ);
    CHECK_IS(rel_wai(HIGH), E_OBJ);
    CHECK_IS(chg_pri(HIGH, 3), E_OBJ);
    CHECK_IS(get_pri(HIGH, &priority), E_OBJ);
    CHECK_IS(ras_ter(HIGH), E_OBJ);
    CHECK_IS(can_act(HIGH), 0);
}

static void of_the_caller(void) {
    CHECK_IS(ter_tsk(MAIN), E_ILUSE);
    CHECK_IS(rsm_tsk(MAIN), E_OBJ);
    CHECK_IS(rel_wai(MAIN), E_OBJ);
    CHECK_IS(ter_tsk(TSK_SELF), E_ID);
    CHECK_IS(rsm_tsk(TSK_SELF), E_ID);
    CHECK_IS(rel_wai(TSK_SELF), E_ID);
    CHECK_IS(chg_pri(TSK_SELF, TMAX_TPRI + 1), E_PAR);
    CHECK_IS(wup_tsk(TSK_SELF), E_OK);
    CHECK_IS(can_wup(TSK_SELF), 1);
    CHECK_IS(can_wup(TSK_SELF), 0);
    CHECK_IS(act_tsk(TSK_SELF), E_OK);
    CHECK_IS(can_act(TSK_SELF), 1);
}

static void own_core(void) {
    of_a_dormant_task();
    of_the_caller();
    POINT(1);
    CHECK_IS(act_tsk(HIGH), E_OK);
    POINT(3);
    CHECK_IS(status_of(HIGH), TTS_WAI);
    CHECK_IS(wup_tsk(HIGH), E_OK);
    POINT(5);
    CHECK_IS(rel_wai(HIGH), E_OK);
    POINT(7);
    CHECK_IS(sus_tsk(HIGH), E_OK);
    CHECK_IS(status_of(HIGH), TTS_WAS);
    CHECK_IS(sus_tsk(HIGH), E_QOVR);
    CHECK_IS(wup_tsk(HIGH), E_OK);
    CHECK_IS(status_of(HIGH), TTS_SUS);
    CHECK_IS(rel_wai(HIGH), E_OBJ);
    POINT(8);
    CHECK_IS(rsm_tsk(HIGH), E_OK);
    POINT(10);
    part = 1;
    CHECK_IS(act_tsk(HIGH), E_OK);
    /* After the termination the queued job begins. */
    CHECK_IS(ter_tsk(HIGH), E_OK);
    POINT(13);
    CHECK_IS(status_of(HIGH), TTS_DMT);
    CHECK_IS(act_tsk(LOW), E_OK);
    CHECK_IS(status_of(LOW), TTS_RDY);
    CHECK_IS(sus_tsk(LOW), E_OK);
    CHECK_IS(dly_tsk(1000), E_OK);
    POINT(14);
    CHECK_IS(rsm_tsk(LOW), E_OK);
    CHECK_IS(dly_tsk(1000), E_OK);
    POINT(16);
    CHECK_IS(status_of(LOW), TTS_DMT);
}

/* --- A task of another core --------------------------------------------------------------------
 */

static void far_sleeps(void) {
    POINT(1);
    CHECK_IS(slp_tsk(), E_OK);
    POINT(2);
    CHECK_IS(slp_tsk(), E_RLWAI);
    POINT(3);
    CHECK_IS(dly_tsk(1000000), E_RLWAI);
    POINT(4);
    CHECK_IS(sus_tsk(TSK_SELF), E_OK);
    POINT(5);
    CHECK_IS(wup_tsk(MAIN), E_OK);
    CHECK_IS(slp_tsk(), E_OK);
    CHECK(!"it was terminated");
}

void far_job(EXINF argument) {
    if (part == 1) {
        far_sleeps();
    } else {
        POINT(part == 2 ? 6 : 7);
        part++;
    }
}

static void other_core(void) {
    CHECK_IS(act_tsk(FAR), E_OK);
    wait_for_point(2, 1);
    CHECK_IS(status_of(FAR), TTS_WAI);
    CHECK_IS(core_of(FAR), 2);
    CHECK_IS(wup_tsk(FAR), E_OK);
    wait_for_point(2, 2);
    CHECK_IS(rel_wai(FAR), E_OK);
    wait_for_point(2, 3);
    CHECK_IS(rel_wai(FAR), E_OK);
    wait_for_point(2, 4);
    CHECK_IS(status_of(FAR), TTS_SUS);
    CHECK_IS(sus_tsk(FAR), E_QOVR);
    CHECK_IS(rsm_tsk(FAR), E_OK);
    CHECK_IS(slp_tsk(), E_OK);
    wait_a_while();
    CHECK_IS(status_of(FAR), TTS_WAI);
    CHECK_IS(rsm_tsk(FAR), E_OBJ);
    CHECK_IS(act_tsk(FAR), E_OK);
    CHECK_IS(act_tsk(FAR), E_QOVR);
    part = 2;
    CHECK_IS(ter_tsk(FAR), E_OK);
    wait_for_point(2, 6);
    CHECK_IS(ter_tsk(FAR), E_OBJ);
    CHECK_IS(act_tsk(FAR), E_OK);
    wait_for_point(2, 7);
}

void main_job(EXINF argument) {
    own_core();
    other_core();
    check_end();
}
