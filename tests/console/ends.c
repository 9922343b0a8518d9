/* SPDX-License-Identifier: Apache-2.0 */
/* The C library's console when a job is ended while its line goes to the console: the task's next
 * job finds no line that was sent, and none that is full.
 *
 * The library's own source stands here a second time, with a console that ends the job. */
#define takt_console_write console_that_ends_the_job
#define stdout             other_stdout
#define stderr             other_stderr
#include "stdio.c"
#undef takt_console_write
#undef stdout
#undef stderr

#include "until.h"

static size_t sent_size[8];
static char sent_first[8];
static unsigned sent, jobs;
static bool ends;

takt_error console_that_ends_the_job(const char *text, size_t size) {
    sent_size[sent] = size;
    sent_first[sent] = size > 0 ? text[0] : 0;
    sent++;
    if (ends) {
        takt_task_exit();
    }
    return TAKT_OK;
}

void printer_job(intptr_t argument) {
    static const char first[] = "abc\n";
    unsigned job = jobs;
    count_up(&jobs);
    ends = job < 3;
    switch (job) {
    case 0: /* ended while a line is sent */
        for (unsigned i = 0; i < sizeof first - 1; i++) {
            put(first[i], NULL);
        }
        break;
    case 1: /* ended while a piece is sent that fills the line */
        for (unsigned i = 0; i < TAKT_CONSOLE_PIECE; i++) {
            put('x', NULL);
        }
        break;
    case 2: /* ended during a flush */
        put('y', NULL);
        flush(NULL);
        break;
    default:
        put('z', NULL);
        put('\n', NULL);
    }
    count_up(&jobs); /* only the last job comes here */
}

void main_job(intptr_t argument) {
    const size_t sizes[] = {4, TAKT_CONSOLE_PIECE, 1, 2};
    for (unsigned i = 0; i < 4; i++) {
        CHECK_IS(takt_task_activate(TAKT_TASK_printer), TAKT_OK);
        wait_until_count(&jobs, i + 1);
        wait_a_while();
        CHECK_IS(sent, i + 1);
        CHECK_IS(sent_size[i], sizes[i]);
        CHECK_IS(sent_first[i], "axyz"[i]);
    }
    CHECK_IS(read_count(&jobs), 5);
    check_end();
}
