/* SPDX-License-Identifier: Apache-2.0 */
/* The cores form random pairs; each pair shares one semaphore, which is at home at one of the two.
 * */
#include "random.h"
#include "scaling.h"

static takt_id of_core[CORES_MAX];

static void choose(unsigned cores) {
    draw_pairs(cores);
    for (unsigned i = 0; i < cores; i++) {
        of_core[drawn[i]] = TAKT_SEMAPHORE_own_0 + drawn[i & ~1u];
    }
}

static takt_id chosen(unsigned core) {
    return of_core[core];
}
