// SPDX-License-Identifier: Apache-2.0
//! What a command prints as its result.

use std::io::{ErrorKind, Write};

use crate::failure::Exit;

/// Prints to stdout. That nobody reads on (`takt check ... | head`) is no fault of the command; a
/// result that is lost in any other way ends it.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("takt: cannot write the result: {error}");
            std::process::exit(Exit::Tool as i32);
        }
        _ => (),
    }
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("numbers, texts and lists");
    print(&format!("{text}\n"));
}
