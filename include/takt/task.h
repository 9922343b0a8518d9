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

/* Completes the job, as returning from the entry does (ext_tsk). Context: task. */
_Noreturn void takt_task_exit(void);

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

/* The running task; TAKT_ID_NONE in an interrupt handler (get_tid). Context: any. */
takt_id takt_task_self(void);

/* The nominal release of the running job: epoch + offset + k period, or the activation.
 * Responses are measured from here. Context: task. */
takt_time takt_task_release_time(void);

#endif
