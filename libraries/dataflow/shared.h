/* SPDX-License-Identifier: Apache-2.0 */
/* The operations of mesh.h in memory that all cores share, coherently. Each cache line has one core
 * that writes it, so no operation is atomic and none takes a lock. An engine's transfer is a copy
 * by the core that commands it. docs/design/dataflow.md says what is ordered with what. */
#ifndef LIBRARIES_DATAFLOW_SHARED_H
#define LIBRARIES_DATAFLOW_SHARED_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/task.h>

#include "director.h"

/* Orders accesses, as in mesh.h. What are subnets there is memory here, so i is r, and o is w:
 * a fence behind a poll acquires, a fence before a message or an answer releases. */
#define FENCE(before, after)                                                                       \
    __asm__ volatile("fence " FENCE_##before ", " FENCE_##after ::: "memory")
#define FENCE_i   "r"
#define FENCE_o   "w"
#define FENCE_r   "r"
#define FENCE_w   "w"
#define FENCE_rw  "rw"
#define FENCE_iw  "rw"
#define FENCE_ior "rw"

#define SHARED_LINE __attribute__((aligned(64)))

/* Words of each core that the library uses. */
enum { WORDS = 32, WORD_DECISION = 27, WORD_COMMAND = 30, WORD_STATUS = 31 };
/* Values of the control core's command word. */
enum { COMMAND_WAIT, COMMAND_GO };

enum { CORES_MAX = 9 };

/* The looks of a wait that follow each other at once, some 300 us; the nanoseconds by which each
 * pause behind them is longer than the one before, and the longest. */
enum { SHARED_LOOKS = 1 << 12, SHARED_STEP = 10000, SHARED_LONGEST = 1000000 };

/* Follows a vain look of a wait, the `looks`-th. A wait of a graph is short, and nobody else needs
 * the core; one that is not gives it to tasks of lower priority, and to other harts of QEMU. */
static inline void mesh_pause(uint32_t looks) {
    if (looks >= SHARED_LOOKS) {
        uint64_t pause = (looks - SHARED_LOOKS + 1ul) * SHARED_STEP;
        (void)takt_task_delay((takt_time)(pause < SHARED_LONGEST ? pause : SHARED_LONGEST));
    }
}

/* What a core shows the others. It alone writes; the status is on a line of its own because it
 * changes often, and only the handler that watches reads it. The observer of `takt run` knows the
 * offsets (host/cli/src/board/dataflow.rs). */
struct shared_core {
    volatile uint32_t entry SHARED_LINE; /* as an entry of the scoreboard of a mesh */
    volatile uint64_t status SHARED_LINE;
    volatile uint64_t words[WORDS] SHARED_LINE; /* but for the status */
};
extern struct shared_core dataflow_shared[CORES_MAX];

/* The buffers of a core: what on a mesh are offsets in its scratchpad begin at `lowest`. */
struct memory {
    uint8_t *bytes;
    uint64_t lowest;
};
extern const struct memory dataflow_memories[CORES_MAX];

/* Returns the fields that other cores have for this one in their entries, `shift` bits up, in the
 * order of those cores. It reads the entries only for which `wanted` has a field that is not 0.
 * Bound: the other cores. */
static inline uint32_t shared_fields(uint32_t wanted, uint32_t shift) {
    const uint32_t self = DATAFLOW_CORE;
    uint32_t fields = 0;
    for (uint32_t place = 0; wanted >> place != 0; place += 2) {
        if (wanted >> place & 3) {
            uint32_t core = place / 2 + (place / 2 >= self);
            uint32_t own = 2 * (self - (core < self));
            fields |= (dataflow_shared[core].entry >> (shift + own) & 3) << place;
        }
    }
    return fields;
}

/* The messages that other cores have sent to this one, modulo 4, where `needs` has a field. */
static inline uint32_t mesh_arrivals(uint32_t needs) {
    return shared_fields(needs, 16);
}

/* The messages of this core that other ones have answered, modulo 4, where `room` has a limit. */
static inline uint32_t mesh_answers(uint32_t room) {
    return shared_fields(~room & 0xffff, 0);
}

/* Shows the other cores how many messages this one has sent and answered. */
static inline void mesh_publish(uint32_t core, uint32_t settings, uint32_t responses) {
    dataflow_shared[core].entry = settings << 16 | responses;
}

static inline volatile uint64_t *mesh_word(uint32_t core, uint32_t number) {
    struct shared_core *shared = &dataflow_shared[core];
    return number == WORD_STATUS ? &shared->status : &shared->words[number];
}

static inline void mesh_status(uint32_t core, enum state state, uint32_t object) {
    *mesh_word(core, WORD_STATUS) = (uint32_t)state | object << 8;
}

static inline uint8_t *shared_at(uint32_t core, uint64_t offset) {
    return dataflow_memories[core].bytes + (offset - dataflow_memories[core].lowest);
}

/* Copies a multiple of 4 bytes between addresses that are multiples of 4. Bound: the length. */
void shared_copy(void *to, const void *from, uint64_t length);

enum engine_command { ENGINE_SEND = 1, ENGINE_GATHER = 2 };

/* Transfers; at its end what it has copied is there for all. Bound: the transfer's bytes. */
static inline bool mesh_transfer(enum engine_command command, const struct transfer *transfer) {
    uint64_t own = command == ENGINE_SEND ? transfer->source : transfer->destination;
    for (uint32_t cores = transfer->cores; cores != 0; cores &= cores - 1) {
        uint32_t core = (uint32_t)__builtin_ctz(cores);
        if (command == ENGINE_SEND) {
            shared_copy(shared_at(core, transfer->destination), shared_at(DATAFLOW_CORE, own),
                        transfer->length);
        } else {
            shared_copy(shared_at(DATAFLOW_CORE, own), shared_at(core, transfer->source),
                        transfer->length);
            own += transfer->length;
        }
    }
    FENCE(w, w); /* the data before the status that says so, and before the message */
    return true;
}

/* A core that has a kernel ends with the system. */
static inline void mesh_hold(uint32_t core) {
}

#endif
