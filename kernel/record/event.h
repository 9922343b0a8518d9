/* SPDX-License-Identifier: Apache-2.0 */
/* A function for each kind of event, which adds it to the core's ring and returns its entry: null
 * if there is no ring, which costs nothing. `task`: the ID of the task that the event is about, or
 * TAKT_ID_NONE. Interrupts are disabled.
 *
 * Made from the table in host/record/src/event.rs by `cargo run -p takt-record --example generate`:
 * change that, not this file. */
#ifndef KERNEL_EVENT_H
#define KERNEL_EVENT_H

#include "record/record.h"

/* clang-format off */

/* A job is ready. `nominal`: low half of the nominal release in ns. */
static inline struct takt_record_event *event_release(struct core *core, takt_id task, uint32_t nominal) {
    return record_event(core, TAKT_EVENT_RELEASE, task, nominal);
}

/* The task runs from here; none: the core idles. */
static inline struct takt_record_event *event_dispatch(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_DISPATCH, task, 0);
}

/* The task is ready but another runs. */
static inline struct takt_record_event *event_preempt(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_PREEMPT, task, 0);
}

/* The task waits. `class`: takt_record_object; `turn`: in which it joined the queue; `id`: of the object. */
static inline struct takt_record_event *event_wait(struct core *core, takt_id task, enum takt_record_object class, uint8_t turn, uint32_t id) {
    return record_event(core, TAKT_EVENT_WAIT, task, (uint32_t)class << 24 | (uint32_t)turn << 16 | id);
}

/* The task is ready again. `turn`: in which it left the object's queue; `result`: of the wait, without its sign. */
static inline struct takt_record_event *event_wake(struct core *core, takt_id task, uint8_t turn, uint8_t result) {
    return record_event(core, TAKT_EVENT_WAKE, task, (uint32_t)turn << 16 | (uint32_t)result);
}

/* The job is done. `response`: response in ns, at most 2^32 - 1. */
static inline struct takt_record_event *event_complete(struct core *core, takt_id task, uint32_t response) {
    return record_event(core, TAKT_EVENT_COMPLETE, task, response);
}

/* The job ended after its deadline. */
static inline struct takt_record_event *event_miss(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_MISS, task, 0);
}

/* A release found the queue full. */
static inline struct takt_record_event *event_loss(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_LOSS, task, 0);
}

/* A sporadic activation came too early. `early`: by how many ns, at most 2^32 - 1. */
static inline struct takt_record_event *event_hold_back(struct core *core, takt_id task, uint32_t early) {
    return record_event(core, TAKT_EVENT_HOLD_BACK, task, early);
}

/* Timer interrupt. */
static inline struct takt_record_event *event_timer(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_TIMER, task, 0);
}

/* Inter-processor interrupt. */
static inline struct takt_record_event *event_ipi(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_IPI, task, 0);
}

/* The interrupt is over, and the interrupted task (0: the idle loop) goes on. `routine`: ID of the interrupt whose service routine goes on, 0: none. */
static inline struct takt_record_event *event_resume(struct core *core, takt_id task, uint32_t routine) {
    return record_event(core, TAKT_EVENT_RESUME, task, routine);
}

/* Another core is requested to start the task or to wake it. `request`: 1 to start, 2 to wake. */
static inline struct takt_record_event *event_post(struct core *core, takt_id task, uint32_t request) {
    return record_event(core, TAKT_EVENT_POST, task, request);
}

/* The core waits for a lock of the kernel. `ticks`: ticks, at least 1; 0: it still waits. */
static inline struct takt_record_event *event_lock_wait(struct core *core, takt_id task, uint32_t ticks) {
    return record_event(core, TAKT_EVENT_LOCK_WAIT, task, ticks);
}

/* The task is suspended, whatever its state. */
static inline struct takt_record_event *event_suspend(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_SUSPEND, task, 0);
}

/* The task is no longer suspended. */
static inline struct takt_record_event *event_unsuspend(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_UNSUSPEND, task, 0);
}

/* The task's priority, or its place among tasks of its priority, has changed. `turn`: if it moved: in which it joined the queue again; it left in the turn before; `first`: whether it is now the first of its priority; `moved`: whether it moved in an object's queue; `priority`: the new priority. */
static inline struct takt_record_event *event_priority(struct core *core, takt_id task, uint8_t turn, bool first, bool moved, uint8_t priority) {
    return record_event(core, TAKT_EVENT_PRIORITY, task, (uint32_t)turn << 16 | (uint32_t)first << 9 | (uint32_t)moved << 8 | (uint32_t)priority);
}

/* The task's job was ended before it completed. `turn`: in which it left the object's queue; `ended`: takt_record_ended. */
static inline struct takt_record_event *event_terminate(struct core *core, takt_id task, uint8_t turn, enum takt_record_ended ended) {
    return record_event(core, TAKT_EVENT_TERMINATE, task, (uint32_t)turn << 16 | (uint32_t)ended);
}

/* A handler of the application begins. `kind`: takt_record_handler; `id`: of the handler, or of the task that it belongs to. */
static inline struct takt_record_event *event_handler(struct core *core, takt_id task, enum takt_record_handler kind, uint32_t id) {
    return record_event(core, TAKT_EVENT_HANDLER, task, (uint32_t)kind << 24 | id);
}

/* A handler of the application has returned. `kind`: takt_record_handler; `id`: of the handler, or of the task that it belongs to. */
static inline struct takt_record_event *event_handler_end(struct core *core, takt_id task, enum takt_record_handler kind, uint32_t id) {
    return record_event(core, TAKT_EVENT_HANDLER_END, task, (uint32_t)kind << 24 | id);
}

/* The job has executed longer than its budget. `ended`: whether the job is ended because of it. */
static inline struct takt_record_event *event_overrun(struct core *core, takt_id task, bool ended) {
    return record_event(core, TAKT_EVENT_OVERRUN, task, (uint32_t)ended);
}

/* The deadline has passed, the job has not ended, and its handler is called. */
static inline struct takt_record_event *event_deadline(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_DEADLINE, task, 0);
}

/* The task has locked a mutex. `id`: ID of the mutex. */
static inline struct takt_record_event *event_mutex_lock(struct core *core, takt_id task, uint32_t id) {
    return record_event(core, TAKT_EVENT_MUTEX_LOCK, task, id);
}

/* The task has unlocked a mutex. `id`: ID of the mutex. */
static inline struct takt_record_event *event_mutex_unlock(struct core *core, takt_id task, uint32_t id) {
    return record_event(core, TAKT_EVENT_MUTEX_UNLOCK, task, id);
}

/* The task has disabled dispatch: it runs on, whatever becomes ready. */
static inline struct takt_record_event *event_dispatch_disable(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_DISPATCH_DISABLE, task, 0);
}

/* The task has enabled dispatch. */
static inline struct takt_record_event *event_dispatch_enable(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_DISPATCH_ENABLE, task, 0);
}

/* The task (0: a handler) has taken from an object without waiting. `class`: takt_record_object; `turn`: of the change; `id`: of the object. */
static inline struct takt_record_event *event_take(struct core *core, takt_id task, enum takt_record_object class, uint8_t turn, uint32_t id) {
    return record_event(core, TAKT_EVENT_TAKE, task, (uint32_t)class << 24 | (uint32_t)turn << 16 | id);
}

/* The task (0: a handler) has given to an object for which no task waited. `class`: takt_record_object; `turn`: of the change; `id`: of the object. */
static inline struct takt_record_event *event_give(struct core *core, takt_id task, enum takt_record_object class, uint8_t turn, uint32_t id) {
    return record_event(core, TAKT_EVENT_GIVE, task, (uint32_t)class << 24 | (uint32_t)turn << 16 | id);
}

/* An activation of the task is queued until its job ends. */
static inline struct takt_record_event *event_queue(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_QUEUE, task, 0);
}

/* Activations of the task have left its queue. `count`: the number of activations. */
static inline struct takt_record_event *event_unqueue(struct core *core, takt_id task, uint32_t count) {
    return record_event(core, TAKT_EVENT_UNQUEUE, task, count);
}

/* The service routine of a device's interrupt begins. `id`: ID of the interrupt. */
static inline struct takt_record_event *event_interrupt(struct core *core, takt_id task, uint32_t id) {
    return record_event(core, TAKT_EVENT_INTERRUPT, task, id);
}

/* The service routine of a device's interrupt has returned. `id`: ID of the interrupt. */
static inline struct takt_record_event *event_interrupt_end(struct core *core, takt_id task, uint32_t id) {
    return record_event(core, TAKT_EVENT_INTERRUPT_END, task, id);
}

/* The task departs for another core. `to`: number of the other core. */
static inline struct takt_record_event *event_migrate(struct core *core, takt_id task, uint32_t to) {
    return record_event(core, TAKT_EVENT_MIGRATE, task, to);
}

/* The task has arrived at this core, in the state in which it left the other. */
static inline struct takt_record_event *event_arrive(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_ARRIVE, task, 0);
}

/* The core has used up a budget of memory traffic while the task ran, and idles from here unless the task has disabled dispatch. `written`: whether the budget of lines written is spent, and not that of lines read. */
static inline struct takt_record_event *event_throttle(struct core *core, takt_id task, bool written) {
    return record_event(core, TAKT_EVENT_THROTTLE, task, (uint32_t)written);
}

/* A regulation period begins, and the core runs tasks again. */
static inline struct takt_record_event *event_replenish(struct core *core, takt_id task) {
    return record_event(core, TAKT_EVENT_REPLENISH, task, 0);
}

/* The core runs the tasks of another partition from here on. `partition`: 1 + index of the partition whose window opens, 0: none is open. */
static inline struct takt_record_event *event_window(struct core *core, takt_id task, uint32_t partition) {
    return record_event(core, TAKT_EVENT_WINDOW, task, partition);
}

/* The health monitor has seen an error of a partition's task, and acts. `error`: 0 memory_violation, 1 stack_overflow, 2 illegal_request, 3 application_error; `action`: 0 restart_task, 1 stop_task, 2 restart_warm, 3 restart_cold, 4 stop_partition, 5 shutdown. */
static inline struct takt_record_event *event_health(struct core *core, takt_id task, uint32_t error, uint32_t action) {
    return record_event(core, TAKT_EVENT_HEALTH, task, (uint32_t)error << 8 | action);
}

/* The partition of the task has been stopped and starts again: none of its tasks has a job, and its objects are as at first. `cold`: whether its variables have their initial values again. */
static inline struct takt_record_event *event_restart(struct core *core, takt_id task, bool cold) {
    return record_event(core, TAKT_EVENT_RESTART, task, (uint32_t)cold);
}

#endif
