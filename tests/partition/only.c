/* SPDX-License-Identifier: Apache-2.0 */
/* The only partition of a system: uses each of its regions, and leaves them once. */
#include <takt/takt.h>

struct value {
    uint64_t words[3];
};

static struct value filled = {{1, 2, 3}};
static const struct value constant = {{10, 20, 30}};
static struct value zeroed;
static _Thread_local uint64_t own = 100;

void work_job(intptr_t argument) {
    struct value value;
    if (takt_buffer_read(TAKT_BUFFER_to_work, &value) != TAKT_OK) {
        takt_panic("no value");
    }
    for (int i = 0; i < 3; i++) {
        value.words[i] += filled.words[i] + constant.words[i] + own;
    }
    zeroed.words[0]++;
    takt_buffer_write(TAKT_BUFFER_to_judge, zeroed.words[0] == 1 ? &zeroed : &value);
    if (zeroed.words[0] == 4) {
        *(volatile uint64_t *)0xffffffff80000000 = 0;
    }
}
