// SPDX-License-Identifier: Apache-2.0
//! The board's file, read back by programs: what a level, a distance, a row, a line from another core take.

#[path = "probes/bandwidth.rs"]
mod bandwidth;
#[path = "probes/bench.rs"]
mod bench;
#[path = "probes/clusters.rs"]
mod clusters;
#[path = "probes/curves.rs"]
mod curves;
#[path = "probes/formula.rs"]
mod formula;
#[path = "probes/latency.rs"]
mod latency;
#[path = "probes/marks.rs"]
mod marks;
#[path = "probes/order.rs"]
mod order;
#[path = "common/program.rs"]
#[allow(dead_code)]
mod program;
#[path = "probes/sharing.rs"]
mod sharing;
