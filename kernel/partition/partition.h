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
    TAKT_STOP_PARTITION, /* nor have the others of its partition */
    TAKT_SHUTDOWN,       /* the run ends */
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

/* A piece of the address space of one partition. */
struct takt_partition_region {
    struct takt_region region;
    uint32_t partition; /* index */
};

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
};

/* What a task has beside its configuration, by ID - 1. The stack ends where the task's thread-local
 * storage begins. */
struct takt_partition_task {
    uint32_t partition; /* 1 + index; 0: the task runs in S-mode */
    uint8_t *stack_limit, *stack_top, *storage_end;
};

extern const uint32_t takt_partition_count, takt_partition_region_count;
extern const struct takt_partition_config takt_partition_configs[];
extern const struct takt_partition_task takt_partition_tasks[];
extern const struct takt_partition_region takt_partition_regions[];
/* By index: the page table, as satp has it. Written before translation is on, then constant. */
extern uint64_t takt_partition_tables[];
/* By task ID - 1: whether the task has been stopped for good. Guarded by the task's lock. */
extern bool takt_partition_stopped[];
extern struct takt_record_health takt_record_health[]; /* by task ID - 1 */

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

/* Returns whether the task has been stopped for good. The task's lock is held. */
static inline bool partition_stopped(const struct task *task) {
    return PARTITIONS && takt_partition_stopped[task->id - 1];
}

/* Zeroes the partitions' .bss; the boot core, once, before any other runs. */
void partitions_clear(void);

/* Zeroes the task's stack in its partition and sets its thread-local storage to the initial values.
 * On the task's core, before the epoch. Bound: the stack's size. */
void partition_task_clear(const struct task *task);

/* Return whether the task may read or write so many bytes: its partition's data, its own stack, and
 * constants to read. Such memory stays mapped for ever. */
bool partition_can_read(const struct takt_partition_task *task, uintptr_t address, size_t size);
bool partition_can_write(const struct takt_partition_task *task, uintptr_t address, size_t size);

/* Enters user mode at the entry of the running task's job. Does not return. */
_Noreturn void partition_job_begin(const struct takt_partition_task *own,
                                   const struct takt_task_config *config);

#endif
