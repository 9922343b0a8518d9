/* SPDX-License-Identifier: Apache-2.0 */
#include "remote/request.h"

#include "record/event.h"
#include "remote/inbox.h"

static inline void post_and_release(struct task *task, enum task_request request, bool recorded) {
    bool links = !task->linked;
    task->requests |= request;
    task->linked = true;
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    /* After the lock, so that nobody waits for the record; before the owner can answer. */
    if (recorded) {
        event_post(core_here(), task->id, request);
    }
    if (links) {
        inbox_push(owner, &task->post); /* a core that is no longer the owner passes the block on */
    }
}

void request_post_and_release(struct task *task, enum task_request request) {
    post_and_release(task, request, true);
}

/* The post is not recorded: the owner's event of the wake-up says whether the wait ends by it. */
void request_post_release_wait(struct task *task) {
    post_and_release(task, REQUEST_RELEASE, false);
}

#if RAISES
/* The post is not recorded: the owner's event says which priority the task gets. */
void request_post_raise(struct task *task) {
    post_and_release(task, REQUEST_RAISE, false);
}
#endif

#if PARTITIONS
/* The post is not recorded: the owner's event says that the job has ended. */
void request_post_stop(struct task *task) {
    post_and_release(task, REQUEST_STOP, false);
}
#endif
