/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of which one call may end many waits: the waits end in the call's section, the tasks are
 * woken one in each section with interrupts disabled. docs/design/sections.md. */
#include "core.h"
#include "mutex.h"

/* --- With the object's lock held ---------------------------------------------------------------
 */

struct task *served_first_waiting(const struct served *served) {
    return served->granted != 0 ? served->granted->wait_next : served->waiters.first;
}

bool served_is_granted(const struct served *served, const struct task *task) {
    return task->wait_generation != served->generation;
}

void served_grant_all(struct served *served) {
    served->granted = served->waiters.last;
    served->generation++; /* so that it is not that of any linked task */
    served->waiting = 0;
}

void served_grant(struct served *served, struct task *task) {
    struct task *behind = served->granted;
    if (served_first_waiting(served) != task) {
        waiters_unlink(&served->waiters, task);
        waiters_link(&served->waiters, task, behind);
    } else {
        waiters_forget_level(&served->waiters, task);
    }
    task->wait_generation = served->generation - 1;
    served->waiting--;
    served->granted = task;
}

struct task *served_take(struct served *served, bool *more) {
    struct task *task = served->granted != 0 ? served->waiters.first : 0;
    if (task != 0) {
        waiters_remove(&served->waiters, task);
    }
    *more = served->granted != 0;
    return task;
}

/* --- Without the lock, interrupts disabled ---------------------------------------------------- */

/* Takes the next task to be woken, null: none; `*more`: then `post` is linked by the caller. */
static struct task *take_next(struct served *served, bool *more, bool stays_linked) {
    lock_acquire(&served->waiters.lock);
    struct task *task = served->waiters.next(&served->waiters, more);
    served->linked = stays_linked ? *more : served->linked;
    lock_release(&served->waiters.lock);
    return task;
}

/* Wakes a task. Where it is of this core and higher than the caller, the caller goes on at its
 * priority, before it, until all are woken: so the highest of them runs first. */
static void wake_behind(struct task *self, struct task *woken) {
    bool is_higher = wait_end_one(woken, TAKT_OK) && woken->priority < self->priority;
    if (is_higher && self->id != TAKT_ID_NONE) {
        self->serving_priority = woken->priority;
        task_place(self, woken->priority, true);
    }
}

static void wake_each(struct served *served, struct task *woken, unsigned long interrupts) {
    struct task *self = task_self();
    bool more = true;
    self->serves = served;
    for (uint32_t left = takt_task_count; more && left > 0; left--) {
        if (woken != 0) {
            wake_behind(self, woken);
        }
        arch_interrupts_restore(interrupts); /* here the job may be ended, or the task moved */
        arch_interrupts_disable();
        woken = take_next(served, &more, false);
    }
    if (woken != 0) {
        wake_behind(self, woken);
    }
    if (more) {
        served_carry_on(served);
    }
    self->serves = 0;
    if (self->serving_priority != 0) {
        self->serving_priority = 0;
        mutex_lend(self);
    }
    dispatch();
}

void served_wake(struct waiters *waiters, struct task *woken, bool more, unsigned long interrupts) {
    if (more) {
        wake_each((struct served *)waiters, woken, interrupts); /* stands first there */
    } else if (woken != 0) {
        wait_end(woken, TAKT_OK);
    }
}

/* One step in an interrupt; on the core in whose inbox the object is linked. */
static void answer(struct post *post) {
    struct served *served = (struct served *)((char *)post - offsetof(struct served, post));
    bool more;
    struct task *woken = take_next(served, &more, true);
    if (woken != 0) {
        wait_end_one(woken, TAKT_OK);
    }
    if (more) {
        inbox_push(core_here(), post);
    }
}

void served_carry_on(struct served *served) {
    lock_acquire(&served->waiters.lock);
    bool links = !served->linked;
    served->linked = true;
    lock_release(&served->waiters.lock);
    if (links) {
        served->post.answer = answer;
        inbox_push(core_here(), &served->post);
    }
}
