/* SPDX-License-Identifier: Apache-2.0 */
#include <takt/takt.h>

static uint64_t beats;

void beat_job(intptr_t argument) {
    beats++;
    takt_buffer_write(TAKT_BUFFER_beats, &beats);
}
