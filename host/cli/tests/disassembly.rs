// SPDX-License-Identifier: Apache-2.0
//! Checks that the compiled kernel has no floating-point instructions outside the code that saves
//! and restores contexts, because a trap that does not switch saves no floating-point registers;
//! that neither it nor the libraries store by atomic exchanges; and that no memory is both writable
//! and executable.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use object::{LittleEndian, Object, ObjectSymbol, elf, read::elf::ProgramHeader};
use takt_cli::image::{functions, parse_elf};

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn build(system: &Path) -> PathBuf {
    let built = output(Command::new(env!("CARGO_BIN_EXE_takt")).arg("build").arg(system));
    PathBuf::from(built.trim_end())
}

/// The flight controller's image, built once.
fn image() -> &'static Path {
    static IMAGE: OnceLock<PathBuf> = OnceLock::new();
    IMAGE.get_or_init(|| build(&root().join("examples/rosace/system.toml")))
}

/// The object into which kernel/, arch/, drivers/ and the generated tables are compiled as a whole.
fn kernel(image: &Path) -> PathBuf {
    image.with_file_name("kernel.o")
}

/// The objects of an image's sources.
fn application_objects(image: &Path) -> Vec<PathBuf> {
    objects(image, "application.dir/")
}

/// The objects of an image in whose path is `part`.
fn objects(image: &Path, part: &str) -> Vec<PathBuf> {
    let tree = image.parent().unwrap();
    let text = fs::read_to_string(tree.join("compile_commands.json")).unwrap();
    let commands: serde_json::Value = serde_json::from_str(&text).unwrap();
    let lines = commands.as_array().unwrap().iter().map(|it| it["command"].as_str().unwrap());
    let outputs = lines.map(|line| line.split_once(" -o ").unwrap().1.split(' ').next().unwrap());
    outputs.filter(|it| it.contains(part)).map(|it| tree.join(it)).collect()
}

fn disassemble(file: &Path, more: &[String]) -> String {
    let objdump = "riscv64-unknown-elf-objdump";
    output(Command::new(objdump).args(["-d", "--no-show-raw-insn"]).args(more).arg(file))
}

/// The instructions that use floating-point registers or the floating-point CSRs.
fn floating_point(disassembly: &str) -> Vec<&str> {
    disassembly.lines().filter(|line| is_floating_point(line)).collect()
}

/// Whether a line of the disassembly, such as `  1c:\tfld\tft0,288(a0)`, uses floating point.
fn is_floating_point(line: &str) -> bool {
    let mut parts = line.split('\t').skip(1);
    let name = parts.next().unwrap_or_default().trim();
    let operands = parts.next().unwrap_or_default();
    let csr = operands.split(',').any(|it| ["fcsr", "frm", "fflags"].contains(&it));
    (name.starts_with('f') && !name.starts_with("fence")) || name.starts_with("c.f") || csr
}

#[test]
fn instructions_are_told_apart() {
    for line in ["  0:\tfld\tft0,8(a0)", "  0:\tfrcsr\tt1", "  0:\tcsrrw\tt0,fflags,zero"] {
        assert!(is_floating_point(line), "{line}");
    }
    for line in ["  0:\tfence\trw,rw", "  0:\tld\ta0,8(a0)", "0000000000000000 <float_it>:"] {
        assert!(!is_floating_point(line), "{line}");
    }
}

#[test]
fn the_kernel_uses_floating_point_in_its_context_switch_only() {
    let text = disassemble(&kernel(image()), &[]);
    let sections: Vec<_> = text.split("Disassembly of section ").skip(1).collect();
    assert!(sections.len() > 20, "{}", sections.len());
    let (context, others): (Vec<&str>, Vec<&str>) =
        sections.iter().copied().partition(|section: &&str| section.starts_with(".text.trap:"));
    for section in others {
        let name = section.lines().next().unwrap();
        assert_eq!(floating_point(section), [""; 0], "{name}");
    }

    // The search must find the instructions that do exist.
    let found = floating_point(context[0]);
    let count = |name: &str| {
        found.iter().filter(|line| line.split('\t').nth(1).unwrap().trim() == name).count()
    };
    // A trap stores all registers, and a migrating task's are kept as well; a call stores only the
    // preserved ones.
    assert_eq!((count("fsd"), count("fld")), (2 * 32 + 12, 32 + 12), "{found:?}");
    assert!(count("frcsr") >= 2 && count("fscsr") >= 2, "{found:?}");
}

/// Whether a line of the disassembly is an exchange whose old value is discarded: a store that GCC up to 13 has made of
/// `__atomic_store_n`. Where atomics are performed at a line's home it takes the line out of the core's cache.
fn is_exchanging_store(line: &str) -> bool {
    let mut parts = line.split('\t').skip(1);
    let name = parts.next().unwrap_or_default().trim();
    name.starts_with("amoswap.") && parts.next().unwrap_or_default().starts_with("zero,")
}

#[test]
fn exchanging_stores_are_told_apart() {
    for line in ["  8:\tamoswap.w\tzero,s3,(s9)", "  8:\tamoswap.d.rl\tzero,a4,(a5)"] {
        assert!(is_exchanging_store(line), "{line}");
    }
    for line in ["  8:\tamoswap.d.aqrl\ta0,a4,(a5)", "  8:\tamoadd.w\tzero,a4,(a5)"] {
        assert!(!is_exchanging_store(line), "{line}");
    }
}

/// All sources of the kernel, in both placements, and of the libraries store by stores. No exception is known.
#[test]
fn no_store_is_an_exchange() {
    let central = tempfile::tempdir().unwrap();
    let placed = root().join("tests/placed.py");
    let arguments = ["central", "task/system.toml"];
    output(Command::new("python3").arg(placed).args(arguments).arg(central.path()));
    let mut images = vec![image().to_path_buf(), build(&central.path().join("system.toml"))];
    let systems = [
        "tests/posix/threads.toml",
        "tests/posix/scalable_4.toml",
        "tests/openmp/periodic.toml",
        "tests/dataflow/types.toml",
    ];
    images.extend(systems.map(|system| build(&root().join(system))));
    let mut searched = images.iter().map(|image| kernel(image)).collect::<Vec<_>>();
    searched.extend(images.iter().flat_map(|image| objects(image, "/library_")));
    for file in &searched {
        let text = disassemble(file, &[]);
        let found: Vec<_> = text.lines().filter(|line| is_exchanging_store(line)).collect();
        assert_eq!(found, [""; 0], "{}", file.display());
    }
    let libraries = ["posix", "ramfs", "heap", "openmp", "atomic", "dataflow", "libc"];
    for library in libraries.map(|name| format!("library_{name}.dir/")) {
        let is_there = searched.iter().any(|file| file.to_string_lossy().contains(&library));
        assert!(is_there, "{library}");
    }
}

/// The services that the kernel's sources mark STRAIGHT (`kernel/place.h`).
fn straight_services() -> Vec<String> {
    let folder = root().join("kernel/object");
    let sources = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let texts = sources.map(|path| fs::read_to_string(path).unwrap());
    let all = texts.collect::<String>();
    let heads = all.lines().filter_map(|line| line.strip_prefix("STRAIGHT takt_error "));
    heads.map(|head| head.split_once('(').unwrap().0.to_string()).collect()
}

/// Whether a line of the disassembly moves the stack pointer, as one that makes a frame does.
fn moves_stack(line: &str) -> bool {
    let mut parts = line.split('\t').skip(1);
    let is_addition = parts.next().is_some_and(|name| name.trim().contains("add"));
    is_addition && parts.next().is_some_and(|operands| operands.starts_with("sp,"))
}

/// On one core, without events and assumptions, a service that is marked STRAIGHT has no frame: what it calls, it calls last.
#[test]
fn straight_services_have_no_frame() {
    let folder = tempfile::tempdir().unwrap();
    let generator = root().join("bench/kernel/generate.py");
    let arguments = ["thread_metric", "tile72", "1", "object", "ticket", "none"];
    output(Command::new("python3").arg(generator).args(arguments).arg(folder.path()));
    let text = disassemble(&kernel(&build(&folder.path().join("system.toml"))), &[]);
    let function = |name: &str| {
        let start = text.find(&format!("<{name}>:\n")).unwrap_or_else(|| panic!("no {name}"));
        text[start..].split("\n\n").next().unwrap()
    };
    let services = straight_services();
    assert!(services.len() >= 14, "{services:?}");
    for service in &services {
        let found: Vec<_> = function(service).lines().filter(|line| moves_stack(line)).collect();
        assert_eq!(found, [""; 0], "{service} has a frame");
    }
    // The search must find the frames that do exist.
    assert!(function("takt_mutex_lock_for").lines().any(moves_stack));
}

/// The names that an object uses without defining them, and those that it defines.
fn names(object: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let bytes = fs::read(object).unwrap();
    let elf = parse_elf(&bytes).unwrap();
    let names = |used: bool| {
        let symbols = elf.symbols().filter(|symbol| symbol.is_undefined() == used);
        symbols.map(|symbol| symbol.name().unwrap().to_string()).collect()
    };
    (names(true), names(false))
}

/// The names that the kernel uses and that neither the kernel nor the application defines, such as
/// memcpy. Symbols of the linker script are called takt_something, like the kernel's own.
fn borrowed(image: &Path) -> BTreeSet<String> {
    let (mut used, _) = names(&kernel(image));
    used.retain(|name| !name.starts_with("takt_"));
    for object in application_objects(image) {
        used.retain(|name| !names(&object).1.contains(name));
    }
    used
}

#[test]
fn what_the_kernel_calls_in_the_c_library_uses_no_floating_point() {
    let image = image();
    let bytes = fs::read(image).unwrap();
    let names = borrowed(image);
    let all = functions(&parse_elf(&bytes).unwrap());
    let called: Vec<_> =
        all.iter().map(|function| &function.name).filter(|name| names.contains(*name)).collect();
    assert!(called.iter().any(|name| *name == "memcpy"), "{called:?}");
    for name in &called {
        let text = disassemble(image, &[format!("--disassemble={name}")]);
        assert!(text.contains(&format!("<{name}>:")), "{name} of {called:?}: {text}");
        assert_eq!(floating_point(&text), [""; 0], "{name}");
    }
}

#[test]
fn an_image_tells_neither_its_place_nor_what_the_cache_had() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let source = root.join("tests/task").canonicalize().unwrap();
    let text = fs::read_to_string(source.join("system.toml")).unwrap();
    let places = |line: &str| {
        let absolute = format!("[\"{}/", source.display());
        let is_list = line.starts_with("sources") || line.starts_with("include");
        if is_list { line.replace("[\"", &absolute) } else { line.to_string() }
    };
    let text: Vec<_> = text.lines().map(places).collect();
    // The build must also work if ccache cannot write; then ccache is not used.
    let caches = [None, Some(("CCACHE_DISABLE", "1")), Some(("CCACHE_DIR", "/proc/none"))];
    let images = caches.map(|cache| {
        let directory = tempfile::tempdir().unwrap();
        let system = directory.path().join("system.toml");
        fs::write(&system, text.join("\n")).unwrap();
        let mut takt = Command::new(env!("CARGO_BIN_EXE_takt"));
        takt.envs(cache);
        fs::read(output(takt.arg("build").arg(system)).trim_end()).unwrap()
    });
    assert!(images[0] == images[1] && images[0] == images[2]);
}

#[test]
fn no_memory_is_writable_and_executable() {
    let bytes = fs::read(image()).unwrap();
    let elf = parse_elf(&bytes).unwrap();
    let loaded = elf.elf_program_headers().iter().filter(|header| {
        header.p_type(LittleEndian) == elf::PT_LOAD && header.p_memsz(LittleEndian) > 0
    });
    let flags: Vec<_> = loaded.map(|header| header.p_flags(LittleEndian)).collect();
    let has = |flag: u32| flags.iter().any(|flags| flags & flag != 0);
    assert!(has(elf::PF_W) && has(elf::PF_X), "{flags:?}");
    for flags in &flags {
        assert!(flags & (elf::PF_W | elf::PF_X) != elf::PF_W | elf::PF_X, "{flags:#x}");
    }
}
