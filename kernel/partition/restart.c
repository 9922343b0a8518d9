/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/restart.h"

#include <takt/partition.h>

#include "object/buffer.h"
#include "object/message_buffer.h"
#include "object/queuing_port.h"
#include "object/sampling_port.h"
#include "object/semaphore.h"
#include "record/event.h"
#include "remote/request.h"
#include "sched/dispatch.h"
#include "task/job.h"
#include "task/wait_cancel.h"

static struct partition_restart *restart_of(const struct task *task) {
    return &takt_partition_restarts[partition_task(task)->partition - 1];
}

static bool is_of_partition(takt_id id, uint32_t partition) {
    return takt_partition_tasks[id - 1].partition == partition;
}

/* Partitions' tasks do not migrate. */
static uint32_t core_of_task(takt_id id) {
    return takt_task_configs[id - 1].core;
}

/* --- A task. Interrupts disabled, on its core but where it says so -----------------------------
 */

/* Sets whether the task may have jobs, and forgets what activations have left, also a request that
 * has been posted. Any core. */
static void set_state(struct task *task, enum partition_task_state state, bool active) {
    lock_acquire(&task->lock);
    takt_partition_states[task->id - 1] = state;
    bool posted = task->requests & REQUEST_START;
    task->requests &= (uint8_t)~REQUEST_START;
    uint32_t queued = task->queue_count;
    task->queue_first = task->queue_count = 0;
    task->next_core = 0;
    task->wakeups = 0;
    task->active = active;
    lock_release(&task->lock);
    if (posted) {
        event_hold_back(core_here(), task->id, 0);
    }
    if (queued > 0) {
        event_unqueue(core_here(), task->id, queued);
    }
}

void restart_stop_task(struct task *task) {
    timer_stop(&task->context.core->timers, &task->release_timer);
    set_state(task, PARTITION_TASK_STOPPED, false);
    if (job_none(task)) {
        return;
    }
    enum takt_record_ended wait = TAKT_ENDED_AWAKE;
    if (task->state == TASK_WAITING) {
        wait = wait_drop(task) ? TAKT_ENDED_WAITING : TAKT_ENDED_WOKEN;
    }
    job_abort(task, wait);
}

/* Lets the task have jobs. An activation that is held, or on its way here, begins now. */
static void start_task(struct task *task) {
    lock_acquire(&task->lock);
    takt_partition_states[task->id - 1] = PARTITION_TASK_RUNS;
    bool posted = task->requests & REQUEST_START;
    task->requests &= (uint8_t)~REQUEST_START;
    bool active = task->active;
    lock_release(&task->lock);
    if (posted) {
        event_hold_back(core_here(), task->id, 0);
    }
    job_start_again(task, active);
}

/* --- The worker --------------------------------------------------------------------------------
 */

static void work(void);

static void make_worker(struct task *task, struct partition_restart *restart) {
    __atomic_store_n(&restart->worker, task->id, __ATOMIC_RELAXED);
    job_begin_work(task, partition_task(task)->ceiling, work);
}

void restart_request(struct task *task, enum takt_reaction action) {
    struct partition_restart *restart = restart_of(task);
    restart_stop_task(task);
    lock_acquire(&restart->lock);
    bool begins = !restart->under_way;
    restart->under_way = true;
    restart->wanted = action > restart->wanted ? action : restart->wanted;
    lock_release(&restart->lock);
    if (begins) {
        restart->origin = task->context.core->index;
        restart->starts = false;
        restart->since = arch_ticks();
        make_worker(task, restart);
    }
}

void restart_receive(struct task *task) {
    struct partition_restart *restart = restart_of(task);
    if (!restart->starts) {
        restart_stop_task(task);
    }
    make_worker(task, restart);
}

/* Ends the work of the running task. Interrupts disabled. */
static _Noreturn void restart_leave(struct task *self, bool starts) {
    execution_account(self->context.core, arch_ticks());
    job_end_work(self);
    if (starts) {
        start_task(self);
    }
    dispatch_away();
}

/* Makes a task of another core the worker. */
static _Noreturn void restart_hand_over(struct task *self, struct task *next) {
    arch_interrupts_disable();
    bool starts = restart_of(self)->starts;
    __atomic_store_n(&restart_of(self)->worker, TAKT_ID_NONE, __ATOMIC_RELAXED);
    lock_acquire(&next->lock);
    request_post_stop(next); /* from here on the fields of the worker are that task's */
    restart_leave(self, starts);
}

/* Stops or starts the other tasks of this core, one in each section. */
static void round_here(struct task *self, bool starts) {
    uint32_t partition = partition_task(self)->partition, here = self->context.core->index;
    for (takt_id id = 1; id <= takt_task_count; id++) {
        struct task *task = takt_tasks[id - 1];
        if (task == self || core_of_task(id) != here || !is_of_partition(id, partition)) {
            continue;
        }
        unsigned long interrupts = arch_interrupts_disable();
        (starts ? start_task : restart_stop_task)(task);
        arch_interrupts_restore(interrupts);
    }
}

/* Returns the first of the partition's tasks of the next core that has any: of this one, if it is
 * the only one. */
static struct task *first_of_next_core(const struct task *self) {
    uint32_t partition = partition_task(self)->partition, here = self->context.core->index;
    uint32_t nearest = UINT32_MAX;
    takt_id found = self->id;
    for (takt_id id = 1; id <= takt_task_count; id++) {
        uint32_t distance = (core_of_task(id) + takt_core_count - here - 1) % takt_core_count;
        if (is_of_partition(id, partition) && distance < nearest) {
            nearest = distance;
            found = id;
        }
    }
    return takt_tasks[found - 1];
}

/* --- What is renewed between the rounds. Nobody of the partition has a job but the worker -------
 */

#if RESTARTS

static bool bit_is_set(const uint64_t *bits, takt_id id) {
    return bits[(id - 1) / 64] >> (id - 1) % 64 & 1;
}

/* Returns whether the writer and all readers are the partition's. */
static bool is_inside(const struct takt_buffer_config *buffer, uint32_t partition) {
    bool inside = is_of_partition(buffer->writer, partition);
    for (uint32_t reader = 0; reader < buffer->reader_count; reader++) {
        inside &= is_of_partition(buffer->readers[reader], partition);
    }
    return inside;
}

/* Gives the variables their initial values, and the buffers that nobody else reads. */
static void renew_memory(const struct takt_partition_config *config, uint32_t partition) {
    partition_renew(config);
    for (takt_id id = 1; id <= takt_buffer_count; id++) {
        if (bit_is_set(config->buffers, id) && is_inside(&takt_buffer_configs[id - 1], partition)) {
            buffer_clear(id);
        }
    }
}

/* Empties sampling ports that the partition writes, and queuing ports that it reads. */
static void renew_ports(const struct takt_partition_config *config, uint32_t partition) {
#if PORTS
    for (takt_id id = 1; id <= takt_sampling_port_count; id++) {
        takt_id source = takt_sampling_port_configs[id - 1].buffer.writer;
        if (bit_is_set(config->sampling_ports, id) && is_of_partition(source, partition)) {
            sampling_port_empty(id);
        }
    }
    for (takt_id id = 1; id <= takt_queuing_port_count; id++) {
        takt_id destination = takt_queuing_port_configs[id - 1].destination;
        if (bit_is_set(config->queuing_ports, id) && is_of_partition(destination, partition)) {
            message_buffer_empty(takt_queuing_port_configs[id - 1].message_buffer);
        }
    }
#else
    (void)config;
    (void)partition;
#endif
}

/* Holds the partition's tasks, one in each section, and activates those that are at the start of
 * the system. */
static void hold_tasks(uint32_t partition) {
    for (takt_id id = 1; id <= takt_task_count; id++) {
        if (is_of_partition(id, partition)) {
            const struct takt_task_config *config = &takt_task_configs[id - 1];
            unsigned long interrupts = arch_interrupts_disable();
            set_state(takt_tasks[id - 1], PARTITION_TASK_HELD,
                      config->start && config->activation != TAKT_PERIODIC);
            arch_interrupts_restore(interrupts);
        }
    }
}

static void note_restart(const struct task *self, bool cold) {
    uint32_t index = partition_task(self)->partition - 1;
    takt_partition_restarts[index].start = cold ? TAKT_START_COLD : TAKT_START_WARM;
    takt_partition_restarts[index].count++;
    *(cold ? &takt_record_partitions[index].cold : &takt_record_partitions[index].warm) += 1;
    takt_record_partitions[index].latest = arch_ticks();
    unsigned long interrupts = arch_interrupts_disable();
    event_restart(core_here(), self->id, cold);
    arch_interrupts_restore(interrupts);
}

static void renew(const struct task *self, bool cold) {
    uint32_t partition = partition_task(self)->partition;
    const struct takt_partition_config *config = partition_of(partition_task(self));
    if (cold) {
        renew_memory(config, partition);
    }
    for (takt_id id = 1; id <= takt_semaphore_count; id++) {
        if (bit_is_set(config->semaphores, id)) {
            semaphore_renew(id);
        }
    }
    renew_ports(config, partition);
    note_restart(self, cold);
    hold_tasks(partition);
}

static bool task_restarts_left(const struct task *self) {
    return restart_of(self)->count < partition_of(partition_task(self))->restarts;
}

#endif

/* Takes what is wanted and does it; returns whether the partition starts again. */
static bool carry_out(struct task *self) {
    struct partition_restart *restart = restart_of(self);
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&restart->lock);
    uint8_t action = restart->wanted;
    restart->wanted = 0;
    lock_release(&restart->lock);
    arch_interrupts_restore(interrupts);
#if RESTARTS
    if (action != TAKT_STOP_PARTITION && task_restarts_left(self)) {
        renew(self, action == TAKT_RESTART_COLD);
        return true;
    }
#endif
    (void)action;
    return false;
}

static void note_end(const struct task *self, bool starts) {
    struct takt_record_partition *record =
        &takt_record_partitions[partition_task(self)->partition - 1];
    uint64_t now = arch_ticks(), ticks = now - restart_of(self)->since;
    if (!starts) {
        record->stopped = 1;
        record->latest = now;
    }
    record->longest_ticks = ticks > record->longest_ticks ? ticks : record->longest_ticks;
}

/* Ends the work, unless another stop or restart has been asked for meanwhile: then the task, which
 * is stopped like the others, goes on with that. */
static void restart_end(struct task *self, bool starts) {
    struct partition_restart *restart = restart_of(self);
    unsigned long interrupts = arch_interrupts_disable();
    note_end(self, starts);
    lock_acquire(&restart->lock);
    bool again = restart->wanted != 0;
    restart->under_way = again;
    if (!again) {
        __atomic_store_n(&restart->worker, TAKT_ID_NONE, __ATOMIC_RELAXED);
    }
    lock_release(&restart->lock);
    if (!again) {
        restart_leave(self, starts);
    }
    set_state(self, PARTITION_TASK_STOPPED, false);
    restart->since = arch_ticks();
    arch_interrupts_restore(interrupts);
}

/* The worker's code, in place of a job's. */
static void work(void) {
    struct task *self = task_self();
    struct partition_restart *restart = restart_of(self);
    arch_interrupts_enable();
    for (;;) {
        round_here(self, restart->starts);
        struct task *next = first_of_next_core(self);
        if (core_of_task(next->id) != restart->origin) {
            restart_hand_over(self, next);
        }
        bool starts = !restart->starts && carry_out(self);
        if (!starts) {
            restart_end(self, restart->starts);
        }
        restart->starts = starts;
        restart->origin = self->context.core->index;
    }
}
