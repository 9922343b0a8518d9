/* SPDX-License-Identifier: Apache-2.0 */
/* A rotation P in the plane of rows g and h makes the element (g, h) of A' = P^T A P zero. A is
 * symmetric, so rows g and h of A are its columns too: whoever knows both can turn any row. When
 * all elements beside the diagonal are small, the diagonal has the eigenvalues, and the product of
 * all rotations has the eigenvectors as columns.
 *
 * The matrix has 1 to 64 on the diagonal, 8 on the other diagonal, and 1/64 elsewhere. */
#include <stdint.h>
#include <string.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 64, PARTS = 8, WIDTH = SIZE / PARTS, LIMIT = 100 };

typedef float row_t[SIZE];

/* The largest element beside the diagonal, above it, of some rows. */
typedef struct {
    float value, magnitude;
    uint32_t row, column;
} largest_t;

typedef struct {
    uint32_t g, h;
    float cosine, sine;
    float gg, hh; /* the diagonal's elements behind the rotation */
    row_t row_g, row_h;
} rotation_t;

typedef struct {
    float values[WIDTH];
    row_t vectors[WIDTH];
} pairs_t;

static const float SMALL = 0.03f;
/* A matrix that differs from a diagonal by elements up to SMALL: 63 of them a row, in length. */
static const float NEAR = 0.24f;

static DATAFLOW_LOCAL row_t matrix[SIZE], own[SIZE];
static DATAFLOW_LOCAL pairs_t found[PARTS];
static DATAFLOW_LOCAL row_t rows[SIZE], vectors[SIZE]; /* of the control core alone */

void fill(intptr_t core) {
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            matrix[i][j] = i == j ? (float)(i + 1) : i + j == SIZE - 1 ? 8.0f : 1.0f / 64;
        }
    }
}

/* --- What workers and the control core alone both do
 * ---------------------------------------------- */

/* Turns the rows from `first` on. */
static __attribute__((noinline)) void turn_rows(row_t *rows, uint32_t first, uint32_t count,
                                                const rotation_t *by) {
    uint32_t g = by->g, h = by->h;
    for (uint32_t i = 0; i < count; i++) {
        float *row = rows[i];
        if (first + i == g) {
            for (int j = 0; j < SIZE; j++) {
                row[j] = by->cosine * by->row_g[j] - by->sine * by->row_h[j];
            }
            row[g] = by->gg;
            row[h] = 0;
        } else if (first + i == h) {
            for (int j = 0; j < SIZE; j++) {
                row[j] = by->sine * by->row_g[j] + by->cosine * by->row_h[j];
            }
            row[h] = by->hh;
            row[g] = 0;
        } else {
            float x = row[g], y = row[h];
            row[g] = by->cosine * x - by->sine * y;
            row[h] = by->sine * x + by->cosine * y;
        }
    }
}

static __attribute__((noinline)) void turn_vectors(row_t *vectors, uint32_t count,
                                                   const rotation_t *by) {
    for (uint32_t i = 0; i < count; i++) {
        float x = vectors[i][by->g], y = vectors[i][by->h];
        vectors[i][by->g] = by->cosine * x - by->sine * y;
        vectors[i][by->h] = by->sine * x + by->cosine * y;
    }
}

static __attribute__((noinline)) largest_t search(const row_t *rows, uint32_t first,
                                                  uint32_t count) {
    largest_t largest = {0, 0, 0, 1};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = first + i + 1; j < SIZE; j++) {
            float magnitude = __builtin_fabsf(rows[i][j]);
            if (magnitude > largest.magnitude) {
                largest = (largest_t){rows[i][j], magnitude, first + i, j};
            }
        }
    }
    return largest;
}

static float root(float square) {
    float result;
    __asm__("fsqrt.s %0, %1" : "=f"(result) : "f"(square));
    return result;
}

/* Makes the rotation that makes an element zero. */
static __attribute__((noinline)) void plan(rotation_t *rotation, const largest_t *zero,
                                           const row_t *rows) {
    uint32_t g = zero->row, h = zero->column;
    float theta = (rows[h][h] - rows[g][g]) / (2 * zero->value);
    float tangent = 1 / (__builtin_fabsf(theta) + root(theta * theta + 1));
    tangent = theta < 0 ? -tangent : tangent;
    rotation->cosine = 1 / root(tangent * tangent + 1);
    rotation->sine = tangent * rotation->cosine;
    rotation->g = g;
    rotation->h = h;
    rotation->gg = rows[g][g] - tangent * zero->value;
    rotation->hh = rows[h][h] + tangent * zero->value;
    memcpy(rotation->row_g, rows[g], sizeof(row_t));
    memcpy(rotation->row_h, rows[h], sizeof(row_t));
}

/* Writes rows of the unit matrix. */
static void unit(row_t *rows, uint32_t first, uint32_t count) {
    memset(rows, 0, count * sizeof(row_t));
    for (uint32_t i = 0; i < count; i++) {
        rows[i][first + i] = 1;
    }
}

/* --- Objects ---------------------------------------------------------------------------------- */

void divide(const struct dataflow_divide *ports) {
    memcpy(ports->rows, matrix, sizeof matrix);
    memcpy(own, matrix, sizeof matrix);
}

void turn(const struct dataflow_turn *ports) {
    uint32_t first = ports->index * WIDTH;
    if (dataflow_iteration() == 0) {
        memcpy(ports->rows, ports->first, WIDTH * sizeof(row_t));
        unit(ports->vectors, first, WIDTH);
    } else {
        turn_rows(ports->rows, first, WIDTH, ports->rotation);
        turn_vectors(ports->vectors, WIDTH, ports->rotation);
    }
    *(largest_t *)ports->largest = search(ports->rows, first, WIDTH);
}

void choose(const struct dataflow_choose *ports) {
    const largest_t *each = ports->largest;
    const largest_t *largest = each;
    for (int part = 1; part < PARTS; part++) {
        if (each[part].magnitude > largest->magnitude) {
            largest = &each[part];
        }
    }
    if (largest->magnitude < SMALL) {
        dataflow_end();
    } else {
        plan(ports->rotation, largest, own);
    }
}

void follow(const struct dataflow_follow *ports) {
    const rotation_t *rotation = ports->rotation;
    turn_rows(own, 0, SIZE, rotation);
}

void part(const struct dataflow_part *ports) {
    const row_t *rows = ports->rows;
    pairs_t *pairs = ports->pairs;
    for (uint32_t i = 0; i < WIDTH; i++) {
        pairs->values[i] = rows[i][ports->index * WIDTH + i];
    }
    memcpy(pairs->vectors, ports->vectors, sizeof pairs->vectors);
}

void result(const struct dataflow_result *ports) {
    memcpy(found, ports->pairs, sizeof found);
}

/* --- The same work on the control core alone -------------------------------------------------- */

void jacobi_sequential(void) {
    static DATAFLOW_LOCAL rotation_t rotation;
    memcpy(rows, matrix, sizeof rows);
    unit(vectors, 0, SIZE);
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        if (iteration > 0) {
            turn_rows(rows, 0, SIZE, &rotation);
            turn_vectors(vectors, SIZE, &rotation);
        }
        largest_t largest = search(rows, 0, SIZE);
        if (largest.magnitude < SMALL) {
            return;
        }
        plan(&rotation, &largest, rows);
    }
}

/* Compares the eigenvalues and eigenvectors with those of the same work, bit by bit, and the matrix
 * times each vector with its value times the vector. */
uint32_t jacobi_check(void) {
    uint32_t wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        const pairs_t *pairs = &found[i / WIDTH];
        wrong += pairs->values[i % WIDTH] != rows[i][i];
        for (int j = 0; j < SIZE; j++) {
            wrong += pairs->vectors[i % WIDTH][j] != vectors[i][j];
        }
    }
    for (int pair = 0; pair < SIZE; pair++) {
        float value = found[pair / WIDTH].values[pair % WIDTH], square = 0;
        for (int i = 0; i < SIZE; i++) {
            float difference = -value * found[i / WIDTH].vectors[i % WIDTH][pair];
            for (int j = 0; j < SIZE; j++) {
                difference += matrix[i][j] * found[j / WIDTH].vectors[j % WIDTH][pair];
            }
            square += difference * difference;
        }
        wrong += !(root(square) < NEAR);
    }
    return wrong;
}
