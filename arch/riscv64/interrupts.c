/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupts of devices: docs/design/interrupts.md. */
#include "interrupts.h"

#include <string.h>

#include "arch.h"
#include "config.h"
#include "console.h"
#include "core.h"
#include "interrupt.h"
#include "interrupt_controller.h"
#include "machine.h"
#include "page_table.h"
#include "system.h"

#define LINE_SUPERVISOR 9 /* of a hart's local interrupt controller */
#define TRIGGER_RISING  1 /* of a device's `interrupts`, second cell */
#define NO_CONTEXT      UINT32_MAX

static struct interrupt_controller controller;
static struct {
    uint64_t base, size;
    uint32_t phandle;
    bool has_messages; /* there is one that sends messages, which is not driven */
} found;
static uint32_t contexts[MACHINE_HARTS_MAX]; /* by hart, as in machine.harts */

/* --- From the device tree -------------------------------------------------------------------- */

/* The position of a hart's line for S-mode in the list is its context. True if there is one. */
static bool read_contexts(struct devicetree_value list) {
    bool any = false;
    for (uint32_t hart = 0; hart < machine.hart_count; hart++) {
        contexts[hart] = NO_CONTEXT;
    }
    for (uint32_t i = 0; i < list.size / 8; i++) {
        for (uint32_t hart = 0; hart < machine.hart_count; hart++) {
            if (devicetree_cell(list, 2 * i + 1) == LINE_SUPERVISOR &&
                devicetree_cell(list, 2 * i) == machine.harts[hart].interrupt_phandle) {
                contexts[hart] = i;
                any = true;
            }
        }
    }
    return any;
}

void interrupts_note(const struct devicetree *tree, int32_t node, int32_t parent) {
    struct devicetree_value compatible = devicetree_property(tree, node, "compatible");
    bool is_plic = devicetree_has_string(compatible, "riscv,plic0") ||
                   devicetree_has_string(compatible, "sifive,plic-1.0.0");
    bool is_aplic = devicetree_has_string(compatible, "riscv,aplic");
    if (takt_interrupt_count == 0 || (!is_plic && !is_aplic) || controller.driver != 0) {
        return;
    }
    found.has_messages |= devicetree_property(tree, node, "msi-parent").bytes != 0;
    if (!devicetree_reg(tree, node, parent, 0, &found.base, &found.size) ||
        !read_contexts(devicetree_property(tree, node, "interrupts-extended"))) {
        return; /* it serves M-mode, or sends messages */
    }
    found.phandle = devicetree_u32(tree, node, "phandle", 0);
    controller.driver = is_plic ? &plic_driver : &aplic_driver;
    controller.source_count =
        devicetree_u32(tree, node, is_plic ? "riscv,ndev" : "riscv,num-sources", 0);
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
    *edge = controller.driver == &aplic_driver && devicetree_cell(own, first + 1) == TRIGGER_RISING;
    return parent == found.phandle ? devicetree_cell(own, first) : 0;
}

static void read_device(const struct devicetree *tree, const struct takt_interrupt_config *config,
                        struct interrupt *interrupt) {
    uint32_t inherited = 0;
    int32_t parent, node = devicetree_find(tree, config->device, &parent, &inherited);
    if (node == DEVICETREE_END || !devicetree_enabled(tree, node)) {
        refuse(config, "the device tree has no such device, or it is disabled");
    }
    interrupt->source = source_of(tree, node, inherited, &interrupt->edge);
    if (interrupt->source == 0) {
        refuse(config, "the device has no interrupt at the interrupt controller");
    }
    devicetree_reg(tree, node, parent, 0, &interrupt->device_base, &interrupt->device_size);
}

void interrupts_read(const struct devicetree *tree) {
    if (takt_interrupt_count == 0) {
        return;
    }
    if (controller.driver == 0) {
        boot_panic(found.has_messages
                       ? "the interrupt controller sends messages (IMSIC), which is not supported"
                       : "the device tree has no interrupt controller for S-mode");
    }
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        const struct takt_interrupt_config *config = &takt_interrupt_configs[i];
        struct interrupt *interrupt = &takt_interrupts[i];
        interrupt->source = config->source;
        if (config->device != 0) {
            read_device(tree, config, interrupt);
        }
        if (interrupt->source > controller.source_count) {
            refuse(config, "the interrupt controller has not so many sources");
        }
    }
}

void interrupts_start(void) {
    if (takt_interrupt_count == 0) {
        return;
    }
    const struct interrupt_driver *driver = controller.driver;
    controller.base = map_window(found.base, found.size);
    driver->reset(&controller);
    for (uint32_t core = 0; core < takt_core_count; core++) {
        if (contexts[core] == NO_CONTEXT) {
            boot_panic("the interrupt controller does not reach every core");
        }
    }
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        const struct takt_interrupt_config *config = &takt_interrupt_configs[i];
        struct interrupt *interrupt = &takt_interrupts[i];
        if (interrupt->device_size != 0) {
            interrupt->registers = map_device(interrupt->device_base, interrupt->device_size);
        }
        driver->prepare(&controller, interrupt->source, interrupt->edge);
        if (config->enabled) {
            driver->enable(&controller, interrupt->source, config->level);
        }
        if (!interrupt_register(i)) {
            refuse(config, "another one has the same source");
        }
    }
}

/* The firmware closes a hart's context when it starts the hart: so each core opens its own. */
void interrupts_open(uint32_t core) {
    if (takt_interrupt_count == 0) {
        return;
    }
    controller.driver->open(&controller, contexts[core]);
    for (uint32_t i = 0; i < takt_interrupt_count; i++) {
        const struct takt_interrupt_config *config = &takt_interrupt_configs[i];
        if (config->core == core) {
            arch_device_arrive(takt_interrupts[i].source, core, config->level);
        }
    }
    csr_set(sie, SIE_EXTERNAL);
}

/* --- For the kernel --------------------------------------------------------------------------- */

uint32_t arch_device_claim(const struct core *core) {
    return controller.driver->claim(&controller, contexts[core->index]);
}

void arch_device_complete(const struct core *core, uint32_t source) {
    /* After what the routine has told the device: else its line would still be high. */
    __asm__ volatile("fence io, o" ::: "memory");
    controller.driver->complete(&controller, contexts[core->index], source);
}

void arch_device_threshold(const struct core *core, uint32_t level) {
    controller.driver->threshold(&controller, contexts[core->index], level);
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
    controller.driver->leave(&controller, source, contexts[from], contexts[to], level);
    __asm__ volatile("fence o, io" ::: "memory"); /* before a claim of this core */
}

void arch_device_arrive(uint32_t source, uint32_t to, uint32_t level) {
    controller.driver->arrive(&controller, source, contexts[to], level);
}
