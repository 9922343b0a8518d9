/* SPDX-License-Identifier: Apache-2.0 */
/* What sent words lend the task that receives them. The task's core alone computes its priority;
 * who sends from another core makes it do so. */
#include "object/raise.h"

#if RAISES

#include "object/mutex_inherit.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/wait.h"

unsigned raise_due(const struct task *task) {
    const struct priority_data_queue *queue = raised_by(task->config);
    if (queue == 0) {
        return READY_LEVELS + 1;
    }
    /* Relaxed, both: a sender that this core does not see yet posts behind its store. */
    unsigned held = __atomic_load_n(&queue->held, __ATOMIC_RELAXED);
    uint64_t filled = __atomic_load_n(&queue->filled, __ATOMIC_RELAXED);
    unsigned sent = raise_highest(filled, READY_LEVELS + 1);
    return held != 0 && held < sent ? held : sent;
}

/* The request goes with the wake-up that follows, or by itself. */
static void request_raise(struct task *receiver, bool wakes) {
    lock_acquire(&receiver->lock);
    if (wakes) {
        receiver->requests |= REQUEST_RAISE;
        lock_release(&receiver->lock);
    } else {
        request_post_raise(receiver);
    }
}

void raise_receiver(struct task *receiver, struct task *woken, bool rises) {
    if (woken == receiver || rises) {
        if (task_is_here(receiver)) {
            mutex_raise(receiver);
        } else {
            request_raise(receiver, woken == receiver);
        }
    }
    if (woken != 0) {
        wait_end_one(woken, TAKT_OK);
    }
    dispatch();
}

void raise_self(void) {
    mutex_raise(task_self());
    dispatch();
}

bool raise_end(const struct task *task) {
    struct priority_data_queue *queue = raised_by(task->config);
    if (queue == 0) {
        return false;
    }
    bool held = queue->held != 0;
    atomic_store_relaxed(&queue->held, 0);
    return held;
}

#endif
