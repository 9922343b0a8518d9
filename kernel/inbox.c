/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from other cores: docs/design/kernel.md, "The inbox". */
#include "core.h"

/* Stands in `inbox_next` between the two steps of a push. */
#define INBOX_BUSY ((struct task *)1)

/* Wait-free. Who finds the inbox empty interrupts the owner. */
static void push(struct core *core, struct task *task) {
    task->inbox_next = INBOX_BUSY;
    /* Release: the busy mark before the task is seen; pairs with the acquire in take_all. */
    struct task *previous = __atomic_exchange_n(&core->inbox, task, __ATOMIC_ACQ_REL);
    /* Release: pairs with the acquire in before(). */
    __atomic_store_n(&task->inbox_next, previous, __ATOMIC_RELEASE);
    if (previous == 0) {
        arch_interrupt_core(core);
    }
}

void inbox_post_and_release(struct task *task, enum task_request request) {
    bool links = !task->linked;
    task->requests |= request;
    task->linked = true;
    lock_release(&task->lock);
    /* After the lock, so that nobody waits for the record; before the owner can answer. */
    record_event(core_here(), TAKT_EVENT_POST, task->id, request);
    if (links) {
        push(task->context.core, task);
    }
}

/* The task posted before. Bound: its poster is between two instructions, interrupts disabled. */
static struct task *before(struct task *task) {
    struct task *previous;
    while ((previous = __atomic_load_n(&task->inbox_next, __ATOMIC_ACQUIRE)) == INBOX_BUSY) {
        kernel_spin();
    }
    return previous;
}

/* Empties the inbox; returns its tasks with the first posted one first. Nobody else touches them:
 * they stay marked as linked. Bound: the tasks of the core. */
static struct task *take_all(struct core *core) {
    struct task *latest = __atomic_exchange_n(&core->inbox, 0, __ATOMIC_ACQUIRE);
    struct task *first = 0;
    while (latest != 0) {
        struct task *previous = before(latest);
        latest->inbox_next = first;
        first = latest;
        latest = previous;
    }
    return first;
}

static void answer(struct task *task) {
    lock_acquire(&task->lock);
    uint8_t requests = task->requests;
    takt_time release = task->start_release;
    task->requests = 0;
    task->linked = false; /* from here on it may be posted again */
    lock_release(&task->lock);
    if (requests & REQUEST_START) {
        job_begin(task, release);
    }
    if (requests & REQUEST_WAKE) {
        wait_end_here(task);
    }
}

/* Bound: the tasks of the core. */
void inbox_answer(struct core *core) {
    for (struct task *task = take_all(core); task != 0;) {
        struct task *next = task->inbox_next;
        answer(task);
        task = next;
    }
}
