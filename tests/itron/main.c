/* SPDX-License-Identifier: Apache-2.0 */
/* Calls each of the standard's names once: it must be the right service with results as in the
 * standard, and its microseconds must be microseconds. */
#include <itron.h>

#include "until.h"

enum { OTHER = TAKT_TASK_other, SEM = TAKT_SEMAPHORE_semaphore, FLAG = TAKT_FLAG_flag };
enum {
    QUEUE = TAKT_DATA_QUEUE_queue,
    SORTED = TAKT_PRIORITY_DATA_QUEUE_sorted,
    BUFFER = TAKT_MESSAGE_BUFFER_buffer,
    POOL = TAKT_MEMORY_POOL_pool,
    MUTEX = TAKT_MUTEX_mutex,
    CYCLIC = TAKT_CYCLIC_cyclic,
    ALARM = TAKT_ALARM_alarm,
    SPIN = TAKT_SPIN_LOCK_spin
};

static unsigned steps;

/* What the other task does, until it is changed. */
static enum {
    SLEEP,
    TAKE,
    EXIT,
    DELAY,
    FLAGS,
    SEND,
    RECEIVE,
    SEND_SORTED,
    RECEIVE_SORTED,
    SEND_TEXT,
    RECEIVE_TEXT,
    BLOCK,
    HOLD,
    GUARDED
} habit;
static ER woken_with;
static unsigned held, let_go, ended_late;

static void waits(void) {
    intptr_t data;
    PRI priority;
    FLGPTN found;
    void *block;
    char text[16];
    switch (habit) {
    case DELAY:
        dly_tsk(1000000);
        break;
    case FLAGS:
        woken_with = twai_flg(FLAG, 64, TWF_ORW, &found, 1000000);
        break;
    case SEND:
        woken_with = snd_dtq(QUEUE, 1);
        break;
    case RECEIVE:
        woken_with = rcv_dtq(QUEUE, &data);
        break;
    case SEND_SORTED:
        woken_with = snd_pdq(SORTED, 1, 1);
        break;
    case RECEIVE_SORTED:
        woken_with = rcv_pdq(SORTED, &data, &priority);
        break;
    case SEND_TEXT:
        woken_with = snd_mbf(BUFFER, "0123456789", 10);
        break;
    case RECEIVE_TEXT:
        woken_with = rcv_mbf(BUFFER, text);
        break;
    case HOLD:
        CHECK_IS(loc_spn(SPIN), E_OK);
        count_up(&held);
        while (read_count(&let_go) == 0) {
        }
        break;
    case GUARDED:
        dis_ter();
        woken_with = wai_sem(SEM);
        count_up(&ended_late);
        ena_ter();
        count_up(&ended_late);
        break;
    default:
        woken_with = get_mpf(POOL, &block);
    }
}

void other_job(EXINF argument) {
    count_up(&steps);
    switch (habit) {
    case SLEEP:
        woken_with = slp_tsk();
        break;
    case TAKE:
        woken_with = wai_sem(SEM);
        break;
    case EXIT:
        ext_tsk();
        break;
    default:
        waits();
    }
    count_up(&steps);
}

/* Activates the other task; returns when it waits. */
static void begin(int what) {
    habit = what;
    steps = 0;
    CHECK_IS(act_tsk(OTHER), E_OK);
    wait_until_count(&steps, 1);
    wait_a_while();
}

static void tasks(void) {
    PRI priority = 0;
    ID self = 0;
    CHECK_IS(get_tid(&self), E_OK);
    CHECK_IS(self, TAKT_TASK_main);
    CHECK_IS(get_tid(NULL), E_PAR);
    ID core = 0;
    CHECK_IS(get_pid(NULL), E_PAR);
    CHECK_IS(get_pid(&core), E_OK);
    CHECK_IS(core, 1);
    CHECK_IS(mig_tsk(TSK_SELF, 1), E_OK);
    CHECK_IS(mig_tsk(TSK_SELF, 2), E_PAR);
    CHECK_IS(mig_tsk(TSK_SELF, -1), E_ID);
    CHECK_IS(mig_tsk(TSK_SELF, 5), E_ID);
    CHECK_IS(mig_tsk(TSK_SELF, TPRC_INI), E_OK);
    CHECK_IS(mact_tsk(OTHER, 5), E_ID);
    CHECK_IS(mact_tsk(OTHER, 1), E_PAR);
    CHECK_IS(mact_tsk(-1, 1), E_ID);
    CHECK_IS(get_pri(TSK_SELF, &priority), E_OK);
    CHECK_IS(priority, 20);
    CHECK_IS(get_pri(TSK_SELF, NULL), E_PAR);
    CHECK_IS(chg_pri(TSK_SELF, 5), E_OK);
    CHECK_IS(get_pri(self, &priority), E_OK);
    CHECK_IS(priority, 5);
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    CHECK_IS(chg_pri(TSK_SELF, -1), E_PAR);
    CHECK_IS(chg_pri(-1, 1), E_ID);
    CHECK_IS(get_pri(OTHER, &priority), E_OBJ);

    begin(SLEEP);
    CHECK_IS(act_tsk(OTHER), E_OK);
    CHECK_IS(act_tsk(OTHER), E_OK);
    CHECK_IS(act_tsk(OTHER), E_QOVR);
    CHECK_IS(can_act(OTHER), 2);
    CHECK_IS(can_act(-1), E_ID);
    CHECK_IS(wup_tsk(OTHER), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_OK);
    CHECK_IS(can_wup(999), E_ID);
    CHECK_IS(wup_tsk(TSK_SELF), E_OK);
    CHECK_IS(wup_tsk(TSK_SELF), E_OK);
    CHECK_IS(slp_tsk(), E_OK);
    CHECK_IS(can_wup(TSK_SELF), 1);
    CHECK_IS(tslp_tsk(TMO_POL), E_TMOUT);

    begin(TAKE);
    CHECK_IS(sus_tsk(OTHER), E_OK);
    CHECK_IS(sus_tsk(OTHER), E_QOVR);
    CHECK_IS(rsm_tsk(OTHER), E_OK);
    CHECK_IS(rel_wai(OTHER), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_RLWAI);
    begin(TAKE);
    CHECK_IS(ter_tsk(OTHER), E_OK);
    CHECK_IS(ter_tsk(OTHER), E_OBJ);
    CHECK_IS(iact_tsk(-1), E_ID);
    CHECK_IS(imact_tsk(-1, 1), E_ID);
    CHECK_IS(iwup_tsk(-1), E_ID);
    begin(EXIT);
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(ter_tsk(OTHER), E_OBJ);
}

static void resets_flag(void) {
    FLGPTN found = 0;
    begin(FLAGS);
    CHECK_IS(set_flg(FLAG, 3), E_OK);
    CHECK_IS(ini_flg(FLAG), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_DLT);
    CHECK_IS(pol_flg(FLAG, 3, TWF_ORW, &found), E_TMOUT);
    CHECK_IS(clr_flg(TAKT_FLAG_raised, 0), E_OK);
    CHECK_IS(ini_flg(TAKT_FLAG_raised), E_OK); /* 5 at the start */
    CHECK_IS(pol_flg(TAKT_FLAG_raised, 5, TWF_ANDW, &found), E_OK);
    CHECK_IS(found, 5);
}

static void resets_message_buffer(void) {
    char text[16];
    begin(RECEIVE_TEXT);
    CHECK_IS(ini_mbf(BUFFER), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_DLT);
    CHECK_IS(psnd_mbf(BUFFER, "first", 6), E_OK);
    begin(SEND_TEXT); /* finds no room */
    CHECK_IS(ini_mbf(BUFFER), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_DLT);
    CHECK_IS(prcv_mbf(BUFFER, text), E_TMOUT);
    CHECK_IS(psnd_mbf(BUFFER, "0123456789", 10), E_OK);
    CHECK_IS(rcv_mbf(BUFFER, text), 10);
}

/* Objects are reset, and the waits of waiting tasks end with an error. */
static void resets(void) {
    intptr_t data = 0;
    PRI priority = 0;
    void *first = NULL, *second = NULL;
    T_RSEM semaphore = {0};
    begin(TAKE);
    CHECK_IS(ini_sem(SEM), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_DLT);
    CHECK_IS(sig_sem(SEM), E_OK);
    CHECK_IS(ini_sem(SEM), E_OK); /* 0 at the start */
    CHECK_IS(pol_sem(SEM), E_TMOUT);
    CHECK_IS(ini_sem(TAKT_SEMAPHORE_filled), E_OK);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_filled), E_OK);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_filled), E_OK);
    CHECK_IS(pol_sem(TAKT_SEMAPHORE_filled), E_TMOUT);
    CHECK_IS(ini_sem(TAKT_SEMAPHORE_filled), E_OK);
    CHECK_IS(ref_sem(TAKT_SEMAPHORE_filled, &semaphore), E_OK);
    CHECK_IS(semaphore.semcnt, 2);
    CHECK_IS(snd_dtq(QUEUE, 1), E_OK);
    begin(SEND);
    CHECK_IS(ini_dtq(QUEUE), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(prcv_dtq(QUEUE, &data), E_TMOUT);
    CHECK_IS(snd_dtq(QUEUE, 7), E_OK);
    CHECK_IS(rcv_dtq(QUEUE, &data), E_OK);
    CHECK_IS(data, 7);
    CHECK_IS(snd_pdq(SORTED, 1, 2), E_OK);
    CHECK_IS(snd_pdq(SORTED, 2, 2), E_OK);
    CHECK_IS(rcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(ini_pdq(SORTED), E_OK);
    CHECK_IS(prcv_pdq(SORTED, &data, &priority), E_TMOUT);
    CHECK_IS(snd_pdq(SORTED, 3, 2), E_OK);
    CHECK_IS(snd_pdq(SORTED, 4, 1), E_OK);
    CHECK_IS(rcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(data * 10 + priority, 41);
    CHECK_IS(rcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(data * 10 + priority, 32);
    CHECK_IS(get_mpf(POOL, &first), E_OK);
    begin(BLOCK);
    CHECK_IS(ini_mpf(POOL), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(pget_mpf(POOL, &second), E_OK);
    CHECK(first == second);
    CHECK_IS(rel_mpf(POOL, second), E_OK);
    resets_flag();
    resets_message_buffer();
    CHECK_IS(ini_sem(0), E_ID);
    CHECK_IS(ini_flg(0), E_ID);
    CHECK_IS(ini_mbf(0), E_ID);
    CHECK_IS(ini_flg(TAKT_FLAGS + 1), E_ID);
    CHECK_IS(ini_mbf(TAKT_MESSAGE_BUFFERS + 1), E_ID);
    CHECK_IS(loc_cpu(), E_OK);
    CHECK_IS(ini_flg(FLAG), E_CTX);
    CHECK_IS(ini_mbf(BUFFER), E_CTX);
    CHECK_IS(unl_cpu(), E_OK);
    CHECK_IS(ini_dtq(0), E_ID);
    CHECK_IS(ini_pdq(0), E_ID);
    CHECK_IS(ini_mpf(0), E_ID);
}

/* The time that a call has taken, in microseconds; a call consists of the standard's own services.
 */
static SYSTIM since(SYSTIM before) {
    SYSTIM now = 0;
    CHECK_IS(get_tim(&now), E_OK);
    return now - before;
}

static void times(void) {
    SYSTIM before = 0;
    CHECK_IS(get_tim(NULL), E_PAR);
    CHECK_IS(get_tim(&before), E_OK);
    CHECK_IS((long)(takt_time_now() / TAKT_MILLISECOND - (takt_time)before / 1000) / 10, 0);
    CHECK_IS(dly_tsk(1500), E_OK);
    CHECK(since(before) >= 1500 && since(before) < 100000);
    get_tim(&before);
    CHECK_IS(tslp_tsk(2500), E_TMOUT);
    CHECK(since(before) >= 2500 && since(before) < 100000);
    CHECK_IS(tslp_tsk(-2), E_PAR);
    CHECK_IS(twai_sem(SEM, -2), E_PAR);
    get_tim(&before);
    CHECK_IS(twai_sem(SEM, 700), E_TMOUT);
    CHECK(since(before) >= 700 && since(before) < 100000);
    CHECK_IS(wup_tsk(TSK_SELF), E_OK);
    CHECK_IS(tslp_tsk(TMO_FEVR), E_OK);
}

/* What an alarm of this core does, once. */
static enum { NOTHING, RELEASE_OTHER, RELEASE_EQUAL, LOCK_AND_END, ROTATE } in_alarm;
static ER alarm_result, alarm_again;
static uint_t alarm_load = 99;
static bool alarm_counts;
static unsigned alarm_calls;

void alarm_handler(EXINF argument) {
    ID self = 1, core = 0;
    switch (in_alarm) {
    case RELEASE_OTHER:
        alarm_result = irel_wai(OTHER);
        alarm_again = irel_wai(-1);
        break;
    case RELEASE_EQUAL:
        alarm_result = irel_wai(TAKT_TASK_equal_1);
        alarm_again = irel_wai(TAKT_TASK_equal_1); /* it does not wait any more */
        break;
    case LOCK_AND_END: /* the lock ends with the handler */
        alarm_result = iget_tid(&self);
        alarm_again = iget_pid(&core);
        alarm_result = alarm_result == E_OK && self == TSK_NONE && core == 1 ? iloc_cpu() : E_OBJ;
        break;
    case ROTATE:
        alarm_counts = iget_lod(20, &alarm_load) == E_OK &&
                       imget_lod(20, 2, &alarm_load) == E_CTX &&
                       iget_lod(TPRI_SELF, &alarm_load) == E_PAR;
        alarm_result = irot_rdq(TPRI_SELF); /* a handler has no priority */
        alarm_again = imrot_rdq(10, 2);     /* a priority of another core */
        break;
    default:
        break;
    }
    count_up(&alarm_calls);
}

static void alarm_does(int what) {
    unsigned calls = read_count(&alarm_calls);
    in_alarm = what;
    alarm_result = alarm_again = 99;
    CHECK_IS(ista_alm(ALARM, 100), E_OK);
    wait_until_count(&alarm_calls, calls + 1);
    in_alarm = NOTHING;
}

/* Handlers of the same and of another core release waiting tasks. */
static void releases_in_handlers(void) {
    begin(TAKE);
    alarm_does(RELEASE_OTHER);
    CHECK_IS(alarm_result, E_OK);
    CHECK_IS(alarm_again, E_ID);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_RLWAI);
    alarm_does(RELEASE_OTHER);
    CHECK_IS(alarm_result, E_OBJ); /* it has no job */
    begin(TAKE);                   /* and no wake-up is left for the next job */
    wait_a_while();
    CHECK_IS(read_count(&steps), 1);
    CHECK_IS(ter_tsk(OTHER), E_OK);
    CHECK_IS(act_tsk(TAKT_TASK_equal_1), E_OK);
    wait_a_while();
    alarm_does(RELEASE_EQUAL);
    CHECK_IS(alarm_result, E_OK);
    CHECK_IS(alarm_again, E_OBJ);
    alarm_does(LOCK_AND_END);
    CHECK_IS(alarm_result, E_OK);
    CHECK_IS(alarm_again, E_OK);
    alarm_does(
        LOCK_AND_END); /* if the last handler's lock were still held, this one would be refused */
    CHECK_IS(alarm_result, E_OK);
    alarm_does(ROTATE);
    CHECK_IS(alarm_result, E_PAR);
    CHECK(alarm_counts);
    CHECK(alarm_load <= 1); /* the main task, unless it waits at that moment */
    CHECK_IS(alarm_again, E_CTX);
}

/* Calls for tasks of other cores work with dispatch disabled as well. */
static void asks_with_dispatch_disabled(void) {
    T_RTSK task = {0};
    PRI priority = 0;
    begin(TAKE);
    CHECK_IS(dis_dsp(), E_OK);
    CHECK_IS(ref_tsk(OTHER, &task), E_OK);
    CHECK_IS(task.tskwait, TTW_SEM);
    CHECK_IS(chg_pri(OTHER, 31), E_OK);
    CHECK_IS(get_pri(OTHER, &priority), E_OK);
    CHECK_IS(priority, 31);
    CHECK_IS(sus_tsk(OTHER), E_OK);
    CHECK_IS(rsm_tsk(OTHER), E_OK);
    CHECK_IS(act_tsk(OTHER), E_OK);
    CHECK_IS(can_act(OTHER), 1);
    CHECK_IS(wup_tsk(OTHER), E_OK);
    CHECK_IS(can_wup(OTHER), 1);
    CHECK_IS(set_flg(FLAG, 0), E_OK);
    CHECK_IS(ter_tsk(OTHER), E_CTX); /* that task may be waiting to end this one */
    CHECK_IS(rel_wai(OTHER), E_OK);
    CHECK_IS(ena_dsp(), E_OK);
    wait_until_count(&steps, 2);
    CHECK_IS(woken_with, E_RLWAI);
    begin(TAKE);
    CHECK_IS(dis_dsp(), E_OK);
    CHECK_IS(ras_ter(OTHER), E_OK);
    CHECK_IS(ena_dsp(), E_OK);
    CHECK_IS(ter_tsk(OTHER), E_OBJ);
}

/* --- Turns of equal tasks: equal_1 and equal_2 run only while the main task waits. */

static unsigned order_of_equals, released_with;

void equal_job(EXINF number) {
    uint_t load = 0;
    order_of_equals = order_of_equals * 10 + (unsigned)number;
    if (number == 1) {
        released_with = (unsigned)-slp_tsk();
    } else if (rot_rdq(TPRI_SELF) == E_OK && get_lod(TPRI_SELF, &load) == E_OK) {
        order_of_equals = order_of_equals * 100 + 10 * (unsigned)number + load;
    }
}

static void turns(void) {
    uint_t load = 99;
    order_of_equals = 0;
    CHECK_IS(act_tsk(TAKT_TASK_equal_1), E_OK);
    CHECK_IS(wup_tsk(TAKT_TASK_equal_1), E_OK);
    CHECK_IS(act_tsk(TAKT_TASK_equal_2), E_OK);
    CHECK_IS(get_lod(40, &load), E_OK);
    CHECK_IS(load, 2);
    CHECK_IS(mget_lod(20, 1, &load), E_OK);
    CHECK_IS(load, 1);
    CHECK_IS(mget_lod(40, 2, &load), E_OK);
    CHECK_IS(load, 0);
    CHECK_IS(rot_rdq(40), E_OK);
    wait_a_while();
    /* 2 begins and puts itself behind 1, which sleeps, is woken and ends; then 2 is alone. */
    CHECK_IS(order_of_equals, 2121);
    order_of_equals = 0;
    CHECK_IS(act_tsk(TAKT_TASK_equal_1), E_OK);
    CHECK_IS(wup_tsk(TAKT_TASK_equal_1), E_OK);
    CHECK_IS(act_tsk(TAKT_TASK_equal_2), E_OK);
    CHECK_IS(mrot_rdq(40, 1), E_OK);
    CHECK_IS(mrot_rdq(40, 2), E_OK);
    CHECK_IS(mrot_rdq(TPRI_SELF, 1), E_OK);
    CHECK_IS(rot_rdq(39), E_OK); /* no task of this priority */
    wait_a_while();
    CHECK_IS(order_of_equals, 2121);
    CHECK_IS(rot_rdq(-1), E_PAR);
    CHECK_IS(rot_rdq(65), E_PAR);
    CHECK_IS(mrot_rdq(1, 0), E_ID);
    CHECK_IS(mrot_rdq(1, 5), E_ID);
    CHECK_IS(mrot_rdq(65, 2), E_PAR);
    CHECK_IS(get_lod(65, &load), E_PAR);
    CHECK_IS(get_lod(1, NULL), E_PAR);
    CHECK_IS(mget_lod(1, 5, &load), E_ID);
}

/* --- Deferred termination */

static void terminations(void) {
    CHECK_IS(ras_ter(-1), E_ID);
    CHECK_IS(ras_ter(TAKT_TASK_main), E_ILUSE);
    CHECK_IS(ras_ter(OTHER), E_OBJ);
    CHECK(!sns_ter());
    begin(TAKE);
    CHECK_IS(ras_ter(OTHER), E_OK); /* ended at once, because it only waits */
    CHECK_IS(ras_ter(OTHER), E_OBJ);
    begin(GUARDED);
    CHECK_IS(ras_ter(OTHER), E_OK);
    CHECK_IS(ras_ter(OTHER), E_OK); /* deferred, and so is the first request */
    wait_a_while();
    CHECK_IS(sig_sem(SEM), E_OK); /* its wait goes on to its end */
    wait_until_count(&ended_late, 1);
    wait_a_while();
    CHECK_IS(read_count(&ended_late), 1); /* ena_ter has not returned */
    CHECK_IS(ras_ter(OTHER), E_OBJ);
    begin(GUARDED);
    CHECK_IS(ter_tsk(OTHER), E_OK); /* whatever it has disabled */
    begin(TAKE);                    /* the next job has termination enabled */
    CHECK_IS(ras_ter(OTHER), E_OK);
    CHECK_IS(ras_ter(OTHER), E_OBJ);
    CHECK_IS(dis_ter(), E_OK);
    CHECK(sns_ter());
    CHECK_IS(ena_ter(), E_OK);
    CHECK(!sns_ter());
}

static void synchronisation(void) {
    FLGPTN found = 0;
    CHECK_IS(sig_sem(SEM), E_OK);
    CHECK_IS(pol_sem(SEM), E_OK);
    CHECK_IS(pol_sem(SEM), E_TMOUT);
    CHECK_IS(sig_sem(SEM), E_OK);
    CHECK_IS(wai_sem(SEM), E_OK);
    CHECK_IS(sig_sem(0), E_ID);
    CHECK_IS(isig_sem(SEM), E_OK);
    CHECK_IS(pol_sem(SEM), E_OK);
    CHECK_IS(iset_flg(FLAG, 0), E_OK);
    CHECK_IS(iset_flg(0, 1), E_ID);

    CHECK_IS(set_flg(FLAG, 6), E_OK);
    CHECK_IS(wai_flg(FLAG, 3, TWF_ORW, &found), E_OK);
    CHECK_IS(found, 6);
    CHECK_IS(pol_flg(FLAG, 3, TWF_ANDW, &found), E_TMOUT);
    CHECK_IS(clr_flg(FLAG, 4), E_OK);
    CHECK_IS(twai_flg(FLAG, 4, TWF_ANDW, &found, TMO_FEVR), E_OK);
    CHECK_IS(found, 4);
    CHECK_IS(twai_flg(FLAG, 1, TWF_ORW, &found, 100), E_TMOUT);

    CHECK_IS(dis_dsp(), E_OK);
    CHECK(sns_dsp());
    CHECK_IS(slp_tsk(), E_CTX);
    CHECK_IS(ena_dsp(), E_OK);
    CHECK(!sns_dsp());
}

static void communication(void) {
    intptr_t data = 0;
    CHECK_IS(snd_dtq(QUEUE, 1), E_OK);
    CHECK_IS(psnd_dtq(QUEUE, 2), E_TMOUT);
    CHECK_IS(tsnd_dtq(QUEUE, 2, 100), E_TMOUT);
    CHECK_IS(fsnd_dtq(QUEUE, 3), E_OK);
    CHECK_IS(rcv_dtq(QUEUE, &data), E_OK);
    CHECK_IS(data, 3);
    CHECK_IS(prcv_dtq(QUEUE, &data), E_TMOUT);
    CHECK_IS(trcv_dtq(QUEUE, &data, 100), E_TMOUT);

    CHECK_IS(ipsnd_dtq(QUEUE, 4), E_OK);
    CHECK_IS(ipsnd_dtq(QUEUE, 5), E_TMOUT);
    CHECK_IS(ifsnd_dtq(QUEUE, 6), E_OK);
    CHECK_IS(rcv_dtq(QUEUE, &data), E_OK);
    CHECK_IS(data, 6);

    PRI priority = 0;
    CHECK_IS(ipsnd_pdq(SORTED, 9, 1), E_OK);
    CHECK_IS(rcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(data, 9);
    CHECK_IS(snd_pdq(SORTED, 1, 2), E_OK);
    CHECK_IS(psnd_pdq(SORTED, 2, 1), E_OK);
    CHECK_IS(psnd_pdq(SORTED, 3, 1), E_TMOUT);
    CHECK_IS(psnd_pdq(SORTED, 3, -1), E_PAR);
    CHECK_IS(tsnd_pdq(SORTED, 3, 1, 100), E_TMOUT);
    CHECK_IS(rcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(data * 10 + priority, 21);
    CHECK_IS(prcv_pdq(SORTED, &data, NULL), E_PAR);
    CHECK_IS(prcv_pdq(SORTED, &data, &priority), E_OK);
    CHECK_IS(data * 10 + priority, 12);
    CHECK_IS(prcv_pdq(SORTED, &data, &priority), E_TMOUT);
    CHECK_IS(trcv_pdq(SORTED, &data, &priority, 100), E_TMOUT);

    char text[16] = "";
    CHECK_IS(snd_mbf(BUFFER, "abc", 3), E_OK);
    CHECK_IS(rcv_mbf(BUFFER, text), 3);
    CHECK_IS(psnd_mbf(BUFFER, "defgh", 5), E_OK);
    CHECK_IS(tsnd_mbf(BUFFER, "0123456789", 10, 100), E_TMOUT);
    CHECK_IS(prcv_mbf(BUFFER, text), 5);
    CHECK_IS(text[0] * 256 + text[4], 'd' * 256 + 'h');
    CHECK_IS(prcv_mbf(BUFFER, text), E_TMOUT);
    CHECK_IS(trcv_mbf(BUFFER, text, 100), E_TMOUT);
    CHECK_IS(rcv_mbf(BUFFER, NULL), E_PAR);

    void *first = NULL, *second = NULL;
    CHECK_IS(get_mpf(POOL, &first), E_OK);
    CHECK_IS(pget_mpf(POOL, &second), E_TMOUT);
    CHECK_IS(tget_mpf(POOL, &second, 100), E_TMOUT);
    CHECK_IS(rel_mpf(POOL, first), E_OK);
    CHECK_IS(rel_mpf(POOL, first), E_PAR);
}

static unsigned cyclic_calls, handler_wrong;

void cyclic_handler(EXINF argument) {
    handler_wrong += !sns_ctx() || !sns_dpn() || sns_loc() || !sns_ter() || ext_tsk() != E_CTX;
    handler_wrong += iloc_cpu() != E_OK || iloc_cpu() != E_OK || !sns_loc();
    handler_wrong += isig_sem(SEM) != E_CTX || irot_rdq(1) != E_CTX || irel_wai(OTHER) != E_CTX;
    handler_wrong += iunl_cpu() != E_OK || sns_loc() || iunl_cpu() != E_OK;
    handler_wrong += ter_tsk(OTHER) != E_CTX || ras_ter(OTHER) != E_CTX || slp_tsk() != E_CTX;
    handler_wrong += ini_sem(SEM) != E_CTX || ini_dtq(QUEUE) != E_CTX || ini_pdq(SORTED) != E_CTX;
    handler_wrong += ini_mpf(POOL) != E_CTX || dis_ter() != E_CTX || ena_ter() != E_CTX;
    count_up(&cyclic_calls);
}

static void mutexes(void) {
    CHECK_IS(loc_mtx(MUTEX), E_OK);
    CHECK_IS(ploc_mtx(MUTEX), E_ILUSE);
    CHECK_IS(unl_mtx(MUTEX), E_OK);
    CHECK_IS(unl_mtx(MUTEX), E_ILUSE);
    CHECK_IS(ploc_mtx(MUTEX), E_OK);
    CHECK_IS(unl_mtx(MUTEX), E_OK);
    CHECK_IS(tloc_mtx(MUTEX, -2), E_PAR);
    CHECK_IS(tloc_mtx(MUTEX, TMO_FEVR), E_OK);
    CHECK_IS(unl_mtx(MUTEX), E_OK);
    CHECK_IS(loc_mtx(0), E_ID);
}

static void handlers(void) {
    SYSTIM before = 0;
    unsigned alarms = read_count(&alarm_calls);
    CHECK_IS(sta_cyc(CYCLIC), E_OK);
    wait_until_count(&cyclic_calls, 3);
    CHECK_IS(stp_cyc(CYCLIC), E_OK);
    unsigned calls = read_count(&cyclic_calls);
    CHECK_IS(sta_alm(ALARM, 2000), E_OK);
    CHECK_IS(stp_alm(ALARM), E_OK);
    get_tim(&before);
    CHECK_IS(sta_alm(ALARM, 3000), E_OK);
    wait_until_count(&alarm_calls, alarms + 1);
    CHECK(since(before) >= 3000 && since(before) < 100000);
    CHECK_IS(read_count(&alarm_calls), alarms + 1);
    CHECK_IS(read_count(&cyclic_calls), calls);
    CHECK_IS(handler_wrong, 0);
    CHECK_IS(sta_cyc(0), E_ID);
    CHECK_IS(stp_cyc(0), E_ID);
    CHECK_IS(sta_alm(0, 1), E_ID);
    CHECK_IS(stp_alm(0), E_ID);
    CHECK_IS(msta_cyc(CYCLIC, 1), E_OK);
    CHECK_IS(msta_cyc(CYCLIC, TPRC_INI), E_OK);
    CHECK_IS(msta_cyc(CYCLIC, 2), E_PAR);
    CHECK_IS(msta_cyc(CYCLIC, 5), E_ID);
    CHECK_IS(msta_cyc(0, 1), E_ID);
    CHECK_IS(stp_cyc(CYCLIC), E_OK);
    CHECK_IS(msta_alm(ALARM, 1000000, 1), E_OK);
    CHECK_IS(imsta_alm(ALARM, 1000000, 2), E_PAR);
    CHECK_IS(msta_alm(ALARM, 1000000, -1), E_ID);
    CHECK_IS(msta_alm(0, 1, 1), E_ID);
    CHECK_IS(istp_alm(ALARM), E_OK);
    SYSUTM first = 0, second = 0;
    CHECK_IS(get_utm(&first), E_OK);
    CHECK_IS(dly_tsk(50), E_OK);
    CHECK_IS(get_utm(&second), E_OK);
    CHECK(second >= first + 50);
    CHECK_IS(get_utm(NULL), E_PAR);
}

static void queries(void) {
    CHECK(!sns_ctx() && !sns_loc() && !sns_dpn());
    CHECK_IS(dis_dsp(), E_OK);
    CHECK(sns_dpn());
    CHECK_IS(ena_dsp(), E_OK);
    CHECK_IS(loc_cpu(), E_OK);
    bool senses = sns_loc() && sns_dpn() && !sns_ctx();
    ER refused = sig_sem(SEM);
    CHECK_IS(unl_cpu(), E_OK); /* because a failed check prints */
    CHECK(senses);
    CHECK_IS(refused, E_CTX);
    CHECK(!sns_loc());
}

static void state_of_other(int what, STAT wait, ID object) {
    T_RTSK task = {0};
    begin(what);
    CHECK_IS(ref_tsk(OTHER, &task), E_OK);
    CHECK_IS(task.tskstat, TTS_WAI);
    CHECK_IS(task.tskwait, wait);
    CHECK_IS(task.wobjid, object);
    CHECK_IS(task.tskpri, 30);
    CHECK_IS(task.prcid, 2);
    bool ends = wait == TTW_DLY || wait == TTW_FLG;
    CHECK(ends ? task.lefttmo > 0 && task.lefttmo <= 1000001 : task.lefttmo == TMO_FEVR);
}

static void ends(void) {
    CHECK_IS(ter_tsk(OTHER), E_OK);
}

static void states_of_tasks(void) {
    T_RTSK task = {0};
    CHECK_IS(ref_tsk(OTHER, &task), E_OK);
    CHECK_IS(task.tskstat, TTS_DMT);
    CHECK_IS(task.tskwait, 0);
    CHECK_IS(ref_tsk(-1, &task), E_ID);
    CHECK_IS(ref_tsk(OTHER, NULL), E_PAR);
    CHECK_IS(loc_mtx(MUTEX), E_OK);
    CHECK_IS(chg_pri(TSK_SELF, 25), E_OK);
    CHECK_IS(ref_tsk(TSK_SELF, &task), E_OK);
    CHECK_IS(task.tskstat, TTS_RUN);
    CHECK_IS(task.tskpri, 20);
    CHECK_IS(task.tskbpri, 25);
    CHECK_IS(task.prcid, 1);
    CHECK_IS(unl_mtx(MUTEX), E_OK);
    CHECK_IS(chg_pri(TSK_SELF, TPRI_INI), E_OK);
    state_of_other(DELAY, TTW_DLY, 0);
    CHECK_IS(sus_tsk(OTHER), E_OK);
    CHECK_IS(act_tsk(OTHER), E_OK);
    CHECK_IS(wup_tsk(OTHER), E_OK);
    CHECK_IS(ref_tsk(OTHER, &task), E_OK);
    CHECK_IS(task.tskstat, TTS_WAS);
    CHECK_IS(task.actcnt * 10 + task.wupcnt, 11);
    CHECK_IS(can_act(OTHER), 1);
    ends();
    state_of_other(SLEEP, TTW_SLP, 0);
    ends();
}

static void states_of_objects(void) {
    T_RSEM semaphore = {0};
    T_RFLG flag = {0};
    T_RDTQ queue = {0};
    T_RPDQ sorted = {0};
    T_RMBF buffer = {0};
    T_RMPF pool = {0};
    T_RMTX mutex = {0};
    void *block = NULL;
    state_of_other(TAKE, TTW_SEM, SEM);
    CHECK_IS(ref_sem(SEM, &semaphore), E_OK);
    CHECK(semaphore.wtskid == OTHER && semaphore.semcnt == 0);
    ends();
    state_of_other(FLAGS, TTW_FLG, FLAG);
    CHECK_IS(ref_flg(FLAG, &flag), E_OK);
    CHECK(flag.wtskid == OTHER && flag.flgptn == 4);
    ends();
    CHECK_IS(snd_dtq(QUEUE, 1), E_OK);
    state_of_other(SEND, TTW_SDTQ, QUEUE);
    CHECK_IS(ref_dtq(QUEUE, &queue), E_OK);
    CHECK(queue.stskid == OTHER && queue.rtskid == TSK_NONE && queue.sdtqcnt == 1);
    ends();
    CHECK_IS(rcv_dtq(QUEUE, &(intptr_t){0}), E_OK);
    state_of_other(RECEIVE, TTW_RDTQ, QUEUE);
    CHECK_IS(ref_dtq(QUEUE, &queue), E_OK);
    CHECK(queue.stskid == TSK_NONE && queue.rtskid == OTHER && queue.sdtqcnt == 0);
    ends();
    state_of_other(RECEIVE_SORTED, TTW_RPDQ, SORTED);
    CHECK_IS(ref_pdq(SORTED, &sorted), E_OK);
    CHECK(sorted.stskid == TSK_NONE && sorted.rtskid == OTHER && sorted.spdqcnt == 0);
    ends();
    CHECK_IS(snd_pdq(SORTED, 1, 1), E_OK);
    CHECK_IS(snd_pdq(SORTED, 1, 1), E_OK);
    state_of_other(SEND_SORTED, TTW_SPDQ, SORTED);
    CHECK_IS(ref_pdq(SORTED, &sorted), E_OK);
    CHECK(sorted.stskid == OTHER && sorted.rtskid == TSK_NONE && sorted.spdqcnt == 2);
    ends();
    state_of_other(RECEIVE_TEXT, TTW_RMBF, BUFFER);
    CHECK_IS(ref_mbf(BUFFER, &buffer), E_OK);
    CHECK(buffer.rtskid == OTHER && buffer.smbfcnt == 0 && buffer.fmbfsz == 24);
    ends();
    CHECK_IS(snd_mbf(BUFFER, "abc", 3), E_OK);
    state_of_other(SEND_TEXT, TTW_SMBF, BUFFER);
    CHECK_IS(ref_mbf(BUFFER, &buffer), E_OK);
    CHECK(buffer.stskid == OTHER && buffer.smbfcnt == 1 && buffer.fmbfsz == 8);
    ends();
    CHECK_IS(ref_mpf(POOL, &pool), E_OK);
    CHECK_IS(pool.fblkcnt, 1);
    CHECK_IS(get_mpf(POOL, &block), E_OK);
    state_of_other(BLOCK, TTW_MPF, POOL);
    CHECK_IS(ref_mpf(POOL, &pool), E_OK);
    CHECK(pool.wtskid == OTHER && pool.fblkcnt == 0);
    ends();
    CHECK_IS(rel_mpf(POOL, block), E_OK);
    CHECK_IS(loc_mtx(MUTEX), E_OK);
    CHECK_IS(ref_mtx(MUTEX, &mutex), E_OK);
    CHECK(mutex.htskid == TAKT_TASK_main && mutex.wtskid == TSK_NONE);
    CHECK_IS(unl_mtx(MUTEX), E_OK);
    CHECK_IS(ref_sem(0, &semaphore), E_ID);
    CHECK_IS(ref_sem(SEM, NULL), E_PAR);
}

static void states_of_handlers(void) {
    T_RCYC cyclic = {0};
    T_RALM alarm = {0};
    CHECK_IS(ref_cyc(CYCLIC, &cyclic), E_OK);
    CHECK(cyclic.cycstat == TCYC_STP && cyclic.prcid == 1);
    CHECK_IS(sta_cyc(CYCLIC), E_OK);
    CHECK_IS(ref_cyc(CYCLIC, &cyclic), E_OK);
    CHECK(cyclic.cycstat == TCYC_STA && cyclic.lefttim <= 1000);
    CHECK_IS(stp_cyc(CYCLIC), E_OK);
    CHECK_IS(sta_alm(ALARM, 4000000000), E_OK);
    CHECK_IS(ref_alm(ALARM, &alarm), E_OK);
    CHECK(alarm.almstat == TALM_STA && alarm.lefttim > 3900000000 && alarm.prcid == 1);
    CHECK_IS(stp_alm(ALARM), E_OK);
    CHECK_IS(ref_alm(ALARM, &alarm), E_OK);
    CHECK_IS(alarm.almstat, TALM_STP);
    CHECK_IS(itron_units(1001, 10), 2);
    CHECK_IS(itron_units(1000, 10), 1);
    CHECK_IS(itron_units(TAKT_FOR_EVER, 10), 10);
    CHECK_IS(itron_wait(&(struct takt_task_state){.waits_for = TAKT_WAIT_BARRIER}), TTW_OBJ);
}

static void spin_locks(void) {
    T_RSPN spin = {0};
    CHECK_IS(loc_spn(SPIN), E_OK);
    bool senses = sns_loc();
    ER again = loc_spn(SPIN);
    CHECK_IS(unl_spn(SPIN), E_OK);
    CHECK(senses);
    CHECK_IS(again, E_CTX);
    CHECK_IS(unl_spn(SPIN), E_ILUSE);
    CHECK_IS(ref_spn(SPIN, &spin), E_OK);
    CHECK_IS(spin.spnstat, TSPN_UNL);
    habit = HOLD;
    CHECK_IS(act_tsk(OTHER), E_OK);
    wait_until_count(&held, 1);
    CHECK_IS(ref_spn(SPIN, &spin), E_OK);
    CHECK_IS(spin.spnstat, TSPN_LOC);
    CHECK_IS(try_spn(SPIN), E_OBJ);
    count_up(&let_go);
    CHECK_IS(loc_spn(SPIN), E_OK);
    CHECK_IS(unl_spn(SPIN), E_OK);
    CHECK_IS(try_spn(SPIN), E_OK);
    CHECK_IS(unl_spn(SPIN), E_OK);
}

static void sets_the_time(void) {
    SYSTIM now = 0;
    CHECK_IS(set_tim(5000000000), E_OK);
    CHECK_IS(get_tim(&now), E_OK);
    CHECK(now >= 5000000000 && now < 5001000000);
    CHECK_IS(set_tim(UINT64_MAX), E_PAR);
    CHECK_IS(set_tim(INT64_MAX / 1000), E_PAR); /* 2^62 ns is the limit */
    CHECK_IS(get_tim(&now), E_OK);
    CHECK(now >= 5000000000 && now < 5001000000);
}

void nobody(EXINF argument) {
}

/* tests/interrupt tests the interrupts of devices. */
static void interrupts(void) {
    CHECK_IS(dis_int(TAKT_INTERRUPT_nobody), E_OK);
    CHECK_IS(prb_int(TAKT_INTERRUPT_nobody), 0);
    CHECK_IS(ena_int(TAKT_INTERRUPT_nobody), E_OK);
    CHECK_IS(dis_int(0), E_ID);
    CHECK_IS(ena_int(TAKT_INTERRUPT_nobody + 1), E_ID);
    CHECK_IS(prb_int(TAKT_INTERRUPT_nobody + 1), E_ID);
}

void main_job(EXINF argument) {
    tasks();
    times();
    resets();
    terminations();
    turns();
    releases_in_handlers();
    asks_with_dispatch_disabled();
    synchronisation();
    communication();
    mutexes();
    handlers();
    queries();
    states_of_tasks();
    states_of_objects();
    states_of_handlers();
    spin_locks();
    sets_the_time();
    interrupts();
    check_end();
}
