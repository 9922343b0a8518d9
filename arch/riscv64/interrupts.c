/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices: docs/design/interrupts.md. */
#include "interrupts.h"

#include <string.h>

#include "arch.h"
#include "config.h"
#include "console.h"
#include "core.h"
#include "imsic.h"
#include "interrupt/interrupt.h"
#include "machine.h"
#include "page_table.h"
#include "system.h"

#define LINE_SUPERVISOR 9 /* of a hart's local interrupt controller */
#define TRIGGER_RISING  1 /* of a device's `interrupts`, second cell */
#define NO_CONTEXT      UINT32_MAX
#define SENDERS_MAX     8
#define LEVEL_MAX       7

static struct interrupt_controller controller;
static struct registers {
    uint64_t base, size;
    uint32_t phandle, source_count;
    uint32_t messages_to; /* phandle; 0: it is wired to the harts */
} found, senders[SENDERS_MAX];
static uint32_t sender_count;
static struct {
    uint32_t phandle; /* 0: there are none */
    uint32_t identities;
    bool has_groups;
} files;                                     /* of S-mode, which messages come to */
static uint32_t contexts[MACHINE_HARTS_MAX]; /* by hart, as in machine.harts */
/* The same: where the hart claims and completes; null: by functions of the driver. Constant after
 * interrupts_open. */
static volatile uint32_t *claim_registers[MACHINE_HARTS_MAX];

/* --- From the device tree -------------------------------------------------------------------- */

static bool serves_supervisor(struct devicetree_value list) {
    for (uint32_t i = 0; i < list.size / 8; i++) {
        if (devicetree_cell(list, 2 * i + 1) == LINE_SUPERVISOR) {
            return true;
        }
    }
    return false;
}

/* The position of a hart's line for S-mode in the list is its context. True if there is one. */
static bool read_contexts(struct devicetree_value list) {
    if (!serves_supervisor(list)) {
        return false;
    }
    for (uint32_t hart = 0; hart < machine.hart_count; hart++) {
        contexts[hart] = NO_CONTEXT;
    }
    for (uint32_t i = 0; i < list.size / 8; i++) {
        for (uint32_t hart = 0; hart < machine.hart_count; hart++) {
            if (devicetree_cell(list, 2 * i + 1) == LINE_SUPERVISOR &&
                devicetree_cell(list, 2 * i) == machine.harts[hart].interrupt_phandle) {
                contexts[hart] = i;
            }
        }
    }
    return true;
}

static void note_files(const struct devicetree *tree, int32_t node) {
    if (files.phandle == 0 &&
        read_contexts(devicetree_property(tree, node, "interrupts-extended"))) {
        files.phandle = devicetree_u32(tree, node, "phandle", 0);
        files.identities = devicetree_u32(tree, node, "riscv,num-ids", 0);
        files.has_groups = devicetree_u32(tree, node, "riscv,group-index-bits", 0) != 0;
    }
}

void interrupts_note(const struct devicetree *tree, int32_t node, int32_t parent) {
    struct devicetree_value compatible = devicetree_property(tree, node, "compatible");
    bool is_plic = devicetree_has_string(compatible, "riscv,plic0") ||
                   devicetree_has_string(compatible, "sifive,plic-1.0.0");
    bool is_aplic = devicetree_has_string(compatible, "riscv,aplic");
    if (takt_interrupt_count == 0 || controller.driver != 0) {
        return;
    }
    if (devicetree_has_string(compatible, "riscv,imsics")) {
        note_files(tree, node);
    }
    struct registers registers = {
        .phandle = devicetree_u32(tree, node, "phandle", 0),
        .source_count = devicetree_u32(tree, node, is_plic ? "riscv,ndev" : "riscv,num-sources", 0),
        .messages_to = devicetree_u32(tree, node, "msi-parent", 0)};
    if ((!is_plic && !is_aplic) ||
        !devicetree_reg(tree, node, parent, 0, &registers.base, &registers.size)) {
        return;
    }
    if (read_contexts(devicetree_property(tree, node, "interrupts-extended"))) {
        found = registers;
        controller.driver = is_plic ? &plic_driver : &aplic_driver;
    } else if (registers.messages_to != 0 && sender_count < SENDERS_MAX) {
        senders[sender_count++] = registers;
    } /* else it serves M-mode */
}

/* Where no controller is wired to the harts: the first that sends messages to S-mode. */
static void choose_sender(void) {
    for (uint32_t i = 0; i < sender_count && controller.driver == 0; i++) {
        if (files.phandle != 0 && senders[i].messages_to == files.phandle) {
            found = senders[i];
            controller.driver = &imsic_driver;
        }
    }
    if (controller.driver == 0) {
        boot_panic("the device tree has no interrupt controller for S-mode");
    }
    if (files.has_groups) {
        boot_panic(
            "the interrupt controller sends messages to harts in groups, which is not supported");
    }
    /* One identity stays free, for the look whether messages come. */
    if (takt_interrupt_count >= files.identities ||
        takt_interrupt_count > INTERRUPT_IDENTITIES_MAX) {
        boot_panic("the interrupt controller cannot tell so many interrupts apart");
    }
}

static _Noreturn void refuse(const struct takt_interrupt_config *config, const char *why) {
    if (config->device != 0) {
        console_print("takt: boot: interrupt %s of %s: %s\n", config->name, config->device, why);
    } else {
        console_print("takt: boot: interrupt %s: %s\n", config->name, why);
    }
    boot_panic("the machine does not have an interrupt of the description");
}

/* The source of a device's first interrupt; 0: none at our controller. */
static uint32_t source_of(const struct devicetree *tree, int32_t node, uint32_t inherited,
                          bool *edge) {
    struct devicetree_value own = devicetree_property(tree, node, "interrupts");
    struct devicetree_value extended = devicetree_property(tree, node, "interrupts-extended");
    uint32_t parent = extended.bytes != 0 ? devicetree_cell(extended, 0) : inherited;
    uint32_t first = extended.bytes != 0;
    if (extended.bytes != 0) {
        own = extended;
    }
    /* A PLIC's interrupts have one cell, an APLIC's two. */
    *edge = controller.driver != &plic_driver && devicetree_cell(own, first + 1) == TRIGGER_RISING;
    return parent == found.phandle ? devicetree_cell(own, first) : 0;
}

static void read_device(const struct devicetree *tree, const struct takt_interrupt_config *config,
                        struct interrupt_source *source) {
    uint32_t inherited = 0;
    int32_t parent = DEVICETREE_END,
            node = devicetree_find(tree, config->device, &parent, &inherited);
    if (node == DEVICETREE_END || !devicetree_enabled(tree, node)) {
        refuse(config, "the device tree has no such device, or it is disabled");
    }
    source->number = source_of(tree, node, inherited, &source->edge);
    if (source->number == 0) {
        refuse(config, "the device has no interrupt at the interrupt controller");
    }
    devicetree_reg(tree, node, parent, 0, &source->device_base, &source->device_size);
}

void interrupts_read(const struct devicetree *tree) {
    if (takt_interrupt_count == 0) {
        return;
    }
    if (controller.driver == 0) {
        choose_sender();
    }
    controller.source_count = found.source_count;
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        const struct takt_interrupt_config *config = &takt_interrupt_configs[i];
        struct interrupt_source *source = &takt_interrupt_sources[i];
        source->number = config->source;
        if (config->device != 0) {
            read_device(tree, config, source);
        }
        if (source->number > controller.source_count) {
            refuse(config, "the interrupt controller has not so many sources");
        }
    }
}

/* A controller may number its sources in this order: by levels. */
static void prepare_level(uint32_t level) {
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        if (takt_interrupt_configs[i].level == level) {
            controller.driver->prepare(&controller, takt_interrupt_sources[i].number,
                                       takt_interrupt_sources[i].edge, level);
        }
    }
}

void interrupts_start(void) {
    if (takt_interrupt_count == 0) {
        return;
    }
    controller.base = map_window(found.base, found.size);
    controller.driver->reset(&controller);
    for (uint32_t core = 0; core < takt_core_count; core++) {
        if (contexts[core] == NO_CONTEXT) {
            boot_panic("the interrupt controller does not reach every core");
        }
    }
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        struct interrupt_source *source = &takt_interrupt_sources[i];
        if (source->device_size != 0) {
            source->registers = map_device(source->device_base, source->device_size);
        }
        if (!interrupt_register(i)) {
            refuse(&takt_interrupt_configs[i], "another one has the same source");
        }
    }
    for (uint32_t level = LEVEL_MAX; level > 0; level--) {
        prepare_level(level);
    }
}

/* The firmware closes a hart's context when it starts the hart: so each core opens its own. */
void interrupts_open(uint32_t core) {
    if (takt_interrupt_count == 0) {
        return;
    }
    if (!controller.driver->open(&controller, contexts[core])) {
        console_print("takt: boot: no message of the interrupt controller comes to core %u\n",
                      core);
        boot_panic("the firmware has not told the interrupt controller where messages go");
    }
    if (controller.driver->claim_register != 0) {
        claim_registers[core] = controller.driver->claim_register(&controller, contexts[core]);
    }
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        const struct takt_interrupt_config *config = &takt_interrupt_configs[i];
        uint32_t source = takt_interrupt_sources[i].number;
        if (config->core == core) {
            arch_device_arrive(source, core, config->level);
            if (config->enabled) {
                controller.driver->enable(&controller, source, config->level);
            }
        }
    }
    csr_set(sie, SIE_EXTERNAL);
}

/* --- For the kernel --------------------------------------------------------------------------- */

uint32_t arch_device_claim(const struct core *core) {
    volatile uint32_t *claim = claim_registers[core->index];
    uint32_t source = __builtin_expect(claim != 0, 1)
                          ? *claim
                          : controller.driver->claim(&controller, contexts[core->index]);
    __asm__ volatile("fence i, rw" ::: "memory"); /* pairs with the one in arch_device_leave */
    return source;
}

void arch_device_complete(const struct core *core, uint32_t source) {
    /* Both after what the routine has told the device: else its line would still be high. */
    volatile uint32_t *claim = claim_registers[core->index];
    if (__builtin_expect(claim != 0, 1)) {
        __asm__ volatile("fence io, o" ::: "memory");
        *claim = source;
    } else {
        __asm__ volatile("fence io, io" ::: "memory");
        controller.driver->complete(&controller, contexts[core->index], source);
    }
}

void arch_device_threshold(const struct core *core, uint32_t level) {
    if (ROUTINES_NEST || claim_registers[core->index] == 0) {
        controller.driver->threshold(&controller, contexts[core->index], level);
    } else if (level != 0) {
        /* All sources have one level: this keeps out what the threshold would, without an access to
         * the controller. Not for messages, whose driver looks at them once more in `threshold`. */
        csr_clear(sie, SIE_EXTERNAL);
    } else {
        csr_set(sie, SIE_EXTERNAL);
    }
}

void arch_device_enable(uint32_t source, uint32_t level) {
    __asm__ volatile("fence rw, o" ::: "memory"); /* the routine sees what the caller has written */
    controller.driver->enable(&controller, source, level);
}

void arch_device_disable(uint32_t source) {
    controller.driver->disable(&controller, source);
    __asm__ volatile("fence o, io" ::: "memory"); /* before a claim of this core */
}

bool arch_device_pending(uint32_t source) {
    return controller.driver->pending(&controller, source);
}

void arch_device_leave(uint32_t source, uint32_t from, uint32_t to, uint32_t level) {
    /* The routine sees there what it has written here. */
    __asm__ volatile("fence rw, o" ::: "memory");
    controller.driver->leave(&controller, source, contexts[from], contexts[to], level);
    __asm__ volatile("fence o, io" ::: "memory"); /* before a claim of this core */
}

void arch_device_arrive(uint32_t source, uint32_t to, uint32_t level) {
    controller.driver->arrive(&controller, source, contexts[to], level);
}
