/* SPDX-License-Identifier: Apache-2.0 */
/* The block of a core: all that it needs to schedule, in memory of its own. */
#ifndef KERNEL_CORE_H
#define KERNEL_CORE_H

#include "bandwidth/bandwidth.h"
#include "lock/lock.h"
#include "partition/frame.h"
#include "place.h"
#include "placement.h"
#include "record/record.h"
#include "sched/ready.h"
#include "task/task.h"
#include "time/timer.h"

/* In `idle_mark`: no task runs. */
#define IDLE_MARK_IDLES 1u

struct core {
    /* For the trap entry (arch: CORE_SAVE and so on). */
    struct context *save; /* where the next trap saves the registers */
    uintptr_t trap_sp;    /* on which stack it runs; 0: below what it interrupts, a routine */
    uintptr_t trap_tp;
    uintptr_t trap_limit; /* below this the trap stack has no room for a handler */
    uintptr_t fault_sp;   /* then it runs there */

    /* Constant after core_init, in a line that others may keep. */
    uint32_t index __attribute__((aligned(64)));
    uint64_t hart; /* the number that the firmware knows */
    struct task *trap, *idle;
    const struct takt_core_config *config;
    struct takt_record_core *record; /* its part of the record; written by this core only */

    /* Owned by this core, interrupts disabled. */
    struct task *running __attribute__((aligned(64))); /* never null once started: a task, `idle` */
    bool dispatch_disabled;
    struct user_spinlock
        *user_spinlock; /* of the application, held by what runs here; null: none */
    unsigned long user_spinlock_interrupts; /* as they were before it */
    unsigned long lock_interrupts; /* as they were before takt_cpu_lock; a handler has none */
    uint64_t locked_since; /* ticks at which the running task has locked the CPU; 0: it has not */
    uint32_t locked_limit; /* of that */
    struct ready ready; /* of a core with a frame: empty, as a partition's tasks have their own */
    struct timers timers;
    struct timer console_timer; /* the console core looks for output when it expires */
    struct timer end_timer;     /* the run's end, on core 0 */
    struct timer pull_timer;    /* no look at the neighbours before it expires */
    struct post pull;           /* asks a neighbour for a task; its own while `pulls` is 0 */
    uint64_t running_since;     /* ticks */
    /* Ticks, constant: the margins of config.h. Beside what each dispatch writes. */
    uint64_t interruption_margin, dispatch_margin;
    uint32_t nesting;          /* traps that have not returned */
    takt_time arrival;         /* while a time event's handler runs: when it was due; else < 0 */
    struct task *departing;    /* tasks that leave when the interrupt is over */
    takt_id serving;           /* the interrupt whose routine runs or was interrupted; 0: none */
    struct interrupt *claimed; /* interrupts whose routines wait for the level to fall */
    /* When a trap interrupted the routine; ticks that traps took from it until now, and how much of
     * its execution may be their ways in and out. */
    uint64_t nested_since, nested_ticks, nested_margin;

#if REGULATED
    struct regulator regulator;
#endif

#if FRAMES
    struct frame frame;
#endif

#if !DISTRIBUTED
    uint64_t turn; /* COMMAND_TURN as in the latest command of this node, or 0 */
#endif

#if PLACEMENT == PLACEMENT_SEMI
    uint64_t ring_head; /* entries taken out of its ring so far */
#endif

    /* What was taken out of the inbox: the first of the posts to be answered; while that is null,
     * the latest of those that are not turned yet, and the first of those that are. */
    struct post *inbox_first, *inbox_latest, *inbox_turned;

    /* Ticks without a task to run, times 2. While there is none: less those at which that began,
     * with IDLE_MARK_IDLES, so that who adds the clock has them up to now. Written by this core,
     * read by any. */
    uint64_t idle_mark;
    uint64_t idle_reported; /* the most that takt_core_idle_time has returned; raised by any core */

    /* The console ring: `console_tail` is written by the console core only, `console_head` by this
     * core only, each with release; the other side reads with acquire. They are not neighbours: who
     * misses two lines upwards has the next ones prefetched, which may be this core's own. */
    uint32_t console_tail __attribute__((aligned(64)));

    /* What is asked of this core, the latest first (inbox.c): pushed by any core, taken as a whole
     * by this one. */
    struct post *inbox __attribute__((aligned(64)));

    /* This core's place at the spin lock that it waits for or holds: see the lock's header. */
    struct spinlock_node lock_node __attribute__((aligned(64)));

    uint32_t console_head __attribute__((aligned(64))); /* see console_tail */

    /* Set with release by this core, when it is ready for the epoch, and when it has stopped for
     * good; read with acquire by the boot, and by the core that ends the machine. */
    uint32_t started, parked;
    uintptr_t stop_frame; /* of code that spun when it was stopped; 0: none did. Written before */

    /* Set by this core before it asks a neighbour for a task; cleared with release by that one. */
    uint32_t pulls;
} __attribute__((aligned(64)));

_Static_assert(offsetof(struct core, save) == CORE_SAVE, "");
_Static_assert(offsetof(struct core, trap_sp) == CORE_TRAP_SP, "");
_Static_assert(offsetof(struct core, trap_tp) == CORE_TRAP_TP, "");
_Static_assert(offsetof(struct core, trap_limit) == CORE_TRAP_LIMIT, "");
_Static_assert(offsetof(struct core, fault_sp) == CORE_FAULT_SP, "");

/* Returns whether the core idles although tasks are ready: it has used up a budget of memory
 * traffic. On that core, interrupts disabled. */
static inline bool core_throttled(const struct core *core) {
#if REGULATED
    return core->regulator.throttled;
#else
    (void)core;
    return false;
#endif
}

/* Returns the queue whose tasks the core runs now. On that core, interrupts disabled. */
static inline const struct ready *core_open(const struct core *core) {
#if FRAMES
    return core->frame.open;
#else
    return &core->ready;
#endif
}

/* Returns the queue of the core in which the task is while it is ready. */
static inline struct ready *ready_queue_of(struct core *core, const struct task *task) {
#if FRAMES
    if (task->config->ready != 0) {
        return task->config->ready;
    }
#else
    (void)task;
#endif
    return &core->ready;
}

/* The core that runs this; with interrupts disabled, or in code that cannot migrate. */
static inline struct core *core_here(void) {
    return task_self()->context.core;
}

/* Returns whether the running task has locked the CPU: then services are refused. */
static inline bool cpu_locked(void) {
    return DISTRIBUTED && task_self()->cpu_locked;
}

/* Keeps the running task on its core, or lets it go; interrupts disabled. */
static inline void set_dispatch_disabled(struct task *task, bool disabled) {
    task->context.core->dispatch_disabled = disabled;
    task->dispatch_disabled = disabled;
}

/* Returns whether this core owns the task; interrupts disabled. If so, that lasts as long as they
 * are: only this core lets the task go. If not, the task may come as soon as they are enabled. */
static inline bool task_is_here(const struct task *task) {
    /* Relaxed: one word, and the answer is about what this core itself has written. */
    return SINGLE_CORE || __atomic_load_n(&task->context.core, __ATOMIC_RELAXED) == core_here();
}

/* Returns whether the running code is a task that may wait. */
static inline bool wait_allowed(void) {
    return task_self()->wait_barred == 0;
}

/* Returns the ticks that the task's job has executed up to now; on its core, interrupts disabled.
 */
static inline uint64_t task_execution(const struct task *task) {
    const struct core *core = core_here();
    bool runs = core->running == task && core->nesting == 0;
    return task->execution + (runs ? arch_ticks() - core->running_since : 0);
}

/* Returns what of the job's `execution` ticks is its own: without the ways into interrupts and out
 * of them, and switches. Only the difference of two has a meaning: see execution_surely. */
static inline uint64_t execution_own(const struct task *task, uint64_t execution) {
    return execution - task->execution_margin;
}

/* Returns the ticks that a job with `execution` ticks has surely executed since execution_own was
 * `since`. The way into the interrupt that keeps a job from running has not been added to its
 * margin yet. */
static inline uint64_t execution_surely(const struct task *task, uint64_t execution,
                                        uint64_t since) {
    const struct core *core = task->context.core; /* null: on its way to another */
    bool runs = core != 0 && core->running == task && core->nesting == 0;
    uint64_t pending = runs ? 0 : core_here()->interruption_margin; /* as on any core */
    uint64_t surely = execution_own(task, execution) - since - pending;
    return (int64_t)surely > 0 ? surely : 0;
}

/* --- Locks of tasks and objects; interrupts disabled, never two at a time -------------------- */

static inline void lock_acquire(struct lock *lock) {
#if !SINGLE_CORE
    spinlock_acquire(lock_spinlock(lock), &core_here()->lock_node);
#endif
}

static inline void lock_release(struct lock *lock) {
#if !SINGLE_CORE
    spinlock_release(lock_spinlock(lock), &core_here()->lock_node);
#endif
}

/* Disables interrupts and takes the task's lock; returns the interrupts' former state. */
static inline unsigned long task_lock(struct task *task) {
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&task->lock);
    return interrupts;
}

static inline void task_unlock(struct task *task, unsigned long interrupts) {
    lock_release(&task->lock);
    arch_interrupts_restore(interrupts);
}

#endif
