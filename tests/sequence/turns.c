/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of tasks with equal priority, and tasks that migrate, by their own call and by others'. */
#include "sequence.h"

enum { MAIN = TAKT_TASK_main, A = TAKT_TASK_a, B = TAKT_TASK_b, GUEST = TAKT_TASK_guest };

/* --- Turns: MAIN, A and B have one priority ----------------------------------------------------
 */

void a_job(EXINF argument) {
    POINT(2);
    CHECK_IS(rot_rdq(TPRI_SELF), E_OK);
    POINT(5);
}

void b_job(EXINF argument) {
    POINT(3);
    CHECK_IS(rot_rdq(10), E_OK);
    POINT(6);
    CHECK_IS(chg_pri(TSK_SELF, 10), E_OK); /* its own priority again: behind the others */
    POINT(8);
}

static void turns(void) {
    uint_t load = 99;
    POINT(1);
    CHECK_IS(act_tsk(A), E_OK);
    CHECK_IS(act_tsk(B), E_OK);
    CHECK_IS(get_lod(TPRI_SELF, &load), E_OK);
    CHECK_IS(load, 3);
    CHECK_IS(get_lod(11, &load), E_OK);
    CHECK_IS(load, 0);
    CHECK_IS(mget_lod(10, 1, &load), E_OK);
    CHECK_IS(load, 3);
    CHECK_IS(rot_rdq(11), E_OK); /* no task has this priority */
    CHECK_IS(rot_rdq(TPRI_SELF), E_OK);
    POINT(4);
    CHECK_IS(mrot_rdq(TPRI_SELF, 1), E_OK);
    POINT(7);
    CHECK_IS(dly_tsk(1000), E_OK);
    POINT(9);
    CHECK_IS(rot_rdq(-1), E_PAR);
    CHECK_IS(rot_rdq(TMAX_TPRI + 1), E_PAR);
    CHECK_IS(mrot_rdq(10, 0), E_ID);
    CHECK_IS(mrot_rdq(10, 5), E_ID);
    CHECK_IS(mget_lod(10, 9, &load), E_ID);
    CHECK_IS(get_lod(10, NULL), E_PAR);
}

/* --- Another core's turns ----------------------------------------------------------------------
 */

static unsigned may_end;

/* FAR_1 and FAR_2 on core 2: each ends when it runs and may end. */
void far_job(EXINF which) {
    while (read_count(&may_end) == 0) {
    }
    POINT(which);
}

static void turns_of_another_core(void) {
    uint_t load = 0;
    CHECK_IS(act_tsk(TAKT_TASK_far_2), E_OK); /* runs */
    CHECK_IS(act_tsk(TAKT_TASK_far_1), E_OK);
    wait_a_while();
    CHECK_IS(mget_lod(20, 2, &load), E_OK);
    CHECK_IS(load, 2);
    CHECK_IS(status_of(TAKT_TASK_far_2), TTS_RUN);
    CHECK_IS(mrot_rdq(20, 2), E_OK);
    wait_a_while();
    CHECK_IS(status_of(TAKT_TASK_far_1), TTS_RUN);
    CHECK_IS(status_of(TAKT_TASK_far_2), TTS_RDY);
    count_up(&may_end);
    wait_for_point(2, 2);
}

/* --- Migration ---------------------------------------------------------------------------------
 */

void guest_job(EXINF argument) {
    static int round;
    switch (round++) {
    case 0: /* by its own calls */
        CHECK_IS(sequence_core(), 2);
        CHECK_IS(mig_tsk(TSK_SELF, 3), E_OK);
        POINT(1);
        CHECK_IS(sequence_core(), 3);
        CHECK_IS(mig_tsk(GUEST, 3), E_OK);
        POINT(2);
        CHECK_IS(dis_dsp(), E_OK);
        CHECK_IS(mig_tsk(TSK_SELF, 2), E_CTX);
        CHECK_IS(ena_dsp(), E_OK);
        CHECK_IS(slp_tsk(), E_OK);
        POINT(3);
        CHECK_IS(sequence_core(), 2); /* moved while it slept */
        CHECK_IS(slp_tsk(), E_OK);
        CHECK(!"it was terminated");
        break;
    case 1: /* activated where the call said */
        POINT(3);
        CHECK_IS(sequence_core(), 3);
        break;
    default:
        CHECK(!"it has two jobs");
    }
}

static void moves(void) {
    CHECK_IS(mig_tsk(GUEST, 3), E_OK); /* it also migrates without a job */
    CHECK_IS(core_of(GUEST), 3);
    CHECK_IS(mig_tsk(GUEST, TPRC_INI), E_OK);
    CHECK_IS(core_of(GUEST), 2);
    CHECK_IS(mig_tsk(GUEST, 1), E_PAR); /* it may not run there */
    CHECK_IS(mig_tsk(GUEST, 5), E_ID);
    CHECK_IS(mact_tsk(GUEST, 1), E_PAR);
    CHECK_IS(act_tsk(GUEST), E_OK);
    wait_for_point(3, 2);
    CHECK_IS(core_of(GUEST), 3);
    CHECK_IS(mig_tsk(GUEST, TPRC_INI), E_OK); /* to core 2, asleep */
    CHECK_IS(core_of(GUEST), 2);
    CHECK_IS(status_of(GUEST), TTS_WAI);
    CHECK_IS(wup_tsk(GUEST), E_OK);
    wait_for_point(2, 3);
    CHECK_IS(sus_tsk(GUEST), E_OK);
    CHECK_IS(mig_tsk(GUEST, 3), E_OK);
    CHECK_IS(status_of(GUEST), TTS_WAS);
    CHECK_IS(core_of(GUEST), 3);
    CHECK_IS(mact_tsk(GUEST, 3), E_OK);
    CHECK_IS(ter_tsk(GUEST), E_OK);
    wait_until_count(&sequence_points[3], 3);
}

void main_job(EXINF argument) {
    turns();
    turns_of_another_core();
    moves();
    check_end();
}
