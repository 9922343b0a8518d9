// SPDX-License-Identifier: Apache-2.0
//! What a command prints as its result.

use std::io::Write;

/// Prints to stdout. That nobody reads on (`takt check ... | head`) is no fault of the command.
pub fn print(text: &str) {
    let mut stdout = std::io::stdout().lock();
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Prints a value as JSON.
pub fn print_json(value: &impl serde::Serialize) {
    let text = serde_json::to_string_pretty(value).expect("numbers, texts and lists");
    print(&format!("{text}\n"));
}
