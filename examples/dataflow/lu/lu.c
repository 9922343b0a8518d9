/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix becomes the product of a lower triangular matrix, with a diagonal of ones, and an upper
 * one, which take its place. There is no pivoting: the diagonal outweighs its row.
 *
 * A strip is four columns. Strips are dealt to eight workers in turn. When all strips before it
 * have been subtracted from a strip, it is factored, and its owner sends it to all. The others
 * subtract what belongs to it from each of their strips behind it. The owner of the next one does
 * so for that one first, factors it and sends it, and only then for its others.
 *
 * An iteration factors eight strips, one of each worker. In it a worker subtracts the last strip of
 * the iteration before. */
#include <stdint.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

#ifndef SIZE
#define SIZE 1024 /* rows and columns; small.c has fewer */
#endif

enum { WIDTH = 4, STRIPS = SIZE / WIDTH, PARTS = 8, ROUNDS = STRIPS / PARTS, PROBES = 4 };

typedef float row_t[WIDTH];
typedef row_t strip_t[SIZE];

/* The control core has the matrix, which it factors alone at the end, and the factors
 * that the workers have made. */
static DATAFLOW_LOCAL strip_t matrix[STRIPS], found[STRIPS];

/* The strips of a worker, every eighth: they stay where they have arrived. */
static strip_t *strips;

/* The element that the matrix has at first: from -1 to 1, on the diagonal more than a row's others.
 */
static float element(uint32_t row, uint32_t column) {
    uint32_t word = (row * SIZE + column) * 2654435761u;
    float value = (float)(int32_t)(word ^ word >> 15) * 0x1p-31f;
    return row == column ? value + SIZE : value;
}

void fill(intptr_t core) {
    if (core != 0) {
        return; /* in shared memory: a hook is called on each core */
    }
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        for (uint32_t row = 0; row < SIZE; row++) {
            for (uint32_t column = 0; column < WIDTH; column++) {
                matrix[strip][row][column] = element(row, strip * WIDTH + column);
            }
        }
    }
}

/* --- What workers and the control core alone both do
 * ---------------------------------------------- */

/* Copies a strip, eight words at once: the C library's memcpy goes by bytes. */
static __attribute__((noinline)) void copy(strip_t to, const strip_t from) {
    const uint64_t *source = (const uint64_t *)from;
    uint64_t *target = (uint64_t *)to;
    for (uint32_t i = 0; i < sizeof(strip_t) / sizeof(uint64_t); i += 4) {
        uint64_t a = source[i], b = source[i + 1], c = source[i + 2], d = source[i + 3];
        target[i] = a;
        target[i + 1] = b;
        target[i + 2] = c;
        target[i + 3] = d;
    }
}

/* Returns value - a * b, rounded once. */
static inline float less(float value, float a, float b) {
    return __builtin_fmaf(-a, b, value);
}

/* Factors a strip, from which all before it have been subtracted. */
static __attribute__((noinline)) void factor_strip(strip_t strip, uint32_t number) {
    uint32_t first = number * WIDTH;
    for (uint32_t pivot = 0; pivot < WIDTH; pivot++) {
        row_t top = {0};
        for (uint32_t column = pivot; column < WIDTH; column++) {
            top[column] = strip[first + pivot][column];
        }
        float inverse = 1 / top[pivot];
        for (uint32_t row = first + pivot + 1; row < SIZE; row++) {
            float factor = strip[row][pivot] * inverse;
            strip[row][pivot] = factor;
            for (uint32_t column = pivot + 1; column < WIDTH; column++) {
                strip[row][column] = less(strip[row][column], factor, top[column]);
            }
        }
    }
}

/* Subtracts from a strip what belongs to a factored one before it. */
static __attribute__((noinline)) void subtract(strip_t strip, const strip_t factored,
                                               uint32_t number) {
    uint32_t first = number * WIDTH;
    /* The rows beside the factored strip's diagonal become those of the upper matrix. */
    for (uint32_t row = 1; row < WIDTH; row++) {
        for (uint32_t other = 0; other < row; other++) {
            float factor = factored[first + row][other];
            for (uint32_t column = 0; column < WIDTH; column++) {
                strip[first + row][column] =
                    less(strip[first + row][column], factor, strip[first + other][column]);
            }
        }
    }
    const row_t *top = &strip[first];
    const float a0 = top[0][0], a1 = top[0][1], a2 = top[0][2], a3 = top[0][3];
    const float b0 = top[1][0], b1 = top[1][1], b2 = top[1][2], b3 = top[1][3];
    const float c0 = top[2][0], c1 = top[2][1], c2 = top[2][2], c3 = top[2][3];
    const float d0 = top[3][0], d1 = top[3][1], d2 = top[3][2], d3 = top[3][3];
    for (uint32_t row = first + WIDTH; row < SIZE; row++) {
        const float *by = factored[row];
        float *to = strip[row];
        float a = by[0], b = by[1], c = by[2], d = by[3];
        float w = to[0], x = to[1], y = to[2], z = to[3];
        w = less(w, a, a0), x = less(x, a, a1), y = less(y, a, a2), z = less(z, a, a3);
        w = less(w, b, b0), x = less(x, b, b1), y = less(y, b, b2), z = less(z, b, b3);
        w = less(w, c, c0), x = less(x, c, c1), y = less(y, c, c2), z = less(z, c, c3);
        w = less(w, d, d0), x = less(x, d, d1), y = less(y, d, d2), z = less(z, d, d3);
        to[0] = w, to[1] = x, to[2] = y, to[3] = z;
    }
}

/* --- Objects ---------------------------------------------------------------------------------- */

/* Strip n is one of worker n % 8, and there the n / 8-th. */
void deal(const struct dataflow_deal *ports) {
    strip_t *to = ports->strips;
    for (uint32_t strip = 0; strip < STRIPS; strip++) {
        copy(to[strip % PARTS * ROUNDS + strip / PARTS], matrix[strip]);
    }
}

void hold(const struct dataflow_hold *ports) {
    strips = (strip_t *)(uintptr_t)ports->strips; /* nobody else reads or writes this input */
}

/* The iteration's strip with this argument, which is one of this worker. */
void factor(const struct dataflow_factor *ports) {
    uint32_t round = dataflow_iteration(), number = round * PARTS + ports->argument;
    if (number > 0) {
        subtract(strips[round], ports->before, number - 1);
    }
    factor_strip(strips[round], number);
    copy(ports->strip, strips[round]);
}

/* The iteration's strip with this argument has come, or the last one of the iteration before. A
 * worker subtracts it from those behind the next one. */
void reduce(const struct dataflow_reduce *ports) {
    uint32_t number = dataflow_iteration() * PARTS + ports->argument;
    if (ports->argument == PARTS - 1) {
        if (dataflow_iteration() == 0) {
            return; /* there is none yet */
        }
        number -= PARTS;
    }
    for (uint32_t strip = ports->index; strip < STRIPS; strip += PARTS) {
        if (strip > number + 1) {
            subtract(strips[strip / PARTS], ports->strip, number);
        }
    }
}

/* The control core collects the strips as they come. */
void collect(const struct dataflow_collect *ports) {
    copy(found[dataflow_iteration() * PARTS + ports->argument], ports->strip);
}

/* --- The same work on the control core alone -------------------------------------------------- */

void lu_sequential(void) {
    for (uint32_t number = 0; number < STRIPS; number++) {
        factor_strip(matrix[number], number);
        for (uint32_t strip = number + 1; strip < STRIPS; strip++) {
            subtract(matrix[strip], matrix[number], number);
        }
    }
}

static float factor_at(uint32_t row, uint32_t column) {
    return found[column / WIDTH][row][column % WIDTH];
}

/* Compares the factors with those of the same work, bit by bit, and some rows of their product with
 * the matrix. */
uint32_t lu_check(void) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < SIZE * SIZE; i++) {
        wrong += ((const uint32_t *)found)[i] != ((const uint32_t *)matrix)[i];
    }
    for (uint32_t probe = 0; probe < PROBES; probe++) {
        uint32_t row = probe * (SIZE - 1) / (PROBES - 1);
        for (uint32_t column = 0; column < SIZE; column++) {
            uint32_t last = row < column ? row : column;
            float sum = row <= column ? factor_at(row, column) : 0;
            for (uint32_t i = 0; i < last + (row > column); i++) {
                sum += factor_at(row, i) * factor_at(i, column);
            }
            float difference = __builtin_fabsf(sum - element(row, column));
            wrong += !(difference < SIZE * 0x1p-20f);
        }
    }
    return wrong;
}
