// SPDX-License-Identifier: Apache-2.0
//! Packs a folder into an archive (cpio, format newc) that `libraries/ramfs` reads. The same files
//! always give the same bytes: they are sorted by name and have neither times nor owners.

use std::path::Path;

use crate::failure::Failure;

const DIRECTORY: u32 = 0o040755;
const FILE: u32 = 0o100644;
/// The greatest size of an archive in bytes. The image with its page tables has room for a little
/// more beside heap and stacks.
const LARGEST: usize = 32 << 20;
/// The longest path of `libraries/ramfs/node.h`, without the terminating zero.
const LONGEST_PATH: usize = 1023;
const LONGEST_NAME: usize = 255;
/// The name of the archive's last member.
const TRAILER: &str = "TRAILER!!!";

/// The archive of a folder; without one, an empty archive.
pub fn pack(folder: Option<&Path>) -> Result<Vec<u8>, Failure> {
    let mut archive = Archive::default();
    if let Some(folder) = folder {
        archive.add_folder(folder, "")?;
    }
    archive.member(TRAILER, 0, &[]);
    Ok(archive.bytes)
}

#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    members: u32,
}

impl Archive {
    /// Adds a folder's members; each folder comes before its members.
    fn add_folder(&mut self, folder: &Path, prefix: &str) -> Result<(), Failure> {
        let read = |error| Failure::io(format!("read {}", folder.display()), error);
        let entries = folder.read_dir().map_err(read)?;
        let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(read)?;
        entries.sort_by_key(|entry| entry.file_name());
        for entry in entries {
            let path = entry.path();
            let name = name_of(&path, prefix)?;
            // A link is followed, because a folder may gather files from elsewhere.
            let found = path.metadata();
            let found =
                found.map_err(|error| Failure::io(format!("read {}", path.display()), error))?;
            if found.is_dir() {
                self.member(&name, DIRECTORY, &[]);
                self.add_folder(&path, &format!("{name}/"))?;
            } else if found.is_file() {
                let content = std::fs::read(&path);
                let content = content
                    .map_err(|error| Failure::io(format!("read {}", path.display()), error))?;
                if self.bytes.len() + content.len() > LARGEST {
                    let message = "the folder `files` has more than 32 MiB";
                    return Err(Failure::input(
                        message,
                        "leave files out that the program does not read",
                    ));
                }
                self.member(&name, FILE, &content);
            } else {
                let message = format!("{} is neither a file nor a directory", path.display());
                return Err(Failure::input(message, "take it out of the folder `files`"));
            }
        }
        Ok(())
    }

    fn member(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.members += 1;
        let size = content.len() as u32;
        // ino, mode, uid, gid, nlink, mtime, filesize, four numbers of devices, namesize, check
        let fields = [self.members, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        self.bytes.extend(b"070701");
        fields.iter().for_each(|field| self.bytes.extend(format!("{field:08x}").bytes()));
        self.bytes.extend(name.bytes().chain([0]));
        self.fill();
        self.bytes.extend(content);
        self.fill();
    }

    /// Pads the archive to a multiple of four bytes.
    fn fill(&mut self) {
        let filled = self.bytes.len().div_ceil(4) * 4;
        self.bytes.resize(filled, 0);
    }
}

fn name_of(path: &Path, prefix: &str) -> Result<String, Failure> {
    let refused = |why: &str| {
        let message = format!("{} cannot be a file of the program: {why}", path.display());
        Err(Failure::input(message, "rename it, or take it out of the folder `files`"))
    };
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return refused("its name is not UTF-8");
    };
    let whole = format!("{prefix}{name}");
    if whole == "dev" {
        return refused("/dev holds the system's devices");
    }
    if whole == TRAILER {
        return refused("its name is that of the archive's end");
    }
    if whole.len() > LONGEST_PATH || name.len() > LONGEST_NAME {
        return refused("its path is too long");
    }
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_would_end_the_archive_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(TRAILER), "").unwrap();
        let failure = pack(Some(folder.path())).unwrap_err();
        assert!(format!("{:?}", failure.report).contains("the archive's end"));
    }

    #[test]
    fn members_are_sorted_aligned_and_have_no_time() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("b")).unwrap();
        std::fs::write(folder.path().join("b/c"), "12345").unwrap();
        std::fs::write(folder.path().join("a"), "").unwrap();
        let bytes = pack(Some(folder.path())).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        let names = ["a\0", "b\0", "b/c\0", "TRAILER!!!\0"];
        let places: Vec<_> = names.iter().map(|name| text.find(name).unwrap()).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(
            text.contains(&format!("12345{}070701", "\0".repeat(3))),
            "content is filled up to four bytes"
        );
        assert_eq!(bytes.len() % 4, 0);
        std::fs::write(folder.path().join("a"), "").unwrap();
        assert_eq!(bytes, pack(Some(folder.path())).unwrap());
    }

    #[test]
    fn what_is_no_file_of_a_program_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("dev")).unwrap();
        assert!(pack(Some(folder.path())).is_err());
        std::fs::remove_dir(folder.path().join("dev")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join("link")).unwrap();
        assert!(pack(Some(folder.path())).is_err());
    }
}
