/* SPDX-License-Identifier: Apache-2.0 */
#include "partition/partition.h"

#include "core.h"

/* Volatile keeps GCC from calling memset here, which is a loop over bytes. Both are aligned. */
static void clear(uint8_t *from, const uint8_t *end) {
    for (volatile uint64_t *at = (volatile uint64_t *)from; at < (volatile uint64_t *)end; at++) {
        *at = 0;
    }
}

void partitions_clear(void) {
    uint64_t before = arch_table();
    for (uint32_t i = 0; i < takt_partition_count; i++) {
        const struct takt_partition_config *partition = arch_opaque(&takt_partition_configs[i]);
        arch_table_enter(takt_partition_tables[i]);
        arch_user_open();
        clear(partition->bss, partition->data_end);
        arch_user_close();
    }
    arch_table_enter(before);
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
    volatile uint8_t *storage = own->stack_top;
    for (const uint8_t *from = takt_tls_start; from < takt_tls_end; from++) {
        *storage++ = *from;
    }
    arch_user_close();
    arch_table_enter(before);
}

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
