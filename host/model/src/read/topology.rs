// SPDX-License-Identifier: Apache-2.0
//! Reads a board's interconnect, and lists of its nodes and cores.

use std::collections::HashSet;

use super::{
    file::{BoardFile, Spanned},
    report::Report,
    timing_file::InterconnectTable,
    values::{self, some_cycles},
};
use crate::{
    Code, Problem,
    timing::{Interconnect, Shape},
};

/// The greatest number of nodes: one for each core, and as many for memory.
const MAX_NODES: u32 = 256;

pub fn interconnect(report: &mut Report, table: &InterconnectTable) -> Option<Interconnect> {
    let shape = shape(report, table);
    let cores = values::number(report, "cores_per_node", &table.cores_per_node, 1..=128);
    // A hop takes at least one cycle. Otherwise one core's action could reach another core at once,
    // and the order of actions would be undefined.
    let hop = some_cycles(report, "hop", &table.hop);
    let local = some_cycles(report, "local", &table.local);
    let width = values::number(report, "width", &table.width, 1..=1024);
    let beat =
        table.beat.as_ref().map_or(Some(1), |beat| values::number(report, "beat", beat, 1..=1000));
    let posts = match &table.posts {
        None => Some(1),
        Some(posts) => values::number(report, "posts", posts, 1..=1024),
    };
    Some(Interconnect {
        shape: shape?,
        cores_per_node: cores?,
        hop,
        local,
        width: width.unwrap_or_default().into(),
        beat: beat.unwrap_or_default().into(),
        posts: posts?,
    })
}

fn shape(report: &mut Report, table: &InterconnectTable) -> Option<Shape> {
    type Make = fn(u32) -> Shape;
    let shapes: [(&str, Option<Make>); 4] = [
        ("mesh", None),
        ("ring", Some(|nodes| Shape::Ring { nodes })),
        ("bus", Some(|nodes| Shape::Bus { nodes })),
        ("full", Some(|nodes| Shape::Full { nodes })),
    ];
    let make = values::word(report, "shape", &table.shape, &shapes)?;
    let (columns, rows, nodes) =
        (table.columns.as_ref(), table.rows.as_ref(), table.nodes.as_ref());
    let (shape, mesh) = (&table.shape, make.is_none());
    let columns = fitting(report, shape, "columns", columns, mesh);
    let rows = fitting(report, shape, "rows", rows, mesh);
    let nodes = fitting(report, shape, "nodes", nodes, !mesh);
    match make {
        None => mesh_of(report, columns?, rows?),
        Some(make) => values::number(report, "nodes", nodes?, 1..=MAX_NODES).map(make),
    }
}

fn mesh_of(
    report: &mut Report,
    columns_at: &Spanned<i64>,
    rows_at: &Spanned<i64>,
) -> Option<Shape> {
    let columns = values::number(report, "columns", columns_at, 1..=MAX_NODES);
    let rows = values::number(report, "rows", rows_at, 1..=MAX_NODES);
    let (columns, rows) = (columns?, rows?);
    if columns * rows > MAX_NODES {
        let message = format!("a mesh of {columns} x {rows} is too large");
        let help = format!("choose columns and rows that make at most {MAX_NODES} nodes");
        let problem = Problem::new(Code::OutOfRange, message, help);
        report.add(problem.at(columns_at.span(), "times").at(rows_at.span(), "this"));
        return None;
    }
    Some(Shape::Mesh { columns, rows })
}

/// A bridge keeps the order of its stores where there is one way for all of them, and all take it.
pub fn check_posts(report: &mut Report, table: &InterconnectTable, links: bool) {
    let Some(posts) = table.posts.as_ref().filter(|posts| *posts.get() > 1) else { return };
    let why = if table.shape.get() != "bus" {
        (
            "its links may deliver them in another order",
            "leave `posts` out, or choose shape = \"bus\"",
        )
    } else if !links {
        (
            "stores to devices would overtake them",
            "leave `posts` out, or set links = true in [devices]",
        )
    } else {
        return;
    };
    let message = "several stores cannot be under way in order";
    let problem = Problem::new(Code::MismatchedKey, message, why.1);
    report.add(problem.at(posts.span(), why.0));
}

/// Reads a key that is required with some values of another key, and not allowed with its other
/// values.
pub fn fitting<'f, T>(
    report: &mut Report,
    word: &Spanned<String>,
    key: &str,
    value: Option<&'f Spanned<T>>,
    wanted: bool,
) -> Option<&'f Spanned<T>> {
    let text = word.get();
    let problem = match value {
        Some(_) if wanted => return value,
        None if !wanted => return None,
        Some(value) => {
            let message = format!("`{key}` has no meaning with \"{text}\"");
            let help = format!("leave `{key}` out, or choose another word");
            let problem = Problem::new(Code::MismatchedKey, message, help);
            problem.at(value.span(), "not here").at(word.span(), "beside this word")
        }
        None => {
            let message = format!("\"{text}\" needs `{key}`");
            let help = format!("add {key} = ... beside it");
            let problem = Problem::new(Code::MismatchedKey, message, help);
            problem.at(word.span(), format!("`{key}` is missing"))
        }
    };
    report.add(problem);
    None
}

/// Checks that each core has a node.
pub fn check_room(
    report: &mut Report,
    file: &BoardFile,
    cores: Option<u32>,
    interconnect: Option<&Interconnect>,
) {
    let (Some(cores), Some(interconnect), Some(table)) = (cores, interconnect, &file.interconnect)
    else {
        return;
    };
    let nodes = interconnect.shape.nodes();
    let room = nodes * interconnect.cores_per_node;
    if cores > room {
        let message = format!("{cores} cores, but the interconnect has places for {room}");
        let help = format!("there are {nodes} nodes; add nodes or cores per node");
        let problem = Problem::new(Code::TooFewNodes, message, help);
        let place = table.cores_per_node.span();
        report.add(problem.at(place, "at each node").at(file.board.cores.span(), "cores"));
    }
}

/// Reads a list of cores below `limit`; 0 means that the number of cores could not be read.
/// `wanted` is the help for an empty list.
pub fn cores(
    report: &mut Report,
    list: &Spanned<Vec<Spanned<i64>>>,
    limit: u32,
    wanted: &str,
) -> Vec<u32> {
    if list.get().is_empty() {
        let problem = Problem::new(Code::EmptyList, "`cores` is empty", wanted);
        report.add(problem.at(list.span(), "no core"));
    }
    let mut read: Vec<u32> = Vec::new();
    for entry in list.get() {
        let Some(core) = values::number(report, "cores", entry, 0..=127) else { continue };
        if core >= limit && limit != 0 {
            let message = format!("there is no core {core}");
            let help = format!("the board's cores are 0 to {}", limit - 1);
            let problem = Problem::new(Code::MissingCore, message, help);
            report.add(problem.at(entry.span(), "no such core"));
        } else if read.contains(&core) {
            let message = format!("core {core} is listed twice");
            let problem = Problem::new(Code::Repeated, message, "leave one of the two out");
            report.add(problem.at(entry.span(), "here again"));
        } else {
            read.push(core);
        }
    }
    read
}

/// Reads a list of nodes. `limit` is the number of nodes, if it is known.
pub fn nodes(
    report: &mut Report,
    list: &Spanned<Vec<Spanned<i64>>>,
    limit: Option<u32>,
) -> Option<Vec<u32>> {
    if list.get().is_empty() {
        let problem = Problem::new(Code::EmptyList, "`nodes` is empty", "name a node, such as 0");
        report.add(problem.at(list.span(), "no node"));
        return None;
    }
    let mut seen = HashSet::new();
    let mut read = Vec::new();
    for node in list.get() {
        let number = values::number(report, "nodes", node, 0..=MAX_NODES - 1)?;
        if limit.is_some_and(|limit| number >= limit) {
            let message = format!("there is no node {number}");
            let last = limit.unwrap_or_default().saturating_sub(1);
            let help = format!("the interconnect's nodes are 0 to {last}");
            let problem = Problem::new(Code::MissingNode, message, help);
            report.add(problem.at(node.span(), "no such node"));
            return None;
        }
        if !seen.insert(number) {
            let problem = Problem::new(
                Code::Repeated,
                format!("node {number} is listed twice"),
                "leave one of the two out",
            );
            report.add(problem.at(node.span(), "here again"));
            return None;
        }
        read.push(number);
    }
    Some(read)
}
