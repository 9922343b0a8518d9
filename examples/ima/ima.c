/* SPDX-License-Identifier: Apache-2.0 */
/* A control task beside memory hogs. Each entry is the whole of one application. */
#include <stdint.h>

#include <takt/task.h>

#define LINE   64
#define MEMORY (4 << 20)
#define LINES  (MEMORY / LINE)
#define LOADS  350

struct line {
    uint64_t value;
    uint64_t rest[LINE / 8 - 1];
};

static volatile struct line lines[LINES] __attribute__((aligned(LINE)));
static uint32_t place;
static volatile uint32_t controlled;

/* One job: loads each of which needs the value that the one before gave, 0, to know its place, from
 * more memory than the caches hold. The places are a sequence that
 * comes to every line before it comes back. */
void steer_job(intptr_t argument) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < LOADS; i++) {
        place = (place * 25733 + 12345 + (uint32_t)lines[place].value) % LINES;
        value ^= place;
    }
    controlled = value;
}

static volatile struct line streams[8][LINES] __attribute__((aligned(LINE)));

/* Stores to lines of a core's own memory for ever, in an order that leaves no row of the memory
 * open for the next one. */
void stream_job(intptr_t core) {
    uint32_t at = 0;
    for (;;) {
        at = (at * 25733 + 12345) % LINES;
        streams[core][at].value = at;
    }
}

static volatile uint32_t drawn[LINES / 8];

/* A second application: little of everything. */
void draw_job(intptr_t argument) {
    for (uint32_t i = 0; i < sizeof drawn / sizeof drawn[0]; i++) {
        drawn[i] += i;
    }
}
