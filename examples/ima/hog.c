/* SPDX-License-Identifier: Apache-2.0 */
/* The partition `hog`: writes to memory as fast as it can, on each core but the victim's. */
#include <stdint.h>

#include <takt/takt.h>

#define LINE    64
#define MEMORY  (4 << 20)
#define LINES   (MEMORY / LINE)
#define STREAMS 7

struct line {
    uint64_t value;
    uint64_t rest[LINE / 8 - 1];
};

static volatile struct line streams[STREAMS][LINES] __attribute__((aligned(LINE)));

/* Stores to lines of a stream's own memory for ever, in an order that leaves no row of the memory
 * open for the next one. */
void stream_job(intptr_t stream) {
    uint32_t at = 0;
    for (;;) {
        at = (at * 25733 + 12345) % LINES;
        streams[stream][at].value = at;
    }
}
