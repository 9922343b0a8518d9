/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the record. Its layout is record_schema.h, made from the host's table. */
#ifndef KERNEL_RECORD_H
#define KERNEL_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/types.h>

#include "kernel_choice.h"
#include "place.h"
#include "record/record_schema.h"

struct core;
struct task;

/* The block that the host finds by this name; of `takt_record_size` bytes (configurator). */
extern uint8_t takt_record[] __attribute__((aligned(4096)));
extern const uint64_t takt_record_size;

/* Fills the header; the boot core, once. Returns false if the record is larger than its memory. */
bool record_init(void);

struct takt_record_task *record_of(const struct task *task);
struct takt_record_interrupt *record_of_interrupt(takt_id id);
/* Limits are numbered from 1; see rights.h. */
struct takt_record_limit *record_of_limit(uint32_t limit);
/* Returns where a core's part lies; the core's block has it. */
struct takt_record_core *record_of_core(uint32_t index);

struct takt_record_event *record_event_add(struct core *core, enum takt_record_event_kind kind,
                                           takt_id task, uint32_t value);

/* Adds an event to this core's ring, over the oldest; returns where, null if there is no ring,
 * which costs nothing. Interrupts disabled. */
static inline struct takt_record_event *
record_event(struct core *core, enum takt_record_event_kind kind, takt_id task, uint32_t value) {
    return EVENTS ? record_event_add(core, kind, task, value) : 0;
}

/* The figures of a job that completes at `now`. Interrupts disabled. */
void record_job(struct core *core, struct task *task, takt_time now);

/* A job that was ended at `now`. Interrupts disabled. */
void record_abort(struct core *core, struct task *task, enum takt_record_ended wait, takt_time now);

/* Counts a call of a service that is answered with this error of the running code, and returns the
 * error. Bound: TAKT_RECORD_REFUSALS. */
RARE takt_error record_refusal(takt_error error, const char *service);

/* Counts what a service returns to a caller that must not call it, or not so, and returns it:
 * docs/design/record.md says which errors are counted. An outcome that a correct program expects is
 * returned as it is. */
#define refused(error) record_refusal(error, __func__)

/* Shows the host that the system is alive at `ticks`; on the console core. */
void record_sign_of_life(const struct core *core, uint64_t ticks);

/* Notes the execution of a job that has ended, however, or stands unfinished at the end, if it is
 * the longest; returns it, nanoseconds. */
uint64_t record_execution(const struct task *task);

/* The very last: what the host waits for. `message` may be null. */
void record_outcome(enum takt_record_outcome outcome, uint32_t code, const char *message);

#endif
