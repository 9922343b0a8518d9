// SPDX-License-Identifier: Apache-2.0
//! Reads a device tree blob, independently of what wrote it.

use std::collections::BTreeMap;

/// Properties by node path.
pub type Nodes = BTreeMap<String, BTreeMap<String, Vec<u8>>>;

fn word(blob: &[u8], at: usize) -> usize {
    u32::from_be_bytes(blob[at..at + 4].try_into().unwrap()) as usize
}

fn text(blob: &[u8], at: usize) -> String {
    let bytes: Vec<u8> = blob[at..].iter().copied().take_while(|&byte| byte != 0).collect();
    String::from_utf8(bytes).unwrap()
}

pub fn nodes(blob: &[u8]) -> Nodes {
    assert_eq!(word(blob, 0), 0xd00d_feed);
    let (mut at, strings) = (word(blob, 8), word(blob, 12));
    let (mut nodes, mut path) = (Nodes::new(), Vec::<String>::new());
    loop {
        let token = word(blob, at);
        at += 4;
        match token {
            1 => {
                path.push(text(blob, at));
                at = (at + path.last().unwrap().len() + 1).next_multiple_of(4);
                assert!(nodes.insert(path.join("/"), BTreeMap::new()).is_none(), "{path:?} twice");
            }
            2 => drop(path.pop()),
            3 => {
                let (size, name) = (word(blob, at), text(blob, strings + word(blob, at + 4)));
                let value = blob[at + 8..at + 8 + size].to_vec();
                nodes.get_mut(&path.join("/")).unwrap().insert(name, value);
                at = (at + 8 + size).next_multiple_of(4);
            }
            4 => {}
            9 => return nodes,
            other => panic!("token {other} at {at:#x}"),
        }
    }
}

pub fn cells(value: &[u8]) -> Vec<u32> {
    value.chunks(4).map(|cell| u32::from_be_bytes(cell.try_into().unwrap())).collect()
}
