/* SPDX-License-Identifier: Apache-2.0 */
/* What the description lets a task do to others, and what it assumes of tasks and handlers: the
 * kernel refuses what is not declared, and measures what is. docs/design/analysis.md,
 * "Assumptions". Nothing of this is compiled where no task has a deadline (RIGHTS).
 *
 * A limit is the number of a measured assumption, from 1; 0: nothing is measured. Its worst value
 * is in the record, written by the core of the task or handler, interrupts disabled. */
#ifndef KERNEL_RIGHTS_H
#define KERNEL_RIGHTS_H

#include "core.h"

/* --- Limits ---------------------------------------------------------------------------------- */

/* Keeps the value if it is the greatest so far. */
void limit_at_most(uint32_t limit, uint64_t value);

/* Keeps a duration that two readings of the clock have measured, as far as it surely was so long.
 */
static inline void limit_ticks(uint32_t limit, uint64_t ticks) {
    limit_at_most(limit, ticks > 0 ? ticks - 1 : 0);
}

/* Keeps what a job with `execution` ticks has executed since execution_own was `since`. */
static inline void limit_execution(const struct task *task, uint32_t limit, uint64_t execution,
                                   uint64_t since) {
    limit_ticks(limit, execution_surely(task, execution, since));
}

/* Keeps the ticks if they are the fewest so far. */
void limit_at_least(uint32_t limit, uint64_t ticks);

/* --- Rights ---------------------------------------------------------------------------------- */

/* Returns whether the running code may do what `limit` declares; handlers and hooks may, as their
 * own limit contains it. */
static inline bool right_given(uint32_t limit) {
    const struct task *task = task_self();
    return !RIGHTS || limit != 0 || task->id == TAKT_ID_NONE || task->config->unrestricted;
}

/* Returns whether the running code may do what no description declares: an unrestricted task. */
static inline bool right_unrestricted(void) {
    const struct task *task = task_self();
    return !RIGHTS || (task->id != TAKT_ID_NONE && task->config->unrestricted);
}

/* Returns whether the running task may change the object now; notes the call. A handler may not.
 * The start hook may, as time has not begun. Bound: the task's controls. */
bool control_given_of(enum takt_control control, takt_id id);

static inline bool control_given(enum takt_control control, takt_id id) {
    return !RIGHTS || control_given_of(control, id);
}

/* The running task disables dispatch, and enables it again or ends. Interrupts disabled. */
static inline void dispatch_watch(struct task *task) {
    if (RIGHTS && task->config->dispatch_disable != 0 && !task->dispatch_watched) {
        task->dispatch_watched = true;
        task->dispatch_since = execution_own(task, task_execution(task));
    }
}

static inline void dispatch_watch_end(struct task *task) {
    if (RIGHTS && task->dispatch_watched) {
        task->dispatch_watched = false;
        limit_execution(task, task->config->dispatch_disable, task_execution(task),
                        task->dispatch_since);
    }
}

/* The running task locks the CPU, and unlocks it or ends. Interrupts disabled. */
static inline void lock_watch(struct task *task) {
    if (RIGHTS && task->id != TAKT_ID_NONE && task->config->cpu_lock != 0) {
        task->context.core->locked_limit = task->config->cpu_lock;
        task->context.core->locked_since = arch_ticks();
    }
}

static inline void lock_watch_end(struct core *core) {
    if (RIGHTS && core->locked_since != 0) {
        limit_ticks(core->locked_limit, arch_ticks() - core->locked_since);
        core->locked_since = 0;
    }
}

/* --- Holds; on the task's core, interrupts disabled ------------------------------------------- */

/* What a task holds of one object; the configurator has one for each of its `uses`. */
struct hold {
    uint32_t limit;    /* of the execution while it is held; the next one: of a job's requests */
    uint32_t count;    /* held counts of a semaphore; at most 1 of the others */
    uint32_t requests; /* of the job, granted or not */
    uint32_t job;      /* in which these were made */
    uint32_t nesting;  /* limit: an object is acquired while another is held, undeclared */
    uint64_t bit;      /* of this object in the task's `held_objects` */
    uint64_t inside;   /* of those that may be held when it is acquired */
    uint64_t since;    /* the job's own execution when it was acquired */
};

/* The hold of a task that uses the object, null: it does not. Bound: log2 of the users. */
struct hold *users_find(const struct takt_users *users, takt_id task);

void hold_begin_of(struct hold *hold, struct task *task);
void hold_end_of(struct hold *hold, struct task *task);
void hold_request_of(struct hold *hold, const struct task *task);

/* The task is about to acquire the object or to wait for it, whatever comes of that: counts the
 * request. Where holds nest the description says so. */
static inline void hold_request(const struct takt_users *users, const struct task *task) {
    if (HOLDS && task->id != TAKT_ID_NONE) {
        hold_request_of(users_find(users, task->id), task);
    }
}

/* The task has acquired the object. */
static inline void hold_begin(const struct takt_users *users, struct task *task) {
    if (HOLDS && task->id != TAKT_ID_NONE) {
        hold_begin_of(users_find(users, task->id), task);
    }
}

/* The task gives the object back. */
static inline void hold_end(const struct takt_users *users, struct task *task) {
    if (HOLDS && task->id != TAKT_ID_NONE) {
        hold_end_of(users_find(users, task->id), task);
    }
}

/* The job ends: what it still holds of semaphores it holds for ever. Bound: the task's uses. */
void holds_keep(struct task *task);

/* --- Suspensions; on the task's core, interrupts disabled ------------------------------------ */

/* Counts the wait if the description does not declare it; measures it if that is asked for. */
RARE void suspension_note(struct task *task);
void suspension_begin_of(struct task *task);
void suspension_end_of(struct task *task);

/* The running task begins to wait for what nobody holds. */
static inline void suspension_begin(struct task *task) {
    if (RIGHTS && !task->config->may_suspend) {
        suspension_note(task);
    }
    if (SUSPENSIONS && task->config->suspends != 0) {
        suspension_begin_of(task);
    }
}

/* Its wait is over: as of `wait_woken`. */
static inline void suspension_end(struct task *task) {
    if (SUSPENSIONS && task->suspends) {
        suspension_end_of(task);
    }
}

/* --- The end of the run: what is under way then ---------------------------------------------- */

void rights_finish(uint64_t ticks);

#endif
