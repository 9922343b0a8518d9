/* SPDX-License-Identifier: Apache-2.0 */
/* Cyclic handlers and alarms of two cores, which either core starts and stops, and the services
 * that handlers may call.
 * */
#include "sequence.h"

enum {
    MAIN = TAKT_TASK_main,
    NEAR = TAKT_TASK_near,
    FAR = TAKT_TASK_far,
    SLEEPER = TAKT_TASK_sleeper
};
enum { CYCLIC = TAKT_CYCLIC_cyclic, CYCLIC_FAR = TAKT_CYCLIC_cyclic_far };
enum { ALARM = TAKT_ALARM_alarm, ALARM_FAR = TAKT_ALARM_alarm_far };

static unsigned calls[SEQUENCE_CORES + 1]; /* calls of the cyclic handlers, by core */

void cyclic_handler(EXINF core) {
    CHECK_IS(sequence_core(), core);
    CHECK(sns_ctx());
    count_up(&calls[core]);
}

/* --- What a handler may call -------------------------------------------------------------------
 */

static void asks(void) {
    ID task = 99;
    FLGPTN found;
    CHECK(sns_ctx());
    CHECK(!sns_loc());
    CHECK(sns_dpn());
    CHECK_IS(get_tid(&task), E_OK);
    CHECK_IS(task, TSK_NONE);
    CHECK_IS(slp_tsk(), E_CTX);
    CHECK_IS(dly_tsk(1), E_CTX);
    CHECK_IS(wai_sem(TAKT_SEMAPHORE_semaphore), E_CTX);
    CHECK_IS(twai_flg(TAKT_FLAG_flag, 1, TWF_ORW, &found, 5), E_CTX);
    CHECK_IS(loc_mtx(TAKT_MUTEX_mutex), E_CTX);
    CHECK_IS(dis_dsp(), E_CTX);
    CHECK_IS(ena_dsp(), E_CTX);
    CHECK_IS(ext_tsk(), E_CTX);
    CHECK_IS(ter_tsk(NEAR), E_CTX);
    CHECK_IS(sus_tsk(NEAR), E_CTX);
    CHECK_IS(rsm_tsk(NEAR), E_CTX);
    CHECK_IS(chg_pri(NEAR, 3), E_CTX);
    CHECK_IS(dis_ter(), E_CTX);
    CHECK_IS(act_tsk(TSK_SELF), E_ID);
    CHECK_IS(iwup_tsk(TSK_SELF), E_ID);
    CHECK_IS(iloc_cpu(), E_OK);
    CHECK(sns_loc());
    CHECK_IS(isig_sem(TAKT_SEMAPHORE_semaphore), E_CTX);
    CHECK_IS(iunl_cpu(), E_OK);
    CHECK_IS(isig_sem(TAKT_SEMAPHORE_semaphore), E_OK);
    CHECK_IS(iset_flg(TAKT_FLAG_flag, 4), E_OK);
}

void alarm_handler(EXINF core) {
    CHECK_IS(sequence_core(), core);
    POINT(core == 1 ? 2 : 1);
    asks();
    CHECK_IS(iact_tsk(core == 1 ? NEAR : FAR), E_OK);
    CHECK_IS(iact_tsk(core == 1 ? FAR : NEAR), E_OK);
    CHECK_IS(iwup_tsk(SLEEPER), E_OK);
    POINT(core == 1 ? 3 : 2); /* none of these tasks runs before the handler has ended */
}

/* --- Tasks -------------------------------------------------------------------------------------
 */

static unsigned near_jobs, far_jobs, woken;

void near_job(EXINF argument) {
    CHECK_IS(sequence_core(), 1);
    count_up(&near_jobs);
}

void far_job(EXINF argument) {
    CHECK_IS(sequence_core(), 2);
    count_up(&far_jobs);
}

void sleeper_job(EXINF argument) {
    while (slp_tsk() == E_OK) {
        count_up(&woken);
    }
}

static void cyclics(ID cyclic, ID core) {
    T_RCYC packet = {0};
    CHECK_IS(ref_cyc(cyclic, &packet), E_OK);
    CHECK_IS(packet.cycstat, TCYC_STP);
    CHECK_IS(packet.prcid, core);
    CHECK_IS(msta_cyc(cyclic, core), E_OK);
    CHECK_IS(msta_cyc(cyclic, 3 - core), E_PAR); /* a handler stays on its core */
    CHECK_IS(msta_cyc(cyclic, 9), E_ID);
    CHECK_IS(ref_cyc(cyclic, &packet), E_OK);
    CHECK_IS(packet.cycstat, TCYC_STA);
    CHECK(packet.lefttim <= 1001); /* a tick more than asked, rounded up: no handler runs early */
    wait_until_count(&calls[core], 5);
    CHECK_IS(stp_cyc(cyclic), E_OK);
    wait_a_while();
    unsigned stopped = read_count(&calls[core]);
    CHECK_IS(stp_cyc(cyclic), E_OK);
    wait_a_while();
    CHECK_IS(read_count(&calls[core]), stopped);
    CHECK_IS(sta_cyc(cyclic), E_OK);
    wait_until_count(&calls[core], stopped + 3);
    CHECK_IS(stp_cyc(cyclic), E_OK);
    CHECK_IS(sta_cyc(0), E_ID);
    CHECK_IS(stp_cyc(TAKT_CYCLICS + 1), E_ID);
}

static void alarms(void) {
    T_RALM packet = {0};
    CHECK_IS(sta_alm(0, 1), E_ID);
    CHECK_IS(msta_alm(ALARM_FAR, 1, 1), E_PAR);
    CHECK_IS(sta_alm(ALARM, 1000000), E_OK);
    CHECK_IS(ref_alm(ALARM, &packet), E_OK);
    CHECK_IS(packet.almstat, TALM_STA);
    CHECK(packet.lefttim > 900000 && packet.lefttim <= 1000001); /* as in cyclics() */
    CHECK_IS(stp_alm(ALARM), E_OK);
    CHECK_IS(ref_alm(ALARM, &packet), E_OK);
    CHECK_IS(packet.almstat, TALM_STP);
    POINT(1);
    CHECK_IS(sta_alm(ALARM, 100), E_OK);
    wait_for_point(1, 3);
    POINT(4);
    CHECK_IS(msta_alm(ALARM_FAR, 100, 2), E_OK);
    wait_for_point(2, 2);
    wait_until_count(&near_jobs, 2);
    wait_until_count(&far_jobs, 2);
    wait_until_count(&woken, 2);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_semaphore), E_OK);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_semaphore), E_OK);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_semaphore), E_TMOUT);
}

void main_job(EXINF argument) {
    cyclics(CYCLIC, 1);
    cyclics(CYCLIC_FAR, 2);
    alarms();
    check_end();
}
