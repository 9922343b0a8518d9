/* SPDX-License-Identifier: Apache-2.0 */
/* stdout and stderr of the C library: lines to the console.
 *
 * Each task gathers its line in its own thread-local storage, so that lines of different tasks do
 * not mix, and a task that is preempted in printf disturbs nobody. A line longer than
 * TAKT_CONSOLE_PIECE is sent in pieces. */
#include <stdio.h>

#include <takt/system.h>

static _Thread_local char line[TAKT_CONSOLE_PIECE];
static _Thread_local unsigned char used;

static int flush(FILE *file) {
    (void)file;
    takt_console_write(line, used);
    used = 0;
    return 0;
}

static int put(char c, FILE *file) {
    line[used++] = c;
    if (c == '\n' || used == sizeof line) {
        flush(file);
    }
    return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);

FILE *const stdout = &console;
FILE *const stderr = &console;
_Static_assert(TAKT_CONSOLE_PIECE <= 255, "counted in a byte");
