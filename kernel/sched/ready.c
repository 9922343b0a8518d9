/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/ready.h"

#include "task/task.h"

void ready_insert(struct ready *ready, struct task *task) {
    size_t level = task->priority - 1ul;
    struct task *last = ready->levels & 1ull << level ? ready->last[level] : 0;
    task->ready_next = 0;
    task->ready_previous = last;
    *(last != 0 ? &last->ready_next : &ready->first[level]) = task;
    ready->last[level] = task;
    ready->levels |= 1ull << level;
}

void ready_insert_first(struct ready *ready, struct task *task) {
    size_t level = task->priority - 1ul;
    struct task *first = ready->levels & 1ull << level ? ready->first[level] : 0;
    task->ready_previous = 0;
    task->ready_next = first;
    *(first != 0 ? &first->ready_previous : &ready->last[level]) = task;
    ready->first[level] = task;
    ready->levels |= 1ull << level;
}

void ready_remove(struct ready *ready, struct task *task) {
    size_t level = task->priority - 1ul;
    struct task *previous = task->ready_previous, *next = task->ready_next;
    *(previous != 0 ? &previous->ready_next : &ready->first[level]) = next;
    *(next != 0 ? &next->ready_previous : &ready->last[level]) = previous;
    if (previous == 0 && next == 0) {
        ready->levels &= ~(1ull << level);
    }
}
