/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <string.h>

#include "devicetree.h"
#include "interrupts.h"
#include "placement.h"
#include "system.h"

struct machine machine;

static const struct devicetree *tree; /* while machine_read runs */

static bool reg_of(int32_t node, int32_t parent, uint32_t index, struct range *range) {
    return devicetree_reg(tree, node, parent, index, &range->base, &range->size);
}

static void add_range(struct range range, struct range *ranges, uint32_t *count) {
    if (*count == MACHINE_RANGES_MAX) {
        boot_panic("the device tree has too many memory ranges");
    }
    ranges[(*count)++] = range;
}

static void add_ranges(int32_t node, int32_t parent, struct range *ranges, uint32_t *count) {
    struct range range;
    for (uint32_t i = 0; reg_of(node, parent, i, &range); i++) {
        add_range(range, ranges, count);
    }
}

/* `riscv,isa` is "rv64imafdc_zicsr_sstc"; newer trees have a list of strings. */
static bool has_extension(int32_t cpu, const char *name) {
    if (devicetree_has_string(devicetree_property(tree, cpu, "riscv,isa-extensions"), name)) {
        return true;
    }
    struct devicetree_value isa = devicetree_property(tree, cpu, "riscv,isa");
    size_t length = strlen(name);
    for (uint32_t at = 0; at + length < isa.size; at++) {
        const char *text = (const char *)isa.bytes + at;
        if (text[-(at > 0)] == '_' && memcmp(text, name, length) == 0 &&
            (text[length] == '_' || text[length] == 0)) {
            return true;
        }
    }
    return false;
}

static void read_cpu(int32_t cpu, int32_t cpus) {
    struct devicetree_value type = devicetree_property(tree, cpu, "device_type");
    struct devicetree_value mmu = devicetree_property(tree, cpu, "mmu-type");
    if (!devicetree_has_string(type, "cpu") || !devicetree_enabled(tree, cpu) || mmu.bytes == 0 ||
        devicetree_has_string(mmu, "riscv,none")) {
        return; /* disabled, or a monitor core without address translation */
    }
    if (machine.hart_count == MACHINE_HARTS_MAX) {
        boot_panic("the device tree has too many harts");
    }
    struct hart *hart = &machine.harts[machine.hart_count++];
    struct devicetree_value reg = devicetree_property(tree, cpu, "reg");
    hart->number = devicetree_number(reg, 0, devicetree_u32(tree, cpus, "#address-cells", 1));
    int32_t controller = devicetree_child(tree, cpu);
    while (controller != DEVICETREE_END &&
           !devicetree_has_string(devicetree_property(tree, controller, "compatible"),
                                  "riscv,cpu-intc")) {
        controller = devicetree_next(tree, controller);
    }
    if (controller != DEVICETREE_END) {
        hart->interrupt_phandle = devicetree_u32(tree, controller, "phandle", 0);
    }
    machine.sstc &= has_extension(cpu, "sstc");
}

static void read_cpus(int32_t cpus) {
    machine.sstc = true;
    machine.clock_hz = devicetree_u32(tree, cpus, "timebase-frequency", 0);
    for (int32_t cpu = devicetree_child(tree, cpus); cpu != DEVICETREE_END;
         cpu = devicetree_next(tree, cpu)) {
        if (machine.clock_hz == 0) {
            machine.clock_hz = devicetree_u32(tree, cpu, "timebase-frequency", 0);
        }
        read_cpu(cpu, cpus);
    }
}

/* The position of a hart in the list of an SSWI's interrupts is the index of its register; a
 * machine of several sockets has an SSWI each. Kept as the physical address here; the boot maps it.
 */
static void read_sswi(int32_t node, int32_t parent) {
    struct range range;
    struct devicetree_value list = devicetree_property(tree, node, "interrupts-extended");
    if (!reg_of(node, parent, 0, &range)) {
        return;
    }
    for (uint32_t i = 0; i < list.size / 8; i++) {
        for (uint32_t hart = 0; hart < machine.hart_count; hart++) {
            if (machine.harts[hart].interrupt_phandle == devicetree_cell(list, 2 * i)) {
                machine.harts[hart].sswi = (volatile uint32_t *)(uintptr_t)(range.base + 4 * i);
            }
        }
    }
}

static void read_uart(int32_t node, int32_t parent) {
    struct range range;
    if (machine.uart == 0 && reg_of(node, parent, 0, &range)) {
        machine.uart = range.base;
        machine.uart_shift = devicetree_u32(tree, node, "reg-shift", 0);
    }
}

/* Devices stand at the root or on buses below it. */
static void read_devices(int32_t parent, int depth) {
    for (int32_t node = devicetree_child(tree, parent); node != DEVICETREE_END;
         node = devicetree_next(tree, node)) {
        struct devicetree_value compatible = devicetree_property(tree, node, "compatible");
        if (!devicetree_enabled(tree, node)) {
            continue;
        }
        if (devicetree_has_string(compatible, "ns16550a") ||
            devicetree_has_string(compatible, "ns16550")) {
            read_uart(node, parent);
        } else if (devicetree_has_string(compatible, "riscv,aclint-sswi")) {
            read_sswi(node, parent);
        } else if (DISTRIBUTED &&
                   devicetree_property(tree, node, "interrupt-controller").bytes != 0) {
            interrupts_note(tree, node, parent);
        } else if (depth > 0 && devicetree_has_string(compatible, "simple-bus")) {
            read_devices(node, depth - 1);
        }
    }
}

static void read_reservations(void) {
    const struct devicetree_value map = {tree->reservations, tree->reservations_size};
    for (uint32_t i = 0; i < MACHINE_RANGES_MAX; i++) { /* a pair of zeros ends the list */
        struct range range = {devicetree_number(map, 4 * i, 2),
                              devicetree_number(map, 4 * i + 2, 2)};
        if (range.base == 0 && range.size == 0) {
            return;
        }
        add_range(range, machine.reserved, &machine.reserved_count);
    }
}

/* `for=NANOSECONDS` among the boot arguments. */
static void read_arguments(int32_t chosen) {
    struct devicetree_value arguments = devicetree_property(tree, chosen, "bootargs");
    for (uint32_t at = 0; at + 4 < arguments.size; at++) {
        const char *text = (const char *)arguments.bytes + at;
        if ((at == 0 || text[-1] == ' ') && memcmp(text, "for=", 4) == 0) {
            machine.run_for = 0;
            for (const char *digit = text + 4; *digit >= '0' && *digit <= '9'; digit++) {
                if (machine.run_for > INT64_MAX / 20) {
                    boot_panic("the boot argument for= is too long a time");
                }
                machine.run_for = machine.run_for * 10 + (uint64_t)(*digit - '0');
            }
        }
    }
}

void machine_read(const void *blob, const char *compatible) {
    struct devicetree opened;
    if (!devicetree_open(&opened, blob, 2u << 20)) {
        boot_panic("the firmware gave no device tree of at most 2 MiB");
    }
    tree = &opened;
    if (!devicetree_has_string(devicetree_property(tree, DEVICETREE_ROOT, "compatible"),
                               compatible)) {
        boot_panic("this is not the board that the image was built for");
    }
    for (int32_t node = devicetree_child(tree, DEVICETREE_ROOT); node != DEVICETREE_END;
         node = devicetree_next(tree, node)) {
        const char *name = devicetree_name(tree, node);
        if (strcmp(name, "cpus") == 0) {
            read_cpus(node);
        } else if (strncmp(name, "memory@", 7) == 0 && devicetree_enabled(tree, node)) {
            add_ranges(node, DEVICETREE_ROOT, machine.memory, &machine.memory_count);
        } else if (strcmp(name, "reserved-memory") == 0) {
            for (int32_t child = devicetree_child(tree, node); child != DEVICETREE_END;
                 child = devicetree_next(tree, child)) {
                add_ranges(child, node, machine.reserved, &machine.reserved_count);
            }
        } else if (strcmp(name, "chosen") == 0) {
            read_arguments(node);
        }
    }
    read_reservations();
    read_devices(DEVICETREE_ROOT, 3);
    if (DISTRIBUTED) {
        interrupts_read(tree);
    }
    if (machine.clock_hz == 0) {
        boot_panic("the device tree gives no timebase-frequency");
    }
    tree = 0;
}
