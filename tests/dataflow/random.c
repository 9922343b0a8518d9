/* SPDX-License-Identifier: Apache-2.0 */
/* An object that executes for as long as its argument says, and leaves cold caches if bit 31 is
 * set. */
#include <dataflow.h>
#include <takt/dataflow_system.h>

/* More than the caches of data hold. */
static uint8_t swept[256 * 1024];

void spin(const struct dataflow_spin *ports) {
    uint32_t turns = ports->argument & 0x7fffffff;
    __asm__ volatile("1: beqz %0, 2f\n"
                     "   addi %0, %0, -1\n"
                     "   j 1b\n"
                     "2:"
                     : "+r"(turns));
    if (ports->argument >> 31) {
        for (uint32_t at = 0; at < sizeof swept; at += 64) {
            *(volatile uint8_t *)&swept[at];
        }
        __asm__ volatile("fence.i");
    }
}
