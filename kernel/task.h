/* SPDX-License-Identifier: Apache-2.0 */
/* The control block of a task. */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <takt/state.h>
#include <takt/task.h>

#include "arch.h"
#include "config.h"
#include "lock.h"
#include "place.h"
#include "post.h"
#include "record_schema.h"
#include "timer.h"
#include "waiters.h"

/* uITRON's states; a task whose activation is held back for its separation is still dormant. */
enum task_state { TASK_DORMANT, TASK_READY, TASK_WAITING };

/* WAIT_MUTEX: an object to whose holder the waiting task may lend its priority. */
enum task_wait { WAIT_DELAY, WAIT_SLEEP, WAIT_OBJECT, WAIT_MUTEX };

struct task;

/* What a task asks of the owner of another, and waits for; see order.c. */
typedef takt_error order_carry_out(struct task *task, intptr_t argument);

struct order {
    struct post post;
    struct task *task;
    order_carry_out *carry_out;
    intptr_t argument;
    takt_error result;
    /* Set by the task that gives the order; cleared with release by the owner, when the result
     * is there: pairs with the acquire in order.c. */
    uint32_t open;
};

/* What other cores ask of the owner. */
enum task_request {
    REQUEST_START = 1,
    REQUEST_WAKE = 2,
    REQUEST_RELEASE = 4 /* the wait ends with TAKT_E_RLWAI, if the task still waits */
};

enum { TASK_WAKEUPS_MAX = 255 };

/* What only the owner writes lies in other lines than what other cores write: one that wakes the
 * task moves a single one. */
struct task {
    /* Constant after core_init, but for `context`, which is the core's that runs the task. The
     * task's thread-local storage follows the block. `context.core` is the owner, null while the
     * task is on its way to another: written under `lock` by the core that it leaves and by the
     * one where it arrives; see task_is_here. */
    struct context context; /* first: the trap entry saves here */
    const struct takt_task_config *config;
    takt_id id;         /* TAKT_ID_NONE: storage of a core's trap or idle context */
    uint64_t allowance; /* ticks of execution with which a job has overrun; 0: no budget */

    /* Owned by the task's core, interrupts disabled. */
    enum task_state state __attribute__((aligned(64)));
    bool suspended;  /* whatever the state; in the ready queue: TASK_READY and not so */
    bool cpu_locked; /* by this task, or as it holds a spin lock; its own: who runs so is not
                        interrupted */
    struct task *ready_next, *ready_previous;
    struct order *ending;        /* orders to end the task, once it enables dispatch */
    uint8_t priority;            /* while it waits, also guarded by the object's lock */
    uint8_t base_priority;       /* without what mutexes lend */
    struct mutex *mutexes;       /* that the task holds, the latest first */
    uint32_t locks;              /* reader-writer locks that it holds or waits for */
    struct mutex *keeps_core;    /* TAKT_MSRP: that it holds or spins for */
    bool kept_before;            /* dispatch was disabled without that */
    struct timer release_timer;  /* the next release: periodic, or sporadic and held back */
    struct timer wait_timer;     /* the end of a delay or timeout */
    takt_time release;           /* nominal release of the job */
    takt_time latest_release;    /* of a sporadic task's last job */
    uint64_t execution;          /* ticks that the job has executed */
    uint64_t budget;             /* as `allowance`, of this job; 0: also when it has overrun */
    struct timer deadline_timer; /* the deadline has passed; see watch.h */
    bool stopping;               /* has overrun, and ends when it enables dispatch */
    bool termination_disabled;   /* by the job itself: takt_termination_disable */
    bool termination_requested;  /* the job ends when it enables termination and dispatch */
    enum task_wait wait;         /* what a waiting task waits for */
    struct waiters *waits_for;   /* WAIT_OBJECT, WAIT_MUTEX: in which queue */
    enum takt_record_object wait_class; /* of which object */
    takt_id wait_id;
    struct core *destination; /* where it is to move; null: nowhere; see migrate.c */
    bool departs;             /* in the core's list of those that do */
    struct task *departs_next;
    bool wait_timed, release_timed, begins; /* on its way: which timers run, whether a job begins */
    takt_time begin_release;                /* nominal, of that job */
    struct served *serves; /* whose tasks it wakes, one in each section; null: nobody's */
    /* Watched (rights.h). */
    uint32_t job;              /* a number of the job */
    uint64_t held_objects;     /* bits of mutexes and semaphores that it holds, of those watched */
    bool suspends;             /* waits for what nobody holds, and that is measured */
    uint32_t suspensions;      /* of the job */
    uint64_t suspended_ticks;  /* of the job, in all */
    uint64_t wait_since;       /* ticks */
    bool dispatch_watched;     /* the task has disabled dispatch itself, and that is measured */
    uint64_t dispatch_since;   /* the job's own execution at the time */
    uint64_t execution_margin; /* of the job's execution: so much may be the kernel's; ticks */
    struct order *held;        /* orders that came while it departs or before it arrives */

    /* What a wake-up from another core touches, in one line: who wakes the task unlinks it, and
     * then posts to its core.
     *
     * Guarded by `lock`, as other cores write them too: */
    struct lock lock __attribute__((aligned(64)));
    bool active;   /* a job exists: started or held back */
    bool sleeping; /* waits in takt_task_sleep and nobody has woken it */
    bool linked;   /* in the inbox */
    uint8_t requests;
    /* Guarded by the lock of the object that the task waits for: its place in the queue. */
    bool wait_linked, wait_by_priority;
    uint8_t join_turn, leave_turn; /* the queue's turns of the latest link and unlinking */
    struct task *wait_next, *wait_previous;
    /* Again by `lock`. */
    struct core *posts_to; /* whose inbox gets the requests and orders */
    struct post post;      /* the requests; `next` is its poster's, then the owner's: see inbox.c */
    /* Written by the task before it queues itself. While it is queued: guarded by the object's
     * lock. After it has been unlinked: owned by the core that ends the wait, until the task is
     * ready. */
    takt_error wait_result;
    uint32_t wait_woken;      /* the low half of the ticks at which the wait was ended */
    uint32_t wait_generation; /* of a `struct served`; not the object's: the wait has ended */
    uint32_t wait_pattern;    /* what it waits for of a flag */
    intptr_t wait_value;      /* what it sends, or what it gets */
    size_t wait_size;         /* of the bytes at wait_value */
    int wait_mode;            /* of a flag; the priority of the word; or whether it will write */

    /* Guarded by `lock`. */
    uint8_t wakeups;                   /* that found the task awake */
    uint32_t queue_first, queue_count; /* the ring config->queue */
    takt_time start_release;           /* nominal release that REQUEST_START asks for */
    struct core *start_core;           /* where that job begins; null: where the task is */
    struct core *next_core;            /* where the next job of the queue begins; null: as above */
    uint64_t refused;                  /* activations answered with TAKT_E_QOVR */

    /* Set by the task before it stands in the queue of a mutex for which it spins; cleared with
     * release by who unlinks it: pairs with the acquire in mutex.c. */
    uint32_t spins;

    struct order order;           /* what this task asks of others */
    struct takt_task_state found; /* the answer to a look; written by the owner until then */
} __attribute__((aligned(64)));

/* The storage that the running code owns: the task's, or the core's idle or trap storage. */
static inline struct task *task_self(void) {
    return (struct task *)(arch_thread_pointer() - sizeof(struct task));
}

static inline bool task_id_valid(takt_id id) {
    return id - 1 < takt_task_count;
}

/* --- Jobs (job.c); on the task's core, interrupts disabled --------------------------------- */

/* The nominal release of an activation, where the latest one before was `latest` (< 0: none): a
 * sporadic task's are at least its separation apart. */
takt_time job_nominal_release(const struct task *task, takt_time latest, takt_time activation);

/* Makes the next job ready (null: here), or holds it back when it comes too early after the last.
 */
void job_begin(struct task *task, takt_time release, struct core *on);

/* The running job is complete: figures, then the next one that waits. */
void job_complete(struct task *task);

/* Gives back one of the mutexes and reader-writer locks that a job holds; false if it holds none.
 * Does not dispatch. */
bool job_give_back_one(struct task *task);

/* Asks for a job at `release`, on core `on` if that is not null. Any core. TAKT_E_QOVR when the
 * queue is full. */
takt_error job_request(struct task *task, takt_time release, struct core *on);

/* Ends the job of a task that does not wait: as if it had never been, but for its time. Then the
 * next one that waits. `wait`: for the record. */
void job_abort(struct task *task, enum takt_record_ended wait);

/* Whether no job of the task runs, is ready or waits. */
static inline bool job_none(const struct task *task) {
    return task->state == TASK_DORMANT;
}

/* Prepares a task's first release at the epoch. */
void job_init(struct task *task);

/* Gives the task a priority, wherever it is; behind others of it, or before them. On the task's
 * core, interrupts disabled; does not dispatch. Bounded by those that wait where it waits. */
void task_place(struct task *task, uint8_t priority, bool before);

/* Lets the running task be preempted again; does not return if an order to end it has come.
 * Interrupts disabled. */
void task_enable_dispatch(struct task *task);

/* --- Migration (migrate.c); on the task's core, interrupts disabled ------------------------- */

/* The core of that number, null if the task may not run there. Any core. */
struct core *task_core_for(const struct task *task, uint32_t core);

/* Whether the task is to move before its next job begins. */
bool task_moves(struct task *task);

/* Lets the task go to its destination when the interrupt under way is over, else one that comes at
 * once: then nobody uses its stack or its registers here. */
void task_depart(struct task *task);

/* Makes the task, which has come here, what it was where it came from. */
RARE void task_arrive(struct task *task);

/* --- Waiting (wait.c); interrupts disabled -------------------------------------------------- */

/* Makes the running task wait, for at most `timeout`, and returns the result when it runs again.
 * WAIT_OBJECT: waiters_join has linked it. `class`, `id`: of the object, for the trace. */
takt_error wait_begin(enum task_wait wait, takt_time timeout, enum takt_record_object class,
                      takt_id id);

/* Ends a wait from any core, once for each wait. */
void wait_end(struct task *task, takt_error result);

/* The same without a dispatch; true if the task is of this core, and then may have to run. */
bool wait_end_one(struct task *task, takt_error result);

/* Ends the task's wait with TAKT_E_RLWAI if it waits and nobody has ended that; on its own core. */
void task_release_wait_here(struct task *task);

/* Expiry of a task's wait timer. */
void wait_expired(struct timer *timer);

/* Ends a wait on the task's own core. */
void wait_end_here(struct task *task);

/* Takes a waiting task out of what it waits for, on its own core; false when the wait has ended,
 * and a wake-up is posted before interrupts are enabled where that happened. `*granted`: it had
 * ended, and the wake-up would have come later: the caller wakes the task with TAKT_OK. */
bool wait_cancel(struct task *task, bool *granted);

/* Ends a wait on the task's own core before what it waits for comes; false if that has come: then
 * the task goes on with it. */
bool wait_break(struct task *task, takt_error result);

/* As wait_cancel, and if the wait has ended waits until that has arrived: then nothing is on its
 * way to the task; false if so. Bound: who ends the wait posts that before it enables interrupts,
 * and waits for locks only until then. */
bool wait_drop(struct task *task);

#endif
