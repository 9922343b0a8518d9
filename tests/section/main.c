/* SPDX-License-Identifier: Apache-2.0 */
/* One call concerns hundreds of tasks, and an empty job above the caller still responds quickly:
 * the call handles one task in each section with interrupts disabled. */
#include "kind.h"
#include "until.h"

/* On the board `virt` an empty job's response is about 2 us, and was 15 to 45 when the call was one
 * section. The scan of a flag's tasks still is one, which the analysis charges. */
#if defined KIND_flag
enum { QUICK = 18 * TAKT_MICROSECOND };
#elif defined KIND_ended /* includes its own call */
enum { QUICK = 12 * TAKT_MICROSECOND };
#else
enum { QUICK = 6 * TAKT_MICROSECOND };
#endif

static unsigned ready, woken;

/* --- The objects that the crowd waits for, and the call ----------------------------------------
 */

#if defined KIND_barrier || defined KIND_ended || defined KIND_raised
static takt_error waits(intptr_t who) {
    return takt_barrier_wait(TAKT_BARRIER_all);
}
static void call(void) {
    CHECK_IS(takt_barrier_wait(TAKT_BARRIER_all), TAKT_OK);
}
#ifdef KIND_barrier
static bool all_wait(void) {
    struct takt_barrier_state state;
    return takt_barrier_state(TAKT_BARRIER_all, &state) == TAKT_OK && state.arrived == CROWD;
}
#endif
#elif defined KIND_flag
static takt_error waits(intptr_t who) {
    uint32_t found;
    return takt_flag_wait(TAKT_FLAG_go, 1, TAKT_FLAG_ANY, &found);
}
static void call(void) {
    CHECK_IS(takt_flag_set(TAKT_FLAG_go, 1), TAKT_OK);
}
#elif defined KIND_readers
static takt_error waits(intptr_t who) {
    return takt_reader_writer_lock_read(TAKT_READER_WRITER_LOCK_lock_0);
}
static void call(void) {
    CHECK_IS(takt_reader_writer_lock_unlock(TAKT_READER_WRITER_LOCK_lock_0), TAKT_OK);
}
#elif defined KIND_senders
static takt_error waits(intptr_t who) {
    return takt_message_buffer_send(TAKT_MESSAGE_BUFFER_box, "x", 1);
}
/* When the longest message leaves, there is room for 64 others. */
static void call(void) {
    static uint8_t message[1024];
    size_t size;
    for (unsigned i = 0; i < CROWD + 1; i++) {
        CHECK_IS(takt_message_buffer_receive(TAKT_MESSAGE_BUFFER_box, message, &size), TAKT_OK);
    }
}
#elif defined KIND_queue
static takt_error waits(intptr_t who) {
    return takt_semaphore_wait(TAKT_SEMAPHORE_queue);
}
/* Its place is behind all others. */
static void call(void) {
    for (unsigned i = 0; i < 400; i++) {
        CHECK_IS(takt_semaphore_wait_for(TAKT_SEMAPHORE_queue, 1), TAKT_E_TMOUT);
    }
    for (unsigned i = 0; i < CROWD; i++) {
        CHECK_IS(takt_semaphore_signal(TAKT_SEMAPHORE_queue), TAKT_OK);
    }
}
#else
static takt_error waits(intptr_t who) {
    return TAKT_OK;
}
/* The task ends with the last of many locks. */
static void call(void) {
    CHECK_IS(takt_reader_writer_lock_read(TAKT_READER_WRITER_LOCKS), TAKT_OK);
}
#endif

void crowd_job(intptr_t who) {
    count_up(&ready);
    CHECK_IS(waits(who), TAKT_OK);
    count_up(&woken);
}

/* --- The call and the task that watches it -----------------------------------------------------
 */

static takt_time longest;
static unsigned watching, jobs, done;

void watch_job(intptr_t argument) {
    takt_time response = takt_time_now() - takt_task_release_time();
    if (!read_count(&watching)) {
        return;
    }
    longest = response > longest ? response : longest;
    jobs++;
#ifdef KIND_ended
    if (jobs == 2) { /* in the middle of the call */
        CHECK_IS(takt_task_terminate(TAKT_TASK_caller), TAKT_OK);
        CHECK(read_count(&woken) < CROWD);
        count_up(&done);
    }
#endif
}

void caller_job(intptr_t argument) {
    call();
    count_up(&done);
}

static void settle(void) {
    wait_until_count(&ready, CROWD);
    takt_task_delay(2 * TAKT_MILLISECOND);
#ifdef KIND_barrier
    CHECK(all_wait());
#endif
}

void main_job(intptr_t argument) {
#ifdef KIND_readers
    CHECK_IS(takt_reader_writer_lock_write(TAKT_READER_WRITER_LOCK_lock_0), TAKT_OK);
#endif
#ifdef KIND_senders
    static uint8_t message[1024];
    CHECK_IS(takt_message_buffer_send(TAKT_MESSAGE_BUFFER_box, message, sizeof message), TAKT_OK);
#endif
    settle();
    count_up(&watching);
#ifdef KIND_readers
    call(); /* the caller is the holder */
    count_up(&done);
#else
    for (unsigned i = 0; i < (CROWD == 1 ? 20 : 1); i++) {
        unsigned before = read_count(&done);
        CHECK_IS(takt_task_activate(TAKT_TASK_caller), TAKT_OK);
        wait_until_count(&done, before + 1);
    }
#endif
    wait_until_count(&woken, CROWD);
    takt_task_delay(TAKT_MILLISECOND);
    printf("%u jobs beside the call, the longest response %lld ns\n", jobs, (long long)longest);
    CHECK(jobs > 2);
    CHECK(longest < QUICK);
    check_end();
}
