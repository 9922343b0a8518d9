// SPDX-License-Identifier: Apache-2.0
// Harts that wait in loops of every kind while hart 0 works: those whose rounds could be computed,
// and those that look like them but are not. Each leaves in `rounds` or in its registers how long
// it has waited.
#include "program.h"

#define MSIP(hart) (*(volatile uint32_t *)(0x02000000 + 4 * (hart)))
#define MTIME      0x0200bff8ul

static LINE volatile uint64_t flag;
static LINE volatile uint64_t rounds[128][8];

static void work(void) {
    static volatile uint64_t sum[512];
    for (unsigned i = 0; i < 40000; i++) {
        sum[i % 512] += i;
    }
}

int main(uint64_t hart, uint64_t harts) {
    if (hart == 0) {
        for (uint64_t phase = 1; phase <= 3; phase++) {
            work();
            flag = phase;
            for (uint64_t other = 1; other < harts; other++) {
                MSIP(other) = 1;
            }
        }
        return 0;
    }
    volatile uint64_t *own = rounds[hart], *const f = &flag;
    uint64_t t, u = 0, bit = 13;
    switch (hart % 10) {
    case 1: // nothing but a load
        __asm__ volatile("1: ld %0, (%1); beqz %0, 1b" : "=&r"(t) : "r"(f) : "memory");
        break;
    case 2: // as OpenSBI's harts that nobody has started: WFI with an interrupt pending
        __asm__ volatile("csrs mie, 8");
        do {
            __asm__ volatile("wfi; csrr %0, mip; fence r, rw" : "=r"(t));
        } while (!(t & 8) || *f < 3);
        break;
    case 3: // a counter decides, whose other bits are thrown away
        __asm__ volatile("1: csrr %0, mcycle; srl %0, %0, %1; andi %0, %0, 1; beqz %0, 1b"
                         : "=&r"(t)
                         : "r"(bit));
        __asm__ volatile("1: csrr %0, minstret; srl %0, %0, %1; andi %0, %0, 1; bnez %0, 1b"
                         : "=&r"(t)
                         : "r"(bit));
        break;
    case 4: // a device decides, twice, in rounds that do not divide a turn: mtime's bit falls and
            // rises
        __asm__ volatile(
            "1: ld %0, (%2); srl %0, %0, %1; nop; nop; nop; andi %0, %0, 1; bnez %0, 1b"
            : "=&r"(t)
            : "r"(9l), "r"(MTIME));
        __asm__ volatile(
            "1: ld %0, (%2); srl %0, %0, %1; nop; nop; nop; andi %0, %0, 1; beqz %0, 1b"
            : "=&r"(t)
            : "r"(9l), "r"(MTIME));
        break;
    case 5: // rounds are counted in memory, and the register forgets them
        __asm__ volatile(
            "1: ld %0, (%2); addi %0, %0, 1; sd %0, (%2); li %0, 0; ld %1, (%3); beqz %1, 1b"
            : "=&r"(t), "=&r"(u)
            : "r"(own), "r"(f)
            : "memory");
        break;
    case 6: // every other round is alike; an instruction of four bytes crosses the line's end
        __asm__ volatile(".balign 64; .option push; .option norvc; .rept 14; nop; .endr; .option "
                         "pop; c.nop; c.nop; c.nop\n"
                         "1: xori %1, %1, 1; ld %0, (%2); beqz %0, 1b"
                         : "=&r"(t), "+r"(u)
                         : "r"(f)
                         : "memory");
        break;
    case 7: // an atomic operation counts
        __asm__ volatile("1: amoadd.d zero, %2, (%3); ld %0, (%1); beqz %0, 1b"
                         : "=&r"(t)
                         : "r"(f), "r"(1l), "r"(own)
                         : "memory");
        break;
    case 8:                                                  // the hart's own timer
        __asm__ volatile("csrs 0x30a, %0" ::"r"(1ul << 63)); // menvcfg.STCE
        __asm__ volatile("csrr %0, time; addi %0, %0, 777; csrw 0x14d, %0" : "=&r"(t)); // stimecmp
        __asm__ volatile("1: csrr %0, mip; andi %0, %0, 32; beqz %0, 1b" : "=&r"(t));
        break;
    default: // longer than any loop that is looked for
        __asm__ volatile("1: .rept 40; nop; .endr; ld %0, (%1); beqz %0, 1b"
                         : "=&r"(t)
                         : "r"(f)
                         : "memory");
    }
    __asm__ volatile("csrr %0, minstret" : "=r"(t));
    own[1] = t;
    own[2] = u;
    return 0;
}
