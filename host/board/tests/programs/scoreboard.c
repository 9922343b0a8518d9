// SPDX-License-Identifier: Apache-2.0
// Each core writes its entry of the scoreboard, many times over, and the views of all cores are
// what the entries say; a load takes 2 ways and a cycle, a store one cycle.
#include "program.h"
#include "subnets.h"

enum { ROUNDS = 20 };

static uint32_t entry(uint64_t core, uint64_t round) {
    return (uint32_t)((core + 1) * 0x9e3779b9u * (uint32_t)(2 * round + 1));
}

// What the views show a core, from the entries.
static int views_differ(uint64_t own, uint64_t round) {
    uint32_t arrivals = 0, answers = 0;
    for (unsigned other = 0; other < CORES; other++) {
        if (*ENTRY(other) != entry(other, round)) {
            return 1;
        }
        if (other != own) {
            uint32_t value = entry(other, round);
            arrivals |= (value >> (16 + 2 * field(own, other)) & 3) << 2 * field(other, own);
            answers |= (value >> 2 * field(own, other) & 3) << 2 * field(other, own);
        }
    }
    return ARRIVALS != arrivals || ANSWERS != answers;
}

#define MEASURED(code)                                                                             \
    ({                                                                                             \
        uint64_t begin_, end_, shortest_ = -1;                                                     \
        for (int i_ = 0; i_ < 3; i_++) {                                                           \
            __asm__ volatile(".balign 64\n\tcsrr %0, mcycle\n\t" code "\n\tcsrr %1, mcycle"        \
                             : "=&r"(begin_), "=&r"(end_)                                          \
                             : "r"(ENTRY(core))                                                    \
                             : "t0", "memory");                                                    \
            shortest_ = end_ - begin_ < shortest_ ? end_ - begin_ : shortest_;                     \
        }                                                                                          \
        shortest_;                                                                                 \
    })

static int cycles_differ(uint64_t core) {
    uint64_t none = MEASURED("");
    if (MEASURED("lw t0, 0(%2)") - none != 2 * WAY + 1) {
        return 1;
    }
    if (MEASURED("sw x0, 0(%2)") - none != 1) {
        return 2;
    }
    // The next access leaves when the store has been answered.
    return MEASURED("sw x0, 0(%2)\n\tlw t0, 0(%2)") - none != 4 * WAY + 1;
}

// All cores, by a word of each.
static void meet(uint64_t core, uint64_t round) {
    WORD(core, 0) = round;
    for (unsigned other = 0; other < CORES; other++) {
        while (WORD(other, 0) < round) {
        }
    }
}

static int work(uint64_t core) {
    int wrong = cycles_differ(core);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        meet(core, 2 * round + 1);
        *ENTRY(core) = entry(core, round);
        meet(core, 2 * round + 2);
        if (views_differ(core, round)) {
            wrong = 4;
        }
    }
    return wrong;
}

#ifdef WORKER

int main(uint64_t core, uint64_t harts) {
    (void)harts;
    WORD(core, 1) = 0x100 | work(core);
    return 0;
}

#else

int main(uint64_t hart, uint64_t harts) {
    for (unsigned core = harts; core < CORES; core++) {
        worker_start(core);
    }
    int wrong = work(hart);
    for (unsigned core = harts; core < CORES; core++) {
        while (WORD(core, 1) == 0) {
        }
        if (WORD(core, 1) != 0x100) {
            return 10 * core + (WORD(core, 1) & 0xff);
        }
    }
    return wrong;
}

#endif
