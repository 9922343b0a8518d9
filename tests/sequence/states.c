/* SPDX-License-Identifier: Apache-2.0 */
/* Disabled dispatch, a locked CPU and disabled termination: which services are refused, which
 * requests wait, and what the sns_ services return. */
#include "sequence.h"

enum {
    MAIN = TAKT_TASK_main,
    HIGH = TAKT_TASK_high,
    FAR = TAKT_TASK_far,
    SEM = TAKT_SEMAPHORE_semaphore
};

void high_job(EXINF number) {
    static unsigned next = 2;
    POINT(next);
    next += 2;
    CHECK(!sns_dsp());
    CHECK(!sns_loc());
    CHECK(!sns_dpn());
    CHECK(!sns_ter());
}

static void states(bool dispatch, bool cpu) {
    CHECK_IS(sns_dsp(), dispatch);
    CHECK_IS(sns_loc(), cpu);
    CHECK_IS(sns_dpn(), dispatch || cpu);
    CHECK(!sns_ctx());
}

/* --- Disabled dispatch -------------------------------------------------------------------------
 */

static void dispatch_disabled(void) {
    uint_t load = 0;
    states(false, false);
    POINT(1);
    CHECK_IS(dis_dsp(), E_OK);
    CHECK_IS(dis_dsp(), E_OK);
    states(true, false);
    CHECK_IS(act_tsk(HIGH), E_OK);
    CHECK_IS(status_of(HIGH), TTS_RDY);
    CHECK_IS(slp_tsk(), E_CTX);
    CHECK_IS(dly_tsk(1), E_CTX);
    CHECK_IS(wai_sem(SEM), E_CTX);
    CHECK_IS(twai_sem(SEM, 1), E_CTX);
    CHECK_IS(pol_sem(SEM), E_TMOUT);
    CHECK_IS(sig_sem(SEM), E_OK);
    CHECK_IS(pol_sem(SEM), E_OK);
    CHECK_IS(sus_tsk(TSK_SELF), E_CTX);
    CHECK_IS(chg_pri(TSK_SELF, 20), E_OK);
    CHECK_IS(get_lod(5, &load), E_OK);
    CHECK_IS(load, 1);
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    CHECK_IS(ena_dsp(), E_OK); /* HIGH runs at once */
    states(false, false);
    POINT(3);
    CHECK_IS(ena_dsp(), E_OK);
}

/* --- A locked CPU ------------------------------------------------------------------------------
 */

static void cpu_locked(void) {
    ID id;
    CHECK_IS(loc_cpu(), E_OK);
    CHECK_IS(loc_cpu(), E_OK); /* not counted */
    states(false, true);
    CHECK_IS(act_tsk(HIGH), E_CTX);
    CHECK_IS(can_act(HIGH), E_CTX);
    CHECK_IS(wup_tsk(FAR), E_CTX);
    CHECK_IS(ter_tsk(FAR), E_CTX);
    CHECK_IS(sus_tsk(FAR), E_CTX);
    CHECK_IS(chg_pri(TSK_SELF, 5), E_CTX);
    CHECK_IS(sig_sem(SEM), E_CTX);
    CHECK_IS(pol_sem(SEM), E_CTX);
    CHECK_IS(set_flg(TAKT_FLAG_flag, 1), E_CTX);
    CHECK_IS(sta_cyc(TAKT_CYCLIC_cyclic), E_CTX);
    CHECK_IS(dis_dsp(), E_CTX);
    CHECK_IS(ena_dsp(), E_CTX);
    CHECK_IS(rot_rdq(TPRI_SELF), E_CTX);
    CHECK_IS(dis_ter(), E_CTX);
    CHECK_IS(get_pid(&id), E_OK);
    CHECK_IS(id, 1);
    CHECK_IS(unl_cpu(), E_OK);
    states(false, false);
    CHECK_IS(unl_cpu(), E_OK);
    /* Disabled dispatch and a locked CPU are nested, but each ends by itself. */
    CHECK_IS(dis_dsp(), E_OK);
    CHECK_IS(act_tsk(HIGH), E_OK);
    CHECK_IS(loc_cpu(), E_OK);
    states(true, true);
    CHECK_IS(unl_cpu(), E_OK);
    states(true, false);
    CHECK_IS(ena_dsp(), E_OK);
    POINT(5);
}

void cyclic_handler(EXINF argument) {
}

/* --- Termination -------------------------------------------------------------------------------
 */

static unsigned round, go;

/* The rounds: termination disabled, then ended at once, then with everything locked. */
void far_job(EXINF argument) {
    switch (round) {
    case 0:
        CHECK_IS(dis_ter(), E_OK);
        CHECK_IS(dis_ter(), E_OK);
        CHECK(sns_ter());
        POINT(1);
        CHECK_IS(slp_tsk(), E_OK); /* until it is woken: ras_ter does not end the wait */
        POINT(2);
        CHECK_IS(slp_tsk(), E_RLWAI); /* the same for a wait that begins now */
        POINT(3);
        ena_ter();
        CHECK(!"it has ended");
        break;
    case 1:
        POINT(4);
        CHECK(!sns_ter());
        slp_tsk();
        CHECK(!"it has ended");
        break;
    case 2:
        CHECK_IS(dis_dsp(), E_OK);
        CHECK_IS(loc_cpu(), E_OK);
        POINT(5);
        ext_tsk(); /* unlocks and enables everything */
        CHECK(!"it has ended");
        break;
    default:
        POINT(6);
        CHECK(!sns_loc());
        CHECK(!sns_dsp());
        CHECK_IS(dis_dsp(), E_OK);
        CHECK_IS(wup_tsk(MAIN), E_OK);
        POINT(7);
        while (read_count(&go) ==
               0) { /* a request to end it is pending, but dispatch is disabled */
        }
        POINT(8);
        CHECK_IS(ena_dsp(), E_OK);
        CHECK(!"it has ended");
    }
}

static void terminations(void) {
    CHECK(!sns_ter());
    CHECK_IS(ras_ter(MAIN), E_ILUSE);
    CHECK_IS(ras_ter(0), E_ID);
    CHECK_IS(act_tsk(FAR), E_OK);
    wait_for_point(2, 1);
    CHECK_IS(ras_ter(FAR), E_OK);
    CHECK_IS(ras_ter(FAR), E_OK);
    wait_a_while();
    CHECK_IS(status_of(FAR), TTS_WAI);
    CHECK_IS(wup_tsk(FAR), E_OK);
    wait_for_point(2, 2);
    CHECK_IS(rel_wai(FAR), E_OK);
    wait_for_point(2, 3);
    CHECK_IS(status_of(FAR), TTS_DMT);
    round = 1;
    CHECK_IS(act_tsk(FAR), E_OK);
    wait_for_point(2, 4);
    CHECK_IS(ras_ter(FAR), E_OK);
    wait_a_while();
    CHECK_IS(status_of(FAR), TTS_DMT);
    round = 2;
    CHECK_IS(act_tsk(FAR), E_OK);
    wait_for_point(2, 5);
    round = 3;
    CHECK_IS(act_tsk(FAR), E_OK);
    CHECK_IS(slp_tsk(), E_OK);
    spin_for_point(2, 7);
    CHECK_IS(ras_ter(FAR), E_OK);
    CHECK_IS(read_count(&sequence_points[2]), 7);
    count_up(&go);
    wait_for_point(2, 8);
    CHECK_IS(status_of(FAR), TTS_DMT);
}

void main_job(EXINF argument) {
    dispatch_disabled();
    cpu_locked();
    terminations();
    check_end();
}
