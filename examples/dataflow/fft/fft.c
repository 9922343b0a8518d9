/* SPDX-License-Identifier: Apache-2.0 */
/* The discrete Fourier transform of 4096 points by that of 64, with n = 64 n1 + n2 and
 * k = k1 + 64 k2:
 *
 *     X[k] = sum over n2 of R^(n2 k2) (W^(n2 k1) (sum over n1 of x[n] R^(n1 k1)))
 *
 * where W is the first root of one of order 4096 and R that of order 64. The inner sums are
 * transforms of the columns of the points, the outer ones of the rows of what they give. A worker
 * has eight of each. Between them, and behind them, each sends each other one a square of 8 x 8
 * points.
 *
 * A point is a word, as the words of the cores in the article: two fractions of 16 bits. Each step
 * of a transform halves, so nothing overflows where no point of the input is farther than 2^15 - 1
 * from 0, and the result is X / 4096. */
#include <stdint.h>

#include <dataflow.h>
#include <takt/dataflow_system.h>
#include <takt/takt.h>

enum { SIZE = 64, LEVELS = 6, PARTS = 8, WIDTH = SIZE / PARTS, ONE = 1 << 14 };

typedef struct {
    int16_t re, im;
} point_t;
typedef point_t matrix_t[SIZE][SIZE];
typedef point_t strip_t[SIZE][WIDTH]; /* eight columns of a matrix */

static DATAFLOW_LOCAL matrix_t points, expected;
static const point_t (*spectrum)[SIZE];                 /* what the workers have sent */
static DATAFLOW_LOCAL point_t fine[SIZE], coarse[SIZE]; /* W^m and R^m; ONE is 1 */

/* The input has four waves, with so many periods in all points, and so high. */
static const struct {
    uint16_t periods, height;
} waves[] = {{1, 9000}, {100, 7000}, {2049, 5000}, {4000, 3000}};

/* --- Before time 0 ---------------------------------------------------------------------------- */

static int16_t rounded(double value) {
    return (int16_t)(value < 0 ? value - 0.5 : value + 0.5);
}

/* Writes the first 64 powers of re + im i. */
static void fill_powers(point_t powers[SIZE], double re, double im) {
    double x = 1, y = 0;
    for (int i = 0; i < SIZE; i++) {
        powers[i] = (point_t){rounded(x * ONE), rounded(y * ONE)};
        double next = x * re - y * im;
        y = x * im + y * re;
        x = next;
    }
}

void fill(intptr_t core) {
    if (core != 0) {
        return; /* in shared memory: a hook is called on each core */
    }
    fill_powers(fine, 0.99999882345170188, -0.0015339801862847656);  /* cos, -sin of 2 pi / 4096 */
    fill_powers(coarse, 0.99518472667219693, -0.098017140329560604); /* of 2 pi / 64 */
    point_t *point = (point_t *)points;
    for (uint32_t n = 0; n < SIZE * SIZE; n++) {
        double re = 0, im = 0;
        for (uint32_t i = 0; i < sizeof waves / sizeof *waves; i++) {
            uint32_t turn = n * waves[i].periods % (SIZE * SIZE);
            point_t a = fine[turn % SIZE], b = coarse[turn / SIZE];
            double height = (double)waves[i].height / ONE / ONE;
            re += height * (a.re * b.re - a.im * b.im);
            im -= height * (a.re * b.im + a.im * b.re); /* backward: a root turns the other way */
        }
        point[n] = (point_t){rounded(re), rounded(im)};
    }
}

/* --- What workers compute --------------------------------------------------------------------- */

/* Copies eight words: the C library's memcpy goes by bytes. */
static inline void copy(void *to, const void *from) {
    const uint64_t *source = from;
    uint64_t a = source[0], b = source[1], c = source[2], d = source[3];
    uint64_t *target = to;
    target[0] = a;
    target[1] = b;
    target[2] = c;
    target[3] = d;
}

static point_t product(point_t a, point_t b) {
    return (point_t){(int16_t)((a.re * b.re - a.im * b.im) >> 14),
                     (int16_t)((a.re * b.im + a.im * b.re) >> 14)};
}

/* The index whose six bits are those of `i` in the other order. */
static int reversed(int i) {
    i = (i & 0x15) << 1 | (i >> 1 & 0x15);          /* neighbours */
    return (i & 3) << 4 | (i & 0xc) | (i >> 4 & 3); /* pairs of them */
}

/* Transforms 64 points into `line`, and divides by 64. They come in eight runs, in each of which
 * they are `stride` apart. */
static void transform(point_t line[SIZE], const point_t *const runs[PARTS], int stride,
                      const point_t roots[SIZE]) {
    for (int run = 0; run < PARTS; run++) {
        for (int i = 0; i < WIDTH; i++) {
            line[reversed(run * WIDTH + i)] = runs[run][i * stride];
        }
    }
    for (int level = 0; level < LEVELS; level++) {
        int half = 1 << level, step = SIZE / 2 >> level;
        for (int first = 0; first < half; first++) {
            point_t root = roots[first * step];
            for (int i = first; i < SIZE; i += 2 * half) {
                point_t a = line[i], b = product(line[i + half], root);
                line[i] = (point_t){(int16_t)((a.re + b.re) >> 1), (int16_t)((a.im + b.im) >> 1)};
                line[i + half] =
                    (point_t){(int16_t)((a.re - b.re) >> 1), (int16_t)((a.im - b.im) >> 1)};
            }
        }
    }
}

/* The factors of the eight columns from `column` on: W^(n2 k1). */
static void multiply_roots(strip_t to, int column, const point_t small[SIZE],
                           const point_t large[SIZE]) {
    for (int row = 0; row < SIZE; row++) {
        for (int i = 0; i < WIDTH; i++) {
            int power = row * (column + i);
            to[row][i] = product(small[power % SIZE], large[power / SIZE]);
        }
    }
}

/* Transforms eight columns of rows that are `stride` points apart. */
static void transform_columns(point_t *to, const point_t *from, int stride, const strip_t by,
                              const point_t roots[SIZE]) {
    point_t line[SIZE];
    const point_t *runs[PARTS];
    for (int column = 0; column < WIDTH; column++) {
        for (int run = 0; run < PARTS; run++) {
            runs[run] = &from[run * WIDTH * stride + column];
        }
        transform(line, runs, stride, roots);
        for (int row = 0; row < SIZE; row++) {
            to[row * stride + column] = product(line[row], by[row][column]);
        }
    }
}

/* Transforms eight rows, each in eight runs, into eight columns; all rows are `stride` points
 * apart. */
static void transform_rows(point_t *to, const point_t *const squares[PARTS], int stride,
                           const point_t roots[SIZE]) {
    point_t line[SIZE];
    const point_t *runs[PARTS];
    for (int row = 0; row < WIDTH; row++) {
        for (int run = 0; run < PARTS; run++) {
            runs[run] = squares[run] + row * stride;
        }
        transform(line, runs, 1, roots);
        for (int i = 0; i < SIZE; i++) {
            to[i * stride + row] = line[i];
        }
    }
}

void factors(const struct dataflow_factors *ports) {
    multiply_roots(ports->factors, (int)ports->index * WIDTH, ports->fine, ports->coarse);
    for (int i = 0; i < SIZE; i += WIDTH) {
        copy((point_t *)ports->roots + i, (const point_t *)ports->coarse + i);
    }
}

void columns(const struct dataflow_columns *ports) {
    transform_columns(ports->spectra, ports->points, WIDTH, ports->factors, ports->roots);
}

void rows(const struct dataflow_rows *ports) {
    const point_t *const squares[PARTS] = {ports->square0, ports->square1, ports->square2,
                                           ports->square3, ports->square4, ports->square5,
                                           ports->square6, ports->square7};
    transform_rows(ports->spectra, squares, WIDTH, ports->roots);
}

/* Joins squares to eight rows. */
void join(const struct dataflow_join *ports) {
    const point_t *const squares[PARTS] = {ports->square0, ports->square1, ports->square2,
                                           ports->square3, ports->square4, ports->square5,
                                           ports->square6, ports->square7};
    point_t(*to)[SIZE] = ports->rows;
    for (int row = 0; row < WIDTH; row++) {
        for (int part = 0; part < PARTS; part++) {
            copy(&to[row][part * WIDTH], squares[part] + row * WIDTH);
        }
    }
}

/* --- What the control core does --------------------------------------------------------------- */

/* Cuts a matrix into strips of eight columns. */
static void cut(strip_t strips[PARTS], const matrix_t matrix) {
    for (int part = 0; part < PARTS; part++) {
        for (int row = 0; row < SIZE; row++) {
            copy(strips[part][row], &matrix[row][part * WIDTH]);
        }
    }
}

void roots(const struct dataflow_roots *ports) {
    for (int i = 0; i < SIZE; i += WIDTH) {
        copy((point_t *)ports->fine + i, fine + i);
        copy((point_t *)ports->coarse + i, coarse + i);
    }
}

void arrange(const struct dataflow_arrange *ports) {
    cut(ports->columns, points);
}

void collect(const struct dataflow_collect *ports) {
    spectrum = ports->rows; /* they stay where they are */
}

/* --- The same on one core --------------------------------------------------------------------- */

void fft_sequential(void) {
    static DATAFLOW_LOCAL matrix_t half_done;
    static DATAFLOW_LOCAL strip_t by;
    for (int part = 0; part < PARTS; part++) {
        int first = part * WIDTH;
        multiply_roots(by, first, fine, coarse);
        transform_columns(&half_done[0][first], &points[0][first], SIZE, by, coarse);
    }
    for (int part = 0; part < PARTS; part++) {
        const point_t *squares[PARTS];
        for (int square = 0; square < PARTS; square++) {
            squares[square] = &half_done[part * WIDTH][square * WIDTH];
        }
        transform_rows(&expected[0][part * WIDTH], squares, SIZE, coarse);
    }
}

/* What the result is off by from the wave's height, or 0, at a frequency: a square. */
static uint32_t error(uint32_t k, point_t is) {
    int32_t height = 0;
    for (uint32_t i = 0; i < sizeof waves / sizeof *waves; i++) {
        height = waves[i].periods == k ? waves[i].height : height;
    }
    int32_t re = is.re - height, im = is.im;
    return (uint32_t)(re * re) + (uint32_t)(im * im);
}

/* Counts what differs from the sequential transform, or is farther than 24 from the waves' own. */
uint32_t fft_check(void) {
    enum { TOLERANCE = 24 };
    uint32_t wrong = 0;
    for (uint32_t k = 0; k < SIZE * SIZE; k++) {
        point_t is = ((const point_t *)spectrum)[k], same = ((const point_t *)expected)[k];
        wrong += is.re != same.re || is.im != same.im || error(k, is) > TOLERANCE * TOLERANCE;
    }
    return wrong;
}
