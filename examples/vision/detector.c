/* SPDX-License-Identifier: Apache-2.0 */
/* A detector after Viola and Jones (IJCV 57(2), 2004). A window of 24 * 24 points is moved over the
 * picture and over smaller copies of it, and a cascade of stages looks at each place: few
 * features reject most of them. Sums over any rectangle take four loads from a table of the sums
 * above and left of each point.
 *
 * Five loops run in parallel, each after the one before: the sums of the picture, by rows and then
 * by columns; the copies and their sums, by rows and then by columns; the windows. */
#include "detector.h"

#include <math.h>
#include <stdlib.h>

#include "cascade.h"

enum {
    SIDE = 24,        /* of the window */
    LEVELS = 11,      /* the picture and its copies, each 4/5 of the one before */
    STRIP = 16,       /* columns that a strand adds up: 64 bytes of a row */
    MAX_PLACES = 512, /* that look like a face; more are not looked at */
    MIN_PLACES = 4,   /* beside each other make a face */
    LEAST_CONTRAST = 8,
};

/* A copy of the picture as its two tables: sums of the points and of their squares, modulo 2^32.
 * Row 0 and column 0 are zeros. */
struct level {
    int width, height;
    uint32_t sums[(HEIGHT + 1) * (WIDTH + 1)];
    uint32_t squares[(HEIGHT + 1) * (WIDTH + 1)];
};

static struct level levels[LEVELS];

/* A strand of the loops over several levels. */
struct strand {
    int level, index;
};

static struct strand rows[LEVELS * HEIGHT], strips[LEVELS * (WIDTH / STRIP + 1)],
    windows[LEVELS * HEIGHT];
static int row_count, strip_count, window_count;

/* A place where the cascade has found a face, and what the sum over the places of a face needs. */
struct place {
    int level, x, y;
};

static struct place places[MAX_PLACES];
static int place_count;

static void add_strands(struct strand *strands, int *count, int level, int added) {
    for (int index = 0; index < added; index++) {
        strands[(*count)++] = (struct strand){level, index};
    }
}

/* Sets the sizes of the levels and the strands of the loops, once. */
static void prepare(void) {
    int width = WIDTH, height = HEIGHT;
    for (int index = 0; index < LEVELS && height >= SIDE; index++) {
        levels[index].width = width;
        levels[index].height = height;
        if (index > 0) {
            add_strands(rows, &row_count, index, height);
            add_strands(strips, &strip_count, index, (width + STRIP - 1) / STRIP);
        }
        add_strands(windows, &window_count, index, height - SIDE + 1);
        width = width * 4 / 5;
        height = height * 4 / 5;
    }
}

/* The sum over a rectangle of a table whose rows have `stride` entries. */
static inline uint32_t sum_of(const uint32_t *table, int stride, int x, int y, int width,
                              int height) {
    const uint32_t *upper = table + y * stride + x, *lower = upper + height * stride;
    return lower[width] - upper[width] - lower[0] + upper[0];
}

static void sum_row(struct level *level, int row, const uint8_t *points) {
    uint32_t *sums = level->sums + (row + 1) * (level->width + 1) + 1;
    uint32_t *squares = level->squares + (row + 1) * (level->width + 1) + 1;
    uint32_t sum = 0, square = 0;
    for (int x = 0; x < level->width; x++) {
        sum += points[x];
        square += (uint32_t)points[x] * points[x];
        sums[x] = sum;
        squares[x] = square;
    }
}

static void sum_strip(struct level *level, int strip) {
    int stride = level->width + 1, first = strip * STRIP + 1;
    int end = first + STRIP < stride ? first + STRIP : stride;
    for (int row = 2; row <= level->height; row++) {
        for (int at = row * stride + first; at < row * stride + end; at++) {
            level->sums[at] += level->sums[at - stride];
            level->squares[at] += level->squares[at - stride];
        }
    }
}

/* Each point of a row of a copy is the mean of the points of the picture that fall on it. */
static void copy_row(struct level *level, int row) {
    uint8_t points[WIDTH];
    int top = row * HEIGHT / level->height, bottom = (row + 1) * HEIGHT / level->height;
    for (int x = 0; x < level->width; x++) {
        int left = x * WIDTH / level->width, right = (x + 1) * WIDTH / level->width;
        uint32_t sum = sum_of(levels[0].sums, WIDTH + 1, left, top, right - left, bottom - top);
        points[x] = (uint8_t)(sum / (uint32_t)((right - left) * (bottom - top)));
    }
    sum_row(level, row, points);
}

/* Whether the cascade passes the window at a place. */
static bool is_face(const struct level *level, int x, int y) {
    int stride = level->width + 1;
    int64_t sum = sum_of(level->sums, stride, x, y, SIDE, SIDE);
    int64_t spread = SIDE * SIDE * (int64_t)sum_of(level->squares, stride, x, y, SIDE, SIDE);
    spread -= sum * sum;
    if (spread < (int64_t)SIDE * SIDE * LEAST_CONTRAST * SIDE * SIDE * LEAST_CONTRAST) {
        return false;
    }
    float contrast = sqrtf((float)spread);
    const struct feature *feature = features;
    for (unsigned index = 0; index < sizeof stages / sizeof stages[0]; index++) {
        float votes = 0;
        for (int left = stages[index].features; left > 0; left--, feature++) {
            struct rectangle whole = feature->whole, part = feature->part;
            int value = feature->weight * (int)sum_of(level->sums, stride, x + part.x, y + part.y,
                                                      part.width, part.height) -
                        (int)sum_of(level->sums, stride, x + whole.x, y + whole.y, whole.width,
                                    whole.height);
            if (((float)value > feature->threshold * contrast) == feature->above) {
                votes += feature->vote;
            }
        }
        if (votes < stages[index].least) {
            return false;
        }
    }
    return true;
}

static void look_along(struct strand strand) {
    const struct level *level = &levels[strand.level];
    for (int x = 0; x <= level->width - SIDE; x++) {
        if (is_face(level, x, strand.index)) {
            int index;
#pragma omp atomic capture
            index = place_count++;
            if (index < MAX_PLACES) {
                places[index] = (struct place){strand.level, x, strand.index};
            }
        }
    }
}

static int compare_places(const void *left, const void *right) {
    const struct place *one = left, *other = right;
    if (one->level != other->level) {
        return one->level - other->level;
    }
    return one->y != other->y ? one->y - other->y : one->x - other->x;
}

/* A group of places beside each other: the sums of their boxes. */
struct group {
    int count;
    long left, top, size;
};

static bool is_beside(const struct group *group, const struct box *box) {
    long left = group->left / group->count, top = group->top / group->count;
    long size = group->size / group->count;
    return labs(left - box->left) * 4 < size && labs(top - box->top) * 4 < size &&
           size * 2 < box->size * 3 && box->size * 2 < size * 3;
}

/* Joins places beside each other to faces: at most MAX_PLACES times four times MAX_FACES steps. */
static void join_places(struct sighting *sighting) {
    struct group groups[4 * MAX_FACES];
    int group_count = 0, count = place_count < MAX_PLACES ? place_count : MAX_PLACES;
    qsort(places, (size_t)count, sizeof places[0], compare_places);
    for (int index = 0; index < count; index++) {
        const struct place *place = &places[index];
        const struct level *level = &levels[place->level];
        struct box box = {place->x * WIDTH / level->width, place->y * HEIGHT / level->height,
                          SIDE * WIDTH / level->width};
        int at = 0;
        while (at < group_count && !is_beside(&groups[at], &box)) {
            at++;
        }
        if (at == group_count && group_count < 4 * MAX_FACES) {
            groups[group_count++] = (struct group){0};
        }
        if (at < group_count) {
            groups[at].count++;
            groups[at].left += box.left;
            groups[at].top += box.top;
            groups[at].size += box.size;
        }
    }
    sighting->count = 0;
    for (int index = 0; index < group_count && sighting->count < MAX_FACES; index++) {
        const struct group *group = &groups[index];
        if (group->count >= MIN_PLACES) {
            sighting->faces[sighting->count++] =
                (struct box){(int)(group->left / group->count), (int)(group->top / group->count),
                             (int)(group->size / group->count)};
        }
    }
}

void find_faces(const uint8_t *picture, struct sighting *sighting) {
    if (window_count == 0) {
        prepare();
    }
    place_count = 0;
#pragma omp parallel for
    for (int row = 0; row < HEIGHT; row++) {
        sum_row(&levels[0], row, picture + row * WIDTH);
    }
#pragma omp parallel for
    for (int strip = 0; strip < WIDTH / STRIP; strip++) {
        sum_strip(&levels[0], strip);
    }
    /* Small copies come last, so the strands that follow each other are for different threads. */
#pragma omp parallel for schedule(static, 1)
    for (int index = 0; index < row_count; index++) {
        copy_row(&levels[rows[index].level], rows[index].index);
    }
#pragma omp parallel for schedule(static, 1)
    for (int index = 0; index < strip_count; index++) {
        sum_strip(&levels[strips[index].level], strips[index].index);
    }
#pragma omp parallel for schedule(dynamic)
    for (int index = 0; index < window_count; index++) {
        look_along(windows[index]);
    }
    join_places(sighting);
}
