// SPDX-License-Identifier: Apache-2.0
//! Builds an image: writes the files that the configurator generates, then lets CMake and Ninja
//! update the build. Prints nothing except the compiler's warnings.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use clap::Args;
use fs4::fs_std::FileExt;
use takt_model::{EntryFault, System};

use crate::analysed_system::AnalysedSystem;
use crate::calibrate::stamp;
use crate::entries;
use crate::failure::Failure;
use crate::files::initrd;
use crate::missing_services;
use crate::programs;
use crate::progress::Progress;
use crate::services;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compiler {
    Gcc,
    Clang,
    /// GCC, with checks for undefined behaviour compiled in.
    Sanitizer,
}

/// The options of a command that builds.
#[derive(Clone, Debug, Args)]
pub struct Choice {
    /// Compile with clang and lld instead of GCC
    #[arg(long, conflicts_with = "sanitize")]
    clang: bool,
    /// Check for undefined behaviour as the image runs, in the kernel and the application: it panics
    /// and says where. Larger, and slower
    #[arg(long)]
    sanitize: bool,
}

impl Choice {
    pub fn compiler(&self) -> Compiler {
        match (self.clang, self.sanitize) {
            (true, _) => Compiler::Clang,
            (false, true) => Compiler::Sanitizer,
            (false, false) => Compiler::Gcc,
        }
    }

    /// The option that chose the compiler; None for the default.
    pub fn given(&self) -> Option<&'static str> {
        match self.compiler() {
            Compiler::Gcc => None,
            Compiler::Clang => Some("--clang"),
            Compiler::Sanitizer => Some("--sanitize"),
        }
    }
}

/// Builds the image of a system where it is out of date; returns the image's path.
pub fn image(analysed: &AnalysedSystem, compiler: Compiler) -> Result<PathBuf, Failure> {
    if analysed.system.dataflow.is_some() && compiler != Compiler::Gcc {
        let message = "the library `dataflow` is built by GCC alone, without the sanitizer";
        return Err(Failure::input(message, "leave out --clang or --sanitize"));
    }
    let cmake = tools(compiler)?;
    let tree = tree(analysed, compiler);
    let partitions = analysed.system.partitions.iter().flat_map(|it| &it.sources);
    let paths =
        [&analysed.home, &tree].into_iter().chain(&analysed.system.sources).chain(partitions);
    paths.chain(&analysed.system.include).try_for_each(|path| usable(path))?;
    let _alone = lock(&tree)?;
    let generated = tree.join("generated");
    for file in takt_configure::generate(&analysed.system, &analysed.assignments) {
        write_if_changed(&generated.join(file.path), file.contents.as_bytes())?;
    }
    if let Some(posix) = &analysed.system.posix {
        let archive = initrd::pack(posix.files.as_deref())?;
        write_if_changed(&generated.join("initrd.cpio"), &archive)?;
    }
    let progress = Progress::spinner(format!("building {}", analysed.system.name));
    let built = configure(&cmake, analysed, &tree, &generated, compiler)
        .and_then(|()| compile(&cmake, analysed, &tree));
    progress.done();
    built?;
    Ok(tree.join("image.elf"))
}

/// The image of the description as it is now, if there is one: the configurator would write the files from which it was built,
/// and no file that Ninja knows of has been changed since. Builds nothing.
pub fn current_image(analysed: &AnalysedSystem, compiler: Compiler) -> Option<PathBuf> {
    let tree = tree(analysed, compiler);
    let image = tree.join("image.elf");
    if !image.exists() || belongs_elsewhere(&tree, &analysed.home) {
        return None;
    }
    let generated = tree.join("generated");
    let is_same = |file: takt_configure::File| {
        let old = std::fs::read(generated.join(file.path));
        old.is_ok_and(|old| old == file.contents.as_bytes())
    };
    if !takt_configure::generate(&analysed.system, &analysed.assignments).into_iter().all(is_same) {
        return None;
    }
    let built = std::fs::metadata(&image).and_then(|it| it.modified()).ok()?;
    let is_older = |path: &Path| {
        std::fs::metadata(path).and_then(|it| it.modified()).is_ok_and(|changed| changed <= built)
    };
    let files = inputs(&tree)?.iter().all(|file| is_older(&tree.join(file)));
    // A new file of the kernel changes its folder.
    let folders =
        stamp::KERNEL.iter().all(|folder| no_newer_folder(&analysed.home.join(folder), &is_older));
    (files && folders).then_some(image)
}

/// The files from which Ninja has built the image of a tree; None if it does not know them all.
fn inputs(tree: &Path) -> Option<Vec<String>> {
    let ninja = programs::find("ninja", "ninja-build").ok()?;
    let tool = |arguments: &[&str]| {
        let output =
            run(Command::new(&ninja).arg("-C").arg(tree).args(["-t"]).args(arguments)).ok()?;
        output.status.success().then(|| text(&output))
    };
    let headers = tool(&["deps"])?;
    if headers.contains("(STALE)") {
        return None;
    }
    let files = tool(&["inputs", "image.elf"])?;
    let headers = headers.lines().filter_map(|line| line.strip_prefix("    "));
    // Ninja also names targets that are no files.
    let files = files.lines().filter(|file| tree.join(file).exists());
    let all = headers.chain(files).map(str::to_string);
    Some(all.collect())
}

/// Whether no folder in this one, itself among them, has been changed.
fn no_newer_folder(folder: &Path, is_older: &dyn Fn(&Path) -> bool) -> bool {
    let Ok(entries) = folder.read_dir() else { return true }; // a file
    let mut inside = entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir());
    is_older(folder) && inside.all(|path| no_newer_folder(&path, is_older))
}

/// Builds the image and prints hints on stderr: which services the application calls that the
/// kernel will always refuse.
pub fn image_with_hints(analysed: &AnalysedSystem, compiler: Compiler) -> Result<PathBuf, Failure> {
    let image = image(analysed, compiler)?;
    for note in services::refused(&analysed.system, &image) {
        eprintln!("takt: {note}");
    }
    Ok(image)
}

/// Refuses a path with a character that CMake, Ninja or the linker would interpret.
fn usable(path: &Path) -> Result<(), Failure> {
    let odd = |character: &char| ";#$\"\\".contains(*character) || character.is_control();
    match path.to_string_lossy().chars().find(odd) {
        Some(character) => Err(Failure::input(
            format!("cannot build with the character {character:?} in {}", path.display()),
            "rename the file or the directory; spaces and other letters are fine",
        )),
        None => Ok(()),
    }
}

/// Locks the build tree, so that builds of one system run one after the other. Closing the file
/// releases the lock.
fn lock(tree: &Path) -> Result<File, Failure> {
    let path = tree.join("lock");
    std::fs::create_dir_all(tree)
        .and_then(|()| File::create(&path))
        .and_then(|file| FileExt::lock_exclusive(&file).map(|()| file))
        .map_err(|error| Failure::io(format!("lock {}", path.display()), error))
}

/// Finds the programs that a build needs; returns the path of CMake.
fn tools(compiler: Compiler) -> Result<PathBuf, Failure> {
    let cmake = programs::find("cmake", "cmake")?;
    programs::find("ninja", "ninja-build")?;
    let gcc = programs::find("riscv64-unknown-elf-gcc", "gcc-riscv64-unknown-elf")?;
    programs::gcc_file(&gcc, "picolibc.specs", "picolibc-riscv64-unknown-elf")?;
    if compiler == Compiler::Clang {
        programs::find("clang", "clang")?;
        programs::find("ld.lld", "lld")?;
    }
    Ok(cmake)
}

/// The build tree of a system: a folder beside the description, or, for a system of Polytakt's own
/// tree, a folder in that tree's build/ whose name tells two systems of the same name apart.
fn tree(analysed: &AnalysedSystem, compiler: Compiler) -> PathBuf {
    let name = &analysed.system.name;
    let board = &analysed.system.board.name;
    let mut suffix = if analysed.board_given { format!("-on-{board}") } else { String::new() };
    suffix += match compiler {
        Compiler::Gcc => "",
        Compiler::Clang => "-clang",
        Compiler::Sanitizer => "-sanitized",
    };
    let Ok(inside) = analysed.file.strip_prefix(&analysed.home) else {
        let beside = analysed.file.parent().unwrap_or(Path::new("."));
        return beside.join("build").join(format!("{name}{suffix}"));
    };
    let mut hasher = DefaultHasher::new();
    inside.hash(&mut hasher);
    let hash = hasher.finish() as u32;
    analysed.home.join("build").join(format!("{name}-{hash:08x}{suffix}"))
}

/// Writes a file only if its contents change: an unchanged time stamp keeps the build from
/// compiling it again.
fn write_if_changed(path: &Path, contents: &[u8]) -> Result<(), Failure> {
    if std::fs::read(path).is_ok_and(|old| old == contents) {
        return Ok(());
    }
    let folder = path.parent().expect("a file in the generated directory");
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, contents))
        .map_err(|error| Failure::io(format!("write {}", path.display()), error))
}

fn configure(
    cmake: &Path,
    analysed: &AnalysedSystem,
    tree: &Path,
    generated: &Path,
    compiler: Compiler,
) -> Result<(), Failure> {
    let takt = std::env::current_exe().map_err(|error| Failure::io("find takt itself", error))?;
    let mut command = Command::new(cmake);
    if belongs_elsewhere(tree, &analysed.home) {
        command.arg("--fresh");
    }
    command.args(["-G", "Ninja", "-S"]).arg(&analysed.home).arg("-B").arg(tree);
    command.arg(setting("TAKT_GENERATED", generated)).arg(setting("TAKT_COMMAND", &takt));
    match compiler {
        Compiler::Gcc => {}
        Compiler::Clang => drop(command.arg("-DCMAKE_C_COMPILER=clang")),
        Compiler::Sanitizer => drop(command.arg("-DTAKT_SANITIZE=ON")),
    }
    let output = run(&mut command)?;
    if output.status.success() {
        return Ok(());
    }
    let help = "this is a fault of Polytakt or of the toolchain, not of the application";
    Err(Failure::tool("CMake cannot configure the build", help).with_details(text(&output)))
}

/// Whether the build tree was configured in another folder, or for another tree of Polytakt. CMake
/// refuses to change either.
fn belongs_elsewhere(tree: &Path, home: &Path) -> bool {
    let Ok(cache) = std::fs::read_to_string(tree.join("CMakeCache.txt")) else { return false };
    let is = |key: &str, place: &Path| {
        let mut lines = cache.lines();
        let named = lines.find_map(|line| line.strip_prefix(key)?.strip_prefix(":INTERNAL="));
        let named = named.and_then(|it| Path::new(it).canonicalize().ok());
        named.is_some() && named == place.canonicalize().ok()
    };
    !(is("CMAKE_HOME_DIRECTORY", home) && is("CMAKE_CACHEFILE_DIR", tree))
}

fn compile(cmake: &Path, analysed: &AnalysedSystem, tree: &Path) -> Result<(), Failure> {
    let mut command = Command::new(cmake);
    // With these variables ccache shares what two systems' kernels have in common, although their
    // build trees differ.
    command.env("CCACHE_BASEDIR", tree).env("CCACHE_NOHASHDIR", "1");
    let output = run(command.arg("--build").arg(tree))?;
    let text = text(&output);
    let said = worth_reading(&text);
    // If a source of the application does not compile, the tree may still hold its object of an
    // earlier build, so the entries are not checked.
    let failed = ["FAILED: CMakeFiles/application.dir/", "FAILED: CMakeFiles/partition_"];
    if !failed.iter().any(|step| text.contains(step)) {
        entries::check(analysed, tree)?;
    }
    if output.status.success() {
        eprint!("{said}"); // the compiler's warnings
        return Ok(());
    }
    missing_services::check(analysed, tree)?;
    workers_fit(analysed, &text)?;
    let message = format!("{} does not compile", analysed.system.name);
    let kernel = ["FAILED: CMakeFiles/kernel.dir/", "FAILED: kernel.o"];
    if kernel.iter().any(|step| text.contains(step)) {
        let help = "a fault of Polytakt or of the toolchain: the compiler says why below";
        return Err(Failure::tool("the kernel does not compile", help).with_details(said));
    }
    let help = match (&analysed.system.posix, text.contains("[-Werror=frame-larger-than")) {
        (_, false) => "the compiler says why below",
        (Some(_), true) => {
            "a function's variables must fit the stack of a thread: make `stack` in [posix] larger, or a large array \
             static; the compiler says below where"
        }
        (None, true) => {
            "a function's variables may take 2048 bytes, so that no call steps over the guard below a stack: make a large \
             array static; the compiler says below where"
        }
    };
    Err(Failure::no(message, help).with_details(said))
}

/// Fails if the linker has found no room for the image of some workers, at the entries in that image.
fn workers_fit(analysed: &AnalysedSystem, said: &str) -> Result<(), Failure> {
    let Some(graph) = &analysed.system.dataflow else { return Ok(()) };
    if !said.contains(takt_configure::WORKER_TOO_LARGE) {
        return Ok(());
    }
    let lowest = graph.workers.iter().map(|core| graph.lowest_buffer[*core as usize]).min();
    let left = lowest.unwrap_or_default().saturating_sub(graph.stack.0);
    let failed = |number: usize| {
        let step = format!(" libraries/dataflow/worker.{number}");
        said.lines().any(|line| line.starts_with("FAILED: ") && line.trim_end().ends_with(&step))
    };
    let images = graph.images();
    let cores =
        (1..).zip(&images).filter(|(number, _)| failed(*number)).flat_map(|(_, cores)| cores);
    let entries: BTreeSet<_> =
        cores.flat_map(|core| graph.pool(*core)).map(|(_, object)| object.entry.clone()).collect();
    let faults: Vec<_> =
        entries.into_iter().map(|entry| EntryFault::TooLarge(entry, left)).collect();
    let problems = System::entry_problems(&analysed.file, &faults, &[]);
    problems.map_or(Ok(()), |problems| Err(Failure::problems(problems)))
}

fn setting(name: &str, value: &Path) -> OsString {
    let mut text = OsString::from(format!("-D{name}="));
    text.push(value);
    text
}

fn run(command: &mut Command) -> Result<Output, Failure> {
    command.output().map_err(|error| Failure::io("start cmake", error))
}

fn text(output: &Output) -> String {
    let lossy = String::from_utf8_lossy;
    format!("{}{}", lossy(&output.stdout), lossy(&output.stderr))
}

/// The output of a build without progress lines, and without the command lines of failed steps.
fn worth_reading(text: &str) -> String {
    let mut lines = text.lines();
    let mut kept = String::new();
    while let Some(line) = lines.next() {
        if line.starts_with("FAILED: ") {
            lines.next(); // the command line
        } else if !is_progress(line) {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

fn is_progress(line: &str) -> bool {
    let counted = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    counted.is_some_and(|(count, _)| count.chars().all(|c| c.is_ascii_digit() || c == '/'))
        || line.starts_with("ninja: ")
        || line.starts_with("-- ")
}
