/* SPDX-License-Identifier: Apache-2.0 */
#include "record/record.h"

#include <string.h>

#include "atomic.h"
#include "core.h"
#include "record/event.h"
#include "time/time.h"

#define HEADER ((struct takt_record_header *)takt_record)

/* From the begin of a core's part. */
#define RING_OFFSET                                                                                \
    (sizeof(struct takt_record_core) + TAKT_RECORD_REFUSALS * sizeof(struct takt_record_refusal))

static uint32_t aligned(uint64_t size) {
    return (uint32_t)((size + 63) & ~63ull);
}

/* From the record's start. They are computed and not read from the header, whose lines the console
 * core writes as the system runs. */
static uint32_t tasks_offset(void) {
    return aligned(sizeof(struct takt_record_header));
}

static uint32_t interrupts_offset(void) {
    return aligned(tasks_offset() + (uint64_t)takt_task_count * sizeof(struct takt_record_task));
}

static uint32_t limits_offset(void) {
    return aligned(interrupts_offset() +
                   (uint64_t)takt_interrupt_count * sizeof(struct takt_record_interrupt));
}

bool record_init(void) {
    struct takt_record_header *header = HEADER;
    header->version = TAKT_RECORD_VERSION;
    header->header_size = sizeof *header;
    /* The ELF note: three words, the name "GNU", then the ID. */
    memcpy(header->build_id, takt_build_id_note + 16, sizeof header->build_id);
    header->core_count = takt_core_count;
    header->task_count = takt_task_count;
    header->task_size = sizeof(struct takt_record_task);
    header->event_size = sizeof(struct takt_record_event);
    header->event_capacity = takt_event_capacity;
    header->tasks_offset = tasks_offset();
    header->interrupt_count = takt_interrupt_count;
    header->interrupt_size = sizeof(struct takt_record_interrupt);
    header->interrupts_offset = interrupts_offset();
    header->limit_count = takt_limit_count;
    header->limit_size = sizeof(struct takt_record_limit);
    header->limits_offset = limits_offset();
    header->cores_offset = aligned(header->limits_offset +
                                   (uint64_t)takt_limit_count * sizeof(struct takt_record_limit));
    header->refusal_size = sizeof(struct takt_record_refusal);
    header->core_stride =
        aligned(RING_OFFSET + (uint64_t)takt_event_capacity * sizeof(struct takt_record_event));
    header->total_size = header->cores_offset + (uint64_t)takt_core_count * header->core_stride;
    if (header->total_size > takt_record_size) {
        return false;
    }
    /* Release: the header is whole when the host finds the magic. */
    atomic_store_release(&header->magic, TAKT_RECORD_MAGIC);
    return true;
}

struct takt_record_task *record_of(const struct task *task) {
    return (struct takt_record_task *)(takt_record + tasks_offset()) + (task->id - 1);
}

struct takt_record_interrupt *record_of_interrupt(takt_id id) {
    return (struct takt_record_interrupt *)(takt_record + interrupts_offset()) + (id - 1);
}

struct takt_record_limit *record_of_limit(uint32_t limit) {
    return (struct takt_record_limit *)(takt_record + limits_offset()) + (limit - 1);
}

struct takt_record_core *record_of_core(uint32_t index) {
    return (struct takt_record_core *)(takt_record + HEADER->cores_offset +
                                       (size_t)index * HEADER->core_stride);
}

struct takt_record_event *record_event_add(struct core *core, enum takt_record_event_kind kind,
                                           takt_id task, uint32_t value) {
    struct takt_record_core *record = core->record;
    struct takt_record_event *ring = (struct takt_record_event *)((uint8_t *)record + RING_OFFSET);
    struct takt_record_event *event;
    uint64_t index = record->events++;
    record->events_dropped += index >= takt_event_capacity;
    event = &ring[index & (takt_event_capacity - 1)];
    *event = (struct takt_record_event){
        .time = arch_ticks(), .kind = (uint16_t)kind, .task = (uint16_t)task, .value = value};
    return event;
}

static void record_miss(struct core *core, struct task *task, uint64_t response) {
    if (task->config->deadline != 0 && response > (uint64_t)task->config->deadline) {
        record_of(task)->misses++;
        event_miss(core, task->id);
    }
}

uint64_t record_execution(const struct task *task) {
    struct takt_record_task *record = record_of(task);
    uint64_t execution = time_from_ticks(task->execution);
    if (execution > record->execution_max) {
        record->execution_max = execution;
    }
    uint64_t surely = RIGHTS ? time_from_ticks(execution_surely(task, task->execution, 0)) : 0;
    if (surely > record->execution_surely) {
        record->execution_surely = surely;
    }
    return execution;
}

void record_job(struct core *core, struct task *task, takt_time now) {
    struct takt_record_task *record = record_of(task);
    uint64_t response = (uint64_t)(now - task->release);
    if (record->jobs == 0 || response < record->response_min) {
        record->response_min = response;
    }
    if (response > record->response_max) {
        record->response_max = response;
    }
    record->response_sum += response;
    record->execution_sum += record_execution(task);
    record->jobs++;
    event_complete(core, task->id, response > UINT32_MAX ? UINT32_MAX : (uint32_t)response);
    record_miss(core, task, response);
}

void record_abort(struct core *core, struct task *task, enum takt_record_ended wait,
                  takt_time now) {
    event_terminate(core, task->id, task->leave_turn, wait);
    record_execution(task);
    record_miss(core, task, (uint64_t)(now - task->release));
}

/* The entry of such calls, one not written yet, or null: all are of others. */
static struct takt_record_refusal *refusal_entry(struct takt_record_core *record, takt_id task,
                                                 takt_error error, const char *service) {
    struct takt_record_refusal *entries = (struct takt_record_refusal *)(record + 1);
    for (uint32_t i = 0; i < TAKT_RECORD_REFUSALS; i++) {
        struct takt_record_refusal *entry = &entries[i];
        bool is_same = entry->function == (uintptr_t)service && entry->task == task &&
                       entry->error == (uint32_t)-error;
        if (entry->count == 0 || is_same) {
            return entry;
        }
    }
    return 0;
}

takt_error record_refusal(takt_error error, const char *service) {
    unsigned long interrupts = arch_interrupts_disable();
    struct takt_record_core *record = core_here()->record;
    takt_id task = task_self()->id;
    struct takt_record_refusal *entry = refusal_entry(record, task, error, service);
    if (entry == 0) {
        record->refusals_dropped++;
    } else if (entry->count++ == 0) {
        entry->task = task;
        entry->error = (uint32_t)-error;
        entry->function = (uintptr_t)service;
        strncpy((char *)entry->service, service, sizeof entry->service - 1);
    }
    arch_interrupts_restore(interrupts);
    return error;
}

void record_sign_of_life(const struct core *core, uint64_t ticks) {
    if (core->index == takt_console_core) {
        atomic_store_relaxed(&HEADER->now, ticks); /* alone: orders nothing */
    }
}

void record_outcome(enum takt_record_outcome outcome, uint32_t code, const char *message) {
    if (message != 0) {
        strncpy((char *)HEADER->message, message, sizeof HEADER->message - 1);
    }
    HEADER->code = code;
    /* Release: the record is complete when the host sees the outcome. */
    atomic_store_release(&HEADER->outcome, outcome);
}
