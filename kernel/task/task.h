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
#include "lock/lock.h"
#include "place.h"
#include "record/record_schema.h"
#include "remote/post.h"
#include "time/timer.h"

/* uITRON's states; a task whose activation is held back for its separation is still dormant. */
enum task_state { TASK_DORMANT, TASK_READY, TASK_WAITING };

/* WAIT_HELD: an object that another task holds; the analysis bounds the wait by the holds. */
enum task_wait { WAIT_DELAY, WAIT_SLEEP, WAIT_OBJECT, WAIT_HELD };

struct task;

/* What a task asks of the owner of another, and waits for; see remote_call.c. */
typedef takt_error remote_call_function(struct task *task, intptr_t argument);

struct remote_call {
    struct post post;
    struct task *task;
    remote_call_function *carry_out;
    intptr_t argument;
    /* Set to REMOTE_CALL_OPEN by the task that makes the call; the owner stores the result, with
     * release: pairs with the acquire in remote_call.h. One word, so that the owner takes the line
     * once from the caller, who spins on it. */
    takt_error result;
};

/* What no call is answered with. */
#define REMOTE_CALL_OPEN ((takt_error)2)

/* What other cores ask of the owner. */
enum task_request {
    REQUEST_START = 1,
    REQUEST_WAKE = 2,
    REQUEST_RELEASE = 4, /* the wait ends with TAKT_E_RLWAI, if the task still waits */
    REQUEST_STOP = 8,    /* of a task of a partition: it works for that, see restart.h */
    REQUEST_RAISE = 16   /* messages were sent that raise the task: see raise.h */
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
    bool suspended; /* whatever the state; in the ready queue: TASK_READY and not so */
    struct task *ready_next, *ready_previous;
    struct remote_call *ending; /* calls to end the task, answered when it enables dispatch */
    uint8_t priority;           /* while it waits, also guarded by the object's lock */
    uint8_t base_priority;      /* without what mutexes and messages lend */
#if RAISES
    uint8_t own_priority; /* of `semi`: without what messages lend */
    uint8_t lent;         /* of `semi`: by messages; READY_LEVELS: nothing */
#endif
    /* Why the running code may not wait, as one word, which is 0 if it may. Written by the task
     * itself, who is not interrupted by what writes it, and by the core that ends its job. */
    union {
        uint32_t wait_barred;
        struct {
            bool cpu_locked;        /* by this task, or as it holds a spin lock */
            bool dispatch_disabled; /* by this task; the core knows it, too */
            bool is_handler;        /* constant: storage of a core's trap or idle context */
        };
    };
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
    struct waiters *waits_for;   /* WAIT_OBJECT, WAIT_HELD: in which queue */
    enum takt_record_object wait_class; /* of which object */
    takt_id
        wait_id; /* TAKT_ID_NONE again when the task has what it waited for: a semaphore's users */
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
    bool paused;               /* between execution_pause and execution_resume */
    struct remote_call *held;  /* calls that came while it departs or before it arrives */

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
    struct core *posts_to; /* whose inbox gets the requests and remote calls */
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

    /* Set by the task before it stands in the queue of a mutex for which it spins; cleared by the
     * task if it gives up, else with release by the core that unlinks it: pairs with the acquire in
     * mutex_msrp.c. */
    uint32_t spins;

    struct remote_call call;      /* what this task asks of others */
    struct takt_task_state found; /* the answer to a look; written by the owner until then */
} __attribute__((aligned(64)));

/* The storage that the running code owns: the task's, or the core's idle or trap storage. */
static inline struct task *task_self(void) {
    return (struct task *)(arch_thread_pointer() - sizeof(struct task));
}

/* Returns whether a waiting task stands in an object's queue, or stood there. */
static inline bool task_waits_for_object(const struct task *task) {
    return task->state == TASK_WAITING && task->wait >= WAIT_OBJECT;
}

static inline bool task_id_valid(takt_id id) {
    return id - 1 < takt_task_count;
}

#endif
