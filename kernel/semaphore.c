/* SPDX-License-Identifier: Apache-2.0 */
#include "semaphore.h"

#include "core.h"

void semaphores_init(void) {
    for (uint32_t i = 0; i < takt_semaphore_count; i++) {
        takt_semaphores[i].count = takt_semaphore_configs[i].initial;
    }
}

/* The three below: with the semaphore's lock held. */

static void unlink_task(struct semaphore *semaphore, struct task *task) {
    *(task->wait_previous ? &task->wait_previous->wait_next : &semaphore->first) = task->wait_next;
    *(task->wait_next ? &task->wait_next->wait_previous : &semaphore->last) = task->wait_previous;
    task->wait_linked = false;
}

/* Links a task behind `previous`, null: as the first. */
static void link_task(struct semaphore *semaphore, struct task *task, struct task *previous) {
    task->wait_previous = previous;
    task->wait_next = previous ? previous->wait_next : semaphore->first;
    *(previous ? &previous->wait_next : &semaphore->first) = task;
    *(task->wait_next ? &task->wait_next->wait_previous : &semaphore->last) = task;
    task->wait_linked = true;
}

/* FIFO: O(1). By priority, FIFO among equals: bounded by the tasks that wait. */
static void enqueue(struct semaphore *semaphore, bool by_priority, struct task *task) {
    struct task *previous = semaphore->last;
    while (by_priority && previous != 0 && previous->config->priority > task->config->priority) {
        previous = previous->wait_previous;
    }
    link_task(semaphore, task, previous);
}

bool semaphore_cancel(struct semaphore *semaphore, struct task *task) {
    lock_acquire(&semaphore->lock);
    bool linked = task->wait_linked;
    if (linked) {
        unlink_task(semaphore, task);
    }
    lock_release(&semaphore->lock);
    return linked;
}

takt_error takt_semaphore_signal(takt_id id) {
    if (id - 1 >= takt_semaphore_count) {
        return TAKT_E_ID;
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    takt_error result = TAKT_OK;
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&semaphore->lock);
    struct task *task = semaphore->first;
    if (task != 0) {
        unlink_task(semaphore, task);
    } else if (semaphore->count < takt_semaphore_configs[id - 1].maximum) {
        semaphore->count++;
    } else {
        result = TAKT_E_QOVR;
    }
    lock_release(&semaphore->lock);
    if (task != 0) {
        wait_end(task, TAKT_OK); /* the task is ours alone: nobody else can end its wait */
    }
    arch_interrupts_restore(interrupts);
    return result;
}

/* timeout: WAIT_FOR_EVER, 0 to poll, or the longest time to wait. */
static takt_error take(takt_id id, takt_time timeout) {
    if (id - 1 >= takt_semaphore_count) {
        return TAKT_E_ID;
    }
    struct task *task = task_self();
    if (task->id == TAKT_ID_NONE && timeout != 0) {
        return TAKT_E_CTX;
    }
    struct semaphore *semaphore = &takt_semaphores[id - 1];
    takt_error result = TAKT_OK;
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&semaphore->lock);
    bool waits = semaphore->count == 0 && timeout != 0;
    if (semaphore->count > 0) {
        semaphore->count--;
    } else if (waits) {
        task->wait_semaphore = semaphore;
        enqueue(semaphore, takt_semaphore_configs[id - 1].by_priority, task);
    } else {
        result = TAKT_E_TMOUT;
    }
    lock_release(&semaphore->lock);
    if (waits) {
        result = wait_begin(WAIT_SEMAPHORE, timeout, id);
    }
    arch_interrupts_restore(interrupts);
    return result;
}

takt_error takt_semaphore_wait(takt_id semaphore) {
    return take(semaphore, WAIT_FOR_EVER);
}

takt_error takt_semaphore_wait_for(takt_id semaphore, takt_time timeout) {
    return timeout < 0 ? TAKT_E_PAR : take(semaphore, timeout);
}

takt_error takt_semaphore_try(takt_id semaphore) {
    return take(semaphore, 0);
}
