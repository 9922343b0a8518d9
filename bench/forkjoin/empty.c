/* SPDX-License-Identifier: Apache-2.0 */
/* Measures an empty parallel for, as in FJOS's figure 4: N iterations on N threads that do
 * nothing. Then its parts, in PARTS regions whose threads look at the clock: all harts of the board
 * have one. Cycles.
 *
 *     empty FORKS [PARTS] */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM = 20,
    MOST = 128
}; /* WARM forks are not counted: code and lines come into the caches */

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static __attribute__((noinline)) void fork_and_join(int threads) {
#pragma omp parallel for
    for (int index = 0; index < threads; index++) {
        __asm__ volatile("");
    }
}

static void whole(int threads, int forks) {
    uint64_t sum = 0, most = 0;
    for (int fork = -WARM; fork < forks; fork++) {
        uint64_t begin = cycles();
        fork_and_join(threads);
        uint64_t passed = cycles() - begin;
        sum += fork < 0 ? 0 : passed;
        most = fork >= 0 && passed > most ? passed : most;
    }
    printf("%d threads, %d forks: average %lu, maximum %lu cycles\n", threads, forks,
           (unsigned long)(sum / (uint64_t)forks), (unsigned long)most);
}

/* When each thread has begun its part; a line each. */
static struct { uint64_t cycles; } __attribute__((aligned(64))) begun[MOST];

static void parts(int threads, int forks) {
    uint64_t master = 0, first = 0, last = 0, all = 0;
    for (int fork = -WARM; fork < forks; fork++) {
        uint64_t begin = cycles();
#pragma omp parallel
        begun[omp_get_thread_num()].cycles = cycles();
        uint64_t end = cycles();
        uint64_t earliest = UINT64_MAX, latest = 0;
        for (int thread = 1; thread < threads; thread++) {
            uint64_t at = begun[thread].cycles;
            earliest = at < earliest ? at : earliest;
            latest = at > latest ? at : latest;
        }
        if (fork >= 0) {
            master += begun[0].cycles - begin;
            first += earliest - begin;
            last += latest - begin;
            all += end - begin;
        }
    }
    uint64_t count = (uint64_t)forks;
    printf(
        "on average the master begins after %lu, the first worker after %lu, the last after %lu, "
        "all is joined after %lu cycles\n",
        (unsigned long)(master / count), (unsigned long)(first / count),
        (unsigned long)(last / count), (unsigned long)(all / count));
}

int main(int count, char **arguments) {
    int forks = count > 1 ? atoi(arguments[1]) : 1000, threads = omp_get_max_threads();
    int looked = count > 2 ? atoi(arguments[2]) : forks;
    whole(threads, forks);
    if (threads > 1 && threads <= MOST) {
        parts(threads, looked);
    }
    return 0;
}
