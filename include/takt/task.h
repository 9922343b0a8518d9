/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks: what runs. uITRON 4.0 section 4.1 and 4.2, on the core that the description says.
 *
 * A task's entry is `void entry(intptr_t argument)`; each call is one job, and returning from it
 * completes the job. Contexts: "task" is a running job, "any" also includes interrupt handlers.
 * Every service here takes bounded time, and waits only where it says so. */
#ifndef INCLUDE_TAKT_TASK_H
#define INCLUDE_TAKT_TASK_H

#include <takt/types.h>

/* Activates a task: it runs one job now, or after those already asked for (act_tsk).
 * A sporadic task that is activated too early is released when its separation is over.
 * Context: any; the task may belong to any core.
 * Errors: TAKT_E_ID; TAKT_E_OBJ: the task is periodic, only the kernel releases it;
 *         TAKT_E_QOVR: as many activations as the description allows are waiting already. */
takt_error takt_task_activate(takt_id task);

/* As takt_task_activate, and the next job that begins, begins on that core (mact_tsk): where the
 * description lets the task run, or TAKT_CORE_INITIAL, where it says that the task is at first. The
 * task stays there. Of several such calls while a job runs, the last one says the core.
 * Context: any. Errors: as takt_task_activate; TAKT_E_PAR: the task may not run on that core. */
#define TAKT_CORE_INITIAL UINT32_MAX
takt_error takt_task_activate_on(takt_id task, uint32_t core);

/* Completes the job, as returning from the entry does (ext_tsk). Context: task. */
_Noreturn void takt_task_exit(void);

/* Puts the first ready task of a priority of this core behind all others of it, which may be the
 * caller (rot_rdq); TAKT_PRIORITY_SELF: the caller's base priority. Equals are otherwise FIFO.
 * Context: any. Errors: TAKT_E_CTX: the CPU is locked; TAKT_E_PAR: no priority, or
 * TAKT_PRIORITY_SELF in a handler. */
#define TAKT_PRIORITY_SELF 0u
takt_error takt_task_rotate(unsigned priority);

/* The same of any core (mrot_rdq). Context: any; a handler its own core's only.
 * Errors: as above; TAKT_E_PAR: also no such core; TAKT_E_CTX: also a handler, another core's. */
takt_error takt_task_rotate_on(uint32_t core, unsigned priority);

/* How many tasks of a priority are ready on a core, the running one included (get_lod, mget_lod).
 * Counted one by one in one section. Context: any, a handler its own core's only; of a task: owner,
 * as in "Governing tasks" below. Errors: TAKT_E_CTX; TAKT_E_PAR: no such core or priority, null, or
 * TAKT_PRIORITY_SELF in a handler; TAKT_E_ILUSE: tasks have deadlines, and this one is not
 * `unrestricted`. */
takt_error takt_task_ready_count(uint32_t core, unsigned priority, unsigned *count);

/* Waits until somebody wakes this task; at once if that has happened already (slp_tsk).
 * Context: task. Errors: TAKT_E_CTX. */
takt_error takt_task_sleep(void);

/* As takt_task_sleep, for at most `timeout` (tslp_tsk); 0 polls.
 * Errors: TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
takt_error takt_task_sleep_for(takt_time timeout);

/* Wakes a sleeping task, or lets its next sleep return at once (wup_tsk); up to 255 are counted.
 * Context: any; the task may belong to any core.
 * Errors: TAKT_E_ID; TAKT_E_OBJ: no job of it is active; TAKT_E_QOVR. */
takt_error takt_task_wakeup(takt_id task);

/* Waits at least `duration` (dly_tsk). Context: task. Errors: TAKT_E_CTX, TAKT_E_PAR. */
takt_error takt_task_delay(takt_time duration);

/* --- Governing tasks ------------------------------------------------------------------------
 *
 * Those that end with "owner" are carried out by the core of the task. From another core they
 * wait for its answer with interrupts enabled, bounded as docs/design/services.md says; also with
 * dispatch disabled, but for takt_task_terminate.
 * Errors of all of these: TAKT_E_CTX: not a task, or the CPU is locked; or dispatch is disabled and
 * a call of a former job of the caller, which was ended meanwhile, is not answered yet. */

/* Ends the task's job: it leaves what it waits for, and the next activation begins, if one is
 * queued (ter_tsk). A task that has disabled dispatch is ended when it enables it.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_ILUSE: the caller itself; TAKT_E_OBJ: no job
 * runs, is ready or waits; TAKT_E_CTX: dispatch is disabled and the task is another core's, which
 * may be waiting to end this one in the same way. */
takt_error takt_task_terminate(takt_id task);

/* The same without waiting for the end: a task that has disabled termination or dispatch is ended
 * as soon as it has enabled both (ras_ter). Context: task; owner, also with dispatch disabled.
 * Errors: TAKT_E_ID; TAKT_E_ILUSE: the caller itself; TAKT_E_OBJ: as above. */
takt_error takt_task_request_termination(takt_id task);

/* Keeps requests to terminate the running job waiting until it enables termination again, or ends
 * (dis_ter, ena_ter). Not counted; takt_task_terminate and a budget's stop end the job all the
 * same. Enabling does not return if a request waits and dispatch is enabled. Context: task. Errors:
 * TAKT_E_CTX. */
takt_error takt_termination_disable(void);
takt_error takt_termination_enable(void);

/* Whether termination is disabled (sns_ter); true in a handler. Context: any. */
bool takt_termination_disabled(void);

/* Moves the task to another core, whatever it does, also the caller itself (mig_tsk): as above. It
 * comes there behind others of its priority; its priority, its wait and that wait's timeout go on.
 * A task that has disabled dispatch goes when it enables it.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_PAR: the task may not run on that core;
 * TAKT_E_CTX: also the caller itself with dispatch disabled. */
takt_error takt_task_migrate(takt_id task, uint32_t core);

/* Keeps the task from running, whatever happens to it, until it is resumed (sus_tsk).
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_OBJ: no job of it is active; TAKT_E_QOVR: it is
 * suspended already; TAKT_E_CTX: also the caller itself with dispatch disabled. */
takt_error takt_task_suspend(takt_id task);

/* Lets a suspended task go on, behind others of its priority (rsm_tsk).
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_OBJ: it is not suspended. */
takt_error takt_task_resume(takt_id task);

/* Ends the task's wait: its service returns TAKT_E_RLWAI (rel_wai). In a handler, of another core's
 * task, it is a request: TAKT_OK says that a job of it is active, and its wait ends if it waits
 * when its core answers. Context: any; of a task: owner. Errors: TAKT_E_ID; TAKT_E_OBJ: it does not
 * wait, or no longer. */
takt_error takt_task_release_wait(takt_id task);

/* Gives the task a priority, 1 (highest) to 64, until its job ends, behind others of it; or its
 * described one (chg_pri, TPRI_INI). Bounds of the analysis are those of described priorities.
 * What mutexes lend comes on top of it.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_PAR; TAKT_E_OBJ: no job of it is active;
 * TAKT_E_ILUSE: above the ceiling of a mutex that the task holds or waits for. */
#define TAKT_PRIORITY_INITIAL 0u
takt_error takt_task_set_priority(takt_id task, unsigned priority);

/* The task's priority at some moment of the call (get_pri).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: no job of it is active. */
takt_error takt_task_priority(takt_id task, unsigned *priority);

/* Forgets the activations that wait for the task's job to end; `*cancelled`: how many (can_act).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null. */
takt_error takt_task_cancel_activations(takt_id task, unsigned *cancelled);

/* Forgets the wake-ups that are counted; `*cancelled`: how many (can_wup).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: no job of it is active. */
takt_error takt_task_cancel_wakeups(takt_id task, unsigned *cancelled);

/* Lets the running task keep its core: no other task runs there until dispatch is enabled again,
 * or the job ends (dis_dsp, ena_dsp). Services that wait are refused meanwhile. Not counted.
 * Context: task. Errors: TAKT_E_CTX; enabling: TAKT_E_ILUSE: a mutex of several cores is held. */
TAKT_MUST_USE takt_error takt_dispatch_disable(void);
takt_error takt_dispatch_enable(void);

/* Whether dispatch is disabled on this core (sns_dsp). Context: any. */
bool takt_dispatch_disabled(void);

/* The running task; TAKT_ID_NONE in an interrupt handler (get_tid). Context: any. */
takt_id takt_task_self(void);

/* The nominal release of the running job: epoch + offset + k period, or the activation.
 * Responses are measured from here. Context: task. */
takt_time takt_task_release_time(void);

#endif
