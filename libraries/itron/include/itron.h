/* SPDX-License-Identifier: Apache-2.0 */
/* The standard's names: uITRON 4.0 with the extensions of TOPPERS/FMP (1.x): its values, its
 * errors, and its names for handlers (`i...`) and for other cores (`m...`). Each is the service of
 * <takt/...> that it calls, where its contexts and errors stand; an `i` name is the same service.
 *
 * uITRON leaves the unit of times to the kernel: here it is ITRON_TIME_UNIT nanoseconds, a
 * microsecond (as in FMP3 and ASP3) unless the application defines it before it includes this;
 * FMP 1.x counts milliseconds: TAKT_MILLISECOND.
 *
 * Objects are those of the description: there is no cre_ and no del_. What is left out, and why,
 * stands in the book, "The standard's names". */
#ifndef INCLUDE_ITRON_H
#define INCLUDE_ITRON_H

#include <takt/takt.h>

#ifndef ITRON_TIME_UNIT
#define ITRON_TIME_UNIT TAKT_MICROSECOND
#endif

/* --- Types -------------------------------------------------------------------------------- */

typedef int32_t ER;      /* E_OK or an error */
typedef int32_t ER_UINT; /* a count, or an error, which is negative */
typedef int32_t ER_BOOL; /* 0, 1, or an error */
typedef int32_t ID;      /* the ID of an object: TAKT_TASK_x, TAKT_SEMAPHORE_x, ... */
typedef uint32_t INTNO;  /* an interrupt of the description: TAKT_INTERRUPT_x */
typedef int32_t PRI;     /* the priority of a task, 1 (highest) to 64 */
typedef int32_t TMO;     /* a timeout: units, TMO_POL or TMO_FEVR */
typedef uint32_t RELTIM; /* a duration: units */
typedef uint64_t SYSTIM; /* a time: units */
typedef uint64_t SYSUTM; /* a time: microseconds */
typedef uint32_t FLGPTN; /* bits of an event flag */
typedef unsigned MODE;   /* TWF_ANDW or TWF_ORW */
typedef intptr_t EXINF;  /* the argument of a task's entry */
typedef unsigned uint_t;

enum { TMO_POL = 0, TMO_FEVR = -1 };
enum { TPRI_INI = 0, TPRI_SELF = 0, TMIN_TPRI = 1, TMAX_TPRI = 64 };
enum { TWF_ANDW = TAKT_FLAG_ALL, TWF_ORW = TAKT_FLAG_ANY };
enum { TSK_SELF = 0, TSK_NONE = 0 };
enum { TPRC_INI = 0 }; /* the core where the description puts the task or handler */

enum {
    E_OK = TAKT_OK,
    E_PAR = TAKT_E_PAR,
    E_ID = TAKT_E_ID,
    E_CTX = TAKT_E_CTX,
    E_ILUSE = TAKT_E_ILUSE,
    E_OBJ = TAKT_E_OBJ,
    E_QOVR = TAKT_E_QOVR,
    E_RLWAI = TAKT_E_RLWAI,
    E_TMOUT = TAKT_E_TMOUT,
    E_DLT = TAKT_E_DLT, /* returned by ini_ */
};

/* Converts a timeout to nanoseconds. A value below TMO_FEVR is invalid, and the service returns
 * E_PAR. */
static inline takt_time itron_timeout(TMO timeout) {
    return timeout == TMO_FEVR ? TAKT_FOR_EVER : timeout * ITRON_TIME_UNIT;
}

static inline takt_id itron_task(ID task) {
    return task == TSK_SELF ? takt_task_self() : (takt_id)task;
}

/* Checks a core's number; the standard counts cores from 1. A number without a core is an E_ID; a
 * core on which the task may not run is an E_PAR. */
static inline bool itron_is_core(ID core) {
    return core >= 1 && core <= (ID)takt_cores_used();
}

static inline uint32_t itron_core(ID core) {
    return core == TPRC_INI ? TAKT_CORE_INITIAL : (uint32_t)core - 1;
}

/* Returns a service's error, or else the count. */
static inline ER_UINT itron_count(ER error, size_t count) {
    return error == E_OK ? (ER_UINT)count : error;
}

/* --- Tasks (section 4.1) ------------------------------------------------------------------ */

static inline ER act_tsk(ID task) {
    return takt_task_activate(itron_task(task));
}

static inline ER_UINT can_act(ID task) {
    unsigned cancelled = 0;
    ER error = takt_task_cancel_activations(itron_task(task), &cancelled);
    return itron_count(error, cancelled);
}

static inline ER mact_tsk(ID task, ID core) {
    return core == TPRC_INI || itron_is_core(core)
               ? takt_task_activate_on(itron_task(task), itron_core(core))
               : E_ID;
}

static inline ER mig_tsk(ID task, ID core) {
    return core == TPRC_INI || itron_is_core(core)
               ? takt_task_migrate(itron_task(task), itron_core(core))
               : E_ID;
}

/* Returns only in a handler, with E_CTX. */
static inline ER ext_tsk(void) {
    if (takt_context_is_handler()) {
        return E_CTX;
    }
    takt_task_exit();
}

static inline ER ter_tsk(ID task) {
    return takt_task_terminate((takt_id)task);
}

/* A service of FMP3 and ASP3. */
static inline ER ras_ter(ID task) {
    return takt_task_request_termination((takt_id)task);
}

static inline ER dis_ter(void) {
    return takt_termination_disable();
}

static inline ER ena_ter(void) {
    return takt_termination_enable();
}

static inline bool sns_ter(void) {
    return takt_termination_disabled();
}

static inline ER chg_pri(ID task, PRI priority) {
    return takt_task_set_priority(itron_task(task), (unsigned)priority);
}

static inline ER get_pri(ID task, PRI *priority) {
    unsigned found = 0;
    ER error = takt_task_priority(itron_task(task), priority != NULL ? &found : NULL);
    if (error == E_OK) {
        *priority = (PRI)found;
    }
    return error;
}

static inline ER rot_rdq(PRI priority) {
    return takt_task_rotate((unsigned)priority);
}

static inline ER mrot_rdq(PRI priority, ID core) {
    return itron_is_core(core) ? takt_task_rotate_on(itron_core(core), (unsigned)priority) : E_ID;
}

/* A service of FMP3 and ASP3. */
static inline ER mget_lod(PRI priority, ID core, uint_t *load) {
    return itron_is_core(core) ? takt_task_ready_count(itron_core(core), (unsigned)priority, load)
                               : E_ID;
}

static inline ER get_lod(PRI priority, uint_t *load) {
    return takt_task_ready_count(takt_core_self(), (unsigned)priority, load);
}

/* --- Tasks that wait for each other (section 4.2) ----------------------------------------- */

static inline ER slp_tsk(void) {
    return takt_task_sleep();
}

static inline ER tslp_tsk(TMO timeout) {
    return takt_task_sleep_for(itron_timeout(timeout));
}

static inline ER wup_tsk(ID task) {
    return takt_task_wakeup(itron_task(task));
}

static inline ER_UINT can_wup(ID task) {
    unsigned cancelled = 0;
    ER error = takt_task_cancel_wakeups(itron_task(task), &cancelled);
    return itron_count(error, cancelled);
}

static inline ER rel_wai(ID task) {
    return takt_task_release_wait((takt_id)task);
}

static inline ER sus_tsk(ID task) {
    return takt_task_suspend(itron_task(task));
}

static inline ER rsm_tsk(ID task) {
    return takt_task_resume((takt_id)task);
}

static inline ER dly_tsk(RELTIM duration) {
    return takt_task_delay(duration * ITRON_TIME_UNIT);
}

/* --- Semaphores (section 4.4.1) ----------------------------------------------------------- */

static inline ER sig_sem(ID semaphore) {
    return takt_semaphore_signal((takt_id)semaphore);
}

TAKT_MUST_USE static inline ER wai_sem(ID semaphore) {
    return takt_semaphore_wait((takt_id)semaphore);
}

TAKT_MUST_USE static inline ER pol_sem(ID semaphore) {
    return takt_semaphore_try((takt_id)semaphore);
}

TAKT_MUST_USE static inline ER twai_sem(ID semaphore, TMO timeout) {
    return takt_semaphore_wait_for((takt_id)semaphore, itron_timeout(timeout));
}

static inline ER ini_sem(ID semaphore) {
    return takt_semaphore_reset((takt_id)semaphore);
}

/* --- Event flags (section 4.4.2) ---------------------------------------------------------- */

static inline ER set_flg(ID flag, FLGPTN pattern) {
    return takt_flag_set((takt_id)flag, pattern);
}

static inline ER clr_flg(ID flag, FLGPTN pattern) {
    return takt_flag_clear((takt_id)flag, pattern);
}

TAKT_MUST_USE static inline ER wai_flg(ID flag, FLGPTN pattern, MODE mode, FLGPTN *found) {
    return takt_flag_wait((takt_id)flag, pattern, (int)mode, found);
}

TAKT_MUST_USE static inline ER pol_flg(ID flag, FLGPTN pattern, MODE mode, FLGPTN *found) {
    return takt_flag_try((takt_id)flag, pattern, (int)mode, found);
}

TAKT_MUST_USE static inline ER twai_flg(ID flag, FLGPTN pattern, MODE mode, FLGPTN *found,
                                        TMO timeout) {
    return takt_flag_wait_for((takt_id)flag, pattern, (int)mode, found, itron_timeout(timeout));
}

static inline ER ini_flg(ID flag) {
    return takt_flag_reset((takt_id)flag);
}

/* --- Mutexes (section 4.5.1) -------------------------------------------------------------- */

TAKT_MUST_USE static inline ER loc_mtx(ID mutex) {
    return takt_mutex_lock((takt_id)mutex);
}

TAKT_MUST_USE static inline ER ploc_mtx(ID mutex) {
    return takt_mutex_try((takt_id)mutex);
}

TAKT_MUST_USE static inline ER tloc_mtx(ID mutex, TMO timeout) {
    return takt_mutex_lock_for((takt_id)mutex, itron_timeout(timeout));
}

static inline ER unl_mtx(ID mutex) {
    return takt_mutex_unlock((takt_id)mutex);
}

/* --- Data queues (section 4.4.3) ---------------------------------------------------------- */

TAKT_MUST_USE static inline ER snd_dtq(ID queue, intptr_t data) {
    return takt_data_queue_send((takt_id)queue, data);
}

TAKT_MUST_USE static inline ER psnd_dtq(ID queue, intptr_t data) {
    return takt_data_queue_try_send((takt_id)queue, data);
}

TAKT_MUST_USE static inline ER tsnd_dtq(ID queue, intptr_t data, TMO timeout) {
    return takt_data_queue_send_for((takt_id)queue, data, itron_timeout(timeout));
}

static inline ER fsnd_dtq(ID queue, intptr_t data) {
    return takt_data_queue_force_send((takt_id)queue, data);
}

TAKT_MUST_USE static inline ER rcv_dtq(ID queue, intptr_t *data) {
    return takt_data_queue_receive((takt_id)queue, data);
}

TAKT_MUST_USE static inline ER prcv_dtq(ID queue, intptr_t *data) {
    return takt_data_queue_try_receive((takt_id)queue, data);
}

TAKT_MUST_USE static inline ER trcv_dtq(ID queue, intptr_t *data, TMO timeout) {
    return takt_data_queue_receive_for((takt_id)queue, data, itron_timeout(timeout));
}

static inline ER ini_dtq(ID queue) {
    return takt_data_queue_reset((takt_id)queue);
}

/* --- Priority data queues (TOPPERS' third generation) ------------------------------------- */

TAKT_MUST_USE static inline ER snd_pdq(ID queue, intptr_t data, PRI priority) {
    return takt_priority_data_queue_send((takt_id)queue, data, (unsigned)priority);
}

TAKT_MUST_USE static inline ER psnd_pdq(ID queue, intptr_t data, PRI priority) {
    return takt_priority_data_queue_try_send((takt_id)queue, data, (unsigned)priority);
}

TAKT_MUST_USE static inline ER tsnd_pdq(ID queue, intptr_t data, PRI priority, TMO timeout) {
    return takt_priority_data_queue_send_for((takt_id)queue, data, (unsigned)priority,
                                             itron_timeout(timeout));
}

TAKT_MUST_USE static inline ER trcv_pdq(ID queue, intptr_t *data, PRI *priority, TMO timeout) {
    unsigned found = 0;
    ER error = takt_priority_data_queue_receive_for(
        (takt_id)queue, data, priority != NULL ? &found : NULL, itron_timeout(timeout));
    if (error == E_OK) {
        *priority = (PRI)found;
    }
    return error;
}

TAKT_MUST_USE static inline ER rcv_pdq(ID queue, intptr_t *data, PRI *priority) {
    return trcv_pdq(queue, data, priority, TMO_FEVR);
}

TAKT_MUST_USE static inline ER prcv_pdq(ID queue, intptr_t *data, PRI *priority) {
    return trcv_pdq(queue, data, priority, TMO_POL);
}

static inline ER ini_pdq(ID queue) {
    return takt_priority_data_queue_reset((takt_id)queue);
}

/* --- Message buffers (section 4.5.2) ------------------------------------------------------ */

TAKT_MUST_USE static inline ER snd_mbf(ID buffer, const void *message, uint_t size) {
    return takt_message_buffer_send((takt_id)buffer, message, size);
}

TAKT_MUST_USE static inline ER psnd_mbf(ID buffer, const void *message, uint_t size) {
    return takt_message_buffer_try_send((takt_id)buffer, message, size);
}

TAKT_MUST_USE static inline ER tsnd_mbf(ID buffer, const void *message, uint_t size, TMO timeout) {
    return takt_message_buffer_send_for((takt_id)buffer, message, size, itron_timeout(timeout));
}

/* Returns the message's size. */
TAKT_MUST_USE static inline ER_UINT rcv_mbf(ID buffer, void *message) {
    size_t size = 0;
    ER error = takt_message_buffer_receive((takt_id)buffer, message, &size);
    return itron_count(error, size);
}

TAKT_MUST_USE static inline ER_UINT prcv_mbf(ID buffer, void *message) {
    size_t size = 0;
    ER error = takt_message_buffer_try_receive((takt_id)buffer, message, &size);
    return itron_count(error, size);
}

TAKT_MUST_USE static inline ER_UINT trcv_mbf(ID buffer, void *message, TMO timeout) {
    size_t size = 0;
    ER error =
        takt_message_buffer_receive_for((takt_id)buffer, message, &size, itron_timeout(timeout));
    return itron_count(error, size);
}

static inline ER ini_mbf(ID buffer) {
    return takt_message_buffer_reset((takt_id)buffer);
}

/* --- Memory pools of blocks of one size (section 4.6.1) ----------------------------------- */

TAKT_MUST_USE static inline ER get_mpf(ID pool, void **block) {
    return takt_memory_pool_get((takt_id)pool, block);
}

TAKT_MUST_USE static inline ER pget_mpf(ID pool, void **block) {
    return takt_memory_pool_try_get((takt_id)pool, block);
}

TAKT_MUST_USE static inline ER tget_mpf(ID pool, void **block, TMO timeout) {
    return takt_memory_pool_get_for((takt_id)pool, block, itron_timeout(timeout));
}

static inline ER rel_mpf(ID pool, void *block) {
    return takt_memory_pool_release((takt_id)pool, block);
}

static inline ER ini_mpf(ID pool) {
    return takt_memory_pool_reset((takt_id)pool);
}

/* --- Time (section 4.7.1) ----------------------------------------------------------------- */

static inline ER get_tim(SYSTIM *time) {
    if (time == NULL) {
        return E_PAR;
    }
    *time = (SYSTIM)(takt_calendar_now() / ITRON_TIME_UNIT);
    return E_OK;
}

/* FMP 1.x: a clock for measurements, in microseconds, which cannot be set. */
static inline ER get_utm(SYSUTM *time) {
    if (time == NULL) {
        return E_PAR;
    }
    *time = (SYSUTM)(takt_time_now() / TAKT_MICROSECOND);
    return E_OK;
}

/* Sets the calendar only; waits and tasks are not affected. */
static inline ER set_tim(SYSTIM time) {
    return time <= (SYSTIM)(INT64_MAX / ITRON_TIME_UNIT)
               ? takt_calendar_set((takt_time)time * ITRON_TIME_UNIT)
               : E_PAR;
}

/* --- Cyclic handlers and alarms (sections 4.7.2, 4.7.3) ----------------------------------- */

static inline ER sta_cyc(ID cyclic) {
    return takt_cyclic_start((takt_id)cyclic);
}

static inline ER stp_cyc(ID cyclic) {
    return takt_cyclic_stop((takt_id)cyclic);
}

/* A handler stays on its described core, because the bounds count it there. Another core is an
 * E_PAR. */
static inline ER itron_handler_core(ER error, const struct takt_time_event_state *state, ID core) {
    if (error == E_OK && core != TPRC_INI && !itron_is_core(core)) {
        return E_ID;
    }
    bool is_there = core == TPRC_INI || itron_core(core) == state->core;
    return error == E_OK && !is_there ? E_PAR : error;
}

static inline ER msta_cyc(ID cyclic, ID core) {
    struct takt_time_event_state state = {.core = 0};
    ER error = takt_cyclic_state((takt_id)cyclic, &state);
    error = itron_handler_core(error, &state, core);
    return error == E_OK ? sta_cyc(cyclic) : error;
}

static inline ER sta_alm(ID alarm, RELTIM delay) {
    return takt_alarm_start((takt_id)alarm, delay * ITRON_TIME_UNIT);
}

static inline ER msta_alm(ID alarm, RELTIM delay, ID core) {
    struct takt_time_event_state state = {.core = 0};
    ER error = takt_alarm_state((takt_id)alarm, &state);
    error = itron_handler_core(error, &state, core);
    return error == E_OK ? sta_alm(alarm, delay) : error;
}

static inline ER stp_alm(ID alarm) {
    return takt_alarm_stop((takt_id)alarm);
}

/* --- Interrupts (section 4.9) -------------------------------------------------------------- */

static inline ER dis_int(INTNO interrupt) {
    return takt_interrupt_disable(interrupt);
}

static inline ER ena_int(INTNO interrupt) {
    return takt_interrupt_enable(interrupt);
}

static inline ER_BOOL prb_int(INTNO interrupt) {
    bool pending = false;
    ER error = takt_interrupt_pending(interrupt, &pending);
    return itron_count(error, pending);
}

/* --- The system's state (section 4.8) ----------------------------------------------------- */

TAKT_MUST_USE static inline ER dis_dsp(void) {
    return takt_dispatch_disable();
}

static inline ER ena_dsp(void) {
    return takt_dispatch_enable();
}

static inline bool sns_dsp(void) {
    return takt_dispatch_disabled();
}

TAKT_MUST_USE static inline ER loc_cpu(void) {
    return takt_cpu_lock();
}

static inline ER unl_cpu(void) {
    return takt_cpu_unlock();
}

static inline bool sns_loc(void) {
    return takt_cpu_locked();
}

static inline bool sns_ctx(void) {
    return takt_context_is_handler();
}

static inline bool sns_dpn(void) {
    return takt_dispatch_pending();
}

/* Gives TSK_NONE in a handler. */
static inline ER get_tid(ID *task) {
    if (task == NULL) {
        return E_PAR;
    }
    *task = (ID)takt_task_self();
    return E_OK;
}

static inline ER get_pid(ID *core) {
    if (core == NULL) {
        return E_PAR;
    }
    *core = (ID)takt_core_self() + 1;
    return E_OK;
}

/* --- Spin locks (TOPPERS/FMP) ------------------------------------------------------------- */

TAKT_MUST_USE static inline ER loc_spn(ID lock) {
    return takt_spin_lock_acquire((takt_id)lock);
}

/* Returns E_OBJ if the lock is held. */
TAKT_MUST_USE static inline ER try_spn(ID lock) {
    return takt_spin_lock_try((takt_id)lock);
}

static inline ER unl_spn(ID lock) {
    return takt_spin_lock_release((takt_id)lock);
}

/* --- Names for handlers (uITRON 4.0, FMP 1.x) ---------------------------------------------- */

static inline ER iact_tsk(ID task) {
    return act_tsk(task);
}

static inline ER imact_tsk(ID task, ID core) {
    return mact_tsk(task, core);
}

static inline ER iwup_tsk(ID task) {
    return wup_tsk(task);
}

static inline ER irel_wai(ID task) {
    return rel_wai(task);
}

static inline ER isig_sem(ID semaphore) {
    return sig_sem(semaphore);
}

static inline ER iset_flg(ID flag, FLGPTN pattern) {
    return set_flg(flag, pattern);
}

TAKT_MUST_USE static inline ER ipsnd_dtq(ID queue, intptr_t data) {
    return psnd_dtq(queue, data);
}

static inline ER ifsnd_dtq(ID queue, intptr_t data) {
    return fsnd_dtq(queue, data);
}

TAKT_MUST_USE static inline ER ipsnd_pdq(ID queue, intptr_t data, PRI priority) {
    return psnd_pdq(queue, data, priority);
}

static inline ER ista_alm(ID alarm, RELTIM delay) {
    return sta_alm(alarm, delay);
}

static inline ER imsta_alm(ID alarm, RELTIM delay, ID core) {
    return msta_alm(alarm, delay, core);
}

static inline ER istp_alm(ID alarm) {
    return stp_alm(alarm);
}

static inline ER irot_rdq(PRI priority) {
    return rot_rdq(priority);
}

/* Returns E_CTX for the queue of another core, whose answer a handler cannot wait for. */
static inline ER imrot_rdq(PRI priority, ID core) {
    return mrot_rdq(priority, core);
}

static inline ER iget_lod(PRI priority, uint_t *load) {
    return get_lod(priority, load);
}

static inline ER imget_lod(PRI priority, ID core, uint_t *load) {
    return mget_lod(priority, core, load);
}

TAKT_MUST_USE static inline ER iloc_cpu(void) {
    return loc_cpu();
}

static inline ER iunl_cpu(void) {
    return unl_cpu();
}

static inline ER iget_tid(ID *task) {
    return get_tid(task);
}

static inline ER iget_pid(ID *core) {
    return get_pid(core);
}

TAKT_MUST_USE static inline ER iloc_spn(ID lock) {
    return loc_spn(lock);
}

TAKT_MUST_USE static inline ER itry_spn(ID lock) {
    return try_spn(lock);
}

static inline ER iunl_spn(ID lock) {
    return unl_spn(lock);
}

/* --- States (ref_) ------------------------------------------------------------------------ */

typedef unsigned STAT;

enum { /* states of a task */
       TTS_RUN = 0x01,
       TTS_RDY = 0x02,
       TTS_WAI = 0x04,
       TTS_SUS = 0x08,
       TTS_WAS = TTS_WAI | TTS_SUS,
       TTS_DMT = 0x10,
};

enum { /* what a task waits for; TTW_OBJ: an object that is not in the standard */
       TTW_SLP = 0x0001,
       TTW_DLY = 0x0002,
       TTW_SEM = 0x0004,
       TTW_FLG = 0x0008,
       TTW_SDTQ = 0x0010,
       TTW_RDTQ = 0x0020,
       TTW_MTX = 0x0080,
       TTW_SPDQ = 0x0100,
       TTW_RPDQ = 0x0200,
       TTW_SMBF = 0x0400,
       TTW_RMBF = 0x0800,
       TTW_MPF = 0x2000,
       TTW_OBJ = 0x10000,
};

enum { TCYC_STP = 1, TCYC_STA = 2, TALM_STP = 1, TALM_STA = 2, TSPN_UNL = 1, TSPN_LOC = 2 };

typedef struct t_rtsk {
    STAT tskstat;
    PRI tskpri;    /* this and the members below are valid for a task with a job */
    PRI tskbpri;   /* without inherited priorities and ceilings */
    STAT tskwait;  /* this and the members below are valid for a waiting task, otherwise 0 */
    ID wobjid;     /* the object that it waits for; 0: a time, or a wake-up */
    TMO lefttmo;   /* rounded up, at most INT32_MAX */
    uint_t actcnt; /* this and the members below are valid for any task */
    uint_t wupcnt;
    ID prcid; /* from 1 */
} T_RTSK;

typedef struct t_rsem {
    ID wtskid; /* here and below: the first waiting task, or TSK_NONE */
    uint_t semcnt;
} T_RSEM;

typedef struct t_rflg {
    ID wtskid;
    FLGPTN flgptn;
} T_RFLG;

typedef struct t_rdtq {
    ID stskid; /* here and below: the first waiting sender, or TSK_NONE */
    ID rtskid; /* the first waiting receiver, or TSK_NONE */
    uint_t sdtqcnt;
} T_RDTQ;

typedef struct t_rpdq {
    ID stskid;
    ID rtskid;
    uint_t spdqcnt;
} T_RPDQ;

typedef struct t_rmtx {
    ID htskid; /* the holder, or TSK_NONE */
    ID wtskid;
} T_RMTX;

typedef struct t_rmbf {
    ID stskid;
    ID rtskid;
    uint_t smbfcnt; /* the number of messages */
    size_t fmbfsz;  /* in bytes; a message takes 8 more than its size rounded up to 8 */
} T_RMBF;

typedef struct t_rmpf {
    ID wtskid;
    uint_t fblkcnt;
} T_RMPF;

typedef struct t_rcyc {
    STAT cycstat;
    RELTIM lefttim; /* of a started handler: rounded up, at most UINT32_MAX */
    ID prcid;
} T_RCYC;

typedef struct t_ralm {
    STAT almstat;
    RELTIM lefttim;
    ID prcid;
} T_RALM;

typedef struct t_rspn {
    STAT spnstat;
} T_RSPN;

/* Converts a time to units, rounded up, at most `most`. */
static inline int64_t itron_units(takt_time time, int64_t most) {
    int64_t whole = time / ITRON_TIME_UNIT + (time % ITRON_TIME_UNIT != 0);
    return whole < most ? whole : most;
}

static inline STAT itron_task_status(int is) {
    switch (is) {
    case TAKT_TASK_IS_DORMANT:
        return TTS_DMT;
    case TAKT_TASK_IS_RUNNING:
        return TTS_RUN;
    case TAKT_TASK_IS_READY:
        return TTS_RDY;
    case TAKT_TASK_IS_WAITING:
        return TTS_WAI;
    case TAKT_TASK_IS_SUSPENDED:
        return TTS_SUS;
    default:
        return TTS_WAS;
    }
}

static inline STAT itron_wait(const struct takt_task_state *state) {
    switch (state->waits_for) {
    case TAKT_WAIT_NONE:
        return 0;
    case TAKT_WAIT_SLEEP:
        return TTW_SLP;
    case TAKT_WAIT_DELAY:
        return TTW_DLY;
    case TAKT_WAIT_SEMAPHORE:
        return TTW_SEM;
    case TAKT_WAIT_FLAG:
        return TTW_FLG;
    case TAKT_WAIT_DATA_QUEUE:
        return state->sends ? TTW_SDTQ : TTW_RDTQ;
    case TAKT_WAIT_MESSAGE_BUFFER:
        return state->sends ? TTW_SMBF : TTW_RMBF;
    case TAKT_WAIT_MEMORY_POOL:
        return TTW_MPF;
    case TAKT_WAIT_MUTEX:
        return TTW_MTX;
    case TAKT_WAIT_PRIORITY_DATA_QUEUE:
        return state->sends ? TTW_SPDQ : TTW_RPDQ;
    default:
        return TTW_OBJ;
    }
}

static inline ER ref_tsk(ID task, T_RTSK *packet) {
    struct takt_task_state state;
    ER error = takt_task_state(itron_task(task), packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RTSK){
            .tskstat = itron_task_status(state.is),
            .tskpri = (PRI)state.priority,
            .tskbpri = (PRI)state.base_priority,
            .tskwait = itron_wait(&state),
            .wobjid = (ID)state.wait_object,
            .lefttmo = state.wait_left == TAKT_FOR_EVER
                           ? TMO_FEVR
                           : (TMO)itron_units(state.wait_left, INT32_MAX),
            .actcnt = state.activations,
            .wupcnt = state.wakeups,
            .prcid = (ID)state.core + 1,
        };
    }
    return error;
}

static inline ER ref_sem(ID id, T_RSEM *packet) {
    struct takt_semaphore_state state;
    ER error = takt_semaphore_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RSEM){.wtskid = (ID)state.first, .semcnt = state.count};
    }
    return error;
}

static inline ER ref_flg(ID id, T_RFLG *packet) {
    struct takt_flag_state state;
    ER error = takt_flag_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RFLG){.wtskid = (ID)state.first, .flgptn = state.bits};
    }
    return error;
}

static inline ER ref_dtq(ID id, T_RDTQ *packet) {
    struct takt_data_queue_state state;
    ER error = takt_data_queue_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RDTQ){
            .stskid = (ID)state.sender, .rtskid = (ID)state.receiver, .sdtqcnt = state.count};
    }
    return error;
}

static inline ER ref_pdq(ID id, T_RPDQ *packet) {
    struct takt_priority_data_queue_state state;
    ER error = takt_priority_data_queue_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RPDQ){
            .stskid = (ID)state.sender, .rtskid = (ID)state.receiver, .spdqcnt = state.count};
    }
    return error;
}

static inline ER ref_mtx(ID id, T_RMTX *packet) {
    struct takt_mutex_state state;
    ER error = takt_mutex_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RMTX){.htskid = (ID)state.holder, .wtskid = (ID)state.first};
    }
    return error;
}

static inline ER ref_mbf(ID id, T_RMBF *packet) {
    struct takt_message_buffer_state state;
    ER error = takt_message_buffer_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RMBF){.stskid = (ID)state.sender,
                           .rtskid = (ID)state.receiver,
                           .smbfcnt = state.count,
                           .fmbfsz = state.free};
    }
    return error;
}

static inline ER ref_mpf(ID id, T_RMPF *packet) {
    struct takt_memory_pool_state state;
    ER error = takt_memory_pool_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RMPF){.wtskid = (ID)state.first, .fblkcnt = state.free};
    }
    return error;
}

static inline ER ref_cyc(ID id, T_RCYC *packet) {
    struct takt_time_event_state state;
    ER error = takt_cyclic_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RCYC){.cycstat = state.started ? TCYC_STA : TCYC_STP,
                           .lefttim = (RELTIM)itron_units(state.left, UINT32_MAX),
                           .prcid = (ID)state.core + 1};
    }
    return error;
}

static inline ER ref_alm(ID id, T_RALM *packet) {
    struct takt_time_event_state state;
    ER error = takt_alarm_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RALM){.almstat = state.started ? TALM_STA : TALM_STP,
                           .lefttim = (RELTIM)itron_units(state.left, UINT32_MAX),
                           .prcid = (ID)state.core + 1};
    }
    return error;
}

static inline ER ref_spn(ID id, T_RSPN *packet) {
    struct takt_spin_lock_state state;
    ER error = takt_spin_lock_state((takt_id)id, packet != NULL ? &state : NULL);
    if (error == E_OK) {
        *packet = (T_RSPN){.spnstat = state.held ? TSPN_LOC : TSPN_UNL};
    }
    return error;
}

#endif
