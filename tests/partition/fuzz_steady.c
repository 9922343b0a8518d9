/* SPDX-License-Identifier: Apache-2.0 */
/* The neighbour: notices whether its memory changes. */
#include <takt/takt.h>

enum { WORDS = 512 };

static uint64_t memory[WORDS], beats[2];

static uint64_t pattern(unsigned at) {
    return 0x0123456789abcdefu * (at + 1);
}

void beat_job(intptr_t argument) {
    for (unsigned at = 0; at < WORDS; at++) {
        beats[1] += beats[0] != 0 && memory[at] != pattern(at);
        memory[at] = pattern(at);
    }
    beats[0]++;
    takt_buffer_write(TAKT_BUFFER_beats, beats);
}
