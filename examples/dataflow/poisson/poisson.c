/* SPDX-License-Identifier: Apache-2.0 */
/* 4 u - (u above + u below + u left + u right) = f on 32 x 32 points, with u = 0 around them. Each
 * of eight parts has 16 x 8 points and the line around them, 18 x 10: a sweep computes its points
 * from the newest values of its own and from the line as the last iteration left it. Neighbours
 * send each other their outermost points.
 *
 * With f = 2 (x (33 - x) + y (33 - y)) / 16.5^4 the solution is x (33 - x) y (33 - y) / 16.5^4, at
 * most about 1. The iterations begin with the solution in steps of a quarter, and end when no point
 * changes by 1/2048. */
#include <stdint.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 32, ROWS = 16, COLUMNS = 8, ACROSS = SIZE / COLUMNS, PARTS = 8, LIMIT = 60 };

typedef float forces_t[ROWS][COLUMNS];
typedef float points_t[ROWS + 2][COLUMNS + 2]; /* with the line around them */

typedef float across_t[COLUMNS];
typedef float down_t[ROWS];

static const float SMALL = 1.0f / 2048, NEAR = 0.02f;

static DATAFLOW_LOCAL forces_t forces[PARTS];
static DATAFLOW_LOCAL points_t presumed[PARTS], expected[PARTS];
static const points_t *found; /* what the workers have sent */

/* A part's outermost points after an iteration; of the control core alone. */
typedef struct {
    across_t top, bottom;
    down_t left, right;
} lines_t;

static DATAFLOW_LOCAL lines_t borders[PARTS];

static float shape(int at) { /* x (33 - x) / 16.5^2 */
    return (float)(at * (SIZE + 1 - at)) / (16.5f * 16.5f);
}

void fill(intptr_t core) {
    if (core != 0) {
        return; /* in shared memory: a hook is called on each core */
    }
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

/* Copies a multiple of four pairs: the C library's memcpy goes by bytes. */
static __attribute__((noinline)) void copy(void *to, const void *from, uint32_t bytes) {
    uint64_t *target = to;
    const uint64_t *source = from;
    for (uint32_t i = 0; i < bytes / sizeof(uint64_t); i += 2) {
        uint64_t a = source[i], b = source[i + 1];
        target[i] = a;
        target[i + 1] = b;
    }
}

/* Takes the line around a part from its neighbours' outermost points; null: there is no neighbour.
 */
static __attribute__((noinline)) void surround(points_t points, const float *above,
                                               const float *below, const float *left,
                                               const float *right) {
    for (int j = 0; above != 0 && j < COLUMNS; j++) {
        points[0][j + 1] = above[j];
    }
    for (int j = 0; below != 0 && j < COLUMNS; j++) {
        points[ROWS + 1][j + 1] = below[j];
    }
    for (int i = 0; left != 0 && i < ROWS; i++) {
        points[i + 1][0] = left[i];
    }
    for (int i = 0; right != 0 && i < ROWS; i++) {
        points[i + 1][COLUMNS + 1] = right[i];
    }
}

/* Computes new points; returns how far one has moved at most. */
static __attribute__((noinline)) float sweep_part(points_t points, const forces_t forces) {
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
    return change;
}

/* Takes a part's outermost points, for the neighbours that there are. */
static __attribute__((noinline)) void take(const points_t points, float *top, float *bottom,
                                           float *left, float *right) {
    for (int j = 0; top != 0 && j < COLUMNS; j++) {
        top[j] = points[1][j + 1];
    }
    for (int j = 0; bottom != 0 && j < COLUMNS; j++) {
        bottom[j] = points[ROWS][j + 1];
    }
    for (int i = 0; left != 0 && i < ROWS; i++) {
        left[i] = points[i + 1][1];
    }
    for (int i = 0; right != 0 && i < ROWS; i++) {
        right[i] = points[i + 1][COLUMNS];
    }
}

/* --- Objects ---------------------------------------------------------------------------------- */

void divide(const struct dataflow_divide *ports) {
    copy(ports->forces, forces, sizeof forces);
    copy(ports->presumed, presumed, sizeof presumed);
}

void sweep(const struct dataflow_sweep *ports) {
    if (dataflow_iteration() == 0) {
        copy(ports->points, ports->presumed, sizeof(points_t));
    } else {
        surround(ports->points, ports->above, ports->below, ports->before, ports->behind);
    }
    *(float *)ports->change = sweep_part(ports->points, ports->forces);
    take(ports->points, ports->top, ports->bottom, ports->left, ports->right);
}

void decide(const struct dataflow_decide *ports) {
    const float *changes = ports->changes;
    float change = 0;
    for (int part = 0; part < PARTS; part++) {
        change = changes[part] > change ? changes[part] : change;
    }
    if (change < SMALL) {
        dataflow_end();
    }
}

void part(const struct dataflow_part *ports) {
    copy(ports->points_out, ports->points, sizeof(points_t));
}

void result(const struct dataflow_result *ports) {
    found = ports->parts; /* they stay where they are */
}

/* --- The same work on the control core alone -------------------------------------------------- */

void poisson_sequential(void) {
    copy(expected, presumed, sizeof expected);
    for (int iteration = 0; iteration < LIMIT; iteration++) {
        float change = 0;
        for (uint32_t part = 0; part < PARTS; part++) {
            uint32_t column = part % ACROSS;
            if (iteration > 0) {
                surround(expected[part], part < ACROSS ? 0 : borders[part - ACROSS].bottom,
                         part < PARTS - ACROSS ? borders[part + ACROSS].top : 0,
                         column > 0 ? borders[part - 1].right : 0,
                         column < ACROSS - 1 ? borders[part + 1].left : 0);
            }
            float step = sweep_part(expected[part], forces[part]);
            change = step > change ? step : change;
        }
        if (change < SMALL) {
            break;
        }
        for (uint32_t part = 0; part < PARTS; part++) {
            lines_t *lines = &borders[part];
            take(expected[part], lines->top, lines->bottom, lines->left, lines->right);
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
