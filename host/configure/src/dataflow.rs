// SPDX-License-Identifier: Apache-2.0
//! Writes what the library `dataflow` knows of a graph: the structures of its entries
//! (`takt/dataflow_system.h`), each core's pool of objects (`dataflow.c`, compiled once for each
//! image), and the linker script of the workers' images, which are parts of the system's image
//! where the cores share their memory.

use takt_model::{
    Dataflow, Object, Phase, Runtime, System, Transfer, WordCopy,
    dataflow::{NO_WORK, SHARED_SPACE},
};

use crate::banner;

/// The entries in the order of the file, each with its ports: name, and whether it is an output.
fn entries(dataflow: &Dataflow) -> Vec<(&str, Vec<(&str, bool)>)> {
    let mut entries: Vec<(&str, Vec<(&str, bool)>)> = Vec::new();
    for object in of_application(dataflow) {
        let at = entries.iter().position(|(entry, _)| *entry == object.entry);
        let at = at.unwrap_or_else(|| {
            entries.push((&object.entry, Vec::new()));
            entries.len() - 1
        });
        for port in &object.ports {
            if !entries[at].1.iter().any(|(name, _)| *name == port.name) {
                entries[at].1.push((&port.name, port.is_output));
            }
        }
    }
    entries
}

/// The objects of the description.
fn of_application(dataflow: &Dataflow) -> impl Iterator<Item = &Object> {
    dataflow.objects.iter().filter(|object| object.entry != NO_WORK)
}

/// The names of the application's functions that the library calls.
pub fn functions(dataflow: &Dataflow) -> impl Iterator<Item = &str> {
    let entries = of_application(dataflow).map(|object| object.entry.as_str());
    entries.chain(dataflow.sequential.as_deref()).chain(dataflow.check.as_deref())
}

pub fn header(system: &System, dataflow: &Dataflow) -> String {
    let mut text = banner(system, "The entries of the objects");
    text += "#ifndef INCLUDE_TAKT_DATAFLOW_SYSTEM_H\n#define INCLUDE_TAKT_DATAFLOW_SYSTEM_H\n\n#include <stdint.h>\n";
    if dataflow.shares_memory {
        text += "\n#define DATAFLOW_SHARED 1 /* all cores have one memory */\n";
    }
    for (entry, ports) in entries(dataflow) {
        text += &format!(
            "\nstruct dataflow_{entry} {{\n    uint32_t argument, index; /* index: in the family */\n"
        );
        for (port, is_output) in ports {
            text += match is_output {
                true => "    void *",
                false => "    const void *",
            };
            text += &format!("{port};\n");
        }
        text += &format!("}};\nvoid {entry}(const struct dataflow_{entry} *ports);\n");
    }
    text += "\n";
    let sequential = dataflow.sequential.iter().map(|it| format!("void {it}(void);\n"));
    let check = dataflow.check.iter().map(|it| format!("uint32_t {it}(void);\n"));
    text.extend(sequential.chain(check));
    if dataflow.iterations > 1 {
        text += &format!("\n#define DATAFLOW_ITERATIONS {}u\n", dataflow.iterations);
        if let Some(until) = dataflow.until {
            let core = dataflow.objects[until].core;
            let image = dataflow.images().iter().position(|image| image.contains(&core));
            text += &format!(
                "#define DATAFLOW_UNTIL {until}\n#define DATAFLOW_UNTIL_CORE {core}\n#define DATAFLOW_UNTIL_IMAGE {}\n",
                image.map_or(0, |image| image + 1)
            );
        }
    }
    if dataflow.runtime == Runtime::Rtos1 {
        let [control, worker] = dataflow.messages;
        text += &format!(
            "#define DATAFLOW_MESSAGES_CONTROL {control:#x}u\n#define DATAFLOW_MESSAGES_WORKER {worker:#x}u\n\
             #define DATAFLOW_CORES {:#x}u\n",
            cores(dataflow)
        );
    }
    text + "\n#endif\n"
}

/// Whether any edge leads through a word register.
fn has_words(dataflow: &Dataflow) -> bool {
    dataflow.objects.iter().any(|object| !object.words_out.is_empty())
}

/// The cores that execute objects, and the control core, as bits.
fn cores(dataflow: &Dataflow) -> u64 {
    let workers = dataflow.images().concat().into_iter();
    workers.fold(1 << dataflow.control, |cores, core| cores | 1 << core)
}

/// The pools of all images: image 0 is the system's, the others are the workers'.
pub fn source(system: &System, dataflow: &Dataflow) -> String {
    let mut text = banner(system, "The graph");
    text += "#include \"scheduler.h\"\n\n#include <takt/dataflow_system.h>\n\n";
    if !dataflow.shares_memory {
        text += "#define AT(offset) (takt_device_dataflow_scratchpad + (offset))\n";
    }
    text += "#define ENTRY(function) (void (*)(const void *))(function)\n";
    if has_words(dataflow) {
        text += match dataflow.shares_memory {
            true => "#define WORD(core, number) ((void *)&dataflow_shared[core].words[number])\n",
            false => {
                "#define WORD(core, number) (takt_device_dataflow_words + 8 * (WORDS * (core) + (number)))\n"
            }
        };
    }
    text += "\n";
    let images = dataflow.images();
    text += "#if DATAFLOW_IMAGE == 0\n";
    text += &pools(dataflow, &[dataflow.control]);
    text += &scheduler_tables(system, dataflow, &images);
    for (number, cores) in images.iter().enumerate() {
        text += &format!("#elif DATAFLOW_IMAGE == {}\n", number + 1);
        text += &pools(dataflow, cores);
    }
    text + "#endif\n"
}

fn pools(dataflow: &Dataflow, cores: &[u32]) -> String {
    let (mut text, mut pools) = (String::new(), String::new());
    if let (true, [core]) = (dataflow.shares_memory, cores) {
        text += &format!(
            "#define AT(offset) (dataflow_memory_{core} + ((offset) - {:#x}))\nextern uint8_t dataflow_memory_{core}[];\n",
            dataflow.lowest_buffer[*core as usize]
        );
    }
    for &core in cores {
        for (index, object) in dataflow.pool(core).filter(|(_, it)| it.entry != NO_WORK) {
            text += &object_tables(index, object);
        }
        let last = if dataflow.iterations > 1 { Phase::Body } else { Phase::After };
        let first = dataflow.phases(core, Phase::Before..=last);
        let (body, after) = match dataflow.iterations {
            1 => (Vec::new(), Vec::new()),
            _ => (
                dataflow.phases(core, Phase::Body..=Phase::Body),
                dataflow.phases(core, Phase::Surplus..=Phase::After),
            ),
        };
        let counts = [&first, &body, &after].map(Vec::len);
        let rows = [(first, 0), (body, 1), (after, 0)].into_iter();
        let rows =
            rows.flat_map(|(list, iteration)| list.into_iter().map(move |it| (it, iteration)));
        let mut firings: String =
            rows.map(|(index, iteration)| firing(dataflow, index, iteration)).collect();
        if firings.is_empty() {
            firings += "    {0},\n"; // C has no empty array
        }
        text += &format!("static const struct firing firings_{core}[] = {{\n{firings}}};\n");
        let [first, body, after] = counts;
        pools += &format!("    {{{core}, {first}, {body}, {after}, firings_{core}}},\n");
    }
    text + &format!("const struct pool dataflow_pools[] = {{\n{pools}}};\n")
}

/// The ports of an object, and its transfers.
fn object_tables(index: usize, object: &Object) -> String {
    let mut text = format!(
        "/* {} */\nstatic const struct dataflow_{} ports_{index} = {{\n    .argument = {}u, .index = {},\n",
        object.name, object.entry, object.argument, object.index
    );
    for port in &object.ports {
        text += &format!("    .{} = AT({:#x}),\n", port.name, port.offset);
    }
    text += "};\n";
    for (name, transfers) in [("gathers", &object.gathers), ("transfers", &object.transfers)] {
        if !transfers.is_empty() {
            let rows: String = transfers.iter().map(transfer).collect();
            text += &format!("static const struct transfer {name}_{index}[] = {{\n{rows}}};\n");
        }
    }
    for (name, words) in [("words_in", &object.words_in), ("words_out", &object.words_out)] {
        if !words.is_empty() {
            let rows: String = words.iter().map(word).collect();
            text += &format!("static const struct word {name}_{index}[] = {{\n{rows}}};\n");
        }
    }
    text
}

fn transfer(transfer: &Transfer) -> String {
    let Transfer { edge, source, destination, length, cores } = transfer;
    let cores: u64 = cores.iter().map(|core| 1 << core).sum();
    format!("    {{{source:#x}, {destination:#x}, {length}, {cores:#x}, {edge}}},\n")
}

fn word(word: &WordCopy) -> String {
    let WordCopy { core, register, offset, bytes, .. } = word;
    format!("    {{AT({offset:#x}), WORD({core}, {register}), {bytes}}},\n")
}

fn firing(dataflow: &Dataflow, index: usize, iteration: u32) -> String {
    let object = &dataflow.objects[index];
    let (receives, mask_in) = object.inputs(iteration);
    let (needs, messages) = (object.fields(receives), object.fields(&object.sends));
    // In each field, the unanswered messages that may be under way before.
    let limits: Vec<_> =
        object.room.iter().map(|&(core, unanswered)| (core, 3 - unanswered)).collect();
    let room = 0xffff - object.fields(&limits);
    let list = |name: &str, count: usize| match count {
        0 => "0, 0".to_string(),
        count => format!("{count}, {name}_{index}"),
    };
    let words = match has_words(dataflow) {
        true => format!(
            ",\n     {}, {}",
            list("words_in", object.words_in.len()),
            list("words_out", object.words_out.len())
        ),
        false => String::new(),
    };
    let ports = match object.entry == NO_WORK {
        true => "0".to_string(),
        false => format!("&ports_{index}"),
    };
    let (flow, partners) = match dataflow.runtime {
        Runtime::Iota => (format!("flow_t{}", object.kind), String::new()),
        Runtime::Rtos1 => {
            let mask = |counts: &[(u32, u32)]| counts.iter().fold(0, |cores, it| cores | 1 << it.0);
            let (producers, consumers) = (mask(receives), mask(&object.sends));
            ("flow_rtos1".to_string(), format!(",\n     {producers:#x}, {consumers:#x}"))
        }
    };
    format!(
        "    {{{flow}, ENTRY({}), {ports}, {mask_in:#x}u, {:#x}u, {needs:#x}, {messages:#x}, {room:#x}, {index},\n     \
         {}, {}{words}{partners}}},\n",
        object.entry,
        object.mask_out,
        list("gathers", object.gathers.len()),
        list("transfers", object.transfers.len())
    )
}

/// What the scheduler knows of all cores: the objects' names and times, the edges' names, the
/// images.
fn scheduler_tables(system: &System, dataflow: &Dataflow, images: &[Vec<u32>]) -> String {
    let mut text = String::from("const struct object dataflow_objects[] = {\n");
    for object in &dataflow.objects {
        let (name, core, wcet) = (&object.name, object.core, object.wcet);
        let limit = limit(dataflow, object);
        text += &format!("    {{\"{name} on core {core}\", \"{wcet}\", {limit}}},\n");
    }
    text += "};\nconst char *const dataflow_edges[] = {\n";
    for edge in &dataflow.edges {
        text += &format!("    \"from {} to {}\",\n", edge.from, edge.to);
    }
    text += "};\n";
    let name = |function: &Option<String>| function.clone().unwrap_or("0".into());
    let cores = cores(dataflow);
    let longest = dataflow.objects.iter().map(|it| limit(dataflow, it)).max().unwrap_or(0);
    let (tables, places) = match dataflow.shares_memory {
        true => (memories(dataflow), String::new()),
        false => worker_images(system, dataflow, images),
    };
    text + &format!(
        "{tables}const uint32_t dataflow_cores = {cores:#x};\n\
         const int64_t dataflow_longest_wcet = {longest};\n{places}\
         void (*const dataflow_sequential)(void) = {};\n\
         uint32_t (*const dataflow_check)(void) = {};\n",
        name(&dataflow.sequential),
        name(&dataflow.check)
    )
}

/// In shared memory an execution hangs when it takes as many times its `wcet`, and looks of the handler, as there can be
/// harts that divide QEMU's clock. The observer of the board compares each execution with its `wcet`.
const HANGS: u64 = 16;

/// The nanoseconds after which the handler that watches ends the run.
fn limit(dataflow: &Dataflow, object: &Object) -> u64 {
    match dataflow.shares_memory {
        true => object.wcet.0.saturating_add(dataflow.watch.0).saturating_mul(HANGS),
        false => object.wcet.0,
    }
}

/// The images of workers, which are data of the system's image, and where they are loaded.
fn worker_images(system: &System, dataflow: &Dataflow, images: &[Vec<u32>]) -> (String, String) {
    let (mut text, mut rows) = (String::new(), String::new());
    for (number, cores) in (1..).zip(images) {
        let mask = cores.iter().fold(0u64, |mask, core| mask | 1 << core);
        text += &format!(
            "extern const uint8_t dataflow_image_{number}[], dataflow_image_{number}_end[];\n"
        );
        rows +=
            &format!("    {{dataflow_image_{number}, dataflow_image_{number}_end, {mask:#x}}},\n");
    }
    rows += "    {0, 0, 0},\n";
    let lowest = dataflow.lowest_buffer[dataflow.control as usize];
    let pad = system.device_regions.iter().find(|it| it.name == "dataflow_scratchpad");
    let pad = pad.map_or(0, |it| it.base);
    let places = format!(
        "const uint64_t dataflow_scratchpad = {pad:#x}, dataflow_image_offset = {:#x}, dataflow_lowest_buffer = {lowest:#x};\n",
        dataflow.stack.0
    );
    (text + &format!("const struct image dataflow_images[] = {{\n{rows}}};\n"), places)
}

/// The buffers of each core, in the memory that all share, and the offset of the first one.
fn memories(dataflow: &Dataflow) -> String {
    let (mut text, mut rows) = (String::new(), String::new());
    for core in [dataflow.control].into_iter().chain(dataflow.busy_workers()) {
        let lowest = dataflow.lowest_buffer[core as usize];
        let bytes = (SHARED_SPACE - lowest).max(1);
        text += &format!("uint8_t dataflow_memory_{core}[{bytes}] SHARED_LINE;\n");
        rows += &format!("    [{core}] = {{dataflow_memory_{core}, {lowest:#x}}},\n");
    }
    text + &format!("const struct memory dataflow_memories[CORES_MAX] = {{\n{rows}}};\n")
}

/// What the linker says of a worker's image that is too large.
pub const WORKER_TOO_LARGE: &str = "the image of a worker does not fit below its buffers";

/// The linker script of the workers' images: the stack at the bottom of the scratchpad, so that
/// what overflows it finds no address, then the image, then the buffers.
pub fn worker_script(system: &System, dataflow: &Dataflow) -> String {
    let mut text = format!(
        "/* The scratchpad of a worker of {}, made from its description; changes are lost. */\n\
         OUTPUT_ARCH(riscv)\nENTRY(dataflow_start)\n\n",
        system.name
    );
    for region in system.device_regions.iter().filter(|it| it.name.starts_with("dataflow_")) {
        text += &format!("takt_device_{} = {:#x};\n", region.name, region.base);
    }
    let lowest = dataflow.workers.iter().map(|core| dataflow.lowest_buffer[*core as usize]);
    let lowest = lowest.min().unwrap_or_default();
    let stack = dataflow.stack.0;
    text + &format!(
        "\nSECTIONS\n{{\n    . = takt_device_dataflow_scratchpad + {stack:#x};\n    dataflow_stack_top = .;\n{WORKER}    \
         ASSERT(. <= takt_device_dataflow_scratchpad + {lowest:#x},\n        \
         \"{WORKER_TOO_LARGE}\")\n\n    \
         /DISCARD/ : {{ *(.comment) *(.eh_frame*) *(.riscv.attributes) *(.note.*) }}\n}}\n"
    )
}

const WORKER: &str = "    .text : { KEEP(*(.text.dataflow_start)) *(.text .text.*) }
    .rodata : { *(.rodata .rodata.* .srodata .srodata.*) . = ALIGN(8); }
    .data : { *(.data .data.*) __global_pointer$ = . + 0x800; *(.sdata .sdata.*) . = ALIGN(64); }
    .tdata : { dataflow_tls = .; *(.tdata .tdata.*) }
    .tbss (NOLOAD) : { *(.tbss .tbss.* .tcommon) }
    /* The thread's variables have their place where they are loaded. */
    . = dataflow_tls + ALIGN(SIZEOF(.tdata) + SIZEOF(.tbss) + 64, 64);
    .bss (NOLOAD) : {
        dataflow_bss = .;
        *(.sbss .sbss.* .bss .bss.* COMMON .dataflow_local)
        . = ALIGN(8);
        dataflow_bss_end = .;
    }
";

/// The statements of `image.ld` for variables of the application in the control core's scratchpad.
pub fn local_section(dataflow: &Dataflow) -> String {
    let lowest = dataflow.lowest_buffer[dataflow.control as usize];
    format!(
        "\n    /* Variables in the control core's scratchpad. */\n    \
         .dataflow_local takt_device_dataflow_scratchpad (NOLOAD) : {{\n        \
         *(.dataflow_local)\n        . = ALIGN(64);\n        dataflow_local_end = .;\n    }} :NONE\n    \
         ASSERT(dataflow_local_end <= takt_device_dataflow_scratchpad + {lowest:#x},\n        \
         \"the variables in the control core's scratchpad leave no room for its buffers\")\n"
    )
}

/// What CMake needs to know.
pub fn cmake(dataflow: &Dataflow) -> String {
    let words = u8::from(has_words(dataflow));
    let workers: String = match dataflow.shares_memory {
        true => dataflow.busy_workers().map(|core| format!(" {core}")).collect(),
        false => String::new(),
    };
    let rtos1 = u8::from(dataflow.runtime == Runtime::Rtos1);
    format!(
        "set(TAKT_DATAFLOW_IMAGES {})\nset(TAKT_DATAFLOW_WORDS {words})\nset(TAKT_DATAFLOW_RTOS1 {rtos1})\n\
         set(TAKT_DATAFLOW_SHARED {})\nset(TAKT_DATAFLOW_WORKERS{workers})\n",
        dataflow.images().len(),
        u8::from(dataflow.shares_memory)
    )
}
