// SPDX-License-Identifier: Apache-2.0
// Workers are held until core 0 starts them, stop when it holds them, and start again; nothing but
// their scratchpad and the subnets has an address for them.
#include "program.h"
#include "subnets.h"
#include "traps.h"

enum { FETCH_ACCESS_FAULT = 1, LOAD_ACCESS_FAULT = 5, STORE_ACCESS_FAULT = 7 };
enum { REFUSED = 27 };

#ifdef WORKER

// RAM, ROM, finisher, MSWI, MTIMER, SSWI, PLIC, UART, DMA engine, behind the scratchpad, control.
static const uint64_t nothing[] = {
    0x80000000, 0x1000,     0x100000,   0x2000000,  0x2004000,      0x2f00000,
    0xc000000,  0x10000000, 0x10200000, 0x70100000, CONTROL + 0x10,
};
static volatile uint64_t starts;

static uint64_t refused(uint64_t core) {
    struct traps *caught = trap_catch_all(0);
    uint64_t other = core == 4 ? 5 : 4, count = 0;
    for (unsigned i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        TRAP_LOAD("ld", nothing[i]);
        count += trapped(caught, LOAD_ACCESS_FAULT, nothing[i]);
        TRAP_STORE("sd", nothing[i], 1);
        count += trapped(caught, STORE_ACCESS_FAULT, nothing[i]);
    }
    for (unsigned i = 0; i < 2; i++) {
        ((void (*)(void))nothing[i])();
        count += trapped(caught, FETCH_ACCESS_FAULT, nothing[i]);
    }
    TRAP_STORE("sw", ENTRY(other), 1);
    count += trapped(caught, STORE_ACCESS_FAULT, (uint64_t)ENTRY(other));
    TRAP_STORE("sw", &ARRIVALS, 1);
    count += trapped(caught, STORE_ACCESS_FAULT, (uint64_t)&ARRIVALS);
    TRAP_STORE("sd", &WORD(other, 3), 1);
    count += trapped(caught, STORE_ACCESS_FAULT, (uint64_t)&WORD(other, 3));
    return count;
}

int main(uint64_t core, uint64_t harts) {
    (void)harts;
    // The first load behind a start is answered by what it reads.
    if (WORD(core, 31) != 0) {
        WORD(core, 3) = 1;
    }
    starts++;
    WORD(core, 0) = starts;
    WORD(core, 1) = refused(core);
    for (uint64_t count = 1;; count++) {
        WORD(core, 2) = count;
        if (WORD(core, 2) != count) {
            WORD(core, 3) = count;
        }
    }
}

#else

static void wait(uint64_t count) {
    uint64_t end = cycles() + count;
    while (cycles() < end) {
    }
}

static int stop_and_start(unsigned core, uint64_t starts) {
    RUN(core) = 0;
    if (RUN(core) != 0) {
        return 1;
    }
    uint64_t count = WORD(core, 2);
    wait(starts * 7);
    if (WORD(core, 2) != count) {
        return 2;
    }
    RUN(core) = 1;
    while (WORD(core, 0) != starts) {
    }
    return WORD(core, 31) != 0;
}

int main(uint64_t hart, uint64_t harts) {
    struct traps *caught = trap_catch_all(hart);
    for (unsigned core = harts; core < CORES; core++) {
        if (RUN(core) != 0 || START(core) != 0 || WORD(core, 0) != 0) {
            return 1;
        }
    }
    TRAP_STORE("sd", &RUN(0), 1);
    if (!trapped(caught, STORE_ACCESS_FAULT, (uint64_t)&RUN(0))) {
        return 2;
    }
    for (unsigned core = harts; core < CORES; core++) {
        worker_start(core);
    }
    for (unsigned core = harts; core < CORES; core++) {
        while (WORD(core, 2) == 0) {
        }
        if (WORD(core, 0) != 1 || WORD(core, 1) != REFUSED || WORD(core, 31) != 0) {
            return 3;
        }
    }
    for (uint64_t starts = 2; starts < 40; starts++) {
        if (stop_and_start(1 + starts % 8, 1 + (starts + 6) / 8)) {
            return 4;
        }
    }
    // At once again, whatever the worker waits for.
    for (uint64_t again = 0; again < 24; again++) {
        unsigned core = 1 + again % 8;
        uint64_t starts = WORD(core, 0);
        wait(100 + again * 5);
        RUN(core) = 0;
        RUN(core) = 1;
        while (WORD(core, 0) == starts) {
        }
    }
    for (unsigned core = harts; core < CORES; core++) {
        if (WORD(core, 3) != 0) {
            return 5;
        }
    }
    return 0;
}

#endif
