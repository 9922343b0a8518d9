/* SPDX-License-Identifier: Apache-2.0 */
/* The priorities that tasks get by mutexes of one core. On that core, interrupts disabled; none of
 * these dispatches. */
#ifndef KERNEL_MUTEX_INHERIT_H
#define KERNEL_MUTEX_INHERIT_H

#include "core.h"

/* Gives the task the highest priority of its base, of what its mutexes lend it, and of the messages
 * that raise it, then the holder
 * of what it waits for, and so on; null: nobody. Bound: the tasks of the core, each with its
 * mutexes and those that wait for them. */
void mutex_propagate_priority(struct task *task);

/* Gives the task another base priority; behind others of it, unless a mutex keeps the task higher.
 * Bound: as above. */
void mutex_rebase(struct task *task, uint8_t base);

/* Gives the task the priority that is due when messages raise it or do so no more: behind others of
 * a higher one, before others of a lower one. Nothing for a task without a job. Bound: as above. */
void mutex_raise(struct task *task);

/* Returns whether the task holds or waits for a mutex whose ceiling is below the priority.
 * Bound: the mutexes that it holds. */
bool mutex_violates_ceiling(const struct task *task, uint8_t priority);

#endif
