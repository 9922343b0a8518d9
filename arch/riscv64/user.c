/* SPDX-License-Identifier: Apache-2.0 */
#include "user.h"

#include "arch.h"
#include "config.h"
#include "system.h"
#include "task/task.h"

_Static_assert(offsetof(struct task, config) == TASK_CONFIG, "");
_Static_assert(offsetof(struct takt_task_config, stack_top) == CONFIG_STACK_TOP, "");

enum { COUNTER_TIME = 2 };

void user_core_init(uint32_t asids) {
    const uint64_t all = 0xfffful << 44;
    uint64_t table = csr_read(satp);
    csr_write(satp, table | all);
    uint64_t kept = csr_read(satp) & all;
    csr_write(satp, table);
    if (kept >> 44 < asids) {
        boot_panic("the hart has fewer address spaces than there are partitions");
    }
    csr_write(scounteren, COUNTER_TIME);
    csr_write(CSR_SENVCFG, 0);
}
