// SPDX-License-Identifier: Apache-2.0
//! Asserts what the types promise about a description that was read, whatever the file said.

use std::collections::HashSet;

use takt_model::{
    Activation, Board, Bytes, Dataflow, Nanos, System, Task, Timing,
    timing::{Atomics, Cache, Homes},
};

pub fn check_system(system: &System) {
    check_board(&system.board);
    assert!((1..=system.board.cores).contains(&system.cores));
    assert!(!system.tasks.is_empty());
    assert!(!system.sources.is_empty() || !system.partitions.is_empty());
    assert!(system.sources.iter().all(|path| path.is_absolute() && path.is_file()));
    assert!(system.kernel.console_core < system.cores);
    assert!(system.kernel.events == 0 || system.kernel.events.is_power_of_two());
    assert!(system.kernel.console.0.is_power_of_two());
    check_names(system.tasks.iter().map(|task| &task.name));
    check_names(system.semaphores.iter().map(|semaphore| &semaphore.name));
    check_names(system.buffers.iter().map(|buffer| &buffer.name));
    system.tasks.iter().for_each(|task| check_task(system, task));
    for semaphore in &system.semaphores {
        assert!(semaphore.initial <= semaphore.maximum && semaphore.maximum > 0);
    }
    for cyclic in &system.cyclics {
        assert!(cyclic.core < system.cores && cyclic.offset < cyclic.period);
        assert!(cyclic.wcet < cyclic.period);
    }
    assert!(system.alarms.iter().all(|alarm| alarm.core < system.cores));
    for buffer in &system.buffers {
        assert!(buffer.writer < system.tasks.len() && !buffer.readers.is_empty());
        assert!(buffer.readers.iter().all(|reader| *reader < system.tasks.len()));
        assert!((Bytes(1)..=Bytes(1 << 20)).contains(&buffer.size));
    }
    check_channels(system);
    for region in &system.device_regions {
        assert!(region.size > Bytes(0) && region.base.checked_add(region.size.0).is_some());
    }
    system.dataflow.iter().for_each(|graph| check_graph(system, graph));
}

/// Each channel has two queues with room for all places, and its places overlap no other's in an exchange.
fn check_channels(system: &System) {
    let mut taken = Vec::new();
    for channel in &system.channels {
        assert!(channel.receiver < system.tasks.len() && channel.size > Bytes(0));
        let queues = &system.priority_data_queues[channel.first_queue..][..2];
        assert!(queues.iter().all(|queue| queue.capacity == channel.places()));
        assert_eq!([queues[0].priorities, queues[1].priorities], [channel.priorities, 1]);
        let raising =
            system.channels.iter().filter(|it| it.raises && it.receiver == channel.receiver);
        assert!(raising.count() <= 1);
        assert_eq!(channel.offset.is_some(), system.board.exchange().is_some());
        let (Some((pad, window)), Some(offset)) = (system.board.exchange(), channel.offset) else {
            continue;
        };
        let end = offset + channel.stride() * u64::from(channel.places());
        assert!(end - offset / window.stride.0 * window.stride.0 <= pad.size.0);
        taken.push((offset, end));
    }
    taken.sort_unstable();
    assert!(taken.windows(2).all(|two| two[0].1 <= two[1].0));
}

fn check_graph(system: &System, graph: &Dataflow) {
    assert!(graph.task < system.tasks.len() && !graph.objects.is_empty());
    let size = |core: u32| {
        let pads = &system.board.scratchpads;
        let own = pads.iter().find(|pad| pad.cores.contains(&core)).map_or(0, |pad| pad.size.0);
        if graph.shares_memory { takt_model::dataflow::SHARED_SPACE } else { own }
    };
    assert!(!graph.shares_memory || graph.workers.iter().all(|core| *core < system.cores));
    for object in &graph.objects {
        assert!(object.core == graph.control || graph.workers.contains(&object.core));
        assert!(object.kind < 10 && object.wcet > Nanos(0));
        assert_eq!(object.ports.is_empty(), object.entry == takt_model::dataflow::NO_WORK);
        assert!(object.ports.iter().all(|it| it.offset + it.size.0 <= size(object.core)));
        let lowest = graph.lowest_buffer[object.core as usize];
        assert!(object.ports.iter().all(|port| port.offset >= lowest));
        for transfer in object.gathers.iter().chain(&object.transfers) {
            assert!(transfer.edge < graph.edges.len() && !transfer.cores.is_empty());
            assert!(transfer.cores.iter().all(|core| *core != object.core));
        }
        let mut counts = object.receives.iter().chain(&object.sends);
        assert!(counts.all(|(core, count)| *core != object.core && (1..=3).contains(count)));
    }
    let links = graph.edges.iter().flat_map(|edge| &edge.links);
    assert!(links.into_iter().all(|it| it.0.max(it.1) < graph.objects.len()));
}

fn check_task(system: &System, task: &Task) {
    let longest = match task.activation {
        Activation::Periodic { period, offset } => {
            assert!(offset < period);
            period
        }
        Activation::Sporadic { separation } => separation,
        Activation::Aperiodic => Nanos::MAX,
    };
    let timed = task.activation != Activation::Aperiodic;
    assert!(longest > Nanos(0) && longest <= Nanos::MAX);
    let limited = task.wcet.is_some() || task.budget.as_ref().is_some_and(|budget| budget.stops);
    assert!(!timed || task.deadline.is_some() && limited && !task.start);
    assert!(task.deadline.is_none_or(|deadline| deadline > Nanos(0) && deadline <= longest));
    assert!(task.core.is_none_or(|core| core < system.cores));
    assert!(task.priority.is_none_or(|priority| (1..=64).contains(&priority)));
    assert!((1..=255).contains(&task.queue) && task.stack.0 % 16 == 0);
    assert!(task.mutexes.iter().all(|used| used.mutex < system.mutexes.len()));
    for used in &task.uses {
        assert!(used.hold.is_none() || system.semaphores[used.semaphore].initial > 0);
        assert!(used.hold.is_none_or(|hold| task.wcet.is_none_or(|wcet| hold <= wcet)));
    }
}

pub fn check_board(board: &Board) {
    assert!((1..=128).contains(&board.cores) && board.load % 4096 == 0);
    let inside = |load: u64| {
        move |memory: &takt_model::Memory| load.wrapping_sub(memory.base) < memory.size.0
    };
    assert!(board.memory.iter().any(inside(board.load)));
    let mut regions: Vec<_> = board.memory.iter().map(|m| (m.base, m.base + m.size.0)).collect();
    regions.sort();
    assert!(regions.windows(2).all(|pair| pair[0].1 <= pair[1].0));
    check_names(board.memory.iter().map(|memory| &memory.name));
    assert_eq!(board.hart_ids.iter().collect::<HashSet<_>>().len(), board.cores as usize);
    assert_eq!(board.hart_ids.len(), board.cores as usize);
    if let Some(timing) = &board.timing {
        check_timing(timing, board.cores);
    }
}

fn check_timing(timing: &Timing, cores: u32) {
    let Timing { coherence, interconnect, dram, .. } = timing;
    assert!(0 < timing.timebase && timing.timebase <= timing.frequency);
    let all = [Some(&timing.l1i), Some(&timing.l1d), timing.l2.as_ref(), coherence.cache.as_ref()];
    all.into_iter().flatten().for_each(check_cache);
    check_kinds(timing, cores);
    if let Some(cluster) = &timing.cluster {
        check_cache(&cluster.cache);
        assert!(cores % cluster.cores == 0 && interconnect.cores_per_node % cluster.cores == 0);
        assert!(cluster.link > 0 && cluster.service > 0 && cluster.snoop > 0);
    }
    let nodes = interconnect.shape.nodes();
    assert!((1..=256).contains(&nodes) && cores <= nodes * interconnect.cores_per_node);
    assert!(interconnect.hop > 0 && interconnect.local > 0 && interconnect.width > 0);
    assert!(interconnect.beat > 0 && interconnect.posts > 0);
    assert!(coherence.directory > 0 && coherence.service > 0 && dram.burst > 0);
    if let Homes::Nodes { interleave, nodes: homes } = &coherence.homes {
        assert!(interleave.is_power_of_two() && *interleave >= 64 && !homes.is_empty());
        assert!(homes.iter().all(|home| *home < nodes));
    }
    assert!(!dram.nodes.is_empty() && dram.nodes.iter().all(|node| *node < nodes));
    assert!(dram.interleave.is_power_of_two() && dram.row.is_power_of_two());
    assert!(dram.interleave >= 64 && dram.row >= 64 && dram.banks.len() <= 16);
    assert!(dram.row_hit <= dram.row_closed && dram.row_closed <= dram.row_conflict);
    assert!(dram.refresh == 0 || dram.refresh_time < dram.refresh);
    assert!((1..=1024).contains(&dram.queue));
}

/// Asserts the same for the parts that each core has according to its kind.
fn check_kinds(timing: &Timing, cores: u32) {
    check_names(timing.kinds.iter().map(|kind| &kind.name));
    let members: Vec<u32> = timing.kinds.iter().flat_map(|kind| kind.cores.clone()).collect();
    assert_eq!(members.iter().collect::<HashSet<_>>().len(), members.len());
    assert!(members.iter().all(|core| *core < cores));
    assert!(timing.kinds.iter().all(|kind| !kind.cores.is_empty()));
    let own: Vec<Timing> = (0..cores).map(|core| timing.of_core(core)).collect();
    for Timing { core, coherence, l1i, l1d, l2, tlb, .. } in &own {
        [Some(l1i), Some(l1d), l2.as_ref()].into_iter().flatten().for_each(check_cache);
        assert!(l2.as_ref().is_none_or(|l2| l2.size >= l1d.size));
        assert!((4..=256).contains(&tlb.entries));
        assert!(core.store_buffer <= 64 && core.prefetch <= 8 && core.multiply > 0);
        assert!((core.store_buffer + 1..=256).contains(&core.mshrs));
        assert!(core.overflow_skid <= 100_000);
        assert!(core.atomics == Atomics::L1 || coherence.atomic > 0);
    }
    let Some(cluster) = &timing.cluster else { return };
    for together in own.chunks(cluster.cores as usize) {
        let sizes = together.iter().map(|own| own.l2.as_ref().unwrap_or(&own.l1d).size);
        assert!(cluster.cache.size >= sizes.sum());
    }
}

fn check_cache(cache: &Cache) {
    let sets = cache.size / 64 / u64::from(cache.ways);
    assert!(sets.is_power_of_two() && sets * u64::from(cache.ways) * 64 == cache.size);
    assert!(cache.index.is_empty() || 1 << cache.index.len() == sets);
    assert!(cache.index.iter().all(|mask| *mask != 0 && mask % 64 == 0));
}

fn check_names<'n>(names: impl Iterator<Item = &'n String>) {
    let mut seen = HashSet::new();
    for name in names {
        assert!(seen.insert(name), "two are called {name}");
        assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'), "{name}");
        assert!(
            !name.is_empty() && name.len() <= 31 && !name.starts_with(|c: char| c.is_ascii_digit())
        );
    }
}
