/* SPDX-License-Identifier: Apache-2.0 */
#include "waiters.h"

#include "core.h"

/* Links a task behind `previous`, null: as the first. */
static void link_task(struct waiters *waiters, struct task *task, struct task *previous) {
    task->wait_previous = previous;
    task->wait_next = previous ? previous->wait_next : waiters->first;
    *(previous ? &previous->wait_next : &waiters->first) = task;
    *(task->wait_next ? &task->wait_next->wait_previous : &waiters->last) = task;
    task->wait_linked = true;
    task->join_turn = ++waiters->turn;
}

static void join(struct waiters *waiters, struct task *task) {
    struct task *previous = waiters->last;
    while (task->wait_by_priority && previous != 0 && previous->priority > task->priority) {
        previous = previous->wait_previous;
    }
    link_task(waiters, task, previous);
}

void waiters_join(struct waiters *waiters, bool by_priority) {
    struct task *task = task_self();
    task->waits_for = waiters;
    task->wait_by_priority = by_priority;
    join(waiters, task);
}

static struct task *shrunk(struct waiters *waiters) {
    return waiters->shrunk != 0 ? waiters->shrunk(waiters) : 0;
}

bool waiters_change_priority(struct waiters *waiters, struct task *task, uint8_t priority) {
    struct task *woken = 0;
    bool moved;
    lock_acquire(&waiters->lock);
    task->priority = priority;
    moved = task->wait_linked && task->wait_by_priority;
    if (moved) {
        waiters_remove(waiters, task);
        join(waiters, task);
        woken = shrunk(waiters);
    }
    lock_release(&waiters->lock);
    if (moved) { /* told before what it wakes, which may be the task itself */
        record_event(core_here(), TAKT_EVENT_PRIORITY, task->id,
                     (uint32_t)task->join_turn << 16 | 1u << 8 | priority);
    }
    wait_end_each(woken, TAKT_OK);
    return moved;
}

static void note_unlinked(struct waiters *waiters, struct task *task) {
    task->wait_linked = false;
    task->leave_turn = ++waiters->turn;
}

void waiters_remove(struct waiters *waiters, struct task *task) {
    *(task->wait_previous ? &task->wait_previous->wait_next : &waiters->first) = task->wait_next;
    *(task->wait_next ? &task->wait_next->wait_previous : &waiters->last) = task->wait_previous;
    note_unlinked(waiters, task);
}

struct task *waiters_take(struct waiters *waiters) {
    struct task *task = waiters->first;
    if (task != 0) {
        note_unlinked(waiters, task);
        /* Written first, then read: so another core's line is fetched once, to be written. */
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        struct task *next = task->wait_next;
        waiters->first = next;
        *(next ? &next->wait_previous : &waiters->last) = 0;
    }
    return task;
}

struct task *waiters_take_all(struct waiters *waiters) {
    struct task *first = waiters->first;
    for (struct task *task = first; task != 0; task = task->wait_next) {
        note_unlinked(waiters, task);
    }
    waiters->first = waiters->last = 0;
    return first;
}

bool waiters_cancel(struct waiters *waiters, struct task *task) {
    struct task *woken = 0;
    lock_acquire(&waiters->lock);
    bool linked = task->wait_linked;
    if (linked) {
        waiters_remove(waiters, task);
        woken = shrunk(waiters);
    }
    lock_release(&waiters->lock);
    wait_end_each(woken, TAKT_OK);
    return linked;
}
