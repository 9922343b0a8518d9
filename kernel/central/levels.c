/* SPDX-License-Identifier: Apache-2.0 */
/* The queues of the server. */
#include "central/server.h"

void levels_insert(struct levels *levels, struct central_task *task, unsigned level) {
    uint64_t bit = UINT64_C(1) << level;
    task->level = (uint8_t)level;
    task->next = TAKT_ID_NONE;
    task->previous = levels->taken & bit ? levels->last[level] : TAKT_ID_NONE;
    if (task->previous != TAKT_ID_NONE) {
        server_task(task->previous)->next = task->id;
    } else {
        levels->first[level] = task->id;
    }
    levels->last[level] = task->id;
    levels->taken |= bit;
}

void levels_insert_first(struct levels *levels, struct central_task *task, unsigned level) {
    uint64_t bit = UINT64_C(1) << level;
    if ((levels->taken & bit) == 0) {
        levels_insert(levels, task, level);
        return;
    }
    task->level = (uint8_t)level;
    task->previous = TAKT_ID_NONE;
    task->next = levels->first[level];
    server_task(task->next)->previous = task->id;
    levels->first[level] = task->id;
}

void levels_remove(struct levels *levels, struct central_task *task) {
    if (task->previous != TAKT_ID_NONE) {
        server_task(task->previous)->next = task->next;
    } else {
        levels->first[task->level] = task->next;
    }
    if (task->next != TAKT_ID_NONE) {
        server_task(task->next)->previous = task->previous;
    } else {
        levels->last[task->level] = task->previous;
    }
    if (task->previous == TAKT_ID_NONE && task->next == TAKT_ID_NONE) {
        levels->taken &= ~(UINT64_C(1) << task->level);
    }
}
