/* SPDX-License-Identifier: Apache-2.0 */
/* The product of two matrices of 64 x 64 words: eight workers have 8 columns each, and add up the
 * products of four panels, 16 columns of A with 16 rows of B. */
#include <stdint.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 64, PANELS = 4, DEPTH = SIZE / PANELS, PARTS = 8, WIDTH = SIZE / PARTS };

typedef int32_t panel_t[SIZE][DEPTH];  /* columns of A */
typedef int32_t block_t[DEPTH][WIDTH]; /* rows of B, the columns of one worker */
typedef int32_t part_t[SIZE][WIDTH];   /* the columns of the product of one worker */

/* The matrices are stored in the pieces that travel, so that loading is a copy. */
static DATAFLOW_LOCAL panel_t a[PANELS];
static DATAFLOW_LOCAL block_t b[PANELS][PARTS];
static DATAFLOW_LOCAL part_t expected[PARTS];
static const part_t *product; /* what the workers have sent */

/* Fills the matrices with words of which each is another. Before time 0. */
void fill(intptr_t core) {
    if (core != 0) {
        return; /* in shared memory: a hook is called on each core */
    }
    uint32_t word = 1;
    for (uint32_t i = 0; i < sizeof a / sizeof word; i++, word = word * 1664525 + 1013904223) {
        ((uint32_t *)a)[i] = word;
        ((uint32_t *)b)[i] = ~word * 5;
    }
}

/* Copies eight words at once: the C library's memcpy goes by bytes. */
static void copy(void *to, const void *from, uint32_t size) {
    uint64_t *target = to;
    const uint64_t *source = from;
    for (uint32_t i = 0; i < size / sizeof(uint64_t); i += 4) {
        uint64_t a = source[i], b = source[i + 1], c = source[i + 2], d = source[i + 3];
        target[i] = a;
        target[i + 1] = b;
        target[i + 2] = c;
        target[i + 3] = d;
    }
}

void load(const struct dataflow_load *ports) {
    copy(ports->panel, a[ports->argument], sizeof *a);
    copy(ports->blocks, b[ports->argument], sizeof *b);
}

/* Adds the product of a panel and a block to what is there `before`, null: nothing. Sums wrap
 * around. */
static void multiply_add(part_t after, const part_t before, const panel_t panel,
                         const block_t block) {
    for (int row = 0; row < SIZE; row++) {
        for (int column = 0; column < WIDTH; column++) {
            uint32_t sum = before == 0 ? 0 : (uint32_t)before[row][column];
            for (int i = 0; i < DEPTH; i++) {
                sum += (uint32_t)panel[row][i] * (uint32_t)block[i][column];
            }
            after[row][column] = (int32_t)sum;
        }
    }
}

void multiply(const struct dataflow_multiply *ports) {
    multiply_add(ports->after, ports->before, ports->panel, ports->block);
}

void collect(const struct dataflow_collect *ports) {
    product = ports->parts; /* they stay where they are */
}

/* Computes the same product on one core, from the same matrices. */
void cannon_sequential(void) {
    for (int part = 0; part < PARTS; part++) {
        for (int panel = 0; panel < PANELS; panel++) {
            const int32_t(*before)[WIDTH] = panel == 0 ? 0 : expected[part];
            multiply_add(expected[part], before, a[panel], b[panel][part]);
        }
    }
}

uint32_t cannon_check(void) {
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < sizeof expected / sizeof(int32_t); i++) {
        wrong += ((const int32_t *)product)[i] != ((int32_t *)expected)[i];
    }
    return wrong;
}
