/* SPDX-License-Identifier: Apache-2.0 */
#include "ready.h"

#include "task.h"

void ready_insert(struct ready *ready, struct task *task) {
    unsigned level = task->config->priority - 1u;
    task->ready_next = 0;
    if (ready->levels & 1ull << level) {
        ready->last[level]->ready_next = task;
    } else {
        ready->first[level] = task;
        ready->levels |= 1ull << level;
    }
    ready->last[level] = task;
}

void ready_remove_first(struct ready *ready, struct task *task) {
    unsigned level = task->config->priority - 1u;
    ready->first[level] = task->ready_next;
    if (task->ready_next == 0) {
        ready->levels &= ~(1ull << level);
    }
}
