/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from other cores: docs/design/kernel.md, "The inbox". */
#include "atomic.h"
#include "core.h"

/* Stands in `next` between the two steps of a push. */
#define INBOX_BUSY ((struct post *)1)

void inbox_push(struct core *core, struct post *post) {
    post->next = INBOX_BUSY;
    /* Release: the busy mark before the post is seen; pairs with the acquire in take_all. */
    struct post *previous = __atomic_exchange_n(&core->inbox, post, __ATOMIC_ACQ_REL);
    /* Release: pairs with the acquire in before(). */
    atomic_store_release(&post->next, previous);
    if (previous == 0) {
        arch_interrupt_core(core);
    }
}

void inbox_post_and_release(struct task *task, enum task_request request) {
    bool links = !task->linked;
    task->requests |= request;
    task->linked = true;
    struct core *owner = task->posts_to;
    lock_release(&task->lock);
    /* After the lock, so that nobody waits for the record; before the owner can answer. */
    record_event(core_here(), TAKT_EVENT_POST, task->id, request);
    if (links) {
        inbox_push(owner, &task->post); /* if it is so no longer, it passes the block on */
    }
}

/* What was posted before. Bound: its poster is between two instructions, interrupts disabled. */
static struct post *before(struct post *post) {
    struct post *previous;
    while ((previous = __atomic_load_n(&post->next, __ATOMIC_ACQUIRE)) == INBOX_BUSY) {
        kernel_spin();
    }
    return previous;
}

/* Empties the inbox; returns what was posted, the first one first. Nobody else touches it: it
 * stays marked as linked. Bound: the tasks that may be here, the time events, one order of each
 * other task. */
static struct post *take_all(struct core *core) {
    struct post *latest = __atomic_exchange_n(&core->inbox, 0, __ATOMIC_ACQUIRE);
    struct post *first = 0;
    while (latest != 0) {
        struct post *previous = before(latest);
        latest->next = first;
        first = latest;
        latest = previous;
    }
    return first;
}

void inbox_take_start(struct task *task) {
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

void inbox_answer_task(struct post *post) {
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
        task_arrive(task);
    }
    if (requests & REQUEST_START) {
        job_begin(task, release, on);
    }
    if (requests & REQUEST_WAKE) {
        wait_end_here(task);
    }
    if (arrives) {
        /* Last: an order to end the task waits for a wake-up that is on its way, and this was it.
         */
        order_answer_held(task);
    }
}

/* Bound: as take_all. */
void inbox_answer(struct core *core) {
    for (struct post *post = take_all(core), *next; post != 0; post = next) {
        next = post->next; /* once answered it may be posted again */
        post->answer(post);
    }
}
