/* SPDX-License-Identifier: Apache-2.0 */
/* Prints lines of many lengths, up to the longest that stays whole, from two tasks on each core.
 * host/cli/tests/console.rs checks that all arrive whole and in order. */
#include "until.h"

enum { WRITERS = 8, LINES = 60 };

static unsigned writers_done;

/* Prints "writer 3 line 17 " and as many x that the line has `length` characters. */
static void write_line(int writer, int number, int length) {
    char text[TAKT_CONSOLE_PIECE + 1];
    int used = snprintf(text, sizeof text, "writer %d line %d ", writer, number);
    while (used < length - 1) {
        text[used++] = 'x';
    }
    text[used] = 0;
    puts(text);
}

void writer_job(intptr_t writer) {
    for (int number = 0; number < LINES; number++) {
        write_line((int)writer, number, TAKT_CONSOLE_PIECE - number % 100);
        if (number % 4 == writer % 4) {
            takt_task_delay(50 * TAKT_MICROSECOND);
        }
    }
    count_up(&writers_done);
}

void main_job(intptr_t argument) {
    wait_until_count(&writers_done, WRITERS);
    check_end();
}
