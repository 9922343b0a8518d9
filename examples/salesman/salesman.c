/* SPDX-License-Identifier: Apache-2.0 */
/* The travelling salesman by branch and bound, on eight nodes that share nothing but messages: the
 * shortest way through all cities and back. The master hands out beginnings of tours, each with the
 * length of the shortest tour that it knows; a worker tries all tours that begin so and may be
 * shorter, and answers with the shortest. The longer the beginnings, the more and the smaller are
 * the jobs. At the end the master searches alone, and stops with an error if the lengths differ. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <takt/channel.h>
#include <takt/takt.h>

enum { CITIES = 11, WORKERS = 7, AHEAD = 2 /* jobs of a worker at a time */ };
enum { PRIORITY = 1 }; /* of all messages */
static const uint16_t NO_TOUR = UINT16_MAX;

/* Where the cities are. Streets run along the axes. */
static const struct {
    uint8_t x, y;
} places[CITIES] = {{50, 50}, {12, 71}, {88, 20}, {35, 9},  {64, 93}, {7, 28},
                    {91, 66}, {43, 77}, {71, 38}, {20, 46}, {58, 4}};

/* A tour from city 0 on, or its beginning, as a message. */
struct tour {
    uint16_t length; /* of a job: of the shortest tour so far */
    uint8_t worker;  /* of an answer: 0 to WORKERS - 1 */
    uint8_t count;   /* of the cities; 0 as a job: there are no more */
    uint8_t cities[12];
};

/* A search: the tour that is tried, and the shortest one that was found. */
struct search {
    struct tour tried;
    struct tour shortest;
    bool visited[CITIES];
};

static void check(takt_error error) {
    if (error != TAKT_OK) {
        takt_panic("a service failed");
    }
}

static unsigned distance(unsigned from, unsigned to) {
    int x = places[from].x - places[to].x;
    int y = places[from].y - places[to].y;
    return (unsigned)((x < 0 ? -x : x) + (y < 0 ? -y : y));
}

/* Returns the length of the way through the cities of a beginning. */
static unsigned way(const struct tour *tour) {
    unsigned length = 0;
    for (unsigned i = 1; i < tour->count; i++) {
        length += distance(tour->cities[i - 1], tour->cities[i]);
    }
    return length;
}

/* Returns what no tour with this beginning is shorter than: from its last city and from each one
 * that is left the way goes on at least to the nearest city that is left, or to the start. */
static unsigned least(const struct search *search, unsigned length) {
    unsigned last = search->tried.cities[search->tried.count - 1];
    for (unsigned from = 0; from < CITIES; from++) {
        if (search->visited[from] && from != last) {
            continue;
        }
        unsigned nearest = distance(from, 0);
        for (unsigned to = 1; to < CITIES; to++) {
            if (!search->visited[to] && to != from && distance(from, to) < nearest) {
                nearest = distance(from, to);
            }
        }
        length += from == 0 ? 0 : nearest;
    }
    return length;
}

/* Tries all tours with the beginning `tried` of this length. Bound: at most CITIES deep. */
static void branch(struct search *search, unsigned length) {
    struct tour *tried = &search->tried;
    if (tried->count == CITIES) {
        length += distance(tried->cities[CITIES - 1], 0);
        if (length < search->shortest.length) {
            search->shortest = *tried;
            search->shortest.length = (uint16_t)length;
        }
        return;
    }
    if (least(search, length) >= search->shortest.length) {
        return;
    }
    for (unsigned city = 1; city < CITIES; city++) {
        if (!search->visited[city]) {
            search->visited[city] = true;
            tried->cities[tried->count] = (uint8_t)city;
            tried->count++;
            branch(search, length + distance(tried->cities[tried->count - 2], city));
            tried->count--;
            search->visited[city] = false;
        }
    }
}

/* Searches below a beginning for a tour shorter than `bound`; without one, its length is the bound.
 */
static struct tour search_below(const struct tour *beginning, uint16_t bound) {
    struct search search = {.tried = *beginning, .shortest = {.length = bound}};
    for (unsigned i = 0; i < beginning->count; i++) {
        search.visited[beginning->cities[i]] = true;
    }
    branch(&search, way(beginning));
    return search.shortest;
}

/* --- The workers ------------------------------------------------------------------------------ */

void worker_job(intptr_t worker) {
    for (;;) {
        const void *message;
        size_t size;
        unsigned priority;
        check(takt_channel_receive(TAKT_CHANNEL_jobs_0 + (takt_id)worker, &message, &size,
                                   &priority));
        struct tour job = *(const struct tour *)message;
        if (job.count == 0) {
            return;
        }
        struct tour answer = search_below(&job, job.length);
        answer.worker = (uint8_t)worker;
        check(takt_channel_send(TAKT_CHANNEL_answers, &answer, sizeof answer, PRIORITY));
    }
}

/* --- The master ------------------------------------------------------------------------------- */

static struct tour shortest = {.length = NO_TOUR};
static unsigned messages;

/* Cities of a beginning, 2 to CITIES. */
static unsigned beginning;

/* The next beginning: behind city 0, its digits to the base of the other cities. */
static unsigned next_number;

static void send(unsigned worker, struct tour job) {
    job.length = shortest.length;
    check(takt_channel_send(TAKT_CHANNEL_jobs_0 + worker, &job, sizeof job, PRIORITY));
    messages++;
}

/* Makes the beginning of this number; returns whether it visits no city twice. */
static bool begin_tour(struct tour *tour, unsigned number) {
    bool visited[CITIES] = {false};
    *tour = (struct tour){.count = (uint8_t)beginning};
    for (unsigned i = beginning - 1; i > 0; i--) {
        unsigned city = 1 + number % (CITIES - 1);
        number /= CITIES - 1;
        if (visited[city]) {
            return false;
        }
        visited[city] = true;
        tour->cities[i] = (uint8_t)city;
    }
    return true;
}

/* Hands the next beginning to a worker; false: there is none. */
static bool hand_out(unsigned worker) {
    unsigned numbers = 1;
    for (unsigned i = 1; i < beginning; i++) {
        numbers *= CITIES - 1;
    }
    while (next_number < numbers) {
        struct tour job;
        if (begin_tour(&job, next_number++)) {
            send(worker, job);
            return true;
        }
    }
    return false;
}

/* Receives an answer, and returns its worker. */
static unsigned receive(void) {
    const void *message;
    size_t size;
    unsigned priority;
    check(takt_channel_receive(TAKT_CHANNEL_answers, &message, &size, &priority));
    messages++;
    const struct tour *answer = message;
    if (answer->length < shortest.length) {
        shortest = *answer;
    }
    return answer->worker;
}

static void search_together(void) {
    unsigned under_way = 0;
    for (unsigned i = 0; i < WORKERS * AHEAD; i++) {
        under_way += hand_out(i % WORKERS) ? 1 : 0;
    }
    while (under_way > 0) {
        if (!hand_out(receive())) {
            under_way--;
        }
    }
    for (unsigned worker = 0; worker < WORKERS; worker++) {
        send(worker, (struct tour){.count = 0});
    }
}

/* Returns whether a tour visits each city once and is as long as it says. */
static bool is_tour(const struct tour *tour) {
    bool visited[CITIES] = {false};
    for (unsigned i = 0; i < CITIES; i++) {
        visited[tour->cities[i]] = true;
    }
    for (unsigned i = 0; i < CITIES; i++) {
        if (!visited[i]) {
            return false;
        }
    }
    return tour->count == CITIES &&
           tour->length == way(tour) + distance(tour->cities[CITIES - 1], 0);
}

static unsigned long microseconds(takt_time from, takt_time to) {
    return (unsigned long)((to - from) / TAKT_MICROSECOND);
}

void master_job(intptr_t cities) {
    beginning = (unsigned)cities;
    takt_time begin = takt_time_now();
    search_together();
    takt_time together = takt_time_now();
    static const struct tour start = {.count = 1};
    struct tour alone = search_below(&start, NO_TOUR);
    takt_time end = takt_time_now();
    if (!is_tour(&shortest) || shortest.length != alone.length) {
        takt_panic("the tours differ");
    }
    printf("the shortest tour is %u long:", shortest.length);
    for (unsigned i = 0; i < CITIES; i++) {
        printf(" %u", shortest.cities[i]);
    }
    printf("\n%u nodes: %lu us with %u messages; one alone: %lu us\n", 1 + WORKERS,
           microseconds(begin, together), messages, microseconds(together, end));
    takt_system_shutdown(0);
}
