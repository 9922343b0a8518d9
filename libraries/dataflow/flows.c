/* SPDX-License-Identifier: Apache-2.0 */
/* What the director does for an object of each type. A type's flow has the steps of its row of
 * Table 2 of the paper, and no other: the compiler leaves out what the type does not do. */
#include <dataflow.h>
#include <takt/dataflow_system.h>

#include "transport.h"
#if DATAFLOW_RTOS1
#include "rtos1.h"
#endif

/* Whether the object that ends the iterations is one of this image. */
#if defined DATAFLOW_UNTIL && DATAFLOW_UNTIL_IMAGE == DATAFLOW_IMAGE
#define DATAFLOW_DECIDES 1
#endif

enum steps {
    SEMAPHORES_IN = 1,  /* checks and clears semaphores */
    MESSAGES_IN = 2,    /* checks and answers messages */
    SEMAPHORES_OUT = 4, /* sets semaphores */
    MESSAGES_OUT = 8,   /* waits for room, transfers outputs, sends messages */
};

/* The lower and the upper bit of each field of two bits. */
#define LOWER 0x5555u
#define UPPER 0xaaaau

/* Returns the sum of each field, modulo 4. */
static inline uint32_t fields_add(uint32_t a, uint32_t b) {
    return ((a & LOWER) + (b & LOWER)) ^ ((a ^ b) & UPPER);
}

/* Returns the difference of each field, modulo 4. */
static inline uint32_t fields_subtract(uint32_t a, uint32_t b) {
    return ((a | UPPER) - (b & LOWER)) ^ ((a ^ ~b) & UPPER);
}

/* Returns whether each field of `a` is at least that of `b`. */
static inline bool fields_cover(uint32_t a, uint32_t b) {
    uint32_t more = b & ~a, same = ~(a ^ b);
    return ((more & UPPER) | ((more & LOWER) << 1 & same)) == 0;
}

/* Ends the core's part of a graph; the handler of the control core reports the edge. */
static _Noreturn void fail(const struct director *self, const struct firing *firing,
                           uint32_t edge) {
    *mesh_word(self->core, WORD_STATUS) =
        STATE_FAILED | (uint32_t)firing->object << 8 | (uint64_t)edge << 32;
    for (;;) {
        __asm__ volatile("wfi");
    }
}

/* Checks that the inputs from this core are there. They are, or takt check has refused the graph:
 * their producers come before, and nobody else sets a semaphore. */
static inline void check_semaphores(const struct director *self, const struct firing *firing) {
    if ((self->semaphores | firing->mask_in) != UINT32_MAX) {
        fail(self, firing, EDGE_WITHIN);
    }
}

/* Waits until the messages that the object consumes have come. */
static inline void read_port(const struct director *self, const struct firing *firing) {
    uint32_t looks = 0;
    while (!fields_cover(fields_subtract(mesh_arrivals(firing->needs), self->responses),
                         firing->needs)) {
        mesh_pause(looks++);
    }
    FENCE(i, ior); /* the data come before their message: pairs with message_send_inter */
}

/* Whether an object has what the directors copy before its execution, or behind it. */
static inline bool has_fetches(const struct firing *firing) {
#if DATAFLOW_WORDS
    return (firing->gather_count | firing->word_in_count) != 0;
#else
    return firing->gather_count != 0;
#endif
}

static inline bool has_deliveries(const struct firing *firing) {
#if DATAFLOW_WORDS
    return (firing->transfer_count | firing->word_out_count) != 0;
#else
    return firing->transfer_count != 0;
#endif
}

static __attribute__((noinline)) void gather(const struct director *self,
                                             const struct firing *firing) {
    mesh_status(self->core, STATE_GATHER, firing->object);
    for (uint32_t i = 0; i < firing->gather_count; i++) {
        if (!mesh_transfer(ENGINE_GATHER, &firing->gathers[i])) {
            fail(self, firing, firing->gathers[i].edge);
        }
    }
#if DATAFLOW_WORDS
    for (uint32_t i = 0; i < firing->word_in_count; i++) {
        const struct word *word = &firing->words_in[i];
        if (word->bytes == sizeof(uint64_t)) {
            *(uint64_t *)word->buffer = *(const volatile uint64_t *)word->word;
        } else {
            *(uint32_t *)word->buffer = *(const volatile uint32_t *)word->word;
        }
    }
#endif
    FENCE(i, r); /* the engine's done before the object's loads */
}

/* Gives the inputs of other cores back: their producers may write them again. */
static inline void response_clear(struct director *self, uint32_t responses) {
    self->responses = responses;
    FENCE(rw, o); /* the last access of the inputs: pairs with validation_check */
    mesh_publish(self->core, self->settings, self->responses);
}

/* Waits until so few messages are unanswered that those of the object fit. */
static inline void validation_check(const struct director *self, const struct firing *firing) {
    uint32_t looks = 0;
    while (
        !fields_cover(firing->room, fields_subtract(self->settings, mesh_answers(firing->room)))) {
        mesh_pause(looks++);
    }
    FENCE(i, o); /* the consumers' answers before the engine's command */
}

static __attribute__((noinline)) void data_send(const struct director *self,
                                                const struct firing *firing) {
    mesh_status(self->core, STATE_TRANSFER, firing->object);
    for (uint32_t i = 0; i < firing->transfer_count; i++) {
        if (!mesh_transfer(ENGINE_SEND, &firing->transfers[i])) {
            fail(self, firing, firing->transfers[i].edge);
        }
    }
#if DATAFLOW_WORDS
    for (uint32_t i = 0; i < firing->word_out_count; i++) {
        const struct word *word = &firing->words_out[i];
        if (word->bytes == sizeof(uint64_t)) {
            *(volatile uint64_t *)word->word = *(const uint64_t *)word->buffer;
        } else {
            *(volatile uint32_t *)word->word = *(const uint32_t *)word->buffer;
        }
    }
#endif
    mesh_status(self->core, STATE_SYNCHRONISATION, firing->object);
}

static inline void message_send_inter(struct director *self, uint32_t settings) {
    self->settings = settings;
#if DATAFLOW_WORDS
    FENCE(o, o); /* the words before their message: pairs with read_port */
#endif
    FENCE(iw, o); /* the engine's done, and what a gather fetches, before the message */
    mesh_publish(self->core, self->settings, self->responses);
}

/* The status of an object that is executed, with the iteration: the handler that watches must not
 * take two executions for one that is long. */
static inline uint64_t execution_status(const struct firing *firing) {
    uint64_t status = STATE_EXECUTION | (uint32_t)firing->object << 8;
#ifdef DATAFLOW_ITERATIONS
    status |= (uint64_t)dataflow_iteration() << 32;
#endif
    return status;
}

static inline __attribute__((always_inline)) void
fire(struct director *self, const struct firing *firing, enum steps steps) {
    struct director own = *self; /* in registers: no fence makes the compiler load it again */
    mesh_status(own.core, STATE_ACTIVATION, firing->object);
    /* What is needed later is computed before the messages come. */
    const uint64_t executes = execution_status(firing);
    const uint32_t responses = fields_add(own.responses, firing->needs);
    const uint32_t settings = fields_add(own.settings, firing->messages);
    void (*const entry)(const void *) = firing->entry;
    const void *const ports = firing->ports;
    if (steps & SEMAPHORES_IN) {
        check_semaphores(self, firing);
    }
    if (steps & MESSAGES_IN) {
        read_port(&own, firing);
        if (has_fetches(firing)) {
            gather(self, firing);
        }
    }
    *mesh_word(own.core, WORD_STATUS) = executes;
    entry(ports);
    mesh_status(own.core, STATE_SYNCHRONISATION, firing->object);
#if DATAFLOW_DECIDES
    if (firing->object == DATAFLOW_UNTIL) {
        director_decide(); /* before its outputs are sent: nobody waits for more than he must */
    }
#endif
    if (steps & MESSAGES_IN) {
        response_clear(&own, responses);
        self->responses = own.responses;
    }
    if (steps & SEMAPHORES_IN) {
        own.semaphores &= firing->mask_in; /* clear_semaphore */
    }
    if (steps & MESSAGES_OUT) {
        validation_check(&own, firing);
        if (has_deliveries(firing)) {
            data_send(self, firing);
        }
        message_send_inter(&own, settings);
        self->settings = own.settings;
    }
    if (steps & SEMAPHORES_OUT) {
        own.semaphores |= firing->mask_out; /* message_send_intra */
    }
    if (steps & (SEMAPHORES_IN | SEMAPHORES_OUT)) {
        self->semaphores = own.semaphores;
    }
}

void flow_t0(struct director *self, const struct firing *firing) {
    fire(self, firing, SEMAPHORES_OUT);
}

void flow_t1(struct director *self, const struct firing *firing) {
    fire(self, firing, SEMAPHORES_IN);
}

void flow_t2(struct director *self, const struct firing *firing) {
    fire(self, firing, MESSAGES_OUT);
}

void flow_t3(struct director *self, const struct firing *firing) {
    fire(self, firing, MESSAGES_IN | SEMAPHORES_OUT);
}

void flow_t4(struct director *self, const struct firing *firing) {
    fire(self, firing, SEMAPHORES_IN | MESSAGES_IN | SEMAPHORES_OUT);
}

void flow_t5(struct director *self, const struct firing *firing) {
    fire(self, firing, MESSAGES_IN);
}

void flow_t6(struct director *self, const struct firing *firing) {
    fire(self, firing, MESSAGES_IN | MESSAGES_OUT);
}

void flow_t7(struct director *self, const struct firing *firing) {
    fire(self, firing, MESSAGES_IN | SEMAPHORES_OUT | MESSAGES_OUT);
}

void flow_t8(struct director *self, const struct firing *firing) {
    fire(self, firing, SEMAPHORES_IN | MESSAGES_IN | MESSAGES_OUT);
}

void flow_t9(struct director *self, const struct firing *firing) {
    fire(self, firing, SEMAPHORES_IN | MESSAGES_IN | SEMAPHORES_OUT | MESSAGES_OUT);
}

#if DATAFLOW_RTOS1
/* The paper's former system has one flow, which asks for each step whether the object needs it.
 * Messages, answers and the decision are blocks that the engine sends. */

static void publish(const struct director *self, const struct firing *firing, uint32_t cores) {
    if (!messages_publish(self->core, self->settings << 16 | self->responses, cores)) {
        fail(self, firing, EDGE_MESSAGE);
    }
}

/* Waits until the messages that the object consumes have come, from one core after the other. */
static inline void await_messages(const struct director *self, uint32_t needs) {
    uint32_t answered = self->responses;
    for (uint32_t field = 0; needs != 0; field++, needs >>= 2, answered >>= 2) {
        while ((((messages_row(self->core, field) >> 16) - answered) & 3) < (needs & 3)) {
        }
    }
    FENCE(r, orw); /* the data come before their message: pairs with the fence behind data_send */
}

/* Waits until so few messages are unanswered that those of the object fit. */
static inline void await_room(const struct director *self, uint32_t room) {
    uint32_t sent = self->settings;
    uint32_t limits = room ^ 0xffff;
    for (uint32_t field = 0; limits != 0; field++, limits >>= 2, sent >>= 2) {
        while (((sent - messages_row(self->core, field)) & 3) > 3 - (limits & 3)) {
        }
    }
    FENCE(r, ow); /* the consumers' answers before the engine's command, and the next execution */
}

void flow_rtos1(struct director *self, const struct firing *firing) {
    mesh_status(self->core, STATE_ACTIVATION, firing->object);
    check_semaphores(self, firing);
    await_messages(self, firing->needs);
    if (has_fetches(firing)) {
        gather(self, firing);
    }
    *mesh_word(self->core, WORD_STATUS) = execution_status(firing);
    firing->entry(firing->ports);
    mesh_status(self->core, STATE_SYNCHRONISATION, firing->object);
#if DATAFLOW_DECIDES
    if (firing->object == DATAFLOW_UNTIL) {
        director_decide();
        if (!messages_send(self->core, offsetof(struct messages, decision), sizeof(uint64_t),
                           DATAFLOW_CORES & ~(1u << self->core))) {
            fail(self, firing, EDGE_MESSAGE);
        }
    }
#endif
    self->responses = fields_add(self->responses, firing->needs);
    FENCE(rw, o); /* the last access of the inputs: pairs with await_room */
    publish(self, firing, firing->producers);
    self->semaphores &= firing->mask_in;
    await_room(self, firing->room);
    if (has_deliveries(firing)) {
        data_send(self, firing);
    }
    self->settings = fields_add(self->settings, firing->messages);
    FENCE(iw, o); /* the engine's done, and what a gather fetches: pairs with await_messages */
    publish(self, firing, firing->consumers);
    self->semaphores |= firing->mask_out;
}
#endif
