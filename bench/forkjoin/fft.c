/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms complex numbers to frequencies, by Stockham's algorithm: each of the log2(POINTS)
 * steps is a parallel loop from one array to the other.
 *
 *     fft POINTS ITERATIONS */
#include <complex.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

typedef double complex number;

/* One step: of `stride` interleaved sequences of `length` points each, pairs become two sequences
 * of half the length. */
static void step(int length, int stride, const number *root, const number *from, number *to) {
    int half = length / 2;
#pragma omp parallel for collapse(2)
    for (int point = 0; point < half; point++) {
        for (int sequence = 0; sequence < stride; sequence++) {
            number one = from[sequence + stride * point];
            number other = from[sequence + stride * (point + half)];
            to[sequence + stride * 2 * point] = one + other;
            to[sequence + stride * (2 * point + 1)] = (one - other) * root[point * stride];
        }
    }
}

/* Returns the array that has the result; the other one is spoilt. */
static number *transform(int points, const number *root, number *values, number *spare) {
    for (int length = points, stride = 1; length > 1; length /= 2, stride *= 2) {
        step(length, stride, root, values, spare);
        number *next = spare;
        spare = values;
        values = next;
    }
    return values;
}

/* A wave of a known frequency. */
static void fill(int points, int frequency, number *values) {
    for (int point = 0; point < points; point++) {
        values[point] = cexp(2 * M_PI * I * frequency * point / points);
    }
}

/* How far the result is from a single peak. */
static double error_of(int points, int frequency, const number *values) {
    double most = 0;
    for (int point = 0; point < points; point++) {
        most = fmax(most, cabs(values[point] - (point == frequency ? points : 0)));
    }
    return most;
}

int main(int count, char **arguments) {
    int points = count > 1 ? atoi(arguments[1]) : 1024;
    int iterations = count > 2 ? atoi(arguments[2]) : 5, frequency = points / 5;
    size_t size = (size_t)points * sizeof(number);
    number *values = malloc(size), *spare = malloc(size), *root = malloc(size / 2), *result = 0;
    double total = 0, most = 0;
    if (values == 0 || spare == 0 || root == 0) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    for (int index = 0; index < points / 2; index++) {
        root[index] = cexp(-2 * M_PI * I * index / points);
    }
    /* The first iteration, with empty caches, is not counted. */
    for (int iteration = 0; iteration <= iterations; iteration++) {
        fill(points, frequency, values);
        double begin = omp_get_wtime();
        result = transform(points, root, values, spare);
        double time = omp_get_wtime() - begin;
        total += iteration > 0 ? time : 0;
        most = iteration > 0 && time > most ? time : most;
    }
    double error = error_of(points, frequency, result);
    printf("%d threads, %d iterations: average %.2f us, maximum %.2f us\n", omp_get_max_threads(),
           iterations, total / iterations * 1e6, most * 1e6);
    printf("last error %.3e\n", error);
    return error < 1e-7 ? 0 : 1;
}
