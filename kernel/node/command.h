/* SPDX-License-Identifier: Apache-2.0 */
/* Commands of a node and the answers to them, words of 64 bits: what a service asks of the server
 * (`central`) or of the RTU (`rtu`). docs/design/placements.md, "Commands and answers". */
#ifndef KERNEL_COMMAND_H
#define KERNEL_COMMAND_H

#include <stdbool.h>
#include <stdint.h>

#include <takt/types.h>

/* command  OP[4:0] TURN[5] WAIT[7:6] PRIORITY[13:8] OBJECT[23:14] CALLER[31:24] IMMEDIATE[63:32] */

enum command_op {
    COMMAND_NOP,
    COMMAND_CREATE_TASK, /* these three: of the RTU, before time 0 */
    COMMAND_CREATE_SEMAPHORE,
    COMMAND_CREATE_QUEUE,
    COMMAND_START,        /* IMMEDIATE: the task whose job begins, or is counted */
    COMMAND_WAKE,         /* IMMEDIATE: the task */
    COMMAND_END,          /* of the caller's job */
    COMMAND_DELAY,        /* of the caller */
    COMMAND_SLEEP,        /* of the caller */
    COMMAND_YIELD,        /* PRIORITY: of the ready tasks; IMMEDIATE 1: the caller's instead */
    COMMAND_SET_PRIORITY, /* IMMEDIATE: the task; PRIORITY: its new one */
    COMMAND_TAKE,         /* OBJECT: the semaphore */
    COMMAND_GIVE,         /* the same */
    COMMAND_SEND,         /* OBJECT: the queue; PRIORITY, IMMEDIATE: of the message, its word */
    COMMAND_SEND_LONG,    /* the same, and the word is in ARGUMENT */
    COMMAND_RECEIVE,      /* OBJECT: the queue */
    COMMAND_RELEASE,      /* the same: the message that was received raises the caller no more */
    COMMAND_REPORT,       /* of `semi`: the caller is another node's task; IMMEDIATE: its error */
};

enum command_wait {
    COMMAND_WAIT_NONE,     /* not at all */
    COMMAND_WAIT_UNTIL,    /* until the time in UNTIL, ticks of the machine's clock */
    COMMAND_WAIT_FOR_EVER, /* until it is done */
};

#define COMMAND_TURN      (1ull << 5)
#define COMMAND_WAIT_MASK (3ull << 6)

/* A command with its arguments. Priorities are 1 to 64 here and one less in the word. */
struct command {
    uint64_t word;     /* without TURN */
    uint64_t until;    /* ticks; only with COMMAND_WAIT_UNTIL */
    uint64_t argument; /* only with COMMAND_SEND_LONG, and when something is created */
};

static inline uint64_t command_word(enum command_op op, enum command_wait wait, unsigned priority,
                                    takt_id object, takt_id caller, uint32_t immediate) {
    return (uint64_t)op | (uint64_t)wait << 6 | (uint64_t)((priority - 1) & 63) << 8 |
           (uint64_t)object << 14 | (uint64_t)caller << 24 | (uint64_t)immediate << 32;
}

static inline enum command_op command_op(uint64_t word) {
    return (enum command_op)(word & 31);
}

static inline enum command_wait command_wait(uint64_t word) {
    return (enum command_wait)(word >> 6 & 3);
}

static inline unsigned command_priority(uint64_t word) {
    return (unsigned)(word >> 8 & 63) + 1;
}

static inline takt_id command_object(uint64_t word) {
    return (takt_id)(word >> 14 & 1023);
}

static inline takt_id command_caller(uint64_t word) {
    return (takt_id)(word >> 24 & 255);
}

static inline uint32_t command_immediate(uint64_t word) {
    return (uint32_t)(word >> 32);
}

/* answer  BUSY[0] LONG[1] JOB[2] TURN[5] ERROR[15:8] NEXT[23:16] PRIORITY[29:24] VALUE[63:32]
 *
 * ERROR, PRIORITY and VALUE are the result of NEXT's last call: a message's priority and word. */

#define ANSWER_BUSY 1ull /* of the RTU: the command is under way; of `semi`: the caller waits */
#define ANSWER_LONG 2ull /* the word has 64 bits: transport_value */
#define ANSWER_JOB  4ull /* flips with each job of NEXT that begins */
#define ANSWER_TURN COMMAND_TURN

enum answer_error {
    ANSWER_DONE,
    ANSWER_TIMEOUT,  /* or not at once */
    ANSWER_OVERFLOW, /* a count is at its maximum */
    ANSWER_STATE,    /* the task has no job */
    ANSWER_NONE,     /* no such object, operation or priority */
    ANSWER_WHILE_BUSY,
    ANSWER_NOT_TAKEN,
};

static inline enum answer_error answer_error(uint64_t word) {
    return (enum answer_error)(word >> 8 & 255);
}

/* Returns the task that should run, TAKT_ID_NONE: none. */
static inline takt_id answer_next(uint64_t word) {
    return (takt_id)(word >> 16 & 255);
}

static inline unsigned answer_priority(uint64_t word) {
    return (unsigned)(word >> 24 & 63) + 1;
}

/* Returns the word of the result, if it is not LONG. */
static inline intptr_t answer_value(uint64_t word) {
    return (intptr_t)(int32_t)(word >> 32);
}

#endif
