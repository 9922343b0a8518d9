/* SPDX-License-Identifier: Apache-2.0 */
/* What the configurator writes (host/configure): constant tables, and storage a core. The tables of
 * a class of objects are in its header. */
#ifndef KERNEL_CONFIG_H
#define KERNEL_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <takt/types.h>

#include "kernel_choice.h"

struct task;
struct core;
struct interrupt;
struct timer;
struct ready;
struct time_event;
struct hold;

enum takt_activation { TAKT_PERIODIC, TAKT_SPORADIC, TAKT_APERIODIC };

struct takt_task_config {
    const char *name;
    void (*entry)(intptr_t argument);
    intptr_t argument;
    takt_time period;   /* periodic: the period; sporadic: the separation */
    takt_time offset;   /* periodic: of the first release from the epoch */
    takt_time deadline; /* relative to the release; 0: none */
    takt_time *queue;   /* nominal releases that wait; written under the task's lock */
    uint64_t *locks;    /* a bit for each reader-writer lock; null: there are none */
    uint32_t queue_limit;
    uint32_t core;     /* where it is at first, and whose lock is its under granularity = "core" */
    uint64_t cores[2]; /* a bit for each on which it may run, that one included */
    uint8_t priority;  /* 1 (highest) to 64 */
    uint8_t activation;
    bool start;        /* activated once at the epoch */
    bool may_suspend;  /* the description declares that it waits for what nobody holds */
    bool unrestricted; /* nothing is refused it or measured of it */
    bool overrun_stops;
    takt_time budget;                        /* of a job's execution; 0: none */
    void (*overrun_handler)(intptr_t task);  /* null: none */
    void (*deadline_handler)(intptr_t task); /* null: none */
    uint8_t *stack_limit, *stack_top;
#if RAISES
    takt_id raised_by; /* the priority data queue whose words raise it; TAKT_ID_NONE: none */
#endif
#if FRAMES
    struct ready *ready; /* of its partition on its core; null: the core's own */
#endif
    /* Limits (rights.h): 0: none. `suspends`: of the time; the next one: of how often. */
    uint16_t suspends, cpu_lock, dispatch_disable, overrun_limit, deadline_limit;
    uint16_t control_count;
    const struct takt_control_config *controls;
    struct hold *const *holds; /* of all that it uses, ended by null; null: nothing */
};

/* What a task may change of others. */
enum takt_control {
    TAKT_CONTROL_OBSERVE,
    TAKT_CONTROL_TERMINATE,
    TAKT_CONTROL_SUSPEND,
    TAKT_CONTROL_PRIORITY,
    TAKT_CONTROL_MIGRATE,
    TAKT_CONTROL_CYCLIC,
    TAKT_CONTROL_ALARM,
    TAKT_CONTROL_INTERRUPT,
};

struct takt_control_config {
    enum takt_control control;
    takt_id id;       /* of the task, cyclic handler, alarm or interrupt */
    uint32_t limit;   /* of the time between two calls */
    uint64_t *latest; /* ticks of the latest call; 0: none. The task's own */
};

/* The tasks that an object names as its users. */
struct takt_users {
    uint32_t count;
    const uint16_t *ids; /* ascending */
    struct hold *holds;  /* one each */
};

struct takt_core_config {
    const uint16_t *tasks; /* IDs of its tasks, ended by 0 */
    struct timer **timer_heap;
    uint8_t *console; /* ring of takt_console_size bytes */
    uint8_t *trap_stack_limit, *trap_stack_top;
    uint8_t *idle_stack_limit, *idle_stack_top;
    struct task *trap, *idle; /* storage of the core's trap and idle contexts */
};

/* A cyclic handler, or an alarm. */
struct takt_time_event_config {
    const char *name;
    void (*function)(intptr_t argument);
    intptr_t argument;
    takt_time period;     /* 0: an alarm */
    takt_time offset;     /* from the start to the first call */
    takt_time separation; /* no call is due earlier after another */
    uint32_t core;
    bool start;     /* at the epoch */
    uint32_t limit; /* of a call's execution; 0: none */
};

struct takt_interrupt_config {
    const char *name;
    const char *device; /* path in the device tree; null: `source` says it */
    uint32_t source;
    void (*entry)(intptr_t argument);
    intptr_t argument;
    uint32_t core;  /* at the start */
    uint32_t level; /* 1 (lowest) to 7 */
    bool enabled;   /* at the start */
};

/* A piece of the address space. Virtual addresses are linked; `linear` is the address from which
 * the physical one follows: physical = linear - TAKT_LINK_BASE + where the image was loaded. That
 * of a piece with a home is chosen by the boot, page by page: docs/design/boot.md, "Page homing".
 */
struct takt_region {
    uintptr_t start, end, linear;
    uint32_t permissions; /* TAKT_READ | ... ; never both write and execute */
    uint32_t home;        /* 1 + the place in the turn of its pages' home; 0: none */
};

/* What a core touches after time 0: lines that it alone writes, or that any core may. */
struct takt_piece {
    uint8_t *start, *end;
    bool own;
};

/* All that a core touches but the page tables, ended by a null; null: not known, or no cache could
 * hold it. `capacity`: the bytes of the core's own cache that could. */
struct takt_footprint {
    const struct takt_piece *pieces;
    uint64_t capacity;
};

/* The homes of pages: blocks of so many pages go in turn to the homes, by physical address. */
struct takt_homing {
    uint64_t from;        /* the first address where this holds */
    uint32_t block_pages; /* a power of two */
    uint32_t turn;        /* places; 0: pages have no homes */
};

enum { TAKT_READ = 1, TAKT_WRITE = 2, TAKT_EXECUTE = 4 };

#define TAKT_LINK_BASE 0xffffffff80000000ul

extern const char takt_board_compatible[];
extern const uint32_t takt_task_count, takt_core_count, takt_interrupt_count;
extern const uint32_t takt_cyclic_count, takt_alarm_count;
extern const uint32_t takt_region_count, takt_event_capacity, takt_console_size;
extern const uint32_t takt_console_core;
extern const takt_time
    takt_idle_pull; /* between two looks of an idle core at its neighbours; 0: none */
/* How much of a job's measured execution may be the kernel's, for each time that the job goes on
 * after an interrupt, and that it gets the core from another task. From the board's overheads. */
extern const takt_time takt_interruption_margin, takt_dispatch_margin;
extern void (*const takt_start_hook)(intptr_t core);      /* null: none */
extern void (*const takt_shutdown_hook)(intptr_t code);   /* null: none */
extern const struct takt_task_config takt_task_configs[]; /* by ID - 1 */
extern struct task *const takt_tasks[];                   /* by ID - 1 */
extern const struct takt_core_config takt_core_configs[]; /* by core */
extern struct core *const takt_cores[];                   /* by core */
extern const uintptr_t takt_idle_tops[];                  /* by core; for the boot */
extern const uint32_t takt_limit_count;
extern const struct takt_time_event_config takt_time_event_configs[]; /* cyclic ones, then alarms */
extern struct time_event *const takt_time_events[];                   /* the same */
extern const struct takt_interrupt_config takt_interrupt_configs[];   /* by ID - 1 */
extern const struct takt_region takt_regions[];
extern const struct takt_footprint takt_footprints[]; /* by core; with RESIDENT */
extern const struct takt_homing takt_homing;
extern uint32_t takt_homed_pages[]; /* by place in the turn: those that the boot has given away */

/* From the linker script. */
extern uint8_t takt_image_start[], takt_text_start[], takt_text_end[];
extern uint8_t takt_image_end[];    /* stacks lie behind */
extern uint8_t takt_physical_end[]; /* as if linear: the end of all that has no home */
extern const uint8_t takt_tls_start[], takt_tls_end[]; /* initial values of .tdata */
extern const uint8_t takt_build_id_note[];             /* the ELF note */
extern uint8_t takt_page_tables[];

#endif
