/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the heap, used by one thread: the greatest and the mean number of cycles of an
 * operation, over random operations with many sizes. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLOTS = 512, STEPS = 200000 };

struct figure {
    const char *name;
    uint64_t count, sum, most;
};

static uint64_t cycles(void) {
    uint64_t value;
    __asm__ volatile("rdcycle %0" : "=r"(value)::"memory");
    return value;
}

static void add(struct figure *figure, uint64_t begin) {
    uint64_t passed = cycles() - begin;
    figure->count++;
    figure->sum += passed;
    figure->most = passed > figure->most ? passed : figure->most;
}

static void print(const struct figure *figure) {
    printf("heap: %s, %lu calls: mean %lu, most %lu cycles\n", figure->name,
           (unsigned long)figure->count, (unsigned long)(figure->sum / figure->count),
           (unsigned long)figure->most);
}

int main(void) {
    static void *slots[SLOTS];
    struct figure allocate = {.name = "malloc"}, release = {.name = "free"};
    uint32_t state = 1;
    for (int step = 0; step < STEPS; step++) {
        state = state * 1664525u + 1013904223u;
        void **slot = &slots[(state >> 8) % SLOTS];
        uint64_t begin = cycles();
        if (*slot) {
            free(*slot);
            *slot = 0;
            add(&release, begin);
        } else {
            size_t size = (state >> 17) % (16u << (state >> 8) % 11);
            begin = cycles();
            *slot = malloc(size);
            add(&allocate, begin);
        }
    }
    print(&allocate);
    print(&release);
    return 0;
}
