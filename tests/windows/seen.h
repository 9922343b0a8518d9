/* SPDX-License-Identifier: Apache-2.0 */
/* What the watcher has seen of its windows. */
#ifndef TESTS_SEEN_H
#define TESTS_SEEN_H

#include <stdint.h>

struct seen {
    uint64_t looks;         /* at the clock */
    uint64_t outside;       /* of these, how many outside all windows of the partition */
    uint64_t wrong;         /* offset in the frame of the last of these, ns */
    uint64_t first, second; /* looks in either window */
};

#endif
