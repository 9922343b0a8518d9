/* SPDX-License-Identifier: Apache-2.0 */
#include "start.h"

#include <string.h>

#include "console.h"
#include "partition/partition.h"
#include "remote/request_answer.h"
#include "sched/pull.h"
#include "task/job.h"
#include "task/wait_cancel.h"
#include "task/watch.h"
#include "time/time.h"
#include "time/time_event.h"

/* The console core looks for output this often. takt-analysis: CONSOLE_PERIOD. */
#define CONSOLE_PERIOD (10 * TAKT_MILLISECOND)

/* Bytes of stack in which a nested handler can at least say that there is no more. */
#define TRAP_ROOM 1024

/* Storage that belongs to a task, a trap or an idle context: its control block, then its copy of
 * the initial thread-local storage. The rest has been zeroed by the boot. */
static void storage_init(struct task *task, struct core *core) {
    task->context.core = core;
    /* Opaque: behind the variable that GCC knows, in its section. */
    memcpy(arch_opaque(task + 1), takt_tls_start, (size_t)(takt_tls_end - takt_tls_start));
}

static void task_init(struct core *core, takt_id id) {
    struct task *task = takt_tasks[id - 1];
    storage_init(task, core);
    task->config = &takt_task_configs[id - 1];
    task->id = id;
    if (!DISTRIBUTED) {
        return;
    }
    task->posts_to = core;
    lock_init(&task->lock, core->index);
    uint32_t order = takt_cyclic_count + takt_alarm_count + 3 * id; /* behind time events */
    task->release_timer.order = order;
    task->wait_timer.order = order + 1;
    watch_init(task, order + 2);
    task->wait_timer.expire = wait_expired;
    task->post.answer = request_answer;
    job_init(task);
}

/* The interrupt is all that is wanted: it ends WFI, and shows that the core is alive. */
static void console_wakes(struct timer *timer) {
    MARK(console_wakes);
    timer_start(&core_here()->timers, timer, takt_time_now() + CONSOLE_PERIOD);
}

static void run_is_over(struct timer *timer) {
    (void)timer;
    takt_system_shutdown(0);
}

void core_init(uint32_t index, uint64_t hart) {
    struct core *core = takt_cores[index];
    core->index = index;
    core->hart = hart;
    core->config = &takt_core_configs[index];
    core->trap = core->config->trap;
    core->idle = core->config->idle;
    core->timers.heap = core->config->timer_heap;
    core->timers.limit = UINT64_MAX;
    core->arrival = -1;
    if (DISTRIBUTED) {
        watch_init_core(core);
    }
    storage_init(core->trap, core);
    storage_init(core->idle, core);
    core->trap->is_handler = core->idle->is_handler = true;
    core->idle->posts_to = core; /* for remote calls about the core's ready queue */
    core->running = core->idle;
    core->save = &core->idle->context;
    core->trap_sp = (uintptr_t)core->config->trap_stack_top;
    core->trap_tp = (uintptr_t)(core->trap + 1);
    core->trap_limit = (uintptr_t)core->config->trap_stack_limit + TRAP_ROOM;
    core->fault_sp = (uintptr_t)core->config->idle_stack_top;
    core->console_timer.expire = console_wakes;
    core->console_timer.order = UINT32_MAX - 1;
    core->end_timer.expire = run_is_over;
    core->end_timer.order = UINT32_MAX;
    core->record = record_of_core(index);
    core->record->hart = hart;
    if (DISTRIBUTED) {
        pull_init(core);
    }

    for (const uint16_t *id = core->config->tasks; *id != 0; id++) {
        task_init(core, *id);
    }
    if (DISTRIBUTED) {
        time_events_init(core);
    }
    if (index == takt_console_core) {
        timer_start(&core->timers, &core->console_timer, CONSOLE_PERIOD);
    }
    if (index == 0 && arch_run_for() != 0) {
        timer_start(&core->timers, &core->end_timer, (takt_time)arch_run_for());
    }
}

void core_clear_stacks(const struct core *core) {
    for (const uint16_t *id = core->config->tasks; *id != 0; id++) {
        const struct takt_task_config *config = takt_tasks[*id - 1]->config;
        /* Volatile keeps GCC from calling memset here, which is a loop over bytes. */
        volatile uint64_t *top = (volatile uint64_t *)config->stack_top;
        for (volatile uint64_t *at = (volatile uint64_t *)config->stack_limit; at < top; at++) {
            *at = 0;
        }
        if (PARTITIONS) {
            partition_task_clear(takt_tasks[*id - 1]);
        }
    }
}

#if RESIDENT
enum { LINE = 64 };

static uint64_t footprint_size(const struct takt_piece *pieces) {
    uint64_t size = 0;
    for (const struct takt_piece *piece = pieces; piece->start != 0; piece++) {
        size += (uint64_t)(piece->end - piece->start);
    }
    return size;
}

/* From the end down: a stream upwards would have lines behind it prefetched, which may be another
 * core's own. */
static void footprint_load(uint8_t *start, uint8_t *end, bool own) {
    for (uint8_t *at = end; at > start;) {
        at -= LINE;
        volatile uint64_t *word = (volatile uint64_t *)at;
        uint64_t value = *word;
        if (own) {
            *word = value;
        }
    }
}

void core_load_footprint(const struct core *core) {
    const struct takt_footprint *footprint = &takt_footprints[core->index];
    if (footprint->pieces == 0 || footprint_size(footprint->pieces) > footprint->capacity) {
        return;
    }
    footprint_load(takt_page_tables, arch_page_tables_end(), false);
    for (const struct takt_piece *piece = footprint->pieces; piece->start != 0; piece++) {
        footprint_load(piece->start, piece->end, piece->own);
    }
}
#endif

/* The idle loop. The look for work and the WFI are one section with interrupts disabled:
 * docs/design/kernel.md, "Idle". */
void core_run(struct core *core) {
    core->running_since = arch_ticks();
    timers_arm(&core->timers);
    for (;;) {
        if (core->index == takt_console_core && !core_throttled(core)) {
            console_send();
        }
        arch_interrupts_disable();
        if (core_open(core)->levels == 0 || core_throttled(core)) {
            if (DISTRIBUTED && takt_idle_pull != 0 && !core_throttled(core)) {
                pull_look(core);
            }
            context_sleep(&core->idle->context);
        }
        arch_interrupts_enable();
    }
}
