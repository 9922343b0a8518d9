/* SPDX-License-Identifier: Apache-2.0 */
/* The server of `central`: it keeps the tasks and objects of all nodes, and carries out their
 * commands. All of it is the system core's (core 0), in its own memory, and runs there with
 * interrupts disabled: one core, one section, no lock. docs/design/placements.md, "Central". */
#ifndef KERNEL_SERVER_H
#define KERNEL_SERVER_H

#include <stdbool.h>

#include "bits.h"
#include "config.h"
#include "node/command.h"
#include "placement.h"
#include "time/timer.h"

enum { SYSTEM_CORE = 0 };

struct central_task;

/* A queue of tasks: 64 FIFO levels and a bit for each that is not empty; all O(1). A task is in at
 * most one: it is ready, or waits for one object. Tasks are named by their IDs, which fit a byte.
 */
struct levels {
    uint64_t taken; /* bit n: level n is not empty */
    uint8_t first[64], last[64];
};

/* Puts a task behind all others of a level. */
void levels_insert(struct levels *levels, struct central_task *task, unsigned level);

/* Puts a task before all others of a level. */
void levels_insert_first(struct levels *levels, struct central_task *task, unsigned level);

/* Removes a task from its place. */
void levels_remove(struct levels *levels, struct central_task *task);

/* Returns the first task of the lowest level, TAKT_ID_NONE if there is none. */
static inline takt_id levels_first(const struct levels *levels) {
    return levels->taken == 0 ? TAKT_ID_NONE : levels->first[bits_lowest(levels->taken)];
}

enum central_state {
    CENTRAL_DORMANT,
    CENTRAL_STARTS, /* its job begins at time 0 */
    CENTRAL_READY,
    CENTRAL_WAITS,  /* in the queue `waiters`, or for time or a wake-up */
    CENTRAL_SLEEPS, /* for a wake-up */
};

struct central_task {
    /* Constant after server_init. */
    const struct takt_task_config *config;
    takt_id id;

    enum central_state state;
    uint8_t priority;
    bool job;               /* flips with each job that begins */
    uint8_t wakeups;        /* that found the task awake */
    uint32_t activations;   /* that wait for the job's end */
    struct levels *waiters; /* CENTRAL_WAITS: its queue; null: none */
    bool waits_by_priority; /* there */
    uint8_t level;          /* its place in a queue: levels.c */
    uint8_t next, previous;
#if RAISES
    uint8_t base; /* under `central`: the priority without what messages lend */
    uint8_t held; /* that of the message which it has received and not released; 0: none */
#endif
#if EVENTS
    uint8_t turn; /* of the latest change of its place in an object's queue */
#endif
    uint64_t call;      /* CENTRAL_WAITS, CENTRAL_SLEEPS: the command by which it waits */
    struct timer timer; /* a delay or timeout, or time 0 */

    /* The result of its last call, or before that what it sends. */
    enum answer_error error;
    uint8_t message_priority;
    intptr_t message;
} __attribute__((aligned(64)));

struct central_node {
#if PLACEMENT == PLACEMENT_SEMI
    uint64_t tail; /* entries in its ring so far */
#else
    struct levels ready;
#endif
    uint64_t answer; /* the latest decision, with the turn of the latest command */
};

/* By the configurator. */
extern struct central_task takt_central_tasks[];       /* by ID - 1 */
extern struct central_node takt_central_nodes[];       /* by core */
extern struct levels takt_central_semaphore_waiters[]; /* by ID - 1 */
extern struct levels takt_central_queue_waiters[];     /* by ID - 1 */

static inline struct central_task *server_task(takt_id id) {
    return &takt_central_tasks[id - 1];
}

/* Returns the priority of a task without what messages lend it. */
static inline unsigned server_base(const struct central_task *task) {
#if RAISES
    return task->base;
#else
    return task->priority;
#endif
}

/* Gives a task a priority of its own; what messages lend is the caller's to add. */
static inline void server_set_base(struct central_task *task, unsigned priority) {
#if RAISES
    task->base = (uint8_t)priority;
#endif
    task->priority = (uint8_t)priority;
}

/* Notes the priority of the message that a task holds; 0: none. */
static inline void server_hold(struct central_task *task, unsigned priority) {
#if RAISES
    task->held = (uint8_t)priority;
#else
    (void)task, (void)priority;
#endif
}

/* Returns the result of a task's last call, as an answer has it. */
static inline uint64_t server_result(const struct central_task *task) {
    bool is_long = task->message != (int32_t)task->message;
    return (is_long ? ANSWER_LONG : 0) | (uint64_t)task->error << 8 | (uint64_t)task->id << 16 |
           (uint64_t)((task->message_priority - 1u) & 63) << 24 | (uint64_t)task->message << 32;
}

/* Prepares tasks and objects; before time 0. */
void server_init(void);

/* Carries out a command of a node, and returns the decision for that node. Others whose decision it
 * changes are told. O(1), but O(log n) in the timers where a wait has a time. */
uint64_t server_serve(uint32_t node, const struct command *command);

/* Returns the decision for a node. */
uint64_t server_decision(uint32_t node);

/* --- Between the server's files --------------------------------------------------------------- */

/* wait.c. The caller of a command waits: it leaves its ready queue. */
void task_wait(struct central_task *task, enum central_state state, const struct command *command);

/* Does as task_wait, in an object's queue. */
void task_wait_in(struct central_task *task, struct levels *waiters, bool by_priority,
                  const struct command *command);

/* Ends a wait: the task is ready, and this is its call's result. */
void task_wait_end(struct central_task *task, enum answer_error error);

/* Puts a task whose priority has changed to its place in the object's queue, if it has one. */
void task_wait_again(struct central_task *task);

/* Prepares the timer of a task's waits. */
void task_init_timer(struct central_task *task);

/* Has the job of a task begin at a time. */
void task_start_at(struct central_task *task, takt_time time);

/* objects.c. Carries out a command on an object, or a delay, and stores the result with the caller;
 * returns false if it is another command. */
bool object_serve(struct central_task *caller, const struct command *command);

/* Each placement has its own: makes a task ready; takes it from the ready ones, as it waits. */
void task_make_ready(struct central_task *task);
void task_leave_ready(struct central_task *task);

/* Each placement has its own, with RAISES. What messages lend a task has changed, by a command of
 * `caller`: one that it sent, or its RELEASE. */
void task_lend(struct central_task *task, struct central_task *caller,
               const struct command *command);

/* tasks.c, of `central`. */
void task_begin(struct central_task *task);
enum answer_error task_start(struct central_task *task);
enum answer_error task_wake(struct central_task *task);
void task_end(struct central_task *task);
void task_sleep(struct central_task *task, const struct command *command);
enum answer_error task_set_priority(struct central_task *task, unsigned priority);
void task_yield(uint32_t node, unsigned priority);
void central_task_init(struct central_task *task, takt_id id);

/* server.c, of `central`. The decision for a node may be another: it is told, unless it is the node
 * that is served, whose answer says it. */
void server_decide(uint32_t node);

/* decision.c, of `central`. Hands a decision to another node, and interrupts it. */
void exchange_decide(uint32_t node, uint64_t word);

#endif
