/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from other cores: docs/design/kernel.md, "A task is linked at most once". */
#include "core.h"

void inbox_post_and_release(struct task *task, enum task_request request) {
    struct core *core = task->context.core;
    bool was_empty = core->inbox_first == 0;
    task->requests |= request;
    if (!task->linked) {
        task->linked = true;
        task->inbox_next = 0;
        if (was_empty) {
            core->inbox_first = task;
        } else {
            core->inbox_last->inbox_next = task;
        }
        core->inbox_last = task;
    }
    lock_release(&core->inbox_lock);
    if (was_empty) {
        arch_interrupt_core(core);
    }
}

/* Unlinks the first task; null when there is none. */
static struct task *take(struct core *core, uint8_t *requests, takt_time *release) {
    lock_acquire(&core->inbox_lock);
    struct task *task = core->inbox_first;
    if (task != 0) {
        core->inbox_first = task->inbox_next;
        task->linked = false;
        *requests = task->requests;
        *release = task->start_release;
        task->requests = 0;
    }
    lock_release(&core->inbox_lock);
    return task;
}

/* Bound: the tasks of the core. What has come meanwhile interrupts again. */
void inbox_answer(struct core *core) {
    for (struct task **left = core->config->tasks; *left != 0; left++) {
        uint8_t requests;
        takt_time release;
        struct task *task = take(core, &requests, &release);
        if (task == 0) {
            return;
        }
        if (requests & REQUEST_START) {
            job_begin(task, release);
        }
        if (requests & REQUEST_WAKE) {
            wait_end_here(task);
        }
    }
    if (__atomic_load_n(&core->inbox_first, __ATOMIC_RELAXED) != 0) {
        arch_interrupt_core(core);
    }
}
