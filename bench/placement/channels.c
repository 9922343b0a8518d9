/* SPDX-License-Identifier: Apache-2.0 */
/* Measures messages of a channel: how long one of each size takes until the receiver has read it,
 * and how long 10 KiB take, from the first call to the last byte read, by the size of the messages.
 * All cores have one cycle counter.
 *
 * The nodes share nothing but the kernel's objects and the channel: the receiver answers with the
 * time, and the sender notes and prints all figures. */
#include <stdio.h>
#include <takt/channel.h>
#include <takt/takt.h>

enum {
    READ = 1,     /* priority of a message that is read, */
    ANSWERED = 2, /* and of one that is read behind those, and answered */
    WARM = 4,     /* rounds that are not counted: code and data come into the caches */
    TOTAL = 10 * 1024,
    LONGEST = 1024,
};

static const takt_time PAUSE = 200000; /* ns until the receiver waits again */
static const intptr_t LOW_BITS = 0x7fffffff;

static const unsigned latency_sizes[] = {1, 16, 32, 48, 64, 80, 96, 112, 128};
static const unsigned bandwidth_sizes[] = {16, 32, 64, 128, 256, 512, 1024};

static _Alignas(64) uint8_t message[LONGEST]; /* the sender's */

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static void check(takt_error error) {
    if (error != TAKT_OK) {
        takt_panic("a service failed");
    }
}

/* Sends `count` messages; returns the cycles until the last one has been read. */
static uint64_t measure(unsigned size, unsigned count) {
    check(takt_task_delay(PAUSE));
    intptr_t end;
    unsigned priority;
    uint64_t begin = cycles();
    for (unsigned left = count; left > 0; left--) {
        check(takt_channel_send(TAKT_CHANNEL_bytes, message, size, left == 1 ? ANSWERED : READ));
    }
    check(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_ends, &end, &priority));
    return (uint64_t)((end - (intptr_t)begin) & LOW_BITS);
}

static void measure_all(const char *name, const unsigned *sizes, unsigned of, unsigned total,
                        unsigned rounds) {
    for (unsigned index = 0; index < of; index++) {
        unsigned size = sizes[index];
        uint64_t least = UINT64_MAX, most = 0, sum = 0;
        for (unsigned round = 0; round < WARM + rounds; round++) {
            uint64_t passed = measure(size, total == 0 ? 1 : total / size);
            if (round < WARM) {
                continue;
            }
            least = passed < least ? passed : least;
            most = passed > most ? passed : most;
            sum += passed;
        }
        printf("%s %u, %u times: minimum %lu, average %lu, maximum %lu cycles\n", name, size,
               rounds, (unsigned long)least, (unsigned long)((sum + rounds / 2) / rounds),
               (unsigned long)most);
    }
}

void latency_job(intptr_t rounds) {
    measure_all("latency", latency_sizes, sizeof latency_sizes / sizeof *latency_sizes, 0,
                (unsigned)rounds);
    takt_system_shutdown(0);
}

void bandwidth_job(intptr_t rounds) {
    measure_all("bandwidth", bandwidth_sizes, sizeof bandwidth_sizes / sizeof *bandwidth_sizes,
                TOTAL, (unsigned)rounds);
    takt_system_shutdown(0);
}

/* Reads all of a message, in whole words: a place ends at a multiple of 64 bytes. */
static void read_all(const void *message, size_t size) {
    const volatile uint64_t *words = message;
    for (size_t i = 0; i < (size + 7) / 8; i++) {
        (void)words[i];
    }
}

void receiver_job(intptr_t unused) {
    for (;;) {
        const void *place;
        size_t size;
        unsigned priority;
        check(takt_channel_receive(TAKT_CHANNEL_bytes, &place, &size, &priority));
        read_all(place, size);
        uint64_t end = cycles();
        check(takt_channel_release(TAKT_CHANNEL_bytes, place));
        if (priority == ANSWERED) {
            check(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_ends,
                                                (intptr_t)end & LOW_BITS, 1));
        }
    }
}
