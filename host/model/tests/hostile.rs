// SPDX-License-Identifier: Apache-2.0
//! Tests that files made to overflow a stack, to fill memory or to take forever are refused like
//! others.
//!
//! Test threads have the small stack of 2 MiB. No times are asserted here: an input that takes more
//! than the product of two long lists would hang the test, and the fuzzer limits the time of each
//! input.

use std::path::Path;

use takt_model::{Code, Problems, System};

/// The length of the longest file that is read.
const LIMIT: usize = 2 << 20;
const HEAD: &str =
    "format = 1\n[system]\nname = 'a'\nboard = 'virt'\nsources = ['application.c']\n";

fn refuse(text: String) -> Problems {
    assert!(text.len() <= LIMIT, "the file would be refused for its size");
    let path = Path::new("../../tests/diagnostics/made.toml");
    let problems = System::from_bytes(path, text.into_bytes(), &["../../boards".into()]);
    let problems = problems.expect_err("a hostile file");
    assert!(problems.iter().count() <= 20);
    let shown = format!("{:?}", miette::Report::new(problems.clone()));
    assert!(shown.len() < 1 << 20, "{} bytes to say what is wrong", shown.len());
    problems
}

fn first_code(text: String) -> Code {
    refuse(text).iter().next().unwrap().code
}

/// A file that begins with `HEAD` and has as many lines as the limit allows.
fn filled(line: impl Fn(usize) -> String) -> String {
    let mut text = HEAD.to_string();
    for index in 0.. {
        let line = line(index);
        if text.len() + line.len() > LIMIT {
            break;
        }
        text += &line;
    }
    text
}

#[test]
fn brackets() {
    assert_eq!(first_code("[".repeat(LIMIT)), Code::LineTooLong);
    assert_eq!(first_code("a = ".to_string() + &"[\n".repeat(1_000_000)), Code::Syntax);
    assert_eq!(first_code("a = ".to_string() + &"{a=\n".repeat(500_000)), Code::Syntax);
    assert_eq!(first_code("[".repeat(4000)), Code::Syntax);
    assert_eq!(first_code("[a]\n[[a]]\n".repeat(200_000)), Code::DuplicateKey);
}

/// The parser counts one close too many for each misplaced bracket.
#[test]
fn brackets_that_the_parser_miscounts() {
    assert_eq!(first_code("a = [{ b = s\n[[c]]\n[[d]]\n".repeat(70_000)), Code::Syntax);
    assert_eq!(first_code("a = [{ b = s\n[c]\n[d]\n[e]\n".repeat(70_000)), Code::Syntax);
}

#[test]
fn the_deepest_nesting_that_parses() {
    let deep = |brackets: usize| {
        let key = "a.".repeat(76) + "a";
        format!("[b.{key}]\n{key} = {}{}\n", "[".repeat(brackets), "]".repeat(brackets))
    };
    assert_eq!(first_code(HEAD.to_string() + &deep(32)), Code::UnknownKey);
    let lines = filled(|index| deep(32).replacen("[b.", &format!("[b{index}."), 1));
    assert_eq!(first_code(lines), Code::UnknownKey);
}

#[test]
fn long_keys_and_values() {
    let dots = vec!["a"; 2000].join(".");
    assert_eq!(first_code(format!("{HEAD}{dots} = 1\n")), Code::Syntax);
    assert_eq!(first_code(format!("{HEAD}[{dots}]\n")), Code::Syntax);
    assert_eq!(first_code(filled(|_| format!("{} = 1\n", "k".repeat(4000)))), Code::DuplicateKey);
    assert_eq!(first_code(format!("{HEAD}cores = {}\n", "9".repeat(4000))), Code::OutOfRange);
    let task = format!("[[task]]\nname = 'a'\nentry = 'a'\nperiod = '{}s'\n", "9".repeat(4000));
    assert_eq!(first_code(HEAD.to_string() + &task), Code::MissingWcet);
}

#[test]
fn many_mistakes() {
    assert_eq!(first_code(filled(|index| format!("k{index}=1\n"))), Code::UnknownKey);
    assert_eq!(first_code(filled(|_| "[[task]]\n".to_string())), Code::MissingKey);
    let semaphore = |_| "[[semaphore]]\nname='s'\n".to_string();
    assert!(refuse(filled(semaphore)).iter().any(|p| p.code == Code::DuplicateName));
    assert_eq!(first_code("\n= 1".repeat(500_000)), Code::Syntax);
}

#[test]
fn many_unknown_references() {
    let line = |n| match n % 2 {
        0 => format!("[[task]]\nname='t{n}'\nentry='e'\n"),
        _ => format!("[[buffer]]\nname='b{n}'\nsize='1B'\nwriter='u{n}'\nreaders=['v{n}']\n"),
    };
    assert_eq!(first_code(filled(line)), Code::UnknownTask);
}

#[test]
fn many_sources_and_readers() {
    let sources = (0..200_000).map(|n| format!("'s{n}',\n")).collect::<String>();
    let text = HEAD.replace("'application.c'", &sources) + "[[task]]\nname='t'\nentry='e'\n";
    assert_eq!(first_code(text), Code::MissingFile);
    let readers = "'t',\n".repeat(400_000);
    let buffer = format!("[[buffer]]\nname='b'\nsize='1B'\nwriter='t'\nreaders=[{readers}]\n");
    let text = HEAD.to_string() + "[[task]]\nname='t'\nentry='e'\n" + &buffer;
    assert_eq!(first_code(text), Code::Repeated);
}

#[test]
fn a_byte_order_mark_and_windows_lines_are_fine() {
    let text = HEAD.to_string() + "[[task]]\nname = 'a'\nentry = 'step'\n";
    let windows = "\u{feff}".to_string() + &text.replace('\n', "\r\n");
    let path = Path::new("../../tests/diagnostics/made.toml");
    System::from_bytes(path, windows.into_bytes(), &["../../boards".into()]).unwrap();
}
