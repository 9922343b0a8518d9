/* SPDX-License-Identifier: Apache-2.0 */
/* QEMU's Goldfish clock as an interrupting device: an alarm in the past rings at once. */
#include <takt/takt.h>

#include "../check.h"
#include "devices.h"

enum { ALARM_LOW = 2, ALARM_HIGH = 3, INTERRUPT_ENABLE = 4, CLEAR_INTERRUPT = 7 };

const bool spurious_calls = true;

static volatile uint32_t *rtc;

void second_open(void) {
    volatile void *registers = 0;
    CHECK_IS(takt_interrupt_registers(TAKT_INTERRUPT_second, &registers), TAKT_OK);
    rtc = registers;
    rtc[INTERRUPT_ENABLE] = 1;
}

void second_raise(void) {
    rtc[ALARM_HIGH] = 0;
    rtc[ALARM_LOW] = 1;
}

void second_lower(void) {
    rtc[CLEAR_INTERRUPT] = 1;
}
