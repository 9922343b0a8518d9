/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of which the jobs of a generated system consist. */
#include <takt/takt.h>

/* Executes a loop of two instructions this many times. */
static inline void work(unsigned long rounds) {
    __asm__ volatile("1: addi %0, %0, -1\n\tbnez %0, 1b" : "+r"(rounds));
}

/* Calls a service that has to succeed. */
#define MUST(call)                                                                                 \
    do {                                                                                           \
        takt_error error_ = (call);                                                                \
        takt_assert(error_ == TAKT_OK);                                                            \
    } while (0)

/* Calls a service that may return an error, such as that of a full queue. */
#define MAY(call)                                                                                  \
    do {                                                                                           \
        takt_error error_ = (call);                                                                \
        (void)error_;                                                                              \
    } while (0)

/* The exit code of a run in which the kernel has refused several undeclared calls. */
#define REFUSED 77

/* Counts the refusals of undeclared calls, and ends the run after several. */
static inline takt_error offend(takt_error error) {
    static int refused;
    if (error == TAKT_E_ILUSE && ++refused == 5) {
        takt_system_shutdown(REFUSED);
    }
    return error;
}

/* Stores into each line of a piece of memory; no store waits for the one before. */
static inline void stream(volatile unsigned long *ground, unsigned long lines) {
    for (unsigned long i = 0; i < lines; i++) {
        ground[i * 8] = i;
    }
}

/* Loads from each line; each load waits for its line. */
static inline void read_lines(volatile unsigned long *ground, unsigned long lines) {
    for (unsigned long i = 0; i < lines; i++) {
        (void)ground[i * 8];
    }
}
