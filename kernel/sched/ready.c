/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/ready.h"

#include "task/task.h"

static struct ready_level *level_of(struct ready *ready, const struct task *task) {
    return &ready->level[task->priority - 1ul];
}

static uint64_t level_bit(const struct task *task) {
    return 1ull << (task->priority - 1ul);
}

void ready_insert(struct ready *ready, struct task *task) {
    struct ready_level *level = level_of(ready, task);
    struct task *last = ready->levels & level_bit(task) ? level->last : 0;
    task->ready_next = 0;
    task->ready_previous = last;
    *(last != 0 ? &last->ready_next : &level->first) = task;
    level->last = task;
    ready->levels |= level_bit(task);
}

void ready_insert_first(struct ready *ready, struct task *task) {
    struct ready_level *level = level_of(ready, task);
    struct task *first = ready->levels & level_bit(task) ? level->first : 0;
    task->ready_previous = 0;
    task->ready_next = first;
    *(first != 0 ? &first->ready_previous : &level->last) = task;
    level->first = task;
    ready->levels |= level_bit(task);
}

void ready_remove(struct ready *ready, struct task *task) {
    struct ready_level *level = level_of(ready, task);
    struct task *previous = task->ready_previous, *next = task->ready_next;
    if (previous == 0 && next == 0) {
        ready->levels &= ~level_bit(task); /* what the level says does not count any more */
        return;
    }
    *(previous != 0 ? &previous->ready_next : &level->first) = next;
    *(next != 0 ? &next->ready_previous : &level->last) = previous;
}

struct task *ready_rotate_level(struct ready_level *level) {
    struct task *first = level->first, *next = first->ready_next, *last = level->last;
    next->ready_previous = 0;
    level->first = next;
    first->ready_next = 0;
    first->ready_previous = last;
    last->ready_next = first;
    level->last = first;
    return next;
}

void ready_rotate(struct ready *ready, unsigned priority) {
    struct ready_level *level = &ready->level[priority - 1ul];
    if (level->first->ready_next != 0) {
        ready_rotate_level(level);
    }
}
