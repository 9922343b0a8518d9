/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs: when they are released, how they start and end, and what is measured of them. */
#include "task/job.h"

#include "core.h"
#include "object/class.h"
#include "object/mutex_inherit.h"
#include "object/raise.h"
#include "object/served.h"
#include "partition/partition.h"
#include "record/event.h"
#include "remote/migrate.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/rights.h"
#include "task/watch.h"
#include "time/time.h"

/* The first code of every job, on an empty stack, interrupts disabled. */
static void job_main(void) {
    const struct takt_task_config *config = task_self()->config;
    const struct takt_partition_task *own = partition_task(task_self());
    if (own != 0) {
        partition_job_begin(own, config);
    }
    arch_interrupts_enable();
    config->entry(config->argument);
    takt_task_exit();
}

static void make_ready(struct task *task, takt_time release) {
    const struct takt_task_config *config = task->config;
    struct core *core = task->context.core;
    task->release = release;
    task->latest_release = release;
    task->execution = 0;
    if (RIGHTS) {
        task->job++;
        task->execution_margin = 0;
    }
    if (SUSPENSIONS) {
        task->suspensions = 0;
        task->suspended_ticks = 0;
    }
    task->state = TASK_READY;
    task->suspended = false;
    context_prepare(&task->context, job_main, (uintptr_t)config->stack_top, (uintptr_t)(task + 1));
    ready_insert(ready_queue_of(core, task), task);
    event_release(core, task->id, (uint32_t)release);
#if RAISES
    mutex_raise(task);
#endif
    watch_begin(task);
}

takt_time job_nominal_release(const struct task *task, takt_time latest, takt_time activation) {
    const struct takt_task_config *config = task->config;
    if (config->activation != TAKT_SPORADIC || latest < 0) {
        return activation;
    }
    takt_time earliest = time_add(latest, config->period);
    return activation < earliest ? earliest : activation;
}

/* Notes that the activation came `delay` too early. */
static void note_held_back(struct task *task, takt_time delay) {
    struct takt_record_task *record = record_of(task);
    record->held_back++;
    if ((uint64_t)delay > record->held_back_max) {
        record->held_back_max = (uint64_t)delay;
    }
    event_hold_back(task->context.core, task->id,
                    delay > UINT32_MAX ? UINT32_MAX : (uint32_t)delay);
}

/* Returns whether the task may have no job now, as its partition stops or starts: then the
 * activation is held, or that of a task that has been stopped is taken back. */
static bool hold_stopped(struct task *task) {
    if (!PARTITIONS) {
        return false;
    }
    lock_acquire(&task->lock);
    bool runs = partition_runs(task);
    task->active = task->active && !partition_stopped(task);
    lock_release(&task->lock);
    if (!runs) {
        event_hold_back(task->context.core, task->id, 0);
    }
    return !runs;
}

void job_begin(struct task *task, takt_time release, struct core *on) {
    if (hold_stopped(task)) {
        return;
    }
    task->destination = on != 0 ? on : task->destination;
    if (migration_pending(task)) {
        task->begins = true;
        task->begin_release = release;
        migration_request(task);
        return;
    }
    takt_time nominal = job_nominal_release(task, task->latest_release, release);
    if (nominal > release) {
        note_held_back(task, nominal - release);
        if (nominal > takt_time_now()) {
            timer_start(&task->context.core->timers, &task->release_timer, nominal);
            return;
        }
    }
    make_ready(task, nominal);
}

takt_error job_request(struct task *task, takt_time release, struct core *on) {
    MARK(job_request);
    const struct takt_task_config *config = task->config;
    unsigned long interrupts = arch_interrupts_disable();
    takt_error result = TAKT_OK;

    lock_acquire(&task->lock);
    if (partition_stopped(task)) {
        lock_release(&task->lock);
        result = TAKT_E_OBJ;
    } else if (!task->active) {
        task->active = true;
        task->wakeups = 0;
        if (task_is_here(task)) {
            lock_release(&task->lock);
            job_begin(task, release, on);
            dispatch();
        } else {
            task->start_release = release;
            task->start_core = on;
            request_post_and_release(task, REQUEST_START);
        }
    } else {
        if (task->queue_count < config->queue_limit) {
            uint32_t place = task->queue_first + task->queue_count++;
            config->queue[place < config->queue_limit ? place : place - config->queue_limit] =
                release;
            task->next_core = on != 0 ? on : task->next_core;
        } else {
            task->refused += config->activation != TAKT_PERIODIC;
            result = TAKT_E_QOVR;
        }
        lock_release(&task->lock);
        if (result == TAKT_OK) {
            event_queue(core_here(), task->id);
        }
    }
    arch_interrupts_restore(interrupts);
    return result;
}

void job_begin_requested(struct task *task) {
    lock_acquire(&task->lock);
    bool starts = task->requests & REQUEST_START;
    takt_time release = task->start_release;
    struct core *on = task->start_core;
    task->requests &= (uint8_t)~REQUEST_START;
    lock_release(&task->lock);
    if (starts) {
        job_begin(task, release, on);
    }
}

/* Takes the next release from the queue; false, and the task inactive, when it is empty. */
static bool take_queued(struct task *task, takt_time *release, struct core **on) {
    lock_acquire(&task->lock);
    bool found = task->queue_count > 0;
    if (found) {
        *release = task->config->queue[task->queue_first];
        task->queue_first =
            task->queue_first + 1 < task->config->queue_limit ? task->queue_first + 1 : 0;
        task->queue_count--;
    } else {
        task->active = false;
    }
    *on = task->next_core;
    task->next_core = 0;
    task->wakeups = 0;
    task->requests &= (uint8_t)~REQUEST_RELEASE; /* it was meant for the job that has ended */
    lock_release(&task->lock);
    return found;
}

/* Takes the task out of the ready queue. One that runs may be suspended, too: it has disabled
 * dispatch.
 */
static void leave_ready(struct task *task) {
    if (task->state == TASK_READY && !task->suspended) {
        ready_remove(ready_queue_of(task->context.core, task), task);
    }
}

/* Ends the job, and begins the next one if there is one. */
static void begin_next(struct task *task) {
    takt_time release;
    struct core *on;
    task->state = TASK_DORMANT;
    task->termination_disabled = task->termination_requested = false;
    task->priority = task->base_priority = task->config->priority; /* from its activation on */
    watch_end(task);
    if (take_queued(task, &release, &on)) {
        event_unqueue(task->context.core, task->id, 1);
        job_begin(task, release, on);
    } else if (MIGRATES && task->destination != 0) {
        migration_request(task);
    }
}

/* Gives back what the job holds. */
static void give_back(struct task *task) {
    if (task->serves != 0) {
        served_carry_on(task->serves, task->context.core);
        task->serves = 0;
    }
    class_give_back_all(task);
    raise_end(task);
    if (HOLDS && task->held_objects != 0) {
        holds_keep(task);
    }
}

void job_complete(struct task *task) {
    MARK(job_complete);
    struct core *core = task->context.core;
    give_back(task);
    uint64_t ticks = arch_ticks();
    task->execution += ticks - core->running_since;
    core->running_since = ticks;
    watch_complete(task);
    record_job(core, task, (takt_time)time_from_ticks(ticks - time_epoch));

    leave_ready(task);
    begin_next(task);
}

void job_abort(struct task *task, enum takt_record_ended wait) {
    struct core *core = task->context.core;
    class_note_lost(task, wait == TAKT_ENDED_WAITING);
    give_back(task);
    if (SUSPENSIONS && task->suspends) {
        task->wait_woken = (uint32_t)arch_ticks();
        suspension_end(task);
    }
    leave_ready(task);
    if (core->running == task) {
        core->running = core->idle; /* what is left of it is forgotten, and its time accounted */
    }
    record_abort(core, task, wait, takt_time_now());
    begin_next(task);
}

/* The release timer of a periodic task: asks for the job and waits for the next release, which
 * is exact, as periods are whole nanoseconds. */
static void periodic_release(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, release_timer));
    struct core *core = task->context.core;
    takt_time release = timer->time;
    timer_start(&core->timers, timer, time_add(release, task->config->period));
    if (job_request(task, release, 0) != TAKT_OK) {
        record_of(task)->losses++;
        event_loss(core, task->id);
    }
}

/* The release timer of other tasks: what was held back, or activated at the epoch. */
static void late_release(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, release_timer));
    make_ready(task, timer->time);
}

void job_init(struct task *task) {
    const struct takt_task_config *config = task->config;
    struct core *core = task->context.core;
    task->latest_release = -1;
    task->priority = task->base_priority = config->priority;
#if REGULATED
    if (takt_core_released[core->index] == 0) {
        task->release_timer.expire = late_release;
        return;
    }
#endif
    if (config->activation == TAKT_PERIODIC) {
        task->release_timer.expire = periodic_release;
        timer_start(&core->timers, &task->release_timer, config->offset);
        return;
    }
    task->release_timer.expire = late_release;
    if (config->start) {
        task->active = true;
        timer_start(&core->timers, &task->release_timer, 0);
    }
}

#if PARTITIONS

void job_begin_work(struct task *task, uint8_t priority, void (*work)(void)) {
    task->priority = task->base_priority = priority;
    make_ready(task, takt_time_now());
    context_prepare(&task->context, work, (uintptr_t)task->config->stack_top,
                    (uintptr_t)(task + 1));
    task->latest_release = -1;
    task->budget = 0;
    event_priority(task->context.core, task->id, 0, false, false, priority);
}

void job_end_work(struct task *task) {
    struct core *core = task->context.core;
    leave_ready(task);
    core->running = core->idle;
    event_terminate(core, task->id, task->leave_turn, TAKT_ENDED_AWAKE);
    task->state = TASK_DORMANT;
    task->priority = task->base_priority = task->config->priority;
    watch_end(task);
}

/* Returns the first release of a periodic task after now. */
static takt_time next_release(const struct takt_task_config *config) {
    takt_time since = takt_time_now() - config->offset;
    return since < 0 ? config->offset
                     : time_add(config->offset, (since / config->period + 1) * config->period);
}

void job_start_again(struct task *task, bool active) {
    struct timers *timers = &task->context.core->timers;
#if REGULATED
    if (takt_core_released[task->context.core->index] == 0) {
        return;
    }
#endif
    if (task->config->activation == TAKT_PERIODIC) {
        timer_start(timers, &task->release_timer, next_release(task->config));
    } else if (active) {
        timer_start(timers, &task->release_timer, takt_time_now());
    }
}

#endif
