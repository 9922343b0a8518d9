/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks that change cores: docs/design/services.md, "Migration". */
#include "remote/migrate.h"

#include "record/event.h"
#include "remote/inbox.h"

struct core *migration_target(const struct task *task, uint32_t core) {
    uint32_t index = core == TAKT_CORE_INITIAL ? task->config->core : core;
    bool may_run = index < takt_core_count && (task->config->cores[index / 64] >> index % 64 & 1);
    return may_run ? takt_cores[index] : 0;
}

bool migration_pending(struct task *task) {
    if (!MIGRATES) {
        return false;
    }
    if (task->destination == core_here() && !task->departs) { /* else it comes back */
        task->destination = 0;
    }
    return task->destination != 0;
}

void migration_request(struct task *task) {
    struct core *core = core_here();
    if (task->departs) {
        return;
    }
    task->departs = true;
    task->departs_next = core->departing;
    core->departing = task;
    if (task_self() != core->trap) {
        arch_interrupt_here(); /* taken as soon as interrupts are enabled */
    }
}

static bool migrate_stop(struct core *core, struct timer *timer) {
    bool was_running = timer->place != 0;
    timer_stop(&core->timers, timer);
    return was_running;
}

static void migrate_leave(struct core *core, struct task *task) {
    task->wait_timed = migrate_stop(core, &task->wait_timer);
    task->release_timed = migrate_stop(core, &task->release_timer);
    if (task->state == TASK_READY && !task->suspended) {
        ready_remove(&core->ready, task);
    }
    event_migrate(core, task->id, task->destination->index);
    lock_acquire(&task->lock);
    task->context.core = 0;
    task->posts_to = task->destination;
    /* Linked already, it is in this core's inbox or on the way, and passed on from there. */
    task->departs = !task->linked;
    task->linked = true;
    lock_release(&task->lock);
}

void migration_detach_all(struct core *core) {
    for (struct task *task = core->departing; task != 0; task = task->departs_next) {
        migrate_leave(core, task);
    }
}

void migration_send_all(struct core *core) {
    struct task *task = core->departing, *next;
    core->departing = 0;
    for (; task != 0; task = next) {
        next = task->departs_next;
        bool pushes = task->departs;
        task->departs = false; /* before it may arrive */
        if (pushes) {
            inbox_push(task->destination, &task->post);
        }
    }
    if (core->running != core->idle) {
        core->running_since = arch_ticks(); /* who goes on here has not executed this */
    }
}

bool migration_receive(struct task *task) {
    struct core *core = core_here();
    task->destination = 0;
    event_arrive(core, task->id);
    if (task->wait_timed) {
        timer_start(&core->timers, &task->wait_timer, task->wait_timer.time);
    }
    if (task->release_timed) {
        timer_start(&core->timers, &task->release_timer, task->release_timer.time);
    }
    if (task->state == TASK_READY && !task->suspended) {
        ready_insert(&core->ready, task);
    }
    bool begins = task->begins;
    task->begins = false;
    return begins;
}
