/* SPDX-License-Identifier: Apache-2.0 */
/* Measures a switch between two tasks of node 1, a message from node 1 to a task that waits on
 * node 0, and the round trip of a message and its answer. All cores have one cycle counter.
 *
 * The nodes share nothing but the kernel's objects: the receiver answers with what it has measured,
 * and node 1 notes and prints all figures. */
#include <stdio.h>
#include <takt/takt.h>

enum {
    PRIORITY = 10,
    WARM = 20, /* rounds that are not counted: code and data come into the caches */
    MOST = 1000,
};

static const takt_time PAUSE = 200000; /* ns until the receiver waits again */
static const intptr_t LOW_BITS = 0x7fffffff;

/* The figures of one kind, of which the first WARM are not counted. */
struct series {
    const char *name;
    unsigned count;
    uint64_t cycles[WARM + MOST];
};

static struct series switches = {.name = "switch"};
static struct series messages = {.name = "message"};
static struct series round_trips = {.name = "round trip"};

/* Node 1: when the task that ran last called the kernel, and how many of the two have ended. */
static volatile uint64_t left_at;
static unsigned ended;

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

static void note(struct series *series, uint64_t passed) {
    series->cycles[series->count] = passed;
    series->count++;
}

static void print(const struct series *series) {
    uint64_t least = UINT64_MAX, most = 0, sum = 0;
    for (unsigned index = WARM; index < series->count; index++) {
        uint64_t passed = series->cycles[index];
        least = passed < least ? passed : least;
        most = passed > most ? passed : most;
        sum += passed;
    }
    unsigned count = series->count - WARM;
    printf("%s, %u times: minimum %lu, average %lu, maximum %lu cycles\n", series->name, count,
           (unsigned long)least, (unsigned long)((sum + count / 2) / count), (unsigned long)most);
}

/* Two tasks of one priority: each switches to the other and notes how long the other's switch took,
 * from its call to the next instruction here. */
void switch_job(intptr_t rounds) {
    while (switches.count < WARM + (unsigned)rounds) {
        left_at = cycles();
        check(takt_task_rotate(PRIORITY));
        uint64_t passed = cycles() - left_at;
        if (switches.count < WARM + (unsigned)rounds) {
            note(&switches, passed);
        }
    }
    ended++;
    if (ended == 2) {
        check(takt_task_activate(TAKT_TASK_sender));
    }
}

/* Sends the time as a message, and waits for the answer, in which the receiver says how old the
 * message was. */
void sender_job(intptr_t rounds) {
    for (intptr_t round = -WARM; round < rounds; round++) {
        check(takt_task_delay(PAUSE));
        intptr_t age;
        unsigned priority;
        uint64_t begin = cycles();
        check(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_times,
                                            (intptr_t)begin & LOW_BITS, 1));
        check(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_ages, &age, &priority));
        note(&round_trips, cycles() - begin);
        note(&messages, (uint64_t)age);
    }
    print(&switches);
    print(&messages);
    print(&round_trips);
    takt_system_shutdown(0);
}

void receiver_job(intptr_t argument) {
    for (;;) {
        intptr_t sent;
        unsigned priority;
        check(takt_priority_data_queue_receive(TAKT_PRIORITY_DATA_QUEUE_times, &sent, &priority));
        intptr_t age = ((intptr_t)cycles() - sent) & LOW_BITS;
        check(takt_priority_data_queue_send(TAKT_PRIORITY_DATA_QUEUE_ages, age, 1));
    }
}
