/* SPDX-License-Identifier: Apache-2.0 */
#include "record/finish.h"

#include "core.h"
#include "partition/partition.h"
#include "task/job.h"
#include "task/rights.h"
#include "time/time.h"

/* Stacks are zero until used. Bound: the stack's size. */
static uint64_t bytes_used(const uint8_t *at, const uint8_t *top) {
    while (at < top && *at == 0) {
        at++;
    }
    return (uint64_t)(top - at);
}

static uint64_t stack_used(const struct task *task) {
    const struct takt_partition_task *own = partition_task(task);
    if (own == 0) {
        return bytes_used(task->config->stack_limit, task->config->stack_top);
    }
    partition_enter(task);
    arch_user_open();
    uint64_t used = bytes_used(own->stack_limit, own->stack_top);
    arch_user_close();
    return used;
}

static void finish_job(struct task *task, takt_time release, takt_time time) {
    takt_time deadline = task->config->deadline;
    record_of(task)->misses += deadline != 0 && time - release > deadline;
}

/* Counts what stood unfinished past its deadline at `time`: the job, or the activation that is held
 * back or on its way to the task's core, and those that wait for it, each from its nominal release.
 */
static void finish_task(struct task *task, takt_time time) {
    const struct takt_task_config *config = task->config;
    takt_time latest = task->latest_release;
    if (partition_works(task)) {
        return; /* it has no job */
    }
    if (task->state != TASK_DORMANT) {
        if (!task->paused) { /* else its execution contains its spin for a mutex */
            record_execution(task);
        }
        finish_job(task, task->release, time);
    } else if (!DISTRIBUTED) {
        return; /* nothing is held back */
    } else if (config->activation != TAKT_PERIODIC && task->release_timer.place != 0) {
        latest = task->release_timer.time;
        finish_job(task, latest, time);
    } else if (task->requests & REQUEST_START) {
        latest = job_nominal_release(task, latest, task->start_release);
        finish_job(task, latest, time);
    }
    for (uint32_t queued = 0; DISTRIBUTED && queued < task->queue_count; queued++) {
        uint32_t place = (task->queue_first + queued) % config->queue_limit;
        latest = job_nominal_release(task, latest, config->queue[place]);
        finish_job(task, latest, time);
    }
}

void record_finish(takt_time time) {
    ((struct takt_record_header *)takt_record)->end = arch_ticks();
    if (RIGHTS) {
        rights_finish(time_to_ticks(time));
    }
    for (uint32_t i = 0; i < takt_task_count; i++) {
        struct task *task = takt_tasks[i];
        struct takt_record_task *record = record_of(task);
        if (DISTRIBUTED) { /* else counted there */
            record->refused = task->refused;
        }
        record->stack_used = stack_used(task);
        /* At the moment when the end began, which itself takes longer than many deadlines. */
        finish_task(task, time);
    }
}
