// SPDX-License-Identifier: Apache-2.0
//! Writes `takt_regions`: the pieces of the address space, and for each of them where its physical
//! pages are: contiguous, or at home at a core.

use takt_model::{Assignment, DeviceRegion, Homing, PageHomes, System};

use crate::{LINK_BASE, PAGE, Stack, pages, stacks};

/// The homes of the cores' own memory, if the description asks for page homing.
pub fn homes(system: &System) -> Option<PageHomes> {
    possible(system).filter(|_| system.kernel.homing == Homing::Page)
}

/// The homes that the memory could have. If the board has such homes, the cores' parts are regions
/// of their own even without homing, so images with and without homing have the same addresses and
/// a comparison measures nothing else.
pub fn possible(system: &System) -> Option<PageHomes> {
    system.board.page_homes(system.cores)
}

pub fn source(system: &System, assignments: &[Assignment]) -> String {
    let (possible, homes) = (possible(system), homes(system));
    let mut text = String::from(
        "/* The address space: the image, then the stacks, without what lies between. */\n\
         extern uint8_t takt_rodata_start[], takt_rodata_end[], takt_data_start[], takt_bss_end[];\n",
    );
    if possible.is_some() {
        text += &(0..system.cores)
            .map(|core| format!("extern uint8_t takt_core{core}_start[], takt_core{core}_end[];\n"))
            .collect::<String>();
    }
    for region in &system.device_regions {
        text += &format!("extern uint8_t takt_region_{}[];\n", region.name);
    }
    text += "const struct takt_region takt_regions[] = {\n";
    text += &region("takt_text_start", "takt_text_end", "takt_text_start", "READ | TAKT_EXECUTE");
    text += &region("takt_rodata_start", "takt_rodata_end", "takt_rodata_start", "READ");
    text += &match &possible {
        None => data("takt_data_start", "takt_bss_end"),
        Some(_) => data_by_core(system.cores, homes.as_ref()),
    };
    let mut offset = 0;
    for stack in stacks(system, assignments) {
        text += &stack_region(&stack, homes.as_ref(), offset);
        offset += stack.size;
    }
    for region in &system.device_regions {
        text += &device_region(region, system.board.load);
    }
    text += "};\nconst uint32_t takt_region_count = sizeof takt_regions / sizeof *takt_regions;\n";
    text + &homing(possible.as_ref())
}

/// The first page of a device region, and the bytes of all its pages.
pub fn device_pages(region: &DeviceRegion) -> (u64, u64) {
    let base = region.base / PAGE * PAGE;
    (base, pages(region.base - base + region.size.0))
}

/// A device region. The kernel computes a physical address from a linked one by the distance between
/// them of the image, which is loaded where the board says; so the region is entered at that distance.
fn device_region(region: &DeviceRegion, load: u64) -> String {
    let (base, size) = device_pages(region);
    let (start, linear) = (
        format!("(uintptr_t)takt_region_{}", region.name),
        LINK_BASE.wrapping_add(base).wrapping_sub(load),
    );
    format!("    {{{start}, {start} + {size:#x}, {linear:#x},\n     TAKT_READ | TAKT_WRITE, 0}},\n")
}

fn region(start: &str, end: &str, linear: &str, permissions: &str) -> String {
    format!(
        "    {{(uintptr_t){start}, (uintptr_t){end}, (uintptr_t){linear},\n     TAKT_{permissions}, 0}},\n"
    )
}

fn data(start: &str, end: &str) -> String {
    region(start, end, start, "READ | TAKT_WRITE")
}

fn homed(start: &str, end: &str, home: u64) -> String {
    format!("    {{(uintptr_t){start}, (uintptr_t){end}, 0, TAKT_READ | TAKT_WRITE, {home}}},\n")
}

/// The regions of the data: initialised data, the cores' own parts of `.bss`, and shared data.
fn data_by_core(cores: u32, homes: Option<&PageHomes>) -> String {
    let mut text = data("takt_data_start", "takt_core0_start");
    for core in 0..cores {
        let (start, end) = (format!("takt_core{core}_start"), format!("takt_core{core}_end"));
        text += &match homes {
            None => data(&start, &end),
            Some(homes) => homed(&start, &end, homes.places[core as usize] + 1),
        };
    }
    text + &data(&format!("takt_core{}_end", cores - 1), "takt_bss_end")
}

/// The region of a stack. `offset` is the offset of its pages behind the image if it has no home.
fn stack_region(stack: &Stack, homes: Option<&PageHomes>, offset: u64) -> String {
    let (limit, top) =
        (format!("takt_stack_{}_limit", stack.name), format!("takt_stack_{}_top", stack.name));
    match homes {
        None => region(&limit, &top, &format!("takt_image_end + {offset}"), "READ | TAKT_WRITE"),
        Some(homes) => homed(&limit, &top, homes.places[stack.core as usize] + 1),
    }
}

fn homing(homes: Option<&PageHomes>) -> String {
    let (from, pages, turn) =
        homes.map_or((0, 1, 0), |homes| (homes.from, homes.block / PAGE, homes.turn));
    let places = turn.max(1);
    format!(
        "const struct takt_homing takt_homing = {{\n    \
         .from = {from:#x}, .block_pages = {pages}, .turn = {turn}}};\n\
         uint32_t takt_homed_pages[{places}];\n"
    )
}
