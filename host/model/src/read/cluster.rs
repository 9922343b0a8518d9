// SPDX-License-Identifier: Apache-2.0
//! Reads a cache that neighbouring cores share.

use super::{
    cache::{self, CacheAt},
    file::BoardFile,
    report::Report,
    timing_file::ClusterTable,
    values::{self, some_cycles},
};
use crate::{
    Bytes, Code, Problem,
    timing::{Cache, Cluster, Interconnect},
};

/// The positions of the cores, as far as they could be read.
pub struct Places<'t> {
    pub cores: Option<u32>,
    pub interconnect: Option<&'t Interconnect>,
}

/// Reads the cluster's cache. `inner` are the caches of each core, with their names.
pub fn read(
    report: &mut Report,
    file: &BoardFile,
    table: &ClusterTable,
    places: Places,
    inner: [(&str, Option<&Cache>); 2],
) -> Option<Cluster> {
    let cores = values::number(report, "cores", &table.cores, 1..=128);
    let cache = cache::read(report, CacheAt::Cluster, &table.cache);
    let link = some_cycles(report, "link", &table.link);
    let service = some_cycles(report, "service", &table.service);
    let snoop = some_cycles(report, "snoop", &table.snoop);
    let (cores, cache) = (cores?, cache?);
    check_places(report, file, table, cores, &places);
    // The larger of the two caches is the outer one.
    let inner = inner.into_iter().filter_map(|(name, cache)| Some((name, cache?)));
    if let Some((name, inner)) = inner.max_by_key(|(_, cache)| cache.size) {
        let all = inner.size * u64::from(cores);
        check_room(report, file, table, (name, all), &cache);
    }
    Some(Cluster { cores, cache, link, service, snoop })
}

/// Checks that the clusters divide the cores evenly, and that all cores of a cluster are at one
/// node.
fn check_places(
    report: &mut Report,
    file: &BoardFile,
    table: &ClusterTable,
    cores: u32,
    places: &Places,
) {
    let place = table.cores.span();
    if let Some(all) = places.cores.filter(|all| all % cores != 0) {
        let message = format!("{all} cores do not make clusters of {cores}");
        let help = "choose a number of cores for [cluster] that divides the board's";
        let problem = Problem::new(Code::SplitCluster, message, help);
        report.add(problem.at(place.clone(), "in a cluster").at(file.board.cores.span(), "in all"));
    }
    let at_node = places.interconnect.map_or(cores, |interconnect| interconnect.cores_per_node);
    if at_node % cores != 0 {
        let message = format!("clusters of {cores} cores lie across nodes of {at_node}");
        let help = "all cores of a cluster are at one node: choose a cores_per_node that is a \
                    multiple of the cluster's cores";
        let mut problem = Problem::new(Code::SplitCluster, message, help);
        problem = problem.at(place, "in a cluster");
        if let Some(table) = &file.interconnect {
            problem = problem.at(table.cores_per_node.span(), "at a node");
        }
        report.add(problem);
    }
}

/// Checks that an inclusive cache has room for everything that the inner caches can hold.
fn check_room(
    report: &mut Report,
    file: &BoardFile,
    table: &ClusterTable,
    (name, all): (&str, u64),
    cache: &Cache,
) {
    if cache.size >= all {
        return;
    }
    let cores = table.cores.get();
    let message = format!("[cluster.cache] is smaller than the {name} of its cores");
    let help = format!(
        "it holds all that they hold: {cores} of them have {}; choose a larger one",
        Bytes(all)
    );
    let problem = Problem::new(Code::CacheTooSmall, message, help);
    let problem = problem.at(table.cache.size.span(), "smaller");
    let inner = if name == "[l2]" { &file.l2 } else { &file.l1d };
    report.add(match inner {
        Some(inner) => problem.at(inner.size.span(), "than this, once for each core"),
        None => problem,
    });
}
