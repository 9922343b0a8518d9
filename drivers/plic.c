/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the platform-level interrupt controller (RISC-V PLIC 1.0).
 *
 * A source is disabled by priority 0, which is a word of its own. A completion is ignored if the
 * source's enable bit is clear, so that bit says where the source is delivered. The words of a
 * context are written only by the context's own hart. */
#include "interrupt_controller.h"

#define PENDING        0x1000
#define ENABLE         0x2000
#define ENABLE_STRIDE  0x80
#define CONTEXT        0x200000
#define CONTEXT_STRIDE 0x1000
#define CLAIM          4

static volatile uint32_t *at(const struct interrupt_controller *plic, uint32_t offset) {
    return (volatile uint32_t *)(plic->base + offset);
}

static volatile uint32_t *enable_word(const struct interrupt_controller *plic, uint32_t context,
                                      uint32_t source) {
    return at(plic, ENABLE + context * ENABLE_STRIDE + source / 32 * 4);
}

/* A read claims, a write completes. */
static volatile uint32_t *claim_register(const struct interrupt_controller *plic,
                                         uint32_t context) {
    return at(plic, CONTEXT + context * CONTEXT_STRIDE + CLAIM);
}

static void set_level(const struct interrupt_controller *plic, uint32_t source, uint32_t level) {
    *at(plic, 4 * source) = level;
}

static void disable(const struct interrupt_controller *plic, uint32_t source) {
    set_level(plic, source, 0);
}

static void reset(const struct interrupt_controller *plic) {
    for (uint32_t source = 1; source <= plic->source_count; source++) {
        disable(plic, source);
    }
}

static void threshold(const struct interrupt_controller *plic, uint32_t context, uint32_t level) {
    *at(plic, CONTEXT + context * CONTEXT_STRIDE) = level;
}

static bool open(const struct interrupt_controller *plic, uint32_t context) {
    for (uint32_t source = 0; source <= plic->source_count; source += 32) {
        *enable_word(plic, context, source) = 0;
    }
    threshold(plic, context, 0);
    return true;
}

static void prepare(const struct interrupt_controller *plic, uint32_t source, bool edge,
                    uint32_t level) {
    disable(plic, source); /* the gateway handles edges */
}

static bool pending(const struct interrupt_controller *plic, uint32_t source) {
    return *at(plic, PENDING + source / 32 * 4) >> source % 32 & 1;
}

static void leave(const struct interrupt_controller *plic, uint32_t source, uint32_t from,
                  uint32_t to, uint32_t level) {
    *enable_word(plic, from, source) &= ~(1u << source % 32);
}

static void arrive(const struct interrupt_controller *plic, uint32_t source, uint32_t to,
                   uint32_t level) {
    *enable_word(plic, to, source) |= 1u << source % 32;
}

const struct interrupt_driver plic_driver = {
    .reset = reset,
    .open = open,
    .prepare = prepare,
    .claim_register = claim_register,
    .threshold = threshold,
    .enable = set_level,
    .disable = disable,
    .pending = pending,
    .leave = leave,
    .arrive = arrive,
};
