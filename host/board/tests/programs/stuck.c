// SPDX-License-Identifier: Apache-2.0
// Hart 0 works; after that all harts wait for what nobody will ever do, each in its own way.
#include "program.h"

static LINE volatile uint64_t never, lock = 1;
static LINE volatile uint64_t sum[512];
static LINE volatile uint64_t own[128][8];

int main(uint64_t hart, uint64_t harts) {
    (void)harts;
    for (unsigned i = 0; hart == 0 && i < 20000; i++) {
        sum[i % 512] += i;
    }
    switch (hart % 4) {
    case 0:
        while (never == 0) {
        }
        break;
    case 1: // a test-and-test-and-set lock that is held
        while (lock != 0 || __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE) != 0) {
            pause();
        }
        break;
    case 2: // nothing can wake it
        __asm__ volatile("csrw mie, zero; 1: wfi; j 1b");
        break;
    default: // it stores what stands there
        while (never == 0) {
            own[hart][0] = own[hart][0];
        }
        break;
    }
    return 0;
}
