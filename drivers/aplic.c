/* SPDX-License-Identifier: Apache-2.0 */
/* Drives the advanced platform-level interrupt controller with direct delivery (RISC-V Advanced
 * Interrupt Architecture 1.0, chapter 4). Its priorities count from 1 (highest). A claim completes
 * at once: a level that stays high is pending again, below the threshold of its own level. */
#include "interrupt_controller.h"

#define DOMAIN_CONFIGURATION 0x0000
#define SOURCE_CONFIGURATION 0x0004 /* that of source 1 */
#define PENDING              0x1c00
#define INPUT                0x1d00 /* when read: the inputs, high or low as configured */
#define PENDING_CLEAR        0x1ddc
#define ENABLE_NUMBER        0x1edc
#define DISABLE              0x1f00
#define DISABLE_NUMBER       0x1fdc
#define TARGET               0x3004 /* that of source 1 */
#define DELIVERY             0x4000 /* that of context 0 */
#define DELIVERY_STRIDE      32
#define DELIVERY_ENABLE      0x00
#define DELIVERY_THRESHOLD   0x08
#define DELIVERY_CLAIM       0x1c

#define DOMAIN_INTERRUPTS_ENABLED 0x100
enum { SOURCE_RISING = 4, SOURCE_HIGH = 6 };

static volatile uint32_t *at(const struct interrupt_controller *aplic, uint32_t offset) {
    return (volatile uint32_t *)(aplic->base + offset);
}

static volatile uint32_t *delivery(const struct interrupt_controller *aplic, uint32_t context,
                                   uint32_t offset) {
    return at(aplic, DELIVERY + context * DELIVERY_STRIDE + offset);
}

/* Converts a level to a priority: level 7 is priority 1. */
static uint32_t priority(uint32_t level) {
    return 8 - level;
}

static void disable(const struct interrupt_controller *aplic, uint32_t source) {
    *at(aplic, DISABLE_NUMBER) = source;
}

static void reset(const struct interrupt_controller *aplic) {
    for (uint32_t source = 0; source <= aplic->source_count; source += 32) {
        *at(aplic, DISABLE + source / 32 * 4) = UINT32_MAX;
    }
    *at(aplic, DOMAIN_CONFIGURATION) = DOMAIN_INTERRUPTS_ENABLED; /* delivery mode 0: direct */
}

static void threshold(const struct interrupt_controller *aplic, uint32_t context, uint32_t level) {
    *delivery(aplic, context, DELIVERY_THRESHOLD) = level == 0 ? 0 : priority(level);
}

static bool open(const struct interrupt_controller *aplic, uint32_t context) {
    threshold(aplic, context, 0);
    *delivery(aplic, context, DELIVERY_ENABLE) = 1;
    return true;
}

static void prepare(const struct interrupt_controller *aplic, uint32_t source, bool edge,
                    uint32_t level) {
    *at(aplic, SOURCE_CONFIGURATION + 4 * (source - 1)) = edge ? SOURCE_RISING : SOURCE_HIGH;
    *at(aplic, PENDING_CLEAR) = source;
}

static bool is_input(const struct interrupt_controller *aplic, uint32_t source) {
    return *at(aplic, INPUT + source / 32 * 4) >> source % 32 & 1;
}

static bool is_level(const struct interrupt_controller *aplic, uint32_t source) {
    return *at(aplic, SOURCE_CONFIGURATION + 4 * (source - 1)) == SOURCE_HIGH;
}

/* Removes the pending bit of a level that has fallen, which QEMU 7.2 does not do. */
static uint32_t claim(const struct interrupt_controller *aplic, uint32_t context) {
    uint32_t source = *delivery(aplic, context, DELIVERY_CLAIM) >> 16;
    bool fell = source != 0 && !is_input(aplic, source) && is_level(aplic, source);
    return fell ? 0 : source;
}

static void complete(const struct interrupt_controller *aplic, uint32_t context, uint32_t source) {
    /* The claim has completed the interrupt already. */
}

static void enable(const struct interrupt_controller *aplic, uint32_t source, uint32_t level) {
    *at(aplic, ENABLE_NUMBER) = source;
}

static bool pending(const struct interrupt_controller *aplic, uint32_t source) {
    return *at(aplic, PENDING + source / 32 * 4) >> source % 32 & 1;
}

static void aim(const struct interrupt_controller *aplic, uint32_t source, uint32_t to,
                uint32_t level) {
    *at(aplic, TARGET + 4 * (source - 1)) = to << 18 | priority(level);
}

/* One store ends one delivery and begins the other. */
static void leave(const struct interrupt_controller *aplic, uint32_t source, uint32_t from,
                  uint32_t to, uint32_t level) {
    aim(aplic, source, to, level);
}

const struct interrupt_driver aplic_driver = {
    .reset = reset,
    .open = open,
    .prepare = prepare,
    .claim = claim,
    .complete = complete,
    .threshold = threshold,
    .enable = enable,
    .disable = disable,
    .pending = pending,
    .leave = leave,
    .arrive = aim,
};
