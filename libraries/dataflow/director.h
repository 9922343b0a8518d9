/* SPDX-License-Identifier: Apache-2.0 */
/* The director of a core: it executes the objects of the core's pool in their order, each when its
 * inputs are there, and sends what they have made. docs/design/dataflow.md says why it is right. */
#ifndef LIBRARIES_DATAFLOW_DIRECTOR_H
#define LIBRARIES_DATAFLOW_DIRECTOR_H

#include <stdint.h>

/* A command of the core's block DMA engine. Offsets count from the start of a scratchpad. */
struct transfer {
    uint64_t source, destination;
    uint64_t length; /* bytes from one core to one core */
    uint32_t cores;  /* bit c: core c */
    uint32_t edge;   /* its number in the description */
};

#if DATAFLOW_WORDS
/* A copy between a word register, of any core, and a buffer in the scratchpad. */
struct word {
    void *buffer;
    void *word;
    uint64_t bytes; /* 4 or 8 */
};
#endif

struct director;

/* An entry of a pool: an execution of an object. `needs`, `messages` and `room` have a field
 * of two bits for each other core, as the views of the scoreboard. */
struct firing {
    void (*flow)(struct director *self, const struct firing *firing); /* that of its type */
    void (*entry)(const void *ports);
    const void *ports;
    uint32_t mask_in;  /* the semaphores that stay when its inputs are consumed */
    uint32_t mask_out; /* the semaphores that it sets */
    uint16_t needs;    /* the messages that it consumes */
    uint16_t messages; /* the messages that it sends */
    uint16_t room;     /* unanswered messages before, at most */
    uint16_t object;   /* its number in the graph */
    uint32_t gather_count;
    const struct transfer *gathers; /* before the execution */
    uint32_t transfer_count;
    const struct transfer *transfers; /* behind the execution */
#if DATAFLOW_WORDS
    uint32_t word_in_count;
    const struct word *words_in; /* before the execution */
    uint32_t word_out_count;
    const struct word *words_out; /* behind the execution */
#endif
#if DATAFLOW_RTOS1
    uint32_t producers; /* bit c: core c sends messages that it consumes */
    uint32_t consumers; /* bit c: core c consumes its messages */
#endif
};

/* The objects of a core, in the order of their execution. */
struct pool {
    uint32_t core;
    uint32_t first; /* entries before the iterations and of the first one */
    uint32_t body;  /* behind them, entries of each further iteration */
    uint32_t after; /* behind them, entries after the iterations */
    const struct firing *firings;
};

/* The pools of this image, made from the description. */
extern const struct pool dataflow_pools[];

/* The state of a core's director; nobody else reads or writes it. */
struct director {
    uint32_t core;
    uint32_t semaphores; /* a bit for each input buffer of an edge within the core */
    uint32_t settings;   /* the messages sent to each other core, modulo 4 */
    uint32_t responses;  /* the messages of each other core that were answered, modulo 4 */
};

/* What a core does, as its status word says: bits 7 to 0. Bits 31 to 8 are the object's number.
 * Bits 63 to 32: STATE_EXECUTION: the iteration; STATE_FAILED: the edge; STATE_FAULT: mcause. */
#define EDGE_WITHIN  UINT32_MAX       /* any edge within the core */
#define EDGE_MESSAGE (UINT32_MAX - 1) /* a message of the runtime "rtos1" */

enum state {
    STATE_NONE,
    STATE_READY,           /* the director waits for the command to go */
    STATE_ACTIVATION,      /* it looks for the object's inputs */
    STATE_GATHER,          /* its engine fetches inputs, or it reads words */
    STATE_EXECUTION,       /* the object is executed */
    STATE_SYNCHRONISATION, /* it gives inputs back, waits for room, sends messages */
    STATE_TRANSFER,        /* its engine sends outputs, or it writes words */
    STATE_ENDED,           /* all objects of the core have been executed */
    STATE_FAULT,           /* a worker's trap; words 28 and 29 are mepc and mtval */
    STATE_FAILED,          /* the engine refused a transfer, or EDGE_WITHIN was not there */
    STATE_SEQUENTIAL,      /* the control core does the same work alone */
    STATE_CHECK,           /* the control core compares the results */
};

/* An object without work, which has edges only. */
void takt_dataflow_no_work(const void *ports);

/* Executes all objects of the pool. Does not return if the engine refuses a transfer. Context: a
 * worker, or the task of the control core. */
void director_run(const struct pool *pool);

/* Says in the word of its core what the object `until` has decided: the iterations that have been
 * decided, and in the upper half whether the last of them ends them. */
void director_decide(void);

/* The flows of the types T0 to T9. Bound: each polls until other cores have sent or answered. */
void flow_t0(struct director *self, const struct firing *firing);
void flow_t1(struct director *self, const struct firing *firing);
void flow_t2(struct director *self, const struct firing *firing);
void flow_t3(struct director *self, const struct firing *firing);
void flow_t4(struct director *self, const struct firing *firing);
void flow_t5(struct director *self, const struct firing *firing);
void flow_t6(struct director *self, const struct firing *firing);
void flow_t7(struct director *self, const struct firing *firing);
void flow_t8(struct director *self, const struct firing *firing);
void flow_t9(struct director *self, const struct firing *firing);
#if DATAFLOW_RTOS1
/* Clears what other cores have sent with the runtime "rtos1". Context: before any core executes. */
void director_clear_messages(uint32_t core);

/* The flow of all objects with the runtime "rtos1". */
void flow_rtos1(struct director *self, const struct firing *firing);
#endif

#endif
