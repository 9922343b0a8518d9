/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters a stream of points, as the benchmark of that name in the PARSEC suite does: of each
 * chunk of the stream only the weighted centres are kept, found by a local search for facilities
 * (L. O'Callaghan, N. Mishra, A. Meyerson, S. Guha and R. Motwani, 2002); the centres are clustered
 * in the end. The threads meet at a barrier before and after each step of the search. Plain POSIX:
 * for Linux, cc -O2 -pthread streamcluster.c
 *
 *     streamcluster THREADS POINTS CHUNK KIND [OUTPUT]
 *
 * KIND: how threads wait at barriers, block or spin. OUTPUT: the centres, a line each: weight and
 * coordinates. All sums are of whole numbers, so the centres are the same for any number of
 * threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    DIMENSIONS = 16,
    CLUSTERS = 12, /* of which the points are made */
    FEWEST = 10,   /* centres of a chunk */
    MOST = 20,
    CENTRES = 2000, /* that are kept of all chunks */
    TRIES = 60,     /* candidates in vain after which a search ends */
    SEARCHES = 24,  /* costs of a centre that are tried */
};

struct point {
    int32_t at[DIMENSIONS];
    int64_t weight;
    int64_t cost;    /* the weight times the distance to the centre */
    uint32_t centre; /* the index of the point that is its centre */
};

/* What one thread adds up, in lines of its own. */
struct part {
    int64_t gain;
    int64_t *losses; /* of each centre: what its points would lose if it were closed */
} __attribute__((aligned(64)));

/* A barrier at which threads spin. */
struct spin_barrier {
    _Alignas(64) atomic_uint arrived;
    _Alignas(64) atomic_uint round;
};

/* What the first thread asks of all threads between two barriers. */
enum step { COST_OF_FIRST, OPEN, WEIGH, MOVE, END };

static uint32_t thread_count;
static bool spins;
static pthread_barrier_t blocking;
static struct spin_barrier spinning;

/* Written by the first thread while the others wait. */
static enum step step;
static struct point *points;
static uint32_t point_count;
static uint32_t candidate;
static uint32_t *places; /* of each point that is a centre: its place in the losses */
static bool *closes;     /* the centres that a move closes, by place */
static struct part *parts;
static uint32_t centre_count;

static _Noreturn void fail(const char *what) {
    printf("streamcluster: %s\n", what);
    exit(1);
}

static void *reserve(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory) {
        fail("there is no memory");
    }
    return memory;
}

/* The last one to arrive begins the next round (release), for which the others look (acquire). */
static void meet(void) {
    if (!spins) {
        pthread_barrier_wait(&blocking);
        return;
    }
    unsigned round = atomic_load_explicit(&spinning.round, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&spinning.arrived, 1, memory_order_acq_rel) + 1 == thread_count) {
        atomic_store_explicit(&spinning.arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&spinning.round, round + 1, memory_order_release);
        return;
    }
    while (atomic_load_explicit(&spinning.round, memory_order_acquire) == round) {
    }
}

/* Numbers that are random enough, and the same everywhere. */
static uint64_t state = 1;

static uint32_t random_below(uint32_t limit) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % limit);
}

/* Returns the square of the distance. */
static int64_t distance(const struct point *one, const struct point *other) {
    int64_t sum = 0;
    for (int axis = 0; axis < DIMENSIONS; axis++) {
        int64_t difference = one->at[axis] - other->at[axis];
        sum += difference * difference;
    }
    return sum;
}

/* --- The share of one thread in a step ----------------------------------------------------------
 */

/* Gives the points that are nearer to the candidate than to their centres to it, in COST_OF_FIRST
 * all of them. */
static void open_candidate(uint32_t first, uint32_t end, bool all) {
    for (uint32_t index = first; index < end; index++) {
        struct point *it = &points[index];
        int64_t cost = it->weight * distance(it, &points[candidate]);
        if (all || cost < it->cost) {
            it->cost = cost;
            it->centre = candidate;
        }
    }
}

/* Adds up what points gain if the candidate becomes a centre, and what the others lose by each
 * centre that closes. */
static void weigh_candidate(uint32_t first, uint32_t end, struct part *part) {
    part->gain = 0;
    memset(part->losses, 0, centre_count * sizeof part->losses[0]);
    for (uint32_t index = first; index < end; index++) {
        const struct point *it = &points[index];
        int64_t cost = it->weight * distance(it, &points[candidate]);
        if (cost < it->cost) {
            part->gain += it->cost - cost;
        } else {
            part->losses[places[it->centre]] += cost - it->cost;
        }
    }
}

static void move_to_candidate(uint32_t first, uint32_t end) {
    for (uint32_t index = first; index < end; index++) {
        struct point *it = &points[index];
        int64_t cost = it->weight * distance(it, &points[candidate]);
        if (cost < it->cost || closes[places[it->centre]]) {
            it->cost = cost;
            it->centre = candidate;
        }
    }
}

static void do_share(uint32_t number) {
    uint32_t first = (uint32_t)((uint64_t)point_count * number / thread_count);
    uint32_t end = (uint32_t)((uint64_t)point_count * (number + 1) / thread_count);
    switch (step) {
    case COST_OF_FIRST:
    case OPEN:
        open_candidate(first, end, step == COST_OF_FIRST);
        break;
    case WEIGH:
        weigh_candidate(first, end, &parts[number]);
        break;
    case MOVE:
        move_to_candidate(first, end);
        break;
    case END:
        break;
    }
}

static void *work(void *argument) {
    uint32_t number = (uint32_t)(uintptr_t)argument;
    enum step mine;
    do {
        meet();
        mine = step; /* the next one may be written once all have met again */
        do_share(number);
        meet();
    } while (mine != END);
    return NULL;
}

/* All threads take the step; the first one has its share, too. */
static void all_do(enum step next) {
    step = next;
    meet();
    do_share(0);
    meet();
}

/* --- The search, by the first thread ------------------------------------------------------------
 */

static uint32_t centres[CENTRES + MOST]; /* the points that are centres, by place */

static void add_centre(uint32_t point) {
    places[point] = centre_count;
    centres[centre_count++] = point;
}

/* Opens each point as a centre with a chance of its cost over that of a centre. */
static void begin_with(int64_t centre_cost, uint32_t limit) {
    centre_count = 0;
    candidate = random_below(point_count);
    add_centre(candidate);
    all_do(COST_OF_FIRST);
    for (uint32_t index = 0; index < point_count && centre_count < limit; index++) {
        int64_t chance = points[index].cost / (centre_cost / 1024 + 1);
        if (chance > random_below(1024)) {
            candidate = index;
            add_centre(index);
            all_do(OPEN);
        }
    }
}

/* Makes the candidate a centre and closes those that are not worth their cost then, if that is less
 * in all. Returns whether it has. */
static bool improve(int64_t centre_cost) {
    if (points[candidate].centre == candidate) {
        return false;
    }
    all_do(WEIGH);
    int64_t gain = -centre_cost;
    for (uint32_t place = 0; place < centre_count; place++) {
        int64_t loss = 0;
        for (uint32_t number = 0; number < thread_count; number++) {
            loss += parts[number].losses[place];
        }
        closes[place] = loss < centre_cost;
        gain += closes[place] ? centre_cost - loss : 0;
    }
    for (uint32_t number = 0; number < thread_count; number++) {
        gain += parts[number].gain;
    }
    if (gain <= 0) {
        return false;
    }
    all_do(MOVE);
    uint32_t left = 0;
    for (uint32_t place = 0; place < centre_count; place++) {
        if (!closes[place]) {
            centres[left] = centres[place];
            places[centres[left]] = left;
            left++;
        }
    }
    centre_count = left;
    add_centre(candidate);
    return true;
}

static void search(int64_t centre_cost, uint32_t limit) {
    uint32_t in_vain = 0;
    while (in_vain < TRIES && centre_count < limit) {
        candidate = random_below(point_count);
        in_vain = improve(centre_cost) ? 0 : in_vain + 1;
    }
}

/* Finds centres, from FEWEST to MOST if there is a cost of a centre for which the search ends with
 * so many. */
static void cluster(struct point *all, uint32_t count) {
    points = all;
    point_count = count;
    int64_t low = 0, high = 0;
    candidate = 0;
    all_do(COST_OF_FIRST);
    for (uint32_t index = 0; index < count; index++) {
        high += all[index].cost;
    }
    for (int tried = 0; tried < SEARCHES; tried++) {
        int64_t centre_cost = low + (high - low) / 2;
        begin_with(centre_cost, CENTRES);
        search(centre_cost, CENTRES);
        if (centre_count > MOST) {
            low = centre_cost;
        } else if (centre_count < FEWEST) {
            high = centre_cost;
        } else {
            return;
        }
    }
}

/* Writes the middle of each cluster behind `kept`; returns how many there are. */
static uint32_t keep_centres(struct point *kept, uint32_t room) {
    if (centre_count > room) {
        fail("more centres than there is room for: take larger chunks");
    }
    static int64_t sums[CENTRES + MOST][DIMENSIONS];
    memset(kept, 0, centre_count * sizeof *kept);
    memset(sums, 0, sizeof sums);
    for (uint32_t index = 0; index < point_count; index++) {
        uint32_t place = places[points[index].centre];
        kept[place].weight += points[index].weight;
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            sums[place][axis] += points[index].weight * points[index].at[axis];
        }
    }
    for (uint32_t place = 0; place < centre_count; place++) {
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            kept[place].at[axis] = (int32_t)(sums[place][axis] / kept[place].weight);
        }
    }
    return centre_count;
}

/* The next points of the stream: each is near the middle of a cluster. */
static void next_points(struct point *chunk, uint32_t count) {
    static int32_t middles[CLUSTERS][DIMENSIONS];
    static bool made;
    for (int cluster = 0; !made && cluster < CLUSTERS; cluster++) {
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            middles[cluster][axis] = (int32_t)random_below(10000);
        }
    }
    made = true;
    for (uint32_t index = 0; index < count; index++) {
        const int32_t *middle = middles[random_below(CLUSTERS)];
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            chunk[index].at[axis] = middle[axis] + (int32_t)random_below(1000) - 500;
        }
        chunk[index].weight = 1;
    }
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void write_centres(const char *path, const struct point *all, uint32_t count) {
    FILE *file = fopen(path, "w");
    if (!file) {
        fail("cannot write the output");
    }
    for (uint32_t index = 0; index < count; index++) {
        fprintf(file, "%lld", (long long)all[index].weight);
        for (int axis = 0; axis < DIMENSIONS; axis++) {
            fprintf(file, " %d", (int)all[index].at[axis]);
        }
        fprintf(file, "\n");
    }
    if (fclose(file) != 0) {
        fail("cannot write the output");
    }
}

int main(int count, char **arguments) {
    int numbers[3];
    for (int index = 0; index < 3; index++) {
        numbers[index] = count > 4 ? atoi(arguments[index + 1]) : 0;
    }
    spins = count > 4 && strcmp(arguments[4], "spin") == 0;
    if (numbers[0] < 1 || numbers[1] < 1 || numbers[2] < MOST ||
        (!spins && strcmp(arguments[4], "block") != 0)) {
        printf("streamcluster THREADS POINTS CHUNK block|spin [OUTPUT]\n");
        return 2;
    }
    thread_count = (uint32_t)numbers[0];
    uint32_t total = (uint32_t)numbers[1], size = (uint32_t)numbers[2], kept_count = 0;
    uint32_t most = size > CENTRES ? size : CENTRES;
    struct point *chunk = reserve(size, sizeof *chunk), *kept = reserve(CENTRES, sizeof *kept);
    places = reserve(most, sizeof *places);
    closes = reserve(CENTRES + MOST, sizeof *closes);
    parts = reserve(thread_count, sizeof *parts);
    for (uint32_t number = 0; number < thread_count; number++) {
        parts[number].losses = reserve(CENTRES + MOST, sizeof parts[number].losses[0]);
    }

    int64_t begin = now(), reading = 0;
    pthread_barrier_init(&blocking, NULL, thread_count);
    pthread_t *threads = reserve(thread_count, sizeof *threads);
    for (uint32_t number = 1; number < thread_count; number++) {
        if (pthread_create(&threads[number], NULL, work, (void *)(uintptr_t)number) != 0) {
            fail("cannot create so many threads");
        }
    }
    for (uint32_t done = 0; done < total; done += size) {
        int64_t before = now();
        next_points(chunk, total - done < size ? total - done : size);
        reading += now() - before;
        cluster(chunk, total - done < size ? total - done : size);
        kept_count += keep_centres(kept + kept_count, CENTRES - kept_count);
    }
    cluster(kept, kept_count);
    struct point *middles = reserve(CENTRES + MOST, sizeof *middles);
    uint32_t found = keep_centres(middles, CENTRES + MOST);
    all_do(END);
    for (uint32_t number = 1; number < thread_count; number++) {
        pthread_join(threads[number], NULL);
    }
    int64_t took = now() - begin - reading;
    printf("%u points, %u centres, %u threads, %s: %lld ns\n", (unsigned)total, (unsigned)found,
           (unsigned)thread_count, arguments[4], (long long)took);
    if (count > 5) {
        write_centres(arguments[5], middles, found);
    }
    return 0;
}
