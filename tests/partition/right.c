/* SPDX-License-Identifier: Apache-2.0 */
/* Answers what left.c writes. */
#include <takt/takt.h>

struct value {
    uint64_t words[3];
};

static struct value shared = {{100, 100, 100}};

void work(intptr_t argument) {
    struct value value;
    if (takt_buffer_read(TAKT_BUFFER_to_right, &value) != TAKT_OK) {
        takt_panic("no value");
    }
    for (int i = 0; i < 3; i++) {
        value.words[i] += shared.words[i];
    }
    takt_buffer_write(TAKT_BUFFER_to_left, &value);
}
