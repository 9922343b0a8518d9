/* SPDX-License-Identifier: Apache-2.0 */
/* A rotation P in the plane of rows g and h makes the element (g, h) of A' = P^T A P zero. A is
 * symmetric, so rows g and h of A are its columns too: whoever knows both knows all that changes.
 * When all elements beside the diagonal are small, the diagonal has the eigenvalues, and the
 * product of all rotations has the eigenvectors as columns.
 *
 * Worker p has the elements (i, j) above the diagonal with (i + j) % 8 = p: an eighth of each row
 * and of each column, so all have as much to turn and to search. The control core has the whole
 * matrix.
 *
 * The matrix has 1 to 64 on the diagonal, 8 on the other diagonal, and 1/64 elsewhere. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 64, PARTS = 8, WIDTH = SIZE / PARTS, LIMIT = 100, MOST = 256 };

typedef float row_t[SIZE];
typedef float elements_t[MOST]; /* of a worker, row by row */

/* An element above the diagonal, the largest of some. */
typedef struct {
    float value;
    uint16_t row, column;
} largest_t;

typedef struct {
    uint32_t g, h;
    float cosine, sine;
    float gg, hh; /* the diagonal's elements behind the rotation */
    row_t row_g, row_h;
} rotation_t;

/* The places of a worker's elements: (i, j) is at first[i] + j / 8. */
typedef struct {
    int16_t first[SIZE];
    uint8_t row[MOST]; /* of each element */
    uint32_t count;
} places_t;

static const float SMALL = 0.03f;
/* A matrix that differs from a diagonal by elements up to SMALL: 63 of them a row, in length. */
static const float NEAR = 0.24f;

/* The control core has the matrix, what becomes of it by the rotations, the elements of each
 * worker, and the rows of the eigenvectors that each has sent. */
static DATAFLOW_LOCAL row_t matrix[SIZE], own[SIZE];
static DATAFLOW_LOCAL elements_t pieces[PARTS];
static const row_t *found;
static DATAFLOW_LOCAL row_t rows[SIZE], vectors[SIZE]; /* for the same work on this core alone */
static bool is_diagonal;

static void place(places_t *places, uint32_t part) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SIZE; i++) {
        uint32_t first = (part - i) % PARTS;
        while (first <= i) {
            first += PARTS;
        }
        places->first[i] = (int16_t)(count - first / PARTS);
        for (uint32_t j = first; j < SIZE; j += PARTS) {
            places->row[count++] = (uint8_t)i;
        }
    }
    places->count = count;
}

void fill(intptr_t core) {
    if (core != 0) {
        return; /* in shared memory: a hook is called on each core */
    }
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++) {
            matrix[i][j] = i == j ? (float)(i + 1) : i + j == SIZE - 1 ? 8.0f : 1.0f / 64;
        }
    }
    memcpy(own, matrix, sizeof own);
    for (uint32_t part = 0; part < PARTS; part++) {
        places_t places;
        place(&places, part);
        for (uint32_t at = 0; at < places.count; at++) {
            uint32_t i = places.row[at], slot = at - (uint32_t)places.first[i];
            pieces[part][at] = matrix[i][slot * PARTS + (part - i) % PARTS];
        }
    }
}

/* --- What workers and the control core alone both do
 * ---------------------------------------------- */

/* Copies eight words at once: the C library's memcpy goes by bytes. */
static __attribute__((noinline)) void copy(row_t *to, const row_t *from, uint32_t count) {
    uint64_t *target = (uint64_t *)to;
    const uint64_t *source = (const uint64_t *)from;
    for (uint32_t i = 0; i < count * sizeof(row_t) / sizeof(uint64_t); i += 4) {
        uint64_t a = source[i], b = source[i + 1], c = source[i + 2], d = source[i + 3];
        target[i] = a;
        target[i + 1] = b;
        target[i + 2] = c;
        target[i + 3] = d;
    }
}

/* Turns all rows: what becomes of rows g and h becomes of the columns, too. */
static __attribute__((noinline)) void turn_all(row_t *rows, const rotation_t *by) {
    uint32_t g = by->g, h = by->h;
    float cosine = by->cosine, sine = by->sine;
    for (int j = 0; j < SIZE; j++) {
        float x = by->row_g[j], y = by->row_h[j];
        rows[g][j] = rows[j][g] = cosine * x - sine * y;
        rows[h][j] = rows[j][h] = sine * x + cosine * y;
    }
    rows[g][g] = by->gg;
    rows[h][h] = by->hh;
    rows[g][h] = rows[h][g] = 0;
}

static __attribute__((noinline)) void turn_vectors(row_t *vectors, uint32_t count,
                                                   const rotation_t *by) {
    float cosine = by->cosine, sine = by->sine, *g = &vectors[0][by->g], *h = &vectors[0][by->h];
    for (uint32_t i = 0; i < count; i++, g += SIZE, h += SIZE) {
        float x = *g, y = *h;
        *g = cosine * x - sine * y;
        *h = sine * x + cosine * y;
    }
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
    copy(&rotation->row_g, &rows[g], 1);
    copy(&rotation->row_h, &rows[h], 1);
}

/* Writes a row of the unit matrix. */
static void unit(row_t elements, uint32_t row) {
    static const row_t zeros;
    copy((row_t *)elements, &zeros, 1);
    elements[row] = 1;
}

/* --- Objects ---------------------------------------------------------------------------------- */

void divide(const struct dataflow_divide *ports) {
    copy(ports->elements, (const row_t *)pieces, PARTS * MOST / SIZE);
}

/* A worker has its elements and their places. */
static elements_t elements;
static places_t places;

static inline float *element(uint32_t i, uint32_t j) {
    return i < j ? &elements[places.first[i] + (int)(j / PARTS)]
                 : &elements[places.first[j] + (int)(i / PARTS)];
}

/* Turns a worker's elements of rows and columns g and h. */
static __attribute__((noinline)) void turn_elements(uint32_t part, const rotation_t *by) {
    uint32_t g = by->g, h = by->h;
    float cosine = by->cosine, sine = by->sine;
    for (uint32_t j = (part - g) % PARTS; j < SIZE; j += PARTS) {
        if (j != g) {
            *element(g, j) = j == h ? 0 : cosine * by->row_g[j] - sine * by->row_h[j];
        }
    }
    for (uint32_t j = (part - h) % PARTS; j < SIZE; j += PARTS) {
        if (j != g && j != h) {
            *element(h, j) = sine * by->row_g[j] + cosine * by->row_h[j];
        }
    }
}

static __attribute__((noinline)) void search(largest_t *largest, uint32_t part) {
    float magnitude = 0;
    uint32_t found = 0;
    for (uint32_t at = 0; at < places.count; at++) {
        float other = __builtin_fabsf(elements[at]);
        if (other > magnitude) {
            magnitude = other;
            found = at;
        }
    }
    uint32_t row = places.row[found], slot = found - (uint32_t)places.first[row];
    uint32_t column = slot * PARTS + (part - row) % PARTS;
    *largest = (largest_t){elements[found], (uint16_t)row, (uint16_t)column};
}

void turn(const struct dataflow_turn *ports) {
    uint32_t part = ports->index;
    row_t *vectors = ports->vectors;
    if (dataflow_iteration() == 0) {
        copy((row_t *)elements, ports->first, MOST / SIZE);
        place(&places, part);
        for (uint32_t i = 0; i < WIDTH; i++) {
            unit(vectors[i], part * WIDTH + i);
        }
    } else {
        turn_elements(part, ports->rotation);
        turn_vectors(vectors, WIDTH, ports->rotation);
    }
    search(ports->largest, part);
}

/* The order in which one core finds elements. */
static inline bool is_before(const largest_t *one, const largest_t *other) {
    return one->row * SIZE + one->column < other->row * SIZE + other->column;
}

void choose(const struct dataflow_choose *ports) {
    const largest_t *each = ports->largest;
    const largest_t *largest = each;
    float magnitude = __builtin_fabsf(largest->value);
    for (const largest_t *it = each + 1; it < each + PARTS; it++) {
        float other = __builtin_fabsf(it->value);
        if (other > magnitude || (other == magnitude && is_before(it, largest))) {
            largest = it;
            magnitude = other;
        }
    }
    is_diagonal = magnitude < SMALL;
    if (is_diagonal) {
        dataflow_end();
    } else {
        plan(ports->rotation, largest, own);
    }
}

void follow(const struct dataflow_follow *ports) {
    if (!is_diagonal) {
        turn_all(own, ports->rotation);
    }
}

void part(const struct dataflow_part *ports) {
    copy(ports->rows, ports->vectors, WIDTH);
}

void result(const struct dataflow_result *ports) {
    found = ports->rows; /* they stay where they are */
}

/* --- The same work on the control core alone -------------------------------------------------- */

void jacobi_sequential(void) {
    static DATAFLOW_LOCAL rotation_t rotation;
    copy(rows, matrix, SIZE);
    for (uint32_t i = 0; i < SIZE; i++) {
        unit(vectors[i], i);
    }
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        if (iteration > 0) {
            turn_all(rows, &rotation);
            turn_vectors(vectors, SIZE, &rotation);
        }
        largest_t largest = {0, 0, 1};
        float most = 0;
        for (uint32_t i = 0; i < SIZE; i++) {
            for (uint32_t j = i + 1; j < SIZE; j++) {
                float magnitude = __builtin_fabsf(rows[i][j]);
                if (magnitude > most) {
                    most = magnitude;
                    largest = (largest_t){rows[i][j], (uint16_t)i, (uint16_t)j};
                }
            }
        }
        if (most < SMALL) {
            return;
        }
        plan(&rotation, &largest, rows);
    }
}

/* Compares the eigenvalues and eigenvectors with those of the same work, bit by bit, and the matrix
 * times each vector with its value times the vector. */
uint32_t jacobi_check(void) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < SIZE; i++) {
        wrong += own[i][i] != rows[i][i];
        for (int j = 0; j < SIZE; j++) {
            wrong += found[i][j] != vectors[i][j];
        }
    }
    for (uint32_t pair = 0; pair < SIZE; pair++) {
        float square = 0;
        for (uint32_t i = 0; i < SIZE; i++) {
            float difference = -own[pair][pair] * found[i][pair];
            for (uint32_t j = 0; j < SIZE; j++) {
                difference += matrix[i][j] * found[j][pair];
            }
            square += difference * difference;
        }
        wrong += !(root(square) < NEAR);
    }
    return wrong;
}
