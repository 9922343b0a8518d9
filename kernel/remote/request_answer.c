/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/request_answer.h"

#include "object/mutex_inherit.h"
#include "partition/restart.h"
#include "remote/inbox.h"
#include "remote/migrate.h"
#include "remote/remote_call.h"
#include "task/job.h"
#include "task/wait.h"
#include "task/wait_cancel.h"

void request_answer(struct post *post) {
    struct task *task = (struct task *)((char *)post - offsetof(struct task, post));
    struct core *here = core_here();
    lock_acquire(&task->lock);
    struct core *owner = task->posts_to;
    if (owner != here) {
        lock_release(&task->lock);
        inbox_push(owner, post); /* still linked: the task, on its way there, needs the block */
        return;
    }
    bool arrives = task->context.core == 0;
    if (arrives) {
        task->context.core = here;
    }
    uint8_t requests = task->requests;
    takt_time release = task->start_release;
    struct core *on = task->start_core;
    task->requests = 0;
    task->linked = false; /* from here on it may be posted again */
    lock_release(&task->lock);
    if (arrives && migration_receive(task)) {
        job_begin(task, task->begin_release, 0);
    }
    if (requests & REQUEST_START) {
        job_begin(task, release, on);
    }
#if RAISES
    if (requests & REQUEST_RAISE) {
        mutex_raise(task); /* before it is ready */
    }
#endif
    if (requests & REQUEST_WAKE) {
        wait_end_here(task);
    } else if (requests & REQUEST_RELEASE) {
        wait_release(task, 0);
    }
    if (PARTITIONS && requests & REQUEST_STOP) {
        restart_receive(task);
    }
    if (arrives) {
        /* Last: a call to end the task waits for a wake-up that is on its way, and this was it. */
        remote_call_answer_held(task);
    }
}
