/* SPDX-License-Identifier: Apache-2.0 */
/* Work in which the kernel's memory orderings matter: what a flag announces lies in a line that the
 * other core still holds a copy of, so that its store takes longer than the flag's.
 *
 * host/cli/tests/orderings.rs runs it with kernels that lack one of them. */
#include "until.h"

#ifndef TURNS /* tests/seeds has fewer */
#define TURNS 200
#define READS 1000
#define JOBS  500
#endif

enum { ASKING = 3 };

static unsigned done;

static void spin(unsigned turns) {
    for (volatile unsigned i = 0; i < turns; i++) {
    }
}

/* --- A semaphore's queue: its links are in the control blocks of the waiting tasks -------------
 */

static unsigned asked;

/* Each wait is announced, so that its signal comes while the task joins the queue. */
void asking_job(intptr_t core) {
    for (unsigned turn = 0; turn < TURNS; turn++) {
        count_up(&asked);
        CHECK_IS(takt_semaphore_wait(TAKT_SEMAPHORE_line),
                 TAKT_OK); /* waits for ever if it is forgotten */
        spin((turn * 7 + (unsigned)core * 5) % 32);
    }
    count_up(&done);
}

void answering_job(intptr_t argument) {
    for (unsigned given = 0; given < ASKING * TURNS; given++) {
        while (read_count(&asked) <= given) {
        }
        spin(given % 16);
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_line), TAKT_OK);
    }
    count_up(&done);
}

/* --- A buffer whose value is smaller than the store buffer, so that the slot's number can be
 * published while all of the value's stores wait ----------------------------------------------- */

static unsigned readers_done;

void writer_job(intptr_t argument) {
    for (uint32_t number = 1; read_count(&readers_done) < 2; number++) {
        CHECK_IS(takt_buffer_write(TAKT_BUFFER_small, &number), TAKT_OK);
        spin(number % 32 == 0 ? number / 32 % 64 : 0);
    }
    count_up(&done);
}

void reader_job(intptr_t core) {
    uint32_t latest = 0;
    unsigned backwards = 0;
    for (unsigned i = 0; i < READS; i++) {
        uint32_t number;
        CHECK_IS(takt_buffer_read(TAKT_BUFFER_small, &number), TAKT_OK);
        backwards += number < latest;
        latest = number;
        spin(i * (unsigned)core % 16);
    }
    CHECK_IS(backwards, 0);
    count_up(&readers_done);
}

/* --- Queued activations: their times are stored beside the task's control block ----------------
 */

static unsigned jobs, backward_jobs;

/* Time passes between two activations, so each job has a later release than the one before. */
void served_job(intptr_t argument) {
    static takt_time latest;
    takt_time release = takt_task_release_time();
    backward_jobs += release <= latest;
    latest = release;
    count_up(&jobs);
}

void activating_job(intptr_t argument) {
    takt_time last = 0;
    for (unsigned accepted = 0; accepted < JOBS;) {
        while (takt_time_now() == last) {
        }
        last = takt_time_now();
        accepted += takt_task_activate(TAKT_TASK_served) == TAKT_OK;
        spin(accepted % 16);
    }
    wait_until_count(&jobs, JOBS);
    count_up(&done);
}

/* Starts tasks with consecutive IDs and waits for them; a task that hangs ends the test. */
static void run(takt_id first, takt_id last) {
    static unsigned started;
    for (takt_id task = first; task <= last; task++) {
        CHECK_IS(takt_task_activate(task), TAKT_OK);
        started++;
    }
    for (unsigned i = 0; i < 300 && read_count(&done) < started; i++) {
        takt_task_delay(TAKT_MILLISECOND);
    }
    if (read_count(&done) < started) {
        CHECK(!"all tasks have come to their end");
        check_end();
    }
}

void main_job(intptr_t argument) {
    run(TAKT_TASK_asking_0, TAKT_TASK_answering);
    CHECK_IS(takt_task_activate(TAKT_TASK_reader_1), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_reader_2), TAKT_OK);
    run(TAKT_TASK_writer, TAKT_TASK_writer);
    run(TAKT_TASK_activating, TAKT_TASK_activating);
    CHECK_IS(backward_jobs, 0);
    check_end();
}
