/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/request.h"

#include "remote/inbox.h"
#include "remote/migrate.h"
#include "remote/remote_call.h"
#include "task/job.h"
#include "task/wait.h"

static inline void post_and_release(struct task *task, enum task_request request, bool recorded) {
    bool links = !task->linked;
    task->requests |= request;
    task->linked = true;
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    /* After the lock, so that nobody waits for the record; before the owner can answer. */
    if (recorded) {
        record_event(core_here(), TAKT_EVENT_POST, task->id, request);
    }
    if (links) {
        inbox_push(owner, &task->post); /* if it is so no longer, it passes the block on */
    }
}

void request_post_and_release(struct task *task, enum task_request request) {
    post_and_release(task, request, true);
}

/* Not recorded: whether the wait ends by it, the owner's event of the wake-up says. */
void request_post_release_wait(struct task *task) {
    post_and_release(task, REQUEST_RELEASE, false);
}

void request_take_start(struct task *task) {
    lock_acquire(&task->lock);
    bool starts = task->requests & REQUEST_START;
    takt_time release = task->start_release;
    struct core *on = task->start_core;
    task->requests &= (uint8_t)~REQUEST_START;
    lock_release(&task->lock);
    if (starts) {
        job_begin(task, release, on);
    }
}

void request_answer(struct post *post) {
    struct task *task = (struct task *)((char *)post - offsetof(struct task, post));
    struct core *here = core_here();
    lock_acquire(&task->lock);
    struct core *owner = task->posts_to;
    if (owner != here) {
        lock_release(&task->lock);
        inbox_push(owner, post); /* still linked: the task is on its way there, and needs this */
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
    if (arrives) {
        migration_receive(task);
    }
    if (requests & REQUEST_START) {
        job_begin(task, release, on);
    }
    if (requests & REQUEST_WAKE) {
        wait_end_here(task);
    } else if (requests & REQUEST_RELEASE) {
        wait_release(task, 0);
    }
    if (arrives) {
        /* Last: a call to end the task waits for a wake-up that is on its way, and this was it.
         */
        remote_call_answer_held(task);
    }
}
