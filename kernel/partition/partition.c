/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/partition.h"

#include "core.h"

/* Volatile keeps GCC from calling memset here, which is a loop over bytes. Both are aligned. */
static void clear(uint8_t *from, const uint8_t *end) {
    for (volatile uint64_t *at = (volatile uint64_t *)from; at < (volatile uint64_t *)end; at++) {
        *at = 0;
    }
}

#if RESTARTS
/* Both are aligned; GCC must not call memcpy, as above. */
static void copy_aligned(uint8_t *to, const uint8_t *from, const uint8_t *end) {
    volatile uint64_t *next = (volatile uint64_t *)to;
    for (const uint64_t *at = (const uint64_t *)from; at < (const uint64_t *)end; at++) {
        *next++ = *at;
    }
}
#endif

void partitions_clear(void) {
    uint64_t before = arch_table();
    for (uint32_t i = 0; i < takt_partition_count; i++) {
        const struct takt_partition_config *partition = arch_opaque(&takt_partition_configs[i]);
        arch_table_enter(takt_partition_tables[i]);
        arch_user_open();
#if RESTARTS
        if (partition->initial != 0) {
            copy_aligned(partition->initial, partition->data, partition->bss);
        }
#endif
        clear(partition->bss, partition->data_end);
        arch_user_close();
    }
    arch_table_enter(before);
}

/* Sets the task's thread-local storage, which is zero, to the initial values. */
static void storage_fill(const struct takt_partition_task *own) {
    volatile uint8_t *storage = own->stack_top;
    for (const uint8_t *from = takt_tls_start; from < takt_tls_end; from++) {
        *storage++ = *from;
    }
}

void partition_task_clear(const struct task *task) {
    const struct takt_partition_task *own = partition_task(task);
    if (own == 0) {
        return;
    }
    uint64_t before = arch_table();
    arch_table_enter(takt_partition_tables[own->partition - 1]);
    arch_user_open();
    clear(own->stack_limit, own->storage_end);
    storage_fill(own);
    arch_user_close();
    arch_table_enter(before);
}

#if RESTARTS
void partition_renew(const struct takt_partition_config *partition) {
    arch_user_open();
    copy_aligned(partition->data, partition->initial,
                 partition->initial + (partition->bss - partition->data));
    clear(partition->bss, partition->data_end);
    for (takt_id id = 1; id <= takt_task_count; id++) {
        const struct takt_partition_task *own = partition_task(takt_tasks[id - 1]);
        if (own != 0 && partition_of(own) == partition) {
            clear(own->stack_top, own->storage_end);
            storage_fill(own);
        }
    }
    arch_user_close();
}
#endif

void partition_job_begin(const struct takt_partition_task *own,
                         const struct takt_task_config *config) {
    arch_interrupts_disable();
    user_enter(config->entry, config->argument, own->stack_top, partition_of(own)->exit,
               config->stack_top);
}

static bool within(uintptr_t address, size_t size, const uint8_t *from, const uint8_t *end) {
    return address >= (uintptr_t)from && address <= (uintptr_t)end &&
           size <= (uintptr_t)end - address;
}

bool partition_can_write(const struct takt_partition_task *task, uintptr_t address, size_t size) {
    const struct takt_partition_config *partition = partition_of(task);
    return within(address, size, task->stack_limit, task->storage_end) ||
           within(address, size, partition->data, partition->data_end);
}

bool partition_can_read(const struct takt_partition_task *task, uintptr_t address, size_t size) {
    const struct takt_partition_config *partition = partition_of(task);
    return partition_can_write(task, address, size) ||
           within(address, size, partition->constants, partition->constants_end);
}
