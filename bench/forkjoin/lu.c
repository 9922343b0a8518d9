/* SPDX-License-Identifier: Apache-2.0 */
/* Decomposes a matrix into a lower and an upper triangle, in place and without pivots: the diagonal
 * dominates. A column is a parallel loop over the rows below it.
 *
 *     lu ORDER ITERATIONS */
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fill(int order, double *matrix) {
    uint32_t random = 1;
    for (int row = 0; row < order; row++) {
        for (int column = 0; column < order; column++) {
            random = random * 1664525 + 1013904223;
            matrix[row * order + column] = random * 0x1p-32 + (row == column ? order : 0);
        }
    }
}

static void decompose(int order, double *matrix) {
    for (int column = 0; column < order - 1; column++) {
        const double *pivot = &matrix[column * order];
#pragma omp parallel for
        for (int row = column + 1; row < order; row++) {
            double *mine = &matrix[row * order];
            double factor = mine[column] / pivot[column];
            mine[column] = factor;
            for (int other = column + 1; other < order; other++) {
                mine[other] -= factor * pivot[other];
            }
        }
    }
}

/* The greatest difference between the matrix and the product of its triangles. */
static double error_of(int order, const double *triangles, const double *matrix) {
    double most = 0;
#pragma omp parallel for reduction(max : most)
    for (int row = 0; row < order; row++) {
        for (int column = 0; column < order; column++) {
            int last = row < column ? row : column;
            double sum = row <= column ? triangles[row * order + column] : 0;
            for (int between = 0; between < last + (row > column); between++) {
                sum += triangles[row * order + between] * triangles[between * order + column];
            }
            double difference = sum - matrix[row * order + column];
            difference = difference < 0 ? -difference : difference;
            most = difference > most ? difference : most;
        }
    }
    return most;
}

int main(int count, char **arguments) {
    int order = count > 1 ? atoi(arguments[1]) : 100;
    int iterations = count > 2 ? atoi(arguments[2]) : 5;
    size_t size = (size_t)order * (size_t)order * sizeof(double);
    double *matrix = malloc(size), *triangles = malloc(size), total = 0, most = 0;
    if (matrix == 0 || triangles == 0) {
        fprintf(stderr, "no memory\n");
        return 1;
    }
    fill(order, matrix);
    /* The first iteration, with empty caches, is not counted. */
    for (int iteration = 0; iteration <= iterations; iteration++) {
        memcpy(triangles, matrix, size);
        double begin = omp_get_wtime();
        decompose(order, triangles);
        double time = omp_get_wtime() - begin;
        total += iteration > 0 ? time : 0;
        most = iteration > 0 && time > most ? time : most;
    }
    double error = error_of(order, triangles, matrix);
    printf("%d threads, %d iterations: average %.2f us, maximum %.2f us\n", omp_get_max_threads(),
           iterations, total / iterations * 1e6, most * 1e6);
    printf("last error %.3e\n", error);
    return error < 1e-9 ? 0 : 1;
}
