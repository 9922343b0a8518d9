/* SPDX-License-Identifier: Apache-2.0 */
#include "bandwidth/regulator.h"

#include "record/event.h"
#include "system.h"
#include "time/time.h"

#if REGULATED

/* No core moves so many lines in a period. */
#define OUT_OF_REACH (1ull << 62)

enum { COUNTERS = 2 };

static uint64_t budget_of(const struct core *core, uint32_t which) {
    return takt_budget_configs[core->index].lines[which];
}

static bool regulated(const struct core *core) {
    return takt_regulation_holds != 0 && budget_of(core, 0) != 0;
}

/* Returns the lines of this period so far, with the debt of those before. */
static uint64_t use_of(const struct bandwidth *bandwidth, uint32_t which) {
    return arch_bandwidth_count(which) - bandwidth->base;
}

static void throttle(struct core *core, bool throttles) {
    struct regulator *regulator = &core->regulator;
    uint64_t now = arch_ticks();
    if (throttles && !regulator->throttled) {
        regulator->throttled_since = now;
        takt_record_regulation[core->index].exhausted++;
        event_throttle(core, core->running->id, !regulator->bandwidths[0].spent);
    } else if (!throttles && regulator->throttled) {
        takt_record_regulation[core->index].throttled_ticks += now - regulator->throttled_since;
        event_replenish(core, TAKT_ID_NONE);
    }
    regulator->throttled = throttles;
}

/* Arms both counters for what is left of their budgets, and throttles the core if nothing is left
 * of one. Both, as one that wraps while the other is armed would stay disarmed. */
static void regulator_arm(struct core *core) {
    bool throttles = false;
    arch_bandwidth_stop();
    for (uint32_t which = 0; which < COUNTERS; which++) {
        struct bandwidth *bandwidth = &core->regulator.bandwidths[which];
        uint64_t use = use_of(bandwidth, which), budget = budget_of(core, which);
        bandwidth->spent = use >= budget;
        uint64_t lines = bandwidth->spent ? OUT_OF_REACH : budget - use;
        bandwidth->base = -lines - use; /* the count is -lines when the counter starts */
        throttles |= bandwidth->spent;
        arch_bandwidth_arm(which, lines);
    }
    throttle(core, throttles);
}

void regulator_overflow(struct core *core) {
    MARK(regulator_overflow);
    regulator_arm(core);
    const struct bandwidth *bandwidths = core->regulator.bandwidths;
    takt_record_regulation[core->index].early += !bandwidths[0].spent && !bandwidths[1].spent;
}

static void raise(uint64_t *most, uint64_t value) {
    *most = value > *most ? value : *most;
}

/* Begins a period of one counter. One that is not spent stays armed for a count at or before the
 * end of its new budget: so it interrupts too early, at most once a period, and costs nothing if
 * the core uses little. */
static void replenish(struct core *core, uint32_t which) {
    struct takt_record_regulation *record = &takt_record_regulation[core->index];
    struct bandwidth *bandwidth = &core->regulator.bandwidths[which];
    uint64_t use = use_of(bandwidth, which), budget = budget_of(core, which);
    raise(&record->lines_max[which], use - bandwidth->debt);
    bandwidth->debt = use > budget ? use - budget : 0;
    raise(&record->overdrawn_max[which], bandwidth->debt);
    bandwidth->base += use - bandwidth->debt;
}

/* Forgets the lines that the boot has moved. */
static void regulator_forget(struct core *core) {
    for (uint32_t which = 0; which < COUNTERS; which++) {
        core->regulator.bandwidths[which].base = arch_bandwidth_count(which);
    }
}

static void period_begins(struct timer *timer) {
    struct regulator *regulator =
        (struct regulator *)((char *)timer - offsetof(struct regulator, timer));
    struct core *core = (struct core *)((char *)regulator - offsetof(struct core, regulator));
    MARK(regulator_period);
    if (timer->time == 0) {
        regulator_forget(core);
    } else {
        replenish(core, 0);
        replenish(core, 1);
        takt_record_regulation[core->index].periods++;
    }
    if (regulator->bandwidths[0].spent || regulator->bandwidths[1].spent) {
        regulator_arm(core);
    }
    if (timer->time == 0) {
        takt_record_regulation[core->index] = (struct takt_record_regulation){0};
    }
    timer_start(&core->timers, timer, time_add(timer->time, takt_regulation_period));
}

void regulator_start(struct core *core) {
    struct regulator *regulator = &core->regulator;
    if (!regulated(core)) {
        return;
    }
    if (!arch_bandwidth_open()) {
        boot_panic(
            "the firmware gives a core no counters of its memory traffic, which [regulation] "
            "needs");
    }
    regulator_forget(core);
    regulator_arm(core); /* here, so that the first period need not */
    regulator->timer.expire = period_begins;
    timer_start(&core->timers, &regulator->timer, 0);
}

#endif
