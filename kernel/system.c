/* SPDX-License-Identifier: Apache-2.0 */
/* The start and the end of the machine. docs/design/kernel.md, "The end". */
#include "system.h"

#include "atomic.h"
#include "console.h"
#include "object/user_spinlock.h"
#include "record/event.h"
#include "record/finish.h"
#include "record/standing.h"
#include "sched/dispatch.h"
#include "start.h"
#include "time/time.h"

/* From the last core's readiness to time 0, so that all cores see the epoch before it comes. */
#define EPOCH_DELAY   TAKT_MILLISECOND
/* How long the others have to stop. */
#define STOP_PATIENCE TAKT_SECOND

static uint32_t started; /* all cores' blocks are ready; release by the boot core */
static uint32_t ready;   /* cores that are ready for time 0; the last one fixes the epoch */
static uint32_t fixed;   /* time_epoch is valid; release by that core, acquire by the waiters */

#if RESIDENT
static uint32_t hooked; /* cores whose start hook has returned */
static uint32_t loads;  /* all have; release by the last of these cores, acquire by all */
#endif

/* 1 + index of the core that stops the machine. In a line of its own: read in every interrupt, and
 * nothing that is written as the machine runs shall take it away. */
static struct { uint32_t core; } __attribute__((aligned(64))) stopping;

/* Sets a flag that the cores wait for. */
static void publish(uint32_t *flag) {
    /* Release: what the flag stands for; pairs with the acquire in wait_for. */
    atomic_store_release(flag, 1);
    for (uint32_t i = 0; i < takt_core_count; i++) {
        arch_interrupt_core(takt_cores[i]);
    }
}

/* An interrupt that comes after the look ends the WFI; one of before is cleared, so that WFI waits
 * at all. Among the cleared ones may be that of a post: a core that was let go earlier may run
 * tasks already. So the last word is an interrupt, which empties the inbox as soon as it is taken.
 */
static void wait_for_core(const uint32_t *flag) {
    for (;;) {
        arch_interrupt_clear();
        if (atomic_load_acquire(flag) != 0) {
            arch_interrupt_here();
            return;
        }
        arch_wait_for_interrupt();
    }
}

void system_start(void) {
    time_init();
    ((struct takt_record_header *)takt_record)->clock_hz = arch_clock_hz();
    publish(&started);
}

static void fix_epoch(void) {
    time_set_epoch(arch_ticks() + EPOCH_DELAY / 1000 * arch_clock_hz() / 1000000);
    ((struct takt_record_header *)takt_record)->epoch = time_epoch;
    publish(&fixed);
}

/* What the hook activates here does not run before it has returned. */
static void call_start_hook(struct core *core) {
    if (DISTRIBUTED && takt_start_hook != 0) {
        core->dispatch_disabled = true;
        takt_start_hook((intptr_t)core->index);
        user_spinlock_end(core);
        core->dispatch_disabled = false;
    }
}

/* Loads the core's footprint once nobody writes its own part: no start hook runs any more. */
static void load_footprint(const struct core *core) {
#if RESIDENT
    if (takt_start_hook != 0) {
        /* Acquire and release: as for `ready`. */
        if (__atomic_add_fetch(&hooked, 1, __ATOMIC_ACQ_REL) == takt_core_count) {
            publish(&loads);
        }
        wait_for_core(&loads);
    }
    core_load_footprint(core);
#else
    (void)core;
#endif
}

void system_wait_for_epoch(struct core *core) {
    wait_for_core(&started);
    call_start_hook(core);
    load_footprint(core);
    /* Acquire and release: the last one sees what all hooks have done, and hands it on. */
    if (__atomic_add_fetch(&ready, 1, __ATOMIC_ACQ_REL) == takt_core_count) {
        fix_epoch();
    }
    wait_for_core(&fixed);
    if (takt_start_hook != 0) {
        while (arch_ticks() < time_epoch) { /* no task runs before time 0; at most EPOCH_DELAY */
            arch_pause();
        }
        arch_interrupt_core(core); /* for what the hooks have asked of this core */
    }
}

static _Noreturn void park(struct core *core) {
    /* Release: all that this core has written; pairs with the acquire in stop_others. */
    atomic_store_release(&core->parked, 1);
    arch_park();
}

void kernel_spin(void) {
    uint32_t stopper = __atomic_load_n(&stopping.core, __ATOMIC_RELAXED);
    struct core *core = core_here();
    if (stopper != 0 && stopper != core->index + 1) {
        core->stop_frame = (uintptr_t)__builtin_frame_address(0);
        park(core);
    }
    arch_pause();
}

/* Returns on one core only, the time; a second call on that core means that stopping itself has
 * failed. */
static takt_time become_stopper(struct core *core) {
    uint32_t nobody = 0;
    if (!__atomic_compare_exchange_n(&stopping.core, &nobody, core->index + 1, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        if (nobody == core->index + 1) {
            record_outcome(TAKT_RECORD_PANIC, 0, "panic while stopping");
        }
        park(core);
    }
    return takt_time_now();
}

/* Waits for each of the other cores; says so when one does not stop in time. */
static void stop_others(const struct core *self) {
    uint64_t hz = arch_clock_hz();
    uint64_t deadline = arch_ticks() + STOP_PATIENCE / 1000000 * hz / 1000;
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (takt_cores[i] != self) {
            arch_interrupt_core(takt_cores[i]);
        }
    }
    for (uint32_t i = 0; i < takt_core_count; i++) {
        struct core *core = takt_cores[i];
        while (core != self && atomic_load_acquire(&core->parked) == 0) {
            uint64_t now = arch_ticks();
            if (now >= deadline) {
                console_print("takt: core %u does not stop\n", core->index);
                break;
            }
            arch_timer_set(now + hz / 10000); /* sleep for 100 us, so that the others may run */
            arch_wait_for_interrupt();
        }
    }
}

static _Noreturn void system_end(struct core *core, takt_time time,
                                 enum takt_record_outcome outcome, uint32_t code,
                                 const char *message) {
    record_finish(time);
    console_send();
    record_outcome(outcome, code, message);
    park(core);
}

void takt_system_shutdown(int code) {
    if (code < 0 || code > 255) {
        takt_panic("takt_system_shutdown: the code is not 0 to 255");
    }
    arch_interrupts_disable();
    struct core *core = core_here();
    takt_time time = become_stopper(core);
    if (task_self()->id != TAKT_ID_NONE) {
        execution_account(core, arch_ticks()); /* else the interrupt has */
    }
    stop_others(core);
    record_standing();
    if (DISTRIBUTED && takt_shutdown_hook != 0) {
        core->dispatch_disabled = true;
        task_self()->dispatch_disabled = true; /* the hook does not wait, whoever calls it */
        event_dispatch_disable(core, TAKT_ID_NONE);
        takt_shutdown_hook(code);
    }
    system_end(core, time, TAKT_RECORD_SHUTDOWN, (uint32_t)code, 0);
}

static const char *running_name(const struct core *core) {
    return core->running == core->idle ? "idle" : core->running->config->name;
}

void kernel_panic(const struct context *context, const char *message) {
    arch_interrupts_disable();
    struct core *core = core_here();
    takt_time time = become_stopper(core);
    stop_others(core);
    console_print("\ntakt: panic: %s\ntakt: core %u, hart %u, task %s", message, core->index,
                  (unsigned)core->hart, running_name(core));
    if (core->serving != TAKT_ID_NONE) {
        console_print(", in the service routine of interrupt %s\n",
                      takt_interrupt_configs[core->serving - 1].name);
    } else {
        console_print("%s\n", task_self() == core->trap && context == 0
                                  ? ", in the kernel's trap handler"
                                  : "");
    }
    if (context != 0) {
        arch_print_context(context);
    } else {
        arch_print_backtrace();
    }
    system_end(core, time, TAKT_RECORD_PANIC, 0, message);
}

void takt_panic(const char *message) {
    kernel_panic(0, message == 0 ? "takt_panic(null)" : message);
}

void boot_panic(const char *message) {
    arch_interrupts_disable();
    console_print("\ntakt: boot: %s\n", message);
    record_outcome(TAKT_RECORD_PANIC, 0, message);
    arch_park();
}
