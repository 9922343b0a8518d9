/* SPDX-License-Identifier: Apache-2.0 */
#include "node/release.h"

#include "record/event.h"
#include "time/time.h"

/* Returns false if the release is lost, as a job is there and its queue is full. */
static bool accept(struct task *task, takt_time release) {
    const struct takt_task_config *config = task->config;
    if (!task->active) {
        task->active = true;
        task->start_release = release;
        return true;
    }
    if (task->queue_count == config->queue_limit) {
        return false;
    }
    config->queue[(task->queue_first + task->queue_count++) % config->queue_limit] = release;
    return true;
}

/* Releases are exact, as periods are whole nanoseconds. */
static void periodic_release(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, release_timer));
    struct core *core = core_here();
    takt_time release = timer->time;
    timer_start(&core->timers, timer, time_add(release, task->config->period));
    if (accept(task, release)) {
        release_job(core, task);
    } else {
        record_of(task)->losses++;
        event_loss(core, task->id);
    }
}

bool release_next(struct task *task) {
    const struct takt_task_config *config = task->config;
    if (task->queue_count == 0) {
        task->active = false;
        return false;
    }
    task->queue_count--;
    if (task_is_periodic(config)) {
        task->start_release = config->queue[task->queue_first];
        task->queue_first = (task->queue_first + 1) % config->queue_limit;
    }
    return true;
}

void release_init(struct core *core) {
    for (const uint16_t *id = core->config->tasks; PERIODS && *id != 0; id++) {
        struct task *task = takt_tasks[*id - 1];
        if (task_is_periodic(task->config)) {
            task->release_timer.expire = periodic_release;
            task->release_timer.order = *id;
            timer_start(&core->timers, &task->release_timer, task->config->offset);
        }
    }
}
