// SPDX-License-Identifier: Apache-2.0
//! Implements `takt new`: writes a first application, outside of Polytakt's own tree.

use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use clap::Args;
use takt_model::{Code, System};

use crate::failure::Failure;
use crate::home;
use crate::output;

/// Make a first application: two tasks on two cores that exchange a value
///
/// The directory gets a description, a C file, a README and a script ./takt, which finds Polytakt
/// by TAKT_HOME or at the place that it has now.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  takt new ~/first && cd ~/first
  ./takt check system.toml
  ./takt run system.toml

  takt new --posix ~/words && cd ~/words
  ./takt run system.toml --output result")]
pub struct Arguments {
    /// The directory, new or empty
    directory: PathBuf,
    /// Make a program with POSIX threads and files instead, as for Linux, on four cores
    #[arg(long)]
    posix: bool,
}

/// The files of an application, by their paths in its directory.
type Files = [(&'static str, &'static str)];

const IGNORED: (&str, &str) = (".gitignore", include_str!("../../templates/new/gitignore"));
const SCRIPT: (&str, &str) = ("takt", include_str!("../../templates/new/takt"));

const TASKS: &Files = &[
    ("system.toml", include_str!("../../templates/new/system.toml")),
    ("main.c", include_str!("../../templates/new/main.c")),
    ("README.md", include_str!("../../templates/new/README.md")),
    IGNORED,
    SCRIPT,
];

const THREADS: &Files = &[
    ("system.toml", include_str!("../../templates/new-posix/system.toml")),
    ("main.c", include_str!("../../templates/new-posix/main.c")),
    ("input/text.txt", include_str!("../../templates/new-posix/text.txt")),
    ("README.md", include_str!("../../templates/new-posix/README.md")),
    IGNORED,
    SCRIPT,
];

pub fn execute(arguments: Arguments) -> Result<u8, Failure> {
    let directory = &arguments.directory;
    let home = home::find()?;
    let shown = directory.display();
    if !is_free(directory).map_err(|error| Failure::io(format!("use {shown}"), error).of_input())? {
        let help = "name a directory that is not there yet";
        return Err(Failure::input(format!("{shown} is there already and not empty"), help));
    }
    let files = if arguments.posix { THREADS } else { TASKS };
    write(directory, &home, files)
        .map_err(|error| Failure::io(format!("write to {shown}"), error).of_input())?;
    output::print(&format!(
        "{shown} is ready. Its script ./takt finds Polytakt by the variable TAKT_HOME,\n\
         and without it at {}. Try it:\n\n  \
         cd {shown}\n{}  ./takt run system.toml\n",
        home.display(),
        if arguments.posix { "" } else { "  ./takt check system.toml\n" }
    ));
    Ok(0)
}

fn is_free(directory: &Path) -> io::Result<bool> {
    match std::fs::read_dir(directory) {
        Ok(mut entries) => Ok(entries.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(false),
        Err(error) => Err(error),
    }
}

fn write(directory: &Path, home: &Path, files: &Files) -> io::Result<()> {
    std::fs::create_dir_all(directory)?;
    let name = identifier(&directory.canonicalize()?, files[0].1);
    for (file, template) in files {
        let home = home.display().to_string();
        let text = own(template).replace("@NAME@", &name).replace("@HOME@", &home);
        let path = directory.join(file);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
    }
    std::fs::set_permissions(directory.join("takt"), PermissionsExt::from_mode(0o755))
}

/// The template without its licence line: the new application belongs to its author.
fn own(template: &str) -> String {
    let lines = template.lines().filter(|line| !line.contains("SPDX-License-Identifier"));
    lines.map(|line| format!("{line}\n")).collect()
}

/// The directory's name as the name of a system; `app` if `description` would refuse that name.
fn identifier(directory: &Path, description: &str) -> String {
    let name = directory.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = name.chars().take(31).map(plain).collect();
    let text = description.replace("@NAME@", &name);
    let boards = [PathBuf::from("boards")];
    let refused = |code| matches!(code, Code::NotIdentifier | Code::ReservedName);
    match System::from_bytes(Path::new("system.toml"), text.into_bytes(), &boards) {
        Err(problems) if problems.iter().any(|problem| refused(problem.code)) => "app".to_string(),
        _ => name,
    }
}
