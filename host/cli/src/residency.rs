// SPDX-License-Identifier: Apache-2.0
//! Which pages of an image a core may touch after time 0, and whether its second-level cache has a place for each of their
//! lines. See docs/design/residency.md.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

use object::{Object, ObjectSymbol};
use takt_analysis::{RemoteActivation, Residency};
use takt_board::memory::tags::{State, Tags};
use takt_board::memory::{LINE, address};
use takt_configure::LINK_BASE;
use takt_configure::owners::owners;
use takt_configure::residency::{self, Piece};
use takt_model::timing::{Atomics, Cache};
use takt_model::{Activation, Assignment, Class, Protocol, System, Timing, WaitsServed};

use crate::calls::{Call, Code};
use crate::image::{Image, parse_elf};

const PAGE: u64 = 4096;

/// Tables beside those of the image's last level: the root and the one below it, and those of devices.
const OTHER_TABLES: u64 = 5;

/// What a core may touch, by the cache that has to hold it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint {
    pub pages: u64,
    /// The pages that the cache has places for, if they are evenly distributed.
    pub capacity: u64,
    /// The most lines of pages of one colour that meet in a set.
    pub fullest: u64,
    pub ways: u64,
}

impl Footprint {
    /// Returns whether no line has to leave the cache for another one.
    pub fn is_resident(&self) -> bool {
        self.fullest <= self.ways
    }
}

/// Returns the footprint of a core, or why it is not known.
pub fn footprint(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> Result<Footprint, &'static str> {
    let cache = residency::cache_of(system, core)?;
    Ok(count(&cache, &pages(system, assignments, image, core)))
}

/// The physical pages of a core's footprint, as ranges of page numbers.
pub fn pages(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> Vec<Range<u64>> {
    let asks = asks_other_cores(system, assignments, image);
    pages_within(system, assignments, image, core, asks)
}

/// The same, by whether cores ask something of each other.
fn pages_within(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
    asks: bool,
) -> Vec<Range<u64>> {
    let own = residency::pieces(system, assignments, core);
    let mut pages: Vec<_> = own.iter().map(|piece| pages_of(system, image, piece)).collect();
    let tables = at(image, "takt_page_tables");
    pages.push(range(system, tables, tables + used_tables(image) * PAGE));
    let others = (0..system.cores).filter(|other| *other != core);
    pages.extend(others.filter_map(|other| reached(system, image, core, other, asks)));
    merged(pages)
}

/// What a core may touch of another's own part: all where it is the console's core, which looks into the rings; else, where
/// a core may ask something of another, all but the ring and the heap of timers.
fn reached(
    system: &System,
    image: &Image,
    core: u32,
    other: u32,
    asks: bool,
) -> Option<Range<u64>> {
    let start = at(image, &format!("takt_core{other}_start"));
    let end = match (core == system.kernel.console_core, asks) {
        (true, _) => residency::end_of_own_part(system, other),
        (false, true) => format!("takt_core{other}_reached"),
        (false, false) => return None,
    };
    Some(range(system, start, at(image, &end)))
}

/// The services that touch nothing of other cores' own parts, and have no other core do anything. Those that end the system
/// are among them: no bound holds after that.
const ALONE: [&str; 19] = [
    "takt_assert",
    "takt_buffer_read",
    "takt_buffer_write",
    "takt_console_write",
    "takt_context_is_handler",
    "takt_core_self",
    "takt_cpu_lock",
    "takt_cpu_locked",
    "takt_cpu_unlock",
    "takt_dispatch_disable",
    "takt_dispatch_disabled",
    "takt_dispatch_enable",
    "takt_interrupt_registers",
    "takt_panic",
    "takt_system_shutdown",
    "takt_task_exit",
    "takt_task_release_time",
    "takt_task_self",
    "takt_time_now",
];

/// The services that a core may ask of itself, and the class of the object, task or handler that their first argument names.
/// None: they name none, and the caller is meant. They end one wait at most.
const WITHIN_A_CORE: [(&str, Option<Class>); 40] = [
    ("takt_alarm_start", Some(Class::Alarm)),
    ("takt_alarm_start_at", Some(Class::Alarm)),
    ("takt_alarm_stop", Some(Class::Alarm)),
    ("takt_cyclic_start", Some(Class::Cyclic)),
    ("takt_cyclic_stop", Some(Class::Cyclic)),
    ("takt_data_queue_force_send", Some(Class::DataQueue)),
    ("takt_data_queue_receive", Some(Class::DataQueue)),
    ("takt_data_queue_receive_for", Some(Class::DataQueue)),
    ("takt_data_queue_send", Some(Class::DataQueue)),
    ("takt_data_queue_send_for", Some(Class::DataQueue)),
    ("takt_data_queue_try_receive", Some(Class::DataQueue)),
    ("takt_data_queue_try_send", Some(Class::DataQueue)),
    ("takt_flag_clear", Some(Class::Flag)),
    ("takt_flag_set", Some(Class::Flag)),
    ("takt_flag_try", Some(Class::Flag)),
    ("takt_flag_wait", Some(Class::Flag)),
    ("takt_flag_wait_for", Some(Class::Flag)),
    ("takt_memory_pool_get", Some(Class::MemoryPool)),
    ("takt_memory_pool_get_for", Some(Class::MemoryPool)),
    ("takt_memory_pool_release", Some(Class::MemoryPool)),
    ("takt_memory_pool_try_get", Some(Class::MemoryPool)),
    ("takt_mutex_lock", Some(Class::Mutex)),
    ("takt_mutex_lock_for", Some(Class::Mutex)),
    ("takt_mutex_try", Some(Class::Mutex)),
    ("takt_mutex_unlock", Some(Class::Mutex)),
    ("takt_priority_data_queue_receive", Some(Class::PriorityDataQueue)),
    ("takt_priority_data_queue_receive_for", Some(Class::PriorityDataQueue)),
    ("takt_priority_data_queue_send", Some(Class::PriorityDataQueue)),
    ("takt_priority_data_queue_send_for", Some(Class::PriorityDataQueue)),
    ("takt_priority_data_queue_try_receive", Some(Class::PriorityDataQueue)),
    ("takt_priority_data_queue_try_send", Some(Class::PriorityDataQueue)),
    ("takt_semaphore_signal", Some(Class::Semaphore)),
    ("takt_semaphore_try", Some(Class::Semaphore)),
    ("takt_semaphore_wait", Some(Class::Semaphore)),
    ("takt_semaphore_wait_for", Some(Class::Semaphore)),
    ("takt_task_activate", Some(Class::Task)),
    ("takt_task_delay", None),
    ("takt_task_sleep", None),
    ("takt_task_sleep_for", None),
    ("takt_task_wakeup", Some(Class::Task)),
];

/// Symbols of the linker script that count as functions, as they stand in the text.
const MARKERS: [&str; 3] = ["takt_image_start", "takt_text_start", "takt_text_end"];

/// Whether a core may ask something of another, or touch what is another's: whether the image has a service by which it could,
/// or tasks may change their core.
pub fn asks_other_cores(system: &System, assignments: &[Assignment], image: &Image) -> bool {
    requests(system, assignments, image).map_or(true, |it| !it.activations.is_empty())
}

/// A service of the image by which a core could ask something of another, or touch what is another's.
fn asked(image: &Image) -> Option<&str> {
    services(image).find(|name| !ALONE.contains(name))
}

/// The services of the image.
fn services(image: &Image) -> impl Iterator<Item = &str> {
    let names = image.functions.iter().map(|function| &function.name[..]);
    names.filter(|name| name.starts_with("takt_") && !MARKERS.contains(name))
}

/// What the application asks by services.
#[derive(Default)]
struct Requests {
    /// The cores that ask something of themselves or of others.
    cores: BTreeSet<u32>,
    /// Whether a core asks something of itself.
    within: bool,
    activations: Vec<RemoteActivation>,
}

/// What cores ask of themselves, and what of others. The error says by what a core may ask something else of another.
fn requests(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
) -> Result<Requests, String> {
    if system.kernel.idle_pull.is_some() || system.tasks.iter().any(|task| !task.cores.is_empty()) {
        return Err("tasks may change their core".into());
    }
    let mut found = Requests::default();
    if asked(image).is_none() {
        return Ok(found);
    }
    let code = Code::read(image)?;
    for called in called_by_kernel(system, assignments) {
        let calls = code.calls(called.function, called.argument);
        let calls = calls.map_err(|why| stranger(image).map_or(why, by_another))?;
        for call in calls.iter().filter(|call| !ALONE.contains(&&call.service[..])) {
            let core = called.core.ok_or_else(|| format!("a hook calls {}", call.service))?;
            found.cores.insert(core);
            match to_another(system, assignments, core, call) {
                None => {
                    within(system, assignments, core, call)?;
                    found.within = true;
                }
                Some(task) => {
                    let activation = activation(system, &called, call, task)?;
                    found.activations.push(activation);
                }
            }
        }
    }
    Ok(found)
}

/// The task of another core that this call activates.
fn to_another(
    system: &System,
    assignments: &[Assignment],
    core: u32,
    call: &Call,
) -> Option<usize> {
    let task = usize::try_from(call.id? - 1).ok()?;
    let is_other = call.service == "takt_task_activate"
        && task < system.tasks.len()
        && assignments[task].core != core;
    is_other.then_some(task)
}

/// The activation of another core's task, if it is known how often it is called and what it costs.
fn activation(
    system: &System,
    called: &Called,
    call: &Call,
    task: usize,
) -> Result<RemoteActivation, String> {
    let Call { service, caller, times, .. } = call;
    let asked = &system.tasks[task];
    let calls = format!("{caller} calls {service} for task {} of another core", asked.name);
    let caller = called.task.ok_or_else(|| format!("{calls}, and is a handler"))?;
    if system.tasks[caller].activation == Activation::Aperiodic {
        let name = &system.tasks[caller].name;
        return Err(format!("{calls}, and nothing limits how often task {name} runs"));
    }
    let times = times.ok_or_else(|| format!("{calls} in a loop, which nothing limits"))?;
    let spins = |mutex: usize| system.mutexes[mutex].protocol == Protocol::Msrp;
    let waits = !asked.uses.is_empty() || asked.mutexes.iter().any(|one| !spins(one.mutex));
    if asked.may_suspend() || waits {
        return Err(format!("{calls}, which may wait in the middle of a job"));
    }
    Ok(RemoteActivation { caller, task, times })
}

/// A service of the image that is never known to stay within a core.
fn stranger(image: &Image) -> Option<&str> {
    let within = |name: &str| WITHIN_A_CORE.iter().any(|(service, _)| *service == name);
    services(image).find(|name| !ALONE.contains(name) && !within(name))
}

fn by_another(service: &str) -> String {
    format!("the application calls {service}, by which a core may ask something of another")
}

/// A function of the application that the kernel calls.
struct Called<'a> {
    /// The core where it is called. None: a hook.
    core: Option<u32>,
    /// The task whose entry it is.
    task: Option<usize>,
    function: &'a str,
    argument: Option<i64>,
}

/// The functions of the application that the kernel calls.
fn called_by_kernel<'a>(
    system: &'a System,
    assignments: &'a [Assignment],
) -> impl Iterator<Item = Called<'a>> {
    let tasks = system.tasks.iter().zip(assignments);
    let entries = tasks.clone().enumerate().map(|(index, (it, place))| Called {
        core: Some(place.core),
        task: Some(index),
        function: &it.entry,
        argument: Some(it.argument),
    });
    let handlers = tasks.flat_map(|(it, place)| {
        let overrun = it.budget.as_ref().and_then(|budget| budget.handler.as_ref());
        let handlers = it.deadline_handler.iter().chain(overrun);
        handlers.map(|handler| (place.core, &handler.function, None))
    });
    let cyclics = system.cyclics.iter().map(|it| (it.core, &it.function, Some(it.argument)));
    let alarms = system.alarms.iter().map(|it| (it.core, &it.function, Some(it.argument)));
    let routines = system.interrupts.iter().map(|it| (it.core, &it.entry, Some(it.argument)));
    let others = handlers.chain(cyclics).chain(alarms).chain(routines);
    let others = others.map(|(core, function, argument)| (Some(core), function, argument));
    let hooks = system.kernel.start_hook.iter().map(|hook| (None, hook, None));
    entries.chain(others.chain(hooks).map(|(core, function, argument)| Called {
        core,
        task: None,
        function,
        argument,
    }))
}

/// An error unless the call stays within the core that makes it.
fn within(
    system: &System,
    assignments: &[Assignment],
    core: u32,
    call: &Call,
) -> Result<(), String> {
    let Call { service, id, caller, .. } = call;
    let known = WITHIN_A_CORE.iter().find(|(name, _)| name == service);
    let Some((_, class)) = known else {
        return Err(by_another(service));
    };
    let Some(class) = *class else { return Ok(()) };
    let noun = class.noun();
    let index = id.and_then(|id| usize::try_from(id - 1).ok());
    let names = class.names(system);
    let Some((index, name)) = index.and_then(|index| Some((index, names.get(index)?))) else {
        return Err(format!(
            "{caller} calls {service}, and the image does not tell for which {noun}: its ID is no constant there"
        ));
    };
    if class.waits_served(system) != WaitsServed::AtMostOne {
        return Err(format!("{caller} calls {service}, and a {noun} may end many waits at once"));
    }
    let owner = match class {
        Class::Task => Some(assignments[index].core),
        Class::Cyclic => Some(system.cyclics[index].core),
        Class::Alarm => Some(system.alarms[index].core),
        _ => owners(system, assignments, class).map(|cores| cores[index]),
    };
    match owner {
        Some(owner) if owner == core => Ok(()),
        Some(owner) => Err(format!(
            "{caller} on core {core} calls {service} for {noun} {name}, which belongs to core {owner}"
        )),
        None if class == Class::Mutex => {
            Err(format!("{caller} calls {service}, and users of a mutex are on several cores"))
        }
        None => {
            Err(format!("{caller} calls {service}, and a {noun} names no core (`core = {core}`)"))
        }
    }
}

/// What the image says of the whole system: that the cache of each core that has bounds, or that asks something of itself, keeps
/// all that the core touches, and that no core asks anything of another but to activate tasks. The error says what is in the way.
pub fn of_system(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
) -> Result<Residency, String> {
    let requests = requests(system, assignments, image)?;
    let asks_others = !requests.activations.is_empty();
    let bounded = system.tasks.iter().zip(assignments);
    let bounded = bounded.filter(|(task, _)| task.activation != Activation::Aperiodic);
    let cores: BTreeSet<_> = bounded.map(|(_, place)| place.core).collect();
    for core in &cores | &requests.cores {
        let found = residency::cache_of(system, core);
        let found = found.map_err(|why| format!("of core {core} it is not known: {why}"))?;
        let pages = pages_within(system, assignments, image, core, asks_others);
        if !count(&found, &pages).is_resident() {
            return Err(format!(
                "the cache of core {core} does not hold all that the core touches (takt size)"
            ));
        }
    }
    let writes_to_console = image.address_of("takt_console_write").is_some();
    let within_caches = stays_within_caches(system, assignments, image, asks_others)?;
    if asks_others && !within_caches {
        return Err("tasks activate tasks of other cores, and the caches do not keep all that *all* cores touch \
                    (takt size)"
            .into());
    }
    let Requests { within, activations, .. } = requests;
    Ok(Residency { writes_to_console, requests: within, within_caches, activations })
}

/// Whether the caches of all cores keep all that these touch, and those of the homes, too, so that no core asks anything of the
/// memory after time 0. An instruction on a cache block would send a line there.
fn stays_within_caches(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    asks_others: bool,
) -> Result<bool, String> {
    let (mut all, mut loaded) = (Vec::new(), Vec::new());
    for core in 0..system.cores {
        let Ok(cache) = residency::cache_of(system, core) else { return Ok(false) };
        loaded.extend(loaded_lines(system, assignments, image, core));
        let pages = pages_within(system, assignments, image, core, asks_others);
        if !count(&cache, &pages).is_resident() {
            return Ok(false);
        }
        all.extend(pages);
    }
    // A prefetch stays within the page of what a core asks for: it brings no line that nobody has loaded before.
    let lines = PAGE / LINE;
    if merged(loaded).iter().any(|range| range.start % lines != 0 || range.end % lines != 0) {
        return Ok(false);
    }
    let keep = system.board.timing.as_ref().is_some_and(|it| homes_keep(it, &merged(all)));
    if !keep {
        return Ok(false);
    }
    let code = Code::read(image)?;
    Ok(!code.may_have_cache_block_instruction() && !may_leave_lines(system, image, &code)?)
}

/// Whether code beside the kernel may make an atomic operation where these are made at the homes: the core drops the line first,
/// and the home's cache need not have it.
fn may_leave_lines(system: &System, image: &Image, code: &Code) -> Result<bool, String> {
    let timing = system.board.timing.as_ref();
    let at_home = |core| timing.is_some_and(|it| it.of_core(core).core.atomics == Atomics::Home);
    if !(0..system.cores).any(at_home) {
        return Ok(false);
    }
    let Ok(bytes) = std::fs::read(image.path.with_file_name("kernel.o")) else { return Ok(true) };
    let own = parse_elf(&bytes)?;
    let own: HashSet<&str> = own.symbols().filter_map(|it| it.name().ok()).collect();
    let bytes = std::fs::read(&image.path).map_err(|error| error.to_string())?;
    let mut addresses: HashMap<String, Vec<u64>> = HashMap::new();
    for symbol in parse_elf(&bytes)?.symbols() {
        if let Some(name) = symbol.name().ok().filter(|it| own.contains(it)) {
            addresses.entry(name.into()).or_default().push(symbol.address());
        }
    }
    // Where two functions have one name, it is not known which is the kernel's.
    let kernel = addresses.values().filter(|it| it.len() == 1).flatten().copied().collect();
    Ok(code.may_have_atomic_beside(&kernel))
}

/// The lines that the boot loads for a core, but for those of text, constants and page tables, of whose pages nobody asks for any
/// after time 0, and those of stacks, which are whole pages.
fn loaded_lines(
    system: &System,
    assignments: &[Assignment],
    image: &Image,
    core: u32,
) -> impl Iterator<Item = Range<u64>> {
    let pieces = residency::pieces(system, assignments, core).into_iter();
    let asked = pieces.filter(|it| it.stack.is_none() && it.start.0 != "takt_text_start");
    asked.map(|piece| {
        let [start, end] = [piece.start, piece.end].map(|(name, offset)| at(image, &name) + offset);
        start / LINE..end.div_ceil(LINE)
    })
}

/// Whether the homes' caches have a place for each line of these pages.
fn homes_keep(timing: &Timing, pages: &[Range<u64>]) -> bool {
    let Some(cache) = &timing.coherence.cache else { return false };
    let nodes = timing.interconnect.shape.nodes();
    let mut caches = vec![Tags::new(cache); nodes as usize];
    let lines =
        pages.iter().flat_map(|range| range.start * (PAGE / LINE)..range.end * (PAGE / LINE));
    let mut displaced = lines.filter(|line| {
        let home = address::home(&timing.coherence.homes, nodes, line * LINE);
        caches[home as usize].insert(*line, State::Shared).is_some()
    });
    displaced.next().is_none()
}

fn at(image: &Image, name: &str) -> u64 {
    image.address_of(name).unwrap_or(0)
}

/// The pages of linked addresses that are no stack's.
fn range(system: &System, start: u64, end: u64) -> Range<u64> {
    let physical = |address: u64| system.board.load + (address - LINK_BASE);
    physical(start) / PAGE..physical(end).div_ceil(PAGE)
}

fn pages_of(system: &System, image: &Image, piece: &Piece) -> Range<u64> {
    let [start, end] = [&piece.start, &piece.end].map(|(name, offset)| at(image, name) + offset);
    match piece.stack {
        None => range(system, start, end),
        // Stacks follow the image; the pages between them take addresses only.
        Some(offset) => {
            let first = at(image, "takt_image_end") + offset;
            range(system, first, first + (end - start))
        }
    }
}

/// The same pages, each once, in ranges as long as possible.
fn merged(mut pages: Vec<Range<u64>>) -> Vec<Range<u64>> {
    pages.sort_by_key(|range| range.start);
    let mut all: Vec<Range<u64>> = Vec::new();
    for range in pages {
        match all.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => all.push(range),
        }
    }
    all
}

/// The tables that the boot takes: one for each 2 MiB of addresses, and the others.
fn used_tables(image: &Image) -> u64 {
    let names = image.objects.iter();
    let tops = names.filter(|(name, _)| name.starts_with("takt_stack_") && name.ends_with("_top"));
    let end = tops.map(|(_, object)| object.address).max().unwrap_or(LINK_BASE);
    (end - LINK_BASE).div_ceil(2 << 20) + OTHER_TABLES
}

fn count(cache: &Cache, pages: &[Range<u64>]) -> Footprint {
    let ways = u64::from(cache.ways);
    let way = cache.size / ways;
    let colours = (way / PAGE).max(1);
    // Where a way is smaller than a page, a page has several lines of each set.
    let lines = PAGE.div_ceil(way).max(1);
    let mut of_colour = vec![0; colours as usize];
    for page in pages.iter().cloned().flatten() {
        of_colour[(page % colours) as usize] += lines;
    }
    Footprint {
        pages: pages.iter().map(|range| range.end - range.start).sum(),
        capacity: colours * ways / lines,
        fullest: of_colour.into_iter().max().unwrap_or(0),
        ways,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::slice;

    use takt_model::timing::Homes;

    use super::*;

    fn cache(size: u64, ways: u32) -> Cache {
        Cache { size, ways, hit: 9, index: Vec::new() }
    }

    /// 256 KiB in 8 ways have 8 colours. 64 pages in a row fill them; 9 pages that are 8 apart meet in one.
    #[test]
    fn pages_of_one_colour_share_the_sets() {
        let l2 = cache(256 << 10, 8);
        let row = |pages: Range<u64>| count(&l2, std::slice::from_ref(&pages));
        let full = row(5..69);
        assert_eq!(full, Footprint { pages: 64, capacity: 64, fullest: 8, ways: 8 });
        assert!(full.is_resident() && !row(5..70).is_resident());
        let apart: Vec<_> = (0..9).map(|page| page * 8..page * 8 + 1).collect();
        assert_eq!(count(&l2, &apart).fullest, 9);
    }

    /// A home's cache of 8 KiB in 2 ways has a place for each line of a page, twice.
    #[test]
    fn a_home_keeps_lines_up_to_its_ways() {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/calibrate/small.toml");
        let mut board = takt_model::Board::read(&file).expect("readable");
        let timing = board.timing.as_mut().expect("a timing");
        timing.coherence.homes = Homes::Page;
        timing.coherence.cache = Some(cache(8 << 10, 2));
        let nodes = u64::from(timing.interconnect.shape.nodes());
        let keeps_first =
            |timing: &Timing, count: u64| homes_keep(timing, slice::from_ref(&(0..count)));
        assert!(keeps_first(timing, 2 * nodes));
        assert!(!keeps_first(timing, 2 * nodes + 1));
        assert!(homes_keep(timing, &[0..1, nodes..nodes + 1, 1..2]));
        timing.coherence.cache = None;
        assert!(!keeps_first(timing, 1));
    }

    /// A way of 2 KiB has each set twice in a page.
    #[test]
    fn a_way_may_be_smaller_than_a_page() {
        let small = cache(16 << 10, 8);
        let pages = 0..4;
        assert_eq!(
            count(&small, std::slice::from_ref(&pages)),
            Footprint { pages: 4, capacity: 4, fullest: 8, ways: 8 }
        );
    }
}
