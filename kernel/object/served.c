/* SPDX-License-Identifier: Apache-2.0 */
#include "object/served.h"

#include "core.h"
#include "remote/inbox.h"
#include "sched/dispatch.h"

/* --- With the object's lock held -------------------------------------------------------------- */

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

/* Takes the next task to be woken, null if there is none. `*more`: there is another; with
 * `stays_linked` the caller then pushes `post` again. */
static struct task *take_next(struct served *served, bool *more, bool stays_linked) {
    lock_acquire(&served->waiters.lock);
    struct task *task = served->waiters.next(&served->waiters, more);
    served->linked = stays_linked ? *more : served->linked;
    lock_release(&served->waiters.lock);
    return task;
}

/* Returns the core on which interrupts wake tasks behind this one, which is about to be woken: its
 * own. */
static struct core *server_core(const struct task *task) {
    /* Relaxed: one word. The task may be about to go; then it is another core's interrupt. */
    struct core *core = __atomic_load_n(&task->context.core, __ATOMIC_RELAXED);
    return core != 0 ? core : core_here();
}

/* Wakes a task; returns whether it is of this core and comes before the caller. */
static bool wake_one(const struct task *self, struct task *woken) {
    bool is_here = wait_end_one(woken, TAKT_OK);
    return is_here && self->id != TAKT_ID_NONE && woken->priority < self->priority;
}

/* The caller wakes tasks until it has woken one that comes before it: interrupts wake the rest, so
 * that no lower task goes on for that. */
void served_wake_each(struct served *served, struct task *woken, unsigned long interrupts) {
    struct task *self = task_self();
    struct core *core = core_here();
    bool more = true, is_behind = false;
    self->serves = served;
    for (uint32_t left = takt_task_count; more && left > 0; left--) {
        if (woken != 0) {
            core = server_core(woken);
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
        core = server_core(woken);
        wake_one(self, woken);
    }
    if (more) {
        served_carry_on(served, core);
    }
    self->serves = 0;
    dispatch();
}

/* One step in an interrupt. The next one is on the core of the task that it wakes, which has one
 * for each of its tasks. */
static void served_answer(struct post *post) {
    struct served *served = (struct served *)((char *)post - offsetof(struct served, post));
    struct core *core = core_here();
    bool more;
    struct task *woken = take_next(served, &more, true);
    if (woken != 0) {
        core = server_core(woken);
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
        served->post.answer = served_answer;
        inbox_push(core, &served->post);
    }
}

void served_wake_later(struct served *served, struct task *first, bool more) {
    struct core *core = core_here();
    if (first != 0) {
        core = server_core(first);
        wait_end_one(first, TAKT_OK);
    }
    if (more) {
        served_carry_on(served, core);
    }
}
