/* SPDX-License-Identifier: Apache-2.0 */
/* A console ring that is full drops whole pieces, reports it, and delays no task; printf prints
 * numbers. */
#include <math.h>
#include <string.h>

#include "until.h"

enum { PIECE = 100 };

static void errors(void) {
    CHECK_IS(takt_console_write(NULL, 1), TAKT_E_PAR);
    CHECK_IS(takt_console_write(NULL, 0), TAKT_E_PAR);
    CHECK_IS(takt_console_write("", 0), TAKT_OK);
}

static takt_time longest, longest_dropped;

static takt_error write_measured(const char *text, size_t size) {
    takt_time before = takt_time_now();
    takt_error result = takt_console_write(text, size);
    takt_time taken = takt_time_now() - before;
    takt_time *kind = result == TAKT_OK ? &longest : &longest_dropped;
    *kind = taken > *kind ? taken : *kind;
    return result;
}

/* This task does not wait and runs on the console core, so that nothing is sent in the meantime. */
static void fill(void) {
    char piece[PIECE];
    memset(piece, '=', sizeof piece);
    piece[PIECE - 1] = '\n';
    CHECK_IS(write_measured(piece, PIECE), TAKT_OK);
    CHECK_IS(write_measured(piece, PIECE), TAKT_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_IS(write_measured(piece, PIECE), TAKT_E_QOVR);
    }
    CHECK_IS(write_measured(piece + PIECE - 1, 1), TAKT_OK); /* there is room for this */
    takt_task_delay(50 * TAKT_MILLISECOND);
    CHECK_IS(takt_console_write(piece, PIECE), TAKT_OK); /* everything has been sent */
    takt_task_delay(50 * TAKT_MILLISECOND);
}

static void numbers(void) {
    printf("%.17g %g %g %g\n", 0.1, -0.0, 1e308, 5e-324);
    printf("%f %.3e %g %g\n", 3.14159265358979, -12345.678, (double)INFINITY, (double)-INFINITY);
    printf("%lld %llu %lx %c%s\n", (long long)INT64_MIN, (unsigned long long)UINT64_MAX, 0xabcul,
           'x', "yz");
    takt_task_delay(50 * TAKT_MILLISECOND);
}

void main_job(intptr_t argument) {
    errors();
    fill();
    numbers();
    printf("longest write: dropped %s\n", longest_dropped <= longest ? "is no longer" : "waited");
    takt_task_delay(50 * TAKT_MILLISECOND);
    check_end();
}
