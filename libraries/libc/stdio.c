/* SPDX-License-Identifier: Apache-2.0 */
/* stdout and stderr of the C library: lines to the console.
 *
 * Each task gathers its line in its own thread-local storage, so that lines of different tasks do
 * not mix, and a task that is preempted in printf disturbs nobody. A line longer than
 * TAKT_CONSOLE_PIECE is sent in pieces.
 *
 * A job may be ended at any step, and the next job of its task goes on with this storage: so
 * `used` never exceeds what `line` holds, and what is given to the console is forgotten before. An
 * ended job may lose a line, or leave the beginning of one, which the next job's line follows. */
#include <stdio.h>

#include <takt/system.h>

static _Thread_local char line[TAKT_CONSOLE_PIECE];
/* Volatile, so that it is written where the source says, before and after the calls. */
static _Thread_local volatile unsigned char used;

static int flush(FILE *file) {
    (void)file;
    unsigned char size = used;
    used = 0; /* before the call: a job that is ended in it shall not have its line printed twice */
    takt_console_write(line, size);
    return 0;
}

static int put(char c, FILE *file) {
    unsigned char place = used;
    line[place] = c;
    if (c != '\n' && place + 1u < sizeof line) {
        used = (unsigned char)(place + 1);
        return (unsigned char)c;
    }
    /* `used` is still below the size here, so a job that is ended at this point does not leave a
     * full line. */
    used = 0;
    takt_console_write(line, place + 1u);
    return (unsigned char)c;
}

static FILE console = FDEV_SETUP_STREAM(put, NULL, flush, _FDEV_SETUP_WRITE);

FILE *const stdout = &console;
FILE *const stderr = &console;
_Static_assert(TAKT_CONSOLE_PIECE <= 255, "counted in a byte");
