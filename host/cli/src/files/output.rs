// SPDX-License-Identifier: Apache-2.0
//! Copies the files that a run has made or changed from the machine's memory after the run. The
//! first fields of `struct node` (`libraries/ramfs/node.h`) have fixed offsets, which this module
//! knows.

use std::cell::Cell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use takt_board::engine::Machine;

use crate::failure::Failure;
use crate::image::Image;
use crate::output;

const ROOT: &str = "takt_ramfs_tree";
const VERSION: u64 = 1;
const BLOCK: u64 = 4096;
const ENTRIES: u64 = 512;
/// The longest path of `libraries/ramfs/node.h`, without the terminating zero.
const LONGEST_PATH: usize = 1023;

/// The offsets of a node's fields, which have 64 bits each.
const FIRST: u64 = 0;
const NEXT: u64 = 8;
const NAME: u64 = 16;
const NAME_LENGTH: u64 = 24;
const KIND: u64 = 32;
const CHANGED: u64 = 40;
const SIZE: u64 = 48;
const ORIGIN: u64 = 56;
const ORIGIN_SIZE: u64 = 64;
const TABLE: u64 = 72;

const KIND_DIRECTORY: u64 = 1;
const KIND_FILE: u64 = 2;

/// Creates the folder if it does not exist. Fails if the image has no files, or if the folder
/// cannot be written to.
pub fn prepare(folder: &Path, image: &Image) -> Result<(), Failure> {
    if image.address_of(ROOT).is_none() {
        let help =
            "leave --output out, or describe a program that opens files: libraries = [\"posix\"]";
        return Err(Failure::input("the image has no file system", help));
    }
    std::fs::create_dir_all(folder)
        .map_err(|error| Failure::io(format!("make {}", folder.display()), error).of_input())?;
    output::writable(&folder.join(".takt"))
}

/// Writes the files that were made or changed into the folder.
pub fn write(folder: &Path, image: &Image, machine: &Machine) -> Result<(), Failure> {
    let memory = Memory::new(image, machine);
    let tree = image.address_of(ROOT).unwrap_or_default();
    if memory.word(tree)? != VERSION {
        return Err(damaged("it is of another version"));
    }
    let root = memory.field(tree, 8)?;
    let mut open = vec![(memory.field(root, FIRST)?, folder.to_path_buf())];
    let mut seen = HashSet::new();
    while let Some((node, inside)) = open.pop() {
        if node == 0 {
            continue;
        }
        if !seen.insert(node) {
            return Err(damaged("a file is in it twice"));
        }
        let path = inside.join(memory.name(node)?);
        if path.as_os_str().len() > folder.as_os_str().len() + 1 + LONGEST_PATH {
            return Err(damaged("a path is too long"));
        }
        open.push((memory.field(node, NEXT)?, inside.clone()));
        match memory.field(node, KIND)? {
            KIND_DIRECTORY => {
                if memory.field(node, CHANGED)? != 0 {
                    make_folders(folder, &path)?;
                }
                open.push((memory.field(node, FIRST)?, path));
            }
            KIND_FILE if memory.field(node, CHANGED)? != 0 => {
                make_folders(folder, &inside)?;
                memory.write_file(node, &path)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The machine's memory, read by linked addresses.
struct Memory<'a> {
    machine: &'a Machine,
    /// The difference from linked to physical addresses, which is the same for the whole image.
    distance: u64,
    /// The number of bytes that may still be written: the files cannot be larger than the memory
    /// that they lay in.
    budget: Cell<u64>,
}

impl<'a> Memory<'a> {
    fn new(image: &Image, machine: &'a Machine) -> Self {
        let linked = image.address_of("takt_record").unwrap_or_default();
        let budget = Cell::new(machine.world.fabric.ram.size());
        Memory { machine, distance: image.record.wrapping_sub(linked), budget }
    }

    fn bytes(&self, address: u64, count: u64) -> Result<&'a [u8], Failure> {
        let ram = &self.machine.world.fabric.ram;
        let at = ram.offset(address.wrapping_add(self.distance), count);
        at.map(|at| ram.slice(at, count)).ok_or_else(|| damaged("it leads out of the memory"))
    }

    fn word(&self, address: u64) -> Result<u64, Failure> {
        let bytes = self.bytes(address, 8)?;
        Ok(u64::from_le_bytes(bytes.try_into().expect("eight bytes")))
    }

    /// The 64-bit word at an offset of a structure.
    fn field(&self, structure: u64, offset: u64) -> Result<u64, Failure> {
        self.word(structure.wrapping_add(offset))
    }

    /// The bytes at an address that are to be written into a file.
    fn content(&self, address: u64, count: u64) -> Result<&'a [u8], Failure> {
        let rest = self.budget.get().checked_sub(count);
        self.budget.set(rest.ok_or_else(|| damaged("it has more than the machine's memory"))?);
        self.bytes(address, count)
    }

    /// A node's name, which must lead exactly one step down from the node's folder.
    fn name(&self, node: u64) -> Result<PathBuf, Failure> {
        let length = self.field(node, NAME_LENGTH)?.min(256);
        let name = self.bytes(self.field(node, NAME)?, length)?;
        let bad = |byte: &u8| matches!(byte, b'/' | 0);
        if matches!(name, b"" | b"." | b"..") || name.iter().any(bad) || name.len() > 255 {
            return Err(damaged("a name is no name"));
        }
        Ok(OsStr::from_bytes(name).into())
    }

    fn write_file(&self, node: u64, path: &Path) -> Result<(), Failure> {
        let failed = |error| Failure::io(format!("write {}", path.display()), error);
        let (size, origin_size) = (self.field(node, SIZE)?, self.field(node, ORIGIN_SIZE)?);
        if size > BLOCK * ENTRIES * ENTRIES || origin_size > size {
            return Err(damaged("a file is too large"));
        }
        // A symbolic link that exists already is not written through.
        if path.symlink_metadata().is_ok() {
            std::fs::remove_file(path).map_err(failed)?;
        }
        let mut file = File::create_new(path).map_err(failed)?;
        file.set_len(size).map_err(failed)?;
        if origin_size > 0 {
            let origin = self.content(self.field(node, ORIGIN)?, origin_size)?;
            file.write_all(origin).map_err(failed)?;
        }
        let table = self.field(node, TABLE)?;
        for index in 0..size.div_ceil(BLOCK) {
            let block = self.block(table, index)?;
            if block != 0 {
                let count = BLOCK.min(size - index * BLOCK);
                let bytes = self.content(block, count)?;
                file.seek(SeekFrom::Start(index * BLOCK)).map_err(failed)?;
                file.write_all(bytes).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// The address of a file's block; 0 if the block was never written.
    fn block(&self, table: u64, index: u64) -> Result<u64, Failure> {
        let leaf = match table {
            0 => 0,
            _ => self.field(table, index / ENTRIES * 8)?,
        };
        match leaf {
            0 => Ok(0),
            _ => self.field(leaf, index % ENTRIES * 8),
        }
    }
}

/// Creates each folder below `top` on the path to a folder.
fn make_folders(top: &Path, path: &Path) -> Result<(), Failure> {
    let mut at = top.to_path_buf();
    path.strip_prefix(top).into_iter().flatten().try_for_each(|part| {
        at.push(part);
        make_folder(&at)
    })
}

/// Creates a folder; fails if its place is taken by anything else than a folder, such as a link.
fn make_folder(path: &Path) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => {
            let message = format!("{} is there, and is no directory", path.display());
            Err(Failure::input(message, "name another folder with --output, or remove it"))
        }
        Err(_) => std::fs::create_dir(path)
            .map_err(|error| Failure::io(format!("make {}", path.display()), error)),
    }
}

fn damaged(why: &str) -> Failure {
    let message = format!("the program's file system cannot be read: {why}");
    Failure::tool(message, "the program has written over it, or another takt has built the image")
}
