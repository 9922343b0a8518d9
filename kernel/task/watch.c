/* SPDX-License-Identifier: Apache-2.0 */
#include "task/watch.h"

#include "interrupt/handler.h"
#include "record/event.h"
#include "time/time.h"

/* Returns the first nanosecond after the deadline: a job that ends at its deadline has met it. */
static takt_time after_deadline(const struct task *task) {
    return time_add(time_add(task->release, task->config->deadline), 1);
}

static void deadline_passed(struct timer *timer) {
    struct task *task = (struct task *)((char *)timer - offsetof(struct task, deadline_timer));
    struct core *core = task->context.core;
    event_deadline(core, task->id);
    handler_call(core, task->config->deadline_handler, (intptr_t)task->id, TAKT_HANDLER_DEADLINE,
                 task->id, task->config->deadline_limit);
}

/* Returns the ticks of a margin and one more: of two readings of the clock each is less than a tick
 * too early. */
static uint64_t margin_ticks(takt_time margin) {
    return time_duration_to_ticks(margin) + 1;
}

void watch_init_core(struct core *core) {
    core->interruption_margin = margin_ticks(takt_interruption_margin);
    core->dispatch_margin = margin_ticks(takt_dispatch_margin);
}

void watch_init(struct task *task, uint32_t order) {
    task->deadline_timer.order = order;
    task->deadline_timer.expire = deadline_passed;
    if (task->config->budget != 0) {
        /* Rounded up, and one more: the execution is longer for sure, not perhaps. */
        task->allowance = time_duration_to_ticks(task->config->budget) + 1;
    }
}

void watch_begin(struct task *task) {
    task->budget = task->allowance;
    if (task->config->deadline_handler != 0) {
        timer_start(&task->context.core->timers, &task->deadline_timer, after_deadline(task));
    }
}

void watch_end(struct task *task) {
    task->stopping = false;
    if (task->config->deadline_handler != 0) {
        timer_stop(&task->context.core->timers, &task->deadline_timer);
    }
}

bool watch_overruns(struct task *task) {
    if (!BUDGETS || task->budget == 0 || task->execution < task->budget) {
        return false;
    }
    task->budget = 0;
    record_of(task)->overruns++;
    return true;
}

void watch_complete(struct task *task) {
    if (watch_overruns(task)) {
        event_overrun(task->context.core, task->id, false);
    }
}
