/* SPDX-License-Identifier: Apache-2.0 */
/* Tests which tasks may use a buffer, and that every value read was written as a whole and no old
 * value returns. */
#include "until.h"

enum { WORDS = 32, READS = 60000, CHANGES = 3000, ENOUGH = 100 };

struct value {
    uint64_t words[WORDS]; /* each but the last one holds the value's number; the last one is
                              computed from it */
};

static uint64_t seal(uint64_t number) {
    return (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static void publish(takt_id buffer, uint64_t number) {
    struct value value;
    for (int i = 0; i < WORDS - 1; i++) {
        value.words[i] = number;
    }
    value.words[WORDS - 1] = seal(number);
    CHECK_IS(takt_buffer_write(buffer, &value), TAKT_OK);
}

/* What one reader has read from one buffer. */
struct watch {
    uint64_t latest;
    unsigned torn, backwards, changes;
};

static void watch(struct watch *watch, takt_id buffer) {
    struct value value;
    if (takt_buffer_read(buffer, &value) != TAKT_OK) {
        CHECK(!"the reader may read");
    }
    uint64_t number = value.words[0];
    bool whole = value.words[WORDS - 1] == (number == 0 ? 0 : seal(number));
    for (int i = 1; i < WORDS - 1; i++) {
        whole &= value.words[i] == number;
    }
    watch->torn += !whole;
    watch->backwards += number < watch->latest;
    watch->changes += number != watch->latest;
    watch->latest = number;
}

static unsigned readers_done;
static bool stop;
static struct watch fast[4], slow[4]; /* by core; `above` is on core 0 */

static bool stopped(void) {
    return __atomic_load_n(&stop, __ATOMIC_ACQUIRE);
}

void writer_job(intptr_t argument) {
    for (uint64_t number = 1; !stopped(); number++) {
        publish(TAKT_BUFFER_fast, number);
    }
}

void above_job(intptr_t argument) {
    if (!stopped()) {
        watch(&fast[0], TAKT_BUFFER_fast);
    }
}

void interrupter_job(intptr_t argument) {
    static uint64_t number;
    publish(TAKT_BUFFER_slow, ++number);
}

void reader_job(intptr_t core) {
    if (core == 1) {
        uint64_t value[3] = {1, 2, 3};
        CHECK_IS(takt_buffer_read(TAKT_BUFFER_untouched, value), TAKT_OK);
        CHECK_IS(value[0] | value[1] | value[2], 0); /* never written: zeros */
    }
    for (int i = 0; i < READS || (fast[core].changes < CHANGES && i < 30 * READS) ||
                    (core != 3 && slow[core].changes <= ENOUGH && takt_time_now() < PATIENCE);
         i++) {
        if (i % 64 == 0) { /* QEMU's instruction clock is unfair to harts beside busy ones */
            takt_task_delay(5 * TAKT_MICROSECOND + i % 977 * 10);
        }
        watch(&fast[core], TAKT_BUFFER_fast);
        if (core != 3) {
            watch(&slow[core], TAKT_BUFFER_slow);
        }
    }
    count_up(&readers_done);
}

static void errors(void) {
    uint64_t value[WORDS] = {7};
    const takt_id wrong[] = {0, TAKT_BUFFERS + 1, UINT32_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        CHECK_IS(takt_buffer_write(wrong[i], value), TAKT_E_ID);
        CHECK_IS(takt_buffer_read(wrong[i], value), TAKT_E_ID);
    }
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_untouched, NULL), TAKT_E_PAR);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_fast, NULL), TAKT_E_PAR);
    CHECK_IS(takt_buffer_write(TAKT_BUFFER_fast, value), TAKT_E_ILUSE);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_fast, value), TAKT_E_ILUSE);
    CHECK_IS(takt_buffer_read(TAKT_BUFFER_untouched, value),
             TAKT_E_ILUSE); /* the buffer's writer */
    CHECK_IS(value[0], 7);
}

static void check_watch(const char *name, int core, const struct watch *watch) {
    printf("%s, core %d: %u changes, %u torn, %u backwards\n", name, core, watch->changes,
           watch->torn, watch->backwards);
    CHECK_IS(watch->torn, 0);
    CHECK_IS(watch->backwards, 0);
    CHECK(watch->changes > ENOUGH);
}

void main_job(intptr_t argument) {
    errors();
    CHECK_IS(takt_task_activate(TAKT_TASK_reader_1), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_reader_2), TAKT_OK);
    CHECK_IS(takt_task_activate(TAKT_TASK_reader_3), TAKT_OK);
    takt_task_delay(TAKT_MILLISECOND);
    CHECK_IS(takt_task_activate(TAKT_TASK_writer), TAKT_OK);
    wait_until_count(&readers_done, 3);
    wait_until_count(&fast[0].changes, ENOUGH + 1);
    __atomic_store_n(&stop, true, __ATOMIC_RELEASE);
    for (int core = 0; core < 4; core++) {
        check_watch("fast", core, &fast[core]);
    }
    check_watch("slow", 1, &slow[1]);
    check_watch("slow", 2, &slow[2]);
    check_end();
}
