/* SPDX-License-Identifier: Apache-2.0 */
/* 4 u - (u above + u below + u left + u right) = f on 32 x 32 points, with u = 0 around them. Each
 * of eight parts has 16 x 8 points and the line around them, 18 x 10: a sweep computes its points
 * from the newest values of its own and from the line as the last iteration left it.
 *
 * With f = 2 (x (33 - x) + y (33 - y)) / 16.5^4 the solution is x (33 - x) y (33 - y) / 16.5^4, at
 * most about 1. The iterations begin with the solution in steps of a quarter, and end when no point
 * changes by 1/2048. */
#include <stdint.h>
#include <string.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 32, ROWS = 16, COLUMNS = 8, ACROSS = SIZE / COLUMNS, PARTS = 8, LIMIT = 60 };

typedef float forces_t[ROWS][COLUMNS];
typedef float points_t[ROWS + 2][COLUMNS + 2]; /* with the line around them */

/* A part's outermost points, and how far one of its points has moved at most. */
typedef struct {
    float top[COLUMNS], bottom[COLUMNS], left[ROWS], right[ROWS], change;
} lines_t;

static const float SMALL = 1.0f / 2048, NEAR = 0.02f;

static DATAFLOW_LOCAL forces_t forces[PARTS];
static DATAFLOW_LOCAL points_t presumed[PARTS], found[PARTS], expected[PARTS];
static DATAFLOW_LOCAL lines_t borders[PARTS], new_borders[PARTS];

static float shape(int at) { /* x (33 - x) / 16.5^2 */
    return (float)(at * (SIZE + 1 - at)) / (16.5f * 16.5f);
}

void fill(intptr_t core) {
    for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < COLUMNS; j++) {
                int y = part / ACROSS * ROWS + i + 1, x = part % ACROSS * COLUMNS + j + 1;
                forces[part][i][j] = 2 * (shape(x) + shape(y)) / (16.5f * 16.5f);
            }
        }
        for (int i = 0; i < ROWS + 2; i++) {
            for (int j = 0; j < COLUMNS + 2; j++) {
                int y = part / ACROSS * ROWS + i, x = part % ACROSS * COLUMNS + j;
                presumed[part][i][j] = (float)(int)(shape(x) * shape(y) * 4 + 0.5f) / 4;
            }
        }
    }
}

/* --- What workers and the control core alone both do
 * ---------------------------------------------- */

static inline void copy(float to[COLUMNS], const float from[COLUMNS]) {
    for (int j = 0; j < COLUMNS; j++) {
        to[j] = from[j];
    }
}

/* Takes the line around a part from the borders of all parts. */
static __attribute__((noinline)) void surround(points_t points, const lines_t *borders,
                                               uint32_t part) {
    uint32_t column = part % ACROSS;
    if (part >= ACROSS) {
        copy(&points[0][1], borders[part - ACROSS].bottom);
    }
    if (part < PARTS - ACROSS) {
        copy(&points[ROWS + 1][1], borders[part + ACROSS].top);
    }
    for (int i = 0; i < ROWS; i++) {
        if (column > 0) {
            points[i + 1][0] = borders[part - 1].right[i];
        }
        if (column < ACROSS - 1) {
            points[i + 1][COLUMNS + 1] = borders[part + 1].left[i];
        }
    }
}

static __attribute__((noinline)) void sweep_part(points_t points, const forces_t forces,
                                                 lines_t *lines) {
    float change = 0;
    for (int i = 1; i <= ROWS; i++) {
        float left = points[i][0];
        for (int j = 1; j <= COLUMNS; j++) {
            float sum = points[i - 1][j] + points[i + 1][j] + left + points[i][j + 1];
            float value = (sum + forces[i - 1][j - 1]) * 0.25f;
            float step = __builtin_fabsf(value - points[i][j]);
            change = step > change ? step : change;
            points[i][j] = left = value;
        }
    }
    copy(lines->top, &points[1][1]);
    copy(lines->bottom, &points[ROWS][1]);
    for (int i = 0; i < ROWS; i++) {
        lines->left[i] = points[i + 1][1];
        lines->right[i] = points[i + 1][COLUMNS];
    }
    lines->change = change;
}

static float largest_change(const lines_t *borders) {
    float change = 0;
    for (int part = 0; part < PARTS; part++) {
        change = borders[part].change > change ? borders[part].change : change;
    }
    return change;
}

/* --- Objects ---------------------------------------------------------------------------------- */

void divide(const struct dataflow_divide *ports) {
    memcpy(ports->forces, forces, sizeof forces);
    memcpy(ports->presumed, presumed, sizeof presumed);
}

void sweep(const struct dataflow_sweep *ports) {
    if (dataflow_iteration() == 0) {
        memcpy(ports->points, ports->presumed, sizeof(points_t));
    } else {
        surround(ports->points, ports->around, ports->index);
    }
    sweep_part(ports->points, ports->forces, ports->lines);
}

void border(const struct dataflow_border *ports) {
    uint64_t *to = ports->lines;
    const uint64_t *from = ports->parts;
    for (uint32_t i = 0; i < PARTS * sizeof(lines_t) / 8; i++) {
        to[i] = from[i];
    }
    if (largest_change(ports->parts) < SMALL) {
        dataflow_end();
    }
}

void part(const struct dataflow_part *ports) {
    memcpy(ports->points_out, ports->points, sizeof(points_t));
}

void result(const struct dataflow_result *ports) {
    memcpy(found, ports->parts, sizeof found);
}

/* --- The same work on the control core alone -------------------------------------------------- */

void poisson_sequential(void) {
    memcpy(expected, presumed, sizeof expected);
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        for (uint32_t part = 0; part < PARTS; part++) {
            if (iteration > 0) {
                surround(expected[part], borders, part);
            }
            sweep_part(expected[part], forces[part], &new_borders[part]);
        }
        memcpy(borders, new_borders, sizeof borders);
        if (largest_change(borders) < SMALL) {
            break;
        }
    }
}

/* Compares the points with those of the same work, bit by bit, and with the solution. */
uint32_t poisson_check(void) {
    uint32_t wrong = 0;
    for (int part = 0; part < PARTS; part++) {
        for (int i = 1; i <= ROWS; i++) {
            for (int j = 1; j <= COLUMNS; j++) {
                float value = found[part][i][j];
                int y = part / ACROSS * ROWS + i, x = part % ACROSS * COLUMNS + j;
                float distance = __builtin_fabsf(value - shape(x) * shape(y));
                wrong += value != expected[part][i][j] || !(distance < NEAR);
            }
        }
    }
    return wrong;
}
