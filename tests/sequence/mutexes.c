/* SPDX-License-Identifier: Apache-2.0 */
/* Mutexes of each protocol while priorities change: which task holds one, which ones wait, and in
 * which order. */
#include "sequence.h"

enum { MAIN = TAKT_TASK_main, HIGH = TAKT_TASK_high, MIDDLE = TAKT_TASK_middle };
enum {
    CEILING = TAKT_MUTEX_ceiling,
    INHERIT = TAKT_MUTEX_inherit,
    OTHER = TAKT_MUTEX_other,
    PLAIN = TAKT_MUTEX_plain,
    FIFO = TAKT_MUTEX_fifo
};

static ID wanted;
static unsigned first; /* the point that the first waiting task passes */

static void wants(void) {
    CHECK_IS(loc_mtx(wanted), E_OK);
    POINT(first++);
    CHECK_IS(unl_mtx(wanted), E_OK);
}

void high_job(EXINF argument) {
    wants();
}

void middle_job(EXINF argument) {
    wants();
}

static ID holder_of(ID mutex) {
    T_RMTX packet = {0};
    CHECK_IS(ref_mtx(mutex, &packet), E_OK);
    return packet.htskid;
}

static ID waiter_of(ID mutex) {
    T_RMTX packet = {0};
    CHECK_IS(ref_mtx(mutex, &packet), E_OK);
    return packet.wtskid;
}

/* --- Errors ------------------------------------------------------------------------------------
 */

static void errors(void) {
    CHECK_IS(loc_mtx(0), E_ID);
    CHECK_IS(ploc_mtx(TAKT_MUTEXES + 1), E_ID);
    CHECK_IS(tloc_mtx(INHERIT, -2), E_PAR);
    CHECK_IS(unl_mtx(INHERIT), E_ILUSE);
    for (ID mutex = 1; mutex <= TAKT_MUTEXES; mutex++) {
        CHECK_IS(holder_of(mutex), TSK_NONE);
        CHECK_IS(loc_mtx(mutex), E_OK);
        CHECK_IS(loc_mtx(mutex), E_ILUSE);
        CHECK_IS(tloc_mtx(mutex, 1), E_ILUSE);
        CHECK_IS(holder_of(mutex), MAIN);
        CHECK_IS(unl_mtx(mutex), E_OK);
    }
    CHECK_IS(dis_dsp(), E_OK);
    CHECK_IS(loc_mtx(INHERIT), E_CTX);
    CHECK_IS(ploc_mtx(INHERIT), E_OK);
    CHECK_IS(unl_mtx(INHERIT), E_OK);
    CHECK_IS(ena_dsp(), E_OK);
    CHECK_IS(loc_cpu(), E_OK);
    CHECK_IS(ploc_mtx(INHERIT), E_CTX);
    CHECK_IS(unl_mtx(INHERIT), E_CTX);
    CHECK_IS(unl_cpu(), E_OK);
}

/* --- A ceiling of 4, above HIGH at 5 -----------------------------------------------------------
 */

static void ceiling(void) {
    POINT(1);
    wanted = CEILING, first = 4;
    CHECK_IS(loc_mtx(CEILING), E_OK);
    CHECK_IS(priority_of(MAIN), 4);
    CHECK_IS(chg_pri(TSK_SELF, 3), E_ILUSE);
    CHECK_IS(chg_pri(TSK_SELF, 20), E_OK); /* only the base priority changes */
    CHECK_IS(priority_of(MAIN), 4);
    CHECK_IS(act_tsk(HIGH), E_OK);
    POINT(2);
    CHECK_IS(status_of(HIGH), TTS_RDY); /* it does not wait for the mutex */
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    POINT(3);
    CHECK_IS(unl_mtx(CEILING), E_OK);
    POINT(5);
    CHECK_IS(priority_of(MAIN), 10);
    CHECK_IS(chg_pri(TSK_SELF, 3), E_OK);
    CHECK_IS(loc_mtx(CEILING), E_ILUSE);
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
}

/* --- Inheritance -------------------------------------------------------------------------------
 */

/* With two mutexes the priority falls to that which the remaining one gives. */
static void inherits(void) {
    wanted = INHERIT, first = 8;
    CHECK_IS(loc_mtx(OTHER), E_OK);
    CHECK_IS(loc_mtx(INHERIT), E_OK);
    CHECK_IS(act_tsk(HIGH), E_OK);
    POINT(6);
    CHECK_IS(waiter_of(INHERIT), HIGH);
    CHECK_IS(priority_of(MAIN), 5);
    CHECK_IS(chg_pri(HIGH, 8), E_OK); /* the waiting task's new priority is inherited */
    CHECK_IS(priority_of(MAIN), 8);
    CHECK_IS(chg_pri(HIGH, 30), E_OK);
    CHECK_IS(priority_of(MAIN), 10);
    CHECK_IS(chg_pri(HIGH, 2), E_OK);
    CHECK_IS(priority_of(MAIN), 2);
    CHECK_IS(chg_pri(TSK_SELF, 1), E_OK);
    CHECK_IS(priority_of(MAIN), 1);
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    CHECK_IS(priority_of(MAIN), 2);
    POINT(7);
    CHECK_IS(unl_mtx(INHERIT), E_OK); /* HIGH runs to its end */
    POINT(9);
    CHECK_IS(priority_of(MAIN), 10);
    CHECK_IS(unl_mtx(OTHER), E_OK);
}

/* A wait that was ended has no effect on the holder any more. */
static void broken_waits(void) {
    wanted = INHERIT, first = 11;
    CHECK_IS(loc_mtx(INHERIT), E_OK);
    CHECK_IS(act_tsk(HIGH), E_OK);
    CHECK_IS(priority_of(MAIN), 5);
    CHECK_IS(ter_tsk(HIGH), E_OK);
    CHECK_IS(priority_of(MAIN), 10);
    CHECK_IS(waiter_of(INHERIT), TSK_NONE);
    CHECK_IS(act_tsk(HIGH), E_OK);
    CHECK_IS(sus_tsk(HIGH), E_OK); /* a suspended waiting task still has its effect */
    CHECK_IS(priority_of(MAIN), 5);
    POINT(10);
    CHECK_IS(unl_mtx(INHERIT), E_OK);
    CHECK_IS(holder_of(INHERIT), HIGH);
    CHECK_IS(status_of(HIGH), TTS_SUS);
    CHECK_IS(rsm_tsk(HIGH), E_OK);
    POINT(12);
    CHECK_IS(holder_of(INHERIT), TSK_NONE);
}

/* --- The order of waiting tasks ----------------------------------------------------------------
 */

/* MIDDLE waits first; HIGH comes before it in priority order, unless it has been lowered. */
static void order(ID mutex, PRI high, ID expected) {
    wanted = mutex;
    CHECK_IS(loc_mtx(mutex), E_OK);
    CHECK_IS(act_tsk(MIDDLE), E_OK);
    CHECK_IS(act_tsk(HIGH), E_OK);
    CHECK_IS(dly_tsk(1000), E_OK);
    CHECK_IS(chg_pri(HIGH, high), E_OK);
    CHECK_IS(waiter_of(mutex), expected);
    if (mutex != INHERIT) { /* another base priority, and nothing is inherited */
        CHECK_IS(chg_pri(TSK_SELF, 9), E_OK);
        CHECK_IS(priority_of(MAIN), 9);
        CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    }
    CHECK_IS(unl_mtx(mutex), E_OK);
    CHECK_IS(dly_tsk(1000), E_OK);
    CHECK_IS(holder_of(mutex), TSK_NONE);
}

static void orders(void) {
    first = 13;
    order(INHERIT, 5, HIGH);
    order(INHERIT, 8, MIDDLE);
    order(INHERIT, 7, MIDDLE); /* behind tasks of its priority */
    order(PLAIN, 5, HIGH);
    order(PLAIN, 8, MIDDLE);
    order(FIFO, 5, MIDDLE);
    POINT(25);
}

void main_job(EXINF argument) {
    errors();
    ceiling();
    inherits();
    broken_waits();
    orders();
    check_end();
}
