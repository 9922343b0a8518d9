// SPDX-License-Identifier: Apache-2.0
//! Writes `image.ld`, which places everything in memory. The image proper is one piece, at the link
//! address, and is loaded with the same distances elsewhere. The stacks follow; the guard page
//! below each takes addresses but no memory. With page homing the cores' parts keep these
//! addresses, and the boot finds other physical pages for them: `docs/design/boot.md`, "Page
//! homing".

use takt_model::{Assignment, PageHomes, System};

use crate::{
    CONTEXTS, LINK_BASE, PAGE, Stack, dataflow, guard, owners, partitions, regions, stacks,
    tasks_of,
};

/// What a page table of the last level maps.
const TABLE_SPAN: u64 = 2 << 20;
/// The page tables above the last level: the root, the one below it for the image, and two for devices.
const UPPER_TABLES: u64 = 4;

pub fn script(system: &System, assignments: &[Assignment]) -> String {
    let all = stacks(system, assignments);
    let stack_span: u64 = all.iter().map(|stack| stack.size + guard(system, stack)).sum();
    let devices: u64 =
        system.device_regions.iter().map(|it| regions::device_pages(it).1 + PAGE).sum();
    let divided = !system.partitions.is_empty();
    let other_tables = UPPER_TABLES + partitions::tables(system);
    let behind = other_tables * PAGE + stack_span + devices;
    let mut text = format!(
        "/* The memory layout of {}, made from its description; changes are lost. */\n\
         OUTPUT_ARCH(riscv)\nENTRY(_start)\n\n\
         PHDRS\n{{\n    text PT_LOAD FLAGS(5);\n    rodata PT_LOAD FLAGS(4);\n    data PT_LOAD FLAGS(6);\n    \
         note PT_NOTE FLAGS(4);\n    tls PT_TLS;\n{}}}\n\n\
         takt_link_base = {LINK_BASE:#x};\ntakt_load = {:#x};\n\nSECTIONS\n{{\n",
        system.name,
        partitions::headers(system),
        system.board.load
    );
    text += &IMAGE.replace(OBJECTS, &owners::statements(system, assignments));
    for core in 0..system.cores {
        text += &core_section(system, assignments, core);
    }
    text += SHARED_BSS;
    // The last level maps itself, too: n tables are enough if all that lies before them, they, and what lies behind are
    // at most n times what one maps.
    text += &format!(
        "        . = ALIGN({PAGE});\n        takt_page_tables = .;\n        \
         takt_last_tables = ABSOLUTE((ABSOLUTE(.) - takt_link_base + {behind} + {unit} - 1) / {unit});\n        \
         . += (takt_last_tables + {other_tables}) * {PAGE};\n    }} :data\n    \
         takt_bss_end = .;\n    takt_image_end = .;\n\n    \
         /* Stacks: a guard that is not mapped, then the stack. */\n",
        unit = TABLE_SPAN - PAGE
    );
    for stack in &all {
        text += &format!(
            "    takt_stack_{name}_limit = . + {guard};\n    . = takt_stack_{name}_limit + {size};\n    \
             takt_stack_{name}_top = .;\n",
            name = stack.name,
            guard = guard(system, stack),
            size = stack.size
        );
    }
    if system.posix.is_none() {
        text += "    ASSERT(takt_constructors_end == takt_constructors, \
                 \"a static object has a constructor that must run before main: make it constexpr, or use the library `posix`\")\n";
    }
    text += &device_symbols(system);
    let homes = regions::homes(system);
    let linear = if homes.is_some() { 0 } else { all.iter().map(|stack| stack.size).sum() };
    text += &format!(
        "    {end} = takt_image_end + {linear};\n    \
         ASSERT(. - takt_link_base <= takt_last_tables * {TABLE_SPAN}, \
         \"the image is too large for its page tables\")\n    \
         ASSERT(. - takt_link_base <= 0x40000000, \
         \"the image and its stacks are larger than 1 GiB\")\n",
        end = if divided { "takt_linear" } else { "takt_physical_end" }
    );
    if divided {
        text += &partitions::script(system);
    }
    text += &format!(
        "    ASSERT(takt_load + (takt_physical_end - takt_link_base) <= {memory_end:#x}, \
         \"the image and its stacks are larger than the memory of the board\")\n",
        memory_end = memory_end(system, system.board.load)
    );
    if let Some(homes) = homes {
        text += &homed_pages(system, &homes, &all);
    }
    if let Some(graph) = system.dataflow.as_ref().filter(|graph| !graph.shares_memory) {
        text += &dataflow::local_section(graph);
    }
    text + "\n    /DISCARD/ : { *(.comment) *(.eh_frame*) *(.partition.*.eh_frame*) *(.riscv.attributes) }\n}\n"
}

/// The addresses of device regions: behind the stacks, with a page that is not mapped below each.
fn device_symbols(system: &System) -> String {
    let mut text = String::new();
    for region in &system.device_regions {
        let (base, size) = regions::device_pages(region);
        text += &format!(
            "    takt_region_{name} = ALIGN({PAGE}) + {PAGE};\n    \
             takt_device_{name} = takt_region_{name} + {offset:#x};\n    \
             . = takt_region_{name} + {size:#x};\n",
            name = region.name,
            offset = region.base - base
        );
    }
    text
}

/// The statement that asserts that the memory has enough turns of pages for the fullest home. It
/// counts the pages as the boot does.
fn homed_pages(system: &System, homes: &PageHomes, stacks: &[Stack]) -> String {
    let mut text =
        String::from("\n    /* Pages at home at the cores: those of the fullest home. */\n");
    text += "    takt_homed_most = 0;\n";
    let mut places = homes.places.clone();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let here = |core: u32| homes.places[core as usize] == place;
        let own = stacks.iter().filter(|stack| here(stack.core)).map(|stack| stack.size);
        let mut sum = (own.sum::<u64>() / PAGE).to_string();
        for core in (0..system.cores).filter(|&core| here(core)) {
            sum += &format!(" + (takt_core{core}_end - takt_core{core}_start) / {PAGE}");
        }
        text += &format!("    takt_homed_most = MAX(takt_homed_most, {sum});\n");
    }
    let (block, turn) = (homes.block / PAGE, homes.block * homes.turn);
    let memory_end = memory_end(system, system.board.load.max(homes.from));
    text + &format!(
        "    takt_homed_turns = (takt_homed_most + {block} - 1) / {block};\n    \
         takt_homed_from = MAX(takt_load + (takt_image_end - takt_link_base), {from:#x});\n    \
         takt_homed_base = (takt_homed_from + {turn} - 1) / {turn} * {turn};\n    \
         ASSERT(takt_homed_base + takt_homed_turns * {turn} <= {memory_end:#x}, \
         \"the memory of the board has too few pages at home at a core\")\n",
        from = homes.from
    )
}

/// The end of the memory that contains an address; 0 if no memory does.
fn memory_end(system: &System, address: u64) -> u64 {
    let cached = system.board.memory.iter().filter(|memory| memory.cached);
    let ends = cached.map(|memory| (memory.base, memory.base + memory.size.0));
    let around = ends.filter(|&(base, end)| base <= address && address < end);
    around.map(|(_, end)| end).max().unwrap_or(0)
}

/// Stands in [`IMAGE`] for the objects that belong to cores.
const OBJECTS: &str = "        OBJECTS\n";

/// The sections that every image has.
const IMAGE: &str = "    . = takt_link_base;
    takt_image_start = .;
    .text : AT(takt_load) {
        takt_text_start = .;
        KEEP(*(.text.boot))
        *(.text .text.*)
        . = ALIGN(4096);
        takt_text_end = .;
    } :text

    .rodata : AT(takt_load + (ADDR(.rodata) - takt_link_base)) {
        takt_rodata_start = .;
        *(.rodata .rodata.* .srodata .srodata.*)
        . = ALIGN(8);
        takt_constructors = .;
        KEEP(*(SORT_BY_INIT_PRIORITY(.init_array.*)))
        KEEP(*(.init_array))
        takt_constructors_end = .;
    } :rodata
    .note.gnu.build-id : AT(takt_load + (ADDR(.note.gnu.build-id) - takt_link_base)) {
        takt_build_id_note = .;
        KEEP(*(.note.gnu.build-id))
    } :rodata :note
    /* Aligned as thread-local storage is: offsets from tp are those from here. */
    .tdata ALIGN(64) : AT(takt_load + (ADDR(.tdata) - takt_link_base)) {
        takt_tls_start = .;
        *(.tdata .tdata.* .gnu.linkonce.td.* .partition.*.tdata .partition.*.tdata.*)
        takt_tls_end = .;
    } :rodata :tls
    .tbss (NOLOAD) : { *(.tbss .tbss.* .gnu.linkonce.tb.* .partition.*.tbss .partition.*.tbss.*) *(.tcommon) } :rodata :tls
    takt_tls_extent = ALIGN(SIZEOF(.tdata) + SIZEOF(.tbss) + 64, 64);
    /* Last, so that its size moves no code and no constant. */
    .symbols : AT(takt_load + (ADDR(.symbols) - takt_link_base)) {
        KEEP(*(.symbols))
        . = ALIGN(4096);
        takt_rodata_end = .;
    } :rodata

    .data : AT(takt_load + (ADDR(.data) - takt_link_base)) {
        takt_data_start = .;
        OBJECTS
        . = ALIGN(64);
        takt_objects_end = .;
        /* The kernel's words lie in no line that the application writes. */
        *kernel.o(.data .data.*)
        . = ALIGN(64);
        *(.data .data.*)
        . = ALIGN(64);
        __global_pointer$ = . + 0x800;
        *kernel.o(.sdata .sdata.*)
        . = ALIGN(64);
        *(.sdata .sdata.*)
        . = ALIGN(4096);
    } :data

    /* Zeroed by the boot: a page-aligned part for each core, then what they share. */
    .bss : AT(takt_load + (ADDR(.bss) - takt_link_base)) {
        takt_bss_start = .;
";

const SHARED_BSS: &str =
    "        /* Shared. After the cores, whose sections this pattern would take too. */
        . = ALIGN(4096);
        takt_shared_start = .;
        *kernel.o(.sbss .sbss.* .bss .bss.* COMMON)
        . = ALIGN(64);
        *(.sbss .sbss.* .bss .bss.* COMMON)
";

/// The section of a core's own pages: the core's block, its tasks' control blocks, each followed by
/// its thread-local storage, and its timers, queues and console ring.
fn core_section(system: &System, assignments: &[Assignment], core: u32) -> String {
    let mut text = format!(
        "        /* Core {core} */\n        . = ALIGN({PAGE});\n        takt_core{core}_start = .;\n        \
         *(.bss.core{core}.block)\n"
    );
    let contexts = CONTEXTS.iter().map(|context| (*context).to_string());
    let tasks = tasks_of(system, assignments, core)
        .map(|(index, _)| format!("task_{}", system.tasks[index].name));
    for name in contexts.chain(tasks) {
        text += &format!(
            "        . = ALIGN(64);\n        *(.bss.core{core}.control.{name})\n        . += takt_tls_extent;\n"
        );
    }
    // Others reach into what stands before the symbol: the blocks, and the queues of activations. The console's core reads the
    // ring, which has lines of its own.
    text += &format!(
        "        *(.bss.core{core}.control.*) *(.bss.core{core}.queues)\n        takt_core{core}_reached = .;\n        \
         *(.bss.core{core}.timers)\n        . = ALIGN(64);\n        *(.bss.core{core}.console)\n"
    );
    if regions::possible(system).is_some() {
        text += &format!("        . = ALIGN({PAGE});\n        takt_core{core}_end = .;\n");
    }
    text
}
