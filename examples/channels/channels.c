/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks of two nodes report to a logger on a third. A report is a text, as long as it has to be; an
 * urgent one overtakes those that wait. The logger prints it where it lies. */
#include <stdio.h>

#include <takt/channel.h>
#include <takt/takt.h>

enum { URGENT = 1, USUAL = 2, LONGEST = 48, TEMPERATURES = 5 };

static const takt_time PRINTING = 500 * TAKT_MICROSECOND; /* that the logger needs for a report */

static void check(takt_error error) {
    if (error != TAKT_OK) {
        takt_panic("a service failed");
    }
}

/* Sends a text of so many characters. */
static void report(const char *text, int size, unsigned priority) {
    check(takt_channel_send(TAKT_CHANNEL_reports, text, (size_t)size, priority));
}

void thermometer_job(intptr_t unused) {
    for (int number = 1; number <= TEMPERATURES; number++) {
        _Alignas(8) char text[LONGEST];
        report(text, snprintf(text, sizeof text, "temperature %d: %d C", number, 20 + number % 3),
               USUAL);
    }
}

void door_job(intptr_t unused) {
    check(takt_task_delay(2 * PRINTING));
    report("the door is open", 16, URGENT);
}

void logger_job(intptr_t unused) {
    for (int left = TEMPERATURES + 1; left > 0; left--) {
        const void *text;
        size_t size;
        unsigned priority;
        check(takt_channel_receive(TAKT_CHANNEL_reports, &text, &size, &priority));
        printf("%s%.*s\n", priority == URGENT ? "urgent: " : "", (int)size, (const char *)text);
        check(takt_task_delay(PRINTING));
        check(takt_channel_release(TAKT_CHANNEL_reports, text)); /* the next receive would, too */
    }
    takt_system_shutdown(0);
}
