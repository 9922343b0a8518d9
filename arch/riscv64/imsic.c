/* SPDX-License-Identifier: Apache-2.0 */
/* An APLIC that sends messages, and the harts' interrupt files that they come to (RISC-V Advanced
 * Interrupt Architecture 1.0, chapters 3 and 4). The argument is in docs/design/interrupts.md.
 *
 * A file knows identities only, the lowest first: the sources get theirs in the order of their
 * levels, the same one in each file. All are enabled in all files for ever; a source is disabled at
 * the APLIC. What reaches a file that the source is not aimed at, or is disabled, goes back. */
#include "imsic.h"

#include "csr.h"

#define DOMAIN_CONFIGURATION 0x0000
#define SOURCE_CONFIGURATION 0x0004 /* of source 1 */
#define PENDING              0x1c00
#define PENDING_NUMBER       0x1cdc
#define INPUT                0x1d00 /* when read: what comes in, high or low as configured */
#define PENDING_CLEAR        0x1ddc
#define ENABLE               0x1e00
#define ENABLE_NUMBER        0x1edc
#define DISABLE              0x1f00
#define DISABLE_NUMBER       0x1fdc
#define MESSAGE              0x3000 /* a message of no source */
#define TARGET               0x3004 /* of source 1: the file, and the identity there */
#define TARGET_FILE          18
#define TARGET_IDENTITY      0x7ff

#define DOMAIN_SENDS_MESSAGES 0x104 /* interrupts enabled, delivery mode 1 */
enum { SOURCE_RISING = 4, SOURCE_HIGH = 6 };

/* A file's registers, by number. */
#define FILE_DELIVERY  0x70
#define FILE_THRESHOLD 0x72
#define FILE_PENDING   0x80 /* 64 identities each, in even numbers */
#define FILE_ENABLE    0xc0

/* Constant after the boot. */
static uint16_t sources[INTERRUPT_IDENTITIES_MAX + 1]; /* by identity, from 1 */
static uint16_t first_not_above[8]; /* by level: its first identity, or that of the next below */
static uint32_t identity_count;

static volatile uint32_t *at(const struct interrupt_controller *aplic, uint32_t offset) {
    return (volatile uint32_t *)(aplic->base + offset);
}

static bool bit_of(const struct interrupt_controller *aplic, uint32_t words, uint32_t source) {
    return *at(aplic, words + source / 32 * 4) >> source % 32 & 1;
}

static volatile uint32_t *target(const struct interrupt_controller *aplic, uint32_t source) {
    return at(aplic, TARGET + 4 * (source - 1));
}

static bool is_level(const struct interrupt_controller *aplic, uint32_t source) {
    return *at(aplic, SOURCE_CONFIGURATION + 4 * (source - 1)) == SOURCE_HIGH;
}

static void disable(const struct interrupt_controller *aplic, uint32_t source) {
    *at(aplic, DISABLE_NUMBER) = source;
}

static void enable(const struct interrupt_controller *aplic, uint32_t source, uint32_t level) {
    *at(aplic, ENABLE_NUMBER) = source;
}

static void reset(const struct interrupt_controller *aplic) {
    for (uint32_t source = 0; source <= aplic->source_count; source += 32) {
        *at(aplic, DISABLE + source / 32 * 4) = UINT32_MAX;
    }
    *at(aplic, DOMAIN_CONFIGURATION) = DOMAIN_SENDS_MESSAGES;
}

/* A message is sent when the source becomes pending, not as long as its line is high. */
static void ask_again(const struct interrupt_controller *aplic, uint32_t source) {
    if (bit_of(aplic, INPUT, source)) {
        *at(aplic, PENDING_NUMBER) = source;
    }
}

static void prepare(const struct interrupt_controller *aplic, uint32_t source, bool edge,
                    uint32_t level) {
    uint32_t identity = ++identity_count;
    sources[identity] = (uint16_t)source;
    for (; level < 8 && first_not_above[level] == 0; level++) {
        first_not_above[level] = (uint16_t)identity;
    }
    *at(aplic, SOURCE_CONFIGURATION + 4 * (source - 1)) = edge ? SOURCE_RISING : SOURCE_HIGH;
    *target(aplic, source) = identity;
    *at(aplic, PENDING_CLEAR) = source;
    if (!edge) {
        ask_again(aplic, source);
    }
}

/* --- A hart's own file ------------------------------------------------------------------------ */

static void file_select(uint32_t number) {
    csr_write(CSR_SISELECT, number);
}

/* The highest identity that is pending below the threshold, or 0. */
static uint32_t top_read(void) {
    return (uint32_t)csr_read(CSR_STOPEI) >> 16;
}

/* Does the same, which is pending no more. */
static uint32_t top_take(void) {
    return (uint32_t)csr_swap(CSR_STOPEI, 0) >> 16;
}

static void file_write(uint32_t number, uint64_t value) {
    file_select(number);
    csr_write(CSR_SIREG, value);
}

/* Bits of the 64 identities from `base` that are given. */
static uint64_t given(uint32_t base) {
    uint32_t end = identity_count + 1 - base;
    uint64_t bits = end >= 64 ? UINT64_MAX : (UINT64_C(1) << end) - 1;
    return base == 0 ? bits & ~UINT64_C(1) : bits;
}

/* Sends this hart a message of an identity that is not given, and looks for it: several times, as
 * other harts may do so now. Ends with the first one that comes, or after some hundredths of a
 * second. */
static bool is_reached(const struct interrupt_controller *aplic, uint32_t file) {
    uint32_t identity = identity_count + 1;
    file_select(FILE_PENDING + identity / 64 * 2);
    for (uint32_t reads = 0; reads < 1000000; reads++) {
        if (reads % 1000 == 0) {
            *at(aplic, MESSAGE) = file << TARGET_FILE | identity;
        }
        if (csr_read(CSR_SIREG) >> identity % 64 & 1) {
            return true;
        }
    }
    return false;
}

/* The register of the threshold stays selected: nobody else selects one. */
static bool open(const struct interrupt_controller *aplic, uint32_t file) {
    file_write(FILE_DELIVERY, 0);
    for (uint32_t base = 0; base <= identity_count + 1; base += 64) {
        file_write(FILE_PENDING + base / 32, 0);
        file_write(FILE_ENABLE + base / 32, base <= identity_count ? given(base) : 0);
    }
    bool reached = is_reached(aplic, file);
    file_write(FILE_DELIVERY, 1);
    file_write(FILE_THRESHOLD, 0);
    return reached;
}

/* QEMU before 9.2 works out what the hart sees of its file without a lock: a message that comes
 * meanwhile is in the file, and the hart is not interrupted. Any access to the file puts that
 * right, and only this hart takes messages out: so once is enough. */
static void look_again(void) {
    if (top_read() != 0) {
        csr_read(CSR_SIREG);
    }
}

static void threshold(const struct interrupt_controller *aplic, uint32_t file, uint32_t level) {
    csr_write(CSR_SIREG, level == 0 ? 0 : first_not_above[level]);
    look_again();
}

/* Only the hart of the file that a source is aimed at aims it elsewhere, so the answer stays true
 * while that hart serves it. */
static bool is_here(const struct interrupt_controller *aplic, uint32_t source, uint32_t file) {
    return *target(aplic, source) >> TARGET_FILE == file && bit_of(aplic, ENABLE, source);
}

static uint32_t claim(const struct interrupt_controller *aplic, uint32_t file) {
    uint32_t identity = top_take();
    uint32_t source = identity <= identity_count ? sources[identity] : 0;
    if (source == 0 || (is_level(aplic, source) && !bit_of(aplic, INPUT, source))) {
        look_again();
        return 0; /* of nothing, or the line has fallen: when it rises there is a new message */
    }
    if (!is_here(aplic, source, file)) {
        *at(aplic, PENDING_NUMBER) = source; /* goes where it is aimed at, when it is enabled */
        look_again();
        return 0;
    }
    return source;
}

static void complete(const struct interrupt_controller *aplic, uint32_t file, uint32_t source) {
    if (is_level(aplic, source)) {
        ask_again(aplic, source);
    }
}

/* --- From any hart ---------------------------------------------------------------------------- */

/* Returns whether a source is pending: a level while its line is high, wherever its message is; an
 * edge until its message is sent. */
static bool pending(const struct interrupt_controller *aplic, uint32_t source) {
    return bit_of(aplic, PENDING, source) ||
           (is_level(aplic, source) && bit_of(aplic, INPUT, source));
}

static void aim(const struct interrupt_controller *aplic, uint32_t source, uint32_t to,
                uint32_t level) {
    uint32_t identity = *target(aplic, source) & TARGET_IDENTITY;
    *target(aplic, source) = to << TARGET_FILE | identity;
}

static void leave(const struct interrupt_controller *aplic, uint32_t source, uint32_t from,
                  uint32_t to, uint32_t level) {
    aim(aplic, source, to, level);
}

const struct interrupt_driver imsic_driver = {
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
