/* SPDX-License-Identifier: Apache-2.0 */
#include "other.h"

tracer other_late(4);
__attribute__((init_priority(200))) tracer other_early(1);

void other_add() {
    shared_value<int>::value += 2;
}
