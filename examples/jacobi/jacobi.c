/* SPDX-License-Identifier: Apache-2.0 */
/* The temperature of a square plate whose edges are held at fixed temperatures, by Jacobi's method:
 * in each iteration each inner point becomes the mean of its four neighbours.
 *
 *     jacobi POINTS ITERATIONS
 *
 * for a plate of POINTS * POINTS. Prints what an iteration takes, and a sum over the plate that is
 * the same for any number of threads. Plain C with OpenMP:
 *
 *     gcc -O2 -fopenmp jacobi.c -o jacobi && OMP_NUM_THREADS=4 ./jacobi 200 50 */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One iteration from `old` to `new`; the largest change of a point. */
static double iterate(int points, const double *old, double *new) {
    double change = 0;
#pragma omp parallel for reduction(max : change)
    for (int row = 1; row < points - 1; row++) {
        const double *here = old + (size_t)row * (size_t)points;
        double *there = new + (size_t)row *(size_t)points;
        for (int column = 1; column < points - 1; column++) {
            double mean = 0.25 * (here[column - points] + here[column + points] + here[column - 1] +
                                  here[column + 1]);
            double step = mean > here[column] ? mean - here[column] : here[column] - mean;
            change = step > change ? step : change;
            there[column] = mean;
        }
    }
    return change;
}

/* The upper edge is hot, the left one warm, the others are cold. */
static void heat(int points, double *plate) {
    memset(plate, 0, sizeof *plate * (size_t)points * (size_t)points);
    for (int index = 0; index < points; index++) {
        plate[(size_t)index * (size_t)points] = 25;
        plate[index] = 100;
    }
}

/* Returns a checksum over the bits of all points, in their order. */
static uint64_t sum_of(int points, const double *plate) {
    uint64_t sum = 0;
    for (size_t index = 0; index < (size_t)points * (size_t)points; index++) {
        uint64_t bits;
        memcpy(&bits, &plate[index], sizeof bits);
        sum = sum * 31 + bits;
    }
    return sum;
}

int main(int count, char **arguments) {
    int points = count > 1 ? atoi(arguments[1]) : 0;
    int iterations = count > 2 ? atoi(arguments[2]) : 0;
    if (points < 3 || points > 30000 || iterations < 1) {
        fprintf(stderr, "jacobi POINTS ITERATIONS: a plate of 3 to 30000 points a side\n");
        return 2;
    }
    size_t size = sizeof(double) * (size_t)points * (size_t)points;
    double *old = malloc(size), *new = malloc(size);
    if (!old || !new) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    heat(points, old);
    heat(points, new);
    double change = 0, total = 0, most = 0;
    /* The first iteration, with empty caches, is not counted. */
    for (int iteration = 0; iteration <= iterations; iteration++) {
        double begin = omp_get_wtime();
        change = iterate(points, old, new);
        double time = omp_get_wtime() - begin;
        total += iteration > 0 ? time : 0;
        most = iteration > 0 && time > most ? time : most;
        double *next = old;
        old = new;
        new = next;
    }
    printf("%d threads, %d iterations: average %.2f us, maximum %.2f us\n", omp_get_max_threads(),
           iterations, total / iterations * 1e6, most * 1e6);
    printf("last change %.9f, sum %016llx\n", change, (unsigned long long)sum_of(points, old));
    free(old);
    free(new);
    return 0;
}
