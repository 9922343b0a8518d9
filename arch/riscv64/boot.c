/* SPDX-License-Identifier: Apache-2.0 */
/* The boot after translation is on: what is this machine, does it fit, start its harts. */
#include <string.h>

#include "arch.h"
#include "atomic.h"
#include "bandwidth/regulator.h"
#include "console.h"
#include "devicetree.h"
#include "interrupts.h"
#include "machine.h"
#include "page_table.h"
#include "partition/partition.h"
#include "partition/window.h"
#include "placement.h"
#include "sbi.h"
#include "start.h"
#include "system.h"

/* A hart that does not come within this time after the one before has failed. */
#define HART_PATIENCE_SECONDS 10

extern void boot_secondary(void); /* boot.S */
_Noreturn void boot_enter_core(uint32_t core);
extern void trap_entry(void); /* context.S */

static bool inside(struct range outer, uint64_t start, uint64_t end) {
    return start >= outer.base && end <= outer.base + outer.size;
}

static bool overlaps(struct range range, uint64_t start, uint64_t end) {
    return range.base < end && start < range.base + range.size;
}

/* What the image uses must be RAM and nobody else's. */
static void check_range(uint64_t start, uint64_t end) {
    bool is_ram = false;
    for (uint32_t i = 0; i < machine.memory_count; i++) {
        is_ram |= inside(machine.memory[i], start, end);
    }
    if (!is_ram) {
        boot_panic("the machine has no memory where the image lies, or too little");
    }
    for (uint32_t i = 0; i < machine.reserved_count; i++) {
        if (overlaps(machine.reserved[i], start, end)) {
            console_print("takt: boot: image %lx to %lx, reserved %lx to %lx\n", start, end,
                          machine.reserved[i].base,
                          machine.reserved[i].base + machine.reserved[i].size);
            boot_panic("the image lies in reserved memory");
        }
    }
}

/* The image and its stacks, and what has a home. What lies behind the image is not written before
 * the tree has been read. */
static void check_memory(struct range tree) {
    uint64_t start = physical_address(takt_image_start);
    struct range homed = homed_memory();
    check_range(start, physical_address(takt_physical_end));
    if (homed.size != 0) {
        check_range(homed.base, homed.base + homed.size);
    }
    if (overlaps(tree, start, physical_address(takt_image_end))) {
        boot_panic("the device tree lies inside the image");
    }
}

/* The part of .bss that has homes: what boot.S has zeroed is the place that it would have had. */
static void zero_homed(void) {
    for (uint32_t i = 0; i < takt_region_count; i++) {
        const struct takt_region *region = &takt_regions[i];
        if (region->home != 0 && region->end <= (uintptr_t)takt_image_end) {
            memset((void *)region->start, 0, region->end - region->start);
        }
    }
}

static void check_cores(void) {
    if (machine.hart_count < takt_core_count) {
        console_print("takt: boot: the description needs %u cores, this machine has %u\n",
                      takt_core_count, machine.hart_count);
        boot_panic("the machine has fewer cores than the description needs");
    }
}

static void map_devices(void) {
    arch_console_init();
    for (uint32_t i = 0; i < machine.hart_count; i++) {
        struct hart *hart = &machine.harts[i];
        if (hart->sswi != 0) {
            hart->sswi = map_device((uintptr_t)hart->sswi, sizeof *hart->sswi);
        }
    }
}

static bool has_started(uint32_t core) {
    /* Acquire: pairs with the release in report_start. */
    return __atomic_load_n(&takt_cores[core]->started, __ATOMIC_ACQUIRE);
}

/* Each core clears its own stacks: all cores at once, and into its own caches. */
static void report_start(struct core *core) {
    core_clear_stacks(core);
    if (!DISTRIBUTED) {
        placement_start(core);
    }
    atomic_store_release(&core->started, 1); /* pairs with has_started */
}

static void start_harts(uint64_t self) {
    if (!DISTRIBUTED) {
        placement_init();
    }
    for (uint32_t i = 0; i < takt_core_count; i++) {
        core_init(i, machine.harts[i].number);
        if (machine.harts[i].number == self) {
            continue;
        }
        long error = sbi_hart_start(machine.harts[i].number,
                                    physical_address((const void *)boot_secondary), 0);
        if (error != 0) {
            console_print("takt: boot: hart %u: SBI error %d\n", (unsigned)machine.harts[i].number,
                          (int)error);
            boot_panic("the firmware cannot start a hart");
        }
    }
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (machine.harts[i].number == self) {
            report_start(takt_cores[i]); /* as the others do meanwhile */
        }
    }
}

static _Noreturn void name_missing_harts(void) {
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (!has_started(i)) {
            console_print("takt: boot: hart %u has not started\n",
                          (unsigned)machine.harts[i].number);
        }
    }
    boot_panic("a hart does not start");
}

/* Sleeps between the looks, so that on an emulator the others may run. */
static void wait_for_harts(void) {
    uint64_t patience = HART_PATIENCE_SECONDS * machine.clock_hz, since = arch_ticks();
    for (uint32_t next = 0; next < takt_core_count;) {
        if (has_started(next)) {
            next++;
            since = arch_ticks();
        } else if (arch_ticks() - since > patience) {
            name_missing_harts();
        } else {
            arch_timer_set(arch_ticks() + machine.clock_hz / 1000);
            arch_wait_for_interrupt();
        }
    }
    arch_timer_set(UINT64_MAX);
}

/* The hart that the firmware chose; it need not be one of the system's. */
_Noreturn void boot_main(uint64_t hart, uintptr_t tree) {
    if (!record_init()) { /* first: the record carries the message of a boot that stops */
        boot_panic("the record is larger than the configurator thinks");
    }
    const void *blob = (const void *)(TREE_WINDOW + (tree & (MEGAPAGE_SIZE - 1)));
    machine_read(blob, takt_board_compatible);
    struct range tree_range = {tree, devicetree_size(blob)};
    unmap_tree();
    map_devices();
    csr_write(sie, SIE_SOFTWARE | SIE_TIMER);
    check_memory(tree_range);
    zero_homed();
    if (PARTITIONS) {
        user_core_init(takt_partition_count);
        partitions_clear();
    }
    check_cores();
    if (DISTRIBUTED) {
        interrupts_start();
    }

    uint32_t own_core = takt_core_count;
    for (uint32_t i = 0; i < takt_core_count; i++) {
        if (machine.harts[i].number == hart) {
            own_core = i;
        }
    }
    start_harts(hart);
    wait_for_harts();
    system_start();
    if (own_core < takt_core_count) {
        boot_enter_core(own_core);
    }
    sbi_hart_stop(); /* an extra hart stays with the firmware */
    arch_park();
}

/* Every core comes here on its idle stack, interrupts disabled, its block prepared. */
_Noreturn void boot_core(uint32_t index) {
    struct core *core = takt_cores[index];
    /* What needs task_self comes in functions of their own: GCC takes tp for a constant of this. */
    __asm__ volatile("mv tp, %0" ::"r"((uintptr_t)(core->idle + 1)) : "memory");
    csr_write(sscratch, core);
    csr_write(stvec, trap_entry);
    context_begin_floats();
    csr_write(sie, SIE_SOFTWARE | SIE_TIMER);
    if (DISTRIBUTED) {
        interrupts_open(index);
    }
    if (PARTITIONS) {
        user_core_init(takt_partition_count);
    }
#if REGULATED
    regulator_start(core);
#endif
#if FRAMES
    windows_start(core);
#endif
    if (!has_started(index)) { /* the hart that the firmware chose has, in start_harts */
        report_start(core);
    }
    system_wait_for_epoch(core);
    core_run(core);
}

_Noreturn void boot_trap(unsigned long cause, unsigned long pc, unsigned long value) {
    console_print("takt: boot: scause %lx, sepc %lx, stval %lx\n", cause, pc, value);
    boot_panic("unexpected trap");
}
