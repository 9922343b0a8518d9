/* SPDX-License-Identifier: Apache-2.0 */
/* The subnets of a mesh without shared memory: the scoreboard, the word registers, the block DMA
 * engine of the own core, the control of the workers. docs/design/dataflow.md has the registers. */
#ifndef LIBRARIES_DATAFLOW_MESH_H
#define LIBRARIES_DATAFLOW_MESH_H

#include <stdbool.h>
#include <stdint.h>

#include "director.h"

/* From the linker script: where the core reaches them. GCC takes a register for a word only where
 * it knows that it is aligned. */
#define DEVICE __attribute__((aligned(8)))
extern uint8_t takt_device_dataflow_scratchpad[] DEVICE, takt_device_dataflow_scoreboard[] DEVICE;
extern uint8_t takt_device_dataflow_words[] DEVICE, takt_device_dataflow_engine[] DEVICE;
extern uint8_t takt_device_dataflow_workers[] DEVICE;

/* Orders accesses: i and o are those of the subnets, r and w those of memory. */
#define FENCE(before, after) __asm__ volatile("fence " #before ", " #after ::: "memory")

/* Word registers of each core that the library uses. */
enum {
    WORDS = 32,
    WORD_DECISION = 27,
    WORD_TRAP_PC = 28,
    WORD_TRAP_VALUE = 29,
    WORD_COMMAND = 30,
    WORD_STATUS = 31,
};
/* Values of the control core's command word. */
enum { COMMAND_WAIT, COMMAND_GO };

enum { CORES_MAX = 9 };

/* Follows a vain look of a wait, the `looks`-th. */
static inline void mesh_pause(uint32_t looks) {
}

static inline volatile uint32_t *scoreboard(uint32_t offset) {
    return (volatile uint32_t *)(takt_device_dataflow_scoreboard + offset);
}

/* The messages that each other core has sent to this one, modulo 4. A look sees all cores, whatever
 * is needed. */
#define mesh_arrivals(needs) (*scoreboard(0x40))

/* The messages of this core that each other one has answered, modulo 4. */
#define mesh_answers(room) (*scoreboard(0x48))

/* Shows the other cores how many messages this one has sent and answered. */
static inline void mesh_publish(uint32_t core, uint32_t settings, uint32_t responses) {
    *scoreboard(4 * core) = settings << 16 | responses;
}

static inline volatile uint64_t *mesh_word(uint32_t core, uint32_t number) {
    return (volatile uint64_t *)takt_device_dataflow_words + WORDS * core + number;
}

static inline void mesh_status(uint32_t core, enum state state, uint32_t object) {
    *mesh_word(core, WORD_STATUS) = (uint32_t)state | object << 8;
}

enum engine_command { ENGINE_SEND = 1, ENGINE_GATHER = 2 };
enum engine_status { ENGINE_BUSY = 1, ENGINE_DONE = 2, ENGINE_ERROR = 4 };

/* Transfers, and waits until the last byte is in its place. False: the engine refuses it. Bound:
 * the transfer's packets. */
static inline bool mesh_transfer(enum engine_command command, const struct transfer *transfer) {
    volatile uint64_t *engine = (volatile uint64_t *)takt_device_dataflow_engine;
    engine[0] = transfer->source;
    engine[1] = transfer->destination;
    engine[2] = transfer->length;
    engine[3] = transfer->cores;
    FENCE(w, o); /* what the object has written is there before the engine reads it */
    engine[4] = command;
    uint64_t status;
    do {
        status = engine[5];
    } while (!(status & (ENGINE_DONE | ENGINE_ERROR)));
    engine[5] = ENGINE_BUSY; /* writing 1 clears done and error */
    return !(status & ENGINE_ERROR);
}

static inline volatile uint64_t *mesh_worker(uint32_t core) {
    return (volatile uint64_t *)takt_device_dataflow_workers + 2 * core;
}

/* Lets a worker leave reset at a physical address. */
static inline void mesh_start(uint32_t core, uint64_t entry) {
    mesh_worker(core)[0] = entry;
    mesh_worker(core)[1] = 1;
}

/* Returns a worker to reset. */
static inline void mesh_hold(uint32_t core) {
    mesh_worker(core)[1] = 0;
}

#endif
