// SPDX-License-Identifier: Apache-2.0
// Loads for measurements of the host's speed: every hart does WORK, ROUNDS times, on data of its
// own.
#include "program.h"

#ifndef ROUNDS
#define ROUNDS 100
#endif

enum { ALU, MATRIX, LIST, CRC, STREAM };

#define HARTS 128

static uint64_t alu(uint64_t hart) {
    uint64_t a = hart + 1, b = 0x9e3779b97f4a7c15, c = 7;
    for (int i = 0; i < 2000; i++) {
        a ^= a << 13;
        a ^= a >> 7;
        b += a * 3;
        c = (c << 5 | c >> 59) + (b ^ a);
    }
    return a + b + c;
}

#define N 16
static double matrices[HARTS][3][N][N];

static uint64_t matrix(uint64_t hart) {
    double(*a)[N] = matrices[hart][0], (*b)[N] = matrices[hart][1], (*c)[N] = matrices[hart][2];
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            a[i][j] = i + j * 0.1;
            b[i][j] = i * 0.3 - j;
        }
    }
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0;
            for (int k = 0; k < N; k++) {
                sum += a[i][k] * b[k][j];
            }
            c[i][j] = sum;
        }
    }
    return (uint64_t)c[3][5];
}

#define NODES 256
static struct node {
    struct node *next;
    uint64_t value;
} lists[HARTS][NODES];

static uint64_t list(uint64_t hart) {
    struct node *nodes = lists[hart];
    if (!nodes[0].next) {
        for (uint64_t i = 0; i < NODES; i++) { // a walk over all in steps of 97
            nodes[i].next = &nodes[(i + 97) % NODES];
            nodes[i].value = i;
        }
    }
    uint64_t sum = 0;
    for (struct node *node = nodes; (node = node->next) != nodes;) {
        sum += node->value;
    }
    return sum;
}

static uint64_t crc(uint64_t hart) {
    static uint8_t text[HARTS][1024];
    uint32_t crc = ~0u;
    for (int i = 0; i < 1024; i++) {
        crc ^= text[hart][i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (0xedb88320 & -(crc & 1));
        }
    }
    return ~crc;
}

// Four times a private L2 of 256 KiB, a line at a time.
#define LINES 16384
static uint64_t streams[HARTS][LINES][8];

static uint64_t stream(uint64_t hart) {
    uint64_t sum = 0;
    for (int i = 0; i < LINES; i++) {
        sum += streams[hart][i][0];
        streams[hart][i][1] = sum;
    }
    return sum;
}

int main(uint64_t hart, uint64_t harts) {
    uint64_t sum = 0;
    barrier(harts);
    for (int i = 0; i < ROUNDS; i++) {
        switch (WORK) {
        case ALU:
            sum += alu(hart);
            break;
        case MATRIX:
            sum += matrix(hart);
            break;
        case LIST:
            sum += list(hart);
            break;
        case CRC:
            sum += crc(hart);
            break;
        case STREAM:
            sum += stream(hart);
            break;
        }
    }
    __asm__ volatile("" ::"r"(sum));
    return 0;
}
