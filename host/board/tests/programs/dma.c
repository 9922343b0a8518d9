// SPDX-License-Identifier: Apache-2.0
// Hart 0 lets the DMA engine copy memory that its own and another core's cache hold changed; hart 1
// goes on writing beside the buffers, so that lines move while the transfer runs.
#include "program.h"

#define DMA ((volatile uint64_t *)DMA_BASE)
enum { SOURCE, DESTINATION, LENGTH, CONTROL, STATUS };
#define BYTES 1000

static LINE uint8_t from[1024], to[1024];
static LINE volatile uint64_t beside[16][8];
static LINE volatile uint64_t done;

int main(uint64_t hart, uint64_t harts) {
    if (hart == 1) {
        for (int i = 0; i < 512; i++) {
            from[i] = i * 7;
        }
    } else if (hart == 0) {
        for (int i = 512; i < 1024; i++) {
            from[i] = i * 7;
        }
        for (int i = 0; i < 1024; i++) {
            to[i] = 0xee;
        }
    }
    __sync_synchronize();
    barrier(harts);
    if (hart == 0) {
        DMA[SOURCE] = (uint64_t)from + 3;
        DMA[DESTINATION] = (uint64_t)to + 8;
        DMA[LENGTH] = BYTES;
        __asm__ volatile("fence rw, o" ::: "memory");
        DMA[CONTROL] = 1;
        while (DMA[STATUS] & 1) {
        }
        if (DMA[STATUS] != 2) {
            return 1;
        }
        for (int i = 0; i < 1024; i++) {
            uint8_t wanted = i < 8 || i >= 8 + BYTES ? 0xee : (uint8_t)((i - 8 + 3) * 7);
            if (to[i] != wanted) {
                return 2;
            }
        }
        // Where there is no memory.
        DMA[DESTINATION] = 0x10;
        DMA[LENGTH] = 64;
        DMA[CONTROL] = 1;
        while (DMA[STATUS] & 1) {
        }
        done = 1;
        return DMA[STATUS] & 4 ? 0 : 3;
    }
    for (uint64_t i = 0; !done; i++) {
        beside[i % 16][hart % 8] = i;
    }
    return 0;
}
