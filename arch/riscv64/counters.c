/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a core's memory traffic, through the firmware's PMU extension: counter 3 counts
 * lines read from memory, counter 4 changed lines that leave the core's caches, in S- and U-mode
 * together. Only the firmware can write them; S-mode reads them. */
#include "arch.h"
#include "sbi.h"

#define FIRST_COUNTER 3
#define BOTH          3ul /* a mask from FIRST_COUNTER on */

/* Cache events of SBI, "NODE": 0x10000 | 6 << 3 | operation << 1; read, write. */
static const unsigned long events[] = {0x10030, 0x10032};

bool arch_bandwidth_open(void) {
    for (unsigned long which = 0; which < 2; which++) {
        struct sbi_result result =
            sbi_pmu_configure(FIRST_COUNTER + which, 1, SBI_PMU_CLEAR_VALUE, events[which], 0);
        if (result.error != 0 || result.value != (long)(FIRST_COUNTER + which)) {
            return false;
        }
    }
    csr_set(sie, SIE_OVERFLOW);
    return true;
}

uint64_t arch_bandwidth_count(uint32_t which) {
    return which == 0 ? csr_read(hpmcounter3) : csr_read(hpmcounter4);
}

/* The order is the firmware's demand: a counter that is started while the interrupt is pending
 * stays disarmed. While both are stopped nothing makes it pending again. */
void arch_bandwidth_stop(void) {
    sbi_pmu_stop(FIRST_COUNTER, BOTH);
    csr_clear(sip, SIE_OVERFLOW);
}

void arch_bandwidth_arm(uint32_t which, uint64_t lines) {
    sbi_pmu_start(FIRST_COUNTER + which, 1, -lines);
}
