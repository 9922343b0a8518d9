/* SPDX-License-Identifier: Apache-2.0 */
#include "object/waiters.h"

#include "core.h"
#include "object/served.h"
#include "record/event.h"

/* --- Queues by priority ----------------------------------------------------------------------- */

/* Returns the task behind which one comes that waits by priority, null if it is the first. */
static struct task *place_by_priority(const struct waiters *waiters, const struct task *task) {
    const struct waiters_levels *levels = waiters->levels;
    uint64_t not_lower = levels->taken & ((2ull << (task->priority - 1)) - 1);
    if (not_lower != 0) {
        return levels->last[bits_highest(not_lower)];
    }
    return waiters->next != 0 ? ((const struct served *)waiters)->granted : 0;
}

static void note_level(struct waiters *waiters, struct task *task) {
    waiters->levels->last[task->priority - 1] = task;
    waiters->levels->taken |= 1ull << (task->priority - 1);
}

void waiters_forget_level(struct waiters *waiters, const struct task *task) {
    if (!task->wait_by_priority) {
        return; /* before the priority is read, which is in a line of the task's core */
    }
    struct waiters_levels *levels = waiters->levels;
    uint8_t level = task->priority - 1;
    struct task *previous = task->wait_previous;
    if (levels->last[level] != task) {
        return;
    }
    bool is_granted = waiters->next != 0 && previous == ((struct served *)waiters)->granted;
    if (previous != 0 && !is_granted && previous->priority == task->priority) {
        levels->last[level] = previous;
    } else {
        levels->taken &= ~(1ull << level);
    }
}

/* --- Linking ---------------------------------------------------------------------------------- */

void waiters_link(struct waiters *waiters, struct task *task, struct task *previous) {
    task->wait_previous = previous;
    task->wait_next = previous ? previous->wait_next : waiters->first;
    *(previous ? &previous->wait_next : &waiters->first) = task;
    *(task->wait_next ? &task->wait_next->wait_previous : &waiters->last) = task;
}

void waiters_unlink(struct waiters *waiters, struct task *task) {
    waiters_forget_level(waiters, task);
    *(task->wait_previous ? &task->wait_previous->wait_next : &waiters->first) = task->wait_next;
    *(task->wait_next ? &task->wait_next->wait_previous : &waiters->last) = task->wait_previous;
}

static void link_in_order(struct waiters *waiters, struct task *task) {
    struct task *previous = waiters->last;
    if (task->wait_by_priority) {
        previous = place_by_priority(waiters, task);
        note_level(waiters, task);
    }
    waiters_link(waiters, task, previous);
    task->wait_linked = true;
    waiters_note_turn(waiters, &task->join_turn);
}

void waiters_join(struct waiters *waiters, bool by_priority) {
    struct task *task = task_self();
    task->waits_for = waiters;
    task->wait_by_priority = by_priority;
    if (waiters->next != 0) {
        task->wait_generation = ((struct served *)waiters)->generation;
        ((struct served *)waiters)->waiting++;
    }
    link_in_order(waiters, task);
}

static void note_unlinked(struct waiters *waiters, struct task *task) {
    task->wait_linked = false;
    waiters_note_turn(waiters, &task->leave_turn);
}

void waiters_remove(struct waiters *waiters, struct task *task) {
    if (waiters->next != 0) {
        struct served *served = (struct served *)waiters;
        served->waiting -= !served_is_granted(served, task);
        served->granted = served->granted != task ? served->granted : task->wait_previous;
    }
    waiters_unlink(waiters, task);
    note_unlinked(waiters, task);
}

struct task *waiters_take(struct waiters *waiters) {
    struct task *task = waiters->first;
    if (task != 0) {
        note_unlinked(waiters, task);
        /* Written first, then read: so another core's line is fetched once, to be written. */
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (task->wait_by_priority) {
            waiters_forget_level(waiters, task);
        }
        struct task *next = task->wait_next;
        waiters->first = next;
        *(next ? &next->wait_previous : &waiters->last) = 0;
    }
    return task;
}

/* --- Without the lock ------------------------------------------------------------------------- */

/* Unlinks and returns the first task that may go on after a change of the queue; with the lock
 * held. */
static struct task *next_of(struct waiters *waiters, bool *more) {
    *more = false;
    return waiters->next != 0 ? waiters->next(waiters, more) : 0;
}

/* Wakes what next_of has unlinked, without the lock: of a plain queue nothing. */
static void wake_next(struct waiters *waiters, struct task *woken, bool more) {
    if (waiters->next != 0) {
        served_wake_later((struct served *)waiters, woken, more);
    }
}

bool waiters_change_priority(struct waiters *waiters, struct task *task, uint8_t priority) {
    lock_acquire(&waiters->lock);
    bool granted = waiters->next != 0 && served_is_granted((struct served *)waiters, task);
    bool moves = task->wait_linked && task->wait_by_priority && !granted;
    if (!moves) {
        task->priority = priority;
        lock_release(&waiters->lock);
        return false;
    }
    waiters_unlink(waiters, task);
    waiters_note_turn(waiters, &task->leave_turn);
    task->priority = priority;
    link_in_order(waiters, task);
    bool more;
    struct task *woken = next_of(waiters, &more);
    lock_release(&waiters->lock);
    /* Recorded before what it wakes, which may be the task itself. */
    event_priority(core_here(), task->id, task->join_turn, false, true, priority);
    wake_next(waiters, woken, more);
    return true;
}

bool waiters_cancel(struct waiters *waiters, struct task *task, bool *granted) {
    lock_acquire(&waiters->lock);
    bool linked = task->wait_linked;
    if (!linked) {
        lock_release(&waiters->lock);
        return false;
    }
    *granted = waiters->next != 0 && served_is_granted((struct served *)waiters, task);
    waiters_remove(waiters, task);
    bool more;
    struct task *woken = next_of(waiters, &more);
    lock_release(&waiters->lock);
    wake_next(waiters, woken, more);
    return true;
}
