/* SPDX-License-Identifier: Apache-2.0 */
/* Words of a priority data queue that raise the task which receives them:
 * docs/design/placements.md, "The raise". Without RAISES none of this is there. */
#ifndef KERNEL_RAISE_H
#define KERNEL_RAISE_H

#include "core.h"
#include "object/priority_data_queue.h"
#include "placement.h"

/* Returns the task that the words of a queue raise, TAKT_ID_NONE: none. */
static inline takt_id queue_raises(const struct takt_priority_data_queue_config *config) {
#if RAISES
    return config->raises;
#else
    (void)config;
    return TAKT_ID_NONE;
#endif
}

/* Returns the queue whose words raise a task, null: none. */
static inline struct priority_data_queue *raised_by(const struct takt_task_config *config) {
#if RAISES
    return config->raised_by != TAKT_ID_NONE ? &takt_priority_data_queues[config->raised_by - 1]
                                             : 0;
#else
    (void)config;
    return 0;
#endif
}

/* Returns whether a word of this priority outranks all words of the queue. With the lock held. */
static inline bool raise_outranks(const struct priority_data_queue *queue, unsigned priority) {
    return (queue->filled & ((UINT64_C(2) << (priority - 1)) - 1)) == 0;
}

/* Returns the highest priority of the words of a bit map, `none` if there is none. */
static inline unsigned raise_highest(uint64_t filled, unsigned none) {
    return filled != 0 ? bits_lowest(filled) + 1u : none;
}

/* Returns whether the words of a queue raise the running task. */
static inline bool raise_is_self(takt_id queue) {
    takt_id raised = queue_raises(&takt_priority_data_queue_configs[queue - 1]);
    return raised != TAKT_ID_NONE && raised == task_self()->id;
}

/* Returns whether the running code may receive: if words of the queue raise a task, that alone. */
static inline bool raise_may_receive(takt_id queue) {
    return queue_raises(&takt_priority_data_queue_configs[queue - 1]) == TAKT_ID_NONE ||
           raise_is_self(queue);
}

#if DISTRIBUTED

/* Returns whether the running task, which may receive, holds a word of the queue. */
static inline bool raise_is_held(takt_id queue) {
#if RAISES
    return takt_priority_data_queues[queue - 1].held != 0;
#else
    (void)queue;
    return false;
#endif
}

/* Notes that the raised task has got a word of its queue; with the lock held. */
static inline void raise_hold(struct priority_data_queue *queue,
                              const struct takt_priority_data_queue_config *config,
                              const struct task *receiver, unsigned priority) {
#if RAISES
    if (config->raises != TAKT_ID_NONE && config->raises == receiver->id) {
        atomic_store_relaxed(&queue->held, (uint8_t)priority);
    }
#else
    (void)queue, (void)config, (void)receiver, (void)priority;
#endif
}

#if RAISES

/* Returns the highest priority of the words that were sent to the task and not released, one below
 * all if there is none. On the task's core. */
unsigned raise_due(const struct task *task);

/* Gives the raised task the priority that is due, after a word was sent to it. `woken`: it was
 * handed over, and ends the task's wait; else `rises`: it outranks all others of the queue.
 * Interrupts disabled, no lock held; dispatches. */
void raise_receiver(struct task *receiver, struct task *woken, bool rises);

/* Gives the running task the priority that is due, and dispatches. Interrupts disabled. */
void raise_self(void);

/* Releases the word that the task holds, at the end of its job, too; returns whether it held one.
 * On the task's core, interrupts disabled; the caller changes the priority. */
bool raise_end(const struct task *task);

#else

static inline unsigned raise_due(const struct task *task) {
    (void)task;
    return READY_LEVELS + 1;
}

static inline void raise_receiver(struct task *receiver, struct task *woken, bool rises) {
    (void)receiver, (void)woken, (void)rises;
}

static inline void raise_self(void) {
}

static inline bool raise_end(const struct task *task) {
    (void)task;
    return false;
}

#endif
#endif

#endif
