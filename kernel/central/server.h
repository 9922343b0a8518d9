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
    uint64_t call;      /* CENTRAL_WAITS, CENTRAL_SLEEPS: the command by which it waits */
    struct timer timer; /* a delay or timeout, or time 0 */

    /* The result of its last call, or before that what it sends. */
    enum answer_error error;
    uint8_t message_priority;
    intptr_t message;
} __attribute__((aligned(64)));

struct central_node {
    struct levels ready;
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

/* Prepares tasks and objects; before time 0. */
void server_init(void);

/* Carries out a command of a node, and returns the decision for that node. Others whose decision it
 * changes are told. O(1), but O(log n) in the timers where a wait has a time. */
uint64_t server_serve(uint32_t node, const struct command *command);

/* Returns the decision for a node. */
uint64_t server_decision(uint32_t node);

/* --- Between the server's files --------------------------------------------------------------- */

/* tasks.c. The caller of a command waits: it leaves its ready queue. */
void task_wait(struct central_task *task, enum central_state state, const struct command *command);

/* Ends a wait: the task is ready, and this is its call's result. */
void task_wait_end(struct central_task *task, enum answer_error error);

/* Does as task_wait, in an object's queue. */
void task_wait_in(struct central_task *task, struct levels *waiters, bool by_priority,
                  const struct command *command);

enum answer_error task_start(struct central_task *task);
enum answer_error task_wake(struct central_task *task);
void task_end(struct central_task *task);
void task_sleep(struct central_task *task, const struct command *command);
void task_delay(struct central_task *task, const struct command *command);
enum answer_error task_set_priority(struct central_task *task, unsigned priority);
void task_yield(uint32_t node, unsigned priority);
void task_init(struct central_task *task, takt_id id);

/* The decision for a node may be another: it is told, unless it is the node that is served, whose
 * answer says it. server.c. */
void server_decide(uint32_t node);

/* objects.c. They store the result with the caller. */
void semaphore_take(struct central_task *caller, const struct command *command);
void semaphore_give(struct central_task *caller, const struct command *command);
void queue_send(struct central_task *caller, const struct command *command, intptr_t word);
void queue_receive(struct central_task *caller, const struct command *command);

/* Hands a decision to another node, and interrupts it. exchange.c. */
void exchange_decide(uint32_t node, uint64_t word);

#endif
