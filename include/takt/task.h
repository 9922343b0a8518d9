/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks. uITRON 4.0 sections 4.1 and 4.2; each task is on the core that the description says.
 *
 * A task's entry is `void entry(intptr_t argument)`; each call is one job, and returning from it
 * completes the job. Contexts: "task" is a running job, "any" also includes interrupt handlers.
 * Every service here takes bounded time, and waits only where it says so. */
#ifndef INCLUDE_TAKT_TASK_H
#define INCLUDE_TAKT_TASK_H

#include <takt/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Activates a task: it runs one job, now or after the jobs requested before (act_tsk). If a
 * sporadic task is activated too early, its job is released when the separation is over.
 * Context: any; the task may belong to any core.
 * Errors: TAKT_E_ID; TAKT_E_OBJ: the task is periodic, and only the kernel releases it;
 * TAKT_E_QOVR: the queue of activations is full. */
takt_error takt_task_activate(takt_id task);

/* Activates a task like takt_task_activate; the next job that begins, begins on that core, and the
 * task stays there (mact_tsk). The description must allow the core. TAKT_CORE_INITIAL is the core
 * on which the task is at the start. Of several such calls while a job runs, the last one chooses
 * the core.
 * Context: any. Errors: those of takt_task_activate; TAKT_E_PAR: the task may not run on that core.
 * */
#define TAKT_CORE_INITIAL UINT32_MAX
takt_error takt_task_activate_on(takt_id task, uint32_t core);

/* Completes the job, like a return from the entry (ext_tsk). Context: task. */
TAKT_NO_RETURN void takt_task_exit(void);

/* Puts the first ready task of a priority of this core, which may be the caller, behind all others
 * of that priority (rot_rdq); TAKT_PRIORITY_SELF is the caller's base priority. Without such calls
 * the tasks of a priority are in FIFO order.
 * Context: any. Errors: TAKT_E_CTX: the CPU is locked; TAKT_E_PAR: no priority, or
 * TAKT_PRIORITY_SELF in a handler. */
#define TAKT_PRIORITY_SELF 0u
takt_error takt_task_rotate(unsigned priority);

/* Rotates a priority of any core (mrot_rdq). Context: any; a handler may rotate only its own
 * core's.
 * Errors: those of takt_task_rotate; TAKT_E_PAR: also no such core; TAKT_E_CTX: also a handler and
 * another core. */
takt_error takt_task_rotate_on(uint32_t core, unsigned priority);

/* Gives the number of ready tasks of a priority on a core, including the running one (get_lod,
 * mget_lod). They are counted one by one in one section.
 * Context: any; a handler may count only its own core's; for a task: owner, as in "Governing tasks"
 * below.
 * Errors: TAKT_E_CTX; TAKT_E_PAR: no such core or priority, null, or TAKT_PRIORITY_SELF in a
 * handler; TAKT_E_ILUSE: tasks have deadlines, and this one is not `unrestricted`. */
takt_error takt_task_ready_count(uint32_t core, unsigned priority, unsigned *count);

/* Waits until another task or a handler wakes this task; returns at once if that has happened
 * already (slp_tsk).
 * Context: task. Errors: TAKT_E_CTX. */
takt_error takt_task_sleep(void);

/* Sleeps like takt_task_sleep, for at most `timeout` (tslp_tsk); 0 polls.
 * Context: task. Errors: TAKT_E_CTX, TAKT_E_PAR: negative; TAKT_E_TMOUT. */
takt_error takt_task_sleep_for(takt_time timeout);

/* Wakes a sleeping task, or lets its next sleep return at once (wup_tsk); up to 255 wake-ups are
 * counted.
 * Context: any; the task may belong to any core. Errors: TAKT_E_ID; TAKT_E_OBJ: the task has no
 * job; TAKT_E_QOVR. */
takt_error takt_task_wakeup(takt_id task);

/* Waits for at least `duration` nanoseconds (dly_tsk). Context: task. Errors: TAKT_E_CTX,
 * TAKT_E_PAR. */
takt_error takt_task_delay(takt_time duration);

/* --- Governing tasks ------------------------------------------------------------------------
 *
 * Those that end with "owner" are carried out by the core of the task. From another core they
 * wait for its answer with interrupts enabled, bounded as docs/design/services.md says; also with
 * dispatch disabled, but for takt_task_terminate.
 * Errors of all of these: TAKT_E_CTX: not a task, or the CPU is locked; or dispatch is disabled and
 * a call of a former job of the caller, which was ended meanwhile, is not answered yet. */

/* Ends the task's job: the job leaves what it waits for, and the next job begins if an activation
 * is queued (ter_tsk). A task that has disabled dispatch is ended when it enables dispatch.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_ILUSE: the caller itself; TAKT_E_OBJ: the task
 * has no job; TAKT_E_CTX: dispatch is disabled and the task belongs to another core, which may be
 * waiting to end this one in the same way. */
takt_error takt_task_terminate(takt_id task);

/* Requests the end of the task's job without waiting for it: a task that has disabled termination
 * or dispatch is ended as soon as it has enabled both (ras_ter).
 * Context: task; owner, also with dispatch disabled. Errors: TAKT_E_ID; TAKT_E_ILUSE: the caller
 * itself; TAKT_E_OBJ: the task has no job. */
takt_error takt_task_request_termination(takt_id task);

/* Defers requests to terminate the running job until it enables termination again, or ends
 * (dis_ter, ena_ter). Disabling is not counted; takt_task_terminate and a budget end the job
 * nevertheless. Enabling does not return if a request is pending and dispatch is enabled.
 * Context: task. Errors: TAKT_E_CTX. */
takt_error takt_termination_disable(void);
takt_error takt_termination_enable(void);

/* Returns whether termination is disabled (sns_ter); true in a handler. Context: any. */
bool takt_termination_disabled(void);

/* Moves the task, which may be the caller, to another core in any state (mig_tsk). It arrives
 * behind other tasks of its priority; its priority, its wait and the timeout of that wait are kept.
 * A task that has disabled dispatch migrates when it enables dispatch.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_PAR: the task may not run on that core;
 * TAKT_E_CTX: also the caller itself with dispatch disabled. */
takt_error takt_task_migrate(takt_id task, uint32_t core);

/* Suspends the task: it does not run until it is resumed, in whatever state it is (sus_tsk).
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_OBJ: the task has no job; TAKT_E_QOVR: it is
 * suspended already; TAKT_E_CTX: also the caller itself with dispatch disabled. */
takt_error takt_task_suspend(takt_id task);

/* Resumes a suspended task, behind other tasks of its priority (rsm_tsk).
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_OBJ: it is not suspended. */
takt_error takt_task_resume(takt_id task);

/* Ends the task's wait: the service in which it waits returns TAKT_E_RLWAI (rel_wai). In a handler,
 * for a task of another core, this is a request: TAKT_OK means that the task has a job, whose wait
 * ends if it still waits when its core serves the request.
 * Context: any; for a task: owner. Errors: TAKT_E_ID; TAKT_E_OBJ: the task does not wait. */
takt_error takt_task_release_wait(takt_id task);

/* Gives the task a priority, 1 (highest) to 64, until its job ends, behind other tasks of that
 * priority; TAKT_PRIORITY_INITIAL is its described priority (chg_pri, TPRI_INI). The bounds of the
 * analysis hold for the described priorities. Priorities that the task gets from mutexes are added
 * to this one: the highest counts.
 * Context: task; owner. Errors: TAKT_E_ID; TAKT_E_PAR; TAKT_E_OBJ: the task has no job;
 * TAKT_E_ILUSE: above the ceiling of a mutex that the task holds or waits for. */
#define TAKT_PRIORITY_INITIAL 0u
takt_error takt_task_set_priority(takt_id task, unsigned priority);

/* Gives the task's priority at some moment of the call (get_pri).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: the task has no job. */
takt_error takt_task_priority(takt_id task, unsigned *priority);

/* Cancels the queued activations of the task; `*cancelled` receives their number (can_act).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null. */
takt_error takt_task_cancel_activations(takt_id task, unsigned *cancelled);

/* Cancels the counted wake-ups of the task; `*cancelled` receives their number (can_wup).
 * Context: any. Errors: TAKT_E_ID; TAKT_E_PAR: null; TAKT_E_OBJ: the task has no job. */
takt_error takt_task_cancel_wakeups(takt_id task, unsigned *cancelled);

/* Disables dispatch: no other task runs on this core until dispatch is enabled again, or the job
 * ends (dis_dsp, ena_dsp). Services that wait are refused in the meantime. Disabling is not
 * counted.
 * Context: task. Errors: TAKT_E_CTX; enabling: TAKT_E_ILUSE: a mutex of several cores is held. */
TAKT_MUST_USE takt_error takt_dispatch_disable(void);
takt_error takt_dispatch_enable(void);

/* Returns whether dispatch is disabled on this core (sns_dsp). Context: any. */
bool takt_dispatch_disabled(void);

/* Returns the ID of the running task; TAKT_ID_NONE in an interrupt handler (get_tid). Context: any.
 * */
takt_id takt_task_self(void);

/* Returns the nominal release of the running job: epoch + offset + k period, or the activation.
 * Responses are measured from this time. Context: task. */
takt_time takt_task_release_time(void);

#ifdef __cplusplus
}
#endif

#endif
