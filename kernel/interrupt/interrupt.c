/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices: the services, and what a core does when it is interrupted. The argument is
 * in docs/design/interrupts.md. */
#include "interrupt/interrupt.h"

#include "object/user_spinlock.h"
#include "record/event.h"
#include "remote/inbox.h"
#include "task/rights.h"
#include "time/time.h"

#define SOURCES 1024 /* of any controller */

static uint16_t by_source[SOURCES]; /* IDs; constant after the boot */

/* --- Moving to another core ------------------------------------------------------------------ */

/* Moves the interrupt on, or lets it arrive; on the core that it is delivered to, or that it was
 * passed on to. Interrupts disabled. */
static RARE void interrupt_answer(struct post *post) {
    struct interrupt *interrupt =
        (struct interrupt *)((char *)post - offsetof(struct interrupt, post));
    struct core *here = core_here();
    lock_acquire(&interrupt->lock);
    uint32_t wanted = interrupt->wanted;
    bool stays = wanted == here->index;
    if (stays) {
        interrupt->linked = false;
    } else if (!interrupt->claimed) {
        interrupt->core = wanted;
    }
    lock_release(&interrupt->lock);
    uint32_t level = interrupt->config->level;
    if (stays) {
        arch_device_arrive(interrupt->source, wanted, level);
    } else if (interrupt->claimed) {
        interrupt->leaves = true;
    } else {
        arch_device_leave(interrupt->source, here->index, wanted, level);
        inbox_push(takt_cores[wanted], post);
    }
}

bool interrupt_register(uint32_t index) {
    struct interrupt *interrupt = takt_interrupts[index];
    uint32_t source = takt_interrupt_sources[index].number;
    interrupt->source = source;
    interrupt->id = index + 1;
    interrupt->config = &takt_interrupt_configs[index];
    interrupt->record = record_of_interrupt(interrupt->id);
    interrupt->core = interrupt->wanted = interrupt->config->core;
    interrupt->post.answer = interrupt_answer;
    interrupt->distance_min = UINT64_MAX;
    bool is_free = source < SOURCES && by_source[source] == 0;
    if (is_free) {
        by_source[source] = (uint16_t)(index + 1);
    }
    return is_free;
}

/* --- Being interrupted ----------------------------------------------------------------------- */

static uint32_t interrupt_level(const struct core *core) {
    return core->serving == 0 ? 0 : takt_interrupt_configs[core->serving - 1].level;
}

/* Adds to the list of what this core has claimed: by level, of equals the first one first. Bound:
 * the interrupts of the core. */
static void note_claimed(struct core *core, struct interrupt *interrupt) {
    struct interrupt **place = &core->claimed;
    while (*place != 0 && (*place)->config->level >= interrupt->config->level) {
        place = &(*place)->claimed_next;
    }
    interrupt->claimed = true;
    interrupt->claimed_next = *place;
    *place = interrupt;
}

/* The next one that may interrupt what goes on here; null: none. */
static struct interrupt *take_claimed(struct core *core) {
    struct interrupt *first = core->claimed;
    if (first == 0 || first->config->level <= interrupt_level(core)) {
        return 0;
    }
    core->claimed = first->claimed_next;
    return first;
}

static void complete(struct core *core, struct interrupt *interrupt) {
    arch_device_complete(core, interrupt->source);
    interrupt->claimed = false;
    if (interrupt->leaves) {
        interrupt->leaves = false;
        interrupt_answer(&interrupt->post);
    }
}

/* Makes the call's figures those of the record that they are above, or below; such calls are few.
 */
static RARE void note_extremes(struct interrupt *interrupt, uint64_t distance, uint64_t execution,
                               uint64_t surely) {
    struct takt_record_interrupt *record = interrupt->record;
    if (record->count > 1 && distance < interrupt->distance_min) {
        interrupt->distance_min = distance;
        record->distance_min = time_from_ticks(distance);
    }
    if (execution > interrupt->execution_max) {
        interrupt->execution_max = execution;
        record->execution_max = time_from_ticks(execution);
    }
    if (surely > interrupt->execution_surely) {
        interrupt->execution_surely = surely;
        record->execution_surely = time_from_ticks(surely);
    }
}

/* Notes a call of the routine that began `distance` ticks after the one before, and executed so
 * many ticks. `margin`: so much of these may be the kernel's. */
static void note_call(struct interrupt *interrupt, uint64_t distance, uint64_t execution,
                      uint64_t margin) {
    uint64_t surely = execution > margin ? execution - margin : 0;
    interrupt->record->count++;
    if (distance < interrupt->distance_min || execution > interrupt->execution_max ||
        surely > interrupt->execution_surely) {
        note_extremes(interrupt, distance, execution, surely);
    }
}

/* Calls the routine of an interrupt that is claimed, and completes it. */
static void interrupt_serve(struct core *core, struct interrupt *interrupt) {
    const struct takt_interrupt_config *config = interrupt->config;
    takt_id before = core->serving, id = interrupt->id;
    uint64_t since = core->nested_since, outer = core->nested_ticks;
    uint64_t outer_margin = core->nested_margin;
    core->serving = id;
    /* No budget is used up now, and a moment that has passed would interrupt for ever. */
    if (BUDGETS) {
        timers_limit(&core->timers, UINT64_MAX);
    }
    arch_device_threshold(core, config->level);
    event_interrupt(core, TAKT_ID_NONE, id);
    core->nested_ticks = 0;
    core->nested_margin = 1; /* of two readings of the clock */
    uint64_t begin = arch_ticks();
    arch_call_interruptible(core, config->entry, config->argument);
    user_spinlock_end(core);
    uint64_t execution = arch_ticks() - begin - core->nested_ticks;
    note_call(interrupt, begin - interrupt->latest, execution, core->nested_margin);
    interrupt->latest = begin;
    event_interrupt_end(core, TAKT_ID_NONE, id);
    if (ROUTINES_NEST) { /* else it has interrupted no routine */
        core->nested_since = since;
        core->nested_ticks = outer;
        core->nested_margin = outer_margin;
    }
    core->serving = ROUTINES_NEST ? before : TAKT_ID_NONE;
    arch_device_threshold(core, interrupt_level(core));
    complete(core, interrupt);
}

void kernel_device(struct core *core) {
    if (takt_interrupt_count == 0) {
        return;
    }
    uint32_t source = arch_device_claim(core);
    takt_id id = source < SOURCES ? by_source[source] : TAKT_ID_NONE;
    if (id == TAKT_ID_NONE) {
        return; /* disabled or claimed meanwhile */
    }
    struct interrupt *interrupt = takt_interrupts[id - 1];
    if (!ROUTINES_NEST) { /* no routine runs here */
        interrupt->claimed = true;
        interrupt_serve(core, interrupt);
        return;
    }
    note_claimed(core, interrupt);
    for (struct interrupt *next; (next = take_claimed(core)) != 0;) {
        interrupt_serve(core, next);
    }
}

/* --- Services --------------------------------------------------------------------------------- */

static bool id_valid(takt_id id) {
    return id - 1 < takt_interrupt_count;
}

takt_error takt_interrupt_enable(takt_id id) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    arch_device_enable(takt_interrupt_sources[id - 1].number, takt_interrupt_configs[id - 1].level);
    return TAKT_OK;
}

takt_error takt_interrupt_disable(takt_id id) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (!control_given(TAKT_CONTROL_INTERRUPT, id)) {
        return refused(TAKT_E_ILUSE);
    }
    arch_device_disable(takt_interrupt_sources[id - 1].number);
    return TAKT_OK;
}

takt_error takt_interrupt_pending(takt_id id, bool *pending) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (pending == 0) {
        return refused(TAKT_E_PAR);
    }
    *pending = arch_device_pending(takt_interrupt_sources[id - 1].number);
    return TAKT_OK;
}

takt_error takt_interrupt_set_core(takt_id id, unsigned core) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (core >= takt_core_count) {
        return refused(TAKT_E_PAR);
    }
    if (cpu_locked() && core_here()->user_spinlock != 0) { /* has the core's place at a lock */
        return refused(TAKT_E_CTX);
    }
    if (!control_given(TAKT_CONTROL_INTERRUPT, id)) {
        return refused(TAKT_E_ILUSE);
    }
    struct interrupt *interrupt = takt_interrupts[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&interrupt->lock);
    interrupt->wanted = core;
    struct core *owner = takt_cores[interrupt->core];
    bool links = !interrupt->linked && interrupt->core != core;
    interrupt->linked |= links;
    lock_release(&interrupt->lock);
    if (links && owner == core_here()) {
        interrupt_answer(&interrupt->post);
    } else if (links) {
        inbox_push(owner, &interrupt->post);
    }
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_interrupt_core(takt_id id, unsigned *core) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (core == 0) {
        return refused(TAKT_E_PAR);
    }
    if (cpu_locked() && core_here()->user_spinlock != 0) {
        return refused(TAKT_E_CTX);
    }
    struct interrupt *interrupt = takt_interrupts[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&interrupt->lock);
    *core = interrupt->core;
    lock_release(&interrupt->lock);
    arch_interrupts_restore(interrupts);
    return TAKT_OK;
}

takt_error takt_interrupt_registers(takt_id id, volatile void **registers) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (registers == 0) {
        return refused(TAKT_E_PAR);
    }
    if (takt_interrupt_sources[id - 1].registers == 0) {
        return refused(TAKT_E_OBJ);
    }
    *registers = takt_interrupt_sources[id - 1].registers;
    return TAKT_OK;
}
