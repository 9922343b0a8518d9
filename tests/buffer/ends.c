/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers whose writers' jobs end at changing steps of a write, by their budget and by termination,
 * and begin anew at once: no value that is read was written in part, and none comes back.
 *
 * A handler interrupts the reader often, so that many reads stand still for some microseconds. The
 * steps at which a read and a write must meet are few: tests/spin/buffer.pml visits all of them. */
#include "until.h"

enum { WORDS = 128, ENOUGH = 300 };

struct value {
    uint64_t words[WORDS]; /* each word holds the value's number */
};

static bool stop;

static bool stopped(void) {
    return __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
}

static void publish(takt_id buffer) {
    static struct value values[TAKT_BUFFERS + 1];
    static uint64_t published[TAKT_BUFFERS + 1]; /* increases from job to job */
    uint64_t number = ++published[buffer];
    for (int i = 0; i < WORDS; i++) {
        values[buffer].words[i] = number;
    }
    takt_buffer_write(buffer, &values[buffer]);
}

/* Waits after its first write for a time that differs from job to job, so that the jobs are ended
 * at different steps.
 * */
void writer_job(intptr_t buffer) {
    static unsigned jobs[TAKT_BUFFERS + 1];
    publish((takt_id)buffer);
    takt_time end = takt_time_now() + (takt_time)(++jobs[buffer] * 37 % 200) * 100;
    while (takt_time_now() < end) {
    }
    while (!stopped()) {
        publish((takt_id)buffer);
    }
}

static struct watch {
    uint64_t latest;
    unsigned torn, backwards, changes;
} watches[TAKT_BUFFERS + 1];

static void watch(struct watch *watch, takt_id buffer) {
    struct value value;
    if (takt_buffer_read(buffer, &value) != TAKT_OK) {
        CHECK(!"the reader may read");
    }
    bool whole = true;
    for (int i = 1; i < WORDS; i++) {
        whole &= value.words[i] == value.words[0];
    }
    watch->torn += !whole;
    watch->backwards += value.words[0] < watch->latest;
    watch->changes += value.words[0] != watch->latest;
    watch->latest = value.words[0];
}

static unsigned readers_done;

void reader_job(intptr_t argument) {
    while (!stopped()) {
        watch(&watches[TAKT_BUFFER_budget], TAKT_BUFFER_budget);
        watch(&watches[TAKT_BUFFER_termination], TAKT_BUFFER_termination);
    }
    count_up(&readers_done);
}

/* Delays the reader for some microseconds. */
void disturb(intptr_t argument) {
    static unsigned calls;
    takt_time end = takt_time_now() + TAKT_MICROSECOND * (4 + ++calls % 7);
    while (takt_time_now() < end) {
    }
}

static unsigned terminated;

/* A periodic task that keeps an activation of each writer queued, and terminates one of them. */
void ender_job(intptr_t argument) {
    takt_task_activate(TAKT_TASK_over_budget);
    takt_task_activate(TAKT_TASK_terminated);
    if (takt_task_terminate(TAKT_TASK_terminated) == TAKT_OK) {
        count_up(&terminated);
    }
}

static void check_watch(const char *name, const struct watch *watch) {
    printf("%s: %u changes, %u torn, %u backwards\n", name, watch->changes, watch->torn,
           watch->backwards);
    CHECK_IS(watch->torn, 0);
    CHECK_IS(watch->backwards, 0);
}

void main_job(intptr_t argument) {
    takt_task_activate(TAKT_TASK_terminated);
    takt_task_activate(
        TAKT_TASK_terminated); /* so that one is queued whenever the ender terminates */
    wait_until_count(&terminated, ENOUGH);
    wait_until_count(&watches[TAKT_BUFFER_budget].changes, ENOUGH);
    wait_until_count(&watches[TAKT_BUFFER_termination].changes, ENOUGH);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    wait_until_count(&readers_done, 1);
    check_watch("by budget", &watches[TAKT_BUFFER_budget]);
    check_watch("by termination", &watches[TAKT_BUFFER_termination]);
    check_end();
}
