// SPDX-License-Identifier: Apache-2.0
// Harts that wait in loops of every kind until another hart writes a word, interrupts them, or a
// moment comes. How long each waited, in cycles and instructions, decides what it does next, so
// that one that is a cycle wrong goes another way.
#include "program.h"

#ifndef ROUNDS
#define ROUNDS 12
#endif

#define MSWI  ((volatile uint32_t *)0x2000000)
#define MSI   (1 << 3)
#define STI   (1 << 5)
#define LCOFI (1 << 13)

static LINE volatile uint64_t common;
static LINE volatile uint64_t boxes[128][8];
static LINE volatile uint64_t taken[128][8];
static LINE volatile char crossing[128][128];

// A word that lies in two lines.
static volatile uint64_t *crossed(uint64_t hart) {
    return (volatile uint64_t *)&crossing[hart][60];
}

__attribute__((interrupt("machine"), aligned(4))) static void handler(void) {
    uint64_t hart;
    __asm__ volatile("csrr %0, mhartid" : "=r"(hart));
    MSWI[hart] = 0;
    taken[hart][0]++;
}

static inline uint64_t instructions(void) {
    uint64_t value;
    __asm__ volatile("csrr %0, minstret" : "=r"(value));
    return value;
}

static inline uint64_t moment(void) {
    uint64_t value;
    __asm__ volatile("csrr %0, time" : "=r"(value));
    return value;
}

// While the word at %1 is %2 and nothing else ends it; t1 is a clock and t2 counts.
#define SPIN(body)                                                                                 \
    __asm__ volatile("1: ld t0, (%0)\n li t1, 0\n li t2, 0\n" body                                 \
                     "\n beq t0, %1, 1b\n 2:" ::"r"(word),                                         \
                     "r"(old), "r"(limit), "r"(own)                                                \
                     : "t0", "t1", "t2", "memory")

#define PAUSE ".word 0x0100000f"

static void spin(uint64_t kind, volatile uint64_t *word, uint64_t old, uint64_t limit,
                 volatile uint64_t *own) {
    switch (kind) {
    case 0:
        SPIN("");
        break;
    case 1:
        SPIN(PAUSE);
        break;
    case 2:
        SPIN("fence rw, rw");
        break;
    // The same in two lines of instructions, the second time with an instruction across both.
    case 3:
        SPIN(".balign 64\n nop\n j 3f\n .balign 64\n 3:");
        break;
    case 4:
        SPIN("j 3f\n .balign 64\n .option push\n .option norvc\n .skip 62\n 3: addi t2, t2, 1\n "
             ".option pop");
        break;
    case 5:
        SPIN("li t2, 5\n 3: addi t2, t2, -1\n bnez t2, 3b");
        break;
    case 6:
        SPIN("mul t2, t0, t0\n div t2, t2, %1");
        break;
    // A moment ends them; what they read of the clock is forgotten in each round.
    case 7:
        SPIN("csrr t1, time\n bgeu t1, %2, 2f");
        break;
    case 8:
        SPIN("csrr t1, mcycle\n andi t1, t1, 255\n beqz t1, 2f");
        break;
    case 9:
        SPIN("csrr t1, minstret\n andi t1, t1, 255\n beqz t1, 2f");
        break;
    case 10:
        SPIN("csrr t1, mhpmcounter3\n andi t1, t1, 63\n beqz t1, 2f");
        break;
    // They write, in ways that do not show.
    case 11:
        SPIN("sd zero, (%3)");
        break;
    case 12:
        SPIN("amoadd.d t1, zero, (%3)");
        break;
    case 13:
        SPIN("lr.d t1, (%3)");
        break;
    case 14:
        SPIN("lr.d t1, (%3)\n sc.d t1, t1, (%3)");
        break;
    case 15:
        SPIN("ld t1, (%3)\n addi t1, t1, 1\n sd t1, (%3)\n andi t1, t1, 63\n beqz t1, 2f");
        break;
    case 16:
        SPIN("fcvt.d.l ft0, t0");
        break;
    case 17:
        SPIN("fence.i");
        break;
    case 18:
        SPIN("csrs mscratch, %1");
        break;
    case 19:
        SPIN("ld t1, (%3)\n sd t0, (%3)\n sd zero, (%3)");
        break;
    case 20:
        SPIN("sw t0, 4(%3)\n sb zero, 1(%3)\n lw t1, 4(%3)");
        break;
    case 21:
        SPIN("lw t1, (%3)\n xori t1, t1, 64\n sw t1, (%3)\n li t1, 0");
        break;
    default:
        SPIN("csrr t1, mip");
    }
}

// Until bits of mip are there: the hart's own timer, a counter's overflow.
static void spin_for(uint64_t bits) {
    __asm__ volatile("1: csrr t0, mip\n and t0, t0, %0\n beqz t0, 1b" ::"r"(bits) : "t0");
}

static void wait(uint64_t kind, uint64_t hart, uint64_t round, uint64_t some) {
    volatile uint64_t *box = &boxes[hart][0];
    switch (kind) {
    case 20: // the supervisor's timer
        __asm__ volatile("csrw stimecmp, %0" ::"r"(moment() + 1 + some % 8));
        spin_for(STI);
        __asm__ volatile("csrw stimecmp, %0" ::"r"(-1ul));
        break;
    case 21: // a counter of cycles that overflows soon
        __asm__ volatile("csrw mhpmcounter4, %0\n csrw mhpmevent4, %1" ::"r"(-(1 + some % 3000)),
                         "r"(1));
        spin_for(LCOFI);
        __asm__ volatile("csrw mhpmevent4, zero\n csrc mip, %0" ::"r"(LCOFI));
        break;
    case 22: // an interrupt that is taken, perhaps a round too early
        while (taken[hart][0] == 0 && common == round) {
        }
        break;
    case 23: // a word in two lines
        while (*crossed(hart) == round) {
        }
        break;
    case 19: // WFI: the word is written before the interrupt is sent
        __asm__ volatile("csrc mstatus, %0" ::"r"(MSI));
        while (*box == round) {
            __asm__ volatile("wfi");
        }
        __asm__ volatile("csrs mstatus, %0" ::"r"(MSI));
        break;
    case 24: // WFI that ends at once, since an interrupt waits
        __asm__ volatile("csrc mstatus, %0" ::"r"(MSI));
        MSWI[hart] = 1;
        __asm__ volatile("fence iorw, iorw" ::: "memory");
        while (!(common > round)) {
            __asm__ volatile("wfi");
        }
        MSWI[hart] = 0;
        __asm__ volatile("fence iorw, iorw\n csrs mstatus, %0" ::"r"(MSI));
        break;
    case 25:
    case 26:
    case 27:
    case 28:
    case 29:
    case 30:
    case 31:
        spin(some % 23, &common, round, moment() + (some >> 8) % 16, &boxes[hart][4]);
        break;
    default:
        spin(kind, box, round, moment() + some % 16, &boxes[hart][4]);
    }
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = hart;
    __asm__ volatile("csrs menvcfg, %0\n csrw stimecmp, %1" ::"r"(1ul << 63), "r"(-1ul));
    __asm__ volatile("csrw mhpmevent3, %0" ::"r"(3)); // misses of L1 D
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1\n csrs mstatus, %1" ::"r"(handler), "r"(MSI));
    boxes[hart][0] = common;
    taken[hart][0] = 0;
    barrier(harts);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        if (round % harts == hart) {
            // Some are woken early, some late, some while they are still on their way.
            for (volatile uint64_t i = 0; i < sum % 200; i++) {
            }
            for (uint64_t other = 0; other < harts; other++) {
                *crossed(other) = round + 1;
                boxes[other][0] = round + 1;
                if (other != hart) {
                    MSWI[other] = 1;
                }
            }
            common = round + 1;
        } else {
            wait(sum >> 8 & 31, hart, round, sum >> 16);
        }
        sum = (sum ^ cycles()) * 0x9e3779b97f4a7c15 + instructions();
        sum ^= sum >> 29;
        while (common != round + 1) {
            pause();
        }
        barrier(harts);
        taken[hart][0] = 0;
        barrier(harts);
    }
    __asm__ volatile("csrc mstatus, %0" ::"r"(MSI));
    barrier(harts);
    boxes[hart][7] = sum;
    return 0;
}
