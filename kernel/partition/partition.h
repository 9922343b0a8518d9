/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: applications whose tasks run in user mode, behind a page table of their own.
 * docs/design/partitions.md. In images without partitions nothing of this folder is linked. */
#ifndef KERNEL_PARTITION_H
#define KERNEL_PARTITION_H

#include "config.h"
#include "kernel_choice.h"
#include "task/task.h"

/* Each has 32 MiB of addresses of one GiB. */
enum { TAKT_PARTITIONS_MAX = 32 };

/* What the kernel does about an error, each more than the one before. */
enum takt_reaction {
    TAKT_RESTART_TASK,   /* the job ends */
    TAKT_STOP_TASK,      /* and the task has no further ones */
    TAKT_RESTART_WARM,   /* the partition's tasks begin anew, with the variables as they are */
    TAKT_RESTART_COLD,   /* and with the variables' initial values */
    TAKT_STOP_PARTITION, /* no task of the partition has further jobs */
    TAKT_SHUTDOWN,       /* the run ends */
};

/* Whether a task may have jobs. */
enum partition_task_state {
    PARTITION_TASK_RUNS,
    PARTITION_TASK_HELD,    /* activations wait until the task is started again */
    PARTITION_TASK_STOPPED, /* activations are refused */
};

enum takt_partition_error {
    TAKT_MEMORY_VIOLATION,
    TAKT_STACK_OVERFLOW,
    TAKT_ILLEGAL_REQUEST,
    TAKT_APPLICATION_ERROR,
    TAKT_PARTITION_ERRORS,
};

/* What the host reads of a task's errors when the machine has stopped (host/cli: `health.rs`), by
 * enum takt_partition_error. Written by the task's core, interrupts disabled. */
struct takt_record_health {
    uint64_t counts[TAKT_PARTITION_ERRORS];
    uint64_t latest[TAKT_PARTITION_ERRORS]; /* ticks at the latest */
};

/* What the host reads of a partition's restarts when the machine has stopped (host/cli:
 * `health.rs`). Written by the worker: restart.h. */
struct takt_record_partition {
    uint64_t cold, warm;    /* restarts */
    uint64_t stopped;       /* 1: the partition has been stopped */
    uint64_t latest;        /* ticks at the latest restart, or at the stop */
    uint64_t longest_ticks; /* from an error until all tasks may begin again */
};

/* A piece of the address space of one partition. */
struct takt_partition_region {
    struct takt_region region;
    uint32_t partition; /* index */
    bool closed;        /* for the kernel only */
};

/* A stop or restart of a partition that is under way: restart.h. */
struct partition_restart {
    struct lock lock;
    /* Guarded by the lock. */
    bool under_way;
    uint8_t wanted; /* enum takt_reaction: the strongest since one was taken; 0: none */
    /* The worker owns what follows; while there is none, the task that sets `under_way`. */
    takt_id worker;  /* TAKT_ID_NONE: there is none. Read by any core, relaxed */
    bool starts;     /* the round starts tasks; else it stops them */
    uint32_t origin; /* the core where the round has begun */
    uint32_t count;  /* restarts so far */
    uint8_t start;   /* enum takt_partition_start: how it was started */
    uint64_t since;  /* ticks at which the stop or restart was asked for */
} __attribute__((aligned(64)));

/* Constant. The bits are by ID - 1. */
struct takt_partition_config {
    const char *name;
    const uint8_t *constants, *constants_end;
    uint8_t *data, *data_end; /* with .bss */
    uint8_t *bss;
    void (*exit)(void); /* where an entry returns to: the partition's stub of takt_task_exit */
    const uint64_t *tasks, *semaphores, *buffers;
#if PORTS
    const uint64_t *sampling_ports, *queuing_ports;
#endif
    uint8_t reactions[TAKT_PARTITION_ERRORS]; /* enum takt_reaction */
#if RESTARTS
    uint32_t restarts; /* at most */
    uint8_t *initial;  /* a copy of the initial values, from `data` to `bss`; the boot makes it */
#endif
};

/* What a task has beside its configuration, by ID - 1. The stack ends where the task's thread-local
 * storage begins. */
struct takt_partition_task {
    uint32_t partition; /* 1 + index; 0: the task runs in S-mode */
    uint8_t ceiling;    /* the highest priority of the partition's tasks of this task's core */
    uint8_t *stack_limit, *stack_top, *storage_end;
};

extern const uint32_t takt_partition_count, takt_partition_region_count;
extern const struct takt_partition_config takt_partition_configs[];
extern const struct takt_partition_task takt_partition_tasks[];
extern const struct takt_partition_region takt_partition_regions[];
/* By index: the page table, as satp has it. Written before translation is on, then constant. */
extern uint64_t takt_partition_tables[];
/* By task ID - 1: enum partition_task_state. Guarded by the task's lock. */
extern uint8_t takt_partition_states[];
extern struct partition_restart takt_partition_restarts[];    /* by index */
extern struct takt_record_health takt_record_health[];        /* by task ID - 1 */
extern struct takt_record_partition takt_record_partitions[]; /* by index */

/* The rows of the constant tables above are hidden from the compiler by arch_opaque. It would form
 * the addresses in a row that it knows, which is that of a single partition, from the program
 * counter, from which a partition's memory is too far. */

/* Returns the task of a partition, null: the task runs in S-mode. */
static inline const struct takt_partition_task *partition_task(const struct task *task) {
    if (!PARTITIONS || task->id == TAKT_ID_NONE) {
        return 0;
    }
    const struct takt_partition_task *own = arch_opaque(&takt_partition_tasks[task->id - 1]);
    return own->partition != 0 ? own : 0;
}

static inline const struct takt_partition_config *
partition_of(const struct takt_partition_task *task) {
    return arch_opaque(&takt_partition_configs[task->partition - 1]);
}

/* Makes the page table of the partition that of this core, if the task has one: who runs in S-mode
 * runs in any. Interrupts disabled. */
static inline void partition_enter(const struct task *task) {
    const struct takt_partition_task *own = partition_task(task);
    if (own != 0) {
        arch_table_enter(takt_partition_tables[own->partition - 1]);
    }
}

/* Returns whether the task may have jobs. The task's lock is held. */
static inline bool partition_runs(const struct task *task) {
    return !PARTITIONS || takt_partition_states[task->id - 1] == PARTITION_TASK_RUNS;
}

/* Returns whether the task has been stopped. The task's lock is held. */
static inline bool partition_stopped(const struct task *task) {
    return PARTITIONS && takt_partition_states[task->id - 1] == PARTITION_TASK_STOPPED;
}

/* Returns whether the task stops or restarts its partition, in place of a job. On its core. */
static inline bool partition_works(const struct task *task) {
    const struct takt_partition_task *own = partition_task(task);
    /* Relaxed: it is this task's ID only between two writes by this core. */
    return own != 0 && __atomic_load_n(&takt_partition_restarts[own->partition - 1].worker,
                                       __ATOMIC_RELAXED) == task->id;
}

/* Zeroes the partitions' .bss, and copies the initial values of those that may be restarted; the
 * boot core, once, before any other runs. */
void partitions_clear(void);

/* Zeroes the task's stack in its partition and sets its thread-local storage to the initial values.
 * On the task's core, before the epoch. Bound: the stack's size. */
void partition_task_clear(const struct task *task);

/* Return whether the task may read or write so many bytes: its partition's data, its own stack, and
 * constants to read. Such memory stays mapped for ever. */
bool partition_can_read(const struct takt_partition_task *task, uintptr_t address, size_t size);
bool partition_can_write(const struct takt_partition_task *task, uintptr_t address, size_t size);

/* Gives all variables of the partition their initial values, those of threads too. A task of the
 * partition runs it, interrupts enabled; none else of the partition has a job. Bound: their size.
 */
void partition_renew(const struct takt_partition_config *partition);

/* Enters user mode at the entry of the running task's job. Does not return. */
_Noreturn void partition_job_begin(const struct takt_partition_task *own,
                                   const struct takt_task_config *config);

#endif
