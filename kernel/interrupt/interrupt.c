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

static const struct takt_interrupt_config *config_of(const struct interrupt *interrupt) {
    return &takt_interrupt_configs[interrupt - takt_interrupts];
}

static takt_id id_of(const struct interrupt *interrupt) {
    return (takt_id)(interrupt - takt_interrupts) + 1;
}

/* --- Moving to another core ------------------------------------------------------------------ */

/* Moves the interrupt on, or lets it arrive; on the core that it is delivered to, or that it was
 * passed on to. Interrupts disabled. */
static void answer(struct post *post) {
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
    uint32_t level = config_of(interrupt)->level;
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
    struct interrupt *interrupt = &takt_interrupts[index];
    interrupt->core = interrupt->wanted = takt_interrupt_configs[index].core;
    interrupt->post.answer = answer;
    bool is_free = interrupt->source < SOURCES && by_source[interrupt->source] == 0;
    if (is_free) {
        by_source[interrupt->source] = (uint16_t)(index + 1);
    }
    return is_free;
}

/* --- Being interrupted ----------------------------------------------------------------------- */

static uint32_t level_of(const struct core *core) {
    return core->serving == 0 ? 0 : takt_interrupt_configs[core->serving - 1].level;
}

/* Adds to the list of what this core has claimed: by level, of equals the first one first. Bound:
 * the interrupts of the core. */
static void note_claimed(struct core *core, struct interrupt *interrupt) {
    struct interrupt **place = &core->claimed;
    while (*place != 0 && config_of(*place)->level >= config_of(interrupt)->level) {
        place = &(*place)->claimed_next;
    }
    interrupt->claimed = true;
    interrupt->claimed_next = *place;
    *place = interrupt;
}

/* The next one that may interrupt what goes on here; null: none. */
static struct interrupt *take_claimed(struct core *core) {
    struct interrupt *first = core->claimed;
    if (first == 0 || config_of(first)->level <= level_of(core)) {
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
        answer(&interrupt->post);
    }
}

/* Calls the routine; how many ticks it ran, without what interrupted it. `*margin`: so much of that
 * may be the kernel's. */
static uint64_t call(struct core *core, const struct takt_interrupt_config *config,
                     uint64_t *margin) {
    uint64_t since = core->nested_since, outer = core->nested_ticks, begin = arch_ticks();
    uint64_t outer_margin = core->nested_margin;
    core->nested_ticks = 0;
    core->nested_margin = 1; /* of two readings of the clock */
    arch_call_interruptible(core, config->entry, config->argument);
    user_spinlock_end(core);
    uint64_t execution = arch_ticks() - begin - core->nested_ticks;
    *margin = core->nested_margin;
    core->nested_since = since;
    core->nested_ticks = outer;
    core->nested_margin = outer_margin;
    return execution;
}

static void serve(struct core *core, struct interrupt *interrupt) {
    const struct takt_interrupt_config *config = config_of(interrupt);
    takt_id before = core->serving, id = id_of(interrupt);
    core->serving = id;
    /* No budget is used up now, and a moment that has passed would interrupt for ever. */
    if (BUDGETS) {
        timers_limit(&core->timers, UINT64_MAX);
    }
    arch_device_threshold(core, config->level);
    event_interrupt(core, TAKT_ID_NONE, id);
    uint64_t begin = arch_ticks();
    uint64_t margin, execution = call(core, config, &margin);
    record_interrupt(core, id, begin - interrupt->latest, execution, margin);
    interrupt->latest = begin;
    event_interrupt_end(core, TAKT_ID_NONE, id);
    core->serving = before;
    arch_device_threshold(core, level_of(core));
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
    note_claimed(core, &takt_interrupts[id - 1]);
    for (struct interrupt *next; (next = take_claimed(core)) != 0;) {
        serve(core, next);
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
    arch_device_enable(takt_interrupts[id - 1].source, takt_interrupt_configs[id - 1].level);
    return TAKT_OK;
}

takt_error takt_interrupt_disable(takt_id id) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (!control_given(TAKT_CONTROL_INTERRUPT, id)) {
        return refused(TAKT_E_ILUSE);
    }
    arch_device_disable(takt_interrupts[id - 1].source);
    return TAKT_OK;
}

takt_error takt_interrupt_pending(takt_id id, bool *pending) {
    if (!id_valid(id)) {
        return refused(TAKT_E_ID);
    }
    if (pending == 0) {
        return refused(TAKT_E_PAR);
    }
    *pending = arch_device_pending(takt_interrupts[id - 1].source);
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
    struct interrupt *interrupt = &takt_interrupts[id - 1];
    unsigned long interrupts = arch_interrupts_disable();
    lock_acquire(&interrupt->lock);
    interrupt->wanted = core;
    struct core *owner = takt_cores[interrupt->core];
    bool links = !interrupt->linked && interrupt->core != core;
    interrupt->linked |= links;
    lock_release(&interrupt->lock);
    if (links && owner == core_here()) {
        answer(&interrupt->post);
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
    struct interrupt *interrupt = &takt_interrupts[id - 1];
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
    if (takt_interrupts[id - 1].registers == 0) {
        return refused(TAKT_E_OBJ);
    }
    *registers = takt_interrupts[id - 1].registers;
    return TAKT_OK;
}
