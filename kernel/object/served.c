/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of which one call may end many waits: the waits end in the call's section, the tasks are
 * woken one in each section with interrupts disabled. docs/design/sections.md. */
#include "core.h"
#include "remote/inbox.h"
#include "sched/dispatch.h"
#include "task/wait.h"

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

/* Wakes a task; true if it is of this core and comes before the caller. */
static bool wake_one(const struct task *self, struct task *woken) {
    bool is_here = wait_end_one(woken, TAKT_OK);
    return is_here && self->id != TAKT_ID_NONE && woken->priority < self->priority;
}

/* By the caller, until it has woken a task that comes before it: interrupts wake the rest, so that
 * no lower task goes on for that. */
static void wake_each(struct served *served, struct task *woken, unsigned long interrupts) {
    struct task *self = task_self();
    struct core *core = core_here();
    bool more = true, is_behind = false;
    self->serves = served;
    for (uint32_t left = takt_task_count; more && left > 0; left--) {
        if (woken != 0) {
            core = served_core(woken);
            is_behind = wake_one(self, woken);
            woken = 0;
        }
        if (is_behind) {
            break;
        }
        arch_interrupts_restore(interrupts); /* here the job may be ended, or the task moved */
        arch_interrupts_disable();
        woken = take_next(served, &more, false);
    }
    if (woken != 0) {
        core = served_core(woken);
        wake_one(self, woken);
    }
    if (more) {
        served_carry_on(served, core);
    }
    self->serves = 0;
    dispatch();
}

void served_wake(struct waiters *waiters, struct task *woken, bool more, unsigned long interrupts) {
    if (more) {
        wake_each((struct served *)waiters, woken, interrupts); /* stands first there */
    } else if (woken != 0) {
        wait_end(woken, TAKT_OK);
    }
}

struct core *served_core(const struct task *task) {
    /* Relaxed: one word. The task may be about to go; then it is another core's interrupt. */
    struct core *core = __atomic_load_n(&task->context.core, __ATOMIC_RELAXED);
    return core != 0 ? core : core_here();
}

/* One step in an interrupt. The next one is on the core of the task that it wakes, which has one
 * for each of its tasks. */
static void answer(struct post *post) {
    struct served *served = (struct served *)((char *)post - offsetof(struct served, post));
    struct core *core = core_here();
    bool more;
    struct task *woken = take_next(served, &more, true);
    if (woken != 0) {
        core = served_core(woken);
        wait_end_one(woken, TAKT_OK);
    }
    if (more) {
        inbox_push(core, post);
    }
}

void served_carry_on(struct served *served, struct core *core) {
    lock_acquire(&served->waiters.lock);
    bool links = !served->linked;
    served->linked = true;
    lock_release(&served->waiters.lock);
    if (links) {
        served->post.answer = answer;
        inbox_push(core, &served->post);
    }
}
