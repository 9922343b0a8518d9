// SPDX-License-Identifier: Apache-2.0
// A walk through the C library: sorting, CRC, formatted output and input, mathematics, strings.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 200

static uint64_t state = 1;

static uint64_t next(void) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return state;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static uint32_t crc(const void *data, size_t bytes) {
    const unsigned char *p = data;
    uint32_t value = ~0u;

    while (bytes-- > 0) {
        value ^= *p++;
        for (int bit = 0; bit < 8; bit++) {
            value = value >> 1 ^ (value & 1 ? 0xedb88320 : 0);
        }
    }
    return ~value;
}

int main(void) {
    static double values[COUNT];
    static char text[COUNT][40];

    for (int i = 0; i < COUNT; i++) {
        values[i] = ldexp((double)(int64_t)next(), (int)(next() >> 58) - 90);
    }
    qsort(values, COUNT, sizeof(values[0]), compare);
    for (int i = 0; i < COUNT; i++) {
        double x = fabs(values[i]);
        double y = sin(values[i]) + log(x) * atan2(x, 3) + pow(x, 0.3) + exp(-x) + (float)cbrt(x);

        snprintf(text[i], sizeof(text[i]), "%.17g %lld", y, (long long)next() / (i + 1));
        values[i] -= strtod(text[i], NULL);
    }
    printf("%08x %08x\n", (unsigned)crc(values, sizeof(values)), (unsigned)crc(text, sizeof(text)));
    return 0;
}
